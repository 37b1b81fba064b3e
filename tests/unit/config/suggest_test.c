/* Edit distance and the suggestion that is made of it. */
#include "config/suggest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void distances(void **state)
{
    static const struct {
        const char *why, *a, *b;
        size_t want;
    } cases[] = {
        { "equal", "shards", "shards", 0 },
        { "letter case does not count", "Shards", "sHARDS", 0 },
        { "one letter less", "adress", "address", 1 },
        { "one letter more", "tenantss", "tenants", 1 },
        { "one letter replaced", "lisden", "listen", 1 },
        { "neighbours swapped", "lsiten", "listen", 1 },
        { "empty", "", "pool", 4 },
        { "nothing in common", "abc", "xyz", 3 },
        { "kitten", "kitten", "sitting", 3 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t got = edit_distance(cases[i].a, cases[i].b);
        size_t back = edit_distance(cases[i].b, cases[i].a);
        if (got != cases[i].want || back != got)
            fail_msg("%s: %zu, %zu", cases[i].why, got, back);
    }
}

static void overlong_names_are_far_apart(void **state)
{
    char longer[70];
    (void)state;
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(edit_distance(longer, longer), SIZE_MAX);
    longer[64] = '\0';
    assert_int_equal(edit_distance(longer, longer), 0);
}

static void the_nearest_is_suggested(void **state)
{
    static const char *const names[] = { "listen", "limits", "log", "pool" };
    static const struct {
        const char *wanted, *want;
    } cases[] = {
        { "lisen", "listen" }, { "limit", "limits" }, { "loj", "log" }, { "pol", "pool" },
        { "xyzzy", NULL },     { "", NULL },          { "lg", "log" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct suggestion s;
        suggest_init(&s, cases[i].wanted);
        for (size_t j = 0; j < COUNT(names); j++)
            suggest_offer(&s, names[j]);
        if (cases[i].want)
            assert_string_equal(s.best, cases[i].want);
        else
            assert_null(s.best);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(overlong_names_are_far_apart),
        cmocka_unit_test(the_nearest_is_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
