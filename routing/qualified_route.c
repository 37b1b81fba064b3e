/* A literal is cut where it stands, so its character set, its escapes and whatever else makes it
 * what it is stay the client's: 't|it\'s' becomes 'it\'s'. */
#include "routing/qualified_route.h"

#include "routing/identifier.h"

bool qualified_split(const struct template *t, struct slice value, struct slice *ret_tenant,
                     struct slice *ret_key)
{
    const char *at = value.len ? memchr(value.data, t->key_separator, value.len) : NULL;
    size_t len = at ? (size_t)(at - value.data) : 0;
    *ret_tenant = slice_of(value.data, len);
    *ret_key = at ? slice_of(at + 1, value.len - len - 1) : value;
    return at != NULL;
}

/* The token of the string whose first quote is behind `skip` bytes; false when it is no string. */
static bool find_string(const struct lexed *l, uint32_t first, uint32_t last, uint32_t *ret,
                        size_t *ret_skip)
{
    if (l->tokens[first].kind == TOKEN_INTRODUCER && first < last)
        first++;
    *ret = first;
    *ret_skip = l->tokens[first].kind == TOKEN_NATIONAL ? 2 : 1;
    return l->tokens[first].kind == TOKEN_STRING || l->tokens[first].kind == TOKEN_NATIONAL;
}

/* How many bytes in front of the key stand within the quotes. */
static size_t prefix_length(const struct template *t, struct slice text, size_t skip)
{
    const char *at =
        text.len > skip ? memchr(text.data + skip, t->key_separator, text.len - skip) : NULL;
    return at ? (size_t)(at + 1 - text.data) - skip : 0;
}

/* Are tenant and separator spelled as they read, so that the literal may be cut there? */
static bool is_plain(const struct template *t, const struct lexed *l, uint32_t first, uint32_t last,
                     struct slice value)
{
    struct slice tenant, key;
    uint32_t token;
    size_t skip;
    if (!find_string(l, first, last, &token, &skip))
        return false;
    struct slice text = token_text(l, token);
    size_t prefix = prefix_length(t, text, skip);
    bool qualified = qualified_split(t, value, &tenant, &key);
    return qualified ? prefix == tenant.len + 1 && memcmp(text.data + skip, value.data, prefix) == 0
                     : prefix == 0;
}

/* ---- reading ---- */

struct strings {
    struct arena *arena;
    struct slice *items;
    size_t count, capacity;
};

static void add_string(struct strings *s, struct slice value)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 4;
        struct slice *items = arena_array(s->arena, struct slice, capacity);
        if (s->count)
            memcpy(items, s->items, s->count * sizeof *items);
        s->items = items;
        s->capacity = capacity;
    }
    s->items[s->count++] = value;
}

static bool read_literal(const struct route_input *in, const struct lexed *l, uint32_t first,
                         uint32_t last, struct strings *ret)
{
    struct slice value;
    if (first == last && token_is_keyword(&l->tokens[first], KW_NULL))
        return true;
    if (!token_string_value(l, in->dialect, first, last, ret->arena, &value) ||
        !is_plain(in->template, l, first, last, value))
        return false;
    add_string(ret, value);
    return true;
}

static bool read_list(const struct route_input *in, uint32_t token, struct strings *ret)
{
    struct lexed list;
    uint32_t at = 0, first, last;
    if (!token_literals(in->lexed, in->dialect, token, ret->arena, &list))
        return false;
    while (literals_next(&list, &at, &first, &last))
        if (!read_literal(in, &list, first, last, ret))
            return false;
    return true;
}

static bool read_parameter(const struct route_input *in, const struct value_ref *v,
                           struct strings *ret)
{
    struct slice value;
    switch (value_read(in, v, ret->arena, &value)) {
    case READ_STRING:
        add_string(ret, value);
        return true;
    case READ_NOTHING:
        return true;
    default:
        return false;
    }
}

bool qualified_read(const struct route_input *in, const struct value_ref *v, struct arena *arena,
                    struct slice **ret, size_t *ret_count)
{
    struct strings s = { .arena = arena };
    bool read = v->kind == VALUE_PARAM      ? read_parameter(in, v, &s)
                : v->kind == VALUE_LITERALS ? read_list(in, v->first, &s)
                                            : read_literal(in, in->lexed, v->first, v->last, &s);
    *ret = s.items;
    *ret_count = s.count;
    return read;
}

