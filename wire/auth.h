/* Password proofs. All secrets are the caller's; nothing is kept.
 *   mysql_native_password   page_protocol_connection_phase_authentication_methods
 *   caching_sha2_password   page_caching_sha2_authentication_exchanges */
#ifndef MQ_WIRE_AUTH_H
#define MQ_WIRE_AUTH_H

#include "wire/handshake.h"

enum auth_plugin { AUTH_NATIVE, AUTH_CACHING_SHA2, AUTH_OTHER };

enum auth_plugin auth_plugin_of(struct slice name);
const char *auth_plugin_name(enum auth_plugin plugin);

/* Random bytes 1..127 without NUL and '$'. */
void auth_nonce(uint8_t nonce[NONCE_SIZE]);

/* What mqgate knows of an account's password. A clear password yields both hashes. */
struct verifier {
    bool empty; /* the empty password */
    bool has_clear, has_native, has_sha2;
    struct slice clear;  /* owner: the configuration snapshot */
    uint8_t native[20];  /* SHA1(SHA1(password)), as "*…" in mysql.user */
    uint8_t sha2[32];    /* SHA256(SHA256(password)): enough for the fast path */
    bool has_sha2_crypt; /* "$A$…": only full authentication can check it */
    char sha2_crypt[80]; /* the stored string, salt included */
};
void verifier_of_password(struct verifier *v, struct slice password);
/* From "*HEX", "$A$005$…", or the latter in hex ("0x2441…", as SHOW CREATE USER prints it
 * with print_identified_with_as_hex); false when it is none of them. */
bool verifier_of_hash(struct verifier *v, struct slice hash);

/* The client's side: proof is 20 or 32 bytes; returns its length. 0 stands for the empty
 * password, and for a plug-in that has no proofs. */
size_t auth_prove(enum auth_plugin plugin, struct slice password, const uint8_t nonce[NONCE_SIZE],
                  uint8_t proof[32]);

/* The login exchange as the server, without sockets: feed it payloads, send what it says.
 * Payloads are appended to `out`. */
enum login_step {
    LOGIN_SEND, /* send the payload in `out` (it may be an empty one), then feed the next packet */
    LOGIN_WAIT, /* feed the next packet; nothing to send */
    LOGIN_DONE, /* authenticated; the caller sends OK (after `out`, if not empty) */
    LOGIN_FAILED, /* the caller sends the error and closes */
};

struct rsa_key; /* a key pair for full authentication without TLS; process lifetime */
struct rsa_key *rsa_key_create(struct err *reterr);
void rsa_key_destroy(struct rsa_key *key);

struct server_login {
    uint8_t state; /* private */
    enum auth_plugin plugin;
    uint8_t nonce[NONCE_SIZE];       /* of the greeting, or of the last switch */
    bool secure;                     /* TLS or unix socket: clear text may pass */
    const struct rsa_key *key;       /* borrowed */
    const struct verifier *verifier; /* borrowed; NULL: no such account (fails at the end,
                                        after the same exchange as for a known one) */
    bool has_learnt;         /* full authentication succeeded, so that the hash below is known: */
    uint8_t learnt_sha2[32]; /* with it in verifier.sha2 the account's next login is fast */
};

/* Starts with the account's verifier and the client's first answer (of login.plugin and
 * login.auth); nonce, secure, key and verifier are set by the caller. A client that names no
 * plug-in uses mysql_native_password. A "$A$" account costs some milliseconds of CPU. */
enum login_step server_login_begin(struct server_login *s, struct slice client_plugin,
                                   struct slice auth, struct buf *out);
/* The same for COM_CHANGE_USER of a client that can be switched, which it always is; nonce is that
 * of the connection's last login. */
enum login_step server_login_change(struct server_login *s, struct slice client_plugin,
                                    struct buf *out);
enum login_step server_login_packet(struct server_login *s, struct slice payload, struct buf *out);

/* The login exchange as a client of a shard, from the packet after HandshakeResponse. */
struct client_login {
    uint8_t state;             /* private; 0 at the start */
    enum auth_plugin plugin;   /* that the proof in HandshakeResponse was made with */
    uint8_t nonce[NONCE_SIZE]; /* of the greeting */
    bool secure;
    struct slice password; /* borrowed */
};
/* Feed each payload; LOGIN_DONE on OK, LOGIN_FAILED on ERR or when the shard wants what is
 * not served (MQ_SHARD_LOGIN), and on what is no login exchange (MQ_SHARD_PROTOCOL). */
enum login_step client_login_packet(struct client_login *c, struct slice payload, struct buf *out,
                                    struct err *reterr);

#endif
