/* Heap memory that never fails: a process that is out of memory ends with a message,
 * so that no caller carries a path that nothing tests. */
#ifndef MQ_BASE_MEMORY_H
#define MQ_BASE_MEMORY_H

#include <stddef.h>

#include "base/slice.h"

void *mem_alloc(size_t size);
void *mem_zalloc(size_t size);
/* n objects of size bytes, zeroed; an overflow of the product counts as exhaustion. */
void *mem_array(size_t n, size_t size);
/* Grows or shrinks p to n objects of size bytes; new bytes are undefined. */
void *mem_resize(void *p, size_t n, size_t size);
char *mem_strdup(const char *s); /* NULL gives NULL */
char *mem_strndup(struct slice s);
void mem_free(void *p);
/* Overwrites memory that held a secret, then frees it. */
void mem_free_secret(void *p, size_t size);
_Noreturn void mem_exhausted(size_t size);

#define mem_new(type) ((type *)mem_zalloc(sizeof(type)))

#endif
