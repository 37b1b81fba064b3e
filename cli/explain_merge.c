#include "cli/explain_merge.h"

#include "base/buf.h"

enum { STEPS_MAX = 13 };

struct steps {
    const struct merge_recipe *m;
    const struct lexed *l;
    struct arena *arena;
    struct merge_step *items;
    size_t count;
    struct buf text; /* of the step that is written */
};

/* Takes what was written as a step. */
static void add(struct steps *s, const char *name, const char *why)
{
    s->items[s->count++] = (struct merge_step){
        .name = name, .what = arena_copy(s->arena, buf_slice(&s->text)).data, .why = why
    };
    buf_clear(&s->text);
}

/* ---- columns ---- */

static void print_column(struct steps *s, uint32_t column)
{
    buf_printf(&s->text, "column %u", (unsigned)column + 1);
}

static void print_keys(struct steps *s, size_t count, bool directed)
{
    for (size_t i = 0; i < count; i++)
        buf_printf(&s->text, "%s%u%s",
                   i           ? ", "
                   : count > 1 ? "columns "
                               : "column ",
                   (unsigned)s->m->order[i].column + 1,
                   directed && s->m->order[i].descending ? " descending" : "");
}

/* ---- expressions ---- */

static void print_aggregate(struct steps *s, const struct merge_aggregate *a)
{
    static const char *const names[] = {
        [MERGE_COUNT] = "the sum of", [MERGE_SUM] = "the sum of",
        [MERGE_MIN] = "the least of", [MERGE_MAX] = "the greatest of",
        [MERGE_AVG] = "the sum of",   [MERGE_COUNT_DISTINCT] = "the number of different values in",
    };
    buf_printf(&s->text, "%s column %u", names[a->kind], (unsigned)a->column + 1);
    if (a->kind == MERGE_AVG)
        buf_printf(&s->text, " divided by that of column %u", (unsigned)a->count_column + 1);
}

static void print_value(struct steps *s, const struct value_ref *v)
{
    if (v->kind == VALUE_PARAM) {
        buf_printf(&s->text, "parameter %u", (unsigned)v->param + 1);
        return;
    }
    const struct token *first = &s->l->tokens[v->first], *last = &s->l->tokens[v->last];
    buf_append_slice(&s->text, slice_of(s->l->text.data + first->start,
                                        (size_t)last->start + last->len - first->start));
}

static void print_expr(struct steps *s, const struct merge_expr *e);

static void print_operands(struct steps *s, const struct merge_expr *e, const char *between)
{
    for (uint32_t i = 0; i < e->operand_count; i++) {
        if (i)
            buf_append_cstr(&s->text, between);
        print_expr(s, &s->m->exprs[e->first_operand + i]);
    }
}

static void print_expr(struct steps *s, const struct merge_expr *e)
{
    static const char *const operators[] = {
        [MERGE_EQ] = " = ",
        [MERGE_NE] = " <> ",
        [MERGE_LT] = " < ",
        [MERGE_LE] = " <= ",
        [MERGE_GT] = " > ",
        [MERGE_GE] = " >= ",
        [MERGE_AND] = " AND ",
        [MERGE_OR] = " OR ",
        [MERGE_NULL_SAFE_EQ] = " <=> ",
        [MERGE_ADD] = " + ",
        [MERGE_SUBTRACT] = " - ",
        [MERGE_MULTIPLY] = " * ",
        [MERGE_COALESCE] = ", or ",
        [MERGE_IS_NULL] = " IS NULL ",
        [MERGE_NOT] = " NOT ",
    };
    if (e->op == MERGE_COLUMN) {
        print_column(s, e->number);
    } else if (e->op == MERGE_AGGREGATE) {
        print_aggregate(s, &s->m->aggregates[e->number]);
    } else if (e->op == MERGE_VALUE) {
        print_value(s, &s->m->values[e->number]);
    } else {
        buf_append_cstr(&s->text, e->op == MERGE_NOT ? "NOT (" : "(");
        print_operands(s, e, operators[e->op]);
        buf_append_cstr(&s->text, e->op == MERGE_IS_NULL ? " IS NULL)" : ")");
    }
}

static void print_index(struct steps *s, int32_t expr)
{
    print_expr(s, &s->m->exprs[expr]);
}

/* ---- steps ---- */

static void step_joined(struct steps *s)
{
    if (!s->m->joined)
        return;
    buf_append_cstr(&s->text, "each shard joins what its tenants have");
    add(s, "join", "equal partition keys are one tenant's, which one shard has");
}

static void step_nested(struct steps *s)
{
    if (!s->m->nested)
        return;
    buf_append_cstr(&s->text, "each shard answers the queries inside for its own tenants");
    add(s, "inside", "no row of theirs that counts is another tenant's");
}

