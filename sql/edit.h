/* Rewriting by splices: insertions and replacements over the client's own bytes. Nothing is
 * ever printed from a tree, so every byte that is not edited reaches the shard as it came. */
#ifndef MQ_SQL_EDIT_H
#define MQ_SQL_EDIT_H

#include "base/buf.h"
#include "sql/token.h"

enum edit_place {
    EDIT_BEFORE,  /* in front of token `first` */
    EDIT_AFTER,   /* behind token `last` */
    EDIT_REPLACE, /* instead of the tokens first..last and all between them */
};

/* Placeholders inside an edit's text, filled in when the statement is sent: the byte
 * EDIT_VALUE_FIRST + n stands for the nth value. What the values are is the caller's business. */
enum { EDIT_VALUE_FIRST = 0x0e, EDIT_VALUE_COUNT = 18 };

struct edit {
    uint8_t place;        /* enum edit_place */
    uint32_t first, last; /* tokens */
    struct slice text;    /* with placeholders; never holds client bytes unescaped */
    bool verbatim;        /* none of its bytes is a placeholder */
};

/* Values of the placeholders, as SQL text. */
struct edit_values {
    struct slice of[EDIT_VALUE_COUNT];
};

/* The number of the value that the byte stands for; -1 if it is no placeholder. */
static inline int edit_value_number(char c)
{
    int n = (unsigned char)c - EDIT_VALUE_FIRST;
    return n >= 0 && n < EDIT_VALUE_COUNT ? n : -1;
}

/* Sorts edits by their place in the text, keeping the order of those at one place (at equal
 * places: AFTER the token before, then BEFORE the token, then REPLACE). */
void edits_sort(struct edit *edits, size_t count, struct arena *arena);
/* Appends the text with all edits made. False, and nothing is appended, when the edits are
 * not sorted, overlap or name tokens that do not exist. */
bool edits_apply(const struct lexed *l, const struct edit *edits, size_t count,
                 const struct edit_values *values, struct buf *out);

/* 'x' as every sql_mode reads it; the caller has checked that s holds neither quotes nor
 * backslashes (a tenant never does). */
void edit_quote_string(struct buf *out, struct slice s);
/* `x` with backticks doubled. */
void edit_quote_ident(struct buf *out, struct slice s);

#endif
