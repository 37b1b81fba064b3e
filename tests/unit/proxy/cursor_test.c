/* Cursors: rows that wait at the shard, the backend that is kept for them, and how it comes back.
 * Each shard has one place, so that a kept backend is one that others wait for. */
#include "tests/unit/proxy/stmt_gate.h"

#define TEXT "SELECT id FROM queue_messages"
#define SENT "SELECT id FROM queue_messages WHERE tenant = ?"
#define TEXT_OF(tenant) "SELECT id FROM queue_messages WHERE tenant = '" tenant "'"
#define YAML GATE_YAML "pool: {max_per_shard: 1, wait_timeout: 5s}\n"

enum {
    EOF_CLIENT = GATE_CLIENT & ~CAP_DEPRECATE_EOF,
    OPEN_CURSOR = STATUS_AUTOCOMMIT | STATUS_CURSOR_EXISTS,
    LAST_ROW = STATUS_AUTOCOMMIT | STATUS_LAST_ROW_SENT,
};

static struct slice number(uint32_t n)
{
    static char bytes[4];
    memcpy(bytes, (const char[]){ (char)n, (char)(n >> 8), (char)(n >> 16), (char)(n >> 24) }, 4);
    return slice_of(bytes, 4);
}

/* ---- what clients ask ---- */

static void ask_cursor(struct peer *p, uint32_t id)
{
    struct buf payload;
    buf_init(&payload);
    execute_write(&payload, id, CURSOR_READ_ONLY, NULL, 0);
    peer_send_packet(p, 0, buf_slice(&payload));
    buf_fini(&payload);
    gate_run(&gate);
}

static void fetch(struct peer *p, uint32_t id, uint32_t count)
{
    struct buf body;
    buf_init(&body);
    write_u32(&body, id);
    write_u32(&body, count);
    client_command(p, COM_STMT_FETCH, buf_slice(&body));
    buf_fini(&body);
    gate_run(&gate);
}

static void stmt_command(struct peer *p, uint8_t command, uint32_t id)
{
    client_command(p, command, number(id));
    gate_run(&gate);
}

/* ---- what shards say ---- */

/* The cursor is open: definitions and one end. */
static void say_opened(struct peer *shard)
{
    struct buf b;
    uint8_t seq = 1;
    buf_init(&b);
    packet_append(&b, &seq, SLICE_LIT("\1"));
    add_definition(&b, &seq, "id");
    add_end(&gate, &b, &seq, OPEN_CURSOR);
    peer_send_buf(shard, &b);
    gate_run(&gate);
}

static void say_fetched(struct peer *shard, int rows, uint16_t status)
{
    struct buf b;
    uint8_t seq = 1;
    buf_init(&b);
    for (int i = 0; i < rows; i++)
        packet_append(&b, &seq, SLICE_LIT("\0\0\1x"));
    add_end(&gate, &b, &seq, status);
    peer_send_buf(shard, &b);
    gate_run(&gate);
}

static void expect_fetch(struct peer *shard, uint32_t id, uint32_t count)
{
    char want[8];
    memcpy(want, number(id).data, 4);
    memcpy(want + 4, number(count).data, 4);
    assert_slice(shard_expect_command(shard, COM_STMT_FETCH), slice_of(want, sizeof want), "FETCH");
}

/* ---- what clients see ---- */

static void expect_end(struct peer *p, uint8_t seq, uint16_t status, bool eof)
{
    struct slice end = expect_packet(p, seq);
    uint16_t warnings, got;
    struct ok_packet ok;
    assert_int_equal((uint8_t)end.data[0], 0xfe);
    if (eof) {
        assert_true(eof_parse(end, &warnings, &got));
    } else {
        assert_true(ok_parse(end, GATE_CLIENT, &ok));
        got = ok.status;
    }
    assert_int_equal(got, status);
    expect_nothing(p);
}

static void expect_opened(struct peer *p, bool eof)
{
    assert_slice(expect_packet(p, 1), SLICE_LIT("\1"), "column count");
    expect_packet(p, 2);
    expect_end(p, 3, OPEN_CURSOR, eof);
}

