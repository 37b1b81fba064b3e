/* Statements for several tenants: what each shard is asked and when, how their answers become one,
 * and that one fault ends all of it. acme lives on shard 0, globex on shard 1. */
#include "tests/unit/proxy/gate_test.h"

#define EACH_OF(tenant) \
    "SELECT id FROM queue_messages WHERE tenant IN ('" tenant "') AND ( topic = 'a')"
#define ORDERED PICK " ORDER BY id"
#define BEAT(columns, values)                                                                       \
    "INSERT INTO queue_subscriber_heartbeats (" columns "consumer_group, topic, subscriber_name, "  \
    "heartbeat_at, deregistered_at) VALUES (" values "'g', 't', 's', 5, 0) ON DUPLICATE KEY UPDATE" \
    " heartbeat_at = VALUES(heartbeat_at)"

/* Both shards are asked. */
static void begin_scatter(struct peer *p, struct peer *shards[2])
{
    client_query(&gate, p, PICK);
    shards[0] = gate_shard(&gate, 0);
    shards[1] = gate_shard(&gate, 1);
    shard_expect(shards[0], EACH_OF("acme"));
    shard_expect(shards[1], EACH_OF("globex"));
}

static void one_answer_is_made_of_all(void **state)
{
    (void)state;
    static const char *const want[] = { "x", "y" };
    struct peer *p = login(&gate, "mq"), *shards[2];
    for (int first = 0; first < 2; first++) {
        begin_scatter(p, shards);
        gate_say_row(&gate, shards[first], want[first], IDLE_STATUS);
        expect_nothing(p);
        gate_say_row(&gate, shards[!first], want[!first], IDLE_STATUS);
        expect_rows(p, want, 2);
    }
    expect_nothing(p);
}

/* The connections are used again, by this statement and others. */
static void backends_go_back_to_their_pools(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *shards[2];
    size_t opened = gate.shard_count;
    for (int i = 0; i < 3; i++) {
        begin_scatter(p, shards);
        gate_say_row(&gate, shards[0], "x", IDLE_STATUS);
        gate_say_row(&gate, shards[1], "y", IDLE_STATUS);
        expect_rows(p, (const char *const[]){ "x", "y" }, 2);
    }
    assert_int_equal(gate.shard_count, opened);
}

static void the_first_error_is_the_answer(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *shards[2];
    size_t opened = gate.shard_count;
    begin_scatter(p, shards);
    gate_say_err(&gate, shards[1], 1146, "no such table");
    expect_err(p, 1, 1146, "no such table");
    expect_nothing(p);
    /* What the other one says still is its own affair: it is used again. */
    gate_say_row(&gate, shards[0], "x", IDLE_STATUS);
    expect_nothing(p);
    begin_scatter(p, shards);
    gate_say_row(&gate, shards[0], "x", IDLE_STATUS);
    gate_say_row(&gate, shards[1], "y", IDLE_STATUS);
    expect_rows(p, (const char *const[]){ "x", "y" }, 2);
    assert_int_equal(gate.shard_count, opened);
}

/* A statement that nobody waits for any more is ended by the sweep. */
static void what_is_left_behind_is_ended(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *shards[2];
    begin_scatter(p, shards);
    gate_say_err(&gate, shards[0], 1146, "no such table");
    expect_err(p, 1, 1146, "no such table");
    gate_pass_time(&gate, 100);
    struct peer *killer = gate_asked(&gate);
    shard_expect(killer, "KILL QUERY 7");
    gate_say_ok(&gate, killer, IDLE_STATUS);
    gate_say_err(&gate, shards[1], 1317, "interrupted");
    expect_nothing(p);
    assert_false(shards[1]->closed);
}

/* Rows that went out stay; the error stands in place of the next one. */
static void an_error_may_come_behind_rows(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *shards[2];
    struct buf b;
    uint8_t seq = 1;
    struct slice row = SLICE_LIT("x");
    begin_scatter(p, shards);
    gate_say_row(&gate, shards[0], "w", IDLE_STATUS);
    buf_init(&b);
    shard_rows(&b, &seq, &row, 1, gate.shard_capabilities, IDLE_STATUS);
    buf_truncate(&b, buf_len(&b) - 11); /* all but the end */
    seq--;
    shard_err(&b, &seq, 1317, "70100", "interrupted");
    peer_send_buf(shards[1], &b);
    gate_run(&gate);
    for (uint8_t i = 1; i <= 4; i++)
        expect_packet(p, i);
    expect_err(p, 5, 1317, "interrupted");
}

