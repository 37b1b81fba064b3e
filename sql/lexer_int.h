/* The state of lex() while it walks over a text. For this folder only. */
#ifndef MQ_SQL_LEXER_INT_H
#define MQ_SQL_LEXER_INT_H

#include "sql/token.h"
#include "sql/words.h"

struct lexer {
    const uint8_t *begin, *end;
    const uint8_t *at; /* the next byte to read; begin <= at <= end */
    const struct dialect *dialect;
    struct arena *arena;
    struct lexed *out; /* gets the tokens */
    uint32_t room;     /* tokens that out->tokens can hold */
    uint64_t hash;     /* of the tokens so far */
    uint8_t flags;     /* of the next token; IN_COMMENT stays until the comment ends */
    uint32_t element;  /* first token of an element of IN (…) that may fold; 0 when there is none */
    uint64_t folded;   /* the hash when that element has become part of a TOKEN_LITERALS */
    bool dot_separates; /* the next byte is the dot of name.name, so no number begins there */
    struct err *reterr;
};

/* The nth byte from here, 0 behind the end, as in the servers' buffers. */
static inline uint8_t lexer_peek(const struct lexer *x, size_t n)
{
    return n < (size_t)(x->end - x->at) ? x->at[n] : 0;
}

/* A refusal that names the position of `at` and what stands there. */
enum err_code lexer_fail(const struct lexer *x, const uint8_t *at, enum err_code code,
                         const char *what);

/* Reads what begins at the next byte, which is no white space: a token or two, or a comment. */
enum err_code lexer_token(struct lexer *x);
/* Steps over white space. */
void lexer_space(struct lexer *x);

/* Steps over a comment. At "/ *" this may be only the opening of a versioned comment, whose
 * content is then read as code. */
enum err_code lexer_comment(struct lexer *x);
/* Steps over the rest of a line. */
enum err_code lexer_line_comment(struct lexer *x);

/* In front of the `,` or `)` that ends an element of IN (…): a literal becomes part of a
 * TOKEN_LITERALS. */
void lexer_end_element(struct lexer *x);
/* Behind `(`, `,` or `)`, the token emitted last: does an element begin? */
void lexer_begin_element(struct lexer *x, enum op separator);

/* Looks for Vitess' directives in a comment's content; are there any? */
bool directive_read(struct slice content, struct lexed *out);
/* Looks for the key tenant in a comment's content; was it there? */
bool sqlcommenter_read(struct slice content, struct arena *arena, struct lexed *out);

/* Does the fingerprint take the token's bytes? Literals count by their kind only, reserved
 * words and operators by their value. */
static inline bool token_bytes_count(unsigned kind, unsigned flags)
{
    if (kind == TOKEN_IDENT)
        return !(flags & TOKEN_F_RESERVED);
    return kind == TOKEN_QUOTED || kind == TOKEN_INTRODUCER || kind == TOKEN_USER_VAR;
}

/* Everything else about a token that the fingerprint takes. White space counts in front of
 * a parenthesis only: `f (` may be something else than `f(`. Takes numbers, since reading a
 * token that was just written by parts would stall the processor. */
static inline uint64_t token_mark(unsigned kind, unsigned flags, unsigned value, uint32_t len)
{
    if (value != OP_LPAREN || kind != TOKEN_OPERATOR)
        flags &= TOKEN_F_RESERVED | TOKEN_F_IN_COMMENT;
    uint64_t counted = token_bytes_count(kind, flags) ? len : 0;
    return kind | flags << 8 | (uint64_t)value << 16 | counted << 32;
}

#endif
