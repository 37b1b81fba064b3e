"""Session state follows the session from backend to backend and never leaks to another."""

import threading
import time

import pymysql
import pytest

from legacy import START_OFFSET, count, execute, publish
from refusals import refused


@pytest.fixture
def pair(make_gateway, tenant):
    """Two sessions that share one backend."""
    gateway = make_gateway({"pool": {"max_per_shard": 1}})
    one, two = gateway.connect(tenant), gateway.connect(tenant)
    yield one, two
    one.close()
    two.close()


STATES = [
    # set by one session, what it then sees on the shard, what the other one sees
    ("SET time_zone = '+05:00'", "FROM_UNIXTIME(0)", None),
    ("SET sql_mode = 'PIPES_AS_CONCAT'", "'1' || '2'", None),
    ("SET sql_mode = 'ANSI_QUOTES'", "@@sql_mode", None),
    ("SET SESSION sql_mode = ''", "@@sql_mode", None),
    ("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", "{isolation}", "READ-COMMITTED"),
    ("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", "{isolation}", "SERIALIZABLE"),
    ("SET group_concat_max_len = 7", "@@group_concat_max_len", 7),
    ("SET innodb_lock_wait_timeout = 7", "@@innodb_lock_wait_timeout", 7),
    ("SET NAMES latin1", "@@character_set_client", "latin1"),
    ("SET NAMES utf8mb4 COLLATE utf8mb4_bin", "@@collation_connection", "utf8mb4_bin"),
    ("SET sql_select_limit = 1", "@@sql_select_limit", 1),
]


@pytest.mark.parametrize("change, probe, expected", STATES, ids=[row[0] for row in STATES])
def test_state_does_not_leak(pair, cluster, topic, change, probe, expected):
    one, two = pair
    isolation = "@@tx_isolation" if cluster.mariadb else "@@transaction_isolation"
    probe = probe.format(isolation=isolation)
    publish(one, topic, "m")

    def see(connection):
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {probe} FROM queue_messages WHERE topic = '{topic}'")
            return cursor.fetchone()[0]

    default = see(two)
    execute(one, change)
    changed = see(one)
    assert changed != default
    assert expected is None or changed == expected
    for _ in range(2):
        assert see(two) == default
        assert see(one) == changed


def test_autocommit_does_not_leak(pair, topic):
    one, two = pair
    execute(one, "SET autocommit = 0")
    execute(one, "COMMIT")
    publish(two, topic, "m")
    execute(two, "ROLLBACK")
    assert count(two, topic) == 1
    execute(one, "COMMIT")


@pytest.mark.threads
def test_unfinished_transaction_does_not_leak(make_gateway, tenant, topic):
    """The backend of a client that left is clean for the next one."""
    gateway = make_gateway({"pool": {"max_per_shard": 1}})
    for n in range(5):
        leaving = gateway.connect(tenant, autocommit=False)
        publish(leaving, topic, f"m{n}")
        leaving.close()
        staying = gateway.connect(tenant)
        assert count(staying, topic) == 0
        staying.close()


def test_character_sets(connect, tenant, topic):
    """Each client reads and writes in its own."""
    latin, unicode = connect(tenant, charset="latin1"), connect(tenant)
    publish(latin, topic, "é", partition="ä")
    publish(unicode, topic, "ü", partition="ä")
    for connection in (latin, unicode):
        assert execute(
            connection,
            "SELECT id FROM queue_messages WHERE topic = ? AND partition_key = ? "
            "ORDER BY offset",
            topic,
            "ä",
        ) == [("é",), ("ü",)]


def test_strict_mode(connect, tenant, topic):
    """The mode decides between an error and a warning."""
    strict, lax = connect(tenant), connect(tenant)
    execute(strict, "SET sql_mode = 'STRICT_TRANS_TABLES'")
    execute(lax, "SET sql_mode = ''")
    execute(lax, START_OFFSET, "g", topic, "p")
    change = "UPDATE queue_offsets SET offset_acked = 'five' WHERE topic = ?"
    with refused() as seen:
        execute(strict, change, topic)
    assert not seen.message.startswith("MQ")
    execute(lax, "BEGIN")
    execute(lax, change, topic)
    assert [row[1] for row in execute(lax, "SHOW WARNINGS")] == [seen.errno]
    execute(lax, "COMMIT")


