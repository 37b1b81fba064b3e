/* The five tables of the queue as data: legacy columns in their order, and the keys before
 * and after sharding. */
#include "vschema/catalog_builtin.h"

#define BIGINT "BIGINT UNSIGNED"
#define INTEGER "INT UNSIGNED"
#define NAME "VARCHAR(255)"
#define ASCII_NAME "VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin"
#define UTF8_NAME "VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
#define REQUIRED "NOT NULL"
#define ZERO "NOT NULL DEFAULT 0"
#define FALSE_ "NOT NULL DEFAULT FALSE"

#define GROUP_COLUMN                                                              \
    {                                                                             \
        "consumer_group", NAME, REQUIRED, ASCII_NAME, CHECK_ASCII_NONEMPTY, false \
    }
#define TOPIC_COLUMN                                                     \
    {                                                                    \
        "topic", NAME, REQUIRED, ASCII_NAME, CHECK_ASCII_NONEMPTY, false \
    }
#define PARTITION_COLUMN                                              \
    {                                                                 \
        "partition_key", NAME, REQUIRED, UTF8_NAME, CHECK_UTF8, false \
    }
/* A column that is the same on both sides and is not an identifier. */
#define PLAIN(name, type, options)                   \
    {                                                \
        name, type, options, type, CHECK_NONE, false \
    }
#define LATER(name, type, options)                  \
    {                                               \
        name, type, options, type, CHECK_NONE, true \
    }

static const struct catalog_column messages_columns[] = {
    { "offset", BIGINT, "NOT NULL AUTO_INCREMENT", BIGINT, CHECK_COUNTER, false },
    TOPIC_COLUMN,
    PARTITION_COLUMN,
    { "id", NAME, REQUIRED, UTF8_NAME, CHECK_UTF8, false },
    PLAIN("payload", "BLOB", REQUIRED),
    PLAIN("metadata", "JSON", "NULL"),
    PLAIN("created_at", BIGINT, REQUIRED),
    PLAIN("published_at", BIGINT, REQUIRED),
    PLAIN("failed_at", BIGINT, REQUIRED),
    PLAIN("failure_count", INTEGER, REQUIRED),
    PLAIN("last_error", "TEXT", REQUIRED),
    { "original_topic", NAME, REQUIRED, ASCII_NAME, CHECK_ASCII, false },
    LATER("failure_detail", "JSON", "NULL"),
};
static const struct catalog_key messages_legacy_keys[] = {
    { NULL, true, "offset" },
    { "idx_topic_partition_offset", false, "topic, partition_key, offset" },
    { "idx_topic_partition_id", true, "topic, partition_key, id" },
};
static const struct catalog_key messages_tenant_keys[] = {
    { NULL, true, "tenant, topic, partition_key, offset" },
    { "idx_topic_partition_id", true, "tenant, topic, partition_key, id" },
    { "idx_offset", false, "offset" },
};

static const struct catalog_column delivery_state_columns[] = {
    GROUP_COLUMN,
    TOPIC_COLUMN,
    PARTITION_COLUMN,
    PLAIN("message_offset", BIGINT, REQUIRED),
    PLAIN("acked", "BOOLEAN", FALSE_),
    PLAIN("invisible_until", BIGINT, ZERO),
    PLAIN("retry_count", INTEGER, ZERO),
    LATER("postponed", "BOOLEAN", FALSE_),
};
static const struct catalog_key delivery_state_legacy_keys[] = {
    { NULL, true, "consumer_group, topic, partition_key, message_offset" },
};
static const struct catalog_key delivery_state_tenant_keys[] = {
    { NULL, true, "tenant, consumer_group, topic, partition_key, message_offset" },
};

static const struct catalog_column offsets_columns[] = {
    GROUP_COLUMN,
    TOPIC_COLUMN,
    PARTITION_COLUMN,
    PLAIN("offset_acked", BIGINT, REQUIRED),
    PLAIN("updated_at", BIGINT, REQUIRED),
};
static const struct catalog_key offsets_legacy_keys[] = {
    { NULL, true, "consumer_group, topic, partition_key" },
    { "idx_topic", false, "topic" },
};
static const struct catalog_key offsets_tenant_keys[] = {
    { NULL, true, "tenant, topic, partition_key, consumer_group" },
};

static const struct catalog_column leases_columns[] = {
    GROUP_COLUMN,
    TOPIC_COLUMN,
    PARTITION_COLUMN,
    { "leased_by", NAME, REQUIRED, ASCII_NAME, CHECK_ASCII, false },
    PLAIN("leased_at", BIGINT, REQUIRED),
    PLAIN("lease_renewed_at", BIGINT, REQUIRED),
};
static const struct catalog_key leases_legacy_keys[] = {
    { NULL, true, "consumer_group, topic, partition_key" },
    { "idx_lease_renewed", false, "lease_renewed_at" },
};
static const struct catalog_key leases_tenant_keys[] = {
    { NULL, true, "tenant, consumer_group, topic, partition_key" },
};

static const struct catalog_column heartbeats_columns[] = {
    GROUP_COLUMN,
    TOPIC_COLUMN,
    { "subscriber_name", NAME, REQUIRED, ASCII_NAME, CHECK_ASCII, false },
    PLAIN("heartbeat_at", BIGINT, REQUIRED),
    PLAIN("deregistered_at", BIGINT, REQUIRED),
};
static const struct catalog_key heartbeats_legacy_keys[] = {
    { NULL, true, "consumer_group, topic, subscriber_name" },
};
static const struct catalog_key heartbeats_tenant_keys[] = {
    { NULL, true, "tenant, consumer_group, topic, subscriber_name" },
};

#define COUNTED(array) array, sizeof(array) / sizeof *(array)
#define TABLE(name, prefix, partition_key, has_metadata, version, aged_by)             \
    {                                                                                  \
        name, COUNTED(prefix##_columns), COUNTED(prefix##_legacy_keys),                \
            COUNTED(prefix##_tenant_keys), partition_key, has_metadata, version, aged_by \
    }

static const struct catalog_table tables[] = {
    TABLE("queue_messages", messages, "partition_key", true, NULL, NULL),
    TABLE("queue_delivery_state", delivery_state, "partition_key", false, NULL, NULL),
    TABLE("queue_offsets", offsets, "partition_key", false, NULL, NULL),
    TABLE("queue_partition_leases", leases, "partition_key", false, NULL, "lease_renewed_at"),
    TABLE("queue_subscriber_heartbeats", heartbeats, NULL, false, "heartbeat_at", NULL),
};

const struct catalog_table *catalog_builtin(size_t *ret_count)
{
    *ret_count = sizeof tables / sizeof *tables;
    return tables;
}

const struct catalog_table *catalog_builtin_find(struct slice table)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (slice_eq(slice_cstr(tables[i].name), table))
            return &tables[i];
    return NULL;
}