static void a_shard_that_is_lost_ends_the_statement(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *shards[2];
    begin_scatter(p, shards);
    peer_close(shards[1]);
    gate_run(&gate);
    expect_err(p, 1, 1158, "MQ5002");
    gate_say_row(&gate, shards[0], "x", IDLE_STATUS);
    expect_nothing(p);
    client_query(&gate, p, "SELECT @mq_tenant");
    expect_packet(p, 1);
}

static void a_shard_that_is_down_fails_it_at_once(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *other = login(&gate, "mq@acme");
    peer_close(gate_shard(&gate, 1));
    gate.dead[1] = true;
    gate_run(&gate);
    client_query(&gate, p, PICK);
    expect_err(p, 1, 1160, "MQ5001"); /* before the first shard was brought in line */
    client_query(&gate, other, PICK);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, PICK_ACME);
    gate_say_row(&gate, shard, "x", IDLE_STATUS);
    expect_rows(other, (const char *const[]){ "x" }, 1);
}

/* In the order of the shards: who has to wait for the first one does not hold the second. */
static void backends_are_taken_in_order(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *holder = login(&gate, "mq@acme");
    client_query(&gate, holder, PICK);
    struct peer *shards[2] = { gate_shard(&gate, 0), gate_shard(&gate, 1) };
    shard_expect(shards[0], PICK_ACME);
    client_query(&gate, p, PICK);
    expect_nothing(shards[1]);
    gate_say_row(&gate, shards[0], "x", IDLE_STATUS);
    expect_rows(holder, (const char *const[]){ "x" }, 1);
    shard_expect(shards[0], EACH_OF("acme"));
    shard_expect(shards[1], EACH_OF("globex"));
    gate_say_row(&gate, shards[0], "x", IDLE_STATUS);
    gate_say_row(&gate, shards[1], "y", IDLE_STATUS);
    expect_rows(p, (const char *const[]){ "x", "y" }, 2);
}

/* Many rows of one value each, as one shard answers. */
static void say_rows(struct peer *shard, size_t count, size_t len)
{
    struct buf b;
    uint8_t seq = 1;
    char *text = mem_alloc(len);
    struct slice *rows = mem_array(count, sizeof *rows);
    memset(text, 'r', len);
    for (size_t i = 0; i < count; i++)
        rows[i] = slice_of(text, len);
    buf_init(&b);
    shard_rows(&b, &seq, rows, count, gate.shard_capabilities, IDLE_STATUS);
    peer_send_buf(shard, &b);
    mem_free(rows);
    mem_free(text);
    gate_run(&gate);
}

/* A client that does not read stops the shards; nothing piles up in between. */
static void a_slow_client_stops_the_shards(void **state)
{
    (void)state;
    gate.pipe = 16384;
    close_backends();
    struct peer *p = login(&gate, "mq"), *shards[2];
    begin_scatter(p, shards);
    p->deaf = true;
    say_rows(shards[0], 2000, 1000);
    say_rows(shards[1], 2000, 1000);
    assert_true(buf_len(&shards[0]->unsent) > 1000000);
    assert_true(buf_len(&shards[1]->unsent) > 1000000);
    p->deaf = false;
    gate_run(&gate);
    size_t rows = 0;
    struct packet packet;
    while (peer_packet(p, &packet))
        rows += packet.payload.len > 1000;
    assert_int_equal(rows, 4000);
}

static void a_client_that_is_gone_ends_all_parts(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *shards[2];
    begin_scatter(p, shards);
    peer_close(p);
    gate_run(&gate);
    assert_true(shards[0]->closed && shards[1]->closed);
}

static void kill_query_interrupts_all_parts(void **state)
{
    (void)state;
    uint32_t id = atomic_load(&gate.fleet.next_connection_id);
    struct peer *p = login(&gate, "mq"), *other = login(&gate, "mq"), *shards[2];
    char text[32];
    begin_scatter(p, shards);
    snprintf(text, sizeof text, "KILL QUERY %u", id);
    client_query(&gate, other, text);
    expect_ok(other);
    for (int i = 0; i < 2; i++) {
        struct peer *killer = gate_asked(&gate);
        shard_expect(killer, "KILL QUERY 7");
        gate_say_ok(&gate, killer, IDLE_STATUS);
    }
    gate_say_err(&gate, shards[0], 1317, "interrupted");
    gate_say_err(&gate, shards[1], 1317, "interrupted");
    expect_err(p, 1, 1317, "interrupted");
    expect_nothing(p);
}

