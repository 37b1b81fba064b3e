/* Framing (page_protocol_basic_packets): three bytes of length, one of sequence id.
 * A payload of 0xFFFFFF bytes means that more follows; an exact multiple ends with an
 * empty packet. */
#ifndef MQ_WIRE_PACKET_H
#define MQ_WIRE_PACKET_H

#include "wire/codec.h"

enum { PACKET_HEADER = 4, PACKET_MAX = 0xffffff };

static inline size_t packet_length(const uint8_t *header)
{
    return (size_t)header[0] | (size_t)header[1] << 8 | (size_t)header[2] << 16;
}

/* Appends payload as one packet, or as several when it is PACKET_MAX bytes or longer.
 * *seq is the id of the first packet and becomes the id that follows the last. */
void packet_append(struct buf *b, uint8_t *seq, struct slice payload);

/* Opens a packet whose payload the caller writes next into b; returns a mark for
 * packet_close, which fills in length and sequence id (and splits, if it must). */
static inline size_t packet_open(struct buf *b)
{
    size_t mark = buf_len(b); /* of the content, which survives a move of the buffer */
    write_u32(b, 0);
    return mark;
}
/* Of PACKET_MAX bytes or more. */
void packet_close_large(struct buf *b, size_t mark, uint8_t *seq);
static inline void packet_close(struct buf *b, size_t mark, uint8_t *seq)
{
    size_t len = buf_len(b) - mark - PACKET_HEADER;
    if (len < PACKET_MAX)
        put_u32(buf_begin(b) + mark, (uint32_t)len | (uint32_t)(*seq)++ << 24);
    else
        packet_close_large(b, mark, seq);
}

/* Joins the fragments of one command or response out of a byte stream. */
struct packet {
    struct slice payload; /* borrowed from the input, or from the assembler's own buffer */
    uint8_t first_seq, last_seq;
    bool sequence_ok;  /* ids rose by one from fragment to fragment */
    size_t wire_bytes; /* bytes of the input that it used up */
};
enum packet_status { PACKET_INCOMPLETE, PACKET_COMPLETE, PACKET_TOO_LARGE };

/* Looks at the bytes at hand and, once a whole (joined) packet is there, describes it.
 * Nothing is consumed. Only a payload of several fragments is copied, into scratch, which
 * then backs ret->payload. A payload above max bytes gives PACKET_TOO_LARGE as soon as
 * its headers show it. *ret_need, if given, receives how many input bytes in all are
 * needed before another call can tell more (at least have + 1). */
enum packet_status packet_next(const uint8_t *data, size_t have, size_t max, struct buf *scratch,
                               struct packet *ret, size_t *ret_need);

#endif
