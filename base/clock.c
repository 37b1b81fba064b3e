#define _DEFAULT_SOURCE
#include "base/clock.h"

#include <time.h>

static uint64_t read_ms(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

uint64_t clock_monotonic_ms(void)
{
    return read_ms(CLOCK_BOOTTIME);
}

uint64_t clock_wall_ms(void)
{
    return read_ms(CLOCK_REALTIME);
}
