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
/* Its value on the server is not known: it is due whatever it is to be. */
void vars_forget(struct intern_table *t, struct vars *v, enum var var);
/* The same for all that a SET from `have` to `want` was to change, and may have. */
void vars_forget_changed(struct intern_table *t, struct vars *have, const struct vars *want);
/* Hash of those that a prepared statement was read under, literals and all. */
uint64_t vars_reading(const struct vars *v);

struct vars_server {
    enum flavour flavour;
    const char *modes; /* the sql_mode that its connection began with; NULL: its default now */
};
/* Appends the SET statement that turns `have` into `want` on that server. */
void vars_statement(const struct vars *have, const struct vars *want,
                    const struct vars_server *server, struct buf *out);

#endif
