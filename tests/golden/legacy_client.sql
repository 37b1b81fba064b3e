What the legacy client and its admin tool send, as they prepare it.

-- case: publish
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param '{"trace":"1"}' --param 'v5' --param 'v6' --param 'v7'
INSERT INTO queue_messages (topic, id, payload, metadata, partition_key, created_at, published_at, failed_at, failure_count, last_error, original_topic, failure_detail)
VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, '', '', NULL)
ON DUPLICATE KEY UPDATE topic = topic
-- case: poll
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param 'v4'
SELECT offset, id, payload, metadata, partition_key, published_at, failed_at, failure_count, last_error, original_topic, failure_detail
FROM queue_messages
WHERE topic = ? AND partition_key = ? AND offset > ?
ORDER BY offset
LIMIT ?
-- case: poll, MariaDB
-- args: --set @mq_tenant=acme --dialect mariadb-10.11 --prepared --param 'v1' --param 'v2' --param 'v3' --param 'v4'
SELECT offset, id, payload, metadata, partition_key, published_at, failed_at, failure_count, last_error, original_topic, failure_detail
FROM queue_messages
WHERE topic = ? AND partition_key = ? AND offset > ?
ORDER BY offset
LIMIT ?
-- case: watermark offsets
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param 'v4'
SELECT offset FROM queue_messages
WHERE topic = ? AND partition_key = ? AND offset > ?
ORDER BY offset ASC
LIMIT ?
-- case: discovery
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1'
SELECT DISTINCT partition_key FROM queue_messages WHERE topic = ? ORDER BY partition_key
-- case: garbage collection
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3'
DELETE FROM queue_messages WHERE topic = ? AND partition_key = ? AND offset <= ?
-- case: garbage collection, MariaDB
-- args: --set @mq_tenant=acme --dialect mariadb-10.11 --prepared --param 'v1' --param 'v2' --param 'v3'
DELETE FROM queue_messages WHERE topic = ? AND partition_key = ? AND offset <= ?
-- case: delete a message
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3'
DELETE FROM queue_messages WHERE topic = ? AND partition_key = ? AND id = ?
-- case: dead letter: read
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3'
SELECT payload, metadata, partition_key, created_at, published_at
FROM queue_messages
WHERE topic = ? AND partition_key = ? AND id = ?
-- case: dead letter: insert
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param '{"trace":"1"}' --param 'v5' --param 'v6' --param 'v7' --param 'v8' --param 'v9' --param 'v10' --param 'v11' --param 'v12'
INSERT INTO queue_messages (topic, id, payload, metadata, partition_key, created_at, published_at, failed_at, failure_count, last_error, original_topic, failure_detail)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
-- case: mark delivered
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param 'v4' --param 'v5'
INSERT INTO queue_delivery_state (consumer_group, topic, partition_key, message_offset, acked, invisible_until, retry_count, postponed)
VALUES (?, ?, ?, ?, FALSE, ?, 0, FALSE)
ON DUPLICATE KEY UPDATE
	invisible_until = IF(acked = FALSE, VALUES(invisible_until), invisible_until),
	retry_count = IF(acked = FALSE AND postponed = FALSE, retry_count + 1, retry_count),
	postponed = IF(acked = FALSE, FALSE, postponed)
