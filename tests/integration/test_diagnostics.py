"""SHOW WARNINGS and SHOW ERRORS tell of the session's last statement, whichever connection to a
shard it ran on, and whoever has used the others since."""

import pytest

from legacy import message, PUBLISH
from rawmysql import ServerError
from refusals import refused

WARNS = "SELECT CAST('seven' AS UNSIGNED)"
WARNING = (b"Warning", b"1292", b"Truncated incorrect INTEGER value: 'seven'")
REFUSED = "SELECT * FROM no_such_table"


@pytest.fixture
def connection(connect, tenant):
    return connect(tenant, raw=True)


def warnings(connection, statement="SHOW WARNINGS"):
    return connection.query(statement).rows


def error_of(connection, statement):
    with pytest.raises(ServerError) as caught:
        connection.query(statement)
    return (b"Error", str(caught.value.errno).encode(), caught.value.message.encode())


def test_outside_a_transaction(connection):
    assert connection.query(WARNS).warnings == 1
    for _ in range(2):
        assert warnings(connection) == [WARNING]
        assert warnings(connection, "SHOW COUNT(*) WARNINGS") == [(b"1",)]
        assert warnings(connection, "SHOW WARNINGS LIMIT 0") == []
        assert warnings(connection, "SHOW WARNINGS LIMIT 0, 5") == [WARNING]
        assert warnings(connection, "SHOW ERRORS") == []
        assert warnings(connection, "SHOW COUNT(*) ERRORS") == [(b"0",)]


@pytest.mark.parametrize("statement", ["SELECT 1", "SELECT DATABASE()", "SET @mq_schema = 'legacy'",
                                       "BEGIN", "SHOW TABLES"])
def test_the_next_statement_forgets_them(connection, statement):
    connection.query(WARNS)
    connection.query(statement)
    assert warnings(connection) == []
    assert warnings(connection, "SHOW COUNT(*) WARNINGS") == [(b"0",)]


def test_commands_in_between(connection):
    """What is no statement leaves them."""
    made = connection.prepare("SELECT 1")
    connection.query(WARNS)
    connection.close_statement(made)
    assert warnings(connection) == [WARNING]


def test_prepared(connection):
    """MySQL's servers refuse to prepare these, MariaDB's do not."""
    listed = connection.prepare("SHOW WARNINGS")
    counted = connection.prepare("SHOW COUNT(*) WARNINGS")
    connection.query(WARNS)
    late = connection.prepare("SHOW WARNINGS LIMIT 1")  # which leaves them
    level, code, text = WARNING
    for _ in range(2):
        assert connection.execute(listed).rows == [(level, int(code), text)]
        assert connection.execute(counted).rows == [(1,)]
        assert connection.execute(late).rows == [(level, int(code), text)]
        assert connection.open_cursor(listed).rows == [(level, int(code), text)]
    level, code, text = error_of(connection, REFUSED)
    assert connection.execute(listed).rows == [(level, int(code), text)]
    assert connection.execute(counted).rows == [(1,)]
    connection.query("SELECT 1")
    assert connection.execute(listed).rows == []
    assert connection.execute(counted).rows == [(0,)]


ROUNDED = "SET sort_buffer_size = 1"


def of_rounding(rows):
    assert [(level, code) for level, code, _ in rows] == [(b"Warning", b"1292")]
    return b"sort_buffer_size value: '1'" in rows[0][2]


def test_a_set_that_rounds(make_gateway, tenant, topic):
    gateway = make_gateway({"workers": 1, "pool": {"max_per_shard": 1}})
    with gateway.raw(tenant) as one, gateway.raw(tenant) as two:
        assert one.query(ROUNDED).warnings == 1
        assert of_rounding(warnings(one))
        assert one.query("SELECT @@warning_count").rows == [(b"1",)]
        # The backend now has more than these sets, and what this set would be.
        assert two.query("SET div_precision_increment = 5").warnings == 0
        assert warnings(two) == []
        assert one.query("SET time_zone = '+01:00'").warnings == 0
        assert two.query(ROUNDED).warnings == 1
        assert of_rounding(warnings(two))
        assert two.query("SET div_precision_increment = 50, sort_buffer_size = 2").warnings == 2
        one.query("BEGIN")
        one.query(f"DELETE FROM queue_offsets WHERE topic = '{topic}'")
        assert one.query("SET sort_buffer_size = 3").warnings == 1
        assert warnings(one, "SHOW COUNT(*) WARNINGS") == [(b"1",)]
        one.query("ROLLBACK")


def test_a_set_that_is_refused(connection):
    error = error_of(connection, "SET time_zone = 'nowhere'")
    assert error[1] == b"1298"
    assert warnings(connection) == [error]
    assert warnings(connection, "SELECT @@warning_count, @@error_count") == [(b"1", b"1")]


def test_counts_beside_an_error(connection, topic):
    """Only the shard knows how many warnings stand beside its error."""
    connection.query("SET sql_mode = 'NO_ENGINE_SUBSTITUTION'")
    row = f"('g', '{topic}', 'p', 1, '7x')"
    error_of(connection, f"INSERT INTO queue_offsets VALUES {row}, {row}")
    counts = "SELECT @@warning_count, @@error_count"
    assert warnings(connection, counts) == [(b"3", b"1")]


