/* What the session_*.c files and the relay offer one another, file by file. Its state is in
 * session_state.h. */
#ifndef MQ_PROXY_SESSION_INT_H
#define MQ_PROXY_SESSION_INT_H

#include "proxy/session_state.h"

/* session.c */
/* On no list yet, and without a state. */
struct session *session_new(struct worker *w, struct io *io);
void session_move(struct session *s, enum session_state to);
void session_send(struct session *s, const struct iovec *parts, int count);
void session_send_payload(struct session *s, struct slice payload);
/* Status flags for an answer of mqgate's own. */
uint16_t session_own_status(const struct session *s);
void session_send_ok(struct session *s);
/* An EOF, or what stands for it: the whole answer to COM_SET_OPTION. */
void session_send_end(struct session *s);
void session_send_ok_rows(struct session *s, uint64_t affected, uint64_t insert_id);
void session_send_err(struct session *s, const struct err *e);
void session_send_result(struct session *s, const struct text_result *result);
/* The same about the statement before, whose warnings stay. */
void session_send_rows(struct session *s, const struct text_result *result);
/* The command has been answered: READY again. */
void session_done(struct session *s);
/* The command has done what it should, and nothing more is to be said. */
void session_done_ok(struct session *s);
/* The command at hand runs again, from its kept bytes. */
void session_run_again(struct session *s);
/* err, then done. */
void session_refuse(struct session *s, const struct err *e);
/* What is in `out` is sent, then the connection is closed. */
void session_close_gently(struct session *s);
/* For a backend, or for a share. */
void session_stop_waiting(struct session *s);
const char *session_where(const struct session *s, char buffer[32]);

/* More of a command is due from the client. */
bool session_wants_packets(const struct session *s);

/* session_shares.c */
/* One more connection of the account that has logged in; one fewer. */
enum err_code session_join_account(struct session *s, struct err *reterr);
void session_leave_account(struct session *s);
/* For the request at hand. False: the session waits in line. */
bool session_take_shares(struct session *s);
void session_give_shares(struct session *s);
/* The request at hand is for all tenants of the route. */
void session_want_shares(struct session *s, const struct route *r);

/* session_limits.c */
/* The shard has ended the statement because mqgate asked it to: *ret_why is what the client
 * learns instead. */
bool session_was_interrupted(const struct session *s, const struct err_packet *error,
                             struct err *ret_why);

/* session_transport.c */
/* Greets, or waits for a PROXY header. */
void session_receive(struct session *s);
/* Returns how many bytes the header has; 0: not all of it is there, or the session has ended. */
size_t session_take_proxy_header(struct session *s, const uint8_t *data, size_t len);
bool session_offers_tls(const struct session *s);
/* After an SSLRequest; early is what came behind it. False: it may not be. */
bool session_begin_tls(struct session *s, struct slice early);
/* Clear passwords may pass. */
bool session_is_secure(const struct session *s);
bool session_suits_listener(const struct session *s);
bool session_suits_account(const struct session *s);

/* session_login.c */
void session_greet(struct session *s);
/* Who the client says it is, and what it chooses: a login begins. False: the listener asks for TLS,
 * and the client was told. */
bool session_take_login(struct session *s, const struct login *login);
/* What the exchange says is done. */
void session_login_step(struct session *s, enum login_step step, struct buf *out);
/* The login that is over. */
void session_end_login(struct session *s);
/* The client is welcome, unless its login chose what it may not. */
void session_welcome(struct session *s);
void session_fail_login(struct session *s, const struct err *why);
/* Checks the database of "database" or "database@tenant". */
enum err_code session_check_database(const struct session *s, struct slice name,
                                     struct err *reterr);
/* Returns how many of the bytes behind the packet belong to it: those of TLS that were sent with
 * an SSLRequest. */
size_t session_login_packet(struct session *s, const struct packet *p, struct slice behind);
enum err_code session_choose_tenant(struct session *s, struct slice tenant, bool at_login,
                                    struct err *reterr);
