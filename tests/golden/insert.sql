INSERT and REPLACE: the tenant comes first.

-- case: VALUES
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', 0, 1)
-- case: many rows
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', 0, 1), ('g', 't', 'q', 0, 1), ('g', 't', 'r', 0, 1)
-- case: VALUE, IGNORE, no INTO, no spaces
INSERT IGNORE queue_offsets(consumer_group,topic,partition_key,offset_acked,updated_at)VALUE('g','t','p',0,1)
-- case: no column list
INSERT INTO queue_offsets VALUES ('g', 't', 'p', 0, 1)
-- case: no column list, many rows
INSERT INTO queue_offsets VALUES ('g', 't', 'p', 0, 1), ('g', 't', 'q', 0, 1)
-- case: no column list, a database
INSERT INTO mq.queue_offsets VALUES ('g', 't', 'p', 0, 1)
-- case: empty list
INSERT INTO queue_offsets () VALUES ()
-- case: nothing at all
INSERT INTO queue_offsets VALUES (), ()
-- case: nothing and something
INSERT INTO queue_offsets VALUES (), ('g', 't', 'p', 0, 1)
-- case: qualified columns
INSERT INTO queue_offsets (queue_offsets.consumer_group, mq.queue_offsets.topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', 0, 1)
-- case: SET
INSERT INTO queue_offsets SET consumer_group = 'g', topic = 't', partition_key = 'p', offset_acked = 0, updated_at = 1
-- case: ROW
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ROW('g', 't', 'p', 0, 1)
-- case: REPLACE
REPLACE INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', 0, 1)
-- case: ON DUPLICATE KEY UPDATE
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', 0, 1) ON DUPLICATE KEY UPDATE offset_acked = IF(offset_acked < VALUES(offset_acked), VALUES(offset_acked), offset_acked)
-- case: ON DUPLICATE KEY UPDATE with a sub-query
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', 0, 1) ON DUPLICATE KEY UPDATE offset_acked = (SELECT MAX(offset) FROM queue_messages)
-- case: ON DUPLICATE KEY UPDATE of the tenant
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', 0, 1) ON DUPLICATE KEY UPDATE tenant = VALUES(tenant)
-- case: ON DUPLICATE KEY UPDATE with the tenant
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', 0, 1) ON DUPLICATE KEY UPDATE topic = tenant
-- case: row alias
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', 0, 1) AS new ON DUPLICATE KEY UPDATE offset_acked = new.offset_acked
-- case: row alias with columns
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', 0, 1) AS new (a, b, c, d, e) ON DUPLICATE KEY UPDATE offset_acked = d
-- case: SELECT
INSERT INTO queue_messages (topic, partition_key, id, payload, metadata, created_at, published_at, failed_at, failure_count, last_error, original_topic) SELECT 't_dlq', partition_key, id, payload, metadata, created_at, 5, 6, 1, 'e', topic FROM queue_messages WHERE topic = 't' AND id = 'x'
-- case: SELECT DISTINCT, UNION
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) SELECT DISTINCT 'g', topic, partition_key, 0, 1 FROM queue_messages UNION (SELECT 'g', 't', 'p', 0, 1)
-- case: SELECT without a column list, star
INSERT INTO queue_offsets SELECT * FROM queue_offsets WHERE topic = 'a'
-- case: SELECT in parentheses
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) (SELECT 'g', topic, partition_key, 0, 1 FROM queue_messages)
-- case: WITH and SELECT
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) WITH m AS (SELECT topic FROM queue_messages) SELECT 'g', topic, 'p', 0, 1 FROM m
-- case: SELECT with an order by position
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) SELECT 'g', topic, partition_key, 0, 1 FROM queue_messages ORDER BY 2
-- case: SELECT with a group by position
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) SELECT 'g', topic, partition_key, MAX(offset), 1 FROM queue_messages GROUP BY 2, 3
-- case: TABLE
INSERT INTO queue_offsets TABLE queue_offsets
-- case: the tenant's column is there and agrees
INSERT INTO queue_offsets (consumer_group, tenant, topic, partition_key, offset_acked, updated_at) VALUES ('g', 'acme', 't', 'p', 0, 1)
-- case: the tenant's column names the tenant
-- args: --user app
INSERT INTO queue_offsets (tenant, consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('globex', 'g', 't', 'p', 0, 1), ('globex', 'g', 't', 'q', 0, 1)
-- case: the tenant's column in SET
-- args: --user app
INSERT INTO queue_offsets SET consumer_group = 'g', tenant = 'globex', topic = 't', partition_key = 'p', offset_acked = 0, updated_at = 1
-- case: the tenant's column in SELECT
-- args: --user app
INSERT INTO queue_offsets (consumer_group, tenant, topic, partition_key, offset_acked, updated_at) SELECT 'g', 'globex', topic, partition_key, 0, 1 FROM queue_messages
-- case: the tenant's column differs
INSERT INTO queue_offsets (tenant, consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('globex', 'g', 't', 'p', 0, 1)
-- case: rows of different tenants
-- args: --user app
INSERT INTO queue_offsets (tenant, consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('acme', 'g', 't', 'p', 0, 1), ('globex', 'g', 't', 'q', 0, 1)
-- case: a parameter in the third row
-- args: --user app --param globex
INSERT INTO queue_offsets (tenant, consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('acme', 'g', 't', 'p', 0, 1), ('acme', 'g', 't', 'q', 0, 1), (?, 'g', 't', 'r', 0, 1)
-- case: DEFAULT as the tenant
-- args: --user app
INSERT INTO queue_offsets (tenant, consumer_group, topic, partition_key, offset_acked, updated_at) VALUES (DEFAULT, 'g', 't', 'p', 0, 1)
-- case: an expression as the tenant
-- args: --user app
INSERT INTO queue_offsets (tenant, consumer_group, topic, partition_key, offset_acked, updated_at) VALUES (CONCAT('ac', 'me'), 'g', 't', 'p', 0, 1)
-- case: the tenant of the row that is read
-- args: --user app
INSERT INTO queue_offsets (tenant, consumer_group, topic, partition_key, offset_acked, updated_at) SELECT tenant, 'g', topic, partition_key, 0, 1 FROM queue_messages
-- case: the tenant's column twice
INSERT INTO queue_offsets (tenant, topic, tenant) VALUES ('acme', 't', 'acme')
-- case: the row is too short for the tenant
INSERT INTO queue_offsets (topic, tenant) VALUES ('t')
-- case: more values than columns
INSERT INTO queue_offsets (topic) VALUES ('t', 'p')
-- case: topic is empty
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', '', 'p', 0, 1)
-- case: topic is not ASCII
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 'té', 'p', 0, 1)
-- case: partition_key is any Unicode
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'ключ', 0, 1)
-- case: RETURNING
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', 0, 1) RETURNING *
-- case: unknown table
INSERT INTO users (id) VALUES (1)
-- case: into a name of WITH
INSERT INTO dual VALUES (1)
-- case: PARTITION
INSERT INTO queue_offsets PARTITION (p0) (topic) VALUES ('t')
-- case: SELECT ordered by a position in parentheses
INSERT INTO queue_offsets (topic, partition_key) SELECT topic, partition_key FROM queue_messages ORDER BY (2) LIMIT 1
-- case: SELECT ordered by a position with a sign
INSERT INTO queue_offsets (topic, partition_key) SELECT topic, partition_key FROM queue_messages ORDER BY +2 LIMIT 1
-- case: SELECT ordered by an expression
INSERT INTO queue_offsets (topic, partition_key) SELECT topic, partition_key FROM queue_messages ORDER BY -(failure_count) LIMIT 1
-- case: an AUTO_INCREMENT value
INSERT INTO queue_messages (offset, topic) VALUES (4503599627370496, 't'), (NULL, 't'), (DEFAULT, 't'), ('7', 't')
-- case: an AUTO_INCREMENT value that leaves other tenants no room
INSERT INTO queue_messages (offset, topic) VALUES (1, 't'), (18446744073709551615, 't')
-- case: an AUTO_INCREMENT value, larger than any integer
INSERT INTO queue_messages SET offset = 99999999999999999999, topic = 't'
-- case: an AUTO_INCREMENT value that is computed
INSERT INTO queue_messages (offset, topic) VALUES (~0, 't')
-- case: an AUTO_INCREMENT value with a fraction
INSERT INTO queue_messages (offset, topic) VALUES (1e19, 't')
-- case: an AUTO_INCREMENT value from a query
INSERT INTO queue_messages (offset, topic) SELECT d.n, 't' FROM (SELECT ~0 AS n) d
-- case: an AUTO_INCREMENT value from a query, no column list
INSERT INTO queue_messages SELECT * FROM queue_messages
-- case: an AUTO_INCREMENT value that is kept
INSERT INTO queue_messages (topic) VALUES ('t') ON DUPLICATE KEY UPDATE offset = offset, queue_messages.offset = VALUES(offset)
-- case: an AUTO_INCREMENT value on a duplicate key
INSERT INTO queue_messages (topic) VALUES ('t') ON DUPLICATE KEY UPDATE offset = offset + 18446744073709551000
-- case: an AUTO_INCREMENT value as a parameter
-- args: --set @mq_tenant=acme --prepared --param '18446744073709551615' --param 't'
INSERT INTO queue_messages (offset, topic) VALUES (?, ?)

-- case: TABLE, ordered, with a column list
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) TABLE queue_offsets ORDER BY 2 LIMIT 3

-- case: TABLE and SELECT
INSERT INTO queue_offsets TABLE queue_offsets UNION ALL SELECT 'g', 't', 'p', 0, 1

-- case: VALUES ROW as a query
INSERT INTO queue_offsets (VALUES ROW('g', 't', 'p', 0, 1), ROW('g', 't', 'q', 0, 1))

-- case: an empty column list and values
INSERT INTO queue_offsets () VALUES ('g', 't', 'p', 0, 1)

-- case: an empty column list and a query
INSERT INTO queue_offsets () SELECT 'g', 't', 'p', 0, 1

-- case: SET with a row alias and its columns
INSERT INTO queue_offsets SET consumer_group = 'g', topic = 't', partition_key = 'p', offset_acked = 1, updated_at = 2 AS new (g, t, p, o, u) ON DUPLICATE KEY UPDATE offset_acked = new.o

-- case: REPLACE SELECT
REPLACE INTO queue_offsets SELECT consumer_group, topic, partition_key, 0, 1 FROM queue_partition_leases ORDER BY 3

-- case: an AUTO_INCREMENT value behind an empty column list
INSERT INTO queue_messages () VALUES (9007199254740993, 't', 'p', 'i', '', NULL, 1, 1, 0, 0, '', '', NULL)

-- case: an upsert that tells the offset of the row it met
INSERT INTO queue_messages (topic, partition_key, id) VALUES ('t', 'p', 'i') ON DUPLICATE KEY UPDATE offset = LAST_INSERT_ID(offset)
-- case: LAST_INSERT_ID with an argument outside an assignment
INSERT INTO queue_messages (topic, partition_key, id, created_at) VALUES ('t', 'p', 'i', LAST_INSERT_ID(5))
-- case: LAST_INSERT_ID with another value for the offset
INSERT INTO queue_messages (topic, partition_key, id) VALUES ('t', 'p', 'i') ON DUPLICATE KEY UPDATE offset = LAST_INSERT_ID(created_at)
-- case: RETURNING is MariaDB's
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', 0, 1) RETURNING *
