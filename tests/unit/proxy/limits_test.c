/* Time limits, and shards that say nothing: what the client learns, and when; that the shard's
 * backend is given up or kept; and that others go on. */
#include "tests/unit/proxy/gate_test.h"

#define YAML                                                           \
    GATE_YAML                                                          \
    "pool: {max_per_shard: 32, wait_timeout: 5s, idle_timeout: 10m}\n" \
    "limits: {statement_timeout: 60s, transaction_idle_timeout: 90s, " \
    "transaction_timeout: 120s, interactive_timeout: 1000s, idle_timeout: 2000s}\n"

/* Seconds in which all shards that were asked for a sign of life have given it. */
static void pass_seconds(int seconds)
{
    for (int i = 0; i < seconds; i++) {
        struct packet asked;
        gate_pass_time(&gate, 1000);
        for (size_t n = 0; n < gate.shard_count; n++)
            if (shard_asked(&gate.shards[n], "\3DO 1", &asked)) {
                expect_packet(&gate.shards[n], 0);
                gate_say_ok(&gate, &gate.shards[n], IDLE_STATUS);
            }
    }
}

static struct peer *begun(const char *database, struct peer **ret_shard)
{
    struct peer *client = login(&gate, database);
    client_query(&gate, client, "BEGIN");
    expect_ok(client);
    client_query(&gate, client, PICK);
    *ret_shard = gate_asked(&gate);
    shard_expect(*ret_shard, "BEGIN");
    shard_expect(*ret_shard, PICK_ACME);
    gate_say_ok(&gate, *ret_shard, OPEN_STATUS);
    gate_say_ok(&gate, *ret_shard, OPEN_STATUS);
    expect_ok(client);
    return client;
}

static void expect_closed(struct peer *p)
{
    gate_run(&gate);
    assert_true(p->closed);
}

/* ---- statements ---- */

/* The KILL comes on a connection of its own, which ends with it. */
static void expect_kill(void)
{
    struct peer *errand = gate_asked(&gate);
    assert_non_null(errand);
    shard_expect(errand, "KILL QUERY 7");
    gate_say_ok(&gate, errand, IDLE_STATUS);
    assert_true(errand->closed);
}

static void a_long_statement_is_ended(void **state)
{
    (void)state;
    struct peer *client = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, client, PICK);
    shard_expect(shard, PICK_ACME);
    pass_seconds(58);
    assert_null(gate_asked(&gate));
    pass_seconds(2);
    expect_kill();
    expect_nothing(client);
    gate_say_err(&gate, shard, 1317, "Query execution was interrupted");
    expect_err(client, 1, 3024, "MQ6005");
    client_query(&gate, client, PICK); /* the same backend serves on */
    shard_expect(shard, PICK_ACME);
}

/* Nobody may be hit by a KILL that came too late for its statement. */
static void a_late_kill_costs_the_backend(void **state)
{
    (void)state;
    struct peer *client = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, client, PICK);
    shard_expect(shard, PICK_ACME);
    pass_seconds(60);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(client);
    expect_closed(shard);
}

static void a_statement_that_cannot_be_ended(void **state)
{
    (void)state;
    struct peer *client = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, client, PICK);
    shard_expect(shard, PICK_ACME);
    pass_seconds(60);
    expect_kill();
    pass_seconds(3);
    expect_err(client, 1, 1158, "MQ5002");
    expect_closed(shard);
    client_query(&gate, client, PICK);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
}

/* As with a server's own limit, the transaction goes on. */
static void a_long_statement_in_a_transaction(void **state)
{
    (void)state;
    struct peer *shard, *client = begun("mq@acme", &shard);
    client_query(&gate, client, PICK);
    shard_expect(shard, PICK_ACME);
    pass_seconds(60);
    expect_kill();
    gate_say_err(&gate, shard, 1317, "Query execution was interrupted");
    expect_err(client, 1, 3024, "MQ6005");
    client_query(&gate, client, "COMMIT");
    shard_expect(shard, "COMMIT");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(client);
    assert_false(shard->closed);
}

/* ---- transactions ---- */

static void expect_rolled_back(struct peer *client, struct peer *shard)
{
    shard_expect(shard, "ROLLBACK");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    client_query(&gate, client, "COMMIT");
    expect_err(client, 1, 1213, "MQ6006");
    client_query(&gate, client, PICK);
    shard_expect(shard, PICK_ACME);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(client);
}

static void an_idle_transaction_is_rolled_back(void **state)
{
    (void)state;
    struct peer *shard, *client = begun("mq@acme", &shard);
    pass_seconds(89);
    expect_nothing(shard);
    pass_seconds(2);
    expect_rolled_back(client, shard);
}

