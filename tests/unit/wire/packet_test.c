#include "tests/unit/wire/wire_test.h"

#include "base/memory.h"
#include "wire/packet.h"

static const size_t sizes[] = {
    0, 1, PACKET_MAX - 1, PACKET_MAX, PACKET_MAX + 1, 2 * (size_t)PACKET_MAX + 7
};

/* Bytes that differ from place to place, so that a misplaced fragment shows. */
static uint8_t *bytes;

static struct slice pattern(size_t len)
{
    return slice_of(bytes, len);
}

static int make_bytes(void **state)
{
    (void)state;
    size_t len = sizes[COUNT(sizes) - 1];
    bytes = mem_alloc(len);
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(i * 31 + (i >> 16));
    return 0;
}

static int drop_bytes(void **state)
{
    (void)state;
    mem_free(bytes);
    return 0;
}

static void payloads_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct slice payload = pattern(sizes[i]);
        struct buf b = { 0 }, scratch = { 0 };
        uint8_t seq = 254;
        packet_append(&b, &seq, payload);
        size_t fragments = sizes[i] / PACKET_MAX + 1;
        assert_int_equal(buf_len(&b), sizes[i] + fragments * PACKET_HEADER);
        assert_int_equal(seq, (uint8_t)(254 + fragments));
        struct packet p;
        assert_int_equal(packet_next(buf_begin(&b), buf_len(&b), SIZE_MAX, &scratch, &p, NULL),
                         PACKET_COMPLETE);
        assert_true(slice_eq(p.payload, payload));
        assert_int_equal(p.wire_bytes, buf_len(&b));
        assert_int_equal(p.first_seq, 254);
        assert_int_equal(p.last_seq, (uint8_t)(seq - 1));
        assert_true(p.sequence_ok);
        assert_int_equal(buf_len(&scratch) > 0, fragments > 1);
        buf_fini(&b);
        buf_fini(&scratch);
    }
}

static void open_and_close_write_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct slice payload = pattern(sizes[i]);
        struct buf want = { 0 }, got = { 0 };
        uint8_t want_seq = 3, got_seq = 3;
        buf_append_cstr(&want, "before");
        buf_append_cstr(&got, "before");
        packet_append(&want, &want_seq, payload);
        size_t mark = packet_open(&got);
        buf_append_slice(&got, payload);
        packet_close(&got, mark, &got_seq);
        assert_true(slice_eq(buf_slice(&got), buf_slice(&want)));
        assert_int_equal(got_seq, want_seq);
        buf_fini(&want);
        buf_fini(&got);
    }
}

/* Every prefix of a stream is incomplete, asks for more than it has and never for bytes
 * beyond the packet. */
static void every_split(void **state)
{
    (void)state;
    struct buf b = { 0 }, scratch = { 0 };
    uint8_t seq = 0;
    packet_append(&b, &seq, SLICE_LIT("select 1"));
    packet_append(&b, &seq, SLICE_LIT("next"));
    size_t whole = PACKET_HEADER + 8;
    for (size_t have = 0; have <= buf_len(&b); have++) {
        uint8_t *data = exact_copy(buf_slice(&b), have);
        struct packet p;
        size_t need = 0;
        enum packet_status status = packet_next(data, have, 64, &scratch, &p, &need);
        assert_int_equal(status, have < whole ? PACKET_INCOMPLETE : PACKET_COMPLETE);
        if (status == PACKET_INCOMPLETE)
            assert_int_equal(need, have < PACKET_HEADER ? PACKET_HEADER : whole);
        else
            assert_slice(p.payload, SLICE_LIT("select 1"), "payload");
        free(data);
    }
    buf_fini(&b);
    buf_fini(&scratch);
}

