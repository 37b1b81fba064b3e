/* From a digest back to a statement. The servers print a digest from its tokens: a space
 * between any two of them, keywords by one of their spellings, and for literals
 *
 *   ?        ?, ...        (?)        (...)        IN (...)        (...) / * , ... * /
 *
 * Each literal becomes one `?` again, as many as the statement must have had where that can be
 * told; so the text is not the one that was sent, but of its kind. */
#include "capture/capture_int.h"

/* ---- tokens of a digest ---- */

static size_t name_len(struct slice s)
{
    size_t len = 1;
    while (len < s.len && (s.data[len] != '`' || (len + 1 < s.len && s.data[len + 1] == '`')))
        len += s.data[len] == '`' ? 2 : 1;
    return len < s.len ? len + 1 : s.len;
}

/* Up to the next space; a quoted name may hold some. */
static struct slice next_token(struct slice *rest)
{
    size_t len = 0;
    text_skip_spaces(rest);
    while (len < rest->len && rest->data[len] != ' ')
        len += rest->data[len] == '`' ? name_len(slice_of(rest->data + len, rest->len - len)) : 1;
    struct slice token = slice_of(rest->data, len);
    *rest = slice_of(rest->data + len, rest->len - len);
    return token;
}

static bool is(struct slice token, const char *text)
{
    return slice_eq(token, slice_cstr(text));
}

static bool is_word(struct slice token)
{
    return token.len && ((token.data[0] | 0x20) >= 'a' && (token.data[0] | 0x20) <= 'z');
}

/* A token takes two bytes; that of a name also its length and its bytes. */
static size_t digest_storage(struct slice digest)
{
    size_t bytes = 0;
    for (struct slice t = next_token(&digest); t.len; t = next_token(&digest))
        if (!is(t, "...") && !is(t, ","))
            bytes += t.data[0] == '`' ? 2 + t.len : 2;
        else
            bytes += is(t, ",") ? 2 : 0;
    return bytes;
}

/* ---- rows of VALUES ---- */

struct restoring {
    struct capture *capture;
    struct buf *out;
    struct slice table; /* the last name before the column list or VALUES */
    size_t columns;     /* of the list in parentheses that ended last; 0: none */
    bool in_list;       /* inside such a list, so far of names only */
    struct slice previous;
};

static void put(struct restoring *r, const char *text)
{
    buf_append_cstr(r->out, text);
}

static void put_values(struct restoring *r, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(r, i ? ", ?" : "?");
}

static size_t row_width(const struct restoring *r)
{
    const struct capture_options *o = &r->capture->options;
    if (r->columns)
        return r->columns;
    return o->row_width ? o->row_width(o->context, r->table) : 0;
}

/* Counts the values of a row that begins behind its parenthesis, and its runs `?, ...`; false
 * when the row does not end. */
static bool count_row(struct slice rest, size_t *ret_values, size_t *ret_runs)
{
    int depth = 0;
    *ret_values = 1;
    *ret_runs = 0;
    for (struct slice t = next_token(&rest); t.len; t = next_token(&rest)) {
        *ret_values += depth == 0 && is(t, ",");
        *ret_runs += depth == 0 && is(t, "?,");
        if (is(t, ")") && depth-- == 0)
            return true;
        depth += is(t, "(");
    }
    return false;
}

/* How many values the first run of a row gets, so that the row is complete; others get two. */
static size_t first_run(const struct restoring *r, struct slice rest)
{
    size_t values, runs, width = row_width(r);
    if (!count_row(rest, &values, &runs) || !runs || values + runs > width)
        return 2;
    return width - values - runs + 2;
}

/* ---- the text ---- */

/* Spellings that stand for something else. */
static const struct {
    const char *digest, *text;
} spellings[] = {
    { "(unknown)", "NULL" }, { "(_charset)", "" }, { "/*", "" }, { "*/", "" },
    { "@?", "@v" },          { "(?)", "(?)" },
};

static bool put_spelling(struct restoring *r, struct slice token)
{
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (is(token, spellings[i].digest)) {
            put(r, spellings[i].text);
            return true;
        }
    return false;
}

/* Takes note of `table` ( `a` , `b` ), which tells how wide the rows are. */
static void follow_list(struct restoring *r, struct slice token)
{
    if (is(token, "(")) {
        r->in_list = true;
        r->columns = 0;
    } else if (is(token, ")")) {
        r->columns += r->in_list;
        r->in_list = false;
    } else if (r->in_list) {
        r->columns += is(token, ",");
        r->in_list = is(token, ",") || token.data[0] == '`' || is_word(token);
        r->columns = r->in_list ? r->columns : 0;
    } else {
        r->columns = 0;
        if (token.data[0] == '`')
            r->table = text_unquote(token);
    }
}

/* Servers quote the names of functions that are no keywords, as if they were stored ones. */
static bool is_function(const struct restoring *r, struct slice token, struct slice rest)
{
    static const char *const before_tables[] = { "INTO",  "INSERT", "REPLACE",    "IGNORE",
                                                 "TABLE", "EXISTS", "WITH",       "KEY",
                                                 "INDEX", "UNIQUE", "REFERENCES", "AS",
                                                 "." };
    struct slice next = next_token(&rest);
    if (token.data[0] != '`' || !next.len || next.data[0] != '(')
        return false;
    for (size_t i = 0; i < sizeof before_tables / sizeof *before_tables; i++)
        if (is(r->previous, before_tables[i]))
            return false;
    for (size_t i = 1; i + 1 < token.len; i++)
        if (!is_word(slice_of(token.data + i, 1)) && token.data[i] != '_')
            return false;
    return true;
}

