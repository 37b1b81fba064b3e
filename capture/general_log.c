/* General query logs. An entry is a time, a connection id, a command and its argument, which
 * may go on over any number of lines:
 *
 *   MySQL    2026-01-31T12:00:00.000000Z\t    8 Query\tSELECT 1
 *   MariaDB  260131 12:00:00\t     8 Query\tSELECT 1
 *            \t\t     8 Query\tSELECT 1                    in the same second
 */
#include "capture/capture_int.h"

enum { SERVER_ITSELF = 0 }; /* what it executes when it starts */

enum action {
    ACTION_IGNORE,
    ACTION_QUERY,
    ACTION_PREPARE,
    ACTION_CONNECT,
    ACTION_INIT_DB,
    ACTION_QUIT
};

static const struct command {
    const char *name;
    enum action action;
} commands[] = {
    { "Query", ACTION_QUERY },
    { "Execute", ACTION_QUERY },
    { "Prepare", ACTION_PREPARE },
    { "Connect", ACTION_CONNECT },
    { "Change user", ACTION_CONNECT },
    { "Init DB", ACTION_INIT_DB },
    { "Quit", ACTION_QUIT },
#define IGNORED(name)       \
    {                       \
        name, ACTION_IGNORE \
    }
    IGNORED("Binlog Dump"),
    IGNORED("Binlog Dump GTID"),
    IGNORED("Bulk_execute"),
    IGNORED("Close stmt"),
    IGNORED("Connect Out"),
    IGNORED("Create DB"),
    IGNORED("Daemon"),
    IGNORED("Debug"),
    IGNORED("Delayed insert"),
    IGNORED("Drop DB"),
    IGNORED("Error"),
    IGNORED("Fetch"),
    IGNORED("Field List"),
    IGNORED("Kill"),
    IGNORED("Long Data"),
    IGNORED("Ping"),
    IGNORED("Processlist"),
    IGNORED("Refresh"),
    IGNORED("Register Slave"),
    IGNORED("Register Replica"),
    IGNORED("Reset Connection"),
    IGNORED("Reset connection"),
    IGNORED("Reset stmt"),
    IGNORED("Set option"),
    IGNORED("Shutdown"),
    IGNORED("Sleep"),
    IGNORED("Statistics"),
    IGNORED("Subscribe Group Replication Stream"),
    IGNORED("Table Dump"),
    IGNORED("Time"),
    IGNORED("Unimpl get tid"),
    IGNORED("clone"),
#undef IGNORED
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* 2026-01-31T12:00:00… or 260131 12:00:00 (the hour may have a space for its first digit). */
static bool take_time(struct slice *s)
{
    size_t len = 0;
    while (len < s->len && (is_digit(s->data[len]) || strchr("-:.TZ+ ", s->data[len])))
        len++;
    if (len < sizeof "260131 12:00:00" - 1 || !is_digit(s->data[0]))
        return false;
    *s = slice_of(s->data + len, s->len - len);
    return true;
}

static const struct command *take_command(struct slice *s)
{
    struct slice name;
    if (!text_take_until(s, "\t", &name))
        return NULL;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (slice_eq(name, slice_cstr(commands[i].name)))
            return &commands[i];
    return NULL;
}

/* The command of an entry that begins here, and its argument in *s; NULL: none begins. */
static const struct command *read_entry(struct slice *s, uint64_t *ret_session)
{
    if (!text_take(s, "\t") && !take_time(s))
        return NULL;
    if (!text_take(s, "\t"))
        return NULL;
    text_skip_spaces(s);
    if (!text_take_number(s, ret_session) || !text_take(s, " "))
        return NULL;
    return take_command(s);
}

bool general_log_entry(struct slice line)
{
    uint64_t session;
    return read_entry(&line, &session) != NULL;
}

/* user@host [as name] on database using …: a refused login names no database. */
static void connect(struct capture *c, struct slice argument)
{
    struct slice who, database, rest;
    if (!text_take_until(&argument, " on ", &who) || !text_take_until(&who, "@", &rest))
        return;
    capture_keep_user(c, rest);
    capture_keep_database(c,
                          text_take_until(&argument, " using ", &database) ? database : argument);
}

static void begin_entry(struct capture *c, const struct command *command, uint64_t session,
                        struct slice argument)
{
    static const enum capture_kind kinds[] = {
        [ACTION_QUERY] = CAPTURE_STATEMENT, [ACTION_PREPARE] = CAPTURE_PREPARED,
        [ACTION_CONNECT] = CAPTURE_SESSION, [ACTION_INIT_DB] = CAPTURE_SESSION,
        [ACTION_QUIT] = CAPTURE_END,
    };
    if (command->action == ACTION_IGNORE || session == SERVER_ITSELF)
        return;
    struct capture_event *event = capture_begin(c, kinds[command->action]);
    event->session = session;
    if (command->action == ACTION_PREPARE)
        event->count = 0;
    if (command->action == ACTION_CONNECT)
        connect(c, argument);
    else if (command->action == ACTION_INIT_DB)
        capture_keep_database(c, argument);
    else if (command->action != ACTION_QUIT)
        capture_append(c, argument);
}

void general_log_feed(struct capture *c, const struct piece *p)
{
    struct slice rest = p->text;
    uint64_t session;
    const struct command *command = p->begins ? read_entry(&rest, &session) : NULL;
    if (command) {
        capture_emit(c);
        begin_entry(c, command, session, rest);
    } else if (p->begins && text_is_heading(p->text)) {
        capture_emit(c);
    } else if (c->pending) {
        capture_append(c, p->begins ? SLICE_LIT("\n") : SLICE_LIT(""));
        capture_append(c, p->text);
    }
}
