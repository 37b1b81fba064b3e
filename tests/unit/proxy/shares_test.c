/* Limits on what an account or a tenant has under way: who waits, who is served next, and that
 * every end gives its share back (gate_close finds what is left). */
#include "tests/unit/proxy/gate_test.h"

#define YAML                                                   \
    "keyspace: {name: mq, database: shard, shards: "           \
    "{\"-80\": \"127.0.0.1:1\", \"80-\": \"127.0.0.1:2\"}}\n"  \
    "accounts: {app: {password: secret, max_connections: 4}, " \
    "one: {password: secret, concurrency: 1}}\n"               \
    "tenants: [acme, globex]\n"                                \
    "pool: {wait_timeout: 5s}\n"                               \
    "limits: {tenant_concurrency: 2}\n"

/* A connection to the shard of which something is asked; NULL: there is none. */
static struct peer *asked_of(uint32_t number)
{
    struct peer *shard = NULL;
    for (size_t i = 0; i < gate.shard_count; i++)
        if (gate.shards[i].shard == number && buf_len(&gate.shards[i].in))
            shard = &gate.shards[i];
    return shard;
}

/* Answers a statement that is under way, which has to be this one. */
static void serve(const char *statement)
{
    struct peer *shard = asked_of(strcmp(statement, PICK_GLOBEX) == 0);
    shard_expect(shard, statement);
    gate_say_ok(&gate, shard, IDLE_STATUS);
}

static size_t under_way(void)
{
    size_t n = 0;
    for (size_t i = 0; i < gate.shard_count; i++)
        n += buf_len(&gate.shards[i].in) > 0;
    return n;
}

static void a_tenant_waits_and_others_do_not(void **state)
{
    (void)state;
    struct peer *clients[3], *other = log_in_as("app", "mq@globex", GATE_CLIENT);
    for (size_t i = 0; i < COUNT(clients); i++) {
        clients[i] = log_in_as("app", "mq@acme", GATE_CLIENT);
        client_query(&gate, clients[i], PICK);
    }
    client_query(&gate, other, PICK);
    assert_int_equal(under_way(), 3); /* two of acme, one of globex */
    for (size_t i = 0; i < COUNT(clients); i++)
        serve(PICK_ACME);
    for (size_t i = 0; i < COUNT(clients); i++)
        expect_ok(clients[i]);
    serve(PICK_GLOBEX);
    expect_ok(other);
}

/* It does not wait in the middle, where it holds locks. */
static void a_transaction_keeps_its_share(void **state)
{
    (void)state;
    struct peer *holder = log_in_as("one", "mq@acme", GATE_CLIENT),
                *waiter = log_in_as("one", "mq@acme", GATE_CLIENT), *shard;
    client_query(&gate, holder, "BEGIN");
    expect_ok(holder);
    client_query(&gate, holder, PICK);
    shard = gate_asked(&gate);
    shard_expect(shard, "BEGIN");
    shard_expect(shard, PICK_ACME);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(holder);
    client_query(&gate, waiter, PICK);
    assert_null(gate_asked(&gate));
    client_query(&gate, holder, "COMMIT");
    shard_expect(shard, "COMMIT");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(holder);
    serve(PICK_ACME);
    expect_ok(waiter);
}

static void a_wait_has_its_limit(void **state)
{
    (void)state;
    struct peer *holder = log_in_as("one", "mq@acme", GATE_CLIENT),
                *waiter = log_in_as("one", "mq@acme", GATE_CLIENT);
    client_query(&gate, holder, PICK);
    client_query(&gate, waiter, PICK);
    gate_pass_time(&gate, 4900);
    expect_nothing(waiter);
    gate_pass_time(&gate, 200);
    expect_err(waiter, 1, 1205, "MQ6009");
    serve(PICK_ACME);
    expect_ok(holder);
    client_query(&gate, waiter, PICK);
    serve(PICK_ACME);
    expect_ok(waiter);
}

/* Whatever ends a statement gives its share back. */
static void ends_of_all_kinds(void **state)
{
    (void)state;
    struct peer *waiter = log_in_as("one", "mq@globex", GATE_CLIENT);
    for (int way = 0; way < 4; way++) {
        struct peer *holder = log_in_as("one", "mq@acme", GATE_CLIENT), *shard;
        client_query(&gate, holder, way == 3 ? "BEGIN" : PICK);
        if (way == 3)
            client_query(&gate, holder, PICK);
        shard = gate_asked(&gate);
        client_query(&gate, waiter, PICK);
        buf_clear(&shard->in);
        assert_null(gate_asked(&gate));
        switch (way) {
        case 0: /* the client goes, and its statement with it */
            peer_close(holder);
            gate_run(&gate);
            shard_expect(gate_shard(&gate, 0), "KILL 7");
            gate_say_ok(&gate, gate_shard(&gate, 0), IDLE_STATUS);
            break;
        case 1: /* the shard goes */
            peer_close(shard);
            break;
        case 2: /* an error */
            gate_say_err(&gate, shard, 1146, "no such table");
            break;
        case 3: /* the shard goes between the statements of a transaction */
            gate_say_ok(&gate, shard, OPEN_STATUS);
            gate_say_ok(&gate, shard, OPEN_STATUS);
            peer_close(shard);
            break;
        }
        gate_run(&gate);
        serve(PICK_GLOBEX);
        expect_ok(waiter);
        peer_close(holder);
        gate_run(&gate);
    }
}

