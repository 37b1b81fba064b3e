/* SQL scripts, split as the mysql client splits them: at the delimiter, which DELIMITER
 * changes, and at \g and \G, where they stand outside of strings, quoted names and comments.
 * The delimiter counts inside versioned comments, as it does there. */
#include "capture/capture_int.h"

enum { LINE_COMMENT = '\n', COMMENT = '*' }; /* values of `quote` beside the quotes */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* ---- the text ---- */

/* Beyond the limit only what a delimiter may need is kept, behind the part that is. */
static void keep_limit(struct capture *c)
{
    size_t len = buf_len(&c->text), max = c->options.statement_max;
    if (len <= max + DELIMITER_MAX)
        return;
    size_t surplus = len - max - DELIMITER_MAX;
    uint8_t *text = buf_begin(&c->text);
    memmove(text + max, text + len - DELIMITER_MAX, DELIMITER_MAX);
    c->text.end -= surplus;
    c->event.cut = true;
    if (c->script.plain > max)
        c->script.plain = c->script.plain - max > surplus ? c->script.plain - surplus : max;
}

static void add(struct capture *c, const char *from, const char *to)
{
    buf_append(&c->text, from, (size_t)(to - from));
    keep_limit(c);
}

static void open_quote(struct script *s, char quote)
{
    s->quote = quote;
    memset(s->before, 0, sizeof s->before);
}

static void begin_statement(struct capture *c)
{
    capture_begin(c, CAPTURE_STATEMENT);
    c->script.plain = 0;
    c->script.has_code = false;
    open_quote(&c->script, '\0');
}

/* Ends here, without the last bytes, which were the delimiter. */
static void end_statement(struct capture *c, size_t delimiter)
{
    size_t len = buf_len(&c->text) - delimiter;
    if (len > c->options.statement_max) {
        len = c->options.statement_max;
        c->event.cut = true;
    }
    c->text.end = c->text.start + len;
    if (c->script.has_code)
        capture_emit(c);
    c->pending = false;
}

static void see_code(struct capture *c)
{
    if (!c->script.has_code)
        c->event.line = c->line;
    c->script.has_code = true;
}

/* ---- bytes ---- */

static void close_quote(struct capture *c, size_t at)
{
    open_quote(&c->script, '\0');
    c->script.plain = at;
}

/* A byte inside quotes or a comment. A doubled quote closes and opens again. */
static void take_quoted(struct capture *c, char byte, size_t behind)
{
    struct script *s = &c->script;
    bool string = s->quote == '\'' || s->quote == '"';
    if (s->escaped)
        s->escaped = false;
    else if (string && byte == '\\' && s->escapes)
        s->escaped = true;
    else if (s->quote == COMMENT ? byte == '/' && s->before[0] == '*' : byte == s->quote)
        close_quote(c, behind);
    s->before[0] = byte;
}

/* Was a comment opened by the two bytes before the nth last one? */
static bool opened_at(const struct script *s, int n)
{
    return s->before[n] == '*' && s->before[n + 1] == '/';
}

/* Which comment begins with the bytes before this one, now that this one tells. The versioned
 * ones of both servers are code. */
static char comment_opened(const struct script *s, char byte)
{
    if (byte == '#' || (s->before[0] == '-' && s->before[1] == '-' && is_space(byte)))
        return LINE_COMMENT;
    bool plain = opened_at(s, 0) && byte != '!' && byte != 'M';
    bool begins_with_m = s->before[0] == 'M' && opened_at(s, 1) && byte != '!';
    return plain || begins_with_m ? COMMENT : '\0';
}

/* A byte that may belong to the opening of a comment is no code yet. */
static bool may_open(const struct script *s, char byte)
{
    return byte == '/' || byte == '-' || (byte == '*' && s->before[0] == '/') ||
           (byte == 'M' && opened_at(s, 0));
}

