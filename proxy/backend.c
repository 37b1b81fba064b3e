#include "proxy/backend.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#include "base/check.h"
#include "base/log.h"
#include "base/memory.h"
#include "proxy/pool_kill.h"
#include "proxy/session.h"
#include "wire/packet.h"
#include "wire/stmt.h"

enum {
    LOGIN_CHARSET = 45,        /* utf8mb4_general_ci: every server knows it */
    LOGIN_PACKET_MAX = 1 << 20, /* no packet of a login or a probe is larger */
    BACKEND_CAPABILITIES = CAP_LONG_PASSWORD | CAP_LONG_FLAG | CAP_CONNECT_WITH_DB |
                           CAP_PROTOCOL_41 | CAP_TRANSACTIONS | CAP_SECURE_CONNECTION |
                           CAP_MULTI_RESULTS | CAP_PS_MULTI_RESULTS | CAP_PLUGIN_AUTH |
                           CAP_PLUGIN_AUTH_LENENC | CAP_DEPRECATE_EOF |
                           CAP_MARIADB_EXTENDED_METADATA,
};

/* What a server is asked before it is used. A vtgate is asked only whether it is one: tablets, of
 * which some may be down, would have to answer the rest. */
#define PROBE                                                                  \
    "SELECT @@sql_mode, @@hostname, @@port, @@global.character_set_client, "   \
    "@@global.collation_connection"
#define VTGATE_PROBE "SHOW VITESS_TARGET"

static const char *const state_names[] = {
#define BACKEND_STATE(name, summary) #name,
#include "proxy/states.def"
#undef BACKEND_STATE
};

static const struct {
    uint8_t from, to;
} moves[] = {
#define BACKEND_MOVE(from, to) { BACKEND_##from, BACKEND_##to },
#include "proxy/states.def"
#undef BACKEND_MOVE
};

const char *backend_state_name(enum backend_state s)
{
    return state_names[s];
}

static bool move_is_legal(enum backend_state from, enum backend_state to)
{
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
        if (moves[i].from == from && moves[i].to == to)
            return true;
    return false;
}

void backend_move(struct backend *b, enum backend_state to)
{
    CHECK(move_is_legal(b->state, to));
    (void)move_is_legal;
    b->state = to;
}

static const struct config *backend_config(const struct backend *b)
{
    return b->pool->deployment->topology->config;
}

static const struct shard_config *backend_shard(const struct backend *b)
{
    return b->pool->deployment->topology->shards[b->pool->key.shard].config;
}

bool backend_is_vtgate(const struct backend *b)
{
    return pool_is_vitess(b->pool);
}

bool backend_suits(const struct backend *b, const struct vars *wanted)
{
    return !backend_is_vtgate(b) || !vars_lack_default(&b->vars, wanted);
}

/* ---- ending ---- */

void backend_kill(struct backend *b)
{
    if (b->state == BACKEND_DEAD)
        return;
    backend_end(b, NULL);
}

void backend_forget_left(struct backend *b, const struct session *next)
{
    if (b->told)
        session_teller_gone(b->told);
    b->told = NULL;
    if (b->id_for && b->id_for != next) {
        session_insert_id_gone(b->id_for);
        b->id_for = NULL;
    }
    if (b->found_for && b->found_for != next) {
        session_found_rows_gone(b->found_for);
        b->found_for = NULL;
    }
}

/* Closes; the pool learns why. */
void backend_end(struct backend *b, const struct err *reason)
{
    list_remove(&b->node);
    list_append(&b->worker->dead_backends, &b->node);
    io_destroy(b->io);
    b->io = NULL;
    if (b->cursors)
        session_cursors_lost(b->session, b);
    b->session = NULL;
    backend_forget_left(b, NULL);
    pool_spare(b);
    enum backend_state before = b->state;
    struct pool *pool = b->pool;
    if (b->probe_only)
        worker_probe_ended(b->worker);
    b->probe_only = false;
    worker_clean_later(b->worker);
    pool_on_lost(pool, b, reason);
    CHECK(move_is_legal(before, BACKEND_DEAD));
    (void)before;
    b->state = BACKEND_DEAD;
}

