/* The catalogue: the five tables, what a configuration adds, and the DDL of both sides. */
#include "vschema/catalog.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/memory.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char legacy_messages[] =
    "CREATE TABLE IF NOT EXISTS `queue_messages` (\n"
    "    `offset` BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,\n"
    "    `topic` VARCHAR(255) NOT NULL,\n"
    "    `partition_key` VARCHAR(255) NOT NULL,\n"
    "    `id` VARCHAR(255) NOT NULL,\n"
    "    `payload` BLOB NOT NULL,\n"
    "    `metadata` JSON NULL,\n"
    "    `created_at` BIGINT UNSIGNED NOT NULL,\n"
    "    `published_at` BIGINT UNSIGNED NOT NULL,\n"
    "    `failed_at` BIGINT UNSIGNED NOT NULL,\n"
    "    `failure_count` INT UNSIGNED NOT NULL,\n"
    "    `last_error` TEXT NOT NULL,\n"
    "    `original_topic` VARCHAR(255) NOT NULL,\n"
    "    `failure_detail` JSON NULL,\n"
    "    PRIMARY KEY (`offset`),\n"
    "    KEY `idx_topic_partition_offset` (`topic`, `partition_key`, `offset`),\n"
    "    UNIQUE KEY `idx_topic_partition_id` (`topic`, `partition_key`, `id`)\n"
    ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin";

static const char tenant_messages[] =
    "CREATE TABLE `queue_messages` (\n"
    "    `tenant` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,\n"
    "    `offset` BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,\n"
    "    `topic` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,\n"
    "    `partition_key` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,\n"
    "    `id` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,\n"
    "    `payload` BLOB NOT NULL,\n"
    "    `metadata` JSON NULL,\n"
    "    `created_at` BIGINT UNSIGNED NOT NULL,\n"
    "    `published_at` BIGINT UNSIGNED NOT NULL,\n"
    "    `failed_at` BIGINT UNSIGNED NOT NULL,\n"
    "    `failure_count` INT UNSIGNED NOT NULL,\n"
    "    `last_error` TEXT NOT NULL,\n"
    "    `original_topic` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,\n"
    "    `failure_detail` JSON NULL,\n"
    "    PRIMARY KEY (`tenant`, `topic`, `partition_key`, `offset`),\n"
    "    UNIQUE KEY `idx_topic_partition_id` (`tenant`, `topic`, `partition_key`, `id`),\n"
    "    KEY `idx_offset` (`offset`)\n"
    ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin";

static void ddl_of_the_messages(void **state)
{
    struct catalog *c = catalog_create(NULL);
    const struct catalog_table *t = catalog_find(c, SLICE_LIT("queue_messages"));
    struct buf out;
    (void)state;
    buf_init(&out);
    catalog_legacy_ddl(t, true, &out);
    assert_string_equal(buf_cstr(&out), legacy_messages);
    buf_clear(&out);
    catalog_tenant_ddl(t, false, &out);
    assert_string_equal(buf_cstr(&out), tenant_messages);
    buf_fini(&out);
    catalog_destroy(c);
    catalog_destroy(NULL);
}

static void the_built_in_tables(void **state)
{
    static const struct {
        const char *name, *legacy_primary, *tenant_primary;
        size_t columns;
    } cases[] = {
        { "queue_messages", "offset", "tenant, topic, partition_key, offset", 13 },
        { "queue_delivery_state", "consumer_group, topic, partition_key, message_offset",
          "tenant, consumer_group, topic, partition_key, message_offset", 8 },
        { "queue_offsets", "consumer_group, topic, partition_key",
          "tenant, topic, partition_key, consumer_group", 5 },
        { "queue_partition_leases", "consumer_group, topic, partition_key",
          "tenant, consumer_group, topic, partition_key", 6 },
        { "queue_subscriber_heartbeats", "consumer_group, topic, subscriber_name",
          "tenant, consumer_group, topic, subscriber_name", 5 },
    };
    struct catalog *c = catalog_create(NULL);
    (void)state;
    assert_int_equal(c->table_count, COUNT(cases));
    assert_int_equal(catalog_check(c, NULL), MQ_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct catalog_table *t = catalog_find(c, slice_cstr(cases[i].name));
        assert_ptr_equal(t, c->tables[i]);
        assert_int_equal(t->column_count, cases[i].columns);
        assert_null(t->legacy_keys[0].name);
        assert_string_equal(t->legacy_keys[0].columns, cases[i].legacy_primary);
        assert_string_equal(t->tenant_keys[0].columns, cases[i].tenant_primary);
        assert_int_equal(t->has_metadata, i == 0);
    }
    assert_null(catalog_find(c, SLICE_LIT("Queue_messages")));
    assert_null(catalog_find(c, SLICE_LIT("queue_message")));
    catalog_destroy(c);
}

