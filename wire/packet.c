#include "wire/packet.h"

static void write_header(uint8_t *header, size_t len, uint8_t seq)
{
    put_u32(header, (uint32_t)len | (uint32_t)seq << 24);
}

void packet_append(struct buf *b, uint8_t *seq, struct slice payload)
{
    size_t fragments = payload.len / PACKET_MAX + 1;
    for (size_t i = 0; i < fragments; i++) {
        size_t n = i + 1 < fragments ? PACKET_MAX : payload.len % PACKET_MAX;
        write_header(buf_reserve(b, PACKET_HEADER + n), n, (*seq)++);
        buf_commit(b, PACKET_HEADER);
        if (n)
            buf_append(b, payload.data + i * PACKET_MAX, n);
    }
}

void packet_close_large(struct buf *b, size_t mark, uint8_t *seq)
{
    size_t len = buf_len(b) - mark - PACKET_HEADER;
    size_t more = len / PACKET_MAX; /* fragments behind the first */
    buf_reserve(b, more * PACKET_HEADER);
    buf_commit(b, more * PACKET_HEADER);
    uint8_t *first = buf_begin(b) + mark;
    /* From the last fragment to the first, so that none overwrites what is still to move. */
    for (size_t i = more; i > 0; i--) {
        size_t n = i < more ? PACKET_MAX : len % PACKET_MAX;
        uint8_t *header = first + i * (PACKET_HEADER + PACKET_MAX);
        memmove(header + PACKET_HEADER, first + PACKET_HEADER + i * PACKET_MAX, n);
        write_header(header, n, (uint8_t)(*seq + i));
    }
    write_header(first, PACKET_MAX, *seq);
    *seq = (uint8_t)(*seq + more + 1);
}

static enum packet_status incomplete(size_t *ret_need, size_t need)
{
    if (ret_need)
        *ret_need = need;
    return PACKET_INCOMPLETE;
}

static void note_sequence(struct packet *p, uint8_t seq, bool first)
{
    if (first)
        p->first_seq = seq;
    else if (seq != (uint8_t)(p->last_seq + 1))
        p->sequence_ok = false;
    p->last_seq = seq;
}

/* The payload of a packet that is known to be whole. */
static struct slice join(const uint8_t *data, size_t total, struct buf *scratch)
{
    if (total < PACKET_MAX)
        return slice_of(data + PACKET_HEADER, total);
    buf_clear(scratch);
    buf_reserve(scratch, total);
    size_t len;
    do {
        len = packet_length(data);
        buf_append(scratch, data + PACKET_HEADER, len);
        data += PACKET_HEADER + len;
    } while (len == PACKET_MAX);
    return buf_slice(scratch);
}

enum packet_status packet_next(const uint8_t *data, size_t have, size_t max, struct buf *scratch,
                               struct packet *ret, size_t *ret_need)
{
    size_t pos = 0, total = 0, len;
    *ret = (struct packet){ .payload = slice_of("", 0), .sequence_ok = true };
    do {
        if (pos > have || have - pos < PACKET_HEADER)
            return incomplete(ret_need, pos + PACKET_HEADER);
        len = packet_length(data + pos);
        note_sequence(ret, data[pos + 3], pos == 0);
        total += len;
        if (total > max)
            return PACKET_TOO_LARGE;
        pos += PACKET_HEADER + len;
    } while (len == PACKET_MAX);
    if (pos > have)
        return incomplete(ret_need, pos);
    ret->payload = join(data, total, scratch);
    ret->wire_bytes = pos;
    return PACKET_COMPLETE;
}
