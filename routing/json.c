/* Finds one string in a JSON text without building a tree. The text is checked as a whole
 * (RFC 8259, at most 100 levels deep as in MySQL), so that what the shard would not store is
 * never taken for a tenant; keys are compared with their escapes undone. */
#include "routing/json.h"

#include <stdint.h>

enum { JSON_DEPTH_MAX = 100 };

struct json_scan {
    const char *p, *end;
    int depth;
    struct arena *arena;
    enum json_path result; /* of the path so far */
    struct slice value;
};

static bool scan_value(struct json_scan *s, const struct slice *path);

static void skip_space(struct json_scan *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
        s->p++;
}

static bool take(struct json_scan *s, char c)
{
    skip_space(s);
    if (s->p == s->end || *s->p != c)
        return false;
    s->p++;
    return true;
}

static bool take_word(struct json_scan *s, const char *word)
{
    size_t len = strlen(word);
    if ((size_t)(s->end - s->p) < len || memcmp(s->p, word, len) != 0)
        return false;
    s->p += len;
    return true;
}

static bool take_digits(struct json_scan *s)
{
    const char *first = s->p;
    while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
        s->p++;
    return s->p > first;
}

static bool scan_number(struct json_scan *s)
{
    if (s->p < s->end && *s->p == '-')
        s->p++;
    if (s->p < s->end && *s->p == '0')
        s->p++;
    else if (!take_digits(s))
        return false;
    if (s->p < s->end && *s->p == '.') {
        s->p++;
        if (!take_digits(s))
            return false;
    }
    if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
        s->p++;
        if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
            s->p++;
        return take_digits(s);
    }
    return true;
}

