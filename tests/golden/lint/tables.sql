/* Legacy tables: one as the catalogue has it, one that differs. */
CREATE TABLE queue_offsets (
    consumer_group VARCHAR(255) NOT NULL,
    topic VARCHAR(255) NOT NULL,
    partition_key VARCHAR(255) NOT NULL,
    offset_acked BIGINT UNSIGNED NOT NULL,
    updated_at BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (consumer_group, topic, partition_key),
    KEY idx_topic (topic)
);
CREATE TABLE IF NOT EXISTS queue_partition_leases (
    consumer_group VARCHAR(255) NOT NULL,
    topic VARCHAR(100) NOT NULL,
    partition_key VARCHAR(255) NOT NULL,
    leased_by VARCHAR(255) NOT NULL,
    leased_at BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (consumer_group, topic)
);

/* Tables for the shards: every key must lead with the tenant. */
CREATE TABLE queue_messages (
    tenant VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `offset` BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    topic VARCHAR(255) NOT NULL,
    PRIMARY KEY (tenant, topic, `offset`),
    UNIQUE KEY by_topic (tenant, topic),
    KEY idx_offset (`offset`),
    FULLTEXT KEY words (topic),
    CONSTRAINT positive CHECK (`offset` > 0)
);
CREATE TABLE audit (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    `Tenant` VARCHAR(255) NOT NULL,
    at BIGINT NOT NULL UNIQUE,
    note TEXT,
    KEY by_id (id),
    KEY by_id_again (id, `Tenant`),
    UNIQUE by_lower ((LOWER(note)))
);
CREATE TABLE without_primary (tenant VARCHAR(255), n INT, KEY (tenant, n));

/* Neither. */
CREATE TABLE jobs (id INT PRIMARY KEY);
CREATE TABLE copy_of LIKE queue_messages;
CREATE TEMPORARY TABLE queue_offsets (a INT);
ALTER TABLE queue_messages ADD KEY by_time (created_at);
