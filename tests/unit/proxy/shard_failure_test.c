/* Shards that close, die or do not speak the protocol: what the client learns, and that nothing of
 * it reaches another session. */
#include "tests/unit/proxy/gate_test.h"

static void shards_that_close_at_each_step(void **state)
{
    (void)state;
    for (int step = 0; step < 6; step++) {
        reopen_gate(GATE_YAML);
        close_backends();
        gate.by_hand = true;
        struct peer *p = login(&gate, "mq@acme");
        client_query(&gate, p, PICK);
        for (int i = 0; i <= step; i++) {
            struct peer *shard = gate_shard(&gate, 0);
            assert_non_null(shard);
            if (i == step) {
                peer_close(shard);
            } else if (i == 0) {
                shard_greet(&gate, shard);
            } else if (i == 1) {
                expect_packet(shard, 1);
                peer_send_packet(shard, 2, SLICE_LIT("\0\0\0\2\0\0\0"));
            } else if (i == 2) {
                shard_expect(shard, "SELECT @@sql_mode, @@hostname, @@port, "
                                    "@@global.character_set_client, "
                                    "@@global.collation_connection");
                shard_say_row(&gate, shard, SLICE_LIT(""));
            } else if (i == 3) {
                assert_true(shard_take_set(&gate, shard));
            } else {
                shard_expect(shard, PICK_ACME);
                peer_send(shard, "\1\0\0\1\1", 5);
            }
            gate_run(&gate);
        }
        if (step < 3) { /* nothing was asked of it: the wait is over */
            expect_err(p, 1, 1160, "MQ5001");
        } else if (step == 3) { /* not a byte of the statement was sent: once more */
            gate.refuse_connections = true;
            assert_non_null(gate_shard(&gate, 0));
            peer_close(gate_shard(&gate, 0));
            gate_run(&gate);
            expect_err(p, 1, 1160, "MQ5001");
        } else if (step == 4) { /* it may have run */
            expect_err(p, 1, 1158, "MQ5002");
        } else {
            gate_run(&gate);
            assert_true(p->closed);
        }
    }
}

static void shards_that_do_not_speak_the_protocol(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        const char *bytes;
        size_t len;
        bool told; /* else the connection is closed */
    } cases[] = {
        { "an empty packet", "\0\0\0\1", 4, true },
        { "LOCAL INFILE", "\2\0\0\1\xfb/", 6, true },
        { "two answers", "\7\0\0\1\0\0\0\2\0\0\0\7\0\0\1\0\0\0\2\0\0\0", 22, false },
        { "an OK cut short", "\2\0\0\1\0\0", 6, true },
        { "a column and an empty row", "\1\0\0\1\1\3\0\0\2def\0\0\0\3", 16, false },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct peer *p = login(&gate, "mq@acme");
        client_query(&gate, p, PICK);
        struct peer *shard = gate_shard(&gate, 0);
        shard_expect(shard, PICK_ACME);
        peer_send(shard, cases[i].bytes, cases[i].len);
        gate_run(&gate);
        if (!shard->closed)
            fail_msg("%s: the backend is kept", cases[i].why);
        if (cases[i].told)
            expect_err(p, 1, 1835, "MQ5004");
        else
            assert_true(p->closed);
    }
}

/* What one session's broken answer left half made never reaches another's. */
static void a_broken_answer_leaves_nothing_behind(void **state)
{
    (void)state;
    static const char *const rows[] = { "y" };
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    struct buf answer;
    uint8_t seq = 1;
    struct slice row = SLICE_LIT("secret");
    buf_init(&answer);
    shard_rows(&answer, &seq, &row, 1, GATE_SHARD, IDLE_STATUS);
    answer.end -= PACKET_HEADER + 7;
    buf_append(&answer, "\0\0\0\4", 4);
    peer_send_buf(shard, &answer);
    gate_run(&gate);
    assert_true(p->closed);
    p = login(&gate, "mq@acme");
    client_query(&gate, p, PICK);
    shard = gate_shard(&gate, 0);
    shard_expect(shard, PICK_ACME);
    gate_say_row(&gate, shard, "y", IDLE_STATUS);
    expect_rows(p, rows, 1);
}

static void idle_backends_that_died_are_replaced(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *dead = gate_shard(&gate, 0);
    peer_close(dead);
    gate_clock_ms += 1000; /* nobody has looked yet */
    client_query(&gate, p, PICK);
    assert_ptr_not_equal(gate_shard(&gate, 0), dead);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
}

#define TEST(function) GATE_TEST(function, GATE_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(shards_that_close_at_each_step),
        TEST(shards_that_do_not_speak_the_protocol),
        TEST(a_broken_answer_leaves_nothing_behind),
        TEST(idle_backends_that_died_are_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
