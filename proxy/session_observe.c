/* Sessions before the sharding: each has one backend for its life, on the one server with the
 * legacy schema, logged in as the client did. Every command goes there as it came, and every
 * answer comes back as it is; what `enforce` would do is found out on the way
 * (session_examine.c).
 *
 *   login proved ─> backend opened, logged in ─> OK ─> command ─> forwarded ─> answer relayed …
 *                          └─ the server's ERR: told, closed            lost: closed as well */
#include "base/log.h"
#include "base/memory.h"
#include "proxy/offers.h"
#include "proxy/session_int.h"

enum {
    NO_ANSWER = -1,
    UNASKED_MAX = 65536, /* the error that a server sends before it closes is shorter */
    /* What a login needs whatever the client can, and what is the client's choice. */
    LOGIN_CAPABILITIES = CAP_LONG_PASSWORD | CAP_PROTOCOL_41 | CAP_TRANSACTIONS |
                         CAP_SECURE_CONNECTION | CAP_PLUGIN_AUTH | CAP_PLUGIN_AUTH_LENENC,
    CHOSEN_CAPABILITIES = CAP_FOUND_ROWS | CAP_LONG_FLAG | CAP_LOCAL_FILES | CAP_IGNORE_SPACE |
                          CAP_INTERACTIVE | CAP_MULTI_STATEMENTS | CAP_MULTI_RESULTS |
                          CAP_PS_MULTI_RESULTS | CAP_CONNECT_ATTRS | CAP_SESSION_TRACK |
                          CAP_DEPRECATE_EOF | CAP_MARIADB_EXTENDED_METADATA,
};

/* What is forwarded, and how its answer looks. */
static const struct forwarded {
    uint8_t command;
    int8_t answer; /* enum answer_kind, or NO_ANSWER */
} forwarded[] = {
    { COM_INIT_DB, ANSWER_QUERY },
    { COM_QUERY, ANSWER_QUERY },
    { COM_FIELD_LIST, ANSWER_ROWS },
    { COM_CREATE_DB, ANSWER_QUERY },
    { COM_DROP_DB, ANSWER_QUERY },
    { COM_REFRESH, ANSWER_QUERY },
    { COM_STATISTICS, ANSWER_STRING },
    { COM_PROCESS_INFO, ANSWER_QUERY },
    { COM_PROCESS_KILL, ANSWER_QUERY },
    { COM_DEBUG, ANSWER_ROWS },
    { COM_PING, ANSWER_QUERY },
    { COM_STMT_PREPARE, ANSWER_PREPARE },
    { COM_STMT_EXECUTE, ANSWER_QUERY },
    { COM_STMT_SEND_LONG_DATA, NO_ANSWER },
    { COM_STMT_CLOSE, NO_ANSWER },
    { COM_STMT_RESET, ANSWER_QUERY },
    { COM_SET_OPTION, ANSWER_ROWS },
    { COM_STMT_FETCH, ANSWER_ROWS },
    { COM_RESET_CONNECTION, ANSWER_QUERY },
};

static const struct forwarded *find_forwarded(uint8_t command)
{
    for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
        if (forwarded[i].command == command)
            return &forwarded[i];
    return NULL;
}

/* ---- the login ---- */

void session_observe(struct session *s)
{
    s->mode = &session_observes;
    s->observed = mem_new(struct observed);
    if (!s->worker->default_modes_known) /* the server was down when it was to be asked */
        worker_probe(s->worker);
}

static struct slice own_copy(struct slice bytes)
{
    return slice_of(mem_strndup(bytes), bytes.len);
}

static void forget_login(struct observed *o)
{
    mem_free((char *)o->login.database.data);
    mem_free((char *)o->login.attributes.data);
    o->login = (struct backend_login){ .has_database = false };
}

void session_keep_login(struct session *s, const struct login *login)
{
    forget_login(s->observed);
    s->observed->login = (struct backend_login){
        .capabilities = LOGIN_CAPABILITIES | (login->capabilities & CHOSEN_CAPABILITIES),
        .charset = (uint8_t)login->charset,
        .has_database = login->has_database,
        .database = own_copy(login->database),
        .attributes = own_copy(login->attributes),
    };
}

