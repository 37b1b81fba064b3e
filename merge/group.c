/* Groups and their aggregates. Sums and counts of the parts add up exactly; whether the result fits
 * its column shows when it is written. */
#include "base/memory.h"
#include "merge/merge_int.h"

void group_init(struct merge *m)
{
    m->group.totals = mem_array(m->recipe->aggregate_count, sizeof *m->group.totals);
}

void group_fini(struct merge *m)
{
    for (size_t i = 0; i < m->recipe->aggregate_count; i++)
        buf_fini(&m->group.totals[i].bytes);
    mem_free(m->group.totals);
    kept_row_fini(&m->group.first);
}

static struct slice cell_of(const struct row *row, uint32_t column)
{
    return row->cells[column].bytes;
}

static enum err_code read_number(const struct merge *m, const struct row *row, uint32_t column,
                                 struct datum *ret)
{
    bool read = datum_of_cell(&m->columns[column], m->setting.binary, cell_of(row, column), ret);
    return read && ret->kind != DATUM_TEXT ? MQ_OK : MQ_MERGE_VALUE;
}

static enum err_code add_to_sum(const struct merge *m, struct total *t, const struct row *row,
                                uint32_t column)
{
    struct datum d;
    enum err_code code = read_number(m, row, column, &d);
    if (code || d.kind == DATUM_NULL)
        return code;
    t->is_null = false;
    return decimal_add(&t->sum, &d.number, &t->sum) ? MQ_OK : MQ_MERGE_RANGE;
}

static enum err_code add_to_count(const struct merge *m, struct total *t, const struct row *row,
                                  uint32_t column)
{
    struct datum d;
    uint64_t n = 0;
    enum err_code code = read_number(m, row, column, &d);
    if (code)
        return code;
    if (d.kind == DATUM_NUMBER && !decimal_to_unsigned(&d.number, &n))
        return MQ_MERGE_VALUE;
    if (n > UINT64_MAX - t->count)
        return MQ_MERGE_RANGE;
    t->count += n;
    return MQ_OK;
}

static void keep_value(struct total *t, struct slice value)
{
    buf_clear(&t->bytes);
    buf_append_slice(&t->bytes, value);
    t->is_null = false;
}

/* How the row's value stands to the one that is kept; both are there. */
static enum err_code compare_kept(const struct merge *m, const struct total *t,
                                  const struct merge_aggregate *a, struct slice value, int *ret)
{
    bool compared = cells_compare((enum merge_compare)a->compare, &m->columns[a->column],
                                  m->setting.binary, value, buf_slice(&t->bytes), ret);
    return compared ? MQ_OK : MQ_MERGE_VALUE;
}

static enum err_code add_extreme(const struct merge *m, struct total *t,
                                 const struct merge_aggregate *a, const struct row *row)
{
    struct slice value = cell_of(row, a->column);
    int order = 0;
    if (!value.data)
        return MQ_OK;
    enum err_code code = t->is_null ? MQ_OK : compare_kept(m, t, a, value, &order);
    bool better = a->kind == MERGE_MIN ? order < 0 : order > 0;
    if (!code && (t->is_null || better))
        keep_value(t, value);
    return code;
}

/* Equal values follow one another. */
static enum err_code add_distinct(const struct merge *m, struct total *t,
                                  const struct merge_aggregate *a, const struct row *row)
{
    struct slice value = cell_of(row, a->column);
    int order = 1;
    if (!value.data)
        return MQ_OK;
    enum err_code code = t->is_null ? MQ_OK : compare_kept(m, t, a, value, &order);
    if (code || order == 0)
        return code;
    keep_value(t, value);
    t->count++;
    return MQ_OK;
}

static enum err_code add(const struct merge *m, struct total *t, const struct merge_aggregate *a,
                         const struct row *row)
{
    enum err_code code;
    switch (a->kind) {
    case MERGE_COUNT:
        return add_to_count(m, t, row, a->column);
    case MERGE_SUM:
        return add_to_sum(m, t, row, a->column);
    case MERGE_AVG:
        code = add_to_sum(m, t, row, a->column);
        return code ? code : add_to_count(m, t, row, a->count_column);
    case MERGE_COUNT_DISTINCT:
        return add_distinct(m, t, a, row);
    default:
        return add_extreme(m, t, a, row);
    }
}

void group_begin(struct merge *m)
{
    m->group.open = true;
    m->group.first.is_set = false;
    for (size_t i = 0; i < m->recipe->aggregate_count; i++) {
        struct total *t = &m->group.totals[i];
        *t = (struct total){ .is_null = true, .bytes = t->bytes };
    }
}

enum err_code group_add(struct merge *m, const struct row *row)
{
    if (!m->group.first.is_set)
        kept_row_set(&m->group.first, &m->shape, row);
    for (size_t i = 0; i < m->recipe->aggregate_count; i++) {
        enum err_code code = add(m, &m->group.totals[i], &m->recipe->aggregates[i], row);
        if (code)
            return code;
    }
    return MQ_OK;
}

/* ---- results ---- */

static void end_average(const struct merge *m, struct total *t, const struct merge_aggregate *a)
{
    unsigned scale = m->columns[a->column].decimals;
    if (t->is_null || t->count == 0)
        return;
    t->result = (struct datum){ .kind = DATUM_NUMBER,
                                .number = decimal_average(&t->sum, t->count, scale,
                                                          m->setting.average_digits) };
}

static enum err_code end_total(const struct merge *m, struct total *t,
                               const struct merge_aggregate *a)
{
    t->result = (struct datum){ .kind = DATUM_NULL };
    switch (a->kind) {
    case MERGE_COUNT:
    case MERGE_COUNT_DISTINCT:
        t->result = datum_of_count(t->count);
        return MQ_OK;
    case MERGE_SUM:
        if (!t->is_null)
            t->result = (struct datum){ .kind = DATUM_NUMBER, .number = t->sum };
        return MQ_OK;
    case MERGE_AVG:
        end_average(m, t, a);
        return MQ_OK;
    default:
        if (t->is_null)
            return MQ_OK;
        return datum_of_cell(&m->columns[a->column], m->setting.binary, buf_slice(&t->bytes),
                             &t->result)
                   ? MQ_OK
                   : MQ_MERGE_VALUE;
    }
}

enum err_code group_end(struct merge *m)
{
    m->group.open = false;
    for (uint32_t i = 0; i < m->recipe->aggregate_count; i++) {
        enum err_code code = end_total(m, &m->group.totals[i], &m->recipe->aggregates[i]);
        if (code)
            return code;
    }
    return MQ_OK;
}
