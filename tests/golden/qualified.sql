Qualified partition keys: tenant|key wherever a client sees the column.

-- case: legacy client: publish
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param '{"trace":"1"}' --param 'acme|v5' --param 'v6' --param 'v7'
INSERT INTO queue_messages (topic, id, payload, metadata, partition_key, created_at, published_at, failed_at, failure_count, last_error, original_topic, failure_detail)
VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, '', '', NULL)
ON DUPLICATE KEY UPDATE topic = topic
-- case: legacy client: poll
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7 --prepared --param 'v1' --param 'acme|v2' --param 'v3' --param 'v4'
SELECT offset, id, payload, metadata, partition_key, published_at, failed_at, failure_count, last_error, original_topic, failure_detail
FROM queue_messages
WHERE topic = ? AND partition_key = ? AND offset > ?
ORDER BY offset
LIMIT ?
-- case: legacy client: delete a message
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7 --prepared --param 'v1' --param 'acme|v2' --param 'v3'
DELETE FROM queue_messages WHERE topic = ? AND partition_key = ? AND id = ?
-- case: legacy client: dead letter: insert
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param '{"trace":"1"}' --param 'acme|v5' --param 'v6' --param 'v7' --param 'v8' --param 'v9' --param 'v10' --param 'v11' --param 'v12'
INSERT INTO queue_messages (topic, id, payload, metadata, partition_key, created_at, published_at, failed_at, failure_count, last_error, original_topic, failure_detail)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
-- case: legacy client: mark delivered
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'acme|v3' --param 'v4' --param 'v5'
INSERT INTO queue_delivery_state (consumer_group, topic, partition_key, message_offset, acked, invisible_until, retry_count, postponed)
VALUES (?, ?, ?, ?, FALSE, ?, 0, FALSE)
ON DUPLICATE KEY UPDATE
	invisible_until = IF(acked = FALSE, VALUES(invisible_until), invisible_until),
	retry_count = IF(acked = FALSE AND postponed = FALSE, retry_count + 1, retry_count),
	postponed = IF(acked = FALSE, FALSE, postponed)
-- case: legacy client: mark acknowledged
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'acme|v3' --param 'v4'
INSERT INTO queue_delivery_state (consumer_group, topic, partition_key, message_offset, acked, invisible_until, retry_count)
VALUES (?, ?, ?, ?, TRUE, 0, 0)
ON DUPLICATE KEY UPDATE acked = TRUE
-- case: legacy client: extend visibility
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param 'acme|v4' --param 'v5'
UPDATE queue_delivery_state
SET invisible_until = ?
WHERE consumer_group = ? AND topic = ? AND partition_key = ? AND message_offset = ? AND acked = FALSE
-- case: legacy client: watermark walk
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'acme|v3' --param 'v4' --param 'v5' --param 'v6'
SELECT message_offset, acked FROM queue_delivery_state
WHERE consumer_group = ? AND topic = ? AND partition_key = ?
AND message_offset IN (?,?,?)
-- case: legacy client: first offset
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'acme|v3' --param 'v4'
INSERT IGNORE INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at)
VALUES (?, ?, ?, 0, ?)
-- case: legacy client: move offset
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param 'v4' --param 'acme|v5' --param 'v6'
UPDATE queue_offsets
SET offset_acked = ?, updated_at = ?
WHERE consumer_group = ? AND topic = ? AND partition_key = ? AND offset_acked < ?
-- case: legacy client: lowest offset
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7 --prepared --param 'v1' --param 'acme|v2'
SELECT COALESCE(MIN(offset_acked), 0) FROM queue_offsets WHERE topic = ? AND partition_key = ?
-- case: legacy client: take a lease
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'acme|v3' --param 'v4' --param 'v5' --param 'v6' --param 'v7' --param 'v8' --param 'v9'
INSERT INTO queue_partition_leases (consumer_group, topic, partition_key, leased_by, leased_at, lease_renewed_at)
VALUES (?, ?, ?, ?, ?, ?)
ON DUPLICATE KEY UPDATE
	leased_by = IF(lease_renewed_at < ?, VALUES(leased_by), leased_by),
	leased_at = IF(lease_renewed_at < ?, VALUES(leased_at), leased_at),
	lease_renewed_at = IF(lease_renewed_at < ?, VALUES(lease_renewed_at), lease_renewed_at)
