/* Between a request's steps and what follows their end. */
#ifndef MQ_PROXY_SESSION_STEPS_H
#define MQ_PROXY_SESSION_STEPS_H

#include "proxy/session_int.h"

/* session_steps.c */
/* What the borrowed backend is to have. */
const struct vars *session_vars_due(struct session *s);
/* The connection does not take what is sent, of which not a byte went out. */
void session_lost_while_sending(struct session *s);
/* The request is done with its backend, which stays where the server's word is that a transaction is
 * open. */
void session_pin_or_release(struct session *s);

/* session_end.c */
/* The command's answer has ended. */
void session_end_command(struct session *s, bool failed);
/* The answer that was relayed has, and the transaction's status is known. */
void session_finish_relayed(struct session *s);
/* An exchange of mqgate's own has failed on the shard: the client learns the shard's error. */
void session_end_refused(struct session *s);
/* It has succeeded: mqgate answers. */
void session_end_own(struct session *s);

#endif
