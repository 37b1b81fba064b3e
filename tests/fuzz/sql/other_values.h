/* The same statement with other values: each literal is replaced by another of its kind, and what
 * means nothing changes as well: white space, the case of reserved words. For the promise that
 * one template serves all of them. */
#ifndef MQ_TESTS_OTHER_VALUES_H
#define MQ_TESTS_OTHER_VALUES_H

#include "base/buf.h"
#include "sql/token.h"

static inline void other_string(struct buf *out, struct slice token)
{
    char quote = token.data[token.len - 1];
    for (size_t i = 0; i < token.len && token.data[i] != quote; i++)
        buf_append_byte(out, (uint8_t)token.data[i]); /* the N of a national string */
    buf_printf(out, "%czz%c", quote, quote);
}

static inline void other_case(struct buf *out, struct slice word)
{
    for (size_t i = 0; i < word.len; i++) {
        uint8_t c = (uint8_t)word.data[i], lower = c | 0x20;
        buf_append_byte(out, lower >= 'a' && lower <= 'z' ? c ^ 0x20 : c);
    }
}

static inline void other_value(struct buf *out, const struct lexed *l, uint32_t index)
{
    struct slice token = token_text(l, index);
    bool quoted = token.len > 1 && token.data[1] == '\'';
    switch (l->tokens[index].kind) {
    case TOKEN_STRING:
    case TOKEN_NATIONAL:
        other_string(out, token);
        break;
    case TOKEN_INTEGER:
        buf_append_cstr(out, "42");
        break;
    case TOKEN_DECIMAL:
        buf_append_cstr(out, token.data[0] == '.' ? ".2" : "4.2"); /* .5.5 are two numbers */
        break;
    case TOKEN_FLOAT:
        buf_append_cstr(out, token.data[0] == '.' ? ".4e2" : "4e2");
        break;
    case TOKEN_HEX:
        buf_append_cstr(out, quoted ? "X'4142'" : "0x4142");
        break;
    case TOKEN_BIT:
        buf_append_cstr(out, quoted ? "B'10'" : "0b10");
        break;
    case TOKEN_LITERALS:
        buf_append_cstr(out, "'zz', 42, NULL");
        break;
    default:
        if (l->tokens[index].flags & TOKEN_F_RESERVED)
            other_case(out, token);
        else
            buf_append_slice(out, token);
    }
}

/* Between two tokens. */
static inline void other_gap(struct buf *out, struct slice gap)
{
    buf_append_slice(out, gap);
    if (gap.len && gap.data[gap.len - 1] == ' ')
        buf_append_cstr(out, "\t\n");
}

static inline void other_values(const struct lexed *l, struct buf *out)
{
    size_t at = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct token *t = &l->tokens[i];
        other_gap(out, slice_of(l->text.data + at, t->start - at));
        other_value(out, l, i);
        at = (size_t)t->start + t->len;
    }
    buf_append(out, l->text.data + at, l->text.len - at);
}

#endif
