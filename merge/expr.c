/* Expressions over rows and groups, with SQL's three-valued logic: NULL is unknown. What would
 * have to be converted first is not computed. */
#include "merge/merge_int.h"

static struct datum truth(bool value)
{
    return datum_of_count(value);
}

static const struct datum unknown = { .kind = DATUM_NULL };

static enum err_code column_value(const struct merge *m, const struct row *row, uint32_t number,
                                  struct datum *ret)
{
    *ret = unknown;
    if (!row)
        return MQ_OK;
    return datum_of_cell(&m->columns[number], m->setting.binary, row->cells[number].bytes, ret)
               ? MQ_OK
               : MQ_MERGE_VALUE;
}

/* ---- comparisons ---- */

static bool holds(enum merge_op op, int order)
{
    switch (op) {
    case MERGE_EQ:
    case MERGE_NULL_SAFE_EQ:
        return order == 0;
    case MERGE_NE:
        return order != 0;
    case MERGE_LT:
        return order < 0;
    case MERGE_LE:
        return order <= 0;
    case MERGE_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

static enum err_code compare(const struct merge_expr *e, const struct datum *a,
                             const struct datum *b, struct datum *ret)
{
    int order;
    bool unsure = a->kind == DATUM_NULL || b->kind == DATUM_NULL;
    *ret = unknown;
    if (unsure && e->op != MERGE_NULL_SAFE_EQ)
        return MQ_OK;
    if (!datum_compare((enum merge_compare)e->compare, a, b, &order))
        return MQ_MERGE_VALUE;
    *ret = truth(holds((enum merge_op)e->op, order));
    return MQ_OK;
}

static enum err_code compute(const struct merge_expr *e, const struct datum *a,
                             const struct datum *b, struct datum *ret)
{
    *ret = unknown;
    if (a->kind == DATUM_NULL || b->kind == DATUM_NULL)
        return MQ_OK;
    if (a->kind != DATUM_NUMBER || b->kind != DATUM_NUMBER)
        return MQ_MERGE_VALUE;
    ret->kind = DATUM_NUMBER;
    bool room = e->op == MERGE_ADD        ? decimal_add(&a->number, &b->number, &ret->number)
                : e->op == MERGE_SUBTRACT ? decimal_subtract(&a->number, &b->number, &ret->number)
                                          : decimal_multiply(&a->number, &b->number, &ret->number);
    return room ? MQ_OK : MQ_MERGE_RANGE;
}

static enum err_code binary(const struct merge *m, const struct row *row,
                            const struct merge_expr *e, struct datum *ret)
{
    struct datum a, b;
    bool computes = e->op == MERGE_ADD || e->op == MERGE_SUBTRACT || e->op == MERGE_MULTIPLY;
    enum err_code code = evaluate(m, row, e->first_operand, &a);
    if (!code)
        code = evaluate(m, row, e->first_operand + 1, &b);
    if (code)
        return code;
    return computes ? compute(e, &a, &b, ret) : compare(e, &a, &b, ret);
}

/* ---- logic ---- */

enum truth { TRUTH_FALSE, TRUTH_UNKNOWN, TRUTH_TRUE };

static enum err_code truth_of(const struct merge *m, const struct row *row, uint32_t node,
                              enum truth *ret)
{
    struct datum d;
    enum err_code code = evaluate(m, row, node, &d);
    if (code)
        return code;
    if (d.kind == DATUM_TEXT)
        return MQ_MERGE_VALUE;
    *ret = d.kind == DATUM_NULL            ? TRUTH_UNKNOWN
           : decimal_is_zero(&d.number) ? TRUTH_FALSE
                                           : TRUTH_TRUE;
    return MQ_OK;
}

static struct datum datum_of_truth(enum truth t)
{
    return t == TRUTH_UNKNOWN ? unknown : truth(t == TRUTH_TRUE);
}

/* AND is the least of its operands, OR the greatest. */
static enum err_code logic(const struct merge *m, const struct row *row,
                           const struct merge_expr *e, struct datum *ret)
{
    enum truth all = e->op == MERGE_AND ? TRUTH_TRUE : TRUTH_FALSE;
    for (uint32_t i = 0; i < e->operand_count; i++) {
        enum truth one = TRUTH_UNKNOWN;
        enum err_code code = truth_of(m, row, e->first_operand + i, &one);
        if (code)
            return code;
        if (e->op == MERGE_AND ? one < all : one > all)
            all = one;
    }
    *ret = datum_of_truth(all);
    return MQ_OK;
}

static enum err_code negation(const struct merge *m, const struct row *row,
                              const struct merge_expr *e, struct datum *ret)
{
    enum truth t = TRUTH_UNKNOWN;
    enum err_code code = truth_of(m, row, e->first_operand, &t);
    *ret = datum_of_truth(TRUTH_TRUE - t);
    return code;
}

static enum err_code coalesce(const struct merge *m, const struct row *row,
                              const struct merge_expr *e, struct datum *ret)
{
    *ret = unknown;
    for (uint32_t i = 0; i < e->operand_count && ret->kind == DATUM_NULL; i++) {
        enum err_code code = evaluate(m, row, e->first_operand + i, ret);
        if (code)
            return code;
    }
    return MQ_OK;
}

static enum err_code is_null(const struct merge *m, const struct row *row,
                             const struct merge_expr *e, struct datum *ret)
{
    struct datum d = unknown;
    enum err_code code = evaluate(m, row, e->first_operand, &d);
    *ret = truth(d.kind == DATUM_NULL);
    return code;
}

enum err_code evaluate(const struct merge *m, const struct row *row, uint32_t node,
                       struct datum *ret)
{
    const struct merge_expr *e = &m->recipe->exprs[node];
    switch (e->op) {
    case MERGE_COLUMN:
        return column_value(m, row, e->number, ret);
    case MERGE_AGGREGATE:
        *ret = m->group.totals[e->number].result;
        return MQ_OK;
    case MERGE_VALUE:
        *ret = m->values[e->number];
        return MQ_OK;
    case MERGE_IS_NULL:
        return is_null(m, row, e, ret);
    case MERGE_AND:
    case MERGE_OR:
        return logic(m, row, e, ret);
    case MERGE_NOT:
        return negation(m, row, e, ret);
    case MERGE_COALESCE:
        return coalesce(m, row, e, ret);
    default:
        return binary(m, row, e, ret);
    }
}

enum err_code evaluate_truth(const struct merge *m, const struct row *row, uint32_t node, bool *ret)
{
    enum truth t = TRUTH_UNKNOWN;
    enum err_code code = truth_of(m, row, node, &t);
    *ret = t == TRUTH_TRUE;
    return code;
}