static void expect_fetched(struct peer *p, int rows, uint16_t status, bool eof)
{
    for (int i = 0; i < rows; i++)
        assert_slice(expect_packet(p, (uint8_t)(1 + i)), SLICE_LIT("\0\0\1x"), "row");
    expect_end(p, (uint8_t)(1 + rows), status, eof);
}

/* ---- cursors ---- */

static uint32_t prepare_for(struct peer *p, const char *text)
{
    struct prepare_ok ok;
    struct packet packet;
    client_command(p, COM_STMT_PREPARE, slice_cstr(text));
    gate_run(&gate);
    if (gate_asked(&gate)) {
        struct peer *asked = gate_asked(&gate);
        shard_expect_command(asked, COM_STMT_PREPARE);
        shard_say_prepared(&gate, asked, 90, 1);
    }
    assert_true(prepare_ok_parse(expect_packet(p, 1), &ok));
    while (peer_packet(p, &packet))
        ;
    return ok.statement_id;
}

/* An open cursor of the client's on that shard, as the shard's statement THEIR_ID + which. */
static uint32_t open_numbered(struct peer *p, const char *text, const char *sent, uint32_t on,
                              uint32_t which)
{
    uint32_t id = prepare_for(p, text);
    ask_cursor(p, id);
    struct peer *shard = gate_shard(&gate, on);
    assert_slice(shard_expect_command(shard, COM_STMT_PREPARE), slice_cstr(sent),
                 "a statement of the cursor's own");
    shard_say_prepared(&gate, shard, THEIR_ID + which, 1);
    struct slice sent_execute = shard_expect_command(shard, COM_STMT_EXECUTE);
    assert_slice(slice_of(sent_execute.data, 4), number(THEIR_ID + which), "its number");
    assert_int_equal(sent_execute.data[4], CURSOR_READ_ONLY);
    say_opened(shard);
    return id;
}

static uint32_t open_cursor(struct peer *p)
{
    uint32_t id = open_numbered(p, TEXT, SENT, 0, 0);
    expect_opened(p, false);
    return id;
}

/* Has the shard's one backend gone back to the pool? Somebody else's statement tells. */
static bool is_free(uint32_t on)
{
    struct peer *other = login(&gate, on ? "mq@globex" : "mq@acme");
    struct peer *shard = gate_shard(&gate, on);
    struct packet packet;
    client_query(&gate, other, TEXT);
    bool served = shard_asked(shard, on ? "\3" TEXT_OF("globex") : "\3" TEXT_OF("acme"), &packet);
    if (served) {
        buf_consume(&shard->in, packet.wire_bytes);
        gate_say_ok(&gate, shard, IDLE_STATUS);
        expect_ok(other);
    }
    peer_close(other);
    gate_run(&gate);
    return served;
}

static void rows_are_fetched(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    uint32_t id = open_cursor(p);
    static const struct {
        uint32_t count;
        int rows;
        uint16_t status;
    } steps[] = { { 1, 1, OPEN_CURSOR }, { 0, 0, OPEN_CURSOR }, { UINT32_MAX, 3, LAST_ROW } };
    for (size_t i = 0; i < COUNT(steps); i++) {
        assert_false(is_free(0));
        fetch(p, id, steps[i].count);
        expect_fetch(shard, THEIR_ID, steps[i].count);
        say_fetched(shard, steps[i].rows, steps[i].status);
        expect_fetched(p, steps[i].rows, steps[i].status, false);
    }
    expect_nothing(shard); /* the statement stays prepared */
    assert_true(is_free(0));
    fetch(p, id, 1);
    expect_err(p, 1, 1421, "MQ2027");
    ask_cursor(p, id);
    struct slice again = shard_expect_command(shard, COM_STMT_EXECUTE);
    assert_slice(slice_of(again.data, 4), number(THEIR_ID), "the same statement again");
}

