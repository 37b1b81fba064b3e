/* FOUND_ROWS() is the session's, whichever backend ran the statement that set it. Of most SELECTs it
 * is the number of rows that went to the client (routing/found_rows.c); else only the backend knows
 * it, which is asked when the client asks, unless another session has used it since. */
#include "proxy/session_int.h"

static void forget_place(struct session *s)
{
    if (s->found_rows_at)
        s->found_rows_at->found_for = NULL;
    s->found_rows_at = NULL;
    s->found_rows_lost = false;
}

void session_set_found_rows(struct session *s, uint64_t value)
{
    forget_place(s);
    s->found_rows = value;
}

static void lose(struct session *s)
{
    forget_place(s);
    s->found_rows_lost = true;
}

void session_found_rows_gone(struct session *s)
{
    s->found_rows_at = NULL;
    s->found_rows_lost = true;
}

void session_disturb_found_rows(struct session *s)
{
    if (s->found_rows_at && s->found_rows_at == s->backend)
        lose(s);
}

/* ---- after a statement ---- */

static enum found_rows effect_of(const struct session *s, bool failed)
{
    const struct answer *a = &s->backend->answer;
    const struct template *t = s->request.entry ? s->request.entry->template : NULL;
    if (!t || (failed && !a->columns))
        return FOUND_ROWS_KEPT;
    if (failed || (t->found_rows == FOUND_ROWS_THERE && !a->columns))
        return FOUND_ROWS_UNKNOWN;
    return a->cursor_opened && t->found_rows == FOUND_ROWS_SENT ? FOUND_ROWS_THERE
                                                               : (enum found_rows)t->found_rows;
}

void session_note_found_rows(struct session *s, bool failed)
{
    struct backend *b = s->backend;
    switch (effect_of(s, failed)) {
    case FOUND_ROWS_KEPT:
        break;
    case FOUND_ROWS_SENT:
        session_set_found_rows(s, b->answer.rows);
        break;
    case FOUND_ROWS_THERE:
        forget_place(s);
        s->found_rows_at = b;
        b->found_for = s;
        break;
    case FOUND_ROWS_UNKNOWN: /* kept or set, it is there */
        if (s->found_rows_at != b)
            lose(s);
        break;
    }
}

void session_note_merged_rows(struct session *s, uint64_t rows, bool failed)
{
    enum found_rows effect = (enum found_rows)s->request.entry->template->found_rows;
    if (!failed && effect == FOUND_ROWS_SENT)
        session_set_found_rows(s, rows);
    else if (failed || effect != FOUND_ROWS_KEPT)
        lose(s);
}

/* ---- when the client asks ---- */

void session_learn_found_rows(struct session *s, struct slice row)
{
    struct reader r = reader_of(row.data, row.len);
    struct slice text = read_lenenc_slice(&r);
    unsigned long long value;
    if (r.bad || !slice_to_u64(text, &value))
        lose(s);
    else
        session_set_found_rows(s, value);
}

bool session_knows_found_rows(struct session *s, const struct template *t, bool *ret_refused)
{
    struct err e;
    *ret_refused = false;
    if (!t->asks_found_rows || !(s->found_rows_at || s->found_rows_lost))
        return true;
    if (s->found_rows_at && session_borrow(s, s->found_rows_at)) {
        session_learn(s, LEARN_FOUND_ROWS, SLICE_LIT("SELECT FOUND_ROWS()"));
        return false;
    }
    err_set(&e, MQ_DIAGNOSTICS_GONE,
            "FOUND_ROWS() is not known: the statement was for several tenants, or only its "
            "connection to the shard could tell, which another session has used");
    *ret_refused = true;
    session_refuse_statement(s, &e);
    return true;
}
