Statements of several tenants that could not be answered exactly, and why.

-- case: two tables
-- args: --user app
SELECT m.id FROM queue_messages m JOIN queue_offsets o ON m.topic = o.topic
-- case: a sub-query
-- args: --user app
SELECT id FROM queue_messages WHERE topic IN (SELECT topic FROM queue_offsets)
-- case: a derived table
-- args: --user app
SELECT COUNT(*) FROM (SELECT DISTINCT topic FROM queue_messages) x
-- case: TABLE
-- args: --user app
TABLE queue_offsets
-- case: a lock
-- args: --user app
SELECT id FROM queue_messages WHERE topic = 'a' FOR UPDATE
-- case: found rows
-- args: --user app
SELECT SQL_CALC_FOUND_ROWS id FROM queue_messages LIMIT 1
-- case: a window
-- args: --user app --dialect mysql-9.7
SELECT ROW_NUMBER() OVER (ORDER BY id) FROM queue_messages
-- case: the time
-- args: --user app
SELECT id FROM queue_messages WHERE created_at < UNIX_TIMESTAMP() * 1000
-- case: a system variable
-- args: --user app
SELECT @@max_allowed_packet, id FROM queue_messages
-- case: an offset by itself
-- args: --user app
SELECT id FROM queue_messages WHERE topic = 'a' AND `offset` = 5
-- case: grouped by offset
-- args: --user app
SELECT `offset`, COUNT(*) FROM queue_messages GROUP BY `offset`
-- case: distinct offsets
-- args: --user app
SELECT DISTINCT `offset`, topic FROM queue_messages
-- case: order by a text that is too long to be sorted whole
-- args: --user app
SELECT id FROM queue_messages ORDER BY last_error
-- case: order by an expression
-- args: --user app
SELECT id FROM queue_messages ORDER BY CHAR_LENGTH(id)
-- case: order by a number
-- args: --user app
SELECT id FROM queue_messages ORDER BY 1
-- case: order by a name that means two things
-- args: --user app
SELECT id AS topic FROM queue_messages ORDER BY topic
-- case: order by a column that DISTINCT hides
-- args: --user app
SELECT DISTINCT id FROM queue_messages ORDER BY topic
-- case: distinct documents
-- args: --user app
SELECT DISTINCT metadata FROM queue_messages
-- case: distinct groups
-- args: --user app
SELECT DISTINCT COUNT(*) FROM queue_messages GROUP BY topic
-- case: a column beside groups
-- args: --user app
SELECT topic, id, COUNT(*) FROM queue_messages GROUP BY topic
-- case: a column beside aggregates
-- args: --user app
SELECT topic, COUNT(*) FROM queue_messages
-- case: an aggregate that is not merged
-- args: --user app
SELECT GROUP_CONCAT(id) FROM queue_messages
-- case: the sum of an expression in an expression
-- args: --user app
SELECT 1 + SUM(failure_count * 2) FROM queue_messages
-- case: the sum of texts
-- args: --user app
SELECT SUM(id) FROM queue_messages
-- case: the least of documents
-- args: --user app
SELECT MIN(metadata) FROM queue_messages
-- case: a quotient
-- args: --user app
SELECT SUM(failure_count) / COUNT(*) FROM queue_messages
-- case: distinct of two columns
-- args: --user app
SELECT COUNT(DISTINCT topic), COUNT(DISTINCT id) FROM queue_messages
-- case: rollup
-- args: --user app
SELECT topic, COUNT(*) FROM queue_messages GROUP BY topic WITH ROLLUP
-- case: having without groups
-- args: --user app
SELECT id FROM queue_messages HAVING id > 'a'
-- case: having of another type
-- args: --user app
SELECT topic FROM queue_messages GROUP BY topic HAVING COUNT(*) > '5'
-- case: having of another type, prepared
-- args: --user app --param x
SELECT topic FROM queue_messages GROUP BY topic HAVING COUNT(*) > ?
-- case: a limit that is no number
-- args: --user app --param x
SELECT id FROM queue_messages LIMIT ?
-- case: heartbeats by a pattern of what may be older
-- args: --user app
SELECT subscriber_name FROM queue_subscriber_heartbeats WHERE heartbeat_at LIKE '5%'
-- case: heartbeats grouped outside their key
-- args: --user app
SELECT heartbeat_at, COUNT(*) FROM queue_subscriber_heartbeats GROUP BY heartbeat_at
-- case: an INSERT without a tenant
-- args: --user app
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', 1, 1)
-- case: an UPDATE without a tenant
-- args: --user app
UPDATE queue_offsets SET offset_acked = 0 WHERE topic = 't'
-- case: a DELETE of messages without a tenant
-- args: --user app
DELETE FROM queue_messages WHERE topic = 't'
-- case: leases that are not old
-- args: --user app
DELETE FROM queue_partition_leases WHERE topic = 't' OR lease_renewed_at < 5
-- case: a purge with a limit
-- args: --user app
DELETE FROM queue_partition_leases WHERE lease_renewed_at < 5 LIMIT 10
-- case: a heartbeat that must be the first
-- args: --user app
INSERT INTO queue_subscriber_heartbeats (consumer_group, topic, subscriber_name, heartbeat_at, deregistered_at) VALUES ('g', 't', 's', 5, 0)
-- case: heartbeats with a limit
-- args: --user app
DELETE FROM queue_subscriber_heartbeats WHERE heartbeat_at < 5 LIMIT 1
-- case: heartbeats by what one copy may have and another not
-- args: --user app
UPDATE queue_subscriber_heartbeats SET deregistered_at = 5 WHERE topic = 't' AND heartbeat_at < 5
-- case: heartbeats that are young, of which an older copy would stay
-- args: --user app
DELETE FROM queue_subscriber_heartbeats WHERE topic = 't' AND heartbeat_at > 5
-- case: heartbeats of a list of tenants, each of which would have it twice
-- args: --user app
UPDATE queue_subscriber_heartbeats SET heartbeat_at = heartbeat_at + 1 WHERE tenant IN ('acme', 'initech')
-- case: a value that the session is to be told
-- args: --user app --set scatter_writes=queue_offsets
UPDATE queue_offsets SET offset_acked = LAST_INSERT_ID(offset_acked + 1) WHERE topic = 'a'
-- case: a change of rows by their counter
-- args: --user app --set scatter_writes=queue_messages
UPDATE queue_messages SET failure_count = 0 WHERE topic = 't' AND `offset` = 5
-- case: a deletion of rows by their counter
-- args: --user app --set scatter_writes=queue_messages
DELETE FROM queue_messages WHERE `offset` IN (5, 6)
-- case: an EXPLAIN
-- args: --user app
EXPLAIN SELECT id FROM queue_messages
-- case: for programs
-- args: --user app --json
SELECT id FROM queue_messages ORDER BY 1
-- case: qualified: tied by topic only
-- args: --set partition_keys=qualified --user app
SELECT o.topic, m.n FROM queue_offsets o LEFT JOIN (SELECT topic, partition_key, MAX(`offset`) AS n FROM queue_messages GROUP BY topic, partition_key) m ON o.topic = m.topic
-- case: qualified: the tie of an outer join stands in WHERE
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_offsets o LEFT JOIN queue_messages m ON o.topic = m.topic WHERE o.partition_key = m.partition_key
-- case: qualified: the tie stands in the ON of another join
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_offsets o LEFT JOIN queue_messages m ON o.topic = m.topic LEFT JOIN queue_delivery_state d ON o.partition_key = m.partition_key AND d.partition_key = o.partition_key
-- case: qualified: tied within the optional side only
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_offsets o LEFT JOIN (queue_messages m JOIN queue_delivery_state d ON d.partition_key = m.partition_key) ON m.topic = o.topic
-- case: qualified: a tie that OR bypasses
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_offsets o JOIN queue_messages m ON o.partition_key = m.partition_key OR o.topic = 'a'
-- case: qualified: a tie that NOT turns round
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_offsets o JOIN queue_messages m ON NOT (o.partition_key = m.partition_key)
-- case: qualified: NULL-safe equality
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_offsets o JOIN queue_messages m ON o.partition_key <=> m.partition_key
-- case: qualified: under a function
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_offsets o JOIN queue_messages m ON LOWER(o.partition_key) = m.partition_key
-- case: qualified: one of three is not tied
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_offsets o JOIN queue_messages m ON o.partition_key = m.partition_key JOIN queue_delivery_state d ON d.topic = o.topic
-- case: qualified: something else is called like the key
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_offsets o JOIN (SELECT topic AS partition_key FROM queue_messages) m ON o.partition_key = m.partition_key
-- case: qualified: a computed key
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_offsets o JOIN (SELECT CONCAT(partition_key, '') AS partition_key FROM queue_messages) m ON o.partition_key = m.partition_key
-- case: qualified: renamed columns
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7
SELECT o.topic FROM queue_offsets o JOIN (SELECT topic, partition_key FROM queue_messages) m (partition_key, topic) ON o.partition_key = m.partition_key
-- case: qualified: groups without the key
-- args: --set partition_keys=qualified --user app
SELECT x.topic, x.n FROM (SELECT topic, COUNT(*) n FROM queue_messages GROUP BY topic) x
-- case: qualified: an aggregate within
-- args: --set partition_keys=qualified --user app
SELECT x.n FROM (SELECT COUNT(*) n FROM queue_messages) x
-- case: qualified: groups by a key that may be missing
-- args: --set partition_keys=qualified --user app
SELECT x.n FROM (SELECT m.partition_key, COUNT(*) n FROM queue_offsets o LEFT JOIN queue_messages m ON m.partition_key = o.partition_key GROUP BY m.partition_key) x
-- case: qualified: groups by a derived key that may be missing
-- args: --set partition_keys=qualified --user app
SELECT y.n FROM (SELECT k, COUNT(*) n FROM (SELECT m.partition_key k FROM queue_offsets o LEFT JOIN queue_messages m ON m.partition_key = o.partition_key) x GROUP BY k) y
-- case: qualified: ROLLUP within
-- args: --set partition_keys=qualified --user app
SELECT y.n FROM (SELECT k, COUNT(*) n FROM (SELECT partition_key k FROM queue_offsets) x GROUP BY k WITH ROLLUP) y
-- case: qualified: DISTINCT without the key
-- args: --set partition_keys=qualified --user app
SELECT COUNT(*) FROM (SELECT DISTINCT topic FROM queue_messages) x
-- case: qualified: DISTINCT within, without the key
-- args: --set partition_keys=qualified --user app
SELECT x.topic FROM (SELECT DISTINCT topic FROM queue_messages) x
-- case: qualified: HAVING within, without groups
-- args: --set partition_keys=qualified --user app
SELECT x.topic FROM (SELECT topic FROM queue_messages HAVING topic > 'a') x
-- case: qualified: LIMIT within
-- args: --set partition_keys=qualified --user app
SELECT x.topic FROM (SELECT topic FROM queue_messages LIMIT 3) x
-- case: qualified: ORDER BY within
-- args: --set partition_keys=qualified --user app
SELECT x.topic FROM (SELECT topic FROM queue_messages ORDER BY topic) x
-- case: qualified: UNION within
-- args: --set partition_keys=qualified --user app
SELECT x.partition_key FROM (SELECT partition_key FROM queue_messages UNION SELECT partition_key FROM queue_offsets) x
-- case: qualified: WITH within
-- args: --set partition_keys=qualified --user app
SELECT x.topic FROM (WITH q AS (SELECT topic FROM queue_offsets) SELECT topic FROM q) x
-- case: qualified: a lock within
-- args: --set partition_keys=qualified --user app
SELECT x.topic FROM (SELECT topic FROM queue_messages FOR UPDATE) x
-- case: qualified: a window within
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7
SELECT x.n FROM (SELECT ROW_NUMBER() OVER (PARTITION BY partition_key ORDER BY id) n FROM queue_messages) x
-- case: qualified: a sub-query within
-- args: --set partition_keys=qualified --user app
SELECT x.topic FROM (SELECT topic FROM queue_messages WHERE topic IN (SELECT topic FROM queue_offsets)) x
-- case: qualified: the time within
-- args: --set partition_keys=qualified --user app
SELECT x.topic FROM (SELECT topic FROM queue_messages WHERE created_at < UNIX_TIMESTAMP()) x
-- case: qualified: an offset by itself within
-- args: --set partition_keys=qualified --user app
SELECT x.topic FROM (SELECT topic FROM queue_messages WHERE `offset` = 5) x
-- case: qualified: LATERAL
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7
SELECT o.topic FROM queue_offsets o JOIN LATERAL (SELECT partition_key FROM queue_messages m WHERE m.topic = o.topic) x ON x.partition_key = o.partition_key
-- case: qualified: a query without a table
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_offsets o JOIN (SELECT 'acme|k' AS partition_key) x ON x.partition_key = o.partition_key
-- case: qualified: order by a column of a derived table
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_offsets o JOIN (SELECT partition_key, MAX(created_at) AS newest FROM queue_messages GROUP BY partition_key) m ON o.partition_key = m.partition_key ORDER BY m.newest
-- case: qualified: heartbeats in a join
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_offsets o JOIN queue_subscriber_heartbeats h ON h.topic = o.topic
-- case: qualified: heartbeats within
-- args: --set partition_keys=qualified --user app
SELECT x.topic FROM (SELECT topic FROM queue_subscriber_heartbeats) x
-- case: qualified: USING
-- args: --set partition_keys=qualified --user app
SELECT o.offset_acked FROM queue_offsets o JOIN queue_messages m USING (topic) WHERE m.partition_key = o.partition_key
-- case: qualified: groups over a join
-- args: --set partition_keys=qualified --user app
SELECT o.topic, COUNT(*) FROM queue_offsets o JOIN queue_messages m ON m.partition_key = o.partition_key GROUP BY o.topic
-- case: qualified: ORDER BY what a derived table shows
-- args: --set partition_keys=qualified --user app
SELECT m.n FROM queue_offsets o LEFT JOIN (SELECT topic, partition_key, MAX(`offset`) AS n FROM queue_messages GROUP BY topic, partition_key) m ON m.partition_key = o.partition_key ORDER BY m.n
-- case: qualified: JSON_TABLE
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7
SELECT m.id FROM queue_messages m, JSON_TABLE(m.metadata, '$[*]' COLUMNS (k INT PATH '$')) j
-- case: qualified: keys of one's own tenants in a plain statement
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_offsets o JOIN queue_messages m ON m.partition_key = o.partition_key WHERE o.tenant IN ('acme', 'globex') AND m.tenant IN ('acme', 'globex')
