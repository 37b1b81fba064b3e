/* Tenants that were missed: remembered for a moment, in a fixed place, whatever clients invent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "proxy/misses.h"

static void a_miss_is_remembered_for_a_moment(void **state)
{
    struct misses m = { 0 };
    (void)state;
    assert_false(misses_recent(&m, SLICE_LIT("a"), 0));
    misses_note(&m, SLICE_LIT("a"), 5000);
    assert_true(misses_recent(&m, SLICE_LIT("a"), 5000));
    assert_true(misses_recent(&m, SLICE_LIT("a"), 5000 + MISS_KEPT_MS - 1));
    assert_false(misses_recent(&m, SLICE_LIT("a"), 5000 + MISS_KEPT_MS));
    assert_false(misses_recent(&m, SLICE_LIT("b"), 5000));
    misses_note(&m, SLICE_LIT("a"), 7000);
    assert_true(misses_recent(&m, SLICE_LIT("a"), 7500));
}

/* Most of the last ones are there, and none of those that nobody asked for. */
static void invented_names_take_each_others_places(void **state)
{
    enum { NAMES = 100000 };
    struct misses m = { 0 };
    char name[32];
    int kept = 0;
    (void)state;
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "invented-%d", i);
        misses_note(&m, slice_cstr(name), 10);
        assert_true(misses_recent(&m, slice_cstr(name), 10));
    }
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "invented-%d", i);
        kept += misses_recent(&m, slice_cstr(name), 10);
        snprintf(name, sizeof name, "other-%d", i);
        assert_false(misses_recent(&m, slice_cstr(name), 10));
    }
    assert_int_equal(kept, MISSES_KEPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_is_remembered_for_a_moment),
        cmocka_unit_test(invented_names_take_each_others_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
