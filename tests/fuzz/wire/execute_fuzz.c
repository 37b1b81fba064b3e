/* COM_STMT_EXECUTE: what parses can be written again, with types bound, and parses to the
 * same parameters. The input opens with the number of parameters, a byte of settings and one of
 * long data. Query attributes are left out, here and of a COM_QUERY. */
#include "tests/fuzz/wire/fuzz.h"

#include "wire/stmt.h"

enum { PARAMS = 20 };

static void check_again(const struct execute *e, size_t count, const bool *long_data,
                        struct arena *arena)
{
    struct buf b = { 0 };
    struct param_type types[PARAMS];
    bool has_types = false;
    struct execute again;
    execute_write(&b, e->statement_id, e->flags, e->params, count);
    REQUIRE(execute_parse(buf_slice(&b), count, false, types, &has_types, long_data, arena, &again,
                          NULL) == MQ_OK);
    for (size_t i = 0; i < count; i++) {
        const struct execute_param *p = &e->params[i], *q = &again.params[i];
        REQUIRE(p->null == q->null && p->long_data == q->long_data);
        REQUIRE(p->type.type == q->type.type && p->type.flags == q->type.flags);
        REQUIRE(slice_eq(p->value, q->value) && slice_eq(p->content, q->content));
    }
    buf_fini(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    size_t count = data[0] % (PARAMS + 1);
    struct param_type types[PARAMS] = { { TYPE_LONG, 0 }, { TYPE_VAR_STRING, 0 } };
    bool long_data[PARAMS], has_types = data[1] & 1;
    for (size_t i = 0; i < PARAMS; i++)
        long_data[i] = data[2] >> (i % 8) & 1;
    struct arena arena = { 0 };
    struct execute e;
    struct err err;
    if (execute_parse(slice_of(data + 3, size - 3), count, data[1] & 4, types, &has_types,
                      data[1] & 2 ? long_data : NULL, &arena, &e, &err) == MQ_OK)
        check_again(&e, count, data[1] & 2 ? long_data : NULL, &arena);
    struct slice body = slice_of(data + 3, size - 3);
    if (query_skip_attributes(&body, &arena, &err) == MQ_OK)
        REQUIRE(body.data + body.len == (const char *)data + size);
    arena_fini(&arena);
    return 0;
}
