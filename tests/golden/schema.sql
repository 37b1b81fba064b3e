SHOW, DESCRIBE and information_schema over the legacy schema.

-- case: a table with all its columns
SHOW FULL COLUMNS FROM queue_partition_leases
-- case: MariaDB keeps display widths
-- args: --dialect mariadb-10.11
SHOW COLUMNS FROM queue_delivery_state
-- case: MySQL before 8.0.19 as well
-- args: --dialect mysql-8.0.18
DESC queue_delivery_state acked
-- case: the database in front
DESCRIBE queue.queue_offsets 'topic%'
-- case: another database
SHOW COLUMNS FROM queue_offsets FROM mysql
-- case: a table that is none
SHOW INDEX FROM users
-- case: hidden columns
SHOW EXTENDED COLUMNS FROM queue_offsets
-- case: WHERE with a value of the session
SHOW TABLES WHERE Tables_in_mq <> DATABASE()
-- case: WHERE that reads a queue table
SHOW COLUMNS FROM queue_offsets WHERE Field IN (SELECT topic FROM queue_offsets)
-- case: a pattern in the heading
-- args: --database queue
SHOW TABLES LIKE 'queue\_o`%'
-- case: MariaDB compares names by their bytes
-- args: --dialect mariadb-10.11
SHOW SCHEMAS LIKE 'Q%'
-- case: JSON on MariaDB
-- args: --dialect mariadb-10.11
SHOW CREATE TABLE queue_messages
-- case: quotes under ANSI_QUOTES
-- args: --sql-mode ANSI_QUOTES
SHOW CREATE TABLE queue_offsets
-- case: the tenant schema
-- args: --set @mq_schema=tenant
SHOW CREATE TABLE queue_offsets
-- case: its indexes
-- args: --set @mq_schema=tenant
SHOW INDEX FROM queue_partition_leases
-- case: schemata
SELECT schema_name FROM information_schema.schemata WHERE schema_name = DATABASE()
-- case: MySQL names columns its own way
SELECT schema_name, s.sql_path p, catalog_name IS NULL FROM information_schema.schemata s
-- case: MariaDB does not
-- args: --dialect mariadb-10.11
SELECT schema_name FROM information_schema.schemata
-- case: a column with its database
SELECT 1 FROM information_schema.schemata WHERE information_schema.schemata.schema_name = 'mq'
-- case: what the legacy schema has none of
SELECT * FROM information_schema.triggers t JOIN information_schema.`VIEWS` ON trigger_name = table_name
-- case: files of tablespaces
SELECT DISTINCT FILE_NAME FROM INFORMATION_SCHEMA.FILES WHERE FILE_TYPE = 'DATAFILE'
-- case: SHOW TRIGGERS
SHOW TRIGGERS FROM mq LIKE 'queue\_offsets'
-- case: what all servers have alike
SELECT COUNT(*) FROM information_schema.collations
-- case: in a sub-query
SELECT EXISTS (SELECT 1 FROM information_schema.table_constraints WHERE table_name = 'x')
-- case: beside a queue table
SELECT 1 FROM information_schema.schemata, queue_offsets
-- case: in a sub-query beside a queue table
SELECT topic FROM queue_offsets WHERE topic IN (SELECT schema_name FROM information_schema.schemata)
-- case: into a queue table
INSERT INTO queue_offsets (topic) SELECT schema_name FROM information_schema.schemata
-- case: written to
UPDATE information_schema.schemata SET sql_path = NULL
-- case: what shows the shard
SELECT * FROM information_schema.processlist
-- case: prepared
-- args: --param mq
SELECT schema_name FROM information_schema.schemata WHERE schema_name = ?
-- case: words without a space between
SHOW TABLES FROM`queue`WHERE`Tables_in_queue`LIKE'q%'
-- case: a column with its database, without a space
SELECT 1 FROM`information_schema`.schemata WHERE NOT`information_schema`.schemata.sql_path