/* Checks "database" or "database@tenant". */
enum err_code session_use(struct session *s, struct slice name, bool at_login, struct err *reterr);

/* session_change_user.c */
void session_change_user(struct session *s, struct slice body);

/* session_kill.c */
/* COM_PROCESS_KILL. */
void session_process_kill(struct session *s, struct slice body);
/* KILL as text. */
void session_kill_other(struct session *s, const struct template *t, const struct lexed *lexed);

/* session_command.c */
extern const struct session_mode session_enforces;
/* A packet that cannot be a command ends the session: true then. */
bool session_refuse_packet(struct session *s, const struct packet *p);
void session_refuse_command(struct session *s, uint8_t byte);
void session_reset(struct session *s);
enum err_code session_set_option(struct session *s, struct slice body, struct err *reterr);

/* False: the session has ended, or answered that its transaction is lost. */
bool session_may_go_on(struct session *s, bool answers);

/* session_script.c */
static inline bool session_has_script(const struct session *s)
{
    return buf_len(&s->script.text) != 0;
}
/* The first statement of text runs, rest (a part of text) is to follow. text is the command's, or
 * session_script_statement(). */
void session_script_follow(struct session *s, struct slice text, struct slice rest);
/* The statement that is due, and all behind it. */
struct slice session_script_statement(const struct session *s);
/* STATUS_MORE_RESULTS when another statement follows the one at hand, else 0. */
uint16_t session_script_status(const struct session *s);
/* After an error nothing follows. */
void session_script_drop(struct session *s);
/* The statement at hand has been answered. */
void session_script_advance(struct session *s);

/* session_query.c */
/* COM_QUERY. False: run the command again later. */
bool session_query(struct session *s, struct slice text);
/* A text, without the white space and semicolons around it that servers take off before they
 * read it. */
struct slice session_trim_text(struct slice text);
/* Tokens of the first statement of a text; *ret_rest is what follows it. */
enum err_code session_read_statement(struct session *s, struct slice text, struct lexed *ret,
                                     struct slice *ret_rest, struct err *reterr);
/* The statement of the script that is due. */
void session_next_statement(struct session *s);
struct session_facts session_facts(const struct session *s);
struct dialect session_dialect(const struct session *s);
/* The client's bytes with the edits made, as one COM_QUERY of the request. */
void session_compose(struct session *s, const struct template *t, const struct lexed *lexed,
                     const struct route *r, uint32_t shard);
/* Plans, routes and runs a template. params NULL: text. False: run the command again later. */
bool session_route(struct session *s, struct plan_entry *entry, const struct lexed *lexed,
                   const struct param_value *params, struct route *ret, bool *ret_refused);
/* The command runs again when that refresh, a move or the dialect is there. */
void session_hold(struct session *s, uint64_t serial);
/* False: the session is held until the shards have been asked. */
bool session_knows_dialect(struct session *s);
/* The transaction that may begin now is this tenant's. */
void session_remember_tenant(struct session *s, const struct route *r);
enum route_outcome session_try_route(struct session *s, const struct template *t,
                                     const struct lexed *lexed, const struct param_value *params,
                                     struct route *ret, struct err *reterr);
/* The values of a statement for its recipe. */
enum err_code session_merge_inputs(struct session *s, const struct template *t,
                                   const struct lexed *lexed, const struct param_value *params,
                                   struct merge_inputs *ret, struct err *reterr);
/* Rows that a transaction may change: of queue tables, or of temporary ones. */
bool session_uses_rows(const struct template *t);
/* The request that has begun is for the route's shard. */
void session_address_single(struct session *s, const struct template *t, const struct route *r);
/* The tenant that a statement without sources of its own would be for. */
enum route_outcome session_route_silent(struct session *s, struct route *ret, struct err *reterr);

void session_run_every_shard(struct session *s, struct plan_entry *entry);
/* DDL commits an open transaction first, as in MySQL, then runs on one shard after another. */
void session_begin_every_shard(struct session *s, struct plan_entry *entry);

