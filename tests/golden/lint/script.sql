-- A script as a service might keep it: what the mysql client makes of it is what counts.
SET NAMES utf8mb4;
USE mq;

SELECT topic FROM queue_messages WHERE topic = 'a;b' AND id = "c;d" /* not; here */;
SELECT topic FROM queue_messages WHERE topic = 'it''s' AND id = 'back\'slash; and more'; -- ; neither
SELECT `semi;colon` FROM queue_messages # ; here as well
;
/*!40101 SET @saved = @@sql_mode */;
SELECT topic FROM queue_messages WHERE topic IN ('a'); SELECT topic FROM queue_messages WHERE topic IN ('b', 'c')\G
SELECT topic FROM queue_messages WHERE tenant = 'acme';
SELECT topic FROM queue_messages WHERE tenant = 'nobody';
/*tenant='globex'*/ DELETE FROM queue_messages WHERE topic = 'a' LIMIT 1;

DELIMITER $$
CREATE PROCEDURE sweep()
BEGIN
    DELETE FROM queue_messages WHERE created_at < 1;
    DELETE FROM queue_offsets;
END$$
delimiter ;

SET sql_mode = 'NO_BACKSLASH_ESCAPES';
SELECT topic FROM queue_messages WHERE topic = 'ends here\';
SET sql_mode = DEFAULT;
SET @mq_tenant = 'initech';
SELECT COUNT(*) FROM queue_messages;
UPDATE queue_offsets SET offset_acked = 1 WHERE topic = 'a';
use shop
SELECT * FROM carts;
DELETE FROM mq.queue_offsets WHERE topic = 'a';
USE mq;
USE `mq@globex`;
SELECT LOAD_FILE('/etc/passwd');
SELECT topic FROM queue_messages WHERE
