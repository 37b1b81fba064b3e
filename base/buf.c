#include "base/buf.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/check.h"
#include "base/memory.h"

enum { SMALLEST = 256 };

void buf_init(struct buf *b)
{
    *b = (struct buf){ 0 };
}

void buf_fini(struct buf *b)
{
    mem_free(b->data);
    buf_init(b);
}

/* Moving the content down is cheap while it fills less than half of the memory. */
static bool move_down(struct buf *b, size_t content, size_t n)
{
    if (!b->start || b->capacity - content < n || content > b->capacity / 2)
        return false;
    memmove(b->data, b->data + b->start, content);
    return true;
}

static void enlarge(struct buf *b, size_t content, size_t n)
{
    size_t want = b->capacity ? b->capacity : SMALLEST;
    while (want - content < n) {
        if (want > SIZE_MAX / 2)
            mem_exhausted(n);
        want *= 2;
    }
    uint8_t *data = mem_alloc(want);
    if (content)
        memcpy(data, b->data + b->start, content);
    mem_free(b->data);
    b->data = data;
    b->capacity = want;
}

uint8_t *buf_grow(struct buf *b, size_t n)
{
    size_t content = b->end - b->start;
    if (!move_down(b, content, n))
        enlarge(b, content, n);
    b->start = 0;
    b->end = content;
    return b->data + b->end;
}

void buf_append_cstr(struct buf *b, const char *s)
{
    buf_append(b, s, strlen(s));
}

void buf_printf(struct buf *b, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (n <= 0)
        return;
    char *p = (char *)buf_reserve(b, (size_t)n + 1);
    va_start(ap, format);
    vsnprintf(p, (size_t)n + 1, format, ap);
    va_end(ap);
    b->end += (size_t)n;
}

void buf_consume(struct buf *b, size_t n)
{
    CHECK(n <= b->end - b->start);
    b->start += n;
    if (b->start == b->end)
        b->start = b->end = 0;
}

void buf_clear(struct buf *b)
{
    b->start = b->end = 0;
}

void buf_truncate(struct buf *b, size_t n)
{
    if (n < buf_len(b))
        b->end = b->start + n;
}

void buf_release(struct buf *b)
{
    if (b->start == b->end)
        buf_fini(b);
}

const char *buf_cstr(struct buf *b)
{
    *buf_reserve(b, 1) = '\0';
    return (const char *)b->data + b->start;
}
