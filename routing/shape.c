/* Which columns `*` means, in the order that the servers give them. NATURAL and USING merge
 * the columns of the same name:
 *
 *   a JOIN b USING (x)         x, the rest of a, the rest of b
 *   a RIGHT JOIN b USING (x)   x, the rest of b, the rest of a
 *   a JOIN (b RIGHT JOIN c ON …) USING (x)
 *                              x, the rest of a, then MySQL: of c, of b; MariaDB: of b, of c
 *
 * A merged column has the value of the table that was named first here; only of an outer
 * join's nullable side could it differ, and that one never is. */
#include "routing/name_index.h"

enum { COLUMNS_MAX = 4096 }; /* of a table, MySQL's own limit (error 1117) */

static void add(struct planner *p, struct vector *v, struct slice name, const struct table_ref *ref)
{
    struct shown_column *c = vector_add(v, p->arena, sizeof *c);
    p->looks++;
    *c = (struct shown_column){ .name = name, .ref = ref };
}

/* Servers fold the case of names; of letters that we do not fold, we do not know. */
static bool is_plain(struct slice name)
{
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.data[i] < 0x20 || (unsigned char)name.data[i] >= 0x80)
            return false;
    return name.len > 0;
}

/* ---- queries ---- */

/* The columns are another reference's, seen through this one. */
static void see_through(struct planner *p, const struct table_ref *r, const struct vector *inner,
                        struct vector *ret)
{
    const struct shown_column *columns = inner->items;
    for (size_t i = 0; i < inner->count; i++)
        add(p, ret, columns[i].name, r);
}

/* An expression without an alias is called by its text, literals and white space included, which
 * a template does not know: it serves statements with other ones. */
static bool item_name(struct planner *p, const struct node *item, struct slice *ret)
{
    const struct node *alias = node_find(item, N_ALIAS);
    if (alias && !alias->child)
        return false; /* AS 'text' */
    if (!alias && item->child->kind != N_COLUMN)
        return false;
    *ret = plan_name(p, alias ? alias : item->child);
    return is_plain(*ret);
}

static const struct table_ref *qualified_ref(struct planner *p, const struct scope *s,
                                             const struct node *star)
{
    struct slice name = plan_name(p, star);
    for (const struct table_ref *r = s->refs; r; r = r->next)
        if (slice_eq(r->name, name))
            return r;
    return NULL;
}

bool shape_star(struct planner *p, const struct scope *s, const struct node *star,
                struct vector *ret)
{
    if (!star->child)
        return shape_scope(p, s, ret);
    const struct table_ref *r = qualified_ref(p, s, star);
    return r && shape_ref(p, r, ret);
}

static bool list_columns(struct planner *p, const struct shape *shape, struct vector *ret)
{
    for (const struct node *c = shape->list->child; c; c = c->next) {
        struct slice name;
        if (c->kind == N_STAR) {
            if (!shape_star(p, shape->scope, c, ret))
                return false;
        } else if (item_name(p, c, &name)) {
            add(p, ret, name, NULL);
        } else {
            return false;
        }
    }
    return true;
}

/* ---- references ---- */

static void table_columns(struct planner *p, const struct catalog_table *table,
                          const struct table_ref *r, struct vector *ret)
{
    if (plan_shows_tenant(p))
        add(p, ret, SLICE_LIT("tenant"), r);
    for (size_t i = 0; i < table->column_count; i++)
        add(p, ret, slice_cstr(table->columns[i].name), r);
}

static bool named_columns(struct planner *p, const struct table_ref *r, struct vector *ret)
{
    for (const struct node *c = r->columns->child; c; c = c->next) {
        struct slice name = plan_name(p, c);
        if (!is_plain(name))
            return false;
        add(p, ret, name, r);
    }
    return true;
}

static bool query_columns(struct planner *p, const struct table_ref *r, struct vector *ret)
{
    struct vector inner = { NULL, 0, 0 };
    if (r->columns)
        return named_columns(p, r, ret);
    if (!r->shape)
        return false;
    if (r->shape->table)
        table_columns(p, r->shape->table, r, &inner);
    else if (!list_columns(p, r->shape, &inner))
        return false;
    see_through(p, r, &inner, ret);
    return true;
}

/* The columns of a query, read once however often they are asked for. */
struct shown_list {
    bool made, complete;
    struct vector columns; /* struct shown_column */
    struct name_index names;
};

struct shown_list *shape_list(struct planner *p)
{
    return arena_new(p->arena, struct shown_list);
}

