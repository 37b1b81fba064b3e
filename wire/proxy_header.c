#include "wire/proxy_header.h"

#include "wire/codec.h"

enum {
    V1_MAX = 107, /* its CR LF included */
    V2_HEAD = 16, /* signature, version and command, family, length */
    V2_LOCAL = 0x20,
    V2_PROXY = 0x21,
};

/* Family and protocol of version 2: streams only. */
enum { UNSPEC = 0x00, TCP4 = 0x11, TCP6 = 0x21, UNIX = 0x31, UNIX_SIZE = 216 };

static const char v1_begin[] = "PROXY ";
static const uint8_t v2_signature[12] = "\r\n\r\n\0\r\nQUIT\n";

static bool begins_as(const uint8_t *data, size_t len, const void *want, size_t want_len)
{
    return memcmp(data, want, len < want_len ? len : want_len) == 0;
}

/* ---- version 1: one line ---- */

/* The word up to the next space, which has to be there unless it is the last. */
static bool take_word(struct slice *line, bool last, struct slice *ret)
{
    const char *space = memchr(line->data, ' ', line->len);
    if (last == (space != NULL))
        return false;
    *ret = slice_of(line->data, space ? (size_t)(space - line->data) : line->len);
    size_t taken = ret->len + !last;
    *line = slice_of(line->data + taken, line->len - taken);
    return true;
}

static bool read_port(struct slice text, uint16_t *ret)
{
    unsigned long long port;
    bool padded = text.len > 1 && text.data[0] == '0';
    if (padded || !slice_to_u64(text, &port) || port > UINT16_MAX)
        return false;
    *ret = (uint16_t)port;
    return true;
}

static bool read_line(struct slice line, struct proxy_header *h)
{
    struct slice family, from, to, from_port, to_port;
    struct ip target;
    uint16_t port;
    if (slice_eq(line, SLICE_LIT("UNKNOWN")) ||
        (line.len > 8 && memcmp(line.data, "UNKNOWN ", 8) == 0))
        return true;
    if (!take_word(&line, false, &family) || !take_word(&line, false, &from) ||
        !take_word(&line, false, &to) || !take_word(&line, false, &from_port) ||
        !take_word(&line, true, &to_port))
        return false;
    bool v6 = slice_eq(family, SLICE_LIT("TCP6"));
    if (!v6 && !slice_eq(family, SLICE_LIT("TCP4")))
        return false;
    bool colons = memchr(from.data, ':', from.len) && memchr(to.data, ':', to.len);
    bool none = !memchr(from.data, ':', from.len) && !memchr(to.data, ':', to.len);
    return (v6 ? colons : none) && ip_parse(from, &h->address) && ip_parse(to, &target) &&
           read_port(from_port, &h->port) && read_port(to_port, &port);
}

static enum proxy_status parse_v1(const uint8_t *data, size_t len, struct proxy_header *h)
{
    size_t within = len < V1_MAX ? len : V1_MAX, begin = sizeof v1_begin - 1;
    const uint8_t *end = memchr(data, '\r', within);
    if (!end)
        return len < V1_MAX ? PROXY_INCOMPLETE : PROXY_BAD;
    h->size = (size_t)(end - data) + 2;
    if (h->size > V1_MAX || h->size < begin + 2)
        return PROXY_BAD;
    if (h->size > len)
        return PROXY_INCOMPLETE;
    struct slice line = slice_of(data + begin, h->size - 2 - begin);
    return end[1] == '\n' && read_line(line, h) ? PROXY_COMPLETE : PROXY_BAD;
}

/* ---- version 2: binary ---- */

static uint16_t read_be16(struct reader *r)
{
    uint16_t high = read_u8(r);
    return (uint16_t)(high << 8 | read_u8(r));
}

static void read_addresses(struct reader *r, uint8_t size, struct proxy_header *h)
{
    struct slice from = read_bytes(r, size);
    read_bytes(r, size);
    h->port = read_be16(r);
    read_be16(r);
    if (!r->bad)
        h->address = ip_of_bytes(from.data, size);
}

/* What else is said of the connection: type, length, value, over and over. */
static bool skip_additions(struct reader *r)
{
    while (reader_left(r)) {
        read_u8(r);
        read_bytes(r, read_be16(r));
        if (r->bad)
            return false;
    }
    return true;
}

static bool read_block(uint8_t family, struct reader *r, struct proxy_header *h)
{
    switch (family) {
    case UNSPEC: /* what it is made of is not told either */
        return true;
    case TCP4:
        read_addresses(r, 4, h);
        break;
    case TCP6:
        read_addresses(r, 16, h);
        break;
    case UNIX:
        read_bytes(r, UNIX_SIZE);
        break;
    default:
        return false;
    }
    return !r->bad && skip_additions(r);
}

static enum proxy_status parse_v2(const uint8_t *data, size_t len, struct proxy_header *h)
{
    if (len < V2_HEAD)
        return PROXY_INCOMPLETE;
    struct reader r = reader_of(data + sizeof v2_signature, V2_HEAD - sizeof v2_signature);
    uint8_t command = read_u8(&r), family = read_u8(&r);
    size_t block = read_be16(&r);
    h->size = V2_HEAD + block;
    if (h->size > PROXY_HEADER_MAX || (command != V2_LOCAL && command != V2_PROXY))
        return PROXY_BAD;
    if (len < h->size)
        return PROXY_INCOMPLETE;
    r = reader_of(data + V2_HEAD, block);
    return command == V2_LOCAL || read_block(family, &r, h) ? PROXY_COMPLETE : PROXY_BAD;
}

enum proxy_status proxy_header_parse(const uint8_t *data, size_t len, struct proxy_header *ret)
{
    *ret = (struct proxy_header){ 0 };
    if (len == 0)
        return PROXY_INCOMPLETE;
    if (begins_as(data, len, v2_signature, sizeof v2_signature))
        return parse_v2(data, len, ret);
    if (begins_as(data, len, v1_begin, sizeof v1_begin - 1))
        return parse_v1(data, len, ret);
    return PROXY_BAD;
}

void proxy_header_write_local(struct buf *out)
{
    buf_append(out, v2_signature, sizeof v2_signature);
    write_u8(out, V2_LOCAL);
    write_u8(out, UNSPEC);
    write_u16(out, 0);
}
