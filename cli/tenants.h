/* What the verbs of `mqgate tenants` share: their options, the table they work with, and how they
 * print a tenant. */
#ifndef MQ_CLI_TENANTS_H
#define MQ_CLI_TENANTS_H

#include <jansson.h>

#include "cli/settings.h"
#include "placement/vindex_table.h"

struct tenants_options {
    struct settings settings;
    const char *shard, *keyspace_id;
    bool json, yes, force, replace, dry_run;
    struct arguments names; /* behind the verb */
};

/* One run of the command. */
struct tenants {
    const struct tenants_options *options;
    struct topology *topology;  /* of Vitess: its shards, each reached through a vtgate */
    struct vindex_table *table; /* NULL: the vindex function decides */
    struct tenant_map *listed;  /* the tenants of the configuration, unplaced */
    json_t *output;             /* an array, with --json */
};

/* The verbs; each returns an exit status. */
int tenants_list(struct tenants *s);
int tenants_where(struct tenants *s);
int tenants_add(struct tenants *s);
int tenants_place(struct tenants *s);
int tenants_retire(struct tenants *s);
int tenants_remove(struct tenants *s);
int tenants_check(struct tenants *s);
int tenants_import(struct tenants *s);
int tenants_export(struct tenants *s);

/* --- what they read ------------------------------------------------------------------ */

/* Every row of the table that places a tenant, and the listed tenants that have none; without a
 * table, where the function has the listed ones. */
enum err_code tenants_read_map(struct tenants *s, struct tenant_map **ret, struct err *reterr);
/* The tenant's row; fails with MQ_TENANT_UNPLACED when there is none. Only with a table. */
enum err_code tenants_find_row(struct tenants *s, const char *name, struct vindex_row *ret,
                               struct err *reterr);
/* False, and said why, when a name cannot be a tenant's. */
bool tenants_check_names(const struct tenants *s);
/* Whether this sidecar serves the tenant. */
bool tenants_is_listed(const struct tenants *s, struct slice name);

/* --- what they print ----------------------------------------------------------------- */

struct tenants_line {
    const char *tenant;
    int shard; /* index; -1: none */
    struct keyspace_id id;
    const char *state;  /* a state, or what was done */
    uint64_t version;   /* 0: none */
    const char *source; /* what says so; NULL: not printed */
};

void tenants_print_head(const struct tenants *s, const char *columns);
void tenants_print(struct tenants *s, const struct tenants_line *l);
/* What was done to a tenant, which is now at id. */
void tenants_print_done(struct tenants *s, const char *tenant, const struct keyspace_id *id,
                        const char *done);
/* Says on standard error what went wrong; EXIT_FAULT. */
int tenants_complain(const struct err *err);

#endif
