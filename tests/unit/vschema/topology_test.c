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

static struct config *parse(const char *text)
{
    struct diagnostics d;
    diagnostics_init(&d);
    static const char *const environment[] = { "MQ_TENANTS=acme,test3,tenant-1", NULL };
    struct config_overrides overrides = { environment, NULL };
    struct config *c = config_parse(slice_cstr(text), "f", &overrides, &d);
    if (!c)
        fail_msg("%s", d.items[0].text);
    diagnostics_fini(&d);
    return c;
}

static struct config *config_of(const char *shards, const char *rest)
{
    char text[2048];
    snprintf(text, sizeof text,
             "keyspace: {name: mq, shards: {%s}%s}\n"
             "accounts: {a: {password: p}}\n",
             shards, rest);
    return parse(text);
}

static struct config *vitess_config(const char *rest)
{
    char text[512];
    snprintf(text, sizeof text,
             "backend: vitess\nkeyspace: {name: mq}\nvitess: {gates: 'h:1'%s}\n"
             "accounts: {a: {password: p}}\n",
             rest);
    return parse(text);
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

/* To mqgate vtgates are one shard; what they know as shards has a name only. */
static void vtgates_have_shards_of_their_own(void **state)
{
    static const struct {
        const char *shards, *want;
    } cases[] = {
        { "", "mq" },
        { ", shards: [80-, -80]", "-80" },
        { ", shards: ['-']", "-" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct topology *t = NULL;
        struct tenant_map *m = NULL;
        struct err err;
        assert_int_equal(topology_create(vitess_config(cases[i].shards), &t, &err), MQ_OK);
        assert_int_equal(t->shard_count, 1);
        assert_int_equal(topology_hash_tenants(t, &m, &err), MQ_OK);
        const struct tenant *acme = tenant_map_find(m, SLICE_LIT("acme"));
        struct keyspace_id id = tenant_id(acme);
        assert_int_equal(acme->shard, 0);
        assert_string_equal(topology_shard_name(t, 0, &id), cases[i].want);
        tenant_map_release(m);
        topology_release(t);
    }
    struct topology *t = NULL;
    struct err err;
    assert_int_equal(topology_create(vitess_config(", shards: [-80]"), &t, &err),
                     MQ_SHARDS_INCOMPLETE);
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

static void scatter_writes_are_queue_tables(void **state)
{
    static const struct {
        const char *names, *want;
    } cases[] = {
        { "queue_mesages", "scatter_writes: queue_mesages is no queue table (did you mean "
                           "queue_messages?)" },
        { "Queue_Offsets", "scatter_writes: Queue_Offsets is no queue table (did you mean "
                           "queue_offsets?)" },
        { "queue_offsets, x", "scatter_writes: x is no queue table" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct topology *t = NULL;
        struct err err;
        char text[256];
        snprintf(text, sizeof text,
                 "keyspace: {name: mq, shards: {'-': 'h:1'}}\nscatter_writes: '%s'\n"
                 "accounts: {a: {password: p}}\n",
                 cases[i].names);
        assert_int_equal(topology_create(parse(text), &t, &err), MQ_CONFIG_INVALID);
        assert_string_equal(err.text, cases[i].want);
    }
}

/* With this VSchema in a file. */
static enum err_code create_on(const char *shards, const char *vschema, const char *rest,
                               struct topology **ret, struct err *reterr)
{
    char path[] = "/tmp/mqgate-vschema-XXXXXX", keyspace[256];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, vschema, strlen(vschema)), strlen(vschema));
    close(fd);
    snprintf(keyspace, sizeof keyspace, ", vschema: %s%s", path, rest);
    enum err_code code = topology_create(config_of(shards, keyspace), ret, reterr);
    unlink(path);
    return code;
}

static enum err_code create_with(const char *vschema, const char *rest, struct topology **ret,
                                 struct err *reterr)
{
    return create_on("'-': 'h:1'", vschema, rest, ret, reterr);
}

static const char *vschema_of(char json[2048], const char *type)
{
    struct catalog *catalog = catalog_create(NULL);
    struct buf text;
    buf_init(&text);
    vschema_write(catalog, NULL, &text);
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
                                  "1 to 255 bytes");
    topology_release(t);
}

/* The usual VSchema with a lookup and these params, in single quotes. */
static enum err_code create_with_lookup(const char *params, const char *rest, struct topology **ret,
                                        struct err *reterr)
{
    char type[512], json[2048];
    snprintf(type, sizeof type, "consistent_lookup_unique','params':{%s},'owner':'", params);
    vschema_of(json, type);
    for (char *p = json; *p; p++)
        if (*p == '\'')
            *p = '"';
    return create_with(json, rest, ret, reterr);
}

#define TABLE "}\ntenant_vindex: {socket: /s, user: u, password: p, database: d, table: t"

static void lookups_are_by_the_configured_table(void **state)
{
    static const struct {
        const char *params, *rest, *want; /* NULL: fine */
    } cases[] = {
        { "'table':'t','from':'tenant','to':'keyspace_id'", TABLE, NULL },
        { "'table':'d.t','from':'tenant','to':'keyspace_id','read_lock':'none'", TABLE, NULL },
        { "'table':'d.t','from':'tenant','to':'keyspace_id'", "",
          "the vindex type consistent_lookup_unique needs the section tenant_vindex of the "
          "configuration" },
        { "'table':'e.t','from':'tenant','to':'keyspace_id'", TABLE,
          "the param table of vindex tenant_xxhash is e.t; it must be d.t" },
        { "'table':'d.u','from':'tenant','to':'keyspace_id'", TABLE,
          "the param table of vindex tenant_xxhash is d.u; it must be d.t" },
        { "'table':'d','from':'tenant','to':'keyspace_id'", TABLE,
          "the param table of vindex tenant_xxhash is d; it must be d.t" },
        { "'table':'d.','from':'tenant','to':'keyspace_id'", TABLE,
          "the param table of vindex tenant_xxhash is d.; it must be d.t" },
        { "'from':'tenant','to':'keyspace_id'", TABLE,
          "vindex tenant_xxhash lacks the param table, which must be d.t" },
        { "'table':'t','from':'tenant,topic','to':'keyspace_id'", TABLE,
          "the param from of vindex tenant_xxhash is tenant,topic; it must be tenant" },
        { "'table':'t','from':'tenant'", TABLE,
          "vindex tenant_xxhash lacks the param to, which must be keyspace_id" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct topology *t = NULL;
        struct err err = { 0 };
        enum err_code code = create_with_lookup(cases[i].params, cases[i].rest, &t, &err);
        const char *colon = strstr(err.text, ": "); /* behind the file's name */
        if ((code == MQ_OK) != (cases[i].want == NULL))
            fail_msg("%s: %s", cases[i].params, code ? err.text : "accepted");
        if (code != MQ_OK)
            assert_string_equal(colon && err.text[0] == '/' ? colon + 2 : err.text, cases[i].want);
        topology_release(t);
    }
}

static void shards_that_a_function_never_reaches(void **state)
{
    static const struct {
        const char *type, *want; /* of -20, 20-40, 40-7f, 7f-80, 80- */
    } cases[] = {
        { "xxhash", "11111" },
        { "binary", "01100" },
        { "null", "10000" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char json[2048], got[6] = "";
        struct topology *t = NULL;
        struct err err;
        vschema_of(json, cases[i].type);
        assert_int_equal(create_on("-20: 'h:1', 20-40: 'h:2', 40-7f: 'h:3', 7f-80: 'h:4', "
                                   "80-: 'h:5'",
                                   json, "", &t, &err),
                         MQ_OK);
        for (uint32_t s = 0; s < t->shard_count; s++)
            got[s] = topology_shard_in_reach(t, s) ? '1' : '0';
        assert_string_equal(got, cases[i].want);
        topology_release(t);
    }
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
        cmocka_unit_test(vtgates_have_shards_of_their_own),
        cmocka_unit_test(incomplete_shards),
        cmocka_unit_test(scatter_writes_are_queue_tables),
        cmocka_unit_test(the_vschema_file_decides),
        cmocka_unit_test(tenants_without_a_shard),
        cmocka_unit_test(lookups_are_by_the_configured_table),
        cmocka_unit_test(shards_that_a_function_never_reaches),
        cmocka_unit_test(broken_files),
        cmocka_unit_test(no_tenants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
