"""What one client session leaves on a server's connection is not there for the next that gets it:
all sessions share the one connection that the unsharded keyspace's server is given."""

import pymysql
import pytest

from gateway import Gateway

DATABASE = "mq_pooled_state"
CHARSETS = {9: "iso8859-2", 8: "cp1252", 45: "utf-8"}
IGNORE_SPACE = 1 << 8


@pytest.fixture(scope="module")
def administrator(cluster):
    with cluster.connect(0) as connection:
        rows(connection, f"DROP DATABASE IF EXISTS {DATABASE}")
        rows(connection, f"CREATE DATABASE {DATABASE}")
        rows(connection, f"CREATE TABLE {DATABASE}.orders (id INT) ENGINE = InnoDB")
        yield connection


@pytest.fixture(scope="module")
def shared(cluster, administrator, tmp_path_factory):
    server = cluster.shards[0]
    gateway = Gateway(
        cluster,
        tmp_path_factory.mktemp("pooled"),
        {
            "unsharded": {
                "name": "other",
                "address": f"{server['host']}:{server['port']}",
                "database": DATABASE,
                "max_connections": 2,  # a session's own, and the one that is shared
            },
            "accounts": {"app": {"backend": {"user": "root", "password": "root"}}},
            "workers": 1,
        },
    ).start()
    yield gateway
    gateway.stop()


@pytest.fixture
def session(shared):
    opened = []

    def make(raw=False, **options):
        opened.append((shared.raw if raw else shared.connect)(**options))
        return opened[-1]

    yield make
    for connection in opened:
        connection.close()
    shared.check_alive()


def rows(connection, statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())


def test_database(session):
    """USE is the session's who said it, also where it had none before."""
    rows(session(database=None), f"USE {DATABASE}")
    with pytest.raises(pymysql.err.Error) as caught:
        rows(session(database=None), "SELECT * FROM orders")
    assert caught.value.args[0] == 1046


@pytest.mark.parametrize(
    "consumer", ["SELECT 1", "DO 1", "SELECT 1 FROM (SELECT 1) o", "SELECT * FROM no_such_table"]
)
def test_isolation_of_the_next_transaction(session, consumer):
    """SET TRANSACTION in front of a statement that opens none."""
    connection, other = session(), session()
    rows(connection, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
    try:
        rows(connection, consumer)
    except pymysql.err.Error:
        pass
    rows(other, "BEGIN")
    rows(other, "SELECT * FROM orders")
    level = rows(
        other,
        "SELECT trx_isolation_level FROM information_schema.innodb_trx"
        " WHERE trx_query LIKE 'SELECT trx_isolation_level%'",
    )
    assert level == [("REPEATABLE READ",)]


def test_character_set_of_a_prepared_statement(session):
    """Literals are read when a statement is prepared."""
    text = "SELECT HEX(CONVERT('é' USING utf8mb4)), ? FROM orders RIGHT JOIN (SELECT 1) o ON 0"
    sessions = {name: session(raw=True, charset=number) for number, name in CHARSETS.items()}
    statements = {name: connection.prepare(text) for name, connection in sessions.items()}
    for name, connection in sessions.items():
        answer = connection.execute(statements[name], 1).rows[0][0]
        assert answer.decode() == "é".encode().decode(name).encode().hex().upper(), name


def test_ignore_space(session):
    """The sql_mode that the login chose comes back after another session's."""
    connection, other = (session(client_flag=IGNORE_SPACE) for _ in range(2))
    rows(connection, "SET sql_mode = 'STRICT_ALL_TABLES'")
    rows(connection, "SELECT COUNT(*) FROM orders")
    assert rows(other, "SELECT COUNT (*) FROM orders") == [(0,)]


def test_a_default_after_a_set_that_failed(session):
    """The failed SET carried it to the connection that the session keeps."""
    connection = session()
    rows(connection, "SET @kept = 1")
    default = rows(connection, "SELECT @@group_concat_max_len, @kept")
    rows(connection, "SET group_concat_max_len = 2048")
    assert rows(connection, "SELECT @@group_concat_max_len, @kept") == [(2048, 1)]
    rows(connection, "SET group_concat_max_len = DEFAULT")
    with pytest.raises(pymysql.err.Error):
        rows(connection, "SET time_zone = 'nowhere'")
    assert rows(connection, "SELECT @@group_concat_max_len, @kept") == default


def test_all_variables_in_a_transaction(session):
    """After a SET that failed all are set anew, and the transaction stays open."""
    connection = session()
    rows(connection, "BEGIN")
    rows(connection, "INSERT INTO orders VALUES (1)")
    with pytest.raises(pymysql.err.Error):
        rows(connection, "SET time_zone = 'nowhere'")
    assert rows(connection, "SELECT COUNT(*) FROM orders") == [(1,)]
    rows(connection, "ROLLBACK")
    assert rows(connection, "SELECT COUNT(*) FROM orders") == [(0,)]


@pytest.mark.parametrize("variable", ["max_allowed_packet", "group_concat_max_len"])
def test_global_variables(session, administrator, variable):
    """Who connects after SET GLOBAL has the new value, whatever connections there were."""
    asks = f"SELECT @@{variable}, COUNT(*) FROM orders"
    own = session()
    rows(own, "SET @kept = 1")
    before = rows(session(), asks)[0][0]  # on the other connection, which is idle again
    rows(own, f"SET GLOBAL {variable} = {before + 1024}")
    try:
        assert rows(session(), asks) == [(before + 1024, 0)]
    finally:
        rows(administrator, f"SET GLOBAL {variable} = {before}")
