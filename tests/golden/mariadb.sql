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
