/* The connection that a session keeps as its own.
 *
 *   borrowed   out of the pool, back into it after the statement or the transaction
 *   home       a statement has left something there that cannot be carried to another connection
 *              (a user variable, a lock by name, a temporary table): it is the session's own until
 *              that is reset or ends, and is closed then. Between statements it is RESERVED, beside
 *              whatever another server lends (s->backend)
 *
 * There is one, of a shard or of the unsharded keyspace's server, and all statements for that server
 * run on it. What reads or changes what it holds runs nowhere else; other statements go where their
 * rows are. routing/home.c and routing/unsharded.def say which statements those are. */
#include "base/check.h"
#include "config/scalar.h"
#include "proxy/session_int.h"

static const struct topology *topology(const struct session *s)
{
    return s->deployment->topology;
}

static const struct shard_config *home_config(const struct session *s)
{
    const struct pool *p = s->home->pool;
    return p->deployment->topology->shards[p->key.shard].config;
}

/* ---- which server ---- */

/* A reload may have given the server another number. */
static bool is_at(const struct session *s, uint32_t shard)
{
    return strcmp(home_config(s)->name, topology(s)->shards[shard].config->name) == 0;
}

bool session_goes_home(const struct session *s)
{
    return s->home && is_at(s, s->request.shard);
}

static bool find_home(const struct session *s, uint32_t *ret)
{
    uint32_t count = topology_server_count(topology(s));
    *ret = 0;
    while (*ret < count && !is_at(s, *ret))
        ++*ret;
    return *ret < count;
}

bool session_address_home(struct session *s)
{
    return s->home && find_home(s, &s->request.shard);
}

/* Of the shard's servers the one that is asked; any while that is not known. */
static bool is_primary(const struct endpoint *e, const struct address *home)
{
    uint32_t primary = atomic_load(&e->primary);
    int fault = atomic_load(&e->fault);
    for (uint32_t i = 0; i < e->host_count; i++)
        if ((fault == PRIMARY_UNKNOWN || i == primary) && address_eq(e->hosts[i].address, home))
            return fault <= MQ_OK;
    return false;
}

/* A reload may have given the name to another server, and another of a shard's may have become the
 * primary: what the session has is on one that is not asked any more. */
static bool is_served(const struct session *s)
{
    uint32_t shard;
    if (!find_home(s, &shard))
        return false;
    const char *database = topology(s)->shards[shard].config->database;
    return strcmp(database, home_config(s)->database) == 0 &&
           is_primary(&s->deployment->endpoints[shard], s->home->host->address);
}

void session_leave_former_home(struct session *s)
{
    if (!s->home || session_in_transaction(s) || is_served(s))
        return;
    session_drop_home(s);
    s->home_lost = true;
}

/* ---- may a statement go there? ---- */

enum err_code session_check_home_at(const struct session *s, uint32_t shard, struct err *reterr)
{
    if (!s->home || is_at(s, shard))
        return MQ_OK;
    return err_set(reterr, MQ_HOME_ELSEWHERE,
                   "the session has user variables, locks or temporary tables on %s, the statement "
                   "is for %s",
                   home_config(s)->name, topology(s)->shards[shard].config->name);
}

enum err_code session_check_home(const struct session *s, const struct template *t,
                                 const struct route *r, struct err *reterr)
{
    if (!t->home || !s->home)
        return MQ_OK;
    if (r->verdict == VERDICT_SINGLE)
        return session_check_home_at(s, r->shard, reterr);
    return s->backend && s->backend != s->home && !session_is_multi(s)
               ? session_check_home_at(s, s->backend->pool->key.shard, reterr)
               : MQ_OK;
}

/* ---- coming and going ---- */

void session_enter_home(struct session *s)
{
    s->backend = s->home;
    backend_move(s->backend, BACKEND_BUSY);
}

/* One with a transaction that is given up, or which a KILL QUERY may still hit, is no more to be
 * kept than one that is lost. */
void session_leave_home(struct session *s)
{
    struct backend *b = s->home;
    if (!b->interrupted && !b->unsure && !(b->status & STATUS_IN_TRANS)) {
        backend_reserve(b);
        return;
    }
    session_drop_home(s);
    s->home_lost = true;
}

static bool keeps_home(const struct session *s, const struct template *t)
{
    return t->home == HOME_KEPT || t->relayed.keeps_state || s->untold;
}

/* ---- temporary tables ---- */

static void forget_temporary(struct session *s, struct slice name)
{
    struct slice all = buf_slice(&s->temporaries);
    for (size_t at = 0; at < all.len; at += strlen(all.data + at) + 1) {
        if (!slice_eq(slice_cstr(all.data + at), name))
            continue;
        size_t rest = all.len - at - name.len - 1;
        memmove(buf_begin(&s->temporaries) + at, all.data + at + name.len + 1, rest);
        buf_truncate(&s->temporaries, all.len - name.len - 1);
        return;
    }
}

/* One that was not dropped after all is only not served any more. */
static void note_temporaries(struct session *s, const struct template *t, bool failed)
{
    for (size_t i = 0; t->temporary != TEMPORARY_USED && i < t->temporary_count; i++) {
        struct slice name = t->temporaries[i];
        if (t->temporary == TEMPORARY_DROPPED || !failed)
            forget_temporary(s, name);
        if (t->temporary == TEMPORARY_DROPPED || failed)
            continue;
        buf_append_slice(&s->temporaries, name);
        buf_append_byte(&s->temporaries, '\0');
    }
}

void session_keep_home(struct session *s, bool failed)
{
    const struct plan_entry *entry = s->request.entry;
    if (!entry)
        return;
    if (keeps_home(s, entry->template)) {
        CHECK(!s->home || s->home == s->backend);
        s->home = s->backend;
    }
    note_temporaries(s, entry->template, failed);
    s->unfollowed |= entry->template->relayed.sets_unfollowed;
    if (entry->template->relayed.sets_global)
        pool_defaults_changed(s->backend->pool);
}

void session_drop_home(struct session *s)
{
    struct backend *b = s->home;
    s->home = NULL;
    s->home_lost = s->unfollowed = false;
    buf_clear(&s->temporaries);
    s->untold = 0;
    s->untold_variables = 0;
    if (!b)
        return;
    if (s->backend == b) {
        s->backend = NULL;
        s->pinned = false;
    }
    backend_kill(b);
}

bool session_lose_home(struct session *s)
{
    if (!s->home || s->home->state != BACKEND_DEAD)
        return false;
    s->home = NULL;
    s->home_lost = true;
    return true;
}
