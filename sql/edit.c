/* Splices: sorted insertions and replacements, applied while the text is copied. */
#include "sql/edit.h"

#include "base/check.h"
#include "sql/chars.h"

/* Places in the order of the text: before token n, in place of it, behind it, before n+1 … */
static uint64_t edit_key(const struct edit *e)
{
    return e->place == EDIT_AFTER ? (uint64_t)e->last * 3 + 2
                                  : (uint64_t)e->first * 3 + (e->place == EDIT_REPLACE);
}

static void merge(const struct edit *from, struct edit *to, size_t left, size_t right)
{
    size_t a = 0, b = left, end = left + right;
    for (size_t i = 0; i < end; i++) {
        bool take_left = b == end || (a < left && edit_key(&from[a]) <= edit_key(&from[b]));
        to[i] = take_left ? from[a++] : from[b++];
    }
}

/* Merge sort, since edits of one place must keep their order; a planner that walks the tree
 * makes them almost sorted. */
void edits_sort(struct edit *edits, size_t count, struct arena *arena)
{
    size_t sorted = 1;
    while (sorted < count && edit_key(&edits[sorted - 1]) <= edit_key(&edits[sorted]))
        sorted++;
    if (sorted >= count)
        return;
    struct edit *other = arena_alloc(arena, count * sizeof *other);
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t i = 0; i < count; i += 2 * width) {
            size_t left = count - i < width ? count - i : width;
            size_t right = count - i - left < width ? count - i - left : width;
            merge(edits + i, other + i, left, right);
        }
        memcpy(edits, other, count * sizeof *edits);
    }
}

/* What is written. Where a value was written last that is a parameter marker, a word must not
 * follow at once: to the servers `?x` is no marker. */
struct copy {
    struct buf *out;
    bool behind_marker;
};

static void append(struct copy *c, const char *data, size_t len)
{
    if (!len)
        return;
    if (c->behind_marker && char_is_word((uint8_t)data[0]))
        buf_append_byte(c->out, ' ');
    c->behind_marker = false;
    buf_append(c->out, data, len);
}

static void append_value(struct copy *c, struct slice value)
{
    append(c, value.data, value.len);
    c->behind_marker = slice_eq(value, SLICE_LIT("?"));
}

static void append_text(struct copy *c, const struct edit *e, const struct edit_values *values)
{
    struct slice text = e->text;
    if (e->verbatim) {
        append(c, text.data, text.len);
        return;
    }
    for (size_t i = 0; i < text.len;) {
        size_t plain = i;
        while (plain < text.len && edit_value_number(text.data[plain]) < 0)
            plain++;
        append(c, text.data + i, plain - i);
        if (plain < text.len)
            append_value(c, values->of[edit_value_number(text.data[plain])]);
        i = plain + 1;
    }
}

static size_t token_start(const struct lexed *l, uint32_t index)
{
    return l->tokens[index].start;
}

static size_t token_end(const struct lexed *l, uint32_t index)
{
    return (size_t)l->tokens[index].start + l->tokens[index].len;
}

/* Where an edit takes effect: it leaves the bytes before *from and those from *to on. */
static void edit_range(const struct lexed *l, const struct edit *e, size_t *from, size_t *to)
{
    *from = e->place == EDIT_AFTER ? token_end(l, e->last) : token_start(l, e->first);
    *to = e->place == EDIT_REPLACE ? token_end(l, e->last) : *from;
}

static bool edits_are_sound(const struct lexed *l, const struct edit *edits, size_t count)
{
    size_t copied = 0;
    for (size_t i = 0; i < count; i++) {
        const struct edit *e = &edits[i];
        size_t from, to;
        if (e->first > l->count || e->last > l->count)
            return false;
        edit_range(l, e, &from, &to);
        if (from < copied || to < from)
            return false;
        copied = to;
    }
    return true;
}

bool edits_apply(const struct lexed *l, const struct edit *edits, size_t count,
                 const struct edit_values *values, struct buf *out)
{
    struct copy c = { .out = out };
    size_t copied = 0; /* of the client's text */
    if (!edits_are_sound(l, edits, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t from, to;
        edit_range(l, &edits[i], &from, &to);
        append(&c, l->text.data + copied, from - copied);
        append_text(&c, &edits[i], values);
        copied = to;
    }
    append(&c, l->text.data + copied, l->text.len - copied);
    return true;
}

void edit_quote_string(struct buf *out, struct slice s)
{
    CHECK(s.len == 0 || (!memchr(s.data, '\'', s.len) && !memchr(s.data, '\\', s.len)));
    buf_append_byte(out, '\'');
    buf_append_slice(out, s);
    buf_append_byte(out, '\'');
}

void edit_quote_ident(struct buf *out, struct slice s)
{
    buf_append_byte(out, '`');
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] == '`')
            buf_append_byte(out, '`');
        buf_append_byte(out, (uint8_t)s.data[i]);
    }
    buf_append_byte(out, '`');
}
