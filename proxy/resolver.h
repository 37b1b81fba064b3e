/* The thread that resolves names again after a connection has failed, since that may take long. */
#ifndef MQ_PROXY_RESOLVER_H
#define MQ_PROXY_RESOLVER_H

#include "proxy/deployment.h"

struct resolver;

/* NULL when no thread can be had. */
struct resolver *resolver_start(void);
/* Waits for the name under way. NULL is fine. */
void resolver_stop(struct resolver *r);
/* The host is the deployment's. What is asked already is not asked again. Any thread; NULL is
 * fine, and does nothing. */
void resolver_ask(struct resolver *r, struct deployment *d, struct host *h);

#endif
