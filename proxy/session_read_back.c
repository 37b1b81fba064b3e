/* What a statement for the unsharded keyspace may have changed in its server's session without
 * the answer telling: variables, by SET or a stored routine, and the database. The server is asked
 * on the same connection once the client has its answer; few statements need it (struct relayed).
 */
#include <stdio.h>

#include "base/log.h"
#include "base/memory.h"
#include "proxy/session_int.h"

static uint8_t untold(const struct session *s, bool failed)
{
    const struct relayed *r = &s->request.entry->template->relayed;
    uint8_t tells = r->tells & (TELLS_VARIABLES | TELLS_DATABASE);
    if (!failed && s->backend->answer.ok.status & STATUS_DB_DROPPED)
        tells |= TELLS_DATABASE;
    if (tells == TELLS_VARIABLES && !r->variables)
        tells = 0;
    return tells;
}

/* A routine's own variables are its server's business, but for how texts are read. */
static uint32_t variables_of(const struct session *s)
{
    const struct relayed *r = &s->request.entry->template->relayed;
    return r->tells == TELLS_ALL ? 1u << VAR_SQL_MODE : r->variables;
}

static const char *server_name(const struct session *s, int var)
{
    const struct var_info *info = var_info((enum var)var);
    return s->backend->dialect.flavour == FLAVOUR_MARIADB ? info->mariadb : info->mysql;
}

bool session_must_read_back(struct session *s, bool failed, struct buf *query)
{
    const struct plan_entry *entry = s->request.entry;
    s->reads_back = entry && entry->template->verdict == VERDICT_UNSHARDED ? untold(s, failed) : 0;
    if (!s->reads_back)
        return false;
    buf_append_cstr(query, "SELECT 0");
    if (s->reads_back & TELLS_DATABASE)
        buf_append_cstr(query, ", DATABASE()");
    for (int i = 0; i < VAR_COUNT && s->reads_back & TELLS_VARIABLES; i++)
        if (variables_of(s) & 1u << i && server_name(s, i))
            buf_printf(query, ", @@%s", server_name(s, i));
    return true;
}

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
        if (!(variables_of(s) & 1u << i) || !server_name(s, i))
            continue;
        struct slice value = read_cell(r);
        if (r->bad || !take_variable(s, i, value))
            return false;
    }
    return true;
}

void session_read_back(struct session *s, struct slice row)
{
    struct reader r = reader_of(row.data, row.len);
    char where[32];
    (void)read_cell(&r);
    if (s->reads_back & TELLS_DATABASE)
        take_database(s, read_cell(&r));
    if (s->reads_back & TELLS_VARIABLES && !take_variables(s, &r)) {
        log_warning(session_where(s, where), "a statement has set what mqgate cannot follow");
        s->close_after_flush = true;
    }
}