static struct shown_list *listed(struct planner *p, const struct table_ref *r)
{
    struct shown_list *l = r->shown;
    if (l->made)
        return l;
    l->made = true;
    l->complete = query_columns(p, r, &l->columns);
    const struct shown_column *columns = l->columns.items;
    for (size_t i = 0; i < l->columns.count; i++)
        name_index_add(&l->names, p->arena, columns[i].name, NULL);
    return l;
}

bool shape_ref(struct planner *p, const struct table_ref *r, struct vector *ret)
{
    if (r->table) {
        table_columns(p, r->table, r, ret);
        return ret->count <= COLUMNS_MAX;
    }
    const struct shown_list *l = listed(p, r);
    if (!l->complete || ret->count > COLUMNS_MAX)
        return false;
    see_through(p, r, &l->columns, ret);
    return true;
}

bool shape_shows(struct planner *p, const struct table_ref *r, struct slice name, bool *ret_known)
{
    *ret_known = true;
    if (r->table)
        return slice_ieq_cstr(name, "tenant") ? plan_shows_tenant(p)
                                              : catalog_column_index(r->table, name) >= 0;
    struct shown_list *l = listed(p, r);
    *ret_known = l->complete;
    return name_index_has(&l->names, name);
}

/* ---- joins ---- */

/* The names that USING lists, or else those of the columns. */
static void index_names(struct planner *p, const struct node *join, const struct vector *columns,
                        struct name_index *ret)
{
    const struct node *use = node_find(join, N_USING);
    const struct shown_column *c = columns->items;
    for (const struct node *n = use ? use->child : NULL; n; n = n->next)
        name_index_add(ret, p->arena, plan_name(p, n), NULL);
    for (size_t i = 0; i < columns->count && !use; i++)
        name_index_add(ret, p->arena, c[i].name, NULL);
}

static void append(struct planner *p, const struct vector *from, struct name_index *merging,
                   bool merged, struct vector *ret)
{
    const struct shown_column *columns = from->items;
    for (size_t i = 0; i < from->count; i++)
        if (name_index_has(merging, columns[i].name) == merged)
            add(p, ret, columns[i].name, columns[i].ref);
}

static bool table_shape(struct planner *p, const struct scope *s, const struct node *n, bool below,
                        struct vector *ret);

static bool merge(struct planner *p, const struct scope *s, const struct node *join,
                  struct vector *ret)
{
    struct vector left = { NULL, 0, 0 }, right = { NULL, 0, 0 };
    struct name_index of_left = { .sorted = false }, of_right = { .sorted = false };
    bool turned = join->op == KW_RIGHT;
    if (!table_shape(p, s, node_nth(join, turned ? 1 : 0), true, &left) ||
        !table_shape(p, s, node_nth(join, turned ? 0 : 1), true, &right))
        return false;
    index_names(p, join, &left, &of_left);
    index_names(p, join, &right, &of_right);
    append(p, &left, &of_right, true, ret);
    append(p, &left, &of_right, false, ret);
    append(p, &right, &of_left, false, ret);
    return true;
}

/* A join with ON: to a join that merges its columns MySQL shows RIGHT JOIN as the LEFT JOIN that it
 * makes of it. */
static bool chain(struct planner *p, const struct scope *s, const struct node *join, bool below,
                  struct vector *ret)
{
    bool turned = below && join->op == KW_RIGHT && p->dialect->flavour == FLAVOUR_MYSQL;
    return table_shape(p, s, node_nth(join, turned ? 1 : 0), below, ret) &&
           table_shape(p, s, node_nth(join, turned ? 0 : 1), below, ret);
}

/* below: a join that merges columns */
static bool table_shape(struct planner *p, const struct scope *s, const struct node *n, bool below,
                        struct vector *ret)
{
    if (n->kind == N_JOIN && ((n->flags & NODE_F_NATURAL) || node_find(n, N_USING)))
        return merge(p, s, n, ret);
    if (n->kind == N_JOIN)
        return chain(p, s, n, below, ret);
    for (const struct table_ref *r = s->refs; r; r = r->next)
        if (r->node == n)
            return shape_ref(p, r, ret);
    for (const struct node *c = n->kind == N_TABLES_PAREN ? n->child : NULL; c; c = c->next)
        if (!table_shape(p, s, c, below, ret))
            return false;
    return true;
}

bool shape_scope(struct planner *p, const struct scope *s, struct vector *ret)
{
    for (const struct node *c = s->from ? s->from->child : NULL; c; c = c->next)
        if (!table_shape(p, s, c, false, ret))
            return false;
    return true;
}
