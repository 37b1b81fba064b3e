/* The connection that a session keeps as its own, since a statement has left something there: who
 * gets it, what runs on it, and when it ends. */
#include "tests/unit/proxy/gate_test.h"

#define KEEP "DO @a := 1" /* SET is answered by the test's shards themselves */
#define READ "SELECT @a"
#define KEEP_AND_PICK "SELECT id INTO @a FROM queue_messages"
#define MULTI_YAML GATE_YAML "transactions: multi\n"
#define WAIT_YAML GATE_YAML "pool: {max_per_shard: 1, wait_timeout: 1s}\n"
#define OTHER_ADDRESS_YAML                                                                    \
    "keyspace: {name: mq, database: shard, shards: {\"-80\": \"127.0.0.1:4\", \"80-\": "      \
    "\"127.0.0.1:2\"}}\n"                                                                     \
    "accounts: {app: {password: secret}}\ntenants: [acme, globex]\n"
/* -80 is another number than before. */
#define MORE_SHARDS_YAML                                                                      \
    "keyspace: {name: mq, database: shard, shards: {\"80-c0\": \"127.0.0.1:4\", \"c0-\": "    \
    "\"127.0.0.1:5\", \"-80\": \"127.0.0.1:1\"}}\n"                                           \
    "accounts: {app: {password: secret}}\ntenants: [acme, globex]\n"

static struct peer *client;

static int log_in(void **state)
{
    open_gate(state);
    client = login(&gate, "mq");
    client_query(&gate, client, "SET @mq_tenant = 'acme'");
    expect_ok(client);
    return 0;
}

/* The statement runs on the connection that is returned, as it is. */
static struct peer *run(struct peer *p, const char *text, uint16_t status)
{
    client_query(&gate, p, text);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, text);
    gate_say_ok(&gate, shard, status);
    expect_ok(p);
    return shard;
}

static struct peer *pick(struct peer *p, const char *sent)
{
    client_query(&gate, p, PICK);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, sent);
    gate_say_row(&gate, shard, "m", IDLE_STATUS);
    expect_rows(p, (const char *const[]){ "m" }, 1);
    return shard;
}

static struct peer *read_variable(struct peer *p)
{
    client_query(&gate, p, READ);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, READ);
    gate_say_row(&gate, shard, "1", IDLE_STATUS);
    for (uint8_t seq = 1; seq <= 4; seq++)
        expect_packet(p, seq);
    return shard;
}

static void choose(struct peer *p, const char *set)
{
    client_query(&gate, p, set);
    expect_ok(p);
}

static void expect_refusal(struct peer *p, const char *text, const char *message)
{
    client_query(&gate, p, text);
    expect_err(p, 1, 1105, message);
    assert_null(gate_asked(&gate));
}

static void it_is_one_session_s(void **state)
{
    (void)state;
    struct peer *other = login(&gate, "mq@acme");
    struct peer *home = run(client, KEEP, IDLE_STATUS);
    assert_ptr_equal(pick(client, PICK_ACME), home);
    assert_ptr_not_equal(pick(other, PICK_ACME), home);
    assert_ptr_equal(read_variable(client), home);
    peer_close(client);
    gate_run(&gate);
    assert_true(home->closed);
}

/* There is nothing to read, wherever it is asked. */
static void reading_keeps_nothing(void **state)
{
    (void)state;
    struct peer *shard = read_variable(client);
    peer_close(client);
    gate_run(&gate);
    assert_false(shard->closed);
}

static void what_keeps_it(void **state)
{
    static const char *const statements[] = {
        "SELECT @a := 1",
        "DO @a := 1",
        "SELECT GET_LOCK('a', 1)",
        "DO GET_LOCK('a', 1)",
        "SELECT 1 INTO @a",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(statements); i++) {
        struct peer *p = login(&gate, "mq@acme");
        struct peer *home = run(p, statements[i], IDLE_STATUS);
        peer_close(p);
        gate_run(&gate);
        if (!home->closed)
            fail_msg("another session gets what %s has left", statements[i]);
    }
}

/* Some of its assignments may have been made. */
static void a_statement_that_fails_keeps_it(void **state)
{
    (void)state;
    client_query(&gate, client, KEEP);
    struct peer *home = gate_asked(&gate);
    shard_expect(home, KEEP);
    gate_say_err(&gate, home, 1690, "out of range");
    expect_err(client, 1, 1690, "out of range");
    peer_close(client);
    gate_run(&gate);
    assert_true(home->closed);
}