def test_an_error_of_the_shard(connection, topic):
    error = error_of(connection, f"SELECT nothing FROM queue_offsets WHERE topic = '{topic}'")
    assert error[1] == b"1054"
    assert warnings(connection) == [error]
    assert warnings(connection, "SHOW ERRORS") == [error]
    assert warnings(connection, "SHOW COUNT(*) ERRORS") == [(b"1",)]


@pytest.mark.parametrize("begin", [False, True], ids=["outside", "inside"])
def test_an_error_of_mqgate(connection, topic, begin):
    if begin:
        connection.query("BEGIN")
        connection.query(f"DELETE FROM queue_offsets WHERE topic = '{topic}'")
    error = error_of(connection, REFUSED)
    assert error[2].startswith(b"MQ2004: ")
    for question in ("SHOW WARNINGS", "SHOW ERRORS", "SHOW WARNINGS LIMIT 1"):
        assert warnings(connection, question) == [error]
    for question in ("SHOW WARNINGS LIMIT 0", "SHOW ERRORS LIMIT 1, 1",
                     "SHOW WARNINGS LIMIT 5 OFFSET 1"):
        assert warnings(connection, question) == []
    assert warnings(connection, "SHOW COUNT(*) ERRORS") == [(b"1",)]
    if begin:
        connection.query("ROLLBACK")


def test_in_the_words_of_the_legacy_schema(connection, topic):
    made = connection.prepare(PUBLISH)
    connection.execute(made, *message(topic, "m"))
    again = (
        "INSERT IGNORE INTO queue_messages (topic, partition_key, id, payload, created_at, "
        "published_at, failed_at, failure_count, last_error, original_topic) SELECT topic, "
        f"partition_key, id, payload, 0, 0, 0, 0, '', '' FROM queue_messages WHERE topic = '{topic}'"
    )
    assert connection.query(again).warnings == 1
    ((level, code, text),) = warnings(connection)
    assert (level, code) == (b"Warning", b"1062")
    assert text.startswith(b"Duplicate entry '" + topic.encode()[:32])


def test_prepared_statements(connection, topic):
    made = connection.prepare(f"SELECT CAST(? AS UNSIGNED) FROM queue_messages WHERE topic = '{topic}'")
    connection.execute(connection.prepare(PUBLISH), *message(topic, "m"))
    assert connection.execute(made, "seven").warnings == 1
    assert warnings(connection) == [WARNING]


def test_others_do_not_take_them(make_gateway, tenant):
    """While there are other connections to the shard, each session's warnings are kept."""
    gateway = make_gateway({"workers": 1})
    sessions = [gateway.raw(tenant) for _ in range(4)]
    # All at once, so that there are as many connections.
    for number, session in enumerate(sessions):
        session.query("BEGIN")
        session.query(f"DELETE FROM queue_offsets WHERE topic = 'none{number}'")
    for session in sessions:
        session.query("COMMIT")
    for number, session in enumerate(sessions[:3]):
        session.query(f"SELECT CAST('s{number}' AS UNSIGNED) FROM queue_offsets "
                      "UNION ALL SELECT CAST('x' AS UNSIGNED)")
        for _ in range(3):
            sessions[3].query("SELECT COUNT(*) FROM queue_offsets")
    for number, session in enumerate(sessions[:3]):
        assert warnings(session)[-1][2].endswith(b"'x'")
    for session in sessions:
        session.close()


def test_one_connection_for_two(make_gateway, tenant):
    """Who comes second gets the connection; the first is told that its warnings are gone."""
    gateway = make_gateway({"workers": 1, "pool": {"max_per_shard": 1}})
    with gateway.raw(tenant) as one, gateway.raw(tenant) as two:
        warns = "SELECT CAST('seven' AS UNSIGNED) FROM queue_offsets UNION ALL " + WARNS
        one.query(warns)
        assert warnings(one)[-1] == WARNING
        two.query("SELECT COUNT(*) FROM queue_offsets")
        assert warnings(two) == []
        with refused("2019"):
            one.query("SHOW WARNINGS")
        ((level, _code, text),) = warnings(one)
        assert level == b"Error" and text.startswith(b"MQ2019: ")


def test_the_connection_is_lost(make_gateway, cluster, tenant):
    gateway = make_gateway({"workers": 1})
    with gateway.raw(tenant) as connection:
        connection.query("SELECT CAST('seven' AS UNSIGNED) FROM queue_offsets UNION ALL " + WARNS)
        administrator = cluster.connect(cluster.shard_of(tenant))
        with administrator.cursor() as cursor:
            cursor.execute("SELECT id FROM information_schema.processlist WHERE user = 'mqgate'")
            for (number,) in cursor.fetchall():
                cursor.execute(f"KILL {number}")
        administrator.close()
        with refused():
            connection.query("SHOW WARNINGS")
        assert connection.query("SELECT COUNT(*) FROM queue_offsets WHERE topic = ''").rows
