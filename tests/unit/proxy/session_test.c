/* Whole sessions in memory: what shards are asked, byte by byte, and what clients are told. */
#include "tests/unit/proxy/proxy_test.h"

#define PICK "SELECT id FROM queue_messages WHERE topic = 'a' OR topic = 'b'"
#define PICK_ACME \
    "SELECT id FROM queue_messages WHERE tenant = 'acme' AND ( topic = 'a' OR topic = 'b')"
#define PICK_GLOBEX \
    "SELECT id FROM queue_messages WHERE tenant = 'globex' AND ( topic = 'a' OR topic = 'b')"
#define ADD                                                                                       \
    "INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) " \
    "VALUES ('g', 't', 'p', 1, 2)"
#define ADD_ACME                                                                              \
    "INSERT INTO queue_offsets (tenant, consumer_group, topic, partition_key, offset_acked, " \
    "updated_at) VALUES ('acme', 'g', 't', 'p', 1, 2)"

static struct gate gate;

static int open_gate(void **state)
{
    (void)state;
    gate_open(&gate, GATE_YAML);
    return 0;
}

static int close_gate(void **state)
{
    (void)state;
    gate_close(&gate);
    return 0;
}

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
    client_query(&gate, p, PICK);
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

/* The answer comes in two pieces, cut at every place. */
static void answers_may_be_cut_anywhere(void **state)
{
    (void)state;
    static const char *const want[] = { "x", "",
                                        "a longer row, so that there is something to cut" };
    struct slice rows[] = { slice_cstr(want[0]), slice_cstr(want[1]), slice_cstr(want[2]) };
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    struct buf answer;
    uint8_t seq = 1;
    buf_init(&answer);
    shard_rows(&answer, &seq, rows, 3, GATE_SHARD, IDLE_STATUS);
    for (size_t cut = 1; cut < buf_len(&answer); cut++) {
        client_query(&gate, p, PICK);
        shard_expect(shard, PICK_ACME);
        peer_send(shard, buf_begin(&answer), cut);
        gate_run(&gate);
        peer_send(shard, buf_begin(&answer) + cut, buf_len(&answer) - cut);
        gate_run(&gate);
        expect_rows(p, want, 3);
    }
    buf_fini(&answer);
}

/* With and without CLIENT_DEPRECATE_EOF on either side. */
static void ends_of_rows_are_translated(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        bool client_new = i & 1, shard_new = i & 2;
        struct gate g;
        gate_open(&g, GATE_YAML);
        uint32_t caps = client_new ? (uint32_t)GATE_CLIENT
                                   : (uint32_t)GATE_CLIENT & ~(uint32_t)CAP_DEPRECATE_EOF;
        if (!shard_new)
            g.shard_capabilities &= ~(uint32_t)CAP_DEPRECATE_EOF;
        /* The probe's connections greeted with the default: others take their place. */
        for (size_t s = 0; s < g.shard_count; s++)
            peer_close(&g.shards[s]);
        gate_run(&g);
        struct peer *p = client_connect(&g);
        assert_true(client_login(&g, p, "app", "mq@acme", caps));
        client_query(&g, p, PICK);
        shard_expect(gate_shard(&g, 0), PICK_ACME);
        gate_say_row(&g, gate_shard(&g, 0), "x", OPEN_STATUS);
        uint8_t seq = 3;
        expect_packet(p, 1);
        expect_packet(p, 2);
        if (!client_new)
            assert_int_equal(expect_packet(p, seq++).len, 5);
        assert_slice(expect_packet(p, seq++), SLICE_LIT("\1x"), "row");
        struct slice end = expect_packet(p, seq);
        assert_int_equal((uint8_t)end.data[0], 0xfe);
        if (client_new) {
            struct ok_packet ok;
            assert_true(ok_parse(end, caps, &ok));
            assert_int_equal(ok.status, OPEN_STATUS);
        } else {
            assert_slice(end, SLICE_LIT("\xfe\0\0\3\0"), "EOF");
        }
        expect_nothing(p);
        gate_close(&g);
        gate_now = &gate;
    }
}

