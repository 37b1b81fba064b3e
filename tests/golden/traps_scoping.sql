Where other rewriters went wrong, kind by kind: scoping. The numbers group the cases of one kind.

-- case: 1: sub-queries everywhere
SELECT (SELECT MAX(offset) FROM queue_messages), COALESCE((SELECT MIN(offset_acked) FROM queue_offsets), 0) FROM queue_partition_leases l WHERE l.topic IN (SELECT topic FROM queue_offsets) AND EXISTS (SELECT * FROM queue_messages m WHERE m.topic = l.topic) AND l.leased_at > ALL (SELECT updated_at FROM queue_offsets) AND l.leased_at <> ANY (SELECT updated_at FROM queue_offsets) GROUP BY l.topic HAVING COUNT(*) > (SELECT COUNT(*) FROM queue_subscriber_heartbeats) ORDER BY (SELECT COUNT(*) FROM queue_delivery_state)

-- case: 1: LIMIT-ed derived tables
SELECT d.topic FROM (SELECT topic FROM queue_messages ORDER BY offset LIMIT 3) d JOIN LATERAL (SELECT offset_acked FROM queue_offsets o WHERE o.topic = d.topic LIMIT 1) e

-- case: 1: WITH, also recursive
WITH RECURSIVE a AS (SELECT topic, 1 AS n FROM queue_messages UNION ALL SELECT a.topic, a.n + 1 FROM a JOIN queue_offsets o ON o.topic = a.topic WHERE a.n < 3), b AS (SELECT * FROM a) SELECT * FROM b

-- case: 1: every branch of a set operation
(SELECT topic FROM queue_messages UNION ALL SELECT topic FROM queue_offsets) INTERSECT SELECT topic FROM queue_delivery_state EXCEPT SELECT topic FROM queue_partition_leases LIMIT 3

-- case: 1: ON and SET and VALUES
INSERT INTO queue_offsets VALUES ('g', 't', 'p', (SELECT MAX(offset) FROM queue_messages), 0) ON DUPLICATE KEY UPDATE offset_acked = (SELECT MIN(offset) FROM queue_messages)

-- case: 1: the SET of an UPDATE
UPDATE queue_offsets o JOIN queue_partition_leases l ON l.topic = o.topic AND l.leased_at > (SELECT MAX(created_at) FROM queue_messages) SET o.offset_acked = (SELECT MAX(offset) FROM queue_messages m WHERE m.topic = o.topic)

-- case: 1: INSERT … SELECT
INSERT INTO queue_offsets SELECT consumer_group, topic, partition_key, 0, 0 FROM queue_partition_leases WHERE topic NOT IN (SELECT topic FROM queue_offsets)

-- case: 1: TABLE
SELECT 1 FROM DUAL WHERE ('g', 't', 'p', 1, 2) IN (TABLE queue_offsets)

-- case: 1: window and CASE
SELECT CASE WHEN EXISTS (SELECT 1 FROM queue_offsets) THEN 1 ELSE 2 END, SUM(offset) OVER (ORDER BY (SELECT COUNT(*) FROM queue_offsets)) FROM queue_messages

-- case: 2: OR beside the client's own condition
SELECT id FROM queue_messages WHERE tenant = 'acme' OR topic = 'x'

-- case: 2: OR without one
SELECT id FROM queue_messages WHERE topic = 'x' OR 1 = 1

-- case: 2: NOT
SELECT id FROM queue_messages WHERE NOT tenant = 'globex'

-- case: 2: IN with a parameter
-- args: --param acme
SELECT id FROM queue_messages WHERE tenant IN ('acme', ?)

-- case: 2: IN with a parameter of another tenant
-- args: --param globex
SELECT id FROM queue_messages WHERE tenant IN ('acme', ?)

-- case: 2: rows
SELECT id FROM queue_messages WHERE (tenant, topic) = ('acme', 'x')

-- case: 2: null-safe
SELECT id FROM queue_messages WHERE tenant <=> 'acme'

