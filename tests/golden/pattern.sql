The source `pattern`: a regular expression that finds the tenant in topics or partition keys.

-- case: a literal that is compared
-- args: --set tenant_sources.pattern.regex=^([a-z]+)- --user app
SELECT id FROM queue_messages WHERE topic = 'acme-x' AND failure_count > 1
-- case: a parameter
-- args: --set tenant_sources.pattern.regex=^([a-z]+)- --user app --param globex-x
DELETE FROM queue_partition_leases WHERE topic = ?
-- case: a list of two tenants
-- args: --set tenant_sources.pattern.regex=^([a-z]+)- --user app
SELECT id FROM queue_messages WHERE topic IN ('acme-x', NULL, 'globex-y') ORDER BY id
-- case: a row that is inserted
-- args: --set tenant_sources.pattern.regex=^([a-z]+)- --user app
INSERT INTO queue_subscriber_heartbeats (consumer_group, topic, subscriber_name, heartbeat_at, deregistered_at) VALUES ('g', 'acme-x', 's', 1, 0) ON DUPLICATE KEY UPDATE heartbeat_at = 1
-- case: a partition key, members of rows
-- args: --set 'tenant_sources.pattern.regex=^\w+:(\w+)' --set tenant_sources.pattern.column=partition_key --user app
SELECT id FROM queue_messages WHERE (topic, partition_key) = ('t', 'user:acme:5')
-- case: one for each table
-- args: --set tenant_sources.pattern.regex=^([a-z]+)- --user app
SELECT m.id FROM queue_messages m LEFT JOIN queue_delivery_state d ON d.topic = 'acme-x' AND d.message_offset = m.offset WHERE m.topic = 'acme-x'
-- case: beside qualified keys
-- args: --set tenant_sources.pattern.regex=^([a-z]+)- --set partition_keys=qualified --user app
SELECT id FROM queue_messages WHERE topic = 'acme-x' AND partition_key = 'acme|k'
-- case: what does not match names none
-- args: --set tenant_sources.pattern.regex=^([a-z]+)- --set default_tenant=initech --user app
SELECT id FROM queue_messages WHERE topic = 'plain'
-- case: a group that takes no part names none
-- args: --set tenant_sources.pattern.regex=^(?:([a-z]+)-)?x --set default_tenant=initech --user app
SELECT id FROM queue_messages WHERE topic = 'x'
-- case: a condition that may be bypassed names none
-- args: --set tenant_sources.pattern.regex=^([a-z]+)- --set default_tenant=initech --user app
SELECT id FROM queue_messages WHERE topic = 'acme-x' OR id = 'i'
-- case: a tenant that is not served
-- args: --set tenant_sources.pattern.regex=^([a-z]+)- --user app
SELECT id FROM queue_messages WHERE topic = 'umbrella-x'
-- case: a tenant that is not the session's
-- args: --set tenant_sources.pattern.regex=^([a-z]+)- --database queue@globex --user app
SELECT id FROM queue_messages WHERE topic = 'acme-x'
-- case: another source disagrees
-- args: --set tenant_sources.pattern.regex=^([a-z]+)- --user app
INSERT INTO queue_messages (topic, partition_key, id, metadata) VALUES ('acme-x', 'k', 'i', '{"queue_name": "globex"}')
-- case: a qualified key disagrees
-- args: --set tenant_sources.pattern.regex=^([a-z]+)- --set partition_keys=qualified --user app
SELECT id FROM queue_messages WHERE topic = 'acme-x' AND partition_key = 'globex|k'
-- case: rows of two tenants
-- args: --set tenant_sources.pattern.regex=^([a-z]+)- --user app
INSERT INTO queue_offsets (consumer_group, topic, partition_key) VALUES ('g', 'acme-x', 'k'), ('g', 'globex-x', 'k')
-- case: a change to another tenant's topic
-- args: --set tenant_sources.pattern.regex=^([a-z]+)- --user app
UPDATE queue_offsets SET topic = 'globex-x' WHERE topic = 'acme-x'
-- case: a list that names a tenant here and there
-- args: --set tenant_sources.pattern.regex=^([a-z]+)- --user app
SELECT id FROM queue_messages WHERE topic IN ('acme-x', 'plain')
-- case: a table that no value binds
-- args: --set tenant_sources.pattern.regex=^([a-z]+)- --user app
SELECT m.id FROM queue_messages m JOIN queue_offsets o ON o.topic = m.topic WHERE m.topic = 'acme-x'
-- case: too many steps
-- args: --set tenant_sources.pattern.regex=^(a+)+$ --user app
SELECT id FROM queue_messages WHERE topic = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'