static void send_large_row(struct peer *shard, size_t size)
{
    struct buf row, answer;
    uint8_t seq = 1;
    buf_init(&row);
    memset(buf_reserve(&row, size), 'r', size);
    buf_commit(&row, size);
    struct slice value = buf_slice(&row);
    buf_init(&answer);
    shard_rows(&answer, &seq, &value, 1, GATE_SHARD, IDLE_STATUS);
    peer_send_buf(shard, &answer);
    buf_fini(&row);
}

static void large_rows_pass(void **state)
{
    (void)state;
    static const size_t sizes[] = { 16000,         16380,        16384,          20000,
                                    65530,         1048600,      (1 << 24) - 10, (1 << 24) - 5,
                                    (1 << 24) + 9, (2 << 24) + 1 };
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        client_query(&gate, p, PICK);
        shard_expect(shard, PICK_ACME);
        send_large_row(shard, sizes[i]);
        gate_run(&gate);
        expect_packet(p, 1);
        expect_packet(p, 2);
        struct slice row = expect_packet(p, 3);
        struct reader r = reader_of(row.data, row.len);
        assert_int_equal(read_lenenc_slice(&r).len, sizes[i]);
        assert_int_equal(reader_left(&r), 0);
        uint8_t fragments = (uint8_t)(row.len / PACKET_MAX + 1);
        assert_int_equal((uint8_t)expect_packet(p, (uint8_t)(3 + fragments)).data[0], 0xfe);
    }
}

/* A row's header at the end of one read, its bytes in the next. */
static void a_large_row_may_begin_at_the_end_of_a_read(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    struct buf row, answer;
    uint8_t seq = 1;
    size_t size = 2 << 20;
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    buf_init(&row);
    memset(buf_reserve(&row, size), 'r', size);
    buf_commit(&row, size);
    struct slice value = buf_slice(&row);
    buf_init(&answer);
    shard_rows(&answer, &seq, &value, 1, GATE_SHARD, IDLE_STATUS);
    size_t head = 0;
    for (int i = 0; i < 2; i++)
        head += PACKET_HEADER + packet_length(buf_begin(&answer) + head);
    head += PACKET_HEADER;
    peer_send(shard, buf_begin(&answer), head);
    gate_run(&gate);
    peer_send(shard, buf_begin(&answer) + head, buf_len(&answer) - head);
    gate_run(&gate);
    expect_packet(p, 1);
    expect_packet(p, 2);
    assert_int_equal(expect_packet(p, 3).len, size + 4);
    assert_int_equal((uint8_t)expect_packet(p, 4).data[0], 0xfe);
    buf_fini(&row);
    buf_fini(&answer);
}

/* A client that does not read stops its shard, not the worker, and costs little memory. */
static void a_client_that_does_not_read_stops_its_shard(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    size_t size = 8 << 20;
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    p->deaf = true;
    send_large_row(shard, size);
    gate_run(&gate);
    struct session *s = session_of_node(list_first(&gate.worker->sessions));
    assert_non_null(s);
    assert_true(buf_len(&shard->unsent) > size / 2);
    /* Others are served meanwhile. */
    struct peer *other = login(&gate, "mq@globex");
    client_query(&gate, other, PICK);
    shard_expect(gate_shard(&gate, 1), PICK_GLOBEX);
    p->deaf = false;
    gate_run(&gate);
    expect_packet(p, 1);
    expect_packet(p, 2);
    assert_int_equal(expect_packet(p, 3).len, size + 4);
    assert_int_equal((uint8_t)expect_packet(p, 4).data[0], 0xfe);
}

/* The same when the answer before was not read either. */
static void unread_answers_hold_the_next_one_back(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    p->deaf = true;
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    send_large_row(shard, GATE_PIPE + 1000); /* a little more than the pipe holds */
    gate_run(&gate);
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    send_large_row(shard, 8 << 20);
    gate_run(&gate);
    assert_true(buf_len(&shard->unsent) > 4 << 20);
    p->deaf = false;
    gate_run(&gate);
    for (int i = 0; i < 2; i++) {
        for (uint8_t seq = 1; seq <= 4; seq++)
            expect_packet(p, seq);
    }
}

