/* TLS on one side of mqgate: certificates and what is asked of the peer, read from their files
 * once per start or reload. Counted references, shared by all threads; connections keep the one
 * that they began with. */
#ifndef MQ_PROXY_TLS_H
#define MQ_PROXY_TLS_H

#include "proxy/io.h"
#include "vschema/topology.h"

struct tls_context;

/* Towards clients, towards one shard. Fail with MQ_TLS_FILES. */
enum err_code tls_context_for_clients(const struct client_tls_config *c, struct tls_context **ret,
                                      struct err *reterr);
enum err_code tls_context_for_server(const struct tls_config *c, const struct address *address,
                                     struct tls_context **ret, struct err *reterr);
void tls_context_destroy(struct tls_context *c); /* NULL is fine */
/* All that a configuration names, read and thrown away: each fault is handed over. For
 * `mqgate check`, to which an own certificate out of its time is one as well. */
typedef void tls_fault(void *context, const struct err *fault);
void tls_examine(const struct topology *t, tls_fault *on_fault, void *context);
bool tls_is_offered(const struct config *config);
/* A unix socket is as safe as TLS: there it is used only when it is asked for. */
bool tls_is_used(const struct tls_config *c, const struct address *address);
/* NULL, or what is wrong with the time that the own certificate is good for. */
const char *tls_context_expiry(const struct tls_context *c);

/* TLS over lower, which it takes, with its owner and watched events. The handshake takes place
 * inside reads and writes: until it has ended they say -EAGAIN. early was read from lower
 * already and belongs to TLS; it is copied. */
struct io *io_tls(const struct tls_context *c, struct event_base *base, struct io *lower,
                  struct slice early);
bool io_is_tls(const struct io *io);
/* The handshake has gone on with what an earlier one with the same context had agreed upon: no
 * certificate was sent. */
bool io_tls_is_resumed(const struct io *io);
/* The client has shown a certificate of the client CA. */
bool io_tls_has_certificate(const struct io *io);
/* And its subject's only common name is this. */
bool io_tls_is_named(const struct io *io, struct slice name);

#endif
