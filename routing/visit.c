/* The walk over everything that is no table reference: each column, function, variable and
 * sub-query is looked at, wherever it stands. A kind of node that is not listed here has not
 * been thought about, and refuses the statement. */
#include "routing/plan_int.h"

#include "routing/qualified.h"
#include "routing/scatter_int.h"
#include "routing/variables.h"

enum { DEPTH_MAX = 2 * NESTING_MAX + 100 };

/* What the session knows of its last statements. */
static const struct {
    const char *name;
    enum session_value value;
} session_variables[] = {
    { "last_insert_id", SESSION_LAST_INSERT_ID },
    { "identity", SESSION_LAST_INSERT_ID },
    { "warning_count", SESSION_WARNING_COUNT },
    { "error_count", SESSION_ERROR_COUNT },
};

static enum err_code system_variable(struct planner *p, const struct node *n)
{
    struct slice name = plan_name(p, n);
    for (size_t i = 0; i < name.len; i++)
        if (name.data[i] & 0x80) /* MySQL finds variables by their letters without accents */
            return reject(p, MQ_VARIABLE_NOT_ALLOWED, "the name of a variable is not ASCII");
    for (size_t i = 0; i < sizeof session_variables / sizeof *session_variables; i++)
        if (slice_ieq_cstr(name, session_variables[i].name) && !(n->flags & NODE_F_GLOBAL))
            return plan_session_value(p, session_variables[i].value, n->first, n->last);
    for (const char *const *own = variables_of_statements; *own; own++)
        if (slice_ieq_cstr(name, *own))
            return reject(p, MQ_VARIABLE_NOT_ALLOWED,
                          "@@%s belongs to the session, not to the shard that would answer", *own);
    return MQ_OK;
}

static enum err_code user_variable(struct planner *p, const struct node *n)
{
    if (slice_ieq_cstr(token_text(p->l, n->first), "@mq_tenant"))
        return plan_session_value(p, SESSION_TENANT, n->first, n->last);
    return home_variable(p, n, HOME_READ);
}

enum err_code visit_children(struct planner *p, const struct node *n)
{
    enum err_code code = MQ_OK;
    for (const struct node *c = n->child; c && !code; c = c->next)
        code = visit(p, c);
    return code;
}

/* a AND b AND c … leans to the left, as deep as the client likes: the first child is next in
 * the loop, the others are visited on the way. */
static enum err_code visit_leaning(struct planner *p, const struct node *n)
{
    while (n->kind == N_AND || n->kind == N_OR || n->kind == N_XOR || n->kind == N_BINARY) {
        if (!n->child)
            return MQ_OK;
        for (const struct node *c = n->child->next; c; c = c->next) {
            enum err_code code = visit(p, c);
            if (code)
                return code;
        }
        n = n->child;
    }
    return visit(p, n);
}

static enum err_code not_understood(struct planner *p, const struct node *n)
{
    return reject(p, MQ_NOT_UNDERSTOOD, "%s is not understood where it stands",
                  node_kind_name((enum node_kind)n->kind));
}

/* Kinds that mean nothing by themselves: only what stands inside counts. */
static const bool is_transparent[N_COUNT] = {
    [N_WHERE] = true,      [N_GROUP_BY] = true,    [N_HAVING] = true,   [N_WINDOWS] = true,
    [N_ORDER_BY] = true,   [N_ORDER_ITEM] = true,  [N_LIMIT] = true,    [N_LOCKING] = true,
    [N_ON] = true,         [N_USING] = true,       [N_ALIAS] = true,    
    [N_ROW] = true,        [N_ASSIGNMENT] = true,  [N_PAREN] = true,    [N_LIKE_PATTERN] = true,
    [N_ROW_EXPR] = true,   [N_NOT] = true,         [N_COMPARE] = true,  [N_UNARY] = true,
    [N_IS] = true,         [N_IN] = true,          [N_BETWEEN] = true,  [N_LIKE] = true,
    [N_MEMBER_OF] = true,  [N_OVER] = true,      
    [N_CASE] = true,       [N_CAST] = true,        [N_INTERVAL] = true, [N_COLLATE] = true,
    [N_MATCH] = true,      [N_EXISTS] = true,      [N_LITERAL] = true,  [N_PARAM] = true,
    [N_BARE_VALUE] = true, [N_JSON_TABLE] = true,  [N_VALUES_ROWS] = true, [N_ODBC_ESCAPE] = true,
    [N_LITERALS] = true,
};

/* Names that a query or an INSERT gives columns: nothing is read. */
static enum err_code visit_names(struct planner *p, const struct node *columns)
{
    bool naming = p->naming;
    p->naming = true;
    enum err_code code = visit_children(p, columns);
    p->naming = naming;
    return code;
}

static enum err_code visit_values(struct planner *p, const struct node *n)
{
    bool done;
    enum err_code code = qualified_values(p, n, &done);
    return code || done ? code : visit_names(p, n);
}

static enum err_code visit_kind(struct planner *p, const struct node *n)
{
    switch ((enum node_kind)n->kind) {
    case N_COLUMN:
        return column_visit(p, n);
    case N_IDENT:
        return column_quote(p, n);
    case N_COLUMNS:
    case N_DEFAULT:
        return visit_names(p, n);
    case N_VALUES_FUNCTION:
        return visit_values(p, n);
    case N_FUNCTION:
        return function_visit(p, n);
    case N_COLLATE:
        return charset_collate(p, n);
    case N_SYSTEM_VARIABLE:
        return system_variable(p, n);
    case N_USER_VARIABLE:
        return user_variable(p, n);
    case N_ASSIGN_VARIABLE:
        return home_assignment(p, n);
    case N_SUBQUERY:
        return query_visit_inner(p, n->child);
    case N_INTO:
        return home_into(p, n);
    case N_AND:
    case N_OR:
    case N_XOR:
    case N_BINARY:
        return visit_leaning(p, n);
    default:
        return is_transparent[n->kind] ? visit_children(p, n) : not_understood(p, n);
    }
}

enum err_code visit(struct planner *p, const struct node *n)
{
    if (p->scatter && scatter_is_cut(p, n))
        return MQ_OK;
    if (++p->depth > DEPTH_MAX)
        return reject(p, MQ_TOO_COMPLEX, "the statement is nested too deeply");
    charset_operands(p, n);
    enum err_code code = vitess_check(p, n);
    if (!code)
        code = collation_operands(p, n);
    if (n->kind == N_IN && p->scatter)
        scatter_in(p, n);
    if (!code && n->kind == N_COMPARE)
        code = qualified_compare(p, n);
    if (!code)
        code = visit_kind(p, n);
    p->depth--;
    return code;
}
