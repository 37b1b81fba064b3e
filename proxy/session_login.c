/* From the greeting to the first OK. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "proxy/offers.h"
#include "proxy/session_int.h"

static const char fallback_version[] = "8.0.36";

static const char *greeting_version(const struct session *s)
{
    const char *configured = s->deployment->topology->config->server_version;
    if (configured)
        return configured;
    const char *seen = atomic_load(&s->worker->fleet->server_version);
    return seen ? seen : fallback_version;
}

/* MariaDB up to 10.x tells a version that drivers take for a MySQL 5.5. Connector/J then cannot
 * read the other plug-in's packets, so what the greeting proposes is what such a server proposes.
 */
static enum auth_plugin greeting_plugin(const char *version)
{
    static const char replication_prefix[] = "5.5.5-";
    bool old = strncmp(version, replication_prefix, sizeof replication_prefix - 1) == 0;
    return old ? AUTH_NATIVE : AUTH_CACHING_SHA2;
}

static bool is_mariadb(const char *version)
{
    enum { EXTENDED_METADATA_SINCE = 100502 };
    struct dialect d;
    return dialect_of_version(slice_cstr(version), &d) && d.flavour == FLAVOUR_MARIADB &&
           d.version_min >= EXTENDED_METADATA_SINCE;
}

/* What a session has set on the unsharded keyspace's server it is not told of. */
static uint64_t offered(const struct session *s, const char *version)
{
    bool blind = !s->observed && s->deployment->topology->has_unsharded;
    bool mariadb = is_mariadb(version);
    uint64_t more = s->mode->capabilities | (mariadb ? MARIADB_CAPABILITIES : 0);
    uint64_t less = (blind ? CAP_SESSION_TRACK : 0) | (mariadb ? CAP_LONG_PASSWORD : 0);
    return (CLIENT_CAPABILITIES | more) & ~less;
}

void session_greet(struct session *s)
{
    const char *version = greeting_version(s);
    s->login = mem_new(struct login_attempt);
    auth_nonce(s->login->exchange.nonce);
    s->login->offered = offered(s, version);
    struct greeting g = {
        .version = slice_cstr(version),
        .connection_id = s->id,
        .capabilities = s->login->offered | (session_offers_tls(s) ? CAP_SSL : 0),
        .charset = 255, /* utf8mb4_0900_ai_ci, the default of the servers whose place this takes */
        .status = STATUS_AUTOCOMMIT,
        .plugin = slice_cstr(auth_plugin_name(greeting_plugin(version))),
    };
    memcpy(g.nonce, s->login->exchange.nonce, NONCE_SIZE);
    struct buf payload;
    buf_init(&payload);
    greeting_write(&payload, &g);
    s->seq = 0;
    session_send_payload(s, buf_slice(&payload));
    buf_fini(&payload);
}

void session_fail_login(struct session *s, const struct err *why)
{
    char where[32], from[IP_TEXT_MAX];
    log_info(session_where(s, where), "login from %s refused: %s", ip_print(&s->from.address, from),
             why->text);
    session_send_err(s, why);
    session_close_gently(s);
}

static void login_failed(struct session *s, enum err_code code, const char *text)
{
    struct err e;
    err_set(&e, code, "%s", text);
    session_fail_login(s, &e);
}

static void replace(char **owned, struct slice value)
{
    mem_free(*owned);
    *owned = value.data ? mem_strndup(value) : NULL;
}

/* What was chosen at login (attribute, database@tenant) binds; later choices replace each
 * other within it. */
enum err_code session_choose_tenant(struct session *s, struct slice tenant, bool at_login,
                                    struct err *reterr)
{
    struct tenant_scope scope = session_facts(s).scope;
    scope.has_chosen = s->login_tenant != NULL;
    scope.chosen = slice_cstr(s->login_tenant);
    enum err_code code = tenant_scope_choose(&scope, tenant, true, reterr);
    if (code)
        return code;
    if (!tenant_map_find(s->worker->tenants, tenant) &&
        s->deployment->topology->config->tenants_mode == TENANTS_LIST)
        return err_set(reterr, MQ_TENANT_UNKNOWN, "tenant '%.*s' is not served here",
                       (int)tenant.len, tenant.data);
    replace(at_login ? &s->login_tenant : &s->tenant, tenant);
    s->tenant_forgotten = false;
    return MQ_OK;
}

