/* Regular expressions that name a tenant: what is accepted, what is found, and that no value is slow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "config/pattern.h"

static void test_faults(void **state)
{
    static const struct {
        const char *regex, *fault;
    } cases[] = {
        { "abc", "it has 0 groups" },
        { "(a)(b)", "it has 2 groups" },
        { "((a)b)", "it has 2 groups" },
        { "(a", "at offset 2" },
        { "(a)\\C", "at offset" }, /* a byte of a character */
        { "(a{99999999})", "at offset" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tenant_pattern *p = NULL;
        struct err err = { 0 };
        assert_int_equal(tenant_pattern_create(cases[i].regex, &p, &err), MQ_CONFIG_INVALID);
        assert_null(p);
        if (!strstr(err.text, cases[i].fault))
            fail_msg("%s: %s", cases[i].regex, err.text);
    }
}

static void test_find(void **state)
{
    static const struct {
        const char *regex, *value;
        enum pattern_result result;
        const char *tenant;
    } cases[] = {
        { "^([a-z]+)-", "acme-x", PATTERN_FOUND, "acme" },
        { "^([a-z]+)-", "ACME-x", PATTERN_ABSENT, NULL },
        { "(?i)^([a-z]+)-", "ACME-x", PATTERN_FOUND, "ACME" },
        { "^x(?:-(.*))?$", "x", PATTERN_ABSENT, NULL },
        { "^x(.*)$", "x", PATTERN_FOUND, "" },
        { "^(.*)$", "x\n", PATTERN_ABSENT, NULL },
        { "^(\\w+)", "", PATTERN_ABSENT, NULL },
        { "/(.+)$", "\xC3\xA9/acme", PATTERN_FOUND, "acme" },
        { "(.)", "\xC3", PATTERN_FAILED, NULL },
        { "^((?:a|aa)+)$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
          PATTERN_FAILED, NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tenant_pattern *p;
        struct err err;
        struct slice tenant = slice_of("", 0);
        assert_int_equal(tenant_pattern_create(cases[i].regex, &p, &err), MQ_OK);
        enum pattern_result found = tenant_pattern_find(p, slice_cstr(cases[i].value), &tenant);
        if (found != cases[i].result ||
            (found == PATTERN_FOUND && !slice_eq(tenant, slice_cstr(cases[i].tenant))))
            fail_msg("%s of %s: %d, %.*s", cases[i].regex, cases[i].value, (int)found,
                     (int)tenant.len, tenant.data);
        tenant_pattern_destroy(p);
    }
}

static void test_long_values(void **state)
{
    char text[2000];
    struct tenant_pattern *p;
    struct err err;
    struct slice tenant;
    (void)state;
    memset(text, 'a', sizeof text);
    assert_int_equal(tenant_pattern_create("^(a+)$", &p, &err), MQ_OK);
    assert_int_equal(tenant_pattern_find(p, slice_of(text, 1020), &tenant), PATTERN_FOUND);
    assert_int_equal(tenant_pattern_find(p, slice_of(text, 1021), &tenant), PATTERN_FAILED);
    tenant_pattern_destroy(p);
    tenant_pattern_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_long_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