static void kill_ends_the_session_and_its_parts(void **state)
{
    (void)state;
    uint32_t id = atomic_load(&gate.fleet.next_connection_id);
    struct peer *p = login(&gate, "mq"), *other = login(&gate, "mq"), *shards[2];
    char text[32];
    begin_scatter(p, shards);
    snprintf(text, sizeof text, "KILL %u", id);
    client_query(&gate, other, text);
    expect_ok(other);
    assert_true(p->closed && shards[0]->closed && shards[1]->closed);
}

static void a_statement_may_take_too_long(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *shards[2];
    begin_scatter(p, shards);
    gate_say_row(&gate, shards[0], "x", IDLE_STATUS);
    gate_pass_time(&gate, 2000);
    struct peer *killer = gate_asked(&gate);
    shard_expect(killer, "KILL QUERY 7");
    gate_say_ok(&gate, killer, IDLE_STATUS);
    gate_say_err(&gate, shards[1], 1317, "interrupted");
    expect_err(p, 1, 3024, "MQ6005");
}

/* The time is the whole statement's, not each part's. */
static void a_write_may_take_too_long_in_all(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq");
    client_query(&gate, p, BEAT("", ""));
    struct peer *shards[2] = { gate_shard(&gate, 0), gate_shard(&gate, 1) };
    shard_expect(shards[0], BEAT("tenant, ", "'acme', "));
    gate_pass_time(&gate, 1500);
    gate_say_ok(&gate, shards[0], IDLE_STATUS);
    shard_expect(shards[1], BEAT("tenant, ", "'globex', "));
    gate_pass_time(&gate, 600);
    struct peer *killer = gate_asked(&gate);
    shard_expect(killer, "KILL QUERY 7");
    gate_say_ok(&gate, killer, IDLE_STATUS);
    gate_say_err(&gate, shards[1], 1317, "interrupted");
    expect_err(p, 1, 3024, "MQ6005");
}

/* Commands that follow wait, and so do the statements behind it. */
static void commands_wait_for_their_turn(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *shards[2];
    begin_scatter(p, shards);
    client_command(p, COM_PING, SLICE_LIT(""));
    client_command(p, COM_RESET_CONNECTION, SLICE_LIT(""));
    gate_run(&gate);
    expect_nothing(p);
    gate_say_row(&gate, shards[0], "x", IDLE_STATUS);
    gate_say_row(&gate, shards[1], "y", IDLE_STATUS);
    expect_rows(p, (const char *const[]){ "x", "y" }, 2);
    expect_ok(p);
    expect_ok(p);
}

static void several_statements_may_stand_in_one_command(void **state)
{
    (void)state;
    struct peer *p = log_in_as("app", "mq", GATE_CLIENT | CAP_MULTI_STATEMENTS), *shards[2];
    struct ok_packet ok;
    client_query(&gate, p, PICK "; SELECT @mq_tenant");
    shards[0] = gate_shard(&gate, 0);
    shards[1] = gate_shard(&gate, 1);
    shard_expect(shards[0], EACH_OF("acme"));
    shard_expect(shards[1], EACH_OF("globex"));
    gate_say_row(&gate, shards[0], "x", IDLE_STATUS);
    gate_say_row(&gate, shards[1], "y", IDLE_STATUS);
    for (uint8_t i = 1; i <= 4; i++)
        expect_packet(p, i);
    assert_true(ok_parse(expect_packet(p, 5), GATE_CLIENT, &ok));
    assert_true(ok.status & STATUS_MORE_RESULTS);
    assert_slice(expect_packet(p, 6), SLICE_LIT("\1"), "the next one");
}

static void old_clients_get_their_eofs(void **state)
{
    (void)state;
    struct peer *p = log_in_as("app", "mq", GATE_CLIENT & ~(uint64_t)CAP_DEPRECATE_EOF), *shards[2];
    begin_scatter(p, shards);
    gate_say_row(&gate, shards[0], "x", IDLE_STATUS);
    gate_say_row(&gate, shards[1], "y", IDLE_STATUS);
    expect_packet(p, 1);
    expect_packet(p, 2);
    assert_slice(expect_packet(p, 3), SLICE_LIT("\xfe\0\0\2\0"), "EOF");
    assert_slice(expect_packet(p, 4), SLICE_LIT("\1x"), "row");
    assert_slice(expect_packet(p, 5), SLICE_LIT("\1y"), "row");
    assert_slice(expect_packet(p, 6), SLICE_LIT("\xfe\0\0\2\0"), "EOF");
}

