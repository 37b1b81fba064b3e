/* The values of qualified partition keys, and which references to queue tables are tied to the
 * tenant that these values name. */
#include "routing/qualified.h"
#include "routing/scatter_int.h"

enum { PAIRS_MAX = 256 }; /* beyond it a reference is not found to be tied */

static bool is_string(const struct planner *p, const struct value_ref *v)
{
    switch (p->l->tokens[v->first].kind) {
    case TOKEN_STRING:
    case TOKEN_NATIONAL:
    case TOKEN_INTRODUCER:
        return true;
    default:
        return false;
    }
}

bool qualified_is_value(struct planner *p, const struct node *value)
{
    struct value_ref v = plan_value(p, value);
    return v.kind == VALUE_PARAM || v.kind == VALUE_LITERALS ||
           (v.kind == VALUE_TOKENS && is_string(p, &v));
}

void qualified_add(struct planner *p, struct value_ref value, bool inserted)
{
    struct key_ref *k = vector_add(&p->keys, p->arena, sizeof *k);
    *k = (struct key_ref){ .value = value, .inserted = inserted };
}

/* A literal is split when the statement is sent, as one that is cut. */
enum err_code qualified_pair_value(struct planner *p, struct value_ref value, bool in_row)
{
    static const char before[] = { '(', EDIT_KEY_TENANT, ',', ' ' };
    struct key_ref *k = vector_add(&p->keys, p->arena, sizeof *k);
    *k = (struct key_ref){ .value = value, .form = in_row ? KEY_MEMBERS : KEY_PAIR };
    if (value.kind != VALUE_PARAM)
        return MQ_OK;
    enum err_code code = plan_edit(p, EDIT_BEFORE, value.first, value.first,
                                   slice_of(before + in_row, sizeof before - in_row));
    return code || in_row ? code : plan_edit(p, EDIT_AFTER, value.last, value.last, SLICE_LIT(")"));
}

enum err_code qualified_missing(struct planner *p, const struct catalog_table *table)
{
    p->t->computed = table->partition_key;
    return !p->ignores ? MQ_OK
                       : reject(p, MQ_PARTITION_KEY,
                                "no value for %s: with IGNORE a server would store an empty one, "
                                "which names no tenant",
                                table->partition_key);
}

enum err_code qualified_stored(struct planner *p, const struct catalog_table *table,
                               struct slice column, const struct node *value, bool inserted)
{
    if (!p->qualified || !table->partition_key || !slice_ieq_cstr(column, table->partition_key))
        return MQ_OK;
    struct value_ref ref = plan_value(p, value);
    if (ref.kind == VALUE_NONE)
        return qualified_missing(p, table);
    if (!qualified_is_value(p, value))
        return reject(p, MQ_PARTITION_KEY,
                      "the value for %s is computed, so the tenant it names cannot be read; give a "
                      "string literal or a parameter",
                      table->partition_key);
    ref.origin = ORIGIN_ROW;
    qualified_add(p, ref, inserted && table->has_metadata);
    return MQ_OK;
}

/* ---- ties ---- */

struct pair {
    struct table_ref *a; /* of the scope; it is tied by b */
    const struct table_ref *b;
};

static struct table_ref *in_scope(struct scope *s, const struct table_ref *found)
{
    struct table_ref *r = s->refs;
    while (r && r != found)
        r = r->next;
    return r;
}

/* Of several tenants a derived table's key counts as well, which has its tenant in it. */
static const struct table_ref *key_owner(struct planner *p, const struct scope *s,
                                         const struct node *column)
{
    if (!p->scatter)
        return qualified_owner(p, column);
    const struct table_ref *r = qualified_resolved(p, s, column);
    return r && scatter_shows_key(p, r, column) ? r : NULL;
}

static void add_pair(struct planner *p, struct table_ref *a, const struct table_ref *b,
                     const struct node *target, struct vector *pairs)
{
    if (!a || !b || a->target != target || pairs->count >= PAIRS_MAX)
        return;
    struct pair *pair = vector_add(pairs, p->arena, sizeof *pair);
    *pair = (struct pair){ a, b };
}

void qualified_pair(struct planner *p, struct scope *s, const struct node *compare,
                    const struct node *target, struct vector *pairs)
{
    const struct node *a = compare->child, *b = a->next;
    if (!p->qualified || a->kind != N_COLUMN || b->kind != N_COLUMN)
        return;
    const struct table_ref *left = key_owner(p, s, a), *right = key_owner(p, s, b);
    add_pair(p, in_scope(s, left), right, target, pairs);
    add_pair(p, in_scope(s, right), left, target, pairs);
}

static bool tie_once(const struct vector *pairs)
{
    const struct pair *pair = pairs->items;
    bool changed = false;
    for (size_t i = 0; i < pairs->count; i++)
        if (pair[i].b->tied && !pair[i].a->tied)
            changed = pair[i].a->tied = true;
    return changed;
}

static void tie_first(struct scope *s)
{
    struct table_ref *r = s->refs;
    while (r && r->target)
        r = r->next;
    if (r)
        r->tied = true;
}

static bool all_tied(const struct scope *s)
{
    for (const struct table_ref *r = s->refs; r; r = r->next)
        if (!r->tied)
            return false;
    return true;
}

void qualified_tie(struct planner *p, struct scope *s, const struct vector *pairs)
{
    while (tie_once(pairs))
        ;
    s->anchored = s->refs && all_tied(s);
    if (p->scatter && !s->anchored) {
        tie_first(s);
        while (tie_once(pairs))
            ;
    }
    for (const struct table_ref *r = s->refs; r; r = r->next)
        p->untied |= r->table && !r->tied;
}
