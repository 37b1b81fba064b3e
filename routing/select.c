/* SELECT: local when it asks one thing of the session (a prepared one asks a shard, with the
 * session's value spliced in), single over queue tables, passed on
 * when it reads no table at all. */
#include "routing/plan_int.h"

/* The only item of a SELECT that has nothing else, or NULL. */
static const struct node *lone_item(const struct node *query)
{
    const struct node *block = query->child;
    if (!block || block->next || block->kind != N_BLOCK || (block->flags & NODE_F_DISTINCT))
        return NULL;
    const struct node *list = block->child;
    if (!list || list->next || list->kind != N_SELECT_LIST || list->first != block->first + 1)
        return NULL;
    const struct node *item = list->child;
    return item && !item->next && item->kind == N_SELECT_ITEM ? item : NULL;
}

static bool is_tenant_variable(const struct planner *p, const struct node *n)
{
    struct slice text = token_text(p->l, n->first);
    return n->kind == N_USER_VARIABLE && slice_ieq_cstr(text, "@mq_tenant");
}

static enum local_op local_op(const struct planner *p, const struct node *expr)
{
    if (is_tenant_variable(p, expr))
        return LOCAL_SELECT_TENANT;
    bool plain = expr->kind == N_FUNCTION && !expr->child && !expr->flags &&
                 p->l->tokens[expr->first].kind == TOKEN_IDENT &&
                 !(expr->last > expr->first && token_is_op(&p->l->tokens[expr->first + 1], OP_DOT));
    return plain ? function_local(token_text(p->l, expr->first)) : LOCAL_NONE;
}

static bool plan_local(struct planner *p, const struct node *query)
{
    const struct node *item = lone_item(query);
    enum local_op op = item ? local_op(p, item->child) : LOCAL_NONE;
    if (!op)
        return false;
    const struct node *alias = item->child->next;
    uint32_t first = item->child->first, last = item->child->last;
    if (alias) {
        first = alias->child ? alias->child->first : alias->last;
        last = alias->last;
    }
    p->t->verdict = VERDICT_LOCAL;
    p->t->local = op;
    p->t->heading = (struct value_ref){ .kind = VALUE_TOKENS, .first = first, .last = last };
    return true;
}

enum err_code select_plan(struct planner *p, const struct node *query)
{
    p->t->is_select = true;
    enum err_code code = query_visit(p, query);
    if (code)
        return code;
    if (!plan_local(p, query))
        return plan_settle(p);
    p->t->also_passes = true;
    return MQ_OK;
}
