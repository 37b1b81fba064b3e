"""What lives on one connection of a tenant's shard - user variables, locks by name, temporary tables -
which makes that connection the session's own."""

import threading

import pymysql
import pytest

from legacy import count, execute, publish
from rawmysql import ServerError
from refusals import refused
from waiting import wait_until

ADD = (
    "INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at)"
    " VALUES ('g', '{topic}', 'é', 7, 1), ('G', '{topic}', 'e', 8, 2)"
)

# Each is run on a server with the legacy schema and through mqgate, as text and, but for what is
# not prepared there, by the protocol's prepared statements.
SCRIPTS = {
    "literals": ["SET @a = 1, @b = 'x', @c = NULL, @d = 2.50, @e := @a + 1", "SELECT @a, @b, @c, @d, @e"],
    "types": [
        "SET @a = 1, @b = 'x', @d = 1.5, @f = 1e3, @g = NOW(6)",
        "SELECT @a, @b AS b, @d, @f, CHARSET(@b), COLLATION(@b), COERCIBILITY(@b), @g IS NULL, @unset",
    ],
    "from rows": [
        "SELECT topic, partition_key, offset_acked INTO @t, @p, @o FROM queue_offsets "
        "WHERE topic = '{topic}' AND consumer_group = 'g'",
        "SELECT @t, @p, @o, CHARSET(@t), COLLATION(@t), @t = 'é', CONCAT(@t, 'é')",
        "SELECT ROW_COUNT()",
    ],
    "no row": [
        "SET @o = 5",
        "SELECT offset_acked FROM queue_offsets WHERE topic = '{topic}' AND offset_acked = 99 INTO @o",
        "SHOW WARNINGS",
        "SELECT @o",
    ],
    "too many rows": [
        "SELECT offset_acked INTO @o FROM queue_offsets WHERE topic = '{topic}'",
        "SELECT 1",
    ],
    "in a select list": [
        "SELECT @n := 0",
        "SELECT @n := @n + offset_acked AS sum, @t := topic FROM queue_offsets "
        "WHERE topic = '{topic}' ORDER BY offset_acked",
        "SELECT @n, CHARSET(@t)",
    ],
    "in conditions": [
        "SET @t = '{topic}', @g = 'g', @p = 'é', @n = 7",
        "SELECT consumer_group, partition_key FROM queue_offsets WHERE topic = @t AND consumer_group = @g",
        "SELECT consumer_group FROM queue_offsets WHERE topic = @t AND partition_key = @p",
        "SELECT consumer_group FROM queue_offsets WHERE topic = @t AND consumer_group IN (@g, 'x')",
        "SELECT consumer_group FROM queue_offsets WHERE topic = @t AND consumer_group LIKE @g",
        "SELECT CONCAT(consumer_group, @p) FROM queue_offsets WHERE topic = @t AND offset_acked = @n",
        "SELECT consumer_group FROM queue_offsets WHERE topic = @t AND offset_acked > @unset",
    ],
    "set from a query": [
        "SET @n = (SELECT MAX(offset_acked) FROM queue_offsets WHERE topic = '{topic}')",
        "SELECT @n",
        "SELECT consumer_group FROM queue_offsets WHERE topic = '{topic}' AND offset_acked = @n",
    ],
    "in changes": [
        "SET @n = 100, @k = 'kéy'",
        "UPDATE queue_offsets SET offset_acked = offset_acked + @n WHERE topic = '{topic}'",
        "SELECT ROW_COUNT()",
        "UPDATE queue_offsets SET updated_at = (@last := offset_acked) WHERE topic = '{topic}' ORDER BY 1",
        "INSERT INTO queue_offsets VALUES ('h', '{topic}', @k, @n, 3)",
        "SELECT * FROM queue_offsets WHERE topic = '{topic}' ORDER BY offset_acked",
        "DELETE FROM queue_offsets WHERE topic = '{topic}' AND partition_key = @k",
        "SELECT @last, ROW_COUNT()",
    ],
    "do": ["DO @a := 3", "SELECT @a", "DO @a := @a * 2", "SELECT @a, @A"],
    "other variables": [
        "SET @mode = 'ANSI_QUOTES,STRICT_TRANS_TABLES', @zone = '+02:00'",
        "SET sql_mode = @mode, time_zone = @zone",
        "SELECT @@sql_mode, @@time_zone",
    ],
    "a transaction": [
        "SET @a = 1",
        "BEGIN",
        "UPDATE queue_offsets SET offset_acked = @a WHERE topic = '{topic}'",
        "SET @a = 2",
        "ROLLBACK",
        "SELECT @a, MIN(offset_acked) FROM queue_offsets WHERE topic = '{topic}'",
    ],
    "locks": [
        "SELECT GET_LOCK('{topic}', 0)",
        "SELECT IS_FREE_LOCK('{topic}'), GET_LOCK('{topic}', 0)",
        "SELECT RELEASE_LOCK('{topic}'), RELEASE_LOCK('{topic}')",
        "DO GET_LOCK('{topic}', 0)",
        "SELECT RELEASE_ALL_LOCKS()",
        "SELECT RELEASE_LOCK('{topic}'), IS_FREE_LOCK('{topic}')",
    ],
    "a temporary table": [
        "DROP TEMPORARY TABLE IF EXISTS found",
        "CREATE TEMPORARY TABLE found (id VARCHAR(255) COLLATE utf8mb4_general_ci, "
        "n INT NOT NULL DEFAULT 0, KEY (n)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
        "INSERT INTO found (id, n) SELECT partition_key, offset_acked FROM queue_offsets "
        "WHERE topic = '{topic}'",
        "INSERT INTO found SELECT consumer_group, 1 FROM queue_offsets WHERE topic = '{topic}'",
        "INSERT INTO found VALUES ('Ö', 2), ('o', 3)",
        "INSERT INTO found SET id = 'set'",
        "SELECT * FROM found ORDER BY n, BINARY id",
        "SELECT COUNT(*) FROM found WHERE id = 'É'",
        "SELECT a.id, b.n AS m FROM found a JOIN (SELECT 1 AS n UNION SELECT 2) b ON a.n = b.n ORDER BY 1",
        "UPDATE found SET n = n + 1 WHERE id = 'Ö'",
        "SELECT ROW_COUNT()",
        "DELETE FROM found WHERE n > 7",
        "SELECT COUNT(*), MAX(n) INTO @c, @m FROM found",
        "SELECT @c, @m",
        "DROP TEMPORARY TABLE found",
        "SELECT * FROM found",
        "DROP TEMPORARY TABLE IF EXISTS found",
    ],
    "a temporary table's columns": [
        "CREATE TEMPORARY TABLE IF NOT EXISTS other (topic VARCHAR(9) CHARACTER SET utf8mb4 "
        "COLLATE utf8mb4_general_ci, place INT, PRIMARY KEY (topic))",
        "INSERT INTO other VALUES ('é', 1) ON DUPLICATE KEY UPDATE place = 2",
        "INSERT INTO other VALUES ('É', 1) ON DUPLICATE KEY UPDATE place = place + 1",
        "SELECT * FROM other WHERE topic = 'e' AND place = 2",
        "SELECT CONCAT(topic, 'ü'), CHARSET(topic), COLLATION(topic) FROM other",
        "INSERT INTO other VALUES ('E', 1)",
        "CREATE TEMPORARY TABLE other (a INT)",
    ],
    "a temporary table in a transaction": [
        "CREATE TEMPORARY TABLE kept (n INT) ENGINE=InnoDB",
        "INSERT INTO kept VALUES (1)",
        "BEGIN",
        "INSERT INTO kept VALUES (2)",
        "UPDATE queue_offsets SET offset_acked = 50 WHERE topic = '{topic}'",
        "ROLLBACK",
        "SELECT n FROM kept",
        "SELECT MAX(offset_acked) FROM queue_offsets WHERE topic = '{topic}'",
        "BEGIN",
        "INSERT INTO kept VALUES (3)",
        "COMMIT",
        "SELECT COUNT(*) FROM kept",
    ],
}
UNPREPARED = {"SHOW WARNINGS", "BEGIN", "COMMIT", "ROLLBACK", "SET sql_mode = @mode, time_zone = @zone"}


