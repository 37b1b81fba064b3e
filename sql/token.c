/* What tokens stand for: names without their quotes, and the exact bytes of strings. */
#include "sql/token.h"

#include "sql/chars.h"
#include "sql/lexer_int.h"

bool lexed_same(const struct lexed *a, const struct lexed *b)
{
    if (a->fingerprint != b->fingerprint || a->count != b->count ||
        lexed_is_comment(a) != lexed_is_comment(b))
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct token *t = &a->tokens[i], *u = &b->tokens[i];
        if (token_mark(t->kind, t->flags, t->value, t->len) !=
            token_mark(u->kind, u->flags, u->value, u->len))
            return false;
        if (token_bytes_count(t->kind, t->flags) && !slice_eq(token_text(a, i), token_text(b, i)))
            return false;
    }
    return true;
}

/* ---- names ---- */

/* What stands between the quotes, doubled ones still doubled; a bare word as it is. */
static struct slice name_content(const struct lexed *l, uint32_t index)
{
    struct slice s = token_text(l, index);
    return l->tokens[index].kind == TOKEN_QUOTED ? slice_of(s.data + 1, s.len - 2) : s;
}

struct slice token_ident(const struct lexed *l, uint32_t index, struct arena *arena)
{
    struct slice s = name_content(l, index);
    char quote = token_text(l, index).data[0];
    if (l->tokens[index].kind != TOKEN_QUOTED || !s.len || !memchr(s.data, quote, s.len))
        return s;
    char *name = arena_alloc(arena, s.len);
    size_t len = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] == quote)
            i++;
        name[len++] = s.data[i];
    }
    return slice_of(name, len);
}

/* The ASCII letter that MySQL's comparison of names makes of a longer character: the Kelvin
 * sign is a k and the Turkish capital i with its dot an i. Both have two or three bytes;
 * 0 when s begins with neither. */
static char folded_letter(struct slice s, size_t *ret_len)
{
    static const char kelvin[] = "\xe2\x84\xaa", dotted_i[] = "\xc4\xb0";
    if (s.len >= 3 && memcmp(s.data, kelvin, 3) == 0) {
        *ret_len = 3;
        return 'k';
    }
    *ret_len = 2;
    return s.len >= 2 && memcmp(s.data, dotted_i, 2) == 0 ? 'i' : '\0';
}

bool token_is_ident(const struct lexed *l, uint32_t index, const char *name)
{
    uint8_t kind = l->tokens[index].kind;
    struct slice s = name_content(l, index);
    if (kind != TOKEN_IDENT && kind != TOKEN_QUOTED)
        return false;
    while (s.len && *name) {
        size_t len = 1;
        char c = s.data[0];
        if (c & 0x80)
            c = folded_letter(s, &len);
        if (!slice_ieq(slice_of(&c, 1), slice_of(name, 1)))
            return false;
        s = slice_of(s.data + len, s.len - len);
        name++;
    }
    return s.len == 0 && *name == '\0';
}

/* ---- strings ---- */

/* A string under construction. */
struct value {
    const struct dialect *dialect;
    char *bytes; /* room for all tokens of the value */
    size_t len;
};

static char unescape(char c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'r':
        return '\r';
    case 'b':
        return '\b';
    case '0':
        return '\0';
    case 'Z':
        return '\x1a';
    default:
        return c;
    }
}

/* The content of one string. \% and \_ keep their backslash, as in the servers. */
static void append_string(struct value *v, struct slice content, char quote)
{
    bool escapes = !(v->dialect->modes & MODE_NO_BACKSLASH_ESCAPES);
    for (size_t i = 0; i < content.len; i++) {
        char c = content.data[i];
        if (c == '\\' && escapes && i + 1 < content.len) {
            char escaped = content.data[++i];
            if (escaped == '%' || escaped == '_')
                v->bytes[v->len++] = c;
            c = unescape(escaped);
        } else if (c == quote) {
            i++;
        }
        v->bytes[v->len++] = c;
    }
}

static unsigned hex_value(char c)
{
    return char_is_digit((uint8_t)c) ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
}

/* X'4d…' or 0x4d…; to an odd number of digits a leading 0 is added. */
static void append_hex(struct value *v, struct slice token)
{
    bool quoted = token.data[1] == '\'';
    struct slice digits = slice_of(token.data + 2, token.len - (quoted ? 3 : 2));
    unsigned byte = 0;
    for (size_t i = 0; i < digits.len; i++) {
        byte = byte << 4 | hex_value(digits.data[i]);
        if ((digits.len - i) % 2 == 1) {
            v->bytes[v->len++] = (char)byte;
            byte = 0;
        }
    }
}

static void append_token(struct value *v, const struct lexed *l, uint32_t index)
{
    struct slice s = token_text(l, index);
    size_t skipped = l->tokens[index].kind == TOKEN_NATIONAL ? 2 : 1;
    if (l->tokens[index].kind == TOKEN_HEX)
        append_hex(v, s);
    else
        append_string(v, slice_of(s.data + skipped, s.len - skipped - 1), s.data[s.len - 1]);
}

static bool is_transparent_introducer(struct slice token)
{
    static const char *const names[] = {
        "utf8mb4", "utf8mb3", "utf8", "ascii", "latin1", "binary"
    };
    struct slice name = slice_of(token.data + 1, token.len - 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_ieq_cstr(name, names[i]))
            return true;
    return false;
}

/* Do the tokens form one literal? A string of either kind may have more strings behind it. */
static bool is_one_literal(const struct lexed *l, uint32_t first, uint32_t last)
{
    uint8_t kind = l->tokens[first].kind;
    if (kind == TOKEN_HEX)
        return first == last;
    if (kind != TOKEN_STRING && kind != TOKEN_NATIONAL)
        return false;
    for (uint32_t i = first + 1; i <= last; i++)
        if (l->tokens[i].kind != TOKEN_STRING)
            return false;
    return true;
}

/* The content of a string that stands for itself: most do. */
static bool is_plain(const struct lexed *l, uint32_t index, const struct dialect *dialect,
                     struct slice *ret)
{
    struct slice s = token_text(l, index);
    if (l->tokens[index].kind != TOKEN_STRING)
        return false;
    *ret = slice_of(s.data + 1, s.len - 2);
    if (memchr(ret->data, s.data[0], ret->len))
        return false;
    return (dialect->modes & MODE_NO_BACKSLASH_ESCAPES) || !memchr(ret->data, '\\', ret->len);
}

/* What the tokens of one literal stand for together. */
static struct slice join(const struct lexed *l, const struct dialect *dialect, uint32_t first,
                         uint32_t last, struct arena *arena)
{
    size_t room = 0;
    for (uint32_t i = first; i <= last; i++)
        room += l->tokens[i].len;
    struct value v = { dialect, arena_alloc(arena, room), 0 };
    for (uint32_t i = first; i <= last; i++)
        append_token(&v, l, i);
    return slice_of(v.bytes, v.len);
}

bool token_string_value(const struct lexed *l, const struct dialect *dialect, uint32_t first,
                        uint32_t last, struct arena *arena, struct slice *ret)
{
    if (first > last || last >= l->count)
        return false;
    bool introduced = l->tokens[first].kind == TOKEN_INTRODUCER;
    if (introduced && (!is_transparent_introducer(token_text(l, first)) || first++ == last))
        return false;
    if (!is_one_literal(l, first, last))
        return false;
    if (first != last || !is_plain(l, first, dialect, ret))
        *ret = join(l, dialect, first, last, arena);
    return slice_is_ascii(*ret) || (!introduced && l->tokens[first].kind != TOKEN_NATIONAL);
}
