/* The answers to a write that every part has carried out: one OK, with the sums or, for a table of
 * which every tenant has a copy, the largest of their numbers. */
#include "merge/merge_int.h"

static uint64_t combine(const struct merge *m, uint64_t a, uint64_t b)
{
    if (m->recipe->kind == MERGE_COUNTS_MAX)
        return a > b ? a : b;
    return a + b < a ? UINT64_MAX : a + b;
}

/* ---- "Rows matched: 1  Changed: 1  Warnings: 0" ---- */

static bool is_digit(const struct reader *r)
{
    return reader_left(r) && *r->next >= '0' && *r->next <= '9';
}

static uint64_t read_number(struct reader *r)
{
    uint64_t n = 0;
    while (is_digit(r)) {
        unsigned digit = (unsigned)(*r->next++ - '0');
        n = n > (UINT64_MAX - digit) / 10 ? UINT64_MAX : n * 10 + digit;
    }
    return n;
}

/* False when the words between the numbers differ. */
static bool combine_info(const struct merge *m, struct slice a, struct slice b, struct buf *out)
{
    struct reader x = reader_of(a.data, a.len), y = reader_of(b.data, b.len);
    while (reader_left(&x) && reader_left(&y)) {
        if (is_digit(&x) != is_digit(&y))
            return false;
        if (is_digit(&x))
            buf_printf(out, "%llu",
                       (unsigned long long)combine(m, read_number(&x), read_number(&y)));
        else if (*x.next != *y.next++)
            return false;
        else
            buf_append_byte(out, *x.next++);
    }
    return !reader_left(&x) && !reader_left(&y);
}

static void add_info(struct merge *m, struct slice info)
{
    struct buf both;
    buf_init(&both);
    bool fits = m->counted == 0 || combine_info(m, buf_slice(&m->info), info, &both);
    if (m->counted == 0)
        buf_append_slice(&both, info);
    buf_fini(&m->info);
    m->info = both;
    if (!fits)
        buf_clear(&m->info);
}

void counts_add(struct merge *m, const struct ok_packet *ok)
{
    struct ok_packet *r = &m->result;
    uint64_t warnings = combine(m, r->warnings, ok->warnings);
    add_info(m, ok->info);
    r->affected_rows = combine(m, r->affected_rows, ok->affected_rows);
    if (!r->last_insert_id)
        r->last_insert_id = ok->last_insert_id;
    r->warnings = (uint16_t)(warnings < UINT16_MAX ? warnings : UINT16_MAX);
    m->counted++;
}