-- case: mark acknowledged
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param 'v4'
INSERT INTO queue_delivery_state (consumer_group, topic, partition_key, message_offset, acked, invisible_until, retry_count)
VALUES (?, ?, ?, ?, TRUE, 0, 0)
ON DUPLICATE KEY UPDATE acked = TRUE
-- case: extend visibility
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param 'v4' --param 'v5'
UPDATE queue_delivery_state
SET invisible_until = ?
WHERE consumer_group = ? AND topic = ? AND partition_key = ? AND message_offset = ? AND acked = FALSE
-- case: watermark walk
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param 'v4' --param 'v5' --param 'v6'
SELECT message_offset, acked FROM queue_delivery_state
WHERE consumer_group = ? AND topic = ? AND partition_key = ?
AND message_offset IN (?,?,?)
-- case: clean delivery state
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param 'v4'
DELETE FROM queue_delivery_state
WHERE consumer_group = ? AND topic = ? AND partition_key = ? AND message_offset <= ?
-- case: first offset
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param 'v4'
INSERT IGNORE INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at)
VALUES (?, ?, ?, 0, ?)
-- case: move offset
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param 'v4' --param 'v5' --param 'v6'
UPDATE queue_offsets
SET offset_acked = ?, updated_at = ?
WHERE consumer_group = ? AND topic = ? AND partition_key = ? AND offset_acked < ?
-- case: lowest offset
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2'
SELECT COALESCE(MIN(offset_acked), 0) FROM queue_offsets WHERE topic = ? AND partition_key = ?
-- case: take a lease
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param 'v4' --param 'v5' --param 'v6' --param 'v7' --param 'v8' --param 'v9'
INSERT INTO queue_partition_leases (consumer_group, topic, partition_key, leased_by, leased_at, lease_renewed_at)
VALUES (?, ?, ?, ?, ?, ?)
ON DUPLICATE KEY UPDATE
	leased_by = IF(lease_renewed_at < ?, VALUES(leased_by), leased_by),
	leased_at = IF(lease_renewed_at < ?, VALUES(leased_at), leased_at),
	lease_renewed_at = IF(lease_renewed_at < ?, VALUES(lease_renewed_at), lease_renewed_at)
-- case: renew a lease
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param 'v4' --param 'v5'
UPDATE queue_partition_leases
SET lease_renewed_at = ?
WHERE consumer_group = ? AND topic = ? AND partition_key = ? AND leased_by = ?
-- case: purge stale leases
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3'
DELETE FROM queue_partition_leases
WHERE consumer_group = ? AND topic = ? AND lease_renewed_at < ?
-- case: heartbeat
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param 'v4'
INSERT INTO queue_subscriber_heartbeats (consumer_group, topic, subscriber_name, heartbeat_at, deregistered_at)
VALUES (?, ?, ?, ?, 0)
ON DUPLICATE KEY UPDATE heartbeat_at = VALUES(heartbeat_at), deregistered_at = 0
-- case: active subscribers
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3'
SELECT subscriber_name FROM queue_subscriber_heartbeats
WHERE consumer_group = ? AND topic = ? AND heartbeat_at >= ? AND deregistered_at = 0
-- case: admin: topics
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared 
SELECT topic, COUNT(*) FROM queue_messages GROUP BY topic ORDER BY topic
-- case: admin: partitions
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1'
SELECT COUNT(DISTINCT partition_key) FROM queue_messages WHERE topic = ?
-- case: admin: messages
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2'
SELECT `offset`, id, topic, partition_key, created_at, published_at FROM queue_messages WHERE topic = ? ORDER BY `offset` LIMIT ?
-- case: admin: offsets
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared 
SELECT consumer_group, topic, partition_key, offset_acked, updated_at FROM queue_offsets ORDER BY consumer_group, topic, partition_key
-- case: admin: lag
-- args: --set @mq_tenant=acme --dialect mysql-9.7 --prepared --param 'v1' --param 'v2'
SELECT o.consumer_group, o.topic, o.partition_key, o.offset_acked,
       COALESCE(m.latest_offset, 0) AS latest_offset
FROM queue_offsets o
LEFT JOIN (
	SELECT topic, partition_key, MAX(`offset`) AS latest_offset
	FROM queue_messages
	WHERE topic = ?
	GROUP BY topic, partition_key
) m ON o.topic = m.topic AND o.partition_key = m.partition_key
WHERE o.topic = ?
ORDER BY o.consumer_group, o.partition_key
-- case: publish, as text
-- args: --user app
INSERT INTO queue_messages (topic, id, payload, metadata, partition_key, created_at, published_at, failed_at, failure_count, last_error, original_topic, failure_detail)
VALUES ('orders', 'id-1', _binary'{\"queue_name\":\"x\"}', '{\"queue_name\":\"globex\"}', 'p-1', 1700000000000, 1700000000001, 0, 0, '', '', NULL)
ON DUPLICATE KEY UPDATE topic = topic
