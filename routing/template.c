/* What remains of planning: a template copied out of the arena that its making needed, so that
 * a cached plan holds no syntax tree. A field that points somewhere new must be copied here;
 * the fuzzer frees the other arena at once. */
#include "routing/plan_int.h"

static void *keep_bytes(struct arena *arena, const void *bytes, size_t size)
{
    return size ? memcpy(arena_alloc(arena, size), bytes, size) : NULL;
}

#define KEEP_ARRAY(arena, items, count) keep_bytes(arena, items, sizeof *(items) * (count))

static struct slice keep_text(struct arena *arena, struct slice s)
{
    return s.len ? arena_copy(arena, s) : slice_of("", 0);
}

static void keep_edits(struct template *t, struct arena *arena)
{
    t->edits = KEEP_ARRAY(arena, t->edits, t->edit_count);
    for (size_t i = 0; i < t->edit_count; i++)
        t->edits[i].text = keep_text(arena, t->edits[i].text);
}

static void keep_sets(struct template *t, struct arena *arena)
{
    t->sets = KEEP_ARRAY(arena, t->sets, t->set_count);
    for (size_t i = 0; i < t->set_count; i++)
        t->sets[i].name = keep_text(arena, t->sets[i].name);
}

static void keep_literal_checks(struct template *t, struct arena *arena)
{
    t->literal_checks = KEEP_ARRAY(arena, t->literal_checks, t->literal_check_count);
    for (size_t i = 0; i < t->literal_check_count; i++)
        t->literal_checks[i].expected = keep_text(arena, t->literal_checks[i].expected);
}

static const struct merge_recipe *keep_recipe(const struct merge_recipe *from, struct arena *arena)
{
    if (!from)
        return NULL;
    struct merge_recipe *m = KEEP_ARRAY(arena, from, 1);
    m->order = KEEP_ARRAY(arena, m->order, m->order_count);
    m->aggregates = KEEP_ARRAY(arena, m->aggregates, m->aggregate_count);
    m->sort = KEEP_ARRAY(arena, m->sort, m->sort_count);
    m->columns = m->columns ? KEEP_ARRAY(arena, m->columns, m->shown) : NULL;
    m->exprs = KEEP_ARRAY(arena, m->exprs, m->expr_count);
    m->values = KEEP_ARRAY(arena, m->values, m->value_count);
    return m;
}

static void keep_databases(struct template *t, struct arena *arena)
{
    t->databases = KEEP_ARRAY(arena, t->databases, t->database_count);
    for (size_t i = 0; i < t->database_count; i++)
        t->databases[i] = keep_text(arena, t->databases[i]);
}

static void keep_result_keys(struct template *t, struct arena *arena)
{
    t->result_keys = KEEP_ARRAY(arena, t->result_keys, t->result_key_count);
    for (size_t i = 0; i < t->result_key_count; i++)
        t->result_keys[i].name = keep_text(arena, t->result_keys[i].name);
}

static void keep_temporaries(struct template *t, struct arena *arena)
{
    t->temporaries = KEEP_ARRAY(arena, t->temporaries, t->temporary_count);
    for (size_t i = 0; i < t->temporary_count; i++)
        t->temporaries[i] = keep_text(arena, t->temporaries[i]);
}

const struct template *template_keep(const struct template *from, struct arena *arena)
{
    struct template *t = KEEP_ARRAY(arena, from, 1);
    keep_edits(t, arena);
    keep_sets(t, arena);
    keep_literal_checks(t, arena);
    keep_databases(t, arena);
    keep_result_keys(t, arena);
    keep_temporaries(t, arena);
    t->headings = KEEP_ARRAY(arena, t->headings, t->heading_count);
    t->backend_params = KEEP_ARRAY(arena, t->backend_params, t->backend_param_count);
    t->sql_tenants = KEEP_ARRAY(arena, t->sql_tenants, t->sql_tenant_count);
    t->pattern_values = KEEP_ARRAY(arena, t->pattern_values, t->pattern_value_count);
    t->keys = KEEP_ARRAY(arena, t->keys, t->key_count);
    t->rows = KEEP_ARRAY(arena, t->rows, t->row_count);
    t->checks = KEEP_ARRAY(arena, t->checks, t->check_count);
    t->name = keep_text(arena, t->name);
    t->show_heading.database = keep_text(arena, t->show_heading.database);
    t->merge = keep_recipe(t->merge, arena);
    t->reject = t->reject ? KEEP_ARRAY(arena, t->reject, 1) : NULL;
    return t;
}
