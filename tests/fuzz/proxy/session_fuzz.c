/* Whole sessions: whatever clients and shards send, in whatever pieces and order, ends in no
 * fault, and everything that was opened is closed at the end. As long as nobody has sent bytes of
 * his own making, the packets to each client are numbered as they have to be.
 *
 * The input is a script: a byte of settings, then steps. A step is a byte of what happens, a
 * byte of whose, and for some two bytes of length and a payload. */
#include "tests/fuzz/wire/fuzz.h"
#include "tests/unit/proxy/gate.h"
#include "wire/stmt.h"

enum step_kind {
    CLIENT_BYTES,
    CLIENT_COMMAND,
    SHARD_BYTES,
    SHARD_PACKET,
    SHARD_OK,
    SHARD_ERR,
    SHARD_ROWS,
    SHARD_CLOSE,
    CLIENT_CLOSE,
    CLIENT_DEAF,
    CLIENT_NEW,
    SHARDS_BY_HAND,
    TIME,
    RELOAD,
    CLIENT_OPENS,    /* and does not log in */
    CLIENT_SAYS,     /* one of the texts below */
    CLIENT_PREPARES, /* the same */
    CLIENT_EXECUTES, /* a number, flags and how its parameter comes, one byte each */
    CLIENT_FETCHES,  /* a number */
    SHARD_PREPARED,  /* a byte: parameters and columns */
    SHARD_MORE,      /* rows, and another result is to follow */
    SHARD_OPENED,    /* a cursor */
    SHARD_FETCHED,   /* a row of a cursor, maybe the last */
    SHARD_TELLS,     /* a byte: how many columns; a row of them, all the same */
    STEP_KINDS,
};

enum { MOST_CLIENTS = 8, MOST_STEPS = 64 };

/* What brings a session to its states quickly. */
static const char *const texts[] = {
    "SELECT 1",
    "BEGIN",
    "COMMIT",
    "DELETE FROM queue_offsets",
    "DELETE FROM queue_offsets WHERE topic = ?",
    "SELECT id, payload FROM queue_messages WHERE topic = ?",
    "SELECT LAST_INSERT_ID()",
    "SET autocommit = 0",
    "SET sql_mode = 'ANSI_QUOTES'",
    "SET @mq_tenant = 'globex'",
    "USE mq@acme",
    "SHOW WARNINGS",
    "BEGIN; SELECT 1; DELETE FROM queue_offsets; SHOW WARNINGS",
    "SAVEPOINT a",
    "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
    "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
    "LOAD DATA LOCAL INFILE 'f' INTO TABLE t",
    "KILL QUERY 1",
    "INSERT INTO queue_offsets VALUES ('g', ?, 'p', 1, 2)",
    "SELECT topic FROM queue_offsets WHERE topic = LAST_INSERT_ID()",
    "SELECT * FROM orders WHERE a = ?",
    "INSERT INTO orders VALUES (1)",
    "CREATE TEMPORARY TABLE t (a INT)",
    "SELECT FOUND_ROWS(), ROW_COUNT()",
    "CALL p()",
    "SET @a = 1, sql_select_limit = 5, tx_isolation = 'SERIALIZABLE'",
    "USE elsewhere",
    "DROP DATABASE elsewhere",
    "SELECT id FROM queue_messages",
    "LOCK TABLES orders READ",
    "SELECT @a := id FROM queue_messages",
    "INSERT INTO t VALUES (@a)",
};

/* By the highest bits of the settings: enforcing with shards' own name for the database; warning;
 * enforcing with the client's; beside an unsharded keyspace. */
static struct topology *topologies[4], *topology; /* the last: in use */
static bool honest;                               /* no step has sent what may be no packet */
static int last_numbers[GATE_PEERS];      /* of packets to each client; -1: still logging in */
static bool sends_attributes[GATE_PEERS]; /* with its texts */

static struct peer *pick(struct peer *peers, size_t count, uint8_t whose)
{
    return count ? &peers[whose % count] : NULL;
}

/* One answer after another: each packet has the next number, or begins anew. */
static void check_numbers(struct peer *client, int *last)
{
    struct packet p;
    while (peer_packet(client, &p)) {
        REQUIRE(p.first_seq <= 1 || *last < 0 || p.first_seq == (uint8_t)(*last + 1));
        *last = p.last_seq;
    }
}

