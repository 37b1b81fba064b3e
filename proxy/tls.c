#include "proxy/tls_int.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <pthread.h>

#include "base/memory.h"

struct tls_context {
    SSL_CTX *ctx;
    bool accepts;
    char *server_name; /* for SNI; NULL: none */
    pthread_mutex_t lock; /* over what follows */
    SSL_SESSION *session; /* that the server gave last, to begin with again; NULL: none */
};

/* Instead of OpenSSL's own, which asks at the terminal. */
static int no_passphrase(char *buffer, int size, int writing, void *context)
{
    (void)buffer, (void)size, (void)writing, (void)context;
    return -1;
}

/* The first error of the queue is the cause of the others. */
static enum err_code file_fault(const char *path, struct err *reterr)
{
    unsigned long e = ERR_peek_error();
    const char *reason =
        ERR_SYSTEM_ERROR(e) ? strerror(ERR_GET_REASON(e)) : ERR_reason_error_string(e);
    err_set(reterr, MQ_TLS_FILES, "%s: %s", path, reason ? reason : "cannot be used");
    ERR_clear_error();
    return MQ_TLS_FILES;
}

/* Renegotiation would make writes wait for reads, and is of no use to anybody. Memory is given
 * back while a connection is idle; OpenSSL reads ahead, so that a record costs one recv. */
static SSL_CTX *new_ctx(const SSL_METHOD *method, int min_version)
{
    SSL_CTX *ctx = SSL_CTX_new(method);
    if (!ctx)
        mem_exhausted(sizeof(void *));
    ERR_clear_error();
    SSL_CTX_set_min_proto_version(ctx, min_version);
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(ctx, 1);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_default_passwd_cb(ctx, no_passphrase);
    return ctx;
}

