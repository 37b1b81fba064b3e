"""Cursors: EXECUTE leaves the rows at the shard, FETCH gets them in pieces."""

import pytest

from legacy import PUBLISH, message
from rawmysql import CURSOR_EXISTS, DEFAULT_CAPABILITIES, DEPRECATE_EOF, LAST_ROW_SENT
from refusals import refused
from waiting import wait_until

IDS = "SELECT id FROM queue_messages WHERE topic = ? ORDER BY id"
ROWS = [(b"m%d" % n,) for n in range(7)]


@pytest.fixture(params=[0, DEPRECATE_EOF], ids=["EOF", "DEPRECATE_EOF"])
def capabilities(request):
    return DEFAULT_CAPABILITIES | request.param


@pytest.fixture
def filled(connect, tenant, topic, capabilities):
    connection = connect(tenant, raw=True, capabilities=capabilities)
    publish = connection.prepare(PUBLISH)
    for (name,) in ROWS:
        connection.execute(publish, *message(topic, name.decode()))
    return connection


def fetch_all(connection, statement, step):
    rows = []
    while True:
        result = connection.fetch(statement, step)
        rows += result.rows
        if result.status & LAST_ROW_SENT:
            return rows
        assert len(result.rows) == step and result.status & CURSOR_EXISTS


@pytest.mark.parametrize("step", [1, 2, 7, 8, 0xFFFFFFFF])
def test_rows_in_pieces(filled, topic, step):
    statement = filled.prepare(IDS)
    for _ in range(2):
        opened = filled.open_cursor(statement, topic)
        assert opened.rows == [] and opened.status & CURSOR_EXISTS
        assert fetch_all(filled, statement, step) == ROWS
        with refused(2027, errno=1421):
            filled.fetch(statement, 1)
    assert filled.execute(statement, topic).rows == ROWS  # and without a cursor


def test_between_fetches(filled, topic):
    """Other statements, and other cursors on the same text, do not disturb it."""
    one, two = filled.prepare(IDS), filled.prepare(IDS)
    filled.open_cursor(one, topic)
    assert filled.fetch(one, 2).rows == ROWS[:2]
    filled.open_cursor(two, topic)
    assert filled.execute(filled.prepare(IDS), topic).rows == ROWS
    filled.query(f"DELETE FROM queue_messages WHERE topic = '{topic}'")
    assert filled.fetch(two, 1).rows == ROWS[:1]
    assert fetch_all(filled, one, 3) == ROWS[2:]
    assert fetch_all(filled, two, 100) == ROWS[1:]


def test_within_a_transaction(filled, topic):
    statement = filled.prepare(IDS)
    filled.query("BEGIN")
    filled.open_cursor(statement, topic)
    assert filled.fetch(statement, 1).rows == ROWS[:1]
    filled.query("COMMIT")
    assert fetch_all(filled, statement, 4) == ROWS[1:]


def test_statements_without_rows(filled, topic):
    """Nothing to fetch: the server answers with OK and opens no cursor."""
    publish = filled.prepare(PUBLISH)
    assert filled.open_cursor(publish, *message(topic, "more")).affected == 1
    with refused(errno=1421):
        filled.fetch(publish, 1)
    begin = filled.prepare("BEGIN")
    assert not filled.open_cursor(begin).status & CURSOR_EXISTS
    filled.query("ROLLBACK")


def test_no_rows(filled, topic):
    statement = filled.prepare(IDS)
    filled.open_cursor(statement, topic + "-none")
    assert fetch_all(filled, statement, 5) == []


@pytest.mark.parametrize("way", ["reset", "close", "execute", "reset connection", "quit"])
def test_the_backend_comes_back(make_gateway, cluster, tenant, topic, way):
    """With one connection per shard the next session is served only if it is free again."""
    gateway = make_gateway({"pool": {"max_per_shard": 1}})
    connection = gateway.raw(tenant)
    connection.execute(connection.prepare(PUBLISH), *message(topic, "m0"))
    connection.execute(connection.prepare(PUBLISH), *message(topic, "m1"))
    statement = connection.prepare(IDS)
    connection.open_cursor(statement, topic)
    assert connection.fetch(statement, 1).rows == ROWS[:1]
    if way == "reset":
        connection.reset_statement(statement)
    elif way == "close":
        connection.close_statement(statement)
    elif way == "execute":
        connection.execute(statement, topic)
    elif way == "reset connection":
        connection.reset_connection()
    else:
        connection.close()
    other = gateway.raw(tenant)
    assert other.execute(other.prepare(IDS), topic).rows == ROWS[:2]
    other.close()
    connection.close()


def test_the_backend_is_killed(make_gateway, cluster, tenant, topic):
    gateway = make_gateway()
    connection = gateway.raw(tenant)
    statement = connection.prepare(IDS)
    connection.open_cursor(statement, topic)
    for number, user in cluster.query(0, "SELECT id, user FROM information_schema.processlist"):
        if user == "mqgate":
            cluster.query(0, f"KILL {number}")
    wait_until(
        lambda: "mqgate" not in str(cluster.query(0, "SELECT user FROM information_schema.processlist")),
        "it is gone",
    )
    with refused(5002):
        connection.fetch(statement, 1)
    connection.open_cursor(statement, topic)
    assert fetch_all(connection, statement, 5) == []
    connection.close()
