#include "config/config.h"

#include "base/memory.h"
#include "config/file.h"
#include "config/reader.h"
#include "config/scalar.h"
#include "config/string_list.h"
#include "config/yaml.h"

enum { CONFIG_FILE_MAX = 256 << 20 };

static void free_secret(char *secret)
{
    if (secret)
        mem_free_secret(secret, strlen(secret));
}

static void credentials_fini(struct credentials *c)
{
    mem_free(c->user);
    free_secret(c->password);
}

static void tls_fini(struct tls_config *t)
{
    mem_free(t->ca);
    mem_free(t->cert);
    mem_free(t->key);
    mem_free(t->server_name);
}

static void client_tls_fini(struct client_tls_config *t)
{
    mem_free(t->cert);
    mem_free(t->key);
    mem_free(t->client_ca);
}

static void listeners_fini(struct config *c)
{
    for (size_t i = 0; i < c->listener_count; i++) {
        mem_free(c->listeners[i].name);
        address_fini(&c->listeners[i].address);
        string_list_fini(&c->listeners[i].tenants);
        mem_free(c->listeners[i].proxies.items);
    }
    mem_free(c->listeners);
}

static void shard_fini(struct shard_config *s)
{
    mem_free(s->name);
    mem_free(s->database);
    address_fini(&s->address);
    for (size_t i = 0; s->standby_addresses && i < s->standbys.count; i++)
        address_fini(&s->standby_addresses[i]);
    mem_free(s->standby_addresses);
    string_list_fini(&s->standbys);
    tls_fini(&s->tls);
}

void config_replace_shards(struct config *c, struct shard_config *shards, size_t count)
{
    for (size_t i = 0; i < c->shard_count; i++)
        shard_fini(&c->shards[i]);
    mem_free(c->shards);
    c->shards = shards;
    c->shard_count = count;
}

static void queue_tables_fini(struct config *c)
{
    for (size_t i = 0; i < c->queue_table_count; i++) {
        struct queue_table_config *t = &c->queue_tables[i];
        for (size_t j = 0; j < t->column_count; j++) {
            mem_free(t->columns[j].name);
            mem_free(t->columns[j].definition);
        }
        mem_free(t->columns);
        mem_free(t->name);
        string_list_fini(&t->primary_key);
        mem_free(t->replicated_by);
    }
    mem_free(c->queue_tables);
}

static void accounts_fini(struct config *c)
{
    for (size_t i = 0; i < c->account_count; i++) {
        struct account_config *a = &c->accounts[i];
        mem_free(a->user);
        free_secret(a->password);
        free_secret(a->password_hash);
        string_list_fini(&a->tenants);
        string_list_fini(&a->listeners);
        string_list_fini(&a->databases);
        credentials_fini(&a->backend);
    }
    mem_free(c->accounts);
}

static void vindex_table_fini(struct vindex_table_config *v)
{
    address_fini(&v->address);
    credentials_fini(&v->credentials);
    tls_fini(&v->tls);
    mem_free(v->database);
    mem_free(v->table);
    mem_free(v->snapshot_file);
}

static void config_fini(struct config *c)
{
    mem_free(c->path);
    listeners_fini(c);
    client_tls_fini(&c->client_tls);
    mem_free(c->keyspace);
    string_list_fini(&c->database_aliases);
    mem_free(c->vschema_path);
    config_replace_shards(c, NULL, 0);
    shard_fini(&c->unsharded.server);
    string_list_fini(&c->vitess.gates);
    string_list_fini(&c->vitess.shards);
    mem_free(c->vitess.workload);
    queue_tables_fini(c);
    accounts_fini(c);
    string_list_fini(&c->tenants);
    vindex_table_fini(&c->vindex_table);
    string_list_fini(&c->scatter_writes);
    string_list_fini(&c->metadata_paths);
    string_list_fini(&c->payload_paths);
    tenant_pattern_destroy(c->pattern);
    mem_free(c->default_tenant);
    mem_free(c->server_version);
}

void config_destroy(struct config *c)
{
    if (!c)
        return;
    config_fini(c);
    mem_free(c);
}

/* By line, so that the complaints read like the file; those of one line keep their order. */
static void sort_by_line(struct diagnostics *d)
{
    for (size_t i = 1; i < d->count; i++) {
        struct diagnostic moved = d->items[i];
        size_t j = i;
        for (; j > 0 && d->items[j - 1].line > moved.line; j--)
            d->items[j] = d->items[j - 1];
        d->items[j] = moved;
    }
}

static struct config *finish(struct reader *r, bool whole)
{
    struct config *c = NULL;
    mem_free(r->draft.shard_database);
    tls_fini(&r->draft.shard_tls);
    arena_fini(&r->arena);
    if (whole) {
        c = mem_new(struct config);
        *c = r->draft.config;
    } else {
        config_fini(&r->draft.config);
        sort_by_line(r->out);
    }
    return c;
}

struct config *config_parse(struct slice text, const char *path,
                            const struct config_overrides *overrides,
                            struct diagnostics *ret_diagnostics)
{
    struct reader r = { .out = ret_diagnostics, .overrides = overrides, .path = path };
    size_t before = ret_diagnostics->count;
    arena_init(&r.arena);
    r.draft.config.path = mem_strdup(path);
    struct node *root = yaml_load(text, &r.arena, ret_diagnostics);
    if (root) {
        r.root = root;
        reader_override(&r, root);
        reader_section(&r, root, "", "", &r.draft);
        reader_check(&r);
    }
    return finish(&r, ret_diagnostics->count == before);
}

struct config *config_load(const char *path, const struct config_overrides *overrides,
                           struct diagnostics *ret_diagnostics)
{
    struct err err;
    struct buf text;
    struct config *c = NULL;
    buf_init(&text);
    if (file_read(path, CONFIG_FILE_MAX, &text, &err) == MQ_OK)
        c = config_parse(buf_slice(&text), path, overrides, ret_diagnostics);
    else
        diagnostics_add(ret_diagnostics, 0, "%s", err.text);
    mem_free_secret(text.data, text.capacity);
    return c;
}

bool config_is_keyspace(const struct config *c, struct slice database)
{
    bool is = c->keyspace && slice_eq(database, slice_cstr(c->keyspace));
    for (size_t i = 0; i < c->database_aliases.count && !is; i++)
        is = slice_eq(database, slice_cstr(c->database_aliases.items[i]));
    return is;
}

bool config_has_database(const struct string_list *databases, struct slice database)
{
    bool has = !databases || !databases->count;
    for (size_t i = 0; databases && i < databases->count && !has; i++)
        has = slice_eq(database, slice_cstr(databases->items[i]));
    return has;
}

const struct account_config *config_account(const struct config *c, struct slice user)
{
    for (size_t i = 0; i < c->account_count; i++)
        if (slice_eq(slice_cstr(c->accounts[i].user), user))
            return &c->accounts[i];
    return NULL;
}