/* session_tenants.c */
/* May the statement run where a transaction is open on a shard, or would begin with it? */
enum err_code session_check_tenants(const struct template *t, bool open, bool due,
                                    struct err *reterr);
/* Runs a statement whose route is of several tenants, or refuses it. params, execute and stmt NULL:
 * text. */
void session_run_tenants(struct session *s, struct plan_entry *entry, const struct lexed *lexed,
                         const struct param_value *params, const struct route *r,
                         const struct execute *execute, struct client_stmt *stmt);

/* session_scatter.c */
struct scatter;
struct scatter_part;
/* For the request that has begun. The requests are taken over, their array is not. */
void session_make_scatter(struct session *s, struct plan_entry *entry,
                          const struct merge_recipe *recipe,
                          const struct merge_inputs *inputs, struct part_request *requests,
                          size_t count, bool binary);
/* Before the scatter that was made: one that answers with a number, which its client is told as the
 * count of affected rows. */
void session_count_before(struct session *s, struct plan_entry *entry,
                          const struct merge_recipe *recipe, const struct merge_inputs *inputs,
                          struct part_request *requests, size_t count, bool binary);
/* Its rows are for a cursor. */
void session_store_scatter(struct session *s);
/* The request runs. */
void session_begin_scatter(struct session *s);
/* The client has taken what there was. */
void session_continue_scatter(struct session *s);
/* KILL QUERY. */
void session_interrupt_scatter(struct session *s);
/* Ends all parts, if there are any, and their statements. */
void session_drop_scatter(struct session *s);
/* SHOW WARNINGS of s->warned, with that LIMIT. */
void session_ask_warned(struct session *s, uint64_t skip, uint64_t most);
void session_forget_warned(struct session *s);
/* Told by the part's session. */
void session_part_has_backend(struct scatter_part *p);
/* No part has begun after it. */
bool session_part_is_last(const struct scatter_part *p);
/* Since when its statement runs. */
uint64_t session_part_since_ms(const struct scatter_part *p);
/* Its session has ended; whether with an answer, the pipe tells. */
void session_part_gone(struct scatter_part *p);

/* session_part.c */
uint64_t session_part_capabilities(const struct session *parent);
struct session *session_part_create(struct session *parent, struct io *io,
                                    struct scatter_part *part);
/* Takes what is in r, but for its name. */
void session_part_run(struct session *s, struct plan_entry *entry, struct part_request *r);
/* Nobody waits for its answer any more. */
void session_part_leave(struct session *s);

/* session_request.c */
void request_begin(struct session *s, uint8_t end);
/* It is over. */
void request_forget(struct session *s);
/* A COM_QUERY of mqgate's own. */
void request_add_query(struct session *s, struct slice text);
/* Asks for a backend and goes on as soon as there is one. */
void session_run_request(struct session *s);
void session_run_on_any_shard(struct session *s);
/* The same for what names no table: the unsharded keyspace's server will do, too. Either is the
 * session's home, if it has one. */
void session_run_anywhere(struct session *s);
/* The same for the client's statement. */
void session_run_passed(struct session *s);
void session_take_backend(struct session *s, struct backend *b);
void session_lose_backend(struct session *s, const struct err *reason);
/* The transaction that it may be in is rolled back, on all shards. */
void session_release_backend(struct session *s);
/* This one only. */
void session_release_one(struct session *s);
void session_fail_request(struct session *s, const struct err *e);

/* session_steps.c */
void session_advance(struct session *s);
/* The answer of the step has ended (OK or ERR, in backend->answer). */
void session_on_step_end(struct session *s, bool failed);

/* session_vitess.c */
bool session_on_vitess(const struct session *s);
/* May a client ask for it? Without Vitess all may be. */
enum err_code session_vitess_charset(const struct session *s, const struct charset_info *charset,
                                     struct err *reterr);
enum err_code session_vitess_variable(const struct session *s, enum var var, bool is_default,
                                      struct err *reterr);
