"""The answer through mqgate is the one that a server with the legacy schema gives: compared
packet field by packet field with such a server."""

import pytest

from legacy import (
    ACK,
    COUNT,
    DELIVER,
    DISCOVER,
    LAG,
    MOVE_OFFSET,
    PUBLISH,
    START_OFFSET,
    STATE,
    execute,
    publish,
)
from rawmysql import (
    DEFAULT_CAPABILITIES,
    DEPRECATE_EOF,
    EXTENDED_METADATA,
    FOUND_ROWS,
    RawConnection,
    ServerError,
)

IGNORED_STATUS = 0x0010 | 0x0020 | 0x0800 | 0x4000  # use of indexes, slow, session tracking


@pytest.fixture
def reference(legacy_server):
    return legacy_server[1]


MESSAGE = ("t", "m1", b"x\0'", '{"a": 1}', "p", 1, 1)
SCRIPT = [
    (PUBLISH, *MESSAGE),
    (PUBLISH, *MESSAGE),
    (PUBLISH, "t", "m2", b"", None, "q", 2, 2),
    (
        "INSERT INTO queue_messages (topic, partition_key, id, payload, created_at, published_at, "
        "failed_at, failure_count, last_error, original_topic) VALUES "
        "(?, 'p', 'm3', 'x', 1, 1, 0, 0, '', ''), "
        "(?, 'p', 'm4', 'x', 1, 1, 0, 0, '', '')",
        "t",
        "t",
    ),
    (
        "SELECT id, payload, metadata, created_at FROM queue_messages WHERE topic = ? ORDER BY id",
        "t",
    ),
    (
        "SELECT COUNT(*), SUM(created_at), MIN(id), AVG(failure_count) FROM queue_messages "
        "WHERE topic = ?",
        "t",
    ),
    (
        "SELECT partition_key k, COUNT(*) n FROM queue_messages WHERE topic = ? "
        "GROUP BY partition_key HAVING COUNT(*) > 0 ORDER BY n DESC, k LIMIT 1",
        "t",
    ),
    (DISCOVER, "t"),
    (COUNT, "nothing"),
    (START_OFFSET, "g", "t", "p"),
    (START_OFFSET, "g", "t", "p"),
    (MOVE_OFFSET, 5, 5, "g", "t", "p", 5),
    (MOVE_OFFSET, 5, 5, "g", "t", "p", 5),
    ("UPDATE queue_offsets SET offset_acked = 5 WHERE topic = ?", "t"),
    ("SELECT * FROM queue_offsets WHERE topic = ?", "t"),
    ("SELECT o.*, 1 AS one FROM queue_offsets AS o WHERE o.topic = ?", "t"),
    (LAG.replace("COALESCE(m.newest, 0)", "m.newest IS NULL"), "t", "t"),
    (DELIVER, "g", "t", "p", 7, 1000),
    (DELIVER, "g", "t", "p", 7, 2000),
    (ACK, "g", "t", "p", 7),
    (ACK, "g", "t", "p", 7),
    (STATE, "g", "t", "p", 7),
    (
        "SELECT message_offset, acked FROM queue_delivery_state WHERE consumer_group = ? "
        "AND topic = ? AND partition_key = ? AND message_offset IN (?, ?, ?)",
        "g",
        "t",
        "p",
        6,
        7,
        8,
    ),
    (
        "SELECT id FROM queue_messages WHERE topic = ? AND (id = 'm1' OR id = 'm3') "
        "AND NOT failure_count",
        "t",
    ),
    (
        "SELECT id FROM queue_messages m WHERE topic = ? AND EXISTS (SELECT 1 FROM queue_offsets o "
        "WHERE o.topic = m.topic AND o.partition_key = m.partition_key) ORDER BY id",
        "t",
    ),
    (
        "SELECT m.id, d.acked FROM queue_messages m LEFT JOIN queue_delivery_state d "
        "ON d.topic = m.topic AND d.acked = ? WHERE m.topic = 't' ORDER BY m.id, d.acked",
        0,
    ),
    ("INSERT INTO queue_offsets VALUES (?, 't', 'p', 0, 0)", "g"),  # 1062
    ("INSERT INTO queue_offsets VALUES (?, 't', 'p')", "g"),  # 1136
    ("SELECT nothing FROM queue_messages WHERE topic = ?", "t"),  # 1054
    ("SELECT id FROM queue_messages WHERE topic = ? ORDER BY id LIMIT 2 OFFSET 1", "t"),
    ("SELECT SQL_CALC_FOUND_ROWS id FROM queue_messages WHERE topic = ? ORDER BY id LIMIT 1", "t"),
    ("REPLACE INTO queue_offsets VALUES (?, 't', 'p', 1, 1)", "g"),
    (
        "INSERT INTO queue_offsets SET consumer_group = ?, topic = 't', partition_key = 'r', "
        "offset_acked = 1, updated_at = 1",
        "g",
    ),
    (
        "INSERT INTO queue_offsets SELECT consumer_group, topic, 's', 0, 0 FROM queue_offsets "
        "WHERE topic = 't' AND partition_key = ?",
        "p",
    ),
    (
        "UPDATE queue_messages SET failure_count = failure_count + 1 WHERE topic = ? "
        "ORDER BY id LIMIT 2",
        "t",
    ),
    ("DELETE FROM queue_messages WHERE topic = ? AND id = 'm1'", "t"),
    ("DELETE FROM queue_messages WHERE topic = ? ORDER BY id LIMIT 1", "t"),
    ("DELETE FROM queue_messages WHERE topic = ?", "t"),
    ("DELETE FROM queue_offsets WHERE topic = ?", "t"),
    ("DELETE FROM queue_delivery_state WHERE topic = ?", "t"),
]


