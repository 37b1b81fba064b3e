/* What a command depends on and only a backend knows: that is asked first, then the command runs
 * again from its kept bytes, and finds it.
 *
 *   command ──> session_learn ──> BUSY … row, end ──> READY ──> the same command
 */
#include "proxy/session_int.h"

/* A backend that is idle, or one that the session has anyway. */
bool session_borrow(struct session *s, struct backend *b)
{
    if (s->backend)
        return s->backend == b;
    if (b == s->home)
        session_enter_home(s);
    else if (b->session == s || pool_checkout_again(b, s))
        s->backend = b;
    return s->backend != NULL;
}

void session_learn(struct session *s, enum learning what, struct slice question)
{
    request_begin(s, END_LEARNED);
    s->request.learning = what;
    s->request.swallow = true;
    s->request.only_there = true;
    request_add_query(s, question);
    session_run_request(s);
}

void session_learn_row(struct session *s, struct slice row)
{
    switch ((enum learning)s->request.learning) {
    case LEARN_INSERT_ID:
        session_learn_insert_id(s, row);
        break;
    case LEARN_UNTOLD:
        session_learn_untold(s, row);
        break;
    }
}

/* What was to be learned is known no better: the command will find that out. */
void session_learn_failed(struct session *s)
{
    switch ((enum learning)s->request.learning) {
    case LEARN_INSERT_ID:
        session_learn_insert_id(s, slice_of("", 0));
        break;
    case LEARN_UNTOLD:
        session_learn_untold(s, slice_of("", 0));
        break;
    }
}
