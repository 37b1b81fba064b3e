/* The values of one statement for the recipe that merges its parts. A value is read only as what
 * the column beside it is: the servers compare unlike types as doubles, which is not done here. */
#include "routing/identifier.h"

static enum err_code unreadable(struct err *reterr, const char *what)
{
    return err_set(reterr, MQ_SCATTER,
                   "%s cannot be read exactly, so the answers of several tenants cannot be merged; "
                   "give a plain literal or parameter of the column's type, or name one tenant",
                   what);
}

/* ---- numbers ---- */

/* An integer literal, with a sign before it or none. */
static bool literal_integer(const struct route_input *in, const struct value_ref *v,
                            struct merge_value *ret)
{
    unsigned long long n;
    if (v->first != v->last || in->lexed->tokens[v->first].kind != TOKEN_INTEGER ||
        !slice_to_u64(token_text(in->lexed, v->first), &n))
        return false;
    *ret = (struct merge_value){ .kind = MERGE_VALUE_INTEGER, .number = n };
    return true;
}

static bool literal_decimal(const struct route_input *in, const struct value_ref *v,
                            struct merge_value *ret)
{
    if (v->first != v->last || in->lexed->tokens[v->first].kind != TOKEN_DECIMAL)
        return false;
    *ret = (struct merge_value){ .kind = MERGE_VALUE_DECIMAL,
                                 .text = token_text(in->lexed, v->first) };
    return true;
}

static bool param_integer(const struct param_value *p, struct merge_value *ret)
{
    uint64_t n = p->negative ? UINT64_MAX : 0;
    if (p->kind != PARAM_VALUE_INTEGER || p->bytes.len > sizeof n)
        return false;
    for (size_t i = p->bytes.len; i-- > 0;)
        n = n << 8 | (unsigned char)p->bytes.data[i];
    *ret =
        (struct merge_value){ .kind = MERGE_VALUE_INTEGER, .negative = p->negative, .number = n };
    return true;
}

/* As drivers send numbers whose language has no integers. Beside an integer such a value compares as
 * the integer that it is, though servers compare the two as doubles: to 2^53 those are exact, and
 * what is larger stays larger. */
static bool double_integer(const struct route_input *in, const struct value_ref *v,
                           struct merge_value *ret)
{
    enum { BYTES = 8 };
    const double bound = 9007199254740992.0;
    if (v->kind != VALUE_PARAM || !in->params || v->param >= in->template->client_params)
        return false;
    const struct param_value *p = &in->params[v->param];
    uint64_t bits = 0;
    double d;
    if (p->kind != PARAM_VALUE_DOUBLE || p->bytes.len != BYTES)
        return false;
    for (size_t i = BYTES; i-- > 0;)
        bits = bits << 8 | (unsigned char)p->bytes.data[i];
    memcpy(&d, &bits, sizeof d);
    if (!(d > -bound && d < bound) || (double)(int64_t)d != d)
        return false;
    *ret = (struct merge_value){ .kind = MERGE_VALUE_INTEGER,
                                 .negative = d < 0,
                                 .number = (uint64_t)(int64_t)d };
    return true;
}

static bool read_number(const struct route_input *in, const struct value_ref *v,
                        struct merge_value *ret)
{
    switch (v->kind) {
    case VALUE_TOKENS:
        return v->last < in->lexed->count &&
               (literal_integer(in, v, ret) || literal_decimal(in, v, ret));
    case VALUE_PARAM:
        return in->params && v->param < in->template->client_params &&
               param_integer(&in->params[v->param], ret);
    default:
        return false;
    }
}

/* ---- values of expressions ---- */

static bool read_text(const struct route_input *in, const struct value_ref *v, struct arena *arena,
                      struct merge_value *ret)
{
    ret->kind = MERGE_VALUE_TEXT;
    return value_read(in, v, arena, &ret->text) == READ_STRING;
}

static bool is_null(const struct route_input *in, const struct value_ref *v)
{
    return v->kind == VALUE_NONE ||
           (v->kind == VALUE_PARAM && in->params && v->param < in->template->client_params &&
            in->params[v->param].kind == PARAM_VALUE_NULL);
}

