/* KILL: whom it finds, what it does to a session in each state, and that no statement goes on
 * behind a client that is gone. */
#include "tests/unit/proxy/gate_test.h"

/* A client and its number. */
struct victim {
    struct peer *peer;
    uint32_t id;
};

static struct victim login_as(const char *user)
{
    struct victim v = { .id = atomic_load(&gate.fleet.next_connection_id) };
    v.peer = client_connect(&gate);
    assert_true(client_login(&gate, v.peer, user, "mq@acme", GATE_CLIENT));
    return v;
}

/* The number stands at the end. */
static void ask(struct peer *p, const char *what, uint32_t id)
{
    char text[128];
    snprintf(text, sizeof text, "%s %u", what, id);
    client_query(&gate, p, text);
}

/* Has a statement under way on this shard's connection. */
static struct peer *begin_statement(struct peer *p)
{
    client_query(&gate, p, PICK);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, PICK_ACME);
    return shard;
}

/* The same as the first statement of a transaction; the shard has not looked at it. */
static struct peer *begin_with_statement(struct peer *p)
{
    client_query(&gate, p, "BEGIN");
    expect_ok(p);
    client_query(&gate, p, PICK);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, "BEGIN");
    return shard;
}

/* A connection that was opened to kill, and what it was told. */
static void expect_killing(const char *text)
{
    struct peer *killer = gate_asked(&gate);
    shard_expect(killer, text);
    gate_say_ok(&gate, killer, IDLE_STATUS);
}

static void kill_statement(struct victim killer, struct victim v)
{
    ask(killer.peer, "KILL QUERY", v.id);
    expect_ok(killer.peer);
    expect_killing("KILL QUERY 7");
}

static void say_interrupted(struct peer *shard)
{
    gate_say_err(&gate, shard, 1317, "Query execution was interrupted");
}

static void an_idle_session_is_ended(void **state)
{
    (void)state;
    static const char *const forms[] = { "KILL", "kill connection", "/* x */ KILL -- y\n" };
    struct victim killer = login_as("app");
    for (size_t i = 0; i < COUNT(forms); i++) {
        struct victim v = login_as("app");
        ask(killer.peer, forms[i], v.id);
        expect_ok(killer.peer);
        expect_nothing(v.peer);
        assert_true(v.peer->closed);
        ask(killer.peer, forms[i], v.id);
        expect_err(killer.peer, 1, 1094, "MQ4006");
    }
}

static void the_command_does_the_same(void **state)
{
    (void)state;
    struct victim killer = login_as("app"), v = login_as("app");
    uint8_t body[4] = { (uint8_t)v.id, (uint8_t)(v.id >> 8), (uint8_t)(v.id >> 16),
                        (uint8_t)(v.id >> 24) };
    client_command(killer.peer, COM_PROCESS_KILL, slice_of(body, 3));
    gate_run(&gate);
    expect_err(killer.peer, 1, 1835, "MQ4003");
    client_command(killer.peer, COM_PROCESS_KILL, slice_of(body, 4));
    gate_run(&gate);
    expect_ok(killer.peer);
    assert_true(v.peer->closed);
}

static void a_session_between_statements_has_none_to_kill(void **state)
{
    (void)state;
    struct victim killer = login_as("app"), v = login_as("app");
    ask(killer.peer, "KILL QUERY", v.id);
    expect_ok(killer.peer);
    gate_say_ok(&gate, begin_statement(v.peer), IDLE_STATUS);
    expect_ok(v.peer);
}

static void only_ones_own_unless_administrator(void **state)
{
    (void)state;
    static const char *const forms[] = { "KILL", "KILL QUERY" };
    struct victim app = login_as("app"), admin = login_as("admin");
    for (size_t i = 0; i < COUNT(forms); i++) {
        ask(app.peer, forms[i], admin.id);
        expect_err(app.peer, 1, 1095, "MQ4008");
        ask(app.peer, forms[i], 12345);
        expect_err(app.peer, 1, 1094, "MQ4006");
    }
    ask(admin.peer, "KILL", app.id);
    expect_ok(admin.peer);
    assert_true(app.peer->closed);
}