void session_observed_free(struct session *s)
{
    struct observed *o = s->observed;
    if (!o)
        return;
    forget_login(o);
    buf_fini(&o->answer);
    plan_entry_release(o->preparing);
    mem_free(o->use);
    session_forget_halfway(s);
    mem_free(o);
}

/* A login that enforce would refuse is only noted. */
static void open_backend(struct session *s)
{
    struct err e;
    struct observed *o = s->observed;
    if (s->login->why.code) {
        session_note_word(s, "LOGIN", &s->login->why);
        o->blind = s->login->why.code == MQ_CHARSET_UNSAFE;
    }
    session_end_login(s);
    session_move(s, SESSION_WAITING);
    struct pool *p = pool_get(s->worker, s->deployment, s->account, 0, 0, 0);
    s->backend = pool_open_exclusive(p, s, &o->login, &e);
    if (!s->backend)
        session_fail_login(s, &e);
}

static void backend_opened(struct session *s, struct backend *b)
{
    s->status = b->status;
    s->default_modes = s->worker->default_modes;
    s->modes |= s->default_modes;
    roster_add(s->worker->fleet->roster, s->id, s->worker->number, b->connection_id,
               slice_cstr(s->user));
    session_send_payload(s, buf_slice(&s->observed->answer));
    buf_fini(&s->observed->answer);
    session_done(s);
}

void session_on_login_answer(struct session *s, struct slice payload)
{
    buf_clear(&s->observed->answer);
    buf_append_slice(&s->observed->answer, payload);
}

/* ---- commands ---- */

static void send_quit(struct session *s)
{
    static uint8_t bytes[] = { 1, 0, 0, 0, COM_QUIT };
    struct iovec part = { bytes, sizeof bytes };
    (void)backend_send(s->backend, &part, 1);
}

static void quit(struct session *s)
{
    send_quit(s);
    session_kill(s);
}

/* The server gets a new connection, for none can become another user's without its password. */
void session_observe_anew(struct session *s)
{
    struct observed *o = s->observed;
    send_quit(s);
    o->blind = false;
    o->warning.code = MQ_OK;
    o->servers_warnings = 0;
}

static void lost_while_sending(struct session *s)
{
    struct err e;
    err_set(&e, MQ_SHARD_LOST, "the connection to the server was lost");
    backend_kill(s->backend);
    session_on_backend_lost(s, s->backend, &e);
}

static enum answer_kind answer_to(const struct forwarded *f, struct slice payload)
{
    enum { FLAGS_AT = 5 };
    bool cursor = f->command == COM_STMT_EXECUTE && payload.len > FLAGS_AT &&
                  (payload.data[FLAGS_AT] & CURSOR_READ_ONLY);
    return cursor ? ANSWER_CURSOR : (enum answer_kind)f->answer;
}

static void forward(struct session *s, const struct forwarded *f, struct slice payload)
{
    struct buf bytes;
    uint8_t seq = 0;
    if (f->answer != NO_ANSWER) {
        request_begin(s, END_FORWARDED);
        session_move(s, SESSION_BUSY);
        s->step = STEP_COMMAND;
        answer_begin(&s->backend->answer, answer_to(f, payload), s->backend->capabilities);
        relay_begin(s);
    }
    buf_init(&bytes);
    packet_append(&bytes, &seq, payload);
    struct iovec part = { buf_begin(&bytes), buf_len(&bytes) };
    if (!backend_send(s->backend, &part, 1))
        lost_while_sending(s);
    buf_fini(&bytes);
}

bool session_begin_upload(struct session *s)
{
    if (!s->observed)
        return false;
    s->observed->uploading = true;
    return true;
}

