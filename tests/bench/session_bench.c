/* What a statement costs from the client's bytes to the end of its answer, without sockets: a worker
 * in memory, and shards whose answers are ready. All statements are like ones seen before, and the
 * client does not know CLIENT_DEPRECATE_EOF, as sysbench's does not.
 *
 * Between measure_begin() and measure_end() run CALLS statements of a kind, for
 * tests/bench/instructions, which counts what happens below on_ready(); prints what was measured,
 * in order. */
#include "tests/unit/proxy/gate.h"
#include "wire/stmt.h"

enum { CALLS = 200, WARM = 20, THEIR_ID = 1, MOST_COLUMNS = 6, MOST_PARAMS = 7, TEXT_MAX = 1024 };

#define SELECTED "SELECT offset, id, payload, metadata, published_at, failure_count FROM queue_messages "
#define OF_PARTITION "WHERE topic = 'bench' AND partition_key = 'partition-07' AND "
#define OF_ANY_PARTITION "WHERE topic = ? AND partition_key = ? AND "
#define INSERTED                                                                             \
    "INSERT INTO queue_messages (topic, partition_key, id, payload, metadata, created_at, " \
    "published_at, failed_at, failure_count, last_error, original_topic) VALUES "
#define PAYLOAD                                                                              \
    "01234567890123456789012345678901234567890123456789012345678901234567890123456789012345" \
    "67890123456789012345678901234567890123456789012345678901234567890123456789012345678901" \
    "2345678901234567890123456789"

static const struct workload {
    const char *name;
    const char *before, *behind; /* the text, but for the statement's number */
    const char *prepared;
    const char *params;     /* s: 'bench', p: a partition, m: a message's id, l: the payload, n: a number */
    size_t columns, rows;   /* of the answer; no columns: OK */
    bool transaction;
} workloads[] = {
    { "point", "SELECT payload FROM queue_messages " OF_PARTITION "id = 'message-", "'",
      "SELECT payload FROM queue_messages " OF_ANY_PARTITION "id = ?", "spm", 1, 1, false },
    { "poll", SELECTED OF_PARTITION "offset > ", " ORDER BY offset ASC LIMIT 10",
      SELECTED OF_ANY_PARTITION "offset > ? ORDER BY offset ASC LIMIT ?", "spnn", 6, 10, false },
    { "publish",
      INSERTED "('bench_publish', 'partition-07', 'message-", "', '" PAYLOAD "', "
               "'{\"source\": \"bench\"}', 1764500000000, 1764500000000, 0, 0, '', '') "
               "ON DUPLICATE KEY UPDATE id = id",
      INSERTED "(?, ?, ?, ?, ?, ?, ?, 0, 0, '', '') ON DUPLICATE KEY UPDATE id = id", "spmlsnn", 0, 0,
      true },
};

static const struct column_def columns[MOST_COLUMNS] = {
#define COLUMN(text, column_type)                                                                 \
    { .schema = SLICE_LIT("queue"), .table = SLICE_LIT("queue_messages"),                         \
      .org_table = SLICE_LIT("queue_messages"), .name = SLICE_LIT(text), .org_name = SLICE_LIT(text), \
      .charset = 45, .length = 255, .type = column_type }
    COLUMN("payload", TYPE_BLOB),        COLUMN("id", TYPE_VAR_STRING),
    COLUMN("offset", TYPE_LONGLONG),     COLUMN("metadata", TYPE_JSON),
    COLUMN("published_at", TYPE_LONGLONG), COLUMN("failure_count", TYPE_LONG),
#undef COLUMN
};

static const struct slice row[MOST_COLUMNS] = {
    SLICE_LIT(PAYLOAD),         SLICE_LIT("message-000123"), SLICE_LIT("123456"),
    SLICE_LIT("{\"source\": \"bench\"}"), SLICE_LIT("1764500000000"),  SLICE_LIT("0"),
};

struct bench {
    struct gate gate;
    struct peer *client;
    struct buf answer;   /* to the statement that is measured */
    struct buf prepared; /* to its PREPARE */
    uint32_t statement;  /* the client's number */
};

/* Marks for callgrind: counting begins at one and is written out at the other. */
__attribute__((noinline)) static void measure_begin(void)
{
    __asm__ volatile("# begin"); /* so that the two stay apart */
}

__attribute__((noinline)) static void measure_end(void)
{
    __asm__ volatile("# end");
}

/* ---- the shard's answers ---- */

static void make_answer(struct bench *b, const struct workload *w, bool binary)
{
    struct slice rows[10 * MOST_COLUMNS];
    uint8_t seq = 1;
    struct text_result result = { .columns = columns, .column_count = w->columns, .rows = rows,
                                  .row_count = w->rows };
    for (size_t i = 0; i < w->rows * w->columns; i++)
        rows[i] = row[i % w->columns];
    buf_clear(&b->answer);
    if (!w->columns)
        shard_ok(&b->answer, &seq,
                 &(struct ok_packet){ .affected_rows = 1, .last_insert_id = 1000007,
                                      .status = STATUS_AUTOCOMMIT | STATUS_IN_TRANS });
    else if (binary)
        binary_result_write(&b->answer, &seq, &result, GATE_SHARD, STATUS_AUTOCOMMIT, 0);
    else
        text_result_write(&b->answer, &seq, &result, GATE_SHARD, STATUS_AUTOCOMMIT, 0);
}

static void write_definitions(struct buf *out, uint8_t *seq, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t mark = packet_open(out);
        column_def_write(out, &columns[i % MOST_COLUMNS], 0);
        packet_close(out, mark, seq);
    }
}

