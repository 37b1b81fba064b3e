/* From the parts' rows to the client's: unique -> filter -> group -> having -> columns -> sort ->
 * skip, most. Each stage pulls from the one before. */
#include "merge/merge_int.h"

void stages_fini(struct merge *m)
{
    kept_row_fini(&m->candidate);
    kept_row_fini(&m->chosen);
    buf_fini(&m->made);
}

/* ---- unique ---- */

/* Do the two agree in the leading keys? */
static enum err_code agree(const struct merge *m, const struct row *a, const struct row *b,
                           size_t keys, bool *ret)
{
    *ret = true;
    for (size_t i = 0; i < keys && *ret; i++) {
        const struct merge_key *key = &m->recipe->order[i];
        int order = 0;
        enum err_code code = compare_column(m, (enum merge_compare)key->compare, key->column, a, b,
                                            &order);
        if (code)
            return code;
        *ret = order == 0;
    }
    return MQ_OK;
}

/* Does the row replace the candidate, whose keys it has? */
static enum err_code is_newer(const struct merge *m, const struct row *row, bool *ret)
{
    int order = 0;
    *ret = false;
    if (m->recipe->version < 0)
        return MQ_OK;
    enum err_code code = compare_column(m, MERGE_AS_INTEGER, (uint32_t)m->recipe->version, row,
                                        &m->candidate.row, &order);
    *ret = order > 0;
    return code;
}

static void swap_kept(struct kept_row *a, struct kept_row *b)
{
    struct kept_row kept = *a;
    *a = *b;
    *b = kept;
}

static const struct row *choose_candidate(struct merge *m)
{
    swap_kept(&m->candidate, &m->chosen);
    m->candidate.is_set = false;
    return &m->chosen.row;
}

/* True when the row is another one than the candidate, which is complete then. */
static enum err_code weigh(struct merge *m, const struct row *row, bool *ret_other)
{
    bool same = false, newer = true;
    enum err_code code = MQ_OK;
    *ret_other = false;
    if (m->candidate.is_set)
        code = agree(m, &m->candidate.row, row, m->recipe->unique, &same);
    if (!code && same)
        code = is_newer(m, row, &newer);
    if (code)
        return code;
    *ret_other = m->candidate.is_set && !same;
    if (*ret_other)
        (void)choose_candidate(m);
    if (newer)
        kept_row_set(&m->candidate, &m->shape, row);
    return MQ_OK;
}

static enum pull next_unique(struct merge *m, const struct row **ret)
{
    bool other = false;
    if (!m->recipe->unique)
        return streams_next(m, ret);
    while (!other) {
        const struct row *row;
        enum pull found = streams_next(m, &row);
        if (found == PULL_END && m->candidate.is_set) {
            *ret = choose_candidate(m);
            return PULL_ROW;
        }
        if (found != PULL_ROW)
            return found;
        enum err_code code = weigh(m, row, &other);
        if (code)
            return merge_fail(m, code);
    }
    *ret = &m->chosen.row;
    return PULL_ROW;
}

/* ---- filter ---- */

static enum pull next_filtered(struct merge *m, const struct row **ret)
{
    for (;;) {
        bool passes = true;
        enum pull found = next_unique(m, ret);
        if (found != PULL_ROW || m->recipe->filter < 0)
            return found;
        enum err_code code = evaluate_truth(m, *ret, (uint32_t)m->recipe->filter, &passes);
        if (code)
            return merge_fail(m, code);
        if (passes)
            return PULL_ROW;
    }
}

/* ---- group, having ---- */

/* Adds a row to the group at hand, unless it begins another one. */
static enum err_code join_group(struct merge *m, const struct row *row, bool *ret_other)
{
    bool same = true;
    enum err_code code = MQ_OK;
    if (m->group.first.is_set)
        code = agree(m, &m->group.first.row, row, m->recipe->group, &same);
    *ret_other = !same;
    return code || !same ? code : group_add(m, row);
}

/* Adds rows until the group is complete. */
static enum pull fill_group(struct merge *m)
{
    bool complete = false;
    while (!complete) {
        const struct row *row = m->pending;
        enum pull found = row ? PULL_ROW : next_filtered(m, &row);
        if (found != PULL_ROW)
            return found;
        enum err_code code = join_group(m, row, &complete);
        if (code)
            return merge_fail(m, code);
        m->pending = complete ? row : NULL;
    }
    return PULL_ROW;
}

