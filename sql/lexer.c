/* Text to tokens in one pass, by the rules of the servers' own lexers (MYSQLlex in sql_lex.cc
 * of MySQL 8.0 to 9.x and MariaDB). Where those rules do something that no author of a
 * statement can have meant (MySQL drops the operand after `=!`, and a malformed `1.5e`), or
 * where they depend on the version or the character set, the statement is refused. */
#include "sql/token.h"

#include "sql/chars.h"
#include "sql/lexer_int.h"

enum err_code lexer_fail(const struct lexer *x, const uint8_t *at, enum err_code code,
                         const char *what)
{
    char near[25];
    size_t n = 0;
    for (const uint8_t *p = at; p < x->end && n < sizeof near - 1; p++)
        near[n++] = *p >= 0x20 && *p < 0x7f ? (char)*p : '.';
    near[n] = '\0';
    return err_set(x->reterr, code, "%s at byte %zu near '%s'", what, (size_t)(at - x->begin) + 1,
                   near);
}

/* ---- the array of tokens ---- */

enum { ROOM_MAX = TOKENS_MAX + 2 };

static void make_room(struct lexer *x, uint32_t room)
{
    if (room > ROOM_MAX)
        room = ROOM_MAX;
    struct token *tokens = arena_alloc(x->arena, (size_t)room * sizeof *tokens);
    if (x->out->count)
        memcpy(tokens, x->out->tokens, (size_t)x->out->count * sizeof *tokens);
    x->out->tokens = tokens;
    x->room = room;
}

static uint64_t hash_bytes(uint64_t hash, struct slice s)
{
    for (size_t at = 0; at < s.len; at += 8)
        hash = word_mix(hash, word_chunk(s, at));
    return hash;
}

/* Adds the token that began at start and ends here. */
static inline __attribute__((always_inline)) enum err_code emit(struct lexer *x, enum token_kind kind, unsigned value,
                          const uint8_t *start)
{
    struct lexed *out = x->out;
    if (out->count + 1 >= x->room) {
        if (x->room == ROOM_MAX)
            return lexer_fail(x, start, MQ_TOO_COMPLEX, "too many tokens");
        make_room(x, x->room * 2);
    }
    unsigned flags = x->flags;
    uint32_t len = (uint32_t)(x->at - start);
    out->tokens[out->count++] = (struct token){ (uint8_t)kind, (uint8_t)flags, (uint16_t)value,
                                                (uint32_t)(start - x->begin), len };
    x->flags = flags & TOKEN_F_IN_COMMENT;
    x->hash = word_mix(x->hash, token_mark(kind, flags, value, len));
    if (token_bytes_count(kind, flags))
        x->hash = hash_bytes(x->hash, slice_of(start, len));
    return MQ_OK;
}

static enum err_code emit_operator(struct lexer *x, enum op op, size_t len)
{
    const uint8_t *start = x->at;
    x->at += len;
    return emit(x, TOKEN_OPERATOR, op, start);
}

/* ---- words ---- */

/* Bare letters beyond ASCII: their bytes are letters in utf8mb4, but the byte 0xA0 is white
 * space in latin1 and its relatives, where the word would end. */
static enum err_code check_letters(const struct lexer *x, const uint8_t *start)
{
    struct slice word = slice_of(start, (size_t)(x->at - start));
    if (!slice_is_utf8(word, NULL))
        return lexer_fail(x, start, MQ_SYNTAX, "bytes that are no character");
    if (memchr(word.data, 0xa0, word.len))
        return lexer_fail(x, start, MQ_NOT_UNDERSTOOD,
                          "a name that some character sets split (quote it)");
    return MQ_OK;
}

static enum err_code take_word(struct lexer *x, const uint8_t *start)
{
    const uint8_t *p = x->at;
    uint8_t seen = 0;
    while (p < x->end && char_is_word(*p))
        seen |= *p++;
    x->at = p;
    return seen & 0x80 ? check_letters(x, start) : MQ_OK;
}

