/* One connection to a shard: connect, log in, ask for its sql_mode, then serve one session
 * at a time. It belongs to one pool, and to the worker of that pool. */
#ifndef MQ_PROXY_BACKEND_H
#define MQ_PROXY_BACKEND_H

#include "proxy/hash.h"
#include "proxy/worker.h"
#include "wire/answer.h"

enum backend_state {
#define BACKEND_STATE(name, summary) BACKEND_##name,
#include "proxy/states.def"
#undef BACKEND_STATE
    BACKEND_STATE_COUNT
};

/* How a backend logs in: as pools do, or as the one client that it is for. */
struct backend_login {
    uint64_t capabilities; /* wanted of the server */
    uint8_t charset;       /* collation id */
    bool has_database;
    struct slice database, attributes; /* borrowed; the session or the deployment outlives them */
};

/* What tells a backend's statements apart: request_stmt_key(). */
struct stmt_key {
    uint64_t text;  /* what was prepared, and whether with a cursor */
    uint64_t bound; /* session_bound_types() of what ran it; 0: nothing yet, or it has no parameters */
};

/* A statement prepared on this backend. */
struct backend_stmt {
    UT_hash_handle hh;
    struct list lru; /* least recently used last */
    struct stmt_key key;
    uint32_t id; /* the shard's */
    char *database; /* in which it was prepared, or which its heading names; NULL: none */
    uint64_t reading; /* vars_reading() at that time */
};

struct backend {
    struct list node; /* on its pool's list for its state, or on the worker's dead list */
    struct pool *pool;
    struct worker *worker;
    struct io *io;
    struct host *host;    /* of the shard's endpoint */
    uint32_t host_number;
    uint32_t attempt;     /* of its addresses, the next to try */
    struct sockaddr_storage address; /* the one tried last */
    enum backend_state state;
    struct session *session; /* borrower, in BUSY; of an exclusive one for life */
    bool warned;          /* a SET that brought it in line told warnings */
    struct session *told; /* IDLE: whose last statement's warnings it holds; NULL: nobody's */
    struct session *id_for; /* whose LAST_INSERT_ID() only this connection knows; NULL: nobody's */
    struct session *found_for; /* the same of FOUND_ROWS() */
    uint64_t insert_id;     /* what LAST_INSERT_ID() is on this connection, if that is known */
    bool insert_id_known;
    bool exclusive;          /* never lent to another session, and so neither probed nor cleaned */

    struct buf in;  /* bytes of a packet that is not complete */
    struct buf out; /* bytes the shard has not taken yet */
    size_t pass_left; /* bytes of a row that still have to pass through */

    uint64_t capabilities;
    uint32_t connection_id; /* the shard's, for KILL */
    uint32_t server;        /* hash of its host's name and port */
    struct kill_order *kill; /* its statement is to be killed; the pool's; NULL: it is not */
    struct dialect dialect;
    struct backend_login wanted;
    struct client_login login;
    uint8_t seq;
    char *database; /* of the unsharded keyspace's server: the current one; NULL: none */
    struct vars vars;     /* what was set last */
    char *modes;          /* its default sql_mode, as it was at the login */
    bool strict;          /* which is strict */
    unsigned defaults;    /* the endpoint's when it was opened */
    struct answer answer;
    uint16_t status;      /* of the last OK */
    bool unsure;          /* an error under autocommit=0: it does not tell of a transaction */

    struct backend_stmt *statements;
    struct list statements_lru;
    uint32_t statement_count;
    uint32_t cursors; /* open ones of its session, which keeps it for as long as there are any */

    uint64_t deadline_ms; /* CONNECTING, LOGIN, PROBE, CLEANING, KILLING; 0 none */
    uint64_t idle_since_ms;
    uint64_t heard_ms;    /* when the shard said something last; 0: never */
    bool killed;          /* its statement was: once is enough */
    uint32_t interrupted; /* KILL QUERYs that have hit nothing yet, and may hit what runs next */
    bool probe_only; /* opened to learn the dialect; nobody waits for it */
    char *errand;    /* beside its pool: the statement that it was opened for; NULL: none */
    bool asks_role;  /* that statement asks whether the host is writable */
    bool writable;   /* and it is */
};

/* Is it a vtgate's? */
bool backend_is_vtgate(const struct backend *b);
/* Can it be given these variables? A vtgate cannot take one back to its default. */
bool backend_suits(const struct backend *b, const struct vars *wanted);
/* Opens a connection to one of the shard's hosts for the pool, or, with a session, for that one
 * alone, logging in as it wants. Its end is told to the pool. NULL with reterr on failure at once. */
struct backend *backend_open(struct pool *pool, uint32_t host, struct session *s,
                             const struct backend_login *wanted, struct err *reterr);
/* Sends; what the socket does not take is kept. False when the connection is lost. */
bool backend_send(struct backend *b, const struct iovec *parts, int count);
/* Sends a COM_QUERY of mqgate's own and begins to follow its answer. */
bool backend_query(struct backend *b, const char *text);
/* The one function that changes the state of a living backend. */
void backend_move(struct backend *b, enum backend_state to);
/* Closes; the pool learns why (NULL: no fault). */
void backend_end(struct backend *b, const struct err *reason);
/* The same for a fault, which is logged, and which the borrower learns as well. */
void backend_lose(struct backend *b, enum err_code code, const char *what);
/* Ends the session's use: IDLE, or CLEANING when a transaction is open. An exclusive one is
 * closed. */
void backend_release(struct backend *b);
/* Between two statements of a session that keeps it. */
void backend_reserve(struct backend *b);
/* Its deadline has passed: it ends with the reason that fits its state. */
void backend_expire(struct backend *b);
/* Another statement will run on it, for that session (NULL: none will): whoever could have
 * asked it for what a statement left behind is told. */
void backend_forget_left(struct backend *b, const struct session *next);
/* Closes at once; the pool is told. */
void backend_kill(struct backend *b);
void backend_free(struct backend *b); /* only the worker's cleaning */
const char *backend_state_name(enum backend_state s);

/* The statement of that key, most recently used now; one that has not run yet becomes it. NULL: not
 * prepared here. */
struct backend_stmt *backend_stmt_find(struct backend *b, struct stmt_key key);
void backend_stmt_add(struct backend *b, struct stmt_key key, uint32_t id, const char *database);
/* Forgets it, if it is there, and appends its COM_STMT_CLOSE. */
void backend_stmt_close(struct backend *b, struct stmt_key key, struct buf *out);
/* The same for all of that text, whatever was bound. */
void backend_stmt_close_text(struct backend *b, uint64_t text, struct buf *out);
/* Only forgets it: the shard has done so already. */
void backend_stmt_forget(struct backend *b, struct stmt_key key);
/* Closes all but those of cursors; returns how many. */
uint32_t backend_stmts_close(struct backend *b);
/* Like backend_stmt_close(), of the least recently used while the bound leaves no room for another. */
void backend_stmt_make_room(struct backend *b, struct buf *out);
/* Takes a statement out, for a cursor, which nobody else may disturb; NULL: it is not there. */
struct backend_stmt *backend_stmt_take(struct backend *b, struct stmt_key key);
/* Puts it back; false: there is another by now, or no room. */
bool backend_stmt_return(struct backend *b, struct backend_stmt *stmt);
void backend_stmt_destroy(struct backend_stmt *stmt);

#endif
