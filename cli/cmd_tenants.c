/* mqgate tenants: who the tenants are and on which shard each lives; changes to the tenant
 * vindex table. */
#define _DEFAULT_SOURCE
#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/settings.h"
#include "placement/choose_id.h"
#include "placement/occupancy.h"
#include "placement/vindex_table.h"

static const char help_text[] =
    "usage: mqgate tenants list   -c FILE [--json]\n"
    "       mqgate tenants add    -c FILE NAME... [--shard SHARD | --keyspace-id HEX]\n"
    "       mqgate tenants place  -c FILE NAME... (--shard SHARD | --keyspace-id HEX)\n"
    "                             [--yes] [--force]\n"
    "       mqgate tenants retire -c FILE NAME... [--yes]\n"
    "\n"
    "Shows where each tenant lives and changes the tenant vindex table. Running sidecars see a\n"
    "change within tenant_vindex.refresh_interval.\n"
    "\n"
    "  list    every tenant with its shard, keyspace id, state and the version of its row\n"
    "  add     a new tenant; without an option where the vindex function puts it\n"
    "  place   an existing tenant elsewhere; only one without rows, since none are moved. While\n"
    "          clients may write, retire it first and wait for the refresh interval; placing\n"
    "          makes it serve again\n"
    "  retire  a tenant whose statements shall be refused; its rows stay where they are\n"
    "\n"
    "  -c, --config FILE       the configuration (docs/configuration.md)\n"
    "      --set PATH=VALUE    overrides one setting\n"
    "      --shard SHARD       put it on this shard, e.g. -80\n"
    "      --keyspace-id HEX   put it exactly there, e.g. 4a3f\n"
    "      --yes               do not ask (only a terminal is asked)\n"
    "      --force             place although rows on the old shard would be left behind\n"
    "      --json              print for programs\n"
    "\n"
    "  mqgate tenants add -c mqgate.yaml payments orders\n"
    "  mqgate tenants add -c mqgate.yaml bulk-import --shard 80-\n"
    "  mqgate tenants place -c mqgate.yaml payments --shard -80\n"
    "  mqgate tenants list -c mqgate.yaml --json\n"
    "\n"
    "exit status: 0 done, 1 a fault (other tenants may have been done), 2 wrong usage\n";

struct options {
    struct settings settings;
    const char *shard;
    const char *keyspace_id;
    bool json, yes, force;
    struct arguments names;
};

/* What a command works with. */
struct session {
    const struct options *options;
    struct topology *topology;
    struct vindex_table *table; /* NULL: the vindex function decides */
    json_t *output;             /* an array, with --json */
};

/* --- messages ------------------------------------------------------------------------ */

static int complain(const struct err *err)
{
    char line[ERR_TEXT_MAX + 16];
    err_format(err, line, sizeof line);
    fprintf(stderr, "mqgate tenants: %s\n", err->code == MQ_USAGE ? err->text : line);
    if (err->code != MQ_USAGE)
        fprintf(stderr, "  %s\n", err_info(err->code)->remedy);
    return EXIT_FAULT;
}

/* Asks on a terminal; a script has decided already. */
static bool agreed(const struct session *s, const char *what, const char *tenant)
{
    if (s->options->yes || !isatty(STDIN_FILENO))
        return true;
    fprintf(stderr, "%s %s? [y/N] ", what, tenant);
    int answer = getchar(), rest = answer;
    while (rest != '\n' && rest != EOF)
        rest = getchar();
    return answer == 'y' || answer == 'Y';
}

/* --- output -------------------------------------------------------------------------- */

struct line {
    const char *tenant;
    int shard; /* index; -1: none */
    struct keyspace_id id;
    const char *state; /* a state, or what was done */
    uint64_t version;  /* 0: none */
};

static void print_json(struct session *s, const struct line *l)
{
    struct buf hex;
    buf_init(&hex);
    keyspace_id_print(&l->id, &hex);
    json_t *o = json_pack("{s:s, s:s}", "tenant", l->tenant, "state", l->state);
    if (l->shard >= 0) {
        const char *name = s->topology->shards[l->shard].config->name;
        json_object_set_new(o, "shard", json_string(name));
        json_object_set_new(o, "keyspace_id", json_string(buf_cstr(&hex)));
    }
    if (l->version)
        json_object_set_new(o, "version", json_integer((json_int_t)l->version));
    json_array_append_new(s->output, o);
    buf_fini(&hex);
}

