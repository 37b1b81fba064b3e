/* A worker in memory: clients and shards are the far ends of memory pipes, which a test (or a
 * fuzzer) reads and writes as it likes. Shards log mqgate in and answer its own exchanges by
 * themselves, unless told otherwise; statements wait for the test.
 *
 *   client ══ io_memory ══ session ─ pool ─ backend ══ io_memory ══ shard
 */
#ifndef MQ_TESTS_GATE_H
#define MQ_TESTS_GATE_H

#include <event2/event.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "proxy/pool.h"
#include "proxy/session.h"
#include "proxy/worker.h"
#include "wire/command.h"
#include "wire/packet.h"
#include "wire/response.h"

/* Stays in every build, unlike CHECK. */
#define GATE_REQUIRE(condition) \
    ((condition) ? (void)0      \
                 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

/* acme lives on shard 0, globex on shard 1; clients know the shards' database as mq. */
#define GATE_YAML GATE_YAML_OF("shard")
#define GATE_YAML_OF(database)                                                      \
    "keyspace: {name: mq, aliases: [queue], database: " database ", shards: "       \
    "{\"-80\": \"127.0.0.1:1\", \"80-\": \"127.0.0.1:2\"}}\n"                       \
    "accounts: {app: {password: secret}, admin: {password: secret, administrator: " \
    "true}, narrow: {password: secret, databases: [queue]}}\n"                     \
    "tenants: [acme, globex]\n"

/* The same beside an unsharded keyspace. */
#define GATE_UNSHARDED_YAML \
    GATE_YAML "unsharded: {name: app, address: \"127.0.0.1:3\", database: app_db}\n"

/* One server with the legacy schema; mode is observe or warn. */
#define GATE_OBSERVING_YAML(mode)                                                         \
    "keyspace: {name: mq, aliases: [queue], shards: {\"-\": \"127.0.0.1:1\"}}\n"          \
    "accounts: {app: {password: secret}, admin: {password: secret, administrator: true}}\n" \
    "tenants: [acme, globex]\n"                                                           \
    "enforcement: " mode "\n"

enum {
    GATE_PEERS = 64,
    GATE_PIPE = 1 << 20,
    GATE_CLIENT = CAP_LONG_PASSWORD | CAP_PROTOCOL_41 | CAP_TRANSACTIONS | CAP_SECURE_CONNECTION |
                  CAP_PLUGIN_AUTH | CAP_DEPRECATE_EOF,
    GATE_SHARD = GATE_CLIENT | CAP_CONNECT_WITH_DB | CAP_LONG_FLAG | CAP_MULTI_RESULTS |
                 CAP_PS_MULTI_RESULTS | CAP_FOUND_ROWS | CAP_IGNORE_SPACE,
};

/* The test's end of a pipe. */
struct peer {
    struct io *io;
    struct buf in;     /* what came and was not looked at */
    struct buf unsent; /* what the pipe did not take yet */
    bool deaf;         /* does not read */
    bool closed;       /* mqgate closed its end */
    /* Shards. */
    uint32_t shard;
    uint8_t at; /* enum shard_at */
};

enum shard_at { SHARD_NEW, SHARD_GREETED, SHARD_LOGGED_IN, SHARD_READY };

struct gate {
    struct fleet fleet;
    struct worker *worker;
    struct topology *topology;
    struct deployment *deployment;
    struct tenant_map *tenants;
    struct peer clients[GATE_PEERS], shards[GATE_PEERS];
    size_t client_count, shard_count;
    /* What shards do. */
    uint64_t shard_capabilities;
    const char *shard_version;
    bool refuse_connections;
    bool read_only[GATE_PEERS], dead[GATE_PEERS]; /* by shard, or standby: by port - 1 */
    bool by_hand;        /* shards answer nothing by themselves */
    bool observing;      /* nor a SET, which is the client's own */
    struct buf set;      /* the last SET that a shard answered by itself */
    struct buf greeting; /* scratch */
    uint16_t shard_status;
    struct arrival arrival; /* of the next client */
    size_t pipe;
};

/* The clock and the way to the shards have no context: one gate at a time. */
static struct gate *gate_now;
static uint64_t gate_clock_ms = 1000000;

static inline uint64_t gate_clock(void)
{
    return gate_clock_ms;
}

static inline struct peer *gate_add(struct peer *peers, size_t *count, struct io *io)
{
    GATE_REQUIRE(*count < GATE_PEERS);
    struct peer *p = &peers[(*count)++];
    *p = (struct peer){ .io = io };
    return p;
}

static inline struct io *gate_connect(struct event_base *base, const struct sockaddr *address,
                                      socklen_t len)
{
    struct io *ends[2];
    (void)base;
    (void)len;
    if (gate_now->refuse_connections || gate_now->shard_count == GATE_PEERS)
        return NULL;
    uint32_t shard = ntohs(((const struct sockaddr_in *)(const void *)address)->sin_port) - 1u;
    if (gate_now->dead[shard])
        return NULL;
    io_memory_pair(gate_now->pipe, ends);
    struct peer *p = gate_add(gate_now->shards, &gate_now->shard_count, ends[1]);
    p->shard = shard;
    return ends[0];
}

/* ---- the test's ends ---- */

static inline void peer_flush(struct peer *p)
{
    struct iovec part = { buf_begin(&p->unsent), buf_len(&p->unsent) };
    ssize_t n = part.iov_len ? io_write(p->io, &part, 1) : 0;
    if (n > 0)
        buf_consume(&p->unsent, (size_t)n);
}

static inline void peer_send(struct peer *p, const void *bytes, size_t len)
{
    buf_append(&p->unsent, bytes, len);
    peer_flush(p);
}

static inline void peer_send_buf(struct peer *p, struct buf *b)
{
    peer_send(p, buf_begin(b), buf_len(b));
    buf_fini(b);
}

/* Takes what came; true when there was anything. */
static inline bool peer_drain(struct peer *p)
{
    char bytes[65536];
    if (p->deaf || p->closed)
        return false;
    ssize_t n = io_read(p->io, bytes, sizeof bytes);
    p->closed = n == 0;
    if (n > 0)
        buf_append(&p->in, bytes, (size_t)n);
    return n >= 0;
}

static inline void peer_close(struct peer *p)
{
    io_memory_close(p->io);
}

/* The next whole packet; its payload is valid until the next call for this peer. */
static inline bool peer_packet(struct peer *p, struct packet *ret)
{
    static struct buf joined;
    if (packet_next(buf_begin(&p->in), buf_len(&p->in), SIZE_MAX, &joined, ret, NULL) !=
        PACKET_COMPLETE) {
        buf_fini(&joined);
        return false;
    }
    buf_consume(&p->in, ret->wire_bytes);
    return true;
}

static inline void peer_send_packet(struct peer *p, uint8_t seq, struct slice payload)
{
    struct buf b;
    buf_init(&b);
    packet_append(&b, &seq, payload);
    peer_send_buf(p, &b);
}

/* ---- what shards say ---- */

static inline void shard_ok(struct buf *b, uint8_t *seq, const struct ok_packet *ok)
{
    size_t mark = packet_open(b);
    ok_write(b, ok, 0x00, GATE_SHARD);
    packet_close(b, mark, seq);
}

static inline void shard_err(struct buf *b, uint8_t *seq, uint16_t code, const char *state,
                             const char *message)
{
    struct err_packet e = { .code = code, .message = slice_cstr(message) };
    memcpy(e.sqlstate, state, 5);
    size_t mark = packet_open(b);
    err_write(b, &e, CAP_PROTOCOL_41);
    packet_close(b, mark, seq);
}

/* Rows of one column; the column belongs to the shard's own database. */
static inline void shard_rows(struct buf *b, uint8_t *seq, const struct slice *rows, size_t count,
                              uint64_t capabilities, uint16_t status)
{
    static const struct column_def column = {
        .schema = { "shard", 5 },
        .table = { "t", 1 },
        .org_table = { "t", 1 },
        .name = { "c", 1 },
        .org_name = { "c", 1 },
        .charset = 45,
        .length = 10,
        .type = TYPE_VAR_STRING,
    };
    struct text_result result = {
        .columns = &column, .column_count = 1, .rows = rows, .row_count = count
    };
    text_result_write(b, seq, &result, capabilities, status, 0);
}

static inline void shard_say_ok(struct peer *p, uint16_t status)
{
    struct buf b;
    uint8_t seq = 1;
    buf_init(&b);
    shard_ok(&b, &seq, &(struct ok_packet){ .status = status });
    peer_send_buf(p, &b);
}

static inline void shard_greet(struct gate *g, struct peer *p)
{
    struct greeting greeting = {
        .version = slice_cstr(g->shard_version),
        .connection_id = 7,
        .capabilities = g->shard_capabilities,
        .charset = 45,
        .status = STATUS_AUTOCOMMIT,
        .plugin = SLICE_LIT("mysql_native_password"),
    };
    memset(greeting.nonce, 'n', sizeof greeting.nonce);
    buf_clear(&g->greeting);
    greeting_write(&g->greeting, &greeting);
    peer_send_packet(p, 0, buf_slice(&g->greeting));
    p->at = SHARD_GREETED;
}

static inline bool begins(struct slice s, const char *text)
{
    size_t len = strlen(text);
    return s.len >= len && memcmp(s.data, text, len) == 0;
}

static inline void shard_say_row(struct gate *g, struct peer *p, struct slice mode)
{
    struct buf b;
    uint8_t seq = 1;
    buf_init(&b);
    shard_rows(&b, &seq, &mode, 1, g->shard_capabilities, STATUS_AUTOCOMMIT);
    peer_send_buf(p, &b);
    p->at = SHARD_READY;
}

/* Is this what was asked next? */
static inline bool shard_asked(struct peer *p, const char *payload, struct packet *ret)
{
    struct buf joined;
    buf_init(&joined);
    bool asked = packet_next(buf_begin(&p->in), buf_len(&p->in), SIZE_MAX, &joined, ret, NULL) ==
                     PACKET_COMPLETE &&
                 begins(ret->payload, payload);
    buf_fini(&joined);
    return asked;
}

/* A SET is answered with the status that it would lead to. */
static inline bool shard_take_set(struct gate *g, struct peer *p)
{
    struct packet packet;
    bool is_set = !g->observing && shard_asked(p, "\3SET ", &packet);
    if (is_set) {
        buf_clear(&g->set);
        buf_append(&g->set, packet.payload.data + 1, packet.payload.len - 1);
        bool off = strstr(buf_cstr(&g->set), "autocommit = 0") != NULL;
        buf_consume(&p->in, packet.wire_bytes);
        shard_say_ok(p, off ? 0 : g->shard_status);
    }
    return is_set;
}

/* One step of what a shard does by itself; true when there was one. */
static inline bool shard_step(struct gate *g, struct peer *p)
{
    struct packet packet;
    if (g->by_hand || p->closed)
        return false;
    switch (p->at) {
    case SHARD_NEW:
        shard_greet(g, p);
        return true;
    case SHARD_GREETED:
        if (!peer_packet(p, &packet))
            return false;
        peer_send_packet(p, 2, SLICE_LIT("\0\0\0\2\0\0\0"));
        p->at = SHARD_LOGGED_IN;
        return true;
    case SHARD_LOGGED_IN:
        if (shard_asked(p, "\3SELECT @@sql_mode", &packet))
            shard_say_row(g, p, SLICE_LIT(""));
        else if (shard_asked(p, "\3SELECT CONCAT(@@global.read_only", &packet))
            shard_say_row(g, p, g->read_only[p->shard] ? SLICE_LIT("1,0") : SLICE_LIT("0,0"));
        else
            return false;
        buf_consume(&p->in, packet.wire_bytes);
        return true;
    default:
        return shard_take_set(g, p);
    }
}

/* ---- time and events ---- */

static inline bool gate_move(struct peer *peers, size_t count)
{
    bool moved = false;
    for (size_t i = 0; i < count; i++) {
        struct peer *p = &peers[i];
        if (buf_len(&p->unsent)) {
            size_t before = buf_len(&p->unsent);
            peer_flush(p);
            moved |= buf_len(&p->unsent) != before;
        }
        moved |= io_memory_pump(p->io);
        moved |= peer_drain(p);
    }
    return moved;
}

/* Until nobody has anything to do. */
static inline void gate_run(struct gate *g)
{
    bool moved;
    do {
        moved = false;
        event_base_loop(g->worker->base, EVLOOP_NONBLOCK);
        moved |= gate_move(g->clients, g->client_count);
        moved |= gate_move(g->shards, g->shard_count);
        for (size_t i = 0; i < g->shard_count; i++)
            moved |= shard_step(g, &g->shards[i]);
    } while (moved);
    event_base_loop(g->worker->base, EVLOOP_NONBLOCK);
}

/* Time passes, and the worker's deadlines are looked at. */
static inline void gate_pass_time(struct gate *g, uint64_t ms)
{
    gate_clock_ms += ms;
    event_active(g->worker->on_tick, EV_TIMEOUT, 0);
    gate_run(g);
}

/* ---- life ---- */

static inline struct topology *gate_topology(const char *yaml)
{
    struct diagnostics d;
    struct err e = { 0 };
    struct topology *topology = NULL;
    diagnostics_init(&d);
    struct config *config = config_parse(slice_cstr(yaml), "test.yaml", NULL, &d);
    if (!config || topology_create(config, &topology, &e))
        fprintf(stderr, "%s%s\n", d.count ? d.items[0].text : "", e.text);
    diagnostics_fini(&d);
    GATE_REQUIRE(topology);
    return topology;
}

/* Takes the topology. */
static inline struct deployment *gate_deployment(struct topology *topology)
{
    struct deployment *d = NULL;
    struct err e = { 0 };
    if (deployment_create(topology, &d, &e))
        fprintf(stderr, "%s\n", e.text);
    GATE_REQUIRE(d);
    return d;
}

/* Takes the topology. What shards do may be changed before gate_start. */
static inline void gate_set_up(struct gate *g, struct topology *topology)
{
    struct err e;
    *g = (struct gate){ .shard_capabilities = GATE_SHARD,
                        .shard_version = "8.0.36",
                        .shard_status = STATUS_AUTOCOMMIT,
                        .pipe = GATE_PIPE };
    gate_now = g;
    log_configure(LOG_ERROR, LOG_TEXT);
    g->topology = topology;
    g->observing = topology->config->enforcement != ENFORCE;
    GATE_REQUIRE(topology_hash_tenants(g->topology, &g->tenants, &e) == MQ_OK);
    g->deployment = gate_deployment(g->topology);
    g->worker = mem_new(struct worker);
    g->fleet.workers = g->worker;
    g->fleet.worker_count = 1;
    fleet_init(&g->fleet);
    atomic_init(&g->fleet.next_connection_id, 1);
    GATE_REQUIRE(worker_init(g->worker, 0, &g->fleet, g->deployment, g->tenants));
    g->worker->connect = gate_connect;
    g->worker->clock = gate_clock;
    g->worker->now_ms = gate_clock();
}

static inline void gate_start(struct gate *g)
{
    worker_probe(g->worker);
    gate_run(g);
}

static inline void gate_open_with(struct gate *g, struct topology *topology)
{
    gate_set_up(g, topology);
    gate_start(g);
}

static inline void gate_open(struct gate *g, const char *yaml)
{
    gate_open_with(g, gate_topology(yaml));
}

static inline void gate_free_peers(struct peer *peers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        io_destroy(peers[i].io);
        buf_fini(&peers[i].in);
        buf_fini(&peers[i].unsent);
    }
}

