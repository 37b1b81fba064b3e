/* The decoders of what comes several times: listeners, shards, accounts, queue tables. */
#include "config/reader.h"

#include "base/memory.h"
#include "config/decode_tls.h"
#include "config/scalar.h"

static char *address_text(const struct address *a)
{
    struct buf text;
    buf_init(&text);
    address_print(a, &text);
    char *copy = mem_strndup(buf_slice(&text));
    buf_fini(&text);
    return copy;
}

static bool has_address(const struct address *a)
{
    return a->host || a->socket;
}

static void read_listener(struct reader *r, const struct node *n, const char *path,
                          struct listener_config *l)
{
    if (n->kind == NODE_SCALAR) {
        reader_decode(r, "listen[].address", n, path, l);
    } else {
        reader_section(r, n, "listen[]", path, l);
        if (n->kind == NODE_MAP && !has_address(&l->address) &&
            !node_child(n, SLICE_LIT("address")) && !node_child(n, SLICE_LIT("socket")))
            reader_fault(r, n, path, "needs an address or a socket");
    }
    if (!l->name)
        l->name = address_text(&l->address);
}

void decode_listeners(struct reader *r, const struct slot *s)
{
    struct config *c = &r->draft.config;
    bool list = s->node->kind == NODE_LIST;
    const struct node *n = list ? s->node->first : s->node;
    c->listeners = mem_array(list ? s->node->count : 1, sizeof *c->listeners);
    for (; n; n = list ? n->next : NULL) {
        size_t i = c->listener_count++;
        const char *path = list ? arena_printf(&r->arena, "%s[%zu]", s->path, i) : s->path;
        read_listener(r, n, path, &c->listeners[i]);
    }
    if (c->listener_count == 0)
        reader_fault(r, s->node, s->path, "at least one listener is needed");
}

static bool is_map(struct reader *r, const struct slot *s)
{
    if (s->node->kind == NODE_MAP)
        return true;
    reader_fault(r, s->node, s->path, "a map by name is expected");
    return false;
}

static char *lower_case(const char *text)
{
    char *copy = mem_strdup(text);
    for (char *p = copy; *p; p++)
        if (*p >= 'A' && *p <= 'Z')
            *p = (char)(*p + ('a' - 'A'));
    return copy;
}

static void read_shard(struct reader *r, const struct node *n, const char *path,
                       struct shard_config *shard)
{
    const char *fault = scalar_shard_fault(n->key);
    if (fault)
        reader_fault(r, n, path, "%s", fault);
    shard->name = lower_case(n->key);
    if (n->kind == NODE_SCALAR)
        reader_decode(r, "keyspace.shards.*.address", n, path, shard);
    else
        reader_section(r, n, "keyspace.shards.*", path, shard);
    if (!has_address(&shard->address) && n->kind != NODE_SCALAR && n->kind != NODE_LIST &&
        !node_child(n, SLICE_LIT("address")) && !node_child(n, SLICE_LIT("socket")))
        reader_fault(r, n, path, "needs an address or a socket");
}

static void read_standbys(struct shard_config *shard)
{
    shard->standby_addresses = mem_array(shard->standbys.count, sizeof *shard->standby_addresses);
    for (size_t i = 0; i < shard->standbys.count; i++)
        (void)scalar_address(shard->standbys.items[i], &shard->standby_addresses[i]);
}

/* keyspace.database, keyspace.name and keyspace.tls stand before the shards in settings.def. */
static void default_database(const struct draft *d, struct shard_config *shard)
{
    const char *database = d->shard_database ? d->shard_database : d->config.keyspace;
    if (!shard->database)
        shard->database = mem_strdup(database);
}

