/* Statements that mqgate answers by itself: SET, transactions, USE, and what belongs to the
 * session rather than to a shard. */
#include <stdio.h>

#include "base/memory.h"
#include "proxy/session_int.h"

enum {
    COLLATION_UTF8MB4 = 45,
    COLLATION_BINARY = 63,
};

static void refuse(struct session *s, enum err_code code, const char *text)
{
    struct err e;
    err_set(&e, code, "%s", text);
    session_refuse_statement(s, &e);
}

static void ok(struct session *s)
{
    session_send_ok(s);
    session_done(s);
}

static void relay_to_pinned(struct session *s, struct slice text)
{
    request_begin(s, END_RELAYED);
    request_add_query(s, text);
    session_run_request(s);
}

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

/* ---- SET ---- */

/* The words of a value as text: a bare word, or a string's content. */
static bool value_text(const struct session *s, const struct set_item *item,
                       const struct value_ref *value, const struct lexed *lexed, struct slice *ret)
{
    struct dialect dialect = session_dialect(s);
    if (value->kind != VALUE_TOKENS)
        return false;
    if (item->is_word || lexed->tokens[value->first].kind == TOKEN_IDENT) {
        *ret = token_text(lexed, value->first);
        return value->first == value->last;
    }
    return token_string_value(lexed, &dialect, value->first, value->last, &s->worker->arena, ret);
}

/* The value as SQL text, the way it was written. */
static struct slice value_sql(const struct value_ref *value, const struct lexed *lexed)
{
    const struct token *first = &lexed->tokens[value->first], *last = &lexed->tokens[value->last];
    return slice_of(lexed->text.data + first->start, last->start + last->len - first->start);
}

static enum err_code set_names(struct session *s, const struct set_item *item,
                               const struct lexed *lexed, struct err *reterr)
{
    struct slice name, collation = { 0 };
    struct intern_table *interned = s->worker->interned;
    if (item->is_default)
        return err_set(reterr, MQ_VARIABLE_VALUE, "the default is the server's; name the character set");
    if (!value_text(s, item, &item->value, lexed, &name))
        return err_set(reterr, MQ_VARIABLE_VALUE, "the character set must be a word or a string");
    const struct charset_info *charset = charset_find(name);
    if (!charset || !charset->safe)
        return err_set(reterr, MQ_CHARSET_UNSAFE, "character set '%.*s' is not served", (int)name.len,
                       name.data);
    if (item->collation.kind == VALUE_TOKENS) {
        if (!value_text(s, item, &item->collation, lexed, &collation) ||
            charset_of_collation(collation) != charset)
            return err_set(reterr, MQ_CHARSET_UNSAFE, "the collation does not belong to '%s'",
                           charset->name);
    }
    char *text = arena_printf(&s->worker->arena, collation.len ? "%s %s COLLATE %.*s" : "%s %s",
                              item->kind == SET_CHARSET ? "CHARACTER SET" : "NAMES",
                              charset->name, (int)collation.len, collation.data);
    vars_set(interned, &s->trial, VAR_NAMES, slice_cstr(text));
    vars_set(interned, &s->trial, VAR_RESULTS, slice_of(NULL, 0));
    vars_set(interned, &s->trial, VAR_COLLATION, slice_of(NULL, 0));
    return MQ_OK;
}

static enum err_code set_sql_mode(struct session *s, const struct set_item *item,
                                  const struct lexed *lexed, struct err *reterr)
{
    struct slice modes, name = SLICE_LIT("");
    if (item->is_default) {
        s->trial_modes = s->default_modes;
        s->trial_strict = STRICT_AS_SHARD;
        return MQ_OK;
    }
    if (!value_text(s, item, &item->value, lexed, &modes))
        return err_set(reterr, MQ_SQL_MODE_UNSAFE, "sql_mode must be a literal list of names");
    if (dialect_modes(modes, &s->trial_modes, &name) == MODES_REFUSED)
        return err_set(reterr, MQ_SQL_MODE_UNSAFE, "sql_mode '%.*s' is not served", (int)name.len,
                       name.data);
    s->trial_strict = dialect_is_strict(modes) ? STRICT_ON : STRICT_OFF;
    return MQ_OK; /* an unknown name is the server's to refuse */
}

