"""The service's other tables behind the same DSN: the unsharded keyspace, on a database of the
first shard's server."""

import threading

import pymysql
import pytest

from gateway import Gateway
from legacy import publish
from waiting import wait_until

DATABASE = "mq_other_tables"
OFFSETS = "SELECT COUNT(*) FROM queue_offsets"


@pytest.fixture(scope="module")
def tables(cluster):
    """Makes the database anew; its name for clients is the keyspace's."""
    with cluster.connect(0) as connection, connection.cursor() as cursor:
        for name in (DATABASE, f"{DATABASE}_2"):
            cursor.execute(f"DROP DATABASE IF EXISTS {name}")
            cursor.execute(f"CREATE DATABASE {name}")
        cursor.execute(
            f"CREATE TABLE {DATABASE}.orders (id INT AUTO_INCREMENT PRIMARY KEY, note VARCHAR(40))"
        )
        cursor.execute(f"CREATE TABLE {DATABASE}_2.reports (day INT)")
        cursor.execute(f"INSERT INTO {DATABASE}_2.reports VALUES (7)")
        cursor.execute(
            f"CREATE PROCEDURE {DATABASE}.two() BEGIN SELECT 1 AS a; SELECT 2 AS b; END"
        )
    return DATABASE


@pytest.fixture(scope="module")
def unsharded(cluster, tables, tmp_path_factory):
    """An mqgate with the keyspace."""
    server = cluster.shards[0]
    gateway = Gateway(
        cluster,
        tmp_path_factory.mktemp("unsharded"),
        {
            "unsharded": {
                "name": "other",
                "address": f"{server['host']}:{server['port']}",
                "database": tables,
                "max_connections": 6,
            },
            "accounts": {"app": {"backend": {"user": "root", "password": "root"}}},
        },
    ).start()
    yield gateway
    gateway.stop()


@pytest.fixture
def session(unsharded, tenant):
    opened = []

    def make(**options):
        opened.append(unsharded.connect(tenant, **options))
        return opened[-1]

    yield make
    for connection in opened:
        try:
            connection.close()
        except pymysql.err.Error:
            pass
    unsharded.check_alive()


def rows(connection, statement, arguments=None):
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments)
        return list(cursor.fetchall())


def refused(connection, statement, errno):
    with pytest.raises(pymysql.err.Error) as caught:
        rows(connection, statement)
    assert caught.value.args[0] == errno, caught.value
    return caught.value.args[1]


def test_both_kinds_of_tables(session):
    connection = session()
    rows(connection, "INSERT INTO orders (note) VALUES ('a'), ('b')")
    first = rows(connection, "SELECT LAST_INSERT_ID()")[0][0]
    assert rows(connection, "SELECT id, note FROM orders WHERE id >= %s", (first,)) == [
        (first, "a"),
        (first + 1, "b"),
    ]
    assert len(rows(connection, OFFSETS)) == 1  # other tests may have left some
    assert rows(connection, "SELECT DATABASE()") == [("queue",)]
    assert "no_such" in refused(connection, "SELECT * FROM no_such", 1146)
    refused(connection, "SELECT * FROM orders JOIN queue_offsets", 1235)


def test_insert_ids_of_both_servers(session, topic):
    connection = session()
    rows(connection, "INSERT INTO orders (note) VALUES ('generated')")
    generated = rows(connection, "SELECT LAST_INSERT_ID() AS i, note FROM orders LIMIT 1")[0][0]
    assert generated > 0
    rows(connection, "INSERT INTO orders VALUES (%s, 'given')", (generated + 1000,))
    assert rows(connection, "SELECT LAST_INSERT_ID()") == [(generated,)]
    queued = publish(connection, topic, "m")
    rows(connection, "INSERT INTO orders (note) SELECT LAST_INSERT_ID() FROM DUAL WHERE FALSE")
    note = rows(connection, "SELECT CONCAT(LAST_INSERT_ID(), '') FROM orders LIMIT 1")[0][0]
    assert int(note) == queued
    rows(connection, "UPDATE orders SET note = LAST_INSERT_ID(id + 7) WHERE id = %s", (generated,))
    assert rows(connection, "SELECT LAST_INSERT_ID()") == [(generated + 7,)]


def test_temporary_tables_and_variables(session):
    connection, other = session(), session()
    rows(connection, "CREATE TEMPORARY TABLE seen (a INT)")
    rows(connection, "SET @total := 5")
    for n in range(3):
        rows(connection, "INSERT INTO seen VALUES (%s)", (n,))
        rows(other, "SELECT COUNT(*) FROM orders")
        rows(connection, OFFSETS)
    assert rows(connection, "SELECT COUNT(*), @total + 1 FROM seen") == [(3, 6)]
    refused(other, "SELECT * FROM seen", 1146)
    assert rows(other, "SELECT @total") == [(None,)]


def reset(connection):
    connection._execute_command(0x1F, b"")
    connection._read_ok_packet()


def test_locks(session):
    connection, other = session(), session()
    assert rows(connection, "SELECT GET_LOCK('mq', 0)") == [(1,)]
    assert rows(other, "SELECT GET_LOCK('mq', 0)") == [(0,)]
    reset(connection)
    assert rows(other, "SELECT GET_LOCK('mq', 0)") == [(1,)]
    other.close()
    wait_until(
        lambda: rows(connection, "SELECT IS_FREE_LOCK('mq')") == [(1,)], "the lock goes with it"
    )