/* Those who wait leave the line when they go. */
static void a_waiter_that_leaves(void **state)
{
    (void)state;
    struct peer *holder = log_in_as("one", "mq@acme", GATE_CLIENT),
                *leaves = log_in_as("one", "mq@acme", GATE_CLIENT),
                *stays = log_in_as("one", "mq@acme", GATE_CLIENT);
    client_query(&gate, holder, PICK);
    client_query(&gate, leaves, PICK);
    client_query(&gate, stays, PICK);
    peer_close(leaves);
    gate_run(&gate);
    serve(PICK_ACME);
    serve(PICK_ACME);
    expect_ok(holder);
    expect_ok(stays);
}

/* ---- statements for several tenants ---- */

/* Ends the one that is under way. */
static void serve_each(void)
{
    static const char *const asked[] = {
        "SELECT id FROM queue_messages WHERE tenant IN ('acme') AND ( topic = 'a')",
        "SELECT id FROM queue_messages WHERE tenant IN ('globex') AND ( topic = 'a')",
    };
    struct peer *shards[] = { asked_of(0), asked_of(1) };
    for (size_t i = 0; i < COUNT(asked); i++)
        shard_expect(shards[i], asked[i]);
    for (size_t i = 0; i < COUNT(asked); i++)
        gate_say_row(&gate, shards[i], "x", IDLE_STATUS);
}

static void expect_each(struct peer *p)
{
    expect_rows(p, (const char *const[]){ "x", "x" }, 2);
}

/* Two of acme's, which are all it may have. */
static void hold_acme(void)
{
    for (int i = 0; i < 2; i++)
        client_query(&gate, log_in_as("app", "mq@acme", GATE_CLIENT), PICK);
}

/* It takes a share of each, or none: what it lacks keeps nothing from others. */
static void one_for_several_needs_a_share_of_each(void **state)
{
    (void)state;
    struct peer *several = login(&gate, "mq"), *other = log_in_as("one", "mq@globex", GATE_CLIENT);
    hold_acme();
    client_query(&gate, several, PICK);
    assert_int_equal(under_way(), 2);
    client_query(&gate, other, PICK);
    serve(PICK_GLOBEX);
    expect_ok(other);
    serve(PICK_ACME);
    assert_int_equal(under_way(), 3); /* acme's other one, and the two parts */
    serve_each();
    expect_each(several);
    serve(PICK_ACME);
}

static void its_shares_are_held_and_given_back(void **state)
{
    (void)state;
    struct peer *several = login(&gate, "mq"), *first = log_in_as("app", "mq@globex", GATE_CLIENT),
                *second = log_in_as("app", "mq@globex", GATE_CLIENT);
    for (int round = 0; round < 3; round++) {
        client_query(&gate, several, PICK);
        struct peer *acme = asked_of(0), *globex = asked_of(1);
        client_query(&gate, first, PICK);
        client_query(&gate, second, PICK);
        assert_int_equal(under_way(), 3); /* the two parts, and one of globex */
        buf_clear(&acme->in);
        buf_clear(&globex->in);
        if (round == 1) {
            gate_say_err(&gate, globex, 1146, "no such table");
            expect_err(several, 1, 1146, "no such table");
        }
        gate_say_row(&gate, acme, "x", IDLE_STATUS);
        if (round != 1) {
            gate_say_row(&gate, globex, "x", IDLE_STATUS);
            expect_each(several);
        }
        serve(PICK_GLOBEX);
        serve(PICK_GLOBEX);
        expect_ok(first);
        expect_ok(second);
    }
}

static void one_for_several_waits_no_longer(void **state)
{
    (void)state;
    struct peer *several = login(&gate, "mq");
    hold_acme();
    client_query(&gate, several, PICK);
    gate_pass_time(&gate, 5100);
    expect_err(several, 1, 1205, "MQ6009");
    serve(PICK_ACME);
    serve(PICK_ACME);
    client_query(&gate, several, PICK);
    serve_each();
    expect_each(several);
}

static void connections_of_an_account(void **state)
{
    (void)state;
    struct peer *clients[4];
    for (size_t i = 0; i < COUNT(clients); i++)
        clients[i] = log_in_as("app", "mq@acme", GATE_CLIENT);
    struct peer *more = client_connect(&gate);
    assert_false(client_login(&gate, more, "app", "mq@acme", GATE_CLIENT));
    gate_run(&gate);
    assert_true(more->closed);
    log_in_as("one", "mq@acme", GATE_CLIENT);
    peer_close(clients[2]);
    gate_run(&gate);
    log_in_as("app", "mq@acme", GATE_CLIENT);
}

#define TEST(function) GATE_TEST(function, YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_tenant_waits_and_others_do_not),
        TEST(a_transaction_keeps_its_share),
        TEST(a_wait_has_its_limit),
        TEST(ends_of_all_kinds),
        TEST(a_waiter_that_leaves),
        TEST(one_for_several_needs_a_share_of_each),
        TEST(its_shares_are_held_and_given_back),
        TEST(one_for_several_waits_no_longer),
        TEST(connections_of_an_account),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
