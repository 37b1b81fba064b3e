Prepared statements: the tenant is a hidden parameter.

-- case: SELECT
-- args: --set @mq_tenant=acme --param t --param p --param 5 --param 10
SELECT offset, id FROM queue_messages WHERE topic = ? AND partition_key = ? AND offset > ? ORDER BY offset LIMIT ?
-- case: INSERT of two rows
-- args: --set @mq_tenant=acme --param g --param t --param p --param g --param t --param q
INSERT INTO queue_offsets (consumer_group, topic, partition_key) VALUES (?, ?, ?), (?, ?, ?) ON DUPLICATE KEY UPDATE topic = topic
-- case: join with parameters before and behind
-- args: --set @mq_tenant=acme --param 1 --param 2 --param 3
SELECT ?, o.topic FROM queue_offsets o LEFT JOIN queue_messages m ON m.topic = ? WHERE o.topic = ?
-- case: the tenant is a parameter of the client's
-- args: --user app --param globex --param t
SELECT topic FROM queue_messages WHERE tenant = ? AND topic = ?
-- case: the inserted tenant is a parameter of the client's
-- args: --user app --param t --param globex
INSERT INTO queue_offsets (topic, tenant) VALUES (?, ?)
-- case: parameters that are not known yet
-- args: --user app --prepared
SELECT topic FROM queue_messages WHERE tenant = ?
-- case: no parameters
-- args: --set @mq_tenant=acme --prepared
SELECT topic FROM queue_messages
-- case: no tenant at EXECUTE
-- args: --user app --param t
SELECT topic FROM queue_messages WHERE topic = ?
-- case: pass
-- args: --user app --param 5
SELECT ? + 1
-- case: SET
-- args: --user app --param acme
SET @mq_tenant = ?
-- case: a parameter outside a prepared statement
SELECT topic FROM queue_messages WHERE topic = ?
-- case: a topic that is no identifier
-- args: --set @mq_tenant=acme --param ''
INSERT INTO queue_offsets (topic) VALUES (?)

-- case: no space behind a table's hints
-- args: --set @mq_tenant=acme --prepared
SELECT id FROM queue_messages USE INDEX ()FOR UPDATE

-- case: no space behind a select list
-- args: --set @mq_tenant=acme --prepared
INSERT INTO queue_offsets (topic)SELECT (1)FROM queue_messages