/* The connection is of no more use, and whoever waits for it must know. */
void backend_lose(struct backend *b, enum err_code code, const char *what)
{
    struct err reason;
    struct session *s = b->session;
    err_set(&reason, code, "shard %s: %s", backend_shard(b)->name, what);
    if (b->asks_role) /* every few seconds */
        log_debug("backend", "%s", reason.text);
    else if (b->state != BACKEND_IDLE)
        log_warning("backend", "%s (%s)", reason.text, state_names[b->state]);
    backend_end(b, &reason);
    if (s)
        session_on_backend_lost(s, b, &reason);
}

void backend_expire(struct backend *b)
{
    if (b->state == BACKEND_CONNECTING)
        host_silent(b->host, &b->address);
    static const char *const what[BACKEND_STATE_COUNT] = {
        [BACKEND_CONNECTING] = "connecting took too long",
        [BACKEND_CLEANING] = "rolling back took too long",
        [BACKEND_KILLING] = "killing a statement took too long",
    };
    backend_lose(b, MQ_SHARD_DOWN, what[b->state] ? what[b->state] : "login took too long");
}

static void take_statement(struct backend *b, struct backend_stmt *stmt)
{
    HASH_DEL(b->statements, stmt);
    list_remove(&stmt->lru);
    b->statement_count--;
}

void backend_stmt_destroy(struct backend_stmt *stmt)
{
    mem_free(stmt->database);
    mem_free(stmt);
}

static void forget_statement(struct backend *b, struct backend_stmt *stmt)
{
    take_statement(b, stmt);
    backend_stmt_destroy(stmt);
}

void backend_free(struct backend *b)
{
    CHECK(b->state == BACKEND_DEAD);
    while (!list_empty(&b->statements_lru))
        forget_statement(b, LIST_ENTRY(list_first(&b->statements_lru), struct backend_stmt, lru));
    vars_fini(b->worker->interned, &b->vars);
    mem_free(b->database);
    mem_free(b->modes);
    buf_fini(&b->in);
    buf_fini(&b->out);
    mem_free(b->errand);
    mem_free(b);
}

/* ---- sending ---- */

bool backend_send(struct backend *b, const struct iovec *parts, int count)
{
    return io_send(b->io, &b->out, parts, count) != IO_LOST;
}

static void on_readable(struct backend *b);

static bool send_packet(struct backend *b, struct slice payload)
{
    struct buf packet;
    buf_init(&packet);
    packet_append(&packet, &b->seq, payload);
    struct iovec part = { buf_begin(&packet), buf_len(&packet) };
    bool sent = backend_send(b, &part, 1);
    buf_fini(&packet);
    return sent;
}

bool backend_query(struct backend *b, const char *text)
{
    struct buf payload;
    buf_init(&payload);
    write_u8(&payload, 0x03);
    buf_append_cstr(&payload, text);
    b->seq = 0;
    answer_begin(&b->answer, ANSWER_QUERY, b->capabilities);
    bool sent = send_packet(b, buf_slice(&payload));
    buf_fini(&payload);
    return sent;
}

/* A server that refuses a command before it has all of it (1153) says so and closes: that is the
 * reason, and not that the rest could not be sent. */
static void hear_last_words(struct backend *b)
{
    io_watch(b->io, IO_READ);
    on_readable(b);
    if (b->state != BACKEND_DEAD)
        backend_lose(b, MQ_SHARD_LOST, "cannot send");
}

static void flush(struct backend *b)
{
    enum io_sent sent = io_flush(b->io, &b->out);
    if (sent == IO_LOST)
        hear_last_words(b);
    else if (sent == IO_SENT && b->session)
        session_on_backend_flushed(b->session);
}

/* ---- logging in ---- */

/* On the unsharded keyspace's server the database follows the session. */
static struct backend_login pool_login(const struct pool *pool, const struct shard_config *shard)
{
    return (struct backend_login){
        .capabilities = BACKEND_CAPABILITIES | pool->key.flags,
        .charset = LOGIN_CHARSET,
        .has_database = pool->key.shard < pool->deployment->topology->shard_count,
        .database = slice_cstr(shard->database),
    };
}

static bool is_err(struct slice payload)
{
    return payload.len && (uint8_t)payload.data[0] == 0xff;
}

