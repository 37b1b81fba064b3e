Queries inside the statements of several tenants, and UNION: what is served, and what is not and why.

-- case: EXISTS, tied by the key
-- args: --set partition_keys=qualified --user both
SELECT id FROM queue_messages m WHERE NOT EXISTS (SELECT 1 FROM queue_offsets o WHERE o.partition_key = m.partition_key AND o.topic = m.topic)
-- case: a value, tied by the key, of the first of its rows
-- args: --set partition_keys=qualified --user both
SELECT id, (SELECT o.offset_acked FROM queue_offsets o WHERE m.partition_key = o.partition_key ORDER BY o.consumer_group LIMIT 1) AS acked FROM queue_messages m ORDER BY id LIMIT 3
-- case: counted rows with a tied query
-- args: --set partition_keys=qualified --user both --prepared --param t
SELECT COUNT(*) FROM queue_messages m WHERE `offset` > (SELECT MAX(o.offset_acked) FROM queue_offsets o WHERE o.partition_key = m.partition_key AND o.topic = ?)
-- case: HAVING of the key's groups with a tied query
-- args: --set partition_keys=qualified --user both
SELECT partition_key, COUNT(*) FROM queue_messages m GROUP BY partition_key HAVING COUNT(*) > (SELECT COUNT(*) FROM queue_offsets o WHERE o.partition_key = m.partition_key)
-- case: tied through a table between
-- args: --set partition_keys=qualified --user both
SELECT id FROM queue_messages m WHERE EXISTS (SELECT 1 FROM queue_offsets o JOIN queue_delivery_state d ON d.partition_key = o.partition_key WHERE o.partition_key = m.partition_key AND EXISTS (SELECT 1 FROM queue_partition_leases l WHERE l.partition_key = d.partition_key))
-- case: tied to a derived table's key
-- args: --set partition_keys=qualified --user both
SELECT x.k FROM (SELECT partition_key AS k, COUNT(*) n FROM queue_messages GROUP BY partition_key) x WHERE x.n > (SELECT COUNT(*) FROM queue_offsets o WHERE o.partition_key = x.k)
-- case: a value of no table
-- args: --user both
SELECT id, (SELECT 1) AS one FROM queue_messages m WHERE topic = (SELECT m.original_topic)
-- case: keys IN
-- args: --set partition_keys=qualified --user both
SELECT id FROM queue_messages WHERE partition_key IN (SELECT partition_key FROM queue_offsets WHERE topic = 't')
-- case: keys NOT IN, as members of rows
-- args: --set partition_keys=qualified --user both
SELECT id FROM queue_messages WHERE (topic, partition_key) NOT IN (SELECT topic, partition_key FROM queue_offsets UNION SELECT topic, partition_key FROM queue_partition_leases)
-- case: a query that WITH names
-- args: --set partition_keys=qualified --user both
WITH q AS (SELECT topic, partition_key k, MAX(`offset`) newest FROM queue_messages GROUP BY topic, partition_key) SELECT o.consumer_group, q.newest FROM queue_offsets o LEFT JOIN q ON q.k = o.partition_key AND q.topic = o.topic ORDER BY o.consumer_group
-- case: named by WITH, of plain keys
-- args: --user both
WITH q AS (SELECT topic FROM queue_messages WHERE failure_count > 1) SELECT topic FROM q
-- case: a set operation in FROM that passes the key on
-- args: --set partition_keys=qualified --user both
SELECT u.k, o.topic FROM (SELECT partition_key k FROM queue_messages UNION SELECT partition_key FROM queue_delivery_state) u JOIN queue_offsets o ON o.partition_key = u.k
-- case: UNION ALL
-- args: --user both
SELECT id, 'message' FROM queue_messages UNION ALL SELECT leased_by, 'lease' FROM queue_partition_leases
-- case: UNION ALL, sorted and cut
-- args: --user both
SELECT topic AS t, failure_count FROM queue_messages UNION ALL SELECT topic, retry_count FROM queue_delivery_state ORDER BY t DESC LIMIT 2, 3
-- case: UNION
-- args: --user both --prepared --number 2
(SELECT topic, consumer_group FROM queue_offsets) UNION SELECT topic, consumer_group FROM queue_partition_leases ORDER BY consumer_group LIMIT ?
-- case: UNION of keys: no rows of two tenants are alike
-- args: --set partition_keys=qualified --user both
SELECT partition_key FROM queue_offsets UNION SELECT partition_key FROM queue_messages EXCEPT SELECT partition_key FROM queue_partition_leases
-- case: a value that no key ties
-- args: --set partition_keys=qualified --user both
SELECT id FROM queue_messages WHERE `offset` > (SELECT MIN(offset_acked) FROM queue_offsets WHERE topic = 't')
-- case: EXISTS tied by topic alone
-- args: --set partition_keys=qualified --user both
SELECT id FROM queue_messages m WHERE EXISTS (SELECT 1 FROM queue_offsets o WHERE o.topic = m.topic)
-- case: tied under OR
-- args: --set partition_keys=qualified --user both
SELECT id FROM queue_messages m WHERE EXISTS (SELECT 1 FROM queue_offsets o WHERE o.partition_key = m.partition_key OR o.topic = 'a')
-- case: one of two tables is tied
-- args: --set partition_keys=qualified --user both
SELECT id FROM queue_messages m WHERE EXISTS (SELECT 1 FROM queue_offsets o, queue_delivery_state d WHERE o.partition_key = m.partition_key)
-- case: tied by the ON of an outer join, which binds the other side only
-- args: --set partition_keys=qualified --user both
SELECT id FROM queue_messages m WHERE 0 = (SELECT COUNT(*) FROM queue_offsets o LEFT JOIN queue_delivery_state d ON d.partition_key = m.partition_key AND o.partition_key = m.partition_key)
-- case: equal plain keys are two tenants'
-- args: --user both
SELECT id FROM queue_messages m WHERE EXISTS (SELECT 1 FROM queue_offsets o WHERE o.partition_key = m.partition_key)
-- case: an aggregate over the rows around it
-- args: --set partition_keys=qualified --user both
SELECT (SELECT MAX(m.id) FROM queue_offsets o WHERE o.partition_key = m.partition_key) FROM queue_messages m
-- case: the same without a table
-- args: --set partition_keys=qualified --user both
SELECT (SELECT COUNT(m.id)) FROM queue_messages m
-- case: keys IN what is no key
-- args: --set partition_keys=qualified --user both
SELECT id FROM queue_messages WHERE (partition_key, topic) IN (SELECT topic, partition_key FROM queue_offsets)
-- case: keys IN some of the rows
-- args: --set partition_keys=qualified --user both
SELECT id FROM queue_messages WHERE partition_key IN (SELECT partition_key FROM queue_offsets UNION SELECT topic FROM queue_messages)
-- case: keys that may be NULL
-- args: --set partition_keys=qualified --user both
SELECT o.topic FROM queue_offsets o LEFT JOIN queue_messages m ON m.partition_key = o.partition_key WHERE m.partition_key NOT IN (SELECT partition_key FROM queue_delivery_state)
-- case: a key equal to any
-- args: --set partition_keys=qualified --user both
SELECT id FROM queue_messages WHERE partition_key <> ALL (SELECT partition_key FROM queue_offsets)
-- case: heartbeats have no key
-- args: --set partition_keys=qualified --user both
SELECT id FROM queue_messages m WHERE EXISTS (SELECT 1 FROM queue_subscriber_heartbeats h WHERE h.topic = m.topic)
-- case: heartbeats that are named
-- args: --user both
WITH h AS (SELECT topic FROM queue_subscriber_heartbeats) SELECT topic FROM h
-- case: the greatest of each tenant's
-- args: --set partition_keys=qualified --user both
WITH q AS (SELECT partition_key k FROM queue_messages ORDER BY id LIMIT 3) SELECT o.topic FROM queue_offsets o JOIN q ON q.k = o.partition_key
-- case: a set operation that passes on a key of one branch only
-- args: --set partition_keys=qualified --user both
SELECT o.topic FROM (SELECT partition_key k FROM queue_messages UNION ALL SELECT topic FROM queue_offsets) u JOIN queue_offsets o ON o.partition_key = u.k
-- case: rows of two tenants may be alike
-- args: --user both
SELECT x.topic FROM (SELECT topic FROM queue_messages UNION SELECT topic FROM queue_offsets) x
-- case: WITH RECURSIVE
-- args: --user both
WITH RECURSIVE q AS (SELECT topic FROM queue_messages UNION SELECT topic FROM q) SELECT topic FROM q
-- case: EXCEPT without the key
-- args: --user both
SELECT topic FROM queue_messages EXCEPT SELECT topic FROM queue_offsets
-- case: UNION in front of UNION ALL
-- args: --user both
SELECT topic FROM queue_messages UNION SELECT topic FROM queue_offsets UNION ALL SELECT topic FROM queue_offsets
-- case: UNION sorted by what is not one column
-- args: --user both
SELECT topic AS t FROM queue_messages UNION ALL SELECT leased_at FROM queue_partition_leases ORDER BY t
-- case: UNION of what is not compared
-- args: --user both
SELECT payload FROM queue_messages UNION SELECT last_error FROM queue_messages
-- case: UNION of totals
-- args: --user both
SELECT COUNT(*) FROM queue_messages UNION ALL SELECT COUNT(*) FROM queue_offsets
-- case: a branch that is cut
-- args: --user both
(SELECT topic FROM queue_messages LIMIT 2) UNION ALL SELECT topic FROM queue_offsets
-- case: a branch of no table
-- args: --user both
SELECT topic FROM queue_messages UNION ALL SELECT 'x'
-- case: a lock within
-- args: --set partition_keys=qualified --user both
SELECT id FROM queue_messages m WHERE EXISTS (SELECT 1 FROM queue_offsets o WHERE o.partition_key = m.partition_key FOR UPDATE)
-- case: a change with a query
-- args: --set partition_keys=qualified --user both
DELETE FROM queue_partition_leases WHERE lease_renewed_at < 5 AND NOT EXISTS (SELECT 1 FROM queue_offsets o WHERE o.partition_key = queue_partition_leases.partition_key)