/* What the borrowed backend is to have where the session is to have `wanted`. */
const struct vars *session_vitess_vars(struct session *s, const struct vars *wanted);
/* The login's attribute program_name, or without one its user: the WORKLOAD_NAME, unless that is
 * configured. */
void session_keep_workload(struct session *s, struct slice program);
/* Empty without Vitess. */
struct slice session_workload(const struct session *s);
/* Of its name, 0 without one; not many, since clients choose the names. */
uint32_t session_workload_number(const struct session *s);
/* A vtgate's error becomes what a client knows; its message may be in the worker's arena then. */
void session_vitess_error(const struct session *s, struct err_packet *e);
/* The client has been told it: a vtgate does not know it when it is asked later. */
void session_keep_error(struct session *s, const struct err_packet *told);
/* SET TRANSACTION READ ONLY is about to have no effect. */
bool session_ignores_read_only(const struct session *s);

/* session_home.c */
/* Is the request for the server on which the session has a backend of its own? That is borrowed. */
bool session_goes_home(const struct session *s);
void session_enter_home(struct session *s);
/* The request is for that server. False: the session has none. */
bool session_address_home(struct session *s);
/* What needs the session's own backend, and has this route, cannot run elsewhere. */
enum err_code session_check_home(const struct session *s, const struct template *t,
                                 const struct route *r, struct err *reterr);
/* The same of the server with that number. */
enum err_code session_check_home_at(const struct session *s, uint32_t shard, struct err *reterr);
/* Between two statements; what is no longer fit for another is lost. */
void session_leave_home(struct session *s);
/* The same when its server is no longer one that is asked. */
void session_leave_former_home(struct session *s);
/* The statement has run: does its backend become the session's own? */
void session_keep_home(struct session *s, bool failed);
/* Closes it, and what the client had there ends. */
void session_drop_home(struct session *s);
/* Was it the backend that is gone? */
bool session_lose_home(struct session *s);

/* session_unsharded.c */
/* Is the request, or the borrowed backend, for the unsharded keyspace's server? */
bool session_targets_unsharded(const struct session *s);
bool session_backend_unsharded(const struct session *s);
/* What the session's database is called there; NULL: none is selected. */
const char *session_server_database(const struct session *s);
/* A statement about queue tables cannot run in a transaction of that server, nor under variables
 * that only that server has. */
enum err_code session_check_sharded(const struct session *s, struct err *reterr);
/* Begins a request for that server; false: the statement was refused. */
bool session_address_unsharded(struct session *s, struct plan_entry *entry, const char *database);
/* What the borrowed backend still lacks. */
bool session_needs_database(const struct session *s);
void session_took_database(struct session *s);
/* Was the statement prepared in the database that the request wants, and read as it would be now? */
bool session_statement_fits(const struct session *s, const struct backend_stmt *stmt);
/* USE of a database that only that server may have. False: it is none. */
bool session_use_unsharded(struct session *s, struct slice name);
void session_end_use(struct session *s);
/* Takes the name, which was made with mem_alloc; NULL: none is selected. */
void session_set_database(struct session *s, char *name);
/* The login names a database that only that server may have: it is asked before the client is
 * welcome. False: it need not be. */
bool session_check_login_database(struct session *s);

/* session_untold.c */
/* The statement has been answered: what of the session may it have changed unsaid? */
void session_note_untold(struct session *s, bool failed);
/* Before a statement runs (NULL: it cannot be read). False: it runs again when that is known. */
bool session_knows_itself(struct session *s, const struct template *t);
/* The row that answers the question; an empty one: there is no answer. */
void session_learn_untold(struct session *s, struct slice row);

/* session_observe.c */
extern const struct session_mode session_observes;
/* Makes a session one that observes. */
void session_observe(struct session *s);
/* The client's login packet, as it was sent. */
void session_keep_login(struct session *s, const struct login *login);
/* Its backend is another user's from now on. */
void session_observe_anew(struct session *s);
void session_observed_free(struct session *s);
/* The backend speaks without being asked, as a server does before it closes. Returns the bytes
 * used; 0 while the packet is not whole. */