void decode_shards(struct reader *r, const struct slot *s)
{
    struct config *c = &r->draft.config;
    if (!is_map(r, s))
        return;
    c->shards = mem_array(s->node->count, sizeof *c->shards);
    for (const struct node *n = s->node->first; n; n = n->next) {
        struct shard_config *shard = &c->shards[c->shard_count++];
        read_shard(r, n, arena_printf(&r->arena, "%s.%s", s->path, n->key), shard);
        default_database(&r->draft, shard);
        read_standbys(shard);
        tls_settle_shard(&shard->tls, &r->draft.shard_tls);
    }
    if (c->shard_count == 0)
        reader_fault(r, s->node, s->path, "at least one shard is needed");
}

/* Whether any of the settings that give a password is there, even a faulty one. */
static bool names_password(const struct node *map)
{
    return node_child(map, SLICE_LIT("password")) || node_child(map, SLICE_LIT("password_file")) ||
           node_child(map, SLICE_LIT("password_env"));
}

static void settle_backend(struct reader *r, const struct node *n, const char *path,
                           struct account_config *a)
{
    const struct node *backend = node_child(n, SLICE_LIT("backend"));
    if (!a->backend.user)
        a->backend.user = mem_strdup(a->user);
    if (!a->backend.password)
        a->backend.password = mem_strdup(a->password);
    if (a->password_hash && !a->backend.password && !names_password(n) && !names_password(backend))
        reader_fault(r, backend ? backend : n, arena_printf(&r->arena, "%s.backend", path),
                     "a password for the shards is needed, since password_hash does not tell it");
}

static void read_account(struct reader *r, const struct node *n, const char *path,
                         struct account_config *a)
{
    a->user = mem_strdup(n->key);
    if (!*n->key)
        reader_fault(r, n, path, "the user name is empty");
    reader_section(r, n, "accounts.*", path, a);
    bool known = a->password || a->password_hash;
    if (n->kind != NODE_MAP && n->kind != NODE_NULL)
        return;
    if (!known && !names_password(n) && !node_child(n, SLICE_LIT("password_hash")))
        reader_fault(r, n, path,
                     "needs a password (password, password_file, password_env or "
                     "password_hash)");
    settle_backend(r, n, path, a);
}

void decode_accounts(struct reader *r, const struct slot *s)
{
    struct config *c = &r->draft.config;
    if (!is_map(r, s))
        return;
    c->accounts = mem_array(s->node->count, sizeof *c->accounts);
    for (const struct node *n = s->node->first; n; n = n->next)
        read_account(r, n, arena_printf(&r->arena, "%s.%s", s->path, n->key),
                     &c->accounts[c->account_count++]);
    if (c->account_count == 0)
        reader_fault(r, s->node, s->path, "at least one account is needed");
}

void decode_columns(struct reader *r, const struct slot *s)
{
    struct queue_table_config *t = s->record;
    if (s->node->kind != NODE_LIST || s->node->count == 0) {
        reader_fault(r, s->node, s->path, "a list of columns is expected");
        return;
    }
    t->columns = mem_array(s->node->count, sizeof *t->columns);
    for (const struct node *n = s->node->first; n; n = n->next) {
        size_t i = t->column_count++;
        reader_section(r, n, "queue_tables.*.columns[]",
                       arena_printf(&r->arena, "%s[%zu]", s->path, i), &t->columns[i]);
    }
}

void decode_queue_tables(struct reader *r, const struct slot *s)
{
    struct config *c = &r->draft.config;
    if (!is_map(r, s))
        return;
    c->queue_tables = mem_array(s->node->count, sizeof *c->queue_tables);
    for (const struct node *n = s->node->first; n; n = n->next) {
        struct queue_table_config *t = &c->queue_tables[c->queue_table_count++];
        const char *path = arena_printf(&r->arena, "%s.%s", s->path, n->key);
        const char *fault = scalar_identifier_fault(n->key);
        if (fault)
            reader_fault(r, n, path, "%s", fault);
        t->name = mem_strdup(n->key);
        reader_section(r, n, "queue_tables.*", path, t);
    }
}