/* Only what is asked for is written down. */
static void take_input(struct gate *g)
{
    for (size_t i = 0; i < g->client_count; i++) {
        if (honest)
            check_numbers(&g->clients[i], &last_numbers[i]);
        else
            buf_clear(&g->clients[i].in);
    }
    for (size_t i = 0; i < g->shard_count; i++)
        if (g->shards[i].at >= SHARD_LOGGED_IN)
            buf_clear(&g->shards[i].in);
}

static void new_client(struct gate *g, uint8_t whose)
{
    static const char *const databases[] = { "mq@acme", "mq@globex", "mq", NULL };
    if (g->client_count == MOST_CLIENTS)
        return;
    uint64_t capabilities = whose & 4 ? GATE_CLIENT : GATE_CLIENT & ~(uint64_t)CAP_DEPRECATE_EOF;
    if (whose & 16)
        capabilities |= CAP_MULTI_STATEMENTS;
    if (whose & 32)
        capabilities |= CAP_QUERY_ATTRIBUTES | CAP_SESSION_TRACK;
    if (whose & 64)
        capabilities |= CAP_LOCAL_FILES | CAP_FOUND_ROWS;
    if (whose & 128)
        capabilities |= CAP_IGNORE_SPACE;
    sends_attributes[g->client_count] = whose & 32;
    client_login(g, client_connect(g), whose & 8 ? "admin" : "app", databases[whose & 3],
                 capabilities);
}

static void client_says(struct peer *client, enum step_kind kind, uint8_t whose, bool attributes)
{
    struct buf body;
    buf_init(&body);
    if (attributes && kind == CLIENT_SAYS)
        buf_append(&body, "\0\1", 2); /* none */
    buf_append_cstr(&body, texts[(whose >> 3) % (sizeof texts / sizeof *texts)]);
    client_command(client, kind == CLIENT_SAYS ? COM_QUERY : COM_STMT_PREPARE, buf_slice(&body));
    buf_fini(&body);
}

static void client_executes(struct peer *client, struct reader *script)
{
    struct buf body;
    uint8_t how;
    buf_init(&body);
    write_u32(&body, read_u8(script));
    write_u8(&body, read_u8(script));
    write_u32(&body, 1);
    how = read_u8(script);
    if (how & 1)
        write_u8(&body, 1); /* query attributes count */
    write_u8(&body, how & 2 ? 1 : 0);
    write_u8(&body, how & 4 ? 0 : 1);
    if (!(how & 4))
        write_u16(&body, how & 8 ? TYPE_LONGLONG : TYPE_VAR_STRING);
    if ((how & 1) && !(how & 4))
        write_u8(&body, 0);
    if (how & 8)
        write_u64(&body, how);
    else if (!(how & 2))
        write_lenenc_slice(&body, SLICE_LIT("topic"));
    client_command(client, COM_STMT_EXECUTE, buf_slice(&body));
    buf_fini(&body);
}

static void client_fetches(struct peer *client, struct reader *script)
{
    struct buf body;
    buf_init(&body);
    write_u32(&body, read_u8(script));
    write_u32(&body, 2);
    client_command(client, COM_STMT_FETCH, buf_slice(&body));
    buf_fini(&body);
}

static void definitions(struct buf *b, uint8_t *seq, unsigned count, uint64_t capabilities)
{
    for (unsigned i = 0; i < count; i++) {
        size_t mark = packet_open(b);
        column_def_write(b,
                         &(struct column_def){ .name = SLICE_LIT("?"), .type = TYPE_VAR_STRING }, 0);
        packet_close(b, mark, seq);
    }
    if (count && !(capabilities & CAP_DEPRECATE_EOF)) {
        size_t mark = packet_open(b);
        eof_write(b, 0, STATUS_AUTOCOMMIT);
        packet_close(b, mark, seq);
    }
}

