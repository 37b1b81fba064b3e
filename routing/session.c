/* Statements about the session, which mqgate answers itself: SET, transactions, USE. */
#include "routing/plan_int.h"
#include "routing/variables.h"

static enum err_code local(struct planner *p, enum local_op op)
{
    p->t->verdict = VERDICT_LOCAL;
    p->t->local = op;
    return MQ_OK;
}

static enum err_code local_named(struct planner *p, enum local_op op, const struct node *n)
{
    p->t->name = arena_copy(p->arena, plan_name(p, n));
    return local(p, op);
}

/* ---- SET ---- */

/* -1 is an operator and a literal; its tokens are a literal all the same. */
static bool is_signed_number(const struct node *n)
{
    return n->kind == N_UNARY && (n->op == OP_MINUS || n->op == OP_PLUS) && n->child &&
           n->child->kind == N_LITERAL;
}

static bool is_word_literal(const struct node *n)
{
    return n->kind == N_LITERAL && (n->op == KW_TRUE || n->op == KW_FALSE || n->op == KW_NULL);
}

static enum err_code set_value(struct planner *p, struct set_item *item, const struct node *value)
{
    item->value = plan_value(p, value);
    if (value->kind == N_BARE_VALUE || is_word_literal(value)) {
        item->is_word = true;
        item->is_default = value->kind == N_BARE_VALUE && value->op == KW_DEFAULT;
        item->value.kind = VALUE_TOKENS;
    } else if (value->kind == N_DEFAULT) {
        item->is_default = item->is_word = true;
        item->value.kind = VALUE_TOKENS;
    } else if (is_signed_number(value)) {
        item->value.kind = VALUE_TOKENS;
    }
    if (item->value.kind == VALUE_TOKENS || item->value.kind == VALUE_PARAM)
        return MQ_OK;
    return reject(p, MQ_VARIABLE_VALUE,
                  "SET takes a literal, a word or a parameter here, not an expression");
}

static struct slice lower_copy(struct planner *p, struct slice name)
{
    char *copy = arena_alloc(p->arena, name.len + 1);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        copy[i] = c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
    }
    return slice_of(copy, name.len);
}

static enum err_code set_user_variable(struct planner *p, struct set_item *item,
                                       const struct node *variable)
{
    struct slice text = token_text(p->l, variable->first);
    item->kind = SET_USER;
    item->name = lower_copy(p, slice_of(text.data + 1, text.len - 1));
    if (slice_eq(item->name, SLICE_LIT("mq_tenant")) ||
        slice_eq(item->name, SLICE_LIT("mq_schema")))
        return MQ_OK;
    return reject(p, MQ_VARIABLE_NOT_ALLOWED,
                  "the user variable %.*s would live on one shard only; @mq_tenant and @mq_schema "
                  "can be set",
                  NAME_FORMAT(text));
}

static enum err_code set_variable(struct planner *p, struct set_item *item, const struct node *n)
{
    const struct node *variable = n->child;
    item->global = (n->flags | variable->flags) & NODE_F_GLOBAL;
    if (variable->kind == N_USER_VARIABLE)
        return set_user_variable(p, item, variable);
    item->kind = SET_SYSTEM;
    item->name = lower_copy(p, plan_name(p, variable));
    if (item->global)
        return reject(p, MQ_VARIABLE_NOT_ALLOWED,
                      "SET GLOBAL %.*s would change a shard for everybody",
                      NAME_FORMAT(item->name));
    if (node_children(variable) > 1 || var_find(item->name) < 0)
        return reject(p, MQ_VARIABLE_NOT_ALLOWED, "SET %.*s is not followed from shard to shard",
                      NAME_FORMAT(item->name));
    return MQ_OK;
}

static enum err_code set_item(struct planner *p, struct set_item *item, const struct node *n)
{
    enum err_code code = MQ_OK;
    const struct node *value = n->child, *collation = node_find(n, N_COLLATION);
    item->kind = n->kind == N_SET_NAMES ? SET_NAMES : SET_CHARSET;
    if (n->kind == N_SET_VARIABLE) {
        code = set_variable(p, item, n);
        value = value->next;
    }
    if (!code)
        code = set_value(p, item, value);
    if (!code && collation) {
        struct set_item other = { .global = false };
        code = set_value(p, &other, collation->child);
        item->collation = other.value;
    }
    return code;
}

static enum err_code plan_set(struct planner *p, const struct node *n)
{
    for (const struct node *c = n->child; c; c = c->next) {
        struct set_item *item = vector_add(&p->sets, p->arena, sizeof *item);
        enum err_code code = set_item(p, item, c);
        if (code)
            return code;
    }
    return local(p, LOCAL_SET);
}

/* ---- the others ---- */

static enum err_code plan_set_transaction(struct planner *p, const struct node *n)
{
    if (n->flags & NODE_F_GLOBAL)
        return reject(p, MQ_VARIABLE_NOT_ALLOWED,
                      "SET GLOBAL TRANSACTION would change a shard for everybody");
    return local(p, LOCAL_SET_TRANSACTION);
}

static enum err_code plan_use(struct planner *p, const struct node *n)
{
    return local_named(p, LOCAL_USE, n);
}

static bool is_connection_id(const struct planner *p, const struct node *n)
{
    return n->kind == N_FUNCTION && !n->child &&
           function_local(token_text(p->l, n->first)) == LOCAL_SELECT_CONNECTION_ID;
}

/* op says what of the connection. */
static enum err_code plan_kill(struct planner *p, const struct node *n)
{
    if (!is_connection_id(p, n->child)) {
        p->t->killed = plan_value(p, n->child);
        if (p->t->killed.kind != VALUE_TOKENS ||
            p->l->tokens[p->t->killed.first].kind != TOKEN_INTEGER)
            return reject(p, MQ_NOT_UNDERSTOOD, "KILL takes the number of a connection");
    }
    return local(p, LOCAL_KILL);
}

enum err_code session_plan(struct planner *p, const struct node *n)
{
    switch ((enum node_kind)n->kind) {
    case N_SET:
        return plan_set(p, n);
    case N_SET_TRANSACTION:
        return plan_set_transaction(p, n);
    case N_BEGIN:
        return local(p, LOCAL_BEGIN);
    case N_COMMIT:
        return local(p, LOCAL_COMMIT);
    case N_ROLLBACK:
        return n->child ? local_named(p, LOCAL_ROLLBACK_TO, n) : local(p, LOCAL_ROLLBACK);
    case N_SAVEPOINT:
        return local_named(p, LOCAL_SAVEPOINT, n);
    case N_RELEASE_SAVEPOINT:
        return local_named(p, LOCAL_RELEASE_SAVEPOINT, n);
    case N_KILL:
        return plan_kill(p, n);
    case N_USE:
        return plan_use(p, n);
    default:
        return reject(p, MQ_NOT_UNDERSTOOD, "statements of the kind %s are not served",
                      node_kind_name((enum node_kind)n->kind));
    }
}
