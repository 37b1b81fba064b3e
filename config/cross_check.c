/* What only several settings together tell: duplicates, references to tenants and columns,
 * settings that need one another. */
#include "config/reader.h"

#include "base/memory.h"
#include "config/decode_tls.h"
#include "config/scalar.h"
#include "config/string_list.h"
#include "config/suggest.h"
#include "config/vitess.h"

/* Beyond this a misspelt tenant is not compared with all others. */
enum { SUGGEST_MAX = 10000 };

static const struct node *at(const struct reader *r, const char *a, const char *b, const char *c)
{
    const char *keys[] = { a, b, c, NULL };
    return node_nearest(r->root, keys);
}

/* The node of listener i, whichever form `listen` has. */
static const struct node *listener_node(const struct reader *r, size_t i)
{
    const struct node *n = at(r, "listen", NULL, NULL);
    if (n->kind != NODE_LIST)
        return n;
    n = n->first;
    while (i--)
        n = n->next;
    return n;
}

static void check_listener(struct reader *r, size_t i)
{
    const struct listener_config *all = r->draft.config.listeners, *l = &all[i];
    const char *path = arena_printf(&r->arena, "listen[%zu]", i);
    if (l->proxies.count && l->address.socket)
        reader_fault(r, listener_node(r, i), path, "a unix socket has no networks for proxy_protocol");
    for (size_t j = 0; j < i; j++) {
        if (address_eq(&l->address, &all[j].address) && (l->address.host || l->address.socket))
            reader_fault(r, listener_node(r, i), path, "the same address as listen[%zu]", j);
        else if (*l->name && strcmp(l->name, all[j].name) == 0)
            reader_fault(r, listener_node(r, i), path, "the same name as listen[%zu]", j);
    }
}

static bool has_listener(const struct config *c, const char *name)
{
    for (size_t i = 0; i < c->listener_count; i++)
        if (strcmp(c->listeners[i].name, name) == 0)
            return true;
    return false;
}

/* Which databases an unsharded keyspace's server has is not known here. */
static void check_databases(struct reader *r, const struct account_config *a)
{
    const struct config *c = &r->draft.config;
    for (size_t i = 0; c->keyspace && !c->unsharded.configured && i < a->databases.count; i++)
        if (!config_is_keyspace(c, slice_cstr(a->databases.items[i])))
            reader_fault(r, at(r, "accounts", a->user, "databases"),
                         arena_printf(&r->arena, "accounts.%s.databases", a->user),
                         "%s is neither the keyspace %s nor an alias of it", a->databases.items[i],
                         c->keyspace);
}

static void check_account(struct reader *r, const struct account_config *a)
{
    const char *path = arena_printf(&r->arena, "accounts.%s.listeners", a->user);
    for (size_t i = 0; i < a->listeners.count; i++)
        if (!has_listener(&r->draft.config, a->listeners.items[i]))
            reader_fault(r, at(r, "accounts", a->user, "listeners"), path,
                         "no listener has the name %s", a->listeners.items[i]);
    check_databases(r, a);
}

static void check_shard(struct reader *r, size_t i)
{
    const struct shard_config *all = r->draft.config.shards, *s = &all[i];
    const char *path = arena_printf(&r->arena, "keyspace.shards.%s", s->name);
    const struct node *n = at(r, "keyspace", "shards", s->name);
    for (size_t j = 0; j < i; j++) {
        if (strcmp(s->name, all[j].name) == 0)
            reader_fault(r, n, path, "two shards have this name");
        if (address_eq(&s->address, &all[j].address) && (s->address.host || s->address.socket) &&
            s->database && all[j].database && strcmp(s->database, all[j].database) == 0)
            reader_fault(r, n, path, "the same server and database as shard %s", all[j].name);
    }
}

static void check_aliases(struct reader *r)
{
    const struct config *c = &r->draft.config;
    for (size_t i = 0; c->keyspace && i < c->database_aliases.count; i++)
        if (strcmp(c->database_aliases.items[i], c->keyspace) == 0)
            reader_fault(r, at(r, "keyspace", "aliases", NULL), "keyspace.aliases",
                         "%s is the keyspace's own name", c->keyspace);
}

/* The tenants that may be referred to, in byte order. */
struct known_tenants {
    const char **sorted;
    size_t count;
};

static void refuse_tenant(struct reader *r, const struct known_tenants *known, const char *tenant,
                          const struct node *n, const char *path)
{
    struct suggestion s;
    suggest_init(&s, tenant);
    for (size_t i = 0; i < known->count && known->count <= SUGGEST_MAX; i++)
        suggest_offer(&s, known->sorted[i]);
    if (s.best)
        reader_fault(r, n, path, "'%.60s' is not among the tenants (did you mean %s?)", tenant,
                     s.best);
    else
        reader_fault(r, n, path, "'%.60s' is not among the tenants", tenant);
}

