/* What a statement costs that was seen before: no memory but the arenas', which are kept. The
 * address sanitizer counts; without it there is nothing to see. */
#include "routing/route.h"
#include "tests/unit/proxy/proxy_test.h"

static const char yaml[] = "keyspace: {name: mq, aliases: [queue], database: shard, shards: "
                           "{\"-80\": \"127.0.0.1:1\", \"80-\": \"127.0.0.1:2\"}}\n"
                           "accounts: {app: {password: secret}}\n"
                           "tenants: [tenant-0, globex]\n";

static const char *const statements[] = {
#define STATEMENT_ROW(name, text) text,
#include "tests/bench/statements.def"
#undef STATEMENT_ROW
    "SELECT id, (SELECT MAX(offset_acked) FROM mq.queue_offsets) FROM mq.queue_messages",
};

#ifdef __SANITIZE_ADDRESS__
/* Of sanitizer/allocator_interface.h, which gcc has not got. */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *));

static size_t allocations;

static void on_malloc(const volatile void *p, size_t size)
{
    (void)p;
    (void)size;
    allocations++;
}

static void on_free(const volatile void *p)
{
    (void)p;
}

struct way {
    struct topology *topology;
    struct tenant_map *tenants;
    struct dialect dialect;
    struct session_facts facts;
    struct plan_cache *cache;
    struct arena arena;
    struct buf out;
};

/* From the client's bytes to those for the shard, as a session does it. */
static void go(struct way *w, const char *text)
{
    struct lexed l;
    struct route r;
    struct err err;
    struct plan_entry *e =
        plan_cache_find_text(w->cache, w->topology, &w->dialect, slice_cstr(text), &w->arena, &l);
    if (!e) {
        assert_int_equal(lex(slice_cstr(text), &w->dialect, &w->arena, &l, &err), MQ_OK);
        e = plan_cache_get(w->cache, w->topology, &w->dialect, &l, false);
    }
    struct route_input in = { .template = e->template,
                              .lexed = &l,
                              .dialect = &w->dialect,
                              .facts = &w->facts,
                              .topology = w->topology,
                              .tenants = w->tenants };
    if (route(&in, &w->arena, &r, &err) != ROUTE_OK)
        fail_msg("%s: %s", text, err.text);
    buf_clear(&w->out);
    route_text(e->template, &l, r.tenant, &w->facts, "shard", false, &w->arena, &w->out);
    plan_entry_release(e);
    arena_reset(&w->arena);
}

static void nothing_but_the_arena(void **state)
{
    struct err err;
    struct way w = { .topology = gate_topology(yaml),
                     .dialect = dialect_default(),
                     .facts = { .has_database = true,
                                .scope = { .has_chosen = true, .chosen = SLICE_LIT("tenant-0") } },
                     .cache = plan_cache_create(1 << 20) };
    (void)state;
    assert_int_equal(topology_hash_tenants(w.topology, &w.tenants, &err), MQ_OK);
    arena_init(&w.arena);
    buf_init(&w.out);
    for (size_t i = 0; i < COUNT(statements); i++) {
        go(&w, statements[i]);
        go(&w, statements[i]);
        size_t before = allocations;
        go(&w, statements[i]);
        if (allocations != before)
            fail_msg("%zu allocations: %s", allocations - before, statements[i]);
    }
    buf_fini(&w.out);
    arena_fini(&w.arena);
    plan_cache_destroy(w.cache);
    tenant_map_release(w.tenants);
    topology_release(w.topology);
}
#else
static void nothing_but_the_arena(void **state)
{
    (void)state;
    (void)statements;
    (void)yaml;
    skip();
}
#endif

int main(void)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
#endif
    const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_but_the_arena) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
