MariaDB reserves `offset`: bare it is backquoted for such shards.

-- case: poll
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT offset, id FROM queue_messages WHERE topic = 't' AND offset > 5 ORDER BY offset LIMIT 10
-- case: already quoted, qualified
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT `offset`, m.offset FROM queue_messages m
-- case: alias
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT MAX(offset) AS offset FROM queue_messages
-- case: an expression keeps its name in the answer
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT MAX(offset), MIN( offset ) lowest, offset FROM queue_messages
-- case: LIMIT OFFSET is a keyword
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT id FROM queue_messages ORDER BY offset DESC LIMIT 5 OFFSET 10
-- case: DELETE that ends with the word
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
DELETE FROM queue_messages WHERE topic = 't' AND 5 >= offset
-- case: INSERT
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
INSERT INTO queue_messages (offset, topic) VALUES (5, 't') ON DUPLICATE KEY UPDATE offset = VALUES(offset)
-- case: CREATE TABLE
-- args: --user app --dialect mariadb-10.11
CREATE TABLE queue_messages (offset BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, topic VARCHAR(255) NOT NULL, partition_key VARCHAR(255) NOT NULL, id VARCHAR(255) NOT NULL, payload BLOB NOT NULL, metadata JSON, created_at BIGINT UNSIGNED NOT NULL, published_at BIGINT UNSIGNED NOT NULL, failed_at BIGINT UNSIGNED NOT NULL, failure_count INT UNSIGNED NOT NULL, last_error TEXT NOT NULL, original_topic VARCHAR(255) NOT NULL, failure_detail JSON, INDEX idx_topic_partition_offset (topic, partition_key, offset), UNIQUE KEY idx_topic_partition_id (topic, partition_key, id))
-- case: an older MariaDB does not
-- args: --set @mq_tenant=acme --dialect mariadb-10.5
SELECT offset FROM queue_messages
-- case: MySQL does not
-- args: --set @mq_tenant=acme --dialect mysql-9.7
SELECT offset FROM queue_messages

-- case: ANALYZE of a statement
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
ANALYZE FORMAT=JSON DELETE FROM queue_messages WHERE topic = 'a'

-- case: ANALYZE of a table
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
ANALYZE TABLE queue_messages

-- case: OFFSET and FETCH
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT id FROM queue_messages ORDER BY offset OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY

-- case: FETCH WITH TIES, a lock
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT id FROM queue_messages ORDER BY topic FETCH FIRST ROW WITH TIES FOR UPDATE WAIT 3

-- case: OFFSET alone
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT id FROM queue_messages ORDER BY offset OFFSET ? ROWS

-- case: FETCH is not MySQL's
SELECT id FROM queue_messages ORDER BY offset FETCH FIRST 3 ROWS ONLY

-- case: LIMIT ROWS EXAMINED
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT id FROM queue_messages LIMIT 10 ROWS EXAMINED 100

-- case: CYCLE
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
WITH RECURSIVE c AS (SELECT topic FROM queue_offsets UNION ALL SELECT m.topic FROM queue_messages m JOIN c ON c.topic = m.original_topic) CYCLE topic RESTRICT SELECT * FROM c

-- case: a table of values
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT * FROM queue_offsets o JOIN (VALUES ('a', 1), ('b', 2)) v ON o.topic = v.a

-- case: INSERT SELECT RETURNING
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
INSERT INTO queue_offsets SELECT 'g', topic, partition_key, 0, 1 FROM queue_messages RETURNING *, offset_acked + 1

-- case: REPLACE RETURNING
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
REPLACE INTO queue_offsets VALUES ('g', 't', 'p', 0, 1) RETURNING topic, (SELECT COUNT(*) FROM queue_messages)

-- case: a sequence
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT NEXT VALUE FOR s

-- case: a sequence as a function
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT NEXTVAL(s)

-- case: a sequence as a table
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT seq FROM seq_1_to_10

-- case: the past
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT id FROM queue_messages FOR SYSTEM_TIME ALL

-- case: a portion of time
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
DELETE FROM queue_messages FOR PORTION OF p FROM '2020-01-01' TO '2021-01-01'

-- case: TABLE is not MariaDB's
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
TABLE queue_offsets

-- case: SET STATEMENT
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SET STATEMENT max_statement_time = 1 FOR SELECT id FROM queue_messages
-- case: JSON as a dump prints it, and what is not JSON
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
CREATE TABLE queue_messages (
  `offset` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  topic varchar(255) NOT NULL,
  partition_key varchar(255) NOT NULL,
  id varchar(255) NOT NULL,
  payload blob NOT NULL,
  metadata longtext DEFAULT NULL CHECK (json_valid(`failure_detail`)),
  created_at bigint(20) unsigned NOT NULL,
  published_at bigint(20) unsigned NOT NULL,
  failed_at bigint(20) unsigned NOT NULL,
  failure_count int(10) unsigned NOT NULL,
  last_error text NOT NULL,
  original_topic varchar(255) NOT NULL,
  failure_detail longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`failure_detail`)),
  PRIMARY KEY (`offset`),
  UNIQUE KEY by_id (topic, partition_key, id)
)
-- case: JSON of MariaDB is none to MySQL
-- args: --set @mq_tenant=acme --dialect mysql-9.7
CREATE TABLE queue_messages (`offset` bigint unsigned NOT NULL, metadata longtext CHECK (json_valid(metadata)))
-- case: DISTINCT ordered by expressions that it lists: the server would lose rows
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT DISTINCT failure_count x, CONCAT(topic, id), offset + 1 FROM queue_messages ORDER BY x, CONCAT(topic, id) DESC, offset + 1
-- case: the same, with an edit at either end
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT DISTINCT id, topic COLLATE utf8mb4_bin FROM queue_messages ORDER BY id, topic COLLATE utf8mb4_bin
-- case: columns, numbers and groups are not hidden
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT DISTINCT id, CONCAT(topic, id) FROM queue_messages GROUP BY id, CONCAT(topic, id) ORDER BY id, CONCAT(topic, id)
