/* Transactions: what travels with the first statement, and what is left when either side is lost.
 */
#include "tests/unit/proxy/gate_test.h"

static void begin_travels_with_the_first_statement(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, "BEGIN");
    assert_int_equal(expect_ok(p).status, OPEN_STATUS);
    expect_nothing(shard);
    client_query(&gate, p, ADD);
    shard_expect(shard, "BEGIN");
    shard_expect(shard, ADD_ACME);
    shard_say_ok(shard, OPEN_STATUS);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(p);
    expect_nothing(p);
    /* Another session needs another backend. */
    struct peer *other = login(&gate, "mq@acme");
    client_query(&gate, other, PICK);
    assert_ptr_not_equal(gate_shard(&gate, 0), shard);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
    client_query(&gate, p, "COMMIT");
    shard_expect(shard, "COMMIT");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(p);
}

/* The shard answers outside the transaction that the client knows itself in. */
static void a_pending_begin_shows_in_every_status(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    const struct slice one[] = { SLICE_LIT("1") };
    client_query(&gate, p, "BEGIN");
    expect_ok(p);
    client_query(&gate, p, "SELECT 1");
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, "SELECT 1");
    struct buf answer;
    uint8_t seq = 1;
    buf_init(&answer);
    shard_rows(&answer, &seq, one, 1, GATE_CLIENT, IDLE_STATUS);
    peer_send_buf(shard, &answer);
    gate_run(&gate);
    for (seq = 1; seq <= 3; seq++)
        expect_packet(p, seq);
    struct ok_packet ok;
    assert_true(ok_parse(expect_packet(p, 4), GATE_CLIENT, &ok));
    assert_int_equal(ok.status, OPEN_STATUS);
    client_query(&gate, p, "ROLLBACK");
    assert_int_equal(expect_ok(p).status, IDLE_STATUS);
}

static void a_pipelined_begin_may_be_answered_in_pieces(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    struct buf answer;
    uint8_t seq = 1;
    buf_init(&answer);
    shard_ok(&answer, &seq, &(struct ok_packet){ .status = OPEN_STATUS });
    seq = 1;
    shard_ok(&answer, &seq, &(struct ok_packet){ .status = OPEN_STATUS, .affected_rows = 1 });
    for (size_t cut = 1; cut < buf_len(&answer); cut++) {
        client_query(&gate, p, "BEGIN");
        client_query(&gate, p, ADD);
        peer_send(shard, buf_begin(&answer), cut);
        gate_run(&gate);
        peer_send(shard, buf_begin(&answer) + cut, buf_len(&answer) - cut);
        gate_run(&gate);
        expect_ok(p);
        assert_int_equal(expect_ok(p).affected_rows, 1);
        client_query(&gate, p, "ROLLBACK");
        shard_expect(shard, "BEGIN");
        shard_expect(shard, ADD_ACME);
        shard_expect(shard, "ROLLBACK");
        gate_say_ok(&gate, shard, IDLE_STATUS);
        expect_ok(p);
    }
    buf_fini(&answer);
}

static void a_vanished_client_is_rolled_back(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    begin_transaction(p, shard);
    peer_close(p);
    gate_run(&gate);
    shard_expect(shard, "ROLLBACK");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    struct peer *next = login(&gate, "mq@acme");
    client_query(&gate, next, PICK);
    shard_expect(shard, PICK_ACME);
    assert_false(shard->closed);
}

static void a_client_that_vanishes_while_a_statement_runs(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    peer_close(p);
    gate_run(&gate);
    assert_true(shard->closed);
}

static void a_transaction_has_one_tenant(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, "SET @mq_tenant = 'acme'");
    expect_ok(p);
    begin_transaction(p, shard);
    client_query(&gate, p, "SET @mq_tenant = 'globex'");
    expect_ok(p);
    client_query(&gate, p, PICK);
    expect_err(p, 1, 1105, "MQ3014");
    expect_nothing(shard);
    expect_nothing(gate_shard(&gate, 1));
}

static void a_lost_shard_is_told_once(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    begin_transaction(p, shard);
    peer_close(shard);
    gate_run(&gate);
    expect_nothing(p);
    client_query(&gate, p, ADD);
    expect_err(p, 1, 1158, "MQ5002");
    client_query(&gate, p, "SELECT DATABASE()");
    for (uint8_t seq = 1; seq <= 3; seq++)
        expect_packet(p, seq);
    struct ok_packet ok;
    assert_true(ok_parse(expect_packet(p, 4), GATE_CLIENT, &ok));
    assert_int_equal(ok.status, IDLE_STATUS);
}

