/* Comments, and which of them are code: the versioned comments of both servers, whose rules
 * differ, and optimizer hints, which MySQL reads with a lexer of their own. */
#include "sql/lexer_int.h"

#include "sql/chars.h"

/* Steps behind the comment that ends at `end` and counts as white space. */
static enum err_code step_over(struct lexer *x, const uint8_t *end)
{
    x->at = end;
    x->flags |= TOKEN_F_SPACE_BEFORE;
    x->out->has_comments = true;
    return MQ_OK;
}

/* The line's end ends it, but a NUL does as well in the servers' lexers. */
enum err_code lexer_line_comment(struct lexer *x)
{
    size_t left = (size_t)(x->end - x->at);
    const uint8_t *end = memchr(x->at, '\n', left);
    if (!end)
        end = x->end;
    if (memchr(x->at, '\0', (size_t)(end - x->at)))
        return lexer_fail(x, x->at, MQ_SYNTAX, "a NUL byte in a comment");
    return step_over(x, end);
}

/* The end of the comment whose content begins at p: behind the next star and slash. */
static const uint8_t *find_close(const struct lexer *x, const uint8_t *p)
{
    while (p < x->end && (p = memchr(p, '*', (size_t)(x->end - p)))) {
        p++;
        if (p < x->end && *p == '/')
            return p + 1;
    }
    return NULL;
}

static enum err_code without_end(const struct lexer *x)
{
    return lexer_fail(x, x->at, MQ_SYNTAX, "a comment without end");
}

/* A list of literals hides the comments in it, and must not hide a tenant. */
static enum err_code plain_comment(struct lexer *x)
{
    const uint8_t *content = x->at + 2, *end = find_close(x, content);
    if (!end)
        return without_end(x);
    struct slice inside = slice_of(content, (size_t)(end - 2 - content));
    bool directive = directive_read(inside, x->out);
    if (sqlcommenter_read(inside, x->arena, x->out) || directive)
        x->element = 0;
    return step_over(x, end);
}

/* ---- optimizer hints ---- */

/* MySQL's hint lexer lets a quoted name hold the comment's end; other servers, and MySQL in
 * other places, do not. Returns the end on which all agree, NULL when there is none. */
static const uint8_t *find_hint_close(const struct lexer *x, const uint8_t *p)
{
    uint8_t quote = 0;
    for (; p < x->end && *p; p++) {
        bool closes = *p == '*' && p + 1 < x->end && p[1] == '/';
        bool quotes = *p == '\'' || *p == '"' || *p == '`';
        if (closes)
            return quote ? NULL : p + 2;
        if (quote && (*p == '\\' || (quotes && *p != quote)))
            return NULL;
        if (quotes)
            quote = quote ? 0 : *p;
    }
    return NULL;
}

static bool names(struct slice hint, struct slice word)
{
    for (size_t i = 0; i + word.len <= hint.len; i++)
        if (slice_ieq(slice_of(hint.data + i, word.len), word))
            return true;
    return false;
}

/* MySQL finds variables by their letters without accents. A counter serves all tenants of its
 * shard. An index that does not lead with the tenant would make a locking statement lock every
 * tenant's rows. */
static enum err_code check_hint(const struct lexer *x, struct slice hint)
{
    if (names(hint, SLICE_LIT("sql_mode")) ||
        (names(hint, SLICE_LIT("set_var")) && !slice_is_ascii(hint)))
        return lexer_fail(x, x->at, MQ_SQL_MODE_UNSAFE, "a hint that sets sql_mode");
    if (names(hint, SLICE_LIT("sql_safe_updates")) || names(hint, SLICE_LIT("sql_auto_is_null")))
        return lexer_fail(x, x->at, MQ_VARIABLE_VALUE, "a hint that sets what stays off");
    if (names(hint, SLICE_LIT("insert_id")) || names(hint, SLICE_LIT("auto_increment")))
        return lexer_fail(x, x->at, MQ_COUNTER_VALUE, "a hint that sets a counter");
    if (names(hint, SLICE_LIT("index")))
        return lexer_fail(x, x->at, MQ_NOT_UNDERSTOOD, "a hint about indexes");
    return MQ_OK;
}

