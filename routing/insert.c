/* INSERT and REPLACE: the tenant's column and value come first in the column list, in each
 * row and in SET; behind a select list they come last, since ORDER BY and GROUP BY may count
 * its items. A missing column list is written out. */
#include "routing/plan_int.h"

#include "routing/qualified.h"

/* The names of the columns once, so that long inserts do not look for them in each row. */
struct column_names {
    struct slice *items;
    size_t count;
};

struct insert {
    const struct node *statement;
    const struct node *target;  /* TABLE */
    const struct node *columns; /* COLUMNS, NULL when missing or empty */
    const struct node *query;   /* the values are a query's */
    const struct catalog_table *table;
    bool names_tenant;   /* the client's columns have it, at tenant_index */
    size_t tenant_index;
    struct column_names names;
};

static const char tenant_value[] = { EDIT_TENANT, ',', ' ', 0 };
static const char tenant_alone[] = { EDIT_TENANT, 0 };
static const char behind_values[] = { ',', ' ', EDIT_TENANT, 0 };

/* ---- columns ---- */

static enum err_code visit_column(struct planner *p, struct insert *in, const struct node *column,
                                  size_t index)
{
    if (column_is_tenant(p, column)) {
        if (in->names_tenant)
            return reject(p, MQ_COLUMN_TENANT, "the column list names `tenant` twice");
        in->names_tenant = true;
        in->tenant_index = index;
        column_claim(p, column);
    }
    bool naming = p->naming;
    p->naming = true;
    enum err_code code = visit(p, column);
    p->naming = naming;
    return code;
}

static enum err_code visit_columns(struct planner *p, struct insert *in)
{
    size_t index = 0;
    for (const struct node *c = in->columns->child; c; c = c->next) {
        enum err_code code = visit_column(p, in, c, index++);
        if (code)
            return code;
    }
    return MQ_OK;
}

static enum err_code add_column(struct planner *p, struct insert *in)
{
    enum err_code code = visit_columns(p, in);
    if (code || in->names_tenant)
        return code;
    uint32_t first = in->columns->first, last = in->columns->last;
    return in->query ? plan_edit(p, EDIT_BEFORE, last, last, SLICE_LIT(", tenant"))
                     : plan_edit(p, EDIT_AFTER, first, first, SLICE_LIT("tenant, "));
}

/* No column list: all that the client knows. `VALUES ()` means every column's default. */
static enum err_code write_columns(struct planner *p, struct insert *in, bool empty_rows)
{
    const struct node *list = node_find(in->statement, N_COLUMNS); /* () */
    struct text t = { .arena = p->arena };
    bool known = plan_shows_tenant(p) && !empty_rows;
    text_add(&t, list ? "(" : " (");
    if (!known && !in->query)
        text_add(&t, empty_rows ? "tenant" : "tenant, ");
    if (!empty_rows)
        star_columns(p, in->table, slice_of("", 0), &t);
    text_add(&t, in->query && !known ? ", tenant)" : ")");
    in->names_tenant = known;
    if (list)
        return plan_edit(p, EDIT_REPLACE, list->first, list->last, text_slice(&t));
    return plan_edit(p, EDIT_AFTER, in->target->last, in->target->last, text_slice(&t));
}

/* ---- values ---- */

static enum err_code claim_value(struct planner *p, const struct node *value)
{
    struct value_ref ref = plan_value(p, value);
    if (ref.kind != VALUE_TOKENS && ref.kind != VALUE_PARAM)
        return reject(p, MQ_TENANT_VALUE,
                      "the value of `tenant` is neither a literal nor a parameter");
    struct value_ref *v = vector_add(&p->sql_tenants, p->arena, sizeof *v);
    *v = ref;
    v->origin = ORIGIN_ROW;
    return MQ_OK;
}

/* What one column of one row says; row is NULL for tables without metadata. */
static enum err_code take_value(struct planner *p, const struct insert *in, struct slice column,
                                const struct node *value, struct row_source *row)
{
    if (slice_ieq_cstr(column, "tenant"))
        return claim_value(p, value);
    struct value_ref ref = plan_value(p, value);
    struct identifier_check *check = column_check_value(p, in->table, column, ref);
    if (check)
        check->inserted = true;
    if (row && slice_ieq_cstr(column, "metadata"))
        row->metadata = ref;
    else if (row && slice_ieq_cstr(column, "payload"))
        row->payload = ref;
    enum err_code code = qualified_stored(p, in->table, column, value, true);
    return code ? code : charset_stored(p, in->table, column, value);
}

