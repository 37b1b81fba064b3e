/* Comments in the form of sqlcommenter, of which the key tenant is read:
 *
 *   key='value',key='value'     values URL-encoded, a quote or backslash behind a backslash
 *
 * Any other comment is just a comment, unless it seems to name a tenant. */
#include "sql/lexer_int.h"

static struct slice slice_from(struct slice s, size_t at)
{
    return slice_of(s.data + at, s.len - at);
}

static struct slice skip_spaces(struct slice s)
{
    size_t i = 0;
    while (i < s.len && memchr(" \t\n\v\f\r", s.data[i], 6))
        i++;
    return slice_from(s, i);
}

static bool take_byte(struct slice *s, char c)
{
    *s = skip_spaces(*s);
    if (s->len == 0 || s->data[0] != c)
        return false;
    *s = slice_from(*s, 1);
    return true;
}

static bool take_key(struct slice *s, struct slice *ret)
{
    size_t len = 0;
    *s = skip_spaces(*s);
    while (len < s->len && !memchr("=,'\"\\ \t\n\v\f\r", s->data[len], 11))
        len++;
    *ret = slice_of(s->data, len);
    *s = slice_from(*s, len);
    return len > 0;
}

/* 'value'; *ret is what stands between the quotes, still encoded. */
static bool take_value(struct slice *s, struct slice *ret)
{
    if (!take_byte(s, '\''))
        return false;
    for (size_t i = 0; i < s->len; i++) {
        if (s->data[i] == '\\') {
            i++;
        } else if (s->data[i] == '\'') {
            *ret = slice_of(s->data, i);
            *s = slice_from(*s, i + 1);
            return true;
        }
    }
    return false;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Undoes backslashes and %xx; false when a % is not followed by two digits. */
static bool decode(struct slice s, struct arena *arena, struct slice *ret)
{
    char *out = arena_alloc(arena, s.len);
    size_t len = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.data[i];
        if (c == '\\' && i + 1 < s.len) {
            c = s.data[++i];
        } else if (c == '%') {
            int high = i + 2 < s.len ? hex_digit(s.data[i + 1]) : -1;
            int low = i + 2 < s.len ? hex_digit(s.data[i + 2]) : -1;
            if (high < 0 || low < 0)
                return false;
            c = (char)(high << 4 | low);
            i += 2;
        }
        out[len++] = c;
    }
    *ret = slice_of(out, len);
    return true;
}

static void note_tenant(struct slice encoded, struct arena *arena, struct lexed *out)
{
    struct slice tenant;
    if (!decode(encoded, arena, &tenant))
        out->comment_tenant_bad = true;
    else if (!out->has_comment_tenant)
        out->comment_tenant = tenant;
    else if (!slice_eq(out->comment_tenant, tenant))
        out->comment_tenant_bad = true;
    out->has_comment_tenant = true;
}

/* Is there a word tenant with an equals sign behind it? */
static bool seems_to_name_tenant(struct slice s)
{
    static const char key[] = "tenant";
    enum { LEN = sizeof key - 1 };
    for (size_t i = 0; i + LEN <= s.len; i++) {
        struct slice rest = slice_from(s, i + LEN);
        if (memcmp(s.data + i, key, LEN) == 0 && take_byte(&rest, '='))
            return true;
    }
    return false;
}

/* One key='value' at the front of *s. */
static bool take_pair(struct slice *s, struct slice *key, struct slice *value)
{
    return take_key(s, key) && take_byte(s, '=') && take_value(s, value);
}

static bool is_well_formed(struct slice s)
{
    struct slice key, value;
    do {
        if (!take_pair(&s, &key, &value))
            return false;
    } while (take_byte(&s, ','));
    return skip_spaces(s).len == 0;
}

bool sqlcommenter_read(struct slice content, struct arena *arena, struct lexed *out)
{
    struct slice key, value;
    bool names = false;
    if (!is_well_formed(content)) {
        names = seems_to_name_tenant(content);
        if (names)
            out->has_comment_tenant = out->comment_tenant_bad = true;
        return names;
    }
    do {
        if (take_pair(&content, &key, &value) && slice_eq(key, SLICE_LIT("tenant"))) {
            note_tenant(value, arena, out);
            names = true;
        }
    } while (take_byte(&content, ','));
    return names;
}