-- case: 2: turned round
-- args:
SELECT id FROM queue_messages WHERE 'acme' = tenant

-- case: 2: two tenants, which is nothing
-- args:
SELECT id FROM queue_messages WHERE tenant = 'acme' AND tenant = 'globex'

-- case: 2: LIKE
SELECT id FROM queue_messages WHERE tenant LIKE 'acme'

-- case: 2: an AND that an OR bypasses
-- args:
SELECT id FROM queue_messages WHERE (tenant = 'acme' AND topic = 'x') OR topic = 'y'

-- case: 2: an AND within parentheses
-- args:
SELECT id FROM queue_messages WHERE (topic = 'y' AND (tenant = 'acme')) AND id = 'x'

-- case: 2: a computed tenant
SELECT id FROM queue_messages WHERE tenant = CONCAT('ac', 'me')

-- case: 3: the nullable side
SELECT m.id FROM queue_messages m LEFT JOIN queue_offsets o ON o.topic = m.topic WHERE o.topic IS NULL

-- case: 3: the nullable side to the left
SELECT m.id FROM queue_offsets o RIGHT JOIN queue_messages m ON o.topic = m.topic OR o.topic IS NULL

-- case: 3: both, nested
SELECT m.id FROM queue_messages m LEFT JOIN (queue_offsets o JOIN queue_partition_leases l ON l.topic = o.topic) ON l.topic = m.topic LEFT JOIN queue_delivery_state s ON s.topic = o.topic

-- case: 3: NATURAL
SELECT COUNT(*) FROM queue_messages NATURAL LEFT JOIN queue_offsets

-- case: 3: USING
SELECT topic, COUNT(*) FROM queue_messages LEFT JOIN queue_offsets USING (topic, partition_key) GROUP BY topic

-- case: 3: USING the tenant
SELECT COUNT(*) FROM queue_messages JOIN queue_offsets USING (tenant, topic)

-- case: 3: NATURAL with a column of that name
SELECT COUNT(*) FROM queue_messages NATURAL JOIN (SELECT 'acme' AS tenant, topic FROM queue_offsets) d

-- case: 4: an alias that hides another table
SELECT queue_offsets.id FROM queue_messages AS queue_offsets

-- case: 4: quoted, with a database, in another case
SELECT `QUEUE_MESSAGES`.id FROM `mq`.`QUEUE_MESSAGES`

-- case: 4: quoted, with a database
SELECT `queue_messages`.`id` FROM `mq` . `queue_messages`

-- case: 4: WITH named like a queue table
WITH queue_messages AS (SELECT 'x' AS id) SELECT id FROM queue_messages

-- case: 4: WITH named like a queue table that it reads
WITH queue_messages AS (SELECT id FROM queue_messages) SELECT * FROM queue_messages

-- case: 4: a derived table named like a queue table
SELECT queue_offsets.* FROM (SELECT id FROM queue_messages) queue_offsets

-- case: 4: self-join
SELECT a.id FROM queue_messages a, queue_messages b WHERE a.id = b.id

-- case: 5: information_schema
SELECT table_name FROM information_schema.tables WHERE table_schema = 'mq'

-- case: 5: performance_schema
SELECT * FROM performance_schema.threads

-- case: 5: another table
SELECT * FROM invoices

-- case: 5: another table beside a queue table
SELECT * FROM invoices JOIN queue_messages ON invoices.id = queue_messages.id

-- case: 6: UPDATE of several tables
UPDATE queue_messages m, queue_offsets AS o SET m.failed_at = 1, o.updated_at = 2 WHERE m.topic = o.topic OR m.id = 'x'

-- case: 6: DELETE from several tables, by alias
DELETE m, o FROM queue_messages AS m LEFT JOIN queue_offsets AS o ON o.topic = m.topic WHERE m.id = 'x'

-- case: 6: ORDER BY and LIMIT
DELETE FROM queue_delivery_state WHERE acked OR retry_count > 3 ORDER BY message_offset LIMIT 7

