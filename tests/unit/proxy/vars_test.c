/* The SET statement that brings a backend in line. */
#include "tests/unit/proxy/proxy_test.h"

struct setting {
    enum var var;
    const char *value;
};

static void fill(struct intern_table *t, struct vars *v, const struct setting *settings)
{
    vars_init(v);
    for (; settings->value; settings++)
        vars_set(t, v, settings->var, slice_cstr(settings->value));
}

static void statements(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct setting have[4], want[4];
        enum flavour flavour;
        const char *text;
    } cases[] = {
        { "alike", { { VAR_NAMES, "NAMES utf8mb4" } }, { { VAR_NAMES, "NAMES utf8mb4" } }, FLAVOUR_MYSQL, "" },
        { "names", { { 0 } }, { { VAR_NAMES, "NAMES latin1" } }, FLAVOUR_MYSQL, "SET NAMES latin1" },
        { "several",
          { { VAR_NAMES, "NAMES latin1" } },
          { { VAR_NAMES, "NAMES utf8mb4" }, { VAR_AUTOCOMMIT, "0" }, { VAR_TIME_ZONE, "'+00:00'" } },
          FLAVOUR_MYSQL,
          "SET NAMES utf8mb4, autocommit = 0, time_zone = '+00:00'" },
        { "back to the default",
          { { VAR_AUTOCOMMIT, "0" } },
          { { 0 } },
          FLAVOUR_MYSQL,
          "SET autocommit = DEFAULT" },
        { "MySQL's name",
          { { 0 } },
          { { VAR_ISOLATION, "'SERIALIZABLE'" } },
          FLAVOUR_MYSQL,
          "SET transaction_isolation = 'SERIALIZABLE'" },
        { "MariaDB's name",
          { { 0 } },
          { { VAR_ISOLATION, "'SERIALIZABLE'" } },
          FLAVOUR_MARIADB,
          "SET tx_isolation = 'SERIALIZABLE'" },
        { "NAMES undoes what refines it, so that follows",
          { { VAR_NAMES, "NAMES latin1" }, { VAR_RESULTS, "NULL" } },
          { { VAR_NAMES, "NAMES utf8mb4" }, { VAR_RESULTS, "NULL" } },
          FLAVOUR_MYSQL,
          "SET NAMES utf8mb4, character_set_results = NULL" },
        { "what refined is gone: NAMES again",
          { { VAR_NAMES, "NAMES utf8mb4" }, { VAR_RESULTS, "NULL" } },
          { { VAR_NAMES, "NAMES utf8mb4" } },
          FLAVOUR_MYSQL,
          "SET NAMES utf8mb4" },
        { "one gone, the other stays",
          { { VAR_NAMES, "NAMES utf8mb4" }, { VAR_RESULTS, "NULL" }, { VAR_COLLATION, "utf8mb4_bin" } },
          { { VAR_NAMES, "NAMES utf8mb4" }, { VAR_COLLATION, "utf8mb4_bin" } },
          FLAVOUR_MYSQL,
          "SET NAMES utf8mb4, collation_connection = utf8mb4_bin" },
        { "refined only",
          { { VAR_NAMES, "NAMES utf8mb4" } },
          { { VAR_NAMES, "NAMES utf8mb4" }, { VAR_RESULTS, "NULL" } },
          FLAVOUR_MYSQL,
          "SET character_set_results = NULL" },
        { "a limit decides whether it is one: what was said of that follows",
          { { VAR_JOIN_SIZE, "2" }, { VAR_BIG_SELECTS, "1" } },
          { { VAR_JOIN_SIZE, "3" }, { VAR_BIG_SELECTS, "1" } },
          FLAVOUR_MYSQL,
          "SET max_join_size = 3, sql_big_selects = 1" },
        { "or is gone: the limit again",
          { { VAR_JOIN_SIZE, "2" }, { VAR_BIG_SELECTS, "1" } },
          { { VAR_JOIN_SIZE, "2" } },
          FLAVOUR_MYSQL,
          "SET max_join_size = 2" },
        { "both as by default",
          { { VAR_JOIN_SIZE, "2" } },
          { { 0 } },
          FLAVOUR_MYSQL,
          "SET max_join_size = DEFAULT, sql_big_selects = DEFAULT" },
        { "without a limit",
          { { 0 } },
          { { VAR_BIG_SELECTS, "0" } },
          FLAVOUR_MYSQL,
          "SET sql_big_selects = 0" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct intern_table *t = intern_table_create();
        struct vars have, want;
        struct buf out;
        buf_init(&out);
        fill(t, &have, cases[i].have);
        fill(t, &want, cases[i].want);
        vars_statement(&have, &want, &(struct vars_server){ .flavour = cases[i].flavour }, &out);
        assert_slice(buf_slice(&out), slice_cstr(cases[i].text), cases[i].why);
        buf_fini(&out);
        vars_fini(t, &have);
        vars_fini(t, &want);
        intern_table_destroy(t);
    }
}

