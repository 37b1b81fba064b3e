/* Tenant sources: what each says, and what happens when they disagree. */
#include "tests/unit/routing/fixture.h"

#define INSERT(metadata) "INSERT INTO queue_messages (topic, metadata) VALUES ('t', " metadata ")"
#define SELECT "SELECT id FROM queue_messages"

static char *one[] = { (char *)"acme" }, *two[] = { (char *)"acme", (char *)"globex" };
static char *other[] = { (char *)"globex" }, *foreign[] = { (char *)"acme", (char *)"hooli" };
static const struct string_list only_acme = { one, 1 }, both = { two, 2 };
static const struct string_list only_globex = { other, 1 }, with_hooli = { foreign, 2 };

struct source_case {
    const char *why, *sql;
    const char *chosen; /* the session's */
    const struct string_list *account, *listener;
    const char *tenant; /* NULL: refused with code */
    enum tenant_source source;
    enum err_code code;
};

static const struct source_case cases[] = {
    { "session", SELECT, "acme", NULL, NULL, "acme", SOURCE_SESSION, 0 },
    { "account", SELECT, NULL, &only_acme, NULL, "acme", SOURCE_ACCOUNT, 0 },
    { "listener", SELECT, NULL, NULL, &only_globex, "globex", SOURCE_LISTENER, 0 },
    { "account narrowed by the listener", SELECT, NULL, &both, &only_globex, "globex",
      SOURCE_LISTENER, 0 },
    { "listener narrowed by the account", SELECT, NULL, &only_acme, &both, "acme", SOURCE_ACCOUNT,
      0 },
    { "account of one that is served", SELECT, NULL, &with_hooli, NULL, "acme", SOURCE_ACCOUNT, 0 },
    { "session within the account", SELECT, "globex", &both, NULL, "globex", SOURCE_SESSION, 0 },
    { "nothing", SELECT, NULL, NULL, NULL, NULL, 0, MQ_TENANT_MISSING },
    { "account of two", SELECT, NULL, &both, NULL, NULL, 0, MQ_TENANT_MISSING },
    { "account and listener apart", SELECT, NULL, &only_acme, &only_globex, NULL, 0,
      MQ_TENANT_OUTSIDE },

    { "sql", SELECT " WHERE tenant = 'acme'", NULL, NULL, NULL, "acme", SOURCE_SQL, 0 },
    { "sql within the session", SELECT " WHERE tenant = 'acme'", "acme", NULL, NULL, "acme",
      SOURCE_SQL, 0 },
    { "sql outside the session", SELECT " WHERE tenant = 'acme'", "globex", NULL, NULL, NULL, 0,
      MQ_TENANT_OUTSIDE },
    { "sql outside the account", SELECT " WHERE tenant = 'acme'", NULL, &only_globex, NULL, NULL, 0,
      MQ_TENANT_OUTSIDE },
    { "sql of nobody", SELECT " WHERE tenant = 'hooli'", NULL, NULL, NULL, NULL, 0,
      MQ_TENANT_UNKNOWN },
    { "sql of nobody, in another case", SELECT " WHERE tenant = 'ACME'", NULL, NULL, NULL, NULL, 0,
      MQ_TENANT_UNKNOWN },
    { "sql with a space", SELECT " WHERE tenant = 'acme '", NULL, NULL, NULL, NULL, 0,
      MQ_TENANT_INVALID },
    { "sql twice", SELECT " WHERE tenant = 'acme' AND tenant = 'globex'", NULL, NULL, NULL, NULL, 0,
      MQ_TENANT_CONFLICT },
    { "sql, a list of two", SELECT " WHERE tenant IN ('acme','globex')", NULL, NULL, NULL, NULL, 0,
      MQ_SCATTER },
    { "sql, a list of one tenant", SELECT " WHERE tenant IN ('acme', 'ac' 'me', X'61636D65')", NULL,
      NULL, NULL, "acme", SOURCE_SQL, 0 },
    { "sql, a list whose last differs", SELECT " WHERE tenant IN ('acme','acme','globex')", NULL,
      NULL, NULL, NULL, 0, MQ_SCATTER },
    { "sql, a list with NULL", SELECT " WHERE tenant IN ('acme', NULL)", NULL, NULL, NULL, NULL, 0,
      MQ_TENANT_VALUE },
    { "sql, a list with a number", SELECT " WHERE tenant IN ('acme', -1)", NULL, NULL, NULL, NULL,
      0, MQ_TENANT_VALUE },
    { "sql, a list with an expression", SELECT " WHERE tenant IN ('acme', 'a' + 1)", NULL, NULL,
      NULL, NULL, 0, MQ_COLUMN_TENANT },
    { "sql, a list in a comment", SELECT " WHERE tenant IN (/*!50000 'acme', 'acme' */)", NULL,
      NULL, NULL, NULL, 0, MQ_COLUMN_TENANT },
    { "sql, a list that something bypasses", SELECT " WHERE tenant IN ('acme') OR 1", NULL, NULL,
      NULL, NULL, 0, MQ_COLUMN_TENANT },
    { "sql, all but a list", SELECT " WHERE tenant NOT IN ('acme')", NULL, NULL, NULL, NULL, 0,
      MQ_COLUMN_TENANT },
    { "sql, rows of two", "INSERT INTO queue_offsets (tenant) VALUES ('acme'),('globex')", NULL,
      NULL, NULL, NULL, 0, MQ_ROWS_OF_SEVERAL_TENANTS },
    { "sql is a number", SELECT " WHERE tenant = 1", NULL, NULL, NULL, NULL, 0, MQ_TENANT_VALUE },

    { "comment", "/*tenant='acme'*/ " SELECT, NULL, NULL, NULL, "acme", SOURCE_COMMENT, 0 },
    { "comment and sql agree", "/*tenant='acme'*/ " SELECT " WHERE tenant = 'acme'", NULL, NULL,
      NULL, "acme", SOURCE_SQL, 0 },
    { "comment and sql disagree", "/*tenant='acme'*/ " SELECT " WHERE tenant = 'globex'", NULL,
      NULL, NULL, NULL, 0, MQ_TENANT_CONFLICT },
    { "comment outside the session", "/*tenant='acme'*/ " SELECT, "globex", NULL, NULL, NULL, 0,
      MQ_TENANT_OUTSIDE },
    { "two comments", "/*tenant='acme'*/ " SELECT "/*tenant='globex'*/", NULL, NULL, NULL, NULL, 0,
      MQ_TENANT_VALUE },

    { "metadata", INSERT("'{\"queue_name\":\"acme\"}'"), NULL, NULL, NULL, "acme", SOURCE_METADATA,
      0 },
    { "metadata without the path", INSERT("'{\"x\":\"acme\"}'"), "globex", NULL, NULL, "globex",
      SOURCE_SESSION, 0 },
    { "metadata NULL", INSERT("NULL"), "globex", NULL, NULL, "globex", SOURCE_SESSION, 0 },
    { "metadata DEFAULT", INSERT("DEFAULT"), "globex", NULL, NULL, "globex", SOURCE_SESSION, 0 },
    { "metadata outside the session", INSERT("'{\"queue_name\":\"acme\"}'"), "globex", NULL, NULL,
      NULL, 0, MQ_TENANT_OUTSIDE },
    { "metadata and comment disagree", "/*tenant='globex'*/ " INSERT("'{\"queue_name\":\"acme\"}'"),
      NULL, NULL, NULL, NULL, 0, MQ_TENANT_CONFLICT },
    { "metadata of two rows",
      INSERT("'{\"queue_name\":\"acme\"}'") ",('t','{\"queue_name\":\"globex\"}')", NULL, NULL,
      NULL, NULL, 0, MQ_ROWS_OF_SEVERAL_TENANTS },
    { "metadata twice", INSERT("'{\"queue_name\":\"acme\",\"queue_name\":\"acme\"}'"), NULL, NULL,
      NULL, NULL, 0, MQ_METADATA_INVALID },
    { "metadata is no string", INSERT("'{\"queue_name\":[]}'"), "acme", NULL, NULL, NULL, 0,
      MQ_METADATA_INVALID },
    { "metadata is no JSON", INSERT("'{'"), "acme", NULL, NULL, NULL, 0, MQ_METADATA_INVALID },
    { "metadata is computed", INSERT("CONCAT('{','}')"), "acme", NULL, NULL, NULL, 0,
      MQ_METADATA_INVALID },

    { "an identifier", "INSERT INTO queue_offsets (topic) VALUES ('')", "acme", NULL, NULL, NULL, 0,
      MQ_IDENTIFIER_INVALID },
    { "a NUL in an identifier", "INSERT INTO queue_offsets (topic) VALUES ('a\\0')", "acme", NULL,
      NULL, NULL, 0, MQ_IDENTIFIER_INVALID },
    { "an identifier that is a number", "INSERT INTO queue_offsets (topic) VALUES (5)", "acme",
      NULL, NULL, "acme", SOURCE_SESSION, 0 },
};

