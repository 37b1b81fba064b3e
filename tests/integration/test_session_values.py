"""What only the session knows - DATABASE(), LAST_INSERT_ID() and their kind - wherever it stands
in a statement, as text and prepared."""

import pytest

from legacy import PUBLISH, message
from rawmysql import UNSIGNED_FLAG, RawConnection, ServerError
from refusals import refused

# Together, as the mysql client, Connector/J and SQLAlchemy ask for them.
STATEMENTS = [
    "SELECT DATABASE(), SCHEMA() AS s, 1, 'x'",
    "SELECT CONNECTION_ID() > 0, LAST_INSERT_ID() AS id, ROW_COUNT(), 2",
    "SELECT DATABASE() AS d, @@session.auto_increment_increment, @@identity",
    "SELECT last_insert_id(), @@last_insert_id , COUNT(*) FROM (SELECT 1) AS t",
    "SELECT d.* FROM (SELECT DATABASE(), LAST_INSERT_ID() AS b) AS d",
    "SELECT DATABASE()",
    "SELECT LAST_INSERT_ID()",
    "SELECT ROW_COUNT()",
]


@pytest.fixture
def connection(connect, tenant):
    return connect(tenant, raw=True)


@pytest.fixture
def reference(cluster):
    """A server that is asked directly."""
    facts = cluster.shards[0]
    connection = RawConnection((facts["host"], facts["port"]))
    connection.login("root", "root", database=facts["database"])
    yield connection
    connection.close()


def ask(connection, statement, prepared, *arguments):
    if not prepared:
        return connection.query(statement)
    made = connection.prepare(statement)
    result = connection.execute(made, *arguments)
    connection.close_statement(made)
    return result


def kind(column):
    """How wide a literal's column is depends on the literal."""
    return {3: "integer", 8: "integer", 252: "text", 253: "text"}.get(column.type, column.type)


@pytest.mark.parametrize("prepared", [False, True], ids=["text", "prepared"])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_as_a_server_answers(connection, reference, statement, prepared):
    connection.query("DO 0")
    reference.query("DO 0")
    ours = ask(connection, statement, prepared)
    theirs = ask(reference, statement, prepared)
    assert ours.rows == theirs.rows
    assert [c.name for c in ours.columns] == [c.name for c in theirs.columns]
    unsigned = [[c.flags & UNSIGNED_FLAG for c in a.columns] for a in (ours, theirs)]
    assert unsigned[0] == unsigned[1]
    assert [kind(c) for c in ours.columns] == [kind(c) for c in theirs.columns]


def test_values_are_the_session_s(connection, cluster, topic):
    made = connection.prepare(PUBLISH)
    identity = connection.execute(made, *message(topic, "m")).insert_id
    assert identity > 0
    values = "SELECT LAST_INSERT_ID(), CONNECTION_ID(), DATABASE(), CURRENT_USER(), USER()"
    alone = connection.query("SELECT CONNECTION_ID()").rows[0][0]
    expected = (str(identity).encode(), alone, cluster.database.encode(), b"app@%", b"app@%")
    assert connection.query(values).rows == [expected]
    numbers = tuple(int(v) for v in expected[:2])
    assert ask(connection, values, True).rows == [numbers + expected[2:]]


@pytest.mark.parametrize("prepared", [False, True], ids=["text", "prepared"])
def test_in_a_condition(connection, topic, prepared):
    made = connection.prepare(PUBLISH)
    for name in ("first", "second"):
        connection.execute(made, *message(topic, name))
    statement = "SELECT id FROM queue_messages WHERE topic = '%s' AND offset = LAST_INSERT_ID()"
    assert ask(connection, statement % topic, prepared).rows == [(b"second",)]


def test_row_count_is_of_the_statement_before(connection, topic):
    connection.execute(connection.prepare(PUBLISH), *message(topic, "m"))
    connection.query(f"DELETE FROM queue_messages WHERE topic = '{topic}'")
    assert connection.query("SELECT ROW_COUNT(), 1").rows == [(b"1", b"1")]
    assert connection.query("SELECT ROW_COUNT(), 1").rows == [(b"-1", b"1")]


def test_prepared_statements_do_not_share_values(connect, tenant, topic):
    """One text, one plan and one prepared statement on the shard; each session has its own."""
    statement = "SELECT CONNECTION_ID(), @mq_tenant"
    connections = [connect(tenant, raw=True) for _ in range(3)]
    made = [c.prepare(statement) for c in connections]
    for _ in range(2):
        ids = [c.execute(m).rows[0] for c, m in zip(connections, made)]
        assert ids == [
            (int(c.query("SELECT CONNECTION_ID()").rows[0][0]), tenant.encode())
            for c in connections
        ]
        assert len(set(ids)) == 3


def test_no_database(connect):
    connection = connect(raw=True, database=None)
    assert connection.query("SELECT DATABASE(), 1").rows == [(None, b"1")]
    assert ask(connection, "SELECT DATABASE(), 1", True).rows == [(None, 1)]


@pytest.mark.parametrize("statement", ["SELECT LAST_INSERT_ID(5)", "SELECT FOUND_ROWS(1)"])
def test_what_a_shard_s_session_would_keep(connection, statement):
    with refused("2003"):
        connection.query(statement)
    with pytest.raises(ServerError):
        connection.prepare(statement)
