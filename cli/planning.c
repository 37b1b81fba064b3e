#include "cli/planning.h"

#include <stdio.h>

#include "cli/commands.h"
#include "placement/map_rows.h"
#include "placement/snapshot_file.h"

/* ---- options ---- */

static const char *value_after(const char *argument, const char *name)
{
    size_t len = strlen(name);
    return strncmp(argument, name, len) == 0 && argument[len] == '=' ? argument + len + 1 : NULL;
}

/* @mq_… is about the session, anything else about the configuration. */
static bool take_setting(void *object, const char *argument)
{
    struct planning_options *o = object;
    if (argument[0] != '@')
        return settings_add(&o->settings, argument);
    const char *tenant = value_after(argument, "@mq_tenant");
    const char *schema = value_after(argument, "@mq_schema");
    if (tenant)
        o->tenant = tenant;
    if (schema)
        o->schema = schema;
    return tenant || schema;
}

static bool take_attribute(void *object, const char *argument)
{
    struct planning_options *o = object;
    o->attribute = value_after(argument, "tenant");
    return o->attribute != NULL;
}

#define ROW(name, letter, member) OPTION_TEXT(name, letter, struct planning_options, member)
const struct option_row planning_option_rows[] = {
    ROW("config", 'c', settings.config),
    ROW("database", 0, database),
    ROW("user", 0, user),
    ROW("listener", 0, listener),
    OPTION_TAKE("attr", 0, take_attribute),
    OPTION_TAKE("set", 0, take_setting),
    ROW("sql-mode", 0, sql_mode),
    ROW("dialect", 0, dialect),
    OPTION_END,
};
#undef ROW

int planning_complain(const char *command, const struct err *err)
{
    char line[ERR_TEXT_MAX + 16];
    err_format(err, line, sizeof line);
    fprintf(stderr, "mqgate %s: %s\n  %s\n", command, line, err_info(err->code)->remedy);
    return EXIT_FAULT;
}

/* ---- configuration, tenants, dialect ---- */

static enum err_code load_topology(struct planning *p, struct err *reterr)
{
    const struct settings *settings = &p->options->settings;
    struct config *config = settings_load(settings);
    if (!config)
        return err_set(reterr, MQ_CONFIG_INVALID, "%s is not valid", settings_path(settings));
    return topology_create(config, &p->topology, reterr);
}

static enum err_code read_snapshot(struct planning *p, const char *path, struct err *reterr)
{
    struct snapshot_info info = { .source = snapshot_source(p->topology->config) };
    struct tenant_map *base = map_base(p->topology);
    struct row_set rows;
    row_set_init(&rows, p->topology, base);
    enum err_code code = snapshot_file_read(path, &info, row_set_add, &rows, reterr);
    if (!code)
        p->tenants = map_overlay(base, &rows, UINT64_MAX, info.version);
    row_set_fini(&rows);
    tenant_map_release(base);
    return code;
}

static enum err_code load_tenants(struct planning *p, struct err *reterr)
{
    const struct vindex_table_config *table = &p->topology->config->vindex_table;
    if (!table->configured)
        return topology_hash_tenants(p->topology, &p->tenants, reterr);
    if (!table->snapshot_file)
        return err_set(reterr, MQ_VINDEX_TABLE_UNAVAILABLE,
                       "tenants are placed by a table and no server is asked here; configure "
                       "tenant_vindex.snapshot_file");
    return read_snapshot(p, table->snapshot_file, reterr);
}

/* mysql-9.7 or mariadb-10.11; also with the third number. */
static bool parse_dialect(const char *name, struct dialect *ret)
{
    char version[64];
    const char *numbers = strchr(name, '-');
    bool mariadb = strncmp(name, "mariadb-", 8) == 0;
    if (!numbers || (!mariadb && strncmp(name, "mysql-", 6) != 0))
        return false;
    const char *dot = strchr(++numbers, '.');
    const char *patch = dot && strchr(dot + 1, '.') ? "" : ".0";
    snprintf(version, sizeof version, "%s%s%s", numbers, patch, mariadb ? "-MariaDB" : "");
    return dialect_of_version(slice_cstr(version), ret);
}

static enum err_code choose_dialect(struct planning *p, struct err *reterr)
{
    const struct planning_options *o = p->options;
    const char *version = p->topology->config->server_version;
    struct slice name;
    p->dialect = dialect_default();
    if (o->dialect && !parse_dialect(o->dialect, &p->dialect))
        return err_set(reterr, MQ_USAGE, "--dialect takes mysql-N.N or mariadb-N.N");
    if (!o->dialect && version)
        dialect_of_version(slice_cstr(version), &p->dialect);
    if (o->sql_mode && dialect_modes(slice_cstr(o->sql_mode), &p->dialect.modes, &name) != MODES_OK)
        return err_set(reterr, MQ_SQL_MODE_UNSAFE, "sql_mode %.*s is not followed", (int)name.len,
                       name.data);
    return MQ_OK;
}

enum err_code planning_open(struct planning *p, const struct planning_options *options,
                            struct err *reterr)
{
    *p = (struct planning){ .options = options };
    enum err_code code = load_topology(p, reterr);
    if (!code)
        code = load_tenants(p, reterr);
    return code ? code : choose_dialect(p, reterr);
}

void planning_close(struct planning *p)
{
    plan_cache_destroy(p->cache);
    tenant_map_release(p->tenants);
    topology_release(p->topology);
}

/* ---- the session ---- */

