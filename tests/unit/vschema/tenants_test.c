/* The map of tenants: building, finding, order, lifetimes, and a million of them. */
#include "vschema/tenants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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
    struct keyspace_id longest = { { 1 }, KEYSPACE_ID_MAX };
    char name[256];
    (void)state;
    memset(name, 'x', sizeof name);
    tenant_map_builder_add(b, SLICE_LIT("listed"), NULL, 0, TENANT_SERVING, 0);
    tenant_map_builder_add(b, SLICE_LIT("fits"), &longest, 3, TENANT_MOVING, 0);
    tenant_map_builder_add(b, slice_of(name, 255), &longest, 3, TENANT_SERVING, 0);
    tenant_map_builder_add(b, slice_of(name, 256), &longest, 3, TENANT_SERVING, 0);
    struct tenant_map *m = tenant_map_build(b, 0, 0);
    assert_int_equal(tenant_map_count(m), 3);
    assert_false(tenant_map_find(m, SLICE_LIT("listed"))->placed);
    assert_true(tenant_map_find(m, SLICE_LIT("fits"))->placed);
    assert_int_equal(tenant_map_find(m, SLICE_LIT("fits"))->state, TENANT_MOVING);
    struct keyspace_id id = tenant_id(tenant_map_find(m, SLICE_LIT("fits")));
    assert_int_equal(keyspace_id_cmp(&id, &longest), 0);
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

/* --- changes ------------------------------------------------------------------------- */

enum { NAMES = 400 };

/* What a map has to say: for each name its version, 0 for one that is not known. */
struct model {
    uint64_t versions[NAMES];
    bool preparing[NAMES];
};

static const char *name_of(size_t i, char text[16])
{
    snprintf(text, 16, "%zu", i * 7 % NAMES); /* in no order */
    return text;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void check_map(const struct tenant_map *m, const struct model *model)
{
    char names[NAMES][16];
    size_t count = 0, preparing = 0;
    for (size_t i = 0; i < NAMES; i++) {
        char text[16];
        const struct tenant *t = tenant_map_find(m, slice_cstr(name_of(i, text)));
        if ((t ? t->version : 0) != model->versions[i])
            fail_msg("%s has the version %d", text, t ? (int)t->version : 0);
        if (!t)
            continue;
        struct keyspace_id id = tenant_id(t), want;
        vindex_xxhash(slice_cstr(text), &want);
        assert_int_equal(keyspace_id_cmp(&id, &want), 0);
        strcpy(names[count++], text);
        preparing += model->preparing[i];
    }
    assert_int_equal(tenant_map_count(m), count);
    assert_int_equal(tenant_map_preparing(m), preparing);
    qsort(names, count, sizeof *names, compare_texts);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(tenant_map_at(m, i)->name, names[i]);
}

/* Adds or removes some tenants, in the builder and in the model. */
static void change_some(struct tenant_map_builder *b, struct model *model, size_t count,
                        uint64_t version)
{
    for (size_t n = 0; n < count; n++) {
        size_t i = (size_t)rand() % NAMES;
        char text[16];
        struct slice name = slice_cstr(name_of(i, text));
        struct keyspace_id id;
        bool gone = rand() % 3 == 0, preparing = rand() % 5 == 0;
        vindex_xxhash(name, &id);
        if (gone)
            tenant_map_builder_remove(b, name);
        else
            tenant_map_builder_add(b, name, &id, 1, preparing ? TENANT_PREPARING : TENANT_SERVING,
                                   version);
        model->versions[i] = gone ? 0 : version;
        model->preparing[i] = !gone && preparing;
    }
}

/* Change upon change, each leaving the map before it as it was. */
static void changed_maps_are_as_if_built_anew(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 20; seed++) {
        struct model model, before;
        struct tenant_map_builder *b = tenant_map_builder_create();
        memset(&model, 0, sizeof model);
        srand(seed);
        for (size_t i = 0; i < seed * 20; i++) { /* a base may not hold what is gone */
            char text[16];
            add(b, name_of(i, text), 1, 1);
            model.versions[i] = 1;
        }
        struct tenant_map *m = tenant_map_build(b, 0, 1);
        check_map(m, &model);
        for (uint64_t version = 2; version < 30; version++) {
            before = model;
            change_some(b, &model, (size_t)rand() % 20, version);
            struct tenant_map *changed = tenant_map_change(m, b, version, version);
            check_map(changed, &model);
            check_map(m, &before);
            assert_int_equal(tenant_map_version(changed), version);
            tenant_map_release(m);
            m = changed;
        }
        tenant_map_release(m);
        tenant_map_builder_destroy(b);
    }
}

/* More than are kept beside a base: they become part of a new one. */
static void many_changes_make_a_new_base(void **state)
{
    enum { TENANTS = 5000 };
    struct tenant_map_builder *b = tenant_map_builder_create();
    struct tenant_map *m = tenant_map_build(b, 0, 0);
    char name[32];
    (void)state;
    for (uint32_t round = 1; round <= 3; round++) {
        for (int i = 0; i < TENANTS; i++) {
            snprintf(name, sizeof name, "tenant-%d", i);
            if (round == 3 && i % 2)
                tenant_map_builder_remove(b, slice_cstr(name));
            else
                add(b, name, round, round);
        }
        struct tenant_map *changed = tenant_map_change(m, b, 0, round);
        tenant_map_release(m);
        m = changed;
        assert_int_equal(tenant_map_count(m), round == 3 ? TENANTS / 2 : TENANTS);
        for (size_t i = 0; i < tenant_map_count(m); i++)
            assert_int_equal(tenant_map_at(m, i)->version, round);
    }
    tenant_map_release(m);
    tenant_map_builder_destroy(b);
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
        cmocka_unit_test(changed_maps_are_as_if_built_anew),
        cmocka_unit_test(many_changes_make_a_new_base),
        cmocka_unit_test(a_million),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
