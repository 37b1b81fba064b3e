UPDATE and DELETE.

-- case: UPDATE
UPDATE queue_offsets SET offset_acked = 5, updated_at = 6 WHERE topic = 'a' OR topic = 'b'
-- case: UPDATE without WHERE
UPDATE queue_offsets SET offset_acked = 5
-- case: UPDATE with alias, ORDER BY, LIMIT
UPDATE queue_offsets o SET o.offset_acked = 5 WHERE o.topic = 'a' ORDER BY o.updated_at LIMIT 1
-- case: UPDATE without WHERE, with LIMIT
UPDATE queue_offsets SET offset_acked = 5 ORDER BY topic LIMIT 1
-- case: UPDATE of two tables
UPDATE queue_offsets o JOIN queue_messages m ON m.topic = o.topic SET o.offset_acked = m.offset WHERE m.id = 'x'
-- case: UPDATE with a left join
UPDATE queue_offsets o LEFT JOIN queue_messages m ON m.topic = o.topic SET o.offset_acked = 0 WHERE m.id IS NULL
-- case: UPDATE with a derived table
UPDATE queue_offsets o JOIN (SELECT topic, MAX(offset) AS n FROM queue_messages GROUP BY topic) m ON m.topic = o.topic SET o.offset_acked = m.n
-- case: UPDATE with WITH
WITH m AS (SELECT MAX(offset) AS n FROM queue_messages) UPDATE queue_offsets SET offset_acked = (SELECT n FROM m)
-- case: UPDATE of the tenant
UPDATE queue_offsets SET tenant = 'globex' WHERE topic = 'a'
-- case: UPDATE of the tenant to itself
UPDATE queue_offsets o SET o.tenant = o.tenant
-- case: UPDATE of an identifier, not ASCII
UPDATE queue_partition_leases SET leased_by = 'wörker' WHERE topic = 'a'
-- case: UPDATE of an identifier, empty
UPDATE queue_messages SET topic = '' WHERE topic = 'a'
-- case: UPDATE of a parameter that is no identifier
-- args: --set @mq_tenant=acme --param ä
UPDATE queue_messages SET topic = ? WHERE topic = 'a'
-- case: UPDATE of no table
UPDATE (SELECT 1 AS a) d SET d.a = 2
-- case: DELETE
DELETE FROM queue_messages WHERE topic = 'a' AND partition_key = 'p' AND offset <= 7
-- case: DELETE without WHERE
DELETE FROM queue_messages
-- case: DELETE with ORDER BY and LIMIT
DELETE FROM queue_messages WHERE topic = 'a' ORDER BY offset LIMIT 10
-- case: DELETE without WHERE, with LIMIT
DELETE FROM queue_messages LIMIT 10
-- case: DELETE with an alias
DELETE FROM queue_messages AS m WHERE m.topic = 'a'
-- case: DELETE of one of two tables
DELETE m FROM queue_messages m JOIN queue_offsets o ON o.topic = m.topic WHERE m.offset <= o.offset_acked
-- case: DELETE USING
DELETE FROM m USING queue_messages m LEFT JOIN queue_offsets o ON o.topic = m.topic WHERE o.topic IS NULL
-- case: DELETE with a database
DELETE mq.queue_messages FROM mq.queue_messages JOIN queue_offsets ON queue_offsets.topic = queue_messages.topic
-- case: DELETE with a sub-query
DELETE FROM queue_messages WHERE offset <= (SELECT MIN(offset_acked) FROM queue_offsets WHERE topic = 'a')
-- case: DELETE RETURNING
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
DELETE FROM queue_offsets WHERE topic = 'a' RETURNING *
-- case: IGNORE and QUICK
DELETE QUICK IGNORE FROM queue_messages WHERE topic = 'a'
-- case: unknown table
DELETE FROM users
-- case: UPDATE of an AUTO_INCREMENT column
UPDATE queue_messages SET offset = 5 WHERE offset = 4
-- case: UPDATE of an AUTO_INCREMENT column that leaves other tenants no room
UPDATE queue_messages q, queue_offsets o SET Q.`OFFSET` = ~0 WHERE q.topic = o.topic
-- case: UPDATE of an AUTO_INCREMENT column by another one
UPDATE queue_messages q, (SELECT ~0 AS offset) d SET q.offset = d.offset
