/* Which of a shard's servers is the primary, where there are standbys: the one that is writable.
 * All are asked at the start, every few seconds, when a connection cannot be made, and when a
 * statement was refused since its server is read-only. Two that are writable have lost each
 * other: then nobody may write, and the shard is refused until it has one primary again.
 *
 *   UNKNOWN ──> one ──> MQ_OK, endpoint->primary
 *     ^  ^       none ─> MQ_SHARD_NO_PRIMARY ──┐ asked again
 *     │  └────── two ──> MQ_SHARD_TWO_PRIMARIES┘
 *     └ suspected: statements wait for the answer
 *
 * vtgates are such servers as well, but any of them that can be reached will do.
 */
#ifndef MQ_PROXY_PRIMARY_H
#define MQ_PROXY_PRIMARY_H

#include "proxy/pool.h"

/* MQ_OK: endpoint->primary may be used. MQ_INTERNAL: not known yet, a search is under way. Else why
 * there is none, and what to tell. */
enum err_code primary_fault(const struct pool *p, struct err *reterr);
/* Asks all servers of the pool's shard, unless that is under way. */
void primary_search(struct pool *p);
/* The primary may be another by now: statements wait until that is known. False: there are no
 * standbys, or they were asked just now. */
bool primary_suspect(struct pool *p);
/* A server has told its role, or cannot be asked. */
void primary_heard(struct pool *p, uint32_t host, bool writable);
/* The sweep. */
void primary_tick(struct pool *p);

#endif
