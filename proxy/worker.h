/* A worker: one thread, one event loop, and everything that lives on it - sessions, pools of
 * backends, plans. Nothing here is shared but the deployment and the tenant map, which are
 * immutable and swapped by message. */
#ifndef MQ_PROXY_WORKER_H
#define MQ_PROXY_WORKER_H

#include "base/buf.h"
#include "base/list.h"
#include "placement/placement.h"
#include "proxy/deployment.h"
#include "proxy/findings.h"
#include "proxy/io.h"
#include "proxy/login_guard.h"
#include "proxy/mailbox.h"
#include "proxy/misses.h"
#include "proxy/plan_cache.h"
#include "proxy/quotas.h"
#include "proxy/roster.h"
#include "proxy/vars.h"

struct event;
struct event_base;
struct pool;
struct resolver;
struct session;

enum {
    SCRATCH_SIZE = 65536,  /* one read takes at most this much */
    TICK_MS = 100,         /* how often deadlines are looked at */
};

/* How a client has come. */
struct arrival {
    size_t listener;
    bool unix_socket;
    struct ip address; /* size 0: by a unix socket */
    uint16_t port;
};

/* What workers and the main thread share. */
struct fleet {
    atomic_uint connections;       /* open client connections of all workers */
    atomic_uint next_connection_id;
    struct resolver *resolver;     /* NULL: names are resolved only when they are read */
    struct placement *placement;   /* NULL without a vindex table */
    const struct rsa_key *rsa_key;
    struct roster *roster;
    struct login_guard *login_guard;
    atomic_ullong logins, logins_denied, logins_slowed; /* changes of users included */
    char *_Atomic server_version;  /* last seen */
    struct list versions;          /* all that were seen: readers hold no lock */
    pthread_mutex_t versions_lock;
    struct quotas account_connections, account_statements, tenant_statements;
    atomic_ullong statements;      /* for COM_STATISTICS; added up once per tick */
    uint64_t started_ms;
    struct worker *workers;
    uint32_t worker_count;
};

/* Nothing is counted yet; the rest is the caller's. */
void fleet_init(struct fleet *fleet);
void fleet_fini(struct fleet *fleet);
/* Remembers the version for later greetings. Thread-safe. */
void fleet_see_version(struct fleet *fleet, struct slice version);

struct worker {
    uint32_t number;
    struct fleet *fleet;
    struct event_base *base;
    struct event *on_mail, *on_tick, *on_cleanup, *on_probed;
    struct mailbox mailbox;
    pthread_t thread;
    /* How the outside is reached and what time it is: io_connect and the monotonic clock,
     * unless a test puts its own in their place. */
    struct io *(*connect)(struct event_base *base, const struct sockaddr *address, socklen_t len);
    uint64_t (*clock)(void);
    uint64_t now_ms; /* as of the last event that needed it */

    struct deployment *deployment;
    struct tenant_map *tenants;
    struct misses misses; /* tenants that are not among them */
    uint64_t placement_serial; /* of the last refresh seen */
    struct dialect dialect;    /* of the servers seen; modes 0 */
    bool dialect_known;
    uint32_t default_modes;    /* of the server that is observed */
    bool default_modes_known;
    char default_names[160]; /* SET NAMES as a server has it by default; empty: not known, or unsafe */
    uint32_t probes_open;      /* connections that will tell the dialect */

    struct list sessions;  /* all, by node */
    struct list slowed;    /* logins whose answer waits */
    struct list held;      /* sessions that wait for the dialect, a refresh or a moving tenant */
    struct list line;      /* sessions that wait for a share of what is limited, by wait */
    struct list dying;     /* sessions to free at the end of the loop turn */
    struct list dead_backends;
    struct list runnable;  /* sessions that are READY and have buffered commands */
    struct pool *pools;    /* uthash */
    struct plan_cache *plans;
    struct findings *findings; /* read by other workers as well */
    struct intern_table *interned;

    bool draining, stopping;
    uint64_t statements; /* since the last tick */
    uint64_t sessions_ticked_ms;

    /* Buffers that any handler may use until it returns to the loop. */
    uint8_t scratch[SCRATCH_SIZE];
    struct buf relay;   /* the part of an answer that had to be copied */
    struct buf joined;  /* fragments of one command */
    struct arena arena; /* the command's; reset when its handler returns */
};

/* Makes the worker; worker_run is its thread's body. */
bool worker_init(struct worker *w, uint32_t number, struct fleet *fleet,
                 struct deployment *deployment, struct tenant_map *tenants);
void worker_run(struct worker *w);
void worker_fini(struct worker *w);

/* From other threads. */
void worker_accept(struct worker *w, int fd, const struct arrival *arrival);
/* New tenants as of refresh `serial` and, unless NULL, the deployment they were made for. */
void worker_deploy(struct worker *w, struct deployment *d, struct tenant_map *tenants,
                   uint64_t serial);
/* The session of that number ends, or only its statement. */
void worker_kill(struct worker *w, uint32_t session, bool statement_only);
void worker_drain(struct worker *w);
void worker_stop(struct worker *w);
/* A pool of asker's starves for a backend of the shard: w gives a place up if it can. */
void worker_ask_place(struct worker *w, struct deployment *d, uint32_t shard, struct worker *asker);
/* The place, already counted, that w's pools may use. */
void worker_give_place(struct worker *w, struct deployment *d, uint32_t shard);

/* On the worker's thread. */
struct session *worker_find_session(struct worker *w, uint32_t id); /* NULL: it has none */
/* DDL went through: no worker answers a PREPARE from what it knew before. */
void worker_schema_changed(struct worker *w);
/* A server told its version. False when it is of another flavour than the others: one
 * statement cannot be read in two ways. */
bool worker_learn_version(struct worker *w, struct slice version, const struct dialect *dialect);
/* Connects to every shard once, to learn how the servers read; held sessions wait for it. */
void worker_probe(struct worker *w);
/* A connection that was opened to learn the dialect has told it, or failed. */
void worker_probe_ended(struct worker *w);
/* At the end of the loop turn: frees dying sessions and backends, and lets sessions on the
 * runnable list go on with commands they have buffered. */
void worker_clean_later(struct worker *w);

#endif
