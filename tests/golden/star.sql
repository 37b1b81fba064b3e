`*` is the legacy columns in legacy order.

-- case: one table
SELECT * FROM queue_messages
-- case: an alias
SELECT * FROM queue_offsets o
-- case: two tables
SELECT * FROM queue_offsets o JOIN queue_subscriber_heartbeats h ON h.topic = o.topic
-- case: a star and more
SELECT *, 1 FROM queue_offsets
-- case: t.*
SELECT o.*, 1, h.topic FROM queue_offsets o JOIN queue_subscriber_heartbeats h ON h.topic = o.topic
-- case: table.*
SELECT queue_offsets.* FROM queue_offsets
-- case: db.table.*
SELECT mq.queue_offsets.* FROM queue_offsets
-- case: db.table.* of an alias
SELECT mq.queue_offsets.* FROM queue_offsets o
-- case: t.* of nothing
SELECT x.* FROM queue_offsets o
-- case: t.* in another case
SELECT O.* FROM queue_offsets o
-- case: COUNT(*)
SELECT COUNT(*) FROM queue_offsets
-- case: EXISTS
SELECT 1 FROM queue_messages m WHERE EXISTS (SELECT * FROM queue_offsets o WHERE o.topic = m.topic)
-- case: a derived table that already hides the column
SELECT * FROM (SELECT * FROM queue_offsets) d
-- case: a derived table beside a queue table
SELECT * FROM (SELECT topic FROM queue_messages) d JOIN queue_offsets o ON o.topic = d.topic
-- case: a name of WITH
WITH d AS (SELECT * FROM queue_offsets) SELECT * FROM d
-- case: a name of WITH, its star
WITH d AS (SELECT * FROM queue_offsets) SELECT d.*, o.* FROM d, queue_offsets o
-- case: no space
SELECT*FROM queue_offsets
-- case: multiplication is none
SELECT offset_acked * 2 FROM queue_offsets
-- case: the legacy columns in a tenant-schema session
-- args: --set @mq_tenant=acme --set @mq_schema=tenant
SELECT * FROM queue_offsets

-- case: the tenant schema: t.*, joins, TABLE
-- args: --set @mq_tenant=acme --set @mq_schema=tenant
SELECT m.*, d.* FROM queue_messages m NATURAL JOIN (TABLE queue_offsets) d

-- case: the tenant schema: the outer side of USING
-- args: --set @mq_tenant=acme --set @mq_schema=tenant
SELECT * FROM queue_partition_leases LEFT JOIN queue_offsets USING (topic)

-- case: the tenant schema: INSERT without a column list
-- args: --set @mq_tenant=acme --set @mq_schema=tenant
INSERT INTO queue_offsets VALUES ('acme', 'g', 't', 'p', 0, 1), ('acme', 'g', 't', 'q', 0, 1)

-- case: the tenant schema: INSERT without a column list, for another tenant
-- args: --set @mq_tenant=acme --set @mq_schema=tenant
INSERT INTO queue_offsets VALUES ('globex', 'g', 't', 'p', 0, 1)

-- case: the tenant schema: INSERT without a column list or values
-- args: --set @mq_tenant=acme --set @mq_schema=tenant
INSERT INTO queue_offsets VALUES ()

-- case: the tenant schema: INSERT of a query without a column list
-- args: --set @mq_tenant=acme --set @mq_schema=tenant
INSERT INTO queue_offsets SELECT 'acme', 'g', topic, partition_key, 0, 1 FROM queue_messages

-- case: the tenant schema: the columns are named
-- args: --set @mq_tenant=acme --set @mq_schema=tenant
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', 0, 1)