/* Character sets of one's own for literals must not be larger than what the lexer knows. */
static enum err_code check_charset_value(struct session *s, enum var var, const struct set_item *item,
                                         const struct lexed *lexed, struct err *reterr)
{
    struct slice name;
    if (item->is_default)
        return err_set(reterr, MQ_VARIABLE_VALUE, "%s has no default of its own", var_info(var)->name);
    if (lexed->tokens[item->value.first].value == KW_NULL)
        return MQ_OK;
    if (!value_text(s, item, &item->value, lexed, &name))
        return err_set(reterr, MQ_VARIABLE_VALUE, "the character set must be a word or a string");
    const struct charset_info *charset =
        var == VAR_COLLATION ? charset_of_collation(name) : charset_find(name);
    if (!charset || !charset->safe)
        return err_set(reterr, MQ_CHARSET_UNSAFE, "'%.*s' is not served", (int)name.len, name.data);
    return MQ_OK;
}

/* The default is what a connection begins with, save that CLIENT_IGNORE_SPACE adds to its
 * sql_mode: there it has to be said. */
static struct slice default_sql(const struct session *s, int var)
{
    bool said = var == VAR_SQL_MODE && (s->capabilities & CAP_IGNORE_SPACE);
    return said ? SLICE_LIT("DEFAULT") : slice_of(NULL, 0);
}

static bool is_off(struct slice value)
{
    return slice_eq(value, SLICE_LIT("0")) || slice_ieq(value, SLICE_LIT("off")) ||
           slice_ieq(value, SLICE_LIT("false"));
}

/* A variable that stays off. */
static enum err_code check_off(const struct set_item *item, const struct lexed *lexed,
                               struct err *reterr)
{
    if (item->is_default || (item->value.kind == VALUE_TOKENS && is_off(value_sql(&item->value, lexed))))
        return MQ_OK;
    return err_set(reterr, MQ_VARIABLE_VALUE, "%.*s can be set to 0 or OFF only",
                   (int)item->name.len, item->name.data);
}

static enum err_code set_system(struct session *s, const struct set_item *item,
                                const struct lexed *lexed, struct err *reterr)
{
    int var = var_find(item->name);
    if (var < 0 || item->global)
        return err_set(reterr, MQ_VARIABLE_NOT_ALLOWED, "SET %s%.*s is not served",
                       item->global ? "GLOBAL " : "", (int)item->name.len, item->name.data);
    if (var_info(var)->kind == VAR_KIND_OWN)
        return MQ_OK;
    if (var_info(var)->kind == VAR_KIND_OFF)
        return check_off(item, lexed, reterr);
    if (!item->is_default && item->value.kind != VALUE_TOKENS)
        return err_set(reterr, MQ_VARIABLE_VALUE, "%s can be set to a literal only", var_info(var)->name);
    struct slice value = item->is_default ? default_sql(s, var) : value_sql(&item->value, lexed);
    if (value.data && memchr(value.data, '\0', value.len)) /* it is kept as a C string */
        return err_set(reterr, MQ_VARIABLE_VALUE, "the value of %s holds a NUL byte",
                       var_info(var)->name);
    enum err_code code = MQ_OK;
    if (var == VAR_SQL_MODE)
        code = set_sql_mode(s, item, lexed, reterr);
    else if (var == VAR_RESULTS || var == VAR_COLLATION)
        code = check_charset_value(s, var, item, lexed, reterr);
    if (code)
        return code;
    vars_set(s->worker->interned, &s->trial, var, value);
    return MQ_OK;
}

