/* PROXY headers of both versions: whole, in part, and what only looks like one. */
#include "tests/unit/wire/wire_test.h"

#include "wire/proxy_header.h"

#define SIGNATURE "\r\n\r\n\0\r\nQUIT\n"
#define HEADER(bytes) { bytes, sizeof(bytes) - 1 }
#define TCP4_BLOCK "\12\0\0\1\12\0\0\2\304\151\14\353" /* 10.0.0.1:50281 to 10.0.0.2:3307 */
#define TCP6_BLOCK                                                                             \
    "\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\1\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\2\304\151\14\353"
#define FIFTY "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static const struct {
    const char *why;
    struct slice bytes;
    const char *address; /* "-": none is told */
    uint16_t port;
} good[] = {
    { "v1, IPv4", HEADER("PROXY TCP4 10.0.0.1 10.0.0.2 50281 3307\r\n"), "10.0.0.1", 50281 },
    { "v1, IPv6", HEADER("PROXY TCP6 2001:db8::1 2001:db8::2 1 0\r\n"), "2001:db8::1", 1 },
    { "v1, longest IPv6",
      HEADER("PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
             "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n"),
      "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 65535 },
    { "v1, unknown", HEADER("PROXY UNKNOWN\r\n"), "-", 0 },
    { "v1, unknown with more", HEADER("PROXY UNKNOWN ffff::1 what ever\r\n"), "-", 0 },
    { "v1, unknown, 107 bytes", HEADER("PROXY UNKNOWN " FIFTY "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n"), "-", 0 },
    { "v2, local", HEADER(SIGNATURE "\x20\0\0\0"), "-", 0 },
    { "v2, local with whatever", HEADER(SIGNATURE "\x20\x77\0\3abc"), "-", 0 },
    { "v2, IPv4", HEADER(SIGNATURE "\x21\x11\0\14" TCP4_BLOCK), "10.0.0.1", 50281 },
    { "v2, IPv6", HEADER(SIGNATURE "\x21\x21\0\44" TCP6_BLOCK), "2001:db8::1", 50281 },
    { "v2, unspecified", HEADER(SIGNATURE "\x21\0\0\2ab"), "-", 0 },
    { "v2, additions", HEADER(SIGNATURE "\x21\x11\0\25" TCP4_BLOCK "\4\0\0\x20\0\3abc"), "10.0.0.1", 50281 },
};

static const struct {
    const char *why;
    struct slice bytes;
} bad[] = {
    { "a login", HEADER("\x20\0\0\1") },
    { "another word", HEADER("PROXI ") },
    { "small letters", HEADER("proxy TCP4") },
    { "no family", HEADER("PROXY \r\n") },
    { "no such family", HEADER("PROXY TCP5 10.0.0.1 10.0.0.2 1 2\r\n") },
    { "two spaces", HEADER("PROXY TCP4  10.0.0.1 10.0.0.2 1 2\r\n") },
    { "a word too few", HEADER("PROXY TCP4 10.0.0.1 10.0.0.2 1\r\n") },
    { "a word too many", HEADER("PROXY TCP4 10.0.0.1 10.0.0.2 1 2 3\r\n") },
    { "space at the end", HEADER("PROXY TCP4 10.0.0.1 10.0.0.2 1 2 \r\n") },
    { "family and address differ", HEADER("PROXY TCP4 ::1 ::2 1 2\r\n") },
    { "families differ", HEADER("PROXY TCP6 ::1 10.0.0.2 1 2\r\n") },
    { "an address in a name", HEADER("PROXY TCP4 localhost 10.0.0.2 1 2\r\n") },
    { "a port too large", HEADER("PROXY TCP4 10.0.0.1 10.0.0.2 65536 2\r\n") },
    { "a padded port", HEADER("PROXY TCP4 10.0.0.1 10.0.0.2 01 2\r\n") },
    { "an empty port", HEADER("PROXY TCP4 10.0.0.1 10.0.0.2  2\r\n") },
    { "CR without LF", HEADER("PROXY TCP4 10.0.0.1 10.0.0.2 1 2\rx") },
    { "108 bytes", HEADER("PROXY UNKNOWN " FIFTY "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n") },
    { "no end", HEADER("PROXY UNKNOWN " FIFTY FIFTY) },
    { "signature with a fault", HEADER("\r\n\r\n\0\r\nQUIX\n") },
    { "version 1 in binary", HEADER(SIGNATURE "\x11\x11\0\14" TCP4_BLOCK) },
    { "no such command", HEADER(SIGNATURE "\x22\x11\0\14" TCP4_BLOCK) },
    { "datagrams", HEADER(SIGNATURE "\x21\x12\0\14" TCP4_BLOCK) },
    { "no such family", HEADER(SIGNATURE "\x21\x41\0\14" TCP4_BLOCK) },
    { "block too short", HEADER(SIGNATURE "\x21\x11\0\13\12\0\0\1\12\0\0\2\304\151\14") },
    { "IPv6 in a block for IPv4", HEADER(SIGNATURE "\x21\x21\0\14" TCP4_BLOCK) },
    { "unix in a block for IPv4", HEADER(SIGNATURE "\x21\x31\0\14" TCP4_BLOCK) },
    { "half an addition", HEADER(SIGNATURE "\x21\x11\0\16" TCP4_BLOCK "\4\0") },
    { "an addition longer than the rest", HEADER(SIGNATURE "\x21\x11\0\20" TCP4_BLOCK "\4\0\2a") },
    { "far too long", HEADER(SIGNATURE "\x21\x11\x10\x00") },
};

static void headers_whole_and_in_part(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        struct proxy_header h;
        char text[IP_TEXT_MAX];
        for (size_t len = 0; len <= good[i].bytes.len; len++) {
            uint8_t *bytes = exact_copy(good[i].bytes, len);
            enum proxy_status status = proxy_header_parse(bytes, len, &h);
            if (status != (len < good[i].bytes.len ? PROXY_INCOMPLETE : PROXY_COMPLETE))
                fail_msg("%s: %zu bytes give %d", good[i].why, len, (int)status);
            free(bytes);
        }
        assert_int_equal(h.size, good[i].bytes.len);
        assert_string_equal(ip_print(&h.address, text), good[i].address);
        assert_int_equal(h.port, good[i].port);
    }
}