/* The tenant is one parameter more. */
static void make_prepared(struct bench *b, const struct workload *w)
{
    uint8_t seq = 1;
    struct prepare_ok ok = { .statement_id = THEIR_ID, .columns = (uint16_t)w->columns,
                             .params = (uint16_t)(strlen(w->params) + 1) };
    buf_clear(&b->prepared);
    size_t mark = packet_open(&b->prepared);
    prepare_ok_write(&b->prepared, &ok);
    packet_close(&b->prepared, mark, &seq);
    write_definitions(&b->prepared, &seq, ok.params);
    write_definitions(&b->prepared, &seq, ok.columns);
}

static void answer_one(struct bench *b, struct peer *shard)
{
    struct packet p;
    GATE_REQUIRE(peer_packet(shard, &p));
    struct slice text = slice_of(p.payload.data + 1, p.payload.len - 1);
    if ((uint8_t)p.payload.data[0] == COM_STMT_PREPARE)
        peer_send(shard, buf_begin(&b->prepared), buf_len(&b->prepared));
    else if (slice_eq(text, SLICE_LIT("COMMIT")))
        shard_say_ok(shard, STATUS_AUTOCOMMIT);
    else if (slice_eq(text, SLICE_LIT("START TRANSACTION")) || slice_eq(text, SLICE_LIT("BEGIN")))
        shard_say_ok(shard, STATUS_AUTOCOMMIT | STATUS_IN_TRANS);
    else
        peer_send(shard, buf_begin(&b->answer), buf_len(&b->answer));
}

/* ---- the client's statements ---- */

static void run(struct bench *b)
{
    struct peer *shard;
    gate_run(&b->gate);
    while ((shard = gate_asked(&b->gate))) {
        answer_one(b, shard);
        gate_run(&b->gate);
    }
    GATE_REQUIRE(buf_len(&b->client->in));
    buf_clear(&b->client->in);
}

static void query(struct bench *b, const char *text)
{
    client_command(b->client, COM_QUERY, slice_cstr(text));
    run(b);
}

static void prepare(struct bench *b, const char *text)
{
    struct prepare_ok ok;
    struct packet p;
    client_command(b->client, COM_STMT_PREPARE, slice_cstr(text));
    gate_run(&b->gate);
    for (struct peer *shard; (shard = gate_asked(&b->gate)); gate_run(&b->gate))
        answer_one(b, shard);
    GATE_REQUIRE(peer_packet(b->client, &p) && prepare_ok_parse(p.payload, &ok));
    b->statement = ok.statement_id;
    buf_clear(&b->client->in);
}

static struct execute_param param(struct arena *arena, char kind, int number)
{
    switch (kind) {
    case 's':
        return execute_string(arena, SLICE_LIT("bench"));
    case 'p':
        return execute_string(arena, SLICE_LIT("partition-07"));
    case 'l':
        return execute_string(arena, SLICE_LIT(PAYLOAD));
    case 'm':
        return execute_string(arena, slice_cstr(arena_printf(arena, "message-%06d", number)));
    default: /* little-endian, as the protocol is */
        return (struct execute_param){
            .type = { TYPE_LONGLONG, 0 },
            .value = slice_of(memcpy(arena_zalloc(arena, 8), &number, sizeof number), 8),
        };
    }
}

static void execute(struct bench *b, const struct workload *w, int number)
{
    struct arena arena;
    struct execute_param params[MOST_PARAMS];
    struct buf payload;
    arena_init(&arena);
    buf_init(&payload);
    size_t count = strlen(w->params);
    for (size_t i = 0; i < count; i++)
        params[i] = param(&arena, w->params[i], number);
    execute_write(&payload, b->statement, 0, params, count);
    peer_send_packet(b->client, 0, buf_slice(&payload));
    run(b);
    buf_fini(&payload);
    arena_fini(&arena);
}

static void one(struct bench *b, const struct workload *w, bool prepared, int number)
{
    char text[TEXT_MAX];
    if (w->transaction)
        query(b, "START TRANSACTION");
    if (prepared) {
        execute(b, w, number);
    } else {
        snprintf(text, sizeof text, "%s%06d%s", w->before, number, w->behind);
        query(b, text);
    }
    if (w->transaction)
        query(b, "COMMIT");
}

static void measure(struct bench *b, const struct workload *w, bool prepared)
{
    make_answer(b, w, prepared);
    make_prepared(b, w);
    if (prepared)
        prepare(b, w->prepared);
    for (int i = 0; i < WARM; i++)
        one(b, w, prepared, i);
    measure_begin();
    for (int i = 0; i < CALLS; i++)
        one(b, w, prepared, 1000 + i);
    measure_end();
    printf("%s %s %d\n", w->name, prepared ? "prepared" : "text", w->transaction ? 3 * CALLS : CALLS);
}

int main(void)
{
    struct bench b = { 0 };
    gate_open(&b.gate, "keyspace: {name: queue, shards: {\"-\": \"127.0.0.1:1\"}}\n"
                       "accounts: {app: {password: secret}}\n"
                       "tenants: [bench]\n");
    b.client = client_connect(&b.gate);
    GATE_REQUIRE(client_login(&b.gate, b.client, "app", "queue@bench",
                              GATE_CLIENT & ~(uint64_t)CAP_DEPRECATE_EOF));
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        for (int prepared = 0; prepared < 2; prepared++)
            measure(&b, &workloads[i], prepared);
    buf_fini(&b.answer);
    buf_fini(&b.prepared);
    gate_close(&b.gate);
    return 0;
}
