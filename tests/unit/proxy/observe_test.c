/* Sessions that only observe: every command reaches the one server as it was sent, every answer
 * comes back as it is, and what enforce would do is remembered. */
#include "proxy/findings.h"

#include "tests/unit/proxy/gate_test.h"

#define OBSERVE_YAML GATE_OBSERVING_YAML("observe")

#define PICK_SAYING(tenant) \
    "SELECT id FROM queue_messages WHERE topic = 'a' /*tenant='" tenant "'*/"

/* The newest connection to the server: that of the client that came last. */
static struct peer *server(void)
{
    return gate_shard(&gate, 0);
}

static struct findings_report report(void)
{
    static struct arena arena;
    struct findings_report r = { 0 };
    arena_fini(&arena);
    arena_init(&arena);
    findings_read(gate.worker->findings, &arena, &r);
    findings_merge(&r);
    return r;
}

/* A statement that the server answers with OK. */
static void run(struct peer *p, struct peer *backend, const char *text, uint16_t status)
{
    client_query(&gate, p, text);
    shard_expect(backend, text);
    gate_say_ok(&gate, backend, status);
    expect_ok(p);
}

/* ---- the login ---- */

static void the_server_sees_the_clients_login(void **state)
{
    (void)state;
    struct packet packet;
    struct login got;
    struct peer *p = client_connect(&gate);
    gate.by_hand = true;
    assert_false(client_login(&gate, p, "app", "elsewhere",
                              GATE_CLIENT | CAP_FOUND_ROWS | CAP_IGNORE_SPACE));
    shard_greet(&gate, server());
    gate_run(&gate);
    assert_true(peer_packet(server(), &packet));
    assert_int_equal(login_parse(packet.payload, &got, NULL), MQ_OK);
    assert_slice(got.user, SLICE_LIT("app"), "account");
    assert_slice(got.database, SLICE_LIT("elsewhere"), "database");
    assert_int_equal(got.charset, 45);
    assert_int_equal(got.capabilities & (CAP_FOUND_ROWS | CAP_IGNORE_SPACE | CAP_DEPRECATE_EOF),
                     CAP_FOUND_ROWS | CAP_IGNORE_SPACE | CAP_DEPRECATE_EOF);
    assert_int_equal(got.capabilities & CAP_MULTI_STATEMENTS, 0);
    expect_nothing(p); /* not before the server has said so */
    peer_send_packet(server(), 2, SLICE_LIT("\0\0\0\2\0\0\0"));
    gate_run(&gate);
    assert_int_equal(expect_packet(p, 3).data[0], 0);
    expect_nothing(server()); /* nothing of mqgate's own */
}

static void the_servers_refusal_is_told(void **state)
{
    (void)state;
    static const bool at_greeting[] = { false, true };
    for (size_t i = 0; i < COUNT(at_greeting); i++) {
        struct buf b;
        uint8_t seq = at_greeting[i] ? 0 : 2;
        struct packet packet;
        struct peer *p = client_connect(&gate);
        gate.by_hand = true;
        assert_false(client_login(&gate, p, "app", "nowhere", GATE_CLIENT));
        struct peer *backend = server();
        if (!at_greeting[i]) {
            shard_greet(&gate, backend);
            gate_run(&gate);
            assert_true(peer_packet(backend, &packet));
        }
        buf_init(&b);
        shard_err(&b, &seq, 1049, "42000", "Unknown database 'nowhere'");
        peer_send_buf(backend, &b);
        gate_run(&gate);
        expect_err(p, 3, 1049, "Unknown database 'nowhere'");
        assert_true(p->closed && backend->closed);
    }
}

static void a_server_that_is_down_is_told(void **state)
{
    (void)state;
    struct peer *p = client_connect(&gate);
    gate.refuse_connections = true;
    assert_false(client_login(&gate, p, "app", "mq", GATE_CLIENT));
    assert_true(p->closed);
}

static void places_are_counted(void **state)
{
    (void)state;
    reopen_gate(OBSERVE_YAML "pool: {max_per_shard: 2}\n");
    struct peer *a = client_connect(&gate), *b = client_connect(&gate), *c = client_connect(&gate);
    assert_true(client_login(&gate, a, "app", "mq", GATE_CLIENT));
    assert_true(client_login(&gate, b, "app", "mq", GATE_CLIENT));
    assert_false(client_login(&gate, c, "app", "mq", GATE_CLIENT));
    assert_true(c->closed);
    client_command(a, COM_QUIT, SLICE_LIT(""));
    gate_run(&gate);
    c = client_connect(&gate);
    assert_true(client_login(&gate, c, "app", "mq", GATE_CLIENT));
}

