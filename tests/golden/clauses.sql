Everything that is not edited stays where and as it is.

-- case: FOR UPDATE SKIP LOCKED
SELECT id FROM queue_messages WHERE topic = 'a' ORDER BY offset LIMIT 5 FOR UPDATE SKIP LOCKED
-- case: FOR SHARE OF
SELECT m.id FROM queue_messages m FOR SHARE OF m NOWAIT
-- case: LOCK IN SHARE MODE
SELECT id FROM queue_messages LOCK IN SHARE MODE
-- case: hints and modifiers
SELECT /*+ MAX_EXECUTION_TIME(1000) */ SQL_NO_CACHE DISTINCT topic FROM queue_messages WHERE topic > 'a'
-- case: named window
SELECT topic, SUM(failure_count) OVER w FROM queue_messages WINDOW w AS (PARTITION BY topic)
-- case: index hint that is mapped to the primary key
SELECT id FROM queue_messages FORCE INDEX (idx_topic_partition_offset) WHERE topic = 'a'
-- case: index hint that keeps its name
SELECT id FROM queue_messages USE INDEX (idx_topic_partition_id) WHERE topic = 'a'
-- case: index hint that is dropped
SELECT lease_renewed_at FROM queue_partition_leases USE INDEX (idx_lease_renewed) WHERE lease_renewed_at < 5
-- case: index hint that is dropped, no WHERE
SELECT topic FROM queue_offsets o IGNORE INDEX (idx_topic)
-- case: index hints, some of each
SELECT id FROM queue_messages USE INDEX (PRIMARY, idx_topic_partition_offset, idx_topic_partition_id) IGNORE INDEX FOR ORDER BY (PRIMARY)
-- case: index hint of no legacy index
SELECT id FROM queue_messages USE INDEX (nosuch)
-- case: index hint of a tenant index
SELECT id FROM queue_messages FORCE INDEX (idx_offset) WHERE offset > 5 FOR UPDATE
-- case: index hint of no index
SELECT id FROM queue_messages USE INDEX () FOR UPDATE
-- case: index hint that would take the tenant's keys away
UPDATE queue_messages IGNORE KEY (idx_topic_partition_offset, idx_topic_partition_id) SET failure_count = 0
-- case: optimizer hint about an index
SELECT /*+ INDEX(queue_messages idx_offset) */ id FROM queue_messages WHERE offset > 5 FOR UPDATE
-- case: PARTITION
SELECT id FROM queue_messages PARTITION (p0)
-- case: versioned comment
SELECT /*!40001 SQL_NO_CACHE */ id FROM queue_messages
-- case: versioned comment where a condition would stand
DELETE FROM queue_messages /*!80000 WHERE topic = 'a' */
-- case: versioned comment at the end of FROM
SELECT id FROM queue_messages /*! FORCE INDEX (idx_topic_partition_id) */
-- case: INTO OUTFILE
SELECT id FROM queue_messages INTO OUTFILE '/tmp/x'
-- case: INTO a variable
SELECT id INTO @x FROM queue_messages LIMIT 1
-- case: GROUP BY WITH ROLLUP
SELECT topic, COUNT(*) FROM queue_messages GROUP BY topic WITH ROLLUP
-- case: multi-byte text
SELECT id FROM queue_messages WHERE partition_key = 'größe 漢字' AND id = 'x'
-- case: ODBC escapes
SELECT id, {fn UPPER(id)} FROM queue_messages WHERE published_at > UNIX_TIMESTAMP({ts '2024-01-31 00:00:00'})
-- case: an ODBC escape is no string
SELECT id FROM queue_messages WHERE tenant = {d 'acme'}
-- case: SELECT INTO a routine's variable
SELECT id INTO x FROM queue_messages

-- case: a long heading ends where the server would cut it, at a whole character
SELECT (SELECT COUNT(*) FROM queue_messages WHERE last_error IN ('0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789漢漢漢漢漢漢漢漢漢'))