size_t session_pass_unasked(struct session *s, const uint8_t *data, size_t len);
/* The server asks for a file of the client's. False: it may not. */
bool session_begin_upload(struct session *s);
void session_end_forwarded(struct session *s, bool failed);

/* session_examine.c: what enforce would do with what is forwarded */
/* True when mqgate has answered it by itself. */
bool session_examine(struct session *s, uint8_t command, struct slice payload);
/* What the first statement of a text changes, which the server has taken. */
void session_follow(struct session *s, struct slice text, struct slice *ret_rest);
/* The server has taken the command, or refused it. */
void session_examined(struct session *s, bool failed);
/* Enforce would refuse what is not a statement. */
void session_note_word(struct session *s, const char *word, const struct err *why);
/* The server has prepared the statement under this number. */
void session_note_prepared(struct session *s, struct slice payload);

/* session_halfway.c */
/* What the session is before several statements. */
void session_remember_halfway(struct session *s, struct slice text);
void session_forget_halfway(struct session *s);
/* One of them has failed, after so many that the server has taken. */
void session_go_halfway(struct session *s, uint64_t taken);

/* session_warn.c */
/* The statement at hand (NULL: it cannot be read) may get a warning, or ask for one. */
void session_warn_about(struct session *s, const struct lexed *lexed, bool binary);
/* Rows of the answer may change. */
bool session_warn_changes_answer(const struct session *s);
/* One more warning in an OK or EOF packet, if it ends the answer and one is due. */
void session_warn_end(struct session *s, uint8_t *payload, size_t len);
/* Appends the packet of one more row of SHOW WARNINGS; false: none is due. */
bool session_warn_row(struct session *s, struct buf *out);
/* Appends the packet of a row in place of this one; false: it passes. */
bool session_warn_count(struct session *s, struct slice row, struct buf *out);

/* session_local.c */
/* params NULL: text. */
void session_local(struct session *s, struct plan_entry *entry, const struct lexed *lexed,
                   const struct param_value *params);

/* session_set.c */
void session_set(struct session *s, const struct template *t, const struct lexed *lexed,
                 const struct param_value *params);
/* Makes the assignments, for as long as nothing else decides: session_end_set or
 * session_undo_set. Fails when one cannot be made; then none is. */
enum err_code session_try_set(struct session *s, const struct template *t,
                              const struct lexed *lexed, const struct param_value *params,
                              struct err *reterr);
void session_end_set(struct session *s);
/* SET failed: none of its assignments counts. */
void session_undo_set(struct session *s);

/* session_track.c */
/* SET has assigned it, as the next OK will tell. */
void session_track_assigned(struct session *s, enum var var);
/* What has to be asked for that, when these are the values; nothing: all is known. */
struct slice session_track_question(const struct session *s, const struct vars *v);
/* Appends what the OK at hand tells of the session. */
void session_track_tell(struct session *s, struct buf *out);
/* SET of what is mqgate's own, session_track_… among it; value.data NULL: the default. */
enum err_code session_track_set(struct session *s, enum var var, struct slice value,
                                struct err *reterr);

/* session_transaction.c */
void session_set_transaction(struct session *s, const struct template *t);
/* Its name in quotes, by the number of struct characteristics; NULL: none. */
const char *session_isolation_sql(uint8_t isolation);
/* The server's name of the isolation level that is called so; false: it is not known. */
bool session_isolation_name(struct slice sql, struct slice *ret);
/* SET @@transaction_isolation and @@transaction_read_only: of the next transaction only. */
enum err_code session_set_next(struct session *s, enum var var, struct slice value,
                               struct err *reterr);
/* The session's isolation level or access is about to change. */
enum err_code session_keep_begun(struct session *s, bool isolation_changes, bool access_changes,
                                 struct err *reterr);
