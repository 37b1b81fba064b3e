/* Comments that vtgate reads: "vt+ NAME=value NAME". */
#include "sql/lexer_int.h"

static const char *const harmless[] = {
#define DIRECTIVE_ROW(name) name,
#include "sql/directives.def"
#undef DIRECTIVE_ROW
};

static bool is_harmless(struct slice name)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (slice_ieq_cstr(name, harmless[i]))
            return true;
    return false;
}

/* Up to the next white space; what is not white space to everybody does not separate. */
static struct slice next_word(struct slice *rest)
{
    static const char spaces[] = " \t\r\n\v\f";
    size_t skipped = 0, len = 0;
    while (skipped < rest->len && strchr(spaces, rest->data[skipped]) && rest->data[skipped])
        skipped++;
    struct slice word = slice_of(rest->data + skipped, rest->len - skipped);
    while (len < word.len && !(word.data[len] && strchr(spaces, word.data[len])))
        len++;
    *rest = slice_of(word.data + len, word.len - len);
    word.len = len;
    return word;
}

static struct slice name_of(struct slice word)
{
    const char *equals = word.len ? memchr(word.data, '=', word.len) : NULL;
    return equals ? slice_of(word.data, (size_t)(equals - word.data)) : word;
}

bool directive_read(struct slice content, struct lexed *out)
{
    enum { MARK = 3 };
    if (content.len < MARK || !slice_ieq_cstr(slice_of(content.data, MARK), "vt+"))
        return false;
    struct slice rest = slice_of(content.data + MARK, content.len - MARK), word;
    while ((word = next_word(&rest)).len && !out->directive.len)
        if (!is_harmless(name_of(word)))
            out->directive = word;
    return true;
}
