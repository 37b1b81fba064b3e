/* COM_CHANGE_USER of a session with any capabilities: what is read lies inside the packet. */
#include "tests/fuzz/wire/fuzz.h"

#include "wire/handshake.h"

static void check_inside(struct slice part, struct slice whole)
{
    REQUIRE(part.len == 0 || (part.data >= whole.data && part.len <= whole.len &&
                              (size_t)(part.data - whole.data) <= whole.len - part.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct reader r = reader_of(data, size);
    struct login l;
    uint64_t capabilities = read_u32(&r);
    struct slice body = r.bad ? slice_of("", 0) : read_rest(&r);
    if (change_user_parse(body, capabilities, &l, NULL) != MQ_OK)
        return 0;
    struct slice attributes = l.attributes, key, value;
    while (attribute_next(&attributes, &key, &value))
        REQUIRE(key.len + value.len <= l.attributes.len);
    const struct slice parts[] = { l.user, l.auth, l.database, l.plugin, l.attributes };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        check_inside(parts[i], body);
    REQUIRE(l.has_database == (l.database.len > 0));
    return 0;
}
