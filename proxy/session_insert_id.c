/* LAST_INSERT_ID() is the session's, whichever backend made it. As a rule the answer to a
 * statement tells it. Where it does not (routing/insert_id.h), only that backend knows:
 *
 *   before   the backend is told the session's value, since the statement may leave it as it is
 *   after    the backend is remembered (insert_id_at), and asked when the client asks
 *   lost     when another session has used that backend first: the question is refused
 *
 * So nothing is fetched that nobody asks for. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "proxy/session_int.h"
#include "routing/insert_id.h"

static void forget_place(struct session *s)
{
    if (s->insert_id_at)
        s->insert_id_at->id_for = NULL;
    s->insert_id_at = NULL;
    s->insert_id_lost = false;
}

void session_set_insert_id(struct session *s, uint64_t value)
{
    forget_place(s);
    s->last_insert_id = value;
}

void session_insert_id_gone(struct session *s)
{
    s->insert_id_at = NULL;
    s->insert_id_lost = true;
}

void session_lose_insert_id(struct session *s)
{
    const struct request *q = &s->request;
    struct insert_outcome lost = { .failed = true };
    if (!q->entry || insert_id_effect(q->entry->template, (enum counters)q->counters, &lost) ==
                         INSERT_ID_KEPT)
        return;
    forget_place(s);
    s->insert_id_lost = true;
}

/* ---- bringing a backend in line ---- */

/* Does the backend have the session's value? */
static bool has_it(const struct session *s)
{
    const struct backend *b = s->backend;
    if (s->insert_id_at || s->insert_id_lost)
        return s->insert_id_at == b;
    return b->insert_id_known && b->insert_id == s->last_insert_id;
}

bool session_insert_id_in_line(const struct session *s)
{
    return !s->request.hides_insert_id || s->insert_id_at || s->insert_id_lost || has_it(s);
}

/* No other backend could be told what the statement may leave as it is. */
struct backend *session_insert_id_holder(struct session *s, const struct pool *p)
{
    struct backend *b = s->insert_id_at;
    bool wanted = s->request.hides_insert_id && b && b->pool == p && b->state == BACKEND_IDLE;
    return wanted && pool_checkout_again(b, s) ? b : NULL;
}

const char *session_insert_id_statement(struct session *s)
{
    return arena_printf(&s->worker->arena, "DO LAST_INSERT_ID(%llu)",
                        (unsigned long long)s->last_insert_id);
}

void session_insert_id_told(struct session *s)
{
    s->backend->insert_id = s->last_insert_id;
    s->backend->insert_id_known = true;
}

/* ---- after a statement ---- */

static bool holds(struct slice bytes, const void *pattern, size_t len)
{
    return memmem(bytes.data, bytes.len, pattern, len) != NULL;
}

/* May the client have given the id of the answer itself? Then it stands in the request: as text,
 * or as a parameter of two, four or eight bytes or a double. */
static bool may_be_given(const struct session *s, uint64_t id)
{
    struct slice bytes = buf_slice(&s->request.bytes);
    char digits[24];
    uint8_t raw[8];
    double number = (double)id;
    size_t width = id > UINT32_MAX ? 8 : id > UINT16_MAX ? 4 : 2;
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)id);
    for (size_t i = 0; i < sizeof raw; i++)
        raw[i] = (uint8_t)(id >> (8 * i));
    return holds(bytes, digits, (size_t)len) ||
           (s->request.execute && (holds(bytes, raw, width) || holds(bytes, &number, sizeof number)));
}

static enum insert_id_effect effect_of(const struct session *s, bool failed)
{
    const struct request *q = &s->request;
    const struct answer *a = &s->backend->answer;
    struct insert_outcome outcome = {
        .failed = failed,
        .has_rows = a->columns,
        .found_rows = s->capabilities & CAP_FOUND_ROWS,
        .affected = failed ? 0 : a->ok.affected_rows,
        .insert_id = failed ? 0 : a->ok.last_insert_id,
    };
    outcome.may_be_given = outcome.insert_id && may_be_given(s, outcome.insert_id);
    return q->entry ? insert_id_effect(q->entry->template, (enum counters)q->counters, &outcome)
                    : INSERT_ID_KEPT;
}

static void hide(struct session *s)
{
    struct backend *b = s->backend;
    bool known_there = has_it(s);
    forget_place(s);
    s->insert_id_lost = !known_there;
    s->insert_id_at = known_there ? b : NULL;
    b->id_for = s->insert_id_at ? s : NULL;
    b->insert_id_known = false;
}

void session_note_insert_id(struct session *s, bool failed)
{
    struct backend *b = s->backend;
    switch (effect_of(s, failed)) {
    case INSERT_ID_KEPT:
        break;
    case INSERT_ID_TOLD:
        session_set_insert_id(s, b->answer.ok.last_insert_id);
        session_insert_id_told(s);
        break;
    case INSERT_ID_HIDDEN:
        hide(s);
        break;
    }
}

/* ---- when the client asks ---- */

void session_learn_insert_id(struct session *s, struct slice row)
{
    struct reader r = reader_of(row.data, row.len);
    struct slice text = read_lenenc_slice(&r);
    unsigned long long value;
    if (r.bad || !slice_to_u64(text, &value)) {
        forget_place(s);
        s->insert_id_lost = true;
        return;
    }
    session_set_insert_id(s, value);
    session_insert_id_told(s);
}

bool session_knows_insert_id(struct session *s, const struct template *t, bool *ret_refused)
{
    struct err e;
    *ret_refused = false;
    if (!t->asks_insert_id || !(s->insert_id_at || s->insert_id_lost))
        return true;
    if (s->insert_id_at && session_borrow(s, s->insert_id_at)) {
        session_learn(s, LEARN_INSERT_ID, SLICE_LIT("SELECT LAST_INSERT_ID()"));
        return false;
    }
    err_set(&e, MQ_DIAGNOSTICS_GONE,
            "LAST_INSERT_ID() is not known: the answer to an earlier statement did not tell it, and "
            "another session has used its connection to the shard");
    *ret_refused = true;
    session_refuse_statement(s, &e);
    return true;
}
