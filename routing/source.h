/* Which tenant a statement is for: what the statement says, within what the session may. */
#ifndef MQ_ROUTING_SOURCE_H
#define MQ_ROUTING_SOURCE_H

#include "routing/route.h"

/* One tenant or several, which are then sorted by their bytes, each of them once. */
struct tenant_set {
    enum tenant_source source; /* SOURCE_NONE: nothing named them */
    struct slice first;
    struct slice *all; /* NULL while there is only one */
    size_t count, capacity;
};

/* Fails with MQ_TENANT_VALUE, MQ_TENANT_CONFLICT, MQ_ROWS_OF_SEVERAL_TENANTS, MQ_SCATTER,
 * MQ_METADATA_INVALID, MQ_TENANT_OUTSIDE, MQ_TENANT_RESET or MQ_TENANT_MISSING; several only if
 * in->scatters. The names are borrowed from whatever named them, or in the arena. */
enum err_code source_tenants(const struct route_input *in, struct arena *arena,
                             struct tenant_set *ret, struct err *reterr);

/* Does what bounds the session, and what it chose, leave it one tenant? A default does not. */
bool source_has_one_tenant(const struct route_input *in, struct arena *arena);

#endif
