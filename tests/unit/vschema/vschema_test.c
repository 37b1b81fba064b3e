/* VSchema JSON: the production file, both spellings, and Vitess' complaints. */
#include "vschema/vschema_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct vschema *accept(const char *json)
{
    struct vschema *v = NULL;
    struct err err;
    if (vschema_parse(slice_cstr(json), "mq", &v, &err) != MQ_OK)
        fail_msg("%s: %s", json, err.text);
    return v;
}

static void refuse(const char *json, const char *want)
{
    struct vschema *v = NULL;
    struct err err;
    enum err_code code = vschema_parse(slice_cstr(json), "mq", &v, &err);
    if (code != MQ_VSCHEMA_INVALID || strcmp(err.text, want) != 0)
        fail_msg("%s: %d %s", json, (int)code, code == MQ_OK ? "accepted" : err.text);
}

static void vitess_complaints(void **state)
{
    static const struct {
        const char *body, *want; /* the body of a sharded keyspace */
    } cases[] = {
        { "'vindexes':{'v':{'type':'nope'}}", "vindexType \"nope\" not found" },
        { "'vindexes':{'v':{}}", "vindexType \"\" not found" },
        { "'tables':{'t':{'type':'view'}}", "unidentified table type view" },
        { "'tables':{'t':{'type':'sequence'}}",
          "sequence table has to be in an unsharded keyspace or must be pinned: t" },
        { "'tables':{'t':{'pinned':'8'}}", "could not decode the keyspace id for pin: 8" },
        { "'tables':{'t':{'pinned':'zz'}}", "could not decode the keyspace id for pin: zz" },
        { "'tables':{'t':{}}", "missing primary col vindex for table: t" },
        { "'tables':{'t':{'type':'reference','columns':[{'name':'a'},{'name':'A'}]}}",
          "duplicate column name 'A' for table: t" },
        { "'tables':{'t':{'column_vindexes':[{'column':'c','name':'v'}]}}",
          "vindex v not found for table t" },
        { "'vindexes':{'v':{'type':'xxhash'}},"
          "'tables':{'t':{'column_vindexes':[{'column':'c','columns':['d'],'name':'v'}]}}",
          "can't use column and columns at the same time in vindex (v) and table (t)" },
        { "'vindexes':{'v':{'type':'xxhash'}},'tables':{'t':{'column_vindexes':[{'name':'v'}]}}",
          "must specify at least one column for vindex (v) and table (t)" },
        { "'vindexes':{'v':{'type':'lookup'}},"
          "'tables':{'t':{'column_vindexes':[{'column':'c','name':'v'}]}}",
          "primary vindex v is not Unique for table t" },
        { "'vindexes':{'v':{'type':'lookup_unique','owner':'t'}},"
          "'tables':{'t':{'column_vindexes':[{'column':'c','name':'v'}]}}",
          "primary vindex v cannot be owned for table t" },
        { "'vindexes':{'x':{'type':'xxhash'},'v':{'type':'multicol'}},'tables':{'t':"
          "{'column_vindexes':[{'column':'c','name':'x'},{'columns':['a','b'],'name':'v'}]}}",
          "multi-column vindex v should be a primary vindex for table t" },
        { "'vindexes':{'v':{'type':'lookup_unique','params':[]}}",
          "vindexes.v.params: an object is expected" },
        { "'vindexes':{'v':{'type':'lookup_unique','params':{'to':1}}}",
          "vindexes.v.to: a string is expected" },
        { "'vindexes':[]", "vindexes: an object is expected" },
        { "'vindexes':{'v':1}", "vindexes.v: an object is expected" },
        { "'vindexes':{'v':{'type':1}}", "vindexes.v.type: a string is expected" },
        { "'tables':[]", "tables: an object is expected" },
        { "'tables':{'t':[]}", "tables.t: an object is expected" },
        { "'tables':{'t':{'column_vindexes':{}}}", "tables.t.column_vindexes: a list is expected" },
        { "'tables':{'t':{'column_vindexes':[1]}}",
          "tables.t.column_vindexes: an object is expected" },
        { "'tables':{'t':{'column_vindexes':[],'columnVindexes':[]}}",
          "tables.t.column_vindexes: duplicate field" },
        { "'vindexes':{'v':{'type':'xxhash'}},"
          "'tables':{'t':{'column_vindexes':[{'columns':[1],'name':'v'}]}}",
          "tables.t.column_vindexes.columns: a string is expected" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char json[512];
        snprintf(json, sizeof json, "{\"sharded\":true,%s}", cases[i].body);
        for (char *p = json; *p; p++)
            if (*p == '\'')
                *p = '"';
        refuse(json, cases[i].want);
    }
}

static void texts_that_are_no_vschema(void **state)
{
    (void)state;
    refuse("[]", "an object is expected");
    refuse("{\"sharded\":1}", "sharded: true or false is expected");
    refuse("{\"keyspaces\":{}}", "keyspace mq is not in the VSchema");
    refuse("{\"keyspaces\":{\"mq\":1}}", "keyspace mq is not in the VSchema");
    refuse("", "line 1, column 0: '[' or '{' expected near end of file");
    refuse("{\"sharded\":true,\n\"sharded\":true}",
           "line 2, column 9: duplicate object key near '\"sharded\"'");
    refuse("{\"tables\":{\"t\":{},\"t\":{}}}",
           "line 1, column 21: duplicate object key near '\"t\"'");
    refuse("{} x", "line 1, column 4: end of file expected near 'x'");
}

static const char queue_tables[] =
    "'queue_messages':@,'queue_delivery_state':@,'queue_offsets':@,'queue_partition_leases':@,"
    "'queue_subscriber_heartbeats':%s";

/* A keyspace of the queue's tables; the last one is `last`, the others are led by tenant. */
static const char *keyspace(char json[2048], const char *vindex_type, const char *last)
{
    static const char usual[] = "{'column_vindexes':[{'column':'tenant','name':'v'}]}";
    char tables[512];
    snprintf(tables, sizeof tables, queue_tables, last);
    size_t n = (size_t)snprintf(json, 2048,
                                "{'sharded':true,'vindexes':{'v':{'type':'%s'},'w':{'type':"
                                "'binary'}},'tables':{",
                                vindex_type);
    for (const char *p = tables; *p; p++)
        n += (size_t)snprintf(json + n, 2048 - n, *p == '@' ? "%s" : "%.1s", *p == '@' ? usual : p);
    snprintf(json + n, 2048 - n, "}}");
    for (char *p = json; *p; p++)
        if (*p == '\'')
            *p = '"';
    return json;
}

static void the_other_keyspace(void **state)
{
    static const struct {
        const char *json, *want; /* NULL: fine */
    } cases[] = {
        { "{\"sharded\":true}", NULL }, /* a document of one keyspace */
        { "{\"keyspaces\":{\"app\":{}}}", NULL },
        { "{\"keyspaces\":{\"app\":{\"sharded\":false,\"tables\":{\"orders\":{}}}}}", NULL },
        { "{\"keyspaces\":{\"app\":{\"sharded\":true}}}", "keyspace app is sharded" },
        { "{\"keyspaces\":{\"mq\":{}}}", "keyspace app is not in the VSchema" },
        { "{\"keyspaces\":{\"app\":{\"tables\":{\"queue_offsets\":{}}}}}",
          "the queue table queue_offsets is in the unsharded keyspace app" },
    };
    struct catalog *catalog = catalog_create(NULL);
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err = { 0 };
        (void)vschema_check_unsharded(slice_cstr(cases[i].json), "app", catalog, &err);
        assert_string_equal(err.code ? err.text : "", cases[i].want ? cases[i].want : "");
    }
    catalog_destroy(catalog);
}

