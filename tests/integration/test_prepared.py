"""Prepared statements in every form that the binary protocol allows."""

import pytest

from legacy import COUNT, POLL, PUBLISH, count, execute, legacy_ddl, message, publish
from rawmysql import COM_STMT_PREPARE, TYPE_BLOB, LongData, ServerError, Statement
from refusals import refused
from waiting import wait_until


@pytest.fixture
def connection(connect, tenant):
    return connect(tenant, raw=True)


def echo(connection, topic, *values, types=True, statement=None):
    """Sends values to the shard and back; the topic holds one message."""
    marks = ", ".join("?" * len(values))
    statement = statement or connection.prepare(
        f"SELECT {marks or 1} FROM queue_messages WHERE topic = '{topic}'"
    )
    return statement, connection.execute(statement, *values, types=types).rows[0]


@pytest.fixture
def filled(connection, topic):
    connection.execute(connection.prepare(PUBLISH), *message(topic, "m"))
    return connection


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 15, 16, 17, 64])
@pytest.mark.parametrize("nulls", ["none", "all", "last", "every second"])
def test_null_bitmap(filled, topic, size, nulls):
    missing = {
        "none": lambda n: False,
        "all": lambda n: True,
        "last": lambda n: n == size - 1,
        "every second": lambda n: n % 2 == 1,
    }[nulls]
    values = [None if missing(n) else f"v{n}" for n in range(size)]
    _, row = echo(filled, topic, *values)
    assert row == (tuple(v and v.encode() for v in values) or (1,))


def test_comments_only(connection, cluster):
    """MariaDB prepares them, MySQL does not."""
    for text in ("/* nothing */", "-- nothing", "/*!99999 x */ ;"):
        if cluster.flavour == "mysql":
            with refused(2023):
                connection.prepare(text)
        else:
            assert connection.execute(connection.prepare(text)).rows == []
    with refused(2016):
        connection.prepare(" ; ;")


def test_types_of_the_last_execution(filled, topic):
    """With new_params_bind_flag 0 the server uses the types it was told before."""
    statement, row = echo(filled, topic, 5, "x", 2.5, None)
    assert row[:2] == (5, b"x")
    for number in (6, 7):
        _, row = echo(filled, topic, number, "y", 3.5, None, types=False, statement=statement)
        assert row == (number, b"y", 3.5, None)
    _, row = echo(filled, topic, "six", 7, 1.5, b"blob", statement=statement)
    assert row == (b"six", 7, 1.5, b"blob")
    _, row = echo(filled, topic, "eight", None, 1.5, b"blob", types=False, statement=statement)
    assert row == (b"eight", None, 1.5, b"blob")


def test_types_survive_another_backend(make_gateway, tenant, topic):
    """Between two executions the statement moves to a connection that was never told them."""
    gateway = make_gateway({"pool": {"max_per_shard": 2}})
    connection, blocker = gateway.raw(tenant), gateway.raw(tenant)
    connection.execute(connection.prepare(PUBLISH), *message(topic, "m"))
    statement, _ = echo(connection, topic, 1, "x")
    blocker.query("BEGIN")  # takes the backend that was used
    blocker.query(f"SELECT COUNT(*) FROM queue_messages WHERE topic = '{topic}'")
    for n in range(3):
        _, row = echo(connection, topic, n, "y", types=False, statement=statement)
        assert row == (n, b"y")
    blocker.query("ROLLBACK")
    connection.close()
    blocker.close()


def test_types_missing_at_first(connection, topic):
    statement = connection.prepare(COUNT)
    with refused():
        connection.execute(statement, topic, types=False)
    assert connection.execute(statement, topic).rows == [(0,)]


def answered_once(connection, text, values):
    """Rows or the error's number: prepared, executed and closed."""
    try:
        statement = connection.prepare(text)
        rows = connection.execute(statement, *values).rows
        connection.close_statement(statement)
        return sorted(rows, key=repr)
    except ServerError as error:
        return error.errno


