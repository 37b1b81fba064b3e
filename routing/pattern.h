/* The source `pattern`: a regular expression finds the tenant in the values of one column, where
 * they are inserted, or compared so that nothing can bypass it. The values stay as they are. */
#ifndef MQ_ROUTING_PATTERN_H
#define MQ_ROUTING_PATTERN_H

#include "routing/plan_int.h"
#include "routing/route.h"

/* Is it the column's name, and is there a pattern at all? */
bool pattern_is_column(const struct planner *p, struct slice name);
/* continues: one more value of the list before. */
void pattern_add(struct planner *p, struct value_ref value, enum tenant_origin origin,
                 bool continues);
/* The same of a value that is inserted or assigned. */
void pattern_stored(struct planner *p, struct slice column, struct value_ref value);

/* Called for each string that a value is; false ends it. */
typedef bool pattern_seen(void *context, struct slice value);
/* False when a string cannot be read exactly. NULL and numbers are none. */
bool pattern_each(const struct route_input *in, const struct value_ref *v, struct arena *arena,
                  pattern_seen *seen, void *context);

#endif
