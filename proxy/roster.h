/* Who is connected: the sessions of all workers that have logged in, by their numbers, so that one
 * can be found by another (KILL). A session's own worker writes its entry, anybody may look; under
 * a lock, and never on the data path. */
#ifndef MQ_PROXY_ROSTER_H
#define MQ_PROXY_ROSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct roster;
struct roster *roster_create(void);
void roster_destroy(struct roster *r);

/* The session has logged in as user. servers: the number by which its server knows an observed
 * one, whose greeting came before the server was asked; 0 for others. */
void roster_add(struct roster *r, uint32_t id, uint32_t worker, uint32_t servers,
                struct slice user);
void roster_remove(struct roster *r, uint32_t id);

struct roster_entry {
    uint32_t worker, servers;
    bool same_user; /* as the one who looks */
};
/* False if there is no such session. */
bool roster_find(struct roster *r, uint32_t id, struct slice user, struct roster_entry *ret);

#endif