static enum err_code take_greeting(struct backend *b, const struct greeting *g, struct err *reterr)
{
    if (!dialect_of_version(g->version, &b->dialect))
        return err_set(reterr, MQ_SHARD_PROTOCOL, "server version '%.*s' is not known",
                       (int)g->version.len, g->version.data);
    if (!worker_learn_version(b->worker, g->version, &b->dialect))
        return err_set(reterr, MQ_SHARD_STATE, "server %.*s is of another kind than the other shards'",
                       (int)g->version.len, g->version.data);
    b->connection_id = g->connection_id;
    b->capabilities = b->wanted.capabilities & g->capabilities;
    return MQ_OK;
}

/* The login goes on inside TLS, with the sequence number that follows. */
static bool begin_tls(struct backend *b, const struct tls_context *tls, const struct login *login)
{
    struct buf payload, packet;
    buf_init(&payload);
    buf_init(&packet);
    ssl_request_write(&payload, login);
    packet_append(&packet, &b->seq, buf_slice(&payload));
    struct iovec part = { buf_begin(&packet), buf_len(&packet) };
    bool sent = io_send(b->io, &b->out, &part, 1) == IO_SENT;
    buf_fini(&payload);
    buf_fini(&packet);
    if (sent)
        b->io = io_tls(tls, b->worker->base, b->io, slice_of("", 0));
    return sent;
}

static bool send_login(struct backend *b, const struct tls_context *tls)
{
    uint8_t proof[32];
    struct login login = {
        .capabilities = b->capabilities | (tls ? CAP_SSL : 0),
        .max_packet = 1u << 30,
        .charset = b->wanted.charset,
        .user = slice_cstr(b->pool->credentials->user),
        .auth = slice_of(proof, auth_prove(b->login.plugin, b->login.password, b->login.nonce,
                                           proof)),
        .has_database = b->wanted.has_database,
        .database = b->wanted.database,
        .plugin = slice_cstr(auth_plugin_name(b->login.plugin)),
        .attributes = b->wanted.attributes,
    };
    if (tls && !begin_tls(b, tls, &login))
        return false;
    struct buf out;
    buf_init(&out);
    login_write(&out, &login);
    bool sent = send_packet(b, buf_slice(&out));
    buf_fini(&out);
    return sent;
}

static enum err_code answer_greeting(struct backend *b, struct slice payload, struct err *reterr)
{
    struct err_packet refused;
    if (is_err(payload) && err_parse(payload, &refused))
        return err_set(reterr, MQ_SHARD_DOWN, "refused the connection: %.*s",
                       (int)refused.message.len, refused.message.data);
    struct greeting g;
    enum err_code code = greeting_parse(payload, &g, reterr);
    if (!code)
        code = take_greeting(b, &g, reterr);
    if (code)
        return code;
    const struct tls_context *tls = b->host->tls;
    if (tls && !(g.capabilities & CAP_SSL)) {
        if (backend_shard(b)->tls.mode > TLS_PREFERRED)
            return err_set(reterr, MQ_SHARD_TLS, "the server does not offer TLS");
        tls = NULL;
    }
    enum auth_plugin plugin = auth_plugin_of(g.plugin);
    b->login = (struct client_login){
        .plugin = plugin == AUTH_OTHER ? AUTH_NATIVE : plugin,
        .secure = tls || b->host->address->socket,
        .password = slice_cstr(b->pool->credentials->password),
    };
    memcpy(b->login.nonce, g.nonce, NONCE_SIZE);
    bool sent = send_login(b, tls);
    backend_move(b, BACKEND_LOGIN);
    return sent ? MQ_OK : err_set(reterr, MQ_SHARD_DOWN, "connection lost during login");
}

/* A pool's backend tells its sql_mode, which server it is and its character set before anybody
 * gets it. False: it cannot be asked. */
static bool logged_in(struct backend *b, struct slice payload)
{
    struct ok_packet ok;
    host_reached(b->host, &b->address);
    if (b->exclusive) {
        b->status = ok_parse(payload, b->capabilities, &ok) ? ok.status : STATUS_AUTOCOMMIT;
        b->deadline_ms = 0;
        session_on_login_answer(b->session, payload);
        backend_move(b, BACKEND_IDLE);
        return true;
    }
    backend_move(b, BACKEND_PROBE);
    return backend_query(b, b->errand            ? b->errand
                            : backend_is_vtgate(b) ? VTGATE_PROBE
                                                 : PROBE);
}

