#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void check_failed(const char *condition, const char *file, int line, const char *func)
{
    fprintf(stderr, "mqgate: %s:%d: %s: broken invariant: %s\n", file, line, func, condition);
    abort();
}
