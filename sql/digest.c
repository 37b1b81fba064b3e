#include "sql/digest.h"

static const char ellipsis[] = "...";

/* A statement under construction; room keeps space for the ellipsis. */
struct digest {
    char *buffer;
    size_t len, room;
    bool full;
};

static void append(struct digest *d, struct slice s)
{
    d->full = d->full || s.len > d->room - d->len;
    if (d->full)
        return;
    memcpy(d->buffer + d->len, s.data, s.len);
    d->len += s.len;
}

/* Kinds that are not listed are literals, so that a new kind shows nothing. */
static bool is_literal(const struct token *t)
{
    switch ((enum token_kind)t->kind) {
    case TOKEN_IDENT:
    case TOKEN_QUOTED:
    case TOKEN_INTRODUCER:
    case TOKEN_USER_VAR:
    case TOKEN_SYSTEM_VAR:
    case TOKEN_OPERATOR:
        return false;
    default:
        return true;
    }
}

/* Names may hold line ends. */
static void one_line(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((uint8_t)text[i] < ' ')
            text[i] = ' ';
}

static void append_token(struct digest *d, const struct lexed *l, uint32_t index)
{
    const struct token *t = &l->tokens[index];
    struct slice text = token_text(l, index);
    if (index > 0 && (t->flags & TOKEN_F_SPACE_BEFORE))
        append(d, SLICE_LIT(" "));
    append(d, is_literal(t) || !slice_is_utf8(text, NULL) ? SLICE_LIT("?") : text);
}

size_t digest_write(const struct lexed *l, char *buffer, size_t size)
{
    struct digest d = { .buffer = buffer, .room = size - sizeof ellipsis };
    for (uint32_t i = 0; i < l->count && !d.full; i++)
        append_token(&d, l, i);
    one_line(buffer, d.len);
    if (d.full) {
        memcpy(buffer + d.len, ellipsis, sizeof ellipsis - 1);
        d.len += sizeof ellipsis - 1;
    }
    buffer[d.len] = '\0';
    return d.len;
}
