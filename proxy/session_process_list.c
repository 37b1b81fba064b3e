/* SHOW PROCESSLIST: what a session tells of itself, and the answer to whoever asks. An account sees
 * its own sessions, an administrator's all. The text of a statement is shown to nobody but its own
 * account, and only where it holds no values but parameters: other texts are not kept.
 *
 *   SHOW PROCESSLIST ──> HELD … the list goes round the workers ──> READY ──> the same command again
 */
#include <stdio.h>

#include "base/memory.h"
#include "proxy/process_list.h"
#include "proxy/session_int.h"

enum { COLLATION_UTF8MB4 = 45, COLLATION_BINARY = 63, DECIMALS_NONE = 31 };

#define TEXT(name_, length_, flags_)                                                            \
    {                                                                                           \
        .name = { name_, sizeof name_ - 1 }, .charset = COLLATION_UTF8MB4, .length = (length_), \
        .type = TYPE_VAR_STRING, .flags = (flags_), .decimals = DECIMALS_NONE                   \
    }

/* As MySQL has them. */
static const struct column_def columns[PROCESS_COLUMNS] = {
    { .name = { "Id", 2 }, .charset = COLLATION_BINARY, .length = 22, .type = TYPE_LONGLONG,
      .flags = COLUMN_NOT_NULL | COLUMN_BINARY },
    TEXT("User", 128, COLUMN_NOT_NULL),
    TEXT("Host", 1020, COLUMN_NOT_NULL),
    TEXT("db", 256, 0),
    TEXT("Command", 64, COLUMN_NOT_NULL),
    { .name = { "Time", 4 }, .charset = COLLATION_BINARY, .length = 8, .type = TYPE_LONG,
      .flags = COLUMN_NOT_NULL | COLUMN_BINARY },
    TEXT("State", 120, 0),
    TEXT("Info", 400, 0),
};
enum { INFO_CHARACTERS = 100, FULL_INFO_LENGTH = 0x30000000 };

/* ---- what a session tells of itself ---- */

static const char *command_of(const struct session *s)
{
    const struct request *q = &s->request;
    bool runs = s->state != SESSION_READY;
    return !runs        ? "Sleep"
           : q->execute ? "Execute"
           : q->prepare ? "Prepare"
           : q->fetches ? "Fetch"
                        : "Query";
}

static const char *state_of(const struct session *s)
{
    switch (s->state) {
    case SESSION_HELD:
        return "waiting for what is known of tenants or servers";
    case SESSION_WAITING:
        return "waiting for a connection to the shard";
    case SESSION_BUSY:
    case SESSION_SCATTERING:
        return "executing";
    default:
        return "";
    }
}

static struct slice host_of(const struct session *s, struct arena *arena)
{
    char text[IP_TEXT_MAX];
    return s->from.address.size
               ? slice_cstr(arena_printf(arena, "%s:%u", ip_print(&s->from.address, text),
                                         s->from.port))
               : SLICE_LIT("localhost");
}

/* A statement that was prepared has the values of its parameters elsewhere. */
static struct slice info_of(const struct session *s, struct arena *arena)
{
    const struct request *q = &s->request;
    bool shown = s->state != SESSION_READY && (q->execute || q->prepare) && q->entry;
    return shown ? arena_copy(arena, q->entry->lexed.text) : slice_of(NULL, 0);
}

static struct slice copy(struct arena *arena, const char *text)
{
    return text ? arena_copy(arena, slice_cstr(text)) : slice_of(NULL, 0);
}

void session_add_process(const struct session *s, struct process_list *p)
{
    struct arena *arena = &p->arena;
    bool own = s->user && strcmp(s->user, p->user) == 0;
    if (!s->account || s->state == SESSION_LOGIN || s->state == SESSION_CLOSING || !(own || p->all))
        return;
    uint64_t now_ms = s->worker->now_ms, since_ms = s->since_ms;
    struct slice *row = process_list_add(p);
    row[PROCESS_ID] = slice_cstr(arena_printf(arena, "%u", s->id));
    row[PROCESS_USER] = copy(arena, s->user);
    row[PROCESS_HOST] = host_of(s, arena);
    row[PROCESS_DATABASE] = copy(arena, s->database);
    row[PROCESS_COMMAND] = slice_cstr(command_of(s));
    row[PROCESS_TIME] = slice_cstr(arena_printf(
        arena, "%llu", (unsigned long long)(now_ms > since_ms ? now_ms - since_ms : 0) / 1000));
    row[PROCESS_STATE] = slice_cstr(state_of(s));
    if (own)
        row[PROCESS_INFO] = info_of(s, arena);
}

/* ---- the answer ---- */

bool session_knows_processes(struct session *s, const struct template *t, bool *ret_refused)
{
    *ret_refused = false;
    if (t->local != LOCAL_SHOW_PROCESSLIST || s->processes)
        return true;
    process_list_begin(s->worker->fleet, s->worker->number, s->id, s->user,
                       s->account->config->administrator);
    session_hold(s, UINT64_MAX); /* no refresh ends it */
    return false;
}

void session_on_process_list(struct session *s, struct process_list *p)
{
    if (s->state != SESSION_HELD || s->held_serial != UINT64_MAX) { /* it was killed meanwhile */
        process_list_destroy(p);
        return;
    }
    s->processes = p;
    session_resume(s);
}

void session_forget_processes(struct session *s)
{
    process_list_destroy(s->processes);
    s->processes = NULL;
}

/* The session itself: its statement is this one. */
static void tell_own(const struct session *s, struct slice *row)
{
    row[PROCESS_COMMAND] = s->binary ? SLICE_LIT("Execute") : SLICE_LIT("Query");
    row[PROCESS_STATE] = SLICE_LIT("executing");
    row[PROCESS_TIME] = SLICE_LIT("0");
    row[PROCESS_INFO] = s->statement->text;
}

/* At a whole character of UTF-8. */
static struct slice cut(struct slice text)
{
    size_t characters = 0, i = 0;
    for (; i < text.len; i++)
        if (((unsigned char)text.data[i] & 0xC0) != 0x80 && characters++ == INFO_CHARACTERS)
            break;
    return slice_of(text.data, i);
}

void session_show_processes(struct session *s, const struct template *t)
{
    struct process_list *p = s->processes;
    struct column_def told[PROCESS_COLUMNS];
    struct slice self = slice_cstr(arena_printf(&s->worker->arena, "%u", s->id));
    memcpy(told, columns, sizeof told);
    if (t->full) {
        told[PROCESS_INFO].type = TYPE_LONG_BLOB;
        told[PROCESS_INFO].length = FULL_INFO_LENGTH;
    }
    process_list_sort(p);
    for (size_t i = 0; i < p->count; i++) {
        struct slice *row = p->cells + i * PROCESS_COLUMNS;
        if (slice_eq(row[PROCESS_ID], self))
            tell_own(s, row);
        if (!t->full)
            row[PROCESS_INFO] = cut(row[PROCESS_INFO]);
    }
    struct text_result result = { .columns = told, .column_count = PROCESS_COLUMNS,
                                  .rows = p->cells, .row_count = p->count };
    session_send_result(s, &result);
    session_done(s);
}
