"""Limits: what takes too long is ended, with an error that says so, and costs nobody else."""

import socket

import pymysql
import pytest

from legacy import count, execute, publish
from rawmysql import COM_QUERY, ServerError
from refusals import refused
from waiting import wait_until

pytestmark = pytest.mark.faults


@pytest.fixture
def limited(make_gateway):
    return make_gateway(
        {
            "limits": {
                "statement_timeout": "1s",
                "transaction_idle_timeout": "1s",
                "idle_timeout": "6s",
                "interactive_timeout": "2s",
                "read_timeout": "1s",
            }
        }
    )


def statements(cluster, shard, words):
    """How many connections of the shard run a statement with these words?"""
    rows = cluster.query(shard, "SELECT info FROM information_schema.processlist")
    return sum(words in (info or "") and "processlist" not in info for (info,) in rows)


def test_a_long_statement_is_ended(limited, cluster, tenant, topic):
    connection = limited.connect(tenant)
    publish(connection, topic, "m")
    sleeps = f"SELECT SLEEP(40) FROM queue_messages WHERE topic = '{topic}'"
    with refused(6005, 3024):
        execute(connection, sleeps)
    assert statements(cluster, 0, "SLEEP(40)") == 0
    assert count(connection, topic) == 1

    execute(connection, "BEGIN")
    publish(connection, topic, "second")
    with refused(6005, 3024):
        execute(connection, sleeps)
    execute(connection, "COMMIT")
    assert count(connection, topic) == 2
    connection.close()


def test_an_idle_transaction_holds_no_locks(limited, tenant, topic):
    holder, other = limited.connect(tenant), limited.connect(tenant)
    publish(holder, topic, "m")
    execute(holder, "BEGIN")
    change = "UPDATE queue_messages SET failure_count = failure_count + 1 WHERE topic = ?"
    execute(holder, change, topic)

    def changes():
        try:
            execute(other, change, topic)
        except pymysql.err.OperationalError as e:  # its own statement waits for the lock too long
            assert e.args[0] == 3024, e
            return False
        return True

    wait_until(changes, "the row is free")
    with refused(6006, 1213):
        execute(holder, "COMMIT")
    rows = execute(other, "SELECT failure_count FROM queue_messages WHERE topic = ?", topic)
    assert rows == [(1,)]
    execute(holder, "COMMIT")
    holder.close()
    other.close()


def test_idle_clients(limited, tenant):
    program = limited.raw(tenant)
    person = limited.raw(tenant, capabilities=program.capabilities | 1 << 10)
    for connection in (person, program):
        connection.sequence = 0
        with pytest.raises(ServerError) as caught:
            connection.receive_answer()
        assert caught.value.message.startswith("MQ6004"), caught.value.message
        with pytest.raises(ConnectionError):
            connection.receive()
        if connection is person:
            program.ping()
    program.close()
    person.close()


def test_a_client_that_stops_amid_a_command(limited, tenant):
    connection = limited.raw(tenant)
    connection.socket.sendall(b"\x20\0\0\0\x03SELECT")
    connection.sequence = 1
    with pytest.raises(ServerError) as caught:
        connection.receive_answer()
    assert caught.value.message.startswith("MQ6007"), caught.value.message
    with pytest.raises(ConnectionError):
        connection.receive()
    connection.close()


def test_a_client_that_does_not_read(make_gateway, cluster, tenant, topic):
    """The shard's connection is free again; mqgate keeps no gigabyte for it."""
    gateway = make_gateway({"limits": {"write_timeout": "2s"}})
    connection, other = gateway.raw(tenant), gateway.connect(tenant)
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    execute(other, "BEGIN")
    for n in range(40):
        publish(other, topic, f"m{n}")
    execute(other, "COMMIT")
    before = gateway.resident()
    connection.command(
        COM_QUERY,
        (
            "SELECT REPEAT('x', 1000000), a.id FROM queue_messages a JOIN queue_messages b "
            f"ON a.topic = b.topic WHERE a.topic = '{topic}'"
        ).encode(),
    )
    wait_until(lambda: statements(cluster, 0, "REPEAT('x'"), "the statement runs")
    wait_until(lambda: not statements(cluster, 0, "REPEAT('x'"), "the shard is free")
    assert gateway.resident() - before < 50 << 20
    assert count(other, topic) == 40
    connection.close()
    other.close()


def test_a_silent_shard(make_gateway, cluster, tenant, other_tenant, topic):
    """Frozen with statements under way: they end, the next fail at once, and it is found again."""
    gateway = make_gateway({"pool": {"silence_timeout": "1s", "connect_timeout": "500ms"}})
    here = gateway.connect(tenant)
    waiting = [gateway.raw(other_tenant) for _ in range(3)]
    for connection in waiting:
        connection.execute(
            connection.prepare("SELECT id FROM queue_messages WHERE topic = ?"), topic
        )
    waiting[2].query("BEGIN")
    waiting[2].query(f"SELECT id FROM queue_messages WHERE topic = '{topic}'")
    try:
        cluster.freeze(1)
        for connection in waiting:
            connection.command(COM_QUERY, b"SELECT id FROM queue_messages WHERE topic = 't'")
        for connection in waiting:
            with pytest.raises(ServerError) as caught:
                connection.read_result()
            assert caught.value.message.startswith(("MQ5002", "MQ5001")), caught.value.message
        assert count(here, topic) == 0
    finally:
        cluster.thaw(1)

    def works():
        try:
            waiting[0].query("SELECT id FROM queue_messages WHERE topic = 't'")
        except ServerError as e:
            assert e.message.startswith("MQ5001"), e.message
            return False
        return True

    wait_until(works, "the shard is used again")
    for connection in (*waiting, here):
        connection.close()
