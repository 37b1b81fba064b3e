"""Packets over 16 MiB in both directions, limits, and clients that do not read."""

import pytest

from legacy import PUBLISH, count, execute, message, publish
from rawmysql import (
    COM_QUERY,
    MAX_FRAGMENT,
    TYPE_BLOB,
    LongData,
    ProtocolError,
    Reader,
    ServerError,
)
from refusals import refused

MEGABYTE = 1 << 20


@pytest.fixture
def connection(connect, tenant, topic):
    """A byte-level connection whose topic holds one message."""
    connection = connect(tenant, raw=True)
    connection.query(f"SET @mq_tenant = '{tenant}'")
    connection.execute(connection.prepare(PUBLISH), *message(topic, "m"))
    return connection


def test_text(connection, topic):
    """A 20 MB literal to the shard and back."""
    value = b"0123456789abcdef" * (20 * MEGABYTE // 16)
    rows = connection.query(
        b"SELECT '%s', id FROM queue_messages WHERE topic = '%s'" % (value, topic.encode())
    ).rows
    assert rows == [(value, b"m")]
    connection.ping()


def test_prepared(connection, topic):
    value = b"\0'\\\xff0123456789ab" * (20 * MEGABYTE // 16)
    statement = connection.prepare("SELECT LENGTH(?), ?, id FROM queue_messages WHERE topic = ?")
    row = connection.execute(statement, value, value, topic).rows[0]
    assert row == (len(value), value, b"m")


def test_long_data(connection, topic):
    statement = connection.prepare(
        "SELECT LENGTH(?), CRC32(?) = CRC32(?) FROM queue_messages WHERE topic = ?"
    )
    piece = bytes(range(256)) * 4096
    for _ in range(18):
        connection.send_long_data(statement, 0, piece)
    connection.send_long_data(statement, 1, piece * 17)  # one packet over 16 MiB
    assert connection.execute(
        statement, LongData(TYPE_BLOB), LongData(TYPE_BLOB), piece * 17, topic
    ).rows == [(18 * len(piece), 1)]


@pytest.mark.parametrize(
    "size", [MAX_FRAGMENT - 1, MAX_FRAGMENT, MAX_FRAGMENT + 1, 2 * MAX_FRAGMENT]
)
def test_packets_around_the_fragment_size(connection, topic, size):
    """A payload that is a multiple of 16 MiB - 1 is followed by an empty packet."""
    text = b"SELECT id FROM queue_messages WHERE topic = '%s'" % topic.encode()
    text += b" " * (size - 1 - len(text))
    assert connection.query(text).rows == [(b"m",)]
    prefix = 4 if size - 4 < 1 << 24 else 9
    text = f"SELECT REPEAT('x', {size - prefix}) FROM queue_messages WHERE topic = '{topic}'"
    ((value,),) = connection.query(text).rows
    assert len(value) == size - prefix and value.count(b"x") == len(value)
    connection.ping()


def test_large_message(connect, tenant, topic):
    """5 MB of metadata are stored and read again."""
    connection = connect(tenant)
    metadata = '{"note": "%s"}' % ("ü" * (5 * MEGABYTE // 2))
    publish(connection, topic, "m", metadata=metadata)
    ((value,),) = execute(connection, "SELECT metadata FROM queue_messages WHERE topic = ?", topic)
    assert value == metadata


def test_statement_over_the_limit(make_gateway, tenant, topic):
    gateway = make_gateway({"limits": {"max_statement_size": "1MiB"}})
    witness = gateway.connect(tenant)
    for size in (MEGABYTE + 1, 17 * MEGABYTE):
        connection = gateway.raw(tenant)
        # The answer may come, and the connection end, while fragments are still being sent.
        with pytest.raises((ServerError, ProtocolError, ConnectionError)) as caught:
            connection.query(b"SELECT '" + b"x" * size + b"'")
        if isinstance(caught.value, ServerError):
            assert caught.value.errno == 1153
        connection.close()
    connection = gateway.raw(tenant)
    statement = connection.prepare("SELECT LENGTH(?) FROM queue_messages WHERE topic = ?")
    for _ in range(20):
        connection.send_long_data(statement, 0, b"x" * 100000)
    with refused():
        connection.execute(statement, LongData(), topic)
    connection.close()
    assert count(witness, topic) == 0
    witness.close()


@pytest.mark.parametrize("size", [MEGABYTE + 1, 8 * MEGABYTE, 17 * MEGABYTE])
def test_statement_over_the_shards_limit(make_gateway, cluster, tenant, topic, size):
    """The shard says why and closes before it has read all of it: the client is told the reason."""
    shards = range(len(cluster.shards))
    usual = cluster.query(0, "SELECT @@max_allowed_packet")[0][0]
    try:
        for shard in shards:
            cluster.query(shard, f"SET GLOBAL max_allowed_packet = {MEGABYTE}")
        gateway = make_gateway()
        for _ in range(3):
            connection = gateway.raw(tenant)
            with refused(errno=1153):
                connection.query(b"SELECT '" + b"x" * size + b"' FROM queue_messages")
            connection.close()
        witness = gateway.connect(tenant)
        assert count(witness, topic) == 0
        witness.close()
    finally:
        for shard in shards:
            cluster.query(shard, f"SET GLOBAL max_allowed_packet = {usual}")


def fill(connection, topic, rows):
    values = ", ".join(f"('{topic}', 'p', 'id-{n}', 'x', 1, 1, 0, 0, '', '')" for n in range(rows))
    execute(
        connection,
        "INSERT INTO queue_messages (topic, partition_key, id, payload, created_at, "
        f"published_at, failed_at, failure_count, last_error, original_topic) VALUES {values}",
    )


@pytest.mark.threads
def test_client_that_stops_reading(make_gateway, tenant, topic):
    """200 MB are asked for and not read: the shard waits, mqgate's memory stays."""
    gateway = make_gateway()
    witness = gateway.connect(tenant)
    fill(witness, topic, 45)
    slow = gateway.raw(tenant)
    before = gateway.resident()
    slow.command(
        COM_QUERY,
        (
            "SELECT a.id, REPEAT('x', 100000) FROM queue_messages a JOIN queue_messages b "
            f"ON a.topic = b.topic WHERE a.topic = '{topic}'"
        ).encode(),
    )
    columns = slow.read_columns(Reader(slow.receive_answer()).lenenc())
    gateway.wait_until_idle()
    grown = gateway.resident() - before
    assert grown < 24 * MEGABYTE, f"{grown / MEGABYTE:.0f} MB more while a client does not read"
    assert count(witness, topic) == 45, "others go on"

    rows = 0
    for row in slow.read_rows(columns, binary=False):
        if not isinstance(row, tuple):
            break
        rows += 1
        assert row[1] == b"x" * 100000
    assert rows == 45 * 45
    slow.ping()
    assert gateway.resident() - before < 32 * MEGABYTE
    slow.close()
    witness.close()


def test_client_that_stops_reading_and_goes(make_gateway, tenant, topic):
    """The backend of a half-read answer is not used again."""
    gateway = make_gateway({"pool": {"max_per_shard": 1}})
    witness = gateway.connect(tenant)
    fill(witness, topic, 30)
    slow = gateway.raw(tenant)
    slow.command(
        COM_QUERY,
        (
            "SELECT REPEAT('x', 100000) FROM queue_messages a JOIN queue_messages b "
            f"ON a.topic = b.topic WHERE a.topic = '{topic}'"
        ).encode(),
    )
    slow.receive_answer()
    slow.close()
    assert count(witness, topic) == 30
    witness.close()