static void print_text(struct session *s, const struct line *l)
{
    struct buf hex;
    buf_init(&hex);
    keyspace_id_print(&l->id, &hex);
    const char *shard = l->shard < 0 ? "-" : s->topology->shards[l->shard].config->name;
    printf("%-32s %-12s %-18s ", l->tenant, shard, l->shard < 0 ? "-" : buf_cstr(&hex));
    if (l->version)
        printf("%-10s %llu\n", l->state, (unsigned long long)l->version);
    else
        printf("%s\n", l->state);
    buf_fini(&hex);
}

static void print_line(struct session *s, const struct line *l)
{
    if (s->output)
        print_json(s, l);
    else
        print_text(s, l);
}

static void print_done(struct session *s, const char *tenant, const struct keyspace_id *id,
                       const char *done)
{
    struct line l = { .tenant = tenant, .id = *id, .state = done };
    l.shard = (int)topology_shard_of(s->topology, id);
    print_line(s, &l);
}

static void print_end(struct session *s)
{
    if (!s->output)
        return;
    json_dumpf(s->output, stdout, JSON_INDENT(2));
    putchar('\n');
}

/* --- list ---------------------------------------------------------------------------- */

static void print_map(struct session *s, const struct tenant_map *map)
{
    if (!s->output)
        printf("%-32s %-12s %-18s %s\n", "TENANT", "SHARD", "KEYSPACE ID",
               s->table ? "STATE      VERSION" : "STATE");
    for (size_t i = 0; i < tenant_map_count(map); i++) {
        const struct tenant *t = tenant_map_at(map, i);
        struct line l = { .tenant = t->name, .shard = -1, .version = t->version };
        l.state = t->placed ? tenant_state_name((enum tenant_state)t->state) : "unplaced";
        if (t->placed) {
            l.shard = (int)t->shard;
            l.id.len = t->id_len;
            memcpy(l.id.bytes, t->id, t->id_len);
        }
        print_line(s, &l);
    }
}

struct listing {
    struct session *session;
    struct tenant_map_builder *builder;
};

static bool list_row(void *context, const struct vindex_row *row)
{
    struct listing *l = context;
    if (!row->tombstone)
        tenant_map_builder_add(l->builder, row->tenant, &row->id,
                               topology_shard_of(l->session->topology, &row->id), row->state,
                               row->version);
    return true;
}

/* Every row of the table, and the listed tenants that it does not place. */
static enum err_code read_map(struct session *s, struct tenant_map **ret, struct err *reterr)
{
    if (!s->table)
        return topology_hash_tenants(s->topology, ret, reterr);
    struct listing l = { .session = s, .builder = tenant_map_builder_create() };
    const struct string_list *listed = &s->topology->config->tenants;
    for (size_t i = 0; i < listed->count; i++)
        tenant_map_builder_add(l.builder, slice_cstr(listed->items[i]), NULL, 0, TENANT_SERVING, 0);
    uint64_t version;
    enum err_code code = vindex_table_read(s->table, 0, list_row, &l, &version, reterr);
    if (!code)
        *ret = tenant_map_build(l.builder, 0, version);
    tenant_map_builder_destroy(l.builder);
    return code;
}

static int do_list(struct session *s)
{
    struct tenant_map *map;
    struct err err;
    if (read_map(s, &map, &err) != MQ_OK)
        return complain(&err);
    print_map(s, map);
    tenant_map_release(map);
    return EXIT_DONE;
}

/* --- add, place, retire -------------------------------------------------------------- */

/* The id that the options and the tenant's name lead to. */
static enum err_code choose(struct session *s, struct slice tenant, struct keyspace_id *ret,
                            struct err *reterr)
{
    const struct options *o = s->options;
    if (o->shard)
        return choose_id_on_shard(s->topology, tenant, slice_cstr(o->shard), ret, reterr);
    if (!o->keyspace_id)
        return choose_id(s->topology, tenant, ret, reterr);
    if (!keyspace_id_parse(slice_cstr(o->keyspace_id), ret) || ret->len == 0)
        return err_set(reterr, MQ_USAGE,
                       "\"%s\" is no keyspace id (hexadecimal, two digits a byte)", o->keyspace_id);
    return MQ_OK;
}