static void a_long_transaction_is_rolled_back(void **state)
{
    (void)state;
    struct peer *shard, *client = begun("mq@acme", &shard);
    pass_seconds(80);
    client_query(&gate, client, PICK);
    shard_expect(shard, PICK_ACME);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(client);
    pass_seconds(39);
    expect_nothing(shard);
    pass_seconds(2);
    expect_rolled_back(client, shard);
}

static void a_statement_of_a_long_transaction_is_ended(void **state)
{
    (void)state;
    struct peer *shard, *client = begun("mq@acme", &shard);
    pass_seconds(80);
    client_query(&gate, client, PICK);
    shard_expect(shard, PICK_ACME);
    pass_seconds(40);
    expect_kill();
    gate_say_err(&gate, shard, 1317, "Query execution was interrupted");
    expect_err(client, 1, 3024, "MQ6005");
    gate_pass_time(&gate, 100);
    expect_rolled_back(client, shard);
}

/* ---- clients ---- */

static void idle_clients(void **state)
{
    (void)state;
    struct peer *program = login(&gate, "mq@acme"), *person = client_connect(&gate);
    assert_true(client_login(&gate, person, "app", "mq@acme", GATE_CLIENT | CAP_INTERACTIVE));
    gate_pass_time(&gate, 1001000);
    expect_err(person, 0, 4031, "MQ6004");
    expect_closed(person);
    expect_nothing(program);
    gate_pass_time(&gate, 1000000);
    expect_err(program, 0, 4031, "MQ6004");
    expect_closed(program);
}

static void a_client_that_stops_amid_a_command(void **state)
{
    (void)state;
    struct peer *client = login(&gate, "mq@acme");
    static const char part[] = { 9, 0, 0, 0, COM_QUERY, 'S', 'E' };
    peer_send(client, part, 3); /* not even a header */
    gate_run(&gate);
    gate_pass_time(&gate, 20000);
    peer_send(client, part + 3, sizeof part - 3);
    gate_run(&gate);
    gate_pass_time(&gate, 20000);
    expect_nothing(client);
    assert_false(client->closed);
    gate_pass_time(&gate, 11000);
    expect_err(client, 1, 1159, "MQ6007");
    expect_closed(client);
}

/* More rows than the pipe to the client holds. */
static void say_many_rows(struct peer *shard)
{
    enum { ROWS = 400 };
    static char text[10000];
    struct slice rows[ROWS];
    struct buf b;
    uint8_t seq = 1;
    buf_init(&b);
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < ROWS; i++)
        rows[i] = slice_of(text, sizeof text);
    shard_rows(&b, &seq, rows, ROWS, gate.shard_capabilities, IDLE_STATUS);
    peer_send_buf(shard, &b);
    gate_run(&gate);
}

static void a_client_that_does_not_read(void **state)
{
    (void)state;
    struct peer *client = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, client, PICK);
    shard_expect(shard, PICK_ACME);
    client->deaf = true;
    say_many_rows(shard);
    assert_true(buf_len(&shard->unsent) > 0); /* the shard waits */
    gate_pass_time(&gate, 50000);
    client->deaf = false; /* a slow one is a good one */
    peer_drain(client);
    client->deaf = true;
    gate_run(&gate);
    gate_pass_time(&gate, 50000);
    assert_false(shard->closed);
    gate_pass_time(&gate, 11000);
    expect_closed(shard);
    client->deaf = false;
    expect_closed(client);
}

/* ---- silent shards ---- */

/* Until the shard is found dead: silence_timeout and connect_timeout. */
static void find_dead(void)
{
    gate.by_hand = true;
    gate_pass_time(&gate, 10000);
    gate_pass_time(&gate, 3000);
}

static void expect_shard_dead(struct peer *client, struct peer *shard)
{
    struct peer *other = login(&gate, "mq@globex");
    expect_closed(shard);
    client_query(&gate, client, PICK);
    expect_err(client, 1, 1160, "MQ5001"); /* at once */
    gate.by_hand = false;
    client_query(&gate, other, PICK);
    shard_expect(gate_shard(&gate, 1), PICK_GLOBEX);
    gate_pass_time(&gate, 1000);
    client_query(&gate, client, PICK);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
}

static void silent_in_a_statement(void **state)
{
    (void)state;
    struct peer *client = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, client, PICK);
    shard_expect(shard, PICK_ACME);
    find_dead();
    expect_err(client, 1, 1158, "MQ5002");
    expect_shard_dead(client, shard);
}

static void silent_amid_rows(void **state)
{
    (void)state;
    struct peer *client = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    struct peer *again = login(&gate, "mq@acme");
    client_query(&gate, client, PICK);
    shard_expect(shard, PICK_ACME);
    peer_send(shard, "\1\0\0\1\1", 5); /* one column */
    gate_run(&gate);
    find_dead();
    assert_slice(expect_packet(client, 1), SLICE_LIT("\1"), "column count");
    expect_nothing(client);
    expect_closed(client); /* half an answer ends with the connection */
    expect_shard_dead(again, shard);
}

