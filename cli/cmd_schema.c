/* mqgate schema: the queue's tables as clients know them, as shards hold them, and the VSchema
 * that shards them. */
#include <getopt.h>
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

enum { OPTION_SET = 256, OPTION_PART };

/* In the order of long_options. */
static print_part *const parts[] = { print_tenant, print_legacy, print_vschema,
                                     print_vindex_table };

static const struct option long_options[] = {
    { "tenant", no_argument, NULL, OPTION_PART },
    { "legacy", no_argument, NULL, OPTION_PART + 1 },
    { "vschema", no_argument, NULL, OPTION_PART + 2 },
    { "vindex-table", no_argument, NULL, OPTION_PART + 3 },
    { "config", required_argument, NULL, 'c' },
    { "set", required_argument, NULL, OPTION_SET },
    { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 },
};

struct options {
    const char *config; /* NULL: none */
    struct settings settings;
    print_part *part; /* NULL: none named yet */
    bool help;
};

static int misused(const char *what, const char *name)
{
    fprintf(stderr, "mqgate schema: %s%s\nTry `mqgate schema --help`.\n", what, name);
    return EXIT_USAGE;
}

static int parse_options(int argc, char **argv, struct options *o)
{
    int c;
    optind = 0; /* glibc: start anew */
    opterr = 0; /* the messages are ours */
    while ((c = getopt_long(argc, argv, "+:c:h", long_options, NULL)) != -1) {
        if (c >= OPTION_PART) {
            if (o->part)
                return misused("only one part can be printed", "");
            o->part = parts[c - OPTION_PART];
        } else if (c == OPTION_SET) {
            if (!settings_add(&o->settings, optarg))
                return EXIT_USAGE;
        } else if (c == 'c') {
            o->config = optarg;
        } else if (c == 'h') {
            o->help = true;
            return EXIT_DONE;
        } else {
            return misused(c == ':' ? "a value is missing behind " : "unknown option ",
                           argv[optind - 1]);
        }
    }
    return optind < argc ? misused("unexpected argument ", argv[optind]) : EXIT_DONE;
}

int cmd_schema(int argc, char **argv)
{
    struct options o = { 0 };
    int status = parse_options(argc, argv, &o);
    if (status != EXIT_DONE)
        return status;
    if (o.help) {
        fputs(help_text, stdout);
        return EXIT_DONE;
    }
    struct config *config = o.config ? settings_load(&o.settings, o.config) : NULL;
    if (o.config && !config)
        return EXIT_FAULT;
    status = print(config, o.part ? o.part : print_tenant);
    config_destroy(config);
    return status;
}
