/* SHOW WARNINGS and SHOW ERRORS. Warnings stay where the statement ran:
 *
 *   in a transaction    on its backend, which is asked
 *   outside             the backend goes back to its pool, but remembers whose warnings it holds;
 *                       until another session borrows it, or this one goes on, it can be asked.
 *                       So nothing is fetched that nobody asks for
 *   an error of ours    in the session
 *   of several shards   with each part (session_scatter.c); of a table that every tenant has a copy
 *                       of, with the one that has as many as the client was told */
#include "base/check.h"
#include "base/memory.h"
#include "proxy/session_int.h"

static void forget_teller(struct session *s)
{
    if (s->teller) {
        CHECK(s->teller->told == s);
        s->teller->told = NULL;
    }
    s->teller = NULL;
}

void session_note_warnings(struct session *s, uint16_t count)
{
    forget_teller(s);
    mem_free(s->own_error);
    s->own_error = NULL;
    s->warned_apart = false;
    session_forget_warned(s);
    s->warnings = count;
    s->warning_count = count;
    s->error_count = 0;
    s->warnings_counted = true;
    s->errors_counted = true; /* what succeeds leaves none */
}

void session_note_merged_warnings(struct session *s, uint16_t count)
{
    session_note_warnings(s, count);
    s->warned_apart = count != 0;
}

void session_note_error(struct session *s, unsigned code, struct slice message)
{
    session_note_warnings(s, 1);
    s->own_error = mem_strndup(message);
    s->own_errno = (uint16_t)code;
    s->error_count = 1;
    s->errors_counted = true;
}

/* The shard has told an error, but not what it tells besides. A vtgate has nothing to tell. */
void session_note_failure(struct session *s)
{
    char *kept = s->kept_error;
    s->kept_error = NULL;
    if (kept) {
        session_note_error(s, s->kept_errno, slice_cstr(kept));
        mem_free(kept);
        return;
    }
    session_note_warnings(s, 1);
    s->warnings_counted = s->errors_counted = false;
}

void session_keep_teller(struct session *s, struct backend *b)
{
    bool kept = b->state == BACKEND_IDLE || b == s->home || b == s->backend ||
                b->cursors;
    bool worth = s->warnings || b->pool->key.shard >= b->pool->deployment->topology->shard_count;
    /* Back in its pool it may have served another session by now, at once. */
    bool used = b->told && b->told != s;
    forget_teller(s);
    if (!kept || !worth || used)
        return;
    s->teller = b;
    b->told = s;
}

void session_teller_gone(struct session *s)
{
    s->teller = NULL;
}

/* ---- asking the backend ---- */

static void ask_backend(struct session *s, struct slice text, bool binary)
{
    request_begin(s, END_RELAYED);
    s->request.diagnostics = s->request.only_there = true;
    s->request.binary = binary;
    request_add_query(s, text);
    session_run_request(s);
}

static bool borrow_teller(struct session *s)
{
    return s->pinned || (s->teller && session_borrow(s, s->teller));
}

static void set_gone(struct err *e)
{
    err_set(e, MQ_DIAGNOSTICS_GONE,
            "the warnings of the last statement are no longer known: another session has "
            "used its connection to the shard");
}

static void refuse_gone(struct session *s)
{
    struct err e;
    set_gone(&e);
    session_refuse(s, &e);
}

void session_show_part_warnings(struct session *s, bool binary)
{
    s->seq = 1;
    if (borrow_teller(s))
        ask_backend(s, SLICE_LIT("SHOW WARNINGS"), binary);
    else
        refuse_gone(s);
}

/* ---- answers of our own: nothing, or one error ---- */

enum { COLLATION_UTF8MB4 = 45, COLLATION_BINARY = 63 };

static bool read_number(const struct value_ref *v, const struct lexed *l, unsigned long long *ret)
{
    return v->kind == VALUE_TOKENS && slice_to_u64(token_text(l, v->first), ret);
}

/* Does LIMIT let the first row pass? */
static bool limit_passes(const struct template *t, const struct lexed *l)
{
    unsigned long long n;
    if (read_number(&t->limit, l, &n) && n == 0)
        return false;
    return !read_number(&t->limit_skip, l, &n) || n == 0;
}

