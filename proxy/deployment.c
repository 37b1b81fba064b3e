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

struct deployment *deployment_create(struct topology *topology)
{
    struct deployment *d = mem_new(struct deployment);
    const struct config *config = topology->config;
    d->topology = topology;
    uint32_t servers = topology_server_count(topology);
    d->endpoints = mem_array(servers, sizeof *d->endpoints);
    for (uint32_t i = 0; i < servers; i++) {
        const struct address *address = &topology->shards[i].config->address;
        if (address->socket)
            resolve_socket(&d->endpoints[i], address->socket);
        else
            resolve_host(&d->endpoints[i], address);
    }
    pthread_mutex_init(&d->verifiers_lock, NULL);
    d->accounts = mem_array(config->account_count, sizeof *d->accounts);
    for (size_t i = 0; i < config->account_count; i++)
        account_init(&d->accounts[i], config, i);
    atomic_init(&d->references, 1);
    return d;
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