static void take_plain(struct capture *c, char byte)
{
    struct script *s = &c->script;
    bool quote = byte == '\'' || byte == '"' || byte == '`';
    char opened = comment_opened(s, byte);
    if (opened || quote)
        open_quote(s, opened ? opened : byte);
    if (!opened && (quote || (!is_space(byte) && !may_open(s, byte))))
        see_code(c);
    if (opened || quote) {
        s->before[0] = byte;
        return;
    }
    s->before[2] = s->before[1];
    s->before[1] = s->before[0];
    s->before[0] = byte;
}

/* Does the text end in a delimiter that stands outside of quotes? Its length, else 0. */
static size_t delimiter_here(const struct capture *c)
{
    const struct script *s = &c->script;
    struct slice text = buf_slice(&c->text);
    if (text.len >= s->plain + s->delimiter_len &&
        memcmp(text.data + text.len - s->delimiter_len, s->delimiter, s->delimiter_len) == 0)
        return s->delimiter_len;
    bool sends = text.len >= s->plain + 2 && text.data[text.len - 2] == '\\' &&
                 (text.data[text.len - 1] | 0x20) == 'g';
    return sends ? 2 : 0;
}

static bool may_end(const struct script *s, char byte)
{
    return byte == s->delimiter[s->delimiter_len - 1] || byte == 'g' || byte == 'G';
}

static void take_end(struct capture *c, char byte)
{
    size_t delimiter = delimiter_here(c);
    if (delimiter)
        end_statement(c, delimiter);
    else
        take_plain(c, byte);
}

static void take_bytes(struct capture *c, struct slice text)
{
    struct script *s = &c->script;
    const char *end = text.data + text.len, *from = text.data;
    for (const char *at = from; at < end; at++) {
        if (!c->pending && is_space(*at)) {
            from = at + 1;
            continue;
        }
        if (!c->pending)
            begin_statement(c);
        if (s->quote) {
            take_quoted(c, *at, buf_len(&c->text) + (size_t)(at + 1 - from));
        } else if (!may_end(s, *at) || comment_opened(s, *at)) {
            take_plain(c, *at);
        } else {
            add(c, from, at + 1);
            from = at + 1;
            take_end(c, *at);
        }
    }
    if (c->pending)
        add(c, from, end);
}

/* ---- lines ---- */

static bool word_at(struct slice *line, const char *word)
{
    size_t len = strlen(word);
    if (line->len <= len || !slice_ieq(slice_of(line->data, len), slice_cstr(word)) ||
        !is_space(line->data[len]))
        return false;
    *line = slice_trim(slice_of(line->data + len, line->len - len));
    return true;
}

/* DELIMITER word: a command to the client, on a line of its own. */
static bool delimiter_line(struct capture *c, struct slice line)
{
    size_t len = 0;
    line = slice_trim(line);
    if (!word_at(&line, "delimiter"))
        return false;
    while (len < line.len && len < DELIMITER_MAX && !is_space(line.data[len]))
        len++;
    if (!len)
        return false;
    memcpy(c->script.delimiter, line.data, len);
    c->script.delimiter[len] = '\0';
    c->script.delimiter_len = len;
    return true;
}

/* `use name` needs no delimiter. */
static bool use_line(struct capture *c, struct slice line)
{
    struct slice name = line = slice_trim(line), before;
    if (!word_at(&name, "use") || text_take_until(&name, c->script.delimiter, &before))
        return false;
    begin_statement(c);
    see_code(c);
    add(c, line.data, line.data + line.len);
    end_statement(c, 0);
    return true;
}

static void end_line(struct capture *c)
{
    take_bytes(c, SLICE_LIT("\n"));
    if (c->script.quote == LINE_COMMENT)
        close_quote(c, buf_len(&c->text));
}

void script_feed(struct capture *c, const struct piece *p)
{
    struct slice text = p->text;
    if (p->begins && c->line == 1)
        text_take(&text, "\xef\xbb\xbf");
    bool fresh = !c->pending || (!c->script.has_code && !c->script.quote);
    if (p->begins && p->ends && fresh && (delimiter_line(c, text) || use_line(c, text))) {
        c->pending = false;
        return;
    }
    take_bytes(c, text);
    if (p->ends)
        end_line(c);
}

void script_finish(struct capture *c)
{
    if (c->pending)
        end_statement(c, 0);
}
