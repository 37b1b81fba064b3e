/* The login exchange towards shards.
 *
 *   STARTED ──switch──> SWITCHED
 *      └────────┬──────────┴──OK / ERR──> ENDED
 *               ├─fast OK or password sent──> VERDICT ──OK / ERR──> ENDED
 *               └─full, not secure──> KEY ──key, sealed password sent──> VERDICT
 */
#include <openssl/crypto.h>

#include "wire/auth_int.h"
#include "wire/response.h"

enum { STARTED, SWITCHED, KEY, VERDICT, ENDED };

static enum login_step fail(struct client_login *c)
{
    c->state = ENDED;
    return LOGIN_FAILED;
}

static enum login_step malformed(struct client_login *c, struct err *reterr)
{
    err_set(reterr, MQ_SHARD_PROTOCOL, "the shard's login exchange is not understood");
    return fail(c);
}

static enum login_step refused(struct client_login *c, struct slice payload, struct err *reterr)
{
    struct err_packet e;
    if (!err_parse(payload, &e))
        return malformed(c, reterr);
    err_set(reterr, MQ_SHARD_LOGIN, "error %u (%s): %.*s", e.code, e.sqlstate, (int)e.message.len,
            e.message.data);
    return fail(c);
}

static void write_clear(struct buf *out, struct slice password)
{
    buf_append_slice(out, password);
    write_u8(out, 0);
}

/* mysql_clear_password is what PAM and LDAP accounts use. */
static enum login_step switch_other(struct client_login *c, struct slice plugin, struct buf *out,
                                    struct err *reterr)
{
    c->plugin = AUTH_OTHER;
    bool clear = slice_eq(plugin, SLICE_LIT("mysql_clear_password"));
    if (clear && c->secure) {
        write_clear(out, c->password);
        c->state = VERDICT;
        return LOGIN_SEND;
    }
    err_set(reterr, MQ_SHARD_LOGIN, "the shard wants %s %.*s%s",
            plugin.len ? "authentication plug-in" : "the login of MySQL before 4.1",
            (int)(plugin.len < 64 ? plugin.len : 64), plugin.data,
            clear ? ", which needs TLS or a unix socket" : "");
    return fail(c);
}

static enum login_step switch_plugin(struct client_login *c, struct slice payload, struct buf *out,
                                     struct err *reterr)
{
    struct reader r = reader_of(payload.data, payload.len);
    read_u8(&r);
    struct slice plugin = reader_left(&r) ? read_cstr(&r) : slice_of("", 0);
    if (r.bad || c->state != STARTED)
        return malformed(c, reterr);
    c->plugin = auth_plugin_of(plugin);
    if (c->plugin == AUTH_OTHER)
        return switch_other(c, plugin, out, reterr);
    struct slice nonce = read_bytes(&r, NONCE_SIZE);
    if (r.bad)
        return malformed(c, reterr);
    memcpy(c->nonce, nonce.data, NONCE_SIZE);
    uint8_t proof[SHA256_SIZE];
    buf_append(out, proof, auth_prove(c->plugin, c->password, c->nonce, proof));
    c->state = SWITCHED;
    return LOGIN_SEND;
}

static enum login_step begin_full(struct client_login *c, struct buf *out)
{
    if (c->secure)
        write_clear(out, c->password);
    else
        write_u8(out, SHA2_REQUEST_KEY);
    c->state = c->secure ? VERDICT : KEY;
    return LOGIN_SEND;
}

static enum login_step seal_password(struct client_login *c, struct slice pem, struct buf *out,
                                     struct err *reterr)
{
    uint8_t text[PASSWORD_MAX + 1];
    size_t len = c->password.len;
    bool ok = len <= PASSWORD_MAX;
    if (ok) {
        if (len)
            memcpy(text, c->password.data, len);
        text[len] = '\0';
        nonce_mask(text, len + 1, c->nonce);
        ok = rsa_seal(pem, slice_of(text, len + 1), out);
        OPENSSL_cleanse(text, sizeof text);
    }
    if (!ok) {
        err_set(reterr, MQ_SHARD_LOGIN, "the shard's RSA key cannot seal the password");
        return fail(c);
    }
    c->state = VERDICT;
    return LOGIN_SEND;
}

/* caching_sha2_password's answers to a proof, and the key. */
static enum login_step more_data(struct client_login *c, struct slice data, struct buf *out,
                                 struct err *reterr)
{
    if (c->state == KEY)
        return seal_password(c, data, out, reterr);
    bool proved = c->plugin == AUTH_CACHING_SHA2 && (c->state == STARTED || c->state == SWITCHED);
    if (!proved || data.len != 1)
        return malformed(c, reterr);
    if (data.data[0] == SHA2_FULL)
        return begin_full(c, out);
    if (data.data[0] != SHA2_FAST_OK)
        return malformed(c, reterr);
    c->state = VERDICT;
    return LOGIN_WAIT;
}

static enum login_step accepted(struct client_login *c, struct err *reterr)
{
    if (c->state == KEY)
        return malformed(c, reterr);
    c->state = ENDED;
    return LOGIN_DONE;
}

enum login_step client_login_packet(struct client_login *c, struct slice payload, struct buf *out,
                                    struct err *reterr)
{
    if (payload.len == 0 || c->state == ENDED)
        return malformed(c, reterr);
    switch ((uint8_t)payload.data[0]) {
    case LOGIN_OK:
        return accepted(c, reterr);
    case LOGIN_ERR:
        return refused(c, payload, reterr);
    case LOGIN_SWITCH:
        return switch_plugin(c, payload, out, reterr);
    case LOGIN_MORE_DATA:
        return more_data(c, slice_of(payload.data + 1, payload.len - 1), out, reterr);
    default:
        return malformed(c, reterr);
    }
}
