/* Statements without their literals. */
#include "sql/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
    const char *why, *text, *want;
} cases[] = {
    { "words and names stay", "SELECT `a b`, t.x FROM t", "SELECT `a b`, t.x FROM t" },
    { "strings", "select 'secret' , \"secret\"", "select ? , ?" },
    { "strings of all kinds", "select N'secret', _utf8mb4'secret', x'5e', 0x5e, b'1', 'a' 'b'",
      "select ?, _utf8mb4?, ?, ?, ?, ? ?" },
    { "numbers", "select 1, 1.5, 1e0, -7", "select ?, ?, ?, -?" },
    { "parameters", "select ?", "select ?" },
    { "comments", "select /* secret */ 1 # secret", "select ?" },
    { "comments between words", "select/* secret */a -- secret\n,b", "select a ,b" },
    { "white space", " \n select \t 1\n", "select ?" },
    { "variables", "select @a, @@b", "select @a, @@b" },
    { "names over several lines", "select `a\nb`", "select `a b`" },
    { "names that are not UTF-8", "select `\xff\xfe`", "select ?" },
    { "versioned comments are code", "select /*!40000 a */", "select a" },
    { "nothing", "", "" },
};

static size_t write(const char *text, char *buffer, size_t size)
{
    struct arena arena;
    struct dialect dialect = dialect_default();
    struct lexed lexed;
    struct err e;
    arena_init(&arena);
    assert_int_equal(lex(slice_cstr(text), &dialect, &arena, &lexed, &e), MQ_OK);
    size_t len = digest_write(&lexed, buffer, size);
    arena_fini(&arena);
    return len;
}

static void shows_no_literal(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char got[128];
        size_t len = write(cases[i].text, got, sizeof got);
        if (strcmp(got, cases[i].want) != 0 || len != strlen(got))
            fail_msg("%s: got '%s', want '%s'", cases[i].why, got, cases[i].want);
    }
}

/* Whatever the room, the text ends inside it, and says so when it was cut. */
static void stays_inside_its_room(void **state)
{
    (void)state;
    static const char text[] = "select aaaa, bbbb from cccc";
    for (size_t size = 4; size < 40; size++) {
        char *got = malloc(size);
        size_t len = write(text, got, size);
        assert_true(len < size && got[len] == '\0');
        bool whole = strcmp(got, text) == 0;
        assert_true(whole || strcmp(got + len - 3, "...") == 0);
        assert_true(whole == (size >= sizeof text + 3));
        free(got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_no_literal),
        cmocka_unit_test(stays_inside_its_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