static void errors_amid_rows(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    struct buf answer;
    uint8_t seq = 1;
    struct slice rows[] = { SLICE_LIT("x"), SLICE_LIT("y") };
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    buf_init(&answer);
    shard_rows(&answer, &seq, rows, 2, GATE_SHARD, IDLE_STATUS);
    size_t last = PACKET_HEADER + 7; /* the closing packet */
    answer.end -= last;
    seq--;
    shard_err(&answer, &seq, 1317, "70100", "Query execution was interrupted");
    peer_send_buf(shard, &answer);
    gate_run(&gate);
    for (uint8_t i = 1; i <= 4; i++)
        expect_packet(p, i);
    expect_err(p, 5, 1317, "Query execution was interrupted");
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME); /* the same backend goes on */
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(p);
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

static void pipelined_commands_are_answered_in_order(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_command(p, COM_QUERY, SLICE_LIT(PICK));
    client_command(p, COM_PING, SLICE_LIT(""));
    client_command(p, COM_QUERY, SLICE_LIT(PICK));
    client_command(p, COM_INIT_DB, SLICE_LIT("mq@globex"));
    client_command(p, COM_PING, SLICE_LIT(""));
    gate_run(&gate);
    shard_expect(shard, PICK_ACME);
    expect_nothing(shard);
    gate_say_err(&gate, shard, 1146, "first");
    expect_err(p, 1, 1146, "first");
    expect_ok(p);
    shard_expect(shard, PICK_ACME);
    gate_say_err(&gate, shard, 1146, "second");
    expect_err(p, 1, 1146, "second");
    expect_err(p, 1, 1105, "MQ"); /* acme was chosen at login */
    expect_ok(p);
    expect_nothing(p);
}

/* A command of some size behind another one: reading goes on once it is its turn. */
static void a_large_command_may_be_pipelined(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    struct buf text;
    buf_init(&text);
    buf_append_cstr(&text, "SELECT id FROM queue_messages WHERE topic = '");
    memset(buf_reserve(&text, 3 << 20), 't', 3 << 20);
    buf_commit(&text, 3 << 20);
    buf_append_cstr(&text, "'");
    client_command(p, COM_QUERY, SLICE_LIT(PICK));
    client_command(p, COM_QUERY, buf_slice(&text));
    gate_run(&gate);
    shard_expect(shard, PICK_ACME);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(p);
    assert_true(shard_expect_command(shard, COM_QUERY).len > 3 << 20);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(p);
    buf_fini(&text);
}

/* Statements of several packets: the tenant's condition may make one more of them. */
static void commands_above_16_mib(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    static const size_t sizes[] = { PACKET_MAX - 60, PACKET_MAX + 100 };
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct buf text, answer;
        buf_init(&text);
        buf_append_cstr(&text, "DELETE FROM queue_messages WHERE payload = '");
        size_t fill = sizes[i] - buf_len(&text) - 1;
        memset(buf_reserve(&text, fill), 't', fill);
        buf_commit(&text, fill);
        buf_append_cstr(&text, "'");
        client_command(p, COM_QUERY, buf_slice(&text));
        gate_run(&gate);
        struct packet packet;
        assert_true(peer_packet(shard, &packet));
        assert_true(packet.payload.len > sizes[i]);
        uint8_t seq = (uint8_t)(packet.last_seq + 1);
        buf_init(&answer);
        shard_ok(&answer, &seq, &(struct ok_packet){ .status = IDLE_STATUS });
        peer_send_buf(shard, &answer);
        gate_run(&gate);
        expect_packet(p, (uint8_t)((sizes[i] + 1) / PACKET_MAX + 1));
        buf_fini(&text);
    }
}

static void too_large_commands_are_refused(void **state)
{
    (void)state;
    struct gate g;
    gate_open(&g, GATE_YAML "limits: {max_statement_size: 1MiB}\n");
    struct peer *p = login(&g, "mq@acme");
    struct buf text;
    buf_init(&text);
    memset(buf_reserve(&text, 4 << 20), 't', 4 << 20);
    buf_commit(&text, 4 << 20);
    client_command(p, COM_QUERY, buf_slice(&text));
    gate_run(&g);
    expect_err(p, 1, 1153, "MQ");
    assert_int_equal(buf_len(&p->unsent),
                     0); /* all was taken, so that the client sees the answer */
    assert_false(p->closed);
    gate_pass_time(&g, 10000);
    assert_true(p->closed);
    buf_fini(&text);
    gate_close(&g);
    gate_now = &gate;
}

/* ---- transactions ---- */

