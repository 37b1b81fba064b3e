#include "base/slice.h"

#include <stdint.h>

static unsigned char lower(char c)
{
    return (c >= 'A' && c <= 'Z') ? (unsigned char)(c + ('a' - 'A')) : (unsigned char)c;
}

bool slice_ieq(struct slice a, struct slice b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (lower(a.data[i]) != lower(b.data[i]))
            return false;
    return true;
}

int slice_cmp(struct slice a, struct slice b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int c = n ? memcmp(a.data, b.data, n) : 0;
    if (c)
        return c;
    return a.len < b.len ? -1 : a.len > b.len;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* How much of the pattern stands for one byte here; 0 when it does not match. */
static size_t like_one(struct slice pattern, size_t at, char byte)
{
    if (at == pattern.len)
        return 0;
    bool escaped = pattern.data[at] == '\\' && at + 1 < pattern.len;
    if (!escaped && pattern.data[at] == '_')
        return 1;
    size_t len = escaped ? 2 : 1;
    return slice_ieq(slice_of(pattern.data + at + len - 1, 1), slice_of(&byte, 1)) ? len : 0;
}

static bool at_any_run(struct slice pattern, size_t at)
{
    return at < pattern.len && pattern.data[at] == '%';
}

/* A mismatch goes back to the last % only: what stands before it has matched already. */
bool slice_ilike(struct slice s, struct slice pattern)
{
    size_t i = 0, at = 0, behind_run = 0, run_end = 0;
    while (i < s.len) {
        size_t len;
        if (at_any_run(pattern, at)) {
            behind_run = ++at;
            run_end = i;
        } else if ((len = like_one(pattern, at, s.data[i]))) {
            at += len;
            i++;
        } else if (behind_run) {
            at = behind_run;
            i = ++run_end;
        } else {
            return false;
        }
    }
    while (at_any_run(pattern, at))
        at++;
    return at == pattern.len;
}

struct slice slice_trim(struct slice s)
{
    while (s.len && is_space(s.data[0])) {
        s.data++;
        s.len--;
    }
    while (s.len && is_space(s.data[s.len - 1]))
        s.len--;
    return s;
}

bool slice_to_u64(struct slice s, unsigned long long *ret)
{
    unsigned long long v = 0;
    if (s.len == 0)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] < '0' || s.data[i] > '9')
            return false;
        unsigned digit = (unsigned)(s.data[i] - '0');
        if (v > (~0ULL - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *ret = v;
    return true;
}

/* Length of the well-formed character at p, or 0 (Unicode 15, table 3-7). */
static size_t utf8_char(const unsigned char *p, size_t left)
{
    unsigned char c = p[0];
    if (c < 0x80)
        return 1;
    size_t n = c >= 0xc2 && c <= 0xdf ? 2 : (c & 0xf0) == 0xe0 ? 3 : c >= 0xf0 && c <= 0xf4 ? 4 : 0;
    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] > 0x9f) || (c == 0xf0 && p[1] < 0x90) ||
        (c == 0xf4 && p[1] > 0x8f))
        return 0;
    return n;
}

bool slice_is_ascii(struct slice s)
{
    static const uint64_t high = 0x8080808080808080;
    uint64_t seen = 0, chunk = 0;
    size_t i = 0;
    for (; s.len - i >= sizeof chunk; i += sizeof chunk) {
        memcpy(&chunk, s.data + i, sizeof chunk);
        seen |= chunk;
    }
    for (; i < s.len; i++)
        seen |= (unsigned char)s.data[i];
    return !(seen & high);
}

bool slice_is_utf8(struct slice s, size_t *ret_chars)
{
    if (slice_is_ascii(s)) {
        if (ret_chars)
            *ret_chars = s.len;
        return true;
    }
    const unsigned char *p = (const unsigned char *)s.data;
    size_t chars = 0;
    for (size_t i = 0; i < s.len; chars++) {
        size_t n = utf8_char(p + i, s.len - i);
        if (n == 0)
            return false;
        i += n;
    }
    if (ret_chars)
        *ret_chars = chars;
    return true;
}
