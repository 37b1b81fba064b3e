/* mqgate check: reads everything that `mqgate run` would read before it listens, says all
 * that is wrong, and otherwise what would be served. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/settings.h"
#include "config/scalar.h"
#include "config/settings.h"
#include "placement/cluster_topology.h"
#include "proxy/tls.h"

static const char help_text[] =
    "Usage: mqgate check [-c FILE] [--set PATH=VALUE]... [--offline] [--json]\n"
    "       mqgate check --settings [--json | --markdown]\n"
    "\n"
    "Checks the configuration, its VSchema, certificates and shards without connecting anywhere,\n"
    "except with `backend: vitess`, where the cluster's VSchema is read from a vtgate. Every fault is\n"
    "named with file and line; without one, it shows what would be served, with a warning for every\n"
    "shard that the vindex can put no tenant on.\n"
    "\n"
    "Options:\n"
    "  -c, --config FILE      configuration (default: $MQGATE_CONFIG, else mqgate.yaml)\n"
    "      --set PATH=VALUE   a setting in place of the file's and the environment's\n"
    "      --offline          connect nowhere, and believe the configured VSchema\n"
    "      --settings         list every setting: type, default, variable, meaning\n"
    "      --json             print for programs\n"
    "      --markdown         the settings as docs/configuration.md\n"
    "\n"
    "Environment: MQ_TENANTS, the tenants; MQGATE_<PATH>, any single setting, such as\n"
    "MQGATE_LOG_LEVEL for log.level. A flag wins over the environment, that over the file.\n"
    "\n"
    "The smallest file:\n"
    "  keyspace:\n"
    "    name: queue\n"
    "    shards:\n"
    "      \"-80\": 10.0.0.1:3306\n"
    "      \"80-\": 10.0.0.2:3306\n"
    "  tenants: [orders, payments]\n"
    "  accounts:\n"
    "    app: {password_env: APP_PASSWORD}\n"
    "\n"
    "Examples:\n"
    "  mqgate check -c mqgate.yaml\n"
    "  mqgate check -c mqgate.yaml --set log.level=debug --json\n"
    "  mqgate check --settings | less\n"
    "\n"
    "Exit status: 0 no fault, 1 faults, 2 wrong usage.\n";

struct options {
    struct settings settings;
    bool json, markdown, offline, list_settings;
};

/* --- the settings -------------------------------------------------------------------- */

/* The variable that sets it, or "" when none can. */
static const char *variable_of(const struct setting_info *info, struct buf *out)
{
    const struct setting *s = setting_find(info->path);
    buf_clear(out);
    if (s && setting_is_single(s))
        setting_variable(s, out);
    return buf_cstr(out);
}

static void print_setting(const struct setting_info *s, const char *variable)
{
    bool required = strcmp(s->fallback, "required") == 0;
    printf("%s  (%s", s->path, s->type);
    if (*s->fallback)
        printf("; %s%s", required ? "" : "default ", s->fallback);
    if (*variable)
        printf("; %s", variable);
    printf(")\n    %s\n", s->summary);
}

static json_t *setting_json(const struct setting_info *s, const char *variable)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "path", s->path, "type", s->type, "default",
                     s->fallback, "variable", variable, "summary", s->summary);
}

