/* The session's own state, for the session_*.c files and the relay; what they offer one another is
 * in session_int.h.
 *
 * One command at a time. A command that needs a shard becomes a request; `session_advance`
 * then does whatever the borrowed backend still lacks before the request itself can go out:
 *
 *   SYNC (variables) -> DATABASE -> INSERT_ID -> PREPARE -> CHARACTERISTICS (SET TRANSACTION)
 *     -> BEGIN -> SAVEPOINT -> COMMAND -> STATUS after an error that does not tell it
 *
 * Each step but COMMAND is an exchange of mqgate's own, whose answer the client never sees.
 * DATABASE is for the unsharded keyspace's server only. */
#ifndef MQ_PROXY_SESSION_STATE_H
#define MQ_PROXY_SESSION_STATE_H

#include "proxy/pool.h"
#include "proxy/session.h"
#include "routing/route.h"
#include "wire/command.h"
#include "wire/packet.h"
#include "wire/stmt.h"

enum session_state {
#define SESSION_STATE(name, summary) SESSION_##name,
#include "proxy/states.def"
#undef SESSION_STATE
    SESSION_STATE_COUNT
};

enum step {
    STEP_NONE,
    STEP_SYNC,
    STEP_DATABASE,
    STEP_INSERT_ID,
    STEP_PREPARE,
    STEP_CHARACTERISTICS,
    STEP_BEGIN,
    STEP_SAVEPOINT,
    STEP_COMMAND,
    STEP_STATUS, /* the command's answer has been relayed */
};

/* What the end of a request does. */
enum request_end {
    END_RELAYED,  /* the answer went to the client as it came */
    END_RELEASED, /* the same of COMMIT RELEASE: the connection ends, unless it has failed */
    END_SET,      /* SET was tried on a shard: keep the new variables, answer OK */
    END_BEGUN,    /* a transaction was opened before its first statement: answer OK */
    END_REBEGIN,  /* COMMIT before another BEGIN: a new transaction is pending, answer OK */
    END_RESET,    /* ROLLBACK of COM_RESET_CONNECTION: reset, answer OK */
    END_PREPARED, /* the shard's metadata is known: answer COM_STMT_PREPARE */
    END_FIELDS,   /* the same for COM_FIELD_LIST */
    END_SHARD,    /* one shard of a statement for every shard */
    END_COMMITTED_FIRST, /* COMMIT before a statement that commits by itself: run that now */
    END_LEARNED,  /* what the command depends on is known: it runs again */
    END_USED,      /* the server has the database: USE it, answer OK */
    END_LOGGED_IN, /* so the login's database is a good one: answer OK */
    END_BRANCH,    /* one of several that a transaction ends on: session_branches.c */
    END_FORWARDED, /* the client's own command to its own backend */
};

/* What a command may depend on that only a backend knows. */
enum learning { LEARN_INSERT_ID, LEARN_FOUND_ROWS, LEARN_COUNTS, LEARN_UNTOLD, LEARN_VALUES };

struct request {
    struct buf bytes;         /* the command's packets; an EXECUTE's statement id is patched in */
    uint8_t end;              /* enum request_end */
    bool swallow;             /* the answer is not for the client */
    bool execute;             /* COM_STMT_EXECUTE: needs the statement on the backend */
    bool prepare;             /* COM_STMT_PREPARE: the same, and only that */
    bool transactional;       /* belongs into the transaction that is pending or open */
    bool diagnostics;         /* SHOW WARNINGS: rows may name the tenant */
    bool binary;              /* they become binary rows */
    uint8_t types[3];         /* of its columns, as they were told */
    bool only_there;          /* no other backend knows the answer */
    bool hides_insert_id;     /* LAST_INSERT_ID() of the backend has to be the session's before */
    uint8_t counters;         /* struct route's */
    uint8_t learning;         /* enum learning, of END_LEARNED */
    uint16_t warnings;        /* END_SET: that its assignments have on the shard */
    bool mixed;               /* the SET that was sent assigns what the backend lacked as well */
    bool assigned;            /* it has been sent */
    bool steps_back;          /* the backend is to have what the session had before END_SET */
    bool any_shard;           /* another shard will do if this one is down */
    bool anywhere;            /* so will the unsharded keyspace's server */
    bool wants_database;      /* the unsharded server's; `database` must be the current one */
    bool names_database;      /* prepared SHOW: its heading ends in `database` */
    const char *database;     /* NULL: none; of the session, its statement or the configuration */
    uint8_t answer;           /* enum answer_kind, of the command */
    bool opens_cursor;        /* EXECUTE that asks for one */
    bool fetches;             /* COM_STMT_FETCH */
    bool again;               /* tried once more, since the shard knew the statement no longer */
    struct client_stmt *stmt; /* EXECUTE and FETCH: the client's */
    uint32_t shard;
    uint32_t tried;           /* shards tried so far (any_shard), or retries */
    struct plan_entry *entry; /* one reference; NULL for requests of mqgate's own */
    uint64_t part_serial;     /* of the text for this part of it, which is prepared; 0: the plan's */
    uint64_t bound;           /* by the EXECUTE: session_bound_types() */
};

