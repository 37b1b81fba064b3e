/* Statements of several tenants: which they are, and what each shard is asked for. */
#include "tests/unit/routing/fixture.h"

#define SELECT "SELECT id FROM queue_messages"
#define TWO " WHERE tenant IN ('globex','acme')"

static char *some[] = { (char *)"globex", (char *)"acme", (char *)"hooli" };
static char *other[] = { (char *)"initech", (char *)"globex" };
static const struct string_list of_account = { some, 3 }, of_listener = { other, 2 };

struct parts_case {
    const char *why, *sql;
    const char *chosen;
    const struct string_list *account, *listener;
    const char *parts; /* "shard: tenants; …", or one tenant's name */
    enum tenant_source source;
    enum err_code code;
};

/* acme and umbrella live on 80-, globex and initech on -80 (see the maps below). */
static const struct parts_case cases[] = {
    { "all that are listed", SELECT, NULL, NULL, NULL, "0: globex initech; 1: acme umbrella;",
      SOURCE_LISTED, 0 },
    { "those of the account", SELECT, NULL, &of_account, NULL, "0: globex; 1: acme;",
      SOURCE_ACCOUNT, 0 },
    { "those of the listener", SELECT, NULL, NULL, &of_listener, "0: globex initech;",
      SOURCE_LISTENER, 0 },
    { "one that both allow", SELECT, NULL, &of_account, &of_listener, "globex", SOURCE_ACCOUNT, 0 },
    { "the session's", SELECT, "acme", &of_account, NULL, "acme", SOURCE_SESSION, 0 },
    { "a comment's", "/*tenant='acme'*/ " SELECT, NULL, NULL, NULL, "acme", SOURCE_COMMENT, 0 },

    { "a list in the statement", SELECT TWO, NULL, NULL, NULL, "0: globex; 1: acme;", SOURCE_SQL,
      0 },
    { "with the same twice", SELECT " WHERE tenant IN ('acme','globex','acme','globex')", NULL,
      NULL, NULL, "0: globex; 1: acme;", SOURCE_SQL, 0 },
    { "two lists alike", SELECT TWO " AND tenant IN ('acme','globex')", NULL, NULL, NULL,
      "0: globex; 1: acme;", SOURCE_SQL, 0 },
    { "two lists that differ", SELECT TWO " AND tenant IN ('acme','initech')", NULL, NULL, NULL,
      NULL, 0, MQ_TENANT_CONFLICT },
    { "a list and one of it", SELECT TWO " AND tenant = 'acme'", NULL, NULL, NULL, NULL, 0,
      MQ_TENANT_CONFLICT },
    { "a list and a comment", "/*tenant='acme'*/ " SELECT TWO, NULL, NULL, NULL, NULL, 0,
      MQ_TENANT_CONFLICT },
    { "a list outside the session", SELECT TWO, "acme", NULL, NULL, NULL, 0, MQ_TENANT_OUTSIDE },
    { "a list outside the account", SELECT " WHERE tenant IN ('acme','initech')", NULL, &of_account,
      NULL, NULL, 0, MQ_TENANT_OUTSIDE },
    { "a list with a stranger", SELECT " WHERE tenant IN ('acme','hooli')", NULL, NULL, NULL, NULL,
      0, MQ_TENANT_UNKNOWN },
    { "a list with what is no string", SELECT " WHERE tenant IN ('acme',1)", NULL, NULL, NULL, NULL,
      0, MQ_TENANT_VALUE },
    { "rows of two", "INSERT INTO queue_offsets (tenant) VALUES ('acme'),('globex')", NULL, NULL,
      NULL, NULL, 0, MQ_ROWS_OF_SEVERAL_TENANTS },
};

static const char *render(struct fixture *f)
{
    buf_clear(&f->sent);
    if (f->route.verdict != VERDICT_TENANTS)
        buf_append_cstr(&f->sent, f->route.tenant->name);
    for (size_t i = 0; i < f->route.part_count; i++) {
        const struct route_part *part = &f->route.parts[i];
        buf_printf(&f->sent, "%s%u:", i ? " " : "", (unsigned)part->shard);
        for (size_t k = 0; k < part->tenant_count; k++)
            buf_printf(&f->sent, " %s", part->tenants[k]->name);
        buf_append_cstr(&f->sent, ";");
    }
    return buf_cstr(&f->sent);
}

