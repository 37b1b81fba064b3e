Where other rewriters went wrong, kind by kind: parameters and prepared statements. What EXECUTE
sends (16) and how statements are kept (18) is tested in unit/proxy and tests/integration.

-- case: 17: a parameter is the tenant
-- args: --param acme
SELECT id FROM queue_messages WHERE tenant = ? AND topic = 'x'

-- case: 17: a parameter is another tenant than the session's
-- args: --set @mq_tenant=acme --param globex
SELECT id FROM queue_messages WHERE tenant = ?

-- case: 17: a parameter is the inserted tenant, in each row
-- args: --param acme --param t --param acme --param u
INSERT INTO queue_offsets (tenant, topic) VALUES (?, ?), (?, ?)

-- case: 17: a parameter is no tenant's name
-- args: --param "a,b"
SELECT id FROM queue_messages WHERE tenant = ?

-- case: 17: a parameter with a space behind it
-- args: --param "acme "
SELECT id FROM queue_messages WHERE tenant = ?

-- case: 17: a parameter that is not bound yet
-- args: --prepared
SELECT id FROM queue_messages WHERE tenant = ?

-- case: 17: hidden parameters stand between the client's
-- args: --set @mq_tenant=acme --param a --param b --param c
SELECT ? FROM queue_messages m LEFT JOIN queue_offsets o ON o.topic = ? WHERE m.topic IN (SELECT topic FROM queue_messages WHERE id = ?)

-- case: 17: hidden parameters behind a select list
-- args: --set @mq_tenant=acme --param g --param t
INSERT INTO queue_offsets SELECT ?, topic, partition_key, 0, 0 FROM queue_messages WHERE topic = ? UNION TABLE queue_offsets

-- case: 17: a hidden parameter in a derived table that was a table
-- args: --set @mq_tenant=acme --param t
SELECT COUNT(*) FROM queue_messages LEFT JOIN queue_offsets USING (topic) WHERE topic = ?

-- case: 17: an identifier as a parameter
-- args: --set @mq_tenant=acme --param ""
UPDATE queue_messages SET topic = ?

-- case: 19: SQL-level PREPARE
PREPARE s FROM 'SELECT * FROM queue_messages'

-- case: 19: SQL-level EXECUTE
EXECUTE s USING @a

-- case: 19: EXECUTE IMMEDIATE
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
EXECUTE IMMEDIATE 'SELECT * FROM queue_messages'

-- case: 19: BEGIN, prepared
-- args: --prepared
BEGIN

-- case: 19: SET, prepared
-- args: --prepared
SET autocommit = 0

-- case: 19: SHOW, prepared
-- args: --prepared
SHOW VARIABLES LIKE 'version'

-- case: 19: DDL, prepared
-- args: --user admin --prepared
DROP TABLE queue_offsets

-- case: 19: too few parameters
-- args: --set @mq_tenant=acme
SELECT id FROM queue_messages WHERE topic = ?