static void check(struct fixture *f, const struct source_case *c, enum route_outcome got)
{
    if (!c->tenant) {
        if (got == ROUTE_OK || f->err.code != c->code)
            fail_msg("%s: MQ%d %s", c->why, (int)f->err.code, f->err.text);
        return;
    }
    if (got != ROUTE_OK)
        fail_msg("%s: MQ%d %s", c->why, (int)f->err.code, f->err.text);
    assert_string_equal(f->route.tenant->name, c->tenant);
    if (f->route.source != c->source)
        fail_msg("%s: from %s", c->why, tenant_source_name(f->route.source));
}

static void test_sources(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, FIXTURE_YAML "tenants: [acme, globex]\n", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture_choose(&f, cases[i].chosen);
        f.facts.scope.account = cases[i].account;
        f.facts.scope.listener = cases[i].listener;
        assert_true(fixture_plan(&f, cases[i].sql));
        check(&f, &cases[i], fixture_route(&f, NULL));
    }
    fixture_close(&f);
}

static void expect(struct fixture *f, const char *sql, enum route_outcome want, enum err_code code)
{
    assert_true(fixture_plan(f, sql));
    enum route_outcome got = fixture_route(f, NULL);
    if (got != want || (got != ROUTE_OK && f->err.code != code))
        fail_msg("%s: outcome %d, MQ%d %s", sql, (int)got, (int)f->err.code, f->err.text);
}

