/* Prepared statements: the tenant's hidden parameter, statements that are prepared again
 * where they are needed, and what is answered without a shard. */
#include "tests/unit/proxy/stmt_gate.h"

#define POLL "SELECT id FROM queue_messages WHERE topic = ? AND offset > ? LIMIT ?"
#define POLL_SENT \
    "SELECT id FROM queue_messages WHERE tenant = ? AND ( topic = ? AND offset > ?) LIMIT ?"

static struct execute_param text_param(struct arena *arena, const char *text)
{
    return execute_string(arena, slice_cstr(text));
}

static void execute_pick(struct peer *p, uint32_t id, const char *topic)
{
    struct arena arena;
    arena_init(&arena);
    struct execute_param params[] = {
        text_param(&arena, topic),
        { .type = { TYPE_LONGLONG, 0x80 }, .value = SLICE_LIT("\7\0\0\0\0\0\0\0") },
        { .type = { TYPE_LONG, 0 }, .value = SLICE_LIT("\5\0\0\0") },
    };
    execute(&gate, p, id, params, COUNT(params));
    arena_fini(&arena);
}

/* The EXECUTE that a shard got, byte by byte but for its command byte. */
static void expect_pick(struct peer *shard, uint32_t id, const char *tenant, const char *topic)
{
    struct buf want;
    buf_init(&want);
    write_u32(&want, id);
    write_u8(&want, 0);
    write_u32(&want, 1);
    write_u8(&want, 0); /* no NULLs */
    write_u8(&want, 1);
    buf_append(&want, "\xfd\0\xfd\0\x08\x80\x03\0", 8);
    write_lenenc_slice(&want, slice_cstr(tenant));
    write_lenenc_slice(&want, slice_cstr(topic));
    buf_append(&want, "\7\0\0\0\0\0\0\0\5\0\0\0", 12);
    assert_slice(shard_expect_command(shard, COM_STMT_EXECUTE), buf_slice(&want), "EXECUTE");
    buf_fini(&want);
}

/* Leads a session to a tenant's shard: the statement is prepared there if it is not yet. */
static void run_pick(struct peer *p, uint32_t id, uint32_t on, const char *tenant)
{
    execute_pick(p, id, "t");
    struct peer *shard = gate_shard(&gate, on);
    if (next_is(shard, COM_STMT_PREPARE)) {
        assert_slice(shard_expect_command(shard, COM_STMT_PREPARE), SLICE_LIT(POLL_SENT),
                     "prepared");
        shard_say_prepared(&gate, shard, THEIR_ID + on, 4);
    }
    expect_pick(shard, THEIR_ID + on, tenant, "t");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(p);
}

/* Prepares, wherever it is not yet known. */
static uint32_t prepare_any(struct peer *p, const char *text)
{
    client_command(p, COM_STMT_PREPARE, slice_cstr(text));
    gate_run(&gate);
    struct peer *asked = gate_asked(&gate);
    if (asked) {
        shard_expect_command(asked, COM_STMT_PREPARE);
        shard_say_prepared(&gate, asked, THEIR_ID + asked->shard, 4);
    }
    return expect_prepared(p, 3).statement_id;
}

static void the_tenant_is_a_hidden_parameter(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq");
    uint32_t id = prepare(&gate, p, POLL, POLL_SENT, 3);
    client_query(&gate, p, "SET @mq_tenant = 'acme'");
    expect_ok(p);
    run_pick(p, id, 0, "acme");
    client_query(&gate, p, "SET @mq_tenant = 'globex'");
    expect_ok(p);
    run_pick(p, id, 1, "globex");
    client_query(&gate, p, "SET @mq_tenant = 'acme'");
    expect_ok(p);
    run_pick(p, id, 0, "acme");
}

