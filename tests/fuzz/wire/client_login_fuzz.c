/* The client's login exchange fed with anything a shard may say: it comes to an end after a
 * few packets, and the password never leaves in the clear unless the connection is secure. */
#include "tests/fuzz/wire/fuzz.h"

#include "wire/auth.h"

static const char password[] = "q8Zr2-vLw0-pX7c-9mTe";

static bool holds_password(struct slice s)
{
    for (size_t i = 0; i + sizeof password - 1 <= s.len; i++)
        if (memcmp(s.data + i, password, sizeof password - 1) == 0)
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct reader r = reader_of(data, size);
    uint8_t options = read_u8(&r);
    struct client_login c = { .plugin = options & 2 ? AUTH_NATIVE : AUTH_CACHING_SHA2,
                              .secure = options & 1,
                              .nonce = "abcdefghijklmnopqrst",
                              .password = slice_cstr(password) };
    struct buf out = { 0 };
    struct err e;
    enum login_step step = LOGIN_WAIT;
    for (int packets = 0; step == LOGIN_SEND || step == LOGIN_WAIT; packets++) {
        REQUIRE(packets < 5);
        buf_clear(&out);
        step = client_login_packet(&c, script_packet(&r), &out, &e);
        REQUIRE(c.secure || !holds_password(buf_slice(&out)));
        REQUIRE(step == LOGIN_SEND || buf_len(&out) == 0);
    }
    REQUIRE(client_login_packet(&c, slice_of("\0", 1), &out, &e) == LOGIN_FAILED);
    buf_fini(&out);
    return 0;
}
