/* Savepoints that were set before the transaction had a shard. They go there behind its BEGIN, one
 * by one, and are the shard's from then on.
 *
 *   savepoints   "a\0b\0…"   in the order in which they were set
 */
#include "proxy/session_int.h"

enum { SAVEPOINTS_MAX = 65536 }; /* bytes */

static struct slice name_at(const struct session *s, size_t at)
{
    return slice_cstr((const char *)buf_begin(&s->savepoints) + at);
}

/* Where the name stands, or the end. */
static size_t find(const struct session *s, struct slice name)
{
    size_t at = 0;
    while (at < buf_len(&s->savepoints) && !slice_ieq(name_at(s, at), name))
        at += name_at(s, at).len + 1;
    return at;
}

static void cut(struct session *s, size_t from, size_t to)
{
    struct buf *b = &s->savepoints;
    size_t behind = buf_len(b) - to;
    memmove(buf_begin(b) + from, buf_begin(b) + to, behind);
    buf_truncate(b, from + behind);
}

/* A savepoint of the same name is deleted. */
bool session_savepoint_keep(struct session *s, struct slice name)
{
    if (memchr(name.data, '\0', name.len) || buf_len(&s->savepoints) + name.len >= SAVEPOINTS_MAX)
        return false;
    size_t at = find(s, name);
    if (at < buf_len(&s->savepoints))
        cut(s, at, at + name_at(s, at).len + 1);
    buf_append_slice(&s->savepoints, name);
    buf_append(&s->savepoints, "", 1);
    return true;
}

bool session_savepoint_cut(struct session *s, struct slice name, bool itself)
{
    size_t at = find(s, name);
    if (at == buf_len(&s->savepoints))
        return false;
    cut(s, itself ? at : at + name_at(s, at).len + 1, buf_len(&s->savepoints));
    return true;
}

void session_savepoints_forget(struct session *s)
{
    buf_fini(&s->savepoints);
    s->savepoints_sent = 0;
}

const char *session_savepoint_due(struct session *s)
{
    struct buf text;
    if (s->savepoints_sent >= buf_len(&s->savepoints))
        return NULL;
    buf_init(&text);
    buf_append_cstr(&text, "SAVEPOINT ");
    edit_quote_ident(&text, name_at(s, s->savepoints_sent));
    const char *copy = arena_printf(&s->worker->arena, "%.*s", (int)buf_len(&text),
                                    (const char *)buf_begin(&text));
    buf_fini(&text);
    return copy;
}

void session_savepoint_sent(struct session *s)
{
    s->savepoints_sent += name_at(s, s->savepoints_sent).len + 1;
}
