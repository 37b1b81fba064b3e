/* Reads of a qualified partition key. Names are resolved as the servers do: a query's own tables,
 * then those around it; the expression is always qualified by its table, so that no alias of a
 * select list can be taken for the column. */
#include "routing/qualified.h"

/* Whose a column of that name is. */
enum owner {
    OWNER_NONE,
    OWNER_TABLE,   /* a queue table's, as the shard has it */
    OWNER_OTHER,   /* a query's: qualified already, or no key */
    OWNER_DOUBTFUL /* not certain */
};

/* A column as it is written. */
struct mention {
    struct slice name, table; /* table: empty if it is not qualified */
    bool with_database;
};

static bool is_key_of(const struct catalog_table *t, struct slice name)
{
    return t->partition_key && slice_ieq_cstr(name, t->partition_key);
}

static bool is_key_name(const struct planner *p, struct slice name)
{
    const struct catalog *c = p->topology->catalog;
    for (size_t i = 0; i < c->table_count; i++)
        if (is_key_of(c->tables[i], name))
            return true;
    return false;
}

static struct mention mention_of(struct planner *p, const struct node *column)
{
    const struct node *ident = plan_last_ident(column), *table = column->child;
    struct mention m = { .name = token_ident(p->l, ident->first, p->arena),
                         .table = slice_of("", 0) };
    if (table == ident)
        return m;
    m.with_database = table->next != ident;
    if (m.with_database)
        table = table->next;
    m.table = token_ident(p->l, table->first, p->arena);
    return m;
}

static bool is_base(const struct table_ref *r)
{
    return r->table && !r->wrapped;
}

/* Does the reference show a column of that name? False in ret_known: nobody knows. */
static bool shows_column(struct planner *p, const struct table_ref *r, struct slice name,
                         bool *ret_known)
{
    *ret_known = true;
    return !r->viewed && shape_shows(p, r, name, ret_known);
}

static bool may_mean(const struct table_ref *r, const struct mention *m)
{
    return !m->table.len || (slice_ieq(r->name, m->table) && !(m->with_database && r->has_alias));
}

static enum owner owner_in(struct planner *p, const struct scope *s, const struct mention *m,
                           const struct table_ref **ret)
{
    enum owner found = s->open ? OWNER_DOUBTFUL : OWNER_NONE;
    size_t count = 0;
    for (const struct table_ref *r = s->refs; r; r = r->next) {
        bool known = true;
        if (!may_mean(r, m) || (!m->table.len && !shows_column(p, r, m->name, &known) && known))
            continue;
        if (!known || ++count > 1 || (m->table.len && !slice_eq(r->name, m->table)))
            return OWNER_DOUBTFUL;
        found = is_base(r) && is_key_of(r->table, m->name) ? OWNER_TABLE : OWNER_OTHER;
        *ret = r;
    }
    return found;
}

/* What the name means where the walk stands; of a table's column also the scope it is of. */
static enum owner resolve(struct planner *p, const struct mention *m, const struct table_ref **ret,
                          struct scope **ret_scope)
{
    for (struct scope *s = p->scope; s; s = s->outer) {
        if (s->united && !m->table.len)
            return OWNER_OTHER;
        enum owner o = owner_in(p, s, m, ret);
        *ret_scope = s;
        if (o != OWNER_NONE)
            return o;
    }
    return OWNER_NONE;
}

const struct table_ref *qualified_found(struct planner *p, const struct scope *s,
                                        const struct node *column)
{
    const struct table_ref *found = NULL;
    struct mention m = mention_of(p, column);
    enum owner o = owner_in(p, s, &m, &found);
    return o == OWNER_TABLE || o == OWNER_OTHER ? found : NULL;
}

const struct table_ref *qualified_resolved(struct planner *p, const struct scope *s,
                                           const struct node *column)
{
    struct mention m = mention_of(p, column);
    for (; s && !s->united; s = s->outer) {
        const struct table_ref *found = NULL;
        enum owner o = owner_in(p, s, &m, &found);
        if (o != OWNER_NONE)
            return o == OWNER_DOUBTFUL ? NULL : found;
    }
    return NULL;
}

struct table_ref *qualified_ref(struct planner *p, struct scope *s, const struct node *column)
{
    const struct table_ref *found = NULL;
    struct mention m = mention_of(p, column);
    if (!p->qualified || !is_key_name(p, m.name) || owner_in(p, s, &m, &found) != OWNER_TABLE)
        return NULL;
    struct table_ref *r = s->refs;
    while (r != found)
        r = r->next;
    return r;
}

