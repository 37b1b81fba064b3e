/* What a statement reads or leaves on its server's session beyond what is followed from connection
 * to connection: user variables, and locks by name. It has to run on the connection that has them,
 * which is the session's own from then on: its home (docs/sessions.md).
 *
 * To the servers a variable's collation weighs as much as a column's (collation.c), and a variable
 * keeps the character set of what was assigned: an identifier column is assigned as what the legacy
 * column would have been. */
#include "routing/plan_int.h"
#include "routing/scatter_int.h"

static enum err_code note(struct planner *p, enum home home)
{
    if (p->scatter)
        return scatter_refuse(p, "user variables and locks are on one connection, not on those of "
                                 "several shards; send the variable's value instead");
    if (config_is_vitess(p->topology->config))
        return reject(p, MQ_VITESS_UNSUPPORTED,
                      "user variables and locks by name: vtgate has them by itself, not on the "
                      "shard's session; send the variable's value instead");
    if (p->t->home < home)
        p->t->home = (uint8_t)home;
    return MQ_OK;
}

enum err_code home_is_plain(struct planner *p, const struct node *statement)
{
    for (uint32_t i = statement->first; i <= statement->last; i++)
        if (plan_in_comment(p, i, i))
            return reject(p, MQ_VERSIONED_COMMENT,
                          "%.*s in a versioned comment; write it without the comment",
                          NAME_FORMAT(token_text(p->l, i)));
    return MQ_OK;
}

/* ---- user variables ---- */

bool home_is_own_variable(struct slice text)
{
    static const char prefix[] = "mq_";
    size_t skip = text.len > 1 && strchr("'\"`", text.data[1]) ? 2 : 1;
    return text.len >= skip + strlen(prefix) &&
           slice_ieq(slice_of(text.data + skip, strlen(prefix)), slice_cstr(prefix));
}

enum err_code home_variable(struct planner *p, const struct node *variable, enum home home)
{
    struct slice text = token_text(p->l, variable->first);
    if (home_is_own_variable(text))
        return reject(p, MQ_VARIABLE_NOT_ALLOWED,
                      "the user variable %.*s is none of mqgate's own; @mq_tenant and @mq_schema "
                      "can be set, and @mq_tenant read",
                      NAME_FORMAT(text));
    return note(p, home);
}

enum err_code home_assigned(struct planner *p, const struct node *value)
{
    enum err_code code = visit(p, value);
    return code ? code : charset_kept(p, value);
}

/* @x := value */
enum err_code home_assignment(struct planner *p, const struct node *n)
{
    enum err_code code = home_variable(p, n->child, HOME_KEPT);
    return code ? code : home_assigned(p, n->child->next);
}

/* ---- SELECT … INTO @x ---- */

static enum err_code convert_items(struct planner *p, const struct node *list)
{
    enum err_code code = MQ_OK;
    for (const struct node *c = list->child; c && !code; c = c->next)
        code = c->kind == N_STAR ? reject(p, MQ_NOT_UNDERSTOOD,
                                          "`*` INTO variables; name the columns")
                                 : charset_kept(p, c->child);
    return code;
}

/* The SELECT is the whole statement. */
static const struct node *block_of(const struct planner *p, const struct node *into)
{
    const struct node *block = p->root->kind == N_QUERY ? p->root->child : NULL;
    if (!block || block->kind != N_BLOCK)
        return NULL;
    return node_find(p->root, N_INTO) == into || node_find(block, N_INTO) == into ? block : NULL;
}

enum err_code home_into(struct planner *p, const struct node *into)
{
    const struct node *block = block_of(p, into);
    enum err_code code = MQ_OK;
    if (into->op)
        return reject(p, MQ_STATEMENT_NOT_ALLOWED,
                      "SELECT … INTO a file is not served: it would be one on the shard's server");
    if (!block)
        return reject(p, MQ_NOT_UNDERSTOOD, "INTO variables behind a single SELECT only");
    for (const struct node *c = into->child; c && !code; c = c->next)
        code = c->kind == N_USER_VARIABLE
                   ? home_variable(p, c, HOME_KEPT)
                   : reject(p, MQ_NOT_UNDERSTOOD, "INTO %.*s, a stored program's own variable",
                            NAME_FORMAT(token_text(p->l, c->first)));
    p->t->is_select = false;
    p->t->found_rows = FOUND_ROWS_UNKNOWN;
    return code ? code : convert_items(p, node_find(block, N_SELECT_LIST));
}

/* ---- locks by name ---- */

static const struct lock_function {
    const char *name;
    enum home home;
    bool shows_connection;
} lock_functions[] = {
    { "GET_LOCK", HOME_KEPT, false },        { "RELEASE_LOCK", HOME_READ, false },
    { "RELEASE_ALL_LOCKS", HOME_READ, false }, { "IS_FREE_LOCK", HOME_READ, false },
    { "IS_USED_LOCK", HOME_READ, true },
};

/* Sessions exclude one another only if they ask one server: that of the one tenant that they are
 * for, or the unsharded keyspace's. */
static enum err_code take_lock(struct planner *p, const struct lock_function *f)
{
    if (f->shows_connection)
        return reject(p, MQ_STATEMENT_NOT_ALLOWED,
                      "%s() would answer with the number of a shard's connection; ask "
                      "IS_FREE_LOCK()",
                      f->name);
    if (p->topology->has_unsharded)
        return reject(p, MQ_MIXED_TABLES,
                      "%s() beside a queue table; locks are kept by the server of the keyspace "
                      "%s, so ask for it by itself",
                      f->name, p->topology->config->unsharded.server.name);
    p->t->needs_one_tenant = true;
    return note(p, f->home);
}

enum err_code home_function(struct planner *p, const struct node *function, bool *ret_is_lock)
{
    struct slice name = token_text(p->l, function->first);
    *ret_is_lock = false;
    for (size_t i = 0; i < sizeof lock_functions / sizeof *lock_functions; i++) {
        if (!slice_ieq_cstr(name, lock_functions[i].name))
            continue;
        *ret_is_lock = true;
        enum err_code code = take_lock(p, &lock_functions[i]);
        return code ? code : visit_children(p, function);
    }
    return MQ_OK;
}
