/* Tables for the shards: which keys do not lead with the tenant. */
#include "routing/ddl_keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
    const char *why, *definitions;
    const char *want; /* NULL: sound */
} cases[] = {
    { "all lead", "tenant CHAR(9), a INT, PRIMARY KEY (tenant, a), KEY k (tenant), UNIQUE (tenant, a)",
      NULL },
    { "any spelling", "`TENANT` CHAR(9), a INT, PRIMARY KEY (`Tenant`, a)", NULL },
    { "inline", "tenant CHAR(9) PRIMARY KEY, a INT", NULL },
    { "the index of AUTO_INCREMENT",
      "tenant CHAR(9), a INT AUTO_INCREMENT, PRIMARY KEY (tenant, a), KEY idx (a)", NULL },
    { "once", "tenant CHAR(9), a INT AUTO_INCREMENT, PRIMARY KEY (tenant, a), KEY i (a), KEY j (a, tenant)",
      "KEY j leads with a" },
    { "no unique index for it",
      "tenant CHAR(9), a INT AUTO_INCREMENT, PRIMARY KEY (tenant, a), UNIQUE KEY i (a)",
      "UNIQUE KEY i leads with a" },
    { "no index of another column", "tenant CHAR(9), a INT, PRIMARY KEY (tenant, a), INDEX i (a)",
      "KEY i leads with a" },
    { "the primary key", "tenant CHAR(9), a INT, PRIMARY KEY (a, tenant)", "PRIMARY KEY leads with a" },
    { "inline keys", "tenant CHAR(9), a INT AUTO_INCREMENT PRIMARY KEY, b INT UNIQUE",
      "PRIMARY KEY leads with a; UNIQUE KEY leads with b" },
    { "expressions", "tenant CHAR(9), PRIMARY KEY (tenant), KEY i ((LOWER(tenant)))",
      "KEY i leads with an expression" },
    { "a named constraint", "tenant CHAR(9), a INT, PRIMARY KEY (tenant), CONSTRAINT c UNIQUE (a)",
      "UNIQUE KEY c leads with a" },
    { "no primary key", "tenant CHAR(9), UNIQUE (tenant)", "no PRIMARY KEY" },
    { "keys of other kinds",
      "tenant CHAR(9), a TEXT, PRIMARY KEY (tenant), FULLTEXT KEY f (a), CHECK (a > 1)", NULL },
};

static enum err_code check(const char *definitions, bool *ret_names_tenant, struct err *reterr)
{
    char sql[400];
    struct arena arena;
    struct dialect dialect = dialect_default();
    struct lexed lexed;
    struct node *root;
    arena_init(&arena);
    snprintf(sql, sizeof sql, "CREATE TABLE t (%s)", definitions);
    assert_int_equal(lex(slice_cstr(sql), &dialect, &arena, &lexed, reterr), MQ_OK);
    assert_int_equal(parse(&lexed, &dialect, &arena, &root, reterr), MQ_OK);
    *ret_names_tenant = ddl_names_tenant(&lexed, root);
    enum err_code code = ddl_check_keys(&lexed, root, reterr);
    arena_fini(&arena);
    return code;
}

static void names_each_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err e = { 0 };
        bool tenant;
        enum err_code code = check(cases[i].definitions, &tenant, &e);
        const char *want = cases[i].want ? cases[i].want : "";
        assert_true(tenant);
        if (code != (cases[i].want ? MQ_KEY_WITHOUT_TENANT : MQ_OK) || strcmp(e.text, want) != 0)
            fail_msg("%s: got '%s', want '%s'", cases[i].why, e.text, want);
    }
}

static void tells_legacy_tables(void **state)
{
    (void)state;
    static const char *const tables[] = { "a INT, PRIMARY KEY (a)", "tenants INT, KEY (tenants)",
                                          "a INT DEFAULT 1 COMMENT 'tenant'" };
    for (size_t i = 0; i < COUNT(tables); i++) {
        struct err e;
        bool tenant;
        check(tables[i], &tenant, &e);
        assert_false(tenant);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_each_key),
        cmocka_unit_test(tells_legacy_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
