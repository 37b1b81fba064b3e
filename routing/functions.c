/* Functions: only built-in ones, since a stored one could read any row; none that answers
 * for the session, since the shard's session is not the client's. */
#include "routing/plan_int.h"

struct session_function {
    const char *name;
    enum local_op local; /* what SELECT name() alone asks for */
};

static const struct session_function session_functions[] = {
    { "DATABASE", LOCAL_SELECT_DATABASE },
    { "SCHEMA", LOCAL_SELECT_DATABASE },
    { "CONNECTION_ID", LOCAL_SELECT_CONNECTION_ID },
    { "LAST_INSERT_ID", LOCAL_SELECT_LAST_INSERT_ID },
    { "ROW_COUNT", LOCAL_SELECT_ROW_COUNT },
    { "USER", LOCAL_SELECT_USER },
    { "SESSION_USER", LOCAL_SELECT_USER },
    { "SYSTEM_USER", LOCAL_SELECT_USER },
    { "CURRENT_USER", LOCAL_SELECT_USER },
    { "FOUND_ROWS", LOCAL_NONE },
    { "CURRENT_ROLE", LOCAL_NONE },
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

static enum err_code refuse_session_function(struct planner *p, const struct session_function *f)
{
    return f->local
               ? reject(p, MQ_STATEMENT_NOT_ALLOWED,
                        "%s() answers for the session, not for a shard; send SELECT %s() alone",
                        f->name, f->name)
               : reject(p, MQ_STATEMENT_NOT_ALLOWED,
                        "%s() answers for the session, not for a shard, and is not served",
                        f->name);
}

enum err_code function_visit(struct planner *p, const struct node *function)
{
    const struct token *name = &p->l->tokens[function->first];
    struct slice text = token_text(p->l, function->first);
    bool stored = name->kind != TOKEN_IDENT ||
                  (function->last > function->first && token_is_op(name + 1, OP_DOT));
    const struct session_function *f = stored ? NULL : find_session_function(text);
    if (f)
        return refuse_session_function(p, f);
    if (stored)
        return reject(p, MQ_FUNCTION_UNKNOWN,
                      "%.*s… calls a stored function, which could read any row", NAME_FORMAT(text));
    if (!function_is_builtin(text, p->dialect))
        return reject(p, MQ_FUNCTION_UNKNOWN,
                      "the function %.*s is not a built-in one that is served", NAME_FORMAT(text));
    return visit_children(p, function);
}
