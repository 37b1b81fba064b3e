/* The list of complaints that reading a configuration gathers. */
#include "config/config.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"

/* Enough to mend a file by; a generated list of broken tenants must not flood a terminal. */
enum { DIAGNOSTICS_MAX = 200 };

void diagnostics_init(struct diagnostics *d)
{
    *d = (struct diagnostics){ 0 };
}

static void append(struct diagnostics *d, uint32_t line, char *text)
{
    d->items = mem_resize(d->items, d->count + 1, sizeof *d->items);
    d->items[d->count++] = (struct diagnostic){ line, text };
}

void diagnostics_add(struct diagnostics *d, uint32_t line, const char *format, ...)
{
    if (d->count > DIAGNOSTICS_MAX)
        return;
    if (d->count == DIAGNOSTICS_MAX) {
        append(d, 0, mem_strdup("there are more faults; these are the first"));
        return;
    }
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    char *text = mem_zalloc((size_t)(n > 0 ? n : 0) + 1);
    vsnprintf(text, (size_t)(n > 0 ? n : 0) + 1, format, again);
    va_end(again);
    append(d, line, text);
}

void diagnostics_print(const struct diagnostics *d, const char *path, struct buf *out)
{
    for (size_t i = 0; i < d->count; i++) {
        if (d->items[i].line)
            buf_printf(out, "%s:%u: %s\n", path, d->items[i].line, d->items[i].text);
        else
            buf_printf(out, "%s: %s\n", path, d->items[i].text);
    }
}

void diagnostics_fini(struct diagnostics *d)
{
    for (size_t i = 0; i < d->count; i++)
        mem_free(d->items[i].text);
    mem_free(d->items);
    diagnostics_init(d);
}
