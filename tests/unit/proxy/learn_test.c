/* LAST_INSERT_ID() where the shard's answer does not tell it: what is said to the backend before,
 * who is asked afterwards, and when nobody knows it any more. */
#include "tests/unit/proxy/gate_test.h"

/* Of two rows that count 2 either both were inserted or one was changed. */
#define UPSERT(more)                                                                      \
    "INSERT INTO queue_messages (" more "topic, partition_key, id, payload, created_at, " \
    "published_at, failed_at, failure_count, last_error, original_topic) VALUES "
#define ROW(more, id) "(" more "'t', 'p', '" id "', '', 1, 1, 0, 0, '', '')"
#define TAIL " ON DUPLICATE KEY UPDATE failed_at = 5"
#define BOTH UPSERT("") ROW("", "a") ", " ROW("", "b") TAIL
#define BOTH_ACME UPSERT("tenant, ") ROW("'acme', ", "a") ", " ROW("'acme', ", "b") TAIL
#define ASK "SELECT LAST_INSERT_ID()"
#define TELL "DO LAST_INSERT_ID(0)"
#define COUNT_ROWS "SELECT COUNT(*) FROM queue_offsets"
#define COUNT_ROWS_ACME "SELECT COUNT(*) FROM queue_offsets WHERE tenant = 'acme'"

static struct peer *one, *two, *shard;

static int log_in(void **state)
{
    open_gate(state);
    one = login(&gate, "mq@acme");
    two = login(&gate, "mq@acme");
    shard = gate_shard(&gate, 0);
    return 0;
}

static void say_inserted(uint64_t affected, uint64_t id)
{
    say_ok(shard, &(struct ok_packet){
                      .status = IDLE_STATUS, .affected_rows = affected, .last_insert_id = id });
}

/* The client upserts two rows; the answer leaves open what has become of them. */
static void upsert(struct peer *client)
{
    client_query(&gate, client, BOTH);
    shard_expect(shard, BOTH_ACME);
    say_inserted(2, 70);
    assert_int_equal(expect_ok(client).last_insert_id, 70);
}

static void expect_id(struct peer *client, const char *id)
{
    struct column_def column;
    expect_packet(client, 1);
    assert_true(column_def_parse(expect_packet(client, 2), 0, &column));
    struct slice row = expect_packet(client, 3);
    struct reader r = reader_of(row.data, row.len);
    assert_slice(read_lenenc_slice(&r), slice_cstr(id), "LAST_INSERT_ID()");
    expect_packet(client, 4);
}

static void the_backend_is_asked(void **state)
{
    (void)state;
    upsert(one);
    client_query(&gate, one, ASK);
    shard_expect(shard, ASK);
    gate_say_row(&gate, shard, "66", IDLE_STATUS);
    expect_id(one, "66");
    client_query(&gate, one, ASK); /* it is known now */
    expect_nothing(shard);
    expect_id(one, "66");
}

static void another_value_there_is_put_right_before(void **state)
{
    (void)state;
    upsert(one);
    client_query(&gate, two, BOTH);
    shard_expect(shard, TELL);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    shard_expect(shard, BOTH_ACME);
    say_inserted(2, 70);
    expect_ok(two);
    client_query(&gate, one, ASK);
    expect_err(one, 1, 1235, "MQ2019");
}

/* Of two that are idle. */
static void the_one_that_knows_is_lent_again(void **state)
{
    (void)state;
    struct peer *first = shard;
    upsert(one);
    client_query(&gate, one, COUNT_ROWS);
    shard_expect(first, COUNT_ROWS_ACME);
    client_query(&gate, two, COUNT_ROWS);
    struct peer *second = gate_asked(&gate);
    shard_expect(second, COUNT_ROWS_ACME);
    gate_say_row(&gate, first, "1", IDLE_STATUS);
    gate_say_row(&gate, second, "1", IDLE_STATUS);
    expect_rows(one, (const char *const[]){ "1" }, 1);
    upsert(one);
    client_query(&gate, one, ASK);
    shard_expect(first, ASK);
    gate_say_row(&gate, first, "66", IDLE_STATUS);
    expect_id(one, "66");
}

static void the_command_behind_waits_for_it(void **state)
{
    (void)state;
    upsert(one);
    client_command(one, COM_QUERY, SLICE_LIT(ASK));
    client_command(one, COM_QUERY, SLICE_LIT("SELECT DATABASE()"));
    gate_run(&gate);
    shard_expect(shard, ASK);
    expect_nothing(one);
    gate_say_row(&gate, shard, "66", IDLE_STATUS);
    expect_id(one, "66");
    expect_id(one, "mq");
}

