Statements with `backend: vitess`.

-- case: one tenant: its shard in Vitess is shown
-- args: -c vitess.yaml --set @mq_tenant=acme
SELECT payload FROM queue_messages WHERE topic = 't'

-- case: the keyspace by another name
-- args: -c vitess.yaml --set @mq_tenant=acme
SELECT m.id FROM queue.queue_messages AS m WHERE m.topic = 't'

-- case: a publish
-- args: -c vitess.yaml --set @mq_tenant=acme
INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', 1, 2) ON DUPLICATE KEY UPDATE offset_acked = VALUES(offset_acked)

-- case: a prepared one
-- args: -c vitess.yaml --set @mq_tenant=acme --param t
UPDATE queue_offsets SET updated_at = 1 WHERE topic = ?

-- case: the workload is the account
-- args: -c vitess.yaml --user both --set @mq_tenant=acme
DELETE FROM queue_offsets

-- case: a configured workload
-- args: -c vitess.yaml --set @mq_tenant=acme --set vitess.workload=billing
SELECT 1 FROM queue_messages

-- case: no verb in front
-- args: -c vitess.yaml --set @mq_tenant=acme
(SELECT id FROM queue_messages)

-- case: expressions keep their names
-- args: -c vitess.yaml --set @mq_tenant=acme
SELECT COUNT( * ), 'a', `offset`+1, id FROM queue_messages

-- case: rows of several tenants: one statement, which vtgate spreads
-- args: -c vitess.yaml --user both
SELECT topic, id FROM queue_messages

-- case: sorted rows, a limit
-- args: -c vitess.yaml --user both
SELECT topic, partition_key FROM queue_messages ORDER BY topic, partition_key LIMIT 5

-- case: groups
-- args: -c vitess.yaml --user both
SELECT topic, COUNT(*), AVG(failure_count) FROM queue_messages GROUP BY topic

-- case: a write: for each tenant
-- args: -c vitess.yaml --user both
DELETE FROM queue_partition_leases WHERE lease_renewed_at < 5

-- case: a write of a configured table
-- args: -c vitess.yaml --user both
UPDATE queue_messages SET failed_at = 1 WHERE topic = 't'

-- case: a heartbeat: for each tenant
-- args: -c vitess.yaml --user both
UPDATE queue_subscriber_heartbeats SET heartbeat_at = 5 WHERE topic = 't'

-- case: a join: for each tenant
-- args: -c vitess.yaml --user both --set partition_keys=qualified
SELECT o.partition_key, m.id FROM queue_offsets o JOIN queue_messages m ON o.partition_key = m.partition_key

-- case: REPLACE
-- args: -c vitess.yaml --set @mq_tenant=acme
REPLACE INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) VALUES ('g', 't', 'p', 1, 2)

-- case: a directive that would scatter
-- args: -c vitess.yaml --set @mq_tenant=acme
SELECT /*vt+ ALLOW_SCATTER */ id FROM queue_messages

-- case: a failed shard would be left out
-- args: -c vitess.yaml --set @mq_tenant=acme
SELECT /*vt+ PRIORITY=1 SCATTER_ERRORS_AS_WARNINGS=1 */ id FROM queue_messages

-- case: a directive that does no harm
-- args: -c vitess.yaml --set @mq_tenant=acme
SELECT /*vt+ PRIORITY=1 */ id FROM queue_messages

-- case: nothing tells the tenant
-- args: -c vitess.yaml
UPDATE queue_offsets SET updated_at = 1

-- case: SHOW
-- args: -c vitess.yaml --set @mq_tenant=acme
SHOW TABLES

-- case: the table, created by vtgate on every shard
-- args: -c vitess.yaml
CREATE TABLE queue_subscriber_heartbeats (consumer_group VARCHAR(255) NOT NULL, topic VARCHAR(255) NOT NULL, subscriber_name VARCHAR(255) NOT NULL, heartbeat_at BIGINT UNSIGNED NOT NULL, deregistered_at BIGINT UNSIGNED NOT NULL, PRIMARY KEY (consumer_group, topic, subscriber_name))

-- case: a lock by name
-- args: -c vitess.yaml --set @mq_tenant=acme
SELECT GET_LOCK('a', 1)

-- case: a user variable
-- args: -c vitess.yaml --set @mq_tenant=acme
SELECT id FROM queue_messages WHERE topic = @t

-- case: vtgate leaves rows out
-- args: -c vitess.yaml --set @mq_tenant=acme
SELECT id FROM queue_messages UNION ALL SELECT topic FROM queue_offsets

-- case: other rows
-- args: -c vitess.yaml --set @mq_tenant=acme
SELECT id FROM queue_messages WHERE offset > ALL (SELECT offset_acked FROM queue_offsets)

-- case: another order
-- args: -c vitess.yaml --set @mq_tenant=acme
SELECT id, (SELECT MAX(offset_acked) FROM queue_offsets o WHERE o.topic = m.topic) FROM queue_messages m WHERE topic = 't' ORDER BY id

-- case: a query in the list, in any order
-- args: -c vitess.yaml --set @mq_tenant=acme
SELECT id, (SELECT MAX(offset_acked) FROM queue_offsets o WHERE o.topic = m.topic) FROM queue_messages m WHERE topic = 't'

-- case: a query inside, tenant by tenant
-- args: -c vitess-qualified.yaml
SELECT id FROM queue_messages m WHERE topic = 't' AND EXISTS (SELECT 1 FROM queue_offsets o WHERE o.topic = m.topic AND o.partition_key = m.partition_key)
