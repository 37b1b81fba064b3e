/* In words: how the answers of several shards become one, and why that is the answer that one
 * server would have given. */
#ifndef MQ_CLI_EXPLAIN_MERGE_H
#define MQ_CLI_EXPLAIN_MERGE_H

#include "routing/route.h"

struct merge_step {
    const char *name, *what, *why;
};

/* The steps of a scatter template, in their order; in the arena. */
const struct merge_step *merge_steps(const struct template *t, const struct lexed *l,
                                     struct arena *arena, size_t *ret_count);

#endif
