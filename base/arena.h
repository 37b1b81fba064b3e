/* A bump allocator for one lifetime: everything taken from it goes at once.
 *
 *   command arena   reset when the last packet of the answer is out
 *   template arena  lives as long as a cached plan
 *
 * Not for use by several threads. */
#ifndef MQ_BASE_ARENA_H
#define MQ_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "base/slice.h"

struct arena_block;

struct arena {
    struct arena_block *head; /* newest block; NULL until the first allocation */
    char *next;               /* first free byte of head */
    char *end;                /* one past head's last byte */
    size_t total;             /* bytes held in blocks, for accounting */
};

void arena_init(struct arena *a);
/* Frees every block; the arena may be used again afterwards. */
void arena_fini(struct arena *a);
/* Forgets every allocation but keeps one ordinary block for the next use. */
void arena_reset(struct arena *a);

/* Memory aligned for any object, never NULL (memory exhaustion ends the process). */
void *arena_alloc(struct arena *a, size_t size);
void *arena_zalloc(struct arena *a, size_t size);
/* A NUL-terminated copy; the slice returned has len without the NUL. */
struct slice arena_copy(struct arena *a, struct slice s);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));

#define arena_new(a, type) ((type *)arena_zalloc((a), sizeof(type)))
#define arena_array(a, type, n) ((type *)arena_zalloc((a), sizeof(type) * (n)))

#endif
