/* A shard with standbys: which server is used, what happens when that is another, and when there
 * is none or two. Servers are told apart by their port; peers call it their shard. */
#include "tests/unit/proxy/gate_test.h"

enum { FIRST = 0, SECOND = 2 };

static void open_all(bool first, bool second, bool dead)
{
    gate_set_up(&gate, gate_topology("keyspace: {name: mq, database: shard, shards: {"
                                     "\"-80\": {address: \"127.0.0.1:1\", "
                                     "standbys: [\"127.0.0.1:3\"]}, \"80-\": \"127.0.0.1:2\"}}\n"
                                     "accounts: {app: {password: secret}}\n"
                                     "tenants: [acme, globex]\n"));
    gate.read_only[FIRST] = first;
    gate.read_only[SECOND] = second;
    gate.dead[FIRST] = gate.dead[SECOND] = dead;
    gate_start(&gate);
}

static void open_with(bool first, bool second)
{
    open_all(first, second, false);
}

static struct peer *pick(struct peer *client, uint32_t server)
{
    client_query(&gate, client, PICK);
    struct peer *shard = gate_shard(&gate, server);
    shard_expect(shard, PICK_ACME);
    return shard;
}

static void serve(struct peer *client, struct peer *shard)
{
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(client);
}

static void the_writable_one_is_used(void **state)
{
    (void)state;
    open_with(true, false);
    struct peer *client = login(&gate, "mq@acme");
    serve(client, pick(client, SECOND));
    assert_null(gate_shard(&gate, FIRST));
}

static void the_first_may_be_it(void **state)
{
    (void)state;
    open_with(false, true);
    struct peer *client = login(&gate, "mq@acme");
    serve(client, pick(client, FIRST));
    assert_null(gate_shard(&gate, SECOND));
}

static void two_are_refused_until_one_is_left(void **state)
{
    (void)state;
    open_with(false, false);
    struct peer *client = login(&gate, "mq@acme"), *other = login(&gate, "mq@globex");
    client_query(&gate, client, PICK);
    expect_err(client, 1, 1160, "MQ5009");
    client_query(&gate, other, PICK);
    shard_expect(gate_shard(&gate, 1), PICK_GLOBEX);
    gate.read_only[FIRST] = true;
    gate_pass_time(&gate, 1000);
    serve(client, pick(client, SECOND));
}

static void none_is_refused(void **state)
{
    (void)state;
    open_with(true, true);
    struct peer *client = login(&gate, "mq@acme");
    client_query(&gate, client, PICK);
    expect_err(client, 1, 1160, "MQ5008");
    gate.read_only[FIRST] = false;
    gate_pass_time(&gate, 1000);
    serve(client, pick(client, FIRST));
}

/* A switch without a word: what refuses to write is asked what it is. */
static void a_read_only_error_begins_a_search(void **state)
{
    (void)state;
    open_with(false, true);
    struct peer *client = login(&gate, "mq@acme"), *shard = pick(client, FIRST);
    gate.read_only[FIRST] = true;
    gate.read_only[SECOND] = false;
    gate_pass_time(&gate, 1000); /* after the search at the start */
    gate_say_err(&gate, shard, 1290, "--read-only");
    expect_err(client, 1, 1290, "--read-only");
    assert_true(shard->closed);
    serve(client, pick(client, SECOND));
}

/* Statements wait for the end of the search rather than fail. */
static void a_lost_primary_is_replaced(void **state)
{
    (void)state;
    open_with(false, true);
    struct peer *client = login(&gate, "mq@acme");
    serve(client, pick(client, FIRST));
    gate.read_only[SECOND] = false;
    gate.dead[FIRST] = true;
    peer_close(gate_shard(&gate, FIRST));
    gate_pass_time(&gate, 1000);
    serve(client, pick(client, SECOND));
}

/* Nobody may be left waiting for a search that was over before. */
static void none_can_be_reached(void **state)
{
    (void)state;
    open_with(false, true);
    struct peer *client = login(&gate, "mq@acme");
    serve(client, pick(client, FIRST));
    gate.dead[FIRST] = gate.dead[SECOND] = true;
    peer_close(gate_shard(&gate, FIRST));
    gate_pass_time(&gate, 1500);
    for (int i = 0; i < 3; i++) {
        client_query(&gate, client, PICK);
        expect_err(client, 1, 1160, "MQ5008");
    }
    gate.dead[FIRST] = gate.dead[SECOND] = false;
    gate_pass_time(&gate, 1000);
    serve(client, pick(client, FIRST));
}

static void none_can_be_reached_at_the_start(void **state)
{
    (void)state;
    open_all(false, true, true);
    struct peer *client = login(&gate, "mq@acme");
    client_query(&gate, client, PICK);
    expect_err(client, 1, 1160, "MQ5008");
    gate.dead[FIRST] = false;
    gate_pass_time(&gate, 1000);
    serve(client, pick(client, FIRST));
}

/* Reads would show old rows for ever, if nobody wrote. */
static void a_switch_is_seen_in_time(void **state)
{
    (void)state;
    open_with(false, true);
    struct peer *client = login(&gate, "mq@acme");
    serve(client, pick(client, FIRST));
    gate.read_only[FIRST] = true;
    gate.read_only[SECOND] = false;
    gate_pass_time(&gate, 5000);
    serve(client, pick(client, SECOND));
    assert_null(gate_shard(&gate, FIRST));
}

#define TEST(function) cmocka_unit_test_teardown(function, close_gate)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_writable_one_is_used),
        TEST(the_first_may_be_it),
        TEST(two_are_refused_until_one_is_left),
        TEST(none_is_refused),
        TEST(a_read_only_error_begins_a_search),
        TEST(a_lost_primary_is_replaced),
        TEST(none_can_be_reached),
        TEST(none_can_be_reached_at_the_start),
        TEST(a_switch_is_seen_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