/* Does the borrowed backend have to be told what holds for the transaction, and how? */
bool session_needs_characteristics(const struct session *s);
const char *session_characteristics(struct session *s);
/* The backend has been told, and may keep it for a transaction to come: until it is set anew. */
void session_characteristics_forget(struct session *s);
/* The request's answer has ended, and the backend still is the session's. */
void session_characteristics_used(struct session *s, bool failed);
/* 0, 1, or the default: nothing that a server has to check. */
bool session_is_plain_truth(const char *value);
void session_autocommit_changed(struct session *s);
/* COMMIT and ROLLBACK, which do no more than that. */
struct slice session_commit_text(const struct session *s);
struct slice session_rollback_text(const struct session *s);
const char *session_begin_text(struct session *s);
/* Status flags of a transaction that no shard knows of yet. */
uint16_t session_pending_status(const struct session *s);
void session_begin(struct session *s, const struct template *t);
/* The same after the transaction before has been committed. */
void session_begin_again(struct session *s);
void session_end_transaction(struct session *s, const struct template *t);
/* None is pending, and nothing is set for the next. */
void session_forget_transaction(struct session *s);
void session_savepoint(struct session *s, const struct template *t, const struct lexed *lexed);

/* session_branches.c: a transaction over several shards */
bool session_is_multi(const struct session *s);
/* It has been begun on a shard. */
bool session_in_transaction(const struct session *s);
/* The request's shard is another than the transaction's: its branch there becomes the session's
 * backend, or, without one yet, the session has none until it is opened. */
void session_choose_branch(struct session *s);
bool session_opens_branch(const struct session *s);
/* It cannot be: the transaction is rolled back, and e says so. */
void session_fail_branch(struct session *s, struct err *e);
/* The request has ended: what has become of the transaction? */
void session_settle_branch(struct session *s);
/* A backend is gone. False: it was no branch, or the one that the session works with. */
bool session_lose_branch(struct session *s, const struct backend *b);
/* Rolls back all but the session's backend. */
void session_drop_branches(struct session *s);
/* Text runs on every shard of the transaction, and ends as the request of the last one. */
void session_run_on_branches(struct session *s, uint8_t end, struct slice text);
/* The same for COMMIT or ROLLBACK. */
void session_end_branches(struct session *s, uint8_t end, bool commit);
/* END_BRANCH: it has succeeded. */
void session_next_branch(struct session *s);
/* COMMIT has failed after other shards' had not: e says so. False: it was not so. */
bool session_tell_partly(const struct session *s, struct err *e);
void session_branches_free(struct session *s);

/* session_savepoints.c */
bool session_savepoint_keep(struct session *s, struct slice name);
/* Forgets those behind the name, or that one as well. False: there is none of that name. */
bool session_savepoint_cut(struct session *s, struct slice name, bool itself);
void session_savepoints_forget(struct session *s);
/* The statement that the borrowed backend still has to be told; NULL: none. */
const char *session_savepoint_due(struct session *s);
void session_savepoint_sent(struct session *s);

/* session_findings.c */
/* The statement at hand is refused, which is remembered. */
void session_refuse_statement(struct session *s, const struct err *why);
void session_refuse_text(struct session *s, enum err_code code, const char *text);
void session_show_findings(struct session *s, const struct template *t, const struct lexed *lexed);

/* session_diagnostics.c */
/* The last statement left that many behind; those before it are forgotten. */
void session_note_warnings(struct session *s, uint16_t count);
/* The same of several shards; session_keep_scatter() may follow. */
void session_note_merged_warnings(struct session *s, uint16_t count);
/* It has failed on the shard. */
void session_note_failure(struct session *s);
/* An error that no backend knows of. */
void session_note_error(struct session *s, unsigned code, struct slice message);
/* The statement's backend is back in its pool, and may be asked for its warnings. */
void session_keep_teller(struct session *s, struct backend *b);
/* A part is asked for those that its statement has left; they go to its client, or a refusal. */
void session_show_part_warnings(struct session *s, bool binary);
void session_show_diagnostics(struct session *s, const struct template *t, const struct lexed *l);
/* @@warning_count and @@error_count, as of LAST_INSERT_ID(). */
bool session_knows_counts(struct session *s, const struct template *t, bool *ret_refused);
void session_learn_counts(struct session *s, struct slice row);

