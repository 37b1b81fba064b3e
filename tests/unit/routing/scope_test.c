/* Where conditions go: the rewritten text of each statement. The golden files hold more. */
#include "tests/unit/routing/fixture.h"

struct rewrite_case {
    const char *why, *sql, *want;
};

static const struct rewrite_case scopes[] = {
    { "no WHERE", "SELECT id FROM queue_messages",
      "SELECT id FROM queue_messages WHERE tenant = 'acme'" },
    { "OR keeps its meaning", "DELETE FROM queue_offsets WHERE topic='a' OR 1",
      "DELETE FROM queue_offsets WHERE tenant = 'acme' AND ( topic='a' OR 1)" },
    { "a left join and no WHERE end at one token",
      "SELECT 1 FROM queue_offsets a LEFT JOIN queue_offsets b ON b.topic=a.topic",
      "SELECT 1 FROM queue_offsets a LEFT JOIN queue_offsets b ON `b`.tenant = 'acme' AND "
      "( b.topic=a.topic) WHERE `a`.tenant = 'acme'" },
    { "three left joins",
      "SELECT 1 FROM queue_offsets a LEFT JOIN queue_offsets b ON 1 LEFT JOIN queue_offsets c ON 2 "
      "LEFT JOIN queue_offsets d ON 3 WHERE 4",
      "SELECT 1 FROM queue_offsets a LEFT JOIN queue_offsets b ON `b`.tenant = 'acme' AND ( 1) "
      "LEFT "
      "JOIN queue_offsets c ON `c`.tenant = 'acme' AND ( 2) LEFT JOIN queue_offsets d ON "
      "`d`.tenant "
      "= 'acme' AND ( 3) WHERE `a`.tenant = 'acme' AND ( 4)" },
    { "right join in a left join",
      "SELECT 1 FROM queue_offsets a LEFT JOIN (queue_offsets b RIGHT JOIN queue_offsets c ON 1) "
      "ON "
      "2",
      "SELECT 1 FROM queue_offsets a LEFT JOIN (queue_offsets b RIGHT JOIN queue_offsets c ON "
      "`b`.tenant = 'acme' AND ( 1)) ON `c`.tenant = 'acme' AND ( 2) WHERE `a`.tenant = 'acme'" },
    { "commas in parentheses",
      "SELECT 1 FROM (queue_offsets a, queue_offsets b) LEFT JOIN queue_offsets c ON 1",
      "SELECT 1 FROM (queue_offsets a, queue_offsets b) LEFT JOIN queue_offsets c ON `c`.tenant = "
      "'acme' AND ( 1) WHERE `a`.tenant = 'acme' AND `b`.tenant = 'acme'" },
    { "a name of WITH is no table",
      "WITH queue_offsets AS (SELECT 1 AS a) SELECT a FROM queue_offsets",
      "WITH queue_offsets AS (SELECT 1 AS a) SELECT a FROM queue_offsets" },
    { "a name of WITH ends with its query",
      "SELECT (WITH queue_offsets AS (SELECT 1 AS a) SELECT a FROM queue_offsets), topic FROM "
      "queue_offsets",
      "SELECT (WITH queue_offsets AS (SELECT 1 AS a) SELECT a FROM queue_offsets), topic FROM "
      "queue_offsets WHERE tenant = 'acme'" },
    { "a name of WITH does not reach its own query",
      "WITH queue_offsets AS (SELECT topic FROM queue_offsets) SELECT topic FROM queue_offsets",
      "WITH queue_offsets AS (SELECT topic FROM queue_offsets WHERE tenant = 'acme') SELECT topic "
      "FROM queue_offsets" },
    { "but under RECURSIVE it does",
      "WITH RECURSIVE queue_offsets AS (SELECT 1 AS a UNION SELECT a+1 FROM queue_offsets WHERE "
      "a<3) SELECT a FROM queue_offsets",
      "WITH RECURSIVE queue_offsets AS (SELECT 1 AS a UNION SELECT a+1 FROM queue_offsets WHERE "
      "a<3) SELECT a FROM queue_offsets" },
    { "an outer alias hides nothing inside",
      "SELECT 1 FROM queue_offsets m WHERE EXISTS (SELECT 1 FROM queue_messages m)",
      "SELECT 1 FROM queue_offsets m WHERE `m`.tenant = 'acme' AND ( EXISTS (SELECT 1 FROM "
      "queue_messages m WHERE `m`.tenant = 'acme'))" },
    { "the outer side of USING",
      "SELECT 1 FROM queue_offsets a LEFT JOIN queue_offsets b USING (topic)",
      "SELECT 1 FROM queue_offsets a LEFT JOIN (SELECT `consumer_group`, `topic`, "
      "`partition_key`, `offset_acked`, `updated_at` FROM queue_offsets b WHERE tenant = 'acme') "
      "AS `b` USING (topic) WHERE `a`.tenant = 'acme'" },
    { "the inner side of an outer USING",
      "SELECT 1 FROM queue_offsets a LEFT JOIN (SELECT 1 AS topic) b USING (topic)",
      "SELECT 1 FROM queue_offsets a LEFT JOIN (SELECT 1 AS topic) b USING (topic) WHERE "
      "`a`.tenant = 'acme'" },
    { "one name for two tables", "SELECT 1 FROM queue_offsets a, queue_messages A", "MQ2002" },
    { "an unknown table inside", "SELECT 1 FROM queue_offsets WHERE topic IN (SELECT a FROM t)",
      "MQ2017" },
    { "an unknown table alone", "SELECT 1 FROM t", "MQ2004" },
    { "the table's database is another", "SELECT 1 FROM x.queue_offsets", "MQ2013" },
};

