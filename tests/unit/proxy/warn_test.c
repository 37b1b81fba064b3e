/* enforcement: warn: one warning more where enforce would refuse, and nothing else changed. */
#include "tests/unit/proxy/gate_test.h"

#define REFUSED "DELETE FROM queue_messages WHERE topic = 'a'"
#define SERVED "SELECT 1"
#define MESSAGE "MQ3001: nothing names the tenant of queue_messages"

static struct peer *server(void)
{
    return gate_shard(&gate, 0);
}

static uint16_t run(struct peer *p, struct peer *backend, const char *text, uint16_t warnings)
{
    struct buf b;
    uint8_t seq = 1;
    client_query(&gate, p, text);
    shard_expect(backend, text);
    buf_init(&b);
    shard_ok(&b, &seq,
             &(struct ok_packet){ .status = IDLE_STATUS,
                                  .affected_rows = 300,
                                  .last_insert_id = 70000,
                                  .warnings = warnings,
                                  .info = SLICE_LIT("Rows") });
    peer_send_buf(backend, &b);
    gate_run(&gate);
    struct ok_packet ok = expect_ok(p);
    assert_int_equal(ok.affected_rows, 300);
    assert_int_equal(ok.last_insert_id, 70000);
    assert_int_equal(ok.status, IDLE_STATUS);
    assert_slice(ok.info, SLICE_LIT("Rows"), "info");
    return ok.warnings;
}

static void refused_statements_get_a_warning(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    assert_int_equal(run(p, backend, SERVED, 0), 0);
    assert_int_equal(run(p, backend, SERVED, 3), 3);
    assert_int_equal(run(p, backend, REFUSED, 0), 1);
    assert_int_equal(run(p, backend, REFUSED, 255), 256);
    assert_int_equal(run(p, backend, REFUSED, 65535), 65535);
    assert_int_equal(run(p, backend, REFUSED " /*tenant='acme'*/", 0), 0);
}

/* With rows the warning is in the packet that ends them, of the last result only. */
static void rows_end_with_it(void **state)
{
    (void)state;
    static const uint64_t capabilities[] = { GATE_CLIENT,
                                             GATE_CLIENT & ~(uint64_t)CAP_DEPRECATE_EOF };
    for (size_t i = 0; i < COUNT(capabilities); i++) {
        struct peer *p = log_in_as("app", "mq", capabilities[i]);
        struct peer *backend = server();
        struct slice rows[] = { SLICE_LIT("x"), SLICE_LIT("y") };
        struct buf answer;
        uint8_t seq = 1;
        buf_init(&answer);
        shard_rows(&answer, &seq, rows, 2, capabilities[i], IDLE_STATUS | STATUS_MORE_RESULTS);
        size_t second = buf_len(&answer);
        shard_rows(&answer, &seq, rows, 2, capabilities[i], IDLE_STATUS);
        client_query(&gate, p, REFUSED);
        shard_expect(backend, REFUSED);
        peer_send(backend, buf_begin(&answer), buf_len(&answer));
        gate_run(&gate);
        size_t len = buf_len(&p->in);
        assert_int_equal(len, buf_len(&answer));
        assert_memory_equal(buf_begin(&p->in), buf_begin(&answer), second);
        /* Nothing but the count differs. */
        size_t at = capabilities[i] & CAP_DEPRECATE_EOF ? len - 2 : len - 4;
        assert_int_equal(buf_begin(&answer)[at], 0);
        buf_begin(&answer)[at] = 1;
        assert_memory_equal(buf_begin(&p->in), buf_begin(&answer), len);
        buf_fini(&answer);
    }
}

/* ---- questions about warnings ---- */

static void answer_list(struct peer *backend, const char *text, size_t count)
{
    static const struct column_def columns[] = {
        { .name = { "Level", 5 }, .charset = 45, .type = TYPE_VAR_STRING },
        { .name = { "Code", 4 }, .charset = 63, .type = TYPE_LONG },
        { .name = { "Message", 7 }, .charset = 45, .type = TYPE_VAR_STRING },
    };
    static const struct slice rows[] = {
        { "Warning", 7 }, { "1", 1 }, { "one", 3 }, { "Warning", 7 }, { "2", 1 }, { "two", 3 },
    };
    struct text_result result = {
        .columns = columns, .column_count = 3, .rows = rows, .row_count = count
    };
    struct buf b;
    uint8_t seq = 1;
    shard_expect(backend, text);
    buf_init(&b);
    text_result_write(&b, &seq, &result, GATE_CLIENT, IDLE_STATUS, 0);
    peer_send_buf(backend, &b);
    gate_run(&gate);
}

