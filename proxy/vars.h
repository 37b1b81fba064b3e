/* The session variables that are followed: a vector of values, kept by sessions (what the
 * client wants) and by backends (what was set last). A value is SQL text; NULL is the server's
 * default. Equal vectors are one and the same within a worker: to compare two is to compare two
 * pointers, and a session that sets nothing of its own costs no more than a pointer. */
#ifndef MQ_PROXY_VARS_H
#define MQ_PROXY_VARS_H

#include "base/buf.h"
#include "routing/variables.h"
#include "sql/dialect.h"

struct intern_table; /* per worker: one copy of each vector and of each value */
struct intern_table *intern_table_create(void);
void intern_table_destroy(struct intern_table *t);

struct var_vector;
struct vars {
    struct var_vector *vector; /* one reference; NULL: all are the server's defaults */
};

void vars_init(struct vars *v);
void vars_fini(struct intern_table *t, struct vars *v);
/* Interned, or NULL. */
const char *vars_value(const struct vars *v, enum var var);
/* value.data NULL sets the default; value holds no NUL byte. */
void vars_set(struct intern_table *t, struct vars *v, enum var var, struct slice value);
void vars_copy(struct intern_table *t, struct vars *to, const struct vars *from);
static inline bool vars_eq(const struct vars *a, const struct vars *b)
{
    return a->vector == b->vector;
}
/* Its value on the server is not known: it is due whatever it is to be. */
void vars_forget(struct intern_table *t, struct vars *v, enum var var);
/* The same for all that a SET from `have` to `want` was to change, and may have. */
void vars_forget_changed(struct intern_table *t, struct vars *have, const struct vars *want);
/* Hash of those that a prepared statement was read and resolved under. */
uint64_t vars_reading(const struct vars *v);
/* Is the client's text known to be in UTF-8? */
bool vars_unicode(const struct vars *v);

struct vars_server {
    enum flavour flavour;
    const char *modes; /* the sql_mode that its connection began with; NULL: its default now */
    bool vitess;       /* it is a vtgate */
};
/* A vtgate cannot be told to go from `have` to `want`: a variable would have to go back to its
 * default. */
bool vars_lack_default(const struct vars *have, const struct vars *want);
/* Appends the SET statement that turns `have` into `want` on that server. */
void vars_statement(const struct vars *have, const struct vars *want,
                    const struct vars_server *server, struct buf *out);

#endif
