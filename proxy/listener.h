/* Listening sockets of the main thread: accept, count, hand over to a worker. */
#ifndef MQ_PROXY_LISTENER_H
#define MQ_PROXY_LISTENER_H

#include "proxy/worker.h"

struct listener;

/* Opens config->listeners[index]. Fails with MQ_LISTEN_FAILED. max_connections is read anew
 * for each accept through *max_connections. */
enum err_code listener_open(struct event_base *base, struct fleet *fleet,
                            const struct listener_config *config, size_t index,
                            const atomic_uint *max_connections, struct listener **ret,
                            struct err *reterr);
void listener_close(struct listener *l);

/* No address for a unix socket. */
struct ip ip_of_sockaddr(const struct sockaddr_storage *address, uint16_t *ret_port);

#endif
