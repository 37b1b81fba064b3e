/* Growing arrays and texts in an arena. */
#include "routing/plan_int.h"

void *vector_add(struct vector *v, struct arena *arena, size_t size)
{
    if (v->count == v->capacity) {
        size_t capacity = v->capacity ? v->capacity * 2 : 8;
        char *items = arena_alloc(arena, capacity * size);
        if (v->count)
            memcpy(items, v->items, v->count * size);
        v->items = items;
        v->capacity = capacity;
    }
    void *item = (char *)v->items + v->count++ * size;
    memset(item, 0, size);
    return item;
}

static void text_append(struct text *t, const char *data, size_t len)
{
    if (t->capacity - t->len < len) {
        size_t capacity = t->capacity * 2 + len + 64;
        char *grown = arena_alloc(t->arena, capacity);
        if (t->len)
            memcpy(grown, t->data, t->len);
        t->data = grown;
        t->capacity = capacity;
    }
    if (len)
        memcpy(t->data + t->len, data, len);
    t->len += len;
}

void text_add(struct text *t, const char *s)
{
    text_append(t, s, strlen(s));
}

void text_slice_add(struct text *t, struct slice s)
{
    text_append(t, s.data, s.len);
}

/* Quotes are doubled, which every sql_mode knows; what a mode, a character set or a
 * placeholder could change is written in hexadecimal. */
void text_literal(struct text *t, struct slice s)
{
    static const char digits[] = "0123456789ABCDEF";
    bool plain = true;
    for (size_t i = 0; i < s.len && plain; i++)
        plain = s.data[i] != '\\' && ((uint8_t)s.data[i] - 0x20u < 0x5f || s.data[i] == '\n');
    text_add(t, plain ? "'" : "_utf8mb4 X'");
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];
        char hex[2] = { digits[c >> 4], digits[c & 15] };
        if (plain && c == '\'')
            text_append(t, "'", 1);
        text_append(t, plain ? s.data + i : hex, plain ? 1 : 2);
    }
    text_add(t, "'");
}

void text_ident(struct text *t, struct slice name)
{
    text_append(t, "`", 1);
    for (size_t i = 0; i < name.len; i++) {
        if (name.data[i] == '`')
            text_append(t, "`", 1);
        text_append(t, name.data + i, 1);
    }
    text_append(t, "`", 1);
}
