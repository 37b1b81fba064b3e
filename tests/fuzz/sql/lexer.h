/* What the fuzzers of the lexer share. */
#ifndef MQ_TESTS_FUZZ_SQL_LEXER_H
#define MQ_TESTS_FUZZ_SQL_LEXER_H

#include <stdint.h>
#include <stdlib.h>

#include "sql/dialect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stays in every build, unlike CHECK. */
static inline void require(int condition)
{
    if (!condition)
        abort();
}

static inline struct dialect choose_dialect(uint8_t choice)
{
    struct dialect d = { choice & 1 ? FLAVOUR_MARIADB : FLAVOUR_MYSQL, 80011, 80036, 0 };
    if (choice & 1)
        d.version_min = d.version_max = 101106;
    d.modes = (uint32_t)choice >> 1 & (MODE_ANSI_QUOTES | MODE_NO_BACKSLASH_ESCAPES);
    return d;
}

#endif
