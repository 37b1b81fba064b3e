"""A shard that dies or hangs fails its own tenants quickly and no one else."""

import threading
import time

import pymysql
import pytest

from legacy import COUNT, PUBLISH, count, execute, message, publish
from rawmysql import COM_QUERY, ServerError
from refusals import refused
from waiting import wait_until

pytestmark = pytest.mark.faults

QUICKLY = 5  # seconds; a client must not wait for a time-out of minutes


@pytest.fixture
def dead_shard(cluster):
    """Kills the second shard when called; it runs again after the test."""
    yield lambda: cluster.kill(1)
    cluster.restart()


@pytest.fixture
def frozen_shard(cluster):
    yield lambda: cluster.freeze(1)
    cluster.thaw(1)


def works(gateway, tenant, topic):
    try:
        connection = gateway.connect(tenant)
        count(connection, topic)
        connection.close()
    except pymysql.err.MySQLError:
        return False
    return True


def test_shard_down(gateway, cluster, dead_shard, tenant, other_tenant, topic):
    here, there = gateway.connect(tenant), gateway.connect(other_tenant)
    prepared = gateway.raw(other_tenant)
    statement = prepared.prepare(COUNT)
    for connection in (here, there):
        publish(connection, topic, "before")
    dead_shard()
    begin = time.monotonic()
    for _ in range(3):
        with refused(5001):
            count(there, topic)
        with refused(5001):
            prepared.execute(statement, topic)
    with refused(5001):
        publish(there, topic, "lost")
    assert time.monotonic() - begin < QUICKLY
    publish(here, topic, "meanwhile")
    assert count(here, topic) == 2

    # A login, the session's own statements and prepares need no shard of its tenant.
    new = gateway.connect(other_tenant)
    execute(new, "SELECT @@version_comment")
    execute(new, "BEGIN")
    execute(new, "ROLLBACK")
    assert gateway.raw(other_tenant).prepare(COUNT).params == 1

    cluster.restart()
    wait_until(
        lambda: works(gateway, other_tenant, topic), "the tenants of the shard are served again"
    )
    assert count(there, topic) == count(new, topic) == 1
    assert prepared.execute(statement, topic).rows == [(1,)]
    for connection in (here, there, new, prepared):
        connection.close()


def test_idle_backends_are_found_dead_before_use(gateway, cluster, dead_shard, other_tenant, topic):
    """After a restart of the shard the first statement of every session succeeds."""
    sessions = [gateway.connect(other_tenant) for _ in range(4)]
    for session in sessions:
        count(session, topic)
    dead_shard()
    cluster.restart()
    for session in sessions:
        publish(session, topic, "m")
        assert count(session, topic) == 1
        session.close()


def test_shard_dies_in_a_transaction(gateway, cluster, dead_shard, other_tenant, topic):
    connection = gateway.connect(other_tenant)
    publish(connection, topic, "kept")
    execute(connection, "BEGIN")
    publish(connection, topic, "lost")
    dead_shard()
    with refused() as seen:
        publish(connection, topic, "never")
    assert seen.message.startswith(("MQ5001:", "MQ5002:")), seen.message
    cluster.restart()
    # Either the connection ends, as with one server, or its transaction is over.
    try:
        execute(connection, "ROLLBACK")
        wait_until(lambda: works(gateway, other_tenant, topic), "the shard is back")
        publish(connection, topic, "after")
        execute(connection, "COMMIT")
        expected = ["kept", "after"]
    except pymysql.err.OperationalError:
        expected = ["kept"]
    connection.close()
    witness = gateway.connect(other_tenant)
    rows = execute(witness, "SELECT id FROM queue_messages WHERE topic = ? ORDER BY offset", topic)
    assert [row[0] for row in rows] == expected
    witness.close()


def runs(cluster, shard, words):
    """Does the shard run a statement with these words?"""
    rows = cluster.query(shard, "SELECT info FROM information_schema.processlist")
    return any(words in (info or "") and "processlist" not in info for (info,) in rows)


