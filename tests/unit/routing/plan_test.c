/* Templates: one serves every statement with the same fingerprint; the hidden parameter has
 * its place in the map; verdicts and facts about the statement. */
#include "tests/unit/routing/fixture.h"

static void open_fixture(struct fixture *f)
{
    fixture_open(f, FIXTURE_YAML "tenants: [acme, globex]\n", NULL);
}

/* A template made from the first statement serves the second. */
static void test_reuse(void **state)
{
    static const struct {
        const char *why, *first, *second, *want;
    } cases[] = {
        { "literals of other lengths", "SELECT id FROM queue_messages WHERE topic='a' OR id='b'",
          "select  id\nFROM queue_messages WHERE topic='aaaaaaaa' OR id=''",
          "select  id\nFROM queue_messages WHERE tenant = 'acme' AND ( topic='aaaaaaaa' OR "
          "id='')" },
        { "a longer list", "SELECT id FROM queue_messages WHERE offset IN (1) AND id IN ('a')",
          "SELECT id FROM queue_messages WHERE offset IN (-1, 2 , NULL) AND id IN ( 'b', 'c' )",
          "SELECT id FROM queue_messages WHERE tenant = 'acme' AND ( offset IN (-1, 2 , NULL) AND "
          "id IN ( 'b', 'c' ))" },
        { "a longer list of one tenant", "SELECT id FROM queue_messages WHERE tenant IN ('acme')",
          "SELECT id FROM queue_messages WHERE tenant IN ('acme', 'acme')",
          "SELECT id FROM queue_messages WHERE tenant IN ('acme', 'acme')" },
        { "a longer list of two", "SELECT id FROM queue_messages WHERE tenant IN ('acme')",
          "SELECT id FROM queue_messages WHERE tenant IN ('acme', 'globex')", "MQ3010" },
        { "a tenant that is none", "SELECT id FROM queue_messages WHERE tenant IN ('acme')",
          "SELECT id FROM queue_messages WHERE tenant IN ('acme', NULL)", "MQ3005" },
        { "another tenant", "SELECT id FROM queue_messages WHERE tenant='acme'",
          "SELECT id FROM queue_messages WHERE tenant='globex'", "MQ3006" },
        { "another identifier", "INSERT INTO queue_offsets (topic) VALUES ('a')",
          "INSERT INTO queue_offsets (topic) VALUES ('')", "MQ3011" },
        { "other metadata", "INSERT INTO queue_messages (metadata) VALUES ('{}')",
          "INSERT INTO queue_messages (metadata) VALUES ('{\"queue_name\":\"globex\"}')",
          "MQ3006" },
        { "a shorter column",
          "CREATE TABLE queue_subscriber_heartbeats (consumer_group VARCHAR(255) NOT NULL, topic "
          "VARCHAR(255) NOT NULL, subscriber_name VARCHAR(255) NOT NULL, heartbeat_at BIGINT "
          "UNSIGNED NOT NULL, deregistered_at BIGINT UNSIGNED NOT NULL, PRIMARY KEY "
          "(consumer_group, topic, subscriber_name))",
          "CREATE TABLE queue_subscriber_heartbeats (consumer_group VARCHAR(255) NOT NULL, topic "
          "VARCHAR(64) NOT NULL, subscriber_name VARCHAR(255) NOT NULL, heartbeat_at BIGINT "
          "UNSIGNED NOT NULL, deregistered_at BIGINT UNSIGNED NOT NULL, PRIMARY KEY "
          "(consumer_group, topic, subscriber_name))",
          "MQ2012" },
    };
    struct fixture f;
    (void)state;
    open_fixture(&f);
    fixture_choose(&f, "acme");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lexed second;
        assert_true(fixture_plan(&f, cases[i].first));
        assert_int_not_equal(f.template->verdict, VERDICT_REJECT);
        assert_int_equal(lex(slice_cstr(cases[i].second), &f.dialect, &f.arena, &second, &f.err),
                         MQ_OK);
        assert_true(lexed_same(&f.lexed, &second));
        f.lexed = second;
        buf_clear(&f.sent);
        if (fixture_route(&f, NULL) != ROUTE_OK)
            buf_printf(&f.sent, "MQ%d", (int)f.err.code);
        else
            route_text(f.template, &f.lexed, f.route.tenant, &f.facts, "shard", false, &f.arena,
                       &f.sent);
        if (strcmp(buf_cstr(&f.sent), cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].why, buf_cstr(&f.sent));
    }
    fixture_close(&f);
}

