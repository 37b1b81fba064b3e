/* How answers pass: in whatever pieces they come, however large they are, and however slowly the
 * client reads. */
#include "tests/unit/proxy/gate_test.h"

/* The answer comes in two pieces, cut at every place. */
static void answers_may_be_cut_anywhere(void **state)
{
    (void)state;
    static const char *const want[] = { "x", "",
                                        "a longer row, so that there is something to cut" };
    struct slice rows[] = { slice_cstr(want[0]), slice_cstr(want[1]), slice_cstr(want[2]) };
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    struct buf answer;
    uint8_t seq = 1;
    buf_init(&answer);
    shard_rows(&answer, &seq, rows, 3, GATE_SHARD, IDLE_STATUS);
    for (size_t cut = 1; cut < buf_len(&answer); cut++) {
        client_query(&gate, p, PICK);
        shard_expect(shard, PICK_ACME);
        peer_send(shard, buf_begin(&answer), cut);
        gate_run(&gate);
        peer_send(shard, buf_begin(&answer) + cut, buf_len(&answer) - cut);
        gate_run(&gate);
        expect_rows(p, want, 3);
    }
    buf_fini(&answer);
}

/* With and without CLIENT_DEPRECATE_EOF on either side. */
static void ends_of_rows_are_translated(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        bool client_new = i & 1, shard_new = i & 2;
        reopen_gate(GATE_YAML);
        uint32_t caps = client_new ? (uint32_t)GATE_CLIENT
                                   : (uint64_t)GATE_CLIENT & ~(uint64_t)CAP_DEPRECATE_EOF;
        if (!shard_new)
            gate.shard_capabilities &= ~(uint64_t)CAP_DEPRECATE_EOF;
        /* The probe's connections greeted with the default: others take their place. */
        close_backends();
        struct peer *p = log_in_as("app", "mq@acme", caps);
        client_query(&gate, p, PICK);
        shard_expect(gate_shard(&gate, 0), PICK_ACME);
        gate_say_row(&gate, gate_shard(&gate, 0), "x", OPEN_STATUS);
        uint8_t seq = 3;
        expect_packet(p, 1);
        expect_packet(p, 2);
        if (!client_new)
            assert_int_equal(expect_packet(p, seq++).len, 5);
        assert_slice(expect_packet(p, seq++), SLICE_LIT("\1x"), "row");
        struct slice end = expect_packet(p, seq);
        assert_int_equal((uint8_t)end.data[0], 0xfe);
        if (client_new) {
            struct ok_packet ok;
            assert_true(ok_parse(end, caps, &ok));
            assert_int_equal(ok.status, OPEN_STATUS);
        } else {
            assert_slice(end, SLICE_LIT("\xfe\0\0\3\0"), "EOF");
        }
        expect_nothing(p);
    }
}

/* The client's bytes of one answer, of which the shard names the column. */
static void ask(struct peer *p, const char *column, struct buf *ret)
{
    struct slice rows[] = { SLICE_LIT("x"), SLICE_LIT("y"), SLICE_LIT("z") };
    struct column_def definitions[2] = {
        { .schema = SLICE_LIT("shard"), .name = slice_cstr(column), .charset = 45, .length = 10,
          .type = TYPE_VAR_STRING },
        { .schema = SLICE_LIT("other"), .name = SLICE_LIT("second"), .charset = 63, .length = 10,
          .type = TYPE_VAR_STRING },
    };
    struct slice pairs[] = { rows[0], rows[1], rows[2], rows[0] };
    struct text_result result = { .columns = definitions, .column_count = 2, .rows = pairs,
                                  .row_count = 2 };
    struct buf answer;
    uint8_t seq = 1;
    client_query(&gate, p, PICK);
    struct peer *shard = gate_shard(&gate, 0);
    shard_expect(shard, PICK_ACME);
    buf_init(&answer);
    text_result_write(&answer, &seq, &result, gate.shard_capabilities, IDLE_STATUS, 0);
    peer_send_buf(shard, &answer);
    gate_run(&gate);
    buf_clear(ret);
    buf_append_slice(ret, buf_slice(&p->in));
    buf_clear(&p->in);
}

/* What has been told before is told the same, and nothing else is taken for it. */
static void known_heads_are_told_as_before(void **state)
{
    (void)state;
    struct buf first, again, other;
    buf_init(&first);
    buf_init(&again);
    buf_init(&other);
    for (int i = 0; i < 8; i++) {
        uint32_t eof_of_client = i & 1 ? CAP_DEPRECATE_EOF : 0;
        reopen_gate(i & 4 ? GATE_YAML_OF("mq") : GATE_YAML);
        if (i & 2)
            gate.shard_capabilities &= ~(uint64_t)CAP_DEPRECATE_EOF;
        close_backends();
        struct peer *p = log_in_as("app", "mq@acme", (uint32_t)GATE_CLIENT ^ eof_of_client);
        struct peer *unlike =
            log_in_as("app", "queue@acme", (uint32_t)GATE_CLIENT ^ CAP_DEPRECATE_EOF ^ eof_of_client);
        ask(p, "c", &first);
        ask(unlike, "c", &other);
        assert_false(slice_eq(buf_slice(&first), buf_slice(&other)));
        ask(p, "d", &again);
        assert_false(slice_eq(buf_slice(&first), buf_slice(&again)));
        ask(p, "c", &again);
        assert_slice(buf_slice(&again), buf_slice(&first), "known");
        ask(unlike, "c", &again);
        assert_slice(buf_slice(&again), buf_slice(&other), "known to another client");
    }
    buf_fini(&first);
    buf_fini(&again);
    buf_fini(&other);
}