static enum err_code load_pair(SSL_CTX *ctx, const char *cert, const char *key, struct err *reterr)
{
    if (!cert)
        return MQ_OK;
    if (SSL_CTX_use_certificate_chain_file(ctx, cert) != 1)
        return file_fault(cert, reterr);
    if (SSL_CTX_use_PrivateKey_file(ctx, key, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(ctx) != 1)
        return file_fault(key, reterr);
    return MQ_OK;
}

static enum err_code load_ca(SSL_CTX *ctx, const char *path, int verify, struct err *reterr)
{
    if (SSL_CTX_load_verify_file(ctx, path) != 1)
        return file_fault(path, reterr);
    SSL_CTX_set_verify(ctx, verify, NULL);
    return MQ_OK;
}

/* Clients are told whose certificates will do. Tickets are good for this context only. */
static enum err_code load_client_ca(SSL_CTX *ctx, const struct client_tls_config *c,
                                    struct err *reterr)
{
    bool required = c->verify_client == CERTIFICATE_REQUIRED;
    if (!c->client_ca)
        return MQ_OK;
    enum err_code code =
        load_ca(ctx, c->client_ca,
                SSL_VERIFY_PEER | (required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), reterr);
    STACK_OF(X509_NAME) *names = code ? NULL : SSL_load_client_CA_file(c->client_ca);
    if (!code && !names)
        return file_fault(c->client_ca, reterr);
    SSL_CTX_set_client_CA_list(ctx, names);
    return code;
}

static struct tls_context *new_context(const SSL_METHOD *method, int min_version)
{
    struct tls_context *c = mem_new(struct tls_context);
    c->ctx = new_ctx(method, min_version);
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

static enum err_code finish(struct tls_context *c, enum err_code code, struct tls_context **ret)
{
    if (code)
        tls_context_destroy(c);
    else
        *ret = c;
    return code;
}

enum err_code tls_context_for_clients(const struct client_tls_config *config,
                                      struct tls_context **ret, struct err *reterr)
{
    static const uint8_t purpose[] = "mqgate";
    int min_version = config->min_version == TLS_1_3 ? TLS1_3_VERSION : TLS1_2_VERSION;
    struct tls_context *c = new_context(TLS_server_method(), min_version);
    c->accepts = true;
    SSL_CTX_set_num_tickets(c->ctx, 1);
    SSL_CTX_set_session_id_context(c->ctx, purpose, sizeof purpose - 1);
    enum err_code code = load_pair(c->ctx, config->cert, config->key, reterr);
    if (!code)
        code = load_client_ca(c->ctx, config, reterr);
    return finish(c, code, ret);
}

/* The name, or address, that the server's certificate has to be for. */
static void expect_name(SSL_CTX *ctx, const char *name)
{
    X509_VERIFY_PARAM *param = SSL_CTX_get0_param(ctx);
    X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (X509_VERIFY_PARAM_set1_ip_asc(param, name) != 1 &&
        X509_VERIFY_PARAM_set1_host(param, name, 0) != 1)
        mem_exhausted(strlen(name));
    ERR_clear_error();
}

static bool is_address(const char *name)
{
    ASN1_OCTET_STRING *ip = a2i_IPADDRESS(name);
    ASN1_OCTET_STRING_free(ip);
    ERR_clear_error();
    return ip != NULL;
}

/* ---- sessions that go on ---- */

/* The server's key and certificate were looked at when the session began, under the same settings:
 * it is never kept beyond its context. The last ticket will do for all connections, for who sees two
 * of them knows by their addresses that they have the same ends. */
static int keep_session(SSL *ssl, SSL_SESSION *session)
{
    struct tls_context *c = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    pthread_mutex_lock(&c->lock);
    SSL_SESSION *old = c->session;
    c->session = session;
    pthread_mutex_unlock(&c->lock);
    SSL_SESSION_free(old);
    return 1; /* the reference is ours */
}

static void keep_sessions(struct tls_context *c)
{
    SSL_CTX_set_app_data(c->ctx, c);
    SSL_CTX_set_session_cache_mode(c->ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(c->ctx, keep_session);
}

static void go_on_with_session(const struct tls_context *c, SSL *ssl)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&c->lock;
    pthread_mutex_lock(lock);
    if (c->session && SSL_SESSION_is_resumable(c->session))
        (void)SSL_set_session(ssl, c->session); /* else the handshake is a whole one */
    pthread_mutex_unlock(lock);
}

enum err_code tls_context_for_server(const struct tls_config *config,
                                     const struct address *address, struct tls_context **ret,
                                     struct err *reterr)
{
    const char *name = config->server_name ? config->server_name : address->host;
    struct tls_context *c = new_context(TLS_client_method(), TLS1_2_VERSION);
    keep_sessions(c);
    c->server_name = name && !is_address(name) ? mem_strdup(name) : NULL;
    enum err_code code = load_pair(c->ctx, config->cert, config->key, reterr);
    if (!code && config->mode >= TLS_VERIFY_CA)
        code = load_ca(c->ctx, config->ca, SSL_VERIFY_PEER, reterr);
    if (!code && config->mode == TLS_VERIFY_IDENTITY)
        expect_name(c->ctx, name);
    return finish(c, code, ret);
}

void tls_context_destroy(struct tls_context *c)
{
    if (!c)
        return;
    SSL_SESSION_free(c->session);
    SSL_CTX_free(c->ctx);
    pthread_mutex_destroy(&c->lock);
    mem_free(c->server_name);
    mem_free(c);
}

const char *tls_context_expiry(const struct tls_context *c)
{
    const X509 *own = SSL_CTX_get0_certificate(c->ctx);
    if (own && X509_cmp_current_time(X509_get0_notAfter(own)) < 0)
        return "has expired";
    if (own && X509_cmp_current_time(X509_get0_notBefore(own)) > 0)
        return "is not valid yet";
    return NULL;
}

SSL *tls_context_connection(const struct tls_context *c)
{
    SSL *ssl = SSL_new(c->ctx);
    if (!ssl)
        mem_exhausted(sizeof(void *));
    if (c->accepts)
        SSL_set_accept_state(ssl);
    else
        SSL_set_connect_state(ssl);
    if (c->server_name)
        SSL_set_tlsext_host_name(ssl, c->server_name);
    go_on_with_session(c, ssl);
    return ssl;
}

/* ---- all of a configuration ---- */

bool tls_is_offered(const struct config *config)
{
    for (size_t i = 0; i < config->listener_count; i++)
        if (config->listeners[i].tls != TLS_DISABLED)
            return true;
    return false;
}

bool tls_is_used(const struct tls_config *c, const struct address *address)
{
    return c->mode >= (address->socket ? TLS_REQUIRED : TLS_PREFERRED);
}

static void examine(struct tls_context *c, enum err_code code, struct err *fault, const char *cert,
                    tls_fault *on_fault, void *context)
{
    const char *expiry = code ? NULL : tls_context_expiry(c);
    if (expiry)
        code = err_set(fault, MQ_TLS_FILES, "%s: the certificate %s", cert, expiry);
    if (code)
        on_fault(context, fault);
    tls_context_destroy(c);
}

static void examine_server(const struct tls_config *tls, const struct address *address,
                           tls_fault *on_fault, void *context)
{
    struct tls_context *c = NULL;
    struct err fault;
    enum err_code code = tls_context_for_server(tls, address, &c, &fault);
    examine(c, code, &fault, tls->cert, on_fault, context);
}

void tls_examine(const struct topology *t, tls_fault *on_fault, void *context)
{
    const struct config *config = t->config;
    const struct vindex_table_config *v = &config->vindex_table;
    if (tls_is_offered(config)) {
        struct tls_context *c = NULL;
        struct err fault;
        enum err_code code = tls_context_for_clients(&config->client_tls, &c, &fault);
        examine(c, code, &fault, config->client_tls.cert, on_fault, context);
    }
    for (uint32_t i = 0; i < topology_server_count(t); i++) {
        const struct shard_config *shard = t->shards[i].config;
        if (tls_is_used(&shard->tls, &shard->address))
            examine_server(&shard->tls, &shard->address, on_fault, context);
    }
    if (v->configured && v->tls.mode > TLS_DISABLED)
        examine_server(&v->tls, &v->address, on_fault, context);
}
