/* Statements for the unsharded keyspace's server, which are relayed as they are, on a connection
 * that is brought to the session's database first. */
#include "base/memory.h"
#include "proxy/session_int.h"

static const struct topology *topology(const struct session *s)
{
    return s->deployment->topology;
}

bool session_targets_unsharded(const struct session *s)
{
    return topology(s)->has_unsharded && s->request.shard == topology_unsharded(topology(s));
}

bool session_backend_unsharded(const struct session *s)
{
    const struct pool *p = s->backend->pool;
    const struct topology *t = p->deployment->topology;
    return t->has_unsharded && p->key.shard == topology_unsharded(t);
}

/* What that server calls a client's database. */
static const char *server_database(const struct config *c, const char *database)
{
    struct slice name = slice_cstr(database);
    bool renamed = database && (config_is_keyspace(c, name) ||
                                slice_eq(name, slice_cstr(c->unsharded.server.name)));
    return renamed ? c->unsharded.server.database : database;
}

const char *session_server_database(const struct session *s)
{
    return server_database(topology(s)->config, s->database);
}

/* ---- requests ---- */

static enum err_code check(const struct session *s, const struct template *t, struct err *reterr)
{
    if (s->pinned && !session_backend_unsharded(s))
        return err_set(
            reterr, MQ_TRANSACTION_KEYSPACE,
            "the transaction is about queue tables, the statement is for the keyspace %s",
            topology(s)->config->unsharded.server.name);
    if (t->relayed.asks_last && !s->teller)
        return err_set(reterr, MQ_DIAGNOSTICS_GONE,
                       "what the statement before has left on its connection is no longer known");
    return t->relayed.keeps_state ? session_check_home_at(s, topology_unsharded(topology(s)), reterr)
                                  : MQ_OK;
}

enum err_code session_check_sharded(const struct session *s, struct err *reterr)
{
    if (s->unfollowed)
        return err_set(reterr, MQ_VARIABLE_NOT_ALLOWED,
                       "the session has set a variable that is not followed from shard to shard; "
                       "reset the connection before queue tables are used");
    if (!s->pinned || !session_backend_unsharded(s))
        return MQ_OK;
    const struct config *c = topology(s)->config;
    return err_set(reterr, MQ_TRANSACTION_KEYSPACE,
                   "the transaction is about tables of the keyspace %s, the statement about %s",
                   c->unsharded.server.name, c->keyspace);
}

bool session_address_unsharded(struct session *s, struct plan_entry *entry, const char *database)
{
    struct err e;
    const struct template *t = entry->template;
    if (check(s, t, &e)) {
        session_refuse_statement(s, &e);
        return false;
    }
    request_begin(s, END_RELAYED);
    struct request *q = &s->request;
    q->entry = plan_entry_acquire(entry);
    q->shard = topology_unsharded(topology(s));
    q->transactional = !t->relayed.stands_aside;
    q->wants_database = true;
    q->database = database;
    q->hides_insert_id = t->relayed.needs_insert_id;
    if (t->relayed.asks_last && !s->backend)
        (void)session_borrow(s, s->teller);
    return true;
}

bool session_needs_database(const struct session *s)
{
    const struct request *q = &s->request;
    return q->wants_database && q->database &&
           (!s->backend->database || strcmp(s->backend->database, q->database) != 0);
}

void session_took_database(struct session *s)
{
    struct backend *b = s->backend;
    mem_free(b->database);
    b->database = mem_strdup(s->request.database);
}

bool session_statement_fits(const struct session *s, const struct backend_stmt *stmt)
{
    const struct request *q = &s->request;
    return stmt->reading == vars_reading(&s->backend->vars) &&
           (!(q->wants_database || q->names_database) ||
            slice_eq(slice_cstr(stmt->database), slice_cstr(q->database)));
}

/* ---- USE ---- */

bool session_use_unsharded(struct session *s, struct slice name)
{
    const struct config *c = topology(s)->config;
    struct err ignored;
    if (!c->unsharded.configured || !name.len || memchr(name.data, '@', name.len) ||
        config_is_keyspace(c, name) || session_check_database(s, name, &ignored))
        return false;
    mem_free(s->using);
    s->using = mem_strndup(name);
    request_begin(s, END_USED);
    s->request.shard = topology_unsharded(topology(s));
    s->request.wants_database = true;
    s->request.database = server_database(topology(s)->config, s->using);
    session_run_request(s);
    return true;
}

void session_set_database(struct session *s, char *name)
{
    mem_free(s->database);
    s->database = name;
    s->elsewhere = name && !config_is_keyspace(topology(s)->config, slice_cstr(name));
}

void session_end_use(struct session *s)
{
    session_set_database(s, s->using);
    s->using = NULL;
}

bool session_check_login_database(struct session *s)
{
    if (!s->elsewhere)
        return false;
    request_begin(s, END_LOGGED_IN);
    s->request.shard = topology_unsharded(topology(s));
    s->request.wants_database = true;
    s->request.database = session_server_database(s);
    s->close_after_flush = true; /* unless the server has it */
    session_run_request(s);
    return true;
}
