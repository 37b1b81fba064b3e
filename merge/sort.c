/* Rows that have to be sorted by what only their merging has told: the sum of a group, say. They
 * are held until the last one is there, within MERGE_SORT_MAX bytes. */
#include "base/memory.h"
#include "merge/merge_int.h"

struct sorted_row {
    struct slice payload;
    struct datum keys[]; /* of recipe.sort_count; their texts are in the arena */
};

void sorter_fini(struct merge *m)
{
    arena_fini(&m->sorter.arena);
    mem_free(m->sorter.rows);
}

static void append(struct sorter *s, struct sorted_row *row)
{
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 64;
        s->rows = mem_resize(s->rows, s->room, sizeof(struct sorted_row *));
    }
    s->rows[s->count++] = row;
}

enum err_code sorter_add(struct merge *m, const struct row *row, struct slice payload)
{
    struct sorter *s = &m->sorter;
    const struct merge_recipe *r = m->recipe;
    size_t keys = r->sort_count * sizeof(struct datum);
    if (s->arena.total + s->room * sizeof(struct sorted_row *) + payload.len + keys >
        MERGE_SORT_MAX)
        return MQ_MERGE_SORT_TOO_LARGE;
    struct sorted_row *kept = arena_alloc(&s->arena, sizeof *kept + keys);
    kept->payload = arena_copy(&s->arena, payload);
    for (size_t i = 0; i < r->sort_count; i++) {
        enum err_code code = evaluate(m, row, r->sort[i].expr, &kept->keys[i]);
        if (code)
            return code;
        if (kept->keys[i].kind == DATUM_TEXT)
            kept->keys[i].text = arena_copy(&s->arena, kept->keys[i].text);
    }
    append(s, kept);
    return MQ_OK;
}

/* ---- merge sort, which keeps the order of equal rows and can fail ---- */

static enum err_code comes_later(const struct merge *m, const struct sorted_row *a,
                                 const struct sorted_row *b, bool *ret)
{
    *ret = false;
    for (size_t i = 0; i < m->recipe->sort_count; i++) {
        const struct merge_sort_key *key = &m->recipe->sort[i];
        int order;
        if (!datum_compare((enum merge_compare)key->compare, &a->keys[i], &b->keys[i], &order))
            return MQ_MERGE_VALUE;
        if (order) {
            *ret = key->descending ? order < 0 : order > 0;
            return MQ_OK;
        }
    }
    return MQ_OK;
}

/* from[first..middle) and from[middle..last) into to[first..last). */
static enum err_code join(const struct merge *m, struct sorted_row **from, struct sorted_row **to,
                          size_t first, size_t middle, size_t last)
{
    size_t left = first, right = middle;
    for (size_t at = first; at < last; at++) {
        bool later = left == middle;
        if (!later && right < last) {
            enum err_code code = comes_later(m, from[left], from[right], &later);
            if (code)
                return code;
        }
        to[at] = later ? from[right++] : from[left++];
    }
    return MQ_OK;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

enum err_code sorter_sort(struct merge *m)
{
    struct sorter *s = &m->sorter;
    struct sorted_row **spare = mem_array(s->count, sizeof(struct sorted_row *));
    enum err_code code = MQ_OK;
    s->sorted = true;
    for (size_t width = 1; width < s->count && !code; width *= 2) {
        for (size_t first = 0; first < s->count && !code; first += 2 * width)
            code = join(m, s->rows, spare, first, least(first + width, s->count),
                        least(first + 2 * width, s->count));
        struct sorted_row **sorted = spare;
        spare = s->rows;
        s->rows = sorted;
    }
    mem_free(spare);
    return code;
}

bool sorter_next(struct merge *m, struct slice *ret)
{
    struct sorter *s = &m->sorter;
    if (s->next == s->count)
        return false;
    *ret = s->rows[s->next++]->payload;
    return true;
}
