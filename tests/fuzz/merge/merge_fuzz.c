/* Merging whatever parts may answer, by whatever recipe a planner could make: it never crashes, it
 * ends when nothing more comes, it holds no more than it may, and what it gives the client is an
 * answer, or the front of one.
 *
 * The input: numbers for the recipe first, then the parts' bytes in pieces, each behind its part
 * and its length. */
#include "tests/fuzz/wire/fuzz.h"

#include "merge/merge.h"
#include "wire/answer.h"
#include "wire/packet.h"

enum { PARTS = 3, NODES = 8, KEYS = 3, AGGREGATES = 3, VALUES = 3, COLUMNS = 3 };

struct recipe {
    struct merge_recipe recipe;
    struct merge_key order[KEYS];
    struct merge_aggregate aggregates[AGGREGATES];
    struct merge_sort_key sort[KEYS];
    struct merge_expr exprs[NODES];
    int32_t columns[COLUMNS];
    struct merge_value values[VALUES];
};

static uint32_t below(struct reader *r, uint32_t n)
{
    return n ? read_u8(r) % n : 0;
}

/* Its operands stand before it, side by side; leaves are what the recipe has. */
static struct merge_expr read_expr(struct reader *r, const struct merge_recipe *m, uint32_t at)
{
    static const uint8_t leaves[] = { MERGE_COLUMN, MERGE_VALUE, MERGE_AGGREGATE };
    uint32_t kinds = m->grouped && m->aggregate_count ? 3 : 2;
    struct merge_expr e = { .op = (uint8_t)below(r, MERGE_COALESCE + 1),
                            .compare = (uint8_t)below(r, MERGE_AS_BYTES + 1) };
    if (at < 2 || e.op <= MERGE_VALUE) {
        e.op = leaves[below(r, kinds)];
        e.number = below(r, e.op == MERGE_COLUMN  ? m->shown + m->hidden
                            : e.op == MERGE_VALUE ? VALUES
                                                  : (uint32_t)m->aggregate_count);
        return e;
    }
    bool one = e.op == MERGE_IS_NULL || e.op == MERGE_NOT;
    bool many = e.op == MERGE_AND || e.op == MERGE_OR || e.op == MERGE_COALESCE;
    e.operand_count = one ? 1 : many ? 1 + below(r, at) : 2;
    e.first_operand = below(r, at - e.operand_count + 1);
    return e;
}

static int32_t read_root(struct reader *r)
{
    return (int32_t)below(r, NODES + 1) - 1;
}

static void read_lists(struct reader *r, struct recipe *x)
{
    struct merge_recipe *m = &x->recipe;
    uint32_t columns = m->shown + m->hidden;
    for (size_t i = 0; i < m->order_count; i++)
        x->order[i] = (struct merge_key){ below(r, columns), (uint8_t)below(r, 4), below(r, 2) };
    for (size_t i = 0; i < m->aggregate_count; i++)
        x->aggregates[i] = (struct merge_aggregate){ (uint8_t)below(r, MERGE_COUNT_DISTINCT + 1),
                                                     (uint8_t)below(r, 4), below(r, columns),
                                                     below(r, columns) };
    for (uint32_t i = 0; i < NODES; i++)
        x->exprs[i] = read_expr(r, m, i);
    for (size_t i = 0; i < m->sort_count; i++)
        x->sort[i] = (struct merge_sort_key){ below(r, NODES), (uint8_t)below(r, 4), below(r, 2) };
    for (size_t i = 0; i < COLUMNS; i++)
        x->columns[i] = (int32_t)below(r, NODES);
    for (size_t i = 0; i < VALUES; i++)
        x->values[i] = (struct merge_value){ (uint8_t)below(r, MERGE_VALUE_TEXT + 1), below(r, 2),
                                             read_u8(r), SLICE_LIT("1.5") };
}

