/* FOUND_ROWS(), @@warning_count and @@error_count: what the session knows by itself, and what it
 * asks of the one backend that knows. */
#include "tests/unit/proxy/gate_test.h"

#define CALC "SELECT SQL_CALC_FOUND_ROWS id FROM queue_messages LIMIT 1"
#define CALC_ACME "SELECT SQL_CALC_FOUND_ROWS id FROM queue_messages WHERE tenant = 'acme' LIMIT 1"
#define CHANGE "UPDATE queue_offsets SET updated_at = 1"
#define CHANGE_ACME CHANGE " WHERE tenant = 'acme'"
#define ASK "SELECT FOUND_ROWS()"
#define COUNT_BOTH "SELECT @@warning_count, @@error_count"

static struct peer *one, *two;

static int log_in(void **state)
{
    open_gate(state);
    one = login(&gate, "mq@acme");
    two = login(&gate, "mq@acme");
    return 0;
}

static void say_rows(struct peer *shard, const struct slice *rows, size_t count, size_t columns)
{
    static const struct column_def defs[2] = {
        { .schema = { "shard", 5 }, .type = TYPE_VAR_STRING },
        { .schema = { "shard", 5 }, .type = TYPE_VAR_STRING },
    };
    struct text_result result = {
        .columns = defs, .column_count = columns, .rows = rows, .row_count = count
    };
    struct buf b;
    uint8_t seq = 1;
    buf_init(&b);
    text_result_write(&b, &seq, &result, gate.shard_capabilities, IDLE_STATUS, 0);
    peer_send_buf(shard, &b);
    gate_run(&gate);
    buf_fini(&b);
}

/* The client's statement yields that many rows of one byte, on the backend that is returned. */
static struct peer *select_rows(struct peer *client, const char *text, const char *sent, size_t count)
{
    struct slice rows[8];
    const char *texts[8] = { NULL };
    for (size_t i = 0; i < count; i++) {
        texts[i] = "x";
        rows[i] = slice_cstr("x");
    }
    client_query(&gate, client, text);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, sent);
    say_rows(shard, rows, count, 1);
    expect_rows(client, texts, count);
    return shard;
}

static void expect_found(struct peer *client, const char *text, const char *value)
{
    client_query(&gate, client, text);
    expect_cell(client, value);
    assert_null(gate_asked(&gate));
}

static void expect_gone(struct peer *client, const char *text)
{
    client_query(&gate, client, text);
    expect_err(client, 1, 1235, "MQ2019");
    assert_null(gate_asked(&gate));
}

/* What went to the client is counted: nobody is asked, and nobody can take it away. */
static void rows_are_counted(void **state)
{
    (void)state;
    expect_found(one, ASK, "0");
    expect_found(one, ASK, "1"); /* the question itself */
    struct peer *shard = select_rows(one, PICK, PICK_ACME, 3);
    assert_ptr_equal(select_rows(two, PICK, PICK_ACME, 7), shard);
    expect_found(one, ASK, "3");
    expect_found(two, ASK, "7");
    select_rows(one, PICK, PICK_ACME, 0);
    expect_found(one, ASK, "0");
}

static void others_leave_it(void **state)
{
    static const char *const kept[] = { "BEGIN", "ROLLBACK", "SET @mq_schema = 'legacy'",
                                        "/* nothing */", "USE mq" };
    (void)state;
    select_rows(one, PICK, PICK_ACME, 3);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        client_query(&gate, one, kept[i]);
        expect_ok(one);
    }
    client_query(&gate, one, "SELECT nonsense FROM nowhere");
    expect_err(one, 1, err_info(MQ_TABLE_UNKNOWN)->mysql_errno, "MQ2004");
    client_query(&gate, one, ADD);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, ADD_ACME);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(one);
    expect_found(one, ASK, "3");
}

static void expect_question(struct peer *client, struct peer *shard, const char *value)
{
    client_query(&gate, client, ASK);
    shard_expect(shard, ASK);
    gate_say_row(&gate, shard, value, IDLE_STATUS);
    expect_cell(client, value);
}

static void the_backend_is_asked(void **state)
{
    (void)state;
    struct peer *shard = select_rows(one, CALC, CALC_ACME, 1);
    expect_question(one, shard, "40");
    expect_found(one, ASK, "1");
}

