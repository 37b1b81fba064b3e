/* What went wrong, in a form that a client may see: a code of the catalogue
 * (base/errors.def) and a message that names the particulars.
 *
 * Functions that can fail return enum err_code (MQ_OK is 0) and take an optional
 * struct err *reterr last. Whoever handles an error logs it, once. */
#ifndef MQ_BASE_ERROR_H
#define MQ_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

enum err_code {
    MQ_OK = 0,
#define ERROR_ROW(number, name, errno_, sqlstate, summary, remedy) MQ_##name = number,
#include "base/errors.def"
#undef ERROR_ROW
};

enum { ERR_TEXT_MAX = 480 };

struct err {
    enum err_code code;
    char text[ERR_TEXT_MAX]; /* the particulars; without the MQ prefix, NUL-terminated */
};

/* One row of the catalogue. */
struct err_info {
    enum err_code code;
    const char *name;     /* e.g. "TENANT_UNKNOWN" */
    uint16_t mysql_errno; /* a server errno that existing retry logic understands */
    const char *sqlstate; /* five characters */
    const char *summary;  /* what it means */
    const char *remedy;   /* what the operator or the developer can do */
};

/* The row of a code; never NULL (an unknown code gives the row of MQ_INTERNAL). */
const struct err_info *err_info(enum err_code code);
/* All rows in order of their number. */
const struct err_info *err_catalogue(size_t *ret_count);

/* Sets *e (which may be NULL) and returns code, so that `return err_set(…)` reads well. */
enum err_code err_set(struct err *e, enum err_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Writes "MQ2003: text" as a client sees it; returns the length written, at most size-1. */
size_t err_format(const struct err *e, char *buffer, size_t size);

#endif
