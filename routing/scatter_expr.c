/* Expressions that the merge evaluates, over rows or over groups: what of SQL it does exactly as
 * the servers do. Everything else refuses the statement. Types that the servers would compare as
 * doubles, a text and a number, do not meet here. */
#include "routing/scatter_int.h"

enum { OPERANDS_MAX = 64 };

int32_t scatter_expr_add(struct planner *p, const struct merge_expr *e)
{
    struct vector *exprs = &p->scatter->exprs;
    *(struct merge_expr *)vector_add(exprs, p->arena, sizeof *e) = *e;
    return (int32_t)exprs->count - 1;
}

static enum err_code not_evaluated(struct planner *p, const struct node *n)
{
    return scatter_refuse(p,
                          "what stands at `%.*s` is not evaluated over several shards' answers; "
                          "compare columns of one type with literals or parameters",
                          NAME_FORMAT(token_text(p->l, n->first)));
}

/* An expression that is being put together: its operands go into the recipe side by side. */
struct building {
    struct planner *p;
    bool grouped;
};

static enum err_code build(const struct building *b, const struct node *n, struct merge_expr *ret);

/* ---- types ---- */

static bool is_number(uint8_t compare)
{
    return compare == MERGE_AS_INTEGER || compare == MERGE_AS_DECIMAL;
}

/* What both can be compared as; COMPARE_NONE of a parameter or NULL: as the other. */
static bool unify(uint8_t *common, uint8_t with)
{
    if (with == COMPARE_NONE || *common == with)
        return true;
    if (*common != COMPARE_NONE && !(is_number(*common) && is_number(with)))
        return false;
    *common = *common == COMPARE_NONE ? with : MERGE_AS_DECIMAL;
    return true;
}

/* Parameters become what stands beside them. */
static bool settle(struct merge_expr *operands, size_t count, uint8_t *ret_common)
{
    *ret_common = COMPARE_NONE;
    for (size_t i = 0; i < count; i++)
        if (!unify(ret_common, operands[i].compare))
            return false;
    for (size_t i = 0; i < count; i++)
        if (operands[i].op == MERGE_VALUE && operands[i].compare == COMPARE_NONE)
            operands[i].compare = *ret_common;
    return *ret_common != COMPARE_NONE;
}

/* ---- operators ---- */

static void join(struct planner *p, enum merge_op op, uint8_t compare,
                 const struct merge_expr *operands, size_t count, struct merge_expr *ret)
{
    *ret = (struct merge_expr){ .op = (uint8_t)op,
                                .compare = compare,
                                .first_operand = (uint32_t)p->scatter->exprs.count,
                                .operand_count = (uint32_t)count };
    for (size_t i = 0; i < count; i++)
        scatter_expr_add(p, &operands[i]);
}

static enum err_code operands_of(const struct building *b, const struct node *n,
                                 struct merge_expr *ret, size_t *ret_count)
{
    *ret_count = 0;
    for (const struct node *c = n->child; c; c = c->next) {
        if (*ret_count == OPERANDS_MAX)
            return scatter_refuse(b->p, "an expression with more than %d parts", OPERANDS_MAX);
        enum err_code code = build(b, c, &ret[(*ret_count)++]);
        if (code)
            return code;
    }
    return MQ_OK;
}

/* The operands are of one type, and so is the result, or it is true, false or NULL. */
static enum err_code build_typed(const struct building *b, const struct node *n, enum merge_op op,
                                 struct merge_expr *ret)
{
    struct merge_expr operands[OPERANDS_MAX];
    uint8_t common;
    size_t count;
    enum err_code code = operands_of(b, n, operands, &count);
    if (code)
        return code;
    if (!count || !settle(operands, count, &common) ||
        (op >= MERGE_ADD && op <= MERGE_MULTIPLY && !is_number(common)))
        return not_evaluated(b->p, n);
    join(b->p, op, common, operands, count, ret);
    return MQ_OK;
}

static bool is_truth(const struct merge_expr *e)
{
    return e->op >= MERGE_EQ && e->op <= MERGE_NOT;
}

static enum err_code build_logical(const struct building *b, const struct node *n, enum merge_op op,
                                   struct merge_expr *ret)
{
    struct merge_expr operands[OPERANDS_MAX];
    size_t count;
    enum err_code code = operands_of(b, n, operands, &count);
    for (size_t i = 0; i < count && !code; i++)
        if (!is_truth(&operands[i]))
            return not_evaluated(b->p, n);
    if (!code)
        join(b->p, op, MERGE_AS_INTEGER, operands, count, ret);
    return code;
}

static void negate(struct planner *p, struct merge_expr *e)
{
    struct merge_expr operand = *e;
    join(p, MERGE_NOT, MERGE_AS_INTEGER, &operand, 1, e);
}