/* Is this the dot of name.name? */
static bool dot_follows(const struct lexer *x)
{
    return lexer_peek(x, 0) == '.' && char_is_word(lexer_peek(x, 1));
}

/* A word that cannot be a keyword: behind a dot, or one that begins with digits. */
static enum err_code scan_name(struct lexer *x, const uint8_t *start)
{
    enum err_code err = take_word(x, start);
    if (err)
        return err;
    x->dot_separates = dot_follows(x);
    return emit(x, TOKEN_IDENT, KEYWORD_NONE, start);
}

static enum err_code emit_word(struct lexer *x, enum keyword kw, const uint8_t *start)
{
    if (kw != KEYWORD_NONE && keyword_reserved(kw, x->dialect))
        x->flags |= TOKEN_F_RESERVED;
    return emit(x, TOKEN_IDENT, kw, start);
}

/* MySQL 8.0.32 and later read $tag$ as the beginning of a dollar-quoted text, which is for
 * routine bodies only. */
static bool is_dollar_quote(const struct lexer *x, struct slice word)
{
    return word.data[0] == '$' && x->dialect->flavour == FLAVOUR_MYSQL &&
           memchr(word.data + 1, '$', word.len - 1);
}

/* Each flavour knows one character set that the other does not. */
static bool is_introducer(const struct lexer *x, struct slice word)
{
    bool mariadb = x->dialect->flavour == FLAVOUR_MARIADB;
    if (word.data[0] != '_')
        return false;
    struct slice charset = slice_of(word.data + 1, word.len - 1);
    if (slice_ieq_cstr(charset, mariadb ? "filename" : "gb18030"))
        return true;
    return charset_find(charset) && !slice_ieq_cstr(charset, "gb18030");
}

static enum err_code scan_word(struct lexer *x)
{
    const uint8_t *start = x->at;
    enum err_code err = take_word(x, start);
    if (err)
        return err;
    struct slice word = slice_of(start, (size_t)(x->at - start));
    if (is_dollar_quote(x, word))
        return lexer_fail(x, start, MQ_SYNTAX, "a dollar-quoted text");
    x->dot_separates = dot_follows(x);
    if (is_introducer(x, word))
        return emit(x, TOKEN_INTRODUCER, 0, start);
    return emit_word(x, x->dot_separates ? KEYWORD_NONE : keyword_find(word), start);
}

/* ---- quotes ---- */

/* Steps over a string whose opening quote was read. Searches run from quote to quote and
 * from backslash to backslash, never twice over the same bytes. */
static enum err_code skip_string(struct lexer *x, const uint8_t *start, uint8_t quote)
{
    bool escapes = !(x->dialect->modes & MODE_NO_BACKSLASH_ESCAPES);
    const uint8_t *p = x->at, *close = NULL;
    for (;;) {
        if (!close || close < p)
            close = p < x->end ? memchr(p, quote, (size_t)(x->end - p)) : NULL;
        if (!close)
            return lexer_fail(x, start, MQ_SYNTAX, "a string without end");
        const uint8_t *escape = escapes ? memchr(p, '\\', (size_t)(close - p)) : NULL;
        if (escape) {
            p = escape + 2;
        } else if (close + 1 < x->end && close[1] == quote) {
            p = close + 2;
        } else {
            x->at = close + 1;
            return MQ_OK;
        }
    }
}

/* Steps over a quoted name whose opening quote was read. */
static enum err_code skip_quoted(struct lexer *x, const uint8_t *start, uint8_t quote)
{
    const uint8_t *p = x->at;
    for (;; p += 2) {
        p = p < x->end ? memchr(p, quote, (size_t)(x->end - p)) : NULL;
        if (!p)
            return lexer_fail(x, start, MQ_SYNTAX, "a quoted name without end");
        if (p + 1 == x->end || p[1] != quote)
            break;
    }
    x->at = p + 1;
    if (memchr(start, '\0', (size_t)(x->at - start)))
        return lexer_fail(x, start, MQ_SYNTAX, "a NUL byte in a name");
    return MQ_OK;
}