/* The same text again, in the same session or in another one, needs no shard. */
static void what_is_known_is_answered_at_once(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *other = login(&gate, "mq@globex");
    uint32_t id = prepare(&gate, p, POLL, POLL_SENT, 3);
    client_command(p, COM_STMT_CLOSE, slice_of((const char[]){ (char)id, 0, 0, 0 }, 4));
    for (int i = 0; i < 2; i++) {
        struct peer *client = i ? other : p;
        client_command(client, COM_STMT_PREPARE, SLICE_LIT(POLL));
        gate_run(&gate);
        expect_prepared(client, 3);
    }
    for (uint32_t i = 0; i < 2; i++)
        expect_nothing(gate_shard(&gate, i));
    /* Metadata depends on the session's variables. */
    client_query(&gate, p, "SET NAMES latin1");
    expect_ok(p);
    prepare(&gate, p, POLL, POLL_SENT, 3);
}

static void ddl_makes_it_ask_again(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *admin = client_connect(&gate);
    prepare(&gate, p, POLL, POLL_SENT, 3);
    assert_true(client_login(&gate, admin, "admin", "mq", GATE_CLIENT));
    client_query(&gate, admin, "DROP TABLE queue_offsets");
    for (uint32_t i = 0; i < 2; i++) {
        shard_expect(gate_shard(&gate, i), "DROP TABLE queue_offsets");
        gate_say_ok(&gate, gate_shard(&gate, i), IDLE_STATUS);
    }
    expect_ok(admin);
    client_command(p, COM_STMT_PREPARE, SLICE_LIT(POLL));
    gate_run(&gate);
    expect_nothing(p);
}

/* A backend that had it gets it anew: the old one is closed in the same breath. */
static void asking_again_closes_the_old_one(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    prepare(&gate, p, POLL, POLL_SENT, 3);
    plan_cache_forget_answers(gate.worker->plans);
    client_command(p, COM_STMT_PREPARE, SLICE_LIT(POLL));
    gate_run(&gate);
    for (size_t i = 0; i < gate.shard_count; i++) {
        if (!buf_len(&gate.shards[i].in))
            continue;
        const char closed[] = { (char)(THEIR_ID + gate.shards[i].shard), 0, 0, 0 };
        assert_slice(shard_expect_command(&gate.shards[i], COM_STMT_CLOSE),
                     slice_of(closed, sizeof closed), "closed");
        shard_expect_command(&gate.shards[i], COM_STMT_PREPARE);
        shard_say_prepared(&gate, &gate.shards[i], 44, 4);
    }
    expect_prepared(p, 3);
}

static int open_small_gate(void **state)
{
    (void)state;
    gate_open(&gate, GATE_YAML "pool: {max_statements: 2}\n");
    return 0;
}

static void backends_keep_a_bounded_number(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    char text[64];
    for (uint32_t i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "SELECT id, %u FROM queue_messages", i);
        client_command(p, COM_STMT_PREPARE, slice_cstr(text));
        gate_run(&gate);
        struct peer *shard = gate_shard(&gate, buf_len(&gate_shard(&gate, 0)->in) ? 0 : 1);
        if (i == 2)
            assert_slice(shard_expect_command(shard, COM_STMT_CLOSE), SLICE_LIT("\x32\0\0\0"),
                         "the oldest");
        shard_expect_command(shard, COM_STMT_PREPARE);
        shard_say_prepared(&gate, shard, 50 + i, 1);
        expect_prepared(p, 0);
    }
}

static void long_data_is_sent_as_a_string(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        uint8_t type, sent;
    } cases[] = {
        { "a blob", TYPE_BLOB, TYPE_BLOB },
        { "a number: the shard must not read the bytes as one", TYPE_LONGLONG, TYPE_VAR_STRING },
        { "nothing", TYPE_NULL, TYPE_VAR_STRING },
    };
    struct peer *p = login(&gate, "mq@acme");
    uint32_t id = prepare(&gate, p, "SELECT id FROM queue_messages WHERE payload = ?",
                          "SELECT id FROM queue_messages WHERE tenant = ? AND ( payload = ?)", 1);
    struct peer *shard = gate_shard(&gate, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        client_command(p, COM_STMT_SEND_LONG_DATA,
                       slice_of((const char[]){ (char)id, 0, 0, 0, 0, 0, 'a', 'b' }, 8));
        client_command(p, COM_STMT_SEND_LONG_DATA,
                       slice_of((const char[]){ (char)id, 0, 0, 0, 0, 0, 'c' }, 7));
        struct execute_param param = { .type = { cases[i].type, 0 }, .long_data = true };
        execute(&gate, p, id, &param, 1);
        if (next_is(shard, COM_STMT_PREPARE)) {
            shard_expect_command(shard, COM_STMT_PREPARE);
            shard_say_prepared(&gate, shard, 40, 2);
        }
        struct slice got = shard_expect_command(shard, COM_STMT_EXECUTE);
        struct slice values = slice_of(got.data + 11, got.len - 11);
        char want[] = "\xfd\0?\0\4acme\3abc";
        want[2] = (char)cases[i].sent;
        assert_slice(values, slice_of(want, sizeof want - 1), cases[i].why);
        gate_say_ok(&gate, shard, IDLE_STATUS);
        expect_ok(p);
    }
}

