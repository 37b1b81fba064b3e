/* A topology in service: what all workers share until the next reload. Immutable but for the
 * counters; freed with its last reference. */
#ifndef MQ_PROXY_DEPLOYMENT_H
#define MQ_PROXY_DEPLOYMENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "proxy/host.h"
#include "vschema/topology.h"
#include "wire/auth.h"

enum { PRIMARY_UNKNOWN = -1 };

struct endpoint {
    struct host *hosts; /* the shard's address, then its standbys */
    uint32_t host_count;
    atomic_uint primary; /* the host that is used; found by primary.c where there are standbys */
    atomic_int fault;    /* enum err_code: why none is used, or PRIMARY_UNKNOWN */
    atomic_ullong searched_ms; /* when the hosts were asked last */
    atomic_uint defaults; /* changed by SET GLOBAL: older backends have other defaults */
    atomic_uint open;    /* backends of all workers, capped by pool.max_per_shard */
    atomic_ullong reached_ms; /* when any of them logged in last */
};

struct account {
    const struct account_config *config;
    struct verifier verifier; /* under the deployment's lock: logins add to it */
    uint32_t backend;    /* accounts with equal backend credentials share a number */
};

struct deployment {
    struct topology *topology;
    struct endpoint *endpoints; /* by shard, then the unsharded keyspace's */
    struct account *accounts;   /* as in the configuration */
    struct tls_context *client_tls; /* NULL: no listener offers TLS */
    pthread_mutex_t verifiers_lock;
    atomic_uint references;
};

/* Takes one reference of the topology, also on failure. Resolves the shards' names (may block:
 * main thread) and reads the files of TLS. Fails with MQ_TLS_FILES. */
enum err_code deployment_create(struct topology *topology, struct deployment **ret,
                                struct err *reterr);
struct deployment *deployment_acquire(struct deployment *d);
void deployment_release(struct deployment *d);
/* What is known of the account's password now. */
void deployment_verifier(struct deployment *d, const struct account *account, struct verifier *ret);
/* A full login has shown the hash that makes the account's next one fast. */
void deployment_learn(struct deployment *d, const struct account *account, const uint8_t sha2[32]);
/* NULL when there is no such account. */
const struct account *deployment_account(const struct deployment *d, struct slice user);

#endif