/* ---- writes ---- */

static void a_write_goes_to_one_tenant_after_the_other(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq");
    client_query(&gate, p, BEAT("", ""));
    struct peer *shards[2] = { gate_shard(&gate, 0), gate_shard(&gate, 1) };
    shard_expect(shards[0], BEAT("tenant, ", "'acme', "));
    expect_nothing(shards[1]);
    say_ok(shards[0], &(struct ok_packet){ .affected_rows = 1, .status = IDLE_STATUS });
    shard_expect(shards[1], BEAT("tenant, ", "'globex', "));
    expect_nothing(p);
    say_ok(shards[1], &(struct ok_packet){ .affected_rows = 2, .status = IDLE_STATUS });
    assert_int_equal(expect_ok(p).affected_rows, 2);
}

/* ---- warnings ---- */

static void say_warning(struct peer *shard, const char *message)
{
    static const struct column_def columns[] = {
        { .name = { "Level", 5 }, .type = TYPE_VAR_STRING },
        { .name = { "Code", 4 }, .type = TYPE_LONG },
        { .name = { "Message", 7 }, .type = TYPE_VAR_STRING },
    };
    struct slice row[] = { SLICE_LIT("Warning"), SLICE_LIT("1287"), slice_cstr(message) };
    struct text_result list = { .columns = columns, .column_count = 3, .rows = row, .row_count = 1 };
    struct buf b;
    uint8_t seq = 1;
    buf_init(&b);
    text_result_write(&b, &seq, &list, gate.shard_capabilities, IDLE_STATUS, 0);
    peer_send_buf(shard, &b);
    gate_run(&gate);
}

static void expect_warnings(struct peer *p, const char *const *messages, size_t count)
{
    for (uint8_t i = 1; i <= 4; i++)
        expect_packet(p, i);
    for (size_t i = 0; i < count; i++) {
        struct slice row = expect_packet(p, (uint8_t)(5 + i));
        struct reader r = reader_of(row.data, row.len);
        read_cell(&r);
        read_cell(&r);
        assert_slice(read_cell(&r), slice_cstr(messages[i]), "message");
    }
    assert_int_equal((uint8_t)expect_packet(p, (uint8_t)(5 + count)).data[0], 0xfe);
}

/* Both shards have rows, and a warning each. */
static void warn_each(struct peer *p, struct peer *shards[2])
{
    begin_scatter(p, shards);
    for (size_t i = 0; i < 2; i++) {
        struct slice row = SLICE_LIT("x");
        struct buf b;
        uint8_t seq = 1;
        buf_init(&b);
        shard_rows(&b, &seq, &row, 1, gate.shard_capabilities, IDLE_STATUS);
        buf_begin(&b)[buf_len(&b) - 2] = 1; /* EOF or OK: status, warnings */
        peer_send_buf(shards[i], &b);
        gate_run(&gate);
    }
    expect_rows(p, (const char *const[]){ "x", "x" }, 2);
}

static void each_part_is_asked_for_its_warnings(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *shards[2];
    warn_each(p, shards);
    client_query(&gate, p, "SHOW COUNT(*) WARNINGS");
    expect_cell(p, "2");
    for (int again = 0; again < 2; again++) {
        client_query(&gate, p, again ? "SHOW WARNINGS LIMIT 1, 5" : "SHOW WARNINGS");
        shard_expect(shards[0], "SHOW WARNINGS");
        shard_expect(shards[1], "SHOW WARNINGS");
        say_warning(shards[1], "two");
        say_warning(shards[0], "one");
        expect_warnings(p, &(const char *const[]){ "one", "two" }[again], again ? 1 : 2);
    }
    client_query(&gate, p, "SHOW ERRORS");
    expect_warnings(p, NULL, 0);
    begin_scatter(p, shards);
    gate_say_row(&gate, shards[0], "x", IDLE_STATUS);
    gate_say_row(&gate, shards[1], "y", IDLE_STATUS);
    expect_rows(p, (const char *const[]){ "x", "y" }, 2);
    client_query(&gate, p, "SHOW WARNINGS");
    expect_warnings(p, NULL, 0);
    expect_nothing(shards[0]);
}

