/* The rows of all parts, one after another.
 *
 * With an order each part is a sorted stream, and a heap tells which one's row comes first; rows
 * that compare as equal come in the order of the parts. A row that belongs before one that has come
 * fails the merge: its part is not sorted as the recipe says, because the server looks at no more
 * than max_sort_length bytes, say. Without an order the parts follow one another,
 * but a server that has filled all there is between it and us has to be read before it gives up:
 * then they take turns. */
#include "base/memory.h"
#include "merge/merge_int.h"

void streams_init(struct merge *m)
{
    struct streams *s = &m->streams;
    s->heap = mem_array(m->part_count, sizeof(struct part *));
    s->lacking = mem_array(m->part_count, sizeof(struct part *));
    for (size_t i = 0; i < m->part_count; i++)
        s->lacking[s->lacking_count++] = &m->parts[i];
}

void streams_fini(struct merge *m)
{
    mem_free(m->streams.heap);
    mem_free(m->streams.lacking);
    mem_free(m->streams.last.cells);
    buf_fini(&m->streams.last_bytes);
}

static enum pull broken(struct merge *m, const struct part *p)
{
    return merge_fail(m, p->too_large ? MQ_MERGE_ROW_TOO_LARGE : MQ_SHARD_PROTOCOL);
}

static void add_warnings(struct merge *m, const struct part *p)
{
    unsigned sum = (unsigned)m->result.warnings + p->answer.ok.warnings;
    m->result.warnings = (uint16_t)(sum < UINT16_MAX ? sum : UINT16_MAX);
}

/* The next row of a part. */
static enum pull take_row(struct merge *m, struct part *p)
{
    switch (part_take(p)) {
    case ANSWER_NEED_MORE:
        return PULL_WAIT;
    case ANSWER_ROW:
        p->row.payload = p->payload;
        return !m->splits || row_split(&m->shape, &p->row) ? PULL_ROW : broken(m, p);
    case ANSWER_ROWS_END:
        add_warnings(m, p);
        return p->answer.ended ? PULL_END : broken(m, p);
    case ANSWER_ERR:
        m->refused = p;
        return merge_fail(m, MQ_OK);
    default:
        return broken(m, p);
    }
}

/* ---- in order ---- */

/* 0 also when the two cannot be compared, which has failed the merge. */
static int order_of(struct merge *m, const struct row *a, const struct row *b)
{
    for (size_t i = 0; i < m->recipe->order_count; i++) {
        const struct merge_key *key = &m->recipe->order[i];
        int order = 0;
        enum err_code code =
            compare_column(m, (enum merge_compare)key->compare, key->column, a, b, &order);
        if (code)
            merge_fail(m, code);
        if (code || order)
            return key->descending ? -order : order;
    }
    return 0;
}

static bool comes_first(struct merge *m, const struct part *a, const struct part *b)
{
    int order = order_of(m, &a->row, &b->row);
    return order ? order < 0 : a < b;
}

/* Its keys, since the row itself goes when the next one is taken. */
static void keep_keys(struct merge *m, const struct row *row)
{
    struct streams *s = &m->streams;
    const struct merge_recipe *r = m->recipe;
    if (!s->last.cells)
        s->last.cells = mem_array(m->shape.count, sizeof *s->last.cells);
    buf_clear(&s->last_bytes);
    for (size_t i = 0; i < r->order_count; i++)
        buf_append_slice(&s->last_bytes, row->cells[r->order[i].column].bytes);
    buf_append_byte(&s->last_bytes, 0); /* keys without bytes are not NULL */
    const char *next = buf_slice(&s->last_bytes).data;
    for (size_t i = 0; i < r->order_count; i++) {
        struct slice key = row->cells[r->order[i].column].bytes;
        s->last.cells[r->order[i].column].bytes = slice_of(key.data ? next : NULL, key.len);
        next += key.len;
    }
}

/* The heap's first row is the next one of all, unless its part is not sorted. */
static enum pull give_first(struct merge *m, const struct row **ret)
{
    struct streams *s = &m->streams;
    const struct row *row = &s->heap[0]->row;
    bool strays = s->last.cells && order_of(m, row, &s->last) < 0;
    if (strays)
        merge_fail(m, MQ_MERGE_UNSORTED);
    if (m->at == AT_FAILURE)
        return PULL_FAILED;
    keep_keys(m, row);
    s->at_row = true;
    *ret = row;
    return PULL_ROW;
}

