/* What it costs to understand a statement, without sockets: from the client's bytes to the
 * bytes for the shard.
 *
 *   planning_bench             nanoseconds, as JSON for tests/bench/run
 *     seen  the plan is in the cache: find it and the tokens, route, write the text
 *     new   it is not: lex, parse, plan, route, write the text
 *   planning_bench --stages    each stage by itself between measure_begin() and measure_end(), for
 *                              tests/bench/instructions; prints what was measured, in order
 *   planning_bench --long [n]  texts of n, 2n and 4n bytes, by default 4 MiB and on: nanoseconds and
 *                              bytes of memory for each byte; the error, if it is refused */
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
#define STATEMENT_ROW(name, text) { #name, text },
#include "tests/bench/statements.def"
#undef STATEMENT_ROW
};
enum { STATEMENTS = sizeof statements / sizeof *statements };

/* All that is the same for every call. */
struct bench {
    struct topology *topology;
    struct tenant_map *tenants;
    struct dialect dialect;
    struct session_facts facts;
    struct plan_cache *cache;
    struct arena arena, scratch; /* of one statement */
    struct buf out;
};

static void die(const char *what, const struct err *err)
{
    fprintf(stderr, "planning_bench: %s: %s\n", what, err ? err->text : "failed");
    exit(1);
}

/* ---- the environment ---- */

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

static void open_bench(struct bench *b)
{
    *b = (struct bench){ .topology = make_topology(), .dialect = dialect_default() };
    b->facts.has_database = true;
    b->facts.scope.has_chosen = true;
    b->facts.scope.chosen = SLICE_LIT("tenant-0");
    b->cache = plan_cache_create(CACHE_BYTES);
    arena_init(&b->arena);
    arena_init(&b->scratch);
    buf_init(&b->out);
}

static void close_bench(struct bench *b)
{
    buf_fini(&b->out);
    arena_fini(&b->scratch);
    arena_fini(&b->arena);
    plan_cache_destroy(b->cache);
    topology_release(b->topology);
}

/* ---- the stages ---- */

static struct lexed lex_stage(struct bench *b, struct slice text)
{
    struct lexed lexed;
    struct err err = { 0 };
    if (lex(text, &b->dialect, &b->arena, &lexed, &err) != MQ_OK)
        die("lex", &err);
    return lexed;
}

/* The plan of a text whose like was seen before. */
static const struct template *seen_stage(struct bench *b, struct slice text, struct lexed *ret)
{
    struct plan_entry *entry =
        plan_cache_find_text(b->cache, b->topology, &b->dialect, text, &b->arena, ret);
    if (!entry)
        die("a plan was not found again", NULL);
    const struct template *template = entry->template;
    plan_entry_release(entry); /* the cache holds it as well */
    return template;
}

/* The plan of one that is written otherwise: other white space, a longer list. */
static const struct template *known_stage(struct bench *b, const struct lexed *lexed)
{
    struct plan_entry *entry = plan_cache_get(b->cache, b->topology, &b->dialect, lexed, false);
    const struct template *template = entry->template;
    plan_entry_release(entry);
    return template;
}

static const struct template *new_stage(struct bench *b, const struct lexed *lexed)
{
    const struct template *t = plan(b->topology, &b->dialect, lexed, &b->arena, &b->scratch);
    arena_reset(&b->scratch);
    return t;
}

/* Routes a planned statement and writes the text for the shard. */
static void route_stage(struct bench *b, const struct lexed *lexed, const struct template *template)
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
    route_text(template, lexed, destination.tenant, NULL, database, false, &b->arena, &b->out);
}

static void run_statement(struct bench *b, struct slice text, bool seen)
{
    struct lexed lexed;
    if (seen) {
        route_stage(b, &lexed, seen_stage(b, text, &lexed));
    } else {
        lexed = lex_stage(b, text);
        route_stage(b, &lexed, new_stage(b, &lexed));
    }
    arena_reset(&b->arena);
}

/* Marks for callgrind: counting begins at one and is written out at the other. */
__attribute__((noinline)) static void measure_begin(void)
{
    __asm__ volatile("# begin"); /* so that the two stay apart */
}

__attribute__((noinline)) static void measure_end(void)
{
    __asm__ volatile("# end");
}

/* ---- time ---- */

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

/* Puts the statement's plan into the cache. */
static void learn(struct bench *b, struct slice text)
{
    struct lexed lexed = lex_stage(b, text);
    known_stage(b, &lexed);
    arena_reset(&b->arena);
}

