"""What is refused, with which code, and that the connection goes on afterwards."""

import pytest

from legacy import LAG, count, execute, publish
from refusals import refused

# Of no one tenant, and not to be made of several tenants' answers either.
UNSCOPED = [
    (3001, "UPDATE queue_offsets SET offset_acked = 1 WHERE topic = 'x'"),
    (3001, "DELETE FROM queue_messages WHERE topic = 'x'"),
    (3001, "DELETE FROM queue_messages"),
    (3001, "INSERT INTO queue_offsets VALUES ('g', 'x', 'p', 0, 0)"),
    (3010, LAG.replace("?", "'x'")),
    (3010, "SELECT id FROM queue_messages WHERE topic = 'x' FOR UPDATE"),
    (3010, "SELECT MAX(topic) FROM (SELECT topic FROM queue_messages) q"),
    (3010, "SELECT (SELECT MAX(offset) FROM queue_messages)"),
    (3010, "SELECT 1 WHERE EXISTS (SELECT 1 FROM queue_offsets)"),
]

# Refused whatever the session's tenant is. A code that is not named may be any of mqgate's.
NEVER = [
    ("SELECT * FROM elsewhere", 2004, 1146),
    ("SELECT * FROM queue_messages JOIN elsewhere USING (topic)", None, None),
    ("SELECT 1; SELECT 2", 2007, None),
    ("SELECT id FROM queue_messages WHERE topic = 'x'; DELETE FROM queue_messages", 2007, None),
    ("SELEC 1", 2001, 1064),
    ("SELECT FROM WHERE", 2001, 1064),
    ("SELECT 'open", None, 1064),
    ("SELECT 1 /* open", None, 1064),
    ("SELECT id FROM queue_messages WHERE (topic = 'x'", 2001, 1064),
    ("", 2016, 1065),
    ("; -- only a comment", 2001, 1064),
    ("SELECT nobody.function_of_mine(1)", None, None),
    ("SELECT function_of_mine(id) FROM queue_messages", 2005, 1305),
    ("SELECT id INTO @x FROM queue_messages UNION SELECT 'a'", None, None),
    ("SELECT id INTO OUTFILE '/tmp/x' FROM queue_messages", None, None),
    ("SELECT LOAD_FILE('/etc/passwd')", None, None),
    ("SHOW GRANTS", 2003, None),
    ("SET sql_safe_updates = 1", 2020, 1231),
    ("SET sql_auto_is_null = ON", 2020, 1231),
    ("SELECT id FROM queue_messages FORCE INDEX (idx_offset) FOR UPDATE", 2024, 1176),
    ("UPDATE queue_messages SET offset = 18446744073709551615", 2025, 1264),
    ("SELECT @mq_tenant := 'orders'", None, None),
    ("UPDATE queue_messages SET tenant = 'x' WHERE topic = 'x'", None, None),
    (
        "INSERT INTO queue_offsets (tenant, topic) SELECT 'ads', topic FROM queue_offsets",
        None,
        None,
    ),
    ("SELECT * FROM mysql.user", None, None),
    ("SELECT * FROM information_schema.processlist", None, None),
    ("SELECT * FROM performance_schema.threads", None, None),
    ("SHOW ENGINE INNODB STATUS", None, None),
    ("DROP TABLE queue_messages", None, None),
    ("TRUNCATE TABLE queue_messages", None, None),
    ("TRUNCATE queue_messages", None, None),
    ("ALTER TABLE queue_messages ADD COLUMN x INT", None, None),
    ("RENAME TABLE queue_messages TO x", None, None),
    ("CREATE TABLE queue_messages LIKE queue_offsets", None, None),
    ("CREATE TEMPORARY TABLE queue_messages (a INT)", None, None),
    ("CREATE USER x", None, None),
    ("GRANT ALL ON *.* TO app", None, None),
    ("SET GLOBAL max_connections = 1", None, None),
    ("SET @@global.max_connections = 1", None, None),
    ("SET PASSWORD = 'x'", None, None),
    ("SET foreign_thing = 1", 2015, 1193),
    ("SET NAMES gbk", 2008, 1115),
    ("SET NAMES sjis", 2008, 1115),
    ("SET character_set_client = big5", None, None),
    ("SET sql_mode = 'MAXDB'", None, None),
    ("LOCK TABLES queue_messages WRITE", None, None),
    ("FLUSH TABLES", None, None),
    ("CALL something()", None, None),
    ("PREPARE x FROM 'SELECT 1'", None, None),
    ("EXECUTE x", None, None),
    ("HANDLER queue_messages OPEN", None, None),
    ("LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE queue_messages", None, None),
    ("DO SLEEP(0) + (SELECT 1 FROM mysql.user)", None, None),
    ("KILL 1", None, None),
    ("SHUTDOWN", None, None),
    ("XA START 'x'", None, None),
    ("USE elsewhere", None, 1049),
    ("SELECT * FROM elsewhere.queue_messages", None, None),
    ("SELECT 1 FROM queue_messages PROCEDURE ANALYSE()", None, None),
    ("\x00", None, None),
    ("(" * 20000 + "1" + ")" * 20000, None, None),
    ("SELECT " + "(" * 20000 + "1" + ")" * 20000, None, None),
]