/* Is what the quote opens a name, not a string? */
static bool quotes_name(const struct lexer *x, uint8_t quote)
{
    return quote == '`' || (quote == '"' && x->dialect->modes & MODE_ANSI_QUOTES);
}

static enum err_code scan_quoted(struct lexer *x)
{
    const uint8_t *start = x->at;
    uint8_t quote = *x->at++;
    bool name = quotes_name(x, quote);
    enum err_code err = name ? skip_quoted(x, start, quote) : skip_string(x, start, quote);
    return err ? err : emit(x, name ? TOKEN_QUOTED : TOKEN_STRING, 0, start);
}

static enum err_code scan_national(struct lexer *x)
{
    const uint8_t *start = x->at;
    if (lexer_peek(x, 1) != '\'')
        return scan_word(x);
    x->at += 2;
    enum err_code err = skip_string(x, start, '\'');
    return err ? err : emit(x, TOKEN_NATIONAL, 0, start);
}

static bool is_bit(uint8_t c)
{
    return c == '0' || c == '1';
}

/* X'…' */
static enum err_code scan_hex_string(struct lexer *x)
{
    const uint8_t *start = x->at;
    if (lexer_peek(x, 1) != '\'')
        return scan_word(x);
    for (x->at += 2; char_is_hex(lexer_peek(x, 0)); x->at++)
        ;
    if (lexer_peek(x, 0) != '\'' || (x->at - start) % 2 != 0)
        return lexer_fail(x, start, MQ_SYNTAX, "a malformed hexadecimal literal");
    x->at++;
    return emit(x, TOKEN_HEX, 0, start);
}

/* B'…' */
static enum err_code scan_bit_string(struct lexer *x)
{
    const uint8_t *start = x->at;
    if (lexer_peek(x, 1) != '\'')
        return scan_word(x);
    for (x->at += 2; is_bit(lexer_peek(x, 0)); x->at++)
        ;
    if (lexer_peek(x, 0) != '\'')
        return lexer_fail(x, start, MQ_SYNTAX, "a malformed bit literal");
    x->at++;
    return emit(x, TOKEN_BIT, 0, start);
}

/* ---- numbers ---- */

static void skip_digits(struct lexer *x)
{
    while (x->at < x->end && char_is_digit(*x->at))
        x->at++;
}

/* Is there an exponent with its digits here? */
static bool exponent_follows(const struct lexer *x)
{
    if ((lexer_peek(x, 0) | 0x20) != 'e')
        return false;
    uint8_t next = lexer_peek(x, 1);
    return char_is_digit(next) ||
           ((next == '+' || next == '-') && char_is_digit(lexer_peek(x, 2)));
}

static enum err_code scan_exponent(struct lexer *x, const uint8_t *start)
{
    x->at += 2; /* e and a sign or digit */
    skip_digits(x);
    return emit(x, TOKEN_FLOAT, 0, start);
}

/* Behind the point of a number. Unlike `1e`, which is a name, `1.5e` is nothing. */
static enum err_code scan_fraction(struct lexer *x, const uint8_t *start)
{
    skip_digits(x);
    if (exponent_follows(x))
        return scan_exponent(x, start);
    if ((lexer_peek(x, 0) | 0x20) == 'e')
        return lexer_fail(x, start, MQ_SYNTAX, "a number without its exponent");
    return emit(x, TOKEN_DECIMAL, 0, start);
}