static struct slice database_part(struct slice name)
{
    const char *at = name.len ? memchr(name.data, '@', name.len) : NULL;
    return at ? slice_of(name.data, (size_t)(at - name.data)) : name;
}

enum err_code session_check_database(const struct session *s, struct slice name, struct err *reterr)
{
    struct slice database = database_part(name);
    const struct config *c = s->deployment->topology->config;
    struct session_facts facts = session_facts(s);
    if (!config_has_database(facts.databases, database))
        return route_deny(&facts, database, reterr);
    bool elsewhere = c->unsharded.configured && name.len && database.len == name.len;
    if (elsewhere || config_is_keyspace(c, database))
        return MQ_OK;
    return err_set(reterr, MQ_DATABASE_UNKNOWN, "Unknown database '%.*s'", (int)database.len,
                   database.data);
}

/* "db@tenant" chooses a tenant, plain "db" keeps the one that there is. */
enum err_code session_use(struct session *s, struct slice name, bool at_login, struct err *reterr)
{
    struct slice database = database_part(name);
    enum err_code code = session_check_database(s, name, reterr);
    if (!code && database.len < name.len) {
        size_t tenant = database.len + 1;
        code = session_choose_tenant(s, slice_of(name.data + tenant, name.len - tenant), at_login,
                                     reterr);
    }
    if (!code)
        session_set_database(s, mem_strndup(database));
    s->chose_database = !code;
    return code;
}

/* The connection's character set, as SET NAMES would say it. */
static enum err_code take_charset(struct session *s, uint16_t collation, struct err *reterr)
{
    const struct charset_info *charset = charset_of_collation_id(collation);
    const char *name = collation_name(collation);
    char text[128];
    if (charset && !charset->safe)
        return err_set(reterr, MQ_CHARSET_UNSAFE, "the connection's character set is not served");
    if (!charset || session_vitess_charset(s, charset, NULL)) { /* as a server would: its own */
        charset = charset_find(SLICE_LIT("utf8mb4"));
        name = NULL;
    }
    if (name && s->worker->dialect.flavour == FLAVOUR_MARIADB && strstr(name, "_0900_"))
        name = NULL; /* MariaDB takes its own default instead */
    if (name)
        snprintf(text, sizeof text, "NAMES %s COLLATE %s", charset->name, name);
    else
        snprintf(text, sizeof text, "NAMES %s", charset->name);
    vars_set(s->worker->interned, &s->vars, VAR_NAMES, slice_cstr(text));
    vars_copy(s->worker->interned, &s->login_vars, &s->vars);
    return MQ_OK;
}

static enum err_code take_attributes(struct session *s, struct slice attributes, struct err *reterr)
{
    struct slice key, value, program = slice_of("", 0);
    while (attribute_next(&attributes, &key, &value)) {
        enum err_code code = MQ_OK;
        if (slice_eq(key, SLICE_LIT("tenant")))
            code = session_choose_tenant(s, value, true, reterr);
        else if (slice_eq(key, SLICE_LIT("program_name")))
            program = value;
        if (code)
            return code;
    }
    session_keep_workload(s, program);
    return MQ_OK;
}

void session_welcome(struct session *s)
{
    if (s->login->why.code) {
        session_fail_login(s, &s->login->why);
        return;
    }
    session_end_login(s);
    roster_add(s->worker->fleet->roster, s->id, s->worker->number, 0, slice_cstr(s->user));
    if (session_check_login_database(s))
        return;
    session_move(s, SESSION_READY);
    session_send_ok(s);
}

void session_end_login(struct session *s)
{
    if (!s->login)
        return;
    memcpy(s->nonce, s->login->exchange.nonce, NONCE_SIZE);
    buf_fini(&s->login->held);
    mem_free(s->login);
    s->login = NULL;
}

static void enter(struct session *s)
{
    struct err e;
    if (session_join_account(s, &e))
        session_fail_login(s, &e);
    else
        s->mode->on_login(s);
}

/* As the server would name it. */
static const char *host(const struct session *s, char text[IP_TEXT_MAX])
{
    return s->from.address.size ? ip_print(&s->from.address, text) : "localhost";
}

static void answer(struct session *s)
{
    struct login_attempt *a = s->login;
    if (buf_len(&a->held))
        session_send_payload(s, buf_slice(&a->held));
    if (!a->proved) {
        char text[512], address[IP_TEXT_MAX];
        snprintf(text, sizeof text, "Access denied for user '%.80s'@'%s'", s->user,
                 host(s, address));
        login_failed(s, MQ_ACCESS_DENIED, text);
        return;
    }
    if (a->exchange.has_learnt)
        deployment_learn(s->deployment, s->account, a->exchange.learnt_sha2);
    enter(s);
}