static void another_shard_has_nothing_of_it(void **state)
{
    (void)state;
    struct peer *home = run(client, KEEP, IDLE_STATUS);
    choose(client, "SET @mq_tenant = 'globex'");
    assert_int_equal(pick(client, PICK_GLOBEX)->shard, 1);
    expect_refusal(client, KEEP_AND_PICK, "MQ3026");
    expect_refusal(client, "SELECT GET_LOCK('a', 1)", "MQ3026");
    assert_ptr_equal(read_variable(client), home); /* it is about no tenant */
    assert_ptr_equal(run(client, KEEP, IDLE_STATUS), home);
}

static void nor_has_a_transaction_there(void **state)
{
    (void)state;
    run(client, KEEP, IDLE_STATUS);
    choose(client, "SET @mq_tenant = 'globex'");
    choose(client, "BEGIN");
    client_query(&gate, client, ADD);
    struct peer *shard = gate_shard(&gate, 1);
    shard_expect(shard, "BEGIN");
    shard_expect(shard, ADD_("tenant, ", "'globex', "));
    shard_say_ok(shard, OPEN_STATUS);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(client);
    expect_refusal(client, READ, "MQ3026");
    expect_refusal(client, "SET time_zone = @a", "MQ3026");
}

static void a_reset_gives_it_up(void **state)
{
    (void)state;
    struct peer *home = run(client, KEEP, IDLE_STATUS);
    client_command(client, COM_RESET_CONNECTION, SLICE_LIT(""));
    gate_run(&gate);
    shard_expect_command(home, COM_RESET_CONNECTION);
    expect_nothing(client); /* not before its locks are free */
    gate_say_ok(&gate, home, IDLE_STATUS);
    expect_ok(client);
    assert_true(home->closed);
}

static void its_loss_ends_the_session(void **state)
{
    (void)state;
    peer_close(run(client, KEEP, IDLE_STATUS));
    gate_run(&gate);
    client_query(&gate, client, PICK);
    expect_err(client, 1, 1158, "MQ5002");
    gate_run(&gate);
    assert_true(client->closed);
}

/* It is one of the transaction's branches, and not the one at work. */
static void its_loss_within_a_transaction_of_several(void **state)
{
    (void)state;
    struct peer *home = run(client, KEEP, IDLE_STATUS);
    choose(client, "BEGIN");
    client_query(&gate, client, ADD);
    shard_expect(home, "BEGIN");
    shard_expect(home, ADD_ACME);
    shard_say_ok(home, OPEN_STATUS);
    gate_say_ok(&gate, home, OPEN_STATUS);
    expect_ok(client);
    choose(client, "SET @mq_tenant = 'globex'");
    client_query(&gate, client, ADD);
    struct peer *second = gate_shard(&gate, 1);
    shard_expect(second, "BEGIN");
    shard_expect(second, ADD_("tenant, ", "'globex', "));
    shard_say_ok(second, OPEN_STATUS);
    gate_say_ok(&gate, second, OPEN_STATUS);
    expect_ok(client);
    peer_close(home);
    gate_run(&gate);
    client_query(&gate, client, PICK);
    expect_err(client, 1, 1158, "MQ5002");
    gate_run(&gate);
    assert_true(client->closed);
}

static void it_takes_a_place(void **state)
{
    (void)state;
    struct peer *other = login(&gate, "mq@acme");
    struct peer *home = run(client, KEEP, IDLE_STATUS);
    client_query(&gate, other, KEEP);
    expect_nothing(other);
    gate_pass_time(&gate, 2000);
    expect_err(other, 1, 1205, "MQ5005");
    assert_ptr_equal(read_variable(client), home);
}

static void a_reload_may_renumber_its_server(void **state)
{
    (void)state;
    struct peer *home = run(client, KEEP, IDLE_STATUS);
    reload(MORE_SHARDS_YAML);
    assert_ptr_equal(read_variable(client), home);
    assert_ptr_equal(pick(client, PICK_ACME), home);
}

/* Rows would be read from a server that is not the shard's any more. */
static void a_reload_may_move_its_server(void **state)
{
    (void)state;
    struct peer *home = run(client, KEEP, IDLE_STATUS);
    reload(OTHER_ADDRESS_YAML);
    client_query(&gate, client, PICK);
    expect_err(client, 1, 1158, "MQ5002");
    gate_run(&gate);
    assert_true(client->closed && home->closed);
}

/* ---- temporary tables ---- */

#define CREATE "CREATE TEMPORARY TABLE t (a INT)"
#define FILL "INSERT INTO t VALUES (1)"

