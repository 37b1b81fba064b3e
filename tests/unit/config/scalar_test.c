/* The text of single values: units, switches, addresses, names, hashes. */
#include "config/scalar.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct number_case {
    const char *why, *input;
    bool ok;
    uint64_t want;
};

static void check_numbers(const struct number_case *cases, size_t count,
                          bool (*parse)(const char *text, uint64_t *ret))
{
    for (size_t i = 0; i < count; i++) {
        uint64_t got = 0;
        bool ok = parse(cases[i].input, &got);
        if (ok != cases[i].ok || (ok && got != cases[i].want))
            fail_msg("%s: '%s' gave %d, %llu", cases[i].why, cases[i].input, ok,
                     (unsigned long long)got);
    }
}

static void durations(void **state)
{
    static const struct number_case cases[] = {
        { "milliseconds", "500ms", true, 500 },
        { "seconds", "5s", true, 5000 },
        { "minutes", "15m", true, 900000 },
        { "hours", "8h", true, 28800000 },
        { "days", "1d", true, 86400000 },
        { "a space before the unit", "5 s", true, 5000 },
        { "zero needs no unit", "0", true, 0 },
        { "others do", "5", false, 0 },
        { "empty", "", false, 0 },
        { "only a unit", "s", false, 0 },
        { "fraction", "1.5s", false, 0 },
        { "negative", "-1s", false, 0 },
        { "unknown unit", "5x", false, 0 },
        { "text behind", "5s ", false, 0 },
        { "upper case", "5S", false, 0 },
        { "product overflows", "18446744073709551615d", false, 0 },
        { "number overflows", "18446744073709551616ms", false, 0 },
    };
    (void)state;
    check_numbers(cases, COUNT(cases), scalar_duration);
}

static void sizes(void **state)
{
    static const struct number_case cases[] = {
        { "bytes", "100", true, 100 },          { "bytes named", "100B", true, 100 },
        { "KiB", "16KiB", true, 16384 },        { "MiB", "64MiB", true, 64 << 20 },
        { "GiB", "1GiB", true, 1 << 30 },       { "ambiguous unit", "1MB", false, 0 },
        { "ambiguous letter", "1M", false, 0 }, { "product overflows", "99999999999GiB", false, 0 },
    };
    (void)state;
    check_numbers(cases, COUNT(cases), scalar_size);
}