static void shard_prepared(struct gate *g, struct peer *shard, uint8_t counts)
{
    struct buf b;
    uint8_t seq = 1;
    struct prepare_ok ok = { .statement_id = counts,
                             .params = counts & 7,
                             .columns = (counts >> 3) & 7 };
    buf_init(&b);
    size_t mark = packet_open(&b);
    prepare_ok_write(&b, &ok);
    packet_close(&b, mark, &seq);
    definitions(&b, &seq, ok.params, g->shard_capabilities);
    definitions(&b, &seq, ok.columns, g->shard_capabilities);
    peer_send_buf(shard, &b);
}

/* The end of rows, or of what opens a cursor. */
static void rows_end(struct buf *b, uint8_t *seq, uint64_t capabilities, uint16_t status)
{
    size_t mark = packet_open(b);
    if (capabilities & CAP_DEPRECATE_EOF)
        ok_write(b, &(struct ok_packet){ .status = status }, 0xfe, GATE_SHARD);
    else
        eof_write(b, 0, status);
    packet_close(b, mark, seq);
}

static void shard_cursor(struct gate *g, struct peer *shard, enum step_kind kind, uint8_t whose)
{
    struct buf b;
    uint8_t seq = 1;
    bool last = kind == SHARD_FETCHED && (whose & 0x80);
    buf_init(&b);
    if (kind == SHARD_OPENED) {
        packet_append(&b, &seq, SLICE_LIT("\1"));
        definitions(&b, &seq, 1, CAP_DEPRECATE_EOF); /* one end stands for both */
    } else {
        packet_append(&b, &seq, SLICE_LIT("\0\0\1x"));
    }
    rows_end(&b, &seq, g->shard_capabilities,
             STATUS_AUTOCOMMIT | (last ? STATUS_LAST_ROW_SENT : STATUS_CURSOR_EXISTS));
    peer_send_buf(shard, &b);
}

static void shard_tells(struct gate *g, struct peer *shard, uint8_t count, struct slice value)
{
    enum { MOST = 8 };
    struct column_def columns[MOST];
    struct slice row[MOST];
    struct buf b;
    uint8_t seq = 1;
    for (int i = 0; i < MOST; i++) {
        columns[i] = (struct column_def){ .name = SLICE_LIT("c"), .type = TYPE_VAR_STRING };
        row[i] = value;
    }
    struct text_result result = {
        .columns = columns, .column_count = 1 + count % MOST, .rows = row, .row_count = 1
    };
    buf_init(&b);
    text_result_write(&b, &seq, &result, g->shard_capabilities, STATUS_AUTOCOMMIT, 0);
    peer_send_buf(shard, &b);
}

static void shard_result(struct gate *g, struct peer *shard, struct slice bytes,
                         enum step_kind kind, uint8_t whose)
{
    struct buf b;
    uint8_t seq = 1;
    uint16_t status = whose & 0x80 ? STATUS_AUTOCOMMIT : STATUS_AUTOCOMMIT | STATUS_IN_TRANS;
    buf_init(&b);
    if (kind == SHARD_OK)
        shard_ok(&b, &seq, &(struct ok_packet){ .status = status });
    else if (kind == SHARD_ERR)
        shard_err(&b, &seq, whose & 0x40 ? 1213 : 1062, "HY000",
                  "Duplicate entry 'acme-x' for key 'x'");
    else
        shard_rows(&b, &seq, &bytes, 1, g->shard_capabilities,
                   kind == SHARD_MORE ? status | STATUS_MORE_RESULTS : status);
    peer_send_buf(shard, &b);
}

static void reload(struct gate *g)
{
    struct deployment *d = gate_deployment(topology_acquire(topology));
    worker_deploy(g->worker, d, g->tenants, 0);
    deployment_release(d);
}

static void step_client(struct gate *g, enum step_kind kind, uint8_t whose, struct reader *script)
{
    struct peer *client = pick(g->clients, g->client_count, whose);
    struct slice bytes = slice_of("", 0);
    if (kind == CLIENT_BYTES || kind == CLIENT_COMMAND)
        bytes = script_packet(script);
    if (!client)
        return;
    if (kind == CLIENT_BYTES)
        peer_send(client, bytes.data, bytes.len);
    else if (kind == CLIENT_COMMAND)
        peer_send_packet(client, 0, bytes);
    else if (kind == CLIENT_CLOSE)
        peer_close(client);
    else if (kind == CLIENT_SAYS || kind == CLIENT_PREPARES)
        client_says(client, kind, whose, sends_attributes[client - g->clients]);
    else if (kind == CLIENT_EXECUTES)
        client_executes(client, script);
    else if (kind == CLIENT_FETCHES)
        client_fetches(client, script);
    else
        client->deaf = !client->deaf;
}