/* ---- the expression ---- */

static void add_column(struct text *t, struct slice table, struct slice column)
{
    text_ident(t, table);
    text_add(t, ".");
    text_ident(t, column);
}

/* values: VALUES(partition_key) of the row that is inserted, whose tenant is that of the one there.
 */
static void add_key(struct text *t, const struct catalog_table *table, struct slice name,
                    bool values)
{
    if (!values) {
        add_column(t, name, slice_cstr(table->partition_key));
        return;
    }
    text_add(t, "VALUES(");
    text_ident(t, slice_cstr(table->partition_key));
    text_add(t, ")");
}

/* The default tenant's keys are shown as they are. */
static void add_expression(const struct planner *p, const struct catalog_table *table,
                           struct slice name, bool values, struct text *t)
{
    const struct config *c = p->topology->config;
    const char separator[] = { ',', ' ', '\'', c->key_separator, '\'', ',', ' ', '\0' };
    if (c->default_tenant) {
        text_add(t, "IF(");
        add_column(t, name, SLICE_LIT("tenant"));
        text_add(t, " = ");
        text_literal(t, slice_cstr(c->default_tenant));
        text_add(t, ", ");
        add_key(t, table, name, values);
        text_add(t, ", ");
    }
    text_add(t, "CONCAT(");
    add_column(t, name, SLICE_LIT("tenant"));
    text_add(t, separator);
    add_key(t, table, name, values);
    text_add(t, c->default_tenant ? "))" : ")");
}

/* Behind a quoted name no space was needed. */
static struct text begin_text(struct planner *p, const struct node *n)
{
    struct text t = { .arena = p->arena };
    if (p->l->tokens[n->first].kind != TOKEN_IDENT)
        text_add(&t, " ");
    return t;
}

static enum err_code replace(struct planner *p, const struct node *n, const struct text *t)
{
    return plan_edit(p, EDIT_REPLACE, n->first, n->last, text_slice(t));
}

static enum err_code put_expression(struct planner *p, const struct node *n,
                                    const struct catalog_table *table, struct slice name,
                                    bool values)
{
    struct text t = begin_text(p, n);
    add_expression(p, table, name, values, &t);
    return replace(p, n, &t);
}

bool qualified_expression(const struct planner *p, const struct catalog_table *table,
                          struct slice name, struct slice column, struct text *out)
{
    if (!p->qualified || !is_key_of(table, column))
        return false;
    add_expression(p, table, name.len ? name : slice_cstr(table->name), false, out);
    return true;
}

bool qualified_text(const struct planner *p, const struct catalog_table *table, struct slice name,
                    struct slice column, struct text *out)
{
    if (!qualified_expression(p, table, name, column, out))
        return false;
    text_add(out, " AS ");
    text_ident(out, column);
    return true;
}

/* ---- select lists ---- */

enum shown {
    SHOWN_NOT,
    SHOWN_KEY,  /* it is the key of one of the block's tables */
    SHOWN_OTHER /* something else is called so */
};

static enum shown item_shows(struct planner *p, const struct scope *s, const struct node *item,
                             struct slice name)
{
    const struct node *alias = node_find(item, N_ALIAS), *expr = item->child;
    const struct table_ref *ref;
    if (item->kind == N_STAR)
        return SHOWN_KEY;
    if (alias ? !alias->child || !slice_ieq(plan_name(p, alias), name)
              : expr->kind != N_COLUMN || !slice_ieq(plan_name(p, expr), name))
        return SHOWN_NOT;
    struct mention m = expr->kind == N_COLUMN ? mention_of(p, expr) : (struct mention){ 0 };
    bool is_key = m.name.len && owner_in(p, s, &m, &ref) == OWNER_TABLE;
    return is_key ? SHOWN_KEY : SHOWN_OTHER;
}

static enum shown read_list(struct planner *p, const struct scope *s, struct slice name)
{
    const struct node *list = s->block ? node_find(s->block, N_SELECT_LIST) : NULL;
    enum shown shown = s->block ? SHOWN_NOT : SHOWN_KEY;
    for (const struct node *c = list ? list->child : NULL; c; c = c->next) {
        enum shown here = item_shows(p, s, c, name);
        shown = here == SHOWN_OTHER || shown == SHOWN_NOT ? here : shown;
        p->looks++;
    }
    return shown;
}