/* Each way out closes the cursor on the shard and gives the backend back. */
static void a_cursor_ends_early(void **state)
{
    (void)state;
    enum { BY_RESET, BY_CLOSE, BY_RESET_CONNECTION, BY_QUIT, BY_ERROR, WAYS };
    for (int way = 0; way < WAYS; way++) {
        struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
        uint32_t id = open_cursor(p);
        if (way == BY_ERROR) {
            fetch(p, id, 1);
            expect_fetch(shard, THEIR_ID, 1);
            gate_say_err(&gate, shard, 1317, "Query execution was interrupted");
            expect_err(p, 1, 1317, "Query");
        } else if (way == BY_RESET_CONNECTION || way == BY_QUIT) {
            client_command(p, way == BY_QUIT ? COM_QUIT : COM_RESET_CONNECTION, SLICE_LIT(""));
            gate_run(&gate);
        } else {
            stmt_command(p, way == BY_RESET ? COM_STMT_RESET : COM_STMT_CLOSE, id);
        }
        if (way == BY_RESET || way == BY_RESET_CONNECTION)
            expect_ok(p);
        assert_slice(shard_expect_command(shard, COM_STMT_CLOSE), number(THEIR_ID), "closed");
        expect_nothing(shard);
        assert_true(is_free(0));
        if (way != BY_QUIT) {
            bool known = way == BY_RESET || way == BY_ERROR;
            fetch(p, id, 1);
            expect_err(p, 1, known ? 1421 : 1243, "MQ");
        }
        peer_close(p);
        gate_run(&gate);
    }
}

static void another_execute_closes_it(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    uint32_t id = open_cursor(p);
    ask_cursor(p, id);
    assert_slice(shard_expect_command(shard, COM_STMT_CLOSE), number(THEIR_ID), "closed");
    shard_expect_command(shard, COM_STMT_PREPARE);
    shard_say_prepared(&gate, shard, 50, 1);
    shard_expect_command(shard, COM_STMT_EXECUTE);
    say_opened(shard);
    expect_opened(p, false);
    fetch(p, id, 1);
    expect_fetch(shard, 50, 1);
}

/* EOF packets differ: behind the definitions of a cursor there is one, not two. */
static void clients_and_shards_of_either_kind(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        bool eof = i & 1, old_shard = i & 2;
        reopen_gate(YAML);
        if (old_shard)
            gate.shard_capabilities &= ~(uint64_t)CAP_DEPRECATE_EOF;
        close_backends();
        struct peer *p = log_in_as("app", "mq@acme", eof ? EOF_CLIENT : GATE_CLIENT);
        uint32_t id = open_numbered(p, TEXT, SENT, 0, 0);
        expect_opened(p, eof);
        fetch(p, id, 2);
        expect_fetch(gate_shard(&gate, 0), THEIR_ID, 2);
        say_fetched(gate_shard(&gate, 0), 2, LAST_ROW);
        expect_fetched(p, 2, LAST_ROW, eof);
    }
}

/* The shard answers in full: no cursor, no backend to keep. */
static void a_server_may_open_none(void **state)
{
    (void)state;
    struct peer *p = log_in_as("app", "mq@acme", EOF_CLIENT), *shard;
    uint32_t id = prepare_for(p, TEXT);
    ask_cursor(p, id);
    shard = gate_shard(&gate, 0);
    shard_expect_command(shard, COM_STMT_PREPARE);
    shard_say_prepared(&gate, shard, THEIR_ID, 1);
    shard_expect_command(shard, COM_STMT_EXECUTE);
    gate_say_row(&gate, shard, "x", IDLE_STATUS);
    for (uint8_t seq = 1; seq <= 2; seq++)
        expect_packet(p, seq);
    assert_int_equal((uint8_t)expect_packet(p, 3).data[0], 0xfe);
    expect_packet(p, 4);
    expect_end(p, 5, IDLE_STATUS, true);
    assert_true(is_free(0));
    fetch(p, id, 1);
    expect_err(p, 1, 1421, "MQ2027");
}

