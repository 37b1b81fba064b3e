/* Whole sessions in memory: what shards are asked, byte by byte, and what clients are told. */
#include "tests/unit/proxy/gate_test.h"

static void login_needs_the_password(void **state)
{
    (void)state;
    struct peer *p = client_connect(&gate);
    assert_false(client_login(&gate, p, "nobody", NULL, GATE_CLIENT));
    assert_true(p->closed);
    p = client_connect(&gate);
    assert_false(client_login(&gate, p, "app", "other", GATE_CLIENT));
    assert_true(p->closed);
    login(&gate, "mq@acme");
}

static void a_statement_goes_to_the_tenants_shard(void **state)
{
    (void)state;
    static const struct {
        const char *database, *sent;
        uint32_t shard;
    } cases[] = { { "mq@acme", PICK_ACME, 0 }, { "mq@globex", PICK_GLOBEX, 1 } };
    static const char *const rows[] = { "x" };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct peer *p = login(&gate, cases[i].database),
                    *shard = gate_shard(&gate, cases[i].shard);
        client_query(&gate, p, PICK);
        assert_slice(buf_slice(&gate.set),
                     SLICE_LIT("SET NAMES utf8mb4 COLLATE utf8mb4_general_ci"), "sync");
        shard_expect(shard, cases[i].sent);
        expect_nothing(gate_shard(&gate, 1 - cases[i].shard));
        gate_say_row(&gate, shard, "x", IDLE_STATUS);
        expect_rows(p, rows, 1);
    }
}

static void without_a_tenant_it_is_refused(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq");
    client_query(&gate, p, ADD);
    expect_err(p, 1, 1105, "MQ3");
    expect_nothing(gate_shard(&gate, 0));
    expect_nothing(gate_shard(&gate, 1));
    client_query(&gate, p, "SET @mq_tenant = 'nobody'");
    expect_err(p, 1, 1105, "MQ3");
    client_query(&gate, p, "SET @mq_tenant = 'acme'");
    expect_ok(p);
    client_query(&gate, p, PICK);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
}

static void a_duplicate_key_is_told_without_the_tenant(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, ADD);
    shard_expect(shard, ADD_ACME);
    gate_say_err(&gate, shard, 1062,
                 "Duplicate entry 'acme-t-p-g' for key 'queue_offsets.PRIMARY'");
    expect_err(p, 1, 1062, "Duplicate entry 'g-t-p' for key 'queue_offsets.PRIMARY'");
}

static void ddl_runs_on_every_shard(void **state)
{
    (void)state;
    struct peer *p = log_in_as("admin", "mq", GATE_CLIENT);
    client_query(&gate, p, "DROP TABLE queue_offsets");
    for (uint32_t i = 0; i < 2; i++) {
        expect_nothing(p);
        shard_expect(gate_shard(&gate, i), "DROP TABLE queue_offsets");
        gate_say_ok(&gate, gate_shard(&gate, i), IDLE_STATUS);
    }
    expect_ok(p);
    client_query(&gate, p, "DROP TABLE queue_offsets");
    shard_expect(gate_shard(&gate, 0), "DROP TABLE queue_offsets");
    gate_say_err(&gate, gate_shard(&gate, 0), 1051, "Unknown table 'shard.queue_offsets'");
    expect_err(p, 1, 1051, "Unknown table");
    expect_nothing(gate_shard(&gate, 1));
}

static void ddl_commits_first(void **state)
{
    (void)state;
    struct peer *p = log_in_as("admin", "mq@acme", GATE_CLIENT);
    client_query(&gate, p, PICK); /* opens a connection of the administrator's account */
    struct peer *shard = gate_shard(&gate, 0);
    shard_expect(shard, PICK_ACME);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(p);
    begin_transaction(p, shard);
    client_query(&gate, p, "DROP TABLE queue_offsets");
    shard_expect(shard, "COMMIT");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    shard_expect(shard, "DROP TABLE queue_offsets");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    shard_expect(gate_shard(&gate, 1), "DROP TABLE queue_offsets");
    gate_say_ok(&gate, gate_shard(&gate, 1), IDLE_STATUS);
    expect_ok(p);
}

#define TEST(function) GATE_TEST(function, GATE_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(login_needs_the_password),       TEST(a_statement_goes_to_the_tenants_shard),
        TEST(without_a_tenant_it_is_refused), TEST(a_duplicate_key_is_told_without_the_tenant),
        TEST(ddl_runs_on_every_shard),        TEST(ddl_commits_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
