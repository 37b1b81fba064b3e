/* UNION and its kin as the outermost query of a statement of several tenants. Each branch gives
 * rows that are one tenant's each, so UNION ALL appends, and its order is ORDER BY's. What compares
 * rows, UNION DISTINCT, INTERSECT and EXCEPT, is the shards' work where each branch shows the
 * partition key at the same place: rows of two tenants differ there. Else UNION DISTINCT alone is
 * merged, by all its columns. */
#include "routing/scatter_int.h"

/* ---- before anything is visited ---- */

/* A branch: a block, perhaps in parentheses that hold nothing else. */
static const struct node *block_of(const struct node *body)
{
    if (body->kind == N_QUERY_PAREN && !body->child->child->next)
        body = body->child->child;
    return body->kind == N_BLOCK ? body : NULL;
}

static enum err_code check_branch(struct planner *p, const struct node *body)
{
    const struct node *block = block_of(body);
    if (!block)
        return scatter_refuse(p,
                              "a branch of UNION that is no plain SELECT, or has ORDER BY, LIMIT "
                              "or WITH of its own; leave them out");
    if (node_find(block, N_INTO))
        return scatter_refuse(p, "INTO is not served");
    return scatter_check_options(p, block);
}

static enum err_code check_right(struct planner *p, const struct node *body)
{
    return body->kind == N_SET_OP ? scatter_check_united(p, body) : check_branch(p, body);
}

/* a UNION b UNION c … leans to the left; INTERSECT, which binds closer, may stand on the right. */
enum err_code scatter_check_united(struct planner *p, const struct node *body)
{
    enum err_code code = MQ_OK;
    if (!p->scatter->united)
        p->scatter->united = body;
    if (++p->depth > 2 * NESTING_MAX)
        return reject(p, MQ_TOO_COMPLEX, "the statement is nested too deeply");
    for (; body->kind == N_SET_OP && !code; body = body->child)
        code = check_right(p, body->child->next);
    p->depth--;
    p->scatter->block = block_of(body);
    return code ? code : check_branch(p, body);
}

/* ---- branches ---- */

/* Of UNION DISTINCT the branches need not be distinct. */
static bool is_distinct(const struct node *body)
{
    return body->op == KW_UNION && !(body->flags & NODE_F_ALL);
}

enum err_code scatter_branch(struct planner *p, struct scope *s, const struct node *block)
{
    struct scatter *x = p->scatter;
    struct scatter_branch *b = vector_add(&x->branches, p->arena, sizeof *b);
    s->block = block;
    x->scope = s;
    x->block = block;
    x->items = (struct vector){ NULL, 0, 0 };
    x->recipe.shown = 0;
    x->recipe.joined |= s->count > 1;
    enum err_code code = scatter_tables(p, s);
    if (!code)
        code = scatter_check_counter(p, s);
    if (!code)
        code = scatter_check_groups(p, s, block, !is_distinct(x->united));
    if (!code)
        code = scatter_list(p);
    *b = (struct scatter_branch){ .list = node_find(block, N_SELECT_LIST),
                                  .scope = s,
                                  .items = x->items };
    return code;
}

/* ---- the whole ---- */

/* Is the column the same type in all branches, so that the servers show it as it is? */
static bool is_alike(struct planner *p, size_t column)
{
    const struct scatter_branch *branches = p->scatter->branches.items;
    const struct scatter_item *first = scatter_item(p->scatter, column);
    for (size_t i = 0; i < p->scatter->branches.count; i++) {
        const struct scatter_item *items = branches[i].items.items;
        if (column >= branches[i].items.count ||
            !scatter_same_type(p, &items[column].column, &first->column))
            return false;
    }
    return true;
}

static enum err_code check_order(struct planner *p)
{
    const struct merge_key *keys = p->scatter->order.items;
    for (size_t i = 0; i < p->scatter->order.count; i++)
        if (!is_alike(p, keys[i].column))
            return scatter_refuse(p,
                                  "column %u, by which the rows are merged, is not a column of "
                                  "the same type in each SELECT of the UNION",
                                  (unsigned)keys[i].column + 1);
    return MQ_OK;
}

static bool has_intersections(const struct node *body)
{
    for (; body->kind == N_SET_OP; body = body->child)
        if (body->op != KW_UNION || has_intersections(body->child->next))
            return true;
    return false;
}

/* The last operation of a row of UNIONs decides whether rows are distinct. */
static bool has_lost_distinct(const struct node *body)
{
    return !is_distinct(body) && scatter_set_compares(body->child);
}

static enum err_code check_rows(struct planner *p)
{
    const struct node *body = p->scatter->united;
    if (has_intersections(body) || has_lost_distinct(body))
        return scatter_refuse(p, "rows of different tenants would be compared by INTERSECT, EXCEPT "
                                 "or a UNION that another follows; show the partition key in each "
                                 "SELECT, at the same place");
    return is_distinct(body) ? scatter_distinct(p) : MQ_OK;
}

enum err_code scatter_united(struct planner *p)
{
    struct scatter *x = p->scatter;
    bool compares = scatter_set_compares(x->united);
    bool shares = compares && scatter_shared_key(p, &x->branches);
    x->limit_stays = true;
    enum err_code code = scatter_order_by(p, true);
    if (!code && compares && !shares)
        code = check_rows(p);
    if (!code)
        code = check_order(p);
    return code ? code : scatter_limit(p);
}
