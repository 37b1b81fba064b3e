/* The login exchange towards clients.
 *
 *   begin ──other plug-in or no proof──> SWITCHED ─┐   (COM_CHANGE_USER: always)
 *     └──────────────┬─────────────────────────────┘
 *                    ├─proof fits──> DONE
 *                    └─caching_sha2, no fit──> FULL ──key wanted──> SEALED
 *                                               └─password fits─┴──> DONE
 *
 * A proof that does not fit always leads to full authentication, as with MySQL: an unknown
 * name, a wrong password and an account that only full authentication can check (it has
 * just "$A$…") look the same until the end. */
#include <openssl/crypto.h>

#include "wire/auth_int.h"
#include "wire/sha_crypt.h"

enum { ENDED, SWITCHED, FULL, SEALED };

/* Stands in for accounts that do not exist: offers every plug-in, and no password fits. */
static const struct verifier nobody = { .has_native = true, .has_sha2 = true };

static const struct verifier *account(const struct server_login *s)
{
    return s->verifier ? s->verifier : &nobody;
}

static enum login_step conclude(struct server_login *s, bool fits)
{
    s->state = ENDED;
    return fits && s->verifier ? LOGIN_DONE : LOGIN_FAILED;
}

static enum login_step send_more(struct server_login *s, uint8_t state, uint8_t byte,
                                 struct buf *out)
{
    write_u8(out, LOGIN_MORE_DATA);
    write_u8(out, byte);
    s->state = state;
    return LOGIN_SEND;
}

static bool can_use(const struct verifier *v, enum auth_plugin plugin)
{
    switch (plugin) {
    case AUTH_NATIVE:
        return v->empty || v->has_native;
    case AUTH_CACHING_SHA2:
        return v->empty || v->has_sha2 || v->has_sha2_crypt;
    default:
        return false;
    }
}

static enum auth_plugin choose_plugin(const struct verifier *v, enum auth_plugin wanted)
{
    if (can_use(v, wanted))
        return wanted;
    return can_use(v, AUTH_CACHING_SHA2) ? AUTH_CACHING_SHA2 : AUTH_NATIVE;
}

static enum login_step send_switch(struct server_login *s, struct buf *out)
{
    write_u8(out, LOGIN_SWITCH);
    buf_append_cstr(out, auth_plugin_name(s->plugin));
    write_u8(out, 0);
    buf_append(out, s->nonce, NONCE_SIZE);
    write_u8(out, 0);
    s->state = SWITCHED;
    return LOGIN_SEND;
}

static enum login_step switch_plugin(struct server_login *s, struct buf *out)
{
    auth_nonce(s->nonce);
    return send_switch(s, out);
}

/* No answer, or from caching_sha2_password's client library a single NUL. */
static bool is_empty_proof(struct slice proof)
{
    return proof.len == 0 || (proof.len == 1 && proof.data[0] == '\0');
}

static enum login_step check_proof(struct server_login *s, struct slice proof, struct buf *out)
{
    const struct verifier *v = account(s);
    if (is_empty_proof(proof))
        return conclude(s, v->empty);
    if (s->plugin == AUTH_NATIVE)
        return conclude(s, native_proof_fits(v, proof, s->nonce));
    if (proof.len != SHA256_SIZE)
        return conclude(s, false);
    if (sha2_proof_fits(v, proof, s->nonce) && s->verifier) {
        send_more(s, ENDED, SHA2_FAST_OK, out);
        return LOGIN_DONE;
    }
    if (!s->secure && !s->key)
        return conclude(s, false);
    return send_more(s, FULL, SHA2_FULL, out);
}

enum login_step server_login_begin(struct server_login *s, struct slice client_plugin,
                                   struct slice auth, struct buf *out)
{
    bool switchable = client_plugin.len > 0; /* else it is older than CAP_PLUGIN_AUTH */
    enum auth_plugin named = switchable ? auth_plugin_of(client_plugin) : AUTH_NATIVE;
    s->has_learnt = false;
    s->plugin = choose_plugin(account(s), named);
    /* A client whose plug-in is not the greeting's proves nothing before it has a nonce for
     * it. It cannot be told from one with an empty password, which then says so again. */
    if (s->plugin == named && (auth.len || !switchable))
        return check_proof(s, auth, out);
    return switchable ? switch_plugin(s, out) : conclude(s, false);
}

/* For mysql_native_password servers tell the old nonce again, and MariaDB's client library goes on
 * with it whatever it is told. */
enum login_step server_login_change(struct server_login *s, struct slice client_plugin,
                                    struct buf *out)
{
    s->has_learnt = false;
    s->plugin = choose_plugin(account(s), auth_plugin_of(client_plugin));
    return s->plugin == AUTH_NATIVE ? send_switch(s, out) : switch_plugin(s, out);
}

static enum login_step send_key(struct server_login *s, struct buf *out)
{
    if (!s->key)
        return conclude(s, false);
    write_u8(out, LOGIN_MORE_DATA);
    buf_append_slice(out, rsa_public_pem(s->key));
    s->state = SEALED;
    return LOGIN_SEND;
}

static bool password_fits(const struct verifier *v, struct slice password,
                          const uint8_t hash[SHA256_SIZE])
{
    if (v->has_sha2)
        return CRYPTO_memcmp(hash, v->sha2, SHA256_SIZE) == 0;
    return v->has_sha2_crypt && sha_crypt_fits(slice_of(v->sha2_crypt, SHA_CRYPT_STORED), password);
}

/* text is the password with a NUL behind it. */
static enum login_step check_password(struct server_login *s, struct slice text)
{
    if (text.len < 2 || text.len > PASSWORD_MAX + 1 || text.data[text.len - 1] != '\0')
        return conclude(s, false);
    struct slice password = slice_of(text.data, text.len - 1);
    uint8_t hash[SHA256_SIZE];
    bool fits = digest_sha256_twice(password, hash) && password_fits(account(s), password, hash);
    if (fits)
        memcpy(s->learnt_sha2, hash, SHA256_SIZE);
    s->has_learnt = fits;
    return conclude(s, fits);
}

static enum login_step check_sealed(struct server_login *s, struct slice sealed)
{
    uint8_t text[RSA_SIZE_MAX];
    size_t len;
    if (!s->key || !rsa_open(s->key, sealed, text, &len))
        return conclude(s, false);
    nonce_mask(text, len, s->nonce);
    enum login_step step = check_password(s, slice_of(text, len));
    OPENSSL_cleanse(text, sizeof text);
    return step;
}

enum login_step server_login_packet(struct server_login *s, struct slice payload, struct buf *out)
{
    switch (s->state) {
    case SWITCHED:
        return check_proof(s, payload, out);
    case FULL:
        if (payload.len == 1 && payload.data[0] == SHA2_REQUEST_KEY)
            return send_key(s, out);
        return s->secure ? check_password(s, payload) : check_sealed(s, payload);
    case SEALED:
        return check_sealed(s, payload);
    default:
        return conclude(s, false);
    }
}
