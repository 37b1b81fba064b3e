/* mqgate explain: what would become of a statement, without a server: the verdict, the
 * tenant and what named it, the shard, and every byte that would be changed. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/explain.h"
#include "placement/map_rows.h"
#include "placement/snapshot_file.h"

static const char help_text[] =
    "Usage: mqgate explain [-c FILE] [OPTION]... SQL\n"
    "       mqgate explain [-c FILE] [OPTION]... --file FILE\n"
    "\n"
    "Shows what mqgate would do with a statement: its verdict, the tenant and where the tenant\n"
    "came from, the shard, the text that the shard would get and each change to it. No server\n"
    "is asked. With a tenant vindex table, tenants are looked up in its snapshot file.\n"
    "\n"
    "Options:\n"
    "  -c, --config FILE       configuration (default: $MQGATE_CONFIG, else mqgate.yaml)\n"
    "      --file FILE         read the statement from a file, - for standard input\n"
    "      --tree              also print the syntax tree\n"
    "      --json              print for programs\n"
    "\n"
    "A session is described by:\n"
    "      --database NAME     database of the DSN, NAME or NAME@TENANT (default: the keyspace;\n"
    "                          '' for none)\n"
    "      --user NAME         account of the configuration\n"
    "      --listener NAME     listener of the configuration\n"
    "      --attr tenant=NAME  connection attribute\n"
    "      --set NAME=VALUE    @mq_tenant or @mq_schema as if SET before; a path of the\n"
    "                          configuration, e.g. default_tenant=orders, overrides the file\n"
    "      --sql-mode MODES    as if SET before\n"
    "      --dialect SERVER    what the shards run, e.g. mysql-9.7 or mariadb-10.11 (default:\n"
    "                          server_version of the configuration, else mysql-8.0)\n"
    "      --prepared          as a prepared statement\n"
    "      --param VALUE       its next parameter, a string (implies --prepared)\n"
    "\n"
    "Examples:\n"
    "  mqgate explain --set @mq_tenant=payments 'SELECT * FROM queue_offsets'\n"
    "  mqgate explain --param orders --param 7 \\\n"
    "      'DELETE FROM queue_messages WHERE topic = ? AND offset <= ?'\n"
    "\n"
    "Exit status: 0 the statement would be served, 1 it would be refused (or a fault),\n"
    "2 wrong usage.\n";

/* ---- options ---- */

static int misused(const char *what)
{
    fprintf(stderr, "mqgate explain: %s\nTry `mqgate explain --help`.\n", what);
    return EXIT_USAGE;
}

static int complain(const struct err *err)
{
    char line[ERR_TEXT_MAX + 16];
    err_format(err, line, sizeof line);
    fprintf(stderr, "mqgate explain: %s\n  %s\n", line, err_info(err->code)->remedy);
    return EXIT_FAULT;
}

static const char *value_after(const char *argument, const char *name)
{
    size_t len = strlen(name);
    return strncmp(argument, name, len) == 0 && argument[len] == '=' ? argument + len + 1 : NULL;
}