static void check_bound(struct reader *r, const struct known_tenants *known,
                        const struct string_list *bound, const struct node *n, const char *path)
{
    for (size_t i = 0; i < bound->count; i++)
        if (!string_sorted_has(known->sorted, known->count, bound->items[i]))
            refuse_tenant(r, known, bound->items[i], n, path);
}

/* The line of a listener's `tenants`, or of the listener. */
static const struct node *tenants_of(const struct node *n)
{
    const struct node *tenants = node_child(n, SLICE_LIT("tenants"));
    return tenants ? tenants : n;
}

static void check_references(struct reader *r)
{
    const struct config *c = &r->draft.config;
    struct known_tenants known = { string_list_sorted(&c->tenants), c->tenants.count };
    for (size_t i = 0; i < c->listener_count; i++)
        check_bound(r, &known, &c->listeners[i].tenants, tenants_of(listener_node(r, i)),
                    arena_printf(&r->arena, "listen[%zu].tenants", i));
    for (size_t i = 0; i < c->account_count; i++)
        check_bound(r, &known, &c->accounts[i].tenants,
                    at(r, "accounts", c->accounts[i].user, "tenants"),
                    arena_printf(&r->arena, "accounts.%s.tenants", c->accounts[i].user));
    if (c->default_tenant && !string_sorted_has(known.sorted, known.count, c->default_tenant))
        refuse_tenant(r, &known, c->default_tenant, at(r, "default_tenant", NULL, NULL),
                      "default_tenant");
    mem_free(known.sorted);
}

/* Up to the first separator a qualified key names its tenant. */
static void check_separator(struct reader *r)
{
    const struct config *c = &r->draft.config;
    const struct node *n = at(r, "partition_key_separator", NULL, NULL);
    static const char path[] = "partition_key_separator";
    if (c->partition_keys != KEYS_QUALIFIED)
        return;
    for (size_t i = 0; i < c->tenants.count; i++)
        if (strchr(c->tenants.items[i], c->key_separator))
            reader_fault(r, n, path, "the tenant %.60s contains it", c->tenants.items[i]);
    if (c->tenants_mode == TENANTS_TABLE && c->default_tenant &&
        strchr(c->default_tenant, c->key_separator))
        reader_fault(r, n, path, "the tenant %.60s contains it", c->default_tenant);
}

/* A qualified key has its tenant in front; what matched the key alone would not match it. */
static void check_pattern(struct reader *r)
{
    const struct config *c = &r->draft.config;
    if (c->pattern && c->pattern_column == PATTERN_PARTITION_KEY &&
        c->partition_keys == KEYS_QUALIFIED)
        reader_fault(r, at(r, "tenant_sources", "pattern", "column"),
                     "tenant_sources.pattern.column",
                     "with partition_keys: qualified the keys name their tenant already");
}

static void check_tenants(struct reader *r)
{
    const struct config *c = &r->draft.config;
    const struct err_info *empty = err_info(MQ_TENANTS_EMPTY);
    if (c->tenants_mode == TENANTS_TABLE) {
        if (!c->vindex_table.configured)
            reader_fault(r, at(r, "tenants", NULL, NULL), "tenants",
                         "`table` needs the section tenant_vindex");
    } else if (c->tenants.count > 0) {
        check_references(r);
    } else if (!r->draft.tenants_unread) {
        reader_fault(r, at(r, "tenants", NULL, NULL), "tenants", "%s %s", empty->summary,
                     empty->remedy);
    }
}

static void check_vindex_table(struct reader *r)
{
    struct vindex_table_config *v = &r->draft.config.vindex_table;
    const struct node *n = node_child(r->root, SLICE_LIT("tenant_vindex"));
    v->configured = n != NULL;
    if (!n || n->kind != NODE_MAP)
        return;
    if (!node_child(n, SLICE_LIT("address")) && !node_child(n, SLICE_LIT("socket")))
        reader_fault(r, n, "tenant_vindex", "needs an address or a socket");
    if (!node_child(n, SLICE_LIT("user")))
        reader_fault(r, n, "tenant_vindex.user", "missing");
    if (!node_child(n, SLICE_LIT("database")))
        reader_fault(r, n, "tenant_vindex.database", "missing");
    if (!node_child(n, SLICE_LIT("password")) && !node_child(n, SLICE_LIT("password_file")) &&
        !node_child(n, SLICE_LIT("password_env")))
        reader_fault(r, n, "tenant_vindex.password", "missing");
}