static void step_shard(struct gate *g, enum step_kind kind, uint8_t whose, struct reader *script)
{
    struct peer *shard = pick(g->shards, g->shard_count, whose & 0x3f);
    struct slice bytes = slice_of("", 0);
    uint8_t count = kind == SHARD_PREPARED || kind == SHARD_TELLS ? read_u8(script) : 0;
    if (kind == SHARD_BYTES || kind == SHARD_PACKET || kind == SHARD_ROWS || kind == SHARD_MORE ||
        kind == SHARD_TELLS)
        bytes = script_packet(script);
    if (!shard)
        return;
    if (kind == SHARD_BYTES)
        peer_send(shard, bytes.data, bytes.len);
    else if (kind == SHARD_PACKET)
        peer_send_packet(shard, bytes.len ? (uint8_t)bytes.data[0] & 15 : 1, bytes);
    else if (kind == SHARD_CLOSE)
        peer_close(shard);
    else if (kind == SHARD_PREPARED)
        shard_prepared(g, shard, count);
    else if (kind == SHARD_OPENED || kind == SHARD_FETCHED)
        shard_cursor(g, shard, kind, whose);
    else if (kind == SHARD_TELLS)
        shard_tells(g, shard, count, bytes);
    else
        shard_result(g, shard, bytes, kind, whose);
}

static void step(struct gate *g, struct reader *script)
{
    enum step_kind kind = read_u8(script) % STEP_KINDS;
    uint8_t whose = read_u8(script);
    honest &= kind != CLIENT_BYTES && kind != SHARD_BYTES && kind != SHARD_PACKET;
    switch (kind) {
    case CLIENT_NEW:
        new_client(g, whose);
        break;
    case SHARDS_BY_HAND:
        g->by_hand = !g->by_hand;
        break;
    case TIME:
        gate_pass_time(g, (uint64_t)whose * 100);
        break;
    case RELOAD:
        reload(g);
        break;
    case CLIENT_OPENS:
        if (g->client_count < MOST_CLIENTS)
            sends_attributes[client_connect(g) - g->clients] = false;
        break;
    case CLIENT_SAYS:
    case CLIENT_PREPARES:
    case CLIENT_EXECUTES:
    case CLIENT_FETCHES:
    case CLIENT_BYTES:
    case CLIENT_COMMAND:
    case CLIENT_CLOSE:
    case CLIENT_DEAF:
        step_client(g, kind, whose, script);
        break;
    default:
        step_shard(g, kind, whose, script);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct gate g;
    struct reader script = reader_of(data, size);
    uint8_t settings = read_u8(&script);
    if (!topologies[0]) {
        topologies[0] = gate_topology(GATE_YAML "pool: {max_per_shard: 2, max_statements: 2}\n");
        topologies[1] = gate_topology(GATE_OBSERVING_YAML("warn") "pool: {max_per_shard: 3}\n");
        topologies[2] = gate_topology(GATE_YAML_OF("mq") "pool: {max_per_shard: 2}\n");
        topologies[3] = gate_topology(GATE_UNSHARDED_YAML "pool: {max_per_shard: 2}\n");
    }
    topology = topologies[settings >> 6];
    honest = true;
    memset(last_numbers, -1, sizeof last_numbers);
    gate_open_with(&g, topology_acquire(topology));
    if (settings & 1)
        g.shard_capabilities &= ~(uint64_t)CAP_DEPRECATE_EOF;
    if (settings & 2)
        g.pipe = 512;
    new_client(&g, (settings >> 2) & 15);
    for (int i = 0; i < MOST_STEPS && reader_left(&script); i++) {
        step(&g, &script);
        gate_run(&g);
        take_input(&g);
    }
    gate_close(&g);
    return 0;
}
