/* LIKE over slices. */
#include "base/slice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
    const char *why, *text, *pattern;
    bool want;
} cases[] = {
    { "nothing is like nothing", "", "", true },
    { "nothing is like any run", "", "%%", true },
    { "nothing is not like one byte", "", "_", false },
    { "the same", "abc", "abc", true },
    { "the case of letters", "aBc", "AbC", true },
    { "a prefix is not the whole", "abc", "ab", false },
    { "a longer pattern", "ab", "abc", false },
    { "one byte", "abc", "a_c", true },
    { "a run in front", "abc", "%c", true },
    { "a run behind", "abc", "a%", true },
    { "a run of nothing", "abc", "abc%", true },
    { "a run that has to be found again", "aab aac", "%aac", true },
    { "several runs", "select a from b where c", "%a%from%where%", true },
    { "runs out of order", "where from", "%from%where%", false },
    { "an escaped percent sign", "100%", "100\\%", true },
    { "only that", "100x", "100\\%", false },
    { "an escaped underscore", "a_b", "a\\_b", true },
    { "only that as well", "axb", "a\\_b", false },
    { "a backslash at the end", "a\\", "a\\", true },
    { "an escaped backslash", "a\\b", "a\\\\b", true },
    { "an escape behind a run", "a%b", "%\\%b", true },
    { "many runs that end in nothing",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%b", false },
};

static void compares_as_like(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (slice_ilike(slice_cstr(cases[i].text), slice_cstr(cases[i].pattern)) != cases[i].want)
            fail_msg("%s: '%s' LIKE '%s'", cases[i].why, cases[i].text, cases[i].pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares_as_like),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