/* Nanoseconds of one call: the median of some rounds. */
static double measure(struct bench *b, struct slice text, bool seen, int calls)
{
    double rounds[ROUNDS];
    learn(b, text);
    for (int r = 0; r < ROUNDS; r++) {
        double begin = now_ns();
        for (int i = 0; i < calls; i++)
            run_statement(b, text, seen);
        rounds[r] = (now_ns() - begin) / calls;
    }
    qsort(rounds, ROUNDS, sizeof rounds[0], compare);
    return rounds[ROUNDS / 2];
}

static void report_times(struct bench *b)
{
    static const uint32_t counts[] = { 1, 1000000 };
    const char *separator = "[";
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        b->tenants = make_tenants(b->topology, counts[c]);
        for (size_t i = 0; i < STATEMENTS; i++) {
            struct slice text = slice_cstr(statements[i].text);
            printf("%s{\"statement\": \"%s\", \"tenants\": %" PRIu32
                   ", \"seen_ns\": %.0f, \"new_ns\": %.0f}",
                   separator, statements[i].name, counts[c], measure(b, text, true, CALLS),
                   measure(b, text, false, CALLS));
            separator = ",\n ";
        }
        tenant_map_release(b->tenants);
    }
    printf("]\n");
}

/* ---- instructions ---- */

enum stage { STAGE_SEEN, STAGE_LEX, STAGE_KNOWN, STAGE_NEW, STAGE_ROUTE, STAGES };

static void run_stage(struct bench *b, enum stage stage, struct slice text)
{
    enum { STAGE_CALLS = 100 };
    static const char *const names[] = { "seen", "lex", "known", "new", "route" };
    struct lexed lexed = lex_stage(b, text);
    const struct template *template = known_stage(b, &lexed);
    struct lexed again;
    struct arena arena = b->arena; /* what the calls take is forgotten after each */
    arena_init(&b->arena);
    route_stage(b, &lexed, template);
    measure_begin();
    for (int i = 0; i < STAGE_CALLS; i++) {
        if (stage == STAGE_LEX)
            lex_stage(b, text);
        else if (stage == STAGE_SEEN)
            seen_stage(b, text, &again);
        else if (stage == STAGE_KNOWN)
            known_stage(b, &lexed);
        else if (stage == STAGE_NEW)
            new_stage(b, &lexed);
        else
            route_stage(b, &lexed, template);
        arena_reset(&b->arena);
    }
    measure_end();
    arena_fini(&b->arena);
    b->arena = arena;
    arena_reset(&b->arena);
    printf("%s %d\n", names[stage], STAGE_CALLS);
}

static void run_stages(struct bench *b)
{
    b->tenants = make_tenants(b->topology, 1000);
    for (size_t i = 0; i < STATEMENTS; i++)
        for (int stage = 0; stage < STAGES; stage++) {
            printf("%s ", statements[i].name);
            run_stage(b, (enum stage)stage, slice_cstr(statements[i].text));
        }
    tenant_map_release(b->tenants);
}

/* ---- long texts ---- */

