/* Statements of several tenants as a whole: which kinds can be served, and what the shards are
 * asked besides what the client asks. */
#include "routing/claim.h"
#include "routing/scatter_int.h"

enum { CUTS_MAX = 64 }; /* each node that is visited is compared with them */

enum err_code scatter_refuse(struct planner *p, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *text = arena_vprintf(p->arena, format, ap);
    va_end(ap);
    return reject(p, MQ_SCATTER, "the statement is for several tenants: %s; or name one tenant",
                  text);
}

enum err_code scatter_refuse_body(struct planner *p)
{
    return scatter_refuse(p, "TABLE, VALUES and a query in parentheses are not merged; send plain "
                             "SELECTs");
}

enum err_code scatter_missing(struct planner *p, const struct catalog_table *table,
                              const char *clause)
{
    return reject(p, MQ_TENANT_MISSING,
                  "nothing names the tenant of %s: its %s has no `tenant`, and the session may use "
                  "several; send SET @mq_tenant = 'name', connect to database@tenant, or begin the "
                  "statement with /*tenant='name'*/",
                  table ? table->name : "the statement", clause ? clause : "text");
}

bool scatter_is_qualified(const struct planner *p)
{
    return p->qualified;
}

/* ---- what stays here ---- */

enum err_code scatter_cut(struct planner *p, const struct node *n, struct slice with)
{
    struct vector *cuts = &p->scatter->cuts;
    if (cuts->count == CUTS_MAX)
        return scatter_refuse(p, "more than %d conditions would be evaluated here; write fewer",
                              CUTS_MAX);
    *(const struct node **)vector_add(cuts, p->arena, sizeof n) = n;
    return plan_edit(p, EDIT_REPLACE, n->first, n->last, with);
}

bool scatter_lists_tenants(const struct planner *p)
{
    return p->scatter && p->scatter->recipe.kind != MERGE_COUNTS_MAX;
}

bool scatter_is_cut(const struct planner *p, const struct node *n)
{
    const struct node *const *cuts = p->scatter->cuts.items;
    for (size_t i = 0; i < p->scatter->cuts.count; i++)
        if (cuts[i] == n)
            return true;
    return false;
}

/* ---- what no merge could mend ---- */

/* What the shards would answer differently from one another, or from one moment to the next. */
static bool is_volatile(const struct planner *p, const struct node *function)
{
    static const char *const names[] = {
#define VOLATILE_ROW(name) #name,
#include "routing/volatile.def"
#undef VOLATILE_ROW
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_ieq_cstr(token_text(p->l, function->first), names[i]))
            return true;
    return false;
}

static enum err_code check_function(struct planner *p, const struct node *n)
{
    struct slice name = token_text(p->l, n->first);
    if (n->flags & NODE_F_WINDOW)
        return scatter_refuse(p, "a window function would see the rows of one shard only; leave "
                                 "OVER out");
    if (n->child && slice_ieq_cstr(name, "LAST_INSERT_ID"))
        return scatter_refuse(p, "LAST_INSERT_ID(…) would be another value of each shard; send the "
                                 "value");
    if (is_volatile(p, n))
        return scatter_refuse(p, "%.*s() is something else on every shard; send a value instead",
                              NAME_FORMAT(name));
    return MQ_OK;
}

static enum err_code check_node(struct planner *p, const struct node *n)
{
    switch ((enum node_kind)n->kind) {
    case N_FUNCTION:
        return check_function(p, n);
    case N_SYSTEM_VARIABLE:
        return scatter_refuse(p, "a system variable may be something else on every shard; send a "
                                 "value instead");
    default:
        return MQ_OK;
    }
}

enum err_code scatter_check_nodes(struct planner *p, const struct node *n)
{
    enum err_code code = check_node(p, n);
    for (const struct node *c = n->child; c && !code; c = c->next)
        code = scatter_check_nodes(p, c);
    return code;
}

/* ---- queries ---- */

