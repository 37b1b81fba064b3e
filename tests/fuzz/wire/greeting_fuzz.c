/* A greeting that parses can be written again and parses to the same. */
#include "tests/fuzz/wire/fuzz.h"

#include "wire/handshake.h"
#include "wire/response.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct greeting g, again;
    struct err e;
    struct buf b = { 0 };
    struct err_packet instead;
    err_parse(slice_of(data, size), &instead);
    if (greeting_parse(slice_of(data, size), &g, &e) == MQ_OK) {
        greeting_write(&b, &g);
        REQUIRE(greeting_parse(buf_slice(&b), &again, &e) == MQ_OK);
        REQUIRE(slice_eq(again.version, g.version) && slice_eq(again.plugin, g.plugin));
        REQUIRE(memcmp(again.nonce, g.nonce, NONCE_SIZE) == 0);
        REQUIRE(again.capabilities == g.capabilities && again.status == g.status);
    }
    buf_fini(&b);
    return 0;
}
