/* Columns of the tables that a statement of several tenants reads: which one a name means, how
 * its values compare, and its place in the rows that the shards answer with. */
#include "routing/qualified.h"
#include "routing/scatter_int.h"

#include "vschema/definition.h"

struct scatter_item *scatter_item(struct scatter *x, size_t index)
{
    return (struct scatter_item *)x->items.items + index;
}

bool scatter_same_column(const struct scatter_column *a, const struct scatter_column *b)
{
    return a->ref && a->ref == b->ref && a->column == b->column;
}

bool scatter_is_partition_key(const struct scatter_column *column)
{
    const char *key = column->ref ? column->ref->table->partition_key : NULL;
    return key && slice_ieq_cstr(slice_cstr(column->column->name), key);
}

bool scatter_is_counter(const struct scatter_column *column)
{
    return column->ref && column->column == catalog_counter(column->ref->table);
}

/* ---- names ---- */

/* The qualifier of t.x and db.t.x; NULL of x. */
static const struct node *qualifier_of(const struct node *column)
{
    const struct node *ident = plan_last_ident(column), *qualifier = NULL;
    for (const struct node *c = column->child; c && c != ident; c = c->next)
        qualifier = c;
    return qualifier;
}

bool scatter_find_column(struct planner *p, const struct node *column, struct scatter_column *ret)
{
    const struct node *qualifier = qualifier_of(column);
    struct slice name = plan_name(p, column);
    struct scatter_column one = { NULL, NULL };
    size_t found = 0;
    for (const struct table_ref *r = p->scatter->scope->refs; r; r = r->next) {
        if (qualifier && !slice_eq(token_ident(p->l, qualifier->first, p->arena), r->name))
            continue;
        int index = r->table ? catalog_column_index(r->table, name) : -1;
        found += index >= 0 || !r->table; /* a query's columns are not looked at here */
        if (index >= 0)
            one = (struct scatter_column){ r, &r->table->columns[index] };
    }
    bool certain = found == 1 && one.ref;
    if (certain)
        *ret = one;
    return certain;
}

enum { NAMES_MAX = 1024 }; /* each is compared with the items */

/* The items that the name may mean are one and the same, or there is none. */
static bool find_item(struct scatter *x, struct slice name, int32_t *ret)
{
    *ret = -1;
    for (size_t i = 0; i < x->recipe.shown; i++) {
        const struct scatter_item *item = scatter_item(x, i);
        if (!item->name.len || !slice_ieq(item->name, name))
            continue;
        if (*ret >= 0 &&
            !scatter_same_column(&scatter_item(x, (size_t)*ret)->column, &item->column))
            return false;
        if (*ret < 0)
            *ret = (int32_t)i;
    }
    return true;
}

static enum err_code ambiguous(struct planner *p, struct slice name)
{
    return scatter_refuse(p, "`%.*s` may mean more than one column; rename the alias",
                          NAME_FORMAT(name));
}

static enum err_code unknown(struct planner *p, struct slice name, bool bare)
{
    return scatter_refuse(p,
                          bare ? "it is not known which table's column `%.*s` is; qualify it by its "
                                 "table"
                               : "`%.*s` is a column of no queue table, and how its values compare "
                                 "is not known; take one of a table",
                          NAME_FORMAT(name));
}

enum err_code scatter_resolve(struct planner *p, const struct node *column, int32_t *ret_item,
                              struct scatter_column *ret)
{
    struct slice name = plan_name(p, column);
    if (++p->scatter->names > NAMES_MAX)
        return scatter_refuse(p, "its clauses name more than %d columns; write fewer", NAMES_MAX);
    bool bare = !qualifier_of(column);
    *ret = (struct scatter_column){ NULL, NULL };
    *ret_item = -1;
    bool is_column = scatter_find_column(p, column, ret);
    if (bare && !find_item(p->scatter, name, ret_item))
        return ambiguous(p, name);
    if (*ret_item < 0)
        return is_column ? MQ_OK : unknown(p, name, bare);
    const struct scatter_column *meant = &scatter_item(p->scatter, (size_t)*ret_item)->column;
    if (is_column && !scatter_same_column(meant, ret))
        return ambiguous(p, name);
    *ret = *meant;
    return MQ_OK;
}

