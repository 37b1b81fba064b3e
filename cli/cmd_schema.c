/* mqgate schema: the queue's tables as clients know them, as shards hold them, and the VSchema
 * that shards them. */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/schema_folders.h"
#include "cli/settings.h"
#include "placement/vindex_table.h"
#include "vschema/vschema.h"

static const char help_text[] =
    "Usage: mqgate schema [--tenant | --legacy | --vschema | --vindex-table | --vitess FOLDER]\n"
    "                     [-c FILE] [--set PATH=VALUE]...\n"
    "\n"
    "Prints what the shards need, ready for a database client. Without -c the built-in queue\n"
    "tables; with it, also those of queue_tables.\n"
    "\n"
    "Options:\n"
    "      --tenant         the tables of the shards, each led by tenant (default)\n"
    "      --legacy         the tables that clients believe they talk to\n"
    "      --vschema        the VSchema, the same file for mqgate and Vitess\n"
    "      --vindex-table   the tenant vindex table\n"
    "      --vitess FOLDER  writes a folder for each Vitess keyspace, with its vschema.json and "
    "its\n"
    "                       schema.sql: that of the queue tables and, with tenant_vindex, the\n"
    "                       unsharded one that holds the table in which vtgate looks tenants up\n"
    "  -c, --config FILE    configuration\n"
    "      --set PATH=VALUE a setting in place of the file's and the environment's\n"
    "\n"
    "Examples:\n"
    "  mqgate schema --tenant | mysql -h shard-1 queue\n"
    "  mqgate schema --vschema > vschema.json\n"
    "  mqgate schema --vitess vitess -c mqgate.yaml\n"
    "  vtctldclient ApplyVSchema --vschema-file vitess/queue/vschema.json queue\n"
    "\n"
    "Exit status: 0 done, 1 the configuration has faults, 2 wrong usage.\n";

static void print_tenant(const struct config *config, const struct catalog *catalog,
                         struct buf *out)
{
    (void)config;
    schema_tables(catalog, catalog_tenant_ddl, out);
}

static void print_legacy(const struct config *config, const struct catalog *catalog,
                         struct buf *out)
{
    (void)config;
    schema_tables(catalog, catalog_legacy_ddl, out);
}

static void print_vschema(const struct config *config, const struct catalog *catalog,
                          struct buf *out)
{
    (void)config;
    vschema_write(catalog, NULL, out);
}

static void print_vindex_table(const struct config *config, const struct catalog *catalog,
                               struct buf *out)
{
    char usual[] = "mq_tenant_vindex";
    const struct vindex_table_config built_in = { .table = usual };
    (void)catalog;
    vindex_table_ddl(config ? &config->vindex_table : &built_in, out);
}

typedef void print_part(const struct config *config, const struct catalog *catalog,
                        struct buf *out);

static void print(const struct config *config, const struct catalog *catalog, print_part *part)
{
    struct buf out;
    buf_init(&out);
    part(config, catalog, &out);
    fputs(buf_cstr(&out), stdout);
    buf_fini(&out);
}

/* At most one part is printed, or written. */
struct schema_options {
    bool tenant, legacy, vschema, vindex_table;
    const char *vitess; /* folder */
};

#define PART(name, member) OPTION_FLAG(name, 0, struct schema_options, member)
static const struct option_row option_rows[] = {
    PART("tenant", tenant),
    PART("legacy", legacy),
    PART("vschema", vschema),
    PART("vindex-table", vindex_table),
    OPTION_TEXT("vitess", 0, struct schema_options, vitess),
    OPTION_END,
};
#undef PART

static print_part *choose_part(const struct schema_options *o)
{
    return o->legacy         ? print_legacy
           : o->vschema      ? print_vschema
           : o->vindex_table ? print_vindex_table
                             : print_tenant;
}

static const char *check_options(const struct schema_options *o, const struct arguments *rest)
{
    if (o->tenant + o->legacy + o->vschema + o->vindex_table + (o->vitess != NULL) > 1)
        return "only one part can be printed";
    return rest->count ? "this command takes no arguments" : NULL;
}

/* Prints or writes the part; config may be NULL. */
static int show(const struct config *config, const struct schema_options *o)
{
    struct err err;
    struct catalog *catalog = catalog_create(config);
    enum err_code code = catalog_check(catalog, &err);
    if (code)
        fprintf(stderr, "mqgate schema: %s: %s\n", config ? config->path : "", err.text);
    else if (!o->vitess)
        print(config, catalog, choose_part(o));
    else if ((code = schema_folders_write(o->vitess, config, catalog, &err)) != MQ_OK)
        fprintf(stderr, "mqgate schema: %s\n", err.text);
    catalog_destroy(catalog);
    return code ? EXIT_FAULT : EXIT_DONE;
}

int cmd_schema(int argc, char **argv)
{
    struct schema_options o = { 0 };
    struct settings settings = { 0 };
    const struct option_group groups[] = { { option_rows, &o },
                                           { settings_option_rows, &settings },
                                           { NULL, NULL } };
    struct arguments rest;
    int status = options_read(groups, help_text, argc, argv, &rest);
    if (status >= 0)
        return status;
    const char *wrong = check_options(&o, &rest);
    if (wrong)
        return options_misused(argv[0], "%s", wrong);
    struct config *config = settings.config ? settings_load(&settings) : NULL;
    if (settings.config && !config)
        return EXIT_FAULT;
    status = show(config, &o);
    config_destroy(config);
    return status;
}