static void silent_in_a_transaction(void **state)
{
    (void)state;
    struct peer *shard, *client = begun("mq@acme", &shard);
    client_query(&gate, client, PICK);
    find_dead();
    expect_err(client, 1, 1158, "MQ5002");
    expect_shard_dead(client, shard);
}

static void silent_at_begin(void **state)
{
    (void)state;
    struct peer *client = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, client, "BEGIN");
    expect_ok(client);
    client_query(&gate, client, PICK);
    shard_expect(shard, "BEGIN");
    find_dead();
    expect_err(client, 1, 1158, "MQ5002");
    client_query(&gate, client, "ROLLBACK");
    expect_ok(client);
    expect_shard_dead(client, shard);
}

/* Nothing of the client's was sent, so it may be tried again, which fails at once. */
static void silent_while_brought_in_line(void **state)
{
    (void)state;
    struct peer *client = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    gate.by_hand = true;
    client_query(&gate, client, PICK);
    assert_ptr_equal(gate_asked(&gate), shard);
    find_dead();
    expect_err(client, 1, 1160, "MQ5001");
    expect_closed(shard);
}

static void silent_at_prepare(void **state)
{
    (void)state;
    struct peer *client = login(&gate, "mq@acme"), *any;
    client_command(client, COM_STMT_PREPARE, SLICE_LIT(PICK));
    gate_run(&gate);
    any = gate_asked(&gate);
    shard_expect_command(any, COM_STMT_PREPARE);
    find_dead();
    expect_err(client, 1, 1160, "MQ5001");
    expect_closed(any);
}

/* A statement may take its time on a shard that lives. */
static void silent_but_alive(void **state)
{
    (void)state;
    struct peer *client = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, client, PICK);
    shard_expect(shard, PICK_ACME);
    pass_seconds(50);
    expect_nothing(client);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(client);
    assert_false(shard->closed);
}

/* A crowd that waits for a shard does not connect all at once. */
static void a_crowd_connects_in_turns(void **state)
{
    (void)state;
    enum { CROWD = 20 };
    struct peer *clients[CROWD];
    for (size_t i = 0; i < CROWD; i++)
        clients[i] = login(&gate, "mq@acme");
    size_t before = gate.shard_count;
    gate.by_hand = true;
    for (size_t i = 0; i < CROWD; i++)
        client_query(&gate, clients[i], PICK);
    assert_in_range(gate.shard_count - before, 2, 8);
    gate.by_hand = false;
    gate_run(&gate);
    for (size_t served = 0; served < CROWD; served++) {
        struct peer *shard = gate_asked(&gate);
        assert_non_null(shard);
        shard_expect(shard, PICK_ACME);
        gate_say_ok(&gate, shard, IDLE_STATUS);
    }
    for (size_t i = 0; i < CROWD; i++)
        expect_ok(clients[i]);
}

/* The pauses between attempts grow, up to a limit, and end with the first success. */
static void attempts_back_off(void **state)
{
    (void)state;
    peer_close(gate_shard(&gate, 0));
    gate_run(&gate);
    gate.refuse_connections = true;
    struct peer *client = login(&gate, "mq@acme");
    client_query(&gate, client, PICK);
    expect_err(client, 1, 1160, "MQ5001");
    struct pool *p = gate.worker->pools;
    while (!p->down)
        p = p->hh.next;
    uint32_t longest = 0;
    for (int i = 0; i < 200; i++) {
        gate_pass_time(&gate, 100);
        longest = p->pause_ms > longest ? p->pause_ms : longest;
        client_query(&gate, client, PICK);
        expect_err(client, 1, 1160, "MQ5001");
    }
    assert_int_equal(longest, 4000);
    gate.refuse_connections = false;
    for (int i = 0; i < 60; i++)
        gate_pass_time(&gate, 100);
    assert_false(p->down);
    client_query(&gate, client, PICK);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
}

#define TEST(function) GATE_TEST(function, YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_long_statement_is_ended),
        TEST(a_late_kill_costs_the_backend),
        TEST(a_statement_that_cannot_be_ended),
        TEST(a_long_statement_in_a_transaction),
        TEST(an_idle_transaction_is_rolled_back),
        TEST(a_long_transaction_is_rolled_back),
        TEST(a_statement_of_a_long_transaction_is_ended),
        TEST(idle_clients),
        TEST(a_client_that_stops_amid_a_command),
        TEST(a_client_that_does_not_read),
        TEST(silent_in_a_statement),
        TEST(silent_amid_rows),
        TEST(silent_in_a_transaction),
        TEST(silent_at_begin),
        TEST(silent_while_brought_in_line),
        TEST(silent_at_prepare),
        TEST(silent_but_alive),
        TEST(a_crowd_connects_in_turns),
        TEST(attempts_back_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
