#define _DEFAULT_SOURCE
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void mem_exhausted(size_t size)
{
    fprintf(stderr, "mqgate: out of memory (%zu bytes asked for)\n", size);
    abort();
}

void *mem_alloc(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p)
        mem_exhausted(size);
    return p;
}

void *mem_zalloc(size_t size)
{
    return mem_array(1, size);
}

void *mem_array(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p)
        mem_exhausted(n);
    return p;
}

void *mem_resize(void *p, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        mem_exhausted(n);
    size_t bytes = n * size;
    void *q = realloc(p, bytes > 0 ? bytes : 1);
    if (!q)
        mem_exhausted(bytes);
    return q;
}

char *mem_strdup(const char *s)
{
    return s ? mem_strndup(slice_cstr(s)) : NULL;
}

char *mem_strndup(struct slice s)
{
    char *p = mem_alloc(s.len + 1);
    if (s.len)
        memcpy(p, s.data, s.len);
    p[s.len] = '\0';
    return p;
}

void mem_free(void *p)
{
    free(p);
}

void mem_free_secret(void *p, size_t size)
{
    if (p)
        explicit_bzero(p, size);
    free(p);
}
