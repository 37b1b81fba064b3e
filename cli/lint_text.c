/* How lint writes a statement: on one line, `?` for each literal, lists and rows of them told
 * once however long they are, so that statements of one kind read alike. */
#include "cli/lint.h"

#include "sql/digest.h"

static size_t skip_spaces(const char *text, size_t len, size_t at)
{
    while (at < len && text[at] == ' ')
        at++;
    return at;
}

/* Where `unit` ends that stands behind a comma here; 0 when it does not. */
static size_t repeated(const char *text, size_t len, size_t at, struct slice unit)
{
    at = skip_spaces(text, len, at);
    if (at == len || text[at] != ',')
        return 0;
    at = skip_spaces(text, len, at + 1);
    return len - at >= unit.len && memcmp(text + at, unit.data, unit.len) == 0 ? at + unit.len : 0;
}

/* Folds what repeats the unit that ends before *in, from `least` times on; its mark is never
 * longer than what it stands for. */
static size_t fold(char *text, size_t len, size_t out, size_t *in, struct slice unit, size_t least)
{
    static const char mark[] = { ',', '.', '.', '.' };
    size_t times = 0, at = *in;
    for (size_t next; (next = repeated(text, len, at, unit)); times++)
        at = next;
    if (times < least || at - *in < sizeof mark)
        return out;
    memcpy(text + out, mark, sizeof mark);
    *in = at;
    return out + sizeof mark;
}

/* ?, ?, ? */
static size_t fold_values(char *text, size_t len)
{
    size_t out = 0;
    for (size_t in = 0; in < len;) {
        char c = text[out++] = text[in++];
        if (c == '?')
            out = fold(text, len, out, &in, SLICE_LIT("?"), 2);
    }
    return out;
}

/* (?), (?) */
static size_t fold_rows(char *text, size_t len)
{
    size_t out = 0, open = SIZE_MAX;
    for (size_t in = 0; in < len;) {
        char c = text[out++] = text[in++];
        if (c == '(')
            open = out - 1;
        if (c != ')' || open == SIZE_MAX)
            continue;
        struct slice row = slice_of(text + open, out - open);
        if (row.len > 2 && memchr(row.data, '?', row.len))
            out = fold(text, len, out, &in, row, 1);
        open = SIZE_MAX;
    }
    return out;
}

/* A text that does not lex has no literals to leave out: its first bytes. */
static size_t raw_text(struct slice s, char *text, size_t room)
{
    size_t len = s.len < room ? s.len : room;
    for (size_t i = 0; i < len; i++)
        text[i] = (uint8_t)s.data[i] < ' ' ? ' ' : s.data[i];
    return len;
}

size_t lint_text(const struct judgement *j, struct slice raw, char *text, size_t room)
{
    if (!j->template)
        return raw_text(raw, text, room);
    size_t len = digest_write(&j->lexed, text, room);
    return fold_rows(text, fold_values(text, len));
}