def test_shard_dies_during_a_statement(gateway, cluster, dead_shard, other_tenant, topic):
    """What may have run is an error, never tried again."""
    connection = gateway.raw(other_tenant)
    connection.execute(connection.prepare(PUBLISH), *message(topic, "m"))
    connection.command(
        COM_QUERY, f"SELECT SLEEP(30) FROM queue_messages WHERE topic = '{topic}'".encode()
    )
    wait_until(lambda: runs(cluster, 1, "SLEEP(30)"), "the statement runs")
    dead_shard()
    with pytest.raises(ServerError) as caught:
        connection.read_result()
    assert caught.value.message.startswith(("MQ5002:", "MQ5001:"))
    connection.close()


def test_shard_dies_amid_an_answer(gateway, dead_shard, other_tenant, topic):
    """Half an answer ends with an error or the connection, not with a short but good answer."""
    connection = gateway.raw(other_tenant)
    connection.execute(connection.prepare(PUBLISH), *message(topic, "m"))
    values = ", ".join(["('%s', 'p', 'id-%d', 'x', 1, 1, 0, 0, '', '')"] * 30) % tuple(
        value for n in range(30) for value in (topic, n)
    )
    connection.query(
        "INSERT INTO queue_messages (topic, partition_key, id, payload, created_at, "
        f"published_at, failed_at, failure_count, last_error, original_topic) VALUES {values}"
    )
    connection.command(
        COM_QUERY,
        (
            "SELECT REPEAT('x', 100000) FROM queue_messages a JOIN queue_messages b "
            f"ON a.topic = b.topic WHERE a.topic = '{topic}'"
        ).encode(),
    )
    columns = connection.read_columns(connection.receive_answer()[0])
    rows = connection.read_rows(columns, binary=False)
    next(rows)
    dead_shard()
    with pytest.raises((ServerError, ConnectionError)):
        for _ in rows:
            pass
    connection.close()


def test_frozen_shard(gateway, cluster, frozen_shard, tenant, other_tenant, topic):
    """It takes connections and says nothing; others go on, and it is used again afterwards."""
    here, there = gateway.connect(tenant), gateway.connect(other_tenant)
    count(there, topic)
    frozen_shard()
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(count(there, topic)))
    waiting.start()
    begin = time.monotonic()
    for n in range(50):
        publish(here, topic, f"m{n}")
    assert time.monotonic() - begin < QUICKLY
    assert answers == []
    cluster.thaw(1)
    waiting.join(30)
    assert answers == [0]
    here.close()
    there.close()


def test_frozen_shard_and_a_new_connection_to_it(
    make_gateway, frozen_shard, tenant, other_tenant, topic
):
    gateway = make_gateway({"pool": {"connect_timeout": "500ms", "wait_timeout": "1s"}})
    here, there, holder = (gateway.connect(t) for t in (tenant, other_tenant, other_tenant))
    count(here, topic)
    execute(holder, "BEGIN")
    count(holder, topic)  # it has the open connection now
    frozen_shard()
    begin = time.monotonic()
    with refused() as seen:
        count(there, topic)
    assert seen.message.startswith("MQ5"), seen.message
    assert time.monotonic() - begin < QUICKLY
    assert count(here, topic) == 0
    for connection in (here, there, holder):
        connection.close()


def test_busy_shard(make_gateway, tenant, topic):
    """A full pool makes statements wait, then fail with an error that says so."""
    gateway = make_gateway({"pool": {"max_per_shard": 1, "wait_timeout": "400ms"}})
    holder, waiter = gateway.connect(tenant), gateway.connect(tenant)
    execute(holder, "BEGIN")
    publish(holder, topic, "m")
    with refused(5005, 1205):
        count(waiter, topic)
    execute(holder, "COMMIT")
    assert count(waiter, topic) == 1
    holder.close()
    waiter.close()


def test_start_while_a_shard_is_down(
    make_gateway, cluster, dead_shard, tenant, other_tenant, topic
):
    dead_shard()
    gateway = make_gateway()
    here = gateway.connect(tenant)
    assert count(here, topic) == 0
    there = gateway.connect(other_tenant)
    with refused(5001):
        count(there, topic)
    cluster.restart()
    wait_until(lambda: works(gateway, other_tenant, topic), "the shard is used")
    assert count(there, topic) == 0
    here.close()
    there.close()
