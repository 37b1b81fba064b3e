/* Random bytes from the kernel, for nonces and for the base of connection ids. */
#ifndef MQ_BASE_RANDOM_H
#define MQ_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Fills the buffer or ends the process: a server without randomness must not run. */
void random_bytes(void *buffer, size_t len);
uint32_t random_u32(void);

#endif
