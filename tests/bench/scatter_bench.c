/* What a statement for several tenants costs, by the number of shards, without sockets: a worker in
 * memory, and shards whose answers are ready, ten rows each, which are merged in order. The cost of
 * a shard should not depend on how many there are. */
#define _GNU_SOURCE
#include <time.h>

#include "tests/unit/proxy/gate.h"

enum { ROWS = 10, TENANTS = 64, ROUNDS = 5, CALLS = 400 };

#define STATEMENT "SELECT id FROM queue_messages WHERE topic = 'bench' ORDER BY id LIMIT 80"

static const char *const shards[] = { "\"-\": \"127.0.0.1:1\"",
                                      "\"-80\": \"127.0.0.1:1\", \"80-\": \"127.0.0.1:2\"",
                                      "\"-40\": \"127.0.0.1:1\", \"40-80\": \"127.0.0.1:2\", "
                                      "\"80-c0\": \"127.0.0.1:3\", \"c0-\": \"127.0.0.1:4\"",
                                      "\"-20\": \"127.0.0.1:1\", \"20-40\": \"127.0.0.1:2\", "
                                      "\"40-60\": \"127.0.0.1:3\", \"60-80\": \"127.0.0.1:4\", "
                                      "\"80-a0\": \"127.0.0.1:5\", \"a0-c0\": \"127.0.0.1:6\", "
                                      "\"c0-e0\": \"127.0.0.1:7\", \"e0-\": \"127.0.0.1:8\"" };

/* Enough tenants that each shard has some. */
static void write_config(struct buf *yaml, size_t number)
{
    buf_printf(yaml,
               "keyspace: {name: mq, database: shard, shards: {%s}}\n"
               "accounts: {app: {password: secret}}\ntenants: [",
               shards[number]);
    for (int i = 0; i < TENANTS; i++)
        buf_printf(yaml, "%stenant-%d", i ? ", " : "", i);
    buf_append_cstr(yaml, "]\n");
}

static void make_answer(struct gate *g, struct buf *answer)
{
    struct slice rows[ROWS];
    uint8_t seq = 1;
    for (size_t i = 0; i < ROWS; i++)
        rows[i] = SLICE_LIT("message-000123");
    shard_rows(answer, &seq, rows, ROWS, g->shard_capabilities, STATUS_AUTOCOMMIT);
}

static void run_statement(struct gate *g, struct peer *client, const struct buf *answer)
{
    struct peer *shard;
    struct packet p;
    client_query(g, client, STATEMENT);
    while ((shard = gate_asked(g))) {
        GATE_REQUIRE(peer_packet(shard, &p));
        peer_send(shard, buf_begin(answer), buf_len(answer));
    }
    gate_run(g);
    GATE_REQUIRE(buf_len(&client->in));
    buf_clear(&client->in);
}

static double processor_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* The best of several rounds: others use the machine as well. */
static double measure(struct gate *g, struct peer *client, const struct buf *answer)
{
    double best = 0;
    for (int round = 0; round <= ROUNDS; round++) {
        double begin = processor_us();
        for (int i = 0; i < CALLS; i++)
            run_statement(g, client, answer);
        double each = (processor_us() - begin) / CALLS;
        if (round == 1 || (round > 1 && each < best)) /* the first one warms up */
            best = each;
    }
    return best;
}

int main(void)
{
    for (size_t number = 0; number < sizeof shards / sizeof *shards; number++) {
        struct gate gate;
        struct buf yaml, answer;
        buf_init(&yaml);
        buf_init(&answer);
        write_config(&yaml, number);
        gate_open(&gate, buf_cstr(&yaml));
        make_answer(&gate, &answer);
        struct peer *client = client_connect(&gate);
        GATE_REQUIRE(client_login(&gate, client, "app", "mq", GATE_CLIENT));
        double us = measure(&gate, client, &answer);
        printf("%s{\"shards\": %d, \"statement_us\": %.1f, \"shard_us\": %.1f}",
               number ? ", " : "[", 1 << number, us, us / (1 << number));
        gate_close(&gate);
        buf_fini(&yaml);
        buf_fini(&answer);
    }
    puts("]");
    return 0;
}
