What lives on one connection of the tenant's shard.

-- case: SET
SET @a = 1, @b := CONCAT(@a, 'x')
-- case: SET without a tenant
-- args:
SET @a = 1
-- case: SET by a comment
-- args:
/*tenant='globex'*/ SET @a = 1
-- case: SET prepared
-- args: --set @mq_tenant=acme --prepared
SET @a = ?
-- case: SET of the session's value
SET @a = CONNECTION_ID(), @b = DATABASE()
-- case: SET from a query
SET @n = (SELECT COUNT(*) FROM queue_messages WHERE topic = 't')
-- case: SET from a query of an identifier
SET @t = (SELECT topic FROM queue_messages LIMIT 1)
-- case: SET of two kinds
SET @a = @@sql_mode, sql_mode = ''
-- case: SET of mqgate's own and another
SET @mq_tenant = 'acme', @a = 1
-- case: SET of what might be mqgate's own
SET @mq_other = 1
-- case: SET quoted
SET @'mq_tenant' = 'acme'
-- case: SET of a variable by one
SET time_zone = @zone
-- case: reads
SELECT @a, @`b c`
-- case: reads without a tenant
-- args:
SELECT @a
-- case: assigns
SELECT @n := @n + 1, offset FROM queue_messages WHERE topic = 't'
-- case: assigns an identifier
SELECT @t := topic AS t, @u := COALESCE(topic, 'x'), @p := partition_key FROM queue_messages
-- case: INTO
SELECT topic, offset, MAX(partition_key) INTO @t, @o, @p FROM queue_messages WHERE topic = 't'
-- case: INTO behind the locks
SELECT id FROM queue_messages WHERE topic = 't' LIMIT 1 FOR UPDATE INTO @id
-- case: INTO with a star
SELECT * FROM queue_offsets INTO @a, @b
-- case: INTO behind UNION
SELECT 1 UNION SELECT 2 INTO @a
-- case: INTO of an inner query
SELECT (SELECT id INTO @a FROM queue_messages)
-- case: INTO a file
SELECT id INTO OUTFILE '/tmp/x' FROM queue_messages
-- case: compared with an identifier
SELECT id FROM queue_messages WHERE topic = @t AND partition_key = @p
-- case: listed with an identifier
SELECT consumer_group FROM queue_offsets WHERE topic IN ('a', @t)
-- case: joined with an identifier
SELECT CONCAT(topic, @t) FROM queue_messages
-- case: a tenant
SELECT id FROM queue_messages WHERE tenant = @t
-- case: of several tenants
-- args:
SELECT id FROM queue_messages WHERE topic = @t
-- case: of several tenants, in a write
-- args:
DELETE FROM queue_messages WHERE topic = @t AND tenant IN ('acme', 'globex')
-- case: in a change
UPDATE queue_offsets SET offset_acked = (@last := offset_acked + 1) WHERE topic = 't'
-- case: in an INSERT
INSERT INTO queue_offsets VALUES (@g, 't', @p, 1, 2)
-- case: in an INSERT with IGNORE
INSERT IGNORE INTO queue_offsets VALUES (@g, 't', @p, 1, 2)
-- case: metadata
INSERT INTO queue_messages (topic, partition_key, id, payload, metadata) VALUES ('t', 'p', 'i', '', @m)
-- case: a counter
INSERT INTO queue_messages (offset, topic, partition_key, id, payload) VALUES (@o, 't', 'p', 'i', '')
-- case: DO
DO @a := 1
-- case: GET_LOCK
SELECT GET_LOCK('a', 10)
-- case: GET_LOCK by a comment
-- args:
/*tenant='globex'*/ SELECT GET_LOCK('a', 10)
-- case: GET_LOCK by a default
-- args: --set default_tenant=acme
SELECT GET_LOCK('a', 10)
-- case: GET_LOCK of a stored function
SELECT mq.GET_LOCK('a', 10)
-- case: RELEASE_LOCK
DO RELEASE_LOCK('a')
-- case: RELEASE_ALL_LOCKS
SELECT RELEASE_ALL_LOCKS()
-- case: IS_FREE_LOCK
SELECT IS_FREE_LOCK('a')
-- case: IS_USED_LOCK
SELECT IS_USED_LOCK('a')
-- case: LOCK TABLES
LOCK TABLES queue_messages WRITE
-- case: CREATE TEMPORARY TABLE
CREATE TEMPORARY TABLE t (id VARCHAR(255) CHARACTER SET utf8mb4 DEFAULT 'x', n INT, KEY (n)) ENGINE=InnoDB COMMENT 'c'
-- case: CREATE TEMPORARY TABLE without a tenant
-- args:
CREATE TEMPORARY TABLE t (id INT)
-- case: CREATE TEMPORARY TABLE with a database
CREATE TEMPORARY TABLE mq.t (id INT)
-- case: CREATE TEMPORARY TABLE like a queue table
CREATE TEMPORARY TABLE Queue_Messages (id INT)
-- case: CREATE TEMPORARY TABLE of a query
CREATE TEMPORARY TABLE t SELECT * FROM queue_messages
-- case: CREATE TEMPORARY TABLE with an engine that reads elsewhere
CREATE TEMPORARY TABLE t (id INT) ENGINE=FEDERATED CONNECTION='mysql://h/d/t'
-- case: CREATE TEMPORARY TABLE with a key of an expression
CREATE TEMPORARY TABLE t (id INT, KEY ((id + 1)))
-- case: DROP TEMPORARY TABLE
DROP TEMPORARY TABLE IF EXISTS t, u
-- case: DROP TEMPORARY TABLE in a versioned comment
DROP /*!40100 TEMPORARY */ TABLE queue_messages
-- case: SET in a versioned comment
SET @a = 1 /*!40100 , @b = 2 */
-- case: INSERT into what is no temporary table of the session
INSERT INTO t SELECT id FROM queue_messages
-- case: SELECT from what is none
SELECT id FROM t
-- case: TRUNCATE of what is none
TRUNCATE t
