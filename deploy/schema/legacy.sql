-- The legacy schema: what an application that knows nothing of tenants creates and uses. The
-- same as `mqgate schema --legacy` prints; sent through mqgate it makes the tenant schema.

CREATE TABLE IF NOT EXISTS `queue_messages` (
    `offset` BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    `topic` VARCHAR(255) NOT NULL,
    `partition_key` VARCHAR(255) NOT NULL,
    `id` VARCHAR(255) NOT NULL,
    `payload` BLOB NOT NULL,
    `metadata` JSON NULL,
    `created_at` BIGINT UNSIGNED NOT NULL,
    `published_at` BIGINT UNSIGNED NOT NULL,
    `failed_at` BIGINT UNSIGNED NOT NULL,
    `failure_count` INT UNSIGNED NOT NULL,
    `last_error` TEXT NOT NULL,
    `original_topic` VARCHAR(255) NOT NULL,
    `failure_detail` JSON NULL,
    PRIMARY KEY (`offset`),
    KEY `idx_topic_partition_offset` (`topic`, `partition_key`, `offset`),
    UNIQUE KEY `idx_topic_partition_id` (`topic`, `partition_key`, `id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS `queue_delivery_state` (
    `consumer_group` VARCHAR(255) NOT NULL,
    `topic` VARCHAR(255) NOT NULL,
    `partition_key` VARCHAR(255) NOT NULL,
    `message_offset` BIGINT UNSIGNED NOT NULL,
    `acked` BOOLEAN NOT NULL DEFAULT FALSE,
    `invisible_until` BIGINT UNSIGNED NOT NULL DEFAULT 0,
    `retry_count` INT UNSIGNED NOT NULL DEFAULT 0,
    `postponed` BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (`consumer_group`, `topic`, `partition_key`, `message_offset`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS `queue_offsets` (
    `consumer_group` VARCHAR(255) NOT NULL,
    `topic` VARCHAR(255) NOT NULL,
    `partition_key` VARCHAR(255) NOT NULL,
    `offset_acked` BIGINT UNSIGNED NOT NULL,
    `updated_at` BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (`consumer_group`, `topic`, `partition_key`),
    KEY `idx_topic` (`topic`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS `queue_partition_leases` (
    `consumer_group` VARCHAR(255) NOT NULL,
    `topic` VARCHAR(255) NOT NULL,
    `partition_key` VARCHAR(255) NOT NULL,
    `leased_by` VARCHAR(255) NOT NULL,
    `leased_at` BIGINT UNSIGNED NOT NULL,
    `lease_renewed_at` BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (`consumer_group`, `topic`, `partition_key`),
    KEY `idx_lease_renewed` (`lease_renewed_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS `queue_subscriber_heartbeats` (
    `consumer_group` VARCHAR(255) NOT NULL,
    `topic` VARCHAR(255) NOT NULL,
    `subscriber_name` VARCHAR(255) NOT NULL,
    `heartbeat_at` BIGINT UNSIGNED NOT NULL,
    `deregistered_at` BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (`consumer_group`, `topic`, `subscriber_name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