static void dump(json_t *value)
{
    json_dumpf(value, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(value);
}

static const char page_head[] =
    "# Configuration\n\n"
    "Made by `mqgate check --settings --markdown`; edit `config/settings.def` instead.\n\n"
    "The file is YAML. `*` stands for a name that you choose, `[]` for an item of a list.\n"
    "`--set PATH=VALUE` wins over the environment variable, that over the file. `mqgate\n"
    "check` names every fault with its line.\n\n"
    "## Plain settings\n";
static const char table_head[] = "\n| setting | type | default | variable | meaning |\n"
                                 "|---|---|---|---|---|\n";

/* At the root, with settings of its own right behind it. */
static bool begins_chapter(const struct setting_info *s, bool last)
{
    size_t len = strlen(s->path);
    return !strpbrk(s->path, ".[") && !last && strncmp(s[1].path, s->path, len) == 0 &&
           strchr(".[", s[1].path[len]);
}

static void print_markdown_row(const struct setting_info *all, size_t i, size_t count,
                               const char *variable)
{
    const struct setting_info *s = &all[i];
    if (i == 0)
        printf("%s%s", page_head, table_head);
    if (begins_chapter(s, i + 1 == count))
        printf("\n## %s\n\n%s\n%s", s->path, s->summary, table_head);
    const char *fallback = strcmp(s->fallback, "|") == 0 ? "\\|" : s->fallback;
    printf("| `%s` | %s | %s | %s | %s |\n", s->path, s->type, fallback, variable, s->summary);
}

static int list_settings(const struct options *o)
{
    size_t count;
    const struct setting_info *all = config_settings(&count);
    json_t *list = o->json ? json_array() : NULL;
    struct buf variable;
    buf_init(&variable);
    for (size_t i = 0; i < count; i++) {
        const char *name = variable_of(&all[i], &variable);
        if (list)
            json_array_append_new(list, setting_json(&all[i], name));
        else if (o->markdown)
            print_markdown_row(all, i, count, name);
        else
            print_setting(&all[i], name);
    }
    buf_fini(&variable);
    if (list)
        dump(list);
    return EXIT_DONE;
}

/* --- what was found ------------------------------------------------------------------ */

struct findings {
    const char *path;
    struct diagnostics faults;
    struct diagnostics warnings;
    struct topology *topology; /* NULL when it could not be made */
    struct tenant_map *map;    /* NULL when the vindex table places the tenants */
};

static void add_fault(void *context, const struct err *err)
{
    struct findings *f = context;
    char text[ERR_TEXT_MAX + 16];
    err_format(err, text, sizeof text);
    diagnostics_add(&f->faults, 0, "%s", text);
}

/* Shards that would stay empty for good. A vindex table can place tenants anywhere. */
static void examine_reach(struct findings *f)
{
    const struct topology *t = f->topology;
    for (uint32_t i = 0; i < t->shard_count && !t->config->vindex_table.configured; i++) {
        uint32_t shard = t->shard_order[i];
        if (!topology_shard_in_reach(t, shard))
            diagnostics_add(&f->warnings, 0,
                            "the vindex %s puts no tenant on shard %s: it maps ASCII to %s",
                            t->vindex->name, t->shards[shard].config->name, t->vindex->reach);
    }
}

static void examine(struct findings *f, const struct options *o)
{
    struct config_overrides overrides = settings_overrides(&o->settings);
    struct config *config = config_load(f->path, &overrides, &f->faults);
    struct err err;
    if (!config)
        return;
    if ((o->offline ? topology_create(config, &f->topology, &err)
                    : cluster_topology_create(config, CLUSTER_GATES, &f->topology, &err)) != MQ_OK)
        add_fault(f, &err);
    else if (!f->topology->config->vindex_table.configured &&
             topology_hash_tenants(f->topology, &f->map, &err) != MQ_OK)
        add_fault(f, &err);
    if (f->topology) {
        examine_reach(f);
        tls_examine(f->topology, add_fault, f);
    }
}

/* Tenants on the shard; only with a map. */
static size_t tenants_on(const struct findings *f, uint32_t shard)
{
    size_t n = 0;
    for (size_t i = 0; i < tenant_map_count(f->map); i++)
        n += tenant_map_at(f->map, i)->shard == shard;
    return n;
}

/* --- as text ------------------------------------------------------------------------- */

static void print_faults(const struct findings *f)
{
    struct buf out;
    buf_init(&out);
    diagnostics_print(&f->faults, f->path, &out);
    fputs(buf_cstr(&out), stdout);
    buf_fini(&out);
    printf("%s: %zu %s\n", f->path, f->faults.count, f->faults.count == 1 ? "fault" : "faults");
}

static const char *address_text(const struct address *a, struct buf *out)
{
    buf_clear(out);
    address_print(a, out);
    return buf_cstr(out);
}

static void print_shards(const struct findings *f)
{
    struct buf address;
    buf_init(&address);
    for (uint32_t i = 0; i < f->topology->shard_count; i++) {
        const struct shard_config *s = f->topology->shards[f->topology->shard_order[i]].config;
        printf("  shard     %-12s %s, database %s", s->name, address_text(&s->address, &address),
               s->database);
        if (f->map)
            printf(", tenants: %zu", tenants_on(f, f->topology->shard_order[i]));
        putchar('\n');
    }
    buf_fini(&address);
}

/* The vtgates, and the shards behind them. */
static void print_vitess(const struct findings *f)
{
    const struct config *c = f->topology->config;
    for (size_t i = 0; i < c->vitess.gates.count; i++)
        printf("  vtgate    %s, keyspace %s\n", c->vitess.gates.items[i], c->shards[0].database);
    for (size_t i = 0; i < c->vitess.shards.count; i++)
        printf("  shard     %s\n", c->vitess.shards.items[i]);
}

static void print_summary(const struct findings *f)
{
    const struct config *c = f->topology->config;
    struct buf address;
    buf_init(&address);
    printf("%s: ok\n", f->path);
    for (size_t i = 0; i < c->listener_count; i++)
        printf("  listen    %s\n", address_text(&c->listeners[i].address, &address));
    printf("  keyspace  %s, sharded by %s(tenant)\n", c->keyspace, f->topology->vindex->name);
    if (config_is_vitess(c))
        print_vitess(f);
    else
        print_shards(f);
    if (c->vindex_table.configured)
        printf("  placement %s.%s on %s\n", c->vindex_table.database, c->vindex_table.table,
               address_text(&c->vindex_table.address, &address));
    if (c->tenants_mode == TENANTS_TABLE)
        printf("  tenants   all of the vindex table\n");
    else
        printf("  tenants   %zu\n", c->tenants.count);
    printf("  accounts  %zu\n", c->account_count);
    for (size_t i = 0; i < f->warnings.count; i++)
        printf("  warning   %s\n", f->warnings.items[i].text);
    buf_fini(&address);
}

/* --- as JSON ------------------------------------------------------------------------- */

static json_t *diagnostics_json(const struct diagnostics *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->count; i++)
        json_array_append_new(
            list, json_pack("{s:i, s:s}", "line", (int)d->items[i].line, "text", d->items[i].text));
    return list;
}