static void send_large_row(struct peer *shard, size_t size)
{
    struct buf row, answer;
    uint8_t seq = 1;
    buf_init(&row);
    append_fill(&row, 'r', size);
    struct slice value = buf_slice(&row);
    buf_init(&answer);
    shard_rows(&answer, &seq, &value, 1, GATE_SHARD, IDLE_STATUS);
    peer_send_buf(shard, &answer);
    buf_fini(&row);
}

static void large_rows_pass(void **state)
{
    (void)state;
    static const size_t sizes[] = { 16000,         16380,        16384,          20000,
                                    65530,         1048600,      (1 << 24) - 10, (1 << 24) - 5,
                                    (1 << 24) + 9, (2 << 24) + 1 };
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        client_query(&gate, p, PICK);
        shard_expect(shard, PICK_ACME);
        send_large_row(shard, sizes[i]);
        gate_run(&gate);
        expect_packet(p, 1);
        expect_packet(p, 2);
        struct slice row = expect_packet(p, 3);
        struct reader r = reader_of(row.data, row.len);
        assert_int_equal(read_lenenc_slice(&r).len, sizes[i]);
        assert_int_equal(reader_left(&r), 0);
        uint8_t fragments = (uint8_t)(row.len / PACKET_MAX + 1);
        assert_int_equal((uint8_t)expect_packet(p, (uint8_t)(3 + fragments)).data[0], 0xfe);
    }
}

/* A row's header at the end of one read, its bytes in the next. */
static void a_large_row_may_begin_at_the_end_of_a_read(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    struct buf row, answer;
    uint8_t seq = 1;
    size_t size = 2 << 20;
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    buf_init(&row);
    append_fill(&row, 'r', size);
    struct slice value = buf_slice(&row);
    buf_init(&answer);
    shard_rows(&answer, &seq, &value, 1, GATE_SHARD, IDLE_STATUS);
    size_t head = 0;
    for (int i = 0; i < 2; i++)
        head += PACKET_HEADER + packet_length(buf_begin(&answer) + head);
    head += PACKET_HEADER;
    peer_send(shard, buf_begin(&answer), head);
    gate_run(&gate);
    peer_send(shard, buf_begin(&answer) + head, buf_len(&answer) - head);
    gate_run(&gate);
    expect_packet(p, 1);
    expect_packet(p, 2);
    assert_int_equal(expect_packet(p, 3).len, size + 4);
    assert_int_equal((uint8_t)expect_packet(p, 4).data[0], 0xfe);
    buf_fini(&row);
    buf_fini(&answer);
}

/* A client that does not read stops its shard, not the worker, and costs little memory. */
static void a_client_that_does_not_read_stops_its_shard(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    size_t size = 8 << 20;
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    p->deaf = true;
    send_large_row(shard, size);
    gate_run(&gate);
    struct session *s = session_of_node(list_first(&gate.worker->sessions));
    assert_non_null(s);
    assert_true(buf_len(&shard->unsent) > size / 2);
    /* Others are served meanwhile. */
    struct peer *other = login(&gate, "mq@globex");
    client_query(&gate, other, PICK);
    shard_expect(gate_shard(&gate, 1), PICK_GLOBEX);
    p->deaf = false;
    gate_run(&gate);
    expect_packet(p, 1);
    expect_packet(p, 2);
    assert_int_equal(expect_packet(p, 3).len, size + 4);
    assert_int_equal((uint8_t)expect_packet(p, 4).data[0], 0xfe);
}

/* The same when the answer before was not read either. */
static void unread_answers_hold_the_next_one_back(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    p->deaf = true;
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    send_large_row(shard, GATE_PIPE + 1000); /* a little more than the pipe holds */
    gate_run(&gate);
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    send_large_row(shard, 8 << 20);
    gate_run(&gate);
    assert_true(buf_len(&shard->unsent) > 4 << 20);
    p->deaf = false;
    gate_run(&gate);
    for (int i = 0; i < 2; i++) {
        for (uint8_t seq = 1; seq <= 4; seq++)
            expect_packet(p, seq);
    }
}

static void errors_amid_rows(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    struct buf answer;
    uint8_t seq = 1;
    struct slice rows[] = { SLICE_LIT("x"), SLICE_LIT("y") };
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    buf_init(&answer);
    shard_rows(&answer, &seq, rows, 2, GATE_SHARD, IDLE_STATUS);
    size_t last = PACKET_HEADER + 7; /* the closing packet */
    answer.end -= last;
    seq--;
    shard_err(&answer, &seq, 1317, "70100", "Query execution was interrupted");
    peer_send_buf(shard, &answer);
    gate_run(&gate);
    for (uint8_t i = 1; i <= 4; i++)
        expect_packet(p, i);
    expect_err(p, 5, 1317, "Query execution was interrupted");
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME); /* the same backend goes on */
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(p);
}

#define TEST(function) GATE_TEST(function, GATE_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(answers_may_be_cut_anywhere),
        TEST(ends_of_rows_are_translated),
        TEST(known_heads_are_told_as_before),
        TEST(large_rows_pass),
        TEST(a_large_row_may_begin_at_the_end_of_a_read),
        TEST(a_client_that_does_not_read_stops_its_shard),
        TEST(unread_answers_hold_the_next_one_back),
        TEST(errors_amid_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
