/* A server: the name it is configured by, and the addresses that the name stands for. Names are
 * resolved when a configuration is read, and again by the resolver's thread when a connection
 * has failed; who connects takes what is known and never waits. */
#ifndef MQ_PROXY_HOST_H
#define MQ_PROXY_HOST_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "proxy/tls.h"

enum { HOST_ADDRESSES = 8 };

struct host {
    const struct address *address; /* of the deployment's configuration */
    struct tls_context *tls;       /* NULL: without TLS */
    pthread_mutex_t lock;          /* over what follows; taken by who connects or resolves */
    struct sockaddr_storage found[HOST_ADDRESSES];
    socklen_t lens[HOST_ADDRESSES];
    uint32_t count; /* 0: the name does not resolve */
    uint32_t good;  /* the one to begin with: the last that answered */
    bool asked;     /* the resolver has it in hand */
};

/* Resolves the name, which may block. */
void host_init(struct host *h, const struct address *address);
void host_fini(struct host *h);
/* The same again. Thread-safe. */
void host_resolve(struct host *h);
/* The address for an attempt, numbered from 0. False: all were tried, or none is known. */
bool host_address(struct host *h, uint32_t attempt, struct sockaddr_storage *ret, socklen_t *ret_len);
/* The address has led to the server; or to nothing within its time. */
void host_reached(struct host *h, const struct sockaddr_storage *address);
void host_silent(struct host *h, const struct sockaddr_storage *address);

#endif