static void another_session_takes_it(void **state)
{
    (void)state;
    struct peer *shard = select_rows(one, CALC, CALC_ACME, 1);
    assert_ptr_equal(select_rows(two, PICK, PICK_ACME, 2), shard);
    expect_gone(one, ASK);
    select_rows(one, PICK, PICK_ACME, 2);
    expect_found(one, ASK, "2");
}

static void the_backend_ends(void **state)
{
    (void)state;
    peer_close(select_rows(one, CALC, CALC_ACME, 1));
    gate_run(&gate);
    expect_gone(one, ASK);
}

static void the_session_ends(void **state)
{
    (void)state;
    struct peer *shard = select_rows(one, CALC, CALC_ACME, 1);
    peer_close(one);
    gate_run(&gate);
    assert_ptr_equal(select_rows(two, CALC, CALC_ACME, 1), shard);
    expect_question(two, shard, "5");
}

/* ---- the counts ---- */

static struct peer *change(struct peer *client, uint16_t warnings)
{
    client_query(&gate, client, CHANGE);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, CHANGE_ACME);
    say_ok(shard, &(struct ok_packet){ .status = IDLE_STATUS, .warnings = warnings });
    expect_ok(client);
    return shard;
}

/* Written into the statement, which runs anywhere. */
static void expect_sent(struct peer *client, const char *text, const char *sent)
{
    const char *row = "x";
    client_query(&gate, client, text);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, sent);
    gate_say_row(&gate, shard, row, IDLE_STATUS);
    expect_rows(client, &row, 1);
}

static void counts_that_are_known(void **state)
{
    (void)state;
    change(one, 0);
    expect_sent(one, COUNT_BOTH, "SELECT  CAST(0 AS UNSIGNED) AS `@@warning_count`, "
                                 " CAST(0 AS UNSIGNED) AS `@@error_count`");
    change(one, 3);
    expect_sent(one, "SELECT @@session.warning_count",
                "SELECT  CAST(3 AS UNSIGNED) AS `@@session.warning_count`");
    client_query(&gate, one, "NONSENSE");
    expect_err(one, 1, 1064, "MQ2001");
    expect_sent(one, COUNT_BOTH, "SELECT  CAST(1 AS UNSIGNED) AS `@@warning_count`, "
                                 " CAST(1 AS UNSIGNED) AS `@@error_count`");
}

/* An ERR does not tell how many warnings stand beside it. */
static void counts_that_only_the_backend_knows(void **state)
{
    const struct slice counts[] = { SLICE_LIT("2"), SLICE_LIT("1") };
    (void)state;
    client_query(&gate, one, CHANGE);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, CHANGE_ACME);
    gate_say_err(&gate, shard, 1264, "Out of range");
    expect_err(one, 1, 1264, "Out of range");
    client_query(&gate, one, COUNT_BOTH);
    shard_expect(shard, COUNT_BOTH);
    say_rows(shard, counts, 1, 2);
    const char *row = "x";
    struct peer *any = gate_asked(&gate);
    shard_expect(any, "SELECT  CAST(2 AS UNSIGNED) AS `@@warning_count`, "
                      " CAST(1 AS UNSIGNED) AS `@@error_count`");
    gate_say_row(&gate, any, row, IDLE_STATUS);
    expect_rows(one, &row, 1);
}

static void counts_that_are_gone(void **state)
{
    (void)state;
    client_query(&gate, one, CHANGE);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, CHANGE_ACME);
    gate_say_err(&gate, shard, 1264, "Out of range");
    expect_err(one, 1, 1264, "Out of range");
    assert_ptr_equal(change(two, 0), shard);
    expect_gone(one, COUNT_BOTH);
}

#define TEST(function) GATE_TEST_WITH(function, log_in, GATE_YAML)
#define NARROW(function) GATE_TEST_WITH(function, log_in, NARROW_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        NARROW(rows_are_counted),
        TEST(others_leave_it),
        TEST(the_backend_is_asked),
        NARROW(another_session_takes_it),
        TEST(the_backend_ends),
        NARROW(the_session_ends),
        TEST(counts_that_are_known),
        TEST(counts_that_only_the_backend_knows),
        NARROW(counts_that_are_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
