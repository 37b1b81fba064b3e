/* What programs of tests over a gate share: each test opens one with its configuration, and the
 * statements most of them send. */
#ifndef MQ_TESTS_GATE_TEST_H
#define MQ_TESTS_GATE_TEST_H

#include "tests/unit/proxy/proxy_test.h"

#define PICK "SELECT id FROM queue_messages WHERE topic = 'a'"
#define PICK_OF(tenant) \
    "SELECT id FROM queue_messages WHERE tenant = '" tenant "' AND ( topic = 'a')"
#define PICK_ACME PICK_OF("acme")
#define PICK_GLOBEX PICK_OF("globex")
#define ADD_(columns, values)                                                                    \
    "INSERT INTO queue_offsets (" columns "consumer_group, topic, partition_key, offset_acked, " \
    "updated_at) VALUES (" values "'g', 't', 'p', 1, 2)"
#define ADD ADD_("", "")
#define ADD_ACME ADD_("tenant, ", "'acme', ")

/* One backend of each shard, so that whoever is not done keeps others waiting. */
#define NARROW_YAML GATE_YAML "pool: {max_per_shard: 1}\n"

static struct gate gate;

/* The state of a test is at first its configuration. */
static inline int open_gate(void **state)
{
    gate_open(&gate, *state);
    return 0;
}

static inline int close_gate(void **state)
{
    (void)state;
    gate_close(&gate);
    return 0;
}

/* A row of a program's tests; `setup` ends with open_gate. */
#define GATE_TEST_WITH(function, setup, yaml) \
    cmocka_unit_test_prestate_setup_teardown(function, setup, close_gate, (void *)(yaml))
#define GATE_TEST(function, yaml) GATE_TEST_WITH(function, open_gate, yaml)

/* Another gate in the middle of a test. */
static inline void reopen_gate(const char *yaml)
{
    gate_close(&gate);
    gate_open(&gate, yaml);
}

static inline struct peer *log_in_as(const char *user, const char *database, uint64_t capabilities)
{
    struct peer *p = client_connect(&gate);
    assert_true(client_login(&gate, p, user, database, capabilities));
    return p;
}

/* Shards are connected to anew, and greet as they do now. */
static inline void close_backends(void)
{
    for (size_t i = 0; i < gate.shard_count; i++)
        peer_close(&gate.shards[i]);
    gate_run(&gate);
}

/* A new deployment, and its tenants, reach the worker. */
static inline void reload(const char *yaml)
{
    struct err e;
    struct topology *topology = gate_topology(yaml);
    struct tenant_map *tenants;
    assert_int_equal(topology_hash_tenants(topology, &tenants, &e), MQ_OK);
    struct deployment *d = gate_deployment(topology);
    worker_deploy(gate.worker, d, tenants, 0);
    deployment_release(d);
    tenant_map_release(tenants);
    gate_run(&gate);
}

/* The shard's OK, whatever it says. */
static inline void say_ok(struct peer *shard, const struct ok_packet *ok)
{
    struct buf b;
    uint8_t seq = 1;
    buf_init(&b);
    shard_ok(&b, &seq, ok);
    peer_send_buf(shard, &b);
    gate_run(&gate);
}

/* That many times the same byte. */
static inline void append_fill(struct buf *b, char byte, size_t count)
{
    memset(buf_reserve(b, count), byte, count);
    buf_commit(b, count);
}

/* A client is in a transaction on that shard. */
static inline void begin_transaction(struct peer *p, struct peer *shard)
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

#endif
