/* The words that the servers' lexers know: keywords, operators and built-in functions, each
 * from its .def file. */
#include "sql/token.h"

#include <stdlib.h>

#include "sql/words.h"

enum { SLOT_BITS = 12, SLOTS = 1 << SLOT_BITS };

static const struct keyword_row {
    const char *text;
    uint32_t len;
    uint32_t reserved_mysql, reserved_mariadb;
} keyword_rows[KEYWORD_COUNT] = {
    [KEYWORD_NONE] = { "", 0, 0, 0 },
#define KEYWORD_ROW(word, mysql, mariadb) \
    [KW_##word] = { #word, sizeof #word - 1, mysql, mariadb },
#include "sql/keywords.def"
#undef KEYWORD_ROW
};

/* Open addressing: a word lies at the slot that the top bits of its hash name, or at one of
 * the following before the next empty one. */
static const uint16_t keyword_slots[SLOTS] = {
#define KEYWORD_SLOT(slot, word) [slot] = KW_##word,
#include "sql/keyword_hash.def"
#undef KEYWORD_SLOT
};

static const char *const operator_texts[] = {
    [OP_NONE] = "",
#define OPERATOR_ROW(name, text) [OP_##name] = text,
#include "sql/operators.def"
#undef OPERATOR_ROW
};

static const struct function_row {
    const char *name;
    uint32_t since_mysql, since_mariadb;
} functions[] = {
#define FUNCTION_ROW(name, mysql, mariadb) { #name, mysql, mariadb },
#include "sql/functions.def"
#undef FUNCTION_ROW
};

const char *keyword_text(enum keyword kw)
{
    return (unsigned)kw < KEYWORD_COUNT ? keyword_rows[kw].text : "";
}

const char *operator_text(enum op op)
{
    return (size_t)op < sizeof operator_texts / sizeof *operator_texts ? operator_texts[op] : "";
}

enum keyword keyword_find(struct slice word)
{
    unsigned slot = (unsigned)(word_hash(word) >> (64 - SLOT_BITS));
    for (; keyword_slots[slot]; slot = (slot + 1) % SLOTS) {
        const struct keyword_row *row = &keyword_rows[keyword_slots[slot]];
        if (row->len == word.len && word_ieq(word, slice_of(row->text, row->len)))
            return (enum keyword)keyword_slots[slot];
    }
    return KEYWORD_NONE;
}

bool keyword_reserved(enum keyword kw, const struct dialect *dialect)
{
    const struct keyword_row *row = &keyword_rows[kw];
    uint32_t since =
        dialect->flavour == FLAVOUR_MARIADB ? row->reserved_mariadb : row->reserved_mysql;
    return since != 0 && since <= dialect->version_max;
}

static int compare_function(const void *key, const void *row)
{
    return strcmp(key, ((const struct function_row *)row)->name);
}

bool function_is_builtin(struct slice name, const struct dialect *dialect)
{
    char upper[64];
    if (name.len == 0 || name.len >= sizeof upper)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        upper[i] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    upper[name.len] = '\0';
    if (strlen(upper) != name.len)
        return false;
    const struct function_row *row =
        bsearch(upper, functions, sizeof functions / sizeof *functions, sizeof *functions,
                compare_function);
    if (!row)
        return false;
    uint32_t since = dialect->flavour == FLAVOUR_MARIADB ? row->since_mariadb : row->since_mysql;
    return since != 0 && since <= dialect->version_min;
}