static void begin_travels_with_the_first_statement(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, "BEGIN");
    assert_int_equal(expect_ok(p).status, OPEN_STATUS);
    expect_nothing(shard);
    client_query(&gate, p, ADD);
    shard_expect(shard, "BEGIN");
    shard_expect(shard, ADD_ACME);
    shard_say_ok(shard, OPEN_STATUS);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(p);
    expect_nothing(p);
    /* Another session needs another backend. */
    struct peer *other = login(&gate, "mq@acme");
    client_query(&gate, other, PICK);
    assert_ptr_not_equal(gate_shard(&gate, 0), shard);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
    client_query(&gate, p, "COMMIT");
    shard_expect(shard, "COMMIT");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(p);
}

/* The shard answers outside the transaction that the client knows itself in. */
static void a_pending_begin_shows_in_every_status(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme");
    const struct slice one[] = { SLICE_LIT("1") };
    client_query(&gate, p, "BEGIN");
    expect_ok(p);
    client_query(&gate, p, "SELECT 1");
    struct peer *shard = gate_asked(&gate);
    shard_expect(shard, "SELECT 1");
    struct buf answer;
    uint8_t seq = 1;
    buf_init(&answer);
    shard_rows(&answer, &seq, one, 1, GATE_CLIENT, IDLE_STATUS);
    peer_send_buf(shard, &answer);
    gate_run(&gate);
    for (seq = 1; seq <= 3; seq++)
        expect_packet(p, seq);
    struct ok_packet ok;
    assert_true(ok_parse(expect_packet(p, 4), GATE_CLIENT, &ok));
    assert_int_equal(ok.status, OPEN_STATUS);
    client_query(&gate, p, "ROLLBACK");
    assert_int_equal(expect_ok(p).status, IDLE_STATUS);
}

static void a_pipelined_begin_may_be_answered_in_pieces(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    struct buf answer;
    uint8_t seq = 1;
    buf_init(&answer);
    shard_ok(&answer, &seq, &(struct ok_packet){ .status = OPEN_STATUS });
    seq = 1;
    shard_ok(&answer, &seq, &(struct ok_packet){ .status = OPEN_STATUS, .affected_rows = 1 });
    for (size_t cut = 1; cut < buf_len(&answer); cut++) {
        client_query(&gate, p, "BEGIN");
        client_query(&gate, p, ADD);
        peer_send(shard, buf_begin(&answer), cut);
        gate_run(&gate);
        peer_send(shard, buf_begin(&answer) + cut, buf_len(&answer) - cut);
        gate_run(&gate);
        expect_ok(p);
        assert_int_equal(expect_ok(p).affected_rows, 1);
        client_query(&gate, p, "ROLLBACK");
        shard_expect(shard, "BEGIN");
        shard_expect(shard, ADD_ACME);
        shard_expect(shard, "ROLLBACK");
        gate_say_ok(&gate, shard, IDLE_STATUS);
        expect_ok(p);
    }
    buf_fini(&answer);
}

static void begin_transaction(struct peer *p, struct peer *shard)
{
    client_query(&gate, p, "BEGIN");
    client_query(&gate, p, ADD);
    shard_expect(shard, "BEGIN");
    shard_expect(shard, ADD_ACME);
    shard_say_ok(shard, OPEN_STATUS);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(p);
    expect_ok(p);
}

static void a_vanished_client_is_rolled_back(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    begin_transaction(p, shard);
    peer_close(p);
    gate_run(&gate);
    shard_expect(shard, "ROLLBACK");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    struct peer *next = login(&gate, "mq@acme");
    client_query(&gate, next, PICK);
    shard_expect(shard, PICK_ACME);
    assert_false(shard->closed);
}

static void a_client_that_vanishes_while_a_statement_runs(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    peer_close(p);
    gate_run(&gate);
    assert_true(shard->closed);
}

static void a_transaction_has_one_tenant(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, "SET @mq_tenant = 'acme'");
    expect_ok(p);
    begin_transaction(p, shard);
    client_query(&gate, p, "SET @mq_tenant = 'globex'");
    expect_ok(p);
    client_query(&gate, p, PICK);
    expect_err(p, 1, 1105, "MQ3014");
    expect_nothing(shard);
    expect_nothing(gate_shard(&gate, 1));
}

