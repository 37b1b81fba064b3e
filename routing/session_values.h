/* What only the session knows (routing/session_values.def), as values of a statement: of
 * DATABASE(), LAST_INSERT_ID() and their kind. */
#ifndef MQ_ROUTING_SESSION_VALUES_H
#define MQ_ROUTING_SESSION_VALUES_H

#include "routing/route.h"

/* The value as a string, data NULL for NULL; borrowed from the facts or in the arena. */
struct slice session_value(const struct session_facts *facts, enum session_value v,
                           struct arena *arena);
/* The same as SQL text that every sql_mode and character set reads alike. */
struct slice session_value_sql(const struct session_facts *facts, enum session_value v,
                               struct arena *arena);

#endif
