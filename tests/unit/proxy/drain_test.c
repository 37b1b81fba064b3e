/* The end of the sidecar, and a reload, in the middle of everything. */
#include "tests/unit/proxy/proxy_test.h"

#define PICK "SELECT id FROM queue_messages"
#define PICK_ACME "SELECT id FROM queue_messages WHERE tenant = 'acme'"
#define YAML GATE_YAML "pool: {max_per_shard: 1}\n"

static struct gate gate;
static struct peer *client, *shard;

/* ---- where the session is when it happens ---- */

static void at_login(void)
{
    client = client_connect(&gate);
}

static void between_commands(void)
{
    client = login(&gate, "mq@acme");
}

static void amid_a_command(void)
{
    between_commands();
    peer_send(client, "\x10\0\0\0\3SEL", 8);
    gate_run(&gate);
}

static void in_a_statement(void)
{
    between_commands();
    client_query(&gate, client, PICK);
    shard = gate_shard(&gate, 0);
    shard_expect(shard, PICK_ACME);
}

static void in_a_transaction(void)
{
    between_commands();
    client_query(&gate, client, "BEGIN");
    expect_ok(client);
    client_query(&gate, client, PICK);
    shard = gate_shard(&gate, 0);
    shard_expect(shard, "BEGIN");
    shard_expect(shard, PICK_ACME);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(client);
}

static void before_a_transaction(void)
{
    between_commands();
    client_query(&gate, client, "BEGIN");
    expect_ok(client);
}

/* Another session has the only backend. */
static void waiting_for_a_backend(void)
{
    struct peer *other = login(&gate, "mq@acme");
    client_query(&gate, other, PICK);
    shard = gate_shard(&gate, 0);
    shard_expect(shard, PICK_ACME);
    between_commands();
    client_query(&gate, client, PICK);
}

static void amid_an_answer(void)
{
    in_a_statement();
    peer_send(shard, "\1\0\0\1\1", 5);
    gate_run(&gate);
    assert_slice(expect_packet(client, 1), SLICE_LIT("\1"), "column count");
}

typedef void place(void);
static place *const places[] = { at_login,        between_commands,      amid_a_command,
                                 in_a_statement,  in_a_transaction,      before_a_transaction,
                                 amid_an_answer,  waiting_for_a_backend };

/* ---- the end ---- */

static void drain(void)
{
    worker_drain(gate.worker);
    gate_run(&gate);
}

static void expect_farewell(void)
{
    gate_pass_time(&gate, 100);
    expect_err(client, 0, 1053, "MQ4007");
    gate_run(&gate);
    assert_true(client->closed);
}

/* Whatever it does, the session can be ended at once, and nothing is left (gate_close looks). */
static void stopped_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        gate_open(&gate, YAML);
        places[i]();
        gate_close(&gate);
        gate_open(&gate, YAML);
        places[i]();
        drain();
        gate_close(&gate);
    }
}

static int open_gate(void **state)
{
    (void)state;
    gate_open(&gate, YAML);
    return 0;
}

static int close_gate(void **state)
{
    (void)state;
    gate_close(&gate);
    return 0;
}

static void an_idle_session_is_told(void **state)
{
    (void)state;
    between_commands();
    drain();
    expect_farewell();
}

static void a_login_is_not_waited_for(void **state)
{
    (void)state;
    at_login();
    drain();
    assert_true(client->closed);
}

static void a_statement_ends_first(void **state)
{
    (void)state;
    in_a_statement();
    drain();
    gate_pass_time(&gate, 500);
    expect_nothing(client);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(client);
    expect_farewell();
}

static void a_wait_ends_first(void **state)
{
    (void)state;
    waiting_for_a_backend();
    drain();
    gate_say_ok(&gate, shard, IDLE_STATUS); /* the other's */
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
    gate_say_ok(&gate, gate_shard(&gate, 0), IDLE_STATUS);
    expect_ok(client);
    expect_farewell();
}

static void a_transaction_ends_first(void **state)
{
    (void)state;
    in_a_transaction();
    drain();
    gate_pass_time(&gate, 500);
    client_query(&gate, client, "COMMIT");
    shard_expect(shard, "COMMIT");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(client);
    expect_farewell();
}

/* ---- a reload ---- */

static void reload(void)
{
    struct deployment *d = gate_deployment(gate_topology(YAML));
    worker_deploy(gate.worker, d, gate.tenants, 0);
    deployment_release(d);
    gate_run(&gate);
}

static void reloaded_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        gate_open(&gate, YAML);
        places[i]();
        reload();
        gate_pass_time(&gate, 200);
        gate_close(&gate);
    }
}

static void a_statement_ends_where_it_is(void **state)
{
    (void)state;
    in_a_statement();
    reload();
    assert_false(shard->closed);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(client);
    assert_true(shard->closed);
    client_query(&gate, client, PICK);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
}

static void a_transaction_ends_where_it_is(void **state)
{
    (void)state;
    in_a_transaction();
    reload();
    client_query(&gate, client, PICK);
    shard_expect(shard, PICK_ACME);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(client);
    client_query(&gate, client, "COMMIT");
    shard_expect(shard, "COMMIT");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(client);
    assert_true(shard->closed);
}

static void who_waits_is_served(void **state)
{
    (void)state;
    waiting_for_a_backend();
    reload();
    gate_say_ok(&gate, shard, IDLE_STATUS);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
    gate_say_ok(&gate, gate_shard(&gate, 0), IDLE_STATUS);
    expect_ok(client);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, open_gate, close_gate)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_anywhere),
        TEST(an_idle_session_is_told),
        TEST(a_login_is_not_waited_for),
        TEST(a_statement_ends_first),
        TEST(a_wait_ends_first),
        TEST(a_transaction_ends_first),
        cmocka_unit_test(reloaded_anywhere),
        TEST(a_statement_ends_where_it_is),
        TEST(a_transaction_ends_where_it_is),
        TEST(who_waits_is_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
