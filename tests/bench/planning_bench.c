/* What it costs to understand a statement, without sockets: from the client's bytes to the
 * bytes for the shard. Prints JSON for tests/bench/run.
 *
 *   seen  the plan is in the cache: lex, look it up, route, write the text
 *   new   it is not: lex, parse, plan, route, write the text */
#define _DEFAULT_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "proxy/plan_cache.h"
#include "routing/route.h"

enum { ROUNDS = 7, CALLS = 20000, CACHE_BYTES = 1 << 20 };

static const char config_text[] = "keyspace:\n"
                                  "  name: queue\n"
                                  "  shards: { \"-80\": \"127.0.0.1:1\", \"80-\": \"127.0.0.1:2\" }\n"
                                  "accounts:\n"
                                  "  app: { password: app }\n"
                                  "tenants: [tenant-0]\n";

static const struct {
    const char *name, *text;
} statements[] = {
    { "point", "SELECT payload FROM queue_messages WHERE topic = 'bench' AND "
               "partition_key = 'partition-07' AND id = 'message-000123'" },
    { "poll", "SELECT offset, id, payload, metadata, published_at, failure_count "
              "FROM queue_messages WHERE topic = 'bench' AND partition_key = 'partition-07' "
              "AND offset > 1234 ORDER BY offset ASC LIMIT 10" },
    { "publish", "INSERT INTO queue_messages (topic, partition_key, id, payload, metadata, "
                 "created_at, published_at, failed_at, failure_count, last_error, "
                 "original_topic) VALUES ('bench', 'partition-07', 'message-000123', 'payload', "
                 "'{\"source\": \"bench\"}', 1, 1, 0, 0, '', '') ON DUPLICATE KEY UPDATE id = id" },
};

/* All that is the same for every call. */
struct bench {
    struct topology *topology;
    struct tenant_map *tenants;
    struct dialect dialect;
    struct session_facts facts;
    struct plan_cache *cache;
    struct arena arena; /* of one statement */
    struct buf out;
};

static void die(const char *what, const struct err *err)
{
    fprintf(stderr, "planning_bench: %s: %s\n", what, err ? err->text : "failed");
    exit(1);
}

static struct topology *make_topology(void)
{
    struct diagnostics diagnostics;
    diagnostics_init(&diagnostics);
    struct config *config = config_parse(slice_cstr(config_text), "bench", NULL, &diagnostics);
    if (!config) {
        fprintf(stderr, "planning_bench: %s\n", diagnostics.items[0].text);
        exit(1);
    }
    diagnostics_fini(&diagnostics);
    struct topology *topology;
    struct err err = { 0 };
    if (topology_create(config, &topology, &err) != MQ_OK)
        die("topology", &err);
    return topology;
}

static struct tenant_map *make_tenants(const struct topology *topology, uint32_t count)
{
    struct tenant_map_builder *builder = tenant_map_builder_create();
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        int len = snprintf(name, sizeof name, "tenant-%" PRIu32, i);
        struct slice slice = slice_of(name, (size_t)len);
        struct keyspace_id id;
        if (!topology->vindex->map(slice, &id))
            die("vindex", NULL);
        tenant_map_builder_add(builder, slice, &id, topology_shard_of(topology, &id),
                               TENANT_SERVING, 1);
    }
    struct tenant_map *map = tenant_map_build(builder, UINT64_MAX, 1);
    tenant_map_builder_destroy(builder);
    return map;
}

/* Routes a planned statement and writes the text for the shard. */
static void finish(struct bench *b, const struct lexed *lexed, const struct template *template)
{
    struct route_input in = { .template = template, .lexed = lexed, .dialect = &b->dialect,
                              .facts = &b->facts, .topology = b->topology,
                              .tenants = b->tenants };
    struct route destination;
    struct err err = { 0 };
    if (route(&in, &b->arena, &destination, &err) != ROUTE_OK)
        die("route", &err);
    const char *database = b->topology->shards[destination.shard].config->database;
    buf_clear(&b->out);
    route_text(template, lexed, destination.tenant, NULL, database, false, &b->out);
}

static void run_statement(struct bench *b, struct slice text, bool seen)
{
    struct lexed lexed;
    struct err err = { 0 };
    if (lex(text, &b->dialect, &b->arena, &lexed, &err) != MQ_OK)
        die("lex", &err);
    if (seen) {
        struct plan_entry *entry =
            plan_cache_get(b->cache, b->topology, &b->dialect, &lexed, false);
        finish(b, &lexed, entry->template);
        plan_entry_release(entry);
    } else {
        finish(b, &lexed, plan(b->topology, &b->dialect, &lexed, &b->arena, &b->arena));
    }
    arena_reset(&b->arena);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Nanoseconds of one call: the median of some rounds. */
static double measure(struct bench *b, const char *text, bool seen)
{
    struct slice slice = slice_cstr(text);
    double rounds[ROUNDS];
    run_statement(b, slice, seen);
    for (int r = 0; r < ROUNDS; r++) {
        double begin = now_ns();
        for (int i = 0; i < CALLS; i++)
            run_statement(b, slice, seen);
        rounds[r] = (now_ns() - begin) / CALLS;
    }
    qsort(rounds, ROUNDS, sizeof rounds[0], compare);
    return rounds[ROUNDS / 2];
}

static void report(struct bench *b, uint32_t tenants, bool first)
{
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        double seen = measure(b, statements[i].text, true);
        double new = measure(b, statements[i].text, false);
        printf("%s{\"statement\": \"%s\", \"tenants\": %" PRIu32
               ", \"seen_ns\": %.0f, \"new_ns\": %.0f}",
               first && i == 0 ? "" : ",\n ", statements[i].name, tenants, seen, new);
    }
}

int main(void)
{
    static const uint32_t counts[] = { 1, 1000000 };
    struct bench b = { .topology = make_topology(), .dialect = dialect_default() };
    b.facts.has_database = true;
    b.facts.scope.has_chosen = true;
    b.facts.scope.chosen = SLICE_LIT("tenant-0");
    b.cache = plan_cache_create(CACHE_BYTES);
    arena_init(&b.arena);
    buf_init(&b.out);
    printf("[");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        b.tenants = make_tenants(b.topology, counts[i]);
        report(&b, counts[i], i == 0);
        tenant_map_release(b.tenants);
    }
    printf("]\n");
    buf_fini(&b.out);
    arena_fini(&b.arena);
    plan_cache_destroy(b.cache);
    topology_release(b.topology);
    return 0;
}
