/* Rows of the tenant vindex table as text: what is printed is read again, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "placement/tenant_line.h"

static const struct {
    const char *line, *want; /* printed again; or a part of the complaint */
    enum err_code code;
} cases[] = {
    { "orders\t4a3f\tserving", "orders\t4a3f\tserving\n", MQ_OK },
    { "monorepo/main\t4A3F\tretired", "monorepo/main\t4a3f\tretired\n", MQ_OK },
    { "# 7\t00\tserving", "# 7\t00\tserving\n", MQ_OK },
    { "orders\t4a3f\tmoving", "neither serving nor retired", MQ_USAGE },
    { "orders\t4a3f\tpreparing", "neither serving nor retired", MQ_USAGE },
    { "orders\t4a3f\tserving ", "neither serving nor retired", MQ_USAGE },
    { "orders\t4a3f\tserving\t", "neither serving nor retired", MQ_USAGE },
    { "orders\t4a3f\t", "neither serving nor retired", MQ_USAGE },
    { "orders\t4a3f", "neither serving nor retired", MQ_USAGE },
    { "orders\t4a3\tserving", "no keyspace id", MQ_USAGE },
    { "orders\t\tserving", "no keyspace id", MQ_USAGE },
    { "orders\txx\tserving", "no keyspace id", MQ_USAGE },
    { "orders", "no keyspace id", MQ_USAGE },
    { " orders\t4a3f\tserving", "space at either end", MQ_TENANT_INVALID },
    { "a,b\t4a3f\tserving", "comma", MQ_TENANT_INVALID },
    { "\t4a3f\tserving", "1 to 255 bytes", MQ_TENANT_INVALID },
    { "", "1 to 255 bytes", MQ_TENANT_INVALID },
};

static void lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vindex_row row;
        struct err err = { 0 };
        struct buf again;
        buf_init(&again);
        enum err_code code = tenant_line_parse(slice_cstr(cases[i].line), &row, &err);
        if (code == MQ_OK)
            tenant_line_print(&row, &again);
        if (code != cases[i].code || (code ? !strstr(err.text, cases[i].want)
                                           : strcmp(buf_cstr(&again), cases[i].want) != 0))
            fail_msg("\"%s\": %d, %s", cases[i].line, (int)code,
                     code ? err.text : buf_cstr(&again));
        buf_fini(&again);
    }
}

static void ends_of_lines(void **state)
{
    static const char *const want[] = { "# x", "", "a\tb", "last" };
    struct slice rest = SLICE_LIT("# x\n\r\na\tb\r\nlast"), line;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_true(tenant_line_next(&rest, &line));
        assert_true(slice_eq(line, slice_cstr(want[i])));
        assert_int_equal(tenant_line_is_comment(line), i < 2);
    }
    assert_false(tenant_line_next(&rest, &line));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(ends_of_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
