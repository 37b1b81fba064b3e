"""What a legacy client does all day, over two shards, by text and by prepared statements."""

import json

import pymysql
import pytest

from legacy import (
    ACK,
    COUNT,
    DELIVER,
    DISCOVER,
    LAG,
    MOVE_OFFSET,
    POLL,
    PUBLISH,
    START_OFFSET,
    STATE,
    count,
    execute,
    legacy_ddl,
    message,
    publish,
)
from refusals import refused

LEGACY_COLUMNS = [
    "offset",
    "topic",
    "partition_key",
    "id",
    "payload",
    "metadata",
    "created_at",
    "published_at",
    "failed_at",
    "failure_count",
    "last_error",
    "original_topic",
    "failure_detail",
]


class Text:
    """Runs statements through a driver that writes the parameters into the text."""

    def __init__(self, connect, tenant):
        self.connection = connect(tenant)

    def __call__(self, statement, *arguments):
        return execute(self.connection, statement, *arguments)


class Prepared:
    """Runs statements as binary prepared ones, kept for the session."""

    def __init__(self, connect, tenant):
        self.connection = connect(tenant, raw=True)
        self.statements = {}

    def __call__(self, statement, *arguments):
        if statement not in self.statements:
            self.statements[statement] = self.connection.prepare(statement)
        result = self.connection.execute(self.statements[statement], *arguments)
        if not result.columns:
            return result.affected
        return [
            tuple(
                v.decode() if isinstance(v, bytes) and c.charset != 63 else v
                for v, c in zip(row, result.columns)
            )
            for row in result.rows
        ]


@pytest.fixture(params=[Text, Prepared])
def client(request, connect):
    return lambda tenant: request.param(connect, tenant)


def test_publish_poll_and_acknowledge(client, cluster, tenant, other_tenant, topic):
    run = client(tenant)
    for n in range(5):
        assert run(PUBLISH, *message(topic, f"id-{n}", payload=bytes([n, 0, 39, 92]))) == 1
    assert run(PUBLISH, *message(topic, "id-0", payload=b"other")) == 0, "published again"

    first = run(POLL, topic, "p", 0, 3)
    assert [row[1] for row in first] == ["id-0", "id-1", "id-2"]
    assert [bytes(row[2]) for row in first] == [bytes([n, 0, 39, 92]) for n in range(3)]
    rest = run(POLL, topic, "p", first[-1][0], 10)
    assert [row[1] for row in rest] == ["id-3", "id-4"]
    assert first[-1][0] < rest[0][0] < rest[1][0]

    slot = ("group", topic, "p", first[0][0])
    assert run(DELIVER, *slot, 1000) == 1
    assert run(DELIVER, *slot, 2000) == 2, "an upsert that changes a row counts twice"
    assert [tuple(map(int, row)) for row in run(STATE, *slot)] == [(0, 1, 0)]
    assert run(ACK, *slot) == 2
    assert [tuple(map(int, row)) for row in run(STATE, *slot)] == [(1, 1, 0)]
    assert run(ACK, *slot) == 0

    assert client(other_tenant)(COUNT, topic) == [(0,)]
    assert cluster.where_is(topic) == {(0, tenant)}
    states = cluster.query_all("SELECT tenant FROM queue_delivery_state WHERE topic = %s", (topic,))
    assert states == [(0, tenant)]


def test_tenants_do_not_meet(client, cluster, topic):
    """The same topic, partition and id everywhere; each tenant sees its own message."""
    clients = {name: client(name) for name in cluster.tenants}
    for name, run in clients.items():
        assert run(PUBLISH, *message(topic, "same", payload=name.encode())) == 1
    for name, run in clients.items():
        assert [bytes(row[2]).decode() for row in run(POLL, topic, "p", 0, 100)] == [name]
        assert run(DISCOVER, topic) == [("p",)]
    victim = cluster.tenants[0]
    assert (
        clients[victim]("DELETE FROM queue_messages WHERE topic = ? AND id = ?", topic, "same") == 1
    )
    assert cluster.where_is(topic) == {(cluster.shard_of(t), t) for t in cluster.tenants[1:]}