/* Rows are grouped by what they are sorted by, and expressions over no group name no aggregate. */
static void read_recipe(struct reader *r, struct recipe *x)
{
    struct merge_recipe *m = &x->recipe;
    *x = (struct recipe){ .recipe = { .kind = (uint8_t)below(r, MERGE_COUNTS_MAX + 1) } };
    m->shown = 1 + below(r, COLUMNS);
    m->hidden = below(r, 3);
    m->order = x->order;
    m->order_count = below(r, KEYS + 1);
    m->unique = below(r, (uint32_t)m->order_count + 1);
    m->version = (int32_t)below(r, m->shown + m->hidden + 1) - 1;
    m->grouped = below(r, 2);
    m->group = below(r, (uint32_t)m->order_count + 1);
    m->aggregates = x->aggregates;
    m->aggregate_count = m->grouped ? below(r, AGGREGATES + 1) : 0;
    m->having = read_root(r);
    m->sort = x->sort;
    m->sort_count = below(r, KEYS + 1);
    m->columns = below(r, 2) ? x->columns : NULL;
    m->exprs = x->exprs;
    m->expr_count = NODES;
    m->filter = m->grouped ? -1 : read_root(r);
    read_lists(r, x);
}

/* The client reads packets in a row. */
static void check_answer(struct answer *a, struct slice bytes, uint8_t *seq)
{
    struct reader r = reader_of(bytes.data, bytes.len);
    while (reader_left(&r)) {
        struct slice header = read_bytes(&r, PACKET_HEADER);
        REQUIRE(!r.bad && (uint8_t)header.data[3] == (*seq)++);
        struct slice payload = read_bytes(&r, packet_length((const uint8_t *)header.data));
        REQUIRE(!r.bad && !a->ended);
        enum answer_packet kind =
            answer_packet(a, (const uint8_t *)payload.data, payload.len, payload.len);
        REQUIRE(kind != ANSWER_BAD && kind != ANSWER_NEED_MORE && kind != ANSWER_ERR);
    }
}

struct client {
    struct merge *m;
    struct answer answer;
    struct buf out;
    uint8_t seq, seen;
};

static enum merge_outcome run(struct client *c, size_t bound)
{
    struct err e = { 0 };
    enum merge_outcome outcome;
    do {
        outcome = merge_run(c->m, &c->out, bound, &c->seq, &e);
        REQUIRE(outcome != MERGE_FAILED || e.code);
        REQUIRE(outcome != MERGE_FULL || buf_len(&c->out) >= bound);
        check_answer(&c->answer, buf_slice(&c->out), &c->seen);
        buf_clear(&c->out);
    } while (outcome == MERGE_FULL);
    REQUIRE((outcome == MERGE_ENDED) == c->answer.ended);
    return outcome;
}

static void feed_pieces(struct client *c, struct reader *r, size_t bound)
{
    enum merge_outcome outcome = run(c, bound);
    while (reader_left(r) && outcome == MERGE_WAITING) {
        size_t part = below(r, PARTS);
        struct slice piece = script_packet(r);
        if (merge_wants(c->m, part))
            merge_feed(c->m, part, piece.data, piece.len);
        outcome = run(c, bound);
    }
    for (size_t i = 0; outcome == MERGE_ENDED && i < PARTS; i++)
        REQUIRE(merge_part_ended(c->m, i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct recipe x;
    struct reader r = reader_of(data, size);
    uint8_t flags = read_u8(&r);
    uint32_t eof = flags & 1 ? 0 : CAP_DEPRECATE_EOF;
    struct merge_setting setting = { .capabilities = eof,
                                     .part_capabilities = flags & 2 ? 0 : CAP_DEPRECATE_EOF,
                                     .binary = flags & 4,
                                     .average_digits = 4 };
    read_recipe(&r, &x);
    struct merge_inputs inputs = { .values = x.values, .value_count = VALUES,
                                   .skip = below(&r, 4),
                                   .most = flags & 8 ? below(&r, 4) : UINT64_MAX };
    struct client c = { .seq = 1, .seen = 1 };
    c.m = merge_create(&x.recipe, &inputs, PARTS, &setting);
    answer_begin(&c.answer, ANSWER_QUERY, eof);
    feed_pieces(&c, &r, flags & 16 ? 1 : 4096);
    merge_destroy(c.m);
    buf_fini(&c.out);
    return 0;
}