static void a_lost_shard_is_told_once(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    begin_transaction(p, shard);
    peer_close(shard);
    gate_run(&gate);
    expect_nothing(p);
    client_query(&gate, p, ADD);
    expect_err(p, 1, 1158, "MQ5002");
    client_query(&gate, p, "SELECT DATABASE()");
    for (uint8_t seq = 1; seq <= 3; seq++)
        expect_packet(p, seq);
    struct ok_packet ok;
    assert_true(ok_parse(expect_packet(p, 4), GATE_CLIENT, &ok));
    assert_int_equal(ok.status, IDLE_STATUS);
}

/* An error under autocommit=0 does not tell whether a transaction is open. */
static void errors_without_autocommit_leave_nothing_behind(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, "SET autocommit = 0");
    assert_int_equal(expect_ok(p).status, 0);
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    gate_say_err(&gate, shard, 1317, "interrupted");
    expect_err(p, 1, 1317, "interrupted");
    shard_expect_command(shard, COM_PING);
    gate_say_ok(&gate, shard, 0);
    expect_nothing(p);
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    gate_say_err(&gate, shard, 1062, "duplicate");
    expect_err(p, 1, 1062, "duplicate");
    shard_expect_command(shard, COM_PING);
    gate_say_ok(&gate, shard, STATUS_IN_TRANS); /* it has opened one all the same */
    client_query(&gate, p, "COMMIT");
    shard_expect(shard, "COMMIT");
    gate_say_ok(&gate, shard, 0);
    expect_ok(p);
    struct peer *next = login(&gate, "mq@acme");
    client_query(&gate, next, PICK);
    assert_slice(buf_slice(&gate.set), SLICE_LIT("SET autocommit = DEFAULT"), "sync");
}

static void isolation_of_the_next_transaction_only(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    expect_ok(p);
    client_query(&gate, p, "BEGIN");
    expect_ok(p);
    client_query(&gate, p, ADD);
    assert_slice(buf_slice(&gate.set), SLICE_LIT("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"),
                 "once");
    buf_clear(&gate.set);
    shard_expect(shard, "BEGIN");
    shard_expect(shard, ADD_ACME);
    shard_say_ok(shard, OPEN_STATUS);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(p);
    client_query(&gate, p, "ROLLBACK");
    shard_expect(shard, "ROLLBACK");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(p);
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    assert_int_equal(buf_len(&gate.set), 0);
}

/* They are of the transaction that is lost, not of the next one. */
static void savepoints_are_lost_with_their_shard(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, "BEGIN");
    expect_ok(p);
    client_query(&gate, p, "SAVEPOINT a");
    expect_ok(p);
    client_query(&gate, p, ADD);
    shard_expect(shard, "BEGIN");
    gate_say_ok(&gate, shard, OPEN_STATUS);
    shard_expect(shard, "SAVEPOINT `a`");
    peer_close(shard);
    gate_run(&gate);
    expect_err(p, 1, 1158, "MQ5002");
    client_query(&gate, p, "SET autocommit = 0");
    expect_ok(p);
    client_query(&gate, p, "ROLLBACK TO a");
    expect_err(p, 1, 1305, "MQ");
    client_query(&gate, p, ADD);
    shard_expect(gate_shard(&gate, 0), ADD_ACME);
}

/* COMMIT may have failed either way: what the next transaction may be told depends on it. */
static void a_commit_that_failed_before_begin(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    static const char *const ends[] = { "BEGIN", "COMMIT AND CHAIN", "COMMIT" };
    for (size_t i = 0; i < COUNT(ends); i++) {
        client_query(&gate, p, "BEGIN");
        expect_ok(p);
        client_query(&gate, p, ADD);
        shard_expect(shard, "BEGIN");
        shard_expect(shard, ADD_ACME);
        shard_say_ok(shard, OPEN_STATUS);
        gate_say_ok(&gate, shard, OPEN_STATUS);
        expect_ok(p);
        client_query(&gate, p, ends[i]);
        shard_expect(shard, "COMMIT");
        gate_say_err(&gate, shard, 1180, "Got error 28 during COMMIT");
        expect_err(p, 1, 1180, "Got");
        shard_expect_command(shard, COM_PING);
        gate_say_ok(&gate, shard, IDLE_STATUS);
        client_command(p, COM_PING, slice_of("", 0));
        gate_run(&gate);
        assert_int_equal(expect_ok(p).status, IDLE_STATUS);
        client_query(&gate, p, "SET TRANSACTION READ WRITE");
        expect_ok(p);
        client_query(&gate, p, "ROLLBACK"); /* forgets it */
        expect_ok(p);
        expect_nothing(shard);
    }
}

