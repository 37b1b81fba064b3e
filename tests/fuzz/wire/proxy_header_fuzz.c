/* PROXY headers: no more than the header is looked at, and what is complete or bad stays so
 * whatever follows. */
#include "tests/fuzz/wire/fuzz.h"

#include "wire/proxy_header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct proxy_header whole, part;
    enum proxy_status status = proxy_header_parse(data, size, &whole);
    REQUIRE(status != PROXY_INCOMPLETE || size < PROXY_HEADER_MAX);
    if (status == PROXY_COMPLETE) {
        REQUIRE(whole.size <= size && whole.size <= PROXY_HEADER_MAX);
        REQUIRE(proxy_header_parse(data, whole.size, &part) == PROXY_COMPLETE);
        REQUIRE(part.size == whole.size && part.port == whole.port);
        REQUIRE(part.address.size == whole.address.size);
    }
    for (size_t len = 0; len < size; len = len * 2 + 1) {
        enum proxy_status now = proxy_header_parse(data, len, &part);
        REQUIRE(now == PROXY_INCOMPLETE || now == status);
    }
    return 0;
}
