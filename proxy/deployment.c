#define _DEFAULT_SOURCE
#include "proxy/deployment.h"

#include <netdb.h>
#include <stdio.h>
#include <sys/un.h>

#include "base/log.h"
#include "base/memory.h"

static void resolve_socket(struct endpoint *e, const char *path)
{
    struct sockaddr_un *un = (struct sockaddr_un *)&e->address;
    if (strlen(path) >= sizeof un->sun_path)
        return;
    un->sun_family = AF_UNIX;
    strcpy(un->sun_path, path);
    e->len = sizeof *un;
}

static void resolve_host(struct endpoint *e, const struct address *address)
{
    char port[8];
    snprintf(port, sizeof port, "%u", address->port);
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV }, *found;
    int status = getaddrinfo(address->host, port, &hints, &found);
    if (status != 0) {
        log_error("deployment", "host %s: %s", address->host, gai_strerror(status));
        return;
    }
    memcpy(&e->address, found->ai_addr, found->ai_addrlen);
    e->len = found->ai_addrlen;
    freeaddrinfo(found);
}

static bool same_backend(const struct account_config *a, const struct account_config *b)
{
    return slice_eq(slice_cstr(a->backend.user), slice_cstr(b->backend.user)) &&
           slice_eq(slice_cstr(a->backend.password), slice_cstr(b->backend.password));
}

static void account_init(struct account *a, const struct config *config, size_t index)
{
    const struct account_config *c = &config->accounts[index];
    a->config = c;
    if (c->password)
        verifier_of_password(&a->verifier, slice_cstr(c->password));
    else if (!verifier_of_hash(&a->verifier, slice_cstr(c->password_hash)))
        log_error("deployment", "account %s: password_hash is of no known kind", c->user);
    a->backend = (uint32_t)index;
    for (size_t i = 0; i < index; i++) {
        if (same_backend(&config->accounts[i], c)) {
            a->backend = (uint32_t)i;
            return;
        }
    }
}

static void warn_of_expiry(const struct tls_context *c, const char *path)
{
    const char *why = tls_context_expiry(c);
    if (why)
        log_warning("tls", "%s %s", path, why);
}

static enum err_code read_tls(struct deployment *d, struct err *reterr)
{
    const struct config *config = d->topology->config;
    enum err_code code = MQ_OK;
    if (tls_is_offered(config)) {
        code = tls_context_for_clients(&config->client_tls, &d->client_tls, reterr);
        if (!code)
            warn_of_expiry(d->client_tls, config->client_tls.cert);
    }
    for (uint32_t i = 0; !code && i < topology_server_count(d->topology); i++) {
        const struct shard_config *shard = d->topology->shards[i].config;
        if (tls_is_used(shard))
            code = tls_context_for_server(&shard->tls, &shard->address, &d->endpoints[i].tls,
                                          reterr);
    }
    return code;
}

static void resolve(struct deployment *d)
{
    for (uint32_t i = 0; i < topology_server_count(d->topology); i++) {
        const struct address *address = &d->topology->shards[i].config->address;
        if (address->socket)
            resolve_socket(&d->endpoints[i], address->socket);
        else
            resolve_host(&d->endpoints[i], address);
    }
}

enum err_code deployment_create(struct topology *topology, struct deployment **ret,
                                struct err *reterr)
{
    struct deployment *d = mem_new(struct deployment);
    const struct config *config = topology->config;
    d->topology = topology;
    d->endpoints = mem_array(topology_server_count(topology), sizeof *d->endpoints);
    pthread_mutex_init(&d->verifiers_lock, NULL);
    d->accounts = mem_array(config->account_count, sizeof *d->accounts);
    for (size_t i = 0; i < config->account_count; i++)
        account_init(&d->accounts[i], config, i);
    atomic_init(&d->references, 1);
    enum err_code code = read_tls(d, reterr);
    if (code) {
        deployment_release(d);
        return code;
    }
    resolve(d);
    *ret = d;
    return MQ_OK;
}

struct deployment *deployment_acquire(struct deployment *d)
{
    atomic_fetch_add(&d->references, 1);
    return d;
}

void deployment_release(struct deployment *d)
{
    if (!d || atomic_fetch_sub(&d->references, 1) != 1)
        return;
    for (uint32_t i = 0; i < topology_server_count(d->topology); i++)
        tls_context_destroy(d->endpoints[i].tls);
    tls_context_destroy(d->client_tls);
    topology_release(d->topology);
    pthread_mutex_destroy(&d->verifiers_lock);
    mem_free(d->endpoints);
    mem_free(d->accounts);
    mem_free(d);
}

void deployment_verifier(struct deployment *d, const struct account *account, struct verifier *ret)
{
    pthread_mutex_lock(&d->verifiers_lock);
    *ret = account->verifier;
    pthread_mutex_unlock(&d->verifiers_lock);
}

void deployment_learn(struct deployment *d, const struct account *account, const uint8_t sha2[32])
{
    struct verifier *v = &d->accounts[account - d->accounts].verifier;
    pthread_mutex_lock(&d->verifiers_lock);
    memcpy(v->sha2, sha2, sizeof v->sha2);
    v->has_sha2 = true;
    pthread_mutex_unlock(&d->verifiers_lock);
}

const struct account *deployment_account(const struct deployment *d, struct slice user)
{
    const struct config *config = d->topology->config;
    for (size_t i = 0; i < config->account_count; i++)
        if (slice_eq(slice_cstr(config->accounts[i].user), user))
            return &d->accounts[i];
    return NULL;
}
