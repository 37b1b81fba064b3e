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

/* Appends the bytes of l's text up to a literal, and the literal without its tenant. */
static size_t copy_cut(const struct template *t, const struct lexed *l, uint32_t first,
                       uint32_t last, size_t from, struct buf *out)
{
    uint32_t token;
    size_t skip, prefix = 0;
    if (find_string(l, first, last, &token, &skip))
        prefix = prefix_length(t, token_text(l, token), skip);
    size_t cut = prefix ? l->tokens[token].start + skip : from;
    buf_append(out, l->text.data + from, cut - from);
    return cut + prefix;
}

/* The text of the tokens, which are one literal, or of the token that is a list of them. */
static struct slice cut_text(const struct template *t, const struct lexed *l,
                             const struct value_ref *v, struct arena *arena)
{
    struct lexed list;
    struct buf out;
    uint32_t at = 0, first = v->first, last = v->last;
    size_t from = l->tokens[first].start;
    const struct token *end = &l->tokens[last];
    buf_init(&out);
    if (v->kind == VALUE_TOKENS) {
        from = copy_cut(t, l, first, last, from, &out);
        buf_append(&out, l->text.data + from, end->start + end->len - from);
    } else if (token_literals(l, &t->key_dialect, first, arena, &list)) {
        for (from = 0; literals_next(&list, &at, &first, &last);)
            from = copy_cut(t, &list, first, last, from, &out);
        buf_append(&out, list.text.data + from, list.text.len - from);
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
                                           .text = cut_text(t, l, v, arena),
                                           .verbatim = true };
    }
}