/* What a list calls by the name of a key, of which the catalogue has few. */
struct listed_key {
    struct slice name;
    enum shown shown;
    const struct listed_key *next;
};

/* What the block's list, which is read once, calls by that name. */
static enum shown list_shows(struct planner *p, struct scope *s, struct slice name)
{
    for (const struct listed_key *k = s->listed_keys; k; k = k->next)
        if (slice_ieq(k->name, name))
            return k->shown;
    struct listed_key *k = arena_new(p->arena, struct listed_key);
    *k =
        (struct listed_key){ .name = name, .shown = read_list(p, s, name), .next = s->listed_keys };
    s->listed_keys = k;
    return k->shown;
}

static enum err_code doubt(struct planner *p, const struct mention *m)
{
    return reject(p, MQ_NOT_UNDERSTOOD,
                  "it is not certain whose column %.*s is; qualify it by its table",
                  NAME_FORMAT(m->name));
}

/* HAVING knows what is grouped and what is listed, and aggregates know all. */
static enum err_code in_having(struct planner *p, const struct node *column, struct scope *s,
                               const struct mention *m, const struct table_ref *ref)
{
    if (s->groups_key || p->aggregated)
        return put_expression(p, column, ref->table, ref->name, false);
    if (s == p->scope && !m->table.len && list_shows(p, s, m->name) == SHOWN_KEY)
        return MQ_OK;
    return reject(p, MQ_NOT_UNDERSTOOD,
                  "HAVING with %.*s, which is neither grouped by nor listed by its own name; use "
                  "WHERE",
                  NAME_FORMAT(m->name));
}

void qualified_pair_column(struct planner *p, const struct node *column, bool in_row)
{
    if (!p->paired)
        p->paired = arena_array(p->arena, uint8_t, p->l->count);
    p->paired[column->first] = in_row ? KEY_MEMBERS : KEY_PAIR;
}

/* m.`tenant`, m.`partition_key` */
static enum err_code put_pair(struct planner *p, const struct node *column,
                              const struct catalog_table *table, struct slice name)
{
    struct text t = begin_text(p, column);
    bool alone = p->paired[column->first] == KEY_PAIR;
    text_add(&t, alone ? "(" : "");
    add_column(&t, name, SLICE_LIT("tenant"));
    text_add(&t, ", ");
    add_column(&t, name, slice_cstr(table->partition_key));
    text_add(&t, alone ? ")" : "");
    return replace(p, column, &t);
}

static bool is_claimed(const struct planner *p, const struct node *column)
{
    return p->claimed && p->claimed[column->first];
}

enum err_code qualified_column(struct planner *p, const struct node *column, bool *ret_done)
{
    const struct table_ref *ref;
    struct scope *s;
    *ret_done = false;
    if (!p->qualified || p->naming || is_claimed(p, column))
        return MQ_OK;
    struct mention m = mention_of(p, column);
    enum owner o = is_key_name(p, m.name) ? resolve(p, &m, &ref, &s) : OWNER_NONE;
    if (o == OWNER_DOUBTFUL)
        return doubt(p, &m);
    if (o != OWNER_TABLE)
        return MQ_OK;
    if (s->ordering && !m.table.len && list_shows(p, s, m.name) == SHOWN_OTHER)
        return doubt(p, &m);
    *ret_done = true;
    if (p->paired && p->paired[column->first])
        return put_pair(p, column, ref->table, ref->name);
    return s->having ? in_having(p, column, s, &m, ref)
                     : put_expression(p, column, ref->table, ref->name, false);
}

enum err_code qualified_values(struct planner *p, const struct node *values, bool *ret_done)
{
    const struct node *column = values->child;
    const struct catalog_table *t = p->t->table;
    *ret_done = p->qualified && !p->naming && t && is_key_of(t, plan_name(p, column));
    return *ret_done ? put_expression(p, values, t, slice_cstr(t->name), true) : MQ_OK;
}

/* The table's key that the expression is, and nothing else; NULL: it is none. */
static const struct table_ref *key_column(struct planner *p, const struct node *expr,
                                          struct scope **ret_scope)
{
    const struct table_ref *ref;
    if (!p->qualified || expr->kind != N_COLUMN)
        return NULL;
    struct mention m = mention_of(p, expr);
    return is_key_name(p, m.name) && resolve(p, &m, &ref, ret_scope) == OWNER_TABLE ? ref : NULL;
}

