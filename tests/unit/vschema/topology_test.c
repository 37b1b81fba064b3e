/* Configuration, VSchema and shards together. */
#define _DEFAULT_SOURCE
#include "vschema/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct config *config_of(const char *shards, const char *rest)
{
    char text[2048];
    struct diagnostics d;
    diagnostics_init(&d);
    snprintf(text, sizeof text,
             "keyspace: {name: mq, shards: {%s}%s}\n"
             "accounts: {a: {password: p}}\n",
             shards, rest);
    static const char *const environment[] = { "MQ_TENANTS=acme,test3,tenant-1", NULL };
    struct config_overrides overrides = { environment, NULL };
    struct config *c = config_parse(slice_cstr(text), "f", &overrides, &d);
    if (!c)
        fail_msg("%s", d.items[0].text);
    diagnostics_fini(&d);
    return c;
}

static void tenants_are_hashed_to_their_shards(void **state)
{
    struct topology *t = NULL;
    struct tenant_map *m = NULL;
    struct err err;
    (void)state;
    /* The upper half first: indexes are those of the configuration. */
    struct config *c = config_of("80-: 'h:1', -80: 'h:2'", "");
    assert_int_equal(topology_create(c, &t, &err), MQ_OK);
    assert_string_equal(t->vindex->name, "xxhash");
    assert_int_equal(t->shard_count, 2);
    assert_int_equal(topology_shard_find(t, SLICE_LIT("-80")), 1);
    assert_int_equal(topology_shard_find(t, SLICE_LIT("80-")), 0);
    assert_int_equal(topology_shard_find(t, SLICE_LIT("-")), -1);
    assert_int_equal(topology_hash_tenants(t, &m, &err), MQ_OK);
    assert_int_equal(tenant_map_count(m), 3);
    assert_int_equal(tenant_map_find(m, SLICE_LIT("acme"))->shard, 1);
    assert_int_equal(tenant_map_find(m, SLICE_LIT("tenant-1"))->shard, 1);
    assert_int_equal(tenant_map_find(m, SLICE_LIT("test3"))->shard, 0);
    assert_true(tenant_map_confirmed_ms(m) == UINT64_MAX);
    tenant_map_release(m);
    assert_ptr_equal(topology_acquire(t), t);
    topology_release(t);
    topology_release(t);
    topology_release(NULL);
}

static void incomplete_shards(void **state)
{
    static const struct {
        const char *shards, *want;
    } cases[] = {
        { "-40: 'h:1', 80-: 'h:2'", "no shard holds 40-80, between shards -40 and 80-" },
        { "-80: 'h:1', 40-: 'h:2'", "shards -80 and 40- overlap" },
        { "-80: 'h:1'", "the last shard, -80, does not end with max key" },
        { "80-40: 'h:1'", "out of order keys: '80-40'" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct topology *t = NULL;
        struct err err;
        assert_int_equal(topology_create(config_of(cases[i].shards, ""), &t, &err),
                         MQ_SHARDS_INCOMPLETE);
        assert_string_equal(err.text, cases[i].want);
        assert_null(t);
    }
}

/* With this VSchema in a file. */
static enum err_code create_with(const char *vschema, const char *rest, struct topology **ret,
                                 struct err *reterr)
{
    char path[] = "/tmp/mqgate-vschema-XXXXXX", keyspace[256];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, vschema, strlen(vschema)), strlen(vschema));
    close(fd);
    snprintf(keyspace, sizeof keyspace, ", vschema: %s%s", path, rest);
    enum err_code code = topology_create(config_of("'-': 'h:1'", keyspace), ret, reterr);
    unlink(path);
    return code;
}

static const char *vschema_of(char json[2048], const char *type)
{
    struct catalog *catalog = catalog_create(NULL);
    struct buf text;
    buf_init(&text);
    vschema_write(catalog, &text);
    const char *usual = strstr(buf_cstr(&text), "\"xxhash\"");
    snprintf(json, 2048, "%.*s\"%s\"%s", (int)(usual - buf_cstr(&text)), buf_cstr(&text), type,
             usual + strlen("\"xxhash\""));
    buf_fini(&text);
    catalog_destroy(catalog);
    return json;
}

static void the_vschema_file_decides(void **state)
{
    char json[2048];
    struct topology *t = NULL;
    struct tenant_map *m = NULL;
    struct err err;
    (void)state;
    assert_int_equal(create_with(vschema_of(json, "binary_md5"), "", &t, &err), MQ_OK);
    assert_string_equal(t->vindex->name, "binary_md5");
    assert_int_equal(topology_hash_tenants(t, &m, &err), MQ_OK);
    assert_int_equal(tenant_map_at(m, 0)->id_len, 16);
    tenant_map_release(m);
    topology_release(t);
}

static void tenants_without_a_shard(void **state)
{
    char json[2048];
    struct topology *t = NULL;
    struct tenant_map *m = NULL;
    struct err err;
    (void)state;
    assert_int_equal(create_with(vschema_of(json, "numeric"), "", &t, &err), MQ_OK);
    assert_int_equal(topology_hash_tenants(t, &m, &err), MQ_VINDEX_NO_SHARD);
    assert_string_equal(err.text, "the vindex numeric maps the tenant 'acme' to no keyspace id of "
                                  "1 to 16 bytes");
    topology_release(t);
}

static void lookups_need_the_table(void **state)
{
    char json[2048];
    struct topology *t = NULL;
    struct err err;
    (void)state;
    assert_int_equal(create_with(vschema_of(json, "lookup_unique"), "", &t, &err),
                     MQ_VSCHEMA_INVALID);
    assert_string_equal(err.text, "the vindex type lookup_unique needs the section tenant_vindex "
                                  "of the configuration");
    assert_int_equal(create_with(vschema_of(json, "lookup_unique"),
                                 "}\ntenant_vindex: {socket: /s, user: u, password: p, database: d",
                                 &t, &err),
                     MQ_OK);
    topology_release(t);
}

static void broken_files(void **state)
{
    struct topology *t = NULL;
    struct err err;
    (void)state;
    assert_int_equal(create_with("{", "", &t, &err), MQ_VSCHEMA_INVALID);
    assert_non_null(strstr(err.text, "/mqgate-vschema-"));
    assert_non_null(strstr(err.text, ": line 1, column 1: "));
    struct config *c = config_of("'-': 'h:1'", ", vschema: /nonexistent.json");
    assert_int_equal(topology_create(c, &t, &err), MQ_CONFIG_UNREADABLE);
    assert_string_equal(err.text, "/nonexistent.json cannot be opened: No such file or directory");
}

static void no_tenants(void **state)
{
    struct topology *t = NULL;
    struct tenant_map *m = NULL;
    struct err err;
    (void)state;
    assert_int_equal(topology_create(config_of("'0': 'h:1'", ""), &t, &err), MQ_OK);
    size_t count = t->config->tenants.count;
    t->config->tenants.count = 0;
    assert_int_equal(topology_hash_tenants(t, &m, &err), MQ_TENANTS_EMPTY);
    t->config->tenants.count = count;
    assert_null(m);
    topology_release(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tenants_are_hashed_to_their_shards),
        cmocka_unit_test(incomplete_shards),
        cmocka_unit_test(the_vschema_file_decides),
        cmocka_unit_test(tenants_without_a_shard),
        cmocka_unit_test(lookups_need_the_table),
        cmocka_unit_test(broken_files),
        cmocka_unit_test(no_tenants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