/* session_insert_id.c */
void session_set_insert_id(struct session *s, uint64_t value);
/* The statement's answer has ended: what has become of LAST_INSERT_ID()? */
void session_note_insert_id(struct session *s, bool failed);
/* The statement is lost with its backend. */
void session_lose_insert_id(struct session *s);
/* The backend that alone knows LAST_INSERT_ID(), lent again, if the request may hide it; or NULL. */
struct backend *session_insert_id_holder(struct session *s, const struct pool *p);
/* True unless the backend has to be told LAST_INSERT_ID() before the request. */
bool session_insert_id_in_line(const struct session *s);
const char *session_insert_id_statement(struct session *s);
void session_insert_id_told(struct session *s);
/* Before the statement is routed. False: it runs again when it is known. */
bool session_knows_insert_id(struct session *s, const struct template *t, bool *ret_refused);
/* The row that answers the question; an empty one: there is no answer. */
void session_learn_insert_id(struct session *s, struct slice row);

/* session_found_rows.c */
void session_set_found_rows(struct session *s, uint64_t value);
/* The statement's answer has ended: what has become of FOUND_ROWS()? */
void session_note_found_rows(struct session *s, bool failed);
/* The same of a statement for several tenants that gave the client so many rows. `failed`: after
 * some of them. */
void session_note_merged_rows(struct session *s, uint64_t rows, bool failed);
/* The borrowed backend has answered a question of mqgate's own. */
void session_disturb_found_rows(struct session *s);
/* As of LAST_INSERT_ID(). */
bool session_knows_found_rows(struct session *s, const struct template *t, bool *ret_refused);
void session_learn_found_rows(struct session *s, struct slice row);

/* session_learn.c */
/* Lends an idle backend to the session, unless it has it. False: it cannot be had. */
bool session_borrow(struct session *s, struct backend *b);
/* Asks the borrowed backend; then the command at hand runs again, whatever came of it. */
void session_learn(struct session *s, enum learning what, struct slice question);
/* Does the session know all that the statement depends on? False: it runs again when it does. */
bool session_knows(struct session *s, const struct plan_entry *entry, const struct lexed *lexed,
                   bool *ret_refused);
void session_learn_column(struct session *s, struct slice definition);
void session_learn_row(struct session *s, struct slice row);
/* There is no answer. */
void session_learn_failed(struct session *s, const struct err_packet *why);
/* The value of an expression of SET. False: it is not known. ret_text->data NULL: NULL. */
bool session_learned_value(const struct session *s, uint32_t number, struct slice *ret_text,
                           bool *ret_is_number);
/* The command is over. */
void session_forget_learned(struct session *s);

/* session_process_list.c */
/* False: the command runs again when they are known. It is never refused. */
bool session_knows_processes(struct session *s, const struct template *t, bool *ret_refused);
void session_show_processes(struct session *s, const struct template *t);
/* The command is over. */
void session_forget_processes(struct session *s);

/* session_stmt.c */
/* May the statement be prepared, as far as that depends on no parameter? */
enum err_code session_check_prepare(const struct session *s, const struct template *t,
                                    struct err *reterr);
bool session_prepare(struct session *s, struct slice text);
/* Plans the text, sees to it that its metadata is known, and answers as end (END_PREPARED or
 * END_FIELDS) says. False: run the command again later. */
bool session_describe(struct session *s, struct slice text, enum request_end end);
bool session_execute(struct session *s, struct slice payload);
/* What hidden parameters stand for. */
struct binding {
    const struct tenant *tenant; /* NULL: there are none for it */
    uint64_t limit;
};
/* Parameters that servers take alike have the same number, which is not 0; without any it is 0. */
uint64_t session_bound_types(const struct execute_param *params, uint32_t count);
/* Appends the packets of an EXECUTE with the template's parameters; returns their types' number. */
uint64_t session_compose_execute(struct session *s, const struct template *t,
                                 const struct execute *x, const struct binding *binding,
                                 struct buf *out);
