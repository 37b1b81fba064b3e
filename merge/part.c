/* The answer of one part: bytes to packets. */
#include "base/memory.h"
#include "merge/merge_int.h"
#include "wire/packet.h"

void part_init(struct part *p, uint64_t capabilities, size_t columns)
{
    *p = (struct part){ .starves = true };
    p->row.cells = mem_array(columns, sizeof *p->row.cells);
    answer_begin(&p->answer, ANSWER_QUERY, capabilities);
}

void part_fini(struct part *p)
{
    buf_fini(&p->in);
    buf_fini(&p->joined);
    mem_free(p->row.cells);
}

/* While a packet is at hand, its bytes may not move. */
bool part_wants(const struct part *p)
{
    return !p->answer.ended && !p->taken && !p->too_large &&
           (p->starves || buf_len(&p->in) < MERGE_READ);
}

bool part_presses(const struct part *p)
{
    return !p->answer.ended && !p->starves && buf_len(&p->in) >= MERGE_READ;
}

/* Only rows come in several packets. */
static enum answer_packet follow(struct part *p, const uint8_t *data)
{
    size_t at = 0, len;
    enum answer_packet kind = ANSWER_BAD;
    do {
        len = packet_length(data + at);
        kind = answer_packet(&p->answer, data + at + PACKET_HEADER, len, len);
        at += PACKET_HEADER + len;
    } while (len == PACKET_MAX && kind == ANSWER_ROW);
    return kind;
}

void part_let_go(struct part *p)
{
    buf_consume(&p->in, p->taken);
    p->taken = 0;
    buf_clear(&p->joined);
    if (p->joined.capacity > MERGE_READ)
        buf_release(&p->joined);
}

enum answer_packet part_take(struct part *p)
{
    struct packet packet;
    part_let_go(p);
    if (p->answer.ended)
        return ANSWER_BAD; /* more than an answer */
    enum packet_status status = packet_next(buf_begin(&p->in), buf_len(&p->in), MERGE_ROW_MAX,
                                            &p->joined, &packet, NULL);
    p->starves = status == PACKET_INCOMPLETE;
    p->too_large = status == PACKET_TOO_LARGE;
    if (status != PACKET_COMPLETE)
        return p->starves ? ANSWER_NEED_MORE : ANSWER_BAD;
    p->taken = packet.wire_bytes;
    p->payload = packet.payload;
    return follow(p, buf_begin(&p->in));
}