def seen(connection, statement, arguments, binary):
    """What a client can tell apart of one answer."""
    try:
        if binary:
            prepared = connection.prepare(statement)
            shape = (prepared.params, [described(c) for c in prepared.columns])
            result = connection.execute(prepared, *arguments)
            connection.close_statement(prepared)
        else:
            shape = None
            result = connection.query(literal(statement, arguments))
    except ServerError as error:
        return ("error", error.errno, error.sqlstate, error.message)
    return (
        shape,
        result.affected,
        result.insert_id > 0,
        result.warnings,
        result.info,
        result.status & ~IGNORED_STATUS,
        [described(c) for c in result.columns],
        result.rows,
    )


def described(column):
    return (
        column.table,
        column.name,
        column.org_name,
        column.charset,
        column.type,
        column.flags & 0x20,
        column.extended,
    )


def literal(statement, arguments):
    parts = statement.split("?")
    texts = [
        (
            "NULL"
            if a is None
            else (
                str(a)
                if isinstance(a, int)
                else "'"
                + (a.decode() if isinstance(a, bytes) else a)
                .replace("\0", "\\0")
                .replace("'", "''")
                + "'"
            )
        )
        for a in arguments
    ]
    return "".join(p + t for p, t in zip(parts, [*texts, ""]))


def plain_error(answer):
    """Names of the reference database and of columns in an error are not compared, the kind is."""
    return answer[:3] if answer[0] == "error" else answer


@pytest.mark.parametrize("binary", [False, True], ids=["text", "prepared"])
@pytest.mark.parametrize(
    "capabilities",
    [
        0,
        DEPRECATE_EOF,
        FOUND_ROWS,
        DEPRECATE_EOF | FOUND_ROWS,
        EXTENDED_METADATA,
        DEPRECATE_EOF | EXTENDED_METADATA,
    ],
    ids=["plain", "deprecate-eof", "found-rows", "both", "extended", "extended-eof"],
)
def test_same_answers(gateway, cluster, reference, neighbour, capabilities, binary):
    capabilities |= DEFAULT_CAPABILITIES
    with gateway.raw(neighbour, capabilities=capabilities) as through:
        direct = RawConnection(("127.0.0.1", cluster.shards[0]["port"]))
        direct.login("root", "root", database=reference, capabilities=capabilities)
        if cluster.mariadb:
            # The client's greeting is MySQL's everywhere; what MariaDB says first does not count.
            direct.query("SET NAMES utf8mb4")
            through.query("SET NAMES utf8mb4")
        for number, (statement, *arguments) in enumerate(SCRIPT):
            want = seen(direct, statement, arguments, binary)
            got = seen(through, statement, arguments, binary)
            assert plain_error(got) == plain_error(want), f"{number}: {statement}"
        direct.close()


def test_found_rows_side_by_side(connect, tenant, topic):
    """Two clients of one pool, each with its own way to count."""
    changed = connect(tenant, raw=True)
    found = connect(tenant, raw=True, capabilities=DEFAULT_CAPABILITIES | FOUND_ROWS)
    changed.query(f"INSERT INTO queue_offsets VALUES ('g', '{topic}', 'p', 1, 1)")
    update = f"UPDATE queue_offsets SET offset_acked = 1 WHERE topic = '{topic}'"
    for _ in range(3):
        assert changed.query(update).affected == 0
        assert found.query(update).affected == 1


def test_insert_id(connect, tenant, topic):
    connection = connect(tenant)
    first, second = publish(connection, topic, "a"), publish(connection, topic, "b")
    assert 0 < first < second
    assert [
        row[0]
        for row in execute(
            connection,
            "SELECT offset FROM queue_messages WHERE topic = ? " "ORDER BY offset",
            topic,
        )
    ] == [first, second]
    # On a shard it would be that of whoever used the connection before.
    assert execute(
        connection,
        "SELECT id FROM queue_messages WHERE topic = ? AND offset = LAST_INSERT_ID()",
        topic,
    ) == [("b",)]
    assert execute(connection, "SELECT LAST_INSERT_ID()") == [(second,)]