/* Who has not logged in is nobody yet. */
static void a_login_cannot_be_killed(void **state)
{
    (void)state;
    struct victim admin = login_as("admin");
    uint32_t id = atomic_load(&gate.fleet.next_connection_id);
    struct peer *early = client_connect(&gate);
    ask(admin.peer, "KILL", id);
    expect_err(admin.peer, 1, 1094, "MQ4006");
    assert_false(early->closed);
}

static void oneself(void **state)
{
    (void)state;
    struct victim v = login_as("app");
    ask(v.peer, "KILL QUERY", v.id);
    expect_err(v.peer, 1, 1317, "MQ4010");
    client_query(&gate, v.peer, "KILL QUERY CONNECTION_ID()");
    expect_err(v.peer, 1, 1317, "MQ4010");
    assert_false(v.peer->closed);
    ask(v.peer, "KILL", v.id);
    expect_err(v.peer, 1, 1317, "MQ4010");
    assert_true(v.peer->closed);
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint16_t code;
    } cases[] = {
        { "KILL", 1064 },
        { "KILL QUERY", 1064 },
        { "KILL 1 2", 1064 },
        { "KILL USER app", 1064 },
        { "KILL 'x'", 1235 },
        { "KILL 1 + 1", 1235 },
        { "KILL -1", 1235 },
        { "KILL 1.0", 1235 },
        { "KILL x", 1235 },
        { "KILL (SELECT 1)", 1235 },
        { "KILL USER()", 1235 },
        { "KILL 4294967296", 1094 },
        { "KILL 99999999999999999999999", 1094 },
    };
    struct victim v = login_as("admin");
    for (size_t i = 0; i < COUNT(cases); i++) {
        client_query(&gate, v.peer, cases[i].text);
        expect_err(v.peer, 1, cases[i].code, "MQ");
    }
}

static void it_can_be_prepared(void **state)
{
    (void)state;
    char text[32];
    struct victim killer = login_as("app"), v = login_as("app");
    snprintf(text, sizeof text, "KILL (%u);", v.id);
    client_command(killer.peer, COM_STMT_PREPARE, slice_cstr(text));
    gate_run(&gate);
    expect_packet(killer.peer, 1);
    client_command(killer.peer, COM_STMT_EXECUTE, SLICE_LIT("\1\0\0\0\0\1\0\0\0"));
    gate_run(&gate);
    expect_ok(killer.peer);
    assert_true(v.peer->closed);
}

/* ---- a statement on its shard ---- */

static void a_running_statement_is_killed(void **state)
{
    (void)state;
    struct victim killer = login_as("app"), v = login_as("app");
    struct peer *shard = begin_statement(v.peer);
    kill_statement(killer, v);
    assert_true(gate_shard(&gate, 0) == shard); /* the connection that killed is gone */
    say_interrupted(shard);
    expect_err(v.peer, 1, 1317, "Query");
    assert_ptr_equal(begin_statement(v.peer), shard);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(v.peer);
}

/* It could hit somebody else's statement. */
static void a_kill_that_misses_costs_the_backend(void **state)
{
    (void)state;
    struct victim killer = login_as("app"), v = login_as("app");
    struct peer *shard = begin_statement(v.peer);
    ask(killer.peer, "KILL QUERY", v.id);
    expect_ok(killer.peer);
    ask(killer.peer, "KILL QUERY", v.id); /* once is enough */
    expect_ok(killer.peer);
    expect_killing("KILL QUERY 7");
    assert_null(gate_asked(&gate));
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(v.peer);
    assert_true(shard->closed);
}

static void its_transaction_goes_on(void **state)
{
    (void)state;
    struct victim killer = login_as("app"), v = login_as("app");
    struct peer *shard = begin_with_statement(v.peer);
    shard_expect(shard, PICK_ACME);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    kill_statement(killer, v);
    say_interrupted(shard);
    expect_err(v.peer, 1, 1317, "Query");
    client_query(&gate, v.peer, "COMMIT");
    shard_expect(shard, "COMMIT");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(v.peer);
    assert_false(shard->closed);
}