void session_long_data(struct session *s, struct slice payload);
void session_stmt_close(struct session *s, struct slice payload);
void session_stmt_reset(struct session *s, struct slice payload);
/* For the statements of an observed session, which the server numbers. */
void session_stmt_add(struct session *s, struct plan_entry *entry, uint32_t id);
void session_stmt_forget_data(struct session *s, struct slice payload);
/* The values of a COM_STMT_EXECUTE in worker->arena, and its plan; NULL when the statement is not
 * known. *ret_values is NULL when they cannot be read. */
struct plan_entry *session_stmt_values(struct session *s, struct slice payload,
                                       struct param_value **ret_values);
void session_stmts_free(struct session *s);
/* What was asked for by PREPARE or COM_FIELD_LIST is known. */
void session_answer_described(struct session *s, const struct prepare_answer *answer);
/* Hash of all that changes a prepared statement's metadata. */
uint64_t session_metadata_key(const struct session *s);

/* NULL, with the answer that there is none by that number, named after the server's function. */
struct client_stmt *session_stmt_find(struct session *s, struct slice payload,
                                      const char *function);

/* session_cursor.c */
/* COM_STMT_FETCH. */
void session_fetch(struct session *s, struct slice payload);
/* The request is an EXECUTE, which asks for a cursor or does not. */
void session_ask_cursor(struct session *s, bool asks);
/* The command has ended on s->backend: its cursor is open, or at its end. */
void session_note_cursor(struct session *s, bool failed);
/* Closes the statement's cursor, if one is open; the backend stays clean. */
void session_cursor_close(struct session *s, struct client_stmt *stmt);
void session_cursors_close(struct session *s);
/* Those on one backend; FETCH is told why. */
void session_cursors_close_on(struct session *s, const struct backend *b, enum err_code why);
/* The backend of that pool which the session keeps for its cursors, or NULL: whoever waited for
 * another one would wait for a session that may wait for this one. */
struct backend *session_kept_backend(const struct session *s, const struct pool *p);

/* session_stored.c */
enum { CURSOR_STORED_MAX = 16 << 20 };
/* So many bytes more? */
bool session_may_store(const struct session *s, size_t bytes);
/* The request's statement has a cursor with the rows of the answer, which was not sent: its columns
 * are. The bytes are taken over. */
void session_open_stored(struct session *s, struct buf *answer, size_t columns,
                         const struct ok_packet *end);
/* The first row of such an answer. */
struct slice session_stored_row(const struct session *s, const struct buf *answer, size_t columns);
void session_close_stored(struct session *s, struct cursor *c);
void session_fetch_stored(struct session *s, struct cursor *c, uint32_t count);

/* session_columns.c: an answer's columns beside those that PREPARE has told of */
/* Of a list of definitions; 0 to begin with. */
uint64_t hash_column(uint64_t hash, struct slice definition, uint64_t capabilities);
/* The answer to the request has that many. */
void session_note_columns(struct session *s, uint64_t count);
void session_note_column(struct session *s, struct slice definition);
/* Both, of all columns at once. */
void session_note_head(struct session *s, uint64_t count, uint64_t hash);

/* session_again.c */
/* The error is not for the client: the statement will be prepared and run again. */
bool session_hides_err(const struct session *s);
/* The step has failed. True: what it needs is on its way once more. */
bool session_try_again(struct session *s);

/* session_fields.c */
/* False: run the command again later. */
bool session_field_list(struct session *s, struct slice body);
void session_answer_fields(struct session *s, const struct prepare_answer *answer);

/* relay.c */
/* The answer that begins now goes to the client. */
void relay_begin(struct session *s);

/* relay_words.c */
/* A shard's error, in the words that the legacy schema would have had. */
void session_relay_err(struct session *s, const struct err_packet *error);

/* relay_prepare.c */
/* The packets of a PREPARE's answer, kept for the client and the plan. */
void relay_keep_prepared(struct session *s);

#endif
