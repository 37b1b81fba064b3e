/* Rows of the vindex table made into maps, for a sidecar that lists its tenants and for one
 * that takes all of them from the table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "placement/map_rows.h"
#include "topology_fixture.h"

/* One step: a row that is laid over what the steps before it made. */
struct step {
    const char *tenant;
    int first_byte; /* of the keyspace id; -1: an empty id */
    enum tenant_state state;
    bool tombstone;
};

static struct tenant_map *overlay_step(const struct topology *t, const struct tenant_map *base,
                                       struct tenant_map *under, const struct step *step)
{
    struct row_set rows;
    struct vindex_row row = { .tenant = slice_cstr(step->tenant),
                              .state = step->state,
                              .tombstone = step->tombstone,
                              .version = 9 };
    row.id.len = step->first_byte >= 0;
    row.id.bytes[0] = (uint8_t)step->first_byte;
    row_set_init(&rows, t, base);
    assert_true(row_set_add(&rows, &row));
    struct tenant_map *map = map_overlay(under, &rows, 5, 9);
    row_set_fini(&rows);
    tenant_map_release(under);
    return map;
}

static void print_map(const struct topology *t, const struct tenant_map *map, struct buf *out)
{
    for (size_t i = 0; i < tenant_map_count(map); i++) {
        const struct tenant *e = tenant_map_at(map, i);
        buf_printf(out, "%s%s=%s", i ? " " : "", e->name,
                   e->placed ? t->shards[e->shard].config->name : "none");
        if (e->state != TENANT_SERVING)
            buf_printf(out, ",%s", tenant_state_name((enum tenant_state)e->state));
    }
}

static const struct {
    const char *why;
    bool listed; /* the configuration lists a and b; else the table is the list */
    struct step steps[4];
    const char *want;
} cases[] = {
    { "listed tenants are known before any row", true, { { 0 } }, "a=none b=none" },
    { "without a list nobody is", false, { { 0 } }, "" },
    { "a row places its tenant", true, { { "a", 0x10, TENANT_SERVING, false } }, "a=-40 b=none" },
    { "a row of somebody else is left out",
      true,
      { { "c", 0x10, TENANT_SERVING, false } },
      "a=none b=none" },
    { "without a list every row counts",
      false,
      { { "z", 0x40, TENANT_SERVING, false }, { "c", 0xff, TENANT_SERVING, false } },
      "c=80- z=40-80" },
    { "a later row replaces",
      true,
      { { "a", 0x10, TENANT_SERVING, false }, { "a", 0x90, TENANT_MOVING, false } },
      "a=80-,moving b=none" },
    { "a tombstone unplaces a listed tenant",
      true,
      { { "a", 0x10, TENANT_SERVING, false }, { "a", 0x10, TENANT_RETIRED, true } },
      "a=none,retired b=none" },
    { "and removes one that only the table lists",
      false,
      { { "a", 0x10, TENANT_SERVING, false },
        { "b", 0x50, TENANT_SERVING, false },
        { "a", 0x10, TENANT_RETIRED, true } },
      "b=40-80" },
    { "a tombstone of nobody is nothing", false, { { "a", 0x10, TENANT_RETIRED, true } }, "" },
    { "a retired tenant stays known",
      false,
      { { "a", 0x10, TENANT_RETIRED, false } },
      "a=-40,retired" },
    { "an empty keyspace id places nobody",
      true,
      { { "a", -1, TENANT_SERVING, false } },
      "a=none b=none" },
    { "a name that is not allowed is left out",
      false,
      { { "a,b", 0x10, TENANT_SERVING, false }, { " a", 0x10, TENANT_SERVING, false } },
      "" },
};

static void rows_over_maps(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct topology *t = topology_of(cases[i].listed ? FIXTURE_TABLE "tenants: [a, b]\n"
                                                         : FIXTURE_TABLE "tenants: table\n");
        assert_non_null(t);
        struct tenant_map *base = map_base(t), *map = tenant_map_acquire(base);
        for (const struct step *step = cases[i].steps; step->tenant; step++)
            map = overlay_step(t, base, map, step);
        struct buf got;
        buf_init(&got);
        print_map(t, map, &got);
        if (strcmp(buf_cstr(&got), cases[i].want) != 0)
            fail_msg("%s: got \"%s\", want \"%s\"", cases[i].why, buf_cstr(&got), cases[i].want);
        buf_fini(&got);
        tenant_map_release(map);
        tenant_map_release(base);
        topology_release(t);
    }
}

#define OTHER_SHARDS                                                                      \
    "keyspace: { name: queue, shards: { \"c0-\": 127.0.0.1:1, \"-c0\": 127.0.0.1:2 } }\n" \
    "accounts: { app: { password: app } }\n"                                              \
    "tenant_vindex: { address: 127.0.0.1:1, database: mq_vindex, user: u, password: p }\n"

static void a_map_is_carried_over_to_other_shards(void **state)
{
    (void)state;
    struct topology *t = topology_of(FIXTURE_TABLE "tenants: [a, b, c]\n");
    struct topology *other = topology_of(OTHER_SHARDS "tenants: [a, b, d]\n");
    assert_non_null(t);
    assert_non_null(other);
    struct tenant_map *base = map_base(t), *map = tenant_map_acquire(base);
    const struct step steps[] = { { "a", 0x10, TENANT_SERVING, false },
                                  { "b", 0xd0, TENANT_RETIRED, false },
                                  { "c", 0x10, TENANT_SERVING, false } };
    for (size_t i = 0; i < 3; i++)
        map = overlay_step(t, base, map, &steps[i]);

    struct tenant_map *other_base = map_base(other);
    struct row_set rows;
    row_set_init(&rows, other, other_base);
    row_set_add_map(&rows, map);
    struct tenant_map *carried = map_overlay(other_base, &rows, 5, 9);
    row_set_fini(&rows);
    struct buf got;
    buf_init(&got);
    print_map(other, carried, &got);
    assert_string_equal(buf_cstr(&got), "a=-c0 b=c0-,retired d=none");
    buf_fini(&got);
    tenant_map_release(carried);
    tenant_map_release(other_base);
    tenant_map_release(map);
    tenant_map_release(base);
    topology_release(other);
    topology_release(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_over_maps),
        cmocka_unit_test(a_map_is_carried_over_to_other_shards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