static void a_client_that_leaves_while_logging_in(void **state)
{
    (void)state;
    struct peer *p = client_connect(&gate);
    gate.by_hand = true;
    assert_false(client_login(&gate, p, "app", "mq", GATE_CLIENT));
    struct peer *backend = server();
    peer_close(p);
    gate_run(&gate);
    assert_true(backend->closed);
}

static void a_login_that_enforce_refuses_is_noted(void **state)
{
    (void)state;
    login(&gate, "elsewhere");
    struct findings_report r = report();
    assert_int_equal(r.count, 1);
    assert_int_equal(r.items[0].code, MQ_DATABASE_UNKNOWN);
    assert_slice(r.items[0].statement, SLICE_LIT("LOGIN"), "what");
}

/* ---- commands ---- */

static void statements_pass_unchanged(void **state)
{
    (void)state;
    static const char *const texts[] = {
        PICK,
        "SELECT id  FROM queue_messages -- all",
        "SET NAMES gbk",
        "SET @a := 1, @b = 2",
        "LOCK TABLES x READ",
        "CALL p()",
        "GARBAGE '",
        "",
        "BEGIN",
        "USE elsewhere",
        "SELECT 1; SELECT 2",
    };
    struct peer *p = login(&gate, "mq"), *backend = server();
    for (size_t i = 0; i < COUNT(texts); i++)
        run(p, backend, texts[i], IDLE_STATUS);
}

/* Each is examined, as after those before it; the text passes as a whole. */
static void several_statements_are_examined_one_by_one(void **state)
{
    (void)state;
    static const char text[] =
        "SET sql_mode = 'ANSI_QUOTES'; SELECT \"a;b\"; SET @mq_tenant = 'acme';" PICK
        "; GARBAGE; LOCK TABLES x READ;";
    struct peer *p = log_in_as("app", "mq", GATE_CLIENT | CAP_MULTI_STATEMENTS);
    run(p, server(), text, IDLE_STATUS);
    struct findings_report r = report();
    size_t refused = 0, changed = 0;
    for (size_t i = 0; i < r.count; i++) {
        refused += r.items[i].code != MQ_OK;
        changed += r.items[i].code == MQ_OK && r.items[i].verdict == VERDICT_SINGLE;
    }
    assert_int_equal(refused, 2);
    assert_int_equal(changed, 1); /* the tenant was known */
    run(p, server(), PICK, IDLE_STATUS);
    assert_int_equal(report().count, r.count);
}

/* What those behind the one that fails would have changed does not count, what those in front of it
 * have changed does. */
static void several_statements_of_which_one_fails(void **state)
{
    (void)state;
    static const char text[] = "SET @mq_tenant = 'acme'; SET sql_mode = 'ANSI_QUOTES'; SELECT nothing;"
                               "SET sql_mode = ''; SET @mq_tenant = 'globex'; USE elsewhere";
    struct peer *p = log_in_as("app", "mq", GATE_CLIENT | CAP_MULTI_STATEMENTS), *backend = server();
    struct buf answer;
    uint8_t seq = 1;
    struct err_packet failure = { .code = 1054, .sqlstate = "42S22", .message = SLICE_LIT("Unknown") };
    client_query(&gate, p, text);
    shard_expect(backend, text);
    buf_init(&answer);
    for (int i = 0; i < 3; i++) {
        size_t mark = packet_open(&answer);
        struct ok_packet ok = { .status = IDLE_STATUS | STATUS_MORE_RESULTS };
        if (i < 2)
            ok_write(&answer, &ok, 0, gate.shard_capabilities);
        else
            err_write(&answer, &failure, gate.shard_capabilities | CAP_PROTOCOL_41);
        packet_close(&answer, mark, &seq);
    }
    peer_send_buf(backend, &answer);
    gate_run(&gate);
    buf_fini(&answer);
    expect_packet(p, 1);
    expect_packet(p, 2);
    expect_err(p, 3, 1054, "Unknown");
    size_t before = report().count;
    run(p, backend, "SELECT \"topic\" FROM \"queue_offsets\"", IDLE_STATUS);
    run(p, backend, "SELECT \"id\" FROM \"queue_messages\" /*tenant='globex'*/", IDLE_STATUS);
    struct findings_report r = report();
    size_t refused = 0;
    for (size_t i = before; i < r.count; i++)
        refused += r.items[i].code != MQ_OK;
    assert_int_equal(r.count, before + 2);
    assert_int_equal(refused, 1); /* the tenant is acme still, the mode and the database are known */
}

/* What mqgate alone knows is not a part of what the server answers. */
static void findings_among_several_statements(void **state)
{
    (void)state;
    struct peer *p = log_in_as("admin", "mq", GATE_CLIENT | CAP_MULTI_STATEMENTS);
    run(p, server(), "SHOW MQGATE_FINDINGS; SELECT 1", IDLE_STATUS);
}