/* SLEEP() answers as if nothing had been; the next statement is no less mortal for that. */
static void each_statement_of_a_transaction(void **state)
{
    (void)state;
    struct victim killer = login_as("app"), v = login_as("app");
    struct peer *shard = begin_with_statement(v.peer);
    for (int i = 0; i < 3; i++) {
        shard_expect(shard, PICK_ACME);
        if (i == 0)
            gate_say_ok(&gate, shard, OPEN_STATUS); /* BEGIN's */
        kill_statement(killer, v);
        if (i < 2)
            gate_say_ok(&gate, shard, OPEN_STATUS);
        else
            say_interrupted(shard);
        expect_packet(v.peer, 1);
        if (i < 2)
            client_query(&gate, v.peer, PICK);
    }
    client_query(&gate, v.peer, "COMMIT");
    shard_expect(shard, "COMMIT");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(v.peer);
    assert_true(shard->closed); /* two may still be on their way */
}

/* It ends while the other connection is being opened: nothing may be killed any more. */
static void too_late(void **state)
{
    (void)state;
    struct victim killer = login_as("app"), v = login_as("app");
    struct peer *shard = begin_statement(v.peer);
    gate.by_hand = true;
    ask(killer.peer, "KILL QUERY", v.id);
    expect_ok(killer.peer);
    ask(killer.peer, "KILL QUERY", v.id); /* once is enough */
    expect_ok(killer.peer);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(v.peer);
    gate.by_hand = false;
    gate_run(&gate);
    assert_null(gate_asked(&gate));
    assert_ptr_equal(gate_shard(&gate, 0), shard);
    assert_false(shard->closed);
}

static void a_killed_session_stops_its_shard(void **state)
{
    (void)state;
    struct victim killer = login_as("admin"), v = login_as("app");
    struct peer *shard = begin_statement(v.peer);
    ask(killer.peer, "KILL", v.id);
    expect_ok(killer.peer);
    assert_true(v.peer->closed && shard->closed);
    expect_killing("KILL 7");
    assert_null(gate_shard(&gate, 0));
}

static void whoever_leaves_leaves_nothing_behind(void **state)
{
    (void)state;
    enum { CLIENTS = 5 };
    struct peer *clients[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = login_as("app").peer;
        begin_statement(clients[i]);
    }
    size_t opened = gate.shard_count;
    for (int i = 0; i < CLIENTS; i++)
        peer_close(clients[i]);
    gate_run(&gate);
    assert_int_equal(gate.shard_count, opened + 1); /* one connection kills them all */
    for (int i = 0; i < CLIENTS; i++)
        expect_killing("KILL 7");
    assert_null(gate_shard(&gate, 0));
}

/* Between statements, and before one is sent, nothing is there to kill. */
static void who_leaves_idle_kills_nothing(void **state)
{
    (void)state;
    struct peer *p = login_as("app").peer, *shard = begin_statement(p);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(p);
    size_t opened = gate.shard_count;
    peer_close(p);
    gate_run(&gate);
    shard_expect(shard, "ROLLBACK");
    assert_int_equal(gate.shard_count, opened);
}

/* ---- what keeps a kill from the innocent ---- */

static void say_row_of_another_server(struct peer *shard)
{
    static const struct column_def column = { .name = { "c", 1 }, .type = TYPE_VAR_STRING };
    struct column_def columns[] = { column, column };
    struct slice row[] = { SLICE_LIT(""), SLICE_LIT("elsewhere") };
    struct text_result result = {
        .columns = columns, .column_count = 2, .rows = row, .row_count = 1
    };
    struct buf b;
    uint8_t seq = 1;
    buf_init(&b);
    text_result_write(&b, &seq, &result, GATE_SHARD, IDLE_STATUS, 0);
    peer_send_buf(shard, &b);
}

