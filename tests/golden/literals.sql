A tenant is read exactly or the statement is refused. `default_tenant` does not exist here.

-- case: double quotes
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = "acme"
-- case: double quotes under ANSI_QUOTES are a name
-- args: --user app --sql-mode ANSI_QUOTES
SELECT topic FROM queue_messages WHERE tenant = "acme"
-- case: adjacent strings
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = 'ac' 'me'
-- case: escapes
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = 'a\cme'
-- case: escapes under NO_BACKSLASH_ESCAPES
-- args: --user app --sql-mode NO_BACKSLASH_ESCAPES
SELECT topic FROM queue_messages WHERE tenant = 'a\cme'
-- case: introducer
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = _utf8mb4'acme'
-- case: introducer of another character set
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = _utf16'acme'
-- case: national
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = N'acme'
-- case: hex
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = X'61636d65'
-- case: hex with 0x
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = 0x61636d65
-- case: bits
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = b'01100001'
-- case: number
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = 1e0
-- case: TRUE
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = TRUE
-- case: date
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = DATE '2020-01-01'
-- case: trailing space
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = 'acme '
-- case: another case
-- args: --user app
SELECT topic FROM queue_messages WHERE tenant = 'Acme'
-- case: PIPES_AS_CONCAT
-- args: --user app --sql-mode PIPES_AS_CONCAT
SELECT topic FROM queue_messages WHERE tenant = 'ac' || 'me'
-- case: OR spelled with pipes
SELECT topic FROM queue_messages WHERE topic = 'a' || topic = 'b'
-- case: user variable
SELECT topic FROM queue_messages WHERE topic = @topic
-- case: assignment in an expression
SELECT @x := topic FROM queue_messages
-- case: assignment of the tenant
SELECT @mq_tenant := 'globex'
-- case: system variable
SELECT topic FROM queue_messages WHERE created_at > @@version
-- case: system variable of the session
SELECT topic FROM queue_messages WHERE offset = @@last_insert_id
-- case: stored function
SELECT other_tenants_rows() FROM queue_messages
-- case: stored function of a database
SELECT mq.concat('a') FROM queue_messages
-- case: quoted function
SELECT `concat`('a') FROM queue_messages
-- case: GET_LOCK
SELECT GET_LOCK('a', 1)
-- case: LOAD_FILE
SELECT LOAD_FILE('/etc/passwd') FROM queue_messages
-- case: session value inside a statement
SELECT topic FROM queue_messages WHERE offset = LAST_INSERT_ID()
-- case: FOUND_ROWS
SELECT FOUND_ROWS()