static enum err_code wanted_id(struct session *s, struct slice tenant, struct keyspace_id *ret,
                               struct err *reterr)
{
    enum err_code code = choose(s, tenant, ret, reterr);
    if (!code && ret->len > TENANT_ID_MAX)
        code = err_set(reterr, MQ_USAGE, "keyspace ids of more than %d bytes are not served",
                       TENANT_ID_MAX);
    return code;
}

static enum err_code add_one(struct session *s, const char *name, struct err *reterr)
{
    struct slice tenant = slice_cstr(name);
    struct keyspace_id id;
    enum err_code code = wanted_id(s, tenant, &id, reterr);
    if (!code)
        code = vindex_table_add(s->table, tenant, &id, reterr);
    if (!code)
        print_done(s, name, &id, "added");
    return code;
}

static bool keep_row(void *context, const struct vindex_row *row)
{
    *(struct vindex_row *)context = *row;
    return true;
}

static enum err_code find_row(struct session *s, const char *name, struct vindex_row *ret,
                              struct err *reterr)
{
    char *names[] = { (char *)name };
    struct string_list list = { .items = names, .count = 1 };
    uint64_t version;
    *ret = (struct vindex_row){ .tombstone = true };
    enum err_code code =
        vindex_table_read_tenants(s->table, &list, keep_row, ret, &version, reterr);
    if (!code && ret->tombstone)
        code = err_set(reterr, MQ_TENANT_UNPLACED, "\"%s\" has no row", name);
    return code;
}

/* Rows on the old shard would be out of reach. A shard that cannot be asked may hold some. */
static enum err_code check_empty(struct session *s, const char *name,
                                 const struct keyspace_id *from, const struct keyspace_id *to,
                                 struct err *reterr)
{
    const struct topology *t = s->topology;
    uint32_t old = topology_shard_of(t, from);
    if (s->options->force || old == topology_shard_of(t, to))
        return MQ_OK;
    const char *table;
    enum err_code code =
        occupancy_find(t, old, &t->config->accounts[0].backend, slice_cstr(name), &table, reterr);
    if (!code && table)
        code = err_set(reterr, MQ_USAGE,
                       "\"%s\" has rows in %s on shard %s, which would be left behind "
                       "(--force places it all the same)",
                       name, table, t->shards[old].config->name);
    return code;
}

static enum err_code place_one(struct session *s, const char *name, struct err *reterr)
{
    struct slice tenant = slice_cstr(name);
    struct keyspace_id id;
    struct vindex_row row;
    enum err_code code = wanted_id(s, tenant, &id, reterr);
    if (!code)
        code = find_row(s, name, &row, reterr);
    if (!code)
        code = check_empty(s, name, &row.id, &id, reterr);
    if (!code && !agreed(s, "place", name))
        return MQ_OK;
    if (!code)
        code = vindex_table_place(s->table, tenant, &id, reterr);
    if (!code)
        print_done(s, name, &id, "placed");
    return code;
}

static enum err_code retire_one(struct session *s, const char *name, struct err *reterr)
{
    struct vindex_row row;
    enum err_code code = find_row(s, name, &row, reterr);
    if (!code && !agreed(s, "retire", name))
        return MQ_OK;
    if (!code)
        code = vindex_table_retire(s->table, slice_cstr(name), reterr);
    if (!code)
        print_done(s, name, &row.id, "retired");
    return code;
}

typedef enum err_code change_one(struct session *s, const char *name, struct err *reterr);

/* A misspelt name stops everything. Then each goes by itself: one that fails does not stop
 * the others. */
static int change_all(struct session *s, change_one *change)
{
    struct err err;
    int status = EXIT_DONE;
    for (int i = 0; i < s->options->names.count; i++)
        if (tenant_check(slice_cstr(s->options->names.items[i]), &err) != MQ_OK) {
            fprintf(stderr, "mqgate tenants: \"%s\": %s\n", s->options->names.items[i], err.text);
            return EXIT_USAGE;
        }
    for (int i = 0; i < s->options->names.count; i++)
        if (change(s, s->options->names.items[i], &err) != MQ_OK)
            status = complain(&err);
    return status;
}

