"""What a shard is asked for several tenants' qualified keys reads the rows of these keys only: counted
by the server (Handler_read_…), since a plan may be told in many ways."""

import json

import pytest

from gateway import run_program

PARTITIONS, ROWS = 600, 4  # far more than other tests' topics have: a server plans by the average
ALL = PARTITIONS * ROWS


@pytest.fixture
def filled(cluster, make_gateway, tenant, neighbour, other_tenant, topic):
    """The gateway; each of the tenants has ROWS messages in each of PARTITIONS partitions."""
    gateway = make_gateway({"partition_keys": "qualified"})
    names = [tenant, neighbour, other_tenant]
    for name in names:
        shard = cluster.shard_of(name)
        rows = [(name, topic, f"k{p:02}", f"{p}-{n}") for p in range(PARTITIONS) for n in range(ROWS)]
        with cluster.connect(shard, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO queue_messages (tenant, topic, partition_key, id, payload, created_at, "
                "published_at, failed_at, failure_count, last_error, original_topic) "
                "VALUES (%s, %s, %s, %s, '', 0, 0, 0, 0, '', '')", rows)
            cursor.executemany(
                "INSERT INTO queue_offsets (tenant, consumer_group, topic, partition_key, "
                "offset_acked, updated_at) VALUES (%s, 'g', %s, %s, 0, 0)",
                [(name, topic, f"k{p:02}") for p in range(0, PARTITIONS, PARTITIONS // 3)])
            cursor.execute("ANALYZE TABLE queue_messages, queue_offsets")
    yield gateway
    for shard in range(2):
        for table in ("queue_messages", "queue_offsets"):
            cluster.query(shard, f"DELETE FROM {table} WHERE topic = %s", (topic,))


def parts_of(gateway, statement):
    done = run_program("explain", "-c", gateway.config_path, "--json", statement)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)["parts"]


def work(cluster, gateway, statement):
    """The rows of all parts, and how many rows the shards read for them."""
    rows = reads = 0
    names = list(cluster.config["keyspace"]["shards"])
    for part in parts_of(gateway, statement):
        shard = names.index(part["shard"])
        with cluster.connect(shard) as connection, connection.cursor() as cursor:
            cursor.execute("FLUSH STATUS")
            rows += cursor.execute(part["sent"][0])
            cursor.execute("SHOW SESSION STATUS LIKE 'Handler_read%'")
            reads += sum(int(value) for _, value in cursor.fetchall())
    return rows, reads


LISTS = [
    ("partition_key IN ('{a}|k05', '{b}|k07', '{c}|k09')", 3 * ROWS),
    ("m.partition_key IN ('{a}|k05', '{a}|k06', '{c}|k09')", 3 * ROWS),
    ("(topic, partition_key) IN (('{t}', '{a}|k05'), ('{t}', '{c}|k09'))", 2 * ROWS),
]


@pytest.mark.parametrize("condition, count", LISTS)
def test_a_list_reads_its_keys(cluster, filled, tenant, neighbour, other_tenant, topic, condition, count):
    condition = condition.format(a=tenant, b=neighbour, c=other_tenant, t=topic)
    rows, reads = work(cluster, filled,
                       f"SELECT id FROM queue_messages m WHERE topic = '{topic}' AND {condition}")
    assert rows == count
    assert reads <= 2 * count


JOINS = [
    "SELECT m.id FROM queue_offsets o JOIN queue_messages m ON m.topic = o.topic AND "
    "m.partition_key = o.partition_key WHERE o.topic = '{t}' AND o.consumer_group = 'g'",
    "SELECT m.id FROM queue_offsets o LEFT JOIN queue_messages m ON o.topic = m.topic AND "
    "o.partition_key = m.partition_key WHERE o.topic = '{t}'",
]


@pytest.mark.parametrize("statement", JOINS)
def test_a_join_reads_what_it_joins(cluster, filled, topic, statement):
    rows, reads = work(cluster, filled, statement.format(t=topic))
    assert rows == 3 * 3 * ROWS  # three tenants, three offsets each
    assert reads < ALL
