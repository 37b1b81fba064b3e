/* Backends of one shard for one backend account and one set of connection flags, on one
 * worker. Starts empty, grows on demand up to the shard's cap over all workers, and shrinks
 * when idle. */
#ifndef MQ_PROXY_POOL_H
#define MQ_PROXY_POOL_H

#include "proxy/backend.h"

struct pool {
    UT_hash_handle hh;
    struct pool_key {
        uint32_t shard;
        uint32_t account; /* number of the backend account */
        uint32_t flags;   /* CAP_FOUND_ROWS, CAP_IGNORE_SPACE; of the unsharded keyspace's
                             CAP_CONNECT_WITH_DB, for a server's session is never again without
                             a database */
        uint32_t workload; /* of a vtgate: statements that are prepared there name it; else 0 */
        const struct deployment *deployment;
    } key;
    struct worker *worker;
    struct deployment *deployment; /* one reference */
    const struct credentials *credentials;
    struct list idle;  /* most recently used first */
    struct list busy;  /* BUSY and CLEANING */
    struct list opening;
    struct list errands; /* connections beside the pool, not counted in its size */
    struct list waiters; /* sessions, by their wait node, first come first served */
    uint32_t size, waiting;
    /* No connection can be had: statements fail at once, and the sweep alone tries again, after
     * ever longer pauses, until one succeeds. */
    bool down;
    struct err last_error;   /* why the last connection failed */
    uint32_t pause_ms;       /* before the next attempt */
    uint64_t failed_ms;      /* when the last one failed */
    uint64_t retry_ms;       /* when that is due */
    uint64_t trusted_ms;     /* when the shard showed last that it lives, however silent */
    uint64_t asked_ms;      /* when a place was asked for last */
    struct {              /* for the primary, where there are standbys */
        uint32_t left;     /* hosts that have not answered yet; 0: none is asked */
        uint32_t writable; /* of those that have */
        uint32_t found;    /* the last of these */
        bool current;      /* the one in use is among them */
        bool for_probe;    /* the worker waits for its end */
    } search;
    struct list kills;      /* pool_kill.c */
    uint32_t kill_count;
    struct backend *killer; /* carries them out; NULL: there are none */
    struct worker *owed_to; /* has asked for the next place that becomes free; NULL: nobody */
    bool retired;           /* of a former deployment: nothing goes back into it */
};

/* The pool for the session's account, flags and workload. */
struct pool *pool_get(struct worker *w, struct deployment *d, const struct account *account,
                      uint32_t shard, uint32_t flags, uint32_t workload);
/* An idle backend, now BUSY and lent to the session, or NULL: then the session is on the
 * waiters' list, or *reterr says why it cannot be served. */
struct backend *pool_checkout(struct pool *p, struct session *s, struct err *reterr);
/* Opens a backend for this session alone; it takes one of the shard's places. NULL with reterr
 * when there is none (MQ_TOO_MANY_CONNECTIONS), or on failure at once. */
struct backend *pool_open_exclusive(struct pool *p, struct session *s,
                                    const struct backend_login *login, struct err *reterr);
/* The backend, which is idle, lent to the session once more. False when it is gone. */
bool pool_checkout_again(struct backend *b, struct session *s);
/* Closes the prepared statements of idle backends; returns how many. */
uint32_t pool_close_statements(struct pool *p);
/* Does who waits last wait for another session's backend, not for one that is being opened? */
bool pool_makes_wait(const struct pool *p);
/* The session no longer waits. */
void pool_forget_waiter(struct session *s);

/* Opens a backend that nobody waits for, to learn its version. False when it cannot. */
bool pool_open_probe(struct pool *p);
/* Asks the host, on a connection of its own that takes no place, whether it is writable, which
 * primary_heard is told. False when it cannot be reached. */
bool pool_ask_role(struct pool *p, uint32_t host);
struct endpoint *pool_endpoint(const struct pool *p);
/* A client has set global variables of the server: who connects from now on gets them, and so does
 * who borrows. */
void pool_defaults_changed(struct pool *p);
/* Has the backend begun with the variables that are global now, as far as mqgate has seen? */
bool pool_knows_defaults(const struct backend *b);
/* A search for the primary has ended. */
void pool_primary_found(struct pool *p);
void pool_primary_missing(struct pool *p);

/* Opens the backend that kills others, beyond the shard's places. */
bool pool_open_killer(struct pool *p, uint32_t host, struct err *reterr);
const char *pool_shard_name(const struct pool *p);
/* Are its servers vtgates? */
bool pool_is_vitess(const struct pool *p);

/* A pool of the shard has sessions waiting and no place for a backend: another pool on w gives
 * one up, at once or as soon as it can. asking (may be NULL) is not asked itself. */
void pool_yield_place(struct worker *w, const struct pool *asking, struct deployment *d,
                      uint32_t shard, struct worker *asker);
/* A place that was given up arrives: the smallest pool that starves opens a backend. */
void pool_accept_place(struct worker *w, struct deployment *d, uint32_t shard);

/* Told by the backend: logged in; ready for another session; lost. */
void pool_reached(struct pool *p);
void pool_on_ready(struct pool *p, struct backend *b);
void pool_on_lost(struct pool *p, struct backend *b, const struct err *reason);

void pool_retire(struct pool *p);
/* The sweep: closes what has been idle for too long, ends waits that ran out, looks at time limits
 * of what runs, tries a shard again that is down, and asks one that is silent whether it lives. */
void pool_tick(struct pool *p);
bool pool_close_one_idle(struct pool *p);
void pool_kill_all(struct pool *p);
bool pool_empty(const struct pool *p);
void pool_destroy(struct pool *p);

#endif
