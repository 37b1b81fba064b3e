/* The session variables that are followed; rows of routing/variables.def. */
#ifndef MQ_ROUTING_VARIABLES_H
#define MQ_ROUTING_VARIABLES_H

#include "base/slice.h"

enum var {
#define VARIABLE_ROW(id, name, mysql, mariadb, kind, summary) VAR_##id,
#include "routing/variables.def"
#undef VARIABLE_ROW
    VAR_COUNT
};
_Static_assert(VAR_COUNT <= 64, "struct relayed has a bit for each");

enum var_kind {
    VAR_KIND_TRACKED,
    VAR_KIND_RUNNING,
    VAR_KIND_REFINES,
    VAR_KIND_OWN,
    VAR_KIND_OFF,
    VAR_KIND_ON
};

struct var_info {
    const char *name, *mysql, *mariadb; /* NULL: that flavour does not have it, or not by itself */
    enum var_kind kind;
    const char *summary;
};

const struct var_info *var_info(enum var v);
/* Is it kept, and set on backends? */
bool var_is_followed(enum var v);
/* Does what a prepared statement means depend on it, from when it is prepared? */
bool var_shapes_prepared(enum var v);

/* What becomes of it with vtgate; rows of routing/vitess_variables.def. */
enum vitess_use { VITESS_REFUSED, VITESS_SENT, VITESS_KEPT, VITESS_UTF8 };
struct vitess_var {
    enum vitess_use use;
    const char *fallback; /* how its default is said; NULL: it cannot be */
};
const struct vitess_var *vitess_var(enum var v);

/* The variable whose assignment undoes what was assigned to this one; -1 when there is none. */
int var_base(enum var v);
/* By the name in SET (also tx_isolation and tx_read_only). -1 when it is not followed. */
int var_find(struct slice name);

/* System variables that tell of a session's last statement or transaction, or of its account:
 * a backend's are those of whichever session used it last. Ends with NULL. */
extern const char *const variables_of_statements[];

#endif
