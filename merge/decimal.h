/* Exact decimals: what DECIMAL columns, BIGINTs and their sums can hold, and half as much again, so
 * that an overflow is seen when the result is written and never before.
 *
 * Nine digits a word, the lowest word first: FRACTION_WORDS behind the point, the rest before
 * it. Zero is never negative. */
#ifndef MQ_MERGE_DECIMAL_H
#define MQ_MERGE_DECIMAL_H

#include <stdint.h>

#include "base/buf.h"

enum {
    DECIMAL_FRACTION_WORDS = 4,
    DECIMAL_WORDS = 13,
    DECIMAL_SCALE_MAX = 30,  /* digits behind the point that a server has (DECIMAL_MAX_SCALE) */
    DECIMAL_DIGITS_MAX = 65, /* in all (DECIMAL_MAX_PRECISION) */
};

struct decimal {
    bool negative;
    uint32_t words[DECIMAL_WORDS];
};

/* Reads a whole text: sign, digits, point, digits. False for anything else, exponents included,
 * and for more digits than there is room for. */
bool decimal_parse(struct slice text, struct decimal *ret);
struct decimal decimal_of_unsigned(uint64_t value);
struct decimal decimal_of_signed(int64_t value);

int decimal_compare(const struct decimal *a, const struct decimal *b);
bool decimal_is_zero(const struct decimal *d);
/* False: the result has no room; *ret is not set then. */
bool decimal_add(const struct decimal *a, const struct decimal *b, struct decimal *ret);
bool decimal_subtract(const struct decimal *a, const struct decimal *b, struct decimal *ret);
bool decimal_multiply(const struct decimal *a, const struct decimal *b, struct decimal *ret);

/* The quotient as a server has it before it is rounded: with as many whole words behind the point
 * as `scale` digits (of d) and `more` take up. divisor is not 0. */
struct decimal decimal_average(const struct decimal *d, uint64_t divisor, unsigned scale,
                               unsigned more);
/* To that many digits behind the point; halves go away from zero. */
struct decimal decimal_round(const struct decimal *d, unsigned scale);

/* Appends the number with exactly that many digits behind the point. False when it has others
 * behind those, or more digits than a server's DECIMAL. */
bool decimal_print(const struct decimal *d, unsigned scale, struct buf *out);
/* False when it is no integer of that range. */
bool decimal_to_signed(const struct decimal *d, int64_t *ret);
bool decimal_to_unsigned(const struct decimal *d, uint64_t *ret);

#endif