/* What servers would read in another way than it was checked is not sent. */
static void types_that_servers_read_differently(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    uint32_t id = prepare(&gate, p, "SELECT id FROM queue_messages WHERE offset = ?",
                          "SELECT id FROM queue_messages WHERE tenant = ? AND ( offset = ?)", 1);
    struct peer *shard = gate_shard(&gate, 0);
    struct execute_param year = { .type = { TYPE_YEAR, 0 }, .value = SLICE_LIT("\1\0") };
    execute(&gate, p, id, &year, 1);
    expect_err(p, 1, 1210, "MQ");
    struct execute_param odd = { .type = { TYPE_SHORT, 0x81 }, .value = SLICE_LIT("\1\0") };
    execute(&gate, p, id, &odd, 1);
    if (next_is(shard, COM_STMT_PREPARE)) {
        shard_expect_command(shard, COM_STMT_PREPARE);
        shard_say_prepared(&gate, shard, 40, 2);
    }
    struct slice got = shard_expect_command(shard, COM_STMT_EXECUTE);
    assert_slice(slice_of(got.data + 11, 4), SLICE_LIT("\xfd\0\2\x80"), "types");
}

static void executes_that_are_refused(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    uint32_t id = prepare(&gate, p, POLL, POLL_SENT, 3);
    execute(&gate, p, id + 1, NULL, 0);
    expect_err(p, 1, 1243, "MQ");
    execute(&gate, p, id, NULL, 0); /* its parameters are missing */
    assert_int_equal((uint8_t)expect_packet(p, 1).data[0], 0xff);
    client_query(&gate, p, "SET sql_mode = 'ANSI_QUOTES'");
    expect_ok(p);
    execute_pick(p, id, "t");
    expect_err(p, 1, 1231, "MQ");
    client_command(p, COM_STMT_CLOSE, slice_of((const char[]){ (char)id, 0, 0, 0 }, 4));
    execute_pick(p, id, "t");
    expect_err(p, 1, 1243, "MQ");
}

/* The catalogue that a template points into goes with its topology. */
static void statements_outlive_a_reload(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    uint32_t id = prepare(&gate, p, POLL, POLL_SENT, 3);
    reload(GATE_YAML);
    execute_pick(p, id, "t");
    struct peer *shard = gate_shard(&gate, 0);
    assert_slice(shard_expect_command(shard, COM_STMT_PREPARE), SLICE_LIT(POLL_SENT),
                 "prepared anew");
    shard_say_prepared(&gate, shard, 60, 4);
    expect_pick(shard, 60, "acme", "t");
}

static void a_shard_with_other_parameters_is_not_believed(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    client_command(p, COM_STMT_PREPARE, SLICE_LIT(POLL));
    gate_run(&gate);
    for (size_t i = 0; i < gate.shard_count; i++) {
        if (!buf_len(&gate.shards[i].in))
            continue;
        shard_expect_command(&gate.shards[i], COM_STMT_PREPARE);
        shard_say_prepared(&gate, &gate.shards[i], 40, 2);
    }
    expect_err(p, 1, 1835, "MQ5004");
}

