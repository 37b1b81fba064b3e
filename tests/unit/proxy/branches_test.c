/* Transactions over several shards: how branches begin, end one after the other, and what is left
 * when one of them is lost. */
#include "tests/unit/proxy/gate_test.h"

#define MULTI_YAML GATE_YAML "transactions: multi\n"
#define NARROW_MULTI_YAML NARROW_YAML "transactions: multi\n"
#define ADD_GLOBEX ADD_("tenant, ", "'globex', ")

enum { ACME, GLOBEX };

static const struct {
    const char *choose, *added;
} tenants[] = {
    [ACME] = { "SET @mq_tenant = 'acme'", ADD_ACME },
    [GLOBEX] = { "SET @mq_tenant = 'globex'", ADD_GLOBEX },
};

static void choose(struct peer *p, int tenant)
{
    client_query(&gate, p, tenants[tenant].choose);
    expect_ok(p);
}

/* The first statement of the transaction on that shard. */
static struct peer *open_branch(struct peer *p, int tenant)
{
    choose(p, tenant);
    client_query(&gate, p, ADD);
    struct peer *shard = gate_shard(&gate, (uint32_t)tenant);
    shard_expect(shard, "BEGIN");
    shard_expect(shard, tenants[tenant].added);
    shard_say_ok(shard, OPEN_STATUS);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    assert_int_equal(expect_ok(p).status, OPEN_STATUS);
    return shard;
}

static struct peer *log_in_and_begin(void)
{
    struct peer *p = login(&gate, "mq");
    client_query(&gate, p, "BEGIN");
    expect_ok(p);
    return p;
}

static void commits_go_one_after_the_other(void **state)
{
    (void)state;
    struct peer *p = log_in_and_begin();
    struct peer *second = open_branch(p, GLOBEX), *first = open_branch(p, ACME);
    client_query(&gate, p, "COMMIT");
    shard_expect(second, "COMMIT");
    expect_nothing(first);
    gate_say_ok(&gate, second, IDLE_STATUS);
    expect_nothing(p);
    shard_expect(first, "COMMIT");
    gate_say_ok(&gate, first, IDLE_STATUS);
    assert_int_equal(expect_ok(p).status, IDLE_STATUS);
    /* Both are free again. */
    client_query(&gate, p, PICK);
    shard_expect(first, PICK_ACME);
}

/* A failed COMMIT may be done or not: a shard is asked, and told to roll back. */
static void a_commit_that_fails_first_rolls_the_others_back(void **state)
{
    (void)state;
    struct peer *p = log_in_and_begin();
    struct peer *first = open_branch(p, ACME), *second = open_branch(p, GLOBEX);
    client_query(&gate, p, "COMMIT");
    shard_expect(first, "COMMIT");
    gate_say_err(&gate, first, 1290, "read-only");
    expect_err(p, 1, 1290, "read-only");
    shard_expect_command(first, COM_PING);
    gate_say_ok(&gate, first, IDLE_STATUS);
    shard_expect(second, "ROLLBACK");
    gate_say_ok(&gate, second, IDLE_STATUS);
    client_query(&gate, p, PICK);
    shard_expect(second, PICK_GLOBEX);
}

static void a_commit_that_fails_later_says_so(void **state)
{
    (void)state;
    struct peer *p = log_in_and_begin();
    struct peer *first = open_branch(p, ACME), *second = open_branch(p, GLOBEX);
    client_query(&gate, p, "COMMIT");
    shard_expect(first, "COMMIT");
    gate_say_ok(&gate, first, IDLE_STATUS);
    shard_expect(second, "COMMIT");
    gate_say_err(&gate, second, 1290, "read-only");
    expect_err(p, 1, 1105,
               "MQ3019: 1 of the transaction's 2 shards have committed, the others not: read-only");
}

static void a_shard_lost_before_its_commit_says_so(void **state)
{
    (void)state;
    struct peer *p = log_in_and_begin();
    struct peer *first = open_branch(p, ACME), *second = open_branch(p, GLOBEX);
    client_query(&gate, p, "COMMIT");
    shard_expect(first, "COMMIT");
    peer_close(second);
    gate_run(&gate);
    gate_say_ok(&gate, first, IDLE_STATUS);
    expect_err(p, 1, 1105, "MQ3019: 1 of the transaction's 2 shards have committed");
}

/* One that nothing was asked of may be lost as well. */
static void a_lost_branch_ends_the_transaction(void **state)
{
    (void)state;
    for (int lost = ACME; lost <= GLOBEX; lost++) {
        reopen_gate(MULTI_YAML);
        struct peer *p = log_in_and_begin();
        struct peer *shards[] = { open_branch(p, ACME), open_branch(p, GLOBEX) };
        peer_close(shards[lost]);
        gate_run(&gate);
        shard_expect(shards[!lost], "ROLLBACK");
        gate_say_ok(&gate, shards[!lost], IDLE_STATUS);
        client_query(&gate, p, PICK);
        expect_err(p, 1, 1158, "MQ5002");
        client_query(&gate, p, PICK);
        shard_expect(gate_shard(&gate, GLOBEX), PICK_GLOBEX);
    }
}

/* The statement that runs meanwhile is answered; the next one learns it. */
static void a_branch_may_be_lost_beside_a_statement(void **state)
{
    (void)state;
    struct peer *p = log_in_and_begin();
    struct peer *first = open_branch(p, ACME), *second = open_branch(p, GLOBEX);
    client_query(&gate, p, ADD);
    shard_expect(second, ADD_("tenant, ", "'globex', "));
    peer_close(first);
    gate_run(&gate);
    gate_say_ok(&gate, second, OPEN_STATUS);
    expect_ok(p);
    shard_expect(second, "ROLLBACK");
    gate_say_ok(&gate, second, IDLE_STATUS);
    client_query(&gate, p, "COMMIT");
    expect_err(p, 1, 1158, "MQ5002");
}

