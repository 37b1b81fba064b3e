/* A fuzzer's input as a script: settings first, then packets with two bytes of length. */
#ifndef MQ_TESTS_FUZZ_WIRE_H
#define MQ_TESTS_FUZZ_WIRE_H

#include <stdlib.h>

#include "wire/codec.h"

/* Stays in every build, unlike CHECK. */
#define REQUIRE(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The next packet, or the rest when it is shorter than announced. */
static inline struct slice script_packet(struct reader *r)
{
    size_t n = reader_left(r) >= 2 ? read_u16(r) : 0;
    return read_bytes(r, n < reader_left(r) ? n : reader_left(r));
}

#endif
