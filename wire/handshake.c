#include "wire/handshake.h"

enum {
    PROTOCOL_VERSION = 10,
    NONCE_FIRST = 8,                           /* bytes of it in the greeting's first part */
    NONCE_SECOND = NONCE_SIZE - NONCE_FIRST,   /* the rest, followed by a NUL */
    GREETING_FILLER = 10 - 4,                  /* the last 4 bytes are MariaDB's capabilities */
    LOGIN_FILLER = 23 - 4,                     /* the same */
    LOGIN_HEAD = 4 + 4 + 1 + LOGIN_FILLER + 4, /* what an SSLRequest consists of */
};

static void write_zeros(struct buf *b, size_t n)
{
    memset(buf_reserve(b, n), 0, n);
    buf_commit(b, n);
}

/* The upper half of the capabilities, which stands for itself only if the lower half says so. */
static void write_upper(struct buf *b, uint64_t capabilities)
{
    write_u32(b, capabilities & CAP_LONG_PASSWORD ? 0 : (uint32_t)(capabilities >> 32));
}

static uint64_t read_upper(struct reader *r, uint64_t capabilities)
{
    uint64_t upper = read_u32(r);
    return capabilities & CAP_LONG_PASSWORD ? 0 : upper << 32;
}

/* A string and the NUL that ends it, so up to its first NUL. */
static void write_cstr(struct buf *b, struct slice s)
{
    const char *nul = s.len ? memchr(s.data, '\0', s.len) : NULL;
    buf_append(b, s.data, nul ? (size_t)(nul - s.data) : s.len);
    write_u8(b, 0);
}

/* Some peers leave out the NUL of the last string in a packet. */
static struct slice read_cstr_or_rest(struct reader *r)
{
    return memchr(r->next, '\0', reader_left(r)) ? read_cstr(r) : read_rest(r);
}

void greeting_write(struct buf *b, const struct greeting *g)
{
    bool plugin = g->capabilities & CAP_PLUGIN_AUTH;
    write_u8(b, PROTOCOL_VERSION);
    write_cstr(b, g->version);
    write_u32(b, g->connection_id);
    buf_append(b, g->nonce, NONCE_FIRST);
    write_u8(b, 0);
    write_u16(b, (uint16_t)g->capabilities);
    write_u8(b, g->charset);
    write_u16(b, g->status);
    write_u16(b, (uint16_t)(g->capabilities >> 16));
    write_u8(b, plugin ? NONCE_SIZE + 1 : 0);
    write_zeros(b, GREETING_FILLER);
    write_upper(b, g->capabilities);
    buf_append(b, g->nonce + NONCE_FIRST, NONCE_SECOND);
    write_u8(b, 0);
    if (plugin)
        write_cstr(b, g->plugin);
}

/* The second part holds max(13, length - 8) bytes, however short the announced length is. */
static void read_nonce_rest(struct reader *r, uint8_t announced, struct greeting *g)
{
    struct slice rest = read_bytes(r, NONCE_SECOND);
    if (rest.len == NONCE_SECOND)
        memcpy(g->nonce + NONCE_FIRST, rest.data, NONCE_SECOND);
    size_t behind = announced > NONCE_SIZE ? announced - (size_t)NONCE_SIZE : 1;
    read_bytes(r, behind);
}

enum err_code greeting_parse(struct slice payload, struct greeting *ret, struct err *reterr)
{
    struct reader r = reader_of(payload.data, payload.len);
    *ret = (struct greeting){ .plugin = slice_of("", 0) };
    uint8_t protocol = read_u8(&r);
    if (!r.bad && protocol != PROTOCOL_VERSION)
        return err_set(reterr, MQ_SHARD_PROTOCOL, "the greeting has protocol version %u, not %d",
                       protocol, PROTOCOL_VERSION);
    ret->version = read_cstr(&r);
    ret->connection_id = read_u32(&r);
    struct slice first = read_bytes(&r, NONCE_FIRST);
    if (!r.bad)
        memcpy(ret->nonce, first.data, NONCE_FIRST);
    read_u8(&r);
    ret->capabilities = read_u16(&r);
    ret->charset = read_u8(&r);
    ret->status = read_u16(&r);
    ret->capabilities |= (uint32_t)read_u16(&r) << 16;
    uint8_t announced = read_u8(&r);
    read_bytes(&r, GREETING_FILLER);
    ret->capabilities |= read_upper(&r, ret->capabilities);
    read_nonce_rest(&r, announced, ret);
    if (r.bad)
        return err_set(reterr, MQ_SHARD_PROTOCOL, "the greeting is cut short (%zu bytes)",
                       payload.len);
    if (!(ret->capabilities & CAP_PROTOCOL_41) || !(ret->capabilities & CAP_SECURE_CONNECTION))
        return err_set(reterr, MQ_SHARD_PROTOCOL, "the server is older than MySQL 4.1");
    if (ret->capabilities & CAP_PLUGIN_AUTH)
        ret->plugin = read_cstr_or_rest(&r);
    return MQ_OK;
}

