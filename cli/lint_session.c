#include "cli/lint.h"

#include "base/list.h"
#include "base/memory.h"
#include "proxy/hash.h"

enum { SESSIONS_MAX = 10000, TENANT_MAX = 255 };

struct entry {
    UT_hash_handle hh;
    struct list recent;
    uint64_t id;
    struct lint_session session;
    char tenant[TENANT_MAX + 1]; /* that facts.scope.chosen points to */
};

struct lint_sessions {
    const struct planning *planning;
    struct entry *entries;
    size_t count;
    struct list recent; /* the longest unused first */
};

struct lint_sessions *lint_sessions_create(const struct planning *planning)
{
    struct lint_sessions *s = mem_new(struct lint_sessions);
    s->planning = planning;
    list_init(&s->recent);
    return s;
}

static void forget(struct lint_sessions *s, struct entry *e)
{
    HASH_DEL(s->entries, e);
    list_remove(&e->recent);
    s->count--;
    mem_free(e);
}

void lint_sessions_clear(struct lint_sessions *s)
{
    while (s->entries)
        forget(s, s->entries);
}

void lint_sessions_destroy(struct lint_sessions *s)
{
    if (!s)
        return;
    lint_sessions_clear(s);
    mem_free(s);
}

static struct entry *find(struct lint_sessions *s, uint64_t id)
{
    struct entry *e;
    HASH_FIND(hh, s->entries, &id, sizeof id, e);
    return e;
}

void lint_sessions_end(struct lint_sessions *s, uint64_t id)
{
    struct entry *e = find(s, id);
    if (e)
        forget(s, e);
}

/* One connection more; a log that lacks the end of many costs no more memory for it. */
static struct entry *add(struct lint_sessions *s, uint64_t id)
{
    if (s->count == SESSIONS_MAX)
        forget(s, LIST_ENTRY(list_first(&s->recent), struct entry, recent));
    struct entry *e = mem_new(struct entry);
    e->id = id;
    e->session.facts = s->planning->facts;
    e->session.dialect = s->planning->dialect;
    list_init(&e->recent);
    HASH_ADD(hh, s->entries, id, sizeof e->id, e);
    s->count++;
    return e;
}

/* ---- what a file tells ---- */

/* The tenant chosen may stand in the statement's memory. */
static void keep_tenant(struct lint_session *session)
{
    struct entry *e = LIST_ENTRY(session, struct entry, session);
    struct tenant_scope *scope = &session->facts.scope;
    if (!scope->has_chosen || scope->chosen.len > TENANT_MAX)
        return;
    memmove(e->tenant, scope->chosen.data, scope->chosen.len);
    scope->chosen = slice_of(e->tenant, scope->chosen.len);
}

/* Another database is no fault: what is done there is not mqgate's. */
static enum err_code select_database(struct lint_sessions *s, struct lint_session *session,
                                     struct slice name, struct err *reterr)
{
    struct session_facts facts = session->facts;
    enum err_code code = planning_select(s->planning, &facts, name, reterr);
    if (code && code != MQ_DATABASE_UNKNOWN)
        return code;
    if (facts.has_database)
        facts.database = slice_cstr(s->planning->topology->config->keyspace);
    session->facts = facts;
    session->elsewhere = code != MQ_OK;
    keep_tenant(session);
    return MQ_OK;
}

/* A login begins anew. An account of that name binds the session, unless the command line
 * names one. */
static void log_in(struct lint_sessions *s, struct lint_session *session, struct slice user)
{
    const struct account_config *account = config_account(s->planning->topology->config, user);
    *session = (struct lint_session){ s->planning->facts, s->planning->dialect, false };
    if (!account || s->planning->options->user)
        return;
    session->facts.scope.account = &account->tenants;
    session->facts.administrator = account->administrator;
}

struct lint_session *lint_sessions_get(struct lint_sessions *s, const struct capture_event *event)
{
    struct entry *e = find(s, event->session);
    if (!e)
        e = add(s, event->session);
    list_remove(&e->recent);
    list_append(&s->recent, &e->recent);
    if (event->has_user)
        log_in(s, &e->session, event->user);
    if (event->has_database)
        select_database(s, &e->session, event->database, NULL);
    return &e->session;
}

/* ---- what its statements change ---- */

static bool read_string(const struct judgement *j, const struct lint_session *session,
                        const struct set_item *item, struct arena *arena, struct slice *ret)
{
    const struct value_ref *v = &item->value;
    return v->kind == VALUE_TOKENS && !item->is_default &&
           token_string_value(&j->lexed, &session->dialect, v->first, v->last, arena, ret);
}

static void set_modes(struct lint_sessions *s, struct lint_session *session,
                      const struct judgement *j, const struct set_item *item, struct arena *arena)
{
    struct slice value;
    uint32_t modes;
    if (item->is_default)
        session->dialect.modes = s->planning->dialect.modes;
    else if (read_string(j, session, item, arena, &value) &&
             dialect_modes(value, &modes, NULL) == MODES_OK)
        session->dialect.modes = modes | (session->dialect.modes & MODE_TENANT_SCHEMA);
}

static void set_tenant(struct lint_session *session, const struct judgement *j,
                       const struct set_item *item, struct arena *arena)
{
    struct slice value;
    if (read_string(j, session, item, arena, &value) &&
        tenant_scope_choose(&session->facts.scope, value, false, NULL) == MQ_OK)
        keep_tenant(session);
}

enum err_code lint_session_follow(struct lint_sessions *s, struct lint_session *session,
                                  const struct judgement *j, struct arena *arena,
                                  struct err *reterr)
{
    const struct template *t = j->template;
    if (t->local == LOCAL_USE)
        return select_database(s, session, t->name, reterr);
    for (size_t i = 0; t->local == LOCAL_SET && i < t->set_count; i++) {
        const struct set_item *item = &t->sets[i];
        if (item->kind == SET_SYSTEM && !item->global &&
            slice_eq(item->name, SLICE_LIT("sql_mode")))
            set_modes(s, session, j, item, arena);
        if (item->kind == SET_USER && slice_eq(item->name, SLICE_LIT("mq_tenant")))
            set_tenant(session, j, item, arena);
    }
    return MQ_OK;
}

/* ---- tenants ---- */

static bool may_choose(const struct session_facts *facts, const struct tenant *t)
{
    return t && t->placed && t->state == TENANT_SERVING &&
           tenant_scope_contains(&facts->scope, slice_of(t->name, t->name_len));
}

/* Of a session that is bound to a list only that counts: the map may be long. */
static const struct tenant *find_tenant(const struct lint_sessions *s,
                                        const struct session_facts *facts)
{
    const struct tenant_map *map = s->planning->tenants;
    const struct string_list *list = facts->scope.account && facts->scope.account->count
                                         ? facts->scope.account
                                         : facts->scope.listener;
    bool bound = list && list->count;
    for (size_t i = 0; i < (bound ? list->count : tenant_map_count(map)); i++) {
        const struct tenant *t =
            bound ? tenant_map_find(map, slice_cstr(list->items[i])) : tenant_map_at(map, i);
        if (may_choose(facts, t))
            return t;
    }
    return NULL;
}

bool lint_session_tenant(const struct lint_sessions *s, const struct lint_session *session,
                         struct slice *ret)
{
    const struct session_facts *facts = &session->facts;
    const struct tenant *t = facts->scope.has_chosen ? NULL : find_tenant(s, facts);
    if (t)
        *ret = slice_of(t->name, t->name_len);
    return t != NULL;
}