static enum err_code build_compare(const struct building *b, const struct node *n,
                                   struct merge_expr *ret)
{
    static const struct {
        enum op op;
        enum merge_op merge;
    } rows[] = { { OP_EQ, MERGE_EQ },          { OP_NOT_EQ, MERGE_NE },
                 { OP_LESS, MERGE_LT },        { OP_LESS_EQ, MERGE_LE },
                 { OP_GREATER, MERGE_GT },     { OP_GREATER_EQ, MERGE_GE },
                 { OP_NOT_EQ_BANG, MERGE_NE }, { OP_NULL_SAFE_EQ, MERGE_NULL_SAFE_EQ } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !(n->flags & NODE_F_ALL); i++)
        if (rows[i].op == (enum op)n->op)
            return build_typed(b, n, rows[i].merge, ret);
    return not_evaluated(b->p, n);
}

static enum err_code build_is(const struct building *b, const struct node *n,
                              struct merge_expr *ret)
{
    struct merge_expr operand;
    if (n->op != KW_NULL)
        return not_evaluated(b->p, n);
    enum err_code code = build(b, n->child, &operand);
    if (code)
        return code;
    if (operand.compare == COMPARE_NONE)
        return not_evaluated(b->p, n);
    join(b->p, MERGE_IS_NULL, MERGE_AS_INTEGER, &operand, 1, ret);
    if (n->flags & NODE_F_NOT)
        negate(b->p, ret);
    return MQ_OK;
}

/* Nodes that the parser did not make: a BETWEEN b AND c is a >= b AND a <= c, an IN list is a row
 * of comparisons. */
static enum err_code pair(const struct building *b, enum merge_op op, const struct node *left,
                          const struct node *right, struct merge_expr *ret)
{
    struct merge_expr operands[2];
    uint8_t common;
    enum err_code code = build(b, left, &operands[0]);
    if (!code)
        code = build(b, right, &operands[1]);
    if (code)
        return code;
    if (!settle(operands, 2, &common))
        return not_evaluated(b->p, left);
    join(b->p, op, common, operands, 2, ret);
    return MQ_OK;
}

static enum err_code build_between(const struct building *b, const struct node *n,
                                   struct merge_expr *ret)
{
    struct merge_expr sides[2];
    const struct node *low = n->child->next;
    enum err_code code = pair(b, MERGE_GE, n->child, low, &sides[0]);
    if (!code)
        code = pair(b, MERGE_LE, n->child, low->next, &sides[1]);
    if (code)
        return code;
    join(b->p, MERGE_AND, MERGE_AS_INTEGER, sides, 2, ret);
    if (n->flags & NODE_F_NOT)
        negate(b->p, ret);
    return MQ_OK;
}

static enum err_code build_in(const struct building *b, const struct node *n,
                              struct merge_expr *ret)
{
    struct merge_expr sides[OPERANDS_MAX];
    size_t count = 0;
    for (const struct node *c = n->child->next; c; c = c->next) {
        if (count == OPERANDS_MAX || c->kind == N_LITERALS || c->kind == N_SUBQUERY)
            return not_evaluated(b->p, n);
        enum err_code code = pair(b, MERGE_EQ, n->child, c, &sides[count++]);
        if (code)
            return code;
    }
    join(b->p, MERGE_OR, MERGE_AS_INTEGER, sides, count, ret);
    if (n->flags & NODE_F_NOT)
        negate(b->p, ret);
    return MQ_OK;
}

static enum err_code build_arithmetic(const struct building *b, const struct node *n,
                                      struct merge_expr *ret)
{
    switch ((enum op)n->op) {
    case OP_PLUS:
        return build_typed(b, n, MERGE_ADD, ret);
    case OP_MINUS:
        return build_typed(b, n, MERGE_SUBTRACT, ret);
    case OP_STAR:
        return build_typed(b, n, MERGE_MULTIPLY, ret);
    default:
        return not_evaluated(b->p, n);
    }
}

static enum err_code build_function(const struct building *b, const struct node *n,
                                    struct merge_expr *ret)
{
    struct slice name = token_text(b->p->l, n->first);
    if (scatter_is_aggregate(b->p, n))
        return b->grouped ? scatter_aggregate(b->p, n, -1, ret) : not_evaluated(b->p, n);
    if (slice_ieq_cstr(name, "COALESCE") || slice_ieq_cstr(name, "IFNULL"))
        return build_typed(b, n, MERGE_COALESCE, ret);
    return not_evaluated(b->p, n);
}

/* ---- leaves ---- */

static uint8_t literal_compare(const struct planner *p, const struct node *n)
{
    switch ((enum token_kind)p->l->tokens[n->first].kind) {
    case TOKEN_INTEGER:
        return MERGE_AS_INTEGER;
    case TOKEN_DECIMAL:
        return MERGE_AS_DECIMAL;
    case TOKEN_STRING:
    case TOKEN_NATIONAL:
    case TOKEN_INTRODUCER:
        return MERGE_AS_TEXT;
    default:
        return COMPARE_NONE;
    }
}

