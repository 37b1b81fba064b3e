/* The planner's work grows with the statement, not with its square: twice as many columns and twice
 * as many names that may mean them are about twice as many looks. */
#include "tests/unit/routing/fixture.h"

#include "routing/plan_int.h"
#include "routing/scatter_int.h"

#define QUALIFIED_YAML FIXTURE_YAML "tenants: [acme, globex]\npartition_keys: qualified\n"

/* Statements with `count` times each: text, then `first` and `second`, apart by commas. */
struct shape_case {
    const char *why, *before, *first, *between, *second, *after;
};

static void repeat(struct buf *out, const char *what, size_t count)
{
    for (size_t i = 0; i < count && *what; i++) {
        buf_append_cstr(out, i ? ", " : "");
        for (const char *c = what; *c; c++) {
            if (*c == '#')
                buf_printf(out, "%zu", i);
            else
                buf_append_byte(out, *c);
        }
    }
}

static uint64_t looks(struct fixture *f, const struct shape_case *c, size_t count, bool scatters)
{
    struct buf sql;
    struct lexed l;
    struct template t = { 0 };
    struct scatter several = { .recipe = { .version = -1, .filter = -1, .having = -1 } };
    buf_init(&sql);
    buf_append_cstr(&sql, c->before);
    repeat(&sql, c->first, count);
    buf_append_cstr(&sql, c->between);
    repeat(&sql, c->second, count);
    buf_append_cstr(&sql, c->after);
    arena_reset(&f->arena);
    assert_int_equal(lex(buf_slice(&sql), &f->dialect, &f->arena, &l, &f->err), MQ_OK);
    struct planner p = { .topology = f->topology,
                         .dialect = &f->dialect,
                         .l = &l,
                         .arena = &f->arena,
                         .t = &t,
                         .scatter = scatters ? &several : NULL,
                         .qualified = true,
                         .inserted_key = -1 };
    enum err_code code = plan_tree(&p);
    if (code && !scatters)
        fail_msg("%s: %s", c->why, p.reject.text);
    buf_fini(&sql);
    return p.looks;
}

static void test_linear(void **state)
{
    static const struct shape_case cases[] = {
        { "names that a derived table may have", "SELECT ", "partition_key + 1",
          " FROM queue_messages m, (SELECT ", "topic AS c#", " FROM queue_offsets o) d" },
        { "names through layers of stars", "SELECT ", "partition_key + 1",
          " FROM queue_messages m, (SELECT * FROM (SELECT * FROM (SELECT ", "topic AS c#",
          " FROM queue_offsets o) a) b) d" },
        { "ORDER BY what a list may show", "SELECT ", "topic AS c#",
          " FROM queue_messages ORDER BY ", "partition_key", "" },
        { "stars of joins that merge", "SELECT * FROM queue_messages m JOIN (SELECT ",
          "topic AS c#", " FROM queue_offsets o) d USING (topic) JOIN (SELECT topic, ",
          "topic AS d#", " FROM queue_offsets p) e USING (topic)" },
        { "keys of derived tables", "SELECT ", "d.c#",
          " FROM queue_messages m JOIN (SELECT partition_key AS k, ", "topic AS c#",
          " FROM queue_offsets o) d ON m.partition_key = d.k" },
    };
    struct fixture f;
    (void)state;
    fixture_open(&f, QUALIFIED_YAML, NULL);
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        const struct shape_case *c = &cases[i / 2];
        uint64_t once = looks(&f, c, 500, i % 2), twice = looks(&f, c, 1000, i % 2);
        if (twice > 2 * once + 100)
            fail_msg("%s: %llu looks became %llu", c->why, (unsigned long long)once,
                     (unsigned long long)twice);
    }
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_linear) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
