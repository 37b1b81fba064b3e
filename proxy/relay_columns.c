/* Column definitions on their way to the client. */
#include "proxy/legacy_column.h"
#include "proxy/relay_int.h"

const char *relay_shard_database(const struct session *s)
{
    if (session_backend_unsharded(s))
        return session_server_database(s);
    const struct pool *p = s->backend->pool;
    return p->deployment->topology->shards[p->key.shard].config->database;
}

bool relay_renames_database(const struct session *s)
{
    return s->database && !s->observed && strcmp(relay_shard_database(s), s->database) != 0;
}

/* Only one of client and backend speaks of MariaDB's extended metadata. */
static bool differs_in_form(const struct session *s)
{
    return (s->capabilities ^ s->backend->capabilities) & CAP_MARIADB_EXTENDED_METADATA;
}

static const struct template *template_of(const struct session *s)
{
    const struct request *q = &s->request;
    if (!q->entry)
        return NULL;
    return s->is_part ? q->entry->scatter : request_template(q);
}

static const struct result_key *key_at(const struct template *t, uint64_t number)
{
    for (size_t i = 0; t && i < t->result_key_count; i++)
        if (t->result_keys[i].column == number)
            return &t->result_keys[i];
    return NULL;
}

/* A definition names its database; the client knows another name. */
static bool rename_database(const struct session *s, struct column_def *c)
{
    if (!relay_renames_database(s) || !slice_eq(c->schema, slice_cstr(relay_shard_database(s))))
        return false;
    c->schema = slice_cstr(s->database);
    return true;
}

/* The column of a queue table is described as that of the legacy table. */
static bool make_legacy(const struct session *s, const struct template *t, uint64_t number,
                        struct column_def *c)
{
    const struct result_key *key = key_at(t, number);
    const char *database = s->database ? s->database : relay_shard_database(s);
    if (key)
        return legacy_key_define(key, slice_cstr(database), s->backend->dialect.flavour, c);
    return !s->tenant_schema && legacy_column_flags(s->deployment->topology->catalog, c);
}

bool relay_column_def(const struct session *s, uint64_t number, struct slice payload,
                      struct column_def *ret)
{
    const struct template *t = template_of(s);
    bool of_queues = t && t->table && !s->observed && number != NO_COLUMN;
    bool differs = differs_in_form(s);
    if ((!differs && !of_queues && !relay_renames_database(s)) ||
        !column_def_parse(payload, s->backend->capabilities, ret))
        return false;
    bool renamed = rename_database(s, ret);
    return (of_queues && make_legacy(s, t, number, ret)) || renamed || differs;
}
