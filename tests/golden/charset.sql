Identifier columns are ASCII on the shards and utf8mb4 in the legacy tables.

-- case: COLLATE of a column
SELECT topic COLLATE utf8mb4_bin FROM queue_offsets ORDER BY topic COLLATE utf8mb4_general_ci

-- case: COLLATE of an expression with a column
SELECT id FROM queue_messages WHERE CONCAT(topic, '/x') COLLATE utf8mb4_general_ci = 'A/X'

-- case: COLLATE of a derived table's column, which may be one under another name
SELECT d.t COLLATE utf8mb4_bin FROM (SELECT topic AS t FROM queue_offsets) d

-- case: COLLATE of a column that is utf8mb4 on the shards, too
SELECT id FROM queue_messages ORDER BY partition_key COLLATE utf8mb4_general_ci

-- case: what the client sees of it
SELECT CHARSET(topic), COLLATION(m.topic), WEIGHT_STRING(topic AS CHAR(3)), CHARSET(id) FROM queue_messages m

-- case: what the client would see of it in an expression
SELECT COLLATION(CONCAT(topic, 'x')) FROM queue_messages

-- case: a literal that is not ASCII
SELECT id FROM queue_messages WHERE topic = 'é'

-- case: a literal in a list that is not ASCII
SELECT id FROM queue_messages WHERE topic IN ('a', 'é')

-- case: a literal that is not ASCII beside another column
SELECT id FROM queue_messages WHERE topic = 'a' AND partition_key IN ('é', '漢')

-- case: a parameter that is not ASCII
-- args: --set @mq_tenant=acme --param é
SELECT id FROM queue_messages WHERE topic LIKE ?

-- case: a literal that is not ASCII within a function
SELECT GROUP_CONCAT(topic SEPARATOR '→') FROM queue_messages

-- case: a literal that is not ASCII beside a condition
SELECT IF(topic = 'a', 'é', 'e') FROM queue_messages

-- case: hexadecimal is binary
SELECT id FROM queue_messages WHERE topic = x'c3a9'

-- case: JSON is utf8mb4 in MySQL
SELECT JSON_OBJECT('é', topic) FROM queue_messages

-- case: JSON is a string in MariaDB
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT JSON_OBJECT('é', topic) FROM queue_messages

-- case: a selected value that is not ASCII
INSERT INTO queue_offsets SELECT 'g', 'é', partition_key, 0, 0 FROM queue_offsets

-- case: IGNORE with what may not be ASCII
INSERT IGNORE INTO queue_offsets SELECT 'g', partition_key, partition_key, 0, 0 FROM queue_offsets

-- case: IGNORE with what is ASCII
INSERT IGNORE INTO queue_offsets SELECT 'g', CONCAT(topic, '_dlq'), partition_key, 0, 0 FROM queue_offsets

-- case: UPDATE IGNORE with what may not be ASCII
UPDATE IGNORE queue_partition_leases SET leased_by = CONCAT(leased_by, partition_key)

-- case: UPDATE IGNORE with what is ASCII
UPDATE IGNORE queue_partition_leases SET leased_by = IF(lease_renewed_at > 5, leased_by, 'w')

-- case: ON DUPLICATE KEY UPDATE with IGNORE
INSERT IGNORE INTO queue_partition_leases VALUES ('g', 't', 'p', 'w', 1, 1) ON DUPLICATE KEY UPDATE leased_by = IF(lease_renewed_at < 5, VALUES(leased_by), leased_by)

