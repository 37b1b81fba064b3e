/* Reading the values of a statement, and the rules for those that name things: what a column
 * would store must be the bytes that the client meant. */
#include "routing/identifier.h"

#include "routing/qualified_route.h"

enum { IDENTIFIER_MAX = 255 }; /* bytes of ASCII, characters of UTF-8 */

static enum value_reading read_param(const struct route_input *in, uint32_t number,
                                     struct slice *ret)
{
    if (!in->params || number >= in->template->client_params)
        return READ_UNKNOWN;
    const struct param_value *v = &in->params[number];
    switch (v->kind) {
    case PARAM_VALUE_NULL:
        return READ_NOTHING;
    case PARAM_VALUE_STRING:
        *ret = v->bytes;
        return READ_STRING;
    case PARAM_VALUE_OTHER:
    case PARAM_VALUE_INTEGER:
    case PARAM_VALUE_DOUBLE:
        return READ_OTHER;
    default:
        return READ_UNKNOWN;
    }
}

static bool is_number(const struct token *t)
{
    return t->kind >= TOKEN_BIT && t->kind <= TOKEN_FLOAT;
}

enum value_reading value_read(const struct route_input *in, const struct value_ref *v,
                              struct arena *arena, struct slice *ret)
{
    if (v->kind == VALUE_NONE)
        return READ_NOTHING;
    if (v->kind == VALUE_PARAM)
        return read_param(in, v->param, ret);
    if (v->kind != VALUE_TOKENS || v->last >= in->lexed->count)
        return READ_UNKNOWN;
    if (is_number(&in->lexed->tokens[v->first]))
        return READ_OTHER;
    return token_string_value(in->lexed, in->dialect, v->first, v->last, arena, ret) ? READ_STRING
                                                                                     : READ_UNKNOWN;
}

/* Its fault in words, or NULL. */
static const char *ascii_fault(struct slice s)
{
    bool fits = slice_is_ascii(s) && !(s.len && memchr(s.data, '\0', s.len));
    return fits ? NULL : "is not ASCII";
}

static const char *short_ascii_fault(struct slice s)
{
    return s.len > IDENTIFIER_MAX ? "is longer than 255 bytes" : ascii_fault(s);
}

/* As it is spelled: hexadecimal is binary, which no column's character set hinders. */
static bool is_spelled_in_ascii(const struct route_input *in, const struct value_ref *v)
{
    struct slice s = SLICE_LIT("");
    if (v->kind == VALUE_PARAM)
        return read_param(in, v->param, &s) != READ_STRING || slice_is_ascii(s);
    for (uint32_t i = v->first; i <= v->last && i < in->lexed->count; i++)
        if (!slice_is_ascii(token_text(in->lexed, i)))
            return false;
    return true;
}

static const char *utf8_fault(struct slice s)
{
    size_t chars;
    if (!slice_is_utf8(s, &chars))
        return "is not valid UTF-8";
    return chars > IDENTIFIER_MAX ? "is longer than 255 characters" : NULL;
}

static const char *fault(enum column_check check, struct slice s, bool other_charset)
{
    switch (check) {
    case CHECK_ASCII_NONEMPTY:
        return s.len ? short_ascii_fault(s) : "is empty";
    case CHECK_ASCII:
        return short_ascii_fault(s);
    case CHECK_UTF8:
        return other_charset ? NULL : utf8_fault(s);
    default:
        return NULL;
    }
}

/* ---- counters ---- */

static bool integer_param(const struct route_input *in, const struct value_ref *v,
                          unsigned long long *ret)
{
    if (v->kind != VALUE_PARAM || !in->params || in->params[v->param].kind != PARAM_VALUE_INTEGER)
        return false;
    struct slice bytes = in->params[v->param].bytes;
    *ret = 0;
    for (size_t i = bytes.len; i-- > 0;)
        *ret = *ret << 8 | (unsigned char)bytes.data[i];
    return true;
}

static bool read_integer(const struct route_input *in, const struct value_ref *v,
                         struct arena *arena, unsigned long long *ret)
{
    struct slice s;
    if (v->kind == VALUE_TOKENS && v->first == v->last && v->last < in->lexed->count &&
        in->lexed->tokens[v->first].kind == TOKEN_INTEGER)
        return slice_to_u64(token_text(in->lexed, v->first), ret);
    switch (value_read(in, v, arena, &s)) {
    case READ_NOTHING:
        *ret = 0;
        return true;
    case READ_STRING:
        return slice_to_u64(s, ret);
    default:
        return integer_param(in, v, ret);
    }
}

/* The counter of a shard continues behind the largest value that any tenant writes: at its end
 * no tenant could insert a row. 2^52 leaves room, also for clients that count in doubles. */
static enum err_code counter_check(const struct route_input *in,
                                   const struct identifier_check *check, struct arena *arena,
                                   struct err *reterr)
{
    static const unsigned long long max = 1ULL << 52;
    unsigned long long n;
    if (read_integer(in, &check->value, arena, &n) && n <= max)
        return MQ_OK;
    return err_set(reterr, MQ_COUNTER_VALUE, "the value for %s is not a plain integer up to %llu",
                   check->column, max);
}

enum err_code identifier_check(const struct route_input *in, const struct identifier_check *check,
                               struct arena *arena, struct err *reterr)
{
    struct slice s, tenant;
    if (check->check == CHECK_COUNTER)
        return counter_check(in, check, arena, reterr);
    if (check->check == CHECK_ASCII_MET)
        return is_spelled_in_ascii(in, &check->value)
                   ? MQ_OK
                   : err_set(reterr, MQ_IDENTIFIER_INVALID,
                             "a value that meets the column %s, which is ASCII, is not",
                             check->column);
    enum value_reading reading = value_read(in, &check->value, arena, &s);
    if (reading == READ_NOTHING || reading == READ_OTHER)
        return MQ_OK;
    if (check->qualified && reading == READ_STRING)
        qualified_split(in->template, s, &tenant, &s);
    const char *what = reading == READ_STRING ? fault(check->check, s, in->facts->other_charset)
                                              : "is written in a character set that is not read";
    if (!what)
        return MQ_OK;
    return err_set(reterr, MQ_IDENTIFIER_INVALID, "the value for %s %s", check->column, what);
}

enum counters identifier_counters(const struct route_input *in, struct arena *arena)
{
    const struct template *t = in->template;
    unsigned long long n;
    uint32_t given = 0, zeros = 0;
    for (size_t i = 0; i < t->check_count && t->insert_rows; i++) {
        const struct identifier_check *c = &t->checks[i];
        if (c->check != CHECK_COUNTER || !c->inserted || !read_integer(in, &c->value, arena, &n))
            continue; /* NULL or DEFAULT */
        given += n != 0;
        zeros += n == 0;
    }
    if (!given && !zeros)
        return COUNTERS_MADE;
    return given == t->insert_rows ? COUNTERS_GIVEN : COUNTERS_MIXED;
}
