Every reference to a queue table gets its own condition, wherever it stands.

-- case: no WHERE
SELECT topic FROM queue_messages
-- case: no WHERE, clauses behind
SELECT topic FROM queue_messages GROUP BY topic HAVING COUNT(*) > 1 ORDER BY topic LIMIT 3
-- case: the client's OR keeps its meaning
SELECT id FROM queue_messages WHERE topic = 'a' OR topic = 'b'
-- case: WHERE without a space
SELECT id FROM queue_messages WHERE(topic='a')OR(topic='b')
-- case: IN
SELECT id FROM queue_messages WHERE topic IN (SELECT topic FROM queue_offsets)
-- case: EXISTS, correlated
SELECT m.id FROM queue_messages m WHERE EXISTS (SELECT 1 FROM queue_offsets o WHERE o.topic = m.topic)
-- case: ANY and ALL
SELECT id FROM queue_messages WHERE offset > ALL (SELECT offset_acked FROM queue_offsets) AND created_at = ANY (SELECT updated_at FROM queue_offsets)
-- case: function argument
SELECT COALESCE((SELECT MAX(offset) FROM queue_messages WHERE topic = 'a'), 0)
-- case: SELECT list
SELECT topic, (SELECT COUNT(*) FROM queue_messages m WHERE m.topic = o.topic) FROM queue_offsets o
-- case: ORDER BY
SELECT topic FROM queue_offsets ORDER BY (SELECT MAX(offset) FROM queue_messages)
-- case: GROUP BY and HAVING
SELECT topic, COUNT(*) FROM queue_messages GROUP BY topic HAVING COUNT(*) > (SELECT COUNT(*) FROM queue_offsets)
-- case: CASE
SELECT CASE WHEN EXISTS (SELECT 1 FROM queue_offsets) THEN 1 ELSE (SELECT 2 FROM queue_partition_leases LIMIT 1) END
-- case: window function
SELECT topic, ROW_NUMBER() OVER (PARTITION BY topic ORDER BY (SELECT MAX(updated_at) FROM queue_offsets)) FROM queue_messages
-- case: derived table with LIMIT
SELECT d.topic FROM (SELECT topic FROM queue_messages ORDER BY offset LIMIT 10) d
-- case: derived table in a derived table
SELECT a.topic FROM (SELECT b.topic FROM (SELECT topic FROM queue_messages) b) a
-- case: LATERAL
SELECT o.topic, l.n FROM queue_offsets o, LATERAL (SELECT COUNT(*) AS n FROM queue_messages m WHERE m.topic = o.topic) l
-- case: common table expression
WITH t AS (SELECT topic FROM queue_messages) SELECT topic FROM t
-- case: common table expression, twice and chained
WITH a AS (SELECT topic FROM queue_messages), b AS (SELECT topic FROM a) SELECT a.topic FROM a JOIN b ON a.topic = b.topic
-- case: recursive
WITH RECURSIVE r AS (SELECT offset AS n FROM queue_messages WHERE topic = 'a' UNION ALL SELECT r.n + 1 FROM r JOIN queue_messages m ON m.offset = r.n + 1) SELECT n FROM r
-- case: UNION
SELECT topic FROM queue_messages UNION SELECT topic FROM queue_offsets WHERE topic = 'x' UNION ALL SELECT topic FROM queue_partition_leases ORDER BY topic
-- case: INTERSECT and EXCEPT
-- args: --set @mq_tenant=acme --dialect mysql-9.7
SELECT topic FROM queue_messages INTERSECT SELECT topic FROM queue_offsets EXCEPT SELECT topic FROM queue_partition_leases
-- case: UNION in parentheses
(SELECT topic FROM queue_messages LIMIT 1) UNION (SELECT topic FROM queue_offsets) LIMIT 2
-- case: UNION in a derived table
SELECT u.topic FROM (SELECT topic FROM queue_messages UNION ALL SELECT topic FROM queue_offsets) u
-- case: TABLE
TABLE queue_offsets
-- case: TABLE in IN
SELECT 1 WHERE ROW(1, 2) IN (TABLE queue_offsets)
-- case: VALUES with a sub-query
VALUES ROW((SELECT COUNT(*) FROM queue_messages), 1)
-- case: JSON_TABLE beside a queue table
SELECT m.id, j.v FROM queue_messages m, JSON_TABLE(m.metadata, '$[*]' COLUMNS (v VARCHAR(10) PATH '$')) AS j
-- case: UPDATE SET
UPDATE queue_offsets SET offset_acked = (SELECT MAX(offset) FROM queue_messages WHERE topic = 'a') WHERE topic = 'a'
-- case: INSERT VALUES
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', (SELECT MAX(offset) FROM queue_messages), 1)
-- case: trailing semicolon
SELECT topic FROM queue_messages;
-- case: comments stay
SELECT /* a */ topic -- b
FROM queue_messages # c
WHERE /* d */ topic = 'a' /* e */

-- case: WITH of a branch in parentheses, named in the branch beside
-- args: --set @mq_tenant=acme
(WITH queue_offsets AS (SELECT 1) SELECT 2) INTERSECT SELECT 1 FROM queue_offsets;

-- case: WITH of a later branch in parentheses
-- args: --set @mq_tenant=acme
SELECT 1 FROM queue_offsets UNION (WITH queue_offsets AS (SELECT 1) SELECT 2);

-- case: WITH of a query in parentheses, named in ORDER BY
-- args: --set @mq_tenant=acme
((WITH queue_offsets AS (SELECT 1) SELECT 2)) ORDER BY (SELECT COUNT(*) FROM queue_offsets);

-- case: WITH of a branch in parentheses, named there only
-- args: --set @mq_tenant=acme
(WITH queue_offsets AS (SELECT 1) SELECT * FROM queue_offsets) UNION SELECT id FROM queue_messages;
