Where other rewriters went wrong, kind by kind: lexing as a security boundary.

-- case: 11: a backslash escapes
SELECT id FROM queue_messages WHERE id = '\' OR tenant = \'globex' OR topic = 'x'

-- case: 11: a backslash under NO_BACKSLASH_ESCAPES
-- args: --set @mq_tenant=acme --sql-mode NO_BACKSLASH_ESCAPES
SELECT id FROM queue_messages WHERE id = '\' OR topic = 'x'

-- case: 11: double quotes
SELECT id FROM queue_messages WHERE id = "a' OR topic = 'b"

-- case: 11: double quotes under ANSI_QUOTES
-- args: --set @mq_tenant=acme --sql-mode ANSI_QUOTES
SELECT "id" FROM "queue_messages" WHERE "topic" = 'x'

-- case: 11: the mode changed by a hint
SELECT /*+ SET_VAR(sql_mode='NO_BACKSLASH_ESCAPES') */ id FROM queue_messages

-- case: 11: a mode that is another grammar
SET sql_mode = 'ORACLE'

-- case: 12: a character set whose second bytes hide quotes
SET NAMES gbk

-- case: 12: an introducer of one
SELECT id FROM queue_messages WHERE id = _gbk'x'

-- case: 13: code in a versioned comment
SELECT id FROM queue_messages /*! WHERE topic = 'x' */

-- case: 13: code for a later server
SELECT id FROM queue_messages /*!99999 WHERE topic = 'x' */

-- case: 13: code for MariaDB
SELECT id /*M! , topic */ FROM queue_messages

-- case: 13: code that a condition does not touch
SELECT /*!40001 SQL_NO_CACHE */ id FROM queue_messages

-- case: 13: a comment within a comment
SELECT id FROM queue_messages /* a /* b */ WHERE topic = 'x'

-- case: 13: an unterminated comment
SELECT id FROM queue_messages /* WHERE topic = 'x'

-- case: 13: comments to the end of the line
SELECT id # '
FROM queue_messages -- "
WHERE topic = 'x'

-- case: 13: two dashes that are no comment
SELECT 5--5 FROM queue_messages

-- case: 13: a comment that ends where a condition is added
SELECT id FROM queue_messages -- all

-- case: 14: the tenant as adjacent strings
-- args:
SELECT id FROM queue_messages WHERE tenant = 'ac' 'me'

-- case: 14: the tenant with escapes
-- args:
SELECT id FROM queue_messages WHERE tenant = 'ac\me'

-- case: 14: the tenant in double quotes
-- args:
SELECT id FROM queue_messages WHERE tenant = "acme"

-- case: 14: the tenant national
-- args:
SELECT id FROM queue_messages WHERE tenant = N'acme'

-- case: 14: the tenant in hexadecimal
-- args:
SELECT id FROM queue_messages WHERE tenant = x'61636d65'

-- case: 14: the tenant as a hexadecimal number
-- args:
SELECT id FROM queue_messages WHERE tenant = 0x61636d65

-- case: 14: the tenant in bits
-- args:
SELECT id FROM queue_messages WHERE tenant = b'1100001'

-- case: 14: the tenant with an introducer
-- args:
SELECT id FROM queue_messages WHERE tenant = _utf8mb4'acme'

-- case: 14: the tenant with an introducer of UTF-16
-- args:
SELECT id FROM queue_messages WHERE tenant = _utf16'acme'

-- case: 14: the tenant with a collation
-- args:
SELECT id FROM queue_messages WHERE tenant = 'acme' COLLATE utf8mb4_general_ci

-- case: 14: the tenant as a number
-- args:
SELECT id FROM queue_messages WHERE tenant = 1e0

-- case: 14: the tenant as true
-- args:
SELECT id FROM queue_messages WHERE tenant = true

-- case: 14: the tenant as NULL
-- args:
SELECT id FROM queue_messages WHERE tenant = NULL

-- case: 14: the tenant with a space behind it, which the shard would not see
-- args:
SELECT id FROM queue_messages WHERE tenant = 'acme '

-- case: 14: the tenant in another case
-- args:
SELECT id FROM queue_messages WHERE tenant = 'Acme'

-- case: 15: a semicolon in a string and in a comment
SELECT ';' FROM queue_messages /* ; */ WHERE id = ';'

-- case: 15: a semicolon behind
SELECT id FROM queue_messages;

-- case: 15: a second statement
SELECT id FROM queue_messages; DELETE FROM queue_messages

-- case: 15: an empty statement in front
;SELECT id FROM queue_messages

-- case: 15: nothing

-- case: 15: only a comment
/* nothing */

-- case: 15: only a comment of the servers'
/*! */

-- case: 15: bytes that are no UTF-8 as they are escaped here
SELECT id FROM queue_messages WHERE partition_key = x'ff'

-- case: 15: an unterminated name
SELECT id FROM `queue_messages