static void test_hidden_parameter(void **state)
{
    static const struct {
        const char *sql, *map;
    } cases[] = {
        { "SELECT ? FROM queue_offsets WHERE topic = ? LIMIT ?", "1 t 2 3" },
        { "SELECT 1 FROM queue_offsets a LEFT JOIN queue_offsets b ON b.topic = ? WHERE a.topic = "
          "?",
          "t 1 t 2" },
        { "INSERT INTO queue_offsets (topic, partition_key) VALUES (?, ?), (?, ?)", "t 1 2 t 3 4" },
        { "INSERT INTO queue_offsets (topic) SELECT ? FROM queue_messages WHERE id = ?",
          "1 t t 2" },
        { "UPDATE queue_offsets SET offset_acked = ?", "1 t" },
        { "SELECT 1 FROM queue_offsets WHERE tenant = ? AND topic = ?", "1 2" },
        { "SELECT ? + ?", "1 2" },
    };
    struct fixture f;
    (void)state;
    open_fixture(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf map;
        buf_init(&map);
        assert_true(fixture_plan(&f, cases[i].sql));
        for (uint32_t n = 0; n < f.template->backend_param_count; n++) {
            int32_t from = f.template->backend_params[n];
            if (from == PARAM_TENANT)
                buf_printf(&map, "%st", n ? " " : "");
            else
                buf_printf(&map, "%s%d", n ? " " : "", (int)from + 1);
        }
        if (strcmp(buf_cstr(&map), cases[i].map) != 0)
            fail_msg("%s: %s", cases[i].sql, buf_cstr(&map));
        buf_fini(&map);
    }
    fixture_close(&f);
}

/* A parameter that names the tenant must be a string. */
static void test_tenant_parameter(void **state)
{
    static const struct {
        const char *why;
        struct param_value value;
        enum err_code code;
    } cases[] = {
        { "a string", { .kind = PARAM_VALUE_STRING, .bytes = { "globex", 6 } }, MQ_OK },
        { "a number", { .kind = PARAM_VALUE_OTHER, .bytes = { "1", 1 } }, MQ_TENANT_VALUE },
        { "NULL", { .kind = PARAM_VALUE_NULL, .bytes = { "", 0 } }, MQ_TENANT_VALUE },
        { "not bound", { .kind = PARAM_VALUE_UNKNOWN, .bytes = { "", 0 } }, MQ_TENANT_VALUE },
        { "a NUL byte", { .kind = PARAM_VALUE_STRING,
                          .bytes = { "globex\0", 7 } }, MQ_TENANT_INVALID },
        { "nothing", { .kind = PARAM_VALUE_STRING, .bytes = { "", 0 } }, MQ_TENANT_INVALID },
    };
    struct fixture f;
    (void)state;
    open_fixture(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(fixture_plan(&f, "SELECT 1 FROM queue_offsets WHERE tenant = ?"));
        enum route_outcome got = fixture_route(&f, &cases[i].value);
        if ((got == ROUTE_OK) != !cases[i].code || (got != ROUTE_OK && f.err.code != cases[i].code))
            fail_msg("%s: MQ%d %s", cases[i].why, (int)f.err.code, f.err.text);
    }
    assert_int_equal(fixture_route(&f, NULL), ROUTE_REFUSE);
    assert_int_equal(f.err.code, MQ_SYNTAX);
    fixture_close(&f);
}

/* A parameter for an AUTO_INCREMENT column must be a known integer that leaves room. */
static void test_counter_parameter(void **state)
{
    static const struct {
        const char *why;
        struct param_value value;
        enum err_code code;
    } cases[] = {
        { "one byte", { .kind = PARAM_VALUE_INTEGER, .bytes = { "\xff", 1 } }, MQ_OK },
        { "2^52", { .kind = PARAM_VALUE_INTEGER, .bytes = { "\0\0\0\0\0\0\x10\0", 8 } }, MQ_OK },
        { "2^52 + 1", { .kind = PARAM_VALUE_INTEGER,
                        .bytes = { "\1\0\0\0\0\0\x10\0", 8 } }, MQ_COUNTER_VALUE },
        { "all bits", { .kind = PARAM_VALUE_INTEGER,
                        .bytes = { "\xff\xff\xff\xff\xff\xff\xff\xff", 8 } },
          MQ_COUNTER_VALUE },
        { "NULL", { .kind = PARAM_VALUE_NULL, .bytes = { "", 0 } }, MQ_OK },
        { "digits", { .kind = PARAM_VALUE_STRING, .bytes = { "42", 2 } }, MQ_OK },
        { "too many digits", { .kind = PARAM_VALUE_STRING,
                               .bytes = { "18446744073709551615", 20 } },
          MQ_COUNTER_VALUE },
        { "an exponent", { .kind = PARAM_VALUE_STRING, .bytes = { "1e19", 4 } }, MQ_COUNTER_VALUE },
        { "a double", { .kind = PARAM_VALUE_OTHER,
                        .bytes = { "\0\0\0\0\0\0\xf0\x3f", 8 } }, MQ_COUNTER_VALUE },
        { "not bound", { .kind = PARAM_VALUE_UNKNOWN, .bytes = { "", 0 } }, MQ_COUNTER_VALUE },
    };
    struct fixture f;
    (void)state;
    open_fixture(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(fixture_plan(
            &f, "/*tenant='globex'*/ INSERT INTO queue_messages (offset) VALUES (?)"));
        enum route_outcome got = fixture_route(&f, &cases[i].value);
        if ((got == ROUTE_OK) != !cases[i].code || (got != ROUTE_OK && f.err.code != cases[i].code))
            fail_msg("%s: MQ%d %s", cases[i].why, (int)f.err.code, f.err.text);
    }
    fixture_close(&f);
}