static void printed_with_their_unit(void **state)
{
    static const struct {
        uint64_t value;
        void (*print)(uint64_t value, struct buf *out);
        const char *want;
    } cases[] = {
        { 0, scalar_print_duration, "0ms" },      { 90000, scalar_print_duration, "90s" },
        { 3600000, scalar_print_duration, "1h" }, { 1, scalar_print_duration, "1ms" },
        { 64 << 20, scalar_print_size, "64MiB" }, { 1025, scalar_print_size, "1025B" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf out;
        buf_init(&out);
        cases[i].print(cases[i].value, &out);
        assert_string_equal(buf_cstr(&out), cases[i].want);
        buf_fini(&out);
    }
}

static void flags(void **state)
{
    bool value;
    (void)state;
    assert_true(scalar_flag("true", &value) && value);
    assert_true(scalar_flag("Yes", &value) && value);
    assert_true(scalar_flag("on", &value) && value);
    assert_true(scalar_flag("FALSE", &value) && !value);
    assert_true(scalar_flag("off", &value) && !value);
    assert_false(scalar_flag("1", &value));
    assert_false(scalar_flag("", &value));
}

static void addresses(void **state)
{
    static const struct {
        const char *input, *host;
        unsigned port;
        const char *socket, *fault; /* a part of it */
    } cases[] = {
        { "127.0.0.1:3307", "127.0.0.1", 3307, NULL, NULL },
        { "db-1.example_x.com:1", "db-1.example_x.com", 1, NULL, NULL },
        { "[::1]:65535", "::1", 65535, NULL, NULL },
        { "[fe80::1%eth0]:3306", "fe80::1%eth0", 3306, NULL, NULL },
        { "/run/mq.sock", NULL, 0, "/run/mq.sock", NULL },
        { "", NULL, 0, NULL, "host:port" },
        { "localhost", NULL, 0, NULL, "host:port" },
        { ":3307", NULL, 0, NULL, "host is missing" },
        { "h:", NULL, 0, NULL, "port" },
        { "h:0", NULL, 0, NULL, "port" },
        { "h:65536", NULL, 0, NULL, "port" },
        { "h:33x", NULL, 0, NULL, "port" },
        { "::1:3307", NULL, 0, NULL, "brackets" },
        { "[::1:3307", NULL, 0, NULL, "host:port" },
        { "[]:3307", NULL, 0, NULL, "host name" },
        { "[:1", NULL, 0, NULL, "host:port" },
        { "a b:1", NULL, 0, NULL, "host name" },
        { "u@h:1", NULL, 0, NULL, "host name" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct address a;
        const char *fault = scalar_address(cases[i].input, &a);
        if (cases[i].fault) {
            if (!fault || !strstr(fault, cases[i].fault))
                fail_msg("'%s': %s", cases[i].input, fault ? fault : "accepted");
            assert_null(a.host);
            assert_null(a.socket);
            continue;
        }
        if (fault)
            fail_msg("'%s': %s", cases[i].input, fault);
        struct address want = { (char *)cases[i].host, (uint16_t)cases[i].port,
                                (char *)cases[i].socket };
        assert_true(address_eq(&a, &want));
        struct buf text;
        buf_init(&text);
        address_print(&a, &text);
        assert_string_equal(buf_cstr(&text), cases[i].input);
        buf_fini(&text);
        address_fini(&a);
    }
}

static void long_names(void **state)
{
    char path[200] = "/", host[300];
    struct address a;
    (void)state;
    memset(path + 1, 'x', 106);
    assert_null(scalar_socket_fault(path));
    path[107] = 'x';
    assert_non_null(scalar_socket_fault(path));
    memset(host, 'h', sizeof host);
    strcpy(host + 256, ":1");
    assert_non_null(scalar_address(host, &a));
    strcpy(host + 255, ":1");
    assert_null(scalar_address(host, &a));
    address_fini(&a);
}

struct name_case {
    const char *input;
    bool ok;
};

static void check_names(const struct name_case *cases, size_t count,
                        const char *(*fault)(const char *name))
{
    for (size_t i = 0; i < count; i++)
        if ((fault(cases[i].input) == NULL) != cases[i].ok)
            fail_msg("'%s'", cases[i].input);
}

static void shard_names(void **state)
{
    static const struct name_case cases[] = {
        { "-", true },
        { "0", true },
        { "-80", true },
        { "80-", true },
        { "40-80", true },
        { "00ff-FFFF", true },
        { "", false },
        { "1", false },
        { "-8", false },
        { "8-", false },
        { "80", false },
        { "80-c0-", false },
        { "-8g", false },
        { "80 -", false },
        { "0123456789012345678901234567890123456789-012345678901234567890123", false },
    };
    (void)state;
    check_names(cases, COUNT(cases), scalar_shard_fault);
}

static void identifiers(void **state)
{
    static const struct name_case cases[] = {
        { "queue", true },
        { "queue_messages", true },
        { "q-1$", true },
        { "", false },
        { "a b", false },
        { "db.t", false },
        { "db@t", false },
        { "a`b", false },
        { "x123456789012345678901234567890123456789012345678901234567890123", true },
        { "x1234567890123456789012345678901234567890123456789012345678901234", false },
    };
    (void)state;
    check_names(cases, COUNT(cases), scalar_identifier_fault);
}

static void hashes(void **state)
{
    static const struct name_case cases[] = {
        { "*6BB4837EB74329105EE4568DDA7DC67ED2CA2AD9", true },
        { "*6BB4837EB74329105EE4568DDA7DC67ED2CA2AD", false },
        { "*6BB4837EB74329105EE4568DDA7DC67ED2CA2ADX", false },
        { "$A$005$01234567890123456789"
          "0123456789012345678901234567890123456789012",
          true },
        { "$A$005$0123456789012345678"
          "0123456789012345678901234567890123456789012",
          false },
        { "$A$x05$01234567890123456789"
          "0123456789012345678901234567890123456789012",
          false },
        { "secret", false },
        { "", false },
    };
    (void)state;
    check_names(cases, COUNT(cases), scalar_hash_fault);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations),
        cmocka_unit_test(sizes),
        cmocka_unit_test(printed_with_their_unit),
        cmocka_unit_test(flags),
        cmocka_unit_test(addresses),
        cmocka_unit_test(long_names),
        cmocka_unit_test(shard_names),
        cmocka_unit_test(identifiers),
        cmocka_unit_test(hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