-- case: an identifier column in a UNION, MariaDB
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT topic, partition_key FROM queue_offsets UNION SELECT JSON_UNQUOTE(JSON_EXTRACT(metadata, '$.s')), id FROM queue_messages
-- case: an identifier column in a UNION, with an alias, in parentheses, in a derived table, MariaDB
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT d.t FROM ((SELECT o.topic AS t FROM queue_offsets o LIMIT 1) EXCEPT SELECT leased_by FROM queue_partition_leases) d
-- case: texts of an identifier column in a UNION, MariaDB
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT CONCAT(topic, '/'), IF(acked, topic, ''), (MAX(topic)) FROM queue_delivery_state UNION ALL SELECT 'a', 'b', 'c'
-- case: numbers of an identifier column in a UNION, MariaDB
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT COUNT(topic), LENGTH(topic), topic = 'a', IF(topic = 'a', 1, 2) FROM queue_offsets UNION SELECT 1, 2, 3, 4
-- case: an identifier column in a UNION, MySQL
(SELECT DISTINCT topic FROM queue_offsets ORDER BY queue_offsets.topic LIMIT 1) UNION SELECT topic FROM queue_offsets GROUP BY topic WITH ROLLUP UNION SELECT topic FROM queue_offsets HAVING queue_offsets.topic > 'a'
-- case: a UNION's blocks that group, MariaDB: the headings are the first one's
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT topic, COUNT(*) FROM queue_offsets GROUP BY topic UNION SELECT topic, 1 FROM queue_messages GROUP BY topic UNION SELECT topic, 2 FROM queue_delivery_state GROUP BY topic HAVING topic > 'a'
-- case: an INSERT has no headings, MariaDB
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
INSERT INTO queue_offsets SELECT consumer_group, topic, 'p', 0, 0 FROM queue_offsets GROUP BY consumer_group, topic UNION SELECT 'g', 't', 'p', 0, 0
-- case: a sub-query with an identifier in a branch of a UNION, MariaDB
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT (SELECT topic FROM queue_offsets LIMIT 1) UNION SELECT 'a'

-- case: CHARSET() of a query's column, which may be an identifier's
SELECT CHARSET(x) FROM (SELECT topic AS x FROM queue_messages) d

-- case: CHARSET() of a column of WITH, called like a table's
WITH d AS (SELECT partition_key AS topic FROM queue_messages) SELECT COLLATION(topic) FROM d

-- case: CHARSET() of a sub-query
SELECT CHARSET((SELECT topic FROM queue_messages LIMIT 1))

-- case: INSERT IGNORE of a query's column that is called like an ASCII one
INSERT IGNORE INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) SELECT 'g', d.topic, 'p', 0, 0 FROM (SELECT partition_key AS topic FROM queue_offsets) d

-- case: INSERT IGNORE of columns that are not named
INSERT IGNORE INTO queue_offsets (consumer_group, partition_key, topic, offset_acked, updated_at) SELECT * FROM queue_offsets

-- case: INSERT IGNORE of another table's columns
INSERT IGNORE INTO queue_offsets (consumer_group, partition_key, topic, offset_acked, updated_at) TABLE queue_offsets

-- case: a value that might not be ASCII, without IGNORE: the shard's sql_mode decides
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) SELECT 'g', partition_key, 'p', 0, 0 FROM queue_offsets

-- case: a text with the session's collation, by which 'a' may equal 'A', beside an identifier column
SELECT id FROM queue_messages WHERE topic = CAST('A' AS CHAR) AND CONVERT('A' USING utf8mb4) = original_topic AND topic = CONVERT('A', CHAR(3))

-- case: such a text in a function, a list, a pattern, a row
SELECT CONCAT(topic, '/', CAST(offset_acked AS CHAR)) FROM queue_offsets WHERE LOWER(CAST('A' AS CHAR)) = topic AND topic IN ('x', CAST('A' AS CHAR)) AND topic LIKE CAST('A%' AS CHAR) AND (topic, offset_acked) = (CAST('A' AS CHAR), 1) AND (consumer_group, topic) IN (('a', 'b'), ('c', CAST('d' AS CHAR)))

-- case: such a text, and a column that is converted once for all around it
SELECT id FROM queue_messages WHERE CONCAT(LOWER(topic), CAST('' AS CHAR)) = CAST('A' AS CHAR)

-- case: such a text beside what a row would have
INSERT INTO queue_partition_leases VALUES ('g', 't', 'p', 'w', 1, 1) ON DUPLICATE KEY UPDATE leased_at = IF(VALUES(leased_by) = CAST('W' AS CHAR), 5, 6)