def test_quotes_follow_the_mode(connect, tenant, topic):
    connection = connect(tenant)
    publish(connection, topic, "m")
    assert execute(connection, f'SELECT id FROM queue_messages WHERE topic = "{topic}"') == [("m",)]
    execute(connection, "SET sql_mode = 'ANSI_QUOTES'")
    assert execute(
        connection, f"""SELECT "id" FROM "queue_messages" WHERE "topic" = '{topic}'"""
    ) == [("m",)]
    with refused(errno=1054):
        execute(connection, f'SELECT id FROM queue_messages WHERE topic = "{topic}"')
    execute(connection, "SET sql_mode = 'NO_BACKSLASH_ESCAPES'")
    assert execute(connection, f"SELECT '\\' FROM queue_messages WHERE topic = '{topic}'") == [
        ("\\",)
    ]


@pytest.mark.parametrize("login", ["plain", "database", "attribute", "account"])
def test_reset_connection(connect, tenant, other_tenant, topic, login):
    """@mq_tenant is forgotten; what came with the login stays."""
    options = {
        "plain": {},
        "database": {"tenant": tenant},
        "attribute": {"attributes": {"tenant": tenant}},
        "account": {"user": "bound", "password": "bound"},
    }[login]
    connection = connect(raw=True, **options)
    text = f"SELECT COUNT(*) FROM queue_messages WHERE topic = '{topic}'"
    if login == "plain":
        connection.query(f"SET @mq_tenant = '{tenant}'")
    connection.query("SET time_zone = '+07:00'")
    connection.query("SET sql_mode = 'ANSI_QUOTES'")
    statement = connection.prepare(text)
    connection.query(text)
    connection.reset_connection()
    with refused(errno=1243):
        connection.execute(statement)
    assert connection.query("SELECT DATABASE()").rows == [(b"queue",)]
    if login == "plain":
        for _ in range(2):
            with refused(3009):
                connection.query(text)
        with refused(3009):
            connection.execute(connection.prepare(text))
        connection.query(f"SET @mq_tenant = '{other_tenant}'")
    assert connection.query(text.replace("COUNT(*)", 'COUNT(*), "x", @@time_zone')).rows[0][:2] == (
        b"0",
        b"x",
    )


def test_reset_never_falls_to_the_default(make_gateway, tenant, other_tenant, topic):
    gateway = make_gateway({"default_tenant": tenant})
    connection = gateway.raw()
    text = f"SELECT COUNT(*) FROM queue_messages WHERE topic = '{topic}'"
    connection.query(text)
    connection.query(f"SET @mq_tenant = '{other_tenant}'")
    connection.reset_connection()
    with refused(3009):
        connection.query(text)
    connection.close()


def test_answers_about_the_session(pair, topic):
    """They are the session's, whichever backend served last."""
    one, two = pair
    first = publish(one, topic, "a")
    publish(two, topic, "b")
    assert execute(one, "SELECT LAST_INSERT_ID()") == [(first,)]
    ids = [execute(c, "SELECT CONNECTION_ID()")[0][0] for c in pair]
    assert ids == [one.thread_id(), two.thread_id()] and ids[0] != ids[1]
    execute(one, "DELETE FROM queue_messages WHERE topic = ?", topic)
    count(two, topic)
    assert execute(one, "SELECT ROW_COUNT()") == [(2,)]
    assert execute(one, "SELECT ROW_COUNT()") == [(-1,)]


def test_warnings_are_the_sessions(pair, topic):
    one, two = pair
    execute(one, START_OFFSET, "g", topic, "p")
    execute(one, "BEGIN")
    execute(one, START_OFFSET, "g", topic, "p")  # IGNORE turns the error into a warning
    assert [row[1] for row in execute(one, "SHOW WARNINGS")] == [1062]
    execute(one, "COMMIT")
    count(two, topic)
    assert execute(two, "SHOW WARNINGS") == []
    execute(one, START_OFFSET, "g", topic, "p")
    try:  # the backend may have served others: the same, or an honest refusal
        assert [row[1] for row in execute(one, "SHOW WARNINGS")] == [1062]
    except pymysql.err.MySQLError as error:
        assert error.args[1].startswith("MQ2019:")


