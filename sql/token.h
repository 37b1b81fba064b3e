/* Tokens of a statement and the lexer that makes them, exactly as the servers' lexers do
 * under the given dialect. Comments are no tokens, except that the code inside a versioned
 * comment is. The lexer allocates only from the arena. */
#ifndef MQ_SQL_TOKEN_H
#define MQ_SQL_TOKEN_H

#include "base/arena.h"
#include "base/error.h"
#include "sql/dialect.h"

enum token_kind {
    TOKEN_END,          /* behind the last token; its start is the end of the text */
    TOKEN_IDENT,        /* bare word; value = enum keyword, 0 when it is none */
    TOKEN_QUOTED,       /* `ident`, or "ident" under ANSI_QUOTES */
    TOKEN_STRING,       /* 'x' or "x"; adjacent strings are separate tokens */
    TOKEN_NATIONAL,     /* N'x' */
    TOKEN_HEX,          /* X'4d' or 0x4d */
    TOKEN_BIT,          /* B'01' or 0b01 */
    TOKEN_INTEGER,
    TOKEN_DECIMAL,      /* 1.5 */
    TOKEN_FLOAT,        /* 1e0 */
    TOKEN_INTRODUCER,   /* _utf8mb4: any bare word that names a character set */
    TOKEN_PARAM,        /* ? */
    TOKEN_USER_VAR,     /* @name, @'name', @`name` */
    TOKEN_SYSTEM_VAR,   /* the @@ sign; scope and name follow as tokens */
    TOKEN_OPERATOR,     /* value = enum op */
    TOKEN_LITERALS,     /* 'a', 'b', 1: literals in a row within IN (…), one token however many */
};

enum keyword {
    KEYWORD_NONE,
#define KEYWORD_ROW(word, reserved_mysql, reserved_mariadb) KW_##word,
#include "sql/keywords.def"
#undef KEYWORD_ROW
    KEYWORD_COUNT
};

enum op {
    OP_NONE,
#define OPERATOR_ROW(name, text) OP_##name,
#include "sql/operators.def"
#undef OPERATOR_ROW
};

struct token {
    uint8_t kind;
    uint8_t flags;  /* TOKEN_F_… */
    uint16_t value; /* enum keyword or enum op */
    uint32_t start, len;
};

enum {
    TOKEN_F_RESERVED = 1,    /* bare word that the dialect reserves */
    TOKEN_F_SPACE_BEFORE = 2, /* white space or a comment stands directly before */
    TOKEN_F_IN_COMMENT = 4,  /* stands inside a versioned comment */
};

struct lexed {
    struct slice text;          /* the client's bytes, borrowed */
    struct token *tokens;       /* count of them, then one TOKEN_END */
    uint32_t count;
    uint32_t params;            /* number of TOKEN_PARAM */
    bool has_comments;          /* of any kind, the marks of a versioned one included */
    uint64_t fingerprint;       /* equal for statements that differ only in the values of
                                   literals, the length of IN lists of literals, white space,
                                   comments and the case of reserved words (other words may be
                                   names, whose case may count; comments alone are not nothing) */
    bool has_comment_tenant;    /* a sqlcommenter comment has the key tenant */
    bool comment_tenant_bad;    /* twice with different values, or not well-formed */
    struct slice comment_tenant; /* URL-decoded, in the arena */
    struct slice directive;     /* the first of Vitess' in a comment that is not harmless; of the text
                                   of this statement, or of one with the same comments */
};

enum { TOKENS_MAX = 4000000 };

/* Fails with MQ_SYNTAX, MQ_NOT_UNDERSTOOD (what servers or character sets read differently),
 * MQ_VERSIONED_COMMENT, MQ_SQL_MODE_UNSAFE (a hint that sets it) or MQ_TOO_COMPLEX; the message
 * names the byte position, counted from 1, and quotes what stands there. */
