#include "config/vitess.h"

#include <ctype.h>

#include "base/memory.h"
#include "config/decode_tls.h"
#include "config/scalar.h"
#include "config/string_list.h"

bool config_is_workload(struct slice name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!isalnum((unsigned char)name.data[i]) && !memchr("_-.", name.data[i], 3))
            return false;
    return name.len > 0 && name.len <= CONFIG_WORKLOAD_MAX;
}

void decode_workload(struct reader *r, const struct slot *s)
{
    const char *text = reader_text(r, s);
    if (text && !config_is_workload(slice_cstr(text)))
        reader_fault(r, s->node, s->path, "a workload's name has 1 to %d letters, digits, _, - and .",
                     CONFIG_WORKLOAD_MAX);
    else
        decode_text(r, s);
}

static const struct node *at(const struct reader *r, const char *a, const char *b)
{
    const char *keys[] = { a, b, NULL };
    return node_nearest(r->root, keys);
}

/* The first vtgate, and the others as if they were its standbys. */
static void make_shard(struct reader *r)
{
    struct config *c = &r->draft.config;
    const struct string_list *gates = &c->vitess.gates;
    const char *database = r->draft.shard_database ? r->draft.shard_database : c->keyspace;
    struct shard_config *shard = c->shards = mem_array(1, sizeof *c->shards);
    c->shard_count = 1;
    shard->name = mem_strdup(c->keyspace);
    shard->database = mem_strdup(database);
    (void)scalar_address(gates->items[0], &shard->address);
    shard->standby_addresses = mem_array(gates->count, sizeof *shard->standby_addresses);
    for (size_t i = 1; i < gates->count; i++) {
        string_list_add(&shard->standbys, slice_cstr(gates->items[i]));
        (void)scalar_address(gates->items[i], &shard->standby_addresses[i - 1]);
    }
    tls_settle_shard(&shard->tls, &r->draft.shard_tls);
}

static void settle_vitess(struct reader *r)
{
    const struct config *c = &r->draft.config;
    if (c->shard_count)
        reader_fault(r, at(r, "keyspace", "shards"), "keyspace.shards",
                     "with `backend: vitess` vtgate finds the shards; name the vtgates in "
                     "vitess.gates");
    else if (c->vitess.gates.count && c->keyspace)
        make_shard(r);
    if (!c->vitess.gates.count)
        reader_fault(r, at(r, "vitess", "gates"), "vitess.gates", "missing");
    if (c->enforcement != ENFORCE)
        reader_fault(r, at(r, "enforcement", NULL), "enforcement",
                     "observe and warn need one server with the legacy schema, which a Vitess "
                     "keyspace is not");
}

static bool lacks(const struct node *map, struct slice name)
{
    const struct node *n = node_child(map, name);
    return !n || n->kind == NODE_NULL;
}

/* A keyspace that is no map has been complained about. */
static bool lacks_shards(const struct reader *r)
{
    const struct node *keyspace = node_child(r->root, SLICE_LIT("keyspace"));
    bool readable = !keyspace || keyspace->kind == NODE_MAP || keyspace->kind == NODE_NULL;
    return readable && lacks(keyspace, SLICE_LIT("shards"));
}

void vitess_settle(struct reader *r)
{
    const struct config *c = &r->draft.config;
    if (config_is_vitess(c)) {
        settle_vitess(r);
        return;
    }
    if (node_child(r->root, SLICE_LIT("vitess")))
        reader_fault(r, at(r, "vitess", NULL), "vitess", "is read with `backend: vitess` only");
    if (lacks_shards(r))
        reader_fault(r, at(r, "keyspace", NULL), "keyspace.shards", "missing");
}
