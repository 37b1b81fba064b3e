Outer joins stay outer joins: the nullable side takes its condition in ON.

-- case: inner join
SELECT m.id FROM queue_messages m JOIN queue_offsets o ON o.topic = m.topic
-- case: comma
SELECT m.id FROM queue_messages m, queue_offsets o WHERE o.topic = m.topic
-- case: cross join
SELECT m.id FROM queue_messages m CROSS JOIN queue_offsets o
-- case: straight join
SELECT m.id FROM queue_messages m STRAIGHT_JOIN queue_offsets o ON o.topic = m.topic OR 1
-- case: left join
SELECT m.id FROM queue_messages m LEFT JOIN queue_offsets o ON o.topic = m.topic OR o.topic = 'x' WHERE m.topic = 'a'
-- case: left join without WHERE
SELECT m.id FROM queue_messages m LEFT JOIN queue_offsets o ON o.topic = m.topic
-- case: right join
SELECT m.id FROM queue_messages m RIGHT JOIN queue_offsets o ON o.topic = m.topic
-- case: chain of left joins
SELECT m.id FROM queue_messages m LEFT JOIN queue_offsets o ON o.topic = m.topic LEFT JOIN queue_partition_leases l ON l.topic = o.topic
-- case: left join of an inner join
SELECT m.id FROM queue_messages m LEFT JOIN (queue_offsets o JOIN queue_partition_leases l ON l.topic = o.topic) ON o.topic = m.topic
-- case: left join of a left join
SELECT m.id FROM queue_messages m LEFT JOIN (queue_offsets o LEFT JOIN queue_partition_leases l ON l.topic = o.topic) ON o.topic = m.topic
-- case: nested without parentheses
SELECT m.id FROM queue_messages m LEFT JOIN queue_offsets o JOIN queue_partition_leases l ON l.topic = o.topic ON o.topic = m.topic
-- case: inner join behind a left join
SELECT m.id FROM queue_messages m LEFT JOIN queue_offsets o ON o.topic = m.topic JOIN queue_partition_leases l ON l.topic = m.topic
-- case: left join with a comma
SELECT m.id FROM queue_delivery_state d, queue_messages m LEFT JOIN queue_offsets o ON o.topic = m.topic
-- case: left join of a derived table
SELECT o.topic, m.n FROM queue_offsets o LEFT JOIN (SELECT topic, MAX(offset) AS n FROM queue_messages GROUP BY topic) m ON o.topic = m.topic WHERE o.topic = 'a'
-- case: a derived table with a nullable queue table
SELECT d.topic FROM (SELECT 'a' AS topic) d LEFT JOIN queue_offsets o ON o.topic = d.topic
-- case: ON with a sub-query
SELECT m.id FROM queue_messages m LEFT JOIN queue_offsets o ON o.topic = (SELECT MAX(topic) FROM queue_partition_leases)
-- case: self-join
SELECT a.id FROM queue_messages a JOIN queue_messages b ON a.topic = b.topic AND a.offset < b.offset
-- case: USING
SELECT m.id FROM queue_messages m JOIN queue_offsets o USING (topic, partition_key)
-- case: USING on the outer side
SELECT m.id FROM queue_messages m LEFT JOIN queue_offsets o USING (topic, partition_key)
-- case: NATURAL between queue tables
SELECT m.id FROM queue_messages m NATURAL JOIN queue_offsets o
-- case: NATURAL LEFT
SELECT m.id FROM queue_messages m NATURAL LEFT JOIN queue_offsets o
-- case: NATURAL with a query
SELECT m.id FROM queue_messages m NATURAL JOIN (SELECT 'a' AS topic) d
-- case: USING and a star
SELECT * FROM queue_messages m JOIN queue_offsets o USING (topic, partition_key)
-- case: NATURAL and a star
SELECT * FROM queue_messages NATURAL JOIN queue_offsets
-- case: ODBC's outer join
SELECT m.id FROM {oj queue_messages m LEFT JOIN queue_offsets o ON m.topic = o.topic} WHERE m.topic = 'a'
-- case: USING and a star, the right table is kept
SELECT * FROM queue_offsets o RIGHT JOIN queue_delivery_state s USING (partition_key, topic)
-- case: * over RIGHT JOIN with ON below USING, MySQL
SELECT * FROM queue_offsets o JOIN ((SELECT 2 AS x) s RIGHT JOIN (SELECT 1 AS k, topic FROM queue_messages) d ON TRUE) USING (topic)
-- case: * over RIGHT JOIN with ON below USING, MariaDB
-- args: --set @mq_tenant=acme --dialect mariadb-10.11
SELECT * FROM queue_offsets o JOIN ((SELECT 2 AS x) s RIGHT JOIN (SELECT 1 AS k, topic FROM queue_messages) d ON TRUE) USING (topic)

-- case: USING within an ON, a star
SELECT * FROM queue_partition_leases l JOIN (queue_offsets o JOIN queue_delivery_state s USING (topic)) ON l.topic = o.topic

-- case: NATURAL twice, a star
SELECT * FROM queue_partition_leases NATURAL LEFT JOIN queue_offsets NATURAL LEFT JOIN queue_delivery_state

