Where other rewriters went wrong, kind by kind: sessions, transactions, results, as far as a
statement by itself shows it. The rest is tested in tests/integration.

-- case: 21: LAST_INSERT_ID() alone
SELECT LAST_INSERT_ID()

-- case: 21: LAST_INSERT_ID() within a statement
SELECT id FROM queue_messages WHERE offset = LAST_INSERT_ID()

-- case: 21: LAST_INSERT_ID of an expression
UPDATE queue_offsets SET offset_acked = LAST_INSERT_ID(offset_acked + 1)

-- case: 21: by its variable
SELECT @@last_insert_id

-- case: 21: IS NULL, which could find it
SET sql_auto_is_null = 1

-- case: 21: FOUND_ROWS()
SELECT FOUND_ROWS()

-- case: 21: ROW_COUNT()
SELECT ROW_COUNT()

-- case: 21: SHOW WARNINGS
SHOW WARNINGS

-- case: 21: GET DIAGNOSTICS
GET DIAGNOSTICS @n = ROW_COUNT

-- case: 22: AND CHAIN
COMMIT AND CHAIN

-- case: 22: READ ONLY
START TRANSACTION READ ONLY

-- case: 22: XA
XA START 'x'

-- case: 23: a SET list with expressions
SET autocommit = 1, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')

-- case: 23: SET NAMES with a collation
SET NAMES utf8mb4 COLLATE utf8mb4_bin

-- case: 23: the head of a dump
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */

-- case: 23: GLOBAL
SET GLOBAL max_connections = 10000

-- case: 23: a user variable
SELECT @rank := @rank + 1 FROM queue_messages

-- case: 23: a lock
SELECT GET_LOCK('x', 1)

-- case: 24: Connector/J
/* mysql-connector-j-8.0.33 */SELECT @@session.auto_increment_increment AS auto_increment_increment, @@character_set_client AS character_set_client, @@transaction_isolation AS transaction_isolation, @@wait_timeout AS wait_timeout

-- case: 24: SQLAlchemy
SELECT @@sql_mode

-- case: 24: Django
SELECT VERSION(), @@sql_mode, @@default_storage_engine, @@sql_auto_is_null, @@lower_case_table_names, CONVERT_TZ('2001-01-01 01:00:00', 'UTC', 'UTC') IS NOT NULL

-- case: 24: Rails
SHOW VARIABLES WHERE variable_name = 'version'

-- case: 24: the mysql client
select $$

-- case: 25: several statements in one query
BEGIN; DELETE FROM queue_messages; COMMIT

-- case: 26: an unknown tenant
-- args: --set @mq_tenant=unknown
SELECT id FROM queue_messages

-- case: 26: a tenant in another case
-- args: --set @mq_tenant=ACME
SELECT id FROM queue_messages

-- case: 26: no tenant
-- args:
SELECT id FROM queue_messages
