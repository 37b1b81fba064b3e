"""A client is told of a queue table's columns what a server with the legacy schema tells: their
table, names, keys, length. So also where the shard was asked for an expression instead, as for a
qualified partition key."""

import pytest

from gateway import Gateway
from rawmysql import DEFAULT_CAPABILITIES, DEPRECATE_EOF, EXTENDED_METADATA

PART_KEY = 0x4000
BOTH = DEFAULT_CAPABILITIES | DEPRECATE_EOF | EXTENDED_METADATA

QUERIES = [
    "SELECT partition_key FROM queue_messages",
    "SELECT partition_key FROM queue_offsets WHERE topic = 't' AND partition_key = '{tenant}|k'",
    "SELECT * FROM queue_offsets",
    "SELECT o.* FROM queue_offsets o",
    "SELECT 1, d.*, d.Partition_Key AS other, 2 FROM queue_delivery_state AS d",
    "SELECT `m`.`partition_key` AS `p|k` FROM queue_messages `m` LIMIT 1",
    "SELECT DISTINCT partition_key FROM queue_messages",
    "SELECT DISTINCT topic, partition_key FROM queue_offsets ORDER BY partition_key",
    "SELECT partition_key, COUNT(*) FROM queue_offsets GROUP BY partition_key",
    "SELECT partition_key, topic FROM queue_offsets ORDER BY partition_key DESC LIMIT 1",
    "SELECT a.partition_key, b.partition_key FROM queue_offsets a JOIN queue_offsets b "
    "ON a.partition_key = b.partition_key AND a.topic = b.topic",
    "SELECT a.partition_key, b.partition_key FROM queue_offsets a LEFT JOIN queue_messages b "
    "ON a.partition_key = b.partition_key AND a.topic = b.topic",
    "SELECT * FROM queue_offsets a JOIN queue_messages b "
    "ON a.partition_key = b.partition_key AND a.topic = b.topic",
    "SELECT d.partition_key FROM (SELECT partition_key FROM queue_offsets WHERE topic = 't') d",
    "SELECT d.k FROM (SELECT partition_key AS k, topic FROM queue_offsets) d",
    "SELECT d.k, e.k FROM (SELECT partition_key AS k, topic FROM queue_offsets) d "
    "LEFT JOIN (SELECT partition_key AS k, topic FROM queue_offsets) e ON d.k = e.k",
    "SELECT * FROM (SELECT DISTINCT partition_key FROM queue_offsets) d",
]
# Not of several tenants, or not on MariaDB.
SINGLE = ["WITH q AS (SELECT * FROM queue_offsets) SELECT partition_key AS p FROM q"]
MYSQL = ["TABLE queue_delivery_state"]
# Made of the key, they are wider than there; not told to be the column.
NO_COLUMNS = [
    "SELECT CONCAT(partition_key, '') AS partition_key FROM queue_offsets",
    "SELECT partition_key FROM queue_offsets UNION ALL SELECT 'x'",
    "SELECT k FROM (SELECT LOWER(partition_key) AS k FROM queue_offsets) d",
]


@pytest.fixture(scope="module")
def qualified(cluster, tmp_path_factory):
    gateway = Gateway(cluster, tmp_path_factory.mktemp("q"), {"partition_keys": "qualified"})
    gateway.start()
    yield gateway
    gateway.stop()


def definitions(connection, text):
    """Of the answer as text, of PREPARE, of the answer to EXECUTE."""
    prepared = connection.prepare(text)
    return [
        [vars(column) for column in columns]
        for columns in (
            connection.query(text).columns,
            connection.query(text).columns,  # by what is known of it now
            prepared.columns,
            connection.execute(prepared).columns,
        )
    ]


def same(through, direct, database, text):
    got, want = definitions(through, text), definitions(direct, text)
    for answer in want:
        for column in answer:
            if column["schema"] == database:
                column["schema"] = "queue"
    for ours, theirs in zip(got, want):
        for column, wanted in zip(ours, theirs):
            assert column == wanted, text
    assert [len(answer) for answer in got] == [len(answer) for answer in want], text


@pytest.mark.parametrize("capabilities", [DEFAULT_CAPABILITIES, BOTH], ids=["eof", "extended"])
@pytest.mark.parametrize("wide", [False, True], ids=["single", "scatter"])
def test_qualified_keys(
    cluster, qualified, direct, legacy_server, tenant, wide, capabilities
):
    with qualified.raw(None if wide else tenant, capabilities=capabilities) as through:
        server = direct(capabilities=capabilities)
        single = SINGLE + ([] if cluster.mariadb else MYSQL)
        for text in QUERIES + ([] if wide else single):
            same(through, server, legacy_server[1], text.format(tenant=tenant))


def test_keys_of_a_default_tenant(make_gateway, direct, legacy_server, tenant):
    gateway = make_gateway({"partition_keys": "qualified", "default_tenant": tenant})
    with gateway.raw(capabilities=BOTH) as through:
        server = direct(capabilities=BOTH)
        for text in ("SELECT partition_key FROM queue_offsets", "SELECT * FROM queue_messages"):
            same(through, server, legacy_server[1], text)


def test_what_is_made_of_a_key_is_no_column(qualified, tenant):
    with qualified.raw(tenant) as through:
        for text in NO_COLUMNS:
            for answer in definitions(through, text):
                assert answer[0]["length"] > 255 * 4 and not answer[0]["flags"] & PART_KEY, text


PLAIN = [text for text in QUERIES if "|k'" not in text and " d" not in text]


def test_plain_columns(gateway, direct, legacy_server, tenant):
    with gateway.raw(tenant, capabilities=BOTH) as through:
        server = direct(capabilities=BOTH)
        for text in PLAIN:
            same(through, server, legacy_server[1], text)
