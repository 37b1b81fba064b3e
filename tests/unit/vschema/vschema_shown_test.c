/* The VSchema of a cluster as vtgate shows it: rows that were seen with Vitess 24, what mqgate
 * cannot work with, and what differs from the configured one. */
#include "vschema/vschema_shown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "vschema/vschema_int.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char lookup_database[] = "queue_tenants", lookup_name[] = "mq_tenant_vindex";
static const struct vindex_table_config lookup_table = { .configured = true,
                                                         .database = lookup_database,
                                                         .table = lookup_name };

struct row {
    const char *columns, *type, *params; /* columns NULL: no row */
};
static const struct row usual = { "tenant", "xxhash", "" };
#define LOOKUP "from=tenant; read_lock=none; table=queue_tenants.mq_tenant_vindex; to=keyspace_id"

static enum err_code add(struct vschema *v, const char *table, const struct row *row,
                         struct err *reterr)
{
    const struct vindex_shown shown = { slice_cstr(row->columns), SLICE_LIT("v"),
                                        slice_cstr(row->type), slice_cstr(row->params) };
    return vschema_add_shown(v, table, row->columns ? &shown : NULL, reterr);
}

/* All of the catalogue's tables have the row, the last one another if there is one. */
static enum err_code cluster(const struct catalog *catalog, const struct row *row,
                             const struct row *last, struct vschema **ret, struct err *reterr)
{
    enum err_code code = MQ_OK;
    struct vschema *v = *ret = vschema_create_shown(true, catalog->table_count);
    for (size_t i = 0; i < catalog->table_count && code == MQ_OK; i++)
        code = add(v, catalog->tables[i]->name, i + 1 == catalog->table_count && last ? last : row,
                   reterr);
    return code;
}

/* Of a cluster whose last table, or all, have the row; want "": it is served. */
static void expect(const struct row *row, bool all, const struct vschema *configured,
                   const char *want)
{
    struct catalog *catalog = catalog_create(NULL);
    const struct vindex_type *type = NULL;
    struct vschema *v;
    struct err err = { 0 };
    enum err_code code = cluster(catalog, all ? row : &usual, row, &v, &err);
    if (code == MQ_OK)
        code = vschema_check_shown(v, configured, catalog, &lookup_table, &type, &err);
    if (strcmp(code ? err.text : "", want) != 0)
        fail_msg("%s %s: %s", row->type, row->params, code ? err.text : "accepted");
    assert_int_equal(code, *want ? MQ_VSCHEMA_CLUSTER : MQ_OK);
    assert_int_equal(err.code, code);
    if (code == MQ_OK)
        assert_string_equal(type->name, row->type);
    vschema_destroy(v);
    catalog_destroy(catalog);
}