/* ---- state ---- */

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
    struct gate g;
    gate_open(&g, GATE_YAML "default_tenant: acme\n");
    struct peer *p = login(&g, "mq");
    client_query(&g, p, "SET @mq_tenant = 'globex'");
    expect_ok(p);
    client_command(p, COM_RESET_CONNECTION, SLICE_LIT(""));
    gate_run(&g);
    expect_ok(p);
    client_query(&g, p, PICK);
    expect_err(p, 1, 1105, "MQ3");
    expect_nothing(gate_shard(&g, 0));
    gate_close(&g);
    gate_now = &gate;
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

/* ---- shards that fail ---- */

static void shards_that_close_at_each_step(void **state)
{
    (void)state;
    for (int step = 0; step < 6; step++) {
        struct gate g;
        gate_open(&g, GATE_YAML);
        for (size_t i = 0; i < g.shard_count; i++)
            peer_close(&g.shards[i]);
        gate_run(&g);
        g.by_hand = true;
        struct peer *p = login(&g, "mq@acme");
        client_query(&g, p, PICK);
        for (int i = 0; i <= step; i++) {
            struct peer *shard = gate_shard(&g, 0);
            assert_non_null(shard);
            if (i == step) {
                peer_close(shard);
            } else if (i == 0) {
                shard_greet(&g, shard);
            } else if (i == 1) {
                expect_packet(shard, 1);
                peer_send_packet(shard, 2, SLICE_LIT("\0\0\0\2\0\0\0"));
            } else if (i == 2) {
                shard_expect(shard, "SELECT @@sql_mode, @@hostname, @@port, "
                                    "@@global.character_set_client, "
                                    "@@global.collation_connection");
                shard_say_row(&g, shard, SLICE_LIT(""));
            } else if (i == 3) {
                assert_true(shard_take_set(&g, shard));
            } else {
                shard_expect(shard, PICK_ACME);
                peer_send(shard, "\1\0\0\1\1", 5);
            }
            gate_run(&g);
        }
        if (step < 3) { /* nothing was asked of it: the wait is over */
            expect_err(p, 1, 1160, "MQ5001");
        } else if (step == 3) { /* not a byte of the statement was sent: once more */
            g.refuse_connections = true;
            assert_non_null(gate_shard(&g, 0));
            peer_close(gate_shard(&g, 0));
            gate_run(&g);
            expect_err(p, 1, 1160, "MQ5001");
        } else if (step == 4) { /* it may have run */
            expect_err(p, 1, 1158, "MQ5002");
        } else {
            gate_run(&g);
            assert_true(p->closed);
        }
        gate_close(&g);
    }
    gate_now = &gate;
}

static void shards_that_do_not_speak_the_protocol(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        const char *bytes;
        size_t len;
        bool told; /* else the connection is closed */
    } cases[] = {
        { "an empty packet", "\0\0\0\1", 4, true },
        { "LOCAL INFILE", "\2\0\0\1\xfb/", 6, true },
        { "two answers", "\7\0\0\1\0\0\0\2\0\0\0\7\0\0\1\0\0\0\2\0\0\0", 22, false },
        { "an OK cut short", "\2\0\0\1\0\0", 6, true },
        { "a column and an empty row", "\1\0\0\1\1\3\0\0\2def\0\0\0\3", 16, false },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct peer *p = login(&gate, "mq@acme");
        client_query(&gate, p, PICK);
        struct peer *shard = gate_shard(&gate, 0);
        shard_expect(shard, PICK_ACME);
        peer_send(shard, cases[i].bytes, cases[i].len);
        gate_run(&gate);
        if (!shard->closed)
            fail_msg("%s: the backend is kept", cases[i].why);
        if (cases[i].told)
            expect_err(p, 1, 1835, "MQ5004");
        else
            assert_true(p->closed);
    }
}

