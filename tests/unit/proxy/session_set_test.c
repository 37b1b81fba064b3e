/* What a session has set: it follows the session from one backend to the next, or nothing changes.
 */
#include "tests/unit/proxy/gate_test.h"

static void reset_keeps_what_the_login_chose(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    begin_transaction(p, shard);
    client_command(p, COM_RESET_CONNECTION, SLICE_LIT(""));
    gate_run(&gate);
    shard_expect(shard, "ROLLBACK");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(p);
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
}

static void reset_forgets_a_tenant_that_was_set(void **state)
{
    (void)state;
    reopen_gate(GATE_YAML "default_tenant: acme\n");
    struct peer *p = login(&gate, "mq");
    client_query(&gate, p, "SET @mq_tenant = 'globex'");
    expect_ok(p);
    client_command(p, COM_RESET_CONNECTION, SLICE_LIT(""));
    gate_run(&gate);
    expect_ok(p);
    client_query(&gate, p, PICK);
    expect_err(p, 1, 1105, "MQ3");
    expect_nothing(gate_shard(&gate, 0));
}

static void variables_follow_the_session(void **state)
{
    (void)state;
    struct peer *a = login(&gate, "mq@acme"), *b = login(&gate, "mq@acme");
    struct peer *shard = gate_shard(&gate, 0);
    client_query(&gate, a, "SET time_zone = '+01:00', wait_timeout = 5");
    expect_ok(a);
    assert_slice(slice_of(buf_begin(&gate.set), 4), SLICE_LIT("SET "), "tried on a shard");
    client_query(&gate, a, PICK);
    /* Which shard tried it depends on the session: now this one has it. */
    shard_expect(shard, PICK_ACME);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(a);
    client_query(&gate, b, PICK);
    assert_slice(buf_slice(&gate.set), SLICE_LIT("SET time_zone = DEFAULT"), "put back");
    shard_expect(shard, PICK_ACME);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    client_query(&gate, a, PICK);
    assert_slice(buf_slice(&gate.set), SLICE_LIT("SET time_zone = '+01:00'"), "back again");
}

/* SET changes some flags only: a backend must lose those of another session, and keep those that
 * this one has set before. */
static void flags_follow_the_session(void **state)
{
    (void)state;
    static const struct {
        const char *set, *kept;
    } rows[] = {
        { "'mrr=off'", "'default,mrr=off'" },
        { "'index_merge=on,MRR=on'", "'default,index_merge=on,MRR=on'" },
        { "'mrr=default'", "'default,index_merge=on,mrr=default'" },
        { "''", "'default,index_merge=on,mrr=default'" },
        { "'mrr=off,default'", "'mrr=off,default'" },
        { "'index_merge=off'", "'mrr=off,default,index_merge=off'" },
        { "DEFAULT", "DEFAULT" },
    };
    struct peer *p = login(&gate, "mq@acme");
    char text[128];
    client_query(&gate, p, PICK); /* the backend's first SET tells it the character set, too */
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
    gate_say_ok(&gate, gate_shard(&gate, 0), IDLE_STATUS);
    expect_ok(p);
    for (size_t i = 0; i < COUNT(rows); i++) {
        snprintf(text, sizeof text, "SET optimizer_switch = %s", rows[i].set);
        client_query(&gate, p, text);
        expect_ok(p);
        client_query(&gate, p, PICK);
        shard_expect(gate_shard(&gate, 0), PICK_ACME);
        gate_say_ok(&gate, gate_shard(&gate, 0), IDLE_STATUS);
        expect_ok(p);
        snprintf(text, sizeof text, "SET optimizer_switch = %s", rows[i].kept);
        assert_slice(buf_slice(&gate.set), slice_cstr(text), rows[i].set);
    }
    client_query(&gate, p, "SET optimizer_switch = 5");
    expect_err(p, 1, 1231, "MQ2020");
}

static void a_set_that_a_shard_refuses_changes_nothing(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    client_query(&gate, p, PICK);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
    gate_say_ok(&gate, gate_shard(&gate, 0), IDLE_STATUS);
    expect_ok(p);
    gate.by_hand = true;
    client_query(&gate, p, "SET time_zone = 'nowhere'");
    struct peer *asked = gate_asked(&gate);
    assert_non_null(asked);
    gate_say_err(&gate, asked, 1298, "Unknown or incorrect time zone: 'nowhere'");
    expect_err(p, 1, 1298, "Unknown");
    gate.by_hand = false;
    client_query(&gate, p, "SELECT DATABASE()");
    expect_packet(p, 1);
}

/* Each limit decides anew whether it counts, the same one too. */
static void a_limit_undoes_what_was_said_of_it(void **state)
{
    static const struct {
        const char *set, *sent;
    } rows[] = {
        { "SET max_join_size = 2", "SET max_join_size = 2" },
        { "SET sql_big_selects = 1", "SET sql_big_selects = 1" },
        { "SET max_join_size = 2", "SET max_join_size = 2" },
        { "SET sql_big_selects = 1, max_join_size = 3", "SET max_join_size = 3" },
        { "SET max_join_size = DEFAULT", "SET max_join_size = DEFAULT, sql_big_selects = DEFAULT" },
    };
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    client_query(&gate, p, PICK);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
    gate_say_ok(&gate, gate_shard(&gate, 0), IDLE_STATUS);
    expect_ok(p);
    for (size_t i = 0; i < COUNT(rows); i++) {
        client_query(&gate, p, rows[i].set);
        expect_ok(p);
        client_query(&gate, p, PICK);
        shard_expect(gate_shard(&gate, 0), PICK_ACME);
        gate_say_ok(&gate, gate_shard(&gate, 0), IDLE_STATUS);
        expect_ok(p);
        assert_slice(buf_slice(&gate.set), slice_cstr(rows[i].sent), rows[i].set);
    }
}