-- case: legacy client: renew a lease
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7 --prepared --param 'v1' --param 'v2' --param 'v3' --param 'acme|v4' --param 'v5'
UPDATE queue_partition_leases
SET lease_renewed_at = ?
WHERE consumer_group = ? AND topic = ? AND partition_key = ? AND leased_by = ?
-- case: heading as written
-- args: --set partition_keys=qualified --user app
SELECT Partition_Key, m.`partition_key`, partition_key k FROM queue_messages m WHERE partition_key = 'acme|k'
-- case: star
-- args: --set partition_keys=qualified --user app
SELECT * FROM queue_offsets WHERE partition_key = 'acme|k' AND topic = 't'
-- case: star of one table
-- args: --set partition_keys=qualified --user app
SELECT o.*, 1 FROM queue_offsets o WHERE o.partition_key = 'acme|k'
-- case: TABLE
-- args: --set partition_keys=qualified --set @mq_tenant=acme
TABLE queue_offsets ORDER BY partition_key LIMIT 1
-- case: IN of one tenant
-- args: --set partition_keys=qualified --user app
SELECT topic FROM queue_messages WHERE partition_key IN ('acme|a', 'acme|b|', 'acme|c')
-- case: IN of one tenant, escapes and character sets
-- args: --set partition_keys=qualified --user app
SELECT topic FROM queue_messages WHERE partition_key IN ('acme|it''s', "acme|b", N'acme|c', _utf8mb4'acme|\\n')
-- case: IN with parameters
-- args: --set partition_keys=qualified --user app --prepared --param 'acme|a' --param 'acme|b'
SELECT topic FROM queue_messages WHERE partition_key IN (?, ?, 'acme|c')
-- case: IN of two tenants
-- args: --set partition_keys=qualified --user app
SELECT topic FROM queue_messages WHERE partition_key IN ('acme|a', 'globex|b')
-- case: rows
-- args: --set partition_keys=qualified --user app
SELECT topic FROM queue_messages WHERE (topic, partition_key) = ('t', 'acme|a')
-- case: list of rows
-- args: --set partition_keys=qualified --user app
SELECT topic FROM queue_messages WHERE (topic, partition_key) IN (('t', 'acme|a'), ('u', 'acme|b'))
-- case: other comparisons
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT topic FROM queue_messages WHERE partition_key LIKE 'acme|%' OR partition_key > 'acme|b' OR partition_key = 'globex|x'
-- case: functions
-- args: --set partition_keys=qualified --set @mq_tenant=acme --prepared --param 'acme|a'
SELECT LENGTH(partition_key), COUNT(DISTINCT partition_key), CONCAT(partition_key, ?) FROM queue_messages WHERE topic = 'x'
-- case: discovery
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT DISTINCT partition_key FROM queue_messages WHERE topic = 't' ORDER BY partition_key
-- case: DISTINCT: MariaDB loses rows if both the list and the order have the expression
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT DISTINCT topic, m.partition_key FROM queue_messages m ORDER BY topic DESC, m.partition_key DESC LIMIT 2
-- case: the same under another name
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT DISTINCT topic, partition_key AS k FROM queue_messages ORDER BY partition_key, k
-- case: group
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT topic, partition_key, COUNT(*) AS n FROM queue_messages GROUP BY topic, partition_key HAVING partition_key > 'acme|a' AND MAX(partition_key) < 'b' ORDER BY partition_key, n
-- case: group of what is not listed
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT COUNT(*) FROM queue_messages GROUP BY partition_key HAVING partition_key > 'acme|a'
-- case: rollup
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT partition_key, COUNT(*) FROM queue_messages GROUP BY partition_key WITH ROLLUP
-- case: HAVING without GROUP BY
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT partition_key FROM queue_messages HAVING partition_key = 'acme|a'
-- case: order by an index
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT topic, partition_key FROM queue_messages ORDER BY partition_key DESC, LENGTH(partition_key), offset LIMIT 3
-- case: another column of that name
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT id AS partition_key FROM queue_messages ORDER BY partition_key
-- case: derived table
-- args: --set partition_keys=qualified --user app
SELECT d.partition_key, n FROM (SELECT partition_key, COUNT(*) n FROM queue_messages WHERE partition_key = 'acme|a' GROUP BY partition_key) d WHERE d.partition_key LIKE 'a%' ORDER BY d.partition_key
-- case: WITH
-- args: --set partition_keys=qualified --set @mq_tenant=acme
WITH q AS (SELECT * FROM queue_offsets), r (partition_key) AS (SELECT partition_key FROM queue_messages) SELECT q.partition_key FROM q JOIN r USING (partition_key)
-- case: UNION
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT partition_key FROM queue_messages UNION SELECT partition_key FROM queue_offsets ORDER BY partition_key
-- case: join by the key
-- args: --set partition_keys=qualified --user app
SELECT m.id, d.acked FROM queue_messages m LEFT JOIN queue_delivery_state d ON d.topic = m.topic AND d.partition_key = m.partition_key AND d.message_offset = m.offset WHERE m.topic = 't' AND m.partition_key = 'acme|k'
-- case: join by something else
-- args: --set partition_keys=qualified --user app
SELECT m.id FROM queue_messages m JOIN queue_offsets o ON o.topic = m.topic WHERE m.partition_key = 'acme|k'
-- case: the same within one tenant
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT m.id FROM queue_messages m JOIN queue_offsets o ON o.topic = m.topic WHERE m.partition_key = 'acme|k'
-- case: sub-query that is tied
-- args: --set partition_keys=qualified --user app
SELECT id FROM queue_messages m WHERE m.partition_key = 'acme|k' AND NOT EXISTS (SELECT 1 FROM queue_delivery_state d WHERE d.partition_key = m.partition_key)
-- case: USING the key
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT id FROM queue_messages JOIN queue_offsets USING (topic, partition_key)
-- case: USING something else in an outer join
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT o.partition_key, m.* FROM queue_messages m LEFT JOIN queue_offsets o USING (topic)
-- case: ambiguous
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT partition_key FROM queue_messages m JOIN queue_offsets o ON o.topic = m.topic
-- case: locked
-- args: --set partition_keys=qualified --user app
SELECT id FROM queue_messages WHERE topic = 't' AND partition_key = 'acme|k' AND offset > 5 ORDER BY offset LIMIT 3 FOR UPDATE
-- case: insert: metadata agrees
-- args: --set partition_keys=qualified --user app
INSERT INTO queue_messages (topic, partition_key, id, metadata) VALUES ('t', 'globex|k', 'i', '{"queue_name":"globex"}')
-- case: insert: metadata and a plain key
-- args: --set partition_keys=qualified --user app
INSERT INTO queue_messages (topic, partition_key, id, metadata) VALUES ('t', 'k', 'i', '{"queue_name":"globex"}')
-- case: insert: metadata disagrees
-- args: --set partition_keys=qualified --user app
INSERT INTO queue_messages (topic, partition_key, id, metadata) VALUES ('t', 'acme|k', 'i', '{"queue_name":"globex"}')
-- case: insert: nothing but a plain key
-- args: --set partition_keys=qualified --user app
INSERT INTO queue_messages (topic, partition_key, id) VALUES ('t', 'k', 'i')
-- case: insert: a plain key of the default tenant
-- args: --set partition_keys=qualified --user app --set default_tenant=initech
INSERT INTO queue_messages (topic, partition_key, id) VALUES ('t', 'k', 'i')
-- case: insert: a plain key elsewhere
-- args: --set partition_keys=qualified --set @mq_tenant=acme
INSERT INTO queue_offsets (topic, partition_key) VALUES ('t', 'k')
-- case: insert: rows of two tenants
-- args: --set partition_keys=qualified --user app
INSERT INTO queue_offsets (topic, partition_key) VALUES ('t', 'acme|k'), ('t', 'globex|k')
-- case: insert: computed
-- args: --set partition_keys=qualified --user app
INSERT INTO queue_offsets (topic, partition_key) VALUES ('t', CONCAT('acme|', 'k'))
-- case: insert without columns
-- args: --set partition_keys=qualified --user app
INSERT INTO queue_offsets VALUES ('g', 't', 'acme|k', 1, 2)
-- case: insert SET
-- args: --set partition_keys=qualified --user app
INSERT INTO queue_offsets SET topic = 't', partition_key = 'acme|k' ON DUPLICATE KEY UPDATE partition_key = VALUES(partition_key), updated_at = LENGTH(partition_key) + LENGTH(VALUES(partition_key))
-- case: insert: row alias
-- args: --set partition_keys=qualified --user app
INSERT INTO queue_offsets (topic, partition_key) VALUES ('t', 'acme|k') AS n ON DUPLICATE KEY UPDATE updated_at = LENGTH(n.partition_key)
-- case: insert a query
-- args: --set partition_keys=qualified --user app
INSERT INTO queue_offsets (consumer_group, topic, partition_key) SELECT 'g', topic, partition_key FROM queue_messages WHERE partition_key = 'acme|k'
-- case: insert a query with a value
-- args: --set partition_keys=qualified --user app
INSERT INTO queue_offsets (consumer_group, topic, partition_key) SELECT 'g', topic, 'acme|k' FROM queue_messages WHERE partition_key = 'acme|k'
-- case: insert a computed query
-- args: --set partition_keys=qualified --user app
INSERT INTO queue_offsets (consumer_group, topic, partition_key) SELECT 'g', topic, UPPER(partition_key) FROM queue_messages WHERE partition_key = 'acme|k'
-- case: insert all of a query
-- args: --set partition_keys=qualified --user app
INSERT INTO queue_partition_leases SELECT * FROM queue_partition_leases WHERE partition_key = 'acme|k' ON DUPLICATE KEY UPDATE leased_by = 'x'
-- case: replace
-- args: --set partition_keys=qualified --user app
REPLACE INTO queue_offsets (topic, partition_key) VALUES ('t', 'acme|k')
-- case: update
-- args: --set partition_keys=qualified --user app
UPDATE queue_messages SET partition_key = 'acme|n', last_error = partition_key WHERE partition_key = 'acme|k' ORDER BY partition_key LIMIT 1
-- case: update to another tenant
-- args: --set partition_keys=qualified --user app
UPDATE queue_messages SET partition_key = 'globex|n' WHERE partition_key = 'acme|k'
-- case: update by an expression
-- args: --set partition_keys=qualified --user app
UPDATE queue_messages SET partition_key = CONCAT(partition_key, 'x') WHERE partition_key = 'acme|k'
-- case: update that keeps it
-- args: --set partition_keys=qualified --user app
UPDATE queue_messages SET partition_key = partition_key WHERE partition_key = 'acme|k'
-- case: delete
-- args: --set partition_keys=qualified --user app
DELETE FROM queue_messages WHERE partition_key = 'acme|k' AND offset < 3
-- case: source sql speaks plain keys
-- args: --set partition_keys=qualified --user app
SELECT partition_key FROM queue_messages WHERE tenant = 'acme' AND partition_key = 'k'
-- case: comment agrees
-- args: --set partition_keys=qualified --user app
/*tenant='acme'*/ SELECT topic FROM queue_messages WHERE partition_key = 'acme|k'
-- case: comment disagrees
-- args: --set partition_keys=qualified --user app
/*tenant='acme'*/ SELECT topic FROM queue_messages WHERE partition_key = 'globex|k'
-- case: outside the session
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT topic FROM queue_messages WHERE partition_key = 'globex|k'
-- case: an unknown tenant
-- args: --set partition_keys=qualified --user app
SELECT topic FROM queue_messages WHERE partition_key = 'nobody|k'
-- case: no tenant
-- args: --set partition_keys=qualified --user app
SELECT topic FROM queue_messages WHERE partition_key = 'k'
-- case: no tenant: the default one
-- args: --set partition_keys=qualified --user app --set default_tenant=initech
SELECT partition_key FROM queue_messages WHERE partition_key = 'k'
-- case: the default tenant is bare
-- args: --set partition_keys=qualified --user app --set default_tenant=initech
SELECT topic FROM queue_messages WHERE partition_key = 'initech|k'
-- case: the default tenant names no statement
-- args: --set partition_keys=qualified --user app --set default_tenant=initech
SELECT topic FROM queue_messages
-- case: the separator within a key
-- args: --set partition_keys=qualified --user app
SELECT topic FROM queue_messages WHERE partition_key = 'acme|k|l'
-- case: another separator
-- args: --set partition_keys=qualified --user app --set partition_key_separator=:
SELECT partition_key FROM queue_messages WHERE partition_key = 'acme:k|l'
-- case: a number
-- args: --set partition_keys=qualified --set @mq_tenant=acme
SELECT topic FROM queue_messages WHERE partition_key = 5
-- case: a spelling that cannot be cut
-- args: --set partition_keys=qualified --user app
SELECT topic FROM queue_messages WHERE partition_key = 'ac' 'me|k'
-- case: an escape within the tenant
-- args: --set partition_keys=qualified --user app
SELECT topic FROM queue_messages WHERE partition_key = 'ac\\me|k'
-- case: NULL
-- args: --set partition_keys=qualified --set @mq_tenant=acme --prepared --param NULL
SELECT topic FROM queue_messages WHERE partition_key = ?
-- case: a key of 255 characters
-- args: --set partition_keys=qualified --user app
SELECT topic FROM queue_messages WHERE partition_key = 'acme|kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk'
-- case: INSERT of a key of 256 characters
-- args: --set partition_keys=qualified --user app
INSERT INTO queue_offsets (topic, partition_key) VALUES ('t', 'acme|kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk')
-- case: several tenants: discovery
-- args: --set partition_keys=qualified --user app
SELECT DISTINCT partition_key FROM queue_messages WHERE topic = 't' ORDER BY partition_key
-- case: several tenants: two columns counted
-- args: --set partition_keys=qualified --user app
SELECT COUNT(DISTINCT consumer_group), COUNT(DISTINCT partition_key) FROM queue_offsets
-- case: several tenants: two columns counted, the key first
-- args: --set partition_keys=qualified --user app
SELECT COUNT(DISTINCT partition_key), COUNT(DISTINCT consumer_group) FROM queue_offsets
