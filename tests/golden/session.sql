What mqgate answers itself, and what it passes on.

-- case: BEGIN
BEGIN
-- case: START TRANSACTION
START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY
-- case: COMMIT
COMMIT AND CHAIN
-- case: ROLLBACK
ROLLBACK
-- case: SAVEPOINT
SAVEPOINT `a b`
-- case: ROLLBACK TO
ROLLBACK TO SAVEPOINT sp
-- case: RELEASE SAVEPOINT
RELEASE SAVEPOINT sp
-- case: KILL
KILL 5
-- case: KILL HARD
-- args: --dialect mariadb-10.11
KILL HARD 5
-- case: KILL QUERY of its own
KILL QUERY CONNECTION_ID()
-- case: USE
USE mq
-- case: SET tenant
SET @mq_tenant = 'globex'
-- case: SET names
SET NAMES utf8mb4 COLLATE utf8mb4_bin
-- case: SET many
SET autocommit = 1, sql_mode = 'STRICT_ALL_TABLES', @@session.time_zone = '+00:00', character_set_results = NULL, @mq_schema = DEFAULT
-- case: SET number with a sign
SET SESSION timestamp = -1
-- case: SET TRANSACTION
SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED
-- case: SET GLOBAL
SET GLOBAL max_connections = 5
-- case: SET user variable
SET @x = 1
-- case: SET with an expression
SET sql_mode = CONCAT(@@sql_mode, ',ANSI')
-- case: SET tenant by a sub-query
SET @mq_tenant = (SELECT topic FROM queue_messages LIMIT 1)
-- case: SELECT DATABASE()
SELECT DATABASE()
-- case: SELECT DATABASE() with an alias
SELECT schema() AS `my db`
-- case: SELECT LAST_INSERT_ID()
SELECT LAST_INSERT_ID() AS 'id'
-- case: SELECT LAST_INSERT_ID(expr)
SELECT LAST_INSERT_ID(5)
-- case: SELECT CONNECTION_ID()
SELECT CONNECTION_ID()
-- case: SELECT CURRENT_USER
SELECT CURRENT_USER
-- case: SELECT @mq_tenant
SELECT @mq_tenant
-- case: two at once
SELECT DATABASE(), USER() LIMIT 1
-- case: session values beside constants and variables
SELECT CONNECTION_ID() AS id, LAST_INSERT_ID(), row_count() , 1, @@version, @@session.identity, @mq_tenant
-- case: session values, prepared
-- args: --prepared --set @mq_tenant=acme
SELECT DATABASE(), CONNECTION_ID(), ?, CURRENT_USER
-- case: one session value, prepared
-- args: --prepared
SELECT LAST_INSERT_ID()
-- case: session values in conditions, prepared
-- args: --param a --set @mq_tenant=acme
SELECT id FROM queue_messages WHERE offset = LAST_INSERT_ID() AND topic = ?
-- case: a derived table keeps its names
SELECT d.`DATABASE()` FROM (SELECT DATABASE()) AS d
-- case: no database is selected
-- args: --database ''
SELECT DATABASE(), 1
-- case: session values of an insert
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', LAST_INSERT_ID(), 0)
-- case: a session value would fall into a comment
SELECT 1, /*!80000 DATABASE() */
-- case: a global insert id
SELECT @@global.last_insert_id
-- case: SELECT 1
-- args: --user app
SELECT 1
-- case: version
-- args: --user app
SELECT @@version_comment LIMIT 1
-- case: what drivers ask
-- args: --user app
SELECT @@session.auto_increment_increment AS auto_increment_increment, @@character_set_client AS character_set_client, @@max_allowed_packet
-- case: functions
-- args: --user app
SELECT NOW(), CONCAT('a', 'b'), VERSION()
-- case: session variables of a shard
SELECT @@identity
-- case: session variables of a shard, in quotes
SELECT @@session.`Insert_ID`
-- case: session variables of a shard, with an accent
SELECT @@lást_insert_id
-- case: a session's transaction
-- args: --dialect mariadb-10.11
SELECT @@in_transaction
-- case: select $$
-- args: --user app
select $$
-- case: the session needs no database for it
-- args: --user app --database ''
SELECT 1
-- case: words without a space between
-- args: --database ''
SELECT@@identity, 1 WHERE'a'=DATABASE()AND@mq_tenant='a'
-- case: words without a space between, prepared
-- args: --prepared --set @mq_tenant=acme
SELECT id FROM `queue_messages`ORDER BY(DATABASE())DESC
