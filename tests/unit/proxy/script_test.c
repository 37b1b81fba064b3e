/* Several statements in one COM_QUERY: cut apart by mqgate, each with a verdict of its own. */
#include "tests/unit/proxy/gate_test.h"

enum {
    MULTI = GATE_CLIENT | CAP_MULTI_STATEMENTS,
    MORE_STATUS = IDLE_STATUS | STATUS_MORE_RESULTS
};

static struct ok_packet expect_ok_at(struct peer *p, uint8_t *seq)
{
    struct ok_packet ok;
    struct slice payload = expect_packet(p, (*seq)++);
    if (payload.data[0] != 0)
        fail_msg("no OK: '%.*s'", (int)payload.len, payload.data);
    assert_true(ok_parse(payload, GATE_CLIENT, &ok));
    return ok;
}

/* Count, definition, rows, end: returns the end's status. */
static uint16_t expect_result_at(struct peer *p, uint8_t *seq, uint8_t rows)
{
    struct ok_packet ok;
    for (int i = 0; i < 2 + rows; i++)
        expect_packet(p, (*seq)++);
    struct slice end = expect_packet(p, (*seq)++);
    assert_int_equal((uint8_t)end.data[0], 0xfe);
    assert_true(ok_parse(end, GATE_CLIENT, &ok));
    return ok.status;
}

/* ---- one after the other ---- */

static void each_is_sent_by_itself(void **state)
{
    (void)state;
    struct peer *p = log_in_as("app", "mq@acme", MULTI), *shard = gate_shard(&gate, 0);
    uint8_t seq = 1;
    client_query(&gate, p, ADD "; " PICK " ;\n" ADD ";; ");
    shard_expect(shard, ADD_ACME);
    expect_nothing(shard);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    assert_int_equal(expect_ok_at(p, &seq).status, MORE_STATUS);
    shard_expect(shard, PICK_ACME " ");
    gate_say_row(&gate, shard, "x", IDLE_STATUS);
    assert_int_equal(expect_result_at(p, &seq, 1), MORE_STATUS);
    shard_expect(shard, ADD_ACME);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    assert_int_equal(expect_ok_at(p, &seq).status, IDLE_STATUS);
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
}

/* DDL goes to every shard, commits before, and has one answer among the others. */
static void a_statement_for_every_shard(void **state)
{
    (void)state;
    static const char drop[] = "DROP TABLE IF EXISTS queue_offsets";
    struct peer *p = log_in_as("admin", "mq@acme", MULTI);
    uint8_t seq = 1;
    client_query(&gate, p, "BEGIN; " ADD ";DROP TABLE IF EXISTS queue_offsets;" PICK
                           ";/* end */");
    assert_int_equal(expect_ok_at(p, &seq).status, MORE_STATUS | STATUS_IN_TRANS);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, "BEGIN");
    shard_expect(shard, ADD_ACME);
    shard_say_ok(shard, OPEN_STATUS);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok_at(p, &seq);
    shard_expect(shard, "COMMIT");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    for (int i = 0; i < 2; i++) {
        struct peer *each = gate_asked(&gate);
        assert_int_equal(each->shard, i);
        shard_expect(each, drop);
        gate_say_ok(&gate, each, IDLE_STATUS);
    }
    assert_int_equal(expect_ok_at(p, &seq).status, MORE_STATUS);
    shard = gate_asked(&gate);
    shard_expect(shard, PICK_ACME);
    gate_say_row(&gate, shard, "x", IDLE_STATUS);
    assert_int_equal(expect_result_at(p, &seq, 1), MORE_STATUS);
    assert_int_equal(expect_ok_at(p, &seq).status, IDLE_STATUS);
    expect_nothing(p);
}

