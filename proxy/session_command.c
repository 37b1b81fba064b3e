/* One command byte, one handler. */
#include <stdio.h>

#include "base/memory.h"
#include "proxy/offers.h"
#include "proxy/session_int.h"

void session_refuse_command(struct session *s, uint8_t byte)
{
    struct err e;
    const struct command_info *info = command_info(byte);
    if (info)
        err_set(&e, MQ_COMMAND_NOT_SERVED, "%s is not served: %s", info->name, info->note);
    else
        err_set(&e, MQ_COMMAND_NOT_SERVED, "Unknown command 0x%02x", byte);
    session_refuse(s, &e);
}

static void init_db(struct session *s, struct slice name)
{
    struct err e;
    if (session_use_unsharded(s, name))
        return;
    if (session_use(s, name, false, &e)) {
        session_refuse(s, &e);
        return;
    }
    session_done_ok(s);
}

/* The warnings of the last statement stay. */
static void ping(struct session *s)
{
    struct ok_packet ok = { .status = session_own_status(s) };
    struct buf payload;
    s->row_count = 0; /* its warnings it keeps */
    buf_init(&payload);
    ok_write(&payload, &ok, 0x00, s->capabilities);
    session_send_payload(s, buf_slice(&payload));
    buf_fini(&payload);
    session_done(s);
}

static void statistics(struct session *s)
{
    struct fleet *fleet = s->worker->fleet;
    char text[160];
    int n = snprintf(text, sizeof text, "Uptime: %llu  Threads: %u  Questions: %llu",
                     (unsigned long long)(s->worker->now_ms - fleet->started_ms) / 1000,
                     atomic_load(&fleet->connections),
                     (unsigned long long)atomic_load(&fleet->statements));
    session_send_payload(s, slice_of(text, (size_t)n));
    session_done(s);
}

/* Everything but who the client is, and what its login chose. */
void session_reset(struct session *s)
{
    session_drop_home(s);
    session_stmts_free(s);
    s->next_stmt_id = 0;
    vars_copy(s->worker->interned, &s->vars, &s->login_vars);
    /* MariaDB keeps the character set of the login. */
    if (s->worker->dialect.flavour == FLAVOUR_MYSQL && s->worker->default_names[0])
        vars_set(s->worker->interned, &s->vars, VAR_NAMES, slice_cstr(s->worker->default_names));
    s->modes = s->default_modes | (s->capabilities & CAP_IGNORE_SPACE ? MODE_IGNORE_SPACE : 0);
    s->strict = STRICT_AS_SHARD;
    s->tracking = (struct tracking){ 0 };
    s->assigned = 0;
    s->chose_database = false;
    s->status = STATUS_AUTOCOMMIT;
    session_forget_transaction(s);
    s->tenant_schema = false;
    /* Falling back to the default tenant would answer for another one. */
    s->tenant_forgotten = s->tenant_forgotten || s->tenant;
    mem_free(s->tenant);
    s->tenant = NULL;
    session_set_insert_id(s, 0);
}

/* mysql_set_server_option(): 0 switches multi-statements on, 1 off. */
enum err_code session_set_option(struct session *s, struct slice body, struct err *reterr)
{
    struct reader r = reader_of(body.data, body.len);
    uint16_t option = read_u16(&r);
    if (r.bad)
        return err_set(reterr, MQ_PROTOCOL, "Malformed communication packet");
    if (option > 1)
        return err_set(reterr, MQ_COMMAND_NOT_SERVED, "COM_SET_OPTION knows no option %u", option);
    if (option == 0)
        s->capabilities |= CAP_MULTI_STATEMENTS;
    else
        s->capabilities &= ~(uint64_t)CAP_MULTI_STATEMENTS;
    return MQ_OK;
}

static void set_option(struct session *s, struct slice body)
{
    struct err e;
    if (session_set_option(s, body, &e)) {
        session_refuse(s, &e);
        return;
    }
    session_send_end(s);
    session_done(s);
}

/* What the session keeps on a server is gone before the client is told. */
static void reset_home(struct session *s)
{
    static const uint8_t reset[] = { 1, 0, 0, 0, COM_RESET_CONNECTION };
    request_begin(s, END_RESET);
    s->request.swallow = true;
    buf_append(&s->request.bytes, reset, sizeof reset);
    if (!s->backend)
        session_enter_home(s);
    session_run_request(s);
}

