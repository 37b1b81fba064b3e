/* A borrowed run of bytes: pointer and length, not NUL-terminated. Whoever holds a
 * slice says whose bytes they are; a slice never owns. */
#ifndef MQ_BASE_SLICE_H
#define MQ_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct slice {
    const char *data;
    size_t len;
};

#define SLICE_LIT(s) ((struct slice){ (s), sizeof(s) - 1 })

static inline struct slice slice_of(const void *data, size_t len)
{
    return (struct slice){ data, len };
}

static inline struct slice slice_cstr(const char *s)
{
    return (struct slice){ s, s ? strlen(s) : 0 };
}

static inline bool slice_eq(struct slice a, struct slice b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* Compares ASCII letters without regard to case; other bytes as they are. */
bool slice_ieq(struct slice a, struct slice b);

static inline bool slice_ieq_cstr(struct slice a, const char *b)
{
    return slice_ieq(a, slice_cstr(b));
}

/* Three-way comparison as unsigned bytes; a prefix sorts first. */
int slice_cmp(struct slice a, struct slice b);

/* LIKE: % is any run of bytes, _ any byte, a backslash takes what follows it as it is; the case
 * of ASCII letters does not count. Takes time of at most the product of the lengths. */
bool slice_ilike(struct slice s, struct slice pattern);

/* The slice without ASCII white space at either end. */
struct slice slice_trim(struct slice s);

/* Parses a whole slice of decimal digits into *ret. False when empty, when another
 * byte occurs or when the value exceeds 64 bits. */
bool slice_to_u64(struct slice s, unsigned long long *ret);

bool slice_is_ascii(struct slice s);
/* True when the bytes are well-formed UTF-8 (no surrogates, no overlong forms, at most
 * U+10FFFF); *ret_chars, if given, receives the number of characters. */
bool slice_is_utf8(struct slice s, size_t *ret_chars);

#endif