/* On one shard it fails: nothing follows, there or here. */
static void a_statement_that_one_shard_refuses(void **state)
{
    (void)state;
    struct peer *p = log_in_as("admin", "mq@acme", MULTI);
    client_query(&gate, p, "DROP TABLE queue_offsets;" PICK);
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, "DROP TABLE queue_offsets");
    gate_say_err(&gate, shard, 1051, "Unknown table 'mq.queue_offsets'");
    expect_err(p, 1, 1051, "Unknown");
    assert_null(gate_asked(&gate));
    client_query(&gate, p, PICK);
    shard_expect(gate_asked(&gate), PICK_ACME);
}

/* A client without DEPRECATE_EOF finds the flag in its EOFs. */
static void an_eof_tells_that_more_follows(void **state)
{
    (void)state;
    struct peer *p = log_in_as("app", "mq@acme", MULTI & ~(uint64_t)CAP_DEPRECATE_EOF),
                *shard = gate_shard(&gate, 0);
    client_query(&gate, p, PICK ";SELECT DATABASE()");
    shard_expect(shard, PICK_ACME);
    gate_say_row(&gate, shard, "x", IDLE_STATUS);
    for (uint8_t seq = 1, results = 0; results < 2; results++) {
        uint16_t warnings, status;
        seq += 2;
        for (int i = 0; i < 2; i++)
            expect_packet(p, (uint8_t)(seq - 2 + i));
        for (int i = 0; i < 3; i++) {
            struct slice payload = expect_packet(p, seq++);
            if (i == 1)
                continue;
            assert_true(eof_parse(payload, &warnings, &status));
            assert_int_equal(status, results == 0 ? MORE_STATUS : IDLE_STATUS);
        }
    }
}

static void state_goes_from_one_to_the_next(void **state)
{
    (void)state;
    struct peer *p = log_in_as("app", "mq", MULTI);
    uint8_t seq = 1;
    client_query(&gate, p,
                 "SET @mq_tenant = 'globex';" PICK ";USE `mq@acme`;BEGIN;" ADD
                 ";SET sql_mode = 'ANSI_QUOTES';" PICK "/*\"*/;COMMIT");
    assert_int_equal(expect_ok_at(p, &seq).status, MORE_STATUS);
    struct peer *shard = gate_shard(&gate, 1);
    shard_expect(shard, PICK_GLOBEX);
    gate_say_row(&gate, shard, "x", IDLE_STATUS);
    assert_int_equal(expect_result_at(p, &seq, 1), MORE_STATUS);
    expect_ok_at(p, &seq);
    assert_int_equal(expect_ok_at(p, &seq).status, MORE_STATUS | STATUS_IN_TRANS);
    shard = gate_shard(&gate, 0);
    shard_expect(shard, "BEGIN");
    shard_expect(shard, ADD_ACME);
    gate.shard_status = OPEN_STATUS;
    shard_say_ok(shard, OPEN_STATUS);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    assert_int_equal(expect_ok_at(p, &seq).status, MORE_STATUS | STATUS_IN_TRANS);
    expect_ok_at(p, &seq); /* SET, tried on the shard */
    shard_expect(shard, PICK_ACME "/*\"*/");
    gate_say_row(&gate, shard, "x", OPEN_STATUS);
    assert_int_equal(expect_result_at(p, &seq, 1), MORE_STATUS | STATUS_IN_TRANS);
    shard_expect(shard, "COMMIT");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    assert_int_equal(expect_ok_at(p, &seq).status, IDLE_STATUS);
    expect_nothing(p);
}

/* Where the first one ends depends on what it sets: "…;…" is a name, or a string. */
static void a_statement_is_read_when_it_is_due(void **state)
{
    (void)state;
    struct peer *p = log_in_as("app", "mq@acme", MULTI), *shard = gate_shard(&gate, 0);
    uint8_t seq = 1;
    client_query(&gate, p, "SET sql_mode = 'NO_BACKSLASH_ESCAPES'; SELECT '\\'; SELECT 2 -- '");
    expect_ok_at(p, &seq);
    struct peer *asked = gate_asked(&gate);
    shard_expect(asked, "SELECT '\\'");
    gate_say_row(&gate, asked, "x", IDLE_STATUS);
    assert_true(expect_result_at(p, &seq, 1) & STATUS_MORE_RESULTS);
    shard_expect(gate_asked(&gate), "SELECT 2 -- '");
    (void)shard;
}

