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

/* Only one of client and backend speaks of MariaDB's extended metadata. */
static bool differs_in_form(const struct session *s)
{
    return (s->capabilities ^ s->backend->capabilities) & CAP_MARIADB_EXTENDED_METADATA;
}

/* A definition names its database; the client knows another name. */
bool relay_column_def(const struct session *s, struct slice payload, struct column_def *ret)
{
    bool differs = differs_in_form(s), renames = relay_renames_database(s);
    if ((!differs && !renames) || !column_def_parse(payload, s->backend->capabilities, ret))
        return false;
    renames = renames && slice_eq(ret->schema, slice_cstr(relay_shard_database(s)));
    if (renames)
        ret->schema = slice_cstr(s->database);
    return differs || renames;
}
