/* Following an answer: whole packets, packets that arrive in part and rows that are skipped
 * in one step tell the same story. */
#include "tests/fuzz/wire/fuzz.h"

#include "wire/answer.h"
#include "wire/packet.h"

static void check_same(const struct answer *a, const struct answer *b)
{
    REQUIRE(a->state == b->state && a->ended == b->ended);
    REQUIRE(a->fragment_follows == b->fragment_follows);
    REQUIRE(a->definitions_left == b->definitions_left && a->ok.status == b->ok.status);
}

/* Part of the packet gives either nothing yet or the same as all of it. */
static void check_part(const struct answer *before, const uint8_t *payload, size_t have, size_t len,
                       enum answer_packet want)
{
    struct answer a = *before;
    enum answer_packet got = answer_packet(&a, payload, have, len);
    if (got == ANSWER_NEED_MORE)
        check_same(&a, before);
    else
        REQUIRE(got == want);
}

/* Packet by packet; skipped tells how far rows may have been passed over at this point. */
static void follow(struct answer *a, const uint8_t *data, size_t size)
{
    size_t pos = 0, skipped = 0;
    while (size - pos >= PACKET_HEADER && !a->ended) {
        size_t len = packet_length(data + pos), have = size - pos - PACKET_HEADER;
        const uint8_t *payload = data + pos + PACKET_HEADER;
        have = have < len ? have : len;
        if (skipped <= pos)
            skipped = pos + answer_skip_rows(a, data + pos, size - pos);
        struct answer before = *a;
        enum answer_packet packet = answer_packet(a, payload, have, len);
        REQUIRE(pos >= skipped || packet == ANSWER_ROW);
        check_part(&before, payload, have / 2, len, packet);
        if (packet == ANSWER_BAD || have < len)
            return;
        REQUIRE(packet != ANSWER_NEED_MORE);
        pos += PACKET_HEADER + len;
        REQUIRE(pos >= skipped || a->state == before.state);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t capabilities[] = { CAP_PROTOCOL_41, CAP_PROTOCOL_41 | CAP_DEPRECATE_EOF,
                                             CAP_PROTOCOL_41 | CAP_DEPRECATE_EOF |
                                                 CAP_SESSION_TRACK };
    if (size < 1)
        return 0;
    for (size_t i = 0; i < sizeof capabilities / sizeof capabilities[0]; i++) {
        struct answer a;
        answer_begin(&a, data[0] % 5, capabilities[i]);
        follow(&a, data + 1, size - 1);
    }
    return 0;
}
