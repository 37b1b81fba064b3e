#include "proxy/deployment.h"

#include "base/log.h"
#include "base/memory.h"

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

static enum err_code read_host_tls(struct endpoint *e, const struct shard_config *shard,
                                   struct err *reterr)
{
    enum err_code code = MQ_OK;
    for (uint32_t i = 0; !code && i < e->host_count; i++) {
        struct host *h = &e->hosts[i];
        if (tls_is_used(&shard->tls, h->address))
            code = tls_context_for_server(&shard->tls, h->address, &h->tls, reterr);
    }
    return code;
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
    for (uint32_t i = 0; !code && i < topology_server_count(d->topology); i++)
        code = read_host_tls(&d->endpoints[i], d->topology->shards[i].config, reterr);
    return code;
}

static void endpoint_init(struct endpoint *e, const struct shard_config *shard)
{
    e->host_count = 1 + (uint32_t)shard->standbys.count;
    e->hosts = mem_array(e->host_count, sizeof *e->hosts);
    host_init(&e->hosts[0], &shard->address);
    for (uint32_t i = 1; i < e->host_count; i++)
        host_init(&e->hosts[i], &shard->standby_addresses[i - 1]);
    atomic_init(&e->fault, e->host_count > 1 ? PRIMARY_UNKNOWN : MQ_OK);
}

static void endpoint_fini(struct endpoint *e)
{
    for (uint32_t i = 0; i < e->host_count; i++)
        host_fini(&e->hosts[i]);
    mem_free(e->hosts);
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
    for (uint32_t i = 0; i < topology_server_count(topology); i++)
        endpoint_init(&d->endpoints[i], topology->shards[i].config);
    enum err_code code = read_tls(d, reterr);
    if (code) {
        deployment_release(d);
        return code;
    }
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
        endpoint_fini(&d->endpoints[i]);
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