static void a_comment_names_the_tenant_of_its_statement(void **state)
{
    (void)state;
    struct peer *p = log_in_as("app", "mq", MULTI);
    uint8_t seq = 1;
    client_query(&gate, p, PICK " /*tenant='globex'*/; " PICK "; /*tenant='acme'*/");
    shard_expect(gate_shard(&gate, 1), PICK_GLOBEX " /*tenant='globex'*/");
    gate_say_row(&gate, gate_shard(&gate, 1), "x", IDLE_STATUS);
    expect_result_at(p, &seq, 1);
    shard_expect(gate_shard(&gate, 0), PICK_ACME "; /*tenant='acme'*/");
    gate_say_row(&gate, gate_shard(&gate, 0), "x", IDLE_STATUS);
    assert_int_equal(expect_result_at(p, &seq, 1), IDLE_STATUS);
    /* The same again, from the cache of plans; then one without. */
    client_query(&gate, p, "DELETE FROM queue_messages WHERE topic = 'a'; /*tenant='acme'*/ " PICK);
    expect_err(p, 1, 1105, "MQ3001");
}

/* ---- errors ---- */

static void an_error_stops_the_rest(void **state)
{
    (void)state;
    static const struct {
        const char *bad;
        uint16_t code;
    } cases[] = {
        { "DELETE FROM nowhere", 1146 },
        { "GRANT ALL ON *.* TO x", 0 },
        { "SELECT 'open", 1064 },
        { "SET GLOBAL max_connections = 0", 1193 },
        { "", 1064 },
        { "/* only */", 1064 },
        { "PREPARE s FROM 'x'", 0 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct peer *p = log_in_as("app", "mq@acme", MULTI), *shard = gate_shard(&gate, 0);
        struct err_packet e;
        uint8_t seq = 1;
        char text[256];
        snprintf(text, sizeof text, "USE mq; %s; " PICK, cases[i].bad);
        client_query(&gate, p, text);
        expect_ok_at(p, &seq);
        struct slice payload = expect_packet(p, seq);
        if (!err_parse(payload, &e) || (cases[i].code && e.code != cases[i].code))
            fail_msg("'%s': '%.*s'", cases[i].bad, (int)payload.len, payload.data);
        expect_nothing(p);
        expect_nothing(shard);
        client_query(&gate, p, PICK); /* a new command, numbered anew */
        shard_expect(shard, PICK_ACME);
        gate_say_row(&gate, shard, "x", IDLE_STATUS);
        seq = 1;
        assert_int_equal(expect_result_at(p, &seq, 1), IDLE_STATUS);
        peer_close(p);
        gate_run(&gate);
    }
}

static void a_shards_error_stops_the_rest(void **state)
{
    (void)state;
    struct peer *p = log_in_as("app", "mq@acme", MULTI), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, ADD ";" ADD);
    shard_expect(shard, ADD_ACME);
    gate_say_err(&gate, shard, 1062, "Duplicate entry 'x' for key 'k'");
    expect_err(p, 1, 1062, "Duplicate");
    expect_nothing(shard);
    expect_nothing(p);
}

static void a_transaction_lost_between_two(void **state)
{
    (void)state;
    struct peer *p = log_in_as("app", "mq@acme", MULTI), *shard = gate_shard(&gate, 0);
    uint8_t seq = 1;
    client_query(&gate, p, "BEGIN;" ADD ";" ADD ";" ADD);
    shard_expect(shard, "BEGIN");
    shard_expect(shard, ADD_ACME);
    shard_say_ok(shard, OPEN_STATUS);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok_at(p, &seq);
    expect_ok_at(p, &seq);
    shard_expect(shard, ADD_ACME);
    peer_close(shard);
    gate_run(&gate);
    expect_err(p, seq, 1158, "MQ5002");
    expect_nothing(p);
}

