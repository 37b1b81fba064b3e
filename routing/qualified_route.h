/* Stage two of qualified partition keys: what a value says, and the literals that the shard gets.
 */
#ifndef MQ_ROUTING_QUALIFIED_ROUTE_H
#define MQ_ROUTING_QUALIFIED_ROUTE_H

#include "routing/route.h"

/* Splits a key in front of and behind its first separator; false when it has none: *ret_key is all
 * of it then. */
bool qualified_split(const struct template *t, struct slice value, struct slice *ret_tenant,
                     struct slice *ret_key);

/* The strings that a value is, none for NULL and several for a list; false when one of them is no
 * string, or cannot be read exactly or cut. */
bool qualified_read(const struct route_input *in, const struct value_ref *value,
                    struct arena *arena, struct slice **ret, size_t *ret_count);

/* Appends the edits that cut tenants off the statement's literals; *count grows, and there must be
 * room for template.key_count more. */
void qualified_edits(const struct template *t, const struct lexed *l, struct arena *arena,
                     struct edit *edits, size_t *count);

#endif
