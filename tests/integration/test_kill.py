"""KILL and COM_PROCESS_KILL, and statements whose client is gone."""

import struct
import threading

import pytest

from legacy import publish
from rawmysql import ServerError
from refusals import refused
from waiting import wait_until

COM_PROCESS_KILL = 0x0C
# For every message a while; it stops as soon as it is killed.
SLOW = (
    "SELECT COUNT(*) FROM queue_messages a JOIN queue_messages b JOIN queue_messages c "
    "JOIN queue_messages d JOIN queue_messages e JOIN queue_messages f JOIN queue_messages g "
    "WHERE a.topic = '{0}' AND b.topic = '{0}' AND c.topic = '{0}' AND d.topic = '{0}' "
    "AND e.topic = '{0}' AND f.topic = '{0}' AND g.topic = '{0}' "
    "AND SHA2(CONCAT(a.id, b.id, c.id, d.id, e.id, f.id, g.id), 256) = 'x'"
)


def running(cluster, marker):
    """The shards that run a statement with this in its text."""
    return [
        shard
        for shard, text in cluster.query_all("SELECT INFO FROM information_schema.PROCESSLIST")
        if text and marker in text and "PROCESSLIST" not in text
    ]


class Statement:
    """One under way on a connection."""

    def __init__(self, connection, text):
        self.failure = self.result = None
        self.connection, self.text = connection, text
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        try:
            self.result = self.connection.query(self.text)
        except (ServerError, ConnectionError) as failure:
            self.failure = failure

    def is_over(self):
        return not self.thread.is_alive()

    def ended(self):
        self.thread.join(30)
        assert not self.thread.is_alive(), "the statement goes on"
        return self.failure


@pytest.fixture
def slow(connect, cluster, tenant, topic):
    """slow(connection) starts a statement that takes minutes, and waits until a shard runs it."""
    connection = connect(tenant)
    for n in range(200):
        publish(connection, topic, f"m{n}")

    def begin(connection):
        statement = Statement(connection, SLOW.format(topic))
        wait_until(lambda: statement.is_over() or running(cluster, topic), "a shard runs it")
        assert not statement.is_over(), statement.failure or statement.result
        return statement

    return begin


def test_kill_query(connect, cluster, slow, tenant, topic):
    connection, killer = connect(tenant, raw=True), connect(raw=True)
    statement = slow(connection)
    killer.query(f"KILL QUERY {connection.connection_id}")
    failure = statement.ended()
    assert isinstance(failure, ServerError) and failure.errno == 1317
    assert failure.sqlstate == "70100"
    assert not running(cluster, topic)
    assert connection.query("SELECT @mq_tenant").rows == [(tenant.encode(),)], "it goes on"
    connection.query(f"SELECT id FROM queue_messages WHERE topic = '{topic}' LIMIT 1")


def test_kill_query_inside_a_transaction(connect, cluster, slow, tenant, topic):
    connection, killer = connect(tenant, raw=True), connect(raw=True)
    connection.query("BEGIN")
    connection.query(
        "INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at)"
        f" VALUES ('g', '{topic}', 'p', 1, 1)"
    )
    statement = slow(connection)
    killer.query(f"KILL QUERY {connection.connection_id}")
    assert statement.ended().errno == 1317
    connection.query("COMMIT")
    rows = connection.query(f"SELECT offset_acked FROM queue_offsets WHERE topic = '{topic}'").rows
    assert rows == [(b"1",)]


@pytest.mark.parametrize("how", ["text", "command"])
def test_kill(connect, cluster, slow, tenant, topic, how):
    connection, killer = connect(tenant, raw=True), connect(raw=True)
    statement = slow(connection)
    if how == "text":
        killer.query(f"KILL {connection.connection_id}")
    else:
        killer.command(COM_PROCESS_KILL, struct.pack("<I", connection.connection_id))
        assert killer.receive_answer()[0] == 0
    assert isinstance(statement.ended(), ConnectionError)
    wait_until(lambda: not running(cluster, topic), "the shard has stopped")


def test_kill_idle(connect, tenant):
    """On either worker."""
    killer = connect(raw=True)
    victims = [connect(tenant, raw=True) for _ in range(4)]
    for victim in victims:
        killer.query(f"KILL {victim.connection_id}")
        with pytest.raises(ConnectionError):
            victim.sequence = 0
            victim.receive()
        with refused(errno=1094):
            killer.query(f"KILL {victim.connection_id}")


def test_who_may(connect, gateway):
    app, other = connect(raw=True), connect(raw=True, user="hashed", password="native")
    root = connect(raw=True, user="root", password="root")
    for victim, killer in ((root, app), (app, other), (other, app)):
        for form in ("KILL", "KILL QUERY"):
            with refused(errno=1095):
                killer.query(f"{form} {victim.connection_id}")
        victim.ping()
    root.query(f"KILL {app.connection_id}")
    wait_until(lambda: is_gone(app), "it is killed")


def is_gone(connection):
    try:
        connection.ping()
    except ConnectionError:
        return True
    return False


def test_oneself(connect, tenant):
    connection = connect(tenant, raw=True)
    with refused(errno=1317):
        connection.query(f"KILL QUERY {connection.connection_id}")
    with refused(errno=1317):
        connection.query("KILL CONNECTION_ID()")
    with pytest.raises(ConnectionError):
        connection.ping()


def test_client_that_leaves(connect, cluster, slow, tenant, topic):
    """Its statement does not go on, and neither do the locks of its transaction."""
    connection = connect(tenant, raw=True)
    connection.query("BEGIN")
    connection.query(
        "INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at)"
        f" VALUES ('g', '{topic}', 'p', 1, 1)"
    )
    statement = slow(connection)
    connection.socket.shutdown(2)
    statement.ended()
    wait_until(lambda: not running(cluster, topic), "the shard has stopped")
    rows = connect(tenant, raw=True).query(
        f"SELECT 1 FROM queue_offsets WHERE topic = '{topic}' FOR UPDATE"
    ).rows
    assert rows == []
