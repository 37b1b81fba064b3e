#include "base/error.h"

#include <stdio.h>

static const struct err_info catalogue[] = {
#define ERROR_ROW(number, name, errno_, sqlstate, summary, remedy) \
    { MQ_##name, #name, errno_, sqlstate, summary, remedy },
#include "base/errors.def"
#undef ERROR_ROW
};

enum { CATALOGUE_ROWS = sizeof catalogue / sizeof catalogue[0] };

const struct err_info *err_catalogue(size_t *ret_count)
{
    *ret_count = CATALOGUE_ROWS;
    return catalogue;
}

const struct err_info *err_info(enum err_code code)
{
    size_t low = 0, high = CATALOGUE_ROWS;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (catalogue[mid].code == code)
            return &catalogue[mid];
        if (catalogue[mid].code < code)
            low = mid + 1;
        else
            high = mid;
    }
    return &catalogue[CATALOGUE_ROWS - 1];
}

enum err_code err_set(struct err *e, enum err_code code, const char *format, ...)
{
    if (!e)
        return code;
    e->code = code;
    va_list ap;
    va_start(ap, format);
    vsnprintf(e->text, sizeof e->text, format, ap);
    va_end(ap);
    return code;
}

size_t err_format(const struct err *e, char *buffer, size_t size)
{
    int n = snprintf(buffer, size, "MQ%04d: %s", (int)e->code, e->text);
    if (n < 0)
        return 0;
    return (size_t)n < size ? (size_t)n : size - 1;
}