WIDE = {3: 8}  # an integer's width is a literal's where the session's value stands for a function


def answer(connection, statement, prepared):
    """What the client sees of a statement, but for widths."""
    try:
        if prepared and statement not in UNPREPARED:
            made = connection.prepare(statement)
            result = connection.execute(made)
            connection.close_statement(made)
        else:
            result = connection.query(statement)
    except ServerError as error:
        return error.errno, error.sqlstate
    columns = [(c.name, WIDE.get(c.type, c.type), c.charset) for c in result.columns]
    return columns, result.rows, result.affected, result.warnings


@pytest.mark.parametrize("prepared", [False, True], ids=["text", "prepared"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_as_one_server(connect, direct, other_tenant, topic, name, prepared):
    """The legacy tables are on the first shard's server: locks of the second are others."""
    ours, theirs = connect(other_tenant, raw=True), direct()
    for statement in [ADD, *SCRIPTS[name]]:
        text = statement.format(topic=topic)
        assert answer(ours, text, prepared) == answer(theirs, text, prepared), text
    theirs.query(f"DELETE FROM queue_offsets WHERE topic = '{topic}'")


# --- whose it is, and where


@pytest.fixture
def session(connect, tenant):
    """Its tenant may change."""
    connection = connect()
    execute(connection, f"SET @mq_tenant = '{tenant}'")
    return connection


def test_others_do_not_see_it(connect, tenant, topic):
    """Whoever gets the connection next gets another one."""
    for n in range(3):
        connection = connect(tenant)
        assert execute(connection, "SELECT @a") == [(None,)]
        execute(connection, f"SET @a = {n}")
        assert execute(connection, "SELECT @a") == [(n,)]
        if n:
            connection.close()
    assert execute(connect(tenant), "SELECT @a") == [(None,)]


@pytest.mark.parametrize("forget", ["reset_connection", "change_user"])
def test_reset_forgets(connect, tenant, cluster, forget):
    session = connect(tenant, user="bound", password="bound", raw=True)
    session.query("SET @a = 1")
    session.query("SELECT GET_LOCK('forgotten', 0)")
    if forget == "reset_connection":
        session.reset_connection()
    else:
        session.change_user("bound", "bound", database=cluster.database)
    other = connect(tenant)
    assert execute(other, "SELECT GET_LOCK('forgotten', 5)") == [(1,)]
    assert session.query("SELECT @a").rows == [(None,)]


def test_neighbours_of_a_shard_share_it(session, neighbour, topic):
    execute(session, f"SET @a = '{topic}'")
    execute(session, f"SET @mq_tenant = '{neighbour}'")
    publish(session, topic, "m")
    assert execute(session, "SELECT id FROM queue_messages WHERE topic = @a") == [("m",)]


def test_another_shard_has_it_not(session, tenant, other_tenant, topic):
    execute(session, "SET @a = 1")
    execute(session, f"SET @mq_tenant = '{other_tenant}'")
    publish(session, topic, "m")
    for statement in (
        f"SELECT id FROM queue_messages WHERE topic = '{topic}' AND id <> @a",
        f"SELECT id INTO @a FROM queue_messages WHERE topic = '{topic}'",
        "SELECT GET_LOCK('elsewhere', 0)",
    ):
        with refused(3026):
            execute(session, statement)
    assert count(session, topic) == 1
    assert execute(session, "SELECT @a") == [(1,)]  # names no tenant's table
    execute(session, f"SET @mq_tenant = '{tenant}'")
    assert execute(session, "SELECT @a, COUNT(*) FROM queue_messages WHERE id = @a") == [(1, 0)]


def test_a_transaction_elsewhere(session, other_tenant, topic):
    execute(session, "SET @a = 1")
    execute(session, f"SET @mq_tenant = '{other_tenant}'")
    execute(session, "BEGIN")
    publish(session, topic, "m")
    for statement in ("SELECT @a", "SET @a = 2", "SET time_zone = @a"):
        with refused(3026):
            execute(session, statement)
    execute(session, "COMMIT")
    assert execute(session, "SELECT @a") == [(1,)]


def test_in_a_transaction_over_shards(make_gateway, tenant, other_tenant, topic):
    session = make_gateway({"transactions": "multi"}).connect()
    execute(session, f"SET @mq_tenant = '{tenant}'")
    execute(session, "SET @a = 1")
    for commit in ("ROLLBACK", "COMMIT"):
        execute(session, "BEGIN")
        execute(session, f"SET @mq_tenant = '{other_tenant}'")
        publish(session, topic, "m")
        assert execute(session, "SELECT @a") == [(1,)]
        execute(session, f"SET @mq_tenant = '{tenant}'")
        publish(session, topic, "m")
        execute(session, commit)
    assert execute(session, "SELECT @a") == [(1,)]
    assert count(session, topic) == 1


def test_several_tenants(connect, topic):
    session = connect()
    for statement, code in (
        ("SET @a = 1", 3001),
        ("SELECT @a := 1", 3001),
        ("SELECT GET_LOCK('several', 0)", 3001),
        ("SELECT COUNT(*) FROM queue_messages WHERE topic = @a", 3010),
    ):
        with refused(code):
            execute(session, statement)
    assert execute(session, "SELECT @a") == [(None,)]


def test_a_comment_names_the_tenant(connect, tenant, other_tenant):
    session = connect()
    execute(session, f"/*tenant='{tenant}'*/ SET @a = 1")
    assert execute(session, "SELECT @a") == [(1,)]
    execute(session, "SET @a = @a + 1")
    with refused(3001):
        execute(session, f"/*tenant='{tenant}'*/ SELECT GET_LOCK('by comment', 0)")
    with refused(3026):
        execute(session, f"/*tenant='{other_tenant}'*/ SELECT id INTO @a FROM queue_messages LIMIT 1")
    assert execute(session, "SELECT @a") == [(2,)]


# --- temporary tables


def test_a_temporary_table_is_one_session_s(session, connect, tenant, other_tenant, topic):
    execute(session, "CREATE TEMPORARY TABLE mine (id VARCHAR(255))")
    publish(session, topic, "m")
    assert execute(session, f"INSERT INTO mine SELECT id FROM queue_messages WHERE topic = '{topic}'") == 1
    assert execute(session, "SELECT id FROM mine") == [("m",)]
    with refused(2004, errno=1146):
        execute(connect(tenant), "SELECT id FROM mine")
    execute(session, f"SET @mq_tenant = '{other_tenant}'")
    assert execute(session, "SELECT id FROM mine") == [("m",)]
    with refused(3026):
        execute(session, f"INSERT INTO mine SELECT id FROM queue_messages WHERE topic = '{topic}'")


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("SELECT mine.id FROM mine JOIN queue_messages q ON q.id = mine.id", 2017),
        ("DELETE FROM mine WHERE id IN (SELECT id FROM queue_messages)", 2017),
        ("UPDATE queue_offsets SET offset_acked = (SELECT COUNT(*) FROM mine)", 2017),
        ("SELECT id FROM mine UNION SELECT id FROM queue_messages", 2017),
        ("INSERT INTO mine SELECT m.id FROM queue_messages q JOIN mine m ON m.id = q.id", 2017),
        ("INSERT INTO queue_offsets SELECT 'g', 't', id, 1, 1 FROM mine", 2017),
        ("SELECT id FROM mine, mq_fence", 2004),
        ("SELECT id FROM mine JOIN information_schema.tables", 2004),
        ("SET time_zone = (SELECT id FROM mine)", 2020),
        ("TRUNCATE mine", 2004),
        ("DROP TABLE mine", 2004),
        ("CREATE TEMPORARY TABLE queue_messages (a INT)", 2003),
        ("CREATE TEMPORARY TABLE Queue_Offsets (a INT)", 2003),
        ("CREATE TEMPORARY TABLE mq_fence (a INT)", 2003),
        ("CREATE TEMPORARY TABLE t2 LIKE queue_messages", 2002),
        ("CREATE TEMPORARY TABLE t2 AS SELECT * FROM queue_messages", 2002),
        ("CREATE TEMPORARY TABLE t2 (a INT) SELECT * FROM queue_messages", 2002),
        ("CREATE TEMPORARY TABLE t2 (a INT) ENGINE=CONNECT TABLE_TYPE=MYSQL", 2002),
        ("CREATE TEMPORARY TABLE t2 (a INT) ENGINE=MERGE UNION=(queue_messages)", 2002),
        ("CREATE TEMPORARY TABLE t2 (a INT AUTO_INCREMENT PRIMARY KEY)", 2002),
        ("CREATE TEMPORARY TABLE t2 (a INT, b INT AS (a + 1))", 2002),
    ],
)
def test_what_a_temporary_table_may_not(session, statement, code):
    execute(session, "CREATE TEMPORARY TABLE mine (id VARCHAR(255))")
    with refused(code):
        execute(session, statement)