void session_try_answer(struct session *s)
{
    if (s->login->answer_at_ms > s->worker->now_ms)
        return;
    list_remove(&s->queue);
    answer(s);
    if (s->state == SESSION_READY) /* it may have sent commands ahead */
        session_done(s);
}

/* It is known now whether the client is who it says; it may have to wait for the answer. */
static void decide(struct session *s, bool proved, struct buf *out)
{
    struct login_attempt *a = s->login;
    struct fleet *fleet = s->worker->fleet;
    char address[IP_TEXT_MAX];
    uint32_t longest = s->deployment->topology->config->limits.login_delay_ms;
    uint32_t delay = login_guard_note(fleet->login_guard, slice_cstr(s->user), slice_cstr(host(s, address)),
                                      proved, s->worker->now_ms, longest);
    a->proved = proved;
    buf_append_slice(&a->held, buf_slice(out));
    atomic_fetch_add(proved ? &fleet->logins : &fleet->logins_denied, 1);
    if (!delay) {
        answer(s);
        return;
    }
    atomic_fetch_add(&fleet->logins_slowed, 1);
    a->answer_at_ms = s->worker->now_ms + delay;
    list_append(&s->worker->slowed, &s->queue);
}

void session_login_step(struct session *s, enum login_step step, struct buf *out)
{
    if (step == LOGIN_DONE || step == LOGIN_FAILED)
        decide(s, step == LOGIN_DONE && s->account && session_suits_account(s), out);
    else if (buf_len(out))
        session_send_payload(s, buf_slice(out));
}

/* A login is checked against what holds now, not when its greeting was sent. */
static void take_deployment(struct session *s)
{
    struct deployment *before = s->deployment;
    s->deployment = deployment_acquire(s->worker->deployment);
    deployment_release(before);
}

bool session_take_login(struct session *s, const struct login *login)
{
    struct login_attempt *a = s->login;
    take_deployment(s);
    s->user = mem_strndup(login->user);
    s->account = deployment_account(s->deployment, login->user);
    if (s->observed)
        session_keep_login(s, login);
    if (take_charset(s, login->charset, &a->why) == MQ_OK && s->account &&
        take_attributes(s, login->attributes, &a->why) == MQ_OK && login->has_database)
        session_use(s, login->database, true, &a->why);
    a->exchange.secure = session_is_secure(s);
    a->exchange.key = s->worker->fleet->rsa_key;
    if (s->account) {
        deployment_verifier(s->deployment, s->account, &a->verifier);
        a->exchange.verifier = &a->verifier;
    }
    if (session_suits_listener(s))
        return true;
    login_failed(s, MQ_INSECURE_TRANSPORT,
                 "Connections using insecure transport are prohibited by tls.mode");
    return false;
}

static void first_packet(struct session *s, struct slice payload)
{
    struct login login;
    struct buf out;
    struct err e;
    if (login_parse(payload, &login, &e)) {
        login_failed(s, MQ_PROTOCOL, e.text);
        return;
    }
    s->capabilities = login.capabilities & s->login->offered;
    if (login.capabilities & CAP_IGNORE_SPACE)
        s->modes |= MODE_IGNORE_SPACE;
    if (!session_take_login(s, &login))
        return;
    buf_init(&out);
    session_login_step(s, server_login_begin(&s->login->exchange, login.plugin, login.auth, &out),
                       &out);
    buf_fini(&out);
}

static void next_packet(struct session *s, struct slice payload)
{
    struct buf out;
    buf_init(&out);
    session_login_step(s, server_login_packet(&s->login->exchange, payload, &out), &out);
    buf_fini(&out);
}

size_t session_login_packet(struct session *s, const struct packet *p, struct slice behind)
{
    bool in_order = p->sequence_ok && p->first_seq == s->seq;
    s->seq = (uint8_t)(p->last_seq + 1);
    if (!in_order)
        login_failed(s, MQ_OUT_OF_ORDER, "Got packets out of order");
    else if (s->user)
        next_packet(s, p->payload);
    else if (is_ssl_request(p->payload) && session_begin_tls(s, behind))
        return behind.len;
    else
        first_packet(s, p->payload);
    return 0;
}