static void tables_of_the_queue(void **state)
{
    static const struct {
        const char *type, *last, *want; /* NULL: fine */
    } cases[] = {
        { "xxhash", "@", NULL },
        { "hash", "@", NULL },
        { "unicode_loose_xxhash", "@", NULL },
        { "lookup_unique", "@",
          "the vindex type lookup_unique needs the section tenant_vindex of the configuration" },
        { "xxhash", "{'columnVindexes':[{'columns':['Tenant'],'name':'v'}],'unknown':[1]}", NULL },
        { "xxhash", "{'columnVindexes':null,'column_vindexes':[{'column':'tenant','name':'v'}]}",
          "tables.queue_subscriber_heartbeats.column_vindexes: duplicate field" },
        { "multicol", "@",
          "vindex v of table queue_messages has the type multicol; served are xxhash, binary, "
          "binary_md5, unicode_loose_md5, unicode_loose_xxhash, hash, numeric, reverse_bits, null, "
          "lookup_unique, consistent_lookup_unique" },
        { "xxhash", "{'column_vindexes':[{'column':'tenant','name':'w'}]}",
          "table queue_subscriber_heartbeats is sharded by binary but table queue_messages by "
          "xxhash" },
        { "xxhash", "{'column_vindexes':[{'column':'topic','name':'v'}]}",
          "the primary vindex of table queue_subscriber_heartbeats is on topic; it must be on "
          "tenant alone" },
        { "xxhash", "{'column_vindexes':[{'columns':['tenant','topic'],'name':'v'}]}",
          "the primary vindex of table queue_subscriber_heartbeats is on tenant, …; it must be on "
          "tenant alone" },
        { "xxhash", "{'type':'reference'}",
          "table queue_subscriber_heartbeats is reference; a queue table is sharded by tenant" },
        { "xxhash", "{'pinned':'80'}",
          "table queue_subscriber_heartbeats is pinned; a queue table is sharded by tenant" },
        { "xxhash", "@,'queue_x':{}", "missing primary col vindex for table: queue_x" },
    };
    struct catalog *catalog = catalog_create(NULL);
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char json[2048];
        struct vschema *v = NULL;
        const struct vindex_type *type = NULL;
        struct err err = { 0 };
        keyspace(json, cases[i].type, cases[i].last);
        enum err_code code = vschema_parse(slice_cstr(json), "mq", &v, &err);
        if (code == MQ_OK)
            code = vschema_check(v, catalog, NULL, &type, &err);
        if ((code == MQ_OK) != (cases[i].want == NULL) ||
            (cases[i].want && strcmp(err.text, cases[i].want) != 0))
            fail_msg("%s: %s", cases[i].last, code ? err.text : "accepted");
        if (code == MQ_OK)
            assert_string_equal(type->name, cases[i].type);
        vschema_destroy(v);
    }
    catalog_destroy(catalog);
}

