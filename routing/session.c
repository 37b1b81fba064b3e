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

/* A string or a decimal number: what it says is known here. Versioned comments may stand around
 * it, for no server reads it. */
static bool is_plain_literal(const struct planner *p, const struct node *n)
{
    uint8_t kind = p->l->tokens[n->first].kind;
    if (is_signed_number(n))
        kind = p->l->tokens[n->child->first].kind;
    else if (n->kind != N_LITERAL)
        return false;
    return kind == TOKEN_STRING || kind == TOKEN_INTEGER || kind == TOKEN_DECIMAL ||
           kind == TOKEN_FLOAT;
}

static void set_word(struct set_item *item, struct value_ref *v, uint16_t word)
{
    v->kind = VALUE_TOKENS;
    item->is_word = true;
    item->is_default = word == KW_DEFAULT;
}

static enum err_code set_value(struct planner *p, struct set_item *item, struct value_ref *v,
                               const struct node *value)
{
    *v = plan_value(p, value);
    if (value->kind == N_BARE_VALUE || is_word_literal(value))
        set_word(item, v, value->op);
    else if (value->kind == N_DEFAULT)
        set_word(item, v, KW_DEFAULT);
    else if (is_plain_literal(p, value))
        v->kind = VALUE_TOKENS;
    else if (v->kind != VALUE_PARAM)
        v->kind = VALUE_COMPUTED;
    return MQ_OK;
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

/* mqgate's own, or one that the server keeps. */
static enum err_code set_user_variable(struct planner *p, struct set_item *item,
                                       const struct node *variable)
{
    struct slice text = token_text(p->l, variable->first);
    item->kind = SET_USER;
    item->name = lower_copy(p, slice_of(text.data + 1, text.len - 1));
    if (slice_eq(item->name, SLICE_LIT("mq_tenant")) ||
        slice_eq(item->name, SLICE_LIT("mq_schema")))
        return MQ_OK;
    item->kind = SET_KEPT;
    return home_variable(p, variable, HOME_KEPT);
}

/* SET @@x without a scope is about the next transaction only. */
static bool is_for_next_transaction(const struct planner *p, const struct set_item *item,
                                    const struct node *variable)
{
    int var = var_find(item->name);
    return (var == VAR_ISOLATION || var == VAR_READ_ONLY) &&
           p->l->tokens[variable->first].kind == TOKEN_SYSTEM_VAR &&
           !(variable->flags & (NODE_F_GLOBAL | NODE_F_SESSION));
}

static enum err_code set_variable(struct planner *p, struct set_item *item, const struct node *n)
{
    const struct node *variable = n->child;
    item->global = (n->flags | variable->flags) & NODE_F_GLOBAL;
    if (variable->kind == N_USER_VARIABLE)
        return set_user_variable(p, item, variable);
    item->kind = SET_SYSTEM;
    item->name = lower_copy(p, plan_name(p, variable));
    item->next_only = is_for_next_transaction(p, item, variable);
    if (item->global)
        return reject(p, MQ_VARIABLE_NOT_ALLOWED,
                      "SET GLOBAL %.*s would change a shard for everybody",
                      NAME_FORMAT(item->name));
    if (node_children(variable) > 1 || var_find(item->name) < 0)
        return reject(p, MQ_VARIABLE_NOT_ALLOWED, "SET %.*s is not followed from shard to shard",
                      NAME_FORMAT(item->name));
    return MQ_OK;
}

static const struct node *item_value(const struct node *n)
{
    return n->kind == N_SET_VARIABLE ? n->child->next : n->child;
}

static enum err_code set_item(struct planner *p, struct set_item *item, const struct node *n)
{
    enum err_code code = MQ_OK;
    const struct node *collation = node_find(n, N_COLLATION);
    struct set_item of_collation = { .global = false };
    item->kind = n->kind == N_SET_NAMES ? SET_NAMES : SET_CHARSET;
    if (n->kind == N_SET_VARIABLE)
        code = set_variable(p, item, n);
    if (!code)
        code = set_value(p, item, &item->value, item_value(n));
    if (!code && collation)
        code = set_value(p, &of_collation, &item->collation, collation->child);
    if (!code && item->kind == SET_USER && item->value.kind == VALUE_COMPUTED)
        return reject(p, MQ_VARIABLE_VALUE, "SET @%.*s takes a literal or a parameter",
                      NAME_FORMAT(item->name));
    return code;
}

/* Expressions are a shard's to compute: the statement becomes the SELECT of its expressions, which
 * is asked before the assignments are made. */
static enum err_code set_question(struct planner *p, const struct node *set)
{
    enum err_code code = MQ_OK;
    const struct set_item *items = p->sets.items;
    const struct node *last = NULL;
    size_t i = 0;
    for (const struct node *c = set->child; c && !code; c = c->next, i++) {
        if (items[i].value.kind != VALUE_COMPUTED)
            continue;
        const struct node *value = item_value(c);
        code = visit(p, value);
        if (!code)
            code = plan_edit(p, EDIT_REPLACE, last ? last->last + 1 : set->first, value->first - 1,
                             last ? SLICE_LIT(", ") : SLICE_LIT("SELECT "));
        last = value;
        p->t->questions++;
    }
    if (code || !last)
        return code;
    /* Whatever sql_select_limit is. */
    return last->last < set->last
               ? plan_edit(p, EDIT_REPLACE, last->last + 1, set->last, SLICE_LIT(" LIMIT 1"))
               : plan_edit(p, EDIT_AFTER, set->last, set->last, SLICE_LIT(" LIMIT 1"));
}

static bool params_in_questions(const struct planner *p)
{
    const struct set_item *items = p->sets.items;
    uint32_t whole = 0;
    for (size_t i = 0; i < p->sets.count; i++)
        whole += items[i].value.kind == VALUE_PARAM;
    return p->l->params != whole;
}

static size_t count_kept(const struct planner *p)
{
    const struct set_item *items = p->sets.items;
    size_t kept = 0;
    for (size_t i = 0; i < p->sets.count; i++)
        kept += items[i].kind == SET_KEPT;
    return kept;
}

/* The server's session keeps them: the statement is sent to it. */
static enum err_code plan_set_kept(struct planner *p, const struct node *set)
{
    enum err_code code = home_is_plain(p, set);
    if (code)
        return code;
    if (count_kept(p) < p->sets.count)
        return reject(p, MQ_VARIABLE_VALUE,
                      "SET of user variables and of others in one statement; set each kind in one "
                      "of its own");
    for (const struct node *c = set->child; c && !code; c = c->next)
        code = home_assigned(p, item_value(c));
    p->sets.count = 0;
    return code ? code : plan_settle(p);
}

static enum err_code plan_set(struct planner *p, const struct node *n)
{
    enum err_code code = MQ_OK;
    for (const struct node *c = n->child; c && !code; c = c->next)
        code = set_item(p, vector_add(&p->sets, p->arena, sizeof(struct set_item)), c);
    if (!code && count_kept(p))
        return plan_set_kept(p, n);
    if (!code)
        code = set_question(p, n);
    if (!code && params_in_questions(p))
        return reject(p, MQ_VARIABLE_VALUE, "a parameter is a whole value of SET");
    if (!code)
        code = plan_settle(p);
    if (!code && (p->t->verdict != VERDICT_PASS || p->t->temporary_count))
        return reject(p, MQ_VARIABLE_VALUE, "SET of a system variable reads no table");
    return code ? code : local(p, LOCAL_SET);
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
    case N_UNLOCK_TABLES:
        return local(p, LOCAL_UNLOCK_TABLES);
    case N_NOTHING:
        return local(p, LOCAL_NOTHING);
    default:
        return reject(p, MQ_NOT_UNDERSTOOD, "statements of the kind %s are not served",
                      node_kind_name((enum node_kind)n->kind));
    }
}
