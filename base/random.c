#include "base/random.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

void random_bytes(void *buffer, size_t len)
{
    uint8_t *p = buffer;
    while (len) {
        ssize_t n = getrandom(p, len, 0);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            perror("mqgate: getrandom");
            abort();
        }
        p += n;
        len -= (size_t)n;
    }
}

uint32_t random_u32(void)
{
    uint32_t v;
    random_bytes(&v, sizeof v);
    return v;
}