/* Addresses and one addition that fills what is left; a byte more is refused when it is announced. */
static void as_long_as_may_be(void **state)
{
    (void)state;
    for (size_t size = PROXY_HEADER_MAX; size <= PROXY_HEADER_MAX + 1; size++) {
        size_t block = size - 16, rest = block - 12 - 3;
        uint8_t *bytes = calloc(1, size);
        memcpy(bytes, SIGNATURE "\x21\x11", 14);
        bytes[14] = (uint8_t)(block >> 8);
        bytes[15] = (uint8_t)block;
        memcpy(bytes + 16, TCP4_BLOCK, 12);
        bytes[28] = 4;
        bytes[29] = (uint8_t)(rest >> 8);
        bytes[30] = (uint8_t)rest;
        for (size_t len = 16; len <= size; len++) {
            struct proxy_header h;
            enum proxy_status want = size > PROXY_HEADER_MAX ? PROXY_BAD
                                     : len < size            ? PROXY_INCOMPLETE
                                                             : PROXY_COMPLETE;
            assert_int_equal(proxy_header_parse(bytes, len, &h), want);
            assert_int_equal(h.size, size);
        }
        free(bytes);
    }
}

static void what_follows_is_left_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        struct buf b = { 0 };
        struct proxy_header h;
        buf_append_slice(&b, good[i].bytes);
        buf_append_cstr(&b, "\r\nPROXY");
        assert_int_equal(proxy_header_parse(buf_begin(&b), buf_len(&b), &h), PROXY_COMPLETE);
        assert_int_equal(h.size, good[i].bytes.len);
        buf_fini(&b);
    }
}

static void what_is_no_header_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct proxy_header h;
        if (proxy_header_parse((const uint8_t *)bad[i].bytes.data, bad[i].bytes.len, &h) != PROXY_BAD)
            fail_msg("%s: not refused", bad[i].why);
    }
}

static void own_header_is_local(void **state)
{
    (void)state;
    struct buf b = { 0 };
    struct proxy_header h;
    proxy_header_write_local(&b);
    assert_int_equal(proxy_header_parse(buf_begin(&b), buf_len(&b), &h), PROXY_COMPLETE);
    assert_int_equal(h.size, buf_len(&b));
    assert_int_equal(h.address.size, 0);
    buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_whole_and_in_part),
        cmocka_unit_test(as_long_as_may_be),
        cmocka_unit_test(what_follows_is_left_alone),
        cmocka_unit_test(what_is_no_header_is_refused),
        cmocka_unit_test(own_header_is_local),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