static int do_add(struct session *s)
{
    struct err err;
    if (vindex_table_create(s->table, &err) != MQ_OK)
        return complain(&err);
    return change_all(s, add_one);
}

static int do_place(struct session *s)
{
    return change_all(s, place_one);
}

static int do_retire(struct session *s)
{
    return change_all(s, retire_one);
}

/* --- the command --------------------------------------------------------------------- */

static const struct verb {
    const char *name;
    int (*run)(struct session *s);
    bool changes; /* wants names and a table */
    bool wants_place, may_place;
} verbs[] = {
    { "list", do_list, false, false, false },
    { "add", do_add, true, false, true },
    { "place", do_place, true, true, true },
    { "retire", do_retire, true, false, false },
};

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

#define ROW(name, member) OPTION_TEXT(name, 0, struct options, member)
#define FLAG(name, member) OPTION_FLAG(name, 0, struct options, member)
static const struct option_row option_rows[] = {
    ROW("shard", shard),  ROW("keyspace-id", keyspace_id),
    FLAG("json", json),   FLAG("yes", yes),
    FLAG("force", force), OPTION_END,
};
#undef ROW
#undef FLAG

/* What is wrong with the options for this verb, or NULL. */
static const char *check_options(const struct verb *verb, const struct options *o)
{
    if (verb->changes && o->names.count == 0)
        return "name at least one tenant";
    if (!verb->changes && o->names.count > 0)
        return "this command takes no tenants";
    if (o->shard && o->keyspace_id)
        return "give --shard or --keyspace-id, not both";
    if (!verb->may_place && (o->shard || o->keyspace_id))
        return "this command takes neither --shard nor --keyspace-id";
    if (verb->wants_place && !o->shard && !o->keyspace_id)
        return "say where: --shard or --keyspace-id";
    return NULL;
}

static enum err_code session_open(struct session *s, const struct verb *verb, struct err *reterr)
{
    const struct options *o = s->options;
    struct config *config = settings_load(&o->settings);
    if (!config)
        return err_set(reterr, MQ_CONFIG_INVALID, "%s is not valid", settings_path(&o->settings));
    enum err_code code = topology_create(config, &s->topology, reterr);
    if (code)
        return code;
    const struct vindex_table_config *table = &s->topology->config->vindex_table;
    if (verb->changes && !table->configured)
        return err_set(reterr, MQ_USAGE,
                       "no tenant_vindex is configured, so the vindex function places tenants");
    if (o->json)
        s->output = json_array();
    return table->configured ? vindex_table_open(table, &s->table, reterr) : MQ_OK;
}

static void session_close(struct session *s)
{
    vindex_table_close(s->table);
    topology_release(s->topology);
    json_decref(s->output);
}

static int run_verb(const struct verb *verb, const struct options *o)
{
    struct session s = { .options = o };
    struct err err;
    int status;
    if (session_open(&s, verb, &err) == MQ_OK) {
        status = verb->run(&s);
        print_end(&s);
    } else {
        status = complain(&err);
    }
    session_close(&s);
    return status;
}

int cmd_tenants(int argc, char **argv)
{
    struct options o = { 0 };
    const struct option_group groups[] = { { settings_option_rows, &o.settings },
                                           { option_rows, &o },
                                           { NULL, NULL } };
    int status = options_read(groups, help_text, argc, argv, &o.names);
    if (status >= 0)
        return status;
    const struct verb *verb = o.names.count ? find_verb(o.names.items[0]) : NULL;
    if (!o.names.count)
        return options_misused(argv[0], "say what to do: list, add, place or retire");
    if (!verb)
        return options_misused(argv[0], "cannot \"%s\", only list, add, place and retire",
                               o.names.items[0]);
    o.names.items++;
    o.names.count--;
    const char *wrong = check_options(verb, &o);
    return wrong ? options_misused(argv[0], "%s", wrong) : run_verb(verb, &o);
}
