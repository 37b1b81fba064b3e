Statements of several tenants: what each shard is asked, and how the answers become one.

-- case: rows
-- args: --user app
SELECT id, topic FROM queue_messages WHERE topic = 'a' OR topic = 'b'
-- case: a list of the client's own
-- args: --user app
SELECT id FROM queue_messages WHERE tenant IN ('globex', 'acme') AND topic = 'a'
-- case: an account's tenants
-- args: --user both
SELECT * FROM queue_offsets
-- case: order by what is shown
-- args: --user app
SELECT topic, partition_key AS k FROM queue_messages m ORDER BY k DESC, topic
-- case: order by what is not shown
-- args: --user app
SELECT id AS x FROM queue_messages m ORDER BY m.created_at DESC, m.`offset` LIMIT 10
-- case: an expression with its own heading, before hidden columns
-- args: --user app
SELECT DATABASE(), id FROM queue_messages ORDER BY topic
-- case: limit and offset
-- args: --user app
SELECT id FROM queue_messages ORDER BY id LIMIT 20, 10
-- case: limit and offset, prepared
-- args: --user app --param a --number 10 --number 20
SELECT id FROM queue_messages WHERE topic = ? ORDER BY id LIMIT ? OFFSET ?
-- case: a limit alone
-- args: --user app
SELECT id FROM queue_messages LIMIT 5
-- case: distinct
-- args: --user app
SELECT DISTINCT partition_key FROM queue_messages WHERE topic = 'a'
-- case: distinct in an order
-- args: --user app
SELECT DISTINCT topic, partition_key FROM queue_messages ORDER BY partition_key LIMIT 3
-- case: count
-- args: --user app
SELECT COUNT(*) FROM queue_messages WHERE topic = 'a'
-- case: aggregates
-- args: --user app
SELECT COUNT(*), COUNT(metadata), SUM(failure_count), MIN(topic), MAX(`offset`), AVG(failure_count) a FROM queue_messages
-- case: groups
-- args: --user app
SELECT topic, COUNT(*) FROM queue_messages GROUP BY topic
-- case: groups in an order
-- args: --user app
SELECT topic, COUNT(*) FROM queue_messages GROUP BY topic, partition_key ORDER BY partition_key DESC LIMIT 4
-- case: groups in the order of an aggregate
-- args: --user app
SELECT topic, COUNT(*) AS n FROM queue_messages GROUP BY topic ORDER BY n DESC, topic LIMIT 5
-- case: having
-- args: --user app
SELECT topic, COUNT(*) n FROM queue_messages WHERE failure_count > 0 GROUP BY topic HAVING n > 5 AND MAX(created_at) BETWEEN 10 AND 20 AND topic <> MIN(id)
-- case: having, prepared
-- args: --user app --param x --number 5
SELECT topic FROM queue_messages WHERE id <> ? GROUP BY topic HAVING COUNT(*) > ?
-- case: arithmetic over aggregates
-- args: --user app
SELECT COALESCE(MAX(`offset`), 0) - COALESCE(MIN(`offset`), 0) AS span FROM queue_messages
-- case: count distinct
-- args: --user app
SELECT COUNT(DISTINCT partition_key) FROM queue_messages WHERE topic = 'a'
-- case: count distinct by group
-- args: --user app
SELECT topic, COUNT(DISTINCT m.partition_key), COUNT(*) FROM queue_messages m GROUP BY topic
-- case: heartbeats: newest rows
-- args: --user app
SELECT subscriber_name FROM queue_subscriber_heartbeats WHERE consumer_group = 'g' AND topic = 't' AND heartbeat_at >= 5 AND deregistered_at = 0
-- case: heartbeats, prepared
-- args: --user app --param g --param t --number 5
SELECT subscriber_name FROM queue_subscriber_heartbeats WHERE consumer_group = ? AND topic = ? AND heartbeat_at >= ? AND deregistered_at = 0 ORDER BY subscriber_name LIMIT 10
-- case: heartbeats in another order
-- args: --user app
SELECT * FROM queue_subscriber_heartbeats h ORDER BY h.heartbeat_at DESC, subscriber_name
-- case: heartbeats: distinct
-- args: --user app
SELECT DISTINCT topic FROM queue_subscriber_heartbeats WHERE heartbeat_at > 5 ORDER BY topic
-- case: heartbeats: count
-- args: --user app
SELECT COUNT(*), MAX(heartbeat_at) FROM queue_subscriber_heartbeats h WHERE topic = 'a' AND heartbeat_at > 5
-- case: heartbeats: groups
-- args: --user app
SELECT topic, COUNT(*) n FROM queue_subscriber_heartbeats WHERE heartbeat_at > 5 GROUP BY topic HAVING n > 1 ORDER BY n
-- case: heartbeats: upsert
-- args: --user app
INSERT INTO queue_subscriber_heartbeats (consumer_group, topic, subscriber_name, heartbeat_at, deregistered_at) VALUES ('g', 't', 's', 5, 0) ON DUPLICATE KEY UPDATE heartbeat_at = VALUES(heartbeat_at)
-- case: heartbeats: cleaning
-- args: --user app
DELETE FROM queue_subscriber_heartbeats WHERE consumer_group = 'g' AND heartbeat_at < 5 AND topic <> 't'
-- case: heartbeats: deregistration
-- args: --user app --number 7 --param g
UPDATE queue_subscriber_heartbeats SET deregistered_at = ? WHERE consumer_group = ?
-- case: purge of stale leases
-- args: --user app
DELETE FROM queue_partition_leases WHERE consumer_group = 'g' AND topic = 't' AND lease_renewed_at < 5
-- case: a table that configuration names
-- args: --user app --set scatter_writes=queue_offsets
UPDATE queue_offsets SET offset_acked = 0 WHERE topic = 't'
-- case: for programs
-- args: --user app --json
SELECT topic, AVG(failure_count) FROM queue_messages GROUP BY topic ORDER BY topic LIMIT 3
-- case: what stays here is not edited
-- args: --user app --dialect mariadb-10.11
SELECT topic, MAX(offset) AS m FROM queue_messages GROUP BY topic HAVING MAX(offset) > 5 ORDER BY MAX(offset) LIMIT 3
-- case: heartbeats: conditions that are edited
-- args: --user app
SELECT DATABASE(), subscriber_name FROM queue_subscriber_heartbeats WHERE topic = 'a' AND CONNECTION_ID() > 0 AND heartbeat_at > 5 ORDER BY heartbeat_at
-- case: joins: the lag of every group
-- args: --set partition_keys=qualified --user app --dialect mysql-9.7 --prepared --param t --param t
SELECT o.consumer_group, o.topic, o.partition_key, o.offset_acked, COALESCE(m.newest, 0) AS newest, COALESCE(m.newest, 0) - o.offset_acked AS lag_of_group FROM queue_offsets o LEFT JOIN (SELECT topic, partition_key, MAX(`offset`) AS newest FROM queue_messages WHERE topic = ? GROUP BY topic, partition_key) m ON o.topic = m.topic AND o.partition_key = m.partition_key WHERE o.topic = ? ORDER BY o.consumer_group, o.partition_key
-- case: joins: with a default tenant
-- args: --set partition_keys=qualified --user app --set default_tenant=acme
SELECT o.partition_key, m.n FROM queue_offsets o LEFT JOIN (SELECT partition_key, COUNT(*) n FROM queue_messages GROUP BY partition_key) m ON m.partition_key = o.partition_key
-- case: joins: a key of one tenant that ties not all
-- args: --set partition_keys=qualified --user app
SELECT o.offset_acked, m.n FROM queue_offsets o JOIN (SELECT partition_key k, COUNT(*) n FROM queue_messages GROUP BY partition_key) m ON m.k = o.partition_key WHERE o.partition_key = 'acme|k'
-- case: joins: inner joins, one of them in WHERE
-- args: --set partition_keys=qualified --user app
SELECT m.id, d.acked FROM queue_messages m, queue_offsets o JOIN queue_delivery_state d ON d.partition_key = o.partition_key WHERE m.topic = o.topic AND (m.partition_key = o.partition_key) LIMIT 3
-- case: joins: outer joins within outer joins
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_offsets o LEFT JOIN (queue_messages m LEFT JOIN queue_delivery_state d ON d.partition_key = m.partition_key) ON m.partition_key = o.partition_key
-- case: joins: RIGHT JOIN
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_messages m RIGHT JOIN queue_offsets o ON m.partition_key = o.partition_key AND m.topic = 'a' ORDER BY m.id
-- case: joins: a derived table alone
-- args: --set partition_keys=qualified --user app
SELECT x.topic FROM (SELECT topic, failure_count f FROM queue_messages) x WHERE x.f > 1 LIMIT 2
-- case: joins: distinct rows within
-- args: --set partition_keys=qualified --user app
SELECT o.topic FROM queue_offsets o JOIN (SELECT DISTINCT topic, partition_key FROM queue_messages) x ON x.partition_key = o.partition_key
-- case: joins: derived tables within derived tables
-- args: --set partition_keys=qualified --user app
SELECT a.pk FROM (SELECT x.k AS pk, x.n FROM (SELECT partition_key k, COUNT(*) n FROM queue_messages GROUP BY partition_key) x) a JOIN (SELECT k FROM (SELECT partition_key AS k FROM queue_offsets) y GROUP BY k) b ON a.pk = b.k
-- case: joins: DISTINCT over a join
-- args: --set partition_keys=qualified --user app
SELECT DISTINCT o.topic FROM queue_offsets o JOIN queue_messages m ON m.partition_key = o.partition_key ORDER BY o.topic DESC
-- case: joins: all columns of a join
-- args: --set partition_keys=qualified --user app
SELECT * FROM queue_offsets o LEFT JOIN (SELECT partition_key, MAX(`offset`) AS newest FROM queue_messages GROUP BY partition_key) m ON m.partition_key = o.partition_key ORDER BY o.topic
