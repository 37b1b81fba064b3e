Aliases, databases, quoted names, names of WITH.

-- case: database
SELECT id FROM mq.queue_messages WHERE mq.queue_messages.topic = 'a'
-- case: database alias
SELECT m.id FROM queue.queue_messages AS m
-- case: no database selected, but named
-- args: --database '' --set @mq_tenant=acme
SELECT id FROM mq.queue_messages
-- case: no database selected
-- args: --database '' --set @mq_tenant=acme
SELECT id FROM queue_messages
-- case: another database
SELECT id FROM other.queue_messages
-- case: another database of a column
SELECT other.queue_messages.id FROM queue_messages
-- case: quoted
SELECT `id` FROM `mq`.`queue_messages` `a``b` WHERE `a``b`.`topic` = 'x'
-- case: ANSI_QUOTES
-- args: --sql-mode ANSI_QUOTES --set @mq_tenant=acme
SELECT "id" FROM "queue_messages" "m" WHERE "m"."topic" = 'x'
-- case: letter case of a table
SELECT id FROM Queue_Messages
-- case: an alias hides a table
SELECT queue_offsets.id FROM queue_messages queue_offsets
-- case: WITH named like a queue table
WITH queue_messages AS (SELECT topic FROM queue_messages WHERE topic = 'a') SELECT topic FROM queue_messages
-- case: WITH named like a queue table, in another case
WITH Queue_Messages AS (SELECT topic FROM queue_offsets) SELECT topic FROM queue_messages
-- case: WITH named like a queue table, but the table is meant
WITH queue_messages AS (SELECT topic FROM queue_offsets) SELECT topic FROM mq.queue_messages
-- case: WITH named like a queue table in a DELETE
WITH queue_messages AS (SELECT topic FROM queue_offsets) DELETE FROM queue_messages
-- case: WITH of an inner query
SELECT d.topic FROM (WITH queue_messages AS (SELECT topic FROM queue_offsets) SELECT topic FROM queue_messages) d JOIN queue_messages m ON m.topic = d.topic
-- case: WITH RECURSIVE that looks ahead
WITH RECURSIVE a AS (SELECT topic FROM queue_offsets), queue_offsets AS (SELECT 1 AS topic) SELECT topic FROM a
-- case: derived table named like a queue table
SELECT queue_messages.topic FROM (SELECT topic FROM queue_offsets) queue_messages
-- case: a control character in an alias
SELECT 1 FROM queue_messages `a`
-- case: one name for two tables
SELECT 1 FROM queue_messages m, queue_offsets M
-- case: unknown table
SELECT 1 FROM users
-- case: unknown beside known
SELECT 1 FROM queue_messages m JOIN users u ON u.id = m.id
-- case: information_schema
SELECT table_name FROM information_schema.tables
-- case: performance_schema
SELECT * FROM performance_schema.events_statements_history
-- case: mysql
SELECT user FROM mysql.user
-- case: DUAL
SELECT 1 FROM DUAL
-- case: DUAL beside a table
SELECT m.id FROM queue_messages m WHERE m.topic = (SELECT 'a' FROM dual)