@pytest.mark.parametrize(
    "text",
    [
        "SELECT topic FROM queue_messages WHERE topic = ? AND id = 'own'",
        "SELECT topic FROM queue_messages WHERE (? = topic OR created_at = ?) AND id = 'own'",
        "SELECT COALESCE(?, ?)",
        "SELECT GREATEST(?, ?), IF(? = 'abc', 1, 2)",
        "DELETE FROM queue_messages WHERE topic = ? AND `offset` < 0",
    ],
)
def test_what_others_have_bound(make_gateway, direct, tenant, topic, text):
    """A statement is shared with clients that bind other types, and means what it means alone."""
    gateway = make_gateway({"pool": {"max_per_shard": 1}})
    one, two, alone = gateway.raw(tenant), gateway.raw(tenant), direct()
    for connection in (one, alone):
        connection.query("DELETE FROM queue_messages WHERE id = 'own'")
        connection.execute(connection.prepare(PUBLISH), *message(topic, "own"))
    kinds = [5, None, "abc", 1.5, b"abc", 1 << 63, "7"]
    marks = text.count("?")
    for n, former in enumerate(kinds):
        for later in kinds:
            bound = [(former, *kinds[n:], *kinds)[:marks], (later, *kinds[n + 1 :], *kinds)[:marks]]
            answered_once(one, text, bound[0])
            assert answered_once(two, text, bound[1]) == answered_once(alone, text, bound[1]), bound
    one.close()
    two.close()


@pytest.mark.parametrize(
    "setting, text",
    [
        ("div_precision_increment = 8", "SELECT 1 / 3"),
        ("group_concat_max_len = 5", "SELECT GROUP_CONCAT(topic, topic)"),
        ("default_week_format = 3", "SELECT WEEK('2000-01-01')"),
        ("lc_time_names = 'de_DE'", "SELECT DAYNAME('2008-02-20')"),
        ("time_zone = '+05:00'", "SELECT FROM_UNIXTIME(0)"),
        ("timestamp = 1000", "SELECT UNIX_TIMESTAMP() > 1000"),
        ("sql_mode = 'PIPES_AS_CONCAT'", "SELECT 1 || 2"),
        ("sql_select_limit = 0", "SELECT topic"),
        ("max_sort_length = 4", "SELECT topic"),
        ("optimizer_switch = 'semijoin=off'", "SELECT topic"),
        ("NAMES utf8mb4 COLLATE utf8mb4_bin", "SELECT 'a' = 'A'"),
        ("foreign_key_checks = 0", "SELECT @@foreign_key_checks"),
    ],
)
def test_what_others_have_set(make_gateway, direct, tenant, topic, setting, text):
    """What a statement was prepared under, on a backend that is shared, is not seen by others."""
    gateway = make_gateway({"pool": {"max_per_shard": 1}})
    clients = [(gateway.raw(tenant), direct()) for _ in range(2)]
    for connection in clients[0]:
        connection.query("DELETE FROM queue_messages WHERE id = 'own'")
        connection.execute(connection.prepare(PUBLISH), *message(topic, "own"))
        connection.query(f"SET {setting}")
    text += " FROM queue_messages WHERE id = 'own'"
    for through, alone in [*clients, *clients, *reversed(clients)]:
        assert answered_once(through, text, ()) == answered_once(alone, text, ())
    for through, _ in clients:
        through.close()


def test_unsigned(connection, cluster, tenant, topic):
    big = (1 << 64) - 1
    connection.execute(
        connection.prepare("INSERT INTO queue_offsets VALUES ('g', ?, 'p', ?, 1)"), topic, big
    )
    rows = connection.execute(
        connection.prepare(
            "SELECT offset_acked FROM queue_offsets WHERE topic = ? AND offset_acked = ?"
        ),
        topic,
        big,
    ).rows
    assert rows == [(big,)]


