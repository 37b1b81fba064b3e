/* The session variables that are followed: a vector of values, kept by sessions (what the
 * client wants) and by backends (what was set last). A value is SQL text, shared by all who
 * hold it within one worker; NULL is the server's default. */
#ifndef MQ_PROXY_VARS_H
#define MQ_PROXY_VARS_H

#include "base/buf.h"
#include "routing/variables.h"
#include "sql/dialect.h"

struct intern_table; /* per worker: one copy of each value */
struct intern_table *intern_table_create(void);
void intern_table_destroy(struct intern_table *t);

struct vars {
    const char *values[VAR_COUNT]; /* interned, or NULL */
};

void vars_init(struct vars *v);
void vars_fini(struct intern_table *t, struct vars *v);
/* value.data NULL sets the default; value holds no NUL byte. */
void vars_set(struct intern_table *t, struct vars *v, enum var var, struct slice value);
void vars_copy(struct intern_table *t, struct vars *to, const struct vars *from);
static inline bool vars_eq(const struct vars *a, const struct vars *b)
{
    return memcmp(a->values, b->values, sizeof a->values) == 0;
}
/* Appends the SET statement that turns `have` into `want` on a server of that flavour. */
void vars_statement(const struct vars *have, const struct vars *want, enum flavour flavour,
                    struct buf *out);

#endif