/* 0x… and 0b…, with a small letter only; anything else that begins so is a name. */
static enum err_code scan_prefixed(struct lexer *x, const uint8_t *start)
{
    bool hex = start[1] == 'x';
    const uint8_t *p = start + 2;
    while (p < x->end && (hex ? char_is_hex(*p) : is_bit(*p)))
        p++;
    if (p == start + 2 || (p < x->end && char_is_word(*p)))
        return scan_name(x, start);
    x->at = p;
    return emit(x, hex ? TOKEN_HEX : TOKEN_BIT, 0, start);
}

static enum err_code scan_number(struct lexer *x)
{
    const uint8_t *start = x->at;
    uint8_t second = lexer_peek(x, 1);
    if (*start == '0' && (second == 'x' || second == 'b'))
        return scan_prefixed(x, start);
    skip_digits(x);
    if (exponent_follows(x))
        return scan_exponent(x, start);
    if (char_is_word(lexer_peek(x, 0)))
        return scan_name(x, start);
    if (lexer_peek(x, 0) != '.' || lexer_peek(x, 1) == '.')
        return emit(x, TOKEN_INTEGER, 0, start);
    x->at++;
    return scan_fraction(x, start);
}

/* MariaDB's FOR i IN 1..10, and low..high; to MySQL no two dots mean anything. */
static enum err_code scan_two_dots(struct lexer *x, const uint8_t *start, bool separates)
{
    if (separates || x->dialect->flavour != FLAVOUR_MARIADB)
        return lexer_fail(x, start, MQ_SYNTAX, "two dots");
    x->at++;
    return emit(x, TOKEN_OPERATOR, OP_DOT_DOT, start);
}

static enum err_code scan_dot(struct lexer *x)
{
    const uint8_t *start = x->at++;
    bool separates = x->dot_separates;
    x->dot_separates = false;
    if (!separates && char_is_digit(lexer_peek(x, 0)))
        return scan_fraction(x, start);
    if (lexer_peek(x, 0) == '.')
        return scan_two_dots(x, start, separates);
    enum err_code err = emit(x, TOKEN_OPERATOR, OP_DOT, start);
    if (err || !char_is_word(lexer_peek(x, 0)))
        return err;
    return scan_name(x, x->at);
}

/* ---- variables ---- */

/* @@ with a name directly behind it. The name may be a keyword, as in @@global.x. */
static enum err_code scan_system_variable(struct lexer *x)
{
    const uint8_t *start = x->at;
    uint8_t next = lexer_peek(x, 2);
    if (!char_is_word(next) && next != '`')
        return lexer_fail(x, start, MQ_SYNTAX, "a variable without a name");
    x->at += 2;
    enum err_code err = emit(x, TOKEN_SYSTEM_VAR, 0, start);
    if (err || next == '`')
        return err;
    start = x->at;
    err = take_word(x, start);
    if (err)
        return err;
    x->dot_separates = lexer_peek(x, 0) == '.';
    return emit_word(x, keyword_find(slice_of(start, (size_t)(x->at - start))), start);
}

/* @name; the name may hold dots. */
static enum err_code take_variable_name(struct lexer *x, const uint8_t *start)
{
    const uint8_t *name = x->at;
    for (uint8_t next = lexer_peek(x, 0); next == '.' || char_is_word(next);
         next = lexer_peek(x, 0)) {
        if (next == '.')
            x->at++;
        enum err_code err = take_word(x, x->at);
        if (err)
            return err;
    }
    if (x->at == name)
        return lexer_fail(x, start, MQ_SYNTAX, "a variable without a name");
    return MQ_OK;
}

static enum err_code scan_variable(struct lexer *x)
{
    const uint8_t *start = x->at;
    uint8_t next = lexer_peek(x, 1);
    if (next == '@')
        return scan_system_variable(x);
    x->at++;
    enum err_code err;
    if (next == '\'' || next == '"' || next == '`') {
        x->at++;
        err = quotes_name(x, next) ? skip_quoted(x, start, next) : skip_string(x, start, next);
        if (!err && x->at - start == 3 && x->dialect->flavour == FLAVOUR_MARIADB)
            err = lexer_fail(x, start, MQ_SYNTAX, "a variable without a name");
    } else {
        err = take_variable_name(x, start);
    }
    return err ? err : emit(x, TOKEN_USER_VAR, 0, start);
}

