/* Backends under a cap: who waits, who is served, and when the wait ends. */
#include "tests/unit/proxy/gate_test.h"

#define YAML GATE_YAML "pool: {max_per_shard: 1, wait_timeout: 5s, idle_timeout: 60s}\n"

static void the_longest_wait_ends_first(void **state)
{
    (void)state;
    struct peer *clients[4], *shard = gate_shard(&gate, 0);
    for (size_t i = 0; i < COUNT(clients); i++) {
        clients[i] = login(&gate, "mq@acme");
        client_query(&gate, clients[i], PICK);
    }
    peer_close(clients[1]); /* gives its place up */
    gate_run(&gate);
    for (size_t i = 0; i < COUNT(clients); i++) {
        if (i == 1)
            continue;
        shard_expect(shard, PICK_ACME);
        expect_nothing(shard);
        gate_say_ok(&gate, shard, IDLE_STATUS);
        expect_ok(clients[i]);
    }
    assert_ptr_equal(gate_shard(&gate, 0), shard);
}

static void a_wait_has_its_limit(void **state)
{
    (void)state;
    struct peer *first = login(&gate, "mq@acme"), *second = login(&gate, "mq@acme");
    struct peer *shard = gate_shard(&gate, 0);
    client_query(&gate, first, PICK);
    client_query(&gate, second, PICK);
    gate_pass_time(&gate, 4900);
    expect_nothing(second);
    gate_pass_time(&gate, 200);
    expect_err(second, 1, 1205, "MQ5005");
    shard_expect(shard, PICK_ACME);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(first);
    client_query(&gate, second, PICK);
    shard_expect(shard, PICK_ACME);
}

/* Pools of two accounts share the shard's one place. */
static void a_place_moves_between_pools(void **state)
{
    (void)state;
    struct peer *app = login(&gate, "mq@acme"), *admin = client_connect(&gate);
    struct peer *shard = gate_shard(&gate, 0);
    assert_true(client_login(&gate, admin, "admin", "mq@acme", GATE_CLIENT));
    client_query(&gate, app, PICK);
    client_query(&gate, admin, PICK);
    shard_expect(shard, PICK_ACME);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(app);
    assert_true(shard->closed); /* what became free makes room */
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
    gate_say_ok(&gate, gate_shard(&gate, 0), IDLE_STATUS);
    expect_ok(admin);
}

static void idle_backends_are_closed_in_time(void **state)
{
    (void)state;
    struct peer *shard = gate_shard(&gate, 0);
    gate_pass_time(&gate, 59000);
    assert_false(shard->closed);
    gate_pass_time(&gate, 2000);
    assert_true(shard->closed);
    assert_null(gate_shard(&gate, 0));
}

/* A shard that does not answer costs its own clients one time limit, then nothing. */
static void a_silent_shard_fails_quickly(void **state)
{
    (void)state;
    peer_close(gate_shard(&gate, 0));
    gate_run(&gate);
    gate.by_hand = true;
    struct peer *first = login(&gate, "mq@acme"), *second = login(&gate, "mq@acme");
    client_query(&gate, first, PICK);
    gate_pass_time(&gate, 3100);
    expect_err(first, 1, 1160, "MQ5001");
    client_query(&gate, second, PICK);
    expect_err(second, 1, 1160, "MQ5001");
    gate.by_hand = false;
    gate_pass_time(&gate, 1000);
    client_query(&gate, second, PICK);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
}

#define TEST(function) GATE_TEST(function, YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_longest_wait_ends_first),  TEST(a_wait_has_its_limit),
        TEST(a_place_moves_between_pools),  TEST(idle_backends_are_closed_in_time),
        TEST(a_silent_shard_fails_quickly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
