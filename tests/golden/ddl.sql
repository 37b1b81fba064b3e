The legacy tables' DDL.

-- case: legacy table
-- args: --user app
CREATE TABLE IF NOT EXISTS queue_offsets (
    consumer_group VARCHAR(255) NOT NULL,
    topic VARCHAR(255) NOT NULL,
    partition_key VARCHAR(255) NOT NULL,
    offset_acked BIGINT UNSIGNED NOT NULL,
    updated_at BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (consumer_group, topic, partition_key),
    INDEX idx_topic (topic)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- case: as a dump prints it
-- args: --user app
CREATE TABLE `mq`.`queue_delivery_state` (
  `consumer_group` varchar(255) NOT NULL,
  `topic` varchar(255) NOT NULL,
  `partition_key` varchar(255) NOT NULL,
  `message_offset` bigint(20) unsigned NOT NULL,
  `acked` tinyint(1) NOT NULL DEFAULT '0',
  `invisible_until` bigint(20) unsigned NOT NULL DEFAULT '0',
  `retry_count` int(10) unsigned NOT NULL DEFAULT 0,
  PRIMARY KEY (`consumer_group`,`topic`,`partition_key`,`message_offset`)
) ENGINE=InnoDB
-- case: everything differs
-- args: --user app
CREATE TABLE queue_offsets (
    topic TEXT NOT NULL,
    consumer_group VARCHAR(255) NULL,
    visible_after BIGINT,
    offset_acked BIGINT,
    updated_at BIGINT UNSIGNED NOT NULL DEFAULT 5,
    PRIMARY KEY (topic),
    UNIQUE KEY u (consumer_group)
)
-- case: a shorter column
-- args: --user app
CREATE TABLE queue_offsets (consumer_group VARCHAR(255) NOT NULL, topic VARCHAR(100) NOT NULL, partition_key VARCHAR(255) NOT NULL, offset_acked BIGINT UNSIGNED NOT NULL, updated_at BIGINT UNSIGNED NOT NULL, PRIMARY KEY (consumer_group, topic, partition_key))
-- case: a prefix in the key
-- args: --user app
CREATE TABLE queue_offsets (consumer_group VARCHAR(255) NOT NULL, topic VARCHAR(255) NOT NULL, partition_key VARCHAR(255) NOT NULL, offset_acked BIGINT UNSIGNED NOT NULL, updated_at BIGINT UNSIGNED NOT NULL, PRIMARY KEY (consumer_group, topic, partition_key(10)))
-- case: unknown table
CREATE TABLE users (id INT)
-- case: TEMPORARY
CREATE TEMPORARY TABLE queue_offsets (topic VARCHAR(255))
-- case: CREATE SELECT
CREATE TABLE queue_offsets AS SELECT * FROM queue_messages
-- case: CREATE LIKE
CREATE TABLE queue_offsets LIKE queue_messages
-- case: DROP by an administrator
-- args: --user admin
DROP TABLE IF EXISTS queue_messages, mq.queue_offsets
-- case: DROP by anybody
-- args: --user app
DROP TABLE queue_messages
-- case: DROP of an unknown table
-- args: --user admin
DROP TABLE queue_messages, users
-- case: TRUNCATE by an administrator
-- args: --user admin --set @mq_tenant=acme
TRUNCATE TABLE queue_offsets

-- case: TRUNCATE by an administrator, a database
-- args: --user admin --set @mq_tenant=acme
TRUNCATE /* all of it */ queue.queue_offsets;

-- case: TRUNCATE by an administrator, no tenant
-- args: --user admin
TRUNCATE queue_offsets

-- case: TRUNCATE of an unknown table
-- args: --user admin --set @mq_tenant=acme
TRUNCATE other

-- case: TRUNCATE
-- args: --user admin
TRUNCATE TABLE queue_messages
-- case: ALTER
-- args: --user admin
ALTER TABLE queue_messages ADD COLUMN x INT
-- case: CREATE INDEX
CREATE INDEX i ON queue_messages (topic)
-- case: CREATE VIEW
CREATE VIEW v AS SELECT * FROM queue_messages

-- case: TRUNCATE by anybody
TRUNCATE TABLE queue_messages
