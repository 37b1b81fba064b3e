"""The primary of a shard is the writable one of its servers, wherever that is by now.

The two shards' servers play a primary and its standby; nothing replicates between them, so where a
row lies shows who was used.
"""

import pymysql
import pytest

from legacy import count, execute, publish
from refusals import refused
from waiting import wait_until

pytestmark = pytest.mark.faults


def set_read_only(cluster, server, on):
    cluster.query(server, f"SET GLOBAL read_only = {'ON' if on else 'OFF'}")


@pytest.fixture
def pair(cluster):
    """The second server is the standby."""
    set_read_only(cluster, 1, True)
    yield cluster
    for server in range(2):
        set_read_only(cluster, server, False)


@pytest.fixture
def gateway(make_gateway, pair):
    host = [f"{shard['host']}:{shard['port']}" for shard in pair.shards]
    shards = {name: None for name in pair.names}
    only = {"address": host[1], "standbys": [host[0]], "database": pair.shards[0]["database"]}
    return make_gateway(
        {
            "keyspace": {"shards": {**shards, "-": only}},
            "pool": {"connect_timeout": "500ms", "silence_timeout": "500ms"},
        }
    )


def switch(cluster, to):
    """As a switch-over does it: first nobody may write, then the other."""
    set_read_only(cluster, 1 - to, True)
    set_read_only(cluster, to, False)


def publishes(connection, topic, name):
    """Publishes, if the shard's server may be written to by now."""
    try:
        publish(connection, topic, name)
    except pymysql.err.MySQLError as e:
        assert e.args[0] in (1290, 1836, 1160, 1158), e
        return False
    return True


def servers_with(cluster, topic):
    rows = cluster.query_all("SELECT id FROM queue_messages WHERE topic = %s", (topic,))
    return [server for server, _ in sorted(rows, key=lambda row: row[1])]


def test_a_switch(gateway, pair, tenant, topic):
    """The one that is configured as the address is not the primary; then it becomes it."""
    connection = gateway.connect(tenant)
    publish(connection, topic, "1")
    assert servers_with(pair, topic) == [0]
    switch(pair, to=1)
    wait_until(lambda: publishes(connection, topic, "2"), "the new primary is written to")
    assert servers_with(pair, topic) == [0, 1]
    assert count(connection, topic) == 1
    switch(pair, to=0)
    wait_until(lambda: publishes(connection, topic, "3"), "the first one is written to again")
    assert servers_with(pair, topic) == [0, 1, 0]
    connection.close()


def test_a_transaction_ends_with_its_primary(gateway, pair, tenant, topic):
    connection = gateway.connect(tenant)
    execute(connection, "BEGIN")
    count(connection, topic)
    switch(pair, to=1)
    other = gateway.connect(tenant)
    wait_until(lambda: publishes(other, topic, "2"), "the new primary is written to")
    with refused(errno=1290):
        publish(connection, topic, "1")
    execute(connection, "ROLLBACK")
    publish(connection, topic, "3")
    assert servers_with(pair, topic) == [1, 1]
    connection.close()
    other.close()


def test_two_primaries(gateway, pair, tenant, topic):
    connection = gateway.connect(tenant)
    publish(connection, topic, "1")
    set_read_only(pair, 1, False)

    def is_refused():
        try:
            count(connection, topic)
        except pymysql.err.MySQLError as e:
            assert e.args[1].startswith("MQ5009"), e
            return True
        return False

    wait_until(is_refused, "the shard is refused")
    set_read_only(pair, 0, True)
    wait_until(lambda: publishes(connection, topic, "2"), "one is left")
    assert servers_with(pair, topic) == [0, 1]
    connection.close()


def test_the_primary_dies(gateway, pair, tenant, topic):
    connection = gateway.connect(tenant)
    publish(connection, topic, "1")
    try:
        pair.freeze(0)
        set_read_only(pair, 1, False)
        wait_until(lambda: publishes(connection, topic, "2"), "the standby has taken over")
    finally:
        pair.thaw(0)
        set_read_only(pair, 0, True)
    # What was sent to the frozen one, and failed, may run there when it wakes.
    assert servers_with(pair, topic)[-1] == 1
    connection.close()