static const struct rewrite_case stars[] = {
    { "one table", "SELECT * FROM queue_partition_leases",
      "SELECT `consumer_group`, `topic`, `partition_key`, `leased_by`, `leased_at`, "
      "`lease_renewed_at` FROM queue_partition_leases WHERE tenant = 'acme'" },
    { "an alias", "SELECT h.* FROM queue_subscriber_heartbeats AS h",
      "SELECT `h`.`consumer_group`, `h`.`topic`, `h`.`subscriber_name`, `h`.`heartbeat_at`, "
      "`h`.`deregistered_at` FROM queue_subscriber_heartbeats AS h WHERE `h`.tenant = 'acme'" },
    { "a query beside", "SELECT * FROM (SELECT 1 AS a) d, queue_offsets",
      "SELECT `d`.*, `queue_offsets`.`consumer_group`, `queue_offsets`.`topic`, "
      "`queue_offsets`.`partition_key`, `queue_offsets`.`offset_acked`, "
      "`queue_offsets`.`updated_at` FROM (SELECT 1 AS a) d, queue_offsets WHERE "
      "`queue_offsets`.tenant = 'acme'" },
    { "only a query", "SELECT * FROM (SELECT topic FROM queue_offsets) d",
      "SELECT * FROM (SELECT topic FROM queue_offsets WHERE tenant = 'acme') d" },
    { "no table", "SELECT *", "SELECT *" },
    { "COUNT(*)", "SELECT COUNT(*) FROM queue_offsets",
      "SELECT COUNT(*) FROM queue_offsets WHERE tenant = 'acme'" },
    { "of nothing", "SELECT x.* FROM queue_offsets", "MQ2004" },
    { "over USING", "SELECT * FROM queue_offsets a JOIN queue_offsets b USING (topic)",
      "SELECT `a`.`topic`, `a`.`consumer_group`, `a`.`partition_key`, `a`.`offset_acked`, "
      "`a`.`updated_at`, `b`.`consumer_group`, `b`.`partition_key`, `b`.`offset_acked`, "
      "`b`.`updated_at` FROM queue_offsets a JOIN queue_offsets b USING (topic) WHERE `a`.tenant = "
      "'acme' AND `b`.tenant = 'acme'" },
    { "t.* over USING",
      "SELECT a.topic, b.* FROM queue_offsets a JOIN queue_offsets b USING (topic)",
      "SELECT a.topic, `b`.`consumer_group`, `b`.`topic`, `b`.`partition_key`, `b`.`offset_acked`, "
      "`b`.`updated_at` FROM queue_offsets a JOIN queue_offsets b USING (topic) WHERE `a`.tenant = "
      "'acme' AND `b`.tenant = 'acme'" },
    { "an INSERT's missing columns", "INSERT INTO queue_offsets VALUES ('g','t','p',0,0)",
      "INSERT INTO queue_offsets (tenant, `consumer_group`, `topic`, `partition_key`, "
      "`offset_acked`, `updated_at`) VALUES ('acme', 'g','t','p',0,0)" },
};

