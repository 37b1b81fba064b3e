/* Joining packets: what comes out are the input's own bytes, in order, and a part of the
 * input never says more than the whole. */
#include "tests/fuzz/wire/fuzz.h"

#include "wire/packet.h"

static void check_packet(const uint8_t *data, size_t have, const struct packet *p)
{
    REQUIRE(p->wire_bytes <= have);
    REQUIRE(p->payload.len + PACKET_HEADER <= p->wire_bytes);
    REQUIRE(p->first_seq == data[3]);
    REQUIRE(p->sequence_ok || p->payload.len >= PACKET_MAX);
}

static void check_part(const uint8_t *data, size_t have, size_t max, enum packet_status whole)
{
    struct buf scratch = { 0 };
    struct packet p;
    size_t need = 0;
    enum packet_status part = packet_next(data, have, max, &scratch, &p, &need);
    if (part == PACKET_INCOMPLETE)
        REQUIRE(need > have);
    else
        REQUIRE(part == whole);
    buf_fini(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    size_t max = data[0] * (size_t)257, pos = 1;
    enum packet_status status = PACKET_COMPLETE;
    while (status == PACKET_COMPLETE && pos < size) {
        struct buf scratch = { 0 };
        struct packet p;
        size_t need = 0, have = size - pos;
        status = packet_next(data + pos, have, max, &scratch, &p, &need);
        check_part(data + pos, have / 2, max, status);
        if (status == PACKET_COMPLETE)
            check_packet(data + pos, have, &p);
        else if (status == PACKET_INCOMPLETE)
            REQUIRE(need > have);
        pos += p.wire_bytes;
        buf_fini(&scratch);
    }
    return 0;
}
