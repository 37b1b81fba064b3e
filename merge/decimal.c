#include "merge/decimal.h"

enum {
    DIGITS = 9, /* of a word */
    WORD = 1000000000,
    INTEGER_DIGITS = (DECIMAL_WORDS - DECIMAL_FRACTION_WORDS) * DIGITS,
    FRACTION_DIGITS = DECIMAL_FRACTION_WORDS * DIGITS,
};

static const uint32_t powers[DIGITS] = { 1,      10,      100,      1000,     10000,
                                         100000, 1000000, 10000000, 100000000 };

bool decimal_is_zero(const struct decimal *d)
{
    for (int i = 0; i < DECIMAL_WORDS; i++)
        if (d->words[i])
            return false;
    return true;
}

static void settle_sign(struct decimal *d)
{
    d->negative = d->negative && !decimal_is_zero(d);
}

/* ---- digits, counted from the last one behind the point ---- */

static void add_digit(struct decimal *d, size_t at, char digit)
{
    d->words[at / DIGITS] += (uint32_t)(digit - '0') * powers[at % DIGITS];
}

static unsigned digit_at(const struct decimal *d, size_t at)
{
    return d->words[at / DIGITS] / powers[at % DIGITS] % 10;
}

static size_t count_digits(struct slice s, size_t from)
{
    size_t n = from;
    while (n < s.len && s.data[n] >= '0' && s.data[n] <= '9')
        n++;
    return n - from;
}

bool decimal_parse(struct slice text, struct decimal *ret)
{
    size_t at = 0;
    *ret = (struct decimal){ 0 };
    if (text.len && (text.data[0] == '-' || text.data[0] == '+'))
        ret->negative = text.data[at++] == '-';
    size_t whole = count_digits(text, at);
    size_t fraction_at = at + whole;
    size_t fraction = 0;
    if (fraction_at < text.len && text.data[fraction_at] == '.')
        fraction = count_digits(text, ++fraction_at);
    if (fraction_at + fraction != text.len || whole + fraction == 0 || whole > INTEGER_DIGITS ||
        fraction > FRACTION_DIGITS)
        return false;
    for (size_t i = 0; i < whole; i++)
        add_digit(ret, FRACTION_DIGITS + whole - 1 - i, text.data[at + i]);
    for (size_t i = 0; i < fraction; i++)
        add_digit(ret, FRACTION_DIGITS - 1 - i, text.data[fraction_at + i]);
    settle_sign(ret);
    return true;
}

struct decimal decimal_of_unsigned(uint64_t value)
{
    struct decimal d = { 0 };
    for (int i = DECIMAL_FRACTION_WORDS; value; i++, value /= WORD)
        d.words[i] = (uint32_t)(value % WORD);
    return d;
}

struct decimal decimal_of_signed(int64_t value)
{
    struct decimal d = decimal_of_unsigned(value < 0 ? -(uint64_t)value : (uint64_t)value);
    d.negative = value < 0;
    return d;
}

/* ---- arithmetic ---- */

static int compare_magnitudes(const struct decimal *a, const struct decimal *b)
{
    for (int i = DECIMAL_WORDS - 1; i >= 0; i--)
        if (a->words[i] != b->words[i])
            return a->words[i] < b->words[i] ? -1 : 1;
    return 0;
}

int decimal_compare(const struct decimal *a, const struct decimal *b)
{
    if (a->negative != b->negative)
        return a->negative ? -1 : 1;
    int order = compare_magnitudes(a, b);
    return a->negative ? -order : order;
}

static bool add_magnitudes(const struct decimal *a, const struct decimal *b, struct decimal *ret)
{
    uint32_t carry = 0;
    for (int i = 0; i < DECIMAL_WORDS; i++) {
        uint32_t sum = a->words[i] + b->words[i] + carry;
        carry = sum >= WORD;
        ret->words[i] = carry ? sum - WORD : sum;
    }
    return carry == 0;
}

/* a is not the smaller one. */
static void subtract_magnitudes(const struct decimal *a, const struct decimal *b,
                                struct decimal *ret)
{
    uint32_t borrow = 0;
    for (int i = 0; i < DECIMAL_WORDS; i++) {
        uint32_t take = b->words[i] + borrow;
        borrow = a->words[i] < take;
        ret->words[i] = a->words[i] + (borrow ? WORD : 0) - take;
    }
}

bool decimal_add(const struct decimal *a, const struct decimal *b, struct decimal *ret)
{
    struct decimal sum = { .negative = a->negative };
    if (a->negative == b->negative) {
        if (!add_magnitudes(a, b, &sum))
            return false;
    } else if (compare_magnitudes(a, b) >= 0) {
        subtract_magnitudes(a, b, &sum);
    } else {
        sum.negative = b->negative;
        subtract_magnitudes(b, a, &sum);
    }
    settle_sign(&sum);
    *ret = sum;
    return true;
}

bool decimal_subtract(const struct decimal *a, const struct decimal *b, struct decimal *ret)
{
    struct decimal minus = *b;
    minus.negative = !b->negative;
    settle_sign(&minus);
    return decimal_add(a, &minus, ret);
}