const struct table_ref *qualified_owner(struct planner *p, const struct node *column)
{
    struct scope *s;
    return key_column(p, column, &s);
}

/* (a.`tenant` = b.`tenant` AND a.partition_key = b.partition_key), for any operator of equality. */
static enum err_code compare_tenants(struct planner *p, const struct node *compare,
                                     const struct table_ref *a, const struct table_ref *b)
{
    struct text t = { .arena = p->arena };
    text_add(&t, "(");
    add_column(&t, a->name, SLICE_LIT("tenant"));
    text_add(&t, compare->op == OP_EQ ? " = " : " <=> ");
    add_column(&t, b->name, SLICE_LIT("tenant"));
    text_add(&t, " AND ");
    enum err_code code = plan_edit(p, EDIT_BEFORE, compare->first, compare->first, text_slice(&t));
    return code ? code : plan_edit(p, EDIT_AFTER, compare->last, compare->last, SLICE_LIT(")"));
}

enum err_code qualified_compare(struct planner *p, const struct node *compare)
{
    struct scope *left = NULL, *right = NULL;
    const struct node *a = compare->child, *b = a->next;
    const struct table_ref *of_a = key_column(p, a, &left), *of_b = key_column(p, b, &right);
    bool equates = compare->op == OP_EQ || compare->op == OP_NULL_SAFE_EQ;
    if (!of_a || !of_b || left->having || right->having || (p->scatter && !equates))
        return MQ_OK;
    column_claim(p, a);
    column_claim(p, b);
    return p->scatter ? compare_tenants(p, compare, of_a, of_b) : MQ_OK;
}

/* ---- INSERT … SELECT: the key goes from table to table as it is ---- */

static enum err_code reject_inserted(struct planner *p)
{
    return reject(
        p, MQ_PARTITION_KEY,
        "the partition key that INSERT … SELECT writes is neither a queue table's own nor "
        "a plain value");
}

static enum err_code inserted_item(struct planner *p, const struct node *expr)
{
    struct scope *s;
    const struct table_ref *ref = key_column(p, expr, &s);
    if (ref ? ref->target != NULL : !qualified_is_value(p, expr))
        return reject_inserted(p); /* also one that an outer join may leave out */
    if (ref)
        column_claim(p, expr);
    else
        qualified_add(p, plan_value(p, expr), false);
    p->untied |= ref && !ref->tied;
    return MQ_OK;
}

enum err_code qualified_star(struct planner *p, const struct scope *s, const struct node *list,
                             const struct node *star, bool *ret_plain)
{
    const struct table_ref *r = s->refs;
    *ret_plain = p->inserted_key >= 0 && !p->inner && p->t->writes;
    if (!p->qualified || !*ret_plain) {
        *ret_plain = false;
        return MQ_OK;
    }
    bool alone = list->child == star && !star->next && r && !r->next && is_base(r);
    if (!alone || !r->table->partition_key || plan_shows_tenant(p) ||
        catalog_column_index(r->table, slice_cstr(r->table->partition_key)) != p->inserted_key)
        return reject_inserted(p);
    p->untied |= !r->tied;
    return MQ_OK;
}

enum err_code qualified_item(struct planner *p, const struct node *item, bool inserted,
                             size_t index)
{
    struct scope *s;
    struct text t = { .arena = p->arena };
    if (!p->qualified)
        return MQ_OK;
    if (inserted)
        return p->inserted_key == (int)index ? inserted_item(p, item->child) : MQ_OK;
    if (node_find(item, N_ALIAS) || !key_column(p, item->child, &s))
        return MQ_OK;
    text_add(&t, " AS ");
    text_ident(&t, plan_name(p, item->child));
    return plan_edit(p, EDIT_AFTER, item->last, item->last, text_slice(&t));
}

/* ---- GROUP BY, ORDER BY, HAVING ---- */

static const struct node *bare_item(const struct node *n)
{
    return n->kind == N_ORDER_ITEM ? n->child : n;
}

/* By tenant and key, as the table's keys have them: HAVING may then ask for both. */
static enum err_code group_item(struct planner *p, struct scope *s, const struct node *column,
                                const struct table_ref *ref)
{
    struct text t = begin_text(p, column);
    add_column(&t, ref->name, SLICE_LIT("tenant"));
    text_add(&t, ", ");
    add_column(&t, ref->name, slice_cstr(ref->table->partition_key));
    column_claim(p, column);
    s->groups_key = true;
    return replace(p, column, &t);
}