-- case: 6: DELETE without WHERE
DELETE FROM queue_offsets

-- case: 7: no column list
INSERT INTO queue_offsets VALUES ('g', 't', 'p', 0, 1)

-- case: 7: the column list in any order
INSERT INTO queue_offsets (updated_at, offset_acked, partition_key, topic, consumer_group) VALUES (1, 0, 'p', 't', 'g')

-- case: 7: SET
INSERT INTO queue_offsets SET topic = 't', consumer_group = 'g', partition_key = 'p', offset_acked = 0, updated_at = 1

-- case: 7: rows of several tenants
-- args:
INSERT INTO queue_offsets (tenant, topic, consumer_group, partition_key, offset_acked, updated_at) VALUES ('acme', 't', 'g', 'p', 0, 1), ('globex', 't', 'g', 'p', 0, 1)

-- case: 7: a parameter in the third row
-- args: --param globex
INSERT INTO queue_offsets (topic, tenant) VALUES ('a', 'acme'), ('b', 'acme'), ('c', ?)

-- case: 7: DEFAULT and an expression as the tenant
INSERT INTO queue_offsets (topic, tenant) VALUES ('a', DEFAULT)

-- case: 7: REPLACE
REPLACE INTO queue_offsets (topic, consumer_group, partition_key, offset_acked, updated_at) VALUES ('t', 'g', 'p', 0, 1)

-- case: 7: INSERT … SELECT from another tenant
INSERT INTO queue_offsets SELECT consumer_group, topic, partition_key, 0, 0 FROM queue_offsets WHERE tenant = 'globex'

-- case: 7: row alias
INSERT INTO queue_offsets VALUES ('g', 't', 'p', 0, 1) AS new (g, t, p, o, u) ON DUPLICATE KEY UPDATE offset_acked = GREATEST(offset_acked, new.o)

-- case: 7: ON DUPLICATE KEY UPDATE of the tenant
INSERT INTO queue_offsets VALUES ('g', 't', 'p', 0, 1) ON DUPLICATE KEY UPDATE tenant = 'globex'

-- case: 8: stars
SELECT m.*, 1, COUNT(*) OVER () FROM queue_messages m WHERE EXISTS (SELECT * FROM queue_offsets)

-- case: 8: the star of a derived table that hides the column already
SELECT * FROM (SELECT * FROM queue_offsets) d

-- case: 8: the star of a join
SELECT * FROM queue_offsets JOIN queue_partition_leases USING (topic)

-- case: 9: clauses stay in their order
SELECT /*+ MAX_EXECUTION_TIME(1000) */ SQL_NO_CACHE m.id /* kept */ FROM queue_messages AS m FORCE INDEX (idx_topic_partition_id) WHERE m.topic = 'a' # kept
WINDOW w AS (PARTITION BY m.topic) ORDER BY m.id LIMIT 3 FOR UPDATE OF m SKIP LOCKED

-- case: 9: PARTITION
SELECT id FROM queue_messages PARTITION (p0, p1)

-- case: 9: INTO
SELECT id FROM queue_messages LIMIT 1 INTO @id

-- case: 10: EXPLAIN
EXPLAIN SELECT * FROM queue_offsets

-- case: 10: DESCRIBE
DESCRIBE queue_offsets

-- case: 10: SHOW
SHOW COLUMNS FROM queue_messages LIKE 't%'

-- case: 10: DO
DO (SELECT SLEEP(0) FROM queue_messages LIMIT 1)

-- case: 10: SET to a sub-query
SET @x = (SELECT COUNT(*) FROM queue_messages)

-- case: 10: a view
CREATE VIEW v AS SELECT * FROM queue_messages

-- case: 10: CREATE TABLE … SELECT
CREATE TABLE copy AS SELECT * FROM queue_messages

-- case: 10: CREATE TABLE … SELECT, a queue table
CREATE TABLE queue_messages AS SELECT * FROM queue_offsets