static void splits_of_fragments(void **state)
{
    (void)state;
    struct slice payload = pattern(PACKET_MAX + 5);
    struct buf b = { 0 }, scratch = { 0 };
    uint8_t seq = 0;
    packet_append(&b, &seq, payload);
    const size_t first = PACKET_HEADER + (size_t)PACKET_MAX, second = first + PACKET_HEADER;
    const struct {
        const char *why;
        size_t have, need;
    } cases[] = {
        { "a header", PACKET_HEADER, second },   { "part of the first fragment", 1000, second },
        { "the first fragment", first, second }, { "part of the second header", first + 3, second },
        { "both headers", second, second + 5 },  { "all but one byte", second + 4, second + 5 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct packet p;
        size_t need = 0;
        assert_int_equal(packet_next(buf_begin(&b), cases[i].have, SIZE_MAX, &scratch, &p, &need),
                         PACKET_INCOMPLETE);
        if (need != cases[i].need)
            fail_msg("%s: needs %zu, want %zu", cases[i].why, need, cases[i].need);
        assert_int_equal(buf_len(&scratch), 0);
    }
    buf_fini(&b);
    buf_fini(&scratch);
}

static void too_large(void **state)
{
    (void)state;
    static const struct {
        const char *why, *header;
        size_t max;
        enum packet_status want;
    } cases[] = {
        { "exactly the limit", "0a000007", 10, PACKET_INCOMPLETE },
        { "one byte more, known from the header alone", "0b000007", 10, PACKET_TOO_LARGE },
        { "a full fragment below the limit", "ffffff07", PACKET_MAX, PACKET_INCOMPLETE },
        { "a full fragment above the limit", "ffffff07", PACKET_MAX - 1, PACKET_TOO_LARGE },
        { "nothing is allowed, nothing is sent", "00000007", 0, PACKET_COMPLETE },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 }, scratch = { 0 };
        struct slice s = hex_append(&b, cases[i].header);
        struct packet p;
        enum packet_status got =
            packet_next((const uint8_t *)s.data, s.len, cases[i].max, &scratch, &p, NULL);
        if (got != cases[i].want)
            fail_msg("%s: %d", cases[i].why, got);
        assert_int_equal(p.last_seq, 7); /* the error that answers it carries the next id */
        buf_fini(&b);
        buf_fini(&scratch);
    }
}

static void later_fragments_count_against_the_limit(void **state)
{
    (void)state;
    struct slice payload = pattern(PACKET_MAX + 5);
    struct buf b = { 0 }, scratch = { 0 };
    uint8_t seq = 0;
    packet_append(&b, &seq, payload);
    struct packet p;
    size_t have = 2 * (size_t)PACKET_HEADER + PACKET_MAX;
    assert_int_equal(packet_next(buf_begin(&b), have, PACKET_MAX + 4, &scratch, &p, NULL),
                     PACKET_TOO_LARGE);
    assert_int_equal(p.last_seq, 1);
    buf_fini(&b);
    buf_fini(&scratch);
}

static void a_gap_in_the_sequence_shows(void **state)
{
    (void)state;
    struct slice payload = pattern(2 * (size_t)PACKET_MAX);
    struct buf b = { 0 }, scratch = { 0 };
    uint8_t seq = 9;
    packet_append(&b, &seq, payload);
    uint8_t *last = buf_begin(&b) + buf_len(&b) - 1; /* of the empty packet at the end */
    assert_int_equal(*last, 11);
    *last = 12;
    struct packet p;
    assert_int_equal(packet_next(buf_begin(&b), buf_len(&b), SIZE_MAX, &scratch, &p, NULL),
                     PACKET_COMPLETE);
    assert_false(p.sequence_ok);
    buf_fini(&b);
    buf_fini(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(payloads_come_back),
        cmocka_unit_test(open_and_close_write_the_same),
        cmocka_unit_test(every_split),
        cmocka_unit_test(splits_of_fragments),
        cmocka_unit_test(too_large),
        cmocka_unit_test(later_fragments_count_against_the_limit),
        cmocka_unit_test(a_gap_in_the_sequence_shows),
    };
    return cmocka_run_group_tests(tests, make_bytes, drop_bytes);
}