static void test_default_and_only(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, FIXTURE_YAML "tenants: [acme, globex]\ndefault_tenant: globex\n", NULL);
    expect(&f, SELECT, ROUTE_OK, 0);
    assert_int_equal(f.route.source, SOURCE_DEFAULT);
    f.facts.scope.account = &only_acme;
    expect(&f, SELECT, ROUTE_OK, 0);
    assert_int_equal(f.route.source, SOURCE_ACCOUNT);
    f.facts.scope.account = &both;
    expect(&f, SELECT, ROUTE_OK, 0);
    assert_string_equal(f.route.tenant->name, "globex");
    f.facts.scope.forgotten = true;
    expect(&f, SELECT, ROUTE_REFUSE, MQ_TENANT_RESET);
    fixture_close(&f);
    fixture_open(&f, FIXTURE_YAML "tenants: [acme]\n", NULL);
    expect(&f, SELECT, ROUTE_OK, 0);
    assert_int_equal(f.route.source, SOURCE_ONLY);
    fixture_close(&f);
}

#define PAYLOAD(payload) "INSERT INTO queue_messages (topic, payload) VALUES ('t', " payload ")"

static void test_payload(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f,
                 FIXTURE_YAML "tenants: [acme, globex]\n"
                              "tenant_sources: {payload: {enabled: true}}\n",
                 NULL);
    expect(&f, PAYLOAD("'{\"queueName\":\"acme\"}'"), ROUTE_OK, 0);
    assert_int_equal(f.route.source, SOURCE_PAYLOAD);
    expect(&f, PAYLOAD("X'7b7d'"), ROUTE_REFUSE, MQ_TENANT_MISSING);
    expect(&f, PAYLOAD("X'ff00'"), ROUTE_REFUSE, MQ_TENANT_MISSING);
    expect(&f, PAYLOAD("'{\"queueName\":\"acme\",\"queue_name\":\"globex\"}'"), ROUTE_REFUSE,
           MQ_TENANT_CONFLICT);
    expect(&f, PAYLOAD("COMPRESS('a')"), ROUTE_REFUSE, MQ_METADATA_INVALID);
    fixture_close(&f);
    fixture_open(&f, FIXTURE_YAML "tenants: [acme, globex]\n", NULL);
    expect(&f, PAYLOAD("'{\"queueName\":\"acme\"}'"), ROUTE_REFUSE, MQ_TENANT_MISSING);
    fixture_close(&f);
}

