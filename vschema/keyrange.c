#include "vschema/keyrange.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

enum { SHARD_NAME_MAX = 64, SHARDS_MAX = 65536 };

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool keyspace_id_parse(struct slice hex, struct keyspace_id *ret)
{
    if (hex.len % 2 != 0 || hex.len / 2 > KEYSPACE_ID_MAX)
        return false;
    for (size_t i = 0; i < hex.len; i += 2) {
        int high = hex_digit(hex.data[i]), low = hex_digit(hex.data[i + 1]);
        if (high < 0 || low < 0)
            return false;
        ret->bytes[i / 2] = (uint8_t)(high << 4 | low);
    }
    ret->len = (uint8_t)(hex.len / 2);
    return true;
}

void keyspace_id_print(const struct keyspace_id *id, struct buf *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < id->len; i++) {
        buf_append_byte(out, (uint8_t)digits[id->bytes[i] >> 4]);
        buf_append_byte(out, (uint8_t)digits[id->bytes[i] & 15]);
    }
}

/* Without trailing zero bytes, which do not count. */
static struct slice significant(const struct keyspace_id *id)
{
    size_t len = id->len;
    while (len && id->bytes[len - 1] == 0)
        len--;
    return slice_of(id->bytes, len);
}

int keyspace_id_cmp(const struct keyspace_id *a, const struct keyspace_id *b)
{
    return slice_cmp(significant(a), significant(b));
}

bool key_range_contains(const struct key_range *r, const struct keyspace_id *id)
{
    return (r->start.len == 0 || keyspace_id_cmp(&r->start, id) <= 0) &&
           (r->end.len == 0 || keyspace_id_cmp(id, &r->end) < 0);
}

static enum err_code bad_name(struct slice name, struct err *reterr)
{
    return err_set(reterr, MQ_SHARDS_INCOMPLETE,
                   "'%.*s' is no key range; a shard is named such as -80, 80- or 40-80",
                   (int)(name.len < SHARD_NAME_MAX ? name.len : SHARD_NAME_MAX), name.data);
}

enum err_code key_range_parse(struct slice name, struct key_range *ret, struct err *reterr)
{
    *ret = (struct key_range){ 0 };
    if (slice_eq(name, SLICE_LIT("0")))
        return MQ_OK;
    const char *dash =
        name.len <= SHARD_NAME_MAX && name.len ? memchr(name.data, '-', name.len) : NULL;
    if (!dash)
        return bad_name(name, reterr);
    size_t before = (size_t)(dash - name.data);
    if (!keyspace_id_parse(slice_of(name.data, before), &ret->start) ||
        !keyspace_id_parse(slice_of(dash + 1, name.len - before - 1), &ret->end))
        return bad_name(name, reterr);
    if (ret->end.len && keyspace_id_cmp(&ret->start, &ret->end) >= 0)
        return err_set(reterr, MQ_SHARDS_INCOMPLETE, "out of order keys: '%.*s'", (int)name.len,
                       name.data);
    return MQ_OK;
}

/* A range and its place in the caller's array, for sorting. */
struct placed_range {
    const struct key_range *range;
    uint32_t index;
};

static int compare_starts(const void *a, const void *b)
{
    const struct placed_range *x = a, *y = b;
    int c = keyspace_id_cmp(&x->range->start, &y->range->start);
    return c ? c : x->index < y->index ? -1 : x->index > y->index;
}

static void sort_ranges(const struct key_range *ranges, size_t count, uint32_t *order)
{
    struct placed_range *placed = mem_array(count, sizeof *placed);
    for (size_t i = 0; i < count; i++)
        placed[i] = (struct placed_range){ &ranges[i], (uint32_t)i };
    qsort(placed, count, sizeof *placed, compare_starts);
    for (size_t i = 0; i < count; i++)
        order[i] = placed[i].index;
    mem_free(placed);
}

/* Two neighbours in order: the first must end where the second starts. */
static enum err_code check_seam(const struct key_range *a, const char *a_name,
                                const struct key_range *b, const char *b_name, struct err *reterr)
{
    int c = a->end.len == 0 ? 1 : keyspace_id_cmp(&a->end, &b->start);
    if (c == 0)
        return MQ_OK;
    if (c > 0)
        return err_set(reterr, MQ_SHARDS_INCOMPLETE, "shards %s and %s overlap", a_name, b_name);
    struct buf gap;
    buf_init(&gap);
    keyspace_id_print(&a->end, &gap);
    buf_append_byte(&gap, '-');
    keyspace_id_print(&b->start, &gap);
    err_set(reterr, MQ_SHARDS_INCOMPLETE, "no shard holds %s, between shards %s and %s",
            buf_cstr(&gap), a_name, b_name);
    buf_fini(&gap);
    return MQ_SHARDS_INCOMPLETE;
}

enum err_code key_ranges_check(const struct key_range *ranges, const char *const *names,
                               size_t count, uint32_t *order, struct err *reterr)
{
    if (count == 0 || count > SHARDS_MAX)
        return err_set(reterr, MQ_SHARDS_INCOMPLETE, "there are %zu shards; 1 to %d are possible",
                       count, SHARDS_MAX);
    sort_ranges(ranges, count, order);
    uint32_t first = order[0], last = order[count - 1];
    if (significant(&ranges[first].start).len)
        return err_set(reterr, MQ_SHARDS_INCOMPLETE,
                       "the first shard, %s, does not start with min key", names[first]);
    for (size_t i = 0; i + 1 < count; i++) {
        uint32_t a = order[i], b = order[i + 1];
        enum err_code code = check_seam(&ranges[a], names[a], &ranges[b], names[b], reterr);
        if (code != MQ_OK)
            return code;
    }
    if (ranges[last].end.len)
        return err_set(reterr, MQ_SHARDS_INCOMPLETE,
                       "the last shard, %s, does not end with max key", names[last]);
    return MQ_OK;
}

uint32_t key_ranges_find(const struct key_range *ranges, const uint32_t *order, size_t count,
                         const struct keyspace_id *id)
{
    /* order[low] starts at or before id, order[high] (if there) after it. */
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (keyspace_id_cmp(&ranges[order[middle]].start, id) <= 0)
            low = middle;
        else
            high = middle;
    }
    return order[low];
}

/* Boundary i of n, in hex of that width; "" at both ends of everything. */
static void print_boundary(uint32_t i, uint32_t n, int width, char out[8])
{
    uint64_t all = width == 2 ? 0x100 : 0x10000;
    out[0] = '\0';
    if (i > 0 && i < n)
        snprintf(out, 8, "%0*x", width, (uint16_t)(i * all / n));
}

bool key_range_name(uint32_t i, uint32_t n, char name[16])
{
    if (n < 1 || n > SHARDS_MAX || i >= n)
        return false;
    int width = n <= 256 ? 2 : 4;
    char start[8], end[8];
    print_boundary(i, n, width, start);
    print_boundary(i + 1, n, width, end);
    snprintf(name, 16, "%s-%s", start, end);
    return true;
}