static json_t *shards_json(const struct findings *f)
{
    json_t *list = json_array();
    struct buf address;
    buf_init(&address);
    for (uint32_t i = 0; i < f->topology->shard_count; i++) {
        uint32_t shard = f->topology->shard_order[i];
        const struct shard_config *s = f->topology->shards[shard].config;
        json_t *object = json_pack("{s:s, s:s, s:s}", "name", s->name, "address",
                                   address_text(&s->address, &address), "database", s->database);
        if (f->map)
            json_object_set_new(object, "tenants", json_integer((json_int_t)tenants_on(f, shard)));
        json_array_append_new(list, object);
    }
    buf_fini(&address);
    return list;
}

static void print_json(const struct findings *f)
{
    json_t *report =
        json_pack("{s:s, s:b, s:o, s:o}", "file", f->path, "ok", f->faults.count == 0, "faults",
                  diagnostics_json(&f->faults), "warnings", diagnostics_json(&f->warnings));
    if (f->faults.count == 0) {
        const struct config *c = f->topology->config;
        json_object_set_new(report, "keyspace", json_string(c->keyspace));
        json_object_set_new(report, "vindex", json_string(f->topology->vindex->name));
        json_object_set_new(report, "shards", shards_json(f));
        json_object_set_new(report, "tenants", json_integer((json_int_t)c->tenants.count));
    }
    dump(report);
}

static int check(const struct options *o)
{
    struct findings f = { .path = settings_path(&o->settings) };
    diagnostics_init(&f.faults);
    diagnostics_init(&f.warnings);
    examine(&f, o);
    if (o->json)
        print_json(&f);
    else if (f.faults.count)
        print_faults(&f);
    else
        print_summary(&f);
    int status = f.faults.count ? EXIT_FAULT : EXIT_DONE;
    tenant_map_release(f.map);
    topology_release(f.topology);
    diagnostics_fini(&f.faults);
    diagnostics_fini(&f.warnings);
    return status;
}

/* --- the command line ---------------------------------------------------------------- */

static const struct option_row option_rows[] = {
    OPTION_FLAG("settings", 0, struct options, list_settings),
    OPTION_FLAG("json", 0, struct options, json),
    OPTION_FLAG("offline", 0, struct options, offline),
    OPTION_FLAG("markdown", 0, struct options, markdown),
    OPTION_END,
};

int cmd_check(int argc, char **argv)
{
    struct options o = { 0 };
    const struct option_group groups[] = { { settings_option_rows, &o.settings },
                                           { option_rows, &o },
                                           { NULL, NULL } };
    struct arguments rest;
    int status = options_read(groups, help_text, argc, argv, &rest);
    if (status >= 0)
        return status;
    if (o.markdown && (o.json || !o.list_settings))
        return options_misused(argv[0], "--markdown goes with --settings and without --json");
    if (rest.count)
        return options_misused(argv[0], "unexpected argument %s", rest.items[0]);
    return o.list_settings ? list_settings(&o) : check(&o);
}