static enum err_code login_packet(struct backend *b, struct slice payload, struct err *reterr)
{
    struct buf out;
    buf_init(&out);
    enum login_step step = client_login_packet(&b->login, payload, &out, reterr);
    bool sent = true;
    if (step == LOGIN_SEND || buf_len(&out)) /* an empty password's proof is empty */
        sent = send_packet(b, buf_slice(&out));
    buf_fini(&out);
    if (step == LOGIN_FAILED)
        return reterr->code;
    if (sent && step == LOGIN_DONE)
        sent = logged_in(b, payload);
    return sent ? MQ_OK : err_set(reterr, MQ_SHARD_DOWN, "connection lost during login");
}

/* Names between commas, to be said to the server again. */
static bool are_names(struct slice modes)
{
    for (size_t i = 0; i < modes.len; i++)
        if (!isalnum((unsigned char)modes.data[i]) && !memchr("_,", modes.data[i], 2))
            return false;
    return true;
}

/* The server's default sql_mode must not change how text is read, for mqgate's lexer reads
 * it under the modes that the client knows of. Where it only observes it reads as the server. */
static enum err_code check_sql_mode(struct backend *b, struct slice row, struct err *reterr)
{
    struct reader r = reader_of(row.data, row.len);
    struct slice modes = read_lenenc_slice(&r), name = SLICE_LIT("");
    uint32_t reading = 0;
    if (r.bad || !are_names(modes))
        return err_set(reterr, MQ_SHARD_PROTOCOL, "malformed row");
    b->modes = mem_strndup(modes);
    struct slice server = read_rest(&r);
    HASH_VALUE(server.data, server.len, b->server);
    enum mode_status status = dialect_modes(modes, &reading, &name);
    if (backend_config(b)->enforcement != ENFORCE) {
        b->worker->default_modes = status == MODES_REFUSED ? 0 : reading;
        b->worker->default_modes_known = true;
        return MQ_OK;
    }
    b->strict = dialect_is_strict(modes);
    uint32_t wanted = b->pool->key.flags & CAP_IGNORE_SPACE ? MODE_IGNORE_SPACE : 0;
    if (status == MODES_REFUSED || reading != wanted)
        return err_set(reterr, MQ_SHARD_STATE, "its default sql_mode '%.*s' changes how statements read",
                       (int)modes.len, modes.data);
    return MQ_OK;
}

/* Both read_only and innodb_read_only have to be off. */
static void take_role(struct backend *b, struct slice row)
{
    static const char *const off[] = { "0,0", "OFF,OFF" }; /* MySQL, MariaDB */
    struct reader r = reader_of(row.data, row.len);
    struct slice modes = read_lenenc_slice(&r);
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++)
        b->writable |= !r.bad && slice_eq(modes, slice_cstr(off[i]));
}

/* What NAMES DEFAULT means. Names of a server's own are no more than letters, digits and _. */
static void learn_names(struct worker *w, struct slice row)
{
    struct reader r = reader_of(row.data, row.len);
    for (int i = 0; i < 3; i++) /* sql_mode, hostname, port */
        (void)read_lenenc_slice(&r);
    struct slice name = read_lenenc_slice(&r), collation = read_lenenc_slice(&r);
    const struct charset_info *charset = r.bad ? NULL : charset_find(name);
    w->default_names[0] = '\0';
    if (charset && charset->safe && charset_of_collation(collation) == charset)
        snprintf(w->default_names, sizeof w->default_names, "NAMES %s COLLATE %.*s", charset->name,
                 (int)collation.len, collation.data);
}

/* vttablet insists on a strict sql_mode, vtgate reads statements by itself, and all is in UTF-8. */
static void take_vtgate(struct backend *b)
{
    b->modes = mem_strdup("");
    b->strict = true;
    snprintf(b->worker->default_names, sizeof b->worker->default_names, "NAMES utf8mb4");
}

static enum err_code take_probe_row(struct backend *b, struct slice row, struct err *reterr)
{
    if (b->errand) {
        take_role(b, row);
    } else if (backend_is_vtgate(b)) {
        take_vtgate(b);
    } else {
        learn_names(b->worker, row);
        return check_sql_mode(b, row, reterr);
    }
    return MQ_OK;
}