static void look_up_of_columns(void **state)
{
    struct catalog *c = catalog_create(NULL);
    const struct catalog_table *t = catalog_find(c, SLICE_LIT("queue_delivery_state"));
    (void)state;
    assert_int_equal(catalog_column_index(t, SLICE_LIT("consumer_group")), 0);
    assert_int_equal(catalog_column_index(t, SLICE_LIT("PostPoned")), 7);
    assert_true(t->columns[7].optional);
    assert_false(t->columns[6].optional);
    assert_int_equal(catalog_column_index(t, SLICE_LIT("tenant")), -1);
    assert_true(catalog_any_column(c, SLICE_LIT("Heartbeat_At")));
    assert_false(catalog_any_column(c, SLICE_LIT("visible_after")));
    catalog_destroy(c);
}

/* InnoDB's limit for the bytes of one key; utf8mb4 counts four a character. */
static size_t key_bytes(const struct catalog_table *t, const struct catalog_key *key)
{
    struct slice rest = slice_cstr(key->columns), column;
    size_t bytes = 0;
    while (catalog_key_next(&rest, &column)) {
        int i = catalog_column_index(t, column);
        const char *type = i < 0 ? "ascii VARCHAR" : t->columns[i].tenant_type;
        bytes += !strstr(type, "VARCHAR") ? 8 : strstr(type, "ascii") ? 255 : 4 * 255;
    }
    return bytes;
}

static void keys_fit_and_lead_with_tenant(void **state)
{
    struct catalog *c = catalog_create(NULL);
    (void)state;
    for (size_t i = 0; i < c->table_count; i++) {
        const struct catalog_table *t = c->tables[i];
        for (size_t k = 0; k < t->tenant_key_count; k++) {
            const struct catalog_key *key = &t->tenant_keys[k];
            assert_true(key_bytes(t, key) <= 3072);
            if (strcmp(key->columns, "offset") != 0)
                assert_int_equal(strncmp(key->columns, "tenant, ", 8), 0);
        }
    }
    catalog_destroy(c);
}

static void checks_of_identifiers(void **state)
{
    static const struct {
        const char *table, *column;
        enum column_check want;
    } cases[] = {
        { "queue_messages", "offset", CHECK_COUNTER },
        { "queue_messages", "topic", CHECK_ASCII_NONEMPTY },
        { "queue_messages", "partition_key", CHECK_UTF8 },
        { "queue_messages", "id", CHECK_UTF8 },
        { "queue_messages", "original_topic", CHECK_ASCII },
        { "queue_messages", "payload", CHECK_NONE },
        { "queue_offsets", "consumer_group", CHECK_ASCII_NONEMPTY },
        { "queue_partition_leases", "leased_by", CHECK_ASCII },
        { "queue_subscriber_heartbeats", "subscriber_name", CHECK_ASCII },
    };
    struct catalog *c = catalog_create(NULL);
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct catalog_table *t = catalog_find(c, slice_cstr(cases[i].table));
        int k = catalog_column_index(t, slice_cstr(cases[i].column));
        assert_int_equal(t->columns[k].check, cases[i].want);
    }
    catalog_destroy(c);
}