def test_two_sessions_of_different_tenants_on_one_backend(make_gateway, tenant, neighbour, topic):
    gateway = make_gateway({"pool": {"max_per_shard": 1}})
    one, two = gateway.connect(tenant), gateway.connect(neighbour)
    for connection in (one, two, one, two):
        before = count(connection, topic)
        publish(connection, topic, f"m{before}")
        assert count(connection, topic) == before + 1
    one.close()
    two.close()


def test_grants_on_the_shard_count(make_gateway, cluster, tenant, topic):
    """Each account has its own on the shards, with that one's rights."""
    cluster.query(0, "CREATE USER IF NOT EXISTS reader@'%' IDENTIFIED BY 'reader'")
    cluster.query(0, f"GRANT SELECT ON {cluster.database}.* TO reader@'%'")
    gateway = make_gateway({"accounts": {"reader": {"password": "reader"}}})
    connection = gateway.connect(tenant, user="reader", password="reader")
    assert count(connection, topic) == 0
    with refused(errno=1142):
        publish(connection, topic, "m")
    connection.close()
    writer = gateway.connect(tenant)
    publish(writer, topic, "m")
    writer.close()


def test_login_that_the_shard_refuses(make_gateway, tenant, topic):
    gateway = make_gateway(
        {
            "accounts": {
                "odd": {"password": "odd", "backend": {"user": "mqgate", "password": "wrong"}}
            }
        }
    )
    connection = gateway.connect(tenant, user="odd", password="odd")
    with refused(5003) as seen:
        count(connection, topic)
    assert "wrong" not in seen.message
    connection.close()
    assert "wrong" not in gateway.log()


@pytest.mark.threads
def test_more_sessions_than_backends(make_gateway, cluster, topic):
    """They wait for one another; none fails, none gets another's answer."""
    gateway = make_gateway({"workers": 2, "pool": {"max_per_shard": 2}})
    failures = []

    def work(n):
        name = cluster.tenants[n % len(cluster.tenants)]
        try:
            connection = gateway.connect(name)
            for m in range(15):
                execute(connection, "BEGIN")
                publish(connection, topic, f"{n}-{m}", payload=name.encode())
                execute(connection, "COMMIT")
                rows = execute(
                    connection, "SELECT DISTINCT payload FROM queue_messages WHERE topic = ?", topic
                )
                assert rows == [(name.encode(),)], rows
            connection.close()
        except Exception as error:
            failures.append(f"{name}: {error!r}")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    rows = cluster.query_all(
        "SELECT tenant, COUNT(*) FROM queue_messages WHERE topic = %s " "GROUP BY tenant", (topic,)
    )
    assert sorted(rows) == sorted((cluster.shard_of(t), t, 30) for t in cluster.tenants)


@pytest.mark.threads
def test_backends_move_between_workers(make_gateway, tenant, topic):
    """The only backend serves the sessions of every worker in turn; none starves."""
    gateway = make_gateway({"workers": 4, "pool": {"max_per_shard": 1, "wait_timeout": "10s"}})
    holder = gateway.connect(tenant)
    waiters = [gateway.connect(tenant) for _ in range(8)]
    for _ in range(3):
        execute(holder, "BEGIN")
        count(holder, topic)
        failures = []

        def work(connection):
            try:
                count(connection, topic)
            except pymysql.err.MySQLError as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(waiter,)) for waiter in waiters]
        for thread in threads:
            thread.start()
        gateway.wait_until_idle()  # all wait for the backend
        execute(holder, "COMMIT")
        begin = time.monotonic()
        for thread in threads:
            thread.join()
        assert failures == []
        assert time.monotonic() - begin < 3
    for connection in [holder, *waiters]:
        connection.close()


def test_a_variable_of_the_other_flavour(connect, cluster, tenant):
    """max_execution_time is MySQL's; MariaDB does not know it."""
    connection = connect(tenant)
    with connection.cursor() as cursor:
        if cluster.mariadb:
            with pytest.raises(pymysql.err.Error) as caught:
                cursor.execute("SET max_execution_time = 5000")
            assert caught.value.args[0] == 1193
        else:
            cursor.execute("SET max_execution_time = 5000")
            cursor.execute("SELECT @@max_execution_time")
            assert cursor.fetchone() == (5000,)