static enum err_code set_user(struct session *s, const struct set_item *item,
                              const struct lexed *lexed, struct err *reterr)
{
    struct slice text;
    struct dialect dialect = session_dialect(s);
    bool is_null = item->value.kind == VALUE_TOKENS && lexed->tokens[item->value.first].value == KW_NULL &&
                   lexed->tokens[item->value.first].kind == TOKEN_IDENT;
    bool is_string = !is_null && item->value.kind == VALUE_TOKENS &&
                     token_string_value(lexed, &dialect, item->value.first, item->value.last,
                                        &s->worker->arena, &text);
    if (slice_eq(item->name, SLICE_LIT("mq_tenant"))) {
        if (is_null) {
            mem_free(s->tenant);
            s->tenant = NULL;
            s->tenant_forgotten = false;
            return MQ_OK;
        }
        if (!is_string)
            return err_set(reterr, MQ_TENANT_VALUE, "@mq_tenant can be set to a string literal only");
        return session_choose_tenant(s, text, false, reterr);
    }
    if (slice_eq(item->name, SLICE_LIT("mq_schema")) && is_string &&
        (slice_eq(text, SLICE_LIT("tenant")) || slice_eq(text, SLICE_LIT("legacy")))) {
        s->tenant_schema = text.data[0] == 't';
        return MQ_OK;
    }
    return err_set(reterr, MQ_VARIABLE_NOT_ALLOWED, "user variable @%.*s is not served",
                   (int)item->name.len, item->name.data);
}

static enum err_code set_item(struct session *s, const struct set_item *item,
                              const struct lexed *lexed, struct err *reterr)
{
    switch (item->kind) {
    case SET_USER:
        return set_user(s, item, lexed, reterr);
    case SET_SYSTEM:
        return set_system(s, item, lexed, reterr);
    default:
        return set_names(s, item, lexed, reterr);
    }
}

static bool is_plain_autocommit(const char *value)
{
    struct slice v = slice_cstr(value);
    return !value || slice_eq(v, SLICE_LIT("0")) || slice_eq(v, SLICE_LIT("1")) ||
           slice_ieq(v, SLICE_LIT("on")) || slice_ieq(v, SLICE_LIT("off")) ||
           slice_ieq(v, SLICE_LIT("true")) || slice_ieq(v, SLICE_LIT("false"));
}

static bool means_off(const char *value)
{
    return value && is_off(slice_cstr(value));
}

/* Does a server have to say whether the new values are good ones? A character set and
 * autocommit are known here. */
static bool needs_server(const struct session *s)
{
    if (s->pinned)
        return true;
    for (int i = 0; i < VAR_COUNT; i++) {
        const char *value = s->trial.values[i];
        if (value == s->vars.values[i] || i == VAR_NAMES)
            continue;
        if (i == VAR_AUTOCOMMIT ? !is_plain_autocommit(value) : value != NULL)
            return true;
    }
    return false;
}

static void remember(struct session *s)
{
    vars_copy(s->worker->interned, &s->trial, &s->vars);
    s->trial_modes = s->modes;
    s->trial_strict = s->strict;
    mem_free(s->before.tenant);
    s->before.tenant = mem_strdup(s->tenant);
    s->before.tenant_forgotten = s->tenant_forgotten;
    s->before.tenant_schema = s->tenant_schema;
}

void session_undo_set(struct session *s)
{
    s->trying = false;
    mem_free(s->tenant);
    s->tenant = s->before.tenant;
    s->before.tenant = NULL;
    s->tenant_forgotten = s->before.tenant_forgotten;
    s->tenant_schema = s->before.tenant_schema;
}

enum err_code session_try_set(struct session *s, const struct template *t,
                              const struct lexed *lexed, struct err *reterr)
{
    enum err_code code = MQ_OK;
    remember(s);
    for (size_t i = 0; i < t->set_count && !code; i++)
        code = set_item(s, &t->sets[i], lexed, reterr);
    if (code)
        session_undo_set(s);
    return code;
}

static void set(struct session *s, const struct template *t, const struct lexed *lexed)
{
    struct err e;
    if (session_try_set(s, t, lexed, &e)) {
        session_refuse_statement(s, &e);
        return;
    }
    if (vars_eq(&s->trial, &s->vars)) {
        ok(s);
        return;
    }
    if (!needs_server(s)) {
        session_end_set(s);
        ok(s);
        return;
    }
    s->trying = true;
    request_begin(s, END_SET);
    session_run_anywhere(s);
}