def test_text_of_every_kind(client, tenant, topic):
    """Partition keys, ids and payloads that an escaping mistake would trip over."""
    run = client(tenant)
    awkward = [
        "it's",
        'say "x"',
        "back\\slash",
        "ünïcode",
        "漢字🚀",
        "?",
        "-- x",
        "/* x */",
        "%s",
        "`",
        "a\nb",
        "",
        "tenant",
    ]
    for n, text in enumerate(awkward):
        assert (
            run(
                PUBLISH,
                *message(
                    topic, f"{n}{text}", partition=text, payload=text.encode() + bytes(range(256))
                ),
            )
            == 1
        )
    assert sorted(key for key, in run(DISCOVER, topic)) == sorted(awkward)
    for n, text in enumerate(awkward):
        (row,) = run(POLL, topic, text, 0, 10)
        assert (row[1], bytes(row[2]), row[4]) == (
            f"{n}{text}",
            text.encode() + bytes(range(256)),
            text,
        )


def test_metadata(client, tenant, topic):
    run = client(tenant)
    run(PUBLISH, *message(topic, "none"))
    run(PUBLISH, *message(topic, "some", metadata='{"a": "it\'s", "b": "\\\\ ü"}'))
    rows = run(POLL, topic, "p", 0, 10)
    assert rows[0][3] is None
    value = rows[1][3]
    assert json.loads(value if isinstance(value, str) else value.decode()) == {
        "a": "it's",
        "b": "\\ ü",
    }


def test_bare_offset(connect, cluster, tenant, topic):
    """The legacy client writes the column bare, which MariaDB cannot read by itself."""
    connection = connect(tenant)
    offset = publish(connection, topic, "m")
    assert [row[0] for row in execute(connection, POLL, topic, "p", 0, 10)] == [offset]
    if cluster.mariadb:
        with pytest.raises(pymysql.err.ProgrammingError):
            cluster.query(0, "SELECT offset FROM queue_messages WHERE offset > 0 LIMIT 1")


def test_star_shows_the_legacy_columns(connect, tenant, topic):
    connection = connect(tenant)
    publish(connection, topic, "m")
    for star in ("*", "m.*"):
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {star} FROM queue_messages m WHERE topic = %s", (topic,))
            assert [column[0] for column in cursor.description] == LEGACY_COLUMNS
            assert len(cursor.fetchall()) == 1


def test_offsets_and_lag(client, tenant, topic):
    run = client(tenant)
    for partition in ("one", "two"):
        assert run(START_OFFSET, "group", topic, partition) == 1
        assert run(START_OFFSET, "group", topic, partition) == 0
    run(PUBLISH, *message(topic, "m", partition="one"))
    ((offset, *_),) = run(POLL, topic, "one", 0, 10)
    assert [tuple(row[:2]) + tuple(map(int, row[2:])) for row in run(LAG, topic, topic)] == [
        ("group", "one", 0, offset),
        ("group", "two", 0, 0),
    ]
    assert run(MOVE_OFFSET, offset, 2, "group", topic, "one", offset) == 1
    assert run(MOVE_OFFSET, 0, 3, "group", topic, "one", 0) == 0
    assert [int(row[2]) for row in run(LAG, topic, topic)] == [offset, 0]


def test_in_list(client, tenant, topic):
    run = client(tenant)
    for offset in range(1, 41):
        run(ACK, "group", topic, "p", offset)
    marks = ",".join("?" * 30)
    rows = run(
        "SELECT message_offset, acked FROM queue_delivery_state WHERE consumer_group = ? "
        f"AND topic = ? AND partition_key = ? AND message_offset IN ({marks})",
        "group",
        topic,
        "p",
        *range(20, 50),
    )
    assert sorted(int(row[0]) for row in rows) == list(range(20, 41))


def test_many_rows_in_one_insert(client, cluster, other_tenant, topic):
    run = client(other_tenant)
    values = ", ".join(["(?, 'p', ?, 'x', 1, 1, 0, 0, '', '')"] * 50)
    arguments = [v for n in range(50) for v in (topic, f"id-{n}")]
    assert (
        run(
            "INSERT INTO queue_messages (topic, partition_key, id, payload, created_at, "
            "published_at, failed_at, failure_count, last_error, original_topic) "
            f"VALUES {values}",
            *arguments,
        )
        == 50
    )
    assert run(COUNT, topic) == [(50,)]
    assert cluster.where_is(topic) == {(1, other_tenant)}


