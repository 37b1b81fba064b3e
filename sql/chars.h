/* What the servers' lexers take each byte for, outside quotes. For this folder only. */
#ifndef MQ_SQL_CHARS_H
#define MQ_SQL_CHARS_H

#include <stdbool.h>
#include <stdint.h>

/* How a token that begins with the byte is read. */
enum char_class {
    CHAR_BAD, /* no token begins so: control characters, NUL, [ ] \ */
    CHAR_SPACE,
    CHAR_WORD, /* letters, _, $ and bytes from 0x80 */
    CHAR_N,    /* n, N: a word or N'…' */
    CHAR_X,    /* x, X: a word or X'…' */
    CHAR_B,    /* b, B: a word or B'…' */
    CHAR_DIGIT,
    CHAR_QUOTE,
    CHAR_DOUBLE_QUOTE,
    CHAR_BACKTICK,
    CHAR_AT,
    CHAR_DOT,
    CHAR_COMPARE, /* < = > ! */
    CHAR_TWICE,   /* & | */
    CHAR_COLON,
    CHAR_MINUS,
    CHAR_SLASH,
    CHAR_STAR,
    CHAR_HASH,
    CHAR_QUESTION,
    CHAR_SINGLE, /* an operator by itself */
    CHAR_SEPARATOR, /* ( ) and the comma */
    CHAR_CLASS = 0x1f,
    /* Properties beside the class. */
    CHAR_IS_WORD = 0x80, /* may stand in a bare word */
    CHAR_IS_HEX = 0x40,
};

extern const uint8_t char_table[256];

static inline enum char_class char_class_of(uint8_t c)
{
    return (enum char_class)(char_table[c] & CHAR_CLASS);
}

static inline bool char_is_word(uint8_t c)
{
    return char_table[c] & CHAR_IS_WORD;
}

static inline bool char_is_hex(uint8_t c)
{
    return char_table[c] & CHAR_IS_HEX;
}

static inline bool char_is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static inline bool char_is_space(uint8_t c)
{
    return char_class_of(c) == CHAR_SPACE;
}

#endif