/* PREPARE runs before SET TRANSACTION, so that nothing stands between that and BEGIN. */
static void a_failed_prepare_leaves_the_transaction_pending(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    uint32_t id = prepare(&gate, p, POLL, POLL_SENT, 3);
    client_query(&gate, p, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    expect_ok(p);
    client_query(&gate, p, "BEGIN");
    expect_ok(p);
    close_backends();
    execute_pick(p, id, "t");
    struct peer *shard = gate_shard(&gate, 0);
    shard_expect_command(shard, COM_STMT_PREPARE);
    gate_say_err(&gate, shard, 1146, "Table 'shard.queue_messages' doesn't exist");
    expect_err(p, 1, 1146, "Table");
    execute_pick(p, id, "t");
    shard_expect_command(shard, COM_STMT_PREPARE);
    shard_say_prepared(&gate, shard, 70, 4);
    assert_slice(buf_slice(&gate.set), SLICE_LIT("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"),
                 "once");
    shard_expect(shard, "BEGIN");
    expect_pick(shard, 70, "acme", "t");
}

/* ---- what a shard has of it ---- */

/* The packets that shards have got and nobody has looked at. */
static int count_packets(void)
{
    int count = 0;
    struct packet packet;
    for (size_t i = 0; i < gate.shard_count; i++)
        while (peer_packet(&gate.shards[i], &packet))
            count++;
    return count;
}

/* go-sql-driver's way: with the text known and prepared, a call costs a shard one message. */
static void prepare_execute_close_is_one_round_trip(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    run_pick(p, prepare(&gate, p, POLL, POLL_SENT, 3), 0, "acme");
    (void)count_packets();
    for (int i = 0; i < 3; i++) {
        client_command(p, COM_STMT_PREPARE, SLICE_LIT(POLL));
        gate_run(&gate);
        uint32_t id = expect_prepared(p, 3).statement_id;
        execute_pick(p, id, "t");
        assert_int_equal(count_packets(), 1);
        gate_say_ok(&gate, gate_shard(&gate, 0), IDLE_STATUS);
        expect_ok(p);
        client_command(p, COM_STMT_CLOSE, slice_of((const char[]){ (char)id, 0, 0, 0 }, 4));
        gate_run(&gate);
        assert_int_equal(count_packets(), 0);
    }
}

static void execute_topic(struct peer *p, uint32_t id, bool as_number, bool null)
{
    struct arena arena;
    arena_init(&arena);
    struct execute_param number = { .type = { TYPE_TINY, 0 }, .value = SLICE_LIT("\0") };
    struct execute_param param = as_number ? number : text_param(&arena, "t");
    param.null = null;
    execute(&gate, p, id, &param, 1);
    arena_fini(&arena);
}

static uint32_t executed_id(struct peer *shard)
{
    struct slice body = shard_expect_command(shard, COM_STMT_EXECUTE);
    struct reader r = reader_of(body.data, body.len);
    return read_u32(&r);
}

/* A server may go on to read a parameter as it was bound at first, so other types run another one. */
static void other_types_run_another_statement(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *other = login(&gate, "mq@acme");
    struct peer *shard = gate_shard(&gate, 0);
    static const char text[] = "DELETE FROM queue_messages WHERE topic = ?";
    static const char sent[] = "DELETE FROM queue_messages WHERE tenant = ? AND ( topic = ?)";
    static const struct {
        bool as_number, null, anew;
        uint32_t id;
    } runs[] = {
        { .as_number = true, .id = 41 },  { .as_number = false, .anew = true, .id = 42 },
        { .as_number = true, .id = 41 },  { .as_number = false, .null = true, .anew = true, .id = 43 },
        { .as_number = false, .id = 42 }, { .as_number = true, .null = true, .id = 43 },
    };
    uint32_t ids[] = { prepare(&gate, p, text, sent, 1), 0 };
    client_command(other, COM_STMT_PREPARE, slice_cstr(text));
    gate_run(&gate);
    ids[1] = expect_prepared(other, 1).statement_id;
    for (size_t i = 0; i < COUNT(runs); i++) {
        struct peer *client = i % 2 ? other : p;
        execute_topic(client, ids[i % 2], runs[i].as_number, runs[i].null);
        if (runs[i].anew || (i == 0 && next_is(shard, COM_STMT_PREPARE))) {
            shard_expect_command(shard, COM_STMT_PREPARE);
            shard_say_prepared(&gate, shard, runs[i].id, 2);
        }
        uint32_t id = executed_id(shard);
        assert_true(id == runs[i].id || runs[i].id == 41);
        gate_say_ok(&gate, shard, IDLE_STATUS);
        expect_ok(client);
    }
}

/* Something between has made the shard forget it: nothing has run, so it may run once more. */
static void a_statement_that_the_shard_forgot(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    uint32_t id = prepare_any(p, POLL);
    run_pick(p, id, 0, "acme");
    client_query(&gate, p, "BEGIN");
    expect_ok(p);
    execute_pick(p, id, "t");
    shard_expect(shard, "BEGIN");
    expect_pick(shard, THEIR_ID, "acme", "t");
    gate_say_ok(&gate, shard, OPEN_STATUS);
    gate_say_err(&gate, shard, 1243, "Unknown prepared statement handler");
    shard_expect_command(shard, COM_STMT_PREPARE);
    shard_say_prepared(&gate, shard, 77, 4);
    expect_nothing(p);
    expect_pick(shard, 77, "acme", "t");
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(p);
    for (int i = 0; i < 2; i++) { /* once for each EXECUTE, not for ever */
        execute_pick(p, id, "t");
        expect_pick(shard, 77, "acme", "t");
        gate_say_err(&gate, shard, 1243, "Unknown prepared statement handler");
        shard_expect_command(shard, COM_STMT_PREPARE);
        shard_say_prepared(&gate, shard, 77, 4);
        expect_pick(shard, 77, "acme", "t");
        gate_say_err(&gate, shard, 1243, "Unknown prepared statement handler");
        expect_err(p, 1, 1243, "Unknown");
    }
}

/* Its server has no room for another: what is prepared there goes. */
static void a_server_that_is_full(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    run_pick(p, prepare_any(p, POLL), 0, "acme");
    uint32_t id = prepare_any(p, POLL " /* another */");
    execute_pick(p, id, "t");
    shard_expect_command(shard, COM_STMT_PREPARE);
    gate_say_err(&gate, shard, 1461, "Can't create more than max_prepared_stmt_count statements");
    assert_slice(shard_expect_command(shard, COM_STMT_CLOSE), SLICE_LIT("\x28\0\0\0"), "closed");
    shard_expect_command(shard, COM_STMT_PREPARE);
    gate_say_err(&gate, shard, 1461, "Can't create more than max_prepared_stmt_count statements");
    expect_err(p, 1, 1461, "Can't");
    execute_pick(p, id, "t");
    shard_expect_command(shard, COM_STMT_PREPARE);
    gate_say_err(&gate, shard, 1461, "Can't create more than max_prepared_stmt_count statements");
    expect_err(p, 1, 1461, "Can't"); /* there is nothing left to close */
}

/* ---- columns that have changed ---- */

/* A result without rows: columns c0, c1, … */
static void say_columns(struct peer *shard, int count, const char *first)
{
    struct buf b;
    uint8_t seq = 1;
    buf_init(&b);
    char number = (char)count;
    packet_append(&b, &seq, slice_of(&number, 1));
    for (int i = 0; i < count; i++)
        add_definition(&b, &seq, i ? "more" : first);
    add_definitions_end(&gate, &b, &seq);
    add_end(&gate, &b, &seq, IDLE_STATUS);
    peer_send_buf(shard, &b);
    gate_run(&gate);
}

static uint16_t end_status(struct peer *p, int columns)
{
    struct ok_packet ok;
    for (int i = 0; i <= columns; i++)
        expect_packet(p, (uint8_t)(1 + i));
    assert_true(ok_parse(expect_packet(p, (uint8_t)(2 + columns)), GATE_CLIENT, &ok));
    return ok.status;
}

static bool is_known(struct peer *p, const char *text)
{
    client_command(p, COM_STMT_PREPARE, slice_cstr(text));
    gate_run(&gate);
    struct peer *asked = gate_asked(&gate);
    if (asked)
        while (count_packets())
            shard_say_prepared(&gate, asked, 88, 4);
    struct packet packet;
    while (peer_packet(p, &packet))
        ;
    return !asked;
}

static void columns_that_change_behind_our_back(void **state)
{
    (void)state;
    static const struct {
        const char *why, *first;
        int columns;
        uint16_t flag;
        bool known;
    } steps[] = {
        { "as prepared", "id", 1, 0, true },
        { "another name", "renamed", 1, 0, false },
        { "that is known by now", "renamed", 1, 0, true },
        { "one more", "id", 2, STATUS_METADATA_CHANGED, false },
        { "told once", "id", 2, 0, true },
    };
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    uint32_t id = prepare_any(p, POLL);
    run_pick(p, id, 0, "acme");
    for (size_t i = 0; i < COUNT(steps); i++) {
        execute_pick(p, id, "t");
        while (next_is(shard, COM_STMT_CLOSE))
            shard_expect_command(shard, COM_STMT_CLOSE);
        (void)count_packets();
        say_columns(shard, steps[i].columns, steps[i].first);
        if (end_status(p, steps[i].columns) != (IDLE_STATUS | steps[i].flag) ||
            is_known(p, POLL) != steps[i].known)
            fail_msg("%s", steps[i].why);
    }
}

/* A value that is gone has an address that the next may get. */
static void metadata_of_other_values(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    static const char *const sets[] = { "SET time_zone = '+01:00'", "SET time_zone = '+02:00'",
                                        "SET time_zone = '+03:00'" };
    for (size_t i = 0; i < COUNT(sets); i++) {
        client_query(&gate, p, sets[i]);
        expect_ok(p);
        if (is_known(p, POLL))
            fail_msg("%s", sets[i]);
        assert_true(is_known(p, POLL));
    }
}

static void ddl_runs_on_every_shard(void **state)
{
    (void)state;
    struct peer *admin = client_connect(&gate);
    struct prepare_ok ok;
    assert_true(client_login(&gate, admin, "admin", "mq", GATE_CLIENT));
    client_command(admin, COM_STMT_PREPARE, SLICE_LIT("DROP TABLE queue_offsets"));
    gate_run(&gate);
    assert_true(prepare_ok_parse(expect_packet(admin, 1), &ok));
    assert_int_equal(ok.columns + ok.params, 0);
    expect_nothing(admin);
    for (int times = 0; times < 2; times++) {
        execute(&gate, admin, ok.statement_id, NULL, 0);
        for (uint32_t i = 0; i < 2; i++) {
            shard_expect(gate_shard(&gate, i), "DROP TABLE queue_offsets");
            gate_say_ok(&gate, gate_shard(&gate, i), IDLE_STATUS);
        }
        expect_ok(admin);
    }
}

/* Alone and as text mqgate answers by itself; prepared, a shard does, with the value bound. */
static void values_of_the_session_are_bound(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    uint32_t id = prepare(&gate, p, "SELECT DATABASE()", "SELECT ? AS `DATABASE()`", 0);
    execute(&gate, p, id, NULL, 0);
    struct slice sent = shard_expect_command(gate_asked(&gate), COM_STMT_EXECUTE);
    assert_true(sent.len > 3);
    assert_slice(slice_of(sent.data + sent.len - 3, 3), SLICE_LIT("\2mq"), "bound value");
}

#define TEST(function) GATE_TEST(function, GATE_YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_of_the_session_are_bound),
        TEST(prepare_execute_close_is_one_round_trip),
        TEST(a_statement_that_the_shard_forgot),
        TEST(other_types_run_another_statement),
        TEST(a_server_that_is_full),
        TEST(columns_that_change_behind_our_back),
        TEST(metadata_of_other_values),
        TEST(ddl_runs_on_every_shard),
        TEST(the_tenant_is_a_hidden_parameter),
        TEST(what_is_known_is_answered_at_once),
        TEST(ddl_makes_it_ask_again),
        TEST(asking_again_closes_the_old_one),
        cmocka_unit_test_setup_teardown(backends_keep_a_bounded_number, open_small_gate,
                                        close_gate),
        TEST(long_data_is_sent_as_a_string),
        TEST(types_that_servers_read_differently),
        TEST(executes_that_are_refused),
        TEST(statements_outlive_a_reload),
        TEST(a_shard_with_other_parameters_is_not_believed),
        TEST(a_failed_prepare_leaves_the_transaction_pending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