static void another_server_is_left_alone(void **state)
{
    (void)state;
    struct peer *p = login_as("app").peer;
    begin_statement(p);
    gate.by_hand = true;
    peer_close(p);
    gate_run(&gate);
    struct peer *killer = gate_shard(&gate, 0);
    gate.by_hand = false;
    killer->at = SHARD_NEW;
    shard_step(&gate, killer); /* greets */
    gate.by_hand = true;
    gate_run(&gate);
    gate.by_hand = false;
    shard_step(&gate, killer); /* logs in */
    gate.by_hand = true;
    gate_run(&gate);
    shard_expect(killer, "SELECT @@sql_mode, @@hostname, @@port, @@global.character_set_client, "
                         "@@global.collation_connection");
    say_row_of_another_server(killer);
    gate_run(&gate);
    expect_nothing(killer);
    assert_true(killer->closed);
}

static void a_shard_that_is_down_kills_nobody(void **state)
{
    (void)state;
    struct victim killer = login_as("app"), v = login_as("app");
    struct peer *shard = begin_statement(v.peer);
    gate.refuse_connections = true;
    ask(killer.peer, "KILL QUERY", v.id);
    expect_ok(killer.peer);
    gate.refuse_connections = false;
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(v.peer);
    assert_false(shard->closed);
}

static void a_killer_that_hears_nothing_ends(void **state)
{
    (void)state;
    struct victim killer = login_as("app"), v = login_as("app");
    begin_statement(v.peer);
    ask(killer.peer, "KILL QUERY", v.id);
    expect_ok(killer.peer);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, "KILL QUERY 7");
    gate_pass_time(&gate, 4000);
    assert_true(shard->closed);
}

/* ---- a statement that has not reached its shard ---- */

static void one_that_waits_for_a_backend(void **state)
{
    (void)state;
    struct victim killer = login_as("app"), busy = login_as("app"), v = login_as("app");
    struct peer *shard = begin_statement(busy.peer);
    client_query(&gate, v.peer, PICK);
    expect_nothing(v.peer);
    ask(killer.peer, "KILL QUERY", v.id);
    expect_ok(killer.peer);
    expect_err(v.peer, 1, 1317, "MQ4010");
    client_query(&gate, v.peer, PICK);
    ask(killer.peer, "KILL", v.id);
    expect_ok(killer.peer);
    assert_true(v.peer->closed);
    /* All places are taken, and killing needs none. */
    ask(killer.peer, "KILL QUERY", busy.id);
    expect_ok(killer.peer);
    expect_killing("KILL QUERY 7");
    say_interrupted(shard);
    expect_err(busy.peer, 1, 1317, "Query");
}

static void one_that_waits_for_the_dialect(void **state)
{
    (void)state;
    struct victim v = login_as("app");
    gate.worker->dialect_known = false;
    gate.by_hand = true;
    client_query(&gate, v.peer, PICK);
    expect_nothing(v.peer);
    worker_kill(gate.worker, v.id, true);
    gate_run(&gate);
    expect_err(v.peer, 1, 1317, "MQ4010");
    gate.by_hand = false;
    gate_run(&gate);
    gate_say_ok(&gate, begin_statement(v.peer), IDLE_STATUS);
    expect_ok(v.peer);
}

#define TEST(function) GATE_TEST(function, GATE_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_idle_session_is_ended),
        TEST(the_command_does_the_same),
        TEST(a_session_between_statements_has_none_to_kill),
        TEST(only_ones_own_unless_administrator),
        TEST(a_login_cannot_be_killed),
        TEST(oneself),
        TEST(what_is_no_number_is_refused),
        TEST(it_can_be_prepared),
        TEST(a_running_statement_is_killed),
        TEST(a_kill_that_misses_costs_the_backend),
        TEST(its_transaction_goes_on),
        TEST(each_statement_of_a_transaction),
        TEST(too_late),
        TEST(a_killed_session_stops_its_shard),
        TEST(whoever_leaves_leaves_nothing_behind),
        TEST(who_leaves_idle_kills_nothing),
        TEST(another_server_is_left_alone),
        TEST(a_shard_that_is_down_kills_nobody),
        TEST(a_killer_that_hears_nothing_ends),
        GATE_TEST(one_that_waits_for_a_backend, NARROW_YAML),
        TEST(one_that_waits_for_the_dialect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
