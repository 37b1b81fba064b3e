/* What a command depends on and only a backend knows: that is asked first, then the command runs
 * again from its kept bytes, and finds it.
 *
 *   command ──> session_learn ──> BUSY … row, end ──> READY ──> the same command
 *
 * What a statement left behind is asked of the one backend that knows it (session_insert_id.c,
 * session_found_rows.c, session_diagnostics.c), the expressions of a SET of any. */
#include "base/memory.h"
#include "proxy/session_int.h"

static struct learned *learned(struct session *s)
{
    if (!s->learned)
        s->learned = mem_new(struct learned);
    return s->learned;
}

void session_forget_learned(struct session *s)
{
    struct learned *l = s->learned;
    s->learned = NULL;
    if (!l)
        return;
    buf_fini(&l->row);
    buf_fini(&l->types);
    mem_free(l->text);
    mem_free(l);
}

/* ---- asking ---- */

/* A backend that is idle, or one that the session has anyway. */
bool session_borrow(struct session *s, struct backend *b)
{
    if (s->backend)
        return s->backend == b;
    if (b == s->home)
        session_enter_home(s);
    else if (b->session == s || pool_checkout_again(b, s))
        s->backend = b;
    return s->backend != NULL;
}

static void begin(struct session *s, enum learning what)
{
    request_begin(s, END_LEARNED);
    s->request.learning = (uint8_t)what;
    s->request.swallow = true;
}

void session_learn(struct session *s, enum learning what, struct slice question)
{
    begin(s, what);
    s->request.only_there = true;
    request_add_query(s, question);
    session_run_request(s);
}

/* The edited text of a SET selects its expressions. */
static void ask_values(struct session *s, const struct template *t, const struct lexed *lexed)
{
    static const struct route nowhere = { .verdict = VERDICT_PASS };
    begin(s, LEARN_VALUES);
    session_compose(s, t, lexed, &nowhere, 0);
    session_run_anywhere(s);
}

/* ---- the answer ---- */

void session_learn_column(struct session *s, struct slice definition)
{
    struct column_def column;
    if (s->request.learning != LEARN_VALUES)
        return;
    bool parsed = column_def_parse(definition, s->backend->capabilities, &column);
    buf_append_byte(&learned(s)->types, parsed ? column.type : TYPE_NULL);
}

void session_learn_row(struct session *s, struct slice row)
{
    switch ((enum learning)s->request.learning) {
    case LEARN_INSERT_ID:
        session_learn_insert_id(s, row);
        break;
    case LEARN_FOUND_ROWS:
        session_learn_found_rows(s, row);
        break;
    case LEARN_COUNTS:
        session_learn_counts(s, row);
        break;
    case LEARN_UNTOLD:
        session_learn_untold(s, row);
        break;
    case LEARN_VALUES:
        buf_append_slice(&learned(s)->row, row);
        break;
    }
}

void session_learn_failed(struct session *s, const struct err_packet *why)
{
    if (s->request.learning != LEARN_VALUES) {
        session_learn_row(s, slice_of("", 0));
        return;
    }
    struct learned *l = learned(s);
    l->why = *why;
    l->text = mem_strndup(why->message);
    l->why.message = slice_cstr(l->text);
}

/* ---- what the command finds ---- */

static void tell_failure(struct session *s)
{
    const struct err_packet *why = &s->learned->why;
    struct buf payload;
    buf_init(&payload);
    err_write(&payload, why, s->capabilities | CAP_PROTOCOL_41);
    session_send_payload(s, buf_slice(&payload));
    buf_fini(&payload);
    s->row_count = -1;
    session_script_drop(s);
    session_note_error(s, why->code, why->message);
    session_done(s);
}

bool session_knows(struct session *s, const struct plan_entry *entry, const struct lexed *lexed,
                   bool *ret_refused)
{
    static bool (*const facts[])(struct session *, const struct template *, bool *) = {
        session_knows_found_rows, /* whose question leaves the others as they are */
        session_knows_insert_id,
        session_knows_counts,
        session_knows_processes,
    };
    *ret_refused = false;
    for (size_t i = 0; i < sizeof facts / sizeof *facts && !*ret_refused; i++)
        if (!facts[i](s, entry->template, ret_refused))
            return false;
    if (*ret_refused || !entry->template->questions)
        return true;
    if (!s->learned) {
        static const struct route nowhere = { .verdict = VERDICT_PASS };
        struct err e;
        *ret_refused = session_check_home(s, entry->template, &nowhere, &e) != MQ_OK;
        if (*ret_refused) {
            session_refuse_statement(s, &e);
            return true;
        }
        ask_values(s, entry->template, lexed);
        return false;
    }
    *ret_refused = s->learned->why.code != 0;
    if (*ret_refused)
        tell_failure(s);
    return true;
}

static struct slice next_value(struct reader *r)
{
    enum { ROW_NULL = 0xfb };
    if (reader_left(r) == 0 || *r->next != ROW_NULL)
        return read_lenenc_slice(r);
    (void)read_u8(r);
    return slice_of(NULL, 0);
}

static bool is_number_type(uint8_t type)
{
    switch (type) {
    case TYPE_TINY:
    case TYPE_SHORT:
    case TYPE_LONG:
    case TYPE_INT24:
    case TYPE_LONGLONG:
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
    case TYPE_DECIMAL:
    case TYPE_NEWDECIMAL:
        return true;
    default:
        return false;
    }
}

bool session_learned_value(const struct session *s, uint32_t number, struct slice *ret_text,
                           bool *ret_is_number)
{
    const struct learned *l = s->learned;
    if (!l || number >= buf_len(&l->types))
        return false;
    struct slice row = buf_slice(&l->row);
    struct reader r = reader_of(row.data, row.len);
    for (uint32_t i = 0; i <= number; i++)
        *ret_text = next_value(&r);
    *ret_is_number = is_number_type(buf_begin(&l->types)[number]);
    return !r.bad;
}
