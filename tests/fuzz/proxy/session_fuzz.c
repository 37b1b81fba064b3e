/* Whole sessions: whatever clients and shards send, in whatever pieces and order, ends in no
 * fault, and everything that was opened is closed at the end.
 *
 * The input is a script: a byte of settings, then steps. A step is a byte of what happens, a
 * byte of whose, and for some two bytes of length and a payload. */
#include "tests/fuzz/wire/fuzz.h"
#include "tests/unit/proxy/gate.h"

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
    STEP_KINDS,
};

enum { MOST_CLIENTS = 8, MOST_STEPS = 64 };

static struct topology *topologies[2], *topology; /* enforcing, warning; the one in use */

static struct peer *pick(struct peer *peers, size_t count, uint8_t whose)
{
    return count ? &peers[whose % count] : NULL;
}

/* Only what is asked for is written down; nobody looks at it. */
static void forget_input(struct gate *g)
{
    for (size_t i = 0; i < g->client_count; i++)
        buf_clear(&g->clients[i].in);
    for (size_t i = 0; i < g->shard_count; i++)
        if (g->shards[i].at >= SHARD_LOGGED_IN)
            buf_clear(&g->shards[i].in);
}

static void new_client(struct gate *g, uint8_t whose)
{
    static const char *const databases[] = { "mq@acme", "mq@globex", "mq", NULL };
    if (g->client_count == MOST_CLIENTS)
        return;
    uint32_t capabilities = whose & 4 ? GATE_CLIENT : GATE_CLIENT & ~(uint32_t)CAP_DEPRECATE_EOF;
    if (whose & 16)
        capabilities |= CAP_MULTI_STATEMENTS;
    client_login(g, client_connect(g), whose & 8 ? "admin" : "app", databases[whose & 3],
                 capabilities);
}

static void shard_result(struct peer *shard, struct slice bytes, enum step_kind kind, uint8_t whose)
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
        shard_rows(&b, &seq, &bytes, 1, GATE_SHARD, status);
    peer_send_buf(shard, &b);
}

static void reload(struct gate *g)
{
    struct deployment *d = deployment_create(topology_acquire(topology));
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
    else
        client->deaf = !client->deaf;
}

static void step_shard(struct gate *g, enum step_kind kind, uint8_t whose, struct reader *script)
{
    struct peer *shard = pick(g->shards, g->shard_count, whose & 0x3f);
    struct slice bytes = slice_of("", 0);
    if (kind == SHARD_BYTES || kind == SHARD_PACKET || kind == SHARD_ROWS)
        bytes = script_packet(script);
    if (!shard)
        return;
    if (kind == SHARD_BYTES)
        peer_send(shard, bytes.data, bytes.len);
    else if (kind == SHARD_PACKET)
        peer_send_packet(shard, bytes.len ? (uint8_t)bytes.data[0] & 15 : 1, bytes);
    else if (kind == SHARD_CLOSE)
        peer_close(shard);
    else
        shard_result(shard, bytes, kind, whose);
}

static void step(struct gate *g, struct reader *script)
{
    enum step_kind kind = read_u8(script) % STEP_KINDS;
    uint8_t whose = read_u8(script);
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
    }
    topology = topologies[(settings & 0x40) != 0];
    gate_open_with(&g, topology_acquire(topology));
    if (settings & 1)
        g.shard_capabilities &= ~(uint32_t)CAP_DEPRECATE_EOF;
    if (settings & 2)
        g.pipe = 512;
    g.observing = settings & 0x40;
    new_client(&g, settings >> 2);
    for (int i = 0; i < MOST_STEPS && reader_left(&script); i++) {
        step(&g, &script);
        gate_run(&g);
        forget_input(&g);
    }
    gate_close(&g);
    return 0;
}