static void an_option_switches_several_statements(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    run(p, backend, "SELECT 1; SELECT 2", IDLE_STATUS);
    struct findings_report r = report();
    assert_int_equal(r.count, 1);
    assert_int_equal(r.items[0].code, MQ_MULTI_STATEMENT);
    client_command(p, COM_SET_OPTION, SLICE_LIT("\0\0"));
    gate_run(&gate);
    shard_expect_command(backend, COM_SET_OPTION);
    peer_send_packet(backend, 1, SLICE_LIT("\xfe\0\0\2\0\0\0"));
    gate_run(&gate);
    expect_packet(p, 1);
    run(p, backend, "SELECT 3; SELECT 4", IDLE_STATUS);
    assert_int_equal(report().count, 1);
    assert_int_equal(report().items[0].count, 1);
}

static void answers_pass_unchanged(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    struct slice rows[] = { SLICE_LIT("x"), SLICE_LIT("y") };
    struct buf answer;
    uint8_t seq = 1;
    buf_init(&answer); /* two results, then an OK, as of CALL */
    shard_rows(&answer, &seq, rows, 2, GATE_SHARD, IDLE_STATUS | STATUS_MORE_RESULTS);
    shard_rows(&answer, &seq, rows, 1, GATE_SHARD, IDLE_STATUS | STATUS_MORE_RESULTS);
    shard_ok(&answer, &seq,
             &(struct ok_packet){ .status = IDLE_STATUS, .affected_rows = 3, .warnings = 2 });
    for (size_t cut = 1; cut < buf_len(&answer); cut++) {
        client_query(&gate, p, "CALL p()");
        shard_expect(backend, "CALL p()");
        peer_send(backend, buf_begin(&answer), cut);
        gate_run(&gate);
        peer_send(backend, buf_begin(&answer) + cut, buf_len(&answer) - cut);
        gate_run(&gate);
        assert_int_equal(buf_len(&p->in), buf_len(&answer));
        assert_memory_equal(buf_begin(&p->in), buf_begin(&answer), buf_len(&answer));
        buf_clear(&p->in);
    }
    buf_fini(&answer);
}

static void errors_pass(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    client_query(&gate, p, "INSERT");
    shard_expect(backend, "INSERT");
    gate_say_err(&gate, backend, 1062, "Duplicate entry 'acme-x' for key 'x'");
    expect_err(p, 1, 1062, "Duplicate entry 'acme-x' for key 'x'");
    run(p, backend, "COMMIT", IDLE_STATUS);
}

static const char definition[] = "\3def\0\0\0\1c\1c\14\77\0\1\0\0\0\10\0\0\0\0\0";

static void commands_pass_with_their_answers(void **state)
{
    (void)state;
    static const struct {
        uint8_t command;
        struct slice body, answers[3];
    } cases[] = {
        { COM_PING, { "", 0 }, { { "\0\0\0\2\0\0\0", 7 } } },
        { COM_INIT_DB, { "other", 5 }, { { "\0\0\0\2\0\0\0", 7 } } },
        { COM_STATISTICS, { "", 0 }, { { "Uptime: 1", 9 } } },
        { COM_SET_OPTION, { "\0\0", 2 }, { { "\xfe\0\0\2\0\0\0", 7 } } },
        { COM_DEBUG, { "", 0 }, { { "\xfe\0\0\2\0\0\0", 7 } } },
        { COM_STMT_FETCH,
          { "\1\0\0\0\1\0\0\0", 8 },
          { { "\0\0\1x", 4 }, { "\0\0\1y", 4 }, { "\xfe\0\0\202\0\0\0", 7 } } },
        { COM_FIELD_LIST,
          { "t\0", 2 },
          { { definition, sizeof definition - 1 }, { "\xfe\0\0\2\0\0\0", 7 } } },
        { COM_PROCESS_KILL, { "\143\0\0\0", 4 }, { { "\xff\16\4#HY000Unknown thread", 23 } } },
        { COM_STMT_RESET, { "\1\0\0\0", 4 }, { { "\0\0\0\2\0\0\0", 7 } } },
        { COM_RESET_CONNECTION, { "", 0 }, { { "\0\0\0\2\0\0\0", 7 } } },
    };
    struct peer *p = login(&gate, "mq"), *backend = server();
    for (size_t i = 0; i < COUNT(cases); i++) {
        client_command(p, cases[i].command, cases[i].body);
        gate_run(&gate);
        assert_slice(shard_expect_command(backend, cases[i].command), cases[i].body, "command");
        for (uint8_t n = 0; n < 3 && cases[i].answers[n].len; n++)
            peer_send_packet(backend, (uint8_t)(n + 1), cases[i].answers[n]);
        gate_run(&gate);
        for (uint8_t n = 0; n < 3 && cases[i].answers[n].len; n++)
            assert_slice(expect_packet(p, (uint8_t)(n + 1)), cases[i].answers[n], "answer");
        run(p, backend, "SELECT 'it has ended'", IDLE_STATUS);
    }
}

