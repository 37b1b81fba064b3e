/* COM_CHANGE_USER: the connection stays, everything else begins anew. What the session was is
 * forgotten before the client has proved who it is from now on: who fails is disconnected. */
#include "base/log.h"
#include "base/memory.h"
#include "proxy/session_int.h"

static void forget(char **owned)
{
    mem_free(*owned);
    *owned = NULL;
}

/* An open transaction is rolled back by its backend. */
static void begin_anew(struct session *s)
{
    struct intern_table *interned = s->worker->interned;
    if (s->observed)
        session_observe_anew(s);
    session_release_backend(s);
    session_give_shares(s);
    vars_fini(interned, &s->vars);
    vars_fini(interned, &s->login_vars);
    session_reset(s);
    forget(&s->user);
    session_set_database(s, NULL);
    forget(&s->login_tenant);
    forget(&s->transaction_tenant);
    s->account = NULL;
    s->last_table = NULL;
    s->tenant_forgotten = false;
    s->lost_transaction = MQ_OK;
    s->row_count = -1;
}

/* A client older than CAP_PLUGIN_AUTH cannot be switched: as with a server, it proves itself with
 * the nonce that it has. */
static enum login_step begin_proof(struct session *s, const struct login *login, struct buf *out)
{
    struct server_login *exchange = &s->login->exchange;
    memcpy(exchange->nonce, s->nonce, NONCE_SIZE);
    if (s->capabilities & CAP_PLUGIN_AUTH)
        return server_login_change(exchange, login->plugin, out);
    return server_login_begin(exchange, slice_of("", 0), login->auth, out);
}

/* A connection is opened for a session that only observes, and its login has one byte for this. */
static enum err_code check_charset(const struct session *s, uint16_t collation, struct err *reterr)
{
    return !s->observed || collation <= UINT8_MAX
               ? MQ_OK
               : err_set(reterr, MQ_CHARSET_UNSAFE,
                         "a login cannot name collation %u; use SET NAMES", collation);
}

void session_change_user(struct session *s, struct slice body)
{
    struct login login;
    struct buf out;
    struct err e;
    if (change_user_parse(body, s->capabilities, &login, &e) ||
        check_charset(s, login.charset, &e)) {
        session_fail_login(s, &e);
        return;
    }
    begin_anew(s);
    session_move(s, SESSION_LOGIN);
    s->login = mem_new(struct login_attempt);
    if (!session_take_login(s, &login))
        return;
    buf_init(&out);
    session_login_step(s, begin_proof(s, &login, &out), &out);
    buf_fini(&out);
}