/* The answer to the command follows the empty packet. */
static void upload(struct session *s, const struct packet *p)
{
    struct buf bytes;
    uint8_t seq = p->first_seq;
    s->observed->uploading = p->payload.len > 0;
    buf_init(&bytes);
    packet_append(&bytes, &seq, p->payload);
    struct iovec part = { buf_begin(&bytes), buf_len(&bytes) };
    if (!backend_send(s->backend, &part, 1))
        lost_while_sending(s);
    buf_fini(&bytes);
}

/* ---- KILL ---- */

static bool find_number(const struct session *s, unsigned long long ours, uint32_t *ret)
{
    struct roster_entry found;
    if (ours > UINT32_MAX || !roster_find(s->worker->fleet->roster, (uint32_t)ours,
                                          slice_cstr(s->user), &found))
        return false;
    *ret = found.servers;
    return true;
}

/* A connection that mqgate has numbered is called by the server's number. What is changed is
 * written to out. */
static struct slice rename_killed(struct session *s, struct slice payload, struct buf *out)
{
    const struct observed *o = s->observed;
    struct reader r = reader_of(payload.data, payload.len);
    unsigned long long ours;
    uint32_t servers;
    if (read_u8(&r) == COM_PROCESS_KILL) {
        ours = read_u32(&r);
        if (r.bad || !find_number(s, ours, &servers))
            return payload;
        write_u8(out, COM_PROCESS_KILL);
        write_u32(out, servers);
        return buf_slice(out);
    }
    size_t at = 1 + o->kill_at; /* behind the command's byte */
    struct slice number = slice_of(payload.data + at, o->kill_len);
    if (!o->kill_len || !slice_to_u64(number, &ours) || !find_number(s, ours, &servers))
        return payload;
    buf_append(out, payload.data, at);
    buf_printf(out, "%u", servers);
    buf_append(out, payload.data + at + o->kill_len, payload.len - at - o->kill_len);
    return buf_slice(out);
}

static bool forward_command(struct session *s, const struct packet *p)
{
    if (s->observed->uploading) {
        upload(s, p);
        return true;
    }
    if (session_refuse_packet(s, p))
        return true;
    uint8_t byte = (uint8_t)p->payload.data[0];
    const struct forwarded *f = find_forwarded(byte);
    s->worker->statements++;
    if (byte == COM_QUIT) {
        quit(s);
    } else if (byte == COM_CHANGE_USER) {
        session_change_user(s, slice_of(p->payload.data + 1, p->payload.len - 1));
    } else if (!f) {
        session_refuse_command(s, byte);
    } else if (!session_examine(s, byte, p->payload)) {
        struct buf renamed;
        buf_init(&renamed);
        forward(s, f, rename_killed(s, p->payload, &renamed));
        buf_fini(&renamed);
    }
    return true;
}

/* ---- ends ---- */

void session_end_forwarded(struct session *s, bool failed)
{
    s->step = STEP_NONE;
    session_examined(s, failed);
    if (s->observed->uploading) /* what comes from the client now is no command */
        session_close_gently(s);
    else
        session_done(s);
}

size_t session_pass_unasked(struct session *s, const uint8_t *data, size_t len)
{
    struct packet p;
    if (packet_next(data, len, UNASKED_MAX, &s->worker->joined, &p, NULL) == PACKET_INCOMPLETE)
        return 0;
    struct iovec part = { (void *)data, p.wire_bytes };
    session_send(s, &part, 1);
    session_close_gently(s);
    return len;
}

/* The client sees what it would see of the server: its refusal, or the end of the connection. */
static void backend_lost(struct session *s, const struct err *reason)
{
    struct buf *refusal = &s->observed->answer;
    s->backend = NULL;
    s->step = STEP_NONE;
    s->observed->uploading = false;
    if (s->state == SESSION_WAITING && buf_len(refusal))
        session_send_payload(s, buf_slice(refusal));
    else if (s->state == SESSION_WAITING)
        session_send_err(s, reason);
    session_close_gently(s);
}

const struct session_mode session_observes = {
    .on_login = open_backend,
    .on_command = forward_command,
    .on_backend = backend_opened,
    .on_lost = backend_lost,
    .lasting = true,
    .capabilities = OBSERVED_CAPABILITIES,
};