static void expect_list(struct peer *p, const char *text, size_t count, bool own)
{
    uint8_t seq = 5;
    for (uint8_t i = 1; i < seq; i++)
        expect_packet(p, i);
    for (size_t i = 0; i < count; i++)
        expect_packet(p, seq++);
    if (own) {
        struct slice row = expect_packet(p, seq++);
        struct reader r = reader_of(row.data, row.len);
        assert_slice(read_lenenc_slice(&r), SLICE_LIT("Warning"), text);
        assert_slice(read_lenenc_slice(&r), SLICE_LIT("1105"), text);
        assert_true(begins(read_lenenc_slice(&r), MESSAGE));
        assert_true(!r.bad && reader_left(&r) == 0);
    }
    struct slice end = expect_packet(p, seq);
    assert_int_equal((uint8_t)end.data[0], 0xfe);
    expect_nothing(p);
}

static void errors_stay_errors(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    client_query(&gate, p, REFUSED);
    shard_expect(backend, REFUSED);
    gate_say_err(&gate, backend, 1146, "no such table");
    expect_err(p, 1, 1146, "no such table");
    client_query(&gate, p, "SHOW WARNINGS");
    answer_list(backend, "SHOW WARNINGS", 1);
    expect_list(p, "after an error", 1, false);
}

static void the_list_has_it_last(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t servers; /* rows that the server sends of its two */
        bool own;
    } cases[] = {
        { "SHOW WARNINGS", 2, true },
        { "show warnings limit 10", 2, true },
        { "SHOW WARNINGS LIMIT 3", 2, true },
        { "SHOW WARNINGS LIMIT 2", 2, false },
        { "SHOW WARNINGS LIMIT 0", 0, false },
        { "SHOW WARNINGS LIMIT 1, 2", 1, true },
        { "SHOW WARNINGS LIMIT 1, 1", 1, false },
        { "SHOW WARNINGS LIMIT 2, 1", 0, true },
        { "SHOW WARNINGS LIMIT 5 OFFSET 2", 0, true },
        { "SHOW WARNINGS LIMIT 5 OFFSET 3", 0, false },
        { "SHOW ERRORS", 0, false },
    };
    struct peer *p = login(&gate, "mq"), *backend = server();
    assert_int_equal(run(p, backend, REFUSED, 2), 3);
    for (size_t i = 0; i < COUNT(cases); i++) {
        client_query(&gate, p, cases[i].text);
        answer_list(backend, cases[i].text, cases[i].servers);
        expect_list(p, cases[i].text, cases[i].servers, cases[i].own);
    }
    /* It belongs to the last statement. */
    assert_int_equal(run(p, backend, SERVED, 2), 2);
    client_query(&gate, p, "SHOW WARNINGS");
    answer_list(backend, "SHOW WARNINGS", 2);
    expect_list(p, "after another", 2, false);
}

static void other_commands_keep_it(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    run(p, backend, REFUSED, 0);
    client_command(p, COM_PING, SLICE_LIT(""));
    gate_run(&gate);
    shard_expect_command(backend, COM_PING);
    gate_say_ok(&gate, backend, IDLE_STATUS);
    assert_int_equal(expect_ok(p).warnings, 0);
    client_query(&gate, p, "SHOW WARNINGS");
    answer_list(backend, "SHOW WARNINGS", 0);
    expect_list(p, "after a ping", 0, true);
    client_command(p, COM_RESET_CONNECTION, SLICE_LIT(""));
    gate_run(&gate);
    shard_expect_command(backend, COM_RESET_CONNECTION);
    gate_say_ok(&gate, backend, IDLE_STATUS);
    assert_int_equal(expect_ok(p).warnings, 0);
    client_query(&gate, p, "SHOW WARNINGS");
    answer_list(backend, "SHOW WARNINGS", 0);
    expect_list(p, "after a reset", 0, false);
}