static enum err_code probe_packet(struct backend *b, struct slice payload, struct err *reterr)
{
    switch (answer_packet(&b->answer, (const uint8_t *)payload.data, payload.len, payload.len)) {
    case ANSWER_ROW:
        return take_probe_row(b, payload, reterr);
    case ANSWER_ERR:
        if (b->errand) /* what was to be killed is gone */
            break;
        return err_set(reterr, MQ_SHARD_STATE, "%.*s", (int)b->answer.err.message.len,
                       b->answer.err.message.data);
    case ANSWER_NEED_MORE:
    case ANSWER_BAD:
        return err_set(reterr, MQ_SHARD_PROTOCOL, "malformed packet");
    default:
        break;
    }
    if (b->answer.ended) {
        b->status = b->answer.ok.status;
        b->deadline_ms = 0;
        backend_move(b, BACKEND_IDLE);
    }
    return MQ_OK;
}

static enum err_code cleaning_packet(struct backend *b, struct slice payload, struct err *reterr)
{
    enum answer_packet kind =
        answer_packet(&b->answer, (const uint8_t *)payload.data, payload.len, payload.len);
    if (kind != ANSWER_OK || (b->answer.ok.status & STATUS_IN_TRANS))
        return err_set(reterr, MQ_SHARD_LOST, "did not roll back");
    b->status = b->answer.ok.status;
    b->unsure = false;
    b->deadline_ms = 0;
    backend_move(b, BACKEND_IDLE);
    return MQ_OK;
}

/* Whoever was to be killed may be gone: what the server says of it is all the same. */
static enum err_code killing_packet(struct backend *b, struct slice payload, struct err *reterr)
{
    enum answer_packet kind =
        answer_packet(&b->answer, (const uint8_t *)payload.data, payload.len, payload.len);
    if (kind != ANSWER_OK && kind != ANSWER_ERR)
        return err_set(reterr, MQ_SHARD_PROTOCOL, "malformed packet");
    backend_move(b, BACKEND_IDLE);
    return MQ_OK;
}

static enum err_code own_packet(struct backend *b, struct slice payload, struct err *reterr)
{
    if (b->exclusive && is_err(payload))
        session_on_login_answer(b->session, payload);
    switch (b->state) {
    case BACKEND_CONNECTING:
        return answer_greeting(b, payload, reterr);
    case BACKEND_LOGIN:
        return login_packet(b, payload, reterr);
    case BACKEND_PROBE:
        return probe_packet(b, payload, reterr);
    case BACKEND_CLEANING:
        return cleaning_packet(b, payload, reterr);
    case BACKEND_KILLING:
        return killing_packet(b, payload, reterr);
    default:
        return err_set(reterr, MQ_SHARD_LOST, "spoke without being asked");
    }
}

/* Packets that are mqgate's own business: everything outside BUSY. */
static size_t own_data(struct backend *b, const uint8_t *data, size_t len)
{
    size_t used = 0;
    while (used < len && b->state != BACKEND_IDLE) {
        struct packet p;
        struct err reason = { 0 };
        enum packet_status status =
            packet_next(data + used, len - used, LOGIN_PACKET_MAX, &b->worker->joined, &p, NULL);
        if (status == PACKET_INCOMPLETE)
            return used;
        if (status == PACKET_TOO_LARGE)
            err_set(&reason, MQ_SHARD_PROTOCOL, "packet too large");
        else if (b->state == BACKEND_CONNECTING && used + p.wire_bytes < len)
            err_set(&reason, MQ_SHARD_PROTOCOL, "more than a greeting"); /* it may not go into TLS */
        b->seq = (uint8_t)(p.last_seq + 1);
        if (reason.code || own_packet(b, p.payload, &reason)) {
            backend_lose(b, reason.code, reason.text);
            return len;
        }
        used += p.wire_bytes;
    }
    return used;
}

/* ---- events ---- */

static void on_ready(void *owner, unsigned events);

/* Begins to connect to the next address that the host's name stands for. False: there is none;
 * errno tells of the last. */
static bool connect_next(struct backend *b)
{
    socklen_t len;
    struct worker *w = b->worker;
    while (host_address(b->host, b->attempt, &b->address, &len)) {
        b->attempt++;
        struct io *io = w->connect(w->base, (const struct sockaddr *)&b->address, len);
        if (!io)
            continue;
        io_destroy(b->io);
        b->io = io;
        io_set_owner(io, on_ready, b);
        io_watch(io, IO_WRITE);
        return true;
    }
    return false;
}