static void check(struct fixture *f, const struct parts_case *c)
{
    assert_true(fixture_plan(f, c->sql));
    enum route_outcome got = fixture_route(f, NULL);
    if (!c->parts) {
        if (got == ROUTE_OK || f->err.code != c->code)
            fail_msg("%s: MQ%d %s", c->why, (int)f->err.code, f->err.text);
        return;
    }
    if (got != ROUTE_OK)
        fail_msg("%s: MQ%d %s", c->why, (int)f->err.code, f->err.text);
    if (strcmp(render(f), c->parts) != 0 || f->route.source != c->source)
        fail_msg("%s: %s from %s", c->why, render(f), tenant_source_name(f->route.source));
}

struct row {
    const char *name;
    uint32_t shard;
    enum tenant_state state;
};

static struct tenant_map *map_of(const struct row *rows, size_t count)
{
    struct keyspace_id id = { .bytes = { 0x10 }, .len = 1 };
    struct tenant_map_builder *b = tenant_map_builder_create();
    for (size_t i = 0; i < count; i++)
        tenant_map_builder_add(b, slice_cstr(rows[i].name), &id, rows[i].shard, rows[i].state, 1);
    struct tenant_map *m = tenant_map_build(b, UINT64_MAX, 1);
    tenant_map_builder_destroy(b);
    return m;
}

#define MAP_OF(rows) map_of(rows, sizeof(rows) / sizeof *(rows))

static void test_parts(void **state)
{
    static const struct row rows[] = { { "umbrella", 1, TENANT_SERVING },
                                       { "acme", 1, TENANT_SERVING },
                                       { "initech", 0, TENANT_PREPARING },
                                       { "globex", 0, TENANT_SERVING },
                                       { "gone", 0, TENANT_RETIRED } };
    struct fixture f;
    (void)state;
    fixture_open(&f, FIXTURE_YAML "tenants: [acme, globex, initech, umbrella, gone]\n",
                 MAP_OF(rows));
    f.scatters = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture_choose(&f, cases[i].chosen);
        f.facts.scope.account = cases[i].account;
        f.facts.scope.listener = cases[i].listener;
        check(&f, &cases[i]);
    }
    fixture_close(&f);
}

static void expect(struct fixture *f, enum route_outcome want, enum err_code code)
{
    assert_true(fixture_plan(f, SELECT));
    enum route_outcome got = fixture_route(f, NULL);
    if (got != want || (got != ROUTE_OK && f->err.code != code))
        fail_msg("outcome %d, MQ%d %s", (int)got, (int)f->err.code, f->err.text);
}

static void expect_of(const struct row *rows, size_t count, const char *more, bool scatters,
                      enum route_outcome want, enum err_code code, const char *parts)
{
    struct fixture f;
    char yaml[512];
    snprintf(yaml, sizeof yaml, FIXTURE_YAML "%s\n", more);
    fixture_open(&f, yaml, map_of(rows, count));
    f.scatters = scatters;
    expect(&f, want, code);
    if (parts)
        assert_string_equal(render(&f), parts);
    fixture_close(&f);
}

static void test_states(void **state)
{
    static const struct row moving[] = { { "a", 0, TENANT_SERVING }, { "b", 1, TENANT_MOVING } };
    static const struct row one[] = { { "a", 0, TENANT_SERVING }, { "b", 1, TENANT_RETIRED } };
    static const struct row none[] = { { "a", 0, TENANT_RETIRED } };
    static const struct row two[] = { { "a", 0, TENANT_SERVING }, { "b", 1, TENANT_SERVING } };
    (void)state;
    expect_of(moving, 2, "tenants: [a, b]", true, ROUTE_HOLD, MQ_TENANT_MOVING, NULL);
    expect_of(one, 2, "tenants: [a, b]", true, ROUTE_OK, 0, "a");
    expect_of(none, 1, "tenants: [a]", true, ROUTE_REFUSE, MQ_TENANT_RETIRED, NULL);
    expect_of(two, 2, "tenants: [a, b]", true, ROUTE_OK, 0, "0: a; 1: b;");
    expect_of(two, 2, "tenants: [a, b]", false, ROUTE_REFUSE, MQ_TENANT_MISSING, NULL);
    expect_of(two, 2, "tenants: [a, b]\ndefault_tenant: b", true, ROUTE_OK, 0, "b");
    expect_of(two, 2,
              "tenants: table\ntenant_vindex: {address: \"127.0.0.1:3\", user: u, password: p, "
              "database: d}",
              true, ROUTE_REFUSE, MQ_TENANT_MISSING, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