/* SELECT [these words] list */
enum err_code scatter_check_options(struct planner *p, const struct node *block)
{
    static const enum keyword served[] = { KW_DISTINCT, KW_DISTINCTROW, KW_ALL };
    const struct node *list = node_find(block, N_SELECT_LIST);
    for (uint32_t i = block->first + 1; i < list->first; i++) {
        const struct token *t = &p->l->tokens[i];
        bool known = slice_ieq_cstr(token_text(p->l, i), "SQL_NO_CACHE");
        for (size_t k = 0; k < sizeof served / sizeof *served; k++)
            known |= token_is_keyword(t, served[k]);
        if (!known)
            return scatter_refuse(p, "SELECT %.*s counts or reads on one shard; leave it out",
                                  NAME_FORMAT(token_text(p->l, i)));
    }
    return MQ_OK;
}

static enum err_code check_query(struct planner *p, const struct node *query)
{
    const struct node *body = query->child;
    if (body->kind == N_WITH)
        body = body->next;
    if (node_find(query, N_LOCKING))
        return scatter_refuse(p, "its locks would be held on several shards; read without FOR "
                                 "UPDATE");
    if (node_find(query, N_INTO) || node_find(body, N_INTO))
        return scatter_refuse(p, "INTO is not served");
    p->scatter->query = query;
    p->scatter->block = body;
    enum err_code code = body->kind == N_SET_OP  ? scatter_check_united(p, body)
                         : body->kind == N_BLOCK ? scatter_check_options(p, body)
                                                 : scatter_refuse_body(p);
    return code ? code : scatter_check_nodes(p, query);
}

enum err_code scatter_statement(struct planner *p, const struct node *root)
{
    switch ((enum node_kind)root->kind) {
    case N_QUERY:
        return check_query(p, root);
    case N_INSERT:
    case N_UPDATE:
    case N_DELETE:
        return scatter_write(p, root);
    case N_EXPLAIN:
        return scatter_refuse(p, "EXPLAIN shows the work of one shard");
    default:
        return MQ_OK; /* scatter_finish() knows its table */
    }
}

static enum err_code check_tables(struct planner *p, const struct scope *s)
{
    enum err_code code = scatter_tables(p, s);
    const struct catalog_table *only = !code && s->count == 1 ? s->refs->table : NULL;
    if (!code && !only && scatter_has_groups(p, p->scatter->block))
        return scatter_refuse(p, "groups and aggregates over a join or a derived table; ask for "
                                 "its rows");
    p->scatter->recipe.joined |= s->count > 1;
    p->scatter->replicated = only && only->version ? only : NULL;
    return code;
}

/* A message is found by (tenant, topic, partition key, offset): the offset alone, which is unique
 * in the legacy table, would find one for each tenant. */
enum err_code scatter_check_counter(struct planner *p, struct scope *s)
{
    for (struct table_ref *r = s->refs; r; r = r->next) {
        const struct catalog_column *counter = r->table ? catalog_counter(r->table) : NULL;
        if (counter && claim_binds(p, s, r, slice_cstr(counter->name)) &&
            !(r->table->partition_key && claim_binds(p, s, r, slice_cstr(r->table->partition_key))))
            return scatter_refuse(p, "`%s` is unique within one tenant only; add the partition key",
                                  counter->name);
    }
    return MQ_OK;
}

enum err_code scatter_block(struct planner *p, struct scope *s, const struct node *block)
{
    struct scatter *x = p->scatter;
    x->scope = s;
    s->block = block;
    enum err_code code = check_tables(p, s);
    if (!code)
        code = scatter_check_counter(p, s);
    if (!code)
        code = scatter_list(p);
    x->grouped = scatter_has_groups(p, block);
    if (!code && x->replicated)
        code = scatter_replicated_where(p);
    if (!code && x->grouped)
        code = scatter_groups(p);
    else if (!code)
        code = x->replicated ? scatter_replicated_rows(p) : scatter_rows(p);
    return code ? code : scatter_limit(p);
}