static void send_list(struct session *s, const struct template *t, const struct lexed *l)
{
    static const struct column_def columns[] = {
        { .name = { "Level", 5 }, .charset = COLLATION_UTF8MB4, .length = 28,
          .type = TYPE_VAR_STRING },
        { .name = { "Code", 4 }, .charset = COLLATION_BINARY, .length = 4, .type = TYPE_LONG,
          .flags = COLUMN_UNSIGNED },
        { .name = { "Message", 7 }, .charset = COLLATION_UTF8MB4, .length = 2048,
          .type = TYPE_VAR_STRING },
    };
    char *code = arena_printf(&s->worker->arena, "%u", s->own_errno);
    struct slice row[] = { SLICE_LIT("Error"), slice_cstr(code), slice_cstr(s->own_error) };
    struct text_result list = { .columns = columns, .column_count = 3, .rows = row,
                                .row_count = s->own_error && limit_passes(t, l) };
    session_send_rows(s, &list);
}

static void send_count(struct session *s, const struct template *t)
{
    const char *name = t->local == LOCAL_SHOW_ERRORS ? "@@session.error_count"
                                                     : "@@session.warning_count";
    struct column_def column = { .name = slice_cstr(name), .charset = COLLATION_BINARY,
                                 .length = 21, .type = TYPE_LONGLONG, .flags = COLUMN_UNSIGNED };
    bool errors = t->local == LOCAL_SHOW_ERRORS;
    unsigned long long n = errors ? s->error_count : s->warning_count;
    struct slice row = slice_cstr(arena_printf(&s->worker->arena, "%llu", n));
    struct text_result count = { .columns = &column, .column_count = 1, .rows = &row,
                                 .row_count = 1 };
    session_send_rows(s, &count);
}

/* The servers keep no more of one statement, unless max_error_count says otherwise. */
static uint64_t most_kept(const struct session *s)
{
    unsigned long long most;
    const char *value = vars_value(&s->vars, VAR_ERROR_COUNT);
    if (value && slice_to_u64(slice_cstr(value), &most))
        return most;
    return session_dialect(s).flavour == FLAVOUR_MARIADB ? 64 : 1024;
}

static void ask_parts(struct session *s, const struct template *t, const struct lexed *l)
{
    unsigned long long skip = 0, most = UINT64_MAX;
    uint64_t kept = most_kept(s);
    (void)read_number(&t->limit_skip, l, &skip);
    (void)read_number(&t->limit, l, &most);
    kept = kept > skip ? kept - skip : 0;
    session_ask_warned(s, skip, most < kept ? most : kept);
}

static bool answers_itself(const struct session *s, const struct template *t)
{
    bool lists = !(t->flags & NODE_F_STAR) && t->local == LOCAL_SHOW_WARNINGS;
    return !s->warnings || s->own_error || (s->warned_apart && !lists);
}

void session_show_diagnostics(struct session *s, const struct template *t, const struct lexed *l)
{
    bool own = answers_itself(s, t);
    if (!own && s->warned) {
        ask_parts(s, t, l);
    } else if (!own && borrow_teller(s)) {
        ask_backend(s, l->text, s->binary);
    } else if (!own) {
        refuse_gone(s);
    } else {
        if (t->flags & NODE_F_STAR)
            send_count(s, t);
        else
            send_list(s, t, l);
        session_done(s);
    }
}

/* ---- @@warning_count, @@error_count ---- */

void session_learn_counts(struct session *s, struct slice row)
{
    struct reader r = reader_of(row.data, row.len);
    unsigned long long warnings, errors;
    bool read = slice_to_u64(read_cell(&r), &warnings) && slice_to_u64(read_cell(&r), &errors);
    forget_teller(s); /* the question may have taken them away */
    if (r.bad || !read)
        return;
    s->warning_count = warnings;
    s->error_count = errors;
    s->warnings_counted = s->errors_counted = true;
}

bool session_knows_counts(struct session *s, const struct template *t, bool *ret_refused)
{
    struct err e;
    bool known = (!t->asks_warning_count || s->warnings_counted) &&
                 (!t->asks_error_count || s->errors_counted);
    *ret_refused = false;
    if (known)
        return true;
    if (s->teller && session_borrow(s, s->teller)) {
        session_learn(s, LEARN_COUNTS, SLICE_LIT("SELECT @@warning_count, @@error_count"));
        return false;
    }
    set_gone(&e);
    *ret_refused = true;
    session_refuse_statement(s, &e);
    return true;
}