static void check_fails(const char *json, const char *want)
{
    struct catalog *catalog = catalog_create(NULL);
    struct vschema *v = accept(json);
    const struct vindex_type *type;
    struct err err;
    assert_int_equal(vschema_check(v, catalog, NULL, &type, &err), MQ_VSCHEMA_INVALID);
    assert_string_equal(err.text, want);
    vschema_destroy(v);
    catalog_destroy(catalog);
}

static void keyspaces_without_the_queue(void **state)
{
    (void)state;
    check_fails("{}", "the keyspace is not sharded; `sharded: true` is missing");
    check_fails("{\"sharded\":null}", "the keyspace is not sharded; `sharded: true` is missing");
    check_fails("{\"sharded\":true}", "table queue_messages is not in the VSchema");
    check_fails("{\"keyspaces\":{\"other\":{},\"mq\":{\"sharded\":true}}}",
                "table queue_messages is not in the VSchema");
    /* Unsharded: vindexes are ignored, whatever they are. */
    check_fails("{\"vindexes\":{\"v\":{\"type\":\"x\"}},\"tables\":{\"t\":{},\"s\":{\"type\":"
                "\"sequence\"}}}",
                "the keyspace is not sharded; `sharded: true` is missing");
}

static void what_is_written_is_read_again(void **state)
{
    struct catalog *catalog = catalog_create(NULL);
    struct buf json;
    const struct vindex_type *type = NULL;
    (void)state;
    buf_init(&json);
    vschema_write(catalog, NULL, &json);
    struct vschema *v = accept(buf_cstr(&json));
    assert_int_equal(vschema_check(v, catalog, NULL, &type, NULL), MQ_OK);
    assert_string_equal(type->name, "xxhash");
    assert_int_equal(v->table_count, 5);
    assert_string_equal(v->tables[0].name, "queue_messages");
    assert_string_equal(v->tables[0].column_vindexes[0].vindex->name, "tenant_xxhash");
    vschema_destroy(v);
    v = vschema_default(catalog);
    assert_int_equal(vschema_check(v, catalog, NULL, &type, NULL), MQ_OK);
    vschema_destroy(v);
    vschema_destroy(NULL);
    buf_fini(&json);
    catalog_destroy(catalog);
}

static void what_is_written_of_a_lookup(void **state)
{
    char database[] = "tenants", table[] = "mq_tenant_vindex";
    const struct vindex_table_config lookup = { .configured = true, .database = database,
                                                .table = table };
    struct catalog *catalog = catalog_create(NULL);
    const struct vindex_type *type = NULL;
    struct buf json;
    (void)state;
    buf_init(&json);
    vschema_write(catalog, &lookup, &json);
    struct vschema *v = accept(buf_cstr(&json));
    assert_int_equal(vschema_check(v, catalog, &lookup, &type, NULL), MQ_OK);
    assert_string_equal(type->name, "lookup_unique");
    assert_string_equal(v->vindexes[0].lookup.table, "tenants.mq_tenant_vindex");
    vschema_destroy(v);
    buf_clear(&json);
    vschema_write_lookup(&lookup, &json);
    v = accept(buf_cstr(&json));
    assert_false(v->sharded);
    assert_int_equal(v->table_count, 1);
    assert_string_equal(v->tables[0].name, table);
    vschema_destroy(v);
    buf_fini(&json);
    catalog_destroy(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vitess_complaints),
        cmocka_unit_test(texts_that_are_no_vschema),
        cmocka_unit_test(tables_of_the_queue),
        cmocka_unit_test(the_other_keyspace),
        cmocka_unit_test(keyspaces_without_the_queue),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(what_is_written_of_a_lookup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