/* The plug-in's first answer, in the form that the capabilities choose. */
static void write_auth(struct buf *b, uint64_t capabilities, struct slice auth)
{
    if (capabilities & CAP_PLUGIN_AUTH_LENENC) {
        write_lenenc_slice(b, auth);
    } else if (capabilities & CAP_SECURE_CONNECTION) {
        size_t n = auth.len <= UINT8_MAX ? auth.len : UINT8_MAX;
        write_u8(b, (uint8_t)n);
        buf_append(b, auth.data, n);
    } else {
        write_cstr(b, auth);
    }
}

static struct slice read_auth(struct reader *r, uint64_t capabilities)
{
    if (capabilities & CAP_PLUGIN_AUTH_LENENC)
        return read_lenenc_slice(r);
    if (capabilities & CAP_SECURE_CONNECTION)
        return read_bytes(r, read_u8(r));
    return read_cstr(r);
}

static uint64_t write_head(struct buf *b, const struct login *l)
{
    uint64_t capabilities = l->has_database ? l->capabilities | CAP_CONNECT_WITH_DB
                                            : l->capabilities & ~(uint64_t)CAP_CONNECT_WITH_DB;
    write_u32(b, (uint32_t)capabilities);
    write_u32(b, l->max_packet);
    write_u8(b, (uint8_t)l->charset);
    write_zeros(b, LOGIN_FILLER);
    write_upper(b, capabilities);
    return capabilities;
}

void ssl_request_write(struct buf *b, const struct login *l)
{
    (void)write_head(b, l);
}

bool is_ssl_request(struct slice payload)
{
    struct reader r = reader_of(payload.data, payload.len);
    return payload.len == LOGIN_HEAD && (read_u32(&r) & CAP_SSL);
}

void login_write(struct buf *b, const struct login *l)
{
    uint64_t capabilities = write_head(b, l);
    write_cstr(b, l->user);
    write_auth(b, capabilities, l->auth);
    if (l->has_database)
        write_cstr(b, l->database);
    if (capabilities & CAP_PLUGIN_AUTH)
        write_cstr(b, l->plugin);
    if (capabilities & CAP_CONNECT_ATTRS)
        write_lenenc_slice(b, l->attributes);
}

/* Attributes only inform: whatever is wrong with their length costs them, not the login. */
static struct slice read_attributes(struct reader *r)
{
    struct reader at = *r;
    uint64_t announced = read_lenenc(&at);
    if (at.bad)
        return slice_of("", 0);
    return read_bytes(&at, announced < reader_left(&at) ? (size_t)announced : reader_left(&at));
}

/* The plug-in's name and the attributes, with which both packets end. */
static void read_tail(struct reader *r, struct login *ret)
{
    if (ret->capabilities & CAP_PLUGIN_AUTH)
        ret->plugin = read_cstr_or_rest(r);
    if (ret->capabilities & CAP_CONNECT_ATTRS)
        ret->attributes = read_attributes(r);
}

enum err_code login_parse(struct slice payload, struct login *ret, struct err *reterr)
{
    struct reader r = reader_of(payload.data, payload.len);
    struct slice none = slice_of("", 0);
    *ret = (struct login){ .database = none, .plugin = none, .attributes = none };
    ret->capabilities = read_u32(&r);
    if (!r.bad && !(ret->capabilities & CAP_PROTOCOL_41))
        return err_set(reterr, MQ_PROTOCOL, "the client does not speak protocol 4.1");
    ret->max_packet = read_u32(&r);
    ret->charset = read_u8(&r);
    read_bytes(&r, LOGIN_FILLER);
    ret->capabilities |= read_upper(&r, ret->capabilities);
    ret->user = read_cstr(&r);
    ret->auth = read_auth(&r, ret->capabilities);
    if (ret->capabilities & CAP_CONNECT_WITH_DB)
        ret->database = read_cstr(&r);
    if (r.bad)
        return err_set(reterr, MQ_PROTOCOL, "the login packet is cut short (%zu bytes)",
                       payload.len);
    ret->has_database = ret->database.len > 0;
    read_tail(&r, ret);
    return MQ_OK;
}

enum err_code change_user_parse(struct slice body, uint64_t capabilities, struct login *ret,
                                struct err *reterr)
{
    struct reader r = reader_of(body.data, body.len);
    struct slice none = slice_of("", 0);
    /* CAP_PLUGIN_AUTH_LENENC is about the login packet only. */
    uint32_t auth_form = capabilities & ~(uint64_t)CAP_PLUGIN_AUTH_LENENC;
    *ret = (struct login){ .capabilities = capabilities, .plugin = none, .attributes = none };
    ret->user = read_cstr(&r);
    ret->auth = read_auth(&r, auth_form);
    ret->database = read_cstr(&r);
    if (r.bad)
        return err_set(reterr, MQ_PROTOCOL, "COM_CHANGE_USER is cut short (%zu bytes)", body.len);
    ret->has_database = ret->database.len > 0;
    if (reader_left(&r) >= 2)
        ret->charset = read_u16(&r);
    read_tail(&r, ret);
    return MQ_OK;
}

bool attribute_next(struct slice *attributes, struct slice *ret_key, struct slice *ret_value)
{
    struct reader r = reader_of(attributes->data, attributes->len);
    *ret_key = read_lenenc_slice(&r);
    *ret_value = read_lenenc_slice(&r);
    *attributes = r.bad ? slice_of("", 0) : read_rest(&r);
    return !r.bad;
}