enum err_code lex(struct slice text, const struct dialect *dialect, struct arena *arena,
                  struct lexed *ret, struct err *reterr);

/* lex() for the first statement of several: ret->text ends in front of its semicolon, *ret_rest
 * begins behind it. When nothing follows but comments that name a tenant, they belong to the
 * statement, and so does its semicolon; the rest is then empty. A
 * statement must be read before it is known how the next one reads (SET sql_mode). Fails with
 * MQ_SYNTAX also when the statement is empty and another one follows. */
enum err_code lex_first(struct slice text, const struct dialect *dialect, struct arena *arena,
                        struct lexed *ret, struct slice *ret_rest, struct err *reterr);

/* lex() for a text that differs from a statement seen before in the values of literals only, at a
 * fraction of its cost. False when it differs in anything else, white space and comments
 * included. The dialect must be the same; the tenant of a comment is borrowed from `seen`. */
bool lex_again(const struct lexed *seen, struct slice text, const struct dialect *dialect,
               struct arena *arena, struct lexed *ret);
/* How many bytes stand in front of the first literal, which are those of every such text. */
uint32_t lexed_head(const struct lexed *l);

/* Comments and nothing else: servers answer OK, to an empty text an error. */
static inline bool lexed_is_comment(const struct lexed *l)
{
    return l->count == 0 && l->has_comments;
}
static inline struct slice token_text(const struct lexed *l, uint32_t index)
{
    return slice_of(l->text.data + l->tokens[index].start, l->tokens[index].len);
}
static inline bool token_is_keyword(const struct token *t, enum keyword kw)
{
    return t->kind == TOKEN_IDENT && t->value == (uint16_t)kw;
}
static inline bool token_is_op(const struct token *t, enum op op)
{
    return t->kind == TOKEN_OPERATOR && t->value == (uint16_t)op;
}

/* What equal fingerprints promise, compared token by token: a cache of plans that asks this
 * cannot be deceived by a colliding fingerprint. */
bool lexed_same(const struct lexed *a, const struct lexed *b);

/* The name that an identifier token stands for: quotes removed, doubled quotes undone.
 * Borrowed from the text when nothing had to be undone, else in the arena. */
struct slice token_ident(const struct lexed *l, uint32_t index, struct arena *arena);
/* Does the identifier token stand for this name, compared as MySQL compares column names? */
bool token_is_ident(const struct lexed *l, uint32_t index, const char *name);

/* The exact bytes of a string value that spans the tokens first..last: one or more adjacent
 * strings, hex or national literals, an introducer of utf8mb4, utf8, ascii, latin1 or binary
 * in front allowed when the bytes are ASCII. Escapes are undone as the dialect says. False
 * when it is anything else (numbers, expressions, other character sets): the value is then
 * not known exactly. Borrowed from the text or in the arena. */
bool token_string_value(const struct lexed *l, const struct dialect *dialect, uint32_t first,
                        uint32_t last, struct arena *arena, struct slice *ret);

/* The tokens that a TOKEN_LITERALS stands for: each literal one or more, a comma between.
 * False if the token is none. */
bool token_literals(const struct lexed *l, const struct dialect *dialect, uint32_t index,
                    struct arena *arena, struct lexed *ret);
/* The literal of token_literals() at token *at, which moves behind it; false at the end. */
bool literals_next(const struct lexed *literals, uint32_t *at, uint32_t *ret_first,
                   uint32_t *ret_last);

const char *keyword_text(enum keyword kw);
const char *operator_text(enum op op);
/* The keyword that a bare word is, in any case; KEYWORD_NONE if none. */
enum keyword keyword_find(struct slice word);
/* Would the dialect's servers refuse this word as a bare identifier? */
bool keyword_reserved(enum keyword kw, const struct dialect *dialect);
/* Is the name a built-in function on all servers of the dialect (and so never a stored one)? */
bool function_is_builtin(struct slice name, const struct dialect *dialect);

#endif