/* vtgate is told what it takes notice of, and of defaults only those that it knows. */
static void vtgate_is_told_less(void **state)
{
    static const struct {
        const char *why;
        struct setting have[4], want[4];
        const char *text;
        bool lacks_default;
    } cases[] = {
        { "character sets are its own", { { 0 } }, { { VAR_NAMES, "NAMES utf8mb4" },
          { VAR_RESULTS, "NULL" } }, "", false },
        { "what it applies", { { 0 } }, { { VAR_SQL_MODE, "''" }, { VAR_TIME_ZONE, "'+00:00'" } },
          "SET sql_mode = '', time_zone = '+00:00'", false },
        { "what it would ignore", { { 0 } }, { { VAR_COMPLETION, "1" },
          { VAR_NET_WRITE_TIMEOUT, "60" } }, "", false },
        { "a default that it knows", { { VAR_SELECT_LIMIT, "1" }, { VAR_AUTOCOMMIT, "0" } },
          { { 0 } }, "SET autocommit = 1, sql_select_limit = DEFAULT", false },
        { "a default that it does not know", { { VAR_TIME_ZONE, "'+00:00'" } }, { { 0 } }, NULL,
          true },
        { "what is not known", { { VAR_ISOLATION, "(not known)" } }, { { 0 } }, NULL, true },
        { "another value", { { VAR_ISOLATION, "(not known)" } },
          { { VAR_ISOLATION, "'SERIALIZABLE'" } },
          "SET transaction_isolation = 'SERIALIZABLE'", false },
        { "a default of what is not told", { { VAR_COMPLETION, "1" } }, { { 0 } }, "", false },
    };
    static const struct vars_server server = { .flavour = FLAVOUR_MYSQL, .vitess = true };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct intern_table *t = intern_table_create();
        struct vars have, want;
        struct buf out;
        buf_init(&out);
        fill(t, &have, cases[i].have);
        fill(t, &want, cases[i].want);
        if (vars_lack_default(&have, &want) != cases[i].lacks_default)
            fail_msg("%s", cases[i].why);
        if (cases[i].text)
            vars_statement(&have, &want, &server, &out);
        assert_slice(buf_slice(&out), slice_cstr(cases[i].text ? cases[i].text : ""), cases[i].why);
        buf_fini(&out);
        vars_fini(t, &have);
        vars_fini(t, &want);
        intern_table_destroy(t);
    }
}

/* What nobody knows is set whatever it is to be, a default too. */
static void what_is_not_known_is_set(void **state)
{
    (void)state;
    static const struct vars_server server = { .flavour = FLAVOUR_MYSQL, .modes = "ANSI" };
    struct intern_table *t = intern_table_create();
    struct vars have, want;
    struct buf out;
    buf_init(&out);
    fill(t, &have, (const struct setting[]){ { VAR_NAMES, "NAMES utf8mb4" }, { 0 } });
    fill(t, &want, (const struct setting[]){ { VAR_NAMES, "NAMES utf8mb4" },
                                             { VAR_TIME_ZONE, "'nowhere'" }, { 0 } });
    vars_set(t, &have, VAR_SQL_MODE, SLICE_LIT("'STRICT_ALL_TABLES'"));
    vars_forget_changed(t, &have, &want);
    vars_set(t, &want, VAR_TIME_ZONE, slice_of(NULL, 0));
    vars_statement(&have, &want, &server, &out);
    assert_string_equal(buf_cstr(&out), "SET sql_mode = 'ANSI', time_zone = DEFAULT");
    buf_clear(&out);
    vars_forget(t, &have, VAR_NAMES);
    vars_set(t, &have, VAR_SQL_MODE, slice_of(NULL, 0));
    vars_set(t, &have, VAR_TIME_ZONE, slice_of(NULL, 0));
    vars_statement(&have, &want, &server, &out);
    assert_string_equal(buf_cstr(&out), "SET NAMES utf8mb4");
    buf_fini(&out);
    vars_fini(t, &have);
    vars_fini(t, &want);
    intern_table_destroy(t);
}