static void what_is_served(void **state)
{
    static const struct row rows[] = {
        { "tenant", "xxhash", "" },
        { "Tenant", "unicode_loose_md5", "" },
        { "tenant", "lookup_unique", LOOKUP },
        { "tenant", "consistent_lookup_unique", "autocommit=true; " LOOKUP "; write_only=false" },
        { "tenant", "hash", "from=x; whatever=1; lone" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect(&rows[i], true, NULL, "");
}

static void tables_that_are_refused(void **state)
{
    static const struct {
        struct row row; /* of queue_subscriber_heartbeats */
        const char *want;
    } cases[] = {
        { { NULL, "", "" },
          "table queue_subscriber_heartbeats is not sharded; a queue table is sharded by tenant" },
        { { "topic", "xxhash", "" },
          "the primary vindex of table queue_subscriber_heartbeats is on topic; it must be on "
          "tenant alone" },
        { { "tenant, topic", "xxhash", "" },
          "the primary vindex of table queue_subscriber_heartbeats is on tenant, …; it must be on "
          "tenant alone" },
        { { "", "xxhash", "" },
          "the primary vindex of table queue_subscriber_heartbeats is on ; it must be on tenant "
          "alone" },
        { { "tenant", "binary", "" },
          "table queue_subscriber_heartbeats is sharded by binary but table queue_messages by "
          "xxhash" },
        { { "tenant", "multicol", "" },
          "vindex v of table queue_subscriber_heartbeats has the type multicol; served are xxhash, "
          "binary, binary_md5, unicode_loose_md5, unicode_loose_xxhash, hash, numeric, "
          "reverse_bits, null, lookup_unique, consistent_lookup_unique" },
        { { "tenant", "of_tomorrow", "" },
          "vindex v of table queue_subscriber_heartbeats has the type of_tomorrow; served are "
          "xxhash, binary, binary_md5, unicode_loose_md5, unicode_loose_xxhash, hash, numeric, "
          "reverse_bits, null, lookup_unique, consistent_lookup_unique" },
        { { "tenant", "xxhash", "table=a; table=b" }, "vindex v has the param table twice" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        expect(&cases[i].row, false, NULL, cases[i].want);
}

static void lookups_that_are_refused(void **state)
{
    static const struct {
        const char *params, *want;
    } cases[] = {
        { "", "vindex v lacks the param from, which must be tenant" },
        { "from=tenant; read_lock=none; table=elsewhere.mq_tenant_vindex; to=keyspace_id",
          "the param table of vindex v is elsewhere.mq_tenant_vindex; it must be "
          "queue_tenants.mq_tenant_vindex" },
        { "from=tenant; table=queue_tenants.mq_tenant_vindex; to=keyspace_id",
          "vindex v locks the tenant's row for each write of a transaction, which then waits for "
          "itself or for others; give it the param read_lock: none" },
        { "from=tenant; read_lock=shared; table=queue_tenants.mq_tenant_vindex; to=keyspace_id",
          "vindex v locks the tenant's row for each write of a transaction, which then waits for "
          "itself or for others; give it the param read_lock: none" },
        { LOOKUP "; write_only=true",
          "vindex v is write_only, so vtgate asks every shard; take the param away" },
        { LOOKUP "; to=x", "vindex v has the param to twice" },
        { LOOKUP "; read_lock=exclusive", "vindex v has the param read_lock twice" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct row row = { "tenant", "lookup_unique", cases[i].params };
        expect(&row, true, NULL, cases[i].want);
    }
}

static void a_table_that_is_missing(void **state)
{
    struct catalog *catalog = catalog_create(NULL);
    struct vschema *v = vschema_create_shown(true, catalog->table_count);
    const struct vindex_type *type;
    struct err err;
    (void)state;
    assert_int_equal(add(v, "queue_messages", &usual, NULL), MQ_OK);
    assert_int_equal(vschema_check_shown(v, NULL, catalog, NULL, &type, &err), MQ_VSCHEMA_CLUSTER);
    assert_string_equal(err.text, "table queue_delivery_state is not in the VSchema");
    vschema_destroy(v);
    v = vschema_create_shown(false, 0);
    assert_int_equal(vschema_check_shown(v, NULL, catalog, NULL, &type, &err), MQ_VSCHEMA_CLUSTER);
    assert_string_equal(err.text, "the keyspace is not sharded; `sharded: true` is missing");
    vschema_destroy(v);
    catalog_destroy(catalog);
}

static void the_configured_one(void **state)
{
    static const struct row other = { "tenant", "unicode_loose_xxhash", "" };
    struct catalog *catalog = catalog_create(NULL);
    struct vschema *configured = vschema_default(catalog);
    (void)state;
    expect(&usual, true, configured, "");
    expect(&other, true, configured,
           "table queue_messages is sharded by unicode_loose_xxhash in the cluster, but by xxhash "
           "in keyspace.vschema");
    vschema_destroy(configured);
    catalog_destroy(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_served),           cmocka_unit_test(tables_that_are_refused),
        cmocka_unit_test(lookups_that_are_refused), cmocka_unit_test(a_table_that_is_missing),
        cmocka_unit_test(the_configured_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