/* LOAD DATA LOCAL: a file passes, and the answer follows its end. */
static void files_pass(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    client_query(&gate, p, "LOAD DATA LOCAL INFILE 'f' INTO TABLE t");
    shard_expect(backend, "LOAD DATA LOCAL INFILE 'f' INTO TABLE t");
    peer_send_packet(backend, 1,
                     SLICE_LIT("\xfb"
                               "f"));
    gate_run(&gate);
    assert_slice(expect_packet(p, 1),
                 SLICE_LIT("\xfb"
                           "f"),
                 "request");
    static const struct slice pieces[] = { { "one", 3 }, { "\1", 1 }, { "", 0 } };
    for (uint8_t i = 0; i < 3; i++)
        peer_send_packet(p, (uint8_t)(2 + i), pieces[i]);
    gate_run(&gate);
    for (uint8_t i = 0; i < 3; i++)
        assert_slice(expect_packet(backend, (uint8_t)(2 + i)), pieces[i], "piece");
    peer_send_packet(backend, 5, SLICE_LIT("\0\1\0\2\0\0\0"));
    gate_run(&gate);
    assert_slice(expect_packet(p, 5), SLICE_LIT("\0\1\0\2\0\0\0"), "answer");
    run(p, backend, "SELECT 1", IDLE_STATUS);
}

/* What else the client sends is a file's, not a command. */
static void an_answer_before_the_end_of_a_file(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    client_query(&gate, p, "LOAD DATA LOCAL INFILE 'f' INTO TABLE t");
    shard_expect(backend, "LOAD DATA LOCAL INFILE 'f' INTO TABLE t");
    peer_send_packet(backend, 1,
                     SLICE_LIT("\xfb"
                               "f"));
    gate_run(&gate);
    peer_send_packet(backend, 2, SLICE_LIT("\0\1\0\2\0\0\0"));
    gate_run(&gate);
    assert_true(p->closed && backend->closed);
}

static void what_cannot_be_followed_is_refused(void **state)
{
    (void)state;
    static const uint8_t commands[] = { COM_BINLOG_DUMP, COM_SHUTDOWN, COM_CLONE, 0xfa };
    struct peer *p = login(&gate, "mq"), *backend = server();
    for (size_t i = 0; i < COUNT(commands); i++) {
        client_command(p, commands[i], SLICE_LIT("x"));
        gate_run(&gate);
        expect_err(p, 1, 1047, "MQ4002");
        expect_nothing(backend);
    }
    run(p, backend, "SELECT 1", IDLE_STATUS);
}

static void quit_is_passed_on(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    client_command(p, COM_QUIT, SLICE_LIT(""));
    gate_run(&gate);
    shard_expect_command(backend, COM_QUIT);
    assert_true(p->closed && backend->closed);
}

/* A client knows connections by the numbers of their greetings. */
static void connections_are_killed_by_their_numbers(void **state)
{
    (void)state;
    static const char *const forms[] = { "KILL %u", "kill query %u ",
                                         "/* x */ KILL CONNECTION %u -- y", " SELECT 1; KILL %u;" };
    struct packet packet;
    struct greeting greeting;
    struct peer *p = log_in_as("app", "mq", GATE_CLIENT | CAP_MULTI_STATEMENTS);
    struct peer *backend = server(), *other = client_connect(&gate);
    assert_true(packet_next(buf_begin(&other->in), buf_len(&other->in), SIZE_MAX, NULL, &packet,
                            NULL) == PACKET_COMPLETE &&
                greeting_parse(packet.payload, &greeting, NULL) == MQ_OK);
    uint32_t number = greeting.connection_id;
    assert_true(client_login(&gate, other, "app", "mq", GATE_CLIENT));
    for (size_t i = 0; i < COUNT(forms); i++) {
        char sent[64], want[64];
        const char *format = forms[i];
        const char *at = strstr(format, "%u");
        int before = (int)(at - format);
        snprintf(sent, sizeof sent, "%.*s%u%s", before, format, number, at + 2);
        snprintf(want, sizeof want, "%.*s7%s", before, format, at + 2); /* as the server greeted */
        client_query(&gate, p, sent);
        shard_expect(backend, want);
        gate_say_ok(&gate, backend, IDLE_STATUS);
        expect_ok(p);
    }
    char body[4] = { (char)number, (char)(number >> 8), (char)(number >> 16),
                     (char)(number >> 24) };
    client_command(p, COM_PROCESS_KILL, slice_of(body, 4));
    gate_run(&gate);
    assert_slice(shard_expect_command(backend, COM_PROCESS_KILL), SLICE_LIT("\7\0\0\0"), "number");
    gate_say_ok(&gate, backend, IDLE_STATUS);
    expect_ok(p);
    /* Others are the server's own, and so is the number of one that has left. */
    run(p, backend, "KILL 123456", IDLE_STATUS);
    run(p, backend, "KILL 'x'", IDLE_STATUS);
    run(p, backend, "KILL 99999999999999999999", IDLE_STATUS);
    client_command(other, COM_QUIT, SLICE_LIT(""));
    gate_run(&gate);
    char text[32];
    snprintf(text, sizeof text, "KILL %u", number);
    run(p, backend, text, IDLE_STATUS);
}