/* before, then unit over and over, then after. */
static const struct {
    const char *name, *before, *unit, *after;
} long_texts[] = {
    { "literal", "SELECT id FROM queue_messages WHERE id = '", "abcdefgh", "'" },
    { "quotes in a literal", "SELECT id FROM queue_messages WHERE id = '", "''\\'", "'" },
    { "comment", "SELECT id /* ", "abcdefgh", " */ FROM queue_messages" },
    { "comments", "SELECT id ", "/* a */", " FROM queue_messages" },
    { "spaces", "SELECT id ", "        ", " FROM queue_messages" },
    { "IN list", "SELECT id FROM queue_messages WHERE offset IN (1", ", 123456", ")" },
    { "IN list of tenants", "SELECT id FROM queue_messages WHERE tenant IN ('tenant-0'",
      ", 'tenant-0'", ")" },
    { "select list", "SELECT id", ", topic", " FROM queue_messages" },
    { "conditions", "SELECT id FROM queue_messages WHERE id = 'a'", " OR topic = 'b'", "" },
    { "tenant conditions", "SELECT id FROM queue_messages WHERE tenant = 'tenant-0'",
      " AND tenant = 'tenant-0'", "" },
    { "rows", "INSERT INTO queue_offsets (topic, partition_key) VALUES ('a', 'b')", ", ('a', 'b')",
      "" },
    { "unions", "SELECT id FROM queue_messages", " UNION SELECT id FROM queue_messages", "" },
    { "common table expressions", "WITH a AS (SELECT id FROM queue_messages)",
      ", b AS (SELECT id FROM a)", " SELECT id FROM a" },
    { "assignments", "UPDATE queue_offsets SET offset_acked = 1", ", offset_acked = 1", "" },
    { "sub-queries that lock", "SELECT 1", ", (SELECT MAX(id) FROM queue_messages FOR UPDATE)",
      " FROM queue_messages FOR UPDATE" },
    { "sub-queries", "SELECT 1", ", (SELECT MAX(offset) FROM queue_messages)", " FROM queue_messages" },
    { "functions", "SELECT 1", ", COALESCE(topic, id)", " FROM queue_messages" },
    { "stars", "SELECT 1", ", m.*", " FROM queue_messages m" },
    { "insert columns", "INSERT INTO queue_messages (id", ", topic", ") VALUES (1)" },
    { "order", "SELECT id FROM queue_messages ORDER BY id", ", topic", "" },
    { "comparisons with names", "SELECT id FROM queue_messages WHERE topic = 'a'", " AND topic = id", "" },
    { "arguments", "SELECT COALESCE(topic", ", id", ") FROM queue_messages" },
    { "cases", "SELECT CASE", " WHEN topic = 'a' THEN id", " END FROM queue_messages" },
    { "rows in IN", "SELECT id FROM queue_messages WHERE (topic, id) IN (('a', 'b')",
      ", ('a', 'b')", ")" },
    { "IN list of expressions", "SELECT id FROM queue_messages WHERE topic IN (id", ", CONCAT(id)",
      ")" },
    { "groups", "SELECT COUNT(*) FROM queue_messages GROUP BY id", ", topic", "" },
    { "on duplicate", "INSERT INTO queue_offsets (topic) VALUES ('a') ON DUPLICATE KEY UPDATE "
                      "offset_acked = 1", ", updated_at = VALUES(updated_at)", "" },
    { "sub-queries in conditions", "SELECT id FROM queue_messages WHERE 1",
      " AND topic IN (SELECT topic FROM queue_offsets)", "" },
    { "qualified names", "SELECT m.id", ", queue.m.topic", " FROM queue_messages m" },
    { "locking conditions", "SELECT id FROM queue_messages WHERE 1", " AND offset > 1",
      " FOR UPDATE" },
    { "variables", "SET autocommit = 1", ", autocommit = 1", "" },
    { "a name", "SELECT ", "abcdefgh", " FROM queue_messages" },
    { "names", "SELECT a", ".abcdefgh", " FROM queue_messages" },
    { "parentheses", "SELECT ", "(", "" },
    { "operators", "SELECT 1", "+1", " FROM queue_messages" },
};

static void make_long(size_t kind, size_t size, struct buf *out)
{
    struct slice unit = slice_cstr(long_texts[kind].unit);
    buf_clear(out);
    buf_append_cstr(out, long_texts[kind].before);
    while (buf_slice(out).len + unit.len <= size)
        buf_append_slice(out, unit);
    buf_append_cstr(out, long_texts[kind].after);
}

/* One time: with so long a text it is long enough. What is refused counts as well. */
static void measure_long(struct bench *b, struct slice text)
{
    struct lexed lexed;
    measure_begin();
    double begin = now_ns();
    enum err_code code = lex(text, &b->dialect, &b->arena, &lexed, NULL);
    const struct template *t =
        code ? NULL : plan(b->topology, &b->dialect, &lexed, &b->arena, &b->scratch);
    if (t && t->verdict == VERDICT_SINGLE)
        route_stage(b, &lexed, t);
    double ns = now_ns() - begin, len = (double)text.len;
    measure_end();
    if (t && t->reject)
        code = t->reject->code;
    printf("  %9zu: %6.1f ns, %5.1f B%s", text.len, ns / len,
           (double)(b->arena.total + b->scratch.total) / len, code ? " " : "");
    if (code)
        printf("MQ%d", (int)code);
    arena_reset(&b->arena);
    arena_reset(&b->scratch);
}

static void report_long(struct bench *b, size_t smallest)
{
    struct buf text;
    buf_init(&text);
    buf_reserve(&b->out, 8 * smallest); /* so that no text pays for its growth */
    b->tenants = make_tenants(b->topology, 1);
    for (size_t kind = 0; kind < sizeof long_texts / sizeof *long_texts; kind++) {
        printf("%-26s", long_texts[kind].name);
        for (size_t size = smallest; size <= 4 * smallest; size *= 2) {
            make_long(kind, size, &text);
            measure_long(b, buf_slice(&text));
        }
        printf("\n");
        fflush(stdout);
    }
    tenant_map_release(b->tenants);
    buf_fini(&text);
}

int main(int argc, char **argv)
{
    struct bench b;
    const char *mode = argc > 1 ? argv[1] : "";
    open_bench(&b);
    if (strcmp(mode, "--stages") == 0)
        run_stages(&b);
    else if (strcmp(mode, "--long") == 0)
        report_long(&b, argc > 2 ? strtoul(argv[2], NULL, 10) : 4 << 20);
    else
        report_times(&b);
    close_bench(&b);
    return 0;
}
