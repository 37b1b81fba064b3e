/* The map of tenants: building, finding, order, lifetimes, and a million of them. */
#include "vschema/tenants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "vschema/vindex_int.h"

static void add(struct tenant_map_builder *b, const char *name, uint32_t shard, uint64_t version)
{
    struct keyspace_id id;
    vindex_xxhash(slice_cstr(name), &id);
    tenant_map_builder_add(b, slice_cstr(name), &id, shard, TENANT_SERVING, version);
}

static void an_empty_map(void **state)
{
    struct tenant_map_builder *b = tenant_map_builder_create();
    struct tenant_map *m = tenant_map_build(b, 5, 6);
    (void)state;
    assert_int_equal(tenant_map_count(m), 0);
    assert_null(tenant_map_find(m, SLICE_LIT("")));
    assert_null(tenant_map_find(m, SLICE_LIT("a")));
    tenant_map_release(m);
    tenant_map_builder_destroy(b);
    tenant_map_release(NULL);
    tenant_map_builder_destroy(NULL);
}

static void entries_are_found_and_ordered(void **state)
{
    struct tenant_map_builder *b = tenant_map_builder_create();
    (void)state;
    add(b, "b", 1, 1);
    add(b, "a", 0, 2);
    add(b, "ab", 2, 3);
    add(b, "a b", 3, 4);
    struct tenant_map *m = tenant_map_build(b, 7, 9);
    tenant_map_builder_destroy(b);
    static const char *const want[] = { "a", "a b", "ab", "b" };
    assert_int_equal(tenant_map_count(m), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(tenant_map_at(m, i)->name, want[i]);
        assert_ptr_equal(tenant_map_find(m, slice_cstr(want[i])), tenant_map_at(m, i));
    }
    const struct tenant *t = tenant_map_find(m, SLICE_LIT("ab"));
    assert_int_equal(t->shard, 2);
    assert_int_equal(t->version, 3);
    assert_int_equal(t->name_len, 2);
    assert_true(t->placed);
    assert_int_equal(t->id_len, 8);
    assert_null(tenant_map_find(m, SLICE_LIT("A")));
    assert_null(tenant_map_find(m, SLICE_LIT("a ")));
    assert_null(tenant_map_find(m, SLICE_LIT("")));
    assert_int_equal(tenant_map_version(m), 9);
    tenant_map_release(m);
}

static void the_last_of_equal_names_counts(void **state)
{
    struct tenant_map_builder *b = tenant_map_builder_create();
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        add(b, "same", i, i);
        add(b, "other", 10 + i, i);
    }
    struct tenant_map *m = tenant_map_build(b, 0, 0);
    assert_int_equal(tenant_map_count(m), 2);
    assert_int_equal(tenant_map_find(m, SLICE_LIT("same"))->shard, 4);
    assert_int_equal(tenant_map_find(m, SLICE_LIT("other"))->shard, 14);
    tenant_map_release(m);
    tenant_map_builder_destroy(b);
}

static void unplaced_and_impossible(void **state)
{
    struct tenant_map_builder *b = tenant_map_builder_create();
    struct keyspace_id longest = { { 1 }, TENANT_ID_MAX }, longer = { { 1 }, TENANT_ID_MAX + 1 };
    char name[256];
    (void)state;
    memset(name, 'x', sizeof name);
    tenant_map_builder_add(b, SLICE_LIT("listed"), NULL, 0, TENANT_SERVING, 0);
    tenant_map_builder_add(b, SLICE_LIT("fits"), &longest, 3, TENANT_MOVING, 0);
    tenant_map_builder_add(b, SLICE_LIT("long id"), &longer, 3, TENANT_SERVING, 0);
    tenant_map_builder_add(b, slice_of(name, 255), &longest, 3, TENANT_SERVING, 0);
    tenant_map_builder_add(b, slice_of(name, 256), &longest, 3, TENANT_SERVING, 0);
    struct tenant_map *m = tenant_map_build(b, 0, 0);
    assert_int_equal(tenant_map_count(m), 4);
    assert_false(tenant_map_find(m, SLICE_LIT("listed"))->placed);
    assert_true(tenant_map_find(m, SLICE_LIT("fits"))->placed);
    assert_int_equal(tenant_map_find(m, SLICE_LIT("fits"))->state, TENANT_MOVING);
    assert_false(tenant_map_find(m, SLICE_LIT("long id"))->placed);
    assert_non_null(tenant_map_find(m, slice_of(name, 255)));
    assert_null(tenant_map_find(m, slice_of(name, 256)));
    tenant_map_release(m);
    tenant_map_builder_destroy(b);
}

static void a_builder_can_be_used_again(void **state)
{
    struct tenant_map_builder *b = tenant_map_builder_create();
    (void)state;
    add(b, "a", 0, 0);
    struct tenant_map *first = tenant_map_build(b, 0, 0);
    add(b, "b", 0, 0);
    struct tenant_map *second = tenant_map_build(b, 0, 0);
    tenant_map_builder_destroy(b);
    assert_non_null(tenant_map_find(first, SLICE_LIT("a")));
    assert_null(tenant_map_find(second, SLICE_LIT("a")));
    assert_non_null(tenant_map_find(second, SLICE_LIT("b")));
    tenant_map_release(first);
    tenant_map_release(second);
}

static void references_and_confirmation(void **state)
{
    struct tenant_map_builder *b = tenant_map_builder_create();
    (void)state;
    add(b, "a", 0, 0);
    struct tenant_map *m = tenant_map_build(b, UINT64_MAX, 0);
    tenant_map_builder_destroy(b);
    assert_ptr_equal(tenant_map_acquire(m), m);
    tenant_map_release(m);
    assert_non_null(tenant_map_find(m, SLICE_LIT("a")));
    assert_true(tenant_map_confirmed_ms(m) == UINT64_MAX);
    tenant_map_confirm(m, 42);
    assert_int_equal(tenant_map_confirmed_ms(m), 42);
    tenant_map_release(m);
}

static void a_million(void **state)
{
    enum { TENANTS = 1000000 };
    struct tenant_map_builder *b = tenant_map_builder_create();
    char name[32];
    (void)state;
    for (int i = 0; i < TENANTS; i++) {
        snprintf(name, sizeof name, "tenant-%d", i);
        add(b, name, (uint32_t)i % 256, (uint64_t)i);
    }
    struct tenant_map *m = tenant_map_build(b, 0, 0);
    tenant_map_builder_destroy(b);
    assert_int_equal(tenant_map_count(m), TENANTS);
    for (int i = 0; i < TENANTS; i++) {
        snprintf(name, sizeof name, "tenant-%d", i);
        const struct tenant *t = tenant_map_find(m, slice_cstr(name));
        if (!t || t->version != (uint64_t)i || t->shard != (uint32_t)i % 256)
            fail_msg("%s", name);
        snprintf(name, sizeof name, "absent-%d", i);
        if (tenant_map_find(m, slice_cstr(name)))
            fail_msg("%s", name);
    }
    for (size_t i = 1; i < TENANTS; i++)
        if (strcmp(tenant_map_at(m, i - 1)->name, tenant_map_at(m, i)->name) >= 0)
            fail_msg("order at %zu", i);
    tenant_map_release(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map),
        cmocka_unit_test(entries_are_found_and_ordered),
        cmocka_unit_test(the_last_of_equal_names_counts),
        cmocka_unit_test(unplaced_and_impossible),
        cmocka_unit_test(a_builder_can_be_used_again),
        cmocka_unit_test(references_and_confirmation),
        cmocka_unit_test(a_million),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