/* ---- cutting ---- */

/* One literal, the tokens first..last of l's text, as the shard gets it. */
struct cut {
    const struct template *t;
    const struct lexed *l;
    uint8_t form; /* enum key_form */
    struct buf *out;
};

/* The literal without its tenant, which is within `skip` bytes and a prefix. */
static void put_key(const struct cut *c, uint32_t first, uint32_t last, uint32_t token, size_t skip,
                    size_t prefix)
{
    const struct token *end = &c->l->tokens[last];
    size_t from = c->l->tokens[first].start, cut = c->l->tokens[token].start + skip;
    if (prefix) {
        buf_append(c->out, c->l->text.data + from, cut - from);
        from = cut + prefix;
    }
    buf_append(c->out, c->l->text.data + from, end->start + end->len - from);
}

/* Its tenant; NULL, which no row is equal to, of NULL and of what can be no tenant. */
static void put_tenant(const struct cut *c, uint32_t token, size_t skip, size_t prefix)
{
    struct slice text = token_text(c->l, token);
    struct slice tenant = prefix              ? slice_of(text.data + skip, prefix - 1)
                          : c->t->key_default ? slice_cstr(c->t->key_default)
                                              : slice_of(NULL, 0);
    if (skip && tenant.data && tenant_check(tenant, NULL) == MQ_OK)
        edit_quote_string(c->out, tenant);
    else
        buf_append_cstr(c->out, "NULL");
}

static void put_literal(const struct cut *c, uint32_t first, uint32_t last)
{
    uint32_t token;
    size_t skip, prefix = 0;
    if (find_string(c->l, first, last, &token, &skip))
        prefix = prefix_length(c->t, token_text(c->l, token), skip);
    else
        skip = 0;
    if (c->form == KEY_PAIR)
        buf_append_byte(c->out, '(');
    if (c->form != KEY_ALONE) {
        put_tenant(c, token, skip, prefix);
        buf_append_cstr(c->out, ", ");
    }
    put_key(c, first, last, token, skip, prefix);
    if (c->form == KEY_PAIR)
        buf_append_byte(c->out, ')');
}

/* The list with each of its literals cut; what stands between them is the client's. */
static void put_list(const struct cut *c)
{
    const struct lexed *list = c->l;
    uint32_t at = 0, first, last;
    size_t from = 0;
    while (literals_next(list, &at, &first, &last)) {
        const struct token *begin = &list->tokens[first], *end = &list->tokens[last];
        buf_append(c->out, list->text.data + from, begin->start - from);
        put_literal(c, first, last);
        from = end->start + end->len;
    }
    buf_append(c->out, list->text.data + from, list->text.len - from);
}

/* The text of the tokens, which are one literal, or of the token that is a list of them. */
static struct slice cut_text(const struct template *t, const struct lexed *l,
                             const struct key_ref *key, struct arena *arena)
{
    const struct value_ref *v = &key->value;
    struct lexed list;
    struct buf out;
    struct cut cut = { .t = t, .l = l, .form = key->form, .out = &out };
    buf_init(&out);
    if (v->kind == VALUE_TOKENS) {
        put_literal(&cut, v->first, v->last);
    } else if (token_literals(l, &t->key_dialect, v->first, arena, &list)) {
        cut.l = &list;
        put_list(&cut);
    }
    struct slice text = arena_copy(arena, buf_slice(&out));
    buf_fini(&out);
    return text;
}

void qualified_edits(const struct template *t, const struct lexed *l, struct arena *arena,
                     struct edit *edits, size_t *count)
{
    for (size_t i = 0; i < t->key_count; i++) {
        const struct value_ref *v = &t->keys[i].value;
        uint32_t last = v->kind == VALUE_LITERALS ? v->first : v->last;
        if (v->kind == VALUE_PARAM)
            continue;
        edits[(*count)++] = (struct edit){ .place = EDIT_REPLACE,
                                           .first = v->first,
                                           .last = last,
                                           .text = cut_text(t, l, &t->keys[i], arena),
                                           .verbatim = true };
    }
}
