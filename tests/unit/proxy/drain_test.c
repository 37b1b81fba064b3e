/* The end of the sidecar, and a reload, in the middle of everything. */
#include "tests/unit/proxy/gate_test.h"

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
static place *const places[] = { at_login,       between_commands,     amid_a_command,
                                 in_a_statement, in_a_transaction,     before_a_transaction,
                                 amid_an_answer, waiting_for_a_backend };

/* ---- the end ---- */

static void drain(void)
{
    worker_drain(gate.worker);
    gate_run(&gate);
}

static void expect_farewell(void)
{
    gate_pass_time(&gate, 100);
    gate_run(&gate);
    expect_nothing(client);
    assert_true(client->closed);
}

/* Whatever it does, the session can be ended at once, and nothing is left (gate_close looks). */
static void stopped_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        reopen_gate(NARROW_YAML);
        places[i]();
        reopen_gate(NARROW_YAML);
        places[i]();
        drain();
    }
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

static void reloaded_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        reopen_gate(NARROW_YAML);
        places[i]();
        reload(NARROW_YAML);
        gate_pass_time(&gate, 200);
    }
}

static void a_statement_ends_where_it_is(void **state)
{
    (void)state;
    in_a_statement();
    reload(NARROW_YAML);
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
    reload(NARROW_YAML);
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
    reload(NARROW_YAML);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
    gate_say_ok(&gate, gate_shard(&gate, 0), IDLE_STATUS);
    expect_ok(client);
}

/* The shards change their numbers; a transaction stays where it began. */
static void a_reload_under_a_transaction(void **state)
{
    (void)state;
    static const char turned[] =
        "keyspace: {name: mq, aliases: [queue], database: shard, shards: "
        "{\"80-\": \"127.0.0.1:2\", \"40-80\": \"127.0.0.1:3\", \"-40\": \"127.0.0.1:1\"}}\n"
        "accounts: {app: {password: secret}}\n"
        "tenants: [acme, globex]\n";
    client = login(&gate, "mq@acme");
    shard = gate_shard(&gate, 0);
    begin_transaction(client, shard);
    reload(GATE_YAML);
    client_query(&gate, client, PICK);
    shard_expect(shard, PICK_ACME);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(client);
    reload(turned); /* -80 is no more: the tenant is elsewhere now */
    client_query(&gate, client, PICK);
    expect_err(client, 1, 1105, "MQ3014");
    client_query(&gate, client, "ROLLBACK");
    shard_expect(shard, "ROLLBACK");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(client);
    assert_true(shard->closed || (gate_run(&gate), shard->closed));
    client_query(&gate, client, PICK);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
}

/* Those who wait for a backend of the old deployment still get one. */
static void a_reload_under_a_wait(void **state)
{
    (void)state;
    close_backends();
    client = login(&gate, "mq@acme");
    gate.by_hand = true;
    client_query(&gate, client, PICK);
    reload(GATE_YAML);
    gate.by_hand = false;
    gate_run(&gate);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
    gate_say_ok(&gate, gate_shard(&gate, 0), IDLE_STATUS);
    expect_ok(client);
    client_query(&gate, client, PICK);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
}

#define TEST(function) GATE_TEST(function, NARROW_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(stopped_anywhere),
        TEST(an_idle_session_is_told),
        TEST(a_login_is_not_waited_for),
        TEST(a_statement_ends_first),
        TEST(a_wait_ends_first),
        TEST(a_transaction_ends_first),
        TEST(reloaded_anywhere),
        TEST(a_statement_ends_where_it_is),
        TEST(a_transaction_ends_where_it_is),
        TEST(who_waits_is_served),
        GATE_TEST(a_reload_under_a_transaction, GATE_YAML),
        GATE_TEST(a_reload_under_a_wait, GATE_YAML),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