void session_end_set(struct session *s)
{
    bool autocommit_changed = s->vars.values[VAR_AUTOCOMMIT] != s->trial.values[VAR_AUTOCOMMIT];
    s->trying = false;
    vars_copy(s->worker->interned, &s->vars, &s->trial);
    vars_fini(s->worker->interned, &s->trial);
    s->modes = s->trial_modes;
    s->strict = s->trial_strict;
    if (!autocommit_changed)
        return;
    /* As the next answer of a shard will tell anyway. */
    if (means_off(s->vars.values[VAR_AUTOCOMMIT])) {
        s->status &= (uint16_t)~STATUS_AUTOCOMMIT;
    } else {
        if (!(s->status & STATUS_AUTOCOMMIT))
            s->begin_pending = false; /* switching it on commits */
        s->status |= STATUS_AUTOCOMMIT;
    }
}

/* ---- SET TRANSACTION ---- */

struct isolation {
    enum keyword keyword;
    const char *value, *once;
};

static const struct isolation isolations[] = {
    { KW_READ, "'READ-UNCOMMITTED'", "SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED" },
    { KW_COMMITTED, "'READ-COMMITTED'", "SET TRANSACTION ISOLATION LEVEL READ COMMITTED" },
    { KW_REPEATABLE, "'REPEATABLE-READ'", "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ" },
    { KW_SERIALIZABLE, "'SERIALIZABLE'", "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE" },
};

static const struct isolation *isolation_of(uint16_t keyword)
{
    for (size_t i = 0; i < sizeof isolations / sizeof isolations[0]; i++)
        if (isolations[i].keyword == (enum keyword)keyword)
            return &isolations[i];
    return NULL;
}

/* For the session: two variables. For the next transaction only: said right before it. */
static void set_transaction(struct session *s, const struct template *t)
{
    struct intern_table *interned = s->worker->interned;
    const struct isolation *isolation = isolation_of(t->op);
    uint32_t flags = t->flags;
    if (flags & NODE_F_GLOBAL) {
        refuse(s, MQ_VARIABLE_NOT_ALLOWED, "SET GLOBAL TRANSACTION is not served");
        return;
    }
    if (!(flags & NODE_F_SESSION)) {
        if (s->pinned || s->begin_pending) {
            refuse(s, MQ_IN_TRANSACTION, "Transaction characteristics can't be changed while a transaction is in progress");
            return;
        }
        if (!isolation || (flags & (NODE_F_READ_ONLY | NODE_F_READ_WRITE))) {
            refuse(s, MQ_NOT_UNDERSTOOD, "for the next transaction only the isolation level can be set");
            return;
        }
        s->isolation_text = isolation->once;
        ok(s);
        return;
    }
    vars_copy(interned, &s->trial, &s->vars);
    s->trial_modes = s->modes;
    s->trial_strict = s->strict;
    if (isolation)
        vars_set(interned, &s->trial, VAR_ISOLATION, slice_cstr(isolation->value));
    if (flags & (NODE_F_READ_ONLY | NODE_F_READ_WRITE))
        vars_set(interned, &s->trial, VAR_READ_ONLY,
                 flags & NODE_F_READ_ONLY ? SLICE_LIT("1") : SLICE_LIT("0"));
    session_end_set(s);
    ok(s);
}

/* ---- transactions ---- */

static const char *begin_text(uint32_t flags)
{
    bool only = flags & NODE_F_READ_ONLY, write = flags & NODE_F_READ_WRITE;
    if (flags & NODE_F_SNAPSHOT)
        return only    ? "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"
               : write ? "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ WRITE"
                       : "START TRANSACTION WITH CONSISTENT SNAPSHOT";
    return only ? "START TRANSACTION READ ONLY" : write ? "START TRANSACTION READ WRITE" : "BEGIN";
}

/* Opens what is pending on the shard of the session's one tenant, then sends bytes, if any. */
static void pin_now(struct session *s, uint8_t end, struct slice text, const char *what)
{
    struct route r;
    struct err e;
    if (session_route_silent(s, &r, &e) != ROUTE_OK || r.verdict != VERDICT_SINGLE) {
        err_set(&e, MQ_TENANT_MISSING, "%s needs a shard at once, and nothing tells the tenant", what);
        session_refuse_statement(s, &e);
        return;
    }
    request_begin(s, end);
    s->request.transactional = true;
    s->request.shard = r.shard;
    mem_free(s->transaction_tenant);
    s->transaction_tenant = mem_strdup(r.tenant->name);
    if (text.len)
        request_add_query(s, text);
    session_run_request(s);
}