#define WITH_TABLE                                                                  \
    FIXTURE_YAML "tenant_vindex: {address: \"127.0.0.1:3\", user: u, password: p, " \
                 "database: d}\nvindex_max_age: 60s\n"

static struct tenant_map *states(uint64_t confirmed_ms)
{
    static const struct {
        const char *name;
        enum tenant_state state;
    } rows[] = { { "serving", TENANT_SERVING },
                 { "preparing", TENANT_PREPARING },
                 { "moving", TENANT_MOVING },
                 { "retired", TENANT_RETIRED } };
    struct keyspace_id id = { .bytes = { 0x90 }, .len = 1 };
    struct tenant_map_builder *b = tenant_map_builder_create();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tenant_map_builder_add(b, slice_cstr(rows[i].name), &id, 1, rows[i].state, 1);
    tenant_map_builder_add(b, SLICE_LIT("unplaced"), NULL, 0, TENANT_SERVING, 0);
    struct tenant_map *m = tenant_map_build(b, confirmed_ms, 1);
    tenant_map_builder_destroy(b);
    return m;
}

static void expect_state(struct fixture *f, const char *tenant, enum route_outcome want,
                         enum err_code code)
{
    fixture_choose(f, tenant);
    expect(f, SELECT, want, code);
}

static void test_states(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, WITH_TABLE "tenants: [serving, preparing, moving, retired, unplaced]\n",
                 states(999000));
    expect_state(&f, "serving", ROUTE_OK, 0);
    assert_int_equal(f.route.shard, 1);
    expect_state(&f, "preparing", ROUTE_OK, 0);
    expect_state(&f, "moving", ROUTE_HOLD, MQ_TENANT_MOVING);
    expect_state(&f, "retired", ROUTE_REFUSE, MQ_TENANT_RETIRED);
    expect_state(&f, "unplaced", ROUTE_TENANT_MISS, MQ_TENANT_UNPLACED);
    expect_state(&f, "nobody", ROUTE_REFUSE, MQ_TENANT_UNKNOWN);
    fixture_close(&f);
}

static void test_table_as_list(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, WITH_TABLE "tenants: table\n", states(999000));
    expect_state(&f, "nobody", ROUTE_TENANT_MISS, MQ_TENANT_UNPLACED);
    expect_state(&f, "no,body", ROUTE_REFUSE, MQ_TENANT_INVALID);
    expect_state(&f, NULL, ROUTE_REFUSE, MQ_TENANT_MISSING);
    fixture_close(&f);
}

static void test_stale(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, WITH_TABLE "tenants: [serving]\n", states(1000000 - 60000));
    expect_state(&f, "serving", ROUTE_OK, 0);
    fixture_close(&f);
    fixture_open(&f, WITH_TABLE "tenants: [serving]\n", states(1000000 - 60001));
    expect_state(&f, "serving", ROUTE_REFUSE, MQ_VINDEX_STALE);
    fixture_close(&f);
}

#define KEYED SELECT " WHERE partition_key = "

static void test_qualified(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, WITH_TABLE "tenants: [serving, moving, retired]\npartition_keys: qualified\n",
                 states(999000));
    expect(&f, KEYED "'serving|k'", ROUTE_OK, 0);
    assert_int_equal(f.route.source, SOURCE_PARTITION_KEY);
    expect(&f, KEYED "'moving|k'", ROUTE_HOLD, MQ_TENANT_MOVING);
    expect(&f, KEYED "'retired|k'", ROUTE_REFUSE, MQ_TENANT_RETIRED);
    expect(&f, KEYED "'nobody|k'", ROUTE_REFUSE, MQ_PARTITION_KEY);
    expect(&f, KEYED "'k'", ROUTE_REFUSE, MQ_PARTITION_KEY);
    expect(&f, SELECT " WHERE partition_key IN ('serving|a', 'moving|b')", ROUTE_REFUSE, MQ_SCATTER);
    expect(&f, SELECT " WHERE partition_key IN ('serving|a', NULL)", ROUTE_OK, 0);
    expect(&f, SELECT " WHERE partition_key IN ('serving|a', 1)", ROUTE_REFUSE, MQ_PARTITION_KEY);
    f.facts.scope.account = &only_acme;
    expect(&f, KEYED "'serving|k'", ROUTE_REFUSE, MQ_PARTITION_KEY);
    fixture_close(&f);
}