/* ---- operators ---- */

static const uint8_t single_operators[128] = {
    ['+'] = OP_PLUS,   ['%'] = OP_PERCENT, ['^'] = OP_CARET,     ['~'] = OP_TILDE,
    ['('] = OP_LPAREN, [')'] = OP_RPAREN,  [','] = OP_COMMA,     [';'] = OP_SEMICOLON,
    ['{'] = OP_LBRACE, ['}'] = OP_RBRACE,
};

static const struct {
    char text[4];
    uint8_t op;
} comparisons[] = {
    { "=", OP_EQ },           { ">", OP_GREATER },    { "<", OP_LESS },
    { "!", OP_BANG },         { ">=", OP_GREATER_EQ }, { "<=", OP_LESS_EQ },
    { "<>", OP_NOT_EQ },      { "!=", OP_NOT_EQ_BANG }, { "<=>", OP_NULL_SAFE_EQ },
    { "<<", OP_SHIFT_LEFT },  { ">>", OP_SHIFT_RIGHT },
};

/* MySQL takes two such characters together, after `<` also a third one other than `<`, and
 * when they are no operator goes on with the first and drops the others: `1=!0` is `1=0`.
 * MariaDB takes them one by one. */
static enum err_code scan_comparison(struct lexer *x)
{
    size_t len = 1;
    if (char_class_of(lexer_peek(x, 1)) == CHAR_COMPARE) {
        uint8_t third = lexer_peek(x, 2);
        bool three = *x->at == '<' && third != '<' && char_class_of(third) == CHAR_COMPARE;
        len = three ? 3 : 2;
    }
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (strlen(comparisons[i].text) == len && memcmp(x->at, comparisons[i].text, len) == 0)
            return emit_operator(x, (enum op)comparisons[i].op, len);
    return lexer_fail(x, x->at, MQ_SYNTAX, "operators that servers read differently (put a space)");
}

static enum err_code scan_twice(struct lexer *x)
{
    bool twice = lexer_peek(x, 1) == *x->at;
    if (*x->at == '&')
        return emit_operator(x, twice ? OP_AND_AND : OP_AMP, twice ? 2 : 1);
    return emit_operator(x, twice ? OP_OR_OR : OP_PIPE, twice ? 2 : 1);
}

/* A minus, an arrow, or `--` with white space, a control character or the end behind it.
 * Which bytes from 0x80 are control characters depends on the character set. */
static enum err_code scan_minus(struct lexer *x)
{
    uint8_t next = lexer_peek(x, 1);
    if (next == '-') {
        uint8_t third = lexer_peek(x, 2);
        if (third <= 0x20 || third == 0x7f)
            return lexer_line_comment(x);
        if (third >= 0x80)
            return lexer_fail(x, x->at, MQ_NOT_UNDERSTOOD,
                              "what is a comment in some character sets only");
    }
    if (next == '>')
        return lexer_peek(x, 2) == '>' ? emit_operator(x, OP_JSON_UNQUOTE_EXTRACT, 3)
                                       : emit_operator(x, OP_JSON_EXTRACT, 2);
    return emit_operator(x, OP_MINUS, 1);
}

static enum err_code scan_star(struct lexer *x)
{
    if (!(x->flags & TOKEN_F_IN_COMMENT) || lexer_peek(x, 1) != '/')
        return emit_operator(x, OP_STAR, 1);
    x->at += 2;
    x->flags = TOKEN_F_SPACE_BEFORE;
    return MQ_OK;
}

/* No marker when a word follows: the servers refuse it, since the value that replaces it
 * in their log would run into the word. */
