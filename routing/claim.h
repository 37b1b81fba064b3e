/* Tenants that the client's own conditions name (the source `sql`). */
#ifndef MQ_ROUTING_CLAIM_H
#define MQ_ROUTING_CLAIM_H

#include "routing/plan_int.h"

/* Takes note of every `tenant = value` and `tenant IN (values)` in the scope's WHERE and ON
 * that nothing can bypass; the references they scope need no condition of ours. Partition keys
 * that are compared so likewise. */
enum err_code claim_conditions(struct planner *p, struct scope *s);
/* Does such a condition set the reference's column equal to anything but a query's rows? */
bool claim_binds(struct planner *p, struct scope *s, const struct table_ref *ref,
                 struct slice column);

#endif
