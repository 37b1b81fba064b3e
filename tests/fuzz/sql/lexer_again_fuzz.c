/* A statement, and the same with other bytes in place of one of its tokens: when lex_again() takes
 * the second for one like the first, lex() must read it alike.
 *
 * Bytes: the dialect, the number of the token, how many bytes replace it, these bytes, the
 * statement. */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "tests/fuzz/sql/lexer.h"
#include "tests/fuzz/sql/same_tokens.h"

static void check_again(const struct lexed *seen, struct slice text, const struct dialect *dialect,
                        struct arena *arena)
{
    struct lexed again, anew;
    if (!lex_again(seen, text, dialect, arena, &again))
        return;
    require(lex(text, dialect, arena, &anew, NULL) == MQ_OK);
    require(!tokens_differ(&again, &anew));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HEADER = 3 };
    if (size < HEADER || size - HEADER < data[2])
        return 0;
    struct dialect dialect = choose_dialect(data[0]);
    struct slice put = slice_of(data + HEADER, data[2]);
    struct slice text = slice_of(data + HEADER + put.len, size - HEADER - put.len);
    struct arena arena;
    struct lexed seen;
    struct buf other;
    arena_init(&arena);
    buf_init(&other);
    if (!lex(text, &dialect, &arena, &seen, NULL)) {
        const struct token *t = &seen.tokens[data[1] % (seen.count + 1)];
        buf_append(&other, text.data, t->start);
        buf_append_slice(&other, put);
        buf_append(&other, text.data + t->start + t->len, text.len - t->start - t->len);
        check_again(&seen, buf_slice(&other), &dialect, &arena);
        check_again(&seen, text, &dialect, &arena);
    }
    buf_fini(&other);
    arena_fini(&arena);
    return 0;
}
