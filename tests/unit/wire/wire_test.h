/* What the tests of this folder share: bytes written as hex, and buffers to compare. */
#ifndef MQ_TESTS_WIRE_TEST_H
#define MQ_TESTS_WIRE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static inline int hex_value(char c)
{
    return c >= 'a' ? c - 'a' + 10 : c - '0';
}

/* Appends the bytes of lower-case hex digits; blanks are skipped. */
static inline struct slice hex_append(struct buf *b, const char *hex)
{
    for (; *hex; hex++) {
        if (*hex == ' ')
            continue;
        buf_append_byte(b, (uint8_t)(hex_value(hex[0]) << 4 | hex_value(hex[1])));
        hex++;
    }
    return buf_slice(b);
}

/* A heap copy of exactly n bytes, so that a sanitizer sees a read past them. */
static inline uint8_t *exact_copy(struct slice s, size_t n)
{
    uint8_t *p = malloc(n ? n : 1);
    assert_non_null(p);
    if (n)
        memcpy(p, s.data, n);
    return p;
}

static inline void assert_slice(struct slice got, struct slice want, const char *why)
{
    if (!slice_eq(got, want))
        fail_msg("%s: got '%.*s' (%zu bytes), want '%.*s' (%zu bytes)", why, (int)got.len,
                 got.data ? got.data : "", got.len, (int)want.len, want.data ? want.data : "",
                 want.len);
}

#endif
