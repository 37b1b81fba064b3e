/* Keyspace ids for tenants that are placed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "placement/choose_id.h"
#include "topology_fixture.h"

static int setup(void **state)
{
    *state = topology_of(FIXTURE_TABLE "tenants: [a]\n");
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    topology_release(*state);
    return 0;
}

static void the_function_decides_by_default(void **state)
{
    struct keyspace_id id, hash;
    struct slice tenant = SLICE_LIT("payments");
    assert_int_equal(choose_id(*state, tenant, &id, NULL), MQ_OK);
    assert_true(vindex_find(SLICE_LIT("xxhash"))->map(tenant, &hash));
    assert_int_equal(keyspace_id_cmp(&id, &hash), 0);
}

/* Every tenant can be put on every shard, and stays where the function has it if it can. */
static void a_shard_can_be_chosen(void **state)
{
    const struct topology *t = *state;
    const char *const tenants[] = { "a", "payments", "monorepo/main", "x", "queue-17" };
    for (size_t i = 0; i < sizeof tenants / sizeof tenants[0]; i++) {
        struct slice tenant = slice_cstr(tenants[i]);
        struct keyspace_id by_function, id;
        assert_int_equal(choose_id(t, tenant, &by_function, NULL), MQ_OK);
        for (uint32_t s = 0; s < t->shard_count; s++) {
            struct slice name = slice_cstr(t->shards[s].config->name);
            assert_int_equal(choose_id_on_shard(t, tenant, name, &id, NULL), MQ_OK);
            assert_int_equal(topology_shard_of(t, &id), s);
            if (topology_shard_of(t, &by_function) == s)
                assert_int_equal(keyspace_id_cmp(&id, &by_function), 0);
        }
    }
}

/* A later split of the shard divides its tenants. */
static void ids_on_a_shard_are_spread(void **state)
{
    struct key_range upper;
    assert_int_equal(key_range_parse(SLICE_LIT("60-80"), &upper, NULL), MQ_OK);
    int in_upper = 0;
    for (char c = 'a'; c <= 'z'; c++) {
        struct keyspace_id id;
        assert_int_equal(choose_id_on_shard(*state, slice_of(&c, 1), SLICE_LIT("40-80"), &id, NULL),
                         MQ_OK);
        in_upper += key_range_contains(&upper, &id);
    }
    assert_in_range(in_upper, 5, 21);
}

static void an_unknown_shard_is_named(void **state)
{
    struct keyspace_id id;
    struct err err;
    assert_int_equal(choose_id_on_shard(*state, SLICE_LIT("a"), SLICE_LIT("c0-"), &id, &err),
                     MQ_USAGE);
    assert_non_null(strstr(err.text, "c0-"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_function_decides_by_default),
        cmocka_unit_test(a_shard_can_be_chosen),
        cmocka_unit_test(ids_on_a_shard_are_spread),
        cmocka_unit_test(an_unknown_shard_is_named),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