static void on_connected(struct backend *b)
{
    int error = io_connect_error(b->io);
    if (error && !connect_next(b))
        backend_lose(b, MQ_SHARD_DOWN, strerror(error));
    else if (!error)
        io_watch(b->io, IO_READ);
}

static void became_ready(struct backend *b)
{
    bool probe_only = b->probe_only;
    b->probe_only = false;
    pool_reached(b->pool);
    if (probe_only)
        worker_probe_ended(b->worker);
    pool_on_ready(b->pool, b);
}

static void read_failed(struct backend *b, ssize_t n)
{
    enum err_code code = MQ_SHARD_DOWN;
    if (b->state == BACKEND_BUSY || b->state == BACKEND_CLEANING)
        code = MQ_SHARD_LOST;
    else if (n == -EPROTO)
        code = MQ_SHARD_TLS;
    backend_lose(b, code, n == 0 ? "the server closed the connection" : io_error_text(b->io, n));
}

static void on_readable(struct backend *b)
{
    struct worker *w = b->worker;
    ssize_t n = io_read(b->io, w->scratch, sizeof w->scratch);
    if (n == -EAGAIN)
        return;
    if (n <= 0) {
        read_failed(b, n);
        return;
    }
    uint8_t *data = w->scratch;
    size_t len = (size_t)n;
    b->heard_ms = w->now_ms;
    bool kept = buf_len(&b->in) > 0;
    if (kept) {
        buf_append(&b->in, data, len);
        data = buf_begin(&b->in);
        len = buf_len(&b->in);
    }
    bool own = b->state != BACKEND_BUSY || !session_uses(b->session, b);
    size_t used = own ? own_data(b, data, len) : session_on_backend_data(b->session, data, len);
    if (b->state == BACKEND_DEAD)
        return;
    if (kept)
        buf_consume(&b->in, used);
    else if (used < len)
        buf_append(&b->in, data + used, len - used);
    if (kept)
        buf_release(&b->in);
    if (own && b->state == BACKEND_IDLE) {
        if (buf_len(&b->in))
            backend_lose(b, MQ_SHARD_PROTOCOL, "more than an answer");
        else
            became_ready(b);
    }
}

static void on_ready(void *owner, unsigned events)
{
    struct backend *b = owner;
    b->worker->now_ms = b->worker->clock();
    if (b->state == BACKEND_CONNECTING && (io_watched(b->io) & IO_WRITE))
        on_connected(b);
    else if (events & IO_READ)
        on_readable(b);
    else if (events & IO_WRITE)
        flush(b);
}

struct backend *backend_open(struct pool *pool, uint32_t host, struct session *s,
                             const struct backend_login *wanted, struct err *reterr)
{
    struct worker *w = pool->worker;
    const struct shard_config *shard = pool->deployment->topology->shards[pool->key.shard].config;
    struct backend *b = mem_new(struct backend);
    b->worker = w;
    b->host_number = host;
    b->host = &pool_endpoint(pool)->hosts[host];
    if (!connect_next(b)) {
        err_set(reterr, MQ_SHARD_DOWN, "shard %s: %s", shard->name,
                b->attempt ? strerror(errno) : "its host name does not resolve");
        mem_free(b);
        return NULL;
    }
    list_init(&b->node);
    list_init(&b->statements_lru);
    b->pool = pool;
    b->state = BACKEND_CONNECTING;
    b->session = s;
    b->exclusive = s != NULL;
    b->wanted = wanted ? *wanted : pool_login(pool, shard);
    vars_init(&b->vars);
    vars_forget(w->interned, &b->vars, VAR_NAMES); /* the login has only one byte for it */
    b->defaults = atomic_load(&pool_endpoint(pool)->defaults);
    b->insert_id_known = true; /* 0 */
    b->deadline_ms = w->now_ms + pool->deployment->topology->config->pool.connect_timeout_ms;
    return b;
}