/* One row of the multiplication by hand. */
static void add_row(const struct decimal *a, uint32_t factor, uint32_t *row)
{
    uint64_t carry = 0;
    for (int i = 0; i < DECIMAL_WORDS; i++) {
        uint64_t sum = (uint64_t)a->words[i] * factor + row[i] + carry;
        row[i] = (uint32_t)(sum % WORD);
        carry = sum / WORD;
    }
    row[DECIMAL_WORDS] = (uint32_t)carry; /* no row has come that far yet */
}

bool decimal_multiply(const struct decimal *a, const struct decimal *b, struct decimal *ret)
{
    uint32_t product[2 * DECIMAL_WORDS] = { 0 };
    for (int i = 0; i < DECIMAL_WORDS; i++)
        add_row(a, b->words[i], product + i);
    for (int i = 0; i < 2 * DECIMAL_WORDS; i++) {
        bool kept = i >= DECIMAL_FRACTION_WORDS && i < DECIMAL_FRACTION_WORDS + DECIMAL_WORDS;
        if (!kept && product[i])
            return false;
    }
    struct decimal d = { .negative = a->negative != b->negative };
    memcpy(d.words, product + DECIMAL_FRACTION_WORDS, sizeof d.words);
    settle_sign(&d);
    *ret = d;
    return true;
}

/* Towards zero. */
static void divide(struct decimal *d, uint64_t divisor)
{
    unsigned __int128 remainder = 0;
    for (int i = DECIMAL_WORDS - 1; i >= 0; i--) {
        remainder = remainder * WORD + d->words[i];
        d->words[i] = (uint32_t)(remainder / divisor);
        remainder %= divisor;
    }
}

/* Drops all digits but the first `keep` behind the point. */
static void truncate_to(struct decimal *d, unsigned keep)
{
    for (size_t at = 0; at + keep < FRACTION_DIGITS; at++)
        d->words[at / DIGITS] -= digit_at(d, at) * powers[at % DIGITS];
}

struct decimal decimal_round(const struct decimal *d, unsigned scale)
{
    struct decimal rounded = *d, one = { 0 };
    if (scale >= FRACTION_DIGITS)
        return rounded;
    size_t last = FRACTION_DIGITS - scale; /* of those that stay */
    bool up = digit_at(d, last - 1) >= 5;
    truncate_to(&rounded, scale);
    add_digit(&one, last, '1');
    if (up && !add_magnitudes(&rounded, &one, &rounded))
        return *d; /* no server can hold it: printing it says so */
    settle_sign(&rounded);
    return rounded;
}

static unsigned to_words(unsigned digits)
{
    return (digits + DIGITS - 1) / DIGITS * DIGITS;
}

/* As do_div_mod() of the servers' strings/decimal.c does it. */
struct decimal decimal_average(const struct decimal *d, uint64_t divisor, unsigned scale,
                               unsigned more)
{
    struct decimal quotient = *d;
    unsigned has = to_words(scale), spare = has - scale;
    divide(&quotient, divisor);
    truncate_to(&quotient, to_words(has + (more > spare ? more - spare : 0)));
    settle_sign(&quotient);
    return quotient;
}

/* ---- results ---- */

static size_t whole_digits(const struct decimal *d)
{
    size_t n = INTEGER_DIGITS;
    while (n && !digit_at(d, FRACTION_DIGITS + n - 1))
        n--;
    return n;
}

static bool has_fraction_behind(const struct decimal *d, unsigned scale)
{
    for (size_t at = 0; at + scale < FRACTION_DIGITS; at++)
        if (digit_at(d, at))
            return true;
    return false;
}

bool decimal_print(const struct decimal *d, unsigned scale, struct buf *out)
{
    size_t whole = whole_digits(d);
    if (scale > DECIMAL_SCALE_MAX || whole + scale > DECIMAL_DIGITS_MAX ||
        has_fraction_behind(d, scale))
        return false;
    if (d->negative)
        buf_append_byte(out, '-');
    if (whole == 0)
        buf_append_byte(out, '0');
    for (size_t i = whole; i-- > 0;)
        buf_append_byte(out, (uint8_t)('0' + digit_at(d, FRACTION_DIGITS + i)));
    if (scale)
        buf_append_byte(out, '.');
    for (size_t i = 0; i < scale; i++)
        buf_append_byte(out, (uint8_t)('0' + digit_at(d, FRACTION_DIGITS - 1 - i)));
    return true;
}

static bool to_magnitude(const struct decimal *d, uint64_t *ret)
{
    uint64_t value = 0;
    if (has_fraction_behind(d, 0))
        return false;
    for (int i = DECIMAL_WORDS - 1; i >= DECIMAL_FRACTION_WORDS; i--) {
        if (value > (UINT64_MAX - d->words[i]) / WORD)
            return false;
        value = value * WORD + d->words[i];
    }
    *ret = value;
    return true;
}

bool decimal_to_unsigned(const struct decimal *d, uint64_t *ret)
{
    return !d->negative && to_magnitude(d, ret);
}

bool decimal_to_signed(const struct decimal *d, int64_t *ret)
{
    uint64_t value;
    if (!to_magnitude(d, &value) || value > (uint64_t)INT64_MAX + d->negative)
        return false;
    *ret = (int64_t)(d->negative ? -value : value);
    return true;
}