/* What a part of a statement for several tenants is asked; buffers and names are ours. */
struct part_request {
    uint32_t shard;
    bool execute;        /* command is an EXECUTE of … */
    uint64_t serial;     /* … the text of this number; 0: of the plan's own */
    uint64_t bound;      /* … with parameters of such types */
    struct buf text;
    struct buf command;
    char *tenant;        /* of a write for this one alone; else NULL */
    char *name;          /* of the tenant or shard */
};

/* Names the request's statement on backends. What a server keeps of one execution may show in the
 * next, which may be another client's: MySQL compares `topic = ?` as numbers for good once a number
 * was bound, and ends the answer with a packet that is no end of rows when a statement that ran with
 * a cursor runs without. Such are statements apart. */
static inline struct stmt_key request_stmt_key(const struct request *q)
{
    uint64_t serial = q->part_serial ? q->part_serial : q->entry->serial;
    return (struct stmt_key){ .text = serial << 1 | q->opens_cursor, .bound = q->bound };
}

/* What is prepared under that number. */
static inline const struct template *request_template(const struct request *q)
{
    return q->part_serial ? q->entry->scatter : q->entry->template;
}

/* How a session serves, chosen at its login by `enforcement`. */
struct session_mode {
    /* The client has proved who it is. */
    void (*on_login)(struct session *s);
    /* False when the command has to be run again later: its bytes are kept. */
    bool (*on_command)(struct session *s, const struct packet *p);
    /* A backend was waited for. */
    void (*on_backend)(struct session *s, struct backend *b);
    /* The backend is gone already. */
    void (*on_lost)(struct session *s, const struct err *reason);
    /* One backend for life, and so one deployment; idle time is its server's business. */
    bool lasting;
    uint64_t capabilities; /* that clients are offered besides CLIENT_CAPABILITIES */
};

/* A statement that asks for the warnings of the one before. */
struct question {
    enum { ASKS_NOTHING, ASKS_LIST, ASKS_COUNT, ASKS_OTHER } about;
    bool binary;                   /* asked by COM_STMT_EXECUTE */
    unsigned long long skip, most; /* LIMIT */
    uint64_t rows;                 /* answered so far */
};

/* What a session keeps that only observes. */
struct observed {
    struct backend_login login; /* the client's; bytes are ours */
    struct buf answer;          /* the server's, to the login: OK or ERR */
    bool blind;                 /* the client's text cannot be read: it is not examined */
    bool uploading;             /* LOAD DATA LOCAL: the client sends a file, up to an empty packet */
    /* Of the command under way. */
    struct err why;               /* enforce would refuse it; MQ_OK: it would not */
    struct plan_entry *preparing; /* one reference */
    char *use;                    /* the database, if the command succeeds */
    bool resets;                  /* COM_RESET_CONNECTION */
    struct halfway *halfway;      /* it is several statements: session_halfway.c; else NULL */
    uint32_t kill_at, kill_len;   /* KILL: where in its text the number stands */
    struct question question;
    bool warns;                   /* its answer gets a warning, when it is no error */
    /* Of the last statement. */
    struct err warning;        /* that its answer got; MQ_OK: none */
    uint16_t servers_warnings; /* besides */
};

/* The statements of one COM_QUERY; text is empty unless there are several. */
struct script {
    struct buf text;
    size_t at;   /* where the one begins that runs, or will as soon as the session is READY */
    size_t next; /* where the one behind it begins; the end of the text: it is the last */
};

/* A login under way, or COM_CHANGE_USER. */
struct login_attempt {
    struct server_login exchange;
    uint64_t offered;         /* capabilities, by the greeting */
    struct verifier verifier; /* what it proves the client against */
    bool proved;
    uint64_t answer_at_ms;    /* of what has been decided: `held`, and OK or ERR; 0: nothing has */
    struct buf held;
    struct err why;           /* what the client chose and may not, which is told only to who has
                                 proved to be somebody; MQ_OK: nothing */
};

/* Rows that wait at a shard for COM_STMT_FETCH. The backend's statement is the cursor's alone. */
struct cursor {
    struct list node;        /* on session->cursors while it is open */
    struct backend *backend; /* kept for it; NULL: it is not open */
    struct backend_stmt *stmt; /* owned; the backend's own is another */
    enum err_code lost;      /* it was open, and why it is no longer; MQ_OK: it was not lost */
    struct stored_rows *stored; /* it is open, and the rows are here: session_stored.c; else NULL */
};