static bool has_column(const struct queue_table_config *t, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (t->columns[i].name && slice_ieq(slice_cstr(t->columns[i].name), slice_cstr(name)))
            return true;
    return false;
}

static void check_queue_table(struct reader *r, const struct queue_table_config *t)
{
    const char *path = arena_printf(&r->arena, "queue_tables.%s", t->name);
    const struct node *n = at(r, "queue_tables", t->name, "columns");
    for (size_t i = 0; i < t->column_count; i++) {
        const char *name = t->columns[i].name;
        if (name && slice_ieq_cstr(slice_cstr(name), "tenant"))
            reader_fault(r, n, path, "the legacy table has no column tenant; mqgate adds it");
        else if (name && has_column(t, i, name))
            reader_fault(r, n, path, "the column %s is listed twice", name);
    }
    for (size_t i = 0; i < t->primary_key.count && t->column_count; i++)
        if (!has_column(t, t->column_count, t->primary_key.items[i]))
            reader_fault(r, at(r, "queue_tables", t->name, "primary_key"), path,
                         "primary_key names %s, which is no column", t->primary_key.items[i]);
}

static void check_unsharded(struct reader *r)
{
    struct config *c = &r->draft.config;
    struct shard_config *server = &c->unsharded.server;
    const struct node *n = node_child(r->root, SLICE_LIT("unsharded"));
    c->unsharded.configured = n != NULL;
    if (!n || n->kind != NODE_MAP)
        return;
    if (!node_child(n, SLICE_LIT("address")) && !node_child(n, SLICE_LIT("socket")))
        reader_fault(r, n, "unsharded", "needs an address or a socket");
    if (!node_child(n, SLICE_LIT("name")))
        reader_fault(r, n, "unsharded.name", "missing");
    if (!server->name)
        return;
    if (config_is_keyspace(c, slice_cstr(server->name)))
        reader_fault(r, at(r, "unsharded", "name", NULL), "unsharded.name",
                     "%s is the sharded keyspace's name, or an alias of it", server->name);
    if (!server->database)
        server->database = mem_strdup(server->name);
}

/* What is observed is one server with the legacy schema, and no text is changed. */
static void check_enforcement(struct reader *r)
{
    const struct config *c = &r->draft.config;
    static const char path[] = "enforcement";
    const struct node *n = at(r, path, NULL, NULL);
    if (c->enforcement == ENFORCE || config_is_vitess(c))
        return;
    if (c->shard_count != 1 || strcmp(c->shards[0].name, "-") != 0)
        reader_fault(r, n, path,
                     "observe and warn need exactly one shard, `-`, with the legacy schema");
    else if (c->shards[0].database && c->keyspace &&
             strcmp(c->shards[0].database, c->keyspace) != 0)
        reader_fault(r, n, path,
                     "observe and warn change no names, so the shard's database has to be %s",
                     c->keyspace);
    if (c->shard_count && c->shards[0].standbys.count)
        reader_fault(r, n, path, "observe and warn know one server, and no standbys");
    if (c->partition_keys == KEYS_QUALIFIED)
        reader_fault(r, n, path, "observe and warn leave partition keys as they are: plain");
    if (c->vindex_table.configured)
        reader_fault(r, n, path, "observe and warn do without the section tenant_vindex");
    if (c->unsharded.configured)
        reader_fault(r, n, path,
                     "observe and warn send everything to one server: leave out the "
                     "section unsharded");
}

static void check_shutdown(struct reader *r)
{
    const struct config *c = &r->draft.config;
    if (c->shutdown.drain_min_ms > c->shutdown.drain_max_ms)
        reader_fault(r, at(r, "shutdown", "drain_min", NULL), "shutdown.drain_min",
                     "is longer than shutdown.drain_max");
}

void reader_check(struct reader *r)
{
    const struct config *c = &r->draft.config;
    vitess_settle(r);
    for (size_t i = 0; i < c->listener_count; i++)
        check_listener(r, i);
    for (size_t i = 0; i < c->shard_count; i++)
        check_shard(r, i);
    for (size_t i = 0; i < c->account_count; i++)
        check_account(r, &c->accounts[i]);
    check_aliases(r);
    check_unsharded(r);
    check_vindex_table(r);
    check_tenants(r);
    check_separator(r);
    check_pattern(r);
    check_enforcement(r);
    for (size_t i = 0; i < c->queue_table_count; i++)
        check_queue_table(r, &c->queue_tables[i]);
    check_shutdown(r);
    tls_check(r);
}