def test_client_sees_its_own_parameters_only(connection, topic):
    for text, params in (
        (POLL, 4),
        (PUBLISH, 7),
        (COUNT, 1),
        ("SELECT id FROM queue_messages WHERE topic = 'x'", 0),
    ):
        assert connection.prepare(text).params == params
    statement = connection.prepare(POLL)
    assert [c.name for c in statement.columns] == [
        "offset",
        "id",
        "payload",
        "metadata",
        "partition_key",
        "published_at",
    ]
    assert connection.prepare(PUBLISH).columns == []


@pytest.mark.parametrize(
    "pieces", [[b"one"], [b"a" * 30000, b"b" * 30000], [b""], [b"", b"x", b""]]
)
def test_long_data(connection, topic, pieces):
    statement = connection.prepare(PUBLISH)
    for piece in pieces:
        connection.send_long_data(statement, 2, piece)
    values = list(message(topic, "m"))
    values[2] = LongData(TYPE_BLOB)
    connection.execute(statement, *values)
    poll = connection.prepare(POLL)
    assert connection.execute(poll, topic, "p", 0, 9).rows[0][2] == b"".join(pieces)
    values[1:3] = ["n", b"short"]  # an execution uses long data up
    connection.execute(statement, *values)
    assert connection.execute(poll, topic, "p", 0, 9).rows[1][2] == b"short"


def test_long_data_is_reset(connection, topic):
    statement = connection.prepare(PUBLISH)
    connection.send_long_data(statement, 2, b"forgotten")
    connection.reset_statement(statement)
    connection.execute(statement, *message(topic, "m", payload=b"x"))
    assert connection.execute(connection.prepare(POLL), topic, "p", 0, 9).rows[0][2] == b"x"


def test_long_data_for_what_is_not_there(connection, topic):
    """There is no answer to it, so the error shows later or never; nothing breaks."""
    statement = connection.prepare(COUNT)
    connection.send_long_data(statement, 7, b"x")
    connection.ping()
    with refused():
        connection.execute(statement, topic)
    connection.reset_statement(statement)
    assert connection.execute(statement, topic).rows == [(0,)]


def test_tenant_by_long_data(connect, cluster, tenant, topic):
    """The metadata that name the tenant may arrive in pieces."""
    connection = connect(raw=True)
    statement = connection.prepare(PUBLISH)
    text = b'{"queue_name": "%s"}' % tenant.encode()
    for at in range(0, len(text), 5):
        connection.send_long_data(statement, 3, text[at : at + 5])
    values = list(message(topic, "m"))
    values[3] = LongData()
    connection.execute(statement, *values)
    assert cluster.where_is(topic) == {(0, tenant)}


def test_execute_needs_the_tenant_not_prepare(connect, cluster, tenant, other_tenant, topic):
    """One prepared text serves every tenant, and never the one before."""
    connection = connect(raw=True)
    publish, counting = connection.prepare(PUBLISH), connection.prepare(COUNT)
    with refused(3001):
        connection.execute(publish, *message(topic, "nobody's"))
    for n, name in enumerate((tenant, other_tenant, tenant)):
        connection.query(f"SET @mq_tenant = '{name}'")
        connection.execute(publish, *message(topic, f"m{n}"))
        assert connection.execute(counting, topic).rows == [((1, 1, 2)[n],)]
    assert cluster.where_is(topic) == {(0, tenant), (1, other_tenant)}


def test_close(connection, topic):
    statement = connection.prepare(COUNT)
    assert connection.execute(statement, topic).rows == [(0,)]
    connection.close_statement(statement)
    with refused(errno=1243):
        connection.execute(statement, topic)
    connection.close_statement(statement)
    connection.ping()


LAST_PREPARED = 0xFFFFFFFF