enum {
    WRITES = 1,
    LOCKS = 2,
    COMMITS = 4,
    DATABASE = 8,
    ADMINISTRATOR = 16,
    ROWS = 32,
    SESSION = 64
};

static unsigned facts_of(const struct template *t)
{
    return (t->writes ? WRITES : 0u) | (t->locks ? LOCKS : 0u) |
           (t->implicit_commit ? COMMITS : 0u) | (t->needs_database ? DATABASE : 0u) |
           (t->needs_administrator ? ADMINISTRATOR : 0u) | (t->is_select ? ROWS : 0u) |
           (t->uses_session_value ? SESSION : 0u);
}

static void test_facts(void **state)
{
    static const struct {
        const char *sql;
        enum verdict verdict;
        enum local_op local;
        unsigned facts;
    } cases[] = {
        { "SELECT id FROM queue_messages", VERDICT_SINGLE, 0, DATABASE | ROWS },
        { "SELECT id FROM mq.queue_messages FOR UPDATE", VERDICT_SINGLE, 0, LOCKS | ROWS },
        { "UPDATE queue_offsets SET updated_at = 1", VERDICT_SINGLE, 0, WRITES | DATABASE },
        { "REPLACE INTO queue_offsets (topic) VALUES ('a')", VERDICT_SINGLE, 0, WRITES | DATABASE },
        { "EXPLAIN DELETE FROM queue_offsets", VERDICT_SINGLE, 0, DATABASE | ROWS },
        { "DROP TABLE mq.queue_offsets", VERDICT_EVERY_SHARD, 0, WRITES | COMMITS | ADMINISTRATOR },
        { "SELECT 1", VERDICT_PASS, 0, ROWS },
        { "SELECT LAST_INSERT_ID()", VERDICT_LOCAL, LOCAL_SELECT_LAST_INSERT_ID, ROWS | SESSION },
        { "SHOW WARNINGS", VERDICT_LOCAL, LOCAL_SHOW_WARNINGS, ROWS | SESSION },
        { "SHOW TABLES", VERDICT_PASS, LOCAL_NONE, DATABASE | ROWS },
        { "BEGIN", VERDICT_LOCAL, LOCAL_BEGIN, 0 },
        { "SET autocommit = 0", VERDICT_LOCAL, LOCAL_SET, 0 },
        { "KILL 1", VERDICT_LOCAL, LOCAL_KILL, 0 },
    };
    struct fixture f;
    (void)state;
    open_fixture(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(fixture_plan(&f, cases[i].sql));
        if (f.template->verdict != cases[i].verdict || f.template->local != cases[i].local ||
            facts_of(f.template) != cases[i].facts)
            fail_msg("%s: %s, local %d, facts %u", cases[i].sql, verdict_name(f.template->verdict),
                     (int)f.template->local, facts_of(f.template));
    }
    fixture_close(&f);
}