/* ---- edits ---- */

/* "ORDER BY 2, 1 DESC": the keys that the client's own ORDER BY, if it stays, has not got. */
static struct slice order_text(struct planner *p, const char *before)
{
    struct scatter *x = p->scatter;
    const struct merge_key *keys = x->order.items;
    struct text t = { .arena = p->arena };
    for (size_t i = x->sorted; i < x->order.count; i++) {
        text_add(&t, i == x->sorted ? before : ", ");
        text_add(&t, arena_printf(p->arena, "%u%s", (unsigned)keys[i].column + 1,
                                  keys[i].descending ? " DESC" : ""));
    }
    return text_slice(&t);
}

static enum err_code put_after(struct planner *p, uint32_t token, struct slice text)
{
    return text.len ? plan_edit(p, EDIT_AFTER, token, token, text) : MQ_OK;
}

/* The client's ORDER BY went away with what scatter_groups() or the like put in its place. */
static enum err_code write_order(struct planner *p)
{
    struct scatter *x = p->scatter;
    const struct node *order = node_find(x->query, N_ORDER_BY);
    if (order && !scatter_is_cut(p, order))
        return put_after(p, order->last, order_text(p, ", "));
    uint32_t last = x->united ? x->united->last : x->block->last;
    return put_after(p, order ? order->last : last, order_text(p, " ORDER BY "));
}

static enum err_code write_grouping(struct planner *p)
{
    struct scatter *x = p->scatter;
    const struct node *group = node_find(x->block, N_GROUP_BY);
    const struct node *where = node_find(x->block, N_WHERE);
    return put_after(p,
                     group   ? group->last
                     : where ? where->last
                             : x->scope->anchor,
                     text_slice(&x->grouping));
}

/* In front of FROM: an item that is edited may get its own text as alias behind it. */
static enum err_code write_hidden(struct planner *p)
{
    struct scatter *x = p->scatter;
    if (!x->hidden.len)
        return MQ_OK;
    uint32_t from = node_find(x->block, N_FROM)->first;
    text_add(&x->hidden, " ");
    return plan_edit(p, EDIT_BEFORE, from, from, text_slice(&x->hidden));
}

/* Every reference was to get the condition with the list; an INSERT's value would be left. */
static enum err_code check_edits(struct planner *p)
{
    const struct edit *edits = p->edits.items;
    for (size_t i = 0; i < p->edits.count; i++)
        if (edits[i].text.len && memchr(edits[i].text.data, EDIT_TENANT, edits[i].text.len))
            return reject(p, MQ_INTERNAL, "one tenant is written where several are meant");
    return MQ_OK;
}

static void hand_over(struct planner *p)
{
    struct scatter *x = p->scatter;
    struct merge_recipe *m = &x->recipe;
    m->hidden = (uint32_t)x->items.count - m->shown;
    m->order = x->order.items;
    m->order_count = x->order.count;
    m->aggregates = x->aggregates.items;
    m->aggregate_count = x->aggregates.count;
    m->sort = x->sort.items;
    m->sort_count = x->sort.count;
    m->exprs = x->exprs.items;
    m->expr_count = x->exprs.count;
    m->values = x->values.items;
    m->value_count = x->values.count;
    p->t->merge = m;
    p->t->verdict = VERDICT_TENANTS;
}

enum err_code scatter_finish(struct planner *p)
{
    struct scatter *x = p->scatter;
    enum err_code code = MQ_OK;
    if (p->t->verdict != VERDICT_SINGLE || (!x->query && x->recipe.kind == MERGE_ROWS))
        return scatter_missing(p, p->t->table, p->t->clause);
    if (x->recipe.kind == MERGE_ROWS) {
        code = write_hidden(p);
        if (!code)
            code = write_grouping(p);
        if (!code)
            code = write_order(p);
    }
    if (!code && x->recipe.kind != MERGE_COUNTS_MAX)
        code = check_edits(p);
    hand_over(p);
    return code;
}