static struct row_source *add_row(struct planner *p, const struct insert *in)
{
    return in->table->has_metadata ? vector_add(&p->rows, p->arena, sizeof(struct row_source))
                                   : NULL;
}

/* ---- rows ---- */

static void add_name(struct column_names *names, struct slice name)
{
    names->items[names->count++] = name;
}

static struct column_names list_columns(struct planner *p, const struct insert *in)
{
    struct column_names names = { .count = 0 };
    size_t most = in->columns ? node_children(in->columns) : in->table->column_count + 1;
    names.items = arena_array(p->arena, struct slice, most + 1);
    for (const struct node *c = in->columns ? in->columns->child : NULL; c; c = c->next)
        add_name(&names, plan_name(p, c));
    if (in->columns)
        return names;
    if (in->names_tenant)
        add_name(&names, SLICE_LIT("tenant"));
    for (size_t i = 0; i < in->table->column_count; i++)
        add_name(&names, slice_cstr(in->table->columns[i].name));
    return names;
}

static uint32_t open_paren(const struct planner *p, const struct node *row)
{
    return token_is_op(&p->l->tokens[row->first], OP_LPAREN) ? row->first : row->first + 1;
}

/* A row that names no key belongs to whatever tenant is found elsewhere. keys: in front of it. */
static enum err_code tie_row(struct planner *p, const struct insert *in, size_t keys)
{
    p->untied |= p->keys.count == keys;
    bool missing = p->qualified && in->table->partition_key && p->keys.count == keys;
    return missing ? qualified_missing(p, in->table) : MQ_OK;
}

static enum err_code visit_row(struct planner *p, const struct insert *in, const struct node *row)
{
    struct row_source *source = add_row(p, in);
    size_t keys = p->keys.count;
    uint32_t paren = open_paren(p, row);
    size_t index = 0;
    p->t->insert_rows++;
    enum err_code code = MQ_OK;
    if (!in->names_tenant)
        code = plan_edit(p, EDIT_AFTER, paren, paren,
                         slice_cstr(row->child ? tenant_value : tenant_alone));
    for (const struct node *v = row->child; v && !code; v = v->next, index++) {
        if (index < in->names.count)
            code = take_value(p, in, in->names.items[index], v, source);
        if (!code)
            code = visit(p, v);
    }
    if (!code)
        code = tie_row(p, in, keys);
    if (!code && in->names_tenant && index <= in->tenant_index)
        return reject(p, MQ_TENANT_VALUE, "a row has no value for `tenant`");
    return code;
}

static enum err_code insert_rows(struct planner *p, struct insert *in, const struct node *rows)
{
    bool empty = rows->child && !rows->child->child;
    for (const struct node *r = rows->child; r; r = r->next)
        if (!in->columns && !r->child != empty)
            return reject(p, MQ_NOT_UNDERSTOOD, "rows with and without values in one INSERT");
    enum err_code code = in->columns ? add_column(p, in) : write_columns(p, in, empty);
    in->names = list_columns(p, in);
    for (const struct node *r = rows->child; r && !code; r = r->next)
        code = visit_row(p, in, r);
    return code;
}

/* ---- SET ---- */

static enum err_code insert_set(struct planner *p, struct insert *in, const struct node *list)
{
    struct row_source *source = add_row(p, in);
    enum err_code code = MQ_OK;
    size_t keys = p->keys.count;
    p->t->insert_rows = 1;
    for (const struct node *a = list->child; a && !code; a = a->next) {
        code = visit_column(p, in, a->child, 0);
        if (!code)
            code = take_value(p, in, plan_name(p, a->child), a->child->next, source);
        if (!code)
            code = visit(p, a->child->next);
    }
    if (!code)
        code = tie_row(p, in, keys);
    if (code || in->names_tenant)
        return code;
    char *lead = arena_printf(p->arena, " tenant = %c,", EDIT_TENANT);
    return plan_edit(p, EDIT_AFTER, list->first, list->first, slice_cstr(lead));
}

/* ---- SELECT ---- */

/* Of the columns from the ith on the values are not known. */
static enum err_code check_unknown(struct planner *p, const struct insert *in, size_t i)
{
    enum err_code code = MQ_OK;
    for (; i < in->names.count && !code; i++)
        code = charset_stored(p, in->table, in->names.items[i], NULL);
    return code;
}

