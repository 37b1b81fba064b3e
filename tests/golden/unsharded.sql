Statements for the unsharded keyspace, beside a sharded one.

-- case: a table of neither kind goes as it is
-- args: --set @mq_tenant=acme --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SELECT /* queue_messages */ o.*, 'queue_offsets' AS "queue_leases" FROM orders AS o WHERE id=1

-- case: it needs no tenant
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
UPDATE orders SET state = 2 WHERE id IN (1, 2)

-- case: what only the server can parse
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
CREATE FUNCTION twice(n INT) RETURNS INT RETURN 2 * n

-- case: a queue table under another alias
-- args: --set @mq_tenant=acme --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SELECT topic FROM queue_offsets orders

-- case: both kinds
-- args: --set @mq_tenant=acme --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SELECT * FROM orders o JOIN queue_messages m ON m.id = o.message_id

-- case: a queue table by another spelling
-- args: --set @mq_tenant=acme --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SELECT * FROM Queue_Messages

-- case: a queue table's name as a column of another table
-- args: --set @mq_tenant=acme --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SELECT queue_messages FROM statistics

-- case: a queue table inside a versioned comment
-- args: --set @mq_tenant=acme --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SELECT * FROM orders /*!50000 JOIN queue_messages */

-- case: without a table it is planned as ever
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SELECT 1, @@version

-- case: without a table, a stored function
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SELECT twice(2)

-- case: a user variable keeps the connection
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SET @total = 0

-- case: a variable that is followed
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SET sql_mode = 'ANSI_QUOTES'

-- case: a variable that is not
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SET sql_log_bin = 0

-- case: a variable that stays off on shards
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SET sql_safe_updates = 1

-- case: the character set that texts are read in
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SET character_set_client = gbk

-- case: our own variables are no server's
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SELECT @mq_tenant, id FROM orders

-- case: the session's values are written into a change
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
INSERT INTO audit (who, session) VALUES (CURRENT_USER, CONNECTION_ID())

-- case: and behind FROM
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SELECT id FROM audit WHERE session = CONNECTION_ID()

-- case: not into a select list, whose heading would change
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SELECT id, CONNECTION_ID() FROM audit

-- case: prepared
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003 --prepared
UPDATE audit SET closed = ? WHERE session = CONNECTION_ID() AND id = ?

-- case: the keyspace as a qualifier
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003 --set unsharded.database=mq
SELECT * FROM mq.orders

-- case: the keyspace as a qualifier, which has another name there
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SELECT * FROM mq.orders

-- case: another database of the server
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
SELECT * FROM reports.daily

-- case: without such a keyspace it is refused
SELECT * FROM orders

-- case: MariaDB's ranges, in a block and in a stored program
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003 --dialect mariadb-10.11
FOR i IN 1..10 DO INSERT INTO orders VALUES (i); END FOR

-- case: which MySQL does not have
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003
FOR i IN 1..10 DO INSERT INTO orders VALUES (i); END FOR

-- case: nor has anything that is about queue tables
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003 --dialect mariadb-10.11
SELECT id FROM queue_messages WHERE offset = 1..2

-- case: variables for one statement leave what the statement leaves
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003 --dialect mariadb-10.11
SET STATEMENT sort_buffer_size = 65536, sql_mode = SUBSTRING('ANSI' FROM 1 FOR 4) FOR SELECT * FROM orders

-- case: a character set in it is not the client's
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003 --dialect mariadb-10.11
SET STATEMENT sql_mode = '' FOR CREATE TABLE t (c VARCHAR(9) CHARACTER SET utf8)

-- case: but the session's state is no server's, for one statement either
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003 --dialect mariadb-10.11
SET STATEMENT sort_buffer_size = 65536 FOR SET NAMES latin1

-- case: nor its database
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003 --dialect mariadb-10.11
SET STATEMENT sort_buffer_size = 65536 FOR USE reports

-- case: nor what it knows of itself
-- args: --set unsharded.name=app --set unsharded.address=127.0.0.1:4003 --dialect mariadb-10.11
SET STATEMENT sort_buffer_size = 65536 FOR SELECT CONNECTION_ID()
