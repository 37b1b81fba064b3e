/* Monotonic and wall time in milliseconds. Code below proxy/ is given times; it never
 * asks for them. */
#ifndef MQ_BASE_CLOCK_H
#define MQ_BASE_CLOCK_H

#include <stdint.h>

/* CLOCK_BOOTTIME: it goes on while the machine sleeps, so that what was learnt before a
 * suspend counts as old. */
uint64_t clock_monotonic_ms(void);
/* Milliseconds since the epoch, for logs and files only. */
uint64_t clock_wall_ms(void);

#endif