static void test_qualified_table(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, WITH_TABLE "tenants: table\npartition_keys: qualified\n"
                                "partition_key_separator: '-'\n", states(999000));
    expect(&f, KEYED "'serving-k'", ROUTE_OK, 0);
    expect(&f, KEYED "'new-k'", ROUTE_TENANT_MISS, MQ_TENANT_UNPLACED);
    expect_state(&f, "se-rving", ROUTE_REFUSE, MQ_TENANT_INVALID);
    fixture_close(&f);
}

static void test_qualified_default(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, FIXTURE_YAML "tenants: [acme, globex]\ndefault_tenant: globex\n"
                                  "partition_keys: qualified\n", NULL);
    expect(&f, KEYED "'k'", ROUTE_OK, 0);
    assert_string_equal(f.route.tenant->name, "globex");
    expect(&f, KEYED "'globex|k'", ROUTE_REFUSE, MQ_PARTITION_KEY);
    expect(&f, KEYED "'hooli|k'", ROUTE_REFUSE, MQ_PARTITION_KEY);
    expect(&f, SELECT, ROUTE_REFUSE, MQ_TENANT_MISSING);
    fixture_choose(&f, "acme");
    expect(&f, KEYED "'k'", ROUTE_REFUSE, MQ_PARTITION_KEY);
    fixture_close(&f);
}

/* One that is about to be moved is used on a short lease. */
static void test_lease(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, WITH_TABLE "tenants: [serving, preparing]\n",
                 states(1000000 - TENANT_LEASE_MS));
    expect_state(&f, "preparing", ROUTE_OK, 0);
    fixture_close(&f);
    fixture_open(&f, WITH_TABLE "tenants: [serving, preparing]\n",
                 states(1000000 - TENANT_LEASE_MS - 1));
    expect_state(&f, "preparing", ROUTE_REFUSE, MQ_VINDEX_STALE);
    expect_state(&f, "serving", ROUTE_OK, 0);
    fixture_close(&f);
}

static void test_choose(void **state)
{
    struct tenant_scope s = { .account = &both };
    struct err e;
    (void)state;
    assert_int_equal(tenant_scope_choose(&s, SLICE_LIT("a,b"), true, &e), MQ_TENANT_INVALID);
    assert_int_equal(tenant_scope_choose(&s, SLICE_LIT("hooli"), true, &e), MQ_TENANT_OUTSIDE);
    assert_int_equal(tenant_scope_choose(&s, SLICE_LIT("acme"), true, &e), MQ_OK);
    assert_int_equal(tenant_scope_choose(&s, SLICE_LIT("acme"), true, &e), MQ_OK);
    assert_int_equal(tenant_scope_choose(&s, SLICE_LIT("globex"), true, &e), MQ_TENANT_CONFLICT);
    assert_true(tenant_scope_contains(&s, SLICE_LIT("acme")));
    assert_false(tenant_scope_contains(&s, SLICE_LIT("globex")));
    s.forgotten = true;
    assert_int_equal(tenant_scope_choose(&s, SLICE_LIT("globex"), false, &e), MQ_OK);
    assert_false(s.forgotten);
    assert_true(tenant_scope_contains(&s, SLICE_LIT("globex")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources),       cmocka_unit_test(test_default_and_only),
        cmocka_unit_test(test_payload),       cmocka_unit_test(test_states),
        cmocka_unit_test(test_table_as_list), cmocka_unit_test(test_stale),
        cmocka_unit_test(test_choose),        cmocka_unit_test(test_qualified),
        cmocka_unit_test(test_qualified_table), cmocka_unit_test(test_qualified_default),
        cmocka_unit_test(test_lease),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