/* ---- prepared statements ---- */

static void say_prepared(struct peer *backend, uint8_t id, uint8_t params)
{
    char ok[] = { 0, (char)id, 0, 0, 0, 0, 0, (char)params, 0, 0, 0, 0 };
    peer_send_packet(backend, 1, slice_of(ok, sizeof ok));
    for (uint8_t i = 0; i < params; i++)
        peer_send_packet(backend, (uint8_t)(2 + i), slice_of(definition, sizeof definition - 1));
    gate_run(&gate);
}

static void prepare(struct peer *p, struct peer *backend, const char *text, uint8_t id,
                    uint8_t params)
{
    client_command(p, COM_STMT_PREPARE, slice_cstr(text));
    gate_run(&gate);
    assert_slice(shard_expect_command(backend, COM_STMT_PREPARE), slice_cstr(text), "text");
    say_prepared(backend, id, params);
    assert_int_equal(expect_packet(p, 1).data[1], id);
    for (uint8_t i = 0; i < params; i++)
        expect_packet(p, (uint8_t)(2 + i));
}

static void execute(struct peer *p, struct peer *backend, struct slice body)
{
    client_command(p, COM_STMT_EXECUTE, body);
    gate_run(&gate);
    assert_slice(shard_expect_command(backend, COM_STMT_EXECUTE), body, "EXECUTE");
    gate_say_ok(&gate, backend, IDLE_STATUS);
    expect_ok(p);
}

#define ADD_ONE                                                                             \
    "INSERT INTO queue_messages (topic, partition_key, id, payload, metadata, created_at, " \
    "published_at, failed_at, failure_count, last_error, original_topic) "                  \
    "VALUES ('t', 'p', 'i', 'x', ?, 1, 2, 3, 4, '', '')"

static void prepared_statements_keep_the_servers_numbers(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    prepare(p, backend, ADD_ONE, 42, 1);
    /* The metadata names a tenant: rewritten. */
    execute(p, backend, SLICE_LIT("\52\0\0\0\0\1\0\0\0\0\1\375\0\25{\"queue_name\":\"acme\"}"));
    assert_int_equal(report().count, 1);
    assert_int_equal(report().items[0].code, MQ_OK);
    /* The same types, another value: refused, for there is no such tenant. */
    execute(p, backend, SLICE_LIT("\52\0\0\0\0\1\0\0\0\0\0\25{\"queue_name\":\"none\"}"));
    assert_int_equal(report().count, 2);
    client_command(p, COM_STMT_CLOSE, SLICE_LIT("\52\0\0\0"));
    gate_run(&gate);
    shard_expect_command(backend, COM_STMT_CLOSE);
    /* The server says what it says of a number that is not known. */
    client_command(p, COM_STMT_EXECUTE,
                   SLICE_LIT("\52\0\0\0\0\1\0\0\0\0\0\25{\"queue_name\":\"none\"}"));
    gate_run(&gate);
    shard_expect_command(backend, COM_STMT_EXECUTE);
    gate_say_err(&gate, backend, 1243, "Unknown prepared statement handler");
    expect_err(p, 1, 1243, "Unknown prepared statement handler");
    assert_int_equal(report().items[0].count, 1);
}

static void refused_plans_count_at_each_execute(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    prepare(p, backend, "SELECT a FROM elsewhere", 1, 0);
    execute(p, backend, SLICE_LIT("\1\0\0\0\0\1\0\0\0"));
    assert_int_equal(report().items[0].code, MQ_TABLE_UNKNOWN);
    assert_int_equal(report().items[0].count, 2);
}

/* What enforce answers by itself. */
static void diagnostics_that_are_prepared_are_no_findings(void **state)
{
    (void)state;
    static const char *const texts[] = { "SHOW WARNINGS", "SHOW COUNT(*) WARNINGS", "SHOW ERRORS" };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct peer *p = login(&gate, "mq"), *backend = server();
        findings_destroy(gate.worker->findings);
        gate.worker->findings = findings_create();
        prepare(p, backend, texts[i], 1, 0);
        execute(p, backend, SLICE_LIT("\1\0\0\0\0\1\0\0\0"));
        assert_int_equal(report().count, 0);
    }
}