/* What else the session sends goes to the same backend: there may be no other. */
static void the_session_goes_on_meanwhile(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    uint32_t id = open_cursor(p);
    client_query(&gate, p, TEXT);
    shard_expect(shard, TEXT_OF("acme"));
    gate_say_row(&gate, shard, "id", IDLE_STATUS);
    expect_rows(p, (const char *const[]){ "id" }, 1);
    assert_false(is_free(0));
    fetch(p, id, 1);
    expect_fetch(shard, THEIR_ID, 1);
    say_fetched(shard, 1, OPEN_CURSOR);
    expect_fetched(p, 1, OPEN_CURSOR, false);
    /* The same text without a cursor is a statement of its own there. */
    execute(&gate, p, prepare_for(p, TEXT), NULL, 0);
    shard_expect_command(shard, COM_STMT_PREPARE);
    shard_say_prepared(&gate, shard, 60, 1);
    struct slice sent = shard_expect_command(shard, COM_STMT_EXECUTE);
    assert_slice(slice_of(sent.data, 5), SLICE_LIT("\x3c\0\0\0\0"), "no cursor");
}

static void several_at_once(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    uint32_t first = open_cursor(p);
    uint32_t second = open_numbered(p, TEXT, SENT, 0, 2); /* the same text */
    expect_opened(p, false);
    struct peer *shard = gate_shard(&gate, 0);
    fetch(p, second, 9);
    expect_fetch(shard, THEIR_ID + 2, 9);
    say_fetched(shard, 1, LAST_ROW);
    expect_fetched(p, 1, LAST_ROW, false);
    assert_false(is_free(0)); /* the first one is open still */
    stmt_command(p, COM_STMT_CLOSE, first);
    assert_slice(shard_expect_command(shard, COM_STMT_CLOSE), number(THEIR_ID), "closed");
    assert_true(is_free(0));
}

static void on_several_shards(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq");
    uint32_t ids[2];
    for (uint32_t on = 0; on < 2; on++) {
        client_query(&gate, p, on ? "SET @mq_tenant = 'globex'" : "SET @mq_tenant = 'acme'");
        expect_ok(p);
        ids[on] = open_numbered(p, TEXT, SENT, on, on);
        expect_opened(p, false);
    }
    for (uint32_t on = 0; on < 2; on++) {
        fetch(p, ids[on], 1);
        expect_fetch(gate_shard(&gate, on), THEIR_ID + on, 1);
        say_fetched(gate_shard(&gate, on), 1, LAST_ROW);
        expect_fetched(p, 1, LAST_ROW, false);
        assert_true(is_free(on));
    }
}

static void transactions(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, "SET @mq_tenant = 'acme'");
    expect_ok(p);
    uint32_t id = open_cursor(p);
    client_query(&gate, p, "BEGIN");
    expect_ok(p);
    client_query(&gate, p, TEXT);
    shard_expect(shard, "BEGIN");
    shard_expect(shard, TEXT_OF("acme"));
    gate_say_ok(&gate, shard, OPEN_STATUS);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(p);
    fetch(p, id, 1);
    expect_fetch(shard, THEIR_ID, 1);
    say_fetched(shard, 1, OPEN_CURSOR | STATUS_IN_TRANS);
    expect_fetched(p, 1, OPEN_CURSOR | STATUS_IN_TRANS, false);
    client_query(&gate, p, "COMMIT");
    shard_expect(shard, "COMMIT");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(p);
    assert_false(is_free(0)); /* it outlives the transaction */
    /* In a transaction of another shard it has to wait. */
    client_query(&gate, p, "SET @mq_tenant = 'globex'");
    expect_ok(p);
    client_query(&gate, p, "BEGIN");
    expect_ok(p);
    client_query(&gate, p, TEXT);
    struct peer *other = gate_shard(&gate, 1);
    shard_expect(other, "BEGIN");
    shard_expect(other, TEXT_OF("globex"));
    gate_say_ok(&gate, other, OPEN_STATUS);
    gate_say_ok(&gate, other, OPEN_STATUS);
    expect_ok(p);
    fetch(p, id, 1);
    expect_err(p, 1, 1105, "MQ3014");
    client_query(&gate, p, "ROLLBACK");
    shard_expect(other, "ROLLBACK");
    gate_say_ok(&gate, other, IDLE_STATUS);
    expect_ok(p);
    fetch(p, id, 1);
    expect_fetch(shard, THEIR_ID, 1);
}