static void without_the_capability_it_is_refused(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, PICK "; " PICK);
    expect_err(p, 1, 1235, "MQ2007");
    expect_nothing(shard);
    client_query(&gate, p, PICK "; ;\n"); /* one statement, to any server */
    shard_expect(shard, PICK_ACME);
}

/* ---- waiting ---- */

static void a_statement_may_be_held(void **state)
{
    (void)state;
    reopen_gate(GATE_YAML);
    struct peer *p = log_in_as("app", "mq@acme", MULTI);
    uint8_t seq = 1;
    gate.worker->dialect_known = false;
    gate.by_hand = true;
    client_query(&gate, p, PICK ";" PICK);
    client_command(p, COM_PING, SLICE_LIT(""));
    gate_run(&gate);
    expect_nothing(p);
    gate.by_hand = false;
    gate_run(&gate);
    for (int i = 0; i < 2; i++) {
        struct peer *shard = gate_asked(&gate);
        shard_expect(shard, PICK_ACME);
        gate_say_row(&gate, shard, "x", IDLE_STATUS);
        assert_int_equal(expect_result_at(p, &seq, 1), i == 0 ? MORE_STATUS : IDLE_STATUS);
    }
    expect_ok(p); /* PING waited for all of them */
}

static void a_statement_may_wait_for_a_backend(void **state)
{
    (void)state;
    reopen_gate(NARROW_YAML);
    struct peer *p = log_in_as("app", "mq@acme", MULTI), *other = login(&gate, "mq@acme");
    uint8_t seq = 1;
    client_query(&gate, other, "BEGIN");
    expect_ok(other);
    client_query(&gate, other, ADD);
    struct peer *shard = gate_shard(&gate, 0);
    shard_expect(shard, "BEGIN");
    shard_expect(shard, ADD_ACME);
    shard_say_ok(shard, OPEN_STATUS);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(other);
    client_query(&gate, p, "USE mq;" PICK ";USE mq");
    expect_ok_at(p, &seq);
    expect_nothing(p);
    client_query(&gate, other, "COMMIT");
    shard_expect(shard, "COMMIT");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    shard_expect(shard, PICK_ACME);
    gate_say_row(&gate, shard, "x", IDLE_STATUS);
    assert_int_equal(expect_result_at(p, &seq, 1), MORE_STATUS);
    assert_int_equal(expect_ok_at(p, &seq).status, IDLE_STATUS);
}

/* Answers that nobody reads hold the next statement back. */
static void a_client_that_does_not_read(void **state)
{
    (void)state;
    struct buf text;
    reopen_gate(GATE_YAML);
    gate.pipe = 4096;
    struct peer *p = log_in_as("app", "mq@acme", MULTI);
    enum { STATEMENTS = 40000 };
    buf_init(&text);
    for (int i = 0; i < STATEMENTS; i++)
        buf_append_cstr(&text, "USE mq;");
    p->deaf = true;
    client_query(&gate, p, buf_cstr(&text));
    assert_true(gate.worker->statements < STATEMENTS);
    p->deaf = false;
    gate_run(&gate);
    uint8_t seq = 1;
    for (int i = 0; i < STATEMENTS; i++)
        assert_int_equal(expect_ok_at(p, &seq).status,
                         i < STATEMENTS - 1 ? MORE_STATUS : IDLE_STATUS);
    buf_fini(&text);
}

static void draining_waits_for_the_last(void **state)
{
    (void)state;
    reopen_gate(GATE_YAML);
    struct peer *p = log_in_as("app", "mq@acme", MULTI), *shard = gate_shard(&gate, 0);
    uint8_t seq = 1;
    client_query(&gate, p, PICK ";" PICK);
    worker_drain(gate.worker);
    for (int i = 0; i < 2; i++) {
        shard_expect(shard, PICK_ACME);
        gate_say_row(&gate, shard, "x", IDLE_STATUS);
        expect_result_at(p, &seq, 1);
    }
}

