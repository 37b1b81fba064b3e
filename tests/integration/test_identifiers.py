"""Identifiers are checked in mqgate, before a shard is contacted."""

import pymysql
import pytest

from legacy import COUNT, PUBLISH, START_OFFSET, count, execute, message
from refusals import refused

ASCII_255 = "t" * 255
FOUR_BYTES_255 = "🚀" * 255

GOOD = [
    (PUBLISH, message(ASCII_255, "id")),
    (PUBLISH, message("good topic!", "id")),
    (PUBLISH, message("t", FOUR_BYTES_255, partition=FOUR_BYTES_255)),
    (PUBLISH, message("t", "id", partition="")),
    (START_OFFSET, (ASCII_255, ASCII_255, FOUR_BYTES_255)),
]
BAD = [
    ("topic of 256 bytes", PUBLISH, message("t" * 256, "id")),
    ("topic not ASCII", PUBLISH, message("tópico", "id")),
    ("topic with NUL", PUBLISH, message("t\0", "id")),
    ("topic empty", PUBLISH, message("", "id")),
    ("id of 256 characters", PUBLISH, message("t", "i" * 256)),
    ("id of 256 long characters", PUBLISH, message("t", "🚀" * 256)),
    ("partition of 256 characters", PUBLISH, message("t", "id", partition="p" * 256)),
    ("group not ASCII", START_OFFSET, ("gruppe-ü", "t", "p")),
    ("group empty", START_OFFSET, ("", "t", "p")),
    ("group of 256 bytes", START_OFFSET, ("g" * 256, "t", "p")),
    ("topic of offsets", START_OFFSET, ("g", "t" * 256, "p")),
]


@pytest.fixture(params=["text", "prepared"])
def run(request, connect, tenant):
    if request.param == "text":
        connection = connect(tenant)
        return lambda statement, *arguments: execute(connection, statement, *arguments)
    connection = connect(tenant, raw=True)
    return lambda statement, *arguments: connection.execute(
        connection.prepare(statement), *arguments
    ).affected


@pytest.mark.parametrize("statement, arguments", GOOD)
def test_good(run, connect, tenant, statement, arguments):
    assert run(statement, *arguments) == 1
    table = "queue_messages" if statement == PUBLISH else "queue_offsets"
    topic = arguments[0] if statement == PUBLISH else arguments[1]
    assert run(f"DELETE FROM {table} WHERE topic = ?", topic) == 1


@pytest.mark.parametrize("why, statement, arguments", BAD, ids=[row[0] for row in BAD])
def test_bad(run, why, statement, arguments):
    with refused(3011, 1366) as seen:
        run(statement, *arguments)
    assert any(name in seen.message for name in ("topic", "id", "partition_key", "consumer_group"))
    run(COUNT, "t")


def test_bytes_that_are_no_utf8(connect, tenant, topic):
    connection = connect(tenant, raw=True)
    with refused(3011, 1366):
        connection.execute(
            connection.prepare(PUBLISH), *message(topic, "id", partition=b"\xff\xfe")
        )
    assert count(connect(tenant), topic) == 0


def test_literals_are_read_as_the_server_reads_them(connect, tenant, topic):
    """Adjacent strings are one value, escapes are one character."""
    connection = connect(tenant)
    row = "INSERT INTO queue_offsets VALUES ('g', {}, 'p', 0, 0)"
    with refused(3011):
        execute(connection, row.format("'" + "t" * 200 + "' '" + "t" * 56 + "'"))
    execute(connection, row.format("'" + "\\t" * 200 + "'"))
    assert execute(connection, "DELETE FROM queue_offsets WHERE topic = ?", "\t" * 200) == 1
    with refused(3011):
        execute(connection, row.format("''"))


def test_nothing_is_sent_to_a_shard(make_gateway, cluster, tenant):
    """The shard is not even running there."""
    dead = {name: {"address": f"127.0.0.1:{n + 1}"} for n, name in enumerate(cluster.names)}
    gateway = make_gateway({"keyspace": {"shards": dead}, "server_version": "8.0.40"})
    connection = gateway.raw(tenant)
    for statement, arguments in [row[1:] for row in BAD]:
        with refused():
            connection.execute(connection.prepare(statement), *arguments)
    connection.close()


def test_nothing_becomes_a_question_mark(connect, tenant, topic):
    """Without a strict sql_mode a shard would store `?` in a column that is ASCII."""
    connection = connect(tenant)
    copy = (
        "INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) "
        "SELECT 'g', CONCAT(partition_key, ?), 'copy', 0, 0 FROM queue_offsets WHERE topic = ?"
    )
    execute(connection, START_OFFSET, "g", topic, "p")
    execute(connection, "SET sql_mode = ''")
    with refused(3011, 1366):
        execute(connection, copy, "é", topic)
    execute(connection, "SET sql_mode = 'STRICT_ALL_TABLES'")
    assert execute(connection, copy, topic, topic) == 1
    execute(connection, "SET sql_mode = DEFAULT")
    with pytest.raises(pymysql.err.MySQLError, match="Incorrect string value"):
        execute(connection, copy, "é", topic)


CASTS = [
    "topic = CAST(? AS CHAR)",
    "CONVERT(? USING utf8mb4) = topic",
    "topic IN ('x', CAST(? AS CHAR))",
    "topic LIKE CAST(? AS CHAR)",
    "(topic, offset_acked) = (CAST(? AS CHAR), 0)",
    "CONCAT(topic, CAST('' AS CHAR)) = ?",
    "topic = (SELECT CAST(? AS CHAR))",
    "topic IN (SELECT d.c FROM (SELECT CAST(? AS CHAR) AS c) d)",
    "EXISTS (SELECT 1 FROM (SELECT MAX(CONCAT(?, '')) AS c FROM queue_offsets) d WHERE d.c = topic)",
]


@pytest.mark.parametrize("condition", CASTS)
def test_a_text_of_the_session_distinguishes_case(connect, tenant, condition):
    """As beside the legacy column, whose utf8mb4_bin prevails over the session's collation."""
    connection = connect(tenant)
    execute(connection, "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci")
    execute(connection, START_OFFSET, "g", "casts", "p")
    found = f"SELECT topic FROM queue_offsets WHERE consumer_group = 'g' AND {condition}"
    assert execute(connection, found, "CASTS") == []
    assert execute(connection, found, "casts") == [("casts",)]
    execute(connection, "DELETE FROM queue_offsets WHERE topic = 'casts'")