static void swap(struct part **a, struct part **b)
{
    struct part *kept = *a;
    *a = *b;
    *b = kept;
}

static void sift_up(struct merge *m, size_t at)
{
    struct part **heap = m->streams.heap;
    while (at && comes_first(m, heap[at], heap[(at - 1) / 2])) {
        swap(&heap[at], &heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static void sift_down(struct merge *m, size_t at)
{
    struct part **heap = m->streams.heap;
    size_t count = m->streams.heap_count;
    for (;;) {
        size_t first = at, left = 2 * at + 1;
        if (left < count && comes_first(m, heap[left], heap[first]))
            first = left;
        if (left + 1 < count && comes_first(m, heap[left + 1], heap[first]))
            first = left + 1;
        if (first == at)
            return;
        swap(&heap[at], &heap[first]);
        at = first;
    }
}

/* The heap's first row has been used: most often the same part has the next one. */
static enum pull replace_first(struct merge *m)
{
    struct streams *s = &m->streams;
    struct part *p = s->heap[0];
    enum pull found = take_row(m, p);
    s->at_row = false;
    if (found == PULL_ROW) {
        sift_down(m, 0);
        return found;
    }
    s->heap[0] = s->heap[--s->heap_count];
    sift_down(m, 0);
    if (found == PULL_WAIT)
        s->lacking[s->lacking_count++] = p;
    return found;
}

static enum pull fill_heap(struct merge *m)
{
    struct streams *s = &m->streams;
    for (size_t i = s->lacking_count; i-- > 0;) {
        struct part *p = s->lacking[i];
        enum pull found = take_row(m, p);
        if (found == PULL_WAIT)
            continue;
        if (found == PULL_FAILED)
            return found;
        s->lacking[i] = s->lacking[--s->lacking_count];
        if (found == PULL_ROW) {
            s->heap[s->heap_count] = p;
            sift_up(m, s->heap_count++);
        }
    }
    return s->lacking_count ? PULL_WAIT : PULL_ROW;
}

static enum pull next_in_order(struct merge *m, const struct row **ret)
{
    struct streams *s = &m->streams;
    if (s->at_row && replace_first(m) == PULL_FAILED)
        return PULL_FAILED;
    enum pull found = fill_heap(m);
    if (m->at == AT_FAILURE)
        return PULL_FAILED;
    if (found == PULL_WAIT)
        return found;
    return s->heap_count ? give_first(m, ret) : PULL_END;
}

/* ---- one after another ---- */

static size_t first_open(const struct merge *m)
{
    size_t i = 0;
    while (i < m->part_count && m->parts[i].answer.ended)
        i++;
    return i;
}

/* The next one behind `current` that presses, or itself. */
static size_t next_pressing(const struct merge *m, size_t current)
{
    for (size_t i = 1; i < m->part_count; i++)
        if (part_presses(&m->parts[(current + i) % m->part_count]))
            return (current + i) % m->part_count;
    return current;
}

void streams_turn(struct merge *m)
{
    struct streams *s = &m->streams;
    size_t pressing = next_pressing(m, s->current);
    if (!s->at_row)
        s->current = pressing != s->current ? pressing : first_open(m);
}

static enum pull next_of_any(struct merge *m, const struct row **ret)
{
    struct streams *s = &m->streams;
    s->at_row = false;
    while (s->current < m->part_count) {
        struct part *p = &m->parts[s->current];
        enum pull found = p->answer.ended ? PULL_END : take_row(m, p);
        size_t other = found == PULL_END ? first_open(m) : next_pressing(m, s->current);
        if (found == PULL_ROW) {
            s->at_row = true;
            *ret = &p->row;
        }
        if (found == PULL_ROW || found == PULL_FAILED || other == s->current)
            return found;
        s->current = other;
    }
    return PULL_END;
}

enum pull streams_next(struct merge *m, const struct row **ret)
{
    return m->recipe->order_count ? next_in_order(m, ret) : next_of_any(m, ret);
}
