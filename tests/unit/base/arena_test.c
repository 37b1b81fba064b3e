/* Arenas: alignment, accounting, what a reset keeps. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void pieces_are_apart_and_aligned(void **state)
{
    struct arena a;
    char *before = NULL;
    (void)state;
    arena_init(&a);
    for (size_t size = 0; size < 300; size++) {
        char *p = arena_alloc(&a, size);
        assert_int_equal((uintptr_t)p % 16, 0);
        assert_ptr_not_equal(p, before);
        memset(p, (int)size, size);
        assert_true(size < 2 || before[size - 2] == (char)(size - 1));
        before = p;
    }
    arena_fini(&a);
    assert_int_equal(a.total, 0);
}

/* A command's arena asks for no memory once it has met its largest ordinary statement. */
static void reset_keeps_one_block(void **state)
{
    struct arena a;
    (void)state;
    arena_init(&a);
    arena_alloc(&a, 100);
    size_t small = a.total;
    assert_true(small <= 2048);
    arena_reset(&a);
    assert_int_equal(a.total, small);
    arena_alloc(&a, 100);
    assert_int_equal(a.total, small);
    for (int i = 0; i < 100; i++)
        arena_alloc(&a, 1000);
    arena_alloc(&a, 1000000);
    arena_alloc(&a, 1000);
    arena_reset(&a);
    assert_true(a.total > small && a.total <= 4096);
    struct arena_block *kept = a.head;
    arena_alloc(&a, 3000);
    assert_ptr_equal(a.head, kept);
    arena_fini(&a);
}

static void copies_end_with_nul(void **state)
{
    struct arena a;
    (void)state;
    arena_init(&a);
    struct slice s = arena_copy(&a, slice_of("abcdef", 3));
    assert_int_equal(s.len, 3);
    assert_string_equal(s.data, "abc");
    assert_string_equal(arena_copy(&a, slice_of(NULL, 0)).data, "");
    assert_string_equal(arena_printf(&a, "%d-%s", 7, "x"), "7-x");
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_apart_and_aligned),
        cmocka_unit_test(reset_keeps_one_block),
        cmocka_unit_test(copies_end_with_nul),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