static enum err_code scan_question(struct lexer *x)
{
    if (char_is_word(lexer_peek(x, 1)))
        return lexer_fail(x, x->at, MQ_SYNTAX, "a parameter marker before a word");
    x->out->params++;
    x->at++;
    return emit(x, TOKEN_PARAM, 0, x->at - 1);
}

static enum err_code scan_bad(struct lexer *x)
{
    if (*x->at == '\\' && lexer_peek(x, 1) == 'N')
        return lexer_fail(x, x->at, MQ_NOT_UNDERSTOOD, "the NULL that only some servers know");
    return lexer_fail(x, x->at, MQ_SYNTAX, "a character that begins nothing");
}

/* Parentheses and commas, between which the literals of IN (…) fold into one token. */
static enum err_code scan_separator(struct lexer *x)
{
    enum op op = (enum op)single_operators[*x->at];
    if (x->element && op != OP_LPAREN)
        lexer_end_element(x);
    enum err_code err = emit_operator(x, op, 1);
    if (!err && (x->element || op == OP_LPAREN))
        lexer_begin_element(x, op);
    return err;
}

enum err_code lexer_token(struct lexer *x)
{
    switch (char_class_of(*x->at)) {
    case CHAR_WORD:
        return scan_word(x);
    case CHAR_N:
        return scan_national(x);
    case CHAR_X:
        return scan_hex_string(x);
    case CHAR_B:
        return scan_bit_string(x);
    case CHAR_DIGIT:
        return scan_number(x);
    case CHAR_QUOTE:
    case CHAR_DOUBLE_QUOTE:
    case CHAR_BACKTICK:
        return scan_quoted(x);
    case CHAR_AT:
        return scan_variable(x);
    case CHAR_DOT:
        return scan_dot(x);
    case CHAR_COMPARE:
        return scan_comparison(x);
    case CHAR_TWICE:
        return scan_twice(x);
    case CHAR_COLON:
        return lexer_peek(x, 1) == '=' ? emit_operator(x, OP_ASSIGN, 2)
                                       : emit_operator(x, OP_COLON, 1);
    case CHAR_MINUS:
        return scan_minus(x);
    case CHAR_SLASH:
        return lexer_peek(x, 1) == '*' ? lexer_comment(x) : emit_operator(x, OP_SLASH, 1);
    case CHAR_STAR:
        return scan_star(x);
    case CHAR_HASH:
        return lexer_line_comment(x);
    case CHAR_QUESTION:
        return scan_question(x);
    case CHAR_SINGLE:
        return emit_operator(x, (enum op)single_operators[*x->at], 1);
    case CHAR_SEPARATOR:
        return scan_separator(x);
    default:
        return scan_bad(x);
    }
}

void lexer_space(struct lexer *x)
{
    const uint8_t *p = x->at;
    while (p < x->end && char_is_space(*p))
        p++;
    if (p != x->at)
        x->flags |= TOKEN_F_SPACE_BEFORE;
    x->at = p;
}

static enum err_code scan_all(struct lexer *x)
{
    for (lexer_space(x); x->at < x->end; lexer_space(x)) {
        enum err_code err = lexer_token(x);
        if (err)
            return err;
    }
    return MQ_OK;
}

static enum err_code begin(struct lexer *x, struct slice text)
{
    enum { FIRST_ROOM_MAX = 256, BYTES_PER_TOKEN = 4 };
    if (!text.data)
        text = SLICE_LIT("");
    *x->out = (struct lexed){ .text = text };
    if (text.len >= UINT32_MAX)
        return err_set(x->reterr, MQ_TOO_COMPLEX, "the text has 4 GiB or more");
    x->begin = x->at = (const uint8_t *)text.data;
    x->end = x->begin + text.len;
    x->hash = WORD_FACTOR;
    size_t room = text.len / BYTES_PER_TOKEN + 8;
    make_room(x, room < FIRST_ROOM_MAX ? (uint32_t)room : FIRST_ROOM_MAX);
    if (text.len >= 3 && memcmp(x->begin, "\xef\xbb\xbf", 3) == 0)
        return lexer_fail(x, x->begin, MQ_SYNTAX, "a byte order mark");
    return MQ_OK;
}

