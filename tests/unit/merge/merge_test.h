/* What the tests of this folder share. */
#ifndef MQ_TESTS_MERGE_TEST_H
#define MQ_TESTS_MERGE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static inline void assert_slice(struct slice got, struct slice want, const char *why)
{
    if (!slice_eq(got, want))
        fail_msg("%s: got '%.*s' (%zu bytes), want '%.*s' (%zu bytes)", why, (int)got.len,
                 got.data ? got.data : "", got.len, (int)want.len, want.data ? want.data : "",
                 want.len);
}

#endif