static bool read_as(const struct route_input *in, const struct value_ref *v,
                    enum merge_compare compare, struct arena *arena, struct merge_value *ret)
{
    *ret = (struct merge_value){ .kind = MERGE_VALUE_NULL };
    if (is_null(in, v))
        return true;
    switch (compare) {
    case MERGE_AS_INTEGER:
        return (read_number(in, v, ret) && ret->kind == MERGE_VALUE_INTEGER) ||
               double_integer(in, v, ret);
    case MERGE_AS_DECIMAL:
        return read_number(in, v, ret);
    default:
        return !in->facts->other_charset && read_text(in, v, arena, ret);
    }
}

/* ---- LIMIT ---- */

/* Servers take a string of digits as well, which some drivers send. */
static bool text_integer(const struct route_input *in, const struct value_ref *v,
                         struct arena *arena, struct merge_value *ret)
{
    struct slice text;
    unsigned long long n;
    if (v->kind != VALUE_PARAM || value_read(in, v, arena, &text) != READ_STRING ||
        !slice_to_u64(text, &n))
        return false;
    *ret = (struct merge_value){ .kind = MERGE_VALUE_INTEGER, .number = n };
    return true;
}

static enum err_code read_rows(const struct route_input *in, const struct value_ref *v,
                               struct arena *arena, uint64_t *ret, struct err *reterr)
{
    struct merge_value n;
    if (v->kind == VALUE_NONE)
        return MQ_OK;
    if ((!read_number(in, v, &n) && !text_integer(in, v, arena, &n) && !double_integer(in, v, &n)) ||
        n.kind != MERGE_VALUE_INTEGER || n.negative)
        return unreadable(reterr, "the LIMIT");
    *ret = n.number;
    return MQ_OK;
}

/* ---- what the session makes of rows ---- */

static bool compares_texts(const struct merge_recipe *m)
{
    bool texts = false;
    for (size_t i = 0; i < m->order_count; i++)
        texts |= m->order[i].compare == MERGE_AS_TEXT;
    for (size_t i = 0; i < m->aggregate_count; i++)
        texts |= m->aggregates[i].compare == MERGE_AS_TEXT;
    for (size_t i = 0; i < m->expr_count; i++)
        texts |= m->exprs[i].compare == MERGE_AS_TEXT;
    return texts;
}

static enum err_code check_session(const struct route_input *in, struct err *reterr)
{
    const struct merge_recipe *m = in->template->merge;
    if (in->facts->unmerged && m->kind == MERGE_ROWS)
        return err_set(reterr, MQ_SCATTER,
                       "the answers of several tenants are not merged while %s is set; set it to "
                       "DEFAULT",
                       in->facts->unmerged);
    if (in->facts->other_results && compares_texts(m))
        return err_set(
            reterr, MQ_SCATTER,
            "texts of several tenants' answers are compared as UTF-8; SET NAMES utf8mb4");
    return MQ_OK;
}

enum err_code route_merge_inputs(const struct route_input *in, struct arena *arena,
                                 struct merge_inputs *ret, struct err *reterr)
{
    const struct merge_recipe *m = in->template->merge;
    *ret = (struct merge_inputs){ .most = UINT64_MAX, .value_count = m->value_count };
    ret->values = arena_array(arena, struct merge_value, m->value_count + 1);
    enum err_code code = check_session(in, reterr);
    if (code)
        return code;
    for (size_t i = 0; i < m->expr_count; i++) {
        const struct merge_expr *e = &m->exprs[i];
        if (e->op == MERGE_VALUE &&
            !read_as(in, &m->values[e->number], (enum merge_compare)e->compare, arena,
                     &ret->values[e->number]))
            return unreadable(reterr, "a value in a condition");
    }
    code = read_rows(in, &m->skip, arena, &ret->skip, reterr);
    return code ? code : read_rows(in, &m->most, arena, &ret->most, reterr);
}