static void asked_within_a_script(void **state)
{
    (void)state;
    struct peer *p = log_in_as("app", "mq@acme", GATE_CLIENT | CAP_MULTI_STATEMENTS);
    upsert(p);
    client_query(&gate, p, ASK "; " ASK);
    shard_expect(shard, ASK);
    gate_say_row(&gate, shard, "66", IDLE_STATUS);
    expect_id(p, "66");
    expect_packet(p, 5);
    expect_packet(p, 6);
    expect_packet(p, 7);
    expect_packet(p, 8);
    expect_nothing(p);
}

static void a_shard_that_refuses_the_question(void **state)
{
    (void)state;
    upsert(one);
    client_query(&gate, one, ASK);
    shard_expect(shard, ASK);
    gate_say_err(&gate, shard, 1317, "interrupted");
    expect_err(one, 1, 1235, "MQ2019");
    expect_nothing(one);
    client_query(&gate, one, COUNT_ROWS);
    shard_expect(shard, COUNT_ROWS_ACME);
}

static void a_shard_that_dies_of_the_question(void **state)
{
    (void)state;
    upsert(one);
    client_query(&gate, one, ASK);
    shard_expect(shard, ASK);
    peer_close(shard);
    gate_run(&gate);
    expect_err(one, 1, 1235, "MQ2019");
    expect_nothing(one);
}

static void a_dead_backend_knows_nothing(void **state)
{
    (void)state;
    upsert(one);
    peer_close(shard);
    gate_run(&gate);
    client_query(&gate, one, ASK);
    expect_err(one, 1, 1235, "MQ2019");
}

static void a_lost_transaction_is_told_first(void **state)
{
    (void)state;
    client_query(&gate, one, "BEGIN");
    expect_ok(one);
    client_query(&gate, one, BOTH);
    shard_expect(shard, "BEGIN");
    shard_expect(shard, BOTH_ACME);
    shard_say_ok(shard, OPEN_STATUS);
    say_ok(shard,
           &(struct ok_packet){ .status = OPEN_STATUS, .affected_rows = 2, .last_insert_id = 70 });
    expect_ok(one);
    client_query(&gate, one, ASK);
    shard_expect(shard, ASK);
    peer_close(shard);
    gate_run(&gate);
    expect_err(one, 1, 1158, "MQ5002");
    client_query(&gate, one, ASK);
    expect_err(one, 1, 1235, "MQ2019");
}

static void a_value_that_is_told_ends_the_doubt(void **state)
{
    (void)state;
    upsert(one);
    client_query(&gate, one, UPSERT("") ROW("", "c"));
    shard_expect(shard, UPSERT("tenant, ") ROW("'acme', ", "c"));
    say_inserted(1, 81);
    expect_ok(one);
    client_query(&gate, one, ASK);
    expect_nothing(shard);
    expect_id(one, "81");
}

static void a_reset_forgets_it(void **state)
{
    (void)state;
    upsert(one);
    client_command(one, COM_RESET_CONNECTION, slice_of("", 0));
    gate_run(&gate);
    expect_ok(one);
    client_query(&gate, one, ASK);
    expect_id(one, "0");
}

static void a_client_that_leaves_takes_nothing_along(void **state)
{
    (void)state;
    upsert(one);
    peer_close(one);
    gate_run(&gate);
    client_query(&gate, two, COUNT_ROWS);
    shard_expect(shard, COUNT_ROWS_ACME);
    gate_say_row(&gate, shard, "1", IDLE_STATUS);
}

/* Of the two answers only the second is of the expression. */
static void an_expression_may_ask_for_it(void **state)
{
    (void)state;
    upsert(one);
    client_query(&gate, one, "SET timestamp = LAST_INSERT_ID()");
    shard_expect(shard, ASK);
    gate_say_row(&gate, shard, "66", IDLE_STATUS);
    struct peer *asked = gate_asked(&gate);
    shard_expect(asked, "SELECT  CAST(66 AS UNSIGNED) LIMIT 1");
    gate_say_row(&gate, asked, "66", IDLE_STATUS);
    expect_ok(one);
    assert_non_null(strstr(buf_cstr(&gate.set), "timestamp = '66'"));
}

#define TEST(function) GATE_TEST_WITH(function, log_in, GATE_YAML)
#define NARROW(function) GATE_TEST_WITH(function, log_in, NARROW_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_backend_is_asked),
        NARROW(another_value_there_is_put_right_before),
        TEST(the_one_that_knows_is_lent_again),
        TEST(the_command_behind_waits_for_it),
        TEST(asked_within_a_script),
        TEST(a_shard_that_refuses_the_question),
        TEST(a_shard_that_dies_of_the_question),
        TEST(a_dead_backend_knows_nothing),
        TEST(a_lost_transaction_is_told_first),
        TEST(a_value_that_is_told_ends_the_doubt),
        TEST(a_reset_forgets_it),
        TEST(a_client_that_leaves_takes_nothing_along),
        TEST(an_expression_may_ask_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
