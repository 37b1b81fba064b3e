/* Failed logins, by account and address: after a few of them each answer waits, longer every time,
 * whether it says yes or no, so that guessing gains nothing by asking again elsewhere meanwhile. A
 * success forgets them, and so do some minutes. Shared by all workers, under a lock.
 *
 * Up to 4096 pairs are remembered, of names their first 256 bytes; the one that failed least
 * recently gives way. */
#ifndef MQ_PROXY_LOGIN_GUARD_H
#define MQ_PROXY_LOGIN_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct login_guard;
struct login_guard *login_guard_create(void);
void login_guard_destroy(struct login_guard *g);

/* The client has proved who it is, or not; returns for how many milliseconds its answer has to
 * wait, at most longest_ms. 0 for longest_ms: nobody waits. */
uint32_t login_guard_note(struct login_guard *g, struct slice user, struct slice address,
                          bool proved, uint64_t now_ms, uint32_t longest_ms);

#endif