/* ---- how they compare ---- */

enum { SORTED_BYTES = 1024 }; /* max_sort_length: beyond it servers do not look */

/* Code points in their order, the shorter text padded with spaces: bytes compare alike. */
static bool is_binary_collation(struct slice collation)
{
    return slice_ieq_cstr(collation, "ascii_bin") || slice_ieq_cstr(collation, "utf8mb4_bin");
}

static uint8_t compare_of(const struct column_definition *d)
{
    switch (d->type->kind) {
    case COLUMN_INTEGER:
    case COLUMN_BOOLEAN:
        return d->zerofill ? COMPARE_NONE : MERGE_AS_INTEGER;
    case COLUMN_DECIMAL:
        return d->zerofill ? COMPARE_NONE : MERGE_AS_DECIMAL;
    case COLUMN_CHAR:
        return is_binary_collation(d->collation) && d->first * d->charset_bytes <= SORTED_BYTES
                   ? MERGE_AS_TEXT
                   : COMPARE_NONE;
    case COLUMN_BINARY:
        return d->first <= SORTED_BYTES ? MERGE_AS_BYTES : COMPARE_NONE;
    default:
        return COMPARE_NONE;
    }
}

static const struct column_definition *definition_of(struct planner *p,
                                                     const struct scatter_column *column)
{
    const struct table_definition *table;
    if (!column->ref || define_table(column->ref->table, true, p->arena, &table, NULL))
        return NULL;
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, column->column->name) == 0)
            return &table->columns[i];
    return NULL;
}

uint8_t scatter_compare(struct planner *p, const struct scatter_column *column)
{
    const struct column_definition *d = definition_of(p, column);
    return d ? compare_of(d) : COMPARE_NONE;
}

bool scatter_same_type(struct planner *p, const struct scatter_column *a,
                       const struct scatter_column *b)
{
    const struct column_definition *x = definition_of(p, a), *y = definition_of(p, b);
    return x && y && x->type == y->type && x->is_unsigned == y->is_unsigned &&
           x->second == y->second && slice_ieq(x->collation, y->collation);
}

/* ---- their places ---- */

void scatter_column_text(struct planner *p, const struct scatter_column *column, struct text *out)
{
    struct slice name = slice_cstr(column->column->name);
    if (qualified_expression(p, column->ref->table, column->ref->name, name, out))
        return;
    if (p->scatter->scope->count > 1 || column->ref->has_alias) {
        text_ident(out, column->ref->name);
        text_add(out, ".");
    }
    text_ident(out, name);
}

static uint32_t add_hidden(struct planner *p, const char *call, const struct scatter_column *column)
{
    struct scatter *x = p->scatter;
    struct scatter_item *item = vector_add(&x->items, p->arena, sizeof *item);
    *item = (struct scatter_item){ .call = NULL };
    x->hidden.arena = p->arena;
    text_add(&x->hidden, ", ");
    text_add(&x->hidden, call);
    if (column)
        scatter_column_text(p, column, &x->hidden);
    else
        text_add(&x->hidden, "*");
    if (*call)
        text_add(&x->hidden, ")");
    else
        item->column = *column;
    return (uint32_t)x->items.count - 1;
}

uint32_t scatter_place(struct planner *p, const struct scatter_column *column)
{
    struct scatter *x = p->scatter;
    for (size_t i = 0; i < x->items.count; i++)
        if (scatter_same_column(&scatter_item(x, i)->column, column))
            return (uint32_t)i;
    return add_hidden(p, "", column);
}

uint32_t scatter_place_call(struct planner *p, const char *call,
                            const struct scatter_column *column)
{
    return add_hidden(p, call, column);
}
