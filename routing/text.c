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
