/* How much each name has under way of something that is limited: connections of an account,
 * statements of a tenant. Counted over all workers; a name that has nothing is not kept. */
#ifndef MQ_PROXY_QUOTAS_H
#define MQ_PROXY_QUOTAS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct quota;

struct quotas {
    pthread_mutex_t lock;
    struct quota *names; /* uthash */
};

void quotas_init(struct quotas *q);
void quotas_fini(struct quotas *q);
/* One more, if the name has fewer than `most`. Thread-safe, as is its counterpart. */
bool quotas_take(struct quotas *q, struct slice name, uint32_t most);
void quotas_give(struct quotas *q, struct slice name);
/* One more of each of these names, which differ, or of none. */
bool quotas_take_all(struct quotas *q, const struct slice *names, size_t count, uint32_t most);

#endif
