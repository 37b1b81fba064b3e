/* The tenant vindex table: read on a thread of its own (everything in libmysqlclient may
 * block) into immutable maps, which are handed to whoever subscribed.
 *
 *   refresh due (interval, miss, SIGHUP) ─> rows changed since the last version ─> new map
 *        └─ failed: the old map stays, unconfirmed; its age is checked where it is used */
#ifndef MQ_PLACEMENT_PLACEMENT_H
#define MQ_PLACEMENT_PLACEMENT_H

#include "vschema/topology.h"

struct placement;

/* Called on the placement thread after each refresh, whether the map changed or not; the
 * callee acquires the map if it keeps it. serial counts refreshes, so that one who waits for
 * a refresh can tell. failed is NULL on success, else the reason, which has been logged: once
 * when refreshes begin to fail, and again when they work. */
typedef void placement_published(void *context, struct tenant_map *map, uint64_t serial,
                                 const struct err *failed);

/* Reads the table once (or, if it cannot be read, the snapshot file), then starts the
 * thread. *ret_map is the caller's reference. Fails with MQ_VINDEX_TABLE_UNAVAILABLE or
 * MQ_TENANTS_EMPTY. */
enum err_code placement_start(struct topology *topology, placement_published *published,
                              void *context, struct placement **ret, struct tenant_map **ret_map,
                              struct err *reterr);
/* Asks for a refresh soon and returns at once; requests made while one is under way are
 * served by the next. Returns the serial of the refresh that will have seen the table after
 * this call. Thread-safe. */
uint64_t placement_refresh(struct placement *p);
/* A new topology after a reload; takes effect with the next refresh, which it triggers and
 * whose serial it returns: maps published before that serial name the old topology's shards,
 * those from then on the new one's, also when the table cannot be read then. Thread-safe. */
uint64_t placement_reconfigure(struct placement *p, struct topology *topology);
/* Ends the thread; no call of `published` happens afterwards. Waits for a refresh that is
 * under way, at most for the time limits of its connection. NULL is fine. */
void placement_stop(struct placement *p);

#endif