/* One of them has served another session since: a part of the list would be a wrong answer. */
static void warnings_that_are_lost(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *other = login(&gate, "mq@globex"), *shards[2];
    warn_each(p, shards);
    client_query(&gate, other, PICK);
    shard_expect(shards[1], PICK_GLOBEX);
    gate_say_row(&gate, shards[1], "y", IDLE_STATUS);
    expect_rows(other, (const char *const[]){ "y" }, 1);
    client_query(&gate, p, "SHOW WARNINGS");
    shard_expect(shards[0], "SHOW WARNINGS");
    expect_err(p, 1, 1235, "MQ2019");
    say_warning(shards[0], "one");
    expect_nothing(p);
    warn_each(p, shards);
    peer_close(p); /* and all of it goes */
    gate_run(&gate);
}

/* Each tenant's copy has the same. */
static void warnings_of_copies(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq");
    client_query(&gate, p, BEAT("", ""));
    struct peer *shards[2] = { gate_shard(&gate, 0), gate_shard(&gate, 1) };
    for (size_t i = 0; i < COUNT(shards); i++) {
        buf_clear(&shards[i]->in);
        say_ok(shards[i], &(struct ok_packet){ .affected_rows = 1, .warnings = 1,
                                               .status = IDLE_STATUS });
    }
    assert_int_equal(expect_ok(p).warnings, 1);
    client_query(&gate, p, "SHOW WARNINGS");
    expect_nothing(shards[0]);
    shard_expect(shards[1], "SHOW WARNINGS");
    say_warning(shards[1], "VALUES is deprecated");
    expect_warnings(p, (const char *const[]){ "VALUES is deprecated" }, 1);
}

/* It is not atomic: the error says what is done. */
static void an_error_says_for_whom_it_is_done(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq");
    client_query(&gate, p, BEAT("", ""));
    struct peer *shards[2] = { gate_shard(&gate, 0), gate_shard(&gate, 1) };
    shard_expect(shards[0], BEAT("tenant, ", "'acme', "));
    gate_say_ok(&gate, shards[0], IDLE_STATUS);
    shard_expect(shards[1], BEAT("tenant, ", "'globex', "));
    gate_say_err(&gate, shards[1], 1205, "Lock wait timeout");
    expect_err(p, 1, 1205, "Lock wait timeout (it is done for 1 of 2, and stays so: acme)");
}

static void a_write_is_no_part_of_a_transaction(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq");
    client_query(&gate, p, "BEGIN");
    expect_ok(p);
    client_query(&gate, p, BEAT("", ""));
    expect_err(p, 1, 1105, "MQ3014");
    client_query(&gate, p, "ROLLBACK");
    expect_ok(p);
    client_query(&gate, p, "SET autocommit = 0");
    expect_ok(p);
    client_query(&gate, p, BEAT("", ""));
    expect_err(p, 1, 1105, "MQ3014");
}

#define ONE_YAML GATE_YAML "pool: {max_per_shard: 1}\nlimits: {statement_timeout: 1s}\n"
#define TEST(function) GATE_TEST(function, ONE_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_answer_is_made_of_all),
        TEST(backends_go_back_to_their_pools),
        TEST(the_first_error_is_the_answer),
        TEST(what_is_left_behind_is_ended),
        TEST(an_error_may_come_behind_rows),
        TEST(a_shard_that_is_lost_ends_the_statement),
        TEST(a_shard_that_is_down_fails_it_at_once),
        TEST(backends_are_taken_in_order),
        TEST(a_slow_client_stops_the_shards),
        TEST(a_client_that_is_gone_ends_all_parts),
        TEST(kill_query_interrupts_all_parts),
        TEST(kill_ends_the_session_and_its_parts),
        TEST(a_statement_may_take_too_long),
        TEST(a_write_may_take_too_long_in_all),
        TEST(commands_wait_for_their_turn),
        TEST(several_statements_may_stand_in_one_command),
        TEST(old_clients_get_their_eofs),
        TEST(a_write_goes_to_one_tenant_after_the_other),
        TEST(each_part_is_asked_for_its_warnings),
        TEST(warnings_that_are_lost),
        TEST(warnings_of_copies),
        TEST(an_error_says_for_whom_it_is_done),
        TEST(a_write_is_no_part_of_a_transaction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
