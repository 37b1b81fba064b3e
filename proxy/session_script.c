/* Several statements in one COM_QUERY, from a client with CLIENT_MULTI_STATEMENTS. They never
 * reach a shard together: each is read when the one before it has been answered (a SET may have
 * changed how), gets a verdict of its own, and is sent by itself.
 *
 *   COM_QUERY ──> the first runs, the text is kept ──> READY ──> the next runs ──> … ──> READY
 *                                                        └─ ERR: the rest is dropped
 *
 * Every answer but the last says SERVER_MORE_RESULTS_EXISTS. A statement that has to be held
 * runs again from the kept text. */
#include "base/check.h"
#include "proxy/session_int.h"

void session_script_follow(struct session *s, struct slice text, struct slice rest)
{
    struct script *c = &s->script;
    if (rest.len && !session_has_script(s))
        buf_append_slice(&c->text, text);
    CHECK(rest.len <= buf_len(&c->text));
    c->next = buf_len(&c->text) - rest.len;
}

struct slice session_script_statement(const struct session *s)
{
    struct slice text = buf_slice(&s->script.text);
    return slice_of(text.data + s->script.at, text.len - s->script.at);
}

uint16_t session_script_status(const struct session *s)
{
    return s->script.next < buf_len(&s->script.text) ? STATUS_MORE_RESULTS : 0;
}

/* The bytes stay for this turn: who answered may still look at its statement. */
void session_script_drop(struct session *s)
{
    buf_clear(&s->script.text);
    s->script.at = s->script.next = 0;
}

void session_script_advance(struct session *s)
{
    struct script *c = &s->script;
    if (session_script_status(s))
        c->at = c->next;
    else
        session_script_drop(s);
}
