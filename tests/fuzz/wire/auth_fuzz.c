/* The server's login exchange fed with anything: it always comes to an end, and nobody gets
 * in without a proof. Accounts that only a hash of 5000 rounds can check are left to the
 * unit tests, which have the time. */
#include "tests/fuzz/wire/fuzz.h"

#include "wire/auth.h"

enum { ACCOUNT_NONE, ACCOUNT_EMPTY, ACCOUNT_PASSWORD, ACCOUNT_NATIVE, ACCOUNTS };

/* Long and random enough that no input hits on it. */
static const char password[] = "q8Zr2-vLw0-pX7c-9mTe";

static const struct verifier *account(struct verifier *v, uint8_t kind)
{
    switch (kind % ACCOUNTS) {
    case ACCOUNT_EMPTY:
        verifier_of_password(v, SLICE_LIT(""));
        return v;
    case ACCOUNT_PASSWORD:
        verifier_of_password(v, slice_cstr(password));
        return v;
    case ACCOUNT_NATIVE:
        REQUIRE(verifier_of_hash(v, SLICE_LIT("*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19")));
        return v;
    default:
        return NULL;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct rsa_key *key;
    if (!key)
        key = rsa_key_create(NULL);
    struct reader r = reader_of(data, size);
    struct verifier v;
    uint8_t kind = read_u8(&r), options = read_u8(&r);
    struct server_login s = { .secure = options & 1,
                              .key = options & 2 ? key : NULL,
                              .nonce = "abcdefghijklmnopqrst",
                              .verifier = account(&v, kind) };
    struct slice plugin = script_packet(&r), first = script_packet(&r);
    struct buf out = { 0 };
    enum login_step step = server_login_begin(&s, plugin, first, &out);
    for (int packets = 0; step == LOGIN_SEND; packets++) {
        REQUIRE(buf_len(&out) > 0 && packets < 4);
        buf_clear(&out);
        step = server_login_packet(&s, script_packet(&r), &out);
    }
    REQUIRE(step == LOGIN_FAILED || (step == LOGIN_DONE && s.verifier && s.verifier->empty));
    REQUIRE(server_login_packet(&s, slice_of("", 0), &out) == LOGIN_FAILED);
    buf_fini(&out);
    return 0;
}
