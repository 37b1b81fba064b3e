/* What io_tls.c needs of a context. */
#ifndef MQ_PROXY_TLS_INT_H
#define MQ_PROXY_TLS_INT_H

#include <openssl/ssl.h>

#include "proxy/tls.h"

/* A connection that has not begun its handshake. Never NULL. */
SSL *tls_context_connection(const struct tls_context *c);

#endif
