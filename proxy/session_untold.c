/* What a statement for the unsharded keyspace may have changed in its server's session without
 * the answer telling: variables, by SET or a stored routine, and the database. It has made its
 * connection the session's own; that is asked before the next statement, unless that one asks for
 * what the last has left there, which the question would take away. */
#include <stdio.h>

#include "base/log.h"
#include "base/memory.h"
#include "proxy/session_int.h"

/* ---- after a statement ---- */

/* A routine's own variables are its server's business, but for how texts are read. */
static uint64_t variables_of(const struct relayed *r)
{
    return r->tells == TELLS_ALL ? UINT64_C(1) << VAR_SQL_MODE : r->variables;
}

void session_note_untold(struct session *s, bool failed)
{
    const struct plan_entry *entry = s->request.entry;
    if (!entry || entry->template->verdict != VERDICT_UNSHARDED)
        return;
    const struct relayed *r = &entry->template->relayed;
    if (r->tells & TELLS_VARIABLES)
        s->untold_variables |= variables_of(r);
    if (s->untold_variables)
        s->untold |= TELLS_VARIABLES;
    bool dropped = !failed && s->backend->answer.ok.status & STATUS_DB_DROPPED;
    s->untold |= dropped ? TELLS_DATABASE : r->tells & TELLS_DATABASE;
}

/* ---- before the next one ---- */

static const char *server_name(const struct session *s, int var)
{
    const struct var_info *info = var_info((enum var)var);
    return s->backend->dialect.flavour == FLAVOUR_MARIADB ? info->mariadb : info->mysql;
}

static void write_question(const struct session *s, struct buf *out)
{
    buf_append_cstr(out, "SELECT 0");
    if (s->untold & TELLS_DATABASE)
        buf_append_cstr(out, ", DATABASE()");
    for (int i = 0; i < VAR_COUNT; i++)
        if (s->untold_variables >> i & 1 && server_name(s, i))
            buf_printf(out, ", @@%s", server_name(s, i));
}

static bool asks_for_last(const struct template *t)
{
    return t && (t->relayed.asks_last || t->asks_found_rows || t->asks_warning_count ||
                 t->asks_error_count || t->local == LOCAL_SHOW_WARNINGS ||
                 t->local == LOCAL_SHOW_ERRORS);
}

bool session_knows_itself(struct session *s, const struct template *t)
{
    struct buf question;
    if (!s->untold || !s->home || asks_for_last(t) || !session_borrow(s, s->home))
        return true;
    buf_init(&question);
    write_question(s, &question);
    session_learn(s, LEARN_UNTOLD, buf_slice(&question));
    buf_fini(&question);
    return false;
}

/* ---- the answer ---- */

static void take_database(struct session *s, struct slice name)
{
    struct backend *b = s->backend;
    if (b->database && name.data && slice_eq(name, slice_cstr(b->database)))
        return;
    mem_free(b->database);
    b->database = name.data ? mem_strndup(name) : NULL;
    session_set_database(s, mem_strdup(b->database));
}

/* As SQL text; false when it holds what cannot stand between quotes. */
static bool value_sql(struct slice value, char *text, size_t room)
{
    bool number = value.len > 0;
    for (size_t i = 0; i < value.len; i++) {
        char c = value.data[i];
        number &= c >= '0' && c <= '9';
        if (c == '\'' || c == '\\' || (unsigned char)c < ' ')
            return false;
    }
    const char *quote = number || !value.data ? "" : "'";
    const char *bytes = value.data ? value.data : "NULL";
    int len = value.data ? (int)value.len : 4;
    return (size_t)snprintf(text, room, "%s%.*s%s", quote, len, bytes, quote) < room;
}

/* False: statements cannot be read under this mode. */
static bool take_modes(struct session *s, struct slice value)
{
    uint32_t modes = 0;
    struct slice name;
    if (dialect_modes(value, &modes, &name) == MODES_REFUSED)
        return false;
    s->modes = modes | (s->capabilities & CAP_IGNORE_SPACE ? MODE_IGNORE_SPACE : 0);
    s->strict = dialect_is_strict(value) ? STRICT_ON : STRICT_OFF;
    return true;
}

static void take_autocommit(struct session *s, struct slice value)
{
    if (slice_eq(value, SLICE_LIT("0")))
        s->status &= (uint16_t)~STATUS_AUTOCOMMIT;
    else
        s->status |= STATUS_AUTOCOMMIT;
}

static bool take_variable(struct session *s, int var, struct slice value)
{
    char text[1024];
    struct intern_table *interned = s->worker->interned;
    if (!value_sql(value, text, sizeof text) || (var == VAR_SQL_MODE && !take_modes(s, value)))
        return false;
    if (var == VAR_AUTOCOMMIT)
        take_autocommit(s, value);
    vars_set(interned, &s->vars, (enum var)var, slice_cstr(text));
    vars_set(interned, &s->backend->vars, (enum var)var, slice_cstr(text));
    return true;
}

static bool take_variables(struct session *s, struct reader *r)
{
    for (int i = 0; i < VAR_COUNT; i++) {
        if (!(s->untold_variables >> i & 1) || !server_name(s, i))
            continue;
        struct slice value = read_cell(r);
        if (r->bad || !take_variable(s, i, value))
            return false;
    }
    return true;
}

static bool take_row(struct session *s, struct slice row)
{
    struct reader r = reader_of(row.data, row.len);
    bool database = s->untold & TELLS_DATABASE;
    (void)read_cell(&r);
    struct slice name = database ? read_cell(&r) : slice_of("", 0);
    if (r.bad)
        return false;
    if (database)
        take_database(s, name);
    return take_variables(s, &r);
}

/* An empty row stands for an error or for the loss of the connection. */
void session_learn_untold(struct session *s, struct slice row)
{
    char where[32];
    if (!take_row(s, row)) {
        log_warning(session_where(s, where), "a statement has set what mqgate cannot follow");
        s->home_lost = true; /* the next statement is refused and ends the session */
    }
    s->untold = 0;
    s->untold_variables = 0;
}