-- case: CAST of the column alone, to a number, a time, bytes
SELECT id FROM queue_messages WHERE CAST(topic AS CHAR) = 'a' AND topic = CAST(5 AS SIGNED) AND topic = CAST('a' AS BINARY) AND topic = CONVERT('a' USING binary) AND topic = CAST('2020-01-01' AS DATE)

-- case: such a text as a query's column
SELECT m.id FROM queue_messages m JOIN (SELECT CAST(metadata AS CHAR) AS t, 'x' AS topic FROM queue_messages) d ON m.topic = d.t OR m.original_topic = d.topic

-- case: such a text in a sub-query
SELECT id FROM queue_messages WHERE topic IN (SELECT CAST(metadata AS CHAR) FROM queue_messages) AND topic = (SELECT 'a')

-- case: such a text in a condition of a sub-query, which shows none
SELECT id FROM queue_messages m WHERE EXISTS (SELECT 1 FROM queue_offsets o WHERE o.topic = m.topic AND o.partition_key = CAST('A' AS CHAR))

-- case: such a text as a column of WITH
WITH w AS (SELECT CONVERT('A' USING utf8mb4) AS c) SELECT id FROM queue_messages m, w WHERE m.topic = w.c

-- case: such a text as a column that USING compares
WITH w AS (SELECT CAST('A' AS CHAR) AS topic) SELECT id FROM queue_messages JOIN w USING (topic)

-- case: such a text as a column that NATURAL JOIN compares
SELECT id FROM queue_messages NATURAL JOIN (SELECT CAST('A' AS CHAR) AS topic) w

-- case: USING between tables, beside such a text
SELECT o.topic FROM queue_offsets o JOIN queue_messages m USING (topic) WHERE m.id = CAST('A' AS CHAR)

-- case: an aggregate as a query's column, which has the session's collation on MySQL
SELECT m.id FROM queue_messages m JOIN (SELECT MAX(CONCAT('A', offset_acked)) AS t FROM queue_offsets) d ON m.topic = d.t

-- case: an aggregate of a column as a query's column
SELECT m.id FROM queue_messages m JOIN (SELECT MAX(topic) AS t FROM queue_offsets) d ON m.topic = d.t

-- case: a column of JSON_TABLE, which has the session's collation on MySQL
SELECT id FROM queue_messages m, JSON_TABLE('["A"]', '$[*]' COLUMNS (c VARCHAR(9) PATH '$')) j WHERE m.topic = j.c

-- case: an aggregate as a query's column, which has not the session's collation on MariaDB
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT m.id FROM queue_messages m JOIN (SELECT MAX(CONCAT('A', offset_acked)) AS t FROM queue_offsets) d ON m.topic = d.t

-- case: a column of JSON_TABLE, which has not the session's collation on MariaDB
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT id FROM queue_messages m, JSON_TABLE('["A"]', '$[*]' COLUMNS (c VARCHAR(9) PATH '$')) j WHERE m.topic = j.c

-- case: an identifier column as one of several results in a UNION
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT CASE 1 WHEN 1 THEN leased_by END, CASE WHEN leased_by = 'a' THEN 1 ELSE leased_by END, COALESCE(NULL, leased_by), IF(leased_by = 'a', 'b', leased_by), GREATEST('a', topic) FROM queue_partition_leases UNION SELECT 'a', 'b', 'c', 'd', 'e'

-- case: an identifier column that only decides in a UNION
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT CASE leased_by WHEN topic THEN 1 ELSE 2 END, NULLIF(1, topic), CASE WHEN topic THEN 5 END FROM queue_partition_leases UNION SELECT 1, 2, 3

-- case: a text with the session's collation in a UNION, of which MySQL would take that collation
SELECT topic FROM queue_offsets UNION SELECT CAST('A' AS CHAR)

