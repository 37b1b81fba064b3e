/* mqgate schema: the queue's tables as clients know them, as shards hold them, and the VSchema
 * that shards them. */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/settings.h"
#include "placement/vindex_table.h"
#include "vschema/vschema.h"

static const char help_text[] =
    "Usage: mqgate schema [--tenant | --legacy | --vschema | --vindex-table]\n"
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
    "  -c, --config FILE    configuration\n"
    "      --set PATH=VALUE a setting in place of the file's and the environment's\n"
    "\n"
    "Examples:\n"
    "  mqgate schema --tenant | mysql -h shard-1 queue\n"
    "  mqgate schema --vschema > vschema.json\n"
    "\n"
    "Exit status: 0 done, 1 the configuration has faults, 2 wrong usage.\n";

static void print_tables(const struct catalog *catalog,
                         void (*ddl)(const struct catalog_table *t, bool if_not_exists,
                                     struct buf *out),
                         struct buf *out)
{
    for (size_t i = 0; i < catalog->table_count; i++) {
        ddl(catalog->tables[i], true, out);
        buf_append_cstr(out, i + 1 < catalog->table_count ? ";\n\n" : ";\n");
    }
}

static void print_tenant(const struct config *config, const struct catalog *catalog,
                         struct buf *out)
{
    (void)config;
    print_tables(catalog, catalog_tenant_ddl, out);
}

static void print_legacy(const struct config *config, const struct catalog *catalog,
                         struct buf *out)
{
    (void)config;
    print_tables(catalog, catalog_legacy_ddl, out);
}

static void print_vschema(const struct config *config, const struct catalog *catalog,
                          struct buf *out)
{
    (void)config;
    vschema_write(catalog, out);
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

/* Prints the part; config may be NULL. */
static int print(const struct config *config, print_part *part)
{
    struct err err;
    struct buf out;
    struct catalog *catalog = catalog_create(config);
    buf_init(&out);
    bool whole = catalog_check(catalog, &err) == MQ_OK;
    if (whole) {
        part(config, catalog, &out);
        fputs(buf_cstr(&out), stdout);
    } else {
        fprintf(stderr, "mqgate schema: %s: %s\n", config ? config->path : "", err.text);
    }
    buf_fini(&out);
    catalog_destroy(catalog);
    return whole ? EXIT_DONE : EXIT_FAULT;
}

/* At most one part is printed. */
struct schema_options {
    bool tenant, legacy, vschema, vindex_table;
};

#define PART(name, member) OPTION_FLAG(name, 0, struct schema_options, member)
static const struct option_row option_rows[] = {
    PART("tenant", tenant),
    PART("legacy", legacy),
    PART("vschema", vschema),
    PART("vindex-table", vindex_table),
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
    if (o->tenant + o->legacy + o->vschema + o->vindex_table > 1)
        return "only one part can be printed";
    return rest->count ? "this command takes no arguments" : NULL;
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
    status = print(config, choose_part(&o));
    config_destroy(config);
    return status;
}
