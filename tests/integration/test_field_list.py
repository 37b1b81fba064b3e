"""COM_FIELD_LIST and query attributes on real servers: what drivers and command lines send besides
text. Byte by byte: tests/wire/fields.script and attributes.script."""

import pytest

from legacy import publish
from rawmysql import (
    COM_FIELD_LIST,
    COM_QUERY,
    DEFAULT_CAPABILITIES,
    DEPRECATE_EOF,
    QUERY_ATTRIBUTES,
    TYPE_VAR_STRING,
    Column,
    ServerError,
    lenenc,
    lenenc_string,
)


def field_list(connection, table, pattern=b""):
    connection.command(COM_FIELD_LIST, table + b"\0" + pattern)
    columns = []
    while True:
        packet = connection.receive_answer()
        if connection._is_end(packet):
            return columns
        columns.append(Column.parse(packet))


@pytest.mark.parametrize("capabilities", [0, DEPRECATE_EOF])
def test_columns_as_a_query_shows_them(connect, tenant, capabilities):
    connection = connect(tenant, raw=True, capabilities=DEFAULT_CAPABILITIES | capabilities)
    for table in ("queue_messages", "queue_offsets"):
        wanted = connection.query(f"SELECT * FROM {table} LIMIT 0").columns
        assert field_list(connection, table.encode()) == wanted
        assert field_list(connection, table.encode(), b"TOPIC") == [
            column for column in wanted if column.name == "topic"
        ]
    connection.ping()


def test_without_a_tenant(connect):
    columns = field_list(connect(raw=True), b"queue_offsets")
    assert "tenant" not in [column.name for column in columns]
    assert len(columns) == 5


def test_a_table_that_is_not_there(connect, tenant):
    connection = connect(tenant, raw=True)
    with pytest.raises(ServerError) as refused:
        field_list(connection, b"nowhere")
    assert refused.value.errno == 1146
    connection.ping()


def attributes(**pairs):
    if not pairs:
        return lenenc(0) + lenenc(1)
    nulls = b"\0" * ((len(pairs) + 7) // 8)
    kinds = b"".join(bytes([TYPE_VAR_STRING, 0]) + lenenc_string(n.encode()) for n in pairs)
    values = b"".join(lenenc_string(v.encode()) for v in pairs.values())
    return lenenc(len(pairs)) + lenenc(1) + nulls + b"\x01" + kinds + values


@pytest.mark.parametrize("pairs", [{}, {"traceparent": "00-1-2-01", "tenant": "nobody"}])
def test_query_attributes(connect, tenant, topic, pairs):
    publish(connect(tenant), topic, "one")
    connection = connect(tenant, raw=True, capabilities=DEFAULT_CAPABILITIES | QUERY_ATTRIBUTES)
    text = f"SELECT id FROM queue_messages WHERE topic = '{topic}'"
    connection.command(COM_QUERY, attributes(**pairs) + text.encode())
    assert connection.read_result().rows == [(b"one",)]