enum err_code planning_select(const struct planning *p, struct session_facts *facts,
                              struct slice name, struct err *reterr)
{
    const char *at = name.len ? memchr(name.data, '@', name.len) : NULL;
    struct slice database = at ? slice_of(name.data, (size_t)(at - name.data)) : name;
    struct slice tenant = slice_of(at ? at + 1 : "", at ? name.len - database.len - 1 : 0);
    facts->has_database = database.len != 0;
    facts->database = database.len ? database : slice_of(NULL, 0);
    if (database.len && !config_is_keyspace(p->topology->config, database))
        return err_set(reterr, MQ_DATABASE_UNKNOWN, "database %.*s is not %s", (int)database.len,
                       database.data, p->topology->config->keyspace);
    return at ? tenant_scope_choose(&facts->scope, tenant, true, reterr) : MQ_OK;
}

/* Of a client without a program's name. */
static struct slice workload(const struct planning *p)
{
    const char *configured = p->topology->config->vitess.workload;
    return configured ? slice_cstr(configured) : p->facts.user;
}

static enum err_code bind_account(struct planning *p, struct err *reterr)
{
    const char *user = p->options->user;
    const struct account_config *account =
        user ? config_account(p->topology->config, slice_cstr(user)) : NULL;
    if (user && !account)
        return err_set(reterr, MQ_USAGE, "there is no account %s", user);
    p->facts.user = slice_cstr(user ? user : "user");
    if (config_is_vitess(p->topology->config))
        p->facts.workload = workload(p);
    if (account) {
        p->facts.scope.account = &account->tenants;
        p->facts.administrator = account->administrator;
        p->facts.databases = &account->databases;
    }
    return MQ_OK;
}

static enum err_code bind_listener(struct planning *p, struct err *reterr)
{
    const struct config *c = p->topology->config;
    const char *name = p->options->listener;
    for (size_t i = 0; name && i < c->listener_count; i++) {
        if (c->listeners[i].name && strcmp(c->listeners[i].name, name) == 0) {
            p->facts.scope.listener = &c->listeners[i].tenants;
            return MQ_OK;
        }
    }
    return name ? err_set(reterr, MQ_USAGE, "there is no listener %s", name) : MQ_OK;
}

static enum err_code choose(struct planning *p, const char *tenant, bool narrow, struct err *reterr)
{
    return tenant ? tenant_scope_choose(&p->facts.scope, slice_cstr(tenant), narrow, reterr)
                  : MQ_OK;
}

enum err_code planning_session(struct planning *p, struct err *reterr)
{
    const struct planning_options *o = p->options;
    const char *database = o->database ? o->database : p->topology->config->keyspace;
    enum err_code code = bind_listener(p, reterr);
    if (!code)
        code = bind_account(p, reterr);
    if (!code)
        code = choose(p, o->attribute, true, reterr);
    if (!code)
        code = planning_select(p, &p->facts, slice_cstr(database), reterr);
    if (!code)
        code = choose(p, o->tenant, false, reterr);
    if (o->schema && strcmp(o->schema, "tenant") == 0)
        p->dialect.modes |= MODE_TENANT_SCHEMA;
    return code;
}

/* ---- one statement ---- */

static void bind_params(const struct question *q, struct arena *arena, struct judgement *j)
{
    uint32_t count = j->template->client_params;
    if (!q->prepared)
        return;
    j->params = arena_array(arena, struct param_value, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        j->params[i].kind = PARAM_VALUE_UNKNOWN;
        if (i < q->param_count)
            j->params[i] = q->params[i];
    }
}

static const struct template *scatter_template(const struct question *q, struct arena *arena,
                                               struct judgement *j)
{
    const struct planning *p = q->planning;
    return j->entry ? plan_entry_scatter(p->cache, j->entry, &j->lexed)
                    : plan_scatter(p->topology, q->dialect, &j->lexed, arena, arena);
}

/* Each tenant has a place; can the shards' answers be made one? */
static void scatter(const struct question *q, struct route_input *in, struct arena *arena,
                    struct judgement *j)
{
    j->scatter = in->template = scatter_template(q, arena, j);
    if (in->template->reject)
        j->err = *in->template->reject;
    else if (route_merge_inputs(in, arena, &j->inputs, &j->err) == MQ_OK)
        route_split(in->topology, in->template->merge, arena, &j->route);
}

void planning_route(const struct question *q, struct arena *arena, struct judgement *j)
{
    struct route_input in = { .template = j->template,
                              .lexed = &j->lexed,
                              .dialect = q->dialect,
                              .facts = q->facts,
                              .params = j->params,
                              .topology = q->planning->topology,
                              .tenants = q->planning->tenants,
                              .scatters = true };
    j->scatter = NULL;
    if (route(&in, arena, &j->route, &j->err) == ROUTE_OK)
        j->err.code = MQ_OK;
    if (!j->err.code && j->route.verdict == VERDICT_TENANTS)
        scatter(q, &in, arena, j);
}

static void plan_once(const struct question *q, struct arena *arena, struct judgement *j)
{
    const struct planning *p = q->planning;
    if (p->cache) {
        j->entry = plan_cache_get(p->cache, p->topology, q->dialect, &j->lexed, false);
        j->template = j->entry->template;
    } else {
        j->template = plan(p->topology, q->dialect, &j->lexed, arena, arena);
    }
}

void planning_judge(const struct question *q, struct arena *arena, struct judgement *ret)
{
    *ret = (struct judgement){ 0 };
    if (lex(q->text, q->dialect, arena, &ret->lexed, &ret->err))
        return;
    plan_once(q, arena, ret);
    bind_params(q, arena, ret);
    planning_route(q, arena, ret);
}

void judgement_release(struct judgement *j)
{
    if (j->entry)
        plan_entry_release(j->entry);
    j->entry = NULL;
}