static void step_order(struct steps *s)
{
    if (!s->m->order_count) {
        buf_append_cstr(&s->text, "the shards' rows one after the other");
        add(s, "append", "no order was asked for");
        return;
    }
    buf_append_cstr(&s->text, "the shards' sorted rows become one by ");
    print_keys(s, s->m->order_count, true);
    add(s, "merge", "each shard sorts by the same, and these values are compared as servers do");
}

static void step_unique(struct steps *s)
{
    if (!s->m->unique)
        return;
    buf_append_cstr(&s->text, "of rows alike in ");
    print_keys(s, s->m->unique, false);
    if (s->m->version < 0) {
        buf_append_cstr(&s->text, " one stays");
        add(s, "unique", "DISTINCT; each shard did so, and equal rows come one after the other");
        return;
    }
    buf_append_cstr(&s->text, " the one with the highest value in ");
    print_column(s, (uint32_t)s->m->version);
    buf_append_cstr(&s->text, " stays");
    add(s, "newest", "every tenant has a copy of the row; the newest is the client's");
}

static void step_filter(struct steps *s)
{
    if (s->m->filter < 0)
        return;
    buf_append_cstr(&s->text, "rows stay for which ");
    print_index(s, s->m->filter);
    add(s, "filter", "the condition is about the newest row, which no shard knows");
}

static void step_group(struct steps *s)
{
    if (!s->m->grouped)
        return;
    buf_append_cstr(&s->text,
                    s->m->group ? "one row for each group of rows alike in " : "one row for all");
    print_keys(s, s->m->group, false);
    for (uint32_t i = 0; s->m->columns && i < s->m->shown; i++) {
        if (s->m->exprs[s->m->columns[i]].op == MERGE_COLUMN)
            continue;
        buf_append_cstr(&s->text, "; ");
        print_column(s, i);
        buf_append_cstr(&s->text, " becomes ");
        print_index(s, s->m->columns[i]);
    }
    add(s, "group",
        "a group's rows come one after the other; whole numbers and decimals add up "
        "exactly");
}

static void step_having(struct steps *s)
{
    if (s->m->having < 0)
        return;
    buf_append_cstr(&s->text, "groups stay for which ");
    print_index(s, s->m->having);
    add(s, "having", "only a whole group tells");
}

static void step_sort(struct steps *s)
{
    for (size_t i = 0; i < s->m->sort_count; i++) {
        buf_append_cstr(&s->text, i ? ", then by " : "by ");
        print_index(s, (int32_t)s->m->sort[i].expr);
        buf_append_cstr(&s->text, s->m->sort[i].descending ? " descending" : "");
    }
    if (s->m->sort_count)
        add(s, "sort", "in a buffer with a limit, beyond which the statement is refused");
}

static void step_limit(struct steps *s)
{
    if (!s->m->limited)
        return;
    if (s->m->skip.kind != VALUE_NONE) {
        buf_append_cstr(&s->text, "rows are left out: ");
        print_value(s, &s->m->skip);
        buf_append_cstr(&s->text, "; ");
    }
    buf_append_cstr(&s->text, "rows at most: ");
    print_value(s, &s->m->most);
    add(s, "limit", "counted over all shards");
}

static void step_hidden(struct steps *s)
{
    if (!s->m->hidden)
        return;
    buf_printf(&s->text, "columns behind the first %u are left out", (unsigned)s->m->shown);
    add(s, "hide", "only the merge needed them");
}

static void step_counts(struct steps *s)
{
    bool most = s->m->kind == MERGE_COUNTS_MAX;
    if (s->m->counted) {
        buf_append_cstr(&s->text, "the rows are counted before, each once");
        add(s, "count", "every tenant has a copy of a row; the change is not atomic over the shards");
        return;
    }
    buf_append_cstr(&s->text, most ? "the largest of the tenants' counts of affected rows"
                                   : "the sum of the shards' counts of affected rows");
    add(s, most ? "largest" : "sum",
        most ? "every tenant has a copy of the row; the change is not atomic over the shards"
             : "each row is one tenant's; the change is not atomic over the shards");
}

const struct merge_step *merge_steps(const struct template *t, const struct lexed *l,
                                     struct arena *arena, size_t *ret_count)
{
    static void (*const all[])(
        struct steps *) = { step_joined, step_nested, step_order, step_unique, step_filter,
                            step_group,  step_having, step_sort,  step_limit,  step_hidden };
    struct steps s = { .m = t->merge, .l = l, .arena = arena };
    s.items = arena_array(arena, struct merge_step, STEPS_MAX);
    buf_init(&s.text);
    if (s.m->kind != MERGE_ROWS)
        step_counts(&s);
    for (size_t i = 0; i < sizeof all / sizeof *all && s.m->kind == MERGE_ROWS; i++)
        all[i](&s);
    buf_fini(&s.text);
    *ret_count = s.count;
    return s.items;
}