/* What SET TRANSACTION and START TRANSACTION say. */
enum access { ACCESS_OF_SESSION, ACCESS_READ_ONLY, ACCESS_READ_WRITE };
struct characteristics {
    uint8_t isolation; /* of session_transaction.c; 0: the session's */
    uint8_t access;    /* enum access */
    bool snapshot;     /* WITH CONSISTENT SNAPSHOT */
};

/* What a command has learned for when it runs again. */
struct learned {
    struct buf row, types; /* the one row of the answer, and each column's type */
    struct err_packet why; /* there is none; code 0: there is. message is in `text` */
    char *text;
};

/* Of what a client with CLIENT_SESSION_TRACK is told; zero: as servers do by default. */
struct tracking {
    bool chosen;        /* session_track_system_variables was set */
    uint64_t variables; /* to these: a bit for each enum var */
    bool no_schema;     /* session_track_schema = OFF */
};

struct client_stmt {
    UT_hash_handle hh;
    uint32_t id;
    struct plan_entry *entry; /* one reference */
    char *database;           /* when it was prepared: of the unsharded server, or in the heading of
                                 a SHOW; NULL: none */
    struct param_type *types; /* as bound last */
    bool has_types;
    struct buf *long_data;    /* per parameter, or NULL */
    bool *has_long_data;
    size_t long_bytes;
    struct err long_error;    /* of SEND_LONG_DATA: told at every EXECUTE until it is reset */
    uint16_t columns;         /* that the client was told of last */
    uint64_t columns_hash;    /* of the same: hash_column() */
    struct cursor cursor;
};

struct session {
    struct list node;   /* worker->sessions or worker->dying */
    struct list queue;  /* worker->held, slowed or runnable */
    struct list wait;   /* pool->waiters or worker->line */
    struct pool *waits_for;
    struct worker *worker;
    struct io *io;
    enum session_state state;
    const struct session_mode *mode;
    bool is_part;                /* session_part.c; not on worker->sessions, nor known to others */
    struct scatter_part *part;   /* the other end's; NULL: it has left */
    struct buf part_text;        /* of request.part_serial */
    struct scatter *scatter;     /* the command is for several tenants: session_scatter.c */
    struct observed *observed; /* NULL: enforce */
    uint32_t id;
    struct arrival from;
    bool expects_proxy; /* a PROXY header comes before the greeting */
    bool close_after_flush;
    bool lingers; /* CLOSING: what the client still sends is read, so that it sees the end */
    struct buf in;  /* bytes of commands that wait or are not complete */
    struct buf out; /* bytes the client has not taken yet */
    uint8_t seq;    /* of the next packet to the client */
    uint64_t since_ms; /* of the state, for time limits */
    uint64_t moved_ms; /* the client's end took something of `out`, or sent a part of a command */

    /* Login. */
    uint64_t capabilities;
    struct login_attempt *login;  /* until it is done */
    uint8_t nonce[NONCE_SIZE];    /* of the last login: COM_CHANGE_USER may need it again */
    struct deployment *deployment; /* one reference */
    const struct account *account; /* of the deployment */
    char *user;
    char *workload; /* of session_keep_workload(); NULL: without Vitess */

    /* Names under which it has taken a share of what is limited; NULL: none. */
    struct {
        char *connection, *account, *tenant;
        struct tenant_shares *tenants; /* of a statement for several: taken, or wanted */
    } shares;

    /* What the client set up. */
    char *database;       /* the name it used, NULL: none */
    bool elsewhere;       /* it is of the unsharded keyspace */
    char *login_tenant;   /* attribute or database@tenant: survives a reset */
    char *tenant;         /* SET @mq_tenant */
    bool tenant_forgotten; /* @mq_tenant was set, then a reset came */
    bool tenant_schema;
    struct vars vars, login_vars;
    struct vars trial;    /* during END_SET */
    struct vars due;      /* of session_vitess_vars() */
    bool trying;
    struct {              /* before the SET at hand, in case it fails */
        char *tenant;
        bool tenant_forgotten, tenant_schema;
        struct characteristics next, begun;
        struct tracking tracking;
    } before;
    uint32_t modes, trial_modes, default_modes; /* MODE_… of sql_mode */
    enum strictness { STRICT_AS_SHARD, STRICT_ON, STRICT_OFF } strict, trial_strict; /* the same */
    struct tracking tracking;
    uint64_t assigned;    /* by SET, which its OK tells of: a bit for each enum var */
    bool chose_database;  /* the same */
    uint16_t status;      /* as the client was told last */