static enum err_code build_value(const struct building *b, const struct node *n,
                                 struct merge_expr *ret)
{
    struct planner *p = b->p;
    struct value_ref v = plan_value(p, n);
    bool null = n->kind == N_LITERAL && n->op == KW_NULL;
    uint8_t compare = n->kind == N_LITERAL ? literal_compare(p, n) : COMPARE_NONE;
    if (v.kind == VALUE_COMPUTED || (n->kind == N_LITERAL && compare == COMPARE_NONE && !null))
        return not_evaluated(p, n);
    *(struct value_ref *)vector_add(&p->scatter->values, p->arena, sizeof v) = v;
    *ret = (struct merge_expr){ .op = MERGE_VALUE,
                                .compare = compare,
                                .number = (uint32_t)p->scatter->values.count - 1 };
    return MQ_OK;
}

/* Over groups a column is one of GROUP BY's, or an alias for one of these or for an aggregate. */
static enum err_code group_column(const struct building *b, const struct node *n, int32_t item,
                                  const struct scatter_column *column, struct merge_expr *ret)
{
    struct planner *p = b->p;
    const struct scatter_item *shown = item < 0 ? NULL : scatter_item(p->scatter, (size_t)item);
    if (shown && shown->call)
        return scatter_aggregate(p, shown->call, item, ret);
    if (shown && !shown->column.ref)
        return scatter_has_aggregate(p, shown->expr) ? build(b, shown->expr, ret)
                                                     : not_evaluated(p, n);
    if (!scatter_is_group(p, column))
        return scatter_refuse(p, "`%.*s` is not a column of GROUP BY",
                              NAME_FORMAT(plan_name(p, n)));
    *ret = (struct merge_expr){ .op = MERGE_COLUMN,
                                .compare = scatter_compare(p, column),
                                .number = scatter_place(p, column) };
    return MQ_OK;
}

/* Of a grouped answer's rows, which are single ones of a replicated table, MAX() is the value. */
static uint32_t row_place(struct planner *p, const struct scatter_column *column)
{
    struct scatter *x = p->scatter;
    bool wrapped = x->grouped && !scatter_is_legacy_key(column->ref->table, column->column);
    return wrapped ? scatter_place_call(p, "MAX(", column) : scatter_place(p, column);
}

static enum err_code build_column(const struct building *b, const struct node *n,
                                  struct merge_expr *ret)
{
    struct scatter_column column = { NULL, NULL };
    int32_t item = -1;
    if (b->grouped) {
        enum err_code code = scatter_resolve(b->p, n, &item, &column);
        return code ? code : group_column(b, n, item, &column, ret);
    }
    uint8_t compare =
        scatter_find_column(b->p, n, &column) ? scatter_compare(b->p, &column) : COMPARE_NONE;
    if (compare == COMPARE_NONE)
        return scatter_refuse_compare(b->p, "a condition", n);
    *ret = (struct merge_expr){ .op = MERGE_COLUMN,
                                .compare = compare,
                                .number = row_place(b->p, &column) };
    return MQ_OK;
}

/* ---- any node ---- */

static enum err_code build_kind(const struct building *b, const struct node *n,
                                struct merge_expr *ret)
{
    switch ((enum node_kind)n->kind) {
    case N_PAREN:
        return build(b, n->child, ret);
    case N_LITERAL:
    case N_PARAM:
        return build_value(b, n, ret);
    case N_COLUMN:
        return build_column(b, n, ret);
    case N_FUNCTION:
        return build_function(b, n, ret);
    case N_BINARY:
        return build_arithmetic(b, n, ret);
    case N_COMPARE:
        return build_compare(b, n, ret);
    case N_IS:
        return build_is(b, n, ret);
    case N_BETWEEN:
        return build_between(b, n, ret);
    case N_IN:
        return build_in(b, n, ret);
    case N_AND:
        return build_logical(b, n, MERGE_AND, ret);
    case N_OR:
        return build_logical(b, n, MERGE_OR, ret);
    case N_NOT:
        return build_logical(b, n, MERGE_NOT, ret);
    default:
        return not_evaluated(b->p, n);
    }
}

static enum err_code build(const struct building *b, const struct node *n, struct merge_expr *ret)
{
    if (++b->p->depth > 2 * NESTING_MAX)
        return reject(b->p, MQ_TOO_COMPLEX, "the statement is nested too deeply");
    enum err_code code = build_kind(b, n, ret);
    b->p->depth--;
    return code;
}

enum err_code scatter_expr(struct planner *p, const struct node *n, bool grouped, int32_t *ret,
                           uint8_t *ret_compare)
{
    struct building b = { .p = p, .grouped = grouped };
    struct merge_expr e;
    enum err_code code = build(&b, n, &e);
    if (code)
        return code;
    if (e.compare == COMPARE_NONE)
        return not_evaluated(p, n);
    *ret = scatter_expr_add(p, &e);
    if (ret_compare)
        *ret_compare = e.compare;
    return MQ_OK;
}