static void a_deadlock_rolls_all_back(void **state)
{
    (void)state;
    struct peer *p = log_in_and_begin();
    struct peer *first = open_branch(p, ACME), *second = open_branch(p, GLOBEX);
    client_query(&gate, p, ADD);
    shard_expect(second, ADD_GLOBEX);
    gate_say_err(&gate, second, 1213, "Deadlock");
    expect_err(p, 1, 1213, "Deadlock");
    shard_expect(first, "ROLLBACK");
    gate_say_ok(&gate, first, IDLE_STATUS);
    client_query(&gate, p, "COMMIT");
    assert_int_equal(expect_ok(p).status, IDLE_STATUS);
}

/* Two sessions, each with the one connection that the other waits for. */
static void a_full_pool_is_a_deadlock(void **state)
{
    (void)state;
    struct peer *p = log_in_and_begin(), *q = log_in_and_begin();
    struct peer *first = open_branch(p, ACME), *second = open_branch(q, GLOBEX);
    choose(p, GLOBEX);
    client_query(&gate, p, ADD);
    expect_err(p, 1, 1213, "MQ3018: the transaction was rolled back: no connection to shard 80-");
    shard_expect(first, "ROLLBACK");
    gate_say_ok(&gate, first, IDLE_STATUS);
    expect_nothing(second);
    client_query(&gate, p, "COMMIT");
    assert_int_equal(expect_ok(p).status, IDLE_STATUS);
    client_query(&gate, q, "COMMIT");
    shard_expect(second, "COMMIT");
    gate_say_ok(&gate, second, IDLE_STATUS);
    expect_ok(q);
}

static void a_shard_that_is_down_rolls_all_back(void **state)
{
    (void)state;
    struct peer *p = log_in_and_begin(), *first = open_branch(p, ACME);
    gate.dead[GLOBEX] = true;
    peer_close(gate_shard(&gate, GLOBEX));
    gate_run(&gate);
    choose(p, GLOBEX);
    client_query(&gate, p, ADD);
    expect_err(p, 1, 1213, "MQ3018: the transaction was rolled back: no connection to shard 80-");
    shard_expect(first, "ROLLBACK");
}

static void savepoints_are_set_on_every_shard(void **state)
{
    (void)state;
    struct peer *p = log_in_and_begin(), *first = open_branch(p, ACME);
    client_query(&gate, p, "SAVEPOINT a");
    shard_expect(first, "SAVEPOINT a");
    gate_say_ok(&gate, first, OPEN_STATUS);
    expect_ok(p);
    choose(p, GLOBEX);
    client_query(&gate, p, ADD);
    struct peer *second = gate_shard(&gate, GLOBEX);
    static const char *const texts[] = { "BEGIN", "SAVEPOINT `a`", ADD_GLOBEX };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        shard_expect(second, texts[i]);
        gate_say_ok(&gate, second, OPEN_STATUS);
    }
    expect_ok(p);
    client_query(&gate, p, "ROLLBACK TO a");
    shard_expect(first, "ROLLBACK TO a");
    gate_say_ok(&gate, first, OPEN_STATUS);
    shard_expect(second, "ROLLBACK TO a");
    gate_say_ok(&gate, second, OPEN_STATUS);
    assert_int_equal(expect_ok(p).status, OPEN_STATUS);
}

static void a_vanished_client_is_rolled_back_everywhere(void **state)
{
    (void)state;
    struct peer *p = log_in_and_begin();
    struct peer *first = open_branch(p, ACME), *second = open_branch(p, GLOBEX);
    peer_close(p);
    gate_run(&gate);
    shard_expect(first, "ROLLBACK");
    shard_expect(second, "ROLLBACK");
}

/* Its limit counts from the first statement, and all branches go at it. */
static void a_transaction_that_takes_too_long_ends_everywhere(void **state)
{
    (void)state;
    struct peer *p = log_in_and_begin(), *first = open_branch(p, ACME);
    gate_pass_time(&gate, 6000);
    struct peer *second = open_branch(p, GLOBEX);
    gate_pass_time(&gate, 5000);
    shard_expect(first, "ROLLBACK");
    shard_expect(second, "ROLLBACK");
    gate_say_ok(&gate, first, IDLE_STATUS);
    gate_say_ok(&gate, second, IDLE_STATUS);
    client_query(&gate, p, PICK);
    expect_err(p, 1, err_info(MQ_TRANSACTION_TIMEOUT)->mysql_errno, "MQ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(function) GATE_TEST(function, MULTI_YAML)
        TEST(commits_go_one_after_the_other),
        TEST(a_commit_that_fails_first_rolls_the_others_back),
        TEST(a_commit_that_fails_later_says_so),
        TEST(a_shard_lost_before_its_commit_says_so),
        TEST(a_lost_branch_ends_the_transaction),
        TEST(a_branch_may_be_lost_beside_a_statement),
        TEST(a_deadlock_rolls_all_back),
        GATE_TEST(a_full_pool_is_a_deadlock, NARROW_MULTI_YAML),
        TEST(a_shard_that_is_down_rolls_all_back),
        TEST(savepoints_are_set_on_every_shard),
        TEST(a_vanished_client_is_rolled_back_everywhere),
        GATE_TEST(a_transaction_that_takes_too_long_ends_everywhere,
                  MULTI_YAML "limits: {transaction_timeout: 10s}\n"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