-- case: texts that MariaDB would make ASCII beside an identifier column
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT id FROM queue_messages WHERE CONCAT(topic, JSON_UNQUOTE(JSON_EXTRACT(metadata, '$.k'))) = 'a' OR topic = UNHEX(id)

-- case: the same on MySQL, which refuses what is not ASCII
SELECT id FROM queue_messages WHERE CONCAT(topic, JSON_UNQUOTE(JSON_EXTRACT(metadata, '$.k'))) = 'a' OR topic = UNHEX(id)

-- case: WITH ROLLUP over an identifier column in a branch of UNION
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT 'a', 'a' UNION SELECT topic, topic FROM queue_offsets GROUP BY 1, topic WITH ROLLUP

-- case: HAVING and such a column in a branch of UNION with a CAST, on MySQL
SELECT CAST('A' AS CHAR) UNION SELECT topic FROM queue_offsets GROUP BY topic, 'a' HAVING TRUE

-- case: a query's column in a UNION that is an identifier under another name
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT d.c FROM (SELECT topic AS c FROM queue_offsets) d UNION SELECT 'a'

-- case: the same through a list of columns
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
WITH w (a, b) AS (SELECT topic, offset_acked FROM queue_offsets) SELECT CONCAT(a, 'x'), b FROM w UNION SELECT 'a', 1

-- case: the same with a sub-query
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT (SELECT MAX(topic) FROM queue_offsets) UNION SELECT 'a'

-- case: a query's column in a UNION that is none
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT d.c FROM (SELECT partition_key AS c FROM queue_offsets) d UNION SELECT 'a'

-- case: a query's column in a UNION that is an identifier under another name, on MySQL
SELECT d.c FROM (SELECT topic AS c FROM queue_offsets) d UNION SELECT 'a'

-- case: star in a union
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT * FROM queue_offsets UNION SELECT 1, 2, 3, 4, 5, 6;

-- case: qualified star in a later branch
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT q.* FROM queue_offsets q UNION ALL (SELECT m.* FROM queue_offsets m ORDER BY topic LIMIT 1);

-- case: star over a query in a union
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT * FROM (SELECT topic FROM queue_messages) d UNION SELECT 'é';

-- case: star over a cte in a union
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
WITH c AS (SELECT topic t FROM queue_offsets) SELECT c.* FROM c UNION SELECT 'é';

-- case: star over using in a union
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT * FROM queue_offsets a JOIN queue_subscriber_heartbeats b USING (topic) UNION SELECT 1;

-- case: grouped star in a union
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT * FROM queue_offsets GROUP BY topic WITH ROLLUP UNION SELECT 1;

-- case: inserted star of a union
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
INSERT INTO queue_offsets SELECT * FROM queue_offsets UNION SELECT * FROM queue_offsets;

-- case: star in a union mysql
-- args: --set @mq_tenant=acme
SELECT * FROM queue_offsets UNION SELECT 1, 2, 3, 4, 5, 6;

-- case: star beside a cast
-- args: --set @mq_tenant=acme
SELECT * FROM queue_offsets UNION SELECT CAST('x' AS CHAR), 2, 3, 4, 5, 6;

-- case: table beside a cast
-- args: --set @mq_tenant=acme
TABLE queue_offsets UNION SELECT CAST('x' AS CHAR), 2, 3, 4, 5, 6;

-- case: HAVING finds a converted column by its name alone
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT topic FROM queue_offsets GROUP BY partition_key HAVING topic <> 't' UNION SELECT 'a';

-- case: HAVING does not find a converted column of a table
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT o.topic FROM queue_offsets o GROUP BY partition_key HAVING o.topic <> 't' UNION SELECT 'a';

-- case: HAVING finds a converted column twice
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT topic FROM queue_offsets GROUP BY 1, topic HAVING topic <> 't' UNION SELECT 'a';

-- case: HAVING without GROUP BY beside a converted column
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT o.* FROM queue_offsets o HAVING o.topic <> 't' UNION SELECT 'a', 'b', 'c', 1, 2;