static void reset_connection(struct session *s)
{
    if (s->home && (!s->backend || s->backend == s->home)) {
        reset_home(s);
        return;
    }
    if (s->pinned) {
        session_end_branches(s, END_RESET, false);
        return;
    }
    session_reset(s);
    session_done_ok(s);
}

static bool query(struct session *s, struct slice body)
{
    struct err e;
    if (!(s->capabilities & CAP_QUERY_ATTRIBUTES) ||
        query_skip_attributes(&body, &s->worker->arena, &e) == MQ_OK)
        return session_query(s, body);
    session_refuse(s, &e);
    return true;
}

/* May its answer be that the transaction is lost? */
static bool command_answers(uint8_t byte)
{
    const struct command_info *info = command_info(byte);
    return info && info->disposition == COMMAND_SERVED && byte != COM_PING &&
           byte != COM_CHANGE_USER;
}

bool session_refuse_packet(struct session *s, const struct packet *p)
{
    struct err e;
    if (p->payload.len && p->first_seq == 0 && p->sequence_ok)
        return false;
    err_set(&e, MQ_OUT_OF_ORDER, "Got packets out of order");
    session_send_err(s, &e);
    session_close_gently(s);
    return true;
}

/* What the command at hand is answered with, instead of being run. */
static enum err_code take_interruption(struct session *s, struct err *reterr)
{
    enum err_code lost = s->lost_transaction;
    if (s->interrupted) {
        s->interrupted = false;
        return err_set(reterr, MQ_INTERRUPTED, "Query execution was interrupted");
    }
    s->lost_transaction = MQ_OK;
    return lost ? err_set(reterr, lost, "%s",
                          lost == MQ_SHARD_LOST
                              ? "the transaction was lost with the connection to its shard"
                              : "the transaction was rolled back, for it took too long")
                : MQ_OK;
}

bool session_may_go_on(struct session *s, bool answers)
{
    struct err e;
    if (s->deployment != s->worker->deployment)
        session_adopt(s);
    if (s->state == SESSION_CLOSING)
        return false;
    session_leave_former_home(s);
    if (s->home_lost && answers) {
        err_set(&e, MQ_SHARD_LOST, "the connection that held this session's state was lost");
        session_send_err(s, &e);
        session_close_gently(s);
        return false;
    }
    if (!answers || take_interruption(s, &e) == MQ_OK)
        return true;
    session_refuse(s, &e);
    return false;
}

static bool serve_command(struct session *s, const struct packet *p)
{
    if (session_refuse_packet(s, p))
        return true;
    uint8_t byte = (uint8_t)p->payload.data[0];
    if (!session_may_go_on(s, command_answers(byte)))
        return true;
    struct slice body = slice_of(p->payload.data + 1, p->payload.len - 1);
    s->worker->statements++;
    switch (byte) {
    case COM_QUIT:
        session_kill(s);
        return true;
    case COM_INIT_DB:
        init_db(s, body);
        return true;
    case COM_QUERY:
        return query(s, body);
    case COM_FIELD_LIST:
        return session_field_list(s, body);
    case COM_PING:
        ping(s);
        return true;
    case COM_STATISTICS:
        statistics(s);
        return true;
    case COM_RESET_CONNECTION:
        reset_connection(s);
        return true;
    case COM_PROCESS_INFO:
        return session_query(s, SLICE_LIT("SHOW PROCESSLIST"));
    case COM_PROCESS_KILL:
        session_process_kill(s, body);
        return true;
    case COM_CHANGE_USER:
        session_change_user(s, body);
        return true;
    case COM_SET_OPTION:
        set_option(s, body);
        return true;
    case COM_STMT_PREPARE:
        return session_prepare(s, body);
    case COM_STMT_EXECUTE:
        return session_execute(s, p->payload);
    case COM_STMT_SEND_LONG_DATA:
        session_long_data(s, body);
        return true;
    case COM_STMT_CLOSE:
        session_stmt_close(s, body);
        return true;
    case COM_STMT_RESET:
        session_stmt_reset(s, body);
        return true;
    case COM_STMT_FETCH:
        session_fetch(s, body);
        return true;
    default:
        session_refuse_command(s, byte);
        return true;
    }
}

const struct session_mode session_enforces = {
    .on_login = session_welcome,
    .on_command = serve_command,
    .on_backend = session_take_backend,
    .on_lost = session_lose_backend,
    .capabilities = ENFORCED_CAPABILITIES,
};
