/* The decoders of what TLS has settings for, and what is taken when they are left out. */
#include "config/decode_tls.h"

#include "base/memory.h"

#define CHOOSE(r, s, words) reader_choice(r, s, words, sizeof(words) / sizeof *(words))

void decode_tls_mode(struct reader *r, const struct slot *s)
{
    /* In the order of enum tls_mode, from TLS_DISABLED on. */
    static const char *const words[] = { "disabled", "preferred", "required", "verify_ca",
                                         "verify_identity" };
    int i = CHOOSE(r, s, words);
    if (i >= 0)
        *(enum tls_mode *)slot_field(s) = (enum tls_mode)(TLS_DISABLED + i);
}

void decode_listener_tls(struct reader *r, const struct slot *s)
{
    static const char *const words[] = { "disabled", "preferred", "required" };
    int i = CHOOSE(r, s, words);
    if (i >= 0)
        *(enum tls_mode *)slot_field(s) = (enum tls_mode)(TLS_DISABLED + i);
}

void decode_tls_version(struct reader *r, const struct slot *s)
{
    /* In the order of enum tls_version. */
    static const char *const words[] = { "1.2", "1.3" };
    int i = CHOOSE(r, s, words);
    if (i >= 0)
        *(enum tls_version *)slot_field(s) = (enum tls_version)i;
}

void decode_client_certificate(struct reader *r, const struct slot *s)
{
    /* In the order of enum client_certificate, from CERTIFICATE_OPTIONAL on. */
    static const char *const words[] = { "optional", "required" };
    int i = CHOOSE(r, s, words);
    if (i >= 0)
        *(enum client_certificate *)slot_field(s) =
            (enum client_certificate)(CERTIFICATE_OPTIONAL + i);
}

void decode_transport(struct reader *r, const struct slot *s)
{
    /* In the order of enum account_transport. */
    static const char *const words[] = { "any", "tls", "x509", "identity" };
    int i = CHOOSE(r, s, words);
    if (i >= 0)
        *(enum account_transport *)slot_field(s) = (enum account_transport)i;
}

/* Whoever names a CA means it to be looked at, and whoever names a certificate to use it. */
static void settle_mode(struct tls_config *t)
{
    if (t->mode == TLS_UNSET)
        t->mode = t->ca ? TLS_VERIFY_IDENTITY : t->cert ? TLS_REQUIRED : TLS_DISABLED;
}

static void inherit(char **field, const char *from)
{
    if (!*field)
        *field = mem_strdup(from);
}

void tls_settle_shard(struct tls_config *t, const struct tls_config *keyspace)
{
    if (t->mode == TLS_UNSET)
        t->mode = keyspace->mode;
    inherit(&t->ca, keyspace->ca);
    if (!t->cert && !t->key) {
        inherit(&t->cert, keyspace->cert);
        inherit(&t->key, keyspace->key);
    }
    inherit(&t->server_name, keyspace->server_name);
    settle_mode(t);
}

static void settle_clients(struct config *c)
{
    struct client_tls_config *t = &c->client_tls;
    if (t->mode == TLS_UNSET)
        t->mode = t->cert ? TLS_PREFERRED : TLS_DISABLED;
    if (t->verify_client == CERTIFICATE_UNSET && t->client_ca)
        t->verify_client = CERTIFICATE_REQUIRED;
    for (size_t i = 0; i < c->listener_count; i++)
        if (c->listeners[i].tls == TLS_UNSET)
            c->listeners[i].tls = t->mode;
}

/* A pair of files, of which neither is of use alone. */
static void check_pair(struct reader *r, const struct node *n, const char *path, const char *cert,
                       const char *key)
{
    if (!cert != !key)
        reader_fault(r, n, path, "cert and key go together");
}

static void check_server(struct reader *r, const struct node *n, const char *path,
                         const struct tls_config *t, const struct address *address)
{
    check_pair(r, n, path, t->cert, t->key);
    if (t->mode >= TLS_VERIFY_CA && !t->ca)
        reader_fault(r, n, path, "verify_ca and verify_identity need a ca");
    if (t->mode == TLS_VERIFY_IDENTITY && address->socket && !t->server_name)
        reader_fault(r, n, path, "verify_identity on a unix socket needs a server_name");
}

static const struct node *node_at(const struct reader *r, const char *a, const char *b,
                                  const char *c)
{
    const char *keys[] = { a, b, c, NULL };
    return node_nearest(r->root, keys);
}

static bool offers_tls(const struct config *c)
{
    for (size_t i = 0; i < c->listener_count; i++)
        if (c->listeners[i].tls > TLS_DISABLED)
            return true;
    return false;
}

static void check_clients(struct reader *r)
{
    const struct config *c = &r->draft.config;
    const struct client_tls_config *t = &c->client_tls;
    const struct node *n = node_at(r, "tls", NULL, NULL);
    bool offered = offers_tls(c);
    check_pair(r, n, "tls", t->cert, t->key);
    if (offered && !t->cert)
        reader_fault(r, n, "tls", "needs cert and key when a listener offers TLS");
    if (t->verify_client != CERTIFICATE_UNSET && !t->client_ca)
        reader_fault(r, n, "tls.verify_client", "needs tls.client_ca");
    for (size_t i = 0; i < c->account_count; i++) {
        const struct account_config *a = &c->accounts[i];
        const char *path = arena_printf(&r->arena, "accounts.%s.require", a->user);
        if (a->require != TRANSPORT_ANY && !offered)
            reader_fault(r, node_at(r, "accounts", a->user, "require"), path,
                         "no listener offers TLS");
        else if (a->require > TRANSPORT_TLS && !t->client_ca)
            reader_fault(r, node_at(r, "accounts", a->user, "require"), path,
                         "needs tls.client_ca");
    }
}

/* vtgates have no settings of their own. */
static void check_shard(struct reader *r, const struct shard_config *shard)
{
    bool own = r->draft.config.backend == BACKENDS_MYSQL;
    const struct node *n =
        own ? node_at(r, "keyspace", "shards", shard->name) : node_at(r, "keyspace", "tls", NULL);
    check_server(r, n,
                 own ? arena_printf(&r->arena, "keyspace.shards.%s.tls", shard->name)
                     : "keyspace.tls",
                 &shard->tls, &shard->address);
}

void tls_check(struct reader *r)
{
    struct config *c = &r->draft.config;
    settle_clients(c);
    check_clients(r);
    for (size_t i = 0; i < c->shard_count; i++)
        check_shard(r, &c->shards[i]);
    tls_settle_shard(&c->unsharded.server.tls, &r->draft.shard_tls);
    if (c->unsharded.configured)
        check_server(r, node_at(r, "unsharded", "tls", NULL), "unsharded.tls",
                     &c->unsharded.server.tls, &c->unsharded.server.address);
    settle_mode(&c->vindex_table.tls);
    check_server(r, node_at(r, "tenant_vindex", "tls", NULL), "tenant_vindex.tls",
                 &c->vindex_table.tls, &c->vindex_table.address);
}
