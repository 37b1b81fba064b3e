#include "tests/unit/merge/merge_test.h"

#include "merge/decimal.h"

static struct decimal of(const char *text)
{
    struct decimal d;
    if (!decimal_parse(slice_cstr(text), &d))
        fail_msg("'%s' is not read", text);
    return d;
}

static void assert_prints(const struct decimal *d, unsigned scale, const char *want)
{
    struct buf out;
    buf_init(&out);
    bool printed = decimal_print(d, scale, &out);
    assert_slice(printed ? buf_slice(&out) : SLICE_LIT("no"), slice_cstr(want), want);
    buf_fini(&out);
}

#define NINES_20 "99999999999999999999"
#define NINES_30 NINES_20 "9999999999"
#define NINES_81 NINES_20 NINES_20 NINES_20 NINES_20 "9"

static void test_parse(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned scale;
        const char *want; /* NULL: it is not read */
    } cases[] = {
        { "0", 0, "0" },
        { "-0", 0, "0" },
        { "-0.00", 2, "0.00" },
        { "+17", 0, "17" },
        { "007", 0, "7" },
        { ".5", 1, "0.5" },
        { "5.", 0, "5" },
        { "-12.340", 2, "-12.34" },
        { "12.34", 1, "no" },
        { "1234567890123456789012.123456789012", 12, "1234567890123456789012.123456789012" },
        { "18446744073709551615", 0, "18446744073709551615" },
        { "-9223372036854775808", 3, "-9223372036854775808.000" },
        { "0.000000000000000000000000000001", 30, "0.000000000000000000000000000001" },
        { NINES_81, 0, "no" }, /* read, but more than a server can hold */
        { NINES_20 NINES_20 NINES_20 "99999", 0, NINES_20 NINES_20 NINES_20 "99999" },
        { NINES_20 NINES_20 NINES_20 "99999", 1, "no" },
        { "9" NINES_81, 0, NULL },
        { "", 0, NULL },
        { "-", 0, NULL },
        { ".", 0, NULL },
        { "1e3", 0, NULL },
        { " 1", 0, NULL },
        { "1 ", 0, NULL },
        { "1.2.3", 0, NULL },
        { "--1", 0, NULL },
        { "0x10", 0, NULL },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct decimal d;
        bool read = decimal_parse(slice_cstr(cases[i].text), &d);
        if (read != (cases[i].want != NULL))
            fail_msg("'%s' is %sread", cases[i].text, read ? "" : "not ");
        if (read)
            assert_prints(&d, cases[i].scale, cases[i].want);
    }
}

static void test_order(void **state)
{
    (void)state;
    static const char *const rising[] = { "-18446744073709551616", "-2.5", "-2.499", "-1", "0",
                                          "0.001", "1", "9.99", "10", "18446744073709551615" };
    for (size_t i = 0; i < COUNT(rising); i++) {
        for (size_t j = 0; j < COUNT(rising); j++) {
            struct decimal a = of(rising[i]), b = of(rising[j]);
            int want = i < j ? -1 : i > j;
            if (decimal_compare(&a, &b) != want)
                fail_msg("%s against %s", rising[i], rising[j]);
        }
    }
}

static void test_arithmetic(void **state)
{
    (void)state;
    static const struct {
        const char *a;
        char op;
        const char *b;
        unsigned scale;
        const char *want; /* NULL: no room */
    } cases[] = {
        { "999999999", '+', "1", 0, "1000000000" },
        { "0.999999999", '+', "0.000000001", 0, "1" },
        { "-5", '+', "3", 0, "-2" },
        { "3", '+', "-5", 0, "-2" },
        { "5", '+', "-5", 0, "0" },
        { "1000000000000000000", '-', "0.000000001", 9, "999999999999999999.999999999" },
        { "-1", '-', "-1", 0, "0" },
        { "0", '-', "0", 0, "0" },
        { NINES_81, '+', "1", 0, NULL },
        { "18446744073709551615", '*', "18446744073709551615", 0,
          "340282366920938463426481119284349108225" },
        { "-1.5", '*', "2.5", 2, "-3.75" },
        { "-1", '*', "0", 0, "0" },
        { NINES_81, '*', "2", 0, NULL },
        { "0.000000000000000000000000000001", '*', "0.0000001", 0, NULL },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct decimal a = of(cases[i].a), b = of(cases[i].b), got;
        bool room = cases[i].op == '+'   ? decimal_add(&a, &b, &got)
                    : cases[i].op == '-' ? decimal_subtract(&a, &b, &got)
                                         : decimal_multiply(&a, &b, &got);
        if (room != (cases[i].want != NULL))
            fail_msg("%s %c %s", cases[i].a, cases[i].op, cases[i].b);
        if (room)
            assert_prints(&got, cases[i].scale, cases[i].want);
    }
}

/* SELECT AVG(x), where the sum has `scale` digits; div_precision_increment is 4. */
static void test_average(void **state)
{
    (void)state;
    static const struct {
        const char *sum;
        uint64_t count;
        unsigned scale;
        const char *want;
    } cases[] = {
        { "7", 2, 0, "3.5000" },
        { "2", 3, 0, "0.6667" },
        { "-2", 3, 0, "-0.6667" },
        { "1", 3, 0, "0.3333" },
        { "1", 20000, 0, "0.0001" },  /* 0.00005 */
        { "-1", 20000, 0, "-0.0001" },
        { "1", 20001, 0, "0.0000" },
        { "-1", 30000, 0, "0.0000" },
        { "18446744073709551615", UINT64_MAX, 0, "1.0000" },
        { NINES_30, 7, 0, "142857142857142857142857142857.0000" },
        { "10.00", 3, 2, "3.333333" },
        { "20.00", 3, 2, "6.666667" },
        { "2.00000", 3, 5, "0.666666666" }, /* nine digits are a word: the server rounds no more */
        { "0.2000000", 3, 7, "0.06666666667" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct decimal sum = of(cases[i].sum);
        struct decimal quotient = decimal_average(&sum, cases[i].count, cases[i].scale, 4);
        struct decimal got = decimal_round(&quotient, cases[i].scale + 4);
        assert_prints(&got, cases[i].scale + 4, cases[i].want);
    }
}

static void test_integers(void **state)
{
    (void)state;
    struct decimal d = decimal_of_signed(INT64_MIN);
    int64_t s;
    uint64_t u;
    assert_true(decimal_to_signed(&d, &s) && s == INT64_MIN);
    assert_false(decimal_to_unsigned(&d, &u));
    d = of("9223372036854775808");
    assert_false(decimal_to_signed(&d, &s));
    assert_true(decimal_to_unsigned(&d, &u) && u == (uint64_t)INT64_MAX + 1);
    d = decimal_of_unsigned(UINT64_MAX);
    assert_true(decimal_to_unsigned(&d, &u) && u == UINT64_MAX);
    d = of("18446744073709551616");
    assert_false(decimal_to_unsigned(&d, &u));
    d = of("1.5");
    assert_false(decimal_to_signed(&d, &s));
    d = decimal_of_signed(-7);
    assert_true(decimal_to_signed(&d, &s) && s == -7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),      cmocka_unit_test(test_order),
        cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_average),
        cmocka_unit_test(test_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
