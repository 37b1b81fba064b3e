#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/poison.h"

enum { FIRST_SIZE = 2048, BLOCK_SIZE = 4096, ALIGNMENT = 16 };

struct arena_block {
    struct arena_block *older;
    size_t size;
    /* the bytes follow, at the next multiple of ALIGNMENT */
};

#define HEADER ((sizeof(struct arena_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

void arena_init(struct arena *a)
{
    *a = (struct arena){ 0 };
}

void arena_fini(struct arena *a)
{
    for (struct arena_block *b = a->head, *older; b; b = older) {
        older = b->older;
        mem_free(b);
    }
    arena_init(a);
}

/* Makes b, of which nothing is given out, the newest block. */
static void use_block(struct arena *a, struct arena_block *b)
{
    b->older = a->head;
    a->head = b;
    a->next = (char *)b + HEADER;
    a->end = (char *)b + b->size;
    a->total += b->size;
    POISON(a->next, b->size - HEADER);
}

void arena_reset(struct arena *a)
{
    struct arena_block *keep = NULL;
    for (struct arena_block *b = a->head, *older; b; b = older) {
        older = b->older;
        if (!keep && b->size <= BLOCK_SIZE)
            keep = b;
        else
            mem_free(b);
    }
    arena_init(a);
    if (keep)
        use_block(a, keep);
}

void *arena_alloc(struct arena *a, size_t size)
{
    if (size > SIZE_MAX / 2)
        mem_exhausted(size);
    size_t asked = size;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (size == 0)
        size = ALIGNMENT;
    if ((size_t)(a->end - a->next) < size) {
        size_t want = a->head ? BLOCK_SIZE : FIRST_SIZE; /* most plans fit into the first */
        if (want < HEADER + size)
            want = HEADER + size;
        struct arena_block *b = mem_alloc(want);
        b->size = want;
        use_block(a, b);
    }
    void *p = a->next;
    a->next += size;
    UNPOISON(p, asked);
    return p;
}

void *arena_zalloc(struct arena *a, size_t size)
{
    return memset(arena_alloc(a, size), 0, size);
}

struct slice arena_copy(struct arena *a, struct slice s)
{
    char *p = arena_alloc(a, s.len + 1);
    if (s.len)
        memcpy(p, s.data, s.len);
    p[s.len] = '\0';
    return slice_of(p, s.len);
}

char *arena_vprintf(struct arena *a, const char *format, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n < 0)
        n = 0;
    char *p = arena_alloc(a, (size_t)n + 1);
    p[0] = '\0';
    vsnprintf(p, (size_t)n + 1, format, ap);
    return p;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *p = arena_vprintf(a, format, ap);
    va_end(ap);
    return p;
}
