/* Slow query logs. An entry is a header of comments and the statement's text up to the next
 * header:
 *
 *   # Time: 2026-01-31T12:00:00.000000Z                       MariaDB: 260131 12:00:00, when it
 *   # User@Host: app[app] @ localhost []  Id:     8                    changed
 *   # Thread_id: 8  Schema: queue  QC_hit: No                 MariaDB only
 *   # Query_time: 0.000100  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 0
 *   use queue;                                                when it changed in the log
 *   SET timestamp=1796044046;
 *   SELECT 1;
 */
#include "capture/capture_int.h"

bool slow_log_entry(struct slice line)
{
    struct slice user;
    if (text_take(&line, "# User@Host: "))
        return text_take_until(&line, "[", &user);
    return text_take(&line, "# Time: ") && line.len && line.data[0] >= '0' && line.data[0] <= '9';
}

/* The semicolon that the server adds goes. */
static void end_entry(struct capture *c)
{
    if (!c->slow.in_text)
        c->pending = false;
    c->slow.in_text = false;
    if (c->text.end > c->text.start && c->text.data[c->text.end - 1] == ';')
        c->text.end--;
    capture_emit(c);
}

static void begin_entry(struct capture *c)
{
    capture_begin(c, CAPTURE_STATEMENT);
    c->slow.in_header = true;
    if (c->slow.has_used)
        capture_keep_database(c, buf_slice(&c->slow.used));
}

/* name[account] @ host [ip]  Id: 8 */
static void user_line(struct capture *c, struct slice line)
{
    struct slice name;
    if (!text_take(&line, "# User@Host: ") || !text_take_until(&line, "[", &name))
        return;
    capture_keep_user(c, name);
    if (text_take_until(&line, "Id:", &name)) {
        text_skip_spaces(&line);
        text_take_number(&line, &c->event.session);
    }
}

static void schema_line(struct capture *c, struct slice line)
{
    struct slice name;
    if (text_take(&line, "# Thread_id: "))
        text_take_number(&line, &c->event.session);
    if (text_take_until(&line, "Schema: ", &name) && text_take_until(&line, "  ", &name))
        capture_keep_database(c, name);
}

static bool use_line(struct capture *c, struct slice line)
{
    if (!text_take(&line, "use ") || !line.len || line.data[line.len - 1] != ';')
        return false;
    struct slice name = text_unquote(slice_of(line.data, line.len - 1));
    buf_clear(&c->slow.used);
    buf_append_slice(&c->slow.used, name);
    c->slow.has_used = true;
    capture_keep_database(c, name);
    return true;
}

/* SET [last_insert_id=N,][insert_id=N,]timestamp=N; */
static bool timestamp_line(struct slice line)
{
    uint64_t n;
    if (!text_take(&line, "SET "))
        return false;
    if (text_take(&line, "last_insert_id=") &&
        (!text_take_number(&line, &n) || !text_take(&line, ",")))
        return false;
    if (text_take(&line, "insert_id=") && (!text_take_number(&line, &n) || !text_take(&line, ",")))
        return false;
    return text_take(&line, "timestamp=") && text_take_number(&line, &n) && text_take(&line, ";") &&
           !line.len;
}

/* A line between the entry's first one and its text; false when it is the text. */
static bool header_line(struct capture *c, struct slice line)
{
    if (c->slow.in_header && timestamp_line(line)) {
        c->slow.in_header = false;
        return true;
    }
    if (line.len && line.data[0] == '#')
        schema_line(c, line);
    return (line.len && line.data[0] == '#') || (c->slow.in_header && use_line(c, line));
}

static void text_line(struct capture *c, const struct piece *p)
{
    if (!c->slow.in_text) {
        struct slice command = p->text;
        if (text_take(&command, "# administrator command: "))
            c->pending = false;
        else if (p->begins && header_line(c, p->text))
            return;
        c->slow.in_text = c->pending;
        c->event.line = c->line;
    } else if (p->begins) {
        capture_append(c, SLICE_LIT("\n"));
    }
    if (c->pending)
        capture_append(c, p->text);
}

/* `# Time` and `# User@Host` may stand alone or together. */
void slow_log_feed(struct capture *c, const struct piece *p)
{
    if (p->begins && slow_log_entry(p->text)) {
        if (!c->pending || c->slow.in_text || c->event.has_user) {
            end_entry(c);
            begin_entry(c);
        }
        user_line(c, p->text);
    } else if (p->begins && text_is_heading(p->text)) {
        end_entry(c);
    } else if (c->pending) {
        text_line(c, p);
    }
}

void slow_log_finish(struct capture *c)
{
    end_entry(c);
}
