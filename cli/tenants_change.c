/* mqgate tenants add, place, retire, remove: one tenant after another. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/tenants.h"
#include "placement/choose_id.h"
#include "placement/occupancy.h"

/* Asks on a terminal; a script has decided already. */
static bool agreed(const struct tenants *s, const char *what, const char *tenant)
{
    if (s->options->yes || !isatty(STDIN_FILENO))
        return true;
    fprintf(stderr, "%s %s? [y/N] ", what, tenant);
    int answer = getchar(), rest = answer;
    while (rest != '\n' && rest != EOF)
        rest = getchar();
    return answer == 'y' || answer == 'Y';
}

/* The id that the options and the tenant's name lead to. */
static enum err_code wanted_id(struct tenants *s, struct slice tenant, struct keyspace_id *ret,
                               struct err *reterr)
{
    const struct tenants_options *o = s->options;
    if (o->shard)
        return choose_id_on_shard(s->topology, tenant, slice_cstr(o->shard), ret, reterr);
    if (!o->keyspace_id)
        return choose_id(s->topology, tenant, ret, reterr);
    if (!keyspace_id_parse(slice_cstr(o->keyspace_id), ret) || ret->len == 0)
        return err_set(
            reterr, MQ_USAGE,
            "\"%.64s\" is no keyspace id (hexadecimal, two digits a byte, at most %d bytes)",
            o->keyspace_id, KEYSPACE_ID_MAX);
    return MQ_OK;
}

static enum err_code add_one(struct tenants *s, const char *name, struct err *reterr)
{
    struct slice tenant = slice_cstr(name);
    struct keyspace_id id;
    enum err_code code = wanted_id(s, tenant, &id, reterr);
    if (!code)
        code = vindex_table_add(s->table, tenant, &id, reterr);
    if (!code)
        tenants_print_done(s, name, &id, "added");
    return code;
}

/* Rows on the shard would be out of reach. A shard that cannot be asked may hold some. */
static enum err_code check_empty(struct tenants *s, const char *name, uint32_t shard,
                                 struct err *reterr)
{
    const struct topology *t = s->topology;
    const char *table;
    if (s->options->force)
        return MQ_OK;
    enum err_code code = occupancy_find(t, shard, slice_cstr(name), &table, reterr);
    if (!code && table)
        code = err_set(reterr, MQ_USAGE,
                       "\"%s\" has rows in %s on shard %s, which would be left behind "
                       "(--force does it all the same)",
                       name, table, t->shards[shard].config->name);
    return code;
}

static enum err_code check_old_shard(struct tenants *s, const char *name,
                                     const struct keyspace_id *from, const struct keyspace_id *to,
                                     struct err *reterr)
{
    uint32_t old = topology_shard_of(s->topology, from);
    return old == topology_shard_of(s->topology, to) ? MQ_OK : check_empty(s, name, old, reterr);
}

static enum err_code place_one(struct tenants *s, const char *name, struct err *reterr)
{
    struct slice tenant = slice_cstr(name);
    struct keyspace_id id;
    struct vindex_row row;
    enum err_code code = wanted_id(s, tenant, &id, reterr);
    if (!code)
        code = tenants_find_row(s, name, &row, reterr);
    if (!code)
        code = check_old_shard(s, name, &row.id, &id, reterr);
    if (!code && !agreed(s, "place", name))
        return MQ_OK;
    if (!code)
        code = vindex_table_place(s->table, tenant, &id, reterr);
    if (!code)
        tenants_print_done(s, name, &id, "placed");
    return code;
}

static enum err_code retire_one(struct tenants *s, const char *name, struct err *reterr)
{
    struct vindex_row row;
    enum err_code code = tenants_find_row(s, name, &row, reterr);
    if (!code && !agreed(s, "retire", name))
        return MQ_OK;
    if (!code)
        code = vindex_table_retire(s->table, slice_cstr(name), reterr);
    if (!code)
        tenants_print_done(s, name, &row.id, "retired");
    return code;
}

static enum err_code remove_one(struct tenants *s, const char *name, struct err *reterr)
{
    struct vindex_row row;
    enum err_code code = tenants_find_row(s, name, &row, reterr);
    if (!code)
        code = check_empty(s, name, topology_shard_of(s->topology, &row.id), reterr);
    if (!code && !agreed(s, "remove", name))
        return MQ_OK;
    if (!code)
        code = vindex_table_remove(s->table, slice_cstr(name), reterr);
    if (!code)
        tenants_print_done(s, name, &row.id, "removed");
    return code;
}

typedef enum err_code change_one(struct tenants *s, const char *name, struct err *reterr);

/* A misspelt name stops everything. Then each goes by itself: one that fails does not stop
 * the others. */
static int change_all(struct tenants *s, change_one *change)
{
    struct err err;
    int status = EXIT_DONE;
    if (!tenants_check_names(s))
        return EXIT_USAGE;
    for (int i = 0; i < s->options->names.count; i++)
        if (change(s, s->options->names.items[i], &err) != MQ_OK)
            status = tenants_complain(&err);
    return status;
}

int tenants_add(struct tenants *s)
{
    struct err err;
    if (vindex_table_create(s->table, &err) != MQ_OK)
        return tenants_complain(&err);
    return change_all(s, add_one);
}

int tenants_place(struct tenants *s)
{
    return change_all(s, place_one);
}

int tenants_retire(struct tenants *s)
{
    return change_all(s, retire_one);
}

int tenants_remove(struct tenants *s)
{
    return change_all(s, remove_one);
}
