/* Tenants that the vindex table did not have a moment ago: so that a client that asks for one again
 * and again does not have the table read each time. Of fixed size, whatever clients invent; the
 * names are hashes, and one that takes another's place is only forgotten early. A worker's own. */
#ifndef MQ_PROXY_MISSES_H
#define MQ_PROXY_MISSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum { MISSES_KEPT = 256, MISS_KEPT_MS = 1000 };

struct misses {
    struct {
        uint64_t tenant; /* hash of its name */
        uint64_t until_ms;
    } kept[MISSES_KEPT];
};

void misses_note(struct misses *m, struct slice tenant, uint64_t now_ms);
/* The table was read for this tenant lately, and did not have it. */
bool misses_recent(const struct misses *m, struct slice tenant, uint64_t now_ms);

#endif