/* Without keys there is one group, also of no rows; *ret is NULL then. */
static enum pull next_group(struct merge *m, const struct row **ret)
{
    if (m->exhausted)
        return PULL_END;
    if (!m->group.open)
        group_begin(m);
    enum pull found = fill_group(m);
    if (found == PULL_WAIT || found == PULL_FAILED)
        return found;
    m->exhausted = found == PULL_END;
    bool has_rows = m->group.first.is_set;
    if (!has_rows && m->recipe->group)
        return PULL_END;
    enum err_code code = group_end(m);
    *ret = has_rows ? &m->group.first.row : NULL;
    return code ? merge_fail(m, code) : PULL_ROW;
}

static enum pull next_result(struct merge *m, const struct row **ret)
{
    for (;;) {
        bool has = true;
        enum pull found = m->recipe->grouped ? next_group(m, ret) : next_filtered(m, ret);
        if (found != PULL_ROW || m->recipe->having < 0)
            return found;
        enum err_code code = evaluate_truth(m, *ret, (uint32_t)m->recipe->having, &has);
        if (code)
            return merge_fail(m, code);
        if (has)
            return PULL_ROW;
    }
}

/* ---- columns ---- */

static void copy_cell(struct merge *m, const struct row *row, size_t from, size_t to)
{
    if (row->cells[from].bytes.data)
        row_wire(&m->made, row->cells[from].wire);
    else
        row_null(&m->made, m->setting.binary, to);
}

static bool is_same_type(const struct column *a, const struct column *b)
{
    return a->type == b->type && a->is_unsigned == b->is_unsigned && a->decimals == b->decimals;
}

static enum err_code make_cell(struct merge *m, const struct row *row, size_t number)
{
    uint32_t node = m->recipe->columns ? (uint32_t)m->recipe->columns[number] : 0;
    const struct merge_expr *e = m->recipe->columns ? &m->recipe->exprs[node] : NULL;
    size_t from = e ? e->number : number;
    bool copies = row && (!e || (e->op == MERGE_COLUMN &&
                                 is_same_type(&m->columns[from], &m->columns[number])));
    struct datum d;
    if (copies) {
        copy_cell(m, row, from, number);
        return MQ_OK;
    }
    if (!e)
        return MQ_MERGE_VALUE;
    enum err_code code = evaluate(m, row, node, &d);
    if (code || datum_write(&d, &m->columns[number], m->setting.binary, number, &m->made))
        return code;
    return d.kind == DATUM_NUMBER ? MQ_MERGE_RANGE : MQ_MERGE_VALUE;
}

static enum pull next_made(struct merge *m, const struct row **ret_row, struct slice *ret)
{
    const struct merge_recipe *r = m->recipe;
    enum pull found = next_result(m, ret_row);
    if (found != PULL_ROW)
        return found;
    if (!r->columns && !r->hidden && *ret_row) {
        *ret = (*ret_row)->payload;
        return found;
    }
    row_begin(&m->made, m->setting.binary, r->shown);
    for (size_t i = 0; i < r->shown; i++) {
        enum err_code code = make_cell(m, *ret_row, i);
        if (code)
            return merge_fail(m, code);
    }
    *ret = buf_slice(&m->made);
    return found;
}

/* ---- sort ---- */

static enum pull next_sorted(struct merge *m, struct slice *ret)
{
    while (!m->sorter.sorted) {
        const struct row *row;
        struct slice payload;
        enum pull found = next_made(m, &row, &payload);
        if (found == PULL_WAIT || found == PULL_FAILED)
            return found;
        enum err_code code = found == PULL_END ? sorter_sort(m) : sorter_add(m, row, payload);
        if (code)
            return merge_fail(m, code);
    }
    return sorter_next(m, ret) ? PULL_ROW : PULL_END;
}

/* ---- skip, most ---- */

/* What is beyond the limit is read all the same: each part answers up to its end. */
enum pull stages_next(struct merge *m, struct slice *ret)
{
    for (;;) {
        const struct row *row;
        enum pull found = m->recipe->sort_count ? next_sorted(m, ret) : next_made(m, &row, ret);
        if (found != PULL_ROW)
            return found;
        if (m->skip) {
            m->skip--;
        } else if (m->most) {
            m->most--;
            return PULL_ROW;
        }
    }
}
