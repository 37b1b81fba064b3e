/* A regular expression whose one group is the tenant that a topic or a partition key contains. */
#ifndef MQ_CONFIG_PATTERN_H
#define MQ_CONFIG_PATTERN_H

#include "base/error.h"
#include "base/slice.h"

struct tenant_pattern;

/* Fails with MQ_CONFIG_INVALID and the fault: it is none, or has not exactly one group. */
enum err_code tenant_pattern_create(const char *regex, struct tenant_pattern **ret,
                                    struct err *reterr);
void tenant_pattern_destroy(struct tenant_pattern *p); /* NULL is fine */

enum pattern_result {
    PATTERN_ABSENT, /* the value does not match, or the group takes no part in it */
    PATTERN_FOUND,
    PATTERN_FAILED, /* the value is too long, is not UTF-8, or takes too many steps */
};
/* *ret borrows from the value. For any number of threads at once. */
enum pattern_result tenant_pattern_find(const struct tenant_pattern *p, struct slice value,
                                        struct slice *ret);

#endif