/* An error under autocommit=0 does not tell whether a transaction is open. */
static void errors_without_autocommit_leave_nothing_behind(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, "SET autocommit = 0");
    assert_int_equal(expect_ok(p).status, 0);
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    gate_say_err(&gate, shard, 1317, "interrupted");
    expect_err(p, 1, 1317, "interrupted");
    shard_expect_command(shard, COM_PING);
    gate_say_ok(&gate, shard, 0);
    expect_nothing(p);
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    gate_say_err(&gate, shard, 1062, "duplicate");
    expect_err(p, 1, 1062, "duplicate");
    shard_expect_command(shard, COM_PING);
    gate_say_ok(&gate, shard, STATUS_IN_TRANS); /* it has opened one all the same */
    client_query(&gate, p, "COMMIT");
    shard_expect(shard, "COMMIT");
    gate_say_ok(&gate, shard, 0);
    expect_ok(p);
    struct peer *next = login(&gate, "mq@acme");
    client_query(&gate, next, PICK);
    assert_slice(buf_slice(&gate.set), SLICE_LIT("SET autocommit = DEFAULT"), "sync");
}

static void isolation_of_the_next_transaction_only(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    expect_ok(p);
    client_query(&gate, p, "BEGIN");
    expect_ok(p);
    client_query(&gate, p, ADD);
    assert_slice(buf_slice(&gate.set), SLICE_LIT("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"),
                 "once");
    buf_clear(&gate.set);
    shard_expect(shard, "BEGIN");
    shard_expect(shard, ADD_ACME);
    shard_say_ok(shard, OPEN_STATUS);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(p);
    client_query(&gate, p, "ROLLBACK");
    shard_expect(shard, "ROLLBACK");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(p);
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    assert_int_equal(buf_len(&gate.set), 0);
}

/* They are of the transaction that is lost, not of the next one. */
static void savepoints_are_lost_with_their_shard(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, "BEGIN");
    expect_ok(p);
    client_query(&gate, p, "SAVEPOINT a");
    expect_ok(p);
    client_query(&gate, p, ADD);
    shard_expect(shard, "BEGIN");
    gate_say_ok(&gate, shard, OPEN_STATUS);
    shard_expect(shard, "SAVEPOINT `a`");
    peer_close(shard);
    gate_run(&gate);
    expect_err(p, 1, 1158, "MQ5002");
    client_query(&gate, p, "SET autocommit = 0");
    expect_ok(p);
    client_query(&gate, p, "ROLLBACK TO a");
    expect_err(p, 1, 1305, "MQ");
    client_query(&gate, p, ADD);
    shard_expect(gate_shard(&gate, 0), ADD_ACME);
}

/* COMMIT may have failed either way: what the next transaction may be told depends on it. */
static void a_commit_that_failed_before_begin(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    static const char *const ends[] = { "BEGIN", "COMMIT AND CHAIN", "COMMIT", "COMMIT RELEASE" };
    for (size_t i = 0; i < COUNT(ends); i++) {
        client_query(&gate, p, "BEGIN");
        expect_ok(p);
        client_query(&gate, p, ADD);
        shard_expect(shard, "BEGIN");
        shard_expect(shard, ADD_ACME);
        shard_say_ok(shard, OPEN_STATUS);
        gate_say_ok(&gate, shard, OPEN_STATUS);
        expect_ok(p);
        client_query(&gate, p, ends[i]);
        shard_expect(shard, "COMMIT");
        gate_say_err(&gate, shard, 1180, "Got error 28 during COMMIT");
        expect_err(p, 1, 1180, "Got");
        shard_expect_command(shard, COM_PING);
        gate_say_ok(&gate, shard, IDLE_STATUS);
        client_command(p, COM_PING, slice_of("", 0));
        gate_run(&gate);
        assert_int_equal(expect_ok(p).status, IDLE_STATUS);
        client_query(&gate, p, "SET TRANSACTION READ WRITE");
        expect_ok(p);
        client_query(&gate, p, "ROLLBACK"); /* forgets it */
        expect_ok(p);
        expect_nothing(shard);
    }
}

#define TEST(function) GATE_TEST(function, GATE_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(begin_travels_with_the_first_statement),
        TEST(a_pending_begin_shows_in_every_status),
        TEST(a_pipelined_begin_may_be_answered_in_pieces),
        TEST(a_vanished_client_is_rolled_back),
        TEST(a_client_that_vanishes_while_a_statement_runs),
        TEST(a_transaction_has_one_tenant),
        TEST(a_lost_shard_is_told_once),
        TEST(errors_without_autocommit_leave_nothing_behind),
        TEST(isolation_of_the_next_transaction_only),
        TEST(savepoints_are_lost_with_their_shard),
        TEST(a_commit_that_failed_before_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