static enum err_code hint_comment(struct lexer *x)
{
    const uint8_t *content = x->at + 3;
    const uint8_t *end = find_hint_close(x, content);
    if (!find_close(x, content))
        return without_end(x);
    if (!end)
        return lexer_fail(x, x->at, MQ_NOT_UNDERSTOOD,
                          "a hint whose quotes servers read differently");
    enum err_code code = check_hint(x, slice_of(content, (size_t)(end - content)));
    return code ? code : step_over(x, end);
}

/* ---- versioned comments ---- */

enum reading { READ_CODE, READ_NOTHING, READ_DIFFERS };

/* Servers of this version and later read the content as code. */
static enum reading read_from(uint32_t version, const struct dialect *dialect)
{
    if (version <= dialect->version_min)
        return READ_CODE;
    return version > dialect->version_max ? READ_NOTHING : READ_DIFFERS;
}

/* The digits behind the exclamation mark: at most six, and the numbers that the first five
 * and that all of them make. */
struct version_digits {
    size_t count;
    uint32_t five, all;
};

/* MySQL takes five digits. Later releases take a sixth if white space follows; to the others
 * it is the first byte of the content. */
static enum reading mysql_reading(struct version_digits v, const struct dialect *dialect)
{
    enum reading reading = read_from(v.five, dialect);
    if (v.count == 5 || (reading == READ_NOTHING && read_from(v.all, dialect) == READ_NOTHING))
        return reading;
    return READ_DIFFERS;
}

/* MariaDB takes five or six digits, and ignores what is meant for MySQL 5.7 and later. Galera
 * gives 99997 a meaning of its own. */
static enum reading mariadb_reading(uint32_t version, bool for_mariadb,
                                    const struct dialect *dialect)
{
    if (!for_mariadb && version == 99997)
        return READ_DIFFERS;
    if (!for_mariadb && version >= 50700 && version <= 99999)
        return READ_NOTHING;
    return read_from(version, dialect);
}

/* The end of a comment that is ignored: there, one comment may stand inside. */
static const uint8_t *find_nested_close(const struct lexer *x, const uint8_t *p)
{
    while (p && p + 1 < x->end) {
        if (p[0] == '*' && p[1] == '/')
            return p + 2;
        p = p[0] == '/' && p[1] == '*' ? find_close(x, p + 2) : p + 1;
    }
    return NULL;
}

static struct version_digits read_digits(const struct lexer *x, const uint8_t *p)
{
    struct version_digits v = { 0 };
    for (; v.count < 6 && p < x->end && char_is_digit(*p); v.count++, p++) {
        v.all = v.all * 10 + (uint32_t)(*p - '0');
        if (v.count < 5)
            v.five = v.all;
    }
    return v;
}

/* content: behind the exclamation mark. */
static enum err_code versioned_comment(struct lexer *x, const uint8_t *content, bool for_mariadb)
{
    struct version_digits v = read_digits(x, content);
    bool has_version = v.count >= 5; /* fewer digits are part of the code */
    enum reading reading = READ_CODE;
    if (has_version)
        reading = x->dialect->flavour == FLAVOUR_MARIADB
                      ? mariadb_reading(v.all, for_mariadb, x->dialect)
                      : mysql_reading(v, x->dialect);
    if (reading == READ_DIFFERS)
        return lexer_fail(x, x->at, MQ_VERSIONED_COMMENT, "a versioned comment");
    if (reading == READ_NOTHING) {
        const uint8_t *end = find_nested_close(x, content);
        return end ? step_over(x, end) : without_end(x);
    }
    x->flags |= TOKEN_F_IN_COMMENT;
    return step_over(x, has_version ? content + v.count : content);
}

/* Inside the code of a versioned comment another one opens nothing new: the first end ends
 * both. */
enum err_code lexer_comment(struct lexer *x)
{
    uint8_t mark = lexer_peek(x, 2);
    if (mark == '+')
        return hint_comment(x);
    if (mark == '!')
        return versioned_comment(x, x->at + 3, false);
    if (mark == 'M' && lexer_peek(x, 3) == '!' && x->dialect->flavour == FLAVOUR_MARIADB)
        return versioned_comment(x, x->at + 4, true);
    return plain_comment(x);
}