static void long_data_passes(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    prepare(p, backend, ADD_ONE, 1, 1);
    static const struct slice pieces[] = { { "\1\0\0\0\0\0{\"queue_name\":", 20 },
                                           { "\1\0\0\0\0\0\"acme\"}", 13 } };
    for (size_t i = 0; i < 2; i++)
        client_command(p, COM_STMT_SEND_LONG_DATA, pieces[i]);
    gate_run(&gate);
    for (size_t i = 0; i < 2; i++)
        assert_slice(shard_expect_command(backend, COM_STMT_SEND_LONG_DATA), pieces[i],
                     "long data");
    execute(p, backend, SLICE_LIT("\1\0\0\0\0\1\0\0\0\0\1\375\0"));
    assert_int_equal(report().items[0].code, MQ_OK);
}

/* ---- what enforce would do ---- */

/* Which only a tenant would make servable. */
#define WIPE "DELETE FROM queue_messages WHERE topic = 'a'"

static void findings_tell_what_enforce_would_do(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum err_code code; /* MQ_OK: rewritten; MQ_INTERNAL: neither */
    } cases[] = {
        { WIPE, MQ_TENANT_MISSING },
        { PICK_SAYING("acme"), MQ_OK },
        { PICK_SAYING("nobody"), MQ_TENANT_UNKNOWN },
        { "SELECT a FROM elsewhere", MQ_TABLE_UNKNOWN },
        { "SELECT 'not closed", MQ_SYNTAX },
        { "SET @a = 1", MQ_TENANT_MISSING },
        { "SET sql_mode = 'ORACLE'", MQ_SQL_MODE_UNSAFE },
        { "SET NAMES gbk", MQ_CHARSET_UNSAFE },
        { "USE elsewhere", MQ_DATABASE_UNKNOWN },
        { "LOCK TABLES queue_messages READ", MQ_STATEMENT_NOT_ALLOWED },
        { "SET autocommit = 1", MQ_INTERNAL },
        { "BEGIN", MQ_INTERNAL },
        { "SELECT 1", MQ_INTERNAL },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct peer *p = login(&gate, "mq"), *backend = server();
        findings_destroy(gate.worker->findings);
        gate.worker->findings = findings_create();
        run(p, backend, cases[i].text, IDLE_STATUS);
        struct findings_report r = report();
        if (r.count != (cases[i].code != MQ_INTERNAL) ||
            (r.count && r.items[0].code != cases[i].code))
            fail_msg("%s: %zu findings, MQ%04d: %s", cases[i].text, r.count,
                     r.count ? (int)r.items[0].code : 0, r.count ? r.items[0].reason.data : "");
    }
}

static enum err_code last_code(struct peer *p, struct peer *backend, const char *text,
                               uint16_t status)
{
    findings_destroy(gate.worker->findings);
    gate.worker->findings = findings_create();
    run(p, backend, text, status);
    struct findings_report r = report();
    return r.count ? r.items[0].code : MQ_OK;
}

static void the_sessions_tenant_is_noticed(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    assert_int_equal(last_code(p, backend, WIPE, IDLE_STATUS), MQ_TENANT_MISSING);
    run(p, backend, "SET @mq_tenant = 'acme'", IDLE_STATUS);
    assert_int_equal(last_code(p, backend, WIPE, IDLE_STATUS), MQ_OK);
    client_command(p, COM_RESET_CONNECTION, SLICE_LIT(""));
    gate_run(&gate);
    shard_expect_command(backend, COM_RESET_CONNECTION);
    gate_say_ok(&gate, backend, IDLE_STATUS);
    expect_ok(p);
    assert_int_equal(last_code(p, backend, WIPE, IDLE_STATUS), MQ_TENANT_RESET);
}

/* What the server refuses has not happened. */
static void failed_commands_change_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = { "SET @mq_tenant = 'acme', sql_mode = 'nonsense'",
                                         "USE elsewhere" };
    struct peer *p = login(&gate, "mq"), *backend = server();
    for (size_t i = 0; i < COUNT(texts); i++) {
        client_query(&gate, p, texts[i]);
        shard_expect(backend, texts[i]);
        gate_say_err(&gate, backend, 1231, "no");
        expect_err(p, 1, 1231, "no");
        assert_int_equal(last_code(p, backend, WIPE, IDLE_STATUS), MQ_TENANT_MISSING);
    }
    run(p, backend, "USE elsewhere", IDLE_STATUS);
    assert_int_equal(last_code(p, backend, WIPE, IDLE_STATUS), MQ_DATABASE_NONE);
    run(p, backend, "USE queue", IDLE_STATUS);
    assert_int_equal(last_code(p, backend, WIPE, IDLE_STATUS), MQ_TENANT_MISSING);
}

