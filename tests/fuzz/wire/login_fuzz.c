/* A login packet that parses can be written again and parses to the same. */
#include "tests/fuzz/wire/fuzz.h"

#include "wire/handshake.h"

static void check_same(const struct login *a, const struct login *b)
{
    REQUIRE(slice_eq(a->user, b->user));
    REQUIRE(slice_eq(a->auth, b->auth));
    REQUIRE(a->has_database == b->has_database && slice_eq(a->database, b->database));
    REQUIRE(slice_eq(a->plugin, b->plugin));
    REQUIRE(slice_eq(a->attributes, b->attributes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct login l, again;
    struct err e;
    struct buf b = { 0 };
    if (login_parse(slice_of(data, size), &l, &e) == MQ_OK) {
        struct slice attributes = l.attributes, key, value;
        while (attribute_next(&attributes, &key, &value))
            REQUIRE(key.len + value.len <= l.attributes.len);
        login_write(&b, &l);
        REQUIRE(login_parse(buf_slice(&b), &again, &e) == MQ_OK);
        check_same(&l, &again);
    }
    buf_fini(&b);
    return 0;
}
