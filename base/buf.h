/* A growable byte buffer with a read position.
 *
 *   data          data+start        data+end         data+capacity
 *    |  consumed    |    content      |     free        |
 *
 * Content is start..end. An empty buffer may give its memory back (buf_release), which is
 * what keeps an idle session small. */
#ifndef MQ_BASE_BUF_H
#define MQ_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/slice.h"

struct buf {
    uint8_t *data;
    size_t start, end, capacity;
};

void buf_init(struct buf *b);
void buf_fini(struct buf *b);

static inline size_t buf_len(const struct buf *b)
{
    return b->end - b->start;
}

/* NULL when the buffer never held anything. */
static inline uint8_t *buf_begin(const struct buf *b)
{
    return b->data ? b->data + b->start : NULL;
}

static inline struct slice buf_slice(const struct buf *b)
{
    return b->data ? slice_of(b->data + b->start, b->end - b->start) : slice_of("", 0);
}

/* The same when the memory does not suffice. */
uint8_t *buf_grow(struct buf *b, size_t n);
/* Room for at least n bytes behind the content; returns where they go. Call buf_commit
 * with the number written. Content may move. */
static inline uint8_t *buf_reserve(struct buf *b, size_t n)
{
    return b->data && b->capacity - b->end >= n ? b->data + b->end : buf_grow(b, n);
}
static inline void buf_commit(struct buf *b, size_t n)
{
    b->end += n;
}

static inline void buf_append(struct buf *b, const void *data, size_t n)
{
    if (n == 0)
        return;
    memcpy(buf_reserve(b, n), data, n);
    b->end += n;
}

static inline void buf_append_slice(struct buf *b, struct slice s)
{
    buf_append(b, s.data, s.len);
}

static inline void buf_append_byte(struct buf *b, uint8_t byte)
{
    *buf_reserve(b, 1) = byte;
    b->end++;
}

void buf_append_cstr(struct buf *b, const char *s);
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Removes n bytes at the front; n must not exceed the content. */
void buf_consume(struct buf *b, size_t n);
/* Keeps the first n bytes. */
void buf_truncate(struct buf *b, size_t n);
void buf_clear(struct buf *b);
/* Gives the memory back if the content is empty. */
void buf_release(struct buf *b);
/* Appends a NUL that is not counted as content and returns the content as a C string. */
const char *buf_cstr(struct buf *b);

#endif
