/* Which columns of the answer are queue tables' partition keys and nothing else. To the client they
 * are the tables' own columns, whatever expression the shard was asked for. What is not certain is
 * left out: a column behind a star whose columns nobody can count, and those of a set operation. */
#include "routing/qualified.h"

enum { LOOKS_MAX = 4096 }; /* at items of queries, for all columns of a statement */

struct search {
    struct planner *p;
    struct result_key *key; /* what is found out */
    uint32_t looks;
};

static bool shown_by(struct search *f, const struct table_ref *r, struct slice name);

static bool item_is(struct search *f, const struct node *item, struct slice name)
{
    const struct node *alias = node_find(item, N_ALIAS);
    const struct node *named = alias ? alias->child : item->child;
    bool has_name = named && (alias || named->kind == N_COLUMN);
    return has_name && slice_ieq(plan_name(f->p, alias ? alias : named), name);
}

static bool item_shows(struct search *f, const struct scope *s, const struct node *item)
{
    const struct node *expr = item->child;
    const struct table_ref *r = expr->kind == N_COLUMN ? qualified_found(f->p, s, expr) : NULL;
    return r && shown_by(f, r, plan_name(f->p, expr));
}

/* The column of that name among a star's; *ret_there: it is one of them. */
static bool star_shows(struct search *f, const struct scope *s, const struct node *star,
                       struct slice name, bool *ret_there)
{
    struct vector v = { NULL, 0, 0 };
    *ret_there = true;
    if (!shape_star(f->p, s, star, &v))
        return false;
    const struct shown_column *columns = v.items;
    f->looks += (uint32_t)v.count;
    for (size_t i = 0; i < v.count; i++)
        if (slice_ieq(columns[i].name, name))
            return columns[i].ref && shown_by(f, columns[i].ref, name);
    *ret_there = false;
    return false;
}

static bool query_shows(struct search *f, const struct shape *shape, struct slice name)
{
    for (const struct node *c = shape->list ? shape->list->child : NULL; c; c = c->next) {
        bool there = false;
        if (++f->looks > LOOKS_MAX)
            return false;
        if (c->kind == N_STAR && star_shows(f, shape->scope, c, name, &there))
            return true;
        if (there)
            return false;
        if (c->kind != N_STAR && item_is(f, c, name))
            return item_shows(f, shape->scope, c);
    }
    return false;
}

/* Is the column of that name, which the reference shows, a queue table's key? */
static bool shown_by(struct search *f, const struct table_ref *r, struct slice name)
{
    f->key->nullable |= r->target != NULL;
    f->key->table = r->table;
    if (r->viewed)
        return false;
    if (r->table)
        return r->table->partition_key && slice_ieq_cstr(name, r->table->partition_key);
    f->key->derived = true;
    return r->shape && !r->columns && !r->shape->of_branch && query_shows(f, r->shape, name);
}

static void note(struct search *f, size_t number, const struct table_ref *r, struct slice name)
{
    struct result_key key = { .column = (uint16_t)number };
    if (!r || number > UINT16_MAX)
        return;
    f->key = &key;
    key.name = r->name;
    if (shown_by(f, r, name))
        *(struct result_key *)vector_add(&f->p->result_keys, f->p->arena, sizeof key) = key;
}

static void note_all(struct search *f, size_t *number, const struct vector *v)
{
    const struct shown_column *columns = v->items;
    for (size_t i = 0; i < v->count; i++)
        note(f, (*number)++, columns[i].ref, columns[i].name);
}

static void note_list(struct search *f, const struct scope *s, const struct node *list)
{
    size_t number = 0;
    for (const struct node *c = list->child; c; c = c->next) {
        struct vector v = { NULL, 0, 0 };
        const struct node *expr = c->child;
        if (c->kind != N_STAR) {
            bool column = expr->kind == N_COLUMN;
            note(f, number++, column ? qualified_found(f->p, s, expr) : NULL,
                 column ? plan_name(f->p, expr) : slice_of("", 0));
        } else if (shape_star(f->p, s, c, &v)) {
            note_all(f, &number, &v);
        } else {
            return;
        }
    }
}

void qualified_result(struct planner *p, const struct scope *s, const struct node *list)
{
    struct search f = { .p = p };
    struct vector v = { NULL, 0, 0 };
    size_t number = 0;
    if (!p->qualified || p->inner || p->united != BRANCH_NONE || p->t->writes ||
        p->root->kind == N_EXPLAIN)
        return;
    if (list)
        note_list(&f, s, list);
    else if (shape_ref(p, s->refs, &v))
        note_all(&f, &number, &v);
}