# --- locks


def test_locks_exclude(connect, tenant, neighbour):
    """As on one server: whatever tenants of the shard they are for."""
    one, two, three = connect(tenant), connect(tenant), connect(neighbour)
    assert execute(one, "SELECT GET_LOCK('exclusive', 0)") == [(1,)]
    assert execute(two, "SELECT GET_LOCK('exclusive', 0)") == [(0,)]
    assert execute(three, "SELECT IS_FREE_LOCK('exclusive')") == [(0,)]
    assert execute(two, "SELECT RELEASE_LOCK('exclusive')") == [(0,)]
    waiting = threading.Thread(target=execute, args=(two, "SELECT GET_LOCK('exclusive', 20)"))
    waiting.start()
    assert execute(one, "SELECT RELEASE_LOCK('exclusive')") == [(1,)]
    waiting.join()
    assert execute(one, "SELECT IS_FREE_LOCK('exclusive')") == [(0,)]
    two.close()
    assert execute(one, "SELECT GET_LOCK('exclusive', 20)") == [(1,)]


def test_a_waiting_client_that_leaves_takes_no_lock(connect, tenant, cluster):
    statement = "SELECT GET_LOCK('left', 1000)"
    one, two = connect(tenant), connect(tenant, raw=True)
    execute(one, "SELECT GET_LOCK('left', 0)")
    two.send(b"\x03" + statement.encode(), sequence=0)
    wait_until(lambda: running(cluster, statement), "the shard waits for the lock")
    two.close()
    wait_until(lambda: not running(cluster, statement), "the shard's statement ends")
    execute(one, "SELECT RELEASE_LOCK('left')")
    assert execute(one, "SELECT IS_FREE_LOCK('left')") == [(1,)]