def prepare_and_execute(connection, text, *values):
    """Both are sent before any answer is read."""
    connection.command(COM_STMT_PREPARE, text.encode())
    connection.send_execute(Statement(LAST_PREPARED, len(values), []), *values)


def test_execute_right_behind_prepare(connect, tenant, topic):
    """MariaDB's drivers do not wait for the statement's number."""
    publish(connect(tenant), topic, "m")
    with connect(tenant, raw=True) as c:
        for text in (COUNT, f"{COUNT} AND id = 'no such'", COUNT):
            prepare_and_execute(c, text, topic)
            c.read_prepared()
            c.sequence = 1
            rows = 0 if "id" in text else 1
            assert c.read_result(binary=True).rows == [(rows,)]


@pytest.mark.parametrize("text", ["SELEKT", "SELECT no_such_column FROM queue_messages"])
def test_execute_right_behind_a_failed_prepare(connection, topic, text):
    """What was prepared before that is not executed in its place."""
    connection.prepare(COUNT)
    prepare_and_execute(connection, text, topic)
    with pytest.raises(ServerError):
        connection.read_prepared()
    connection.sequence = 1
    with refused("4004", errno=1243):
        connection.read_result(binary=True)


def test_statements_of_another_connection(connect, tenant, topic):
    one, two = connect(tenant, raw=True), connect(tenant, raw=True)
    statement = one.prepare(COUNT)
    with refused(errno=1243):
        two.execute(statement, topic)


def test_thousand_statements(make_gateway, cluster, tenant, topic):
    """All stay usable, while each backend keeps a bounded number."""
    gateway = make_gateway({"pool": {"max_per_shard": 1, "max_statements": 50}})

    def held():
        return int(cluster.query(0, "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'")[0][1])

    before = held()
    connection = gateway.raw(tenant)
    connection.execute(connection.prepare(PUBLISH), *message(topic, "m"))
    statements = [
        connection.prepare(f"SELECT {n}, COUNT(*) FROM queue_messages WHERE topic = ?")
        for n in range(1000)
    ]
    for n in [*range(0, 1000, 3), 0, 500, 999, *range(0, 1000, 111)]:
        assert connection.execute(statements[n], topic).rows == [(n, 1)]
    assert held() - before <= 50 + 1
    for statement in statements:
        connection.close_statement(statement)
    connection.ping()
    connection.close()
    wait_until(lambda: gateway.raw(tenant).close() is None, "mqgate goes on")


def test_too_many_statements(make_gateway, tenant):
    gateway = make_gateway({"limits": {"max_prepared_statements": 5}})
    connection = gateway.raw(tenant)
    statements = [connection.prepare(COUNT) for _ in range(5)]
    with refused(errno=1461):
        connection.prepare(COUNT)
    connection.close_statement(statements[0])
    connection.prepare(COUNT)
    connection.close()


@pytest.mark.threads
def test_prepare_execute_close_each_time(connect, cluster, topic):
    """go-sql-driver's way, for tenants in turn."""
    connections = [connect(name, raw=True) for name in cluster.tenants]
    for n in range(10):
        for connection in connections:
            statement = connection.prepare(PUBLISH)
            connection.execute(statement, *message(topic, f"m{n}"))
            connection.close_statement(statement)
    for connection in connections:
        assert connection.execute(connection.prepare(COUNT), topic).rows == [(10,)]


def test_after_the_backend_is_gone(make_gateway, cluster, tenant, topic):
    """The client's statements are prepared again on a new connection."""
    gateway = make_gateway()
    connection = gateway.raw(tenant)
    statement = connection.prepare(COUNT)
    assert connection.execute(statement, topic).rows == [(0,)]
    for number, user in cluster.query(0, "SELECT id, user FROM information_schema.processlist"):
        if user == "mqgate":
            try:
                cluster.query(0, f"KILL {number}")
            except Exception as error:
                assert error.args[0] == 1094  # it went meanwhile
    assert connection.execute(statement, topic).rows == [(0,)]
    connection.close()