static void expect_unknown(struct peer *p)
{
    client_query(&gate, p, FILL);
    expect_err(p, 1, 1146, "MQ2004");
    assert_null(gate_asked(&gate));
}

static void a_temporary_table_is_one_session_s(void **state)
{
    (void)state;
    struct peer *other = login(&gate, "mq@acme");
    expect_unknown(client);
    struct peer *home = run(client, CREATE, IDLE_STATUS);
    assert_ptr_equal(run(client, FILL, IDLE_STATUS), home);
    expect_unknown(other);
    choose(client, "SET @mq_tenant = 'globex'");
    assert_ptr_equal(run(client, FILL, IDLE_STATUS), home);
    expect_refusal(client, "INSERT INTO t SELECT failure_count FROM queue_messages", "MQ3026");
    run(client, "DROP TEMPORARY TABLE t", IDLE_STATUS);
    expect_unknown(client);
}

static void one_that_was_not_made_is_not_known(void **state)
{
    (void)state;
    client_query(&gate, client, CREATE);
    struct peer *home = gate_asked(&gate);
    shard_expect(home, CREATE);
    gate_say_err(&gate, home, 1044, "Access denied");
    expect_err(client, 1, 1044, "Access denied");
    expect_unknown(client);
}

static void a_reset_drops_it(void **state)
{
    (void)state;
    struct peer *home = run(client, CREATE, IDLE_STATUS);
    client_command(client, COM_RESET_CONNECTION, SLICE_LIT(""));
    gate_run(&gate);
    shard_expect_command(home, COM_RESET_CONNECTION);
    gate_say_ok(&gate, home, IDLE_STATUS);
    expect_ok(client);
    expect_unknown(client);
}

/* Its rows are the transaction's, which no shard has seen so far. */
static void its_rows_belong_to_the_transaction(void **state)
{
    (void)state;
    struct peer *home = run(client, CREATE, IDLE_STATUS);
    choose(client, "BEGIN");
    client_query(&gate, client, FILL);
    shard_expect(home, "BEGIN");
    shard_expect(home, FILL);
    shard_say_ok(home, OPEN_STATUS);
    gate_say_ok(&gate, home, OPEN_STATUS);
    expect_ok(client);
    client_query(&gate, client, ADD); /* of any tenant of the shard */
    shard_expect(home, ADD_ACME);
    gate_say_ok(&gate, home, OPEN_STATUS);
    expect_ok(client);
    client_query(&gate, client, "ROLLBACK");
    shard_expect(home, "ROLLBACK");
    gate_say_ok(&gate, home, IDLE_STATUS);
    expect_ok(client);
}

/* Their server is one, whatever the tenant. */
static void there_is_one_beside_an_unsharded_keyspace(void **state)
{
    (void)state;
    client_query(&gate, client, KEEP_AND_PICK);
    struct peer *home = gate_asked(&gate);
    assert_int_equal(home->shard, 0);
    shard_expect(home, KEEP_AND_PICK " WHERE tenant = 'acme'");
    gate_say_ok(&gate, home, IDLE_STATUS);
    expect_ok(client);
    expect_refusal(client, READ, "MQ3026");
    expect_refusal(client, "CALL p()", "MQ3026");
    client_query(&gate, client, "SELECT GET_LOCK(id, 1) FROM queue_messages");
    expect_err(client, 1, 1235, "MQ2017");
}

#define TEST(function) GATE_TEST_WITH(function, log_in, GATE_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_is_one_session_s),
        TEST(reading_keeps_nothing),
        TEST(what_keeps_it),
        TEST(a_statement_that_fails_keeps_it),
        TEST(another_shard_has_nothing_of_it),
        TEST(nor_has_a_transaction_there),
        TEST(a_reset_gives_it_up),
        TEST(its_loss_ends_the_session),
        GATE_TEST_WITH(its_loss_within_a_transaction_of_several, log_in, MULTI_YAML),
        GATE_TEST_WITH(it_takes_a_place, log_in, WAIT_YAML),
        TEST(a_reload_may_renumber_its_server),
        TEST(a_reload_may_move_its_server),
        TEST(a_temporary_table_is_one_session_s),
        TEST(one_that_was_not_made_is_not_known),
        TEST(a_reset_drops_it),
        TEST(its_rows_belong_to_the_transaction),
        GATE_TEST_WITH(there_is_one_beside_an_unsharded_keyspace, log_in, GATE_UNSHARDED_YAML),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
