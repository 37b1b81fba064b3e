/* Greeting (Protocol::HandshakeV10) and the client's reply (HandshakeResponse41). */
#ifndef MQ_WIRE_HANDSHAKE_H
#define MQ_WIRE_HANDSHAKE_H

#include "base/error.h"
#include "wire/capability.h"
#include "wire/codec.h"

enum { NONCE_SIZE = 20 };

struct greeting {
    struct slice version; /* "8.0.36", "5.5.5-10.11.6-MariaDB-…" as on the wire */
    uint32_t connection_id;
    uint8_t nonce[NONCE_SIZE]; /* never holds a NUL */
    uint64_t capabilities;
    uint8_t charset; /* collation id, low byte */
    uint16_t status;
    struct slice plugin;
};

/* Payload only, without the packet header. */
void greeting_write(struct buf *b, const struct greeting *g);
/* Fails with MQ_SHARD_PROTOCOL. An ERR packet instead of a greeting is the caller's. */
enum err_code greeting_parse(struct slice payload, struct greeting *ret, struct err *reterr);

struct login {
    uint64_t capabilities;
    uint32_t max_packet;
    uint16_t charset; /* collation id, of which a login packet has the low byte; 0: not told */
    struct slice user;
    struct slice auth; /* the plug-in's first answer */
    bool has_database;
    struct slice database;
    struct slice plugin;     /* empty when the client names none */
    struct slice attributes; /* raw key/value pairs; read with attribute_next */
};

void login_write(struct buf *b, const struct login *l);
/* SSLRequest: the head of the login, with CAP_SSL. The whole login follows over TLS. */
void ssl_request_write(struct buf *b, const struct login *l);
bool is_ssl_request(struct slice payload);
/* Fails with MQ_PROTOCOL. Slices point into payload. */
enum err_code login_parse(struct slice payload, struct login *ret, struct err *reterr);
/* The same of COM_CHANGE_USER, behind the command's byte: page_protocol_com_change_user. Which
 * parts there are follows from the capabilities of the login. */
enum err_code change_user_parse(struct slice body, uint64_t capabilities, struct login *ret,
                                struct err *reterr);
/* Takes the next pair off *attributes; false at the end or when the rest is malformed. */
bool attribute_next(struct slice *attributes, struct slice *ret_key, struct slice *ret_value);

#endif
