/* Refusals are remembered by kind of statement, and shown by SHOW MQGATE_FINDINGS. */
#define _DEFAULT_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "proxy/session_int.h"

enum { COLLATION_UTF8MB4 = 45, COLLATION_BINARY = 63 };

void session_refuse_statement(struct session *s, const struct err *why)
{
    findings_note(s->worker->findings, s->statement, VERDICT_REJECT, why, clock_wall_ms());
    session_refuse(s, why);
}

void session_refuse_text(struct session *s, enum err_code code, const char *text)
{
    struct err e;
    err_set(&e, code, "%s", text);
    session_refuse_statement(s, &e);
}

/* ---- SHOW MQGATE_FINDINGS ---- */

#define TEXT_COLUMN(name_, length_)                                                             \
    {                                                                                           \
        .name = { name_, sizeof name_ - 1 }, .charset = COLLATION_UTF8MB4, .length = (length_), \
        .type = TYPE_VAR_STRING                                                                 \
    }
#define NUMBER_COLUMN(name_)                                                            \
    {                                                                                   \
        .name = { name_, sizeof name_ - 1 }, .charset = COLLATION_BINARY, .length = 20, \
        .type = TYPE_LONGLONG                                                           \
    }

/* docs/operations.md explains them; `mqgate lint --live` reads them by name. */
static const struct column_def columns[] = {
    TEXT_COLUMN("Fingerprint", 64), TEXT_COLUMN("Verdict", 64),
    TEXT_COLUMN("Code", 24),        TEXT_COLUMN("Reason", 4 * ERR_TEXT_MAX),
    NUMBER_COLUMN("Count"),         TEXT_COLUMN("First_seen", 80),
    TEXT_COLUMN("Last_seen", 80),   TEXT_COLUMN("Statement", 4 * FINDING_STATEMENT_MAX),
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const struct slice no_value = { NULL, 0 };

/* 2026-01-31 23:59:59, in UTC. */
static struct slice time_text(struct arena *arena, uint64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    char text[32];
    gmtime_r(&seconds, &tm);
    return arena_copy(arena, slice_of(text, strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm)));
}

static void write_row(struct arena *arena, const struct finding *f, struct slice row[COLUMNS])
{
    row[0] =
        f->fingerprint ? slice_cstr(arena_printf(arena, "%016" PRIx64, f->fingerprint)) : no_value;
    row[1] = slice_cstr(verdict_name(f->verdict));
    row[2] = f->code ? slice_cstr(arena_printf(arena, "MQ%04d", (int)f->code)) : no_value;
    row[3] = f->code ? f->reason : SLICE_LIT("served, with a changed text");
    row[4] = slice_cstr(arena_printf(arena, "%" PRIu64, f->count));
    row[5] = time_text(arena, f->first_ms);
    row[6] = time_text(arena, f->last_ms);
    row[7] = f->fingerprint ? f->statement : no_value;
}

/* So that the counts add up to all statements. */
static void write_forgotten(struct arena *arena, uint64_t count, struct slice row[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++)
        row[i] = no_value;
    row[3] = SLICE_LIT("of kinds that are no longer remembered");
    row[4] = slice_cstr(arena_printf(arena, "%" PRIu64, count));
}

static void read_all(struct session *s, struct findings_report *report)
{
    struct fleet *fleet = s->worker->fleet;
    for (uint32_t i = 0; i < fleet->worker_count; i++)
        findings_read(fleet->workers[i].findings, &s->worker->arena, report);
    findings_merge(report);
}

/* Keeps what LIKE asks for; false when the pattern is no string. */
static bool keep_like(struct session *s, const struct template *t, const struct lexed *lexed,
                      struct findings_report *report)
{
    struct dialect dialect = session_dialect(s);
    struct slice pattern;
    size_t kept = 0;
    if (t->pattern.kind != VALUE_TOKENS)
        return true;
    if (!token_string_value(lexed, &dialect, t->pattern.first, t->pattern.last, &s->worker->arena,
                            &pattern))
        return false;
    for (size_t i = 0; i < report->count; i++)
        if (slice_ilike(report->items[i].statement, pattern))
            report->items[kept++] = report->items[i];
    report->count = kept;
    report->forgotten = 0; /* nobody knows how many of them it would match */
    return true;
}

static void keep_first(const struct template *t, const struct lexed *lexed,
                       struct findings_report *report)
{
    unsigned long long most;
    if (t->limit.kind != VALUE_TOKENS || !slice_to_u64(token_text(lexed, t->limit.first), &most))
        return;
    if (most < report->count)
        report->count = (size_t)most;
    report->forgotten = 0;
}

static void send_report(struct session *s, const struct findings_report *report)
{
    struct arena *arena = &s->worker->arena;
    size_t count = report->count + (report->forgotten != 0);
    struct slice *rows = arena_array(arena, struct slice, count * COLUMNS);
    for (size_t i = 0; i < report->count; i++)
        write_row(arena, &report->items[i], rows + i * COLUMNS);
    if (report->forgotten)
        write_forgotten(arena, report->forgotten, rows + report->count * COLUMNS);
    struct text_result result = {
        .columns = columns, .column_count = COLUMNS, .rows = rows, .row_count = count
    };
    session_send_result(s, &result);
    session_done(s);
}

void session_show_findings(struct session *s, const struct template *t, const struct lexed *lexed)
{
    struct findings_report report = { 0 };
    struct err e;
    read_all(s, &report);
    if (!keep_like(s, t, lexed, &report)) {
        err_set(&e, MQ_NOT_UNDERSTOOD, "LIKE takes a string literal here");
        session_refuse_statement(s, &e);
        return;
    }
    keep_first(t, lexed, &report);
    send_report(s, &report);
}
