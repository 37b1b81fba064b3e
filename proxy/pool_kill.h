/* Statements of a shard that have to stop: by KILL on a connection of its own to the same host, one
 * at a time for each pool, beyond the places of `pool.max_per_shard`.
 *
 *   order ──> connects, logs in, PROBE ──same server?──> KILL, one order after another ──> closed
 *
 * A number means something to one server only, and an address may lead to another one by now: what
 * the probe tells of the server has to be what the backend's own probe told. */
#ifndef MQ_PROXY_POOL_KILL_H
#define MQ_PROXY_POOL_KILL_H

#include "proxy/pool.h"

/* The backend's statement is to end, the backend goes on with its session. */
void pool_kill_statement(struct backend *b);
/* The backend's connection is of no more use, and about to be closed: so is its statement. */
void pool_kill_connection(struct backend *b);
/* The statement has ended by itself: it is not killed unless that is on its way. */
void pool_spare(struct backend *b);

/* Told by the pool: its killer has nothing to wait for, or is gone. */
void pool_on_killer_ready(struct pool *p);
void pool_on_killer_lost(struct pool *p, uint32_t host);

#endif
