/* Column definitions on their way to the client. */
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

/* ---- errors ---- */

/* A definition names its database; the client knows another name. */
bool relay_column_def(const struct session *s, struct slice payload, struct column_def *ret)
{
    if (!relay_renames_database(s) || !column_def_parse(payload, ret) ||
        !slice_eq(ret->schema, slice_cstr(relay_shard_database(s))))
        return false;
    ret->schema = slice_cstr(s->database);
    return true;
}
