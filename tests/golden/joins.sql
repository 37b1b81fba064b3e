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