def test_duplicate_key_error_does_not_show_the_tenant(connect, tenant, topic):
    connection = connect(tenant)
    execute(connection, START_OFFSET, "group", topic, "p")
    with refused(errno=1062) as seen:
        execute(connection, START_OFFSET.replace("IGNORE ", ""), "group", topic, "p")
    assert tenant not in seen.message
    assert count(connection, topic) == 0


def test_warning_does_not_show_the_tenant(connect, tenant, topic):
    """Inside a transaction SHOW WARNINGS is the shard's answer, in the legacy key's words."""
    connection = connect(tenant)
    execute(connection, "BEGIN")
    for _ in range(2):
        execute(connection, START_OFFSET, "group", topic, "p")
    warnings = execute(connection, "SHOW WARNINGS")
    assert [(level, code) for level, code, _ in warnings] == [("Warning", 1062)]
    assert warnings[0][2].startswith(f"Duplicate entry 'group-{topic}-p'")
    execute(connection, "ROLLBACK")


def test_dead_letter_move(connect, cluster, tenant, topic):
    connection = connect(tenant, autocommit=False)
    publish(connection, topic, "m", payload=b"poison", metadata='{"queue_name": "%s"}' % tenant)
    connection.commit()
    ((payload, metadata, partition),) = execute(
        connection,
        "SELECT payload, metadata, partition_key FROM queue_messages "
        "WHERE topic = ? AND partition_key = ? AND id = ?",
        topic,
        "p",
        "m",
    )
    publish(
        connection, topic + "_dlq", "m", payload=payload, metadata=metadata, partition=partition
    )
    assert (
        execute(
            connection,
            "DELETE FROM queue_messages WHERE topic = ? AND partition_key = ? " "AND id = ?",
            topic,
            "p",
            "m",
        )
        == 1
    )
    connection.commit()
    assert cluster.where_is(topic) == set()
    assert cluster.where_is(topic + "_dlq") == {(0, tenant)}


def test_legacy_create_table(connect, cluster, tenant):
    """It finds the tenant schema's tables there and changes nothing."""
    connection = connect(tenant)
    before = cluster.query_all("SHOW CREATE TABLE queue_messages")
    statements = legacy_ddl()
    assert len(statements) == 5
    for statement in statements:
        execute(connection, statement)
        with refused(errno=1050):
            execute(connection, statement.replace("IF NOT EXISTS ", ""))
    assert [row[2].split("AUTO_INCREMENT=")[0] for row in before] == [
        row[2].split("AUTO_INCREMENT=")[0]
        for row in cluster.query_all("SHOW CREATE TABLE queue_messages")
    ]


@pytest.fixture
def newborn(cluster):
    """A database without tables on each shard."""
    for shard in range(2):
        cluster.query(shard, "CREATE DATABASE newborn")
        cluster.query(shard, "GRANT ALL ON newborn.* TO mqgate@'%'")
    yield "newborn"
    for shard in range(2):
        cluster.query(shard, "DROP DATABASE newborn")


def test_legacy_create_table_makes_the_tenant_schema(newborn, make_gateway, cluster):
    gateway = make_gateway(
        {"keyspace": {"shards": {name: {"database": newborn} for name in cluster.names}}}
    )
    connection = gateway.connect()
    for statement in legacy_ddl():
        execute(connection, statement)
    connection.close()
    keys = cluster.query_all(
        "SELECT GROUP_CONCAT(column_name ORDER BY seq_in_index) FROM "
        "information_schema.statistics WHERE table_schema = 'newborn' "
        "AND table_name = 'queue_offsets' AND index_name = 'PRIMARY'"
    )
    assert keys == [(n, "tenant,topic,partition_key,consumer_group") for n in range(2)]


def test_other_definition_is_refused(connect, tenant):
    connection = connect(tenant)
    for ddl in (
        "CREATE TABLE IF NOT EXISTS queue_offsets (consumer_group VARCHAR(255))",
        "CREATE TABLE queue_offsets AS SELECT 1",
        "CREATE TABLE other (a INT)",
    ):
        with refused():
            execute(connection, ddl)
    with refused(2012):
        execute(
            connection, "CREATE TABLE IF NOT EXISTS queue_offsets (consumer_group VARCHAR(255))"
        )