/* DATE '…' is one literal. */
static bool is_type_of_literal(struct slice token, struct slice rest)
{
    return (is(token, "DATE") || is(token, "TIME") || is(token, "TIMESTAMP")) &&
           is(next_token(&rest), "?");
}

static void put_token(struct restoring *r, struct slice token, struct slice *rest)
{
    struct slice unit = token;
    if (is_function(r, token, *rest)) {
        buf_append_slice(r->out, text_unquote(token));
    } else if (is_type_of_literal(token, *rest)) {
        return;
    } else if (is(token, "?,")) {
        next_token(rest);
        put(r, "?, ?");
    } else if (is(token, "(...)")) {
        put(r, "(?, ?)");
    } else if (is(token, "/*")) { /* ", ..." up to its end: more rows of the same kind */
        while (token.len && !is(token, "*/"))
            token = next_token(rest);
    } else if (text_take(&unit, "SQL_TSI_")) {
        buf_append_slice(r->out, unit);
    } else if (!put_spelling(r, token)) {
        buf_append_slice(r->out, token);
    }
}

/* A row of which some values are no literals, up to its parenthesis. */
static void put_row(struct restoring *r, struct slice *rest)
{
    size_t run = first_run(r, *rest);
    struct slice token;
    put(r, "(");
    for (int depth = 0; depth >= 0 && (token = next_token(rest)).len;) {
        depth += is(token, "(") - is(token, ")");
        if (depth == 0 && is(token, "?,")) {
            next_token(rest); /* the dots */
            put_values(r, run);
            run = 2;
        } else {
            put_token(r, token, rest);
        }
        put(r, " ");
    }
}

/* What stands behind VALUES. */
static void put_rows(struct restoring *r, struct slice *rest)
{
    struct slice ahead = *rest, token = next_token(&ahead);
    size_t width = row_width(r);
    if (is(token, "(...)")) {
        put(r, "(");
        put_values(r, width ? width : 2);
        put(r, ")");
        *rest = ahead;
    } else if (is(token, "(")) {
        *rest = ahead;
        put_row(r, rest);
    }
}

/* PREPARE, EXECUTE and DEALLOCATE before a statement are how MySQL names what was done to it;
 * before a name they are statements of their own. */
static bool take_command(struct capture *c, struct slice *digest)
{
    static const char *const words[] = { "PREPARE", "EXECUTE", "DEALLOCATE" };
    struct slice rest = *digest, word = next_token(&rest), ahead = rest, next = next_token(&ahead);
    if (!is_word(next) || is(next, "PREPARE"))
        return true;
    for (size_t i = 0; i < 3; i++)
        if (is(word, words[i])) {
            c->event.count = i == 0 ? 0 : c->event.count;
            *digest = rest;
            return i != 2;
        }
    return true;
}

bool digest_restore(struct capture *c, struct slice digest, struct buf *out)
{
    struct restoring r = { .capture = c, .out = out };
    if (!take_command(c, &digest))
        return false;
    for (struct slice t = next_token(&digest); t.len; t = next_token(&digest)) {
        put_token(&r, t, &digest);
        put(&r, " ");
        if (is(t, "VALUES") || is(t, "VALUE"))
            put_rows(&r, &digest);
        follow_list(&r, t);
        r.previous = t;
    }
    while (out->end > out->start && out->data[out->end - 1] == ' ')
        out->end--;
    return true;
}

/* ---- rows ---- */

/* The server cuts a sample as well, and then says so. */
static bool is_whole(struct slice sample)
{
    return sample.len && (sample.len < 3 || memcmp(sample.data + sample.len - 3, "...", 3) != 0);
}

/* A digest near the usual max_digest_length may have lost its end: the next token did not
 * fit. Nothing marks it. */
static bool may_be_cut(struct slice digest)
{
    enum { USUAL_MAX = 1024, NAME_MAX = 4 + 64 };
    size_t bytes = digest_storage(digest);
    return bytes > USUAL_MAX - NAME_MAX && bytes <= USUAL_MAX;
}

void digest_row_emit(struct capture *c, const struct digest_row *row)
{
    struct buf whole = c->text;
    c->event.count = row->count;
    if (c->event.kind == CAPTURE_DAMAGED || !row->has_text) {
        c->event.kind = c->event.kind == CAPTURE_DAMAGED ? CAPTURE_DAMAGED : CAPTURE_UNSEEN;
        buf_clear(&c->text);
        capture_emit(c);
        return;
    }
    if (row->tells_schema)
        capture_keep_database(c, row->schema);
    buf_clear(&c->restored);
    c->pending = digest_restore(c, row->text, &c->restored);
    c->event.cut = c->event.cut || may_be_cut(row->text);
    if (row->has_sample && is_whole(row->sample)) {
        buf_clear(&c->restored);
        buf_append_slice(&c->restored, row->sample);
        c->event.cut = false;
        c->event.kind = CAPTURE_PREPARED;
    }
    c->text = c->restored;
    c->restored = whole;
    capture_emit(c);
}
