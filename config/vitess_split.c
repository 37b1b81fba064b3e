#include "config/vitess_split.h"

#include "base/memory.h"

static struct address copy_address(const struct address *a)
{
    return (struct address){ .host = mem_strdup(a->host),
                             .port = a->port,
                             .socket = mem_strdup(a->socket) };
}

static struct tls_config copy_tls(const struct tls_config *t)
{
    return (struct tls_config){ .mode = t->mode,
                                .ca = mem_strdup(t->ca),
                                .cert = mem_strdup(t->cert),
                                .key = mem_strdup(t->key),
                                .server_name = mem_strdup(t->server_name) };
}

static char *target_of(const char *keyspace, const char *shard)
{
    struct buf target;
    buf_init(&target);
    buf_printf(&target, "%s:%s@primary", keyspace, shard);
    char *text = mem_strdup(buf_cstr(&target));
    buf_fini(&target);
    return text;
}

void config_split_vitess(struct config *c, const struct address *gate)
{
    const struct string_list *names = &c->vitess.shards;
    struct shard_config *shards = mem_array(names->count, sizeof *shards);
    for (size_t i = 0; i < names->count; i++) {
        shards[i].name = mem_strdup(names->items[i]);
        shards[i].address = copy_address(gate);
        shards[i].tls = copy_tls(&c->shards[0].tls);
        shards[i].database = target_of(c->shards[0].database, names->items[i]);
    }
    config_replace_shards(c, shards, names->count);
    c->backend = BACKENDS_MYSQL;
}