static void run(const struct rewrite_case *cases, size_t count)
{
    struct fixture f;
    fixture_open(&f, FIXTURE_YAML "tenants: [acme, globex]\n", NULL);
    fixture_choose(&f, "acme");
    for (size_t i = 0; i < count; i++) {
        const char *got = fixture_send(&f, cases[i].sql, NULL);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s:\n  got  %s\n  want %s", cases[i].why, got, cases[i].want);
    }
    fixture_close(&f);
}

static void test_scopes(void **state)
{
    (void)state;
    run(scopes, sizeof scopes / sizeof *scopes);
}

static void test_stars(void **state)
{
    (void)state;
    run(stars, sizeof stars / sizeof *stars);
}

/* As deep and as wide as a client likes: refused or served, never a crash. */
static void test_deep_and_wide(void **state)
{
    static const struct {
        const char *why, *head, *part, *tail;
        size_t count;
    } cases[] = {
        { "AND", "SELECT 1 FROM queue_offsets WHERE 1", " AND 1", "", 20000 },
        { "OR", "SELECT 1 FROM queue_offsets WHERE 1", " OR 1", "", 20000 },
        { "plus", "SELECT 1", "+1", " FROM queue_offsets", 20000 },
        { "UNION", "SELECT 1 FROM queue_offsets", " UNION SELECT 1 FROM queue_offsets", "", 5000 },
        { "JOIN", "SELECT 1 FROM queue_offsets", " JOIN queue_offsets", "", 5000 },
        { "comma", "SELECT 1 FROM queue_offsets", ", queue_offsets", "", 5000 },
        { "NOT", "SELECT 1 FROM queue_offsets WHERE ", "NOT ", "1", 20000 },
        { "parentheses", "SELECT ", "(", "1", 20000 },
        { "sub-queries", "SELECT 1 FROM queue_offsets WHERE ",
          "EXISTS (SELECT 1 FROM queue_offsets WHERE ", "1", 5000 },
        { "IN list", "SELECT 1 FROM queue_offsets WHERE topic IN ('a'", ",'b'", ")", 20000 },
        { "tenants", "SELECT 1 FROM queue_offsets WHERE 1", " AND tenant = 'acme'", "", 20000 },
        { "lists of tenants", "SELECT 1 FROM queue_offsets WHERE 1", " AND tenant IN ('acme')", "",
          20000 },
        { "locks", "SELECT 1", ", (SELECT MAX(id) FROM queue_messages FOR UPDATE)",
          " FROM queue_messages FOR UPDATE", 20000 },
        { "stars", "SELECT 1", ", m.*", " FROM queue_messages m", 100000 },
        { "WITH", "WITH a AS (SELECT 1)", ", b AS (SELECT 1 FROM a)", " SELECT 1 FROM a", 20000 },
        { "WITH, nested", "", "WITH a AS (SELECT 1), b AS (SELECT 1) SELECT * FROM (", "", 5000 },
        { "rows", "INSERT INTO queue_offsets (topic) VALUES ('a')", ",('b')", "", 20000 },
    };
    struct fixture f;
    (void)state;
    fixture_open(&f, FIXTURE_YAML "tenants: [acme]\n", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf sql;
        buf_init(&sql);
        buf_append_cstr(&sql, cases[i].head);
        for (size_t n = 0; n < cases[i].count; n++)
            buf_append_cstr(&sql, cases[i].part);
        buf_append_cstr(&sql, cases[i].tail);
        const char *got = fixture_send(&f, buf_cstr(&sql), NULL);
        if (strncmp(got, "MQ", 2) != 0 && f.route.verdict != VERDICT_SINGLE)
            fail_msg("%s: %.80s", cases[i].why, got);
        buf_fini(&sql);
    }
    fixture_close(&f);
}

/* Each query shows twice the columns of the one before. */
static void test_star_of_stars(void **state)
{
    struct fixture f;
    struct buf sql;
    (void)state;
    fixture_open(&f, FIXTURE_YAML "tenants: [acme]\n", NULL);
    buf_init(&sql);
    buf_append_cstr(&sql, "WITH c0 AS (SELECT topic FROM queue_offsets)");
    for (int n = 1; n < 100; n++)
        buf_printf(&sql, ", c%d AS (SELECT a.*, b.* FROM c%d a JOIN c%d b)", n, n - 1, n - 1);
    buf_append_cstr(&sql, " SELECT * FROM c99 JOIN queue_offsets USING (topic)");
    assert_string_equal(fixture_send(&f, buf_cstr(&sql), NULL), "MQ2002");
    buf_fini(&sql);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_stars),
        cmocka_unit_test(test_deep_and_wide),
        cmocka_unit_test(test_star_of_stars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
