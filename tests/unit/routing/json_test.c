#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "routing/json.h"

struct json_case {
    const char *why, *path, *json;
    enum json_path want;
    const char *value;
};

static const struct json_case cases[] = {
    { "a string", "q", "{\"q\":\"a\"}", PATH_STRING, "a" },
    { "white space", "q", " {\t\"q\" :\r\n\"a\" } ", PATH_STRING, "a" },
    { "among others", "q", "{\"x\":[1,{\"q\":2}],\"q\":\"a\",\"y\":null}", PATH_STRING, "a" },
    { "empty", "q", "{\"q\":\"\"}", PATH_STRING, "" },
    { "absent", "q", "{\"x\":1}", PATH_ABSENT, NULL },
    { "an empty object", "q", "{}", PATH_ABSENT, NULL },
    { "the key only inside another", "q", "{\"x\":{\"q\":\"a\"}}", PATH_ABSENT, NULL },
    { "a value, not a key", "q", "{\"x\":\"q\"}", PATH_ABSENT, NULL },
    { "another case", "q", "{\"Q\":\"a\"}", PATH_ABSENT, NULL },
    { "a prefix", "q", "{\"qq\":\"a\"}", PATH_ABSENT, NULL },
    { "no object", "q", "[\"q\"]", PATH_ABSENT, NULL },
    { "a scalar", "q", "\"q\"", PATH_ABSENT, NULL },
    { "a number", "q", "{\"q\":5}", PATH_NOT_STRING, NULL },
    { "null", "q", "{\"q\":null}", PATH_NOT_STRING, NULL },
    { "an object", "q", "{\"q\":{\"q\":\"a\"}}", PATH_NOT_STRING, NULL },
    { "twice", "q", "{\"q\":\"a\",\"q\":\"a\"}", PATH_TWICE, NULL },
    { "twice, no string first", "q", "{\"q\":1,\"q\":\"a\"}", PATH_TWICE, NULL },
    { "twice, once escaped", "q", "{\"q\":\"a\",\"\\u0071\":\"b\"}", PATH_TWICE, NULL },
    { "an escaped key", "q_n", "{\"q\\u005Fn\":\"a\"}", PATH_STRING, "a" },
    { "two steps", "a.b", "{\"a\":{\"b\":\"x\"},\"b\":\"y\"}", PATH_STRING, "x" },
    { "two steps, the second missing", "a.b", "{\"a\":{\"c\":\"x\"}}", PATH_ABSENT, NULL },
    { "two steps through a string", "a.b", "{\"a\":\"b\"}", PATH_ABSENT, NULL },
    { "the first step twice", "a.b", "{\"a\":{\"b\":\"x\"},\"a\":{}}", PATH_TWICE, NULL },
    { "the second step twice", "a.b", "{\"a\":{\"b\":\"x\",\"b\":\"x\"}}", PATH_TWICE, NULL },
    { "escapes", "q", "{\"q\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"}", PATH_STRING,
      "\"\\/\b\f\n\r\t\xc3\xa9" },
    { "a surrogate pair", "q", "{\"q\":\"\\ud83d\\ude00\"}", PATH_STRING, "\xf0\x9f\x98\x80" },
    { "half a surrogate pair", "q", "{\"q\":\"\\ud83d\"}", PATH_MALFORMED, NULL },
    { "the wrong half", "q", "{\"q\":\"\\ude00\"}", PATH_MALFORMED, NULL },
    { "an unknown escape", "q", "{\"q\":\"\\x\"}", PATH_MALFORMED, NULL },
    { "a short escape", "q", "{\"q\":\"\\u12\"}", PATH_MALFORMED, NULL },
    { "a control character", "q", "{\"q\":\"a\nb\"}", PATH_MALFORMED, NULL },
    { "not UTF-8", "q", "{\"q\":\"\xff\"}", PATH_MALFORMED, NULL },
    { "torn behind the key", "q", "{\"q\"", PATH_MALFORMED, NULL },
    { "torn in the value", "q", "{\"q\":\"a", PATH_MALFORMED, NULL },
    { "torn behind a backslash", "q", "{\"q\":\"a\\", PATH_MALFORMED, NULL },
    { "torn behind the value", "q", "{\"q\":\"a\"", PATH_MALFORMED, NULL },
    { "something behind", "q", "{\"q\":\"a\"} x", PATH_MALFORMED, NULL },
    { "a trailing comma", "q", "{\"q\":\"a\",}", PATH_MALFORMED, NULL },
    { "a key without quotes", "q", "{q:\"a\"}", PATH_MALFORMED, NULL },
    { "nothing", "q", "", PATH_MALFORMED, NULL },
    { "bad further on", "q", "{\"q\":\"a\",\"x\":01}", PATH_MALFORMED, NULL },
    { "numbers", "q", "{\"x\":[0,-1,1.5,1e5,1E-5,-0.0e+1],\"q\":\"a\"}", PATH_STRING, "a" },
    { "a bare minus", "q", "[-]", PATH_MALFORMED, NULL },
    { "a bare point", "q", "[1.]", PATH_MALFORMED, NULL },
    { "a bare exponent", "q", "[1e]", PATH_MALFORMED, NULL },
    { "words", "q", "[true,false,null]", PATH_ABSENT, NULL },
    { "another word", "q", "[nil]", PATH_MALFORMED, NULL },
};

static void test_paths(void **state)
{
    struct arena arena;
    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct json_case *c = &cases[i];
        struct slice value = { "", 0 };
        enum json_path got =
            json_find_string(slice_cstr(c->json), slice_cstr(c->path), &arena, &value);
        if (got != c->want)
            fail_msg("%s: %d", c->why, (int)got);
        if (c->value && !slice_eq(value, slice_cstr(c->value)))
            fail_msg("%s: %.*s", c->why, (int)value.len, value.data);
    }
    arena_fini(&arena);
}

/* MySQL stores no more than 100 levels (error 3157). */
static void test_depth(void **state)
{
    struct arena arena;
    struct slice value;
    char json[600];
    (void)state;
    arena_init(&arena);
    for (size_t depth = 99; depth <= 102; depth++) {
        memset(json, '[', depth);
        memset(json + depth, ']', depth);
        enum json_path want = depth <= 100 ? PATH_ABSENT : PATH_MALFORMED;
        assert_int_equal(
            json_find_string(slice_of(json, 2 * depth), SLICE_LIT("q"), &arena, &value), want);
    }
    arena_fini(&arena);
}

/* Every prefix of a document is malformed and read no further than its end. */
static void test_prefixes(void **state)
{
    static const char json[] = "{\"a\":[1,\"\\u0041\"],\"q\":\"\\ud83d\\ude00\"}";
    struct arena arena;
    struct slice value;
    (void)state;
    arena_init(&arena);
    for (size_t len = 0; len < sizeof json - 1; len++) {
        char *exact = malloc(len + 1); /* so that a sanitizer sees a read past the end */
        memcpy(exact + 1, json, len);
        assert_int_equal(json_find_string(slice_of(exact + 1, len), SLICE_LIT("q"), &arena, &value),
                         PATH_MALFORMED);
        free(exact);
    }
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
