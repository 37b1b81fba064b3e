Where the tenant comes from, and what happens when sources disagree.

-- case: nothing
-- args: --user app
SELECT topic FROM queue_messages WHERE topic = 'a'
-- case: nothing, in an INSERT
-- args: --user app
INSERT INTO queue_offsets (consumer_group) VALUES ('g')
-- case: nothing, in an ON
-- args: --user app
SELECT d.a FROM (SELECT 1 AS a) d LEFT JOIN queue_messages m ON m.topic = 'a'
-- case: session
-- args: --set @mq_tenant=globex
SELECT topic FROM queue_messages
-- case: database@tenant
-- args: --database mq@globex
SELECT topic FROM queue_messages
-- case: connection attribute
-- args: --attr tenant=initech
SELECT topic FROM queue_messages
-- case: attribute and database disagree
-- args: --attr tenant=initech --database mq@globex
SELECT topic FROM queue_messages
-- case: account
-- args: --user globex
SELECT topic FROM queue_messages
-- case: listener
-- args: --user app --listener acme-only
SELECT topic FROM queue_messages
-- case: account of two, listener of one
-- args: --user both --listener acme-only
SELECT topic FROM queue_messages
-- case: account and listener exclude each other
-- args: --user globex --listener acme-only
SELECT topic FROM queue_messages
-- case: account of two
-- args: --user both
SELECT topic FROM queue_messages
-- case: account of two, a session for one
-- args: --user both --set @mq_tenant=globex
SELECT topic FROM queue_messages
-- case: a session outside the account
-- args: --user globex --set @mq_tenant=acme
SELECT topic FROM queue_messages
-- case: comment
-- args: --user app
/*tenant='globex'*/ SELECT topic FROM queue_messages
-- case: comment at the end, URL-encoded, among others
-- args: --user app
SELECT topic FROM queue_messages /*action='poll',tenant='gl%6fbex',traceparent='00-a-b-01'*/
-- case: comment against the session
/*tenant='globex'*/ SELECT topic FROM queue_messages
-- case: comment within the account
-- args: --user both
/*tenant='globex'*/ SELECT topic FROM queue_messages
-- case: comment outside the account
-- args: --user both
/*tenant='initech'*/ SELECT topic FROM queue_messages
-- case: two comments disagree
-- args: --user app
/*tenant='globex'*/ SELECT topic FROM queue_messages /*tenant='acme'*/
-- case: comment against the statement
-- args: --user app
/*tenant='globex'*/ SELECT topic FROM queue_messages WHERE tenant = 'acme'
-- case: comment of a tenant that is not served
-- args: --user app
/*tenant='hooli'*/ SELECT topic FROM queue_messages
-- case: comment of no tenant's name
-- args: --user app
/*tenant='a%2Cb'*/ SELECT topic FROM queue_messages
-- case: unknown tenant
-- args: --set @mq_tenant=hooli
SELECT topic FROM queue_messages
-- case: no tenant's name
-- args: --set '@mq_tenant=a,b'
SELECT topic FROM queue_messages
-- case: metadata
-- args: --user app
INSERT INTO queue_messages (topic, metadata) VALUES ('t', '{"trace": 1, "queue_name": "globex"}')
-- case: metadata in SET
-- args: --user app
INSERT INTO queue_messages SET topic = 't', metadata = '{"queue_name": "globex"}'
-- case: metadata without a column list
-- args: --user app
INSERT INTO queue_messages VALUES (NULL, 't', 'p', 'i', 'x', '{"queue_name": "globex"}', 1, 2, 0, 0, '', '', NULL)
-- case: metadata as a parameter
-- args: --user app --param t --param '{"queue_name": "globex"}'
INSERT INTO queue_messages (topic, metadata) VALUES (?, ?)
-- case: metadata with escapes in the key
-- args: --user app
INSERT INTO queue_messages (topic, metadata) VALUES ('t', '{"queue\\u005fname": "globex"}')
-- case: metadata twice
-- args: --user app
INSERT INTO queue_messages (topic, metadata) VALUES ('t', '{"queue_name": "globex", "queue_name": "globex"}')
-- case: metadata is no string
-- args: --user app
INSERT INTO queue_messages (topic, metadata) VALUES ('t', '{"queue_name": 5}')
-- case: metadata is no JSON
INSERT INTO queue_messages (topic, metadata) VALUES ('t', '{"queue_name": ')
-- case: metadata is computed
INSERT INTO queue_messages (topic, metadata) VALUES ('t', JSON_OBJECT('queue_name', 'globex'))
-- case: metadata is NULL
INSERT INTO queue_messages (topic, metadata) VALUES ('t', NULL)
-- case: metadata against the session
INSERT INTO queue_messages (topic, metadata) VALUES ('t', '{"queue_name": "globex"}')
-- case: metadata of two rows
-- args: --user app
INSERT INTO queue_messages (topic, metadata) VALUES ('t', '{"queue_name": "globex"}'), ('t', '{"queue_name": "acme"}')
-- case: metadata in one of two rows
-- args: --user app
INSERT INTO queue_messages (topic, metadata) VALUES ('t', '{}'), ('t', '{"queue_name": "acme"}')
-- case: metadata against the inserted column
-- args: --user app
INSERT INTO queue_messages (tenant, topic, metadata) VALUES ('acme', 't', '{"queue_name": "globex"}')