static void the_sql_mode_is_followed(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    run(p, backend, "SET sql_mode = 'ANSI_QUOTES'", IDLE_STATUS);
    assert_int_equal(last_code(p, backend, "DELETE FROM \"queue_messages\"", IDLE_STATUS),
                     MQ_TENANT_MISSING);
}

/* mqgate would ask a shard for what the server has computed here. */
static void expressions_would_be_served(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *backend = server();
    static const char served[] =
        "SET sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES'), time_zone = '+01:00'";
    static const char refused[] = "SET time_zone = @@global.time_zone, sql_mode = 'ORACLE'";
    assert_int_equal(last_code(p, backend, served, IDLE_STATUS), MQ_OK);
    assert_int_equal(last_code(p, backend, refused, IDLE_STATUS), MQ_SQL_MODE_UNSAFE);
}

/* The server was down when it was to be asked for its default. */
static void the_default_sql_mode_is_asked_for_again(void **state)
{
    (void)state;
    reopen_gate(OBSERVE_YAML);
    assert_true(gate.worker->default_modes_known);
    gate.worker->default_modes_known = false;
    size_t before = gate.shard_count;
    struct peer *p = client_connect(&gate);
    assert_int_equal(gate.shard_count, before + 1);
    assert_true(gate.worker->default_modes_known);
    assert_true(client_login(&gate, p, "app", "mq", GATE_CLIENT));
}

static void transactions_of_two_tenants_are_noticed(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    run(p, backend, "BEGIN", OPEN_STATUS);
    assert_int_equal(last_code(p, backend, PICK_SAYING("acme"), OPEN_STATUS), MQ_OK);
    assert_int_equal(last_code(p, backend, PICK_SAYING("globex"), OPEN_STATUS),
                     MQ_TRANSACTION_TENANT);
    run(p, backend, "COMMIT", IDLE_STATUS);
    assert_int_equal(last_code(p, backend, PICK_SAYING("globex"), IDLE_STATUS), MQ_OK);
    assert_int_equal(last_code(p, backend, PICK_SAYING("acme"), IDLE_STATUS), MQ_OK);
}

/* Enforce serves them outside of one tenant's transaction; what they write, outside of any. */
static void several_tenants_and_transactions(void **state)
{
    (void)state;
    static const char poll[] = "SELECT id FROM queue_messages WHERE topic = 'a'";
    static const char beat[] = "UPDATE queue_subscriber_heartbeats SET heartbeat_at = 5 WHERE topic = 't'";
    struct peer *p = login(&gate, "mq"), *backend = server();
    assert_int_equal(last_code(p, backend, poll, IDLE_STATUS), MQ_OK);
    assert_int_equal(last_code(p, backend, beat, IDLE_STATUS), MQ_OK);
    run(p, backend, "BEGIN", OPEN_STATUS);
    assert_int_equal(last_code(p, backend, poll, OPEN_STATUS), MQ_OK);
    assert_int_equal(last_code(p, backend, beat, OPEN_STATUS), MQ_TRANSACTION_TENANT);
    assert_int_equal(last_code(p, backend, PICK_SAYING("acme"), OPEN_STATUS), MQ_OK);
    assert_int_equal(last_code(p, backend, poll, OPEN_STATUS), MQ_TRANSACTION_TENANT);
    run(p, backend, "COMMIT", IDLE_STATUS);
    assert_int_equal(last_code(p, backend, beat, IDLE_STATUS), MQ_OK);
    run(p, backend, "SET autocommit = 0", 0);
    assert_int_equal(last_code(p, backend, poll, 0), MQ_OK);
    assert_int_equal(last_code(p, backend, beat, 0), MQ_TRANSACTION_TENANT);
}

static void mqgates_own_statement_is_answered(void **state)
{
    (void)state;
    struct peer *p = log_in_as("admin", "mq", GATE_CLIENT);
    struct peer *backend = server();
    client_query(&gate, p, "SHOW MQGATE_FINDINGS");
    assert_slice(expect_packet(p, 1), SLICE_LIT("\10"), "columns");
    expect_nothing(backend);
    buf_clear(&p->in);
    run(p, backend, "SELECT 1", IDLE_STATUS);
}

/* ---- ends ---- */

static void a_server_that_closes_closes_the_client(void **state)
{
    (void)state;
    static const bool busy[] = { false, true };
    for (size_t i = 0; i < COUNT(busy); i++) {
        struct peer *p = login(&gate, "mq"), *backend = server();
        if (busy[i])
            client_query(&gate, p, "SELECT 1");
        peer_close(backend);
        gate_run(&gate);
        assert_true(p->closed);
        expect_nothing(p);
    }
}