/* An additional table, and an older release's messages. */
static void configured_tables(void **state)
{
    struct column_config extra_columns[] = {
        { "seq", "bigint unsigned  not null auto_increment" },
        { "topic", "varchar(255) NOT NULL" },
        { "note", "VARCHAR(20) CHARACTER SET latin1 NOT NULL DEFAULT 'a(b'" },
        { "price", "DECIMAL(10, 2) unsigned" },
    };
    struct column_config messages_columns[] = {
        { "offset", "BIGINT UNSIGNED NOT NULL AUTO_INCREMENT" },
        { "topic", "VARCHAR(255) NOT NULL" },
        { "partition_key", "VARCHAR(255) NOT NULL" },
        { "id", "VARCHAR(255) NOT NULL" },
        { "visible_after", "BIGINT UNSIGNED NOT NULL DEFAULT 0" },
    };
    char *key[] = { "topic", "seq" };
    struct queue_table_config tables[] = {
        { "extra", extra_columns, COUNT(extra_columns), { key, 2 }, NULL },
        { "queue_messages", messages_columns, COUNT(messages_columns), { NULL, 0 }, NULL },
    };
    struct config config = { .queue_tables = tables, .queue_table_count = 2 };
    struct catalog *c = catalog_create(&config);
    struct err err;
    struct buf out;
    (void)state;
    assert_int_equal(catalog_check(c, &err), MQ_OK);
    assert_int_equal(c->table_count, 6);
    buf_init(&out);
    catalog_tenant_ddl(catalog_find(c, SLICE_LIT("extra")), false, &out);
    assert_string_equal(
        buf_cstr(&out),
        "CREATE TABLE `extra` (\n"
        "    `tenant` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,\n"
        "    `seq` bigint unsigned not null auto_increment,\n"
        "    `topic` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,\n"
        "    `note` VARCHAR(20) CHARACTER SET latin1 NOT NULL DEFAULT 'a(b',\n"
        "    `price` DECIMAL(10, 2) unsigned,\n"
        "    PRIMARY KEY (`tenant`, `topic`, `seq`),\n"
        "    KEY `idx_seq` (`seq`)\n"
        ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin");
    assert_int_equal(catalog_find(c, SLICE_LIT("extra"))->columns[0].check, CHECK_COUNTER);
    const struct catalog_table *messages = catalog_find(c, SLICE_LIT("queue_messages"));
    assert_ptr_equal(messages, c->tables[0]);
    assert_int_equal(messages->column_count, 5);
    assert_false(messages->has_metadata);
    assert_string_equal(messages->columns[4].options, "NOT NULL DEFAULT 0");
    assert_string_equal(messages->columns[4].tenant_type, "BIGINT UNSIGNED");
    assert_int_equal(messages->columns[1].check, CHECK_ASCII_NONEMPTY);
    assert_string_equal(messages->tenant_keys[0].columns, "tenant, topic, partition_key, offset");
    assert_true(catalog_any_column(c, SLICE_LIT("visible_after")));
    buf_fini(&out);
    catalog_destroy(c);
}

static void incomplete_tables(void **state)
{
    struct column_config columns[] = { { "topic", "VARCHAR(255) NOT NULL" } };
    struct queue_table_config keyless = { "extra", columns, 1, { NULL, 0 }, NULL };
    struct queue_table_config torso = { "queue_messages", columns, 1, { NULL, 0 }, NULL };
    struct config config = { .queue_tables = &keyless, .queue_table_count = 1 };
    struct err err;
    (void)state;
    struct catalog *c = catalog_create(&config);
    assert_int_equal(catalog_check(c, &err), MQ_CONFIG_INVALID);
    assert_string_equal(err.text, "queue_tables.extra.primary_key: missing");
    catalog_destroy(c);
    config.queue_tables = &torso;
    c = catalog_create(&config);
    assert_int_equal(catalog_check(c, &err), MQ_CONFIG_INVALID);
    assert_string_equal(err.text,
                        "queue_tables.queue_messages: the key PRIMARY needs the column offset");
    catalog_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ddl_of_the_messages),   cmocka_unit_test(the_built_in_tables),
        cmocka_unit_test(look_up_of_columns),    cmocka_unit_test(keys_fit_and_lead_with_tenant),
        cmocka_unit_test(checks_of_identifiers), cmocka_unit_test(configured_tables),
        cmocka_unit_test(incomplete_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