/* The select list or row of one branch; behind a star it is not known which column is which. */
static enum err_code check_selected(struct planner *p, const struct insert *in,
                                    const struct node *list)
{
    enum err_code code = MQ_OK;
    const struct node *c = list->child;
    size_t i = 0;
    for (; c && !code && c->kind != N_STAR && i < in->names.count; c = c->next, i++) {
        const struct node *value = c->kind == N_SELECT_ITEM ? c->child : c;
        column_check_value(p, in->table, in->names.items[i], plan_value(p, value));
        code = charset_stored(p, in->table, in->names.items[i], value);
    }
    return code || !c ? code : check_unknown(p, in, i);
}

static enum err_code extend_query(struct planner *p, const struct insert *in,
                                  const struct node *query);

static enum err_code extend_rows(struct planner *p, const struct insert *in,
                                 const struct node *rows)
{
    enum err_code code = MQ_OK;
    for (const struct node *r = rows->child; r && !code; r = r->next) {
        code = check_selected(p, in, r);
        if (!code && !in->names_tenant)
            code = plan_edit(p, EDIT_BEFORE, r->last, r->last, slice_cstr(behind_values));
    }
    return code;
}

static enum err_code extend_block(struct planner *p, const struct insert *in,
                                  const struct node *block)
{
    const struct node *list = node_find(block, N_SELECT_LIST);
    enum err_code code = check_selected(p, in, list);
    if (code || in->names_tenant)
        return code;
    return plan_edit(p, EDIT_AFTER, list->last, list->last, slice_cstr(behind_values));
}

static enum err_code extend_body(struct planner *p, const struct insert *in,
                                 const struct node *body)
{
    for (; body->kind == N_SET_OP; body = body->child) {
        enum err_code code = extend_body(p, in, body->child->next);
        if (code)
            return code;
    }
    if (body->kind == N_QUERY_PAREN)
        return extend_query(p, in, body->child);
    if (body->kind == N_VALUES_ROWS)
        return extend_rows(p, in, body);
    if (body->kind == N_BLOCK)
        return extend_block(p, in, body);
    enum err_code code = check_unknown(p, in, 0);
    if (code)
        return code;
    /* TABLE t: in front of the FROM that it was given (query.c) */
    return plan_edit(p, EDIT_BEFORE, body->first, body->first, slice_cstr(behind_values));
}

static enum err_code extend_query(struct planner *p, const struct insert *in,
                                  const struct node *query)
{
    const struct node *body = query->child;
    return extend_body(p, in, body->kind == N_WITH ? body->next : body);
}

/* The client inserts a tenant of its own: only as a literal or parameter of one block. */
static enum err_code claim_select(struct planner *p, const struct insert *in,
                                  const struct node *query)
{
    const struct node *block = node_find(query, N_BLOCK);
    const struct node *list = block ? node_find(block, N_SELECT_LIST) : NULL;
    const struct node *item = list ? list->child : NULL;
    for (size_t i = 0; item && i < in->tenant_index && item->kind == N_SELECT_ITEM; i++)
        item = item->next;
    if (!item || item->kind != N_SELECT_ITEM)
        return reject(p, MQ_TENANT_VALUE,
                      "the value of `tenant` cannot be found in the select list");
    return claim_value(p, item->child);
}

/* What a query computes cannot be checked. */
static enum err_code refuse_counter(struct planner *p, const struct insert *in)
{
    for (size_t i = 0; i < in->names.count; i++) {
        int index = catalog_column_index(in->table, in->names.items[i]);
        if (index >= 0 && in->table->columns[index].check == CHECK_COUNTER)
            return reject(p, MQ_COUNTER_VALUE, "INSERT … SELECT into the AUTO_INCREMENT column %s",
                          in->table->columns[index].name);
    }
    return MQ_OK;
}

/* Which of the columns is the partition key; -1: none of them. */
static int key_index(const struct planner *p, const struct insert *in)
{
    for (size_t i = 0; p->qualified && in->table->partition_key && i < in->names.count; i++)
        if (slice_ieq_cstr(in->names.items[i], in->table->partition_key))
            return (int)i;
    return -1;
}

static enum err_code visit_query(struct planner *p, const struct insert *in,
                                 const struct node *query)
{
    struct scope *scope = p->scope;
    p->inserted_key = key_index(p, in);
    p->untied |= p->inserted_key < 0;
    p->scope = NULL;
    enum err_code code = MQ_OK;
    if (p->qualified && p->inserted_key < 0 && in->table->partition_key)
        code = qualified_missing(p, in->table);
    if (!code)
        code = query_visit(p, query);
    p->scope = scope;
    p->inserted_key = -1;
    return code;
}