    /* The transaction. */
    struct backend *backend; /* borrowed for the command, or pinned by a transaction */
    bool pinned;
    uint64_t pinned_ms;      /* since when */
    struct backend *home;    /* the session's own: session_home.c */
    bool home_lost;          /* with what the session had there */
    struct buf temporaries;  /* names of its tables there, each with a NUL behind it */
    char *using;             /* of END_USED */
    uint8_t untold;          /* TELLS_… that home has to be asked before the next statement */
    uint64_t untold_variables;
    bool unfollowed;         /* variables were set there that shards do not have */
    /* Why the transaction is gone, which the next command is told. */
    enum err_code lost_transaction;
    bool begin_pending;      /* BEGIN was answered, but no shard has seen it */
    bool began;              /* the open one was begun by BEGIN, not by autocommit=0 */
    struct branches *branches; /* it is open on several shards: session_branches.c; else NULL */
    struct characteristics next;  /* SET TRANSACTION for the next transaction only */
    struct characteristics begun; /* of the transaction that is pending or open */
    bool characteristics_set;     /* the borrowed backend has been told */
    struct buf savepoints;        /* set before there was a shard: session_savepoints.c */
    size_t savepoints_sent;       /* bytes of them that the borrowed backend has been told */
    char *transaction_tenant;
    const struct catalog_table *last_table; /* of the last routed statement; of the deployment */
    char last_separator; /* of its qualified partition keys; 0: they are plain */

    /* The command under way. */
    struct script script;
    const struct lexed *statement; /* while its handler runs; NULL: none, or unreadable */
    bool binary;          /* while its handler runs: it is an EXECUTE, whose rows are binary */
    struct request request;
    enum step step;
    uint64_t interrupted_ms; /* it took too long, and the shard was told then; 0: not so */
    bool pipelined;       /* the command is out behind its BEGIN */
    bool answer_started;  /* bytes of the answer went to the client */
    bool rewriting;       /* packets are renumbered or translated on their way */
    struct prepare_answer *preparing; /* STEP_PREPARE: what came so far; with mem_alloc */
    size_t preparing_room;
    uint32_t preparing_id;     /* the backend's */
    uint32_t preparing_param;  /* parameter definitions seen */
    uint32_t preparing_column; /* those of columns */
    char *fields_like;         /* COM_FIELD_LIST: the pattern of the names; NULL: all */
    uint64_t definitions_left; /* of the result set at hand, until the client's EOF is due */
    bool metadata_changed; /* the answer has other columns than PREPARE has told of */
    uint64_t columns_hash; /* of the definitions so far */
    bool eof_due;         /* behind the definitions, unless they are all: a cursor is open */
    uint64_t held_serial; /* HELD: the refresh that is waited for; 0: the dialect */
    bool probed;          /* the dialect was waited for */
    bool interrupted;     /* killed while HELD: told when it would run again */
    bool missed;          /* the tenant was missed, and a refresh was waited for */
    uint64_t hold_until_ms;
    uint32_t next_shard;  /* END_SHARD: the one at work */
    struct plan_entry *deferred; /* runs after END_COMMITTED_FIRST */
    struct learned *learned; /* NULL: nothing */
    struct process_list *processes; /* the same, of SHOW PROCESSLIST */

    /* What the last statement left behind. */
    uint64_t last_insert_id;       /* unless one of the next two */
    struct backend *insert_id_at;  /* only this one knows it; NULL: none */
    bool insert_id_lost;           /* nobody knows it */
    int64_t row_count;
    uint64_t found_rows;            /* unless one of the next two */
    struct backend *found_rows_at;  /* only this one knows it; NULL: none */
    bool found_rows_lost;           /* nobody knows it */
    uint64_t warning_count, error_count; /* of diagnostics, if they are known */
    bool warnings_counted, errors_counted;
    uint16_t warnings;       /* set by session_note_warnings() alone */
    bool warned_apart;       /* they are several shards' … */
    struct scatter *warned;  /* … whose parts can be asked for them; NULL: no longer */
    struct backend *teller;  /* IDLE, and still holds them; NULL: none */
    char *own_error;         /* an error of mqgate's own, as it was told; NULL: none */
    uint16_t own_errno;
    char *kept_error;        /* of session_keep_error(), until the statement's end is noted */
    uint16_t kept_errno;

    struct client_stmt *stmts;
    struct list cursors; /* those that are open */
    uint32_t next_stmt_id, stmt_count;
    uint32_t last_stmt_id; /* of the last PREPARE; 0: it failed, or there was none */
    size_t long_bytes; /* long data of all of them */
    size_t stored_bytes; /* rows of their cursors that are kept here */
};

#endif
