/* Which tenant a statement is for: what the statement says, within what the session may. */
#ifndef MQ_ROUTING_SOURCE_H
#define MQ_ROUTING_SOURCE_H

#include "routing/route.h"

/* Fails with MQ_TENANT_VALUE, MQ_TENANT_CONFLICT, MQ_ROWS_OF_SEVERAL_TENANTS, MQ_SCATTER,
 * MQ_METADATA_INVALID, MQ_TENANT_OUTSIDE, MQ_TENANT_RESET or MQ_TENANT_MISSING. *ret_tenant
 * is borrowed from whatever named it, or in the arena. */
enum err_code source_tenant(const struct route_input *in, struct arena *arena,
                            struct slice *ret_tenant, enum tenant_source *ret_source,
                            struct err *reterr);

#endif
