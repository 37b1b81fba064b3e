/* Functions: only built-in ones, since a stored one could read any row. Those that answer for
 * the session give way to the session's value, since the shard's session is not the client's. */
#include "routing/plan_int.h"

struct session_function {
    const char *name;
    enum local_op local;      /* what SELECT name() alone asks for; LOCAL_NONE: refused */
    enum session_value value; /* what stands for it elsewhere */
};

static const struct session_function session_functions[] = {
    { "DATABASE", LOCAL_SELECT_DATABASE, SESSION_DATABASE },
    { "SCHEMA", LOCAL_SELECT_DATABASE, SESSION_DATABASE },
    { "CONNECTION_ID", LOCAL_SELECT_CONNECTION_ID, SESSION_CONNECTION_ID },
    { "LAST_INSERT_ID", LOCAL_SELECT_LAST_INSERT_ID, SESSION_LAST_INSERT_ID },
    { "ROW_COUNT", LOCAL_SELECT_ROW_COUNT, SESSION_ROW_COUNT },
    { "USER", LOCAL_SELECT_USER, SESSION_USER },
    { "SESSION_USER", LOCAL_SELECT_USER, SESSION_USER },
    { "SYSTEM_USER", LOCAL_SELECT_USER, SESSION_USER },
    { "CURRENT_USER", LOCAL_SELECT_USER, SESSION_USER },
    { "FOUND_ROWS", LOCAL_SELECT_FOUND_ROWS, SESSION_FOUND_ROWS },
    { "CURRENT_ROLE", LOCAL_NONE, SESSION_VALUE_COUNT },
};

static const struct session_function *find_session_function(struct slice name)
{
    for (size_t i = 0; i < sizeof session_functions / sizeof *session_functions; i++)
        if (slice_ieq_cstr(name, session_functions[i].name))
            return &session_functions[i];
    return NULL;
}

enum local_op function_local(struct slice name)
{
    const struct session_function *f = find_session_function(name);
    return f ? f->local : LOCAL_NONE;
}

/* To the session's last statement, or to one before it. */
static bool belongs_to_last(enum session_value v)
{
    return v == SESSION_LAST_INSERT_ID || v == SESSION_ROW_COUNT || v == SESSION_FOUND_ROWS ||
           v == SESSION_WARNING_COUNT || v == SESSION_ERROR_COUNT;
}

enum err_code plan_session_value(struct planner *p, enum session_value v, uint32_t first,
                                 uint32_t last)
{
    static const struct {
        const char *before, *after;
    } forms[] = {
#define SESSION_VALUE_ROW(id, before, after, summary) { before, after },
#include "routing/session_values.def"
#undef SESSION_VALUE_ROW
    };
    p->t->has_session_values = true;
    p->t->asks_insert_id |= v == SESSION_LAST_INSERT_ID;
    p->t->asks_found_rows |= v == SESSION_FOUND_ROWS;
    p->t->asks_warning_count |= v == SESSION_WARNING_COUNT;
    p->t->asks_error_count |= v == SESSION_ERROR_COUNT;
    p->t->uses_session_value |= belongs_to_last(v);
    /* SELECT@@identity needs no space, SELECT CAST(…) does. */
    const char *gap = p->l->tokens[first].kind == TOKEN_IDENT ? "" : " ";
    char *text = arena_printf(p->arena, "%s%s%c%s", gap, forms[v].before, EDIT_SESSION + (int)v,
                              forms[v].after);
    return plan_edit(p, EDIT_REPLACE, first, last, slice_cstr(text));
}

enum err_code function_session_value(struct planner *p, struct slice name, uint32_t first,
                                     uint32_t last)
{
    const struct session_function *f = find_session_function(name);
    return f && f->local ? plan_session_value(p, f->value, first, last) : MQ_OK;
}

static enum err_code session_function(struct planner *p, const struct session_function *f,
                                      const struct node *function)
{
    if (!f->local)
        return reject(p, MQ_STATEMENT_NOT_ALLOWED,
                      "%s() answers for the session, not for a shard, and is not served", f->name);
    if (function->child && f->value == SESSION_LAST_INSERT_ID && p->assigned) {
        bool whole = function == p->assigned || p->t->sets_insert_id == SETS_ALWAYS;
        p->t->sets_insert_id = whole ? SETS_ALWAYS : SETS_PERHAPS;
        return visit_children(p, function);
    }
    if (function->child || function->flags)
        return reject(p, MQ_STATEMENT_NOT_ALLOWED,
                      "%s() with an argument would change a shard's session, not the client's",
                      f->name);
    return plan_session_value(p, f->value, function->first, function->last);
}

static bool is_aggregate(struct slice name)
{
    static const char *const names[] = { "AVG", "COUNT", "MAX", "MIN", "SUM", "GROUP_CONCAT",
                                         "BIT_AND", "BIT_OR", "BIT_XOR", "JSON_ARRAYAGG",
                                         "JSON_OBJECTAGG", "STD", "STDDEV", "STDDEV_POP",
                                         "STDDEV_SAMP", "VAR_POP", "VAR_SAMP", "VARIANCE" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_ieq_cstr(name, names[i]))
            return true;
    return false;
}

enum err_code function_visit(struct planner *p, const struct node *function)
{
    const struct token *name = &p->l->tokens[function->first];
    struct slice text = token_text(p->l, function->first);
    bool stored = name->kind != TOKEN_IDENT ||
                  (function->last > function->first && token_is_op(name + 1, OP_DOT));
    const struct session_function *f = stored ? NULL : find_session_function(text);
    if (f)
        return session_function(p, f, function);
    if (stored)
        return reject(p, MQ_FUNCTION_UNKNOWN,
                      "%.*s… calls a stored function, which could read any row", NAME_FORMAT(text));
    bool lock;
    enum err_code code = home_function(p, function, &lock);
    if (code || lock)
        return code;
    if (!function_is_builtin(text, p->dialect))
        return reject(p, MQ_FUNCTION_UNKNOWN,
                      "the function %.*s is not a built-in one that is served", NAME_FORMAT(text));
    code = charset_function(p, function);
    bool aggregate = is_aggregate(text);
    p->aggregated += aggregate;
    if (!code)
        code = visit_children(p, function);
    p->aggregated -= aggregate;
    return code;
}
