/* The rows of settings.def hang together. */
#include "config/settings.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/memory.h"

static void paths_are_unique_and_have_a_summary(void **state)
{
    size_t count;
    const struct setting *all = settings_all(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(setting_find(all[i].path), &all[i]);
        assert_true(strlen(all[i].summary) > 10);
        assert_int_equal(all[i].summary[strlen(all[i].summary) - 1], '.');
    }
    assert_null(setting_find("no.such"));
}

static char *variable(const struct setting *s)
{
    struct buf name;
    buf_init(&name);
    setting_variable(s, &name);
    char *copy = mem_strndup(buf_slice(&name));
    buf_fini(&name);
    return copy;
}

static void variables_are_unique(void **state)
{
    size_t count;
    const struct setting *all = settings_all(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            char *a = variable(&all[i]), *b = variable(&all[j]);
            if (setting_is_single(&all[i]) && setting_is_single(&all[j]))
                assert_string_not_equal(a, b);
            mem_free(a);
            mem_free(b);
        }
    }
    char *name = variable(setting_find("tenant_vindex.refresh_interval"));
    assert_string_equal(name, "MQGATE_TENANT_VINDEX_REFRESH_INTERVAL");
    mem_free(name);
}

/* A row that no group reaches would never be read. */
static void every_row_stands_in_a_group(void **state)
{
    static const char *const roots[] = {
        "",           "listen[]",       "keyspace.shards.*",
        "accounts.*", "queue_tables.*", "queue_tables.*.columns[]"
    };
    size_t count;
    const struct setting *all = settings_all(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        size_t groups = 0;
        for (size_t j = 0; j < sizeof roots / sizeof *roots; j++)
            groups += setting_in(&all[i], roots[j]);
        for (size_t j = 0; j < count; j++)
            groups += all[j].type == SETTING_SECTION && setting_in(&all[i], all[j].path);
        if (groups != 1)
            fail_msg("%s stands in %zu groups", all[i].path, groups);
    }
}

static void membership(void **state)
{
    (void)state;
    assert_true(setting_in(setting_find("pool.max_per_shard"), "pool"));
    assert_false(setting_in(setting_find("pool.max_per_shard"), ""));
    assert_false(setting_in(setting_find("pool"), "pool"));
    assert_false(setting_in(setting_find("tenants_file"), "tenants"));
    assert_false(setting_in(setting_find("listen[].name"), "listen"));
    assert_string_equal(setting_name(setting_find("accounts.*.backend.user")), "user");
    assert_true(setting_is_single(setting_find("log.level")));
    assert_false(setting_is_single(setting_find("log")));
    assert_false(setting_is_single(setting_find("accounts.*.password")));
    assert_true(setting_is_required(setting_find("keyspace.name")));
    assert_false(setting_is_required(setting_find("workers")));
}

static void the_public_table_says_the_same(void **state)
{
    size_t count, same;
    const struct setting *all = settings_all(&count);
    const struct setting_info *infos = config_settings(&same);
    (void)state;
    assert_int_equal(count, same);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(infos[i].path, all[i].path);
        assert_string_equal(infos[i].summary, all[i].summary);
        assert_non_null(infos[i].type);
        assert_non_null(infos[i].fallback);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_unique_and_have_a_summary),
        cmocka_unit_test(variables_are_unique),
        cmocka_unit_test(every_row_stands_in_a_group),
        cmocka_unit_test(membership),
        cmocka_unit_test(the_public_table_says_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