@pytest.mark.parametrize("binary", [False, True], ids=["text", "prepared"])
@pytest.mark.parametrize("code, statement", UNSCOPED)
def test_statement_without_a_tenant(connect, cluster, tenant, topic, code, statement, binary):
    connection = connect(raw=True)
    with refused(code, 1105) as seen:
        if binary:
            connection.execute(connection.prepare(statement))
        else:
            connection.query(statement)
    assert "tenant" in seen.message, "the refusal says what would mend it"
    connection.query(f"SET @mq_tenant = '{tenant}'")
    connection.query(f"SELECT COUNT(*) FROM queue_messages WHERE topic = '{topic}'")


@pytest.mark.parametrize(
    "statement, code, errno", NEVER, ids=[row[0][:50] or "empty" for row in NEVER]
)
def test_statement_that_is_never_served(connect, tenant, topic, statement, code, errno):
    connection = connect(tenant, raw=True)
    with refused(code, errno) as seen:
        connection.query(statement)
    assert seen.message.startswith("MQ"), seen.message
    with refused(code, errno):
        connection.execute(connection.prepare(statement))
    assert connection.query(
        f"SELECT COUNT(*) FROM queue_messages WHERE topic = '{topic}'"
    ).rows == [(b"0",)]


def test_nothing_happened(connect, cluster, tenant, topic):
    """Refused writes among served ones leave no trace."""
    connection = connect(tenant)
    publish(connection, topic, "m")
    for statement in (
        "DELETE FROM queue_messages; SELECT 1",
        "TRUNCATE queue_messages",
        "DELETE FROM elsewhere.queue_messages",
        "DELETE queue_messages FROM queue_messages, x",
    ):
        with refused():
            execute(connection, statement)
    assert count(connection, topic) == 1


def test_refusals_do_not_tell_other_tenants(connect, cluster, tenant):
    connection = connect(tenant)
    for statement, _code, _errno in NEVER:
        with refused() as seen:
            execute(connection, statement) if statement else connection.query("")
        for name in cluster.tenants:
            assert name == tenant or f"'{name}'" not in seen.message


def test_refusal_within_a_transaction(connect, tenant, topic):
    """It was never sent, so the transaction goes on."""
    connection = connect(tenant, autocommit=False)
    publish(connection, topic, "a")
    with refused():
        execute(connection, "SELECT * FROM elsewhere")
    publish(connection, topic, "b")
    connection.commit()
    assert count(connection, topic) == 2


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1",
        "SELECT @@version_comment LIMIT 1",
        "SELECT VERSION()",
        "SELECT CONNECTION_ID()",
        "SELECT DATABASE()",
        "SELECT USER()",
        "SELECT NOW()",
        "SHOW VARIABLES LIKE 'sql_mode'",
        "SHOW TABLES",
        "SHOW DATABASES",
        "SHOW WARNINGS",
        "SELECT @@session.autocommit",
        "SELECT @@tx_isolation",
        "SELECT @@max_allowed_packet, @@sql_mode, @@time_zone",
        "SHOW COLLATION",
        "SHOW CHARACTER SET",
        "SELECT LAST_INSERT_ID()",
        "SELECT ROW_COUNT()",
        "SET NAMES utf8mb4",
        "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
        "COMMIT",
        "ROLLBACK",
        "SET autocommit = 1",
        "SET sql_mode = 'STRICT_TRANS_TABLES'",
        "SELECT $$",
        "SELECT 1 + 1 AS two",
    ],
)
def test_harmless_statements_need_no_tenant(connect, cluster, statement):
    """What drivers and tools ask by themselves. $$ is the mysql client's probe: an error, but
    the server's own."""
    connection = connect(raw=True)
    if statement == "SELECT $$":
        with refused():
            connection.query(statement)
    elif statement == "SELECT @@tx_isolation" and not cluster.mariadb:
        with refused(errno=1193):
            connection.query(statement)
    else:
        connection.query(statement)
    connection.ping()