static void begin(struct session *s, const struct template *t)
{
    s->begin_text = begin_text(t->flags);
    if (s->pinned) { /* BEGIN inside a transaction commits it */
        request_begin(s, END_REBEGIN);
        s->request.swallow = true;
        request_add_query(s, SLICE_LIT("COMMIT"));
        session_run_request(s);
        return;
    }
    s->begin_pending = true;
    if (t->flags & NODE_F_SNAPSHOT) {
        pin_now(s, END_BEGUN, slice_of("", 0), "WITH CONSISTENT SNAPSHOT");
        s->begin_pending = s->begin_pending && s->state != SESSION_READY;
        return;
    }
    ok(s);
}

static void end_transaction(struct session *s, const struct template *t, const struct lexed *lexed)
{
    uint32_t flags = t->flags;
    s->close_after_flush = flags & NODE_F_RELEASE;
    if (s->pinned) {
        struct slice plain = t->local == LOCAL_COMMIT ? SLICE_LIT("COMMIT") : SLICE_LIT("ROLLBACK");
        relay_to_pinned(s, s->close_after_flush ? plain : lexed->text);
        return;
    }
    bool chained = flags & NODE_F_CHAIN;
    if (s->begin_pending)
        s->isolation_text = NULL; /* it was for this transaction */
    if (chained && !s->begin_pending)
        s->begin_text = "BEGIN";
    s->begin_pending = chained;
    ok(s);
}

/* Outside a transaction a savepoint is void on any server, and so it is here. */
static void savepoint(struct session *s, const struct template *t, const struct lexed *lexed)
{
    if (s->pinned)
        relay_to_pinned(s, lexed->text);
    else if (s->begin_pending || !(s->status & STATUS_AUTOCOMMIT))
        pin_now(s, END_RELAYED, lexed->text, "a savepoint");
    else if (t->local == LOCAL_SAVEPOINT)
        ok(s);
    else
        refuse(s, MQ_SAVEPOINT_UNKNOWN, "SAVEPOINT does not exist");
}

static void use(struct session *s, struct slice name)
{
    struct err e;
    if (session_use_unsharded(s, name))
        return;
    if (session_use(s, name, false, &e))
        session_refuse_statement(s, &e);
    else
        ok(s);
}

static void show_user(struct session *s, struct slice name)
{
    char *text = arena_printf(&s->worker->arena, "%s@%s", s->user, s->from.unix_socket ? "localhost" : "%");
    send_text(s, name, slice_cstr(text));
}

void session_local(struct session *s, struct plan_entry *entry, const struct lexed *lexed)
{
    const struct template *t = entry->template;
    struct dialect dialect = session_dialect(s);
    struct slice name = route_heading(t, lexed, &dialect, &s->worker->arena);
    if (t->needs_administrator && !s->account->config->administrator) {
        refuse(s, MQ_STATEMENT_NOT_ALLOWED, "this statement is for accounts with `administrator: true`");
        return;
    }
    switch (t->local) {
    case LOCAL_SET:
        set(s, t, lexed);
        break;
    case LOCAL_SET_TRANSACTION:
        set_transaction(s, t);
        break;
    case LOCAL_BEGIN:
        begin(s, t);
        break;
    case LOCAL_COMMIT:
    case LOCAL_ROLLBACK:
        end_transaction(s, t, lexed);
        break;
    case LOCAL_ROLLBACK_TO:
    case LOCAL_SAVEPOINT:
    case LOCAL_RELEASE_SAVEPOINT:
        savepoint(s, t, lexed);
        break;
    case LOCAL_KILL:
        session_kill_other(s, t, lexed);
        break;
    case LOCAL_USE:
        use(s, t->name);
        break;
    case LOCAL_SHOW_WARNINGS:
    case LOCAL_SHOW_ERRORS:
        session_show_diagnostics(s, t, lexed);
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
    case LOCAL_SELECT_USER:
        show_user(s, name);
        break;
    case LOCAL_SELECT_TENANT:
        send_text(s, name, slice_cstr(s->tenant ? s->tenant : s->login_tenant));
        break;
    case LOCAL_NONE:
        refuse(s, MQ_INTERNAL, "a local statement without an operation");
        break;
    }
}