def test_transactions(session):
    connection, other = session(), session()
    connection.begin()
    rows(connection, "INSERT INTO orders (note) VALUES ('in a transaction')")
    count = "SELECT COUNT(*) FROM orders WHERE note = 'in a transaction'"
    assert (rows(connection, count), rows(other, count)) == ([(1,)], [(0,)])
    assert "MQ3017" in refused(connection, OFFSETS, 1105)
    connection.rollback()
    assert rows(connection, count) == [(0,)]
    connection.begin()
    rows(connection, OFFSETS)
    assert "MQ3017" in refused(connection, count, 1105)
    assert rows(connection, "SELECT 1") == [(1,)]
    connection.rollback()


def test_other_databases(session, unsharded):
    connection = session()
    other = f"{DATABASE}_2"
    connection.select_db(other)
    assert rows(connection, "SELECT day FROM reports") == [(7,)]
    assert rows(connection, "SELECT DATABASE()") == [(other,)]
    assert "queue" in refused(connection, OFFSETS, 1146)
    refused(connection, "USE no_such_database", 1049)
    rows(connection, "USE queue")
    rows(connection, OFFSETS)
    with unsharded.connect(database=other) as direct:
        assert rows(direct, "SELECT day FROM reports") == [(7,)]
    with pytest.raises(pymysql.err.OperationalError) as caught:
        unsharded.connect(database="no_such_database")
    assert caught.value.args[0] == 1049


def test_a_database_that_is_dropped(session):
    connection = session()
    rows(connection, "CREATE DATABASE mq_short_lived")
    rows(connection, "USE mq_short_lived")
    rows(connection, "CREATE TABLE t (a INT)")
    rows(connection, "DROP DATABASE mq_short_lived")
    refused(connection, "SELECT * FROM t", 1046)
    assert rows(connection, "SELECT DATABASE()") == [(None,)]


def test_stored_routines(session):
    connection = session()
    with connection.cursor() as cursor:
        cursor.execute("CALL two()")
        assert list(cursor.fetchall()) == [(1,)]
        assert cursor.nextset() and list(cursor.fetchall()) == [(2,)]


def test_warnings(session):
    connection = session()
    with connection.cursor() as cursor:
        assert cursor.execute("DROP TABLE IF EXISTS no_such") == 0
        cursor.execute("SHOW WARNINGS")
        assert [row[1] for row in cursor.fetchall()] == [1051]
    refused(connection, "SELECT * FROM no_such", 1146)
    assert [row[1] for row in rows(connection, "SHOW WARNINGS")] == [1146]


def test_found_rows(session):
    connection = session()
    rows(connection, "INSERT INTO orders (note) VALUES ('x'), ('y'), ('z')")
    total = rows(connection, "SELECT COUNT(*) FROM orders")[0][0]
    rows(connection, "SELECT SQL_CALC_FOUND_ROWS * FROM orders LIMIT 1")
    assert rows(connection, "SELECT FOUND_ROWS()") == [(total,)]


def test_sql_mode_from_an_expression(session):
    connection = session()
    rows(connection, "SET @before = @@sql_mode")
    rows(connection, "SET sql_mode = CONCAT(@before, ',ANSI_QUOTES')")
    assert rows(connection, 'SELECT "day" FROM mq_other_tables_2."reports"') == [(7,)]
    rows(connection, 'SELECT COUNT(*) FROM "queue_offsets"')
    rows(connection, "SET sql_mode = @before")
    assert rows(connection, 'SELECT "day" FROM mq_other_tables_2.reports') == [("day",)]


def test_prepared(unsharded, tenant):
    connection = unsharded.raw(tenant)
    insert = connection.prepare("INSERT INTO orders (note) VALUES (?)")
    assert connection.execute(insert, "prepared").affected == 1
    connection.query("USE mq_other_tables_2")
    # It belongs to the database in which it was prepared.
    assert connection.execute(insert, "prepared").affected == 1
    assert connection.query("SELECT day FROM reports").rows == [(b"7",)]
    connection.close()


def test_pinned_sessions_take_their_places(session):
    """Six connections are all there are; who has to wait gets one when a session ends."""
    pinned = [session() for _ in range(6)]
    for n, connection in enumerate(pinned):
        rows(connection, "SET @n = %s", (n,))
    waiting = session()
    answer = []
    question = "SELECT COUNT(*) > 0 FROM orders"
    thread = threading.Thread(target=lambda: answer.append(rows(waiting, question)))
    thread.start()
    assert [rows(c, "SELECT @n") for c in pinned] == [[(n,)] for n in range(6)]
    pinned[0].close()
    thread.join(20)
    assert answer == [[(1,)]]


def test_a_statement_prepared_anew_is_new_to_the_server(cluster, unsharded):
    """Also with a cursor: what a server keeps from an earlier run may change the answer."""
    text = "SELECT id FROM orders WHERE id IN (SELECT id FROM orders)"

    def prepares():
        return int(cluster.query(0, "SHOW GLOBAL STATUS LIKE 'Com_stmt_prepare'")[0][1])

    connection = unsharded.raw(database="other")
    counts = []
    for _ in range(2):
        before = prepares()
        statement = connection.prepare(text)
        connection.open_cursor(statement)
        connection.fetch(statement, 10)
        connection.close_statement(statement)
        connection.ping()
        counts.append(prepares() - before)
    assert counts[0] == counts[1]
    connection.close()
