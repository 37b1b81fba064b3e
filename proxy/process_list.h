/* SHOW PROCESSLIST: the sessions of all workers, gathered by one message that goes from worker to
 * worker. Whoever holds it owns it, so that nothing is locked and no session is looked at by
 * another thread. */
#ifndef MQ_PROXY_PROCESS_LIST_H
#define MQ_PROXY_PROCESS_LIST_H

#include "proxy/worker.h"

/* The columns of SHOW PROCESSLIST. */
enum process_column {
    PROCESS_ID,
    PROCESS_USER,
    PROCESS_HOST,
    PROCESS_DATABASE,
    PROCESS_COMMAND,
    PROCESS_TIME,
    PROCESS_STATE,
    PROCESS_INFO,
    PROCESS_COLUMNS
};

struct process_list {
    struct message message;
    struct fleet *fleet;
    uint32_t worker;        /* where it is to be looked next, or where the session is that asks */
    uint32_t home, session; /* who asks */
    bool all;               /* not only its own account's */
    char *user;
    struct slice *cells; /* PROCESS_COLUMNS for each session; data NULL: NULL */
    size_t count;        /* of sessions */
    struct arena arena;  /* of the texts */
};

/* Goes round; ends in session_on_process_list() of the session that asks. */
void process_list_begin(struct fleet *fleet, uint32_t home, uint32_t session, const char *user,
                        bool all);
void process_list_destroy(struct process_list *p);
/* One more session: room for its cells. */
struct slice *process_list_add(struct process_list *p);
/* By number, as servers do. */
void process_list_sort(struct process_list *p);

#endif