/* @mq_… is about the session, anything else about the configuration. */
static bool take_setting(struct explain_options *o, const char *argument)
{
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

static bool take_param(struct explain_options *o, const char *value)
{
    if (o->param_count == PARAMS_MAX)
        return false;
    o->prepared = true;
    o->params[o->param_count++] =
        (struct param_value){ .kind = PARAM_VALUE_STRING, .bytes = slice_cstr(value) };
    return true;
}

enum option_letter {
    OPTION_FILE = 256,
    OPTION_DATABASE,
    OPTION_USER,
    OPTION_LISTENER,
    OPTION_ATTR,
    OPTION_SET,
    OPTION_SQL_MODE,
    OPTION_DIALECT,
    OPTION_PREPARED,
    OPTION_PARAM,
    OPTION_TREE,
    OPTION_JSON
};

static const struct option long_options[] = {
    { "config", required_argument, NULL, 'c' },
    { "help", no_argument, NULL, 'h' },
    { "file", required_argument, NULL, OPTION_FILE },
    { "database", required_argument, NULL, OPTION_DATABASE },
    { "user", required_argument, NULL, OPTION_USER },
    { "listener", required_argument, NULL, OPTION_LISTENER },
    { "attr", required_argument, NULL, OPTION_ATTR },
    { "set", required_argument, NULL, OPTION_SET },
    { "sql-mode", required_argument, NULL, OPTION_SQL_MODE },
    { "dialect", required_argument, NULL, OPTION_DIALECT },
    { "prepared", no_argument, NULL, OPTION_PREPARED },
    { "param", required_argument, NULL, OPTION_PARAM },
    { "tree", no_argument, NULL, OPTION_TREE },
    { "json", no_argument, NULL, OPTION_JSON },
    { NULL, 0, NULL, 0 }
};

static bool take_flag(struct explain_options *o, int letter)
{
    o->prepared |= letter == OPTION_PREPARED;
    o->tree |= letter == OPTION_TREE;
    o->json |= letter == OPTION_JSON;
    return letter == OPTION_PREPARED || letter == OPTION_TREE || letter == OPTION_JSON;
}

static bool take_option(struct explain_options *o, int letter, const char *argument)
{
    switch (letter) {
    case 'c':
        o->config = argument;
        return true;
    case OPTION_FILE:
        o->file = argument;
        return true;
    case OPTION_DATABASE:
        o->database = argument;
        return true;
    case OPTION_USER:
        o->user = argument;
        return true;
    case OPTION_LISTENER:
        o->listener = argument;
        return true;
    case OPTION_ATTR:
        o->attribute = value_after(argument, "tenant");
        return o->attribute != NULL;
    case OPTION_SET:
        return take_setting(o, argument);
    case OPTION_SQL_MODE:
        o->sql_mode = argument;
        return true;
    case OPTION_DIALECT:
        o->dialect = argument;
        return true;
    case OPTION_PARAM:
        return take_param(o, argument);
    default:
        return take_flag(o, letter);
    }
}

/* Returns -1 to go on, else the exit status. */
static int parse_options(struct explain_options *o, int argc, char **argv)
{
    int letter;
    optind = 1;
    while ((letter = getopt_long(argc, argv, "c:h", long_options, NULL)) != -1) {
        if (letter == 'h') {
            fputs(help_text, stdout);
            return EXIT_DONE;
        }
        if (!take_option(o, letter, optarg))
            return misused("an option is not understood");
    }
    if (argc - optind > 1 || (argc - optind == 1) == (o->file != NULL))
        return misused("give one statement, or --file");
    if (!o->file)
        o->sql = argv[optind];
    o->config = settings_path(o->config);
    return -1;
}

/* ---- what planning needs ---- */

static enum err_code read_statement(struct explanation *x)
{
    const char *path = x->options->file;
    if (!path) {
        buf_append_cstr(&x->text, x->options->sql);
        return MQ_OK;
    }
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!f)
        return err_set(&x->err, MQ_USAGE, "%s cannot be read", path);
    for (size_t got = 1; got;) {
        got = fread(buf_reserve(&x->text, 4096), 1, 4096, f);
        buf_commit(&x->text, got);
    }
    if (f != stdin)
        fclose(f);
    return MQ_OK;
}

static enum err_code load_topology(struct explanation *x)
{
    struct config *config = settings_load(&x->options->settings, x->options->config);
    if (!config)
        return err_set(&x->err, MQ_CONFIG_INVALID, "%s is not valid", x->options->config);
    return topology_create(config, &x->topology, &x->err);
}

static enum err_code read_snapshot(struct explanation *x, const char *path)
{
    struct snapshot_info info = { .source = snapshot_source(x->topology->config) };
    struct tenant_map *base = map_base(x->topology);
    struct row_set rows;
    row_set_init(&rows, x->topology, base);
    enum err_code code = snapshot_file_read(path, &info, row_set_add, &rows, &x->err);
    if (!code)
        x->tenants = map_overlay(base, &rows, UINT64_MAX, info.version);
    row_set_fini(&rows);
    tenant_map_release(base);
    return code;
}

