/* Slices: what is read eight bytes at a time must see every byte, and none behind the end. */
#include "base/slice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LONGEST = 40 };

/* Each length, with the odd byte at each place; the memory ends with the slice. */
static void ascii_at_every_place(void **state)
{
    (void)state;
    for (size_t len = 0; len <= LONGEST; len++) {
        char *bytes = malloc(len + !len);
        memset(bytes, 'a', len + !len);
        struct slice s = slice_of(bytes, len);
        size_t chars = 99;
        assert_true(slice_is_ascii(s));
        assert_true(slice_is_utf8(s, &chars));
        assert_int_equal(chars, len);
        for (size_t i = 0; i < len; i++) {
            bytes[i] = '\x80';
            assert_false(slice_is_ascii(s));
            assert_false(slice_is_utf8(s, NULL));
            bytes[i] = '\0';
            assert_true(slice_is_ascii(s));
            bytes[i] = 'a';
        }
        free(bytes);
    }
}

static void characters_are_counted(void **state)
{
    static const struct {
        const char *text;
        bool valid;
        size_t chars;
    } cases[] = {
        { "", true, 0 },
        { "\xc3\xa9", true, 1 },
        { "abcdefg\xc3\xa9", true, 8 },
        { "\xe2\x84\xaa\xf0\x9f\x98\x80z", true, 3 },
        { "abcdefg\xc3", false, 0 },
        { "\xc0\x80", false, 0 },
        { "\xed\xa0\x80", false, 0 },
        { "\xf4\x90\x80\x80", false, 0 },
        { "\xff", false, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t chars = 0;
        assert_int_equal(slice_is_utf8(slice_cstr(cases[i].text), &chars), cases[i].valid);
        if (cases[i].valid)
            assert_int_equal(chars, cases[i].chars);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascii_at_every_place),
        cmocka_unit_test(characters_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