def test_who_has_the_lock_is_not_told(session):
    with refused(2003):
        execute(session, "SELECT IS_USED_LOCK('x')")


# --- ends


def running(cluster, text):
    """Numbers of the first shard's connections that run it."""
    statement = "SELECT id FROM information_schema.PROCESSLIST WHERE info = %s"
    return [row[0] for row in cluster.query(0, statement, (text,))]


def test_a_lost_connection_is_told(session, cluster):
    """What it held is gone: the client is disconnected, as by a server that ends."""
    statement = "DO SLEEP(30), @a := 1"
    execute(session, "SET @a = 1")

    def lose():
        with refused(5002):
            execute(session, statement)

    thread = threading.Thread(target=lose)
    thread.start()
    wait_until(lambda: running(cluster, statement), "the statement runs")
    for number in running(cluster, statement):
        cluster.query(0, f"KILL {number}")
    thread.join()
    with pytest.raises(pymysql.err.Error):
        execute(session, "SELECT @a")


def test_the_pool_is_full(make_gateway, tenant):
    """Homes count as connections of the shard; whoever finds none is told in time."""
    gateway = make_gateway({"pool": {"max_per_shard": 2, "wait_timeout": "1s"}})
    one, two, three = (gateway.connect(tenant) for _ in range(3))
    execute(one, "SET @a = 1")
    execute(two, "SET @a = 2")
    with refused(5005):
        execute(three, "SET @a = 3")
    assert execute(one, "SELECT @a") == [(1,)]
    two.close()
    execute(three, "SET @a = 3")


def accepted(gateway, user, password):
    try:
        gateway.connect(user=user, password=password).close()
    except pymysql.err.Error:
        return False
    return True


def test_a_reload_keeps_it(make_gateway, tenant, topic):
    gateway = make_gateway()
    session = gateway.connect(tenant)
    execute(session, "SET @a = 1")
    gateway.configure({"accounts": {"later": {"password": "l", "backend": {"user": "mqgate", "password": "mqgate"}}}})
    gateway.reload()
    wait_until(lambda: accepted(gateway, "later", "l"), "the reload")
    publish(session, topic, "1")
    assert execute(session, "SELECT @a, COUNT(*) FROM queue_messages WHERE id = @a") == [(1, 1)]
