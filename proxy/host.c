#define _DEFAULT_SOURCE
#include "proxy/host.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "base/log.h"

static void take_path(struct host *h, const char *path)
{
    struct sockaddr_un *un = (struct sockaddr_un *)&h->found[0];
    if (strlen(path) >= sizeof un->sun_path)
        return;
    un->sun_family = AF_UNIX;
    strcpy(un->sun_path, path);
    h->lens[0] = sizeof *un;
    h->count = 1;
}

/* The server's preferred order is kept, and so is the address that answered last. */
static void take_addresses(struct host *h, const struct addrinfo *found)
{
    struct sockaddr_storage good = h->found[h->good];
    socklen_t good_len = h->count ? h->lens[h->good] : 0;
    h->count = h->good = 0;
    for (; found && h->count < HOST_ADDRESSES; found = found->ai_next) {
        uint32_t i = h->count++;
        memset(&h->found[i], 0, sizeof h->found[i]);
        memcpy(&h->found[i], found->ai_addr, found->ai_addrlen);
        h->lens[i] = found->ai_addrlen;
        if (h->lens[i] == good_len && memcmp(&h->found[i], &good, good_len) == 0)
            h->good = i;
    }
}

/* A name that resolves no more may do so again: what was known is kept meanwhile. */
void host_resolve(struct host *h)
{
    char port[8];
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV }, *found;
    if (h->address->socket)
        return;
    snprintf(port, sizeof port, "%u", h->address->port);
    int status = getaddrinfo(h->address->host, port, &hints, &found);
    if (status) {
        log_warning("host", "%s: %s", h->address->host, gai_strerror(status));
        return;
    }
    pthread_mutex_lock(&h->lock);
    take_addresses(h, found);
    pthread_mutex_unlock(&h->lock);
    freeaddrinfo(found);
}

void host_init(struct host *h, const struct address *address)
{
    *h = (struct host){ .address = address };
    pthread_mutex_init(&h->lock, NULL);
    if (address->socket)
        take_path(h, address->socket);
    else
        host_resolve(h);
}

void host_fini(struct host *h)
{
    tls_context_destroy(h->tls);
    pthread_mutex_destroy(&h->lock);
}

bool host_address(struct host *h, uint32_t attempt, struct sockaddr_storage *ret, socklen_t *ret_len)
{
    pthread_mutex_lock(&h->lock);
    bool known = attempt < h->count;
    if (known) {
        uint32_t i = (h->good + attempt) % h->count;
        *ret = h->found[i];
        *ret_len = h->lens[i];
    }
    pthread_mutex_unlock(&h->lock);
    return known;
}

/* Or with one behind it. It may be none of the host's any more. */
static void begin_with(struct host *h, const struct sockaddr_storage *address, uint32_t behind)
{
    pthread_mutex_lock(&h->lock);
    for (uint32_t i = 0; i < h->count; i++) {
        if (memcmp(&h->found[i], address, h->lens[i]) == 0) {
            h->good = (i + behind) % h->count;
            break;
        }
    }
    pthread_mutex_unlock(&h->lock);
}

void host_reached(struct host *h, const struct sockaddr_storage *address)
{
    begin_with(h, address, 0);
}

void host_silent(struct host *h, const struct sockaddr_storage *address)
{
    begin_with(h, address, 1);
}