static void the_count_has_it(void **state)
{
    (void)state;
    static const char *const texts[] = { "SHOW COUNT(*) WARNINGS", "SELECT @@warning_count",
                                         "select @@Warning_Count" };
    static const char *const two[] = { "2" }, *const three[] = { "3" };
    struct peer *p = login(&gate, "mq"), *backend = server();
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (int refused = 0; refused < 2; refused++) {
            run(p, backend, refused ? REFUSED : SERVED, 2);
            client_query(&gate, p, texts[i]);
            shard_expect(backend, texts[i]);
            struct buf b;
            uint8_t seq = 1;
            struct slice count = SLICE_LIT("2");
            buf_init(&b);
            shard_rows(&b, &seq, &count, 1, GATE_CLIENT, IDLE_STATUS);
            peer_send_buf(backend, &b);
            gate_run(&gate);
            expect_packet(p, 1);
            expect_packet(p, 2);
            struct slice row = expect_packet(p, 3);
            struct reader r = reader_of(row.data, row.len);
            assert_slice(read_lenenc_slice(&r), slice_cstr(refused ? *three : *two), texts[i]);
            assert_int_equal((uint8_t)expect_packet(p, 4).data[0], 0xfe);
        }
    }
}

/* ---- prepared statements ---- */

static void prepare(struct peer *p, struct peer *backend, const char *text, uint8_t id)
{
    char ok[] = { 0, (char)id, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0 };
    client_command(p, COM_STMT_PREPARE, slice_cstr(text));
    gate_run(&gate);
    shard_expect_command(backend, COM_STMT_PREPARE);
    peer_send_packet(backend, 1, slice_of(ok, sizeof ok));
    gate_run(&gate);
    assert_slice(expect_packet(p, 1), slice_of(ok, sizeof ok), "PREPARE gets no warning");
}

static void execute(struct peer *p, struct peer *backend, uint8_t id)
{
    char body[] = { (char)id, 0, 0, 0, 0, 1, 0, 0, 0 };
    client_command(p, COM_STMT_EXECUTE, slice_of(body, sizeof body));
    gate_run(&gate);
    shard_expect_command(backend, COM_STMT_EXECUTE);
}

static void prepared_statements_are_warned_about(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *backend = server();
    prepare(p, backend, REFUSED, 1);
    prepare(p, backend, "SHOW WARNINGS", 2);
    prepare(p, backend, "SHOW COUNT(*) WARNINGS", 3);
    execute(p, backend, 1);
    gate_say_ok(&gate, backend, IDLE_STATUS);
    assert_int_equal(expect_ok(p).warnings, 1);

    execute(p, backend, 3);
    static const struct slice count[] = { { "\1", 1 },
                                          { "\3def\0\0\0\1c\1c\14\77\0\1\0\0\0\10\0\0\0\0\0", 24 },
                                          { "\0\0\0\0\0\0\0\0\0\0", 10 },
                                          { "\xfe\0\0\2\0\0\0", 7 } };
    for (uint8_t i = 0; i < 4; i++)
        peer_send_packet(backend, (uint8_t)(i + 1), count[i]);
    gate_run(&gate);
    expect_packet(p, 1);
    expect_packet(p, 2);
    assert_slice(expect_packet(p, 3), SLICE_LIT("\0\0\1\0\0\0\0\0\0\0"), "count");
    expect_packet(p, 4);

    execute(p, backend, 2);
    for (uint8_t i = 0; i < 2; i++)
        peer_send_packet(backend, (uint8_t)(i + 1), count[i]);
    peer_send_packet(backend, 3, count[3]);
    gate_run(&gate);
    expect_packet(p, 1);
    expect_packet(p, 2);
    struct slice row = expect_packet(p, 3);
    struct reader r = reader_of(row.data, row.len);
    assert_int_equal(read_u16(&r), 0);
    assert_slice(read_lenenc_slice(&r), SLICE_LIT("Warning"), "level");
    assert_int_equal(read_u32(&r), 1105);
    assert_true(begins(read_lenenc_slice(&r), MESSAGE));
    expect_packet(p, 4);
}

#define TEST(function) GATE_TEST(function, GATE_OBSERVING_YAML("warn"))

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(refused_statements_get_a_warning),
        TEST(errors_stay_errors),
        TEST(rows_end_with_it),
        TEST(the_list_has_it_last),
        TEST(other_commands_keep_it),
        TEST(the_count_has_it),
        TEST(prepared_statements_are_warned_about),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