static bool hex4(const char *p, const char *end, uint32_t *ret)
{
    uint32_t value = 0;
    if (end - p < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        uint32_t digit;
        if (c >= '0' && c <= '9')
            digit = (uint32_t)(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (uint32_t)((c | 0x20) - 'a' + 10);
        else
            return false;
        value = value << 4 | digit;
    }
    *ret = value;
    return true;
}

/* The character of \uXXXX at *p (behind the u), of two of them for a surrogate pair. */
static bool unicode_escape(const char **p, const char *end, uint32_t *ret)
{
    uint32_t low;
    if (!hex4(*p, end, ret))
        return false;
    *p += 4;
    if (*ret < 0xd800 || *ret > 0xdfff)
        return true;
    if (*ret > 0xdbff || end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u' ||
        !hex4(*p + 2, end, &low) || low < 0xdc00 || low > 0xdfff)
        return false;
    *p += 6;
    *ret = 0x10000 + ((*ret - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

static char *put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xc0 | c >> 6);
        *out++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *out++ = (char)(0xe0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    } else {
        *out++ = (char)(0xf0 | c >> 18);
        *out++ = (char)(0x80 | (c >> 12 & 0x3f));
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    }
    return out;
}

/* One escape at *p (behind the backslash), written at *out. */
static bool unescape(const char **p, const char *end, char **out)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    uint32_t c;
    if (*p == end)
        return false;
    char kind = *(*p)++;
    if (kind == 'u') {
        if (!unicode_escape(p, end, &c))
            return false;
        *out = put_utf8(*out, c);
        return true;
    }
    const char *at = kind ? strchr(names, kind) : NULL;
    if (!at)
        return false;
    *(*out)++ = values[at - names];
    return true;
}

/* Undoes the escapes of the raw bytes between the quotes; no escape grows. */
static bool decode(struct arena *arena, struct slice raw, struct slice *ret)
{
    char *copy = arena_alloc(arena, raw.len + 1), *out = copy;
    const char *p = raw.data, *end = raw.data + raw.len;
    while (p < end) {
        if (*p != '\\')
            *out++ = *p++;
        else if (p++, !unescape(&p, end, &out))
            return false;
    }
    *ret = slice_of(copy, (size_t)(out - copy));
    return true;
}

/* Any string; *ret is its value, borrowed from the text when it holds no escape. */
static bool scan_string(struct json_scan *s, struct slice *ret)
{
    bool escaped = false;
    if (!take(s, '"'))
        return false;
    const char *first = s->p;
    while (s->p < s->end && *s->p != '"') {
        if ((unsigned char)*s->p < 0x20)
            return false;
        if (*s->p == '\\') {
            escaped = true;
            s->p++;
        }
        if (s->p < s->end)
            s->p++;
    }
    if (s->p == s->end)
        return false;
    *ret = slice_of(first, (size_t)(s->p++ - first));
    return !escaped || decode(s->arena, *ret, ret);
}

static struct slice path_head(struct slice path, struct slice *rest)
{
    const char *dot = path.len ? memchr(path.data, '.', path.len) : NULL;
    if (!dot) {
        *rest = slice_of(path.data + path.len, 0);
        return path;
    }
    size_t len = (size_t)(dot - path.data);
    *rest = slice_of(dot + 1, path.len - len - 1);
    return slice_of(path.data, len);
}

/* The value that the whole path leads to. */
static bool scan_target(struct json_scan *s)
{
    enum json_path found = PATH_NOT_STRING;
    skip_space(s);
    if (s->p < s->end && *s->p == '"') {
        if (!scan_string(s, &s->value))
            return false;
        found = PATH_STRING;
    } else if (!scan_value(s, NULL)) {
        return false;
    }
    if (s->result == PATH_ABSENT)
        s->result = found;
    return true;
}

/* A member's value, when its key is the path's next one. */
static bool scan_step(struct json_scan *s, struct slice rest, bool again)
{
    if (again) {
        s->result = PATH_TWICE;
        return scan_value(s, NULL);
    }
    return rest.len ? scan_value(s, &rest) : scan_target(s);
}

static bool scan_object(struct json_scan *s, const struct slice *path)
{
    struct slice key, rest = { "", 0 }, head = path ? path_head(*path, &rest) : rest;
    bool seen = false;
    if (take(s, '}'))
        return true;
    do {
        if (!scan_string(s, &key) || !take(s, ':'))
            return false;
        bool on_path = path && slice_eq(key, head);
        if (!(on_path ? scan_step(s, rest, seen) : scan_value(s, NULL)))
            return false;
        seen |= on_path;
    } while (take(s, ','));
    return take(s, '}');
}

static bool scan_array(struct json_scan *s)
{
    if (take(s, ']'))
        return true;
    do {
        if (!scan_value(s, NULL))
            return false;
    } while (take(s, ','));
    return take(s, ']');
}

static bool scan_nested(struct json_scan *s, const struct slice *path)
{
    if (++s->depth > JSON_DEPTH_MAX)
        return false;
    bool ok = *s->p++ == '{' ? scan_object(s, path) : scan_array(s);
    s->depth--;
    return ok;
}

/* Any value; with a path, whose keys are looked for in it if it is an object. */
static bool scan_value(struct json_scan *s, const struct slice *path)
{
    struct slice ignored;
    skip_space(s);
    if (s->p == s->end)
        return false;
    switch (*s->p) {
    case '{':
    case '[':
        return scan_nested(s, path);
    case '"':
        return scan_string(s, &ignored);
    case 't':
        return take_word(s, "true");
    case 'f':
        return take_word(s, "false");
    case 'n':
        return take_word(s, "null");
    default:
        return scan_number(s);
    }
}

enum json_path json_find_string(struct slice json, struct slice path, struct arena *arena,
                                struct slice *ret)
{
    struct json_scan s = { .p = json.data, .end = json.data + json.len, .arena = arena };
    if (!slice_is_utf8(json, NULL) || !scan_value(&s, &path))
        return PATH_MALFORMED;
    skip_space(&s);
    if (s.p != s.end)
        return PATH_MALFORMED;
    if (s.result == PATH_STRING)
        *ret = s.value;
    return s.result;
}