/* The text ends at x->at. */
static enum err_code end(struct lexer *x)
{
    struct lexed *out = x->out;
    if (x->flags & TOKEN_F_IN_COMMENT)
        return lexer_fail(x, x->at, MQ_SYNTAX, "a comment without end");
    out->text.len = (size_t)(x->at - x->begin);
    out->tokens[out->count] =
        (struct token){ TOKEN_END, x->flags, 0, (uint32_t)out->text.len, 0 };
    out->fingerprint = x->hash + lexed_is_comment(out);
    return MQ_OK;
}

enum err_code lex(struct slice text, const struct dialect *dialect, struct arena *arena,
                  struct lexed *ret, struct err *reterr)
{
    struct lexer x = { .dialect = dialect, .arena = arena, .out = ret, .reterr = reterr };
    enum err_code err = begin(&x, text);
    if (!err)
        err = scan_all(&x);
    return err ? err : end(&x);
}

/* ---- one statement of several ---- */

/* Up to the semicolon behind the first statement, or to the end. */
static enum err_code scan_first(struct lexer *x)
{
    for (lexer_space(x); x->at < x->end && *x->at != ';'; lexer_space(x)) {
        enum err_code err = lexer_token(x);
        if (err)
            return err;
    }
    return MQ_OK;
}

/* Steps over the semicolon, white space and comments, whose tenant is taken. True when more than
 * that is there, whether it can be read or not. */
static bool token_follows(struct lexer *x)
{
    if (lexer_token(x))
        return true;
    uint32_t count = x->out->count;
    for (lexer_space(x); x->at < x->end; lexer_space(x))
        if (lexer_token(x) || x->out->count != count || x->flags & TOKEN_F_IN_COMMENT)
            return true;
    return false;
}

/* Of a text without tokens: servers answer it by itself, but a tenant is meant for what stands in
 * front of it. */
static bool is_comment_apart(const struct lexer *x, struct slice text)
{
    struct lexed read;
    return lex(text, x->dialect, x->arena, &read, NULL) == MQ_OK && lexed_is_comment(&read) &&
           !read.has_comment_tenant && !read.directive.len;
}

/* Cut off in front of its semicolon, `--` would become a comment; no statement ends so. */
static bool ends_in_minus(const struct lexed *l)
{
    return l->count && token_is_op(&l->tokens[l->count - 1], OP_MINUS);
}

enum err_code lex_first(struct slice text, const struct dialect *dialect, struct arena *arena,
                        struct lexed *ret, struct slice *ret_rest, struct err *reterr)
{
    struct lexer x = { .dialect = dialect, .arena = arena, .out = ret, .reterr = reterr };
    *ret_rest = slice_of("", 0);
    enum err_code err = begin(&x, text);
    if (!err)
        err = scan_first(&x);
    if (err || x.at == x.end || x.flags & TOKEN_F_IN_COMMENT)
        return err ? err : end(&x);

    if (ends_in_minus(ret))
        return lexer_fail(&x, x.at, MQ_SYNTAX, "a minus without an operand");
    struct lexer ahead = x;
    struct lexed first = *ret;
    struct slice behind = slice_of(x.at + 1, (size_t)(x.end - x.at - 1));
    ahead.reterr = NULL;
    if (!token_follows(&ahead) && !is_comment_apart(&x, behind))
        return end(&ahead);
    *ret = first;
    if (ret->count == 0)
        return lexer_fail(&x, x.at, MQ_SYNTAX, "an empty statement");
    err = end(&x);
    x.at++;
    lexer_space(&x);
    *ret_rest = slice_of(x.at, (size_t)(x.end - x.at));
    return err;
}