def test_statements_that_mqgate_answers_itself(connection, topic):
    for text in (
        "BEGIN",
        "SELECT 1",
        "SELECT DATABASE()",
        "SAVEPOINT a",
        "COMMIT",
        "SHOW TABLES",
        "SET time_zone = '+01:00'",
        "SELECT @@version_comment LIMIT 1",
        "SHOW WARNINGS",
        "SELECT CONNECTION_ID()",
    ):
        try:
            statement = connection.prepare(text)
        except ServerError as error:
            # "Not supported in the prepared statement protocol": drivers send it as text then.
            assert error.errno == 1295, text
            continue
        for _ in range(2):
            connection.execute(statement)
    assert connection.execute(connection.prepare(COUNT), topic).rows == [(0,)]


@pytest.mark.parametrize(
    "text, code",
    [
        ("SELECT * FROM elsewhere WHERE a = ?", 2004),
        ("SELECT ?; SELECT ?", 2007),
        ("SELEC ?", 2001),
    ],
)
def test_refused_at_prepare(connection, text, code):
    with refused(code):
        connection.prepare(text)
    connection.ping()


def test_ddl_between_prepare_and_execute(connect, connection, cluster, tenant, topic):
    """The server prepares again by itself; mqgate follows."""
    statement = connection.prepare("SELECT * FROM queue_offsets WHERE topic = ?")
    connection.execute(statement, topic)
    for shard in range(2):
        cluster.query(shard, "ALTER TABLE queue_offsets COMMENT = 'changed'")
    assert connection.execute(statement, topic).rows == []
    assert count(connect(tenant), topic) == 0
    assert execute(
        connect(tenant), "SELECT COUNT(*) FROM queue_offsets WHERE topic = ?", topic
    ) == [(0,)]


def test_a_type_changed_on_the_shard(connection, cluster, topic):
    """DDL that mqgate has not seen: the first answer with other columns tells."""
    text = f"SELECT updated_at FROM queue_offsets WHERE topic = ? -- {topic}"

    def alter(kind):
        for shard in range(2):
            cluster.query(shard, f"ALTER TABLE queue_offsets MODIFY updated_at {kind} NOT NULL")

    statement = connection.prepare(text)
    before = statement.columns[0].type
    connection.execute(statement, topic)
    alter("DOUBLE")
    try:
        assert connection.execute(statement, topic).columns[0].type != before
        assert connection.prepare(text).columns[0].type != before
    finally:
        alter("BIGINT")
    connection.execute(statement, topic)
    assert connection.prepare(text).columns[0].type == before


def test_a_server_without_room(make_gateway, cluster, tenant, topic):
    """max_prepared_stmt_count is the server's: what is prepared there makes room."""
    gateway = make_gateway({"pool": {"max_per_shard": 1}})
    connection = gateway.raw(tenant)
    connection.query(COUNT.replace("?", f"'{topic}'"))
    held = int(cluster.query(0, "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'")[0][1])
    limit = cluster.query(0, "SELECT @@max_prepared_stmt_count")[0][0]
    cluster.query(0, f"SET GLOBAL max_prepared_stmt_count = {held + 3}")
    try:
        statements = [
            connection.prepare(f"SELECT {n}, COUNT(*) FROM queue_messages WHERE topic = ?")
            for n in range(8)
        ]
        for _ in range(2):
            for n, statement in enumerate(statements):
                assert connection.execute(statement, topic).rows == [(n, 0)]
    finally:
        cluster.query(0, f"SET GLOBAL max_prepared_stmt_count = {limit}")
    connection.close()


def test_ddl_is_prepared(connection):
    """mqgate answers it by itself, after every shard."""
    for text in legacy_ddl():
        statement = connection.prepare(text)
        assert (statement.params, statement.columns) == (0, [])
        for _ in range(2):
            connection.execute(statement)