/* The backend goes away between two commands, or speaks when nobody asked. */
static void lost_between_two_commands(void **state)
{
    (void)state;
    for (int speaks = 0; speaks < 2; speaks++) {
        struct peer *p = login(&gate, "mq@acme");
        uint32_t id = open_cursor(p);
        struct peer *shard = gate_shard(&gate, 0);
        if (speaks)
            peer_send_packet(shard, 0, SLICE_LIT("\0\0\0\2\0\0\0"));
        else
            peer_close(shard);
        gate_run(&gate);
        expect_nothing(p);
        fetch(p, id, 1);
        expect_err(p, 1, 1158, "MQ5002");
        stmt_command(p, COM_STMT_RESET, id);
        expect_ok(p);
        fetch(p, id, 1);
        expect_err(p, 1, 1421, "MQ2027");
        peer_close(p);
        gate_run(&gate);
    }
}

/* No other backend has the rows, so FETCH is not tried again: neither when the backend is lost with
 * the fetch on its way, nor while it is brought in line. */
static void lost_within_a_fetch(void **state)
{
    (void)state;
    for (int in_line = 0; in_line < 2; in_line++) {
        struct peer *p = login(&gate, "mq@acme");
        uint32_t id = open_cursor(p);
        struct peer *shard = gate_shard(&gate, 0);
        if (in_line) {
            client_query(&gate, p, "SET NAMES latin1");
            expect_ok(p);
            gate.by_hand = true;
        }
        fetch(p, id, 1);
        buf_clear(&shard->in);
        peer_close(shard);
        gate_run(&gate);
        gate.by_hand = false;
        gate_run(&gate);
        expect_err(p, 1, 1158, "MQ5002");
        peer_close(p);
        gate_run(&gate);
    }
}

/* A client that forgets its cursor does not keep the backend for ever. */
static void a_silent_client_loses_it(void **state)
{
    (void)state;
    reopen_gate(YAML "limits: {transaction_idle_timeout: 2s}\n");
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    uint32_t id = open_cursor(p);
    gate_pass_time(&gate, 1900);
    expect_nothing(shard);
    gate_pass_time(&gate, 200);
    assert_slice(shard_expect_command(shard, COM_STMT_CLOSE), number(THEIR_ID), "closed");
    assert_true(is_free(0));
    fetch(p, id, 1);
    expect_err(p, 1, 1213, "MQ6006");
}

static void fetches_that_are_refused(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    uint32_t id = open_cursor(p);
    stmt_command(p, COM_STMT_FETCH, id); /* no count */
    expect_err(p, 1, 1835, "MQ4003");
    client_command(p, COM_STMT_FETCH, SLICE_LIT("\1"));
    gate_run(&gate);
    expect_err(p, 1, 1243, "MQ4004");
    fetch(p, id + 1, 1);
    expect_err(p, 1, 1243, "MQ4004");
    expect_nothing(gate_shard(&gate, 0));
}

#define TEST(function) GATE_TEST(function, YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rows_are_fetched),
        TEST(a_cursor_ends_early),
        TEST(another_execute_closes_it),
        TEST(clients_and_shards_of_either_kind),
        TEST(a_server_may_open_none),
        TEST(the_session_goes_on_meanwhile),
        TEST(several_at_once),
        TEST(on_several_shards),
        TEST(transactions),
        TEST(lost_between_two_commands),
        TEST(lost_within_a_fetch),
        TEST(a_silent_client_loses_it),
        TEST(fetches_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
