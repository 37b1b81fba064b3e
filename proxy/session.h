/* A client's connection: its state machine, from greeting to close. Lives on one worker. */
#ifndef MQ_PROXY_SESSION_H
#define MQ_PROXY_SESSION_H

#include "proxy/backend.h"

struct session;
struct process_list;

/* Takes the io; sends the greeting at once, unless a PROXY header has to come first. */
struct session *session_create(struct worker *w, struct io *io, const struct arrival *arrival);

/* The answer to a login that has to wait, if its time has come. */
void session_try_answer(struct session *s);

/* Told by pools: the backend that was waited for, or why there is none. */
void session_on_backend(struct session *s, struct backend *b);
void session_on_no_backend(struct session *s, const struct err *reason);
/* Told by the borrowed backend. data is writable and valid during the call; returns how much
 * of it was used up (what is left comes again with more behind it). */
size_t session_on_backend_data(struct session *s, uint8_t *data, size_t len);
/* A backend that it uses, or keeps for its cursors. */
void session_on_backend_lost(struct session *s, struct backend *b, const struct err *reason);
/* The backend is about to go, and its cursors with it. */
void session_cursors_lost(struct session *s, const struct backend *b);
/* Is it this one that the session's command is for? */
bool session_uses(const struct session *s, const struct backend *b);
/* The backend that held the last statement's warnings does so no longer. */
void session_teller_gone(struct session *s);
/* The backend that alone knew LAST_INSERT_ID() does so no longer. */
void session_insert_id_gone(struct session *s);
/* The same of FOUND_ROWS(). */
void session_found_rows_gone(struct session *s);
/* The server of its own backend answers the login with this OK or ERR; what follows from it is
 * told by the others. */
void session_on_login_answer(struct session *s, struct slice payload);
/* What the backend had not taken yet is out. */
void session_on_backend_flushed(struct session *s);

/* It stands in the worker's line: a share may be free, or its wait may have run out. */
void session_try_line(struct session *s);
/* The sweep looks at the time limits of what it does with its backend. */
void session_watch_backend(struct session *s, const struct backend *b);
/* Since when the shard owes it an answer; 0: nothing is asked, or the client has to read first. */
uint64_t session_asked_ms(const struct session *s);

/* Somebody who may has killed it, or only its statement. */
void session_on_kill(struct session *s, bool statement_only);
/* It tells of itself, if whoever asks may know. */
void session_add_process(const struct session *s, struct process_list *p);
/* What it has asked for; takes the list. */
void session_on_process_list(struct session *s, struct process_list *p);
/* A held session, or one with buffered commands, goes on. */
void session_resume(struct session *s);
/* HELD: not yet, given the last refresh seen? */
bool session_waits_for_refresh(const struct session *s, uint64_t serial, uint64_t now_ms);
bool session_waits_for_dialect(const struct session *s);
/* The worker's tick: limits of time. */
void session_tick(struct session *s);
/* Between statements the session ends. */
void session_end_if_idle(struct session *s);
/* Ends at once; freed at the end of the loop turn. */
void session_kill(struct session *s);
void session_free(struct session *s); /* only the worker's cleaning */
/* A new deployment; bindings are read anew. */
void session_adopt(struct session *s);

uint32_t session_id(const struct session *s);
struct list *session_node(struct session *s);
struct session *session_of_node(struct list *node);
struct session *session_of_queue_node(struct list *node);
struct session *session_of_wait_node(struct list *node);
struct list *session_wait_node(struct session *s);
struct pool *session_waits_for(const struct session *s);
uint64_t session_wait_deadline_ms(const struct session *s);
const struct vars *session_vars(const struct session *s);

#endif