static enum err_code load_tenants(struct explanation *x)
{
    const struct vindex_table_config *table = &x->topology->config->vindex_table;
    if (!table->configured)
        return topology_hash_tenants(x->topology, &x->tenants, &x->err);
    if (!table->snapshot_file)
        return err_set(&x->err, MQ_VINDEX_TABLE_UNAVAILABLE,
                       "tenants are placed by a table and explain asks no server; configure "
                       "tenant_vindex.snapshot_file");
    return read_snapshot(x, table->snapshot_file);
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

static enum err_code choose_dialect(struct explanation *x)
{
    const struct explain_options *o = x->options;
    const char *version = x->topology->config->server_version;
    struct slice name;
    x->dialect = dialect_default();
    if (o->dialect && !parse_dialect(o->dialect, &x->dialect))
        return err_set(&x->err, MQ_USAGE, "--dialect takes mysql-N.N or mariadb-N.N");
    if (!o->dialect && version)
        dialect_of_version(slice_cstr(version), &x->dialect);
    if (o->sql_mode && dialect_modes(slice_cstr(o->sql_mode), &x->dialect.modes, &name) != MODES_OK)
        return err_set(&x->err, MQ_SQL_MODE_UNSAFE, "sql_mode %.*s is not followed", (int)name.len,
                       name.data);
    return MQ_OK;
}

/* ---- the session ---- */

static bool is_keyspace(const struct config *c, struct slice name)
{
    if (slice_eq(name, slice_cstr(c->keyspace)))
        return true;
    for (size_t i = 0; i < c->database_aliases.count; i++)
        if (slice_eq(name, slice_cstr(c->database_aliases.items[i])))
            return true;
    return false;
}

static enum err_code choose(struct explanation *x, const char *tenant, bool narrow)
{
    return tenant ? tenant_scope_choose(&x->facts.scope, slice_cstr(tenant), narrow, &x->err)
                  : MQ_OK;
}

static enum err_code select_database(struct explanation *x)
{
    const char *name = x->options->database;
    const char *at = name ? strchr(name, '@') : NULL;
    struct slice database = name ? slice_of(name, at ? (size_t)(at - name) : strlen(name))
                                 : slice_cstr(x->topology->config->keyspace);
    x->facts.has_database = database.len != 0;
    x->facts.database = database.len ? database : slice_of(NULL, 0);
    if (database.len && !is_keyspace(x->topology->config, database))
        return err_set(&x->err, MQ_DATABASE_UNKNOWN, "database %.*s is not %s", (int)database.len,
                       database.data, x->topology->config->keyspace);
    return choose(x, at ? at + 1 : NULL, true);
}

static enum err_code bind_account(struct explanation *x)
{
    const char *user = x->options->user;
    const struct account_config *account =
        user ? config_account(x->topology->config, slice_cstr(user)) : NULL;
    if (user && !account)
        return err_set(&x->err, MQ_USAGE, "there is no account %s", user);
    x->facts.user = slice_cstr(user ? user : "user");
    if (account) {
        x->facts.scope.account = &account->tenants;
        x->facts.administrator = account->administrator;
    }
    return MQ_OK;
}

static enum err_code bind_listener(struct explanation *x)
{
    const struct config *c = x->topology->config;
    const char *name = x->options->listener;
    for (size_t i = 0; name && i < c->listener_count; i++) {
        if (c->listeners[i].name && strcmp(c->listeners[i].name, name) == 0) {
            x->facts.scope.listener = &c->listeners[i].tenants;
            return MQ_OK;
        }
    }
    return name ? err_set(&x->err, MQ_USAGE, "there is no listener %s", name) : MQ_OK;
}

static enum err_code open_session(struct explanation *x)
{
    const char *schema = x->options->schema;
    enum err_code code = bind_listener(x);
    if (!code)
        code = bind_account(x);
    if (!code)
        code = choose(x, x->options->attribute, true);
    if (!code)
        code = select_database(x);
    if (!code)
        code = choose(x, x->options->tenant, false);
    if (schema && strcmp(schema, "tenant") == 0)
        x->dialect.modes |= MODE_TENANT_SCHEMA;
    return code;
}

/* ---- planning ---- */

static void bind_params(struct explanation *x)
{
    uint32_t count = x->template->client_params;
    if (!x->options->prepared)
        return;
    x->params = arena_array(x->arena, struct param_value, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        x->params[i].kind = PARAM_VALUE_UNKNOWN;
        if (i < x->options->param_count)
            x->params[i] = x->options->params[i];
    }
}

static enum err_code work_out(struct explanation *x)
{
    enum err_code code = lex(buf_slice(&x->text), &x->dialect, x->arena, &x->lexed, &x->err);
    if (code)
        return code;
    x->template = plan(x->topology, &x->dialect, &x->lexed, x->arena, x->arena);
    bind_params(x);
    struct route_input in = { .template = x->template,
                              .lexed = &x->lexed,
                              .dialect = &x->dialect,
                              .facts = &x->facts,
                              .params = x->params,
                              .topology = x->topology,
                              .tenants = x->tenants };
    return route(&in, x->arena, &x->route, &x->err) == ROUTE_OK ? MQ_OK : x->err.code;
}

/* ---- the command ---- */

static int explain(struct explanation *x)
{
    enum err_code code = read_statement(x);
    if (!code)
        code = load_topology(x);
    if (!code)
        code = load_tenants(x);
    if (!code)
        code = choose_dialect(x);
    if (code)
        return x->err.code == MQ_USAGE ? misused(x->err.text) : complain(&x->err);
    code = open_session(x);
    if (x->err.code == MQ_USAGE && code)
        return misused(x->err.text);
    if (!code)
        code = work_out(x);
    explain_print(x, !code);
    return code ? EXIT_FAULT : EXIT_DONE;
}

int cmd_explain(int argc, char **argv)
{
    struct explain_options options = { 0 };
    struct arena arena;
    struct explanation x = { .options = &options, .arena = &arena };
    int status = parse_options(&options, argc, argv);
    if (status >= 0)
        return status;
    arena_init(&arena);
    buf_init(&x.text);
    status = explain(&x);
    tenant_map_release(x.tenants);
    topology_release(x.topology);
    buf_fini(&x.text);
    arena_fini(&arena);
    return status;
}