static enum err_code insert_select(struct planner *p, struct insert *in, const struct node *query)
{
    enum err_code code = in->columns ? add_column(p, in) : write_columns(p, in, false);
    in->names = list_columns(p, in);
    if (!code)
        code = refuse_counter(p, in);
    if (!code && in->names_tenant)
        code = claim_select(p, in, query);
    if (!code)
        code = visit_query(p, in, query);
    return code ? code : extend_query(p, in, query);
}

/* ---- the statement ---- */

static enum err_code insert_source(struct planner *p, struct insert *in)
{
    const struct node *rows = node_find(in->statement, N_ROWS);
    const struct node *list = node_find(in->statement, N_ASSIGNMENTS);
    if (rows)
        return insert_rows(p, in, rows);
    if (list)
        return insert_set(p, in, list);
    return in->query ? insert_select(p, in, in->query)
                 : reject(p, MQ_NOT_UNDERSTOOD, "an INSERT without values");
}

/* AS new (a, b): the names must be as many as the columns. */
static enum err_code visit_row_alias(struct planner *p, const struct insert *in,
                                     const struct node *alias)
{
    const struct node *names = node_find(alias, N_COLUMNS);
    enum err_code code = visit(p, alias->child);
    if (code || !names)
        return code;
    if (key_index(p, in) >= 0)
        return reject(p, MQ_NOT_UNDERSTOOD,
                      "names for the columns of the new row; leave them out, and name %s by the "
                      "row's alias",
                      in->table->partition_key);
    code = visit(p, names);
    if (code || in->names_tenant)
        return code;
    return plan_edit(p, EDIT_AFTER, names->first, names->first, SLICE_LIT("tenant, "));
}

static enum err_code visit_duplicate(struct planner *p, const struct insert *in,
                                     const struct node *list)
{
    enum err_code code = MQ_OK;
    p->t->upsert = true;
    for (const struct node *a = list->child; a && !code; a = a->next)
        code = column_assigned(p, in->table, a);
    return code;
}

static enum err_code visit_rest(struct planner *p, const struct insert *in)
{
    const struct node *alias = node_find(in->statement, N_ROW_ALIAS);
    const struct node *update = node_find(in->statement, N_ON_DUPLICATE);
    const struct node *returning = node_find(in->statement, N_RETURNING);
    enum err_code code = alias ? visit_row_alias(p, in, alias) : MQ_OK;
    if (!code && update)
        code = visit_duplicate(p, in, update);
    return !code && returning ? star_list(p, p->scope, returning) : code;
}

/* What expressions see: the table, by the row's alias as well; behind a query more. */
static void open_target(struct planner *p, const struct insert *in)
{
    const struct node *alias = node_find(in->statement, N_ROW_ALIAS);
    struct scope *s = arena_new(p->arena, struct scope);
    struct table_ref *refs = arena_array(p->arena, struct table_ref, 2);
    refs[0] = refs[1] = (struct table_ref){ .node = in->target,
                                            .table = in->table,
                                            .name = slice_cstr(in->table->name) };
    if (alias) {
        refs[0].next = &refs[1];
        refs[1].name = plan_name(p, alias->child);
    }
    *s = (struct scope){ .refs = refs, .count = 1, .queue_count = 1, .open = in->query != NULL };
    p->scope = s;
}

enum err_code insert_plan(struct planner *p, const struct node *statement)
{
    struct insert in = { .statement = statement,
                         .target = node_find(statement, N_TABLE),
                         .columns = node_find(statement, N_COLUMNS),
                         .query = node_find(statement, N_QUERY) };
    if (temporary_is_target(p, in.target))
        return temporary_insert(p, statement);
    if (in.columns && !in.columns->child)
        in.columns = NULL; /* to the servers () is no list */
    enum err_code code = names_queue_table(p, in.target->child, &in.table);
    if (!code)
        code = hints_visit(p, in.table, in.target);
    if (code)
        return code;
    names_count(p, in.table, "column list");
    p->t->writes = true;
    p->t->has_counter = catalog_counter(in.table) != NULL;
    p->ignores = statement->flags & NODE_F_IGNORE;
    p->t->is_select = node_find(statement, N_RETURNING) != NULL;
    open_target(p, &in);
    code = insert_source(p, &in);
    if (!code)
        code = visit_rest(p, &in);
    return code ? code : plan_settle(p);
}
