What the client itself says about `tenant`: exact conditions are a source, everything else is refused.

-- case: equal
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = 'acme'
-- case: equal among others
-- args: --user app
SELECT topic FROM queue_messages WHERE topic = 'a' AND (tenant = 'acme' AND id = 'x') AND offset > 5
-- case: turned round, quoted, upper case
-- args: --user app
SELECT topic FROM queue_messages WHERE 'acme' = `TENANT`
-- case: agrees with the session
SELECT topic FROM queue_messages WHERE tenant = 'acme'
-- case: against the session
SELECT topic FROM queue_messages WHERE tenant = 'globex'
-- case: IN with one tenant
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant IN ('acme')
-- case: IN with the same tenant twice
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant IN ('acme', 'acme')
-- case: IN over several tenants
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant IN ('acme', 'globex')
-- case: IN with a parameter that differs
-- args: --user app --param globex
SELECT topic FROM queue_messages WHERE tenant IN ('acme', ?)
-- case: two tenants, so no rows
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = 'acme' AND tenant = 'globex'
-- case: the other references get the same tenant
-- args: --user app
SELECT m.topic FROM queue_messages m JOIN queue_offsets o ON o.topic = m.topic WHERE m.tenant = 'acme'
-- case: in the ON of an inner join
-- args: --user app
SELECT m.topic FROM queue_messages m JOIN queue_offsets o ON o.topic = m.topic AND o.tenant = 'acme'
-- case: in the ON that makes the table nullable
-- args: --user app
SELECT m.topic FROM queue_messages m LEFT JOIN queue_offsets o ON o.topic = m.topic AND o.tenant = 'acme'
-- case: the preserved side in ON filters nothing
-- args: --user app
SELECT m.topic FROM queue_messages m LEFT JOIN queue_offsets o ON o.topic = m.topic AND m.tenant = 'acme'
-- case: the nullable side in WHERE is another question
-- args: --user app
SELECT m.topic FROM queue_messages m LEFT JOIN queue_offsets o ON o.topic = m.topic WHERE o.tenant = 'acme'
-- case: each branch of a UNION
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = 'acme' UNION SELECT topic FROM queue_offsets
-- case: branches for different tenants
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = 'acme' UNION SELECT topic FROM queue_messages WHERE tenant = 'globex'
-- case: UPDATE
-- args: --user app
UPDATE queue_offsets SET updated_at = 1 WHERE tenant = 'acme'
-- case: DELETE
-- args: --user app
DELETE FROM queue_offsets WHERE topic = 'a' AND tenant = 'acme'
-- case: OR
SELECT topic FROM queue_messages WHERE tenant = 'acme' OR topic = 'x'
-- case: NOT
SELECT topic FROM queue_messages WHERE NOT (tenant = 'globex')
-- case: not equal
SELECT topic FROM queue_messages WHERE tenant <> 'globex'
-- case: NOT IN
SELECT topic FROM queue_messages WHERE tenant NOT IN ('globex')
-- case: null-safe
SELECT topic FROM queue_messages WHERE tenant <=> 'acme'
-- case: row
SELECT topic FROM queue_messages WHERE (tenant, topic) = ('acme', 'x')
-- case: LIKE
SELECT topic FROM queue_messages WHERE tenant LIKE 'acme'
-- case: BETWEEN
SELECT topic FROM queue_messages WHERE tenant BETWEEN 'a' AND 'b'
-- case: a comparison compared
SELECT topic FROM queue_messages WHERE tenant = 'acme' = 0
-- case: with another collation
SELECT topic FROM queue_messages WHERE tenant = 'acme' COLLATE utf8mb4_general_ci
-- case: with an expression
SELECT topic FROM queue_messages WHERE tenant = CONCAT('ac', 'me')
-- case: with a sub-query
SELECT topic FROM queue_messages WHERE tenant = (SELECT 'acme')
-- case: with NULL
SELECT topic FROM queue_messages WHERE tenant = NULL
-- case: with a number
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = 5
-- case: with another column
SELECT m.topic FROM queue_messages m JOIN queue_offsets o ON m.tenant = o.tenant
-- case: in HAVING
SELECT topic FROM queue_messages GROUP BY topic HAVING tenant = 'acme'
-- case: in the SELECT list
SELECT tenant, topic FROM queue_messages
-- case: in ORDER BY
SELECT topic FROM queue_messages ORDER BY tenant
-- case: in a function
SELECT COUNT(DISTINCT tenant) FROM queue_messages
-- case: of the outer query
SELECT m.topic FROM queue_messages m WHERE EXISTS (SELECT 1 FROM queue_offsets o WHERE m.tenant = 'acme')
-- case: without a table's name among several
SELECT m.topic FROM queue_messages m JOIN queue_offsets o ON o.topic = m.topic WHERE tenant = 'acme'
-- case: of an unknown alias
SELECT m.topic FROM queue_messages m WHERE x.tenant = 'acme'
-- case: an alias of the client's in the answer
SELECT partition_key AS tenant FROM queue_messages WHERE topic = 'a'
-- case: an alias of a derived table's
SELECT d.id FROM (SELECT partition_key AS tenant, id FROM queue_messages) d
-- case: the names of a derived table's columns
SELECT d.id FROM (SELECT partition_key, id FROM queue_messages) d (tenant, id)
-- case: the names of WITH
WITH d (tenant) AS (SELECT topic FROM queue_messages) SELECT 1 FROM d
-- case: USING
SELECT m.topic FROM queue_messages m JOIN queue_offsets o USING (tenant, topic)
-- case: in a versioned comment
-- args: --user app
SELECT topic FROM queue_messages WHERE /*!50000 tenant = 'acme' AND */ topic = 'a'
-- case: the value in a versioned comment
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = /*!50000 'acme' */
