-- The tenant schema: what each shard holds. The same as `mqgate schema --tenant` prints.

CREATE TABLE IF NOT EXISTS `queue_messages` (
    `tenant` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `offset` BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    `topic` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `partition_key` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    `id` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    `payload` BLOB NOT NULL,
    `metadata` JSON NULL,
    `created_at` BIGINT UNSIGNED NOT NULL,
    `published_at` BIGINT UNSIGNED NOT NULL,
    `failed_at` BIGINT UNSIGNED NOT NULL,
    `failure_count` INT UNSIGNED NOT NULL,
    `last_error` TEXT NOT NULL,
    `original_topic` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `failure_detail` JSON NULL,
    PRIMARY KEY (`tenant`, `topic`, `partition_key`, `offset`),
    UNIQUE KEY `idx_topic_partition_id` (`tenant`, `topic`, `partition_key`, `id`),
    KEY `idx_offset` (`offset`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS `queue_delivery_state` (
    `tenant` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `consumer_group` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `topic` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `partition_key` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    `message_offset` BIGINT UNSIGNED NOT NULL,
    `acked` BOOLEAN NOT NULL DEFAULT FALSE,
    `invisible_until` BIGINT UNSIGNED NOT NULL DEFAULT 0,
    `retry_count` INT UNSIGNED NOT NULL DEFAULT 0,
    `postponed` BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (`tenant`, `consumer_group`, `topic`, `partition_key`, `message_offset`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS `queue_offsets` (
    `tenant` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `consumer_group` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `topic` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `partition_key` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    `offset_acked` BIGINT UNSIGNED NOT NULL,
    `updated_at` BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (`tenant`, `topic`, `partition_key`, `consumer_group`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS `queue_partition_leases` (
    `tenant` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `consumer_group` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `topic` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `partition_key` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    `leased_by` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `leased_at` BIGINT UNSIGNED NOT NULL,
    `lease_renewed_at` BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (`tenant`, `consumer_group`, `topic`, `partition_key`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS `queue_subscriber_heartbeats` (
    `tenant` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `consumer_group` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `topic` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `subscriber_name` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `heartbeat_at` BIGINT UNSIGNED NOT NULL,
    `deregistered_at` BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (`tenant`, `consumer_group`, `topic`, `subscriber_name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