/* ---- local answers, DDL ---- */

static void warnings_of_the_one_before(void **state)
{
    (void)state;
    struct peer *p = log_in_as("app", "mq@acme", MULTI), *shard = gate_shard(&gate, 0);
    struct buf b;
    uint8_t at_shard = 1, seq = 1;
    client_query(&gate, p, ADD ";SHOW WARNINGS;SELECT ROW_COUNT()");
    shard_expect(shard, ADD_ACME);
    buf_init(&b);
    shard_ok(&b, &at_shard, &(struct ok_packet){ .status = IDLE_STATUS, .warnings = 1 });
    peer_send_buf(shard, &b);
    gate_run(&gate);
    assert_int_equal(expect_ok_at(p, &seq).warnings, 1);
    shard_expect(shard, "SHOW WARNINGS");
    gate_say_row(&gate, shard, "x", IDLE_STATUS);
    assert_int_equal(expect_result_at(p, &seq, 1), MORE_STATUS);
    assert_int_equal(expect_result_at(p, &seq, 1), IDLE_STATUS);
}

/* ---- COM_SET_OPTION ---- */

static void an_option_switches_it(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    uint8_t seq = 1;
    struct ok_packet ok;
    client_command(p, COM_SET_OPTION, SLICE_LIT("\0\0"));
    gate_run(&gate);
    struct slice end = expect_packet(p, 1);
    assert_int_equal((uint8_t)end.data[0], 0xfe);
    assert_true(ok_parse(end, GATE_CLIENT, &ok));
    assert_int_equal(ok.status, IDLE_STATUS);
    client_query(&gate, p, "USE mq;USE mq");
    assert_int_equal(expect_ok_at(p, &seq).status, MORE_STATUS);
    assert_int_equal(expect_ok_at(p, &seq).status, IDLE_STATUS);
    client_command(p, COM_SET_OPTION, SLICE_LIT("\1\0"));
    gate_run(&gate);
    expect_packet(p, 1);
    client_query(&gate, p, "USE mq;USE mq");
    expect_err(p, 1, 1235, "MQ2007");
    expect_nothing(shard);
}

static void an_option_that_is_none(void **state)
{
    (void)state;
    struct peer *p = log_in_as("app", "mq@acme", GATE_CLIENT & ~(uint64_t)CAP_DEPRECATE_EOF);
    uint16_t warnings, status;
    client_command(p, COM_SET_OPTION, SLICE_LIT("\2\0"));
    gate_run(&gate);
    expect_err(p, 1, 1047, "MQ4002");
    client_command(p, COM_SET_OPTION, SLICE_LIT("\1"));
    gate_run(&gate);
    expect_err(p, 1, 1835, "MQ4003");
    client_command(p, COM_SET_OPTION, SLICE_LIT("\1\0"));
    gate_run(&gate);
    assert_true(eof_parse(expect_packet(p, 1), &warnings, &status));
    assert_int_equal(status, IDLE_STATUS);
}

#define TEST(name) GATE_TEST(name, GATE_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_is_sent_by_itself),
        TEST(a_statement_for_every_shard),
        TEST(a_statement_that_one_shard_refuses),
        TEST(an_eof_tells_that_more_follows),
        TEST(state_goes_from_one_to_the_next),
        TEST(a_statement_is_read_when_it_is_due),
        TEST(a_comment_names_the_tenant_of_its_statement),
        TEST(an_error_stops_the_rest),
        TEST(a_shards_error_stops_the_rest),
        TEST(a_transaction_lost_between_two),
        TEST(without_the_capability_it_is_refused),
        TEST(a_statement_may_be_held),
        TEST(a_statement_may_wait_for_a_backend),
        TEST(a_client_that_does_not_read),
        TEST(draining_waits_for_the_last),
        TEST(warnings_of_the_one_before),
        TEST(an_option_switches_it),
        TEST(an_option_that_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