-- case: USING and a star, a query's column without a name
SELECT * FROM queue_offsets o JOIN (SELECT topic, MAX(offset) FROM queue_messages GROUP BY topic) d USING (topic)

-- case: USING and a star, a name of WITH
WITH m (topic, newest) AS (SELECT topic, MAX(offset) FROM queue_messages GROUP BY topic) SELECT * FROM m LEFT JOIN queue_offsets USING (topic)

-- case: USING and a star, a query's columns are not known
SELECT * FROM queue_offsets JOIN (SELECT topic, 'x' FROM queue_messages) d USING (topic)

-- case: USING and a star, JSON_TABLE
SELECT * FROM queue_offsets JOIN JSON_TABLE('[]', '$[*]' COLUMNS (topic TEXT PATH '$.t')) j USING (topic)

-- case: NATURAL with a query that could have the tenant's column
SELECT m.id FROM queue_messages m NATURAL JOIN (SELECT topic, 'tenant' FROM queue_offsets) d

-- case: NATURAL with a column that is called tenant by a string
SELECT m.id FROM queue_messages m NATURAL JOIN (SELECT topic AS 'tenant' FROM queue_offsets) d

-- case: USING on the outer side, a hint
SELECT m.id FROM queue_messages m LEFT JOIN queue_offsets o FORCE INDEX (PRIMARY) USING (topic)

-- case: USING on the outer side, a database
SELECT m.id FROM mq.queue_messages m LEFT JOIN mq.queue_offsets USING (topic)

-- case: USING on the outer side, a column with its database
SELECT mq.queue_messages.id FROM queue_messages LEFT JOIN queue_offsets USING (topic)

-- case: USING on the outer side of a locking read
SELECT m.id FROM queue_messages m LEFT JOIN queue_offsets o USING (topic) FOR UPDATE

-- case: USING on the outer side of a sub-query of a locking read
SELECT id FROM queue_messages WHERE topic IN (SELECT topic FROM queue_messages LEFT JOIN queue_offsets o USING (topic)) FOR UPDATE

-- case: USING on the outer side of an UPDATE
UPDATE queue_messages m LEFT JOIN queue_offsets o USING (topic) SET m.failed_at = 1

-- case: the outer side of USING in parentheses of its own
SELECT m.id FROM queue_messages m LEFT JOIN (queue_offsets AS o) USING (topic, partition_key)
-- case: the outer side of USING in several parentheses
SELECT m.id FROM ((queue_offsets)) RIGHT JOIN queue_messages m USING (topic, partition_key)
-- case: the outer side of USING is a join in parentheses
SELECT m.id FROM queue_messages m LEFT JOIN (queue_offsets o JOIN (queue_partition_leases l) USING (topic)) USING (topic)
-- case: the outer side of USING in a sub-query of a change of that table
DELETE FROM queue_offsets WHERE offset_acked > (SELECT COUNT(*) FROM queue_messages m LEFT JOIN queue_offsets USING (topic))
-- case: the outer side of USING in a sub-query of a change of several tables
DELETE l FROM queue_offsets o JOIN queue_partition_leases l ON o.topic = l.topic WHERE EXISTS (SELECT * FROM queue_messages m LEFT JOIN queue_partition_leases USING (topic))
-- case: the outer side of USING in a sub-query of a change of another table
DELETE FROM queue_partition_leases WHERE leased_at > (SELECT COUNT(*) FROM queue_messages m LEFT JOIN queue_offsets USING (topic))
-- case: the outer side of USING in INSERT SELECT
INSERT INTO queue_partition_leases SELECT o.consumer_group, m.topic, m.partition_key, 'w', 1, 1 FROM queue_messages m LEFT JOIN queue_offsets o USING (topic)

-- case: NATURAL beside two tables that both show the tenant
SELECT m.id FROM queue_offsets o JOIN queue_partition_leases l USING (consumer_group, topic, partition_key) NATURAL JOIN queue_messages m
-- case: NATURAL beside two tables that NATURAL has merged
SELECT m.id FROM queue_offsets o NATURAL JOIN queue_partition_leases l NATURAL JOIN queue_messages m
-- case: NATURAL beside a comma join in parentheses
SELECT m.id FROM queue_messages m NATURAL JOIN (queue_offsets o, queue_subscriber_heartbeats h)
-- case: NATURAL beside two tables, with a lock
SELECT m.id FROM queue_offsets o JOIN queue_partition_leases l USING (consumer_group, topic, partition_key) NATURAL JOIN queue_messages m FOR UPDATE
-- case: JSON_TABLE behind the outer side of USING
SELECT j.n FROM queue_offsets o LEFT JOIN queue_messages m USING (topic) LEFT JOIN JSON_TABLE(m.metadata, '$.k[*]' COLUMNS (n INT PATH '$')) AS j ON TRUE
-- case: JSON_TABLE behind the outer side of ON
SELECT j.n FROM queue_offsets o LEFT JOIN queue_messages m ON m.topic = o.topic LEFT JOIN JSON_TABLE(m.metadata, '$.k[*]' COLUMNS (n INT PATH '$')) AS j ON TRUE