void backend_release(struct backend *b)
{
    if (b->exclusive) {
        backend_kill(b);
        return;
    }
    CHECK(b->state == BACKEND_BUSY);
    pool_spare(b);
    b->session = NULL;
    if (b->interrupted) {
        backend_kill(b);
        return;
    }
    if ((b->status & STATUS_IN_TRANS) || b->unsure) {
        backend_move(b, BACKEND_CLEANING);
        b->deadline_ms =
            b->worker->now_ms + b->pool->deployment->topology->config->pool.connect_timeout_ms;
        io_watch(b->io, io_watched(b->io) | IO_READ);
        bool chains = vars_value(&b->vars, VAR_COMPLETION) != NULL; /* or releases, perhaps */
        if (!backend_query(b, chains ? "ROLLBACK AND NO CHAIN NO RELEASE" : "ROLLBACK"))
            backend_kill(b);
        return;
    }
    backend_move(b, BACKEND_IDLE);
    io_watch(b->io, IO_READ);
    pool_on_ready(b->pool, b);
}

void backend_reserve(struct backend *b)
{
    pool_spare(b);
    backend_move(b, BACKEND_RESERVED);
    io_watch(b->io, IO_READ);
}

/* ---- prepared statements ---- */

static void add_statement(struct backend *b, struct backend_stmt *stmt)
{
    HASH_ADD(hh, b->statements, key, sizeof stmt->key, stmt);
    list_prepend(&b->statements_lru, &stmt->lru);
    b->statement_count++;
}

static struct backend_stmt *look_up(struct backend *b, struct stmt_key key)
{
    struct backend_stmt *stmt;
    HASH_FIND(hh, b->statements, &key, sizeof key, stmt);
    return stmt;
}

struct backend_stmt *backend_stmt_find(struct backend *b, struct stmt_key key)
{
    struct backend_stmt *stmt = look_up(b, key);
    if (!stmt && key.bound)
        stmt = look_up(b, (struct stmt_key){ .text = key.text });
    if (stmt) {
        take_statement(b, stmt);
        stmt->key = key;
        add_statement(b, stmt);
    }
    return stmt;
}

void backend_stmt_add(struct backend *b, struct stmt_key key, uint32_t id, const char *database)
{
    struct backend_stmt *stmt = mem_new(struct backend_stmt);
    stmt->key = key;
    stmt->id = id;
    stmt->database = mem_strdup(database);
    stmt->reading = vars_reading(&b->vars);
    add_statement(b, stmt);
}

static void close_statement(struct backend *b, struct backend_stmt *stmt, struct buf *out)
{
    stmt_close_write(out, stmt->id);
    forget_statement(b, stmt);
}

void backend_stmt_close(struct backend *b, struct stmt_key key, struct buf *out)
{
    struct backend_stmt *stmt = look_up(b, key);
    if (stmt)
        close_statement(b, stmt, out);
}

void backend_stmt_close_text(struct backend *b, uint64_t text, struct buf *out)
{
    LIST_EACH (&b->statements_lru, node, following) {
        struct backend_stmt *stmt = LIST_ENTRY(node, struct backend_stmt, lru);
        if (stmt->key.text == text)
            close_statement(b, stmt, out);
    }
}

void backend_stmt_make_room(struct backend *b, struct buf *out)
{
    uint32_t max = b->pool->deployment->topology->config->pool.max_statements;
    while (b->statement_count >= max && b->statement_count)
        close_statement(
            b, LIST_ENTRY(list_last(&b->statements_lru), struct backend_stmt, lru), out);
}

struct backend_stmt *backend_stmt_take(struct backend *b, struct stmt_key key)
{
    struct backend_stmt *stmt = look_up(b, key);
    if (stmt)
        take_statement(b, stmt);
    return stmt;
}

bool backend_stmt_return(struct backend *b, struct backend_stmt *stmt)
{
    if (look_up(b, stmt->key) ||
        b->statement_count >= b->pool->deployment->topology->config->pool.max_statements)
        return false;
    add_statement(b, stmt);
    return true;
}

void backend_stmt_forget(struct backend *b, struct stmt_key key)
{
    struct backend_stmt *stmt = look_up(b, key);
    if (stmt)
        forget_statement(b, stmt);
}

uint32_t backend_stmts_close(struct backend *b)
{
    uint32_t count = b->statement_count;
    struct buf out;
    buf_init(&out);
    while (!list_empty(&b->statements_lru))
        close_statement(b, LIST_ENTRY(list_first(&b->statements_lru), struct backend_stmt, lru), &out);
    struct iovec part = { buf_begin(&out), buf_len(&out) };
    if (count)
        (void)backend_send(b, &part, 1); /* a loss shows at the next read */
    buf_fini(&out);
    return count;
}