enum err_code qualified_group_by(struct planner *p, struct scope *s, const struct node *group)
{
    enum err_code code = MQ_OK;
    for (const struct node *c = group->child; c && !code; c = c->next) {
        struct scope *found;
        const struct node *item = bare_item(c);
        const struct table_ref *ref = key_column(p, item, &found);
        if (ref && group->op == KW_ROLLUP)
            return reject(p, MQ_NOT_UNDERSTOOD,
                          "WITH ROLLUP over a partition key would add up the tenants, too");
        code = ref && found == s ? group_item(p, s, item, ref) : visit(p, c);
    }
    return code;
}

/* One tenant's rows are ordered alike by the qualified key and by the key alone, which an index
 * has. */
static bool orders_alike(const struct planner *p, const struct scope *s)
{
    bool grouped =
        s->block && (s->block->flags & NODE_F_DISTINCT || node_find(s->block, N_GROUP_BY));
    return !p->scatter && !grouped;
}

/* The number of the list's column that is the key and nothing else; 0: there is none, or a star
 * stands before it. */
static uint32_t listed_number(struct planner *p, const struct scope *s, const struct table_ref *ref)
{
    const struct node *list = s->block ? node_find(s->block, N_SELECT_LIST) : NULL;
    uint32_t number = 0;
    for (const struct node *c = list ? list->child : NULL; c && c->kind != N_STAR; c = c->next) {
        struct scope *found;
        number++;
        if (key_column(p, c->child, &found) == ref && found == s)
            return number;
    }
    return 0;
}

/* MariaDB loses rows of a DISTINCT that is ordered by an expression it also lists, when that makes
 * one character set of two: a number says the same. */
static enum err_code order_listed(struct planner *p, const struct node *expr, uint32_t number)
{
    struct text t = begin_text(p, expr);
    column_claim(p, expr);
    text_add(&t, arena_printf(p->arena, "%u", (unsigned)number));
    return replace(p, expr, &t);
}

static enum err_code order_item(struct planner *p, struct scope *s, const struct node *item)
{
    struct scope *found;
    const struct node *expr = item->child;
    const struct table_ref *ref = key_column(p, expr, &found);
    bool qualified = ref && expr->child->next;
    bool distinct = s->block && s->block->flags & NODE_F_DISTINCT;
    enum shown shown = ref && !qualified ? list_shows(p, s, plan_name(p, expr)) : SHOWN_NOT;
    uint32_t number =
        distinct && ref && found == s && shown == SHOWN_NOT ? listed_number(p, s, ref) : 0;
    if (number)
        return order_listed(p, expr, number);
    if (!ref || found != s || (shown == SHOWN_NOT && !orders_alike(p, s)))
        return visit(p, item);
    column_claim(p, expr);
    if (shown == SHOWN_OTHER || !orders_alike(p, s))
        return visit(p, item);
    struct text t = begin_text(p, expr);
    add_column(&t, ref->name, slice_cstr(ref->table->partition_key));
    return replace(p, expr, &t);
}

enum err_code qualified_order_by(struct planner *p, const struct node *order)
{
    struct scope *s = p->scope;
    enum err_code code = MQ_OK;
    if (!p->qualified || !s)
        return visit(p, order);
    s->ordering = true;
    for (const struct node *c = order->child; c && !code; c = c->next)
        code = order_item(p, s, c);
    s->ordering = false;
    return code;
}

enum err_code qualified_having(struct planner *p, struct scope *s, const struct node *having)
{
    s->having = true;
    enum err_code code = visit(p, having);
    s->having = false;
    return code;
}

/* ---- joins by name ---- */

static bool names_key(struct planner *p, const struct node *use)
{
    for (const struct node *c = use ? use->child : NULL; c; c = c->next)
        if (is_key_name(p, plan_name(p, c)))
            return true;
    return false;
}

enum err_code qualified_join(struct planner *p, const struct node *join,
                             const struct table_ref *refs)
{
    const struct node *use = node_find(join, N_USING);
    if (!p->qualified || (use && !names_key(p, use)))
        return MQ_OK;
    for (const struct table_ref *r = refs; r; r = r->next)
        if (r->table && r->table->partition_key)
            return reject(p, MQ_NOT_UNDERSTOOD,
                          "NATURAL or USING over the partition key of %s; write ON instead",
                          r->table->name);
    return MQ_OK;
}
