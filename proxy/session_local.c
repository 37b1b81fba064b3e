/* Statements that mqgate answers by itself: USE, and what belongs to the session rather than to a
 * shard. SET and transactions have files of their own. */
#include <stdio.h>

#include "base/memory.h"
#include "proxy/session_int.h"

enum {
    COLLATION_UTF8MB4 = 45,
    COLLATION_BINARY = 63,
};

/* ---- results of one column ---- */

static const struct column_def text_column = { .charset = COLLATION_UTF8MB4,
                                               .length = 1020,
                                               .type = TYPE_VAR_STRING };
static const struct column_def number_column = { .charset = COLLATION_BINARY,
                                                 .length = 21,
                                                 .type = TYPE_LONGLONG };
static const struct column_def unsigned_column = { .charset = COLLATION_BINARY,
                                                   .length = 21,
                                                   .type = TYPE_LONGLONG,
                                                   .flags = COLUMN_UNSIGNED };

static void send_column(struct session *s, struct slice name, const struct slice *rows,
                        size_t row_count, const struct column_def *kind)
{
    struct column_def column = *kind;
    column.name = name;
    struct text_result result = { .columns = &column, .column_count = 1, .rows = rows,
                                  .row_count = row_count };
    session_send_result(s, &result);
    session_done(s);
}

static void send_text(struct session *s, struct slice name, struct slice value)
{
    send_column(s, name, &value, 1, &text_column);
}

static void send_number(struct session *s, struct slice name, long long value)
{
    char text[24];
    struct slice row = slice_of(text, (size_t)snprintf(text, sizeof text, "%lld", value));
    send_column(s, name, &row, 1, &number_column);
}

static void send_unsigned(struct session *s, struct slice name, unsigned long long value)
{
    char text[24];
    struct slice row = slice_of(text, (size_t)snprintf(text, sizeof text, "%llu", value));
    send_column(s, name, &row, 1, &unsigned_column);
}

/* ---- the statements ---- */

static void use(struct session *s, struct slice name)
{
    struct err e;
    if (session_use_unsharded(s, name))
        return;
    if (session_use(s, name, false, &e))
        session_refuse_statement(s, &e);
    else
        session_done_ok(s);
}

static void show_user(struct session *s, struct slice name)
{
    char *text = arena_printf(&s->worker->arena, "%s@%s", s->user, s->from.unix_socket ? "localhost" : "%");
    send_text(s, name, slice_cstr(text));
}

void session_local(struct session *s, struct plan_entry *entry, const struct lexed *lexed,
                   const struct param_value *params)
{
    const struct template *t = entry->template;
    struct dialect dialect = session_dialect(s);
    struct slice name = route_heading(t, lexed, &dialect, &s->worker->arena);
    if (t->needs_administrator && !s->account->config->administrator) {
        session_refuse_text(s, MQ_STATEMENT_NOT_ALLOWED, "this statement is for accounts with `administrator: true`");
        return;
    }
    long long found_rows = (long long)s->found_rows;
    if (t->found_rows == FOUND_ROWS_SENT) /* what is answered here has one row */
        session_set_found_rows(s, 1);
    switch (t->local) {
    case LOCAL_SET:
        session_set(s, t, lexed, params);
        break;
    case LOCAL_SET_TRANSACTION:
        session_set_transaction(s, t);
        break;
    case LOCAL_BEGIN:
        session_begin(s, t);
        break;
    case LOCAL_COMMIT:
    case LOCAL_ROLLBACK:
        session_end_transaction(s, t);
        break;
    case LOCAL_ROLLBACK_TO:
    case LOCAL_SAVEPOINT:
    case LOCAL_RELEASE_SAVEPOINT:
        session_savepoint(s, t, lexed);
        break;
    case LOCAL_KILL:
        session_kill_other(s, t, lexed);
        break;
    case LOCAL_USE:
        use(s, t->name);
        break;
    case LOCAL_UNLOCK_TABLES:
    case LOCAL_NOTHING:
        session_done_ok(s);
        break;
    case LOCAL_SHOW_WARNINGS:
    case LOCAL_SHOW_ERRORS:
        session_show_diagnostics(s, t, lexed);
        break;
    case LOCAL_SHOW_PROCESSLIST:
        session_show_processes(s, t);
        break;
    case LOCAL_SHOW_FINDINGS:
        session_show_findings(s, t, lexed);
        break;
    case LOCAL_SELECT_DATABASE:
        send_text(s, name, slice_cstr(s->database));
        break;
    case LOCAL_SELECT_CONNECTION_ID:
        send_unsigned(s, name, s->id);
        break;
    case LOCAL_SELECT_LAST_INSERT_ID:
        send_unsigned(s, name, s->last_insert_id);
        break;
    case LOCAL_SELECT_ROW_COUNT:
        send_number(s, name, s->row_count);
        break;
    case LOCAL_SELECT_FOUND_ROWS:
        send_number(s, name, found_rows);
        break;
    case LOCAL_SELECT_USER:
        show_user(s, name);
        break;
    case LOCAL_SELECT_TENANT:
        send_text(s, name, slice_cstr(s->tenant ? s->tenant : s->login_tenant));
        break;
    case LOCAL_NONE:
        session_refuse_text(s, MQ_INTERNAL, "a local statement without an operation");
        break;
    }
}