/* Under ANSI_QUOTES a name in quotes, which may be empty, stands for its text. */
static void a_quoted_name_is_a_value(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    client_query(&gate, p, "SET sql_mode = 'ANSI_QUOTES', lc_time_names = `de_DE`");
    expect_ok(p);
    client_query(&gate, p, "SET lc_time_names = \"fr_FR\", sql_mode = \"\"");
    expect_ok(p);
    client_query(&gate, p, PICK);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
    assert_non_null(strstr(buf_cstr(&gate.set), "sql_mode = '', lc_time_names = 'fr_FR'"));
}

/* A value with a NUL byte would never be equal to its own copy. */
static void a_value_with_a_nul_is_refused(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    client_command(p, COM_QUERY, SLICE_LIT("SET time_zone = '+01:00\0'"));
    gate_run(&gate);
    expect_err(p, 1, 1231, "MQ");
}

static void what_stays_off_is_answered_here(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    client_query(&gate, p, "SET sql_safe_updates = 0, sql_auto_is_null = OFF");
    expect_ok(p);
    client_query(&gate, p, "SET SESSION sql_auto_is_null = DEFAULT");
    expect_ok(p);
    client_query(&gate, p, "SET sql_safe_updates = 1");
    expect_err(p, 1, 1231, "MQ2020");
    client_query(&gate, p, "SET sql_auto_is_null = 'ON'");
    expect_err(p, 1, 1231, "MQ2020");
}

/* One SET, one outcome: also for the tenant. */
static void a_set_that_fails_keeps_the_tenant(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq");
    client_query(&gate, p, "SET @mq_tenant = 'acme'");
    expect_ok(p);
    client_query(&gate, p, "SET @mq_tenant = 'globex', sql_mode = 'ORACLE'");
    expect_err(p, 1, 1231, "MQ");
    gate.by_hand = true;
    client_query(&gate, p, "SET @mq_tenant = 'globex', time_zone = 'nowhere'");
    gate_say_err(&gate, gate_asked(&gate), 1298, "Unknown or incorrect time zone: 'nowhere'");
    expect_err(p, 1, 1298, "Unknown");
    buf_clear(&gate_asked(&gate)->in);
    gate.by_hand = false;
    client_query(&gate, p, PICK);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
}

#define COPY_INTO "INSERT INTO queue_partition_leases (consumer_group, topic"
#define COPY COPY_INTO ") SELECT 'g', id FROM queue_messages"
#define COPY_ACME \
    COPY_INTO ", tenant) SELECT 'g', id, 'acme' FROM queue_messages WHERE tenant = 'acme'"

/* Without a strict sql_mode the server would store `?` for a topic that is not ASCII. */
static void what_might_not_be_ascii_wants_a_strict_mode(void **state)
{
    static const struct {
        const char *set;
        bool strict;
    } cases[] = {
        { "SET sql_mode = 'ansi_quotes'", false },
        { "SET sql_mode = 'strict_trans_tables'", true },
        { "SET sql_mode = ''", false },
        { "SET sql_mode = 'NO_ZERO_DATE,TRADITIONAL'", true },
        { "SET sql_mode = DEFAULT", false }, /* the shards of this test are not strict */
        { "SET sql_mode = 'STRICT_ALL_TABLES'", true },
    };
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    client_query(&gate, p, COPY);
    expect_err(p, 1, 1366, "MQ3011");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        client_query(&gate, p, cases[i].set);
        expect_ok(p);
        client_query(&gate, p, COPY);
        if (cases[i].strict) {
            shard_expect(gate_shard(&gate, 0), COPY_ACME);
            shard_say_ok(gate_shard(&gate, 0), STATUS_AUTOCOMMIT);
            gate_run(&gate);
            expect_ok(p);
        } else {
            expect_err(p, 1, 1366, "MQ3011");
        }
    }
    client_command(p, COM_RESET_CONNECTION, SLICE_LIT(""));
    gate_run(&gate);
    expect_ok(p);
    client_query(&gate, p, COPY);
    expect_err(p, 1, 1366, "MQ3011");
}

#define TEST(function) GATE_TEST(function, GATE_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reset_keeps_what_the_login_chose),
        TEST(reset_forgets_a_tenant_that_was_set),
        TEST(variables_follow_the_session),
        TEST(flags_follow_the_session),
        TEST(a_set_that_a_shard_refuses_changes_nothing),
        TEST(a_limit_undoes_what_was_said_of_it),
        TEST(a_quoted_name_is_a_value),
        TEST(a_value_with_a_nul_is_refused),
        TEST(what_stays_off_is_answered_here),
        TEST(a_set_that_fails_keeps_the_tenant),
        TEST(what_might_not_be_ascii_wants_a_strict_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
