A statement that locks rows may not walk an index that the tenants of a shard share.

-- case: a locking read by offset
SELECT id FROM queue_messages ORDER BY offset LIMIT 5 FOR UPDATE

-- case: a locking read by offset, with an alias, a hint and a database
SELECT id FROM mq.queue_messages AS m USE INDEX (idx_topic_partition_id) WHERE m.offset > 5 FOR SHARE

-- case: a locking read that names the offset
SELECT id FROM queue_messages WHERE offset = 5 FOR UPDATE

-- case: a locking read that names offsets
SELECT id FROM queue_messages WHERE topic = 'a' AND offset IN (5, 6) FOR UPDATE

-- case: a locking read of one partition
SELECT id FROM queue_messages WHERE topic = 'a' AND partition_key = 'p' AND offset > 5 ORDER BY offset LIMIT 5 FOR UPDATE

-- case: a condition that can be bypassed names nothing
SELECT id FROM queue_messages WHERE offset = 5 OR topic = 'a' FOR UPDATE

-- case: a plain read
SELECT id FROM queue_messages ORDER BY offset LIMIT 5

-- case: a sub-query of a locking read does not lock
SELECT topic FROM queue_offsets WHERE topic IN (SELECT topic FROM queue_messages WHERE offset > 5) FOR UPDATE

-- case: the offset is not mentioned
UPDATE queue_messages SET failed_at = 1 WHERE topic = 'a'

-- case: UPDATE by a range of offsets
UPDATE queue_messages SET failed_at = 1 WHERE topic = 'a' AND offset > 5

-- case: UPDATE of a join by offset
UPDATE queue_messages m JOIN queue_delivery_state s ON s.message_offset = m.offset SET m.failed_at = 1

-- case: DELETE by a range of offsets
DELETE FROM queue_messages WHERE topic = 'a' AND offset < 5

-- case: DELETE by a range of offsets, WITH
WITH x AS (SELECT 1) DELETE FROM queue_messages WHERE topic = 'a' AND offset < 5

-- case: DELETE by a range of offsets, MariaDB takes no hint there
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
DELETE FROM queue_messages WHERE topic = 'a' AND offset < 5

-- case: DELETE from several tables
DELETE m FROM queue_messages m JOIN queue_offsets o USING (topic) WHERE m.offset < o.offset_acked

-- case: a table without such an index
UPDATE queue_delivery_state SET acked = 1 WHERE message_offset > 5

-- case: a locking read whose star hides the offset
SELECT * FROM queue_messages ORDER BY 1 LIMIT 5 FOR UPDATE

-- case: TABLE that locks
TABLE queue_messages ORDER BY 1 LIMIT 5 FOR UPDATE

-- case: TABLE that does not
TABLE queue_messages ORDER BY 1 LIMIT 5

-- case: what INSERT reads is locked
INSERT INTO queue_offsets SELECT id, topic, partition_key, 1, 1 FROM queue_messages ORDER BY offset LIMIT 2

-- case: what a sub-query of UPDATE reads is locked
UPDATE queue_offsets SET offset_acked = (SELECT offset FROM queue_messages ORDER BY offset LIMIT 1)

-- case: what a derived table of INSERT reads is locked
INSERT INTO queue_offsets SELECT 'q', 't', 'p', d.o, 1 FROM (SELECT offset AS o FROM queue_messages ORDER BY 1 LIMIT 1) d

-- case: what WITH of DELETE reads is locked
WITH x AS (SELECT topic FROM queue_messages WHERE offset > 5) DELETE FROM queue_offsets WHERE topic IN (SELECT topic FROM x)

-- case: a table that becomes a query in a change
INSERT INTO queue_offsets SELECT 'q', topic, 'p', 1, 1 FROM queue_delivery_state LEFT JOIN queue_messages USING (topic) WHERE offset > 5

-- case: a change that reads one offset
UPDATE queue_offsets SET offset_acked = (SELECT failure_count FROM queue_messages WHERE offset = 5)