static void what_the_server_says_last_is_passed_on(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    struct buf b;
    uint8_t seq = 0;
    buf_init(&b);
    shard_err(&b, &seq, 4031, "HY000", "The client was disconnected");
    peer_send_buf(backend, &b);
    gate_run(&gate);
    expect_err(p, 0, 4031, "The client was disconnected");
    assert_true(p->closed);
}

static void a_silent_client_is_the_servers_business(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    gate_pass_time(&gate, 9u * 3600 * 1000);
    gate_pass_time(&gate, 9u * 3600 * 1000);
    assert_false(p->closed);
    run(p, backend, "SELECT 1", IDLE_STATUS);
}

static void draining_waits_for_transactions(void **state)
{
    (void)state;
    struct peer *idle = login(&gate, "mq"), *p = login(&gate, "mq"), *backend = server();
    run(p, backend, "BEGIN", OPEN_STATUS);
    worker_drain(gate.worker);
    gate_run(&gate);
    gate_pass_time(&gate, TICK_MS);
    assert_true(idle->closed);
    assert_false(p->closed);
    run(p, backend, "COMMIT", IDLE_STATUS);
    gate_pass_time(&gate, TICK_MS);
    assert_true(p->closed);
}

/* Sessions keep the deployment, and with it the backend, that they began with. */
static void a_reload_leaves_sessions_alone(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    reload(OBSERVE_YAML);
    run(p, backend, "SELECT 1", IDLE_STATUS);
    struct peer *next = login(&gate, "mq");
    run(next, server(), "SELECT 1", IDLE_STATUS);
    run(p, backend, "SELECT 1", IDLE_STATUS);
}

/* Commands without an answer are taken no faster than the server takes them. */
static void a_slow_server_stops_its_client(void **state)
{
    (void)state;
    reopen_gate(OBSERVE_YAML);
    gate.pipe = 4096;
    struct peer *p = log_in_as("app", "mq", GATE_CLIENT);
    struct peer *backend = gate_shard(&gate, 0);
    backend->deaf = true;
    char data[1024] = { 1, 0, 0, 0, 0, 0 };
    for (int i = 0; i < 1000; i++)
        client_command(p, COM_STMT_SEND_LONG_DATA, slice_of(data, sizeof data));
    gate_run(&gate);
    assert_true(buf_len(&p->unsent) > 500 * sizeof data);
    backend->deaf = false;
    gate_run(&gate);
    assert_int_equal(buf_len(&p->unsent), 0);
    assert_int_equal(buf_len(&backend->in), 1000 * (sizeof data + 1 + PACKET_HEADER));
}

#define TEST(function) GATE_TEST(function, OBSERVE_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_server_sees_the_clients_login),
        TEST(the_servers_refusal_is_told),
        TEST(a_server_that_is_down_is_told),
        TEST(places_are_counted),
        TEST(a_client_that_leaves_while_logging_in),
        TEST(a_login_that_enforce_refuses_is_noted),
        TEST(statements_pass_unchanged),
        TEST(several_statements_are_examined_one_by_one),
        TEST(several_statements_of_which_one_fails),
        TEST(findings_among_several_statements),
        TEST(an_option_switches_several_statements),
        TEST(answers_pass_unchanged),
        TEST(errors_pass),
        TEST(commands_pass_with_their_answers),
        TEST(files_pass),
        TEST(an_answer_before_the_end_of_a_file),
        TEST(what_cannot_be_followed_is_refused),
        TEST(quit_is_passed_on),
        TEST(connections_are_killed_by_their_numbers),
        TEST(prepared_statements_keep_the_servers_numbers),
        TEST(refused_plans_count_at_each_execute),
        TEST(diagnostics_that_are_prepared_are_no_findings),
        TEST(long_data_passes),
        TEST(findings_tell_what_enforce_would_do),
        TEST(the_sessions_tenant_is_noticed),
        TEST(failed_commands_change_nothing),
        TEST(the_sql_mode_is_followed),
        TEST(expressions_would_be_served),
        TEST(the_default_sql_mode_is_asked_for_again),
        TEST(transactions_of_two_tenants_are_noticed),
        TEST(several_tenants_and_transactions),
        TEST(mqgates_own_statement_is_answered),
        TEST(a_server_that_closes_closes_the_client),
        TEST(what_the_server_says_last_is_passed_on),
        TEST(a_silent_client_is_the_servers_business),
        TEST(draining_waits_for_transactions),
        TEST(a_reload_leaves_sessions_alone),
        TEST(a_slow_server_stops_its_client),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