/* What one session's broken answer left half made never reaches another's. */
static void a_broken_answer_leaves_nothing_behind(void **state)
{
    (void)state;
    static const char *const rows[] = { "y" };
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    struct buf answer;
    uint8_t seq = 1;
    struct slice row = SLICE_LIT("secret");
    buf_init(&answer);
    shard_rows(&answer, &seq, &row, 1, GATE_SHARD, IDLE_STATUS);
    answer.end -= PACKET_HEADER + 7;
    buf_append(&answer, "\0\0\0\4", 4);
    peer_send_buf(shard, &answer);
    gate_run(&gate);
    assert_true(p->closed);
    p = login(&gate, "mq@acme");
    client_query(&gate, p, PICK);
    shard = gate_shard(&gate, 0);
    shard_expect(shard, PICK_ACME);
    gate_say_row(&gate, shard, "y", IDLE_STATUS);
    expect_rows(p, rows, 1);
}

static void an_answer_before_the_end_of_the_command(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    shard->deaf = true;
    struct buf text;
    buf_init(&text);
    buf_append_cstr(&text, "SELECT id FROM queue_messages WHERE topic = '");
    memset(buf_reserve(&text, 4 << 20), 't', 4 << 20);
    buf_commit(&text, 4 << 20);
    buf_append_cstr(&text, "'");
    client_command(p, COM_QUERY, buf_slice(&text));
    gate_run(&gate);
    gate_say_err(&gate, shard, 1153, "Got a packet bigger than 'max_allowed_packet' bytes");
    expect_err(p, 1, 1153, "Got a packet");
    shard->deaf = false;
    gate_run(&gate);
    assert_true(shard->closed);
    buf_fini(&text);
}

static void idle_backends_that_died_are_replaced(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *dead = gate_shard(&gate, 0);
    peer_close(dead);
    gate_clock_ms += 1000; /* nobody has looked yet */
    client_query(&gate, p, PICK);
    assert_ptr_not_equal(gate_shard(&gate, 0), dead);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
}

/* ---- statements for every shard ---- */

static void ddl_runs_on_every_shard(void **state)
{
    (void)state;
    struct peer *p = client_connect(&gate);
    assert_true(client_login(&gate, p, "admin", "mq", GATE_CLIENT));
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
    struct peer *p = client_connect(&gate);
    assert_true(client_login(&gate, p, "admin", "mq@acme", GATE_CLIENT));
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

/* ---- reload and end ---- */

static void reload(struct gate *g, const char *yaml)
{
    struct err e;
    struct topology *topology = gate_topology(yaml);
    struct tenant_map *tenants;
    assert_int_equal(topology_hash_tenants(topology, &tenants, &e), MQ_OK);
    struct deployment *d = gate_deployment(topology);
    worker_deploy(g->worker, d, tenants, 0);
    deployment_release(d);
    tenant_map_release(tenants);
    gate_run(g);
}

/* The shards change their numbers; a transaction stays where it began. */
static void a_reload_under_a_transaction(void **state)
{
    (void)state;
    static const char turned[] =
        "keyspace: {name: mq, aliases: [queue], database: shard, shards: "
        "{\"80-\": \"127.0.0.1:2\", \"40-80\": \"127.0.0.1:3\", \"-40\": \"127.0.0.1:1\"}}\n"
        "accounts: {app: {password: secret}}\n"
        "tenants: [acme, globex]\n";
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    begin_transaction(p, shard);
    reload(&gate, GATE_YAML);
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_ACME);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(p);
    reload(&gate, turned); /* -80 is no more: the tenant is elsewhere now */
    client_query(&gate, p, PICK);
    expect_err(p, 1, 1105, "MQ3014");
    client_query(&gate, p, "ROLLBACK");
    shard_expect(shard, "ROLLBACK");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(p);
    assert_true(shard->closed || (gate_run(&gate), shard->closed));
    client_query(&gate, p, PICK);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
}

/* Those who wait for a backend of the old deployment still get one. */
static void a_reload_under_a_wait(void **state)
{
    (void)state;
    for (size_t i = 0; i < gate.shard_count; i++)
        peer_close(&gate.shards[i]);
    gate_run(&gate);
    struct peer *p = login(&gate, "mq@acme");
    gate.by_hand = true;
    client_query(&gate, p, PICK);
    reload(&gate, GATE_YAML);
    gate.by_hand = false;
    gate_run(&gate);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
    gate_say_ok(&gate, gate_shard(&gate, 0), IDLE_STATUS);
    expect_ok(p);
    client_query(&gate, p, PICK);
    shard_expect(gate_shard(&gate, 0), PICK_ACME);
}