static inline void gate_close(struct gate *g)
{
    worker_stop(g->worker);
    event_base_dispatch(g->worker->base);
    worker_fini(g->worker);
    gate_free_peers(g->clients, g->client_count);
    gate_free_peers(g->shards, g->shard_count);
    mem_free(g->worker);
    tenant_map_release(g->tenants);
    deployment_release(g->deployment);
    GATE_REQUIRE(!g->fleet.account_connections.names && !g->fleet.account_statements.names &&
                 !g->fleet.tenant_statements.names);
    fleet_fini(&g->fleet);
    buf_fini(&g->set);
    buf_fini(&g->greeting);
    GATE_REQUIRE(atomic_load(&g->fleet.connections) == 0);
}

/* ---- clients ---- */

static inline struct peer *client_connect(struct gate *g)
{
    struct io *ends[2];
    io_memory_pair(g->pipe, ends);
    struct peer *p = gate_add(g->clients, &g->client_count, ends[1]);
    atomic_fetch_add(&g->fleet.connections, 1);
    session_create(g->worker, ends[0], &g->arrival);
    gate_run(g);
    return p;
}

/* Logs in by caching_sha2_password; false when mqgate refuses. */
static inline bool client_login(struct gate *g, struct peer *p, const char *user,
                                const char *database, uint64_t capabilities)
{
    struct packet packet;
    struct greeting greeting;
    uint8_t proof[32];
    GATE_REQUIRE(peer_packet(p, &packet) &&
                 greeting_parse(packet.payload, &greeting, NULL) == MQ_OK);
    struct login login = {
        .capabilities = capabilities | (database ? CAP_CONNECT_WITH_DB : 0),
        .max_packet = 1 << 24,
        .charset = 45,
        .user = slice_cstr(user),
        .auth = slice_of(proof,
                         auth_prove(AUTH_CACHING_SHA2, SLICE_LIT("secret"), greeting.nonce, proof)),
        .has_database = database != NULL,
        .database = slice_cstr(database),
        .plugin = SLICE_LIT("caching_sha2_password"),
    };
    struct buf reply;
    buf_init(&reply);
    login_write(&reply, &login);
    peer_send_packet(p, 1, buf_slice(&reply));
    buf_fini(&reply);
    gate_run(g);
    while (peer_packet(p, &packet))
        if (packet.payload.data[0] != 1)
            return packet.payload.data[0] == 0;
    return false;
}

static inline void client_command(struct peer *p, uint8_t command, struct slice body)
{
    struct buf payload;
    buf_init(&payload);
    write_u8(&payload, command);
    buf_append_slice(&payload, body);
    peer_send_packet(p, 0, buf_slice(&payload));
    buf_fini(&payload);
}

static inline void client_query(struct gate *g, struct peer *p, const char *text)
{
    client_command(p, COM_QUERY, slice_cstr(text));
    gate_run(g);
}

/* The newest living connection to a shard. */
static inline struct peer *gate_shard(struct gate *g, uint32_t shard)
{
    for (size_t i = g->shard_count; i-- > 0;)
        if (g->shards[i].shard == shard && !g->shards[i].closed)
            return &g->shards[i];
    return NULL;
}

/* A connection on which something was asked that has no answer yet. */
static inline struct peer *gate_asked(struct gate *g)
{
    for (size_t i = 0; i < g->shard_count; i++)
        if (buf_len(&g->shards[i].in))
            return &g->shards[i];
    return NULL;
}

#endif
