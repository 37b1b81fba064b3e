/* The placement thread while the vindex database is down: what it starts with, and how its
 * refreshes are counted. What it does with a database is tested on real servers. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "placement/placement.h"
#include "placement/snapshot_file.h"
#include "topology_fixture.h"

struct fixture {
    char folder[64];
    char path[96];
    char yaml[1024];
    struct topology *topology;
    pthread_mutex_t lock;
    pthread_cond_t published;
    uint64_t serial; /* of the last call */
    struct tenant_map *map;
    bool failed;
};

static void set_topology(struct fixture *f, const char *more)
{
    topology_release(f->topology);
    snprintf(f->yaml, sizeof f->yaml,
             FIXTURE_SHARDS ", snapshot_file: \"%s\", refresh_interval: 1h }\n%s", f->path, more);
    f->topology = topology_of(f->yaml);
    assert_non_null(f->topology);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    const char *base = getenv("TMPDIR");
    snprintf(f->folder, sizeof f->folder, "%.40s/placementXXXXXX", base ? base : "/tmp");
    if (!mkdtemp(f->folder))
        return -1;
    snprintf(f->path, sizeof f->path, "%s/tenants", f->folder);
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->published, NULL);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    topology_release(f->topology);
    tenant_map_release(f->map);
    pthread_cond_destroy(&f->published);
    pthread_mutex_destroy(&f->lock);
    unlink(f->path);
    int rc = rmdir(f->folder);
    free(f);
    return rc;
}

static void on_published(void *context, struct tenant_map *map, uint64_t serial,
                         const struct err *failed)
{
    struct fixture *f = context;
    pthread_mutex_lock(&f->lock);
    assert_int_equal(serial, f->serial + 1);
    tenant_map_release(f->map);
    f->map = tenant_map_acquire(map);
    f->serial = serial;
    f->failed = failed != NULL;
    pthread_cond_broadcast(&f->published);
    pthread_mutex_unlock(&f->lock);
}

static void wait_for(struct fixture *f, uint64_t serial)
{
    pthread_mutex_lock(&f->lock);
    while (f->serial < serial)
        pthread_cond_wait(&f->published, &f->lock);
    pthread_mutex_unlock(&f->lock);
}

/* A file about the topology's table that places a and b, confirmed `age` ms ago. */
static void write_snapshot(struct fixture *f, int64_t age)
{
    struct tenant_map_builder *b = tenant_map_builder_create();
    const struct keyspace_id low = { .bytes = { 0x10 }, .len = 1 };
    const struct keyspace_id high = { .bytes = { 0x90 }, .len = 1 };
    tenant_map_builder_add(b, SLICE_LIT("a"), &low, 0, TENANT_SERVING, 1);
    tenant_map_builder_add(b, SLICE_LIT("b"), &high, 0, TENANT_SERVING, 2);
    struct tenant_map *map = tenant_map_build(b, 0, 2);
    struct snapshot_info info = { .source = snapshot_source(f->topology->config), .version = 2 };
    info.confirmed_wall_ms = (uint64_t)((int64_t)clock_wall_ms() - age);
    assert_int_equal(snapshot_file_write(f->path, map, &info, NULL), MQ_OK);
    tenant_map_release(map);
    tenant_map_builder_destroy(b);
}

static const struct tenant *find(const struct tenant_map *map, const char *name)
{
    return tenant_map_find(map, slice_cstr(name));
}

static void starts_from_the_file(void **state)
{
    struct fixture *f = *state;
    struct placement *p;
    struct tenant_map *map;
    set_topology(f, "tenants: [b, c]\n");
    write_snapshot(f, 60000);
    assert_int_equal(placement_start(f->topology, on_published, f, &p, &map, NULL), MQ_OK);
    assert_null(find(map, "a")); /* not listed */
    assert_true(find(map, "b")->placed);
    assert_int_equal(find(map, "b")->shard, 2);
    assert_false(find(map, "c")->placed);
    uint64_t age = clock_monotonic_ms() - tenant_map_confirmed_ms(map);
    assert_in_range(age, 60000, 90000);
    tenant_map_release(map);
    placement_stop(p);
}

static const struct {
    const char *why;
    const char *settings;
    int64_t age; /* of the file; INT64_MIN: there is none */
    enum err_code want;
    const char *text;
} refusals[] = {
    { "no file yet", "tenants: [a]\n", INT64_MIN, MQ_VINDEX_TABLE_UNAVAILABLE, "cannot open" },
    { "too old", "tenants: [a]\nvindex_max_age: 10m\n", 600001, MQ_VINDEX_TABLE_UNAVAILABLE,
      "beyond vindex_max_age" },
    { "from the future", "tenants: [a]\n", -600000, MQ_VINDEX_TABLE_UNAVAILABLE,
      "clock went back" },
};

static void refuses_to_start(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct placement *p;
        struct tenant_map *map;
        struct err err;
        set_topology(f, refusals[i].settings);
        unlink(f->path);
        if (refusals[i].age != INT64_MIN)
            write_snapshot(f, refusals[i].age);
        enum err_code code = placement_start(f->topology, on_published, f, &p, &map, &err);
        if (code != refusals[i].want || !strstr(err.text, refusals[i].text))
            fail_msg("%s: got %d, \"%s\"", refusals[i].why, (int)code, err.text);
    }
}

static void refreshes_are_counted(void **state)
{
    struct fixture *f = *state;
    struct placement *p;
    struct tenant_map *map;
    set_topology(f, "tenants: table\n");
    write_snapshot(f, 0);
    assert_int_equal(placement_start(f->topology, on_published, f, &p, &map, NULL), MQ_OK);
    assert_int_equal(tenant_map_count(map), 2);
    uint64_t last = 0;
    for (int i = 0; i < 3; i++) {
        uint64_t serial = placement_refresh(p);
        assert_in_range(serial, last + 1, last + 2);
        wait_for(f, serial);
        last = serial;
    }
    assert_true(f->failed);
    assert_ptr_equal(f->map, map); /* the same, unconfirmed */
    tenant_map_release(map);
    placement_stop(p);
}

/* The table cannot be read, yet what is known is carried over to the new shards. */
static void a_new_topology_is_adopted(void **state)
{
    struct fixture *f = *state;
    struct placement *p;
    struct tenant_map *map;
    set_topology(f, "tenants: [a, b]\n");
    write_snapshot(f, 0);
    assert_int_equal(placement_start(f->topology, on_published, f, &p, &map, NULL), MQ_OK);
    struct topology *other = topology_of(
        "keyspace: { name: queue, shards: { \"80-\": 127.0.0.1:1, \"-80\": 127.0.0.1:2 } }\n"
        "accounts: { app: { password: app } }\n"
        "tenant_vindex: { address: 127.0.0.1:1, database: mq_vindex, user: u, password: p }\n"
        "tenants: [b, c]\n");
    assert_non_null(other);
    wait_for(f, placement_reconfigure(p, other));
    topology_release(other);
    assert_null(find(f->map, "a"));
    assert_int_equal(find(f->map, "b")->shard, 0);
    assert_false(find(f->map, "c")->placed);
    assert_int_equal(tenant_map_confirmed_ms(f->map), tenant_map_confirmed_ms(map));
    tenant_map_release(map);
    placement_stop(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(starts_from_the_file, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_to_start, setup, teardown),
        cmocka_unit_test_setup_teardown(refreshes_are_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(a_new_topology_is_adopted, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
