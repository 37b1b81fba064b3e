/* mqgate tenants: who the tenants are and on which shard each lives; changes to the tenant
 * vindex table. */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/tenants.h"
#include "placement/cluster_topology.h"
#include "placement/map_rows.h"

static const char help_text[] =
    "usage: mqgate tenants list   -c FILE [--json]\n"
    "       mqgate tenants where  -c FILE NAME... [--json]\n"
    "       mqgate tenants check  -c FILE [--json]\n"
    "       mqgate tenants add    -c FILE NAME... [--shard SHARD | --keyspace-id HEX]\n"
    "       mqgate tenants place  -c FILE NAME... (--shard SHARD | --keyspace-id HEX)\n"
    "                             [--yes] [--force]\n"
    "       mqgate tenants retire -c FILE NAME... [--yes]\n"
    "       mqgate tenants remove -c FILE NAME... [--yes] [--force]\n"
    "       mqgate tenants export -c FILE > tenants.tsv\n"
    "       mqgate tenants import -c FILE tenants.tsv [--dry-run] [--replace]\n"
    "\n"
    "Shows where each tenant lives and changes the tenant vindex table. Running sidecars see a\n"
    "change within tenant_vindex.refresh_interval. Without a vindex table the vindex function\n"
    "places tenants: there is nothing to change, but list, where, check and export work.\n"
    "\n"
    "  list    every tenant with its shard, keyspace id, state and the version of its row\n"
    "  where   the same of these tenants, and whether the table or the function says so\n"
    "  check   compares the table with the list of the configuration, with the function and with\n"
    "          the rows on the shards; names rows on a shard that does not own them, and keys "
    "that\n"
    "          contain the separator of qualified partition keys. Changes nothing\n"
    "  add     a new tenant; without an option where the vindex function puts it\n"
    "  place   an existing tenant elsewhere; only one without rows, since none are moved. While\n"
    "          clients may write, retire it first and wait for the refresh interval; placing\n"
    "          makes it serve again\n"
    "  retire  a tenant whose statements shall be refused; its rows stay where they are\n"
    "  remove  a retired tenant without rows, which sidecars then forget; its row stays in the\n"
    "          table as a tombstone, and it may be added again\n"
    "  export  all rows of the table (or what the function would say), one line each:\n"
    "          tenant, keyspace id, state, apart by tabs\n"
    "  import  adds such lines, 500 in a transaction. Lines that are there already change "
    "nothing,\n"
    "          so it can be run again; one faulty line, and nothing is imported. A tenant is "
    "never\n"
    "          taken to another shard\n"
    "\n"
    "  -c, --config FILE       the configuration (docs/configuration.md)\n"
    "      --set PATH=VALUE    overrides one setting\n"
    "      --shard SHARD       put it on this shard, e.g. -80\n"
    "      --keyspace-id HEX   put it exactly there, e.g. 4a3f\n"
    "      --yes               do not ask (only a terminal is asked)\n"
    "      --force             place or remove although rows would be left behind\n"
    "      --dry-run           say what an import would do, and do nothing\n"
    "      --replace           import over rows that differ, as far as the shard stays the same\n"
    "      --json              print for programs\n"
    "\n"
    "  mqgate tenants add -c mqgate.yaml payments orders\n"
    "  mqgate tenants add -c mqgate.yaml bulk-import --shard 80-\n"
    "  mqgate tenants where -c mqgate.yaml payments\n"
    "  mqgate tenants check -c mqgate.yaml --json | jq '.[] | select(.fault)'\n"
    "\n"
    "exit status: 0 done, 1 a fault was found or met (other tenants may have been done), 2 wrong\n"
    "usage. docs/tenants.md shows how they go together.\n";

/* --- the verbs ----------------------------------------------------------------------- */

enum { JSON = 1, SHARD = 2, ID = 4, YES = 8, FORCE = 16, REPLACE = 32, DRY_RUN = 64 };