static void test_set_items(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f);
    assert_true(fixture_plan(&f, "SET NAMES latin1 COLLATE 'latin1_bin', @MQ_Tenant = 'a', "
                                 "@@session.Autocommit = ON, time_zone = DEFAULT, sql_mode = ?"));
    const struct set_item *s = f.template->sets;
    assert_int_equal(f.template->set_count, 5);
    assert_int_equal(s[0].kind, SET_NAMES);
    assert_true(s[0].is_word);
    assert_int_equal(s[0].collation.kind, VALUE_TOKENS);
    assert_int_equal(s[1].kind, SET_USER);
    assert_true(slice_eq(s[1].name, SLICE_LIT("mq_tenant")));
    assert_int_equal(s[2].kind, SET_SYSTEM);
    assert_true(slice_eq(s[2].name, SLICE_LIT("autocommit")));
    assert_true(s[2].is_word);
    assert_true(s[3].is_default);
    assert_int_equal(s[4].value.kind, VALUE_PARAM);
    fixture_close(&f);
}

/* A byte of the client's that looks like a placeholder stays what it is. */
static void test_placeholder_bytes(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f);
    fixture_choose(&f, "acme");
    for (int c = EDIT_VALUE_FIRST; c < EDIT_VALUE_FIRST + EDIT_VALUE_COUNT; c++) {
        char sql[96], want[128];
        snprintf(sql, sizeof sql, "SELECT CONCAT('%c', DATABASE(), (TABLE queue_offsets))", c);
        snprintf(want, sizeof want, "SELECT CONCAT('%c', NULL , (", c);
        const char *sent = fixture_send(&f, sql, NULL);
        assert_memory_equal(sent, want, strlen(want));
        assert_non_null(strstr(sent, " AS `CONCAT"));
    }
    fixture_close(&f);
}

static void test_heading(void **state)
{
    static const struct {
        const char *sql, *want;
    } cases[] = {
        { "SELECT Database()", "Database()" }, { "SELECT database( ) AS db", "db" },
        { "SELECT DATABASE() `d``b`", "d`b" }, { "SELECT DATABASE() 'my db'", "my db" },
        { "SELECT @mq_tenant", "@mq_tenant" },
    };
    struct fixture f;
    (void)state;
    open_fixture(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(fixture_plan(&f, cases[i].sql));
        struct slice got = route_heading(f.template, &f.lexed, &f.dialect, &f.arena);
        if (!slice_eq(got, slice_cstr(cases[i].want)))
            fail_msg("%s: %.*s", cases[i].sql, (int)got.len, got.data);
    }
    fixture_close(&f);
}

/* A heading is made of the client's bytes, of which none may be taken for a placeholder: the shard's
 * database, put in place of one, would end the alias and make code of the rest. */
static void test_heading_bytes(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f);
    fixture_choose(&f, "acme");
    for (int c = '\t'; c <= 0x7f; c++) {
        char sql[96], want[256];
        if (c == '\'' || c == '\\')
            continue;
        snprintf(sql, sizeof sql, "SELECT (SELECT MAX(id) FROM mq.queue_messages WHERE id = '%c')", c);
        snprintf(want, sizeof want,
                 "SELECT (SELECT MAX(id) FROM `shard`.queue_messages WHERE tenant = 'acme' AND ( id = "
                 "'%c')) AS `(SELECT MAX(id) FROM mq.queue_messages WHERE id = '%c%s')`",
                 c, c, c == '`' ? "`" : "");
        assert_string_equal(fixture_send(&f, sql, NULL), want);
    }
    fixture_close(&f);
}

static void test_session_checks(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f);
    fixture_choose(&f, "acme");
    f.facts.has_database = false;
    assert_string_equal(fixture_send(&f, "SELECT id FROM queue_messages", NULL), "MQ2014");
    assert_string_equal(fixture_send(&f, "SELECT id FROM queue.queue_messages", NULL),
                        "SELECT id FROM `shard`.queue_messages WHERE tenant = 'acme'");
    f.facts.has_database = true;
    assert_string_equal(fixture_send(&f, "DROP TABLE queue_offsets", NULL), "MQ2003");
    f.facts.administrator = true;
    assert_string_equal(fixture_send(&f, "DROP TABLE queue_offsets", NULL),
                        "DROP TABLE queue_offsets");
    f.dialect.modes |= MODE_TENANT_SCHEMA;
    assert_string_equal(fixture_send(&f, "SELECT * FROM queue_offsets", NULL),
                        "SELECT `tenant`, `consumer_group`, `topic`, `partition_key`, "
                        "`offset_acked`, `updated_at` FROM queue_offsets WHERE tenant = 'acme'");
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_hidden_parameter),
        cmocka_unit_test(test_tenant_parameter),
        cmocka_unit_test(test_counter_parameter),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_set_items),
        cmocka_unit_test(test_placeholder_bytes),
        cmocka_unit_test(test_heading),
        cmocka_unit_test(test_heading_bytes),
        cmocka_unit_test(test_session_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