static void draining_ends_sessions_between_statements(void **state)
{
    (void)state;
    struct peer *idle = login(&gate, "mq@acme"), *busy = login(&gate, "mq@acme");
    struct peer *shard = gate_shard(&gate, 0);
    client_query(&gate, busy, PICK);
    shard_expect(shard, PICK_ACME);
    worker_drain(gate.worker);
    gate_run(&gate);
    expect_err(idle, 0, 1053, "MQ");
    assert_true(idle->closed);
    gate_say_ok(&gate, shard, IDLE_STATUS);
    expect_ok(busy);
    gate_pass_time(&gate, 200);
    expect_err(busy, 0, 1053, "MQ");
    assert_true(busy->closed);
}

static void held_behind_a_command_of_its_own(void **state)
{
    (void)state;
    struct gate g;
    gate_open(&g, GATE_YAML);
    g.worker->dialect_known = false;
    struct peer *p = login(&g, "mq@acme");
    g.by_hand = true;
    /* Kept while held, then one that holds again behind one that does not. */
    client_command(p, COM_QUERY, SLICE_LIT(PICK));
    client_command(p, COM_PING, SLICE_LIT(""));
    client_command(p, COM_QUERY, SLICE_LIT(PICK));
    gate_run(&g);
    g.by_hand = false;
    gate_run(&g);
    for (int i = 0; i < 2; i++) {
        struct peer *shard = gate_asked(&g);
        shard_expect(shard, PICK_ACME);
        g.worker->dialect_known = false;
        gate_say_ok(&g, shard, IDLE_STATUS);
        expect_ok(p);
        if (i == 0)
            expect_ok(p);
    }
    gate_close(&g);
    gate_now = &gate;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, open_gate, close_gate)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(login_needs_the_password),
        TEST(a_statement_goes_to_the_tenants_shard),
        TEST(without_a_tenant_it_is_refused),
        TEST(answers_may_be_cut_anywhere),
        TEST(ends_of_rows_are_translated),
        TEST(large_rows_pass),
        TEST(a_large_row_may_begin_at_the_end_of_a_read),
        TEST(a_client_that_does_not_read_stops_its_shard),
        TEST(unread_answers_hold_the_next_one_back),
        TEST(errors_amid_rows),
        TEST(a_duplicate_key_is_told_without_the_tenant),
        TEST(pipelined_commands_are_answered_in_order),
        TEST(a_large_command_may_be_pipelined),
        TEST(commands_above_16_mib),
        TEST(too_large_commands_are_refused),
        TEST(begin_travels_with_the_first_statement),
        TEST(a_pipelined_begin_may_be_answered_in_pieces),
        TEST(a_vanished_client_is_rolled_back),
        TEST(a_client_that_vanishes_while_a_statement_runs),
        TEST(a_transaction_has_one_tenant),
        TEST(a_pending_begin_shows_in_every_status),
        TEST(a_lost_shard_is_told_once),
        TEST(errors_without_autocommit_leave_nothing_behind),
        TEST(isolation_of_the_next_transaction_only),
        TEST(savepoints_are_lost_with_their_shard),
        TEST(a_commit_that_failed_before_begin),
        TEST(reset_keeps_what_the_login_chose),
        TEST(reset_forgets_a_tenant_that_was_set),
        TEST(variables_follow_the_session),
        TEST(flags_follow_the_session),
        TEST(a_set_that_a_shard_refuses_changes_nothing),
        TEST(a_value_with_a_nul_is_refused),
        TEST(what_stays_off_is_answered_here),
        TEST(a_set_that_fails_keeps_the_tenant),
        TEST(what_might_not_be_ascii_wants_a_strict_mode),
        TEST(shards_that_close_at_each_step),
        TEST(shards_that_do_not_speak_the_protocol),
        TEST(a_broken_answer_leaves_nothing_behind),
        TEST(an_answer_before_the_end_of_the_command),
        TEST(idle_backends_that_died_are_replaced),
        TEST(ddl_runs_on_every_shard),
        TEST(ddl_commits_first),
        TEST(a_reload_under_a_transaction),
        TEST(a_reload_under_a_wait),
        TEST(draining_ends_sessions_between_statements),
        TEST(held_behind_a_command_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