static void values_are_shared_and_go_with_their_last_holder(void **state)
{
    (void)state;
    struct intern_table *t = intern_table_create();
    struct vars a, b;
    vars_init(&a);
    vars_init(&b);
    vars_set(t, &a, VAR_TIME_ZONE, SLICE_LIT("'x'"));
    vars_set(t, &b, VAR_TIME_ZONE, SLICE_LIT("'x'"));
    assert_ptr_equal(vars_value(&a, VAR_TIME_ZONE), vars_value(&b, VAR_TIME_ZONE));
    assert_true(vars_eq(&a, &b));
    vars_set(t, &a, VAR_TIME_ZONE, SLICE_LIT("'y'"));
    assert_false(vars_eq(&a, &b));
    vars_copy(t, &b, &a);
    assert_true(vars_eq(&a, &b));
    vars_fini(t, &a);
    assert_string_equal(vars_value(&b, VAR_TIME_ZONE), "'y'");
    vars_set(t, &b, VAR_TIME_ZONE, slice_of(vars_value(&b, VAR_TIME_ZONE), 3)); /* its own text */
    assert_string_equal(vars_value(&b, VAR_TIME_ZONE), "'y'");
    vars_fini(t, &b);
    intern_table_destroy(t);
}

static void equal_vectors_are_one(void **state)
{
    (void)state;
    struct intern_table *t = intern_table_create();
    struct vars a, b;
    vars_init(&a);
    vars_init(&b);
    vars_set(t, &a, VAR_TIME_ZONE, SLICE_LIT("'x'"));
    vars_set(t, &a, VAR_NAMES, SLICE_LIT("NAMES latin1"));
    vars_set(t, &b, VAR_NAMES, SLICE_LIT("NAMES latin1"));
    assert_ptr_not_equal(a.vector, b.vector);
    vars_set(t, &b, VAR_TIME_ZONE, SLICE_LIT("'x'"));
    assert_ptr_equal(a.vector, b.vector);
    vars_set(t, &b, VAR_TIME_ZONE, slice_of(NULL, 0));
    vars_set(t, &b, VAR_NAMES, slice_of(NULL, 0));
    assert_null(b.vector); /* all defaults */
    vars_fini(t, &a);
    intern_table_destroy(t);
}

static void how_text_is_read_depends_on_some(void **state)
{
    (void)state;
    static const struct {
        enum var var;
        const char *value;
        bool reading, unicode;
    } cases[] = {
        { VAR_NAMES, "NAMES utf8mb4", true, true },
        { VAR_NAMES, "NAMES latin1", true, false },
        { VAR_CLIENT, "utf8mb3", true, true },
        { VAR_SQL_MODE, "'ANSI'", true, false },
        { VAR_WEEK_FORMAT, "3", true, false },
        { VAR_LOCK_WAIT, "3", false, false },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct intern_table *t = intern_table_create();
        struct vars base, v;
        vars_init(&base);
        vars_init(&v);
        assert_int_equal(vars_reading(&base), 0);
        vars_set(t, &base, VAR_AUTOCOMMIT, SLICE_LIT("1"));
        assert_int_equal(vars_reading(&base), 0);
        vars_copy(t, &v, &base);
        vars_set(t, &v, cases[i].var, slice_cstr(cases[i].value));
        assert_int_equal(vars_reading(&v) != vars_reading(&base), cases[i].reading);
        assert_int_equal(vars_unicode(&v), cases[i].unicode);
        vars_fini(t, &v);
        vars_fini(t, &base);
        intern_table_destroy(t);
    }
}

static void names(void **state)
{
    (void)state;
    assert_int_equal(var_find(SLICE_LIT("TX_isolation")), VAR_ISOLATION);
    assert_int_equal(var_find(SLICE_LIT("transaction_isolation")), VAR_ISOLATION);
    assert_int_equal(var_find(SLICE_LIT("Autocommit")), VAR_AUTOCOMMIT);
    assert_int_equal(var_find(SLICE_LIT("names")), -1);
    assert_int_equal(var_find(SLICE_LIT("max_connections")), -1);
    for (int i = 0; i < VAR_COUNT; i++) {
        const struct var_info *info = var_info((enum var)i);
        bool sent = var_is_followed((enum var)i);
        assert_int_equal(sent && i != VAR_NAMES, info->mysql || info->mariadb);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements),
        cmocka_unit_test(vtgate_is_told_less),
        cmocka_unit_test(what_is_not_known_is_set),
        cmocka_unit_test(values_are_shared_and_go_with_their_last_holder),
        cmocka_unit_test(equal_vectors_are_one),
        cmocka_unit_test(how_text_is_read_depends_on_some),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
