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
#include "routing/plan_int.h"

enum { COLUMNS_MAX = 4096 }; /* of a table, MySQL's own limit (error 1117) */

static void add(struct planner *p, struct vector *v, struct slice name, const struct table_ref *ref)
{
    struct shown_column *c = vector_add(v, p->arena, sizeof *c);
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
static bool see_through(struct planner *p, const struct table_ref *r, const struct vector *inner,
                        struct vector *ret)
{
    const struct shown_column *columns = inner->items;
    for (size_t i = 0; i < inner->count; i++)
        add(p, ret, columns[i].name, r);
    return true;
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

static bool star_item(struct planner *p, const struct scope *s, const struct node *star,
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
            if (!star_item(p, shape->scope, c, ret))
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

bool shape_ref(struct planner *p, const struct table_ref *r, struct vector *ret)
{
    struct vector inner = { NULL, 0, 0 };
    if (r->table) {
        table_columns(p, r->table, r, ret);
        return ret->count <= COLUMNS_MAX;
    }
    if (r->columns)
        return named_columns(p, r, ret);
    if (!r->shape || ret->count > COLUMNS_MAX)
        return false;
    if (r->shape->table)
        table_columns(p, r->shape->table, r, &inner);
    else if (!list_columns(p, r->shape, &inner))
        return false;
    return see_through(p, r, &inner, ret);
}

/* ---- joins ---- */

static const struct shown_column *find_column(const struct vector *v, struct slice name)
{
    const struct shown_column *columns = v->items;
    for (size_t i = 0; i < v->count; i++)
        if (slice_ieq(columns[i].name, name))
            return &columns[i];
    return NULL;
}

static bool is_merged(struct planner *p, const struct node *join, const struct vector *other,
                      struct slice name)
{
    const struct node *use = node_find(join, N_USING);
    for (const struct node *c = use ? use->child : NULL; c; c = c->next)
        if (slice_ieq(plan_name(p, c), name))
            return true;
    return !use && find_column(other, name);
}

static void append(struct planner *p, const struct node *join, const struct vector *from,
                   const struct vector *other, bool merged, struct vector *ret)
{
    const struct shown_column *columns = from->items;
    for (size_t i = 0; i < from->count; i++)
        if (is_merged(p, join, other, columns[i].name) == merged)
            add(p, ret, columns[i].name, columns[i].ref);
}

static bool table_shape(struct planner *p, const struct scope *s, const struct node *n, bool below,
                        struct vector *ret);

static bool merge(struct planner *p, const struct scope *s, const struct node *join,
                  struct vector *ret)
{
    struct vector left = { NULL, 0, 0 }, right = { NULL, 0, 0 };
    bool turned = join->op == KW_RIGHT;
    if (!table_shape(p, s, node_nth(join, turned ? 1 : 0), true, &left) ||
        !table_shape(p, s, node_nth(join, turned ? 0 : 1), true, &right))
        return false;
    append(p, join, &left, &right, true, ret);
    append(p, join, &left, &right, false, ret);
    append(p, join, &right, &left, false, ret);
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
