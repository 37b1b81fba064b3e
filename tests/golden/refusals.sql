Statements of other kinds, and text that is not understood.

-- case: empty

-- case: a comment only
/* nothing */
-- case: comments behind a semicolon
; /* nothing */
-- case: syntax
SELEC topic FROM queue_messages
-- case: syntax further on
SELECT topic FROM queue_messages WHERE topic = = 'a'
-- case: two statements
SELECT topic FROM queue_messages; DELETE FROM queue_messages
-- case: CALL
CALL p()
-- case: PREPARE
PREPARE s FROM 'SELECT * FROM queue_messages'
-- case: EXECUTE
EXECUTE s
-- case: LOAD DATA
LOAD DATA INFILE '/tmp/x' INTO TABLE queue_messages
-- case: HANDLER
HANDLER queue_messages OPEN
-- case: LOCK TABLES
LOCK TABLES queue_messages WRITE
-- case: UNLOCK TABLES
UNLOCK TABLES
-- case: UNLOCK INSTANCE
UNLOCK INSTANCE
-- case: GRANT
GRANT ALL ON *.* TO x
-- case: KILL of a string
KILL '5'
-- case: KILL of an expression
KILL 5 + 1
-- case: KILL of MariaDB's
KILL HARD 5
-- case: FLUSH
FLUSH TABLES
-- case: XA
XA START 'a'
-- case: a versioned comment for a later server
-- args: --set @mq_tenant=acme --dialect mysql-9.7
SELECT topic FROM queue_messages /*!99999 WHERE topic = 'a' */
-- case: a hint that changes sql_mode
SELECT /*+ SET_VAR(sql_mode='ANSI_QUOTES') */ topic FROM queue_messages
-- case: unterminated string
SELECT topic FROM queue_messages WHERE topic = 'a

-- case: CREATE PROCEDURE with a body
CREATE PROCEDURE p() BEGIN DELETE FROM queue_messages; SELECT 1; END

-- case: CREATE TRIGGER with a body
CREATE DEFINER = root@localhost TRIGGER t BEFORE INSERT ON queue_messages FOR EACH ROW BEGIN SET NEW.id = 'x'; SET NEW.topic = 'y'; END

-- case: CREATE EVENT with a body
CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO BEGIN DELETE FROM queue_messages; DELETE FROM queue_offsets; END

-- case: CREATE VIEW and a second statement
CREATE VIEW v AS SELECT 1; DROP TABLE queue_messages