static const struct verb {
    const char *name;
    int (*run)(struct tenants *s);
    enum { NO_NAMES, TENANTS, ONE_FILE } names;
    bool changes;     /* the table, so there has to be one */
    bool wants_place; /* --shard or --keyspace-id */
    unsigned options; /* that it takes */
} verbs[] = {
    { "list", tenants_list, NO_NAMES, false, false, JSON },
    { "where", tenants_where, TENANTS, false, false, JSON },
    { "check", tenants_check, NO_NAMES, false, false, JSON },
    { "add", tenants_add, TENANTS, true, false, JSON | SHARD | ID },
    { "place", tenants_place, TENANTS, true, true, JSON | SHARD | ID | YES | FORCE },
    { "retire", tenants_retire, TENANTS, true, false, JSON | YES },
    { "remove", tenants_remove, TENANTS, true, false, JSON | YES | FORCE },
    { "import", tenants_import, ONE_FILE, true, false, JSON | DRY_RUN | REPLACE },
    { "export", tenants_export, NO_NAMES, false, false, 0 },
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

/* "list, where, … and export". */
static const char *verb_names(struct buf *out)
{
    for (size_t i = 0; i < VERBS; i++)
        buf_printf(out, "%s%s", i == 0 ? "" : i + 1 < VERBS ? ", " : " and ", verbs[i].name);
    return buf_cstr(out);
}

static int unknown_verb(const char *command, const char *name)
{
    struct buf names;
    buf_init(&names);
    int status = name ? options_misused(command, "cannot \"%s\", only %s", name, verb_names(&names))
                      : options_misused(command, "say what to do: %s", verb_names(&names));
    buf_fini(&names);
    return status;
}

/* --- the options --------------------------------------------------------------------- */

#define ROW(name, member) OPTION_TEXT(name, 0, struct tenants_options, member)
#define FLAG(name, member) OPTION_FLAG(name, 0, struct tenants_options, member)
static const struct option_row option_rows[] = {
    FLAG("json", json),       ROW("shard", shard),  ROW("keyspace-id", keyspace_id),
    FLAG("yes", yes),         FLAG("force", force), FLAG("replace", replace),
    FLAG("dry-run", dry_run), OPTION_END,
};
#undef ROW
#undef FLAG

/* The options given, as bits in the order of option_rows. */
static unsigned given(const struct tenants_options *o)
{
    return (o->json ? JSON : 0u) | (o->shard ? SHARD : 0u) | (o->keyspace_id ? ID : 0u) |
           (o->yes ? YES : 0u) | (o->force ? FORCE : 0u) | (o->replace ? REPLACE : 0u) |
           (o->dry_run ? DRY_RUN : 0u);
}

/* What is wrong with what stands behind the verb, or NULL. */
static const char *check_names(const struct verb *verb, const struct tenants_options *o)
{
    if (verb->names == TENANTS && o->names.count == 0)
        return "name at least one tenant";
    if (verb->names == NO_NAMES && o->names.count > 0)
        return "this command takes no tenants";
    if (verb->names == ONE_FILE && o->names.count != 1)
        return "name the one file to import";
    return NULL;
}

static int check_usage(const char *command, const struct verb *verb,
                       const struct tenants_options *o)
{
    unsigned set = given(o), excess = set & ~verb->options;
    const char *wrong = check_names(verb, o);
    if (wrong)
        return options_misused(command, "%s", wrong);
    for (unsigned i = 0; option_rows[i].name; i++)
        if (excess >> i & 1)
            return options_misused(command, "%s takes no --%s", verb->name, option_rows[i].name);
    if ((set & SHARD) && (set & ID))
        return options_misused(command, "give --shard or --keyspace-id, not both");
    if (verb->wants_place && !(set & (SHARD | ID)))
        return options_misused(command, "say where: --shard or --keyspace-id");
    return EXIT_DONE;
}

/* --- the command --------------------------------------------------------------------- */

/* Vitess goes by its VSchema alone, whatever a table says that it does not look into. */
static enum err_code check_vitess(const struct tenants *s, const struct verb *verb,
                                  struct err *reterr)
{
    const struct vindex_type *vindex = s->topology->vindex;
    bool chooses = s->options->shard || s->options->keyspace_id || verb->run == tenants_import;
    if (vindex->is_lookup || !chooses)
        return MQ_OK;
    return err_set(
        reterr, MQ_USAGE,
        "the cluster's VSchema shards by %s, which alone decides where tenants live; with "
        "a lookup (mqgate schema --vitess) the table does",
        vindex->name);
}

static enum err_code session_open(struct tenants *s, const struct verb *verb, struct err *reterr)
{
    const struct tenants_options *o = s->options;
    struct config *config = settings_load(&o->settings);
    if (!config)
        return err_set(reterr, MQ_CONFIG_INVALID, "%s is not valid", settings_path(&o->settings));
    bool vitess = config_is_vitess(config);
    enum err_code code = cluster_topology_create(config, CLUSTER_SHARDS, &s->topology, reterr);
    if (!code && vitess)
        code = check_vitess(s, verb, reterr);
    if (code)
        return code;
    const struct vindex_table_config *table = &s->topology->config->vindex_table;
    if (verb->changes && !table->configured)
        return err_set(reterr, MQ_USAGE,
                       "no tenant_vindex is configured, so the vindex function places tenants");
    s->listed = map_base(s->topology);
    if (o->json)
        s->output = json_array();
    return table->configured ? vindex_table_open(table, &s->table, reterr) : MQ_OK;
}

static void session_close(struct tenants *s)
{
    vindex_table_close(s->table);
    tenant_map_release(s->listed);
    topology_release(s->topology);
    json_decref(s->output);
}

static void print_end(const struct tenants *s)
{
    if (!s->output)
        return;
    json_dumpf(s->output, stdout, JSON_INDENT(2));
    putchar('\n');
}

static int run_verb(const struct verb *verb, const struct tenants_options *o)
{
    struct tenants s = { .options = o };
    struct err err;
    int status;
    if (session_open(&s, verb, &err) == MQ_OK) {
        status = verb->run(&s);
        print_end(&s);
    } else {
        status = tenants_complain(&err);
    }
    session_close(&s);
    return status;
}

int cmd_tenants(int argc, char **argv)
{
    struct tenants_options o = { 0 };
    const struct option_group groups[] = { { settings_option_rows, &o.settings },
                                           { option_rows, &o },
                                           { NULL, NULL } };
    int status = options_read(groups, help_text, argc, argv, &o.names);
    if (status >= 0)
        return status;
    const char *name = o.names.count ? o.names.items[0] : NULL;
    const struct verb *verb = name ? find_verb(name) : NULL;
    if (!verb)
        return unknown_verb(argv[0], name);
    o.names.items++;
    o.names.count--;
    status = check_usage(argv[0], verb, &o);
    return status == EXIT_DONE ? run_verb(verb, &o) : status;
}
