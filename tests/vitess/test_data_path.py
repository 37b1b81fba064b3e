"""Statements through mqgate and vtgate."""

import contextlib
import socket
import threading

import pymysql
import pytest
from waiting import wait_until

MESSAGE = ("INSERT INTO queue_messages (topic, partition_key, id, payload, created_at, published_at, "
           "failed_at, failure_count, last_error, original_topic) "
           "VALUES (%s, %s, %s, 'x', 1, 1, 0, 0, '', '')")
TWO = ["payments", "orders"]


def rows(connection, sql, values=None):
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def refused(connection, number, text, sql, values=None):
    with pytest.raises(pymysql.MySQLError) as caught:
        rows(connection, sql, values)
    assert caught.value.args[0] == number, caught.value
    assert text in caught.value.args[1]


class Gate:
    """A vtgate that can be lost and come back: a port that leads to it."""

    def __init__(self, target):
        self.target, self.open = target, []
        self.listener = None
        self.port = None

    def start(self):
        self.listener = socket.create_server(("127.0.0.1", self.port or 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, args=[self.listener], daemon=True).start()
        return self

    def accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.create_connection(self.target)
            self.open += [client, server]
            for ends in ((client, server), (server, client)):
                threading.Thread(target=self.pump, args=ends, daemon=True).start()

    @staticmethod
    def pump(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def stop(self):
        for end in [self.listener, *self.open]:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.open = []


@pytest.fixture
def gate(cluster):
    gate = Gate(cluster.gate).start()
    yield gate
    gate.stop()


def test_a_message_s_life(connect, topic):
    c = connect("payments")
    rows(c, MESSAGE, (topic, "p", "1"))
    assert rows(c, "SELECT LAST_INSERT_ID()")[0][0] > 0
    [(offset, payload)] = rows(c, "SELECT `offset`, payload FROM queue_messages WHERE topic = %s AND "
                               "partition_key = 'p' AND `offset` > 0 ORDER BY `offset` LIMIT 10",
                               (topic,))
    assert payload == b"x"
    lease = ("INSERT INTO queue_partition_leases (consumer_group, topic, partition_key, leased_by, "
             "leased_at, lease_renewed_at) VALUES ('g', %s, 'p', 'w', 1, 1) ON DUPLICATE KEY UPDATE "
             "leased_by = IF(lease_renewed_at < 5, VALUES(leased_by), leased_by)")
    rows(c, lease, (topic,))
    rows(c, "INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, "
         "updated_at) VALUES ('g', %s, 'p', %s, 1)", (topic, offset))
    with c.cursor() as cursor:
        assert cursor.execute("DELETE FROM queue_messages WHERE topic = %s AND `offset` <= %s",
                              (topic, offset)) == 1
    assert rows(c, "SELECT COUNT(*) FROM queue_messages WHERE topic = %s", (topic,)) == [(0,)]


def test_tenants_of_two_shards_see_their_own(connect, cluster, vtgate, topic):
    for tenant in TWO:
        rows(connect(tenant), MESSAGE, (topic, "p", tenant))
    for tenant in TWO:
        assert rows(connect(tenant), "SELECT id FROM queue_messages WHERE topic = %s",
                    (topic,)) == [(tenant,)]
    stored = rows(vtgate(), "SELECT tenant, id FROM queue_messages WHERE tenant IN "
                  "('payments', 'orders') AND topic = %s", (topic,))
    assert sorted(stored) == sorted((tenant, tenant) for tenant in TWO)


def test_transactions(connect, topic):
    c = connect("orders")
    rows(c, "BEGIN")
    rows(c, MESSAGE, (topic, "p", "1"))
    rows(c, "SAVEPOINT s")
    rows(c, MESSAGE, (topic, "p", "2"))
    rows(c, "ROLLBACK TO s")
    rows(c, "COMMIT")
    rows(c, "BEGIN")
    rows(c, MESSAGE, (topic, "p", "3"))
    rows(c, "ROLLBACK")
    assert rows(c, "SELECT id FROM queue_messages WHERE topic = %s", (topic,)) == [("1",)]
    rows(c, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
    level = "SELECT @@transaction_isolation FROM queue_messages WHERE topic = %s"
    assert rows(c, level, (topic,)) == [("SERIALIZABLE",)]
    assert rows(c, level, (topic,)) == [("REPEATABLE-READ",)]
    rows(c, "START TRANSACTION READ ONLY")
    refused(c, 1792, "READ ONLY", MESSAGE, (topic, "p", "4"))
    rows(c, "ROLLBACK")


def test_errors_are_mysql_s(connect, topic):
    c = connect("payments")
    rows(c, MESSAGE, (topic, "p", "1"))
    message = f"Duplicate entry '{topic}-p-1' for key 'queue_messages.idx_topic_partition_id'"
    with pytest.raises(pymysql.err.IntegrityError) as caught:
        rows(c, MESSAGE, (topic, "p", "1"))
    assert caught.value.args == (1062, message)
    assert rows(c, "SHOW WARNINGS") == [("Error", 1062, message)]


def test_variables(connect):
    c = connect("payments")
    rows(c, "SET time_zone = '+02:00'")
    assert rows(c, "SELECT @@time_zone") == [("+02:00",)]
    rows(c, "SET time_zone = DEFAULT")
    assert rows(c, "SELECT @@time_zone") == [("SYSTEM",)]
    refused(c, 1193, "vtgate would take no notice", "SET div_precision_increment = 6")
    refused(c, 1115, "UTF-8", "SET NAMES latin1")


@pytest.mark.parametrize("number, text, sql", [
    (1105, "MQ3001", "UPDATE queue_offsets SET offset_acked = 0"),
    (1235, "MQ2051", "SELECT /*vt+ ALLOW_SCATTER */ 1 FROM queue_messages"),
    (1049, "MQ2013", "USE `queue:-80`"),
    (1235, "MQ2050", "SELECT GET_LOCK('a', 1)"),
])
def test_refusals(connect, number, text, sql):
    refused(connect(), number, text, sql)


def test_replace_is_refused(connect):
    refused(connect("orders"), 1235, "MQ2050",
            "REPLACE INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, "
            "updated_at) VALUES ('g', 't', 'p', 1, 1)")


def test_expressions_keep_their_names(connect):
    with connect("orders").cursor() as cursor:
        cursor.execute("SELECT COUNT( * ), NOW() IS NULL FROM queue_messages")
        assert [column[0] for column in cursor.description] == ["COUNT( * )", "NOW() IS NULL"]


def test_the_schema_is_shown(connect):
    c = connect("orders")
    assert ("queue_messages",) in rows(c, "SHOW TABLES")
    assert rows(c, "DESCRIBE queue_offsets")[0][0] == "consumer_group"


def test_one_worker_polls_all_tenants(make_gateway, topic):
    gateway = make_gateway({"partition_keys": "qualified"})
    with gateway.connect() as c:
        for tenant in TWO:
            for key in ("b", "a"):
                rows(c, MESSAGE, (topic, f"{tenant}|{key}", key))
        keys = rows(c, "SELECT DISTINCT partition_key FROM queue_messages WHERE topic = %s "
                    "ORDER BY partition_key", (topic,))
        assert keys == [(f"{tenant}|{key}",) for tenant in sorted(TWO) for key in "ab"]
        assert rows(c, "SELECT COUNT(*) FROM queue_messages WHERE topic = %s",
                    (topic,)) == [(4,)]
        beat = ("INSERT INTO queue_subscriber_heartbeats (consumer_group, topic, subscriber_name, "
                "heartbeat_at, deregistered_at) VALUES ('g', %s, 'w', %s, 0) ON DUPLICATE KEY UPDATE "
                "heartbeat_at = VALUES(heartbeat_at)")
        with c.cursor() as cursor:
            assert [cursor.execute(beat, (topic, at)) for at in (1, 2)] == [1, 2]
        assert len(rows(c, "SELECT * FROM queue_subscriber_heartbeats WHERE topic = %s",
                        (topic,))) == 1
        assert rows(c, "SELECT id FROM queue_messages WHERE topic = %s AND partition_key IN (%s, %s)"
                    " ORDER BY id", (topic, "orders|a", "payments|b")) == [("a",), ("b",)]


def test_a_lost_vtgate_comes_back(make_gateway, gate, topic):
    gateway = make_gateway({"vitess": {"gates": [f"127.0.0.1:{gate.port}"]}})
    with gateway.connect("orders") as c:
        rows(c, MESSAGE, (topic, "p", "1"))
        rows(c, "BEGIN")
        rows(c, MESSAGE, (topic, "p", "2"))
        gate.stop()
        with pytest.raises(pymysql.MySQLError):
            rows(c, "COMMIT")
    with gateway.connect("orders") as c:
        with pytest.raises(pymysql.err.OperationalError) as caught:
            rows(c, "SELECT 1 FROM queue_messages")
        assert caught.value.args[0] in (1158, 1160)
        gate.start()

        def answers():
            try:
                return rows(c, "SELECT id FROM queue_messages WHERE topic = %s", (topic,))
            except pymysql.MySQLError:
                return None

        wait_until(answers, "mqgate finds vtgate again")
        assert answers() == [("1",)]


def test_another_vtgate_takes_over(make_gateway, cluster, gate, topic):
    gateway = make_gateway({"vitess": {"gates": [f"127.0.0.1:{gate.port}",
                                                 "{}:{}".format(*cluster.gate)]}})
    with gateway.connect("orders") as c:
        rows(c, MESSAGE, (topic, "p", "1"))
        gate.stop()

        def answers():
            try:
                return rows(c, "SELECT id FROM queue_messages WHERE topic = %s", (topic,))
            except pymysql.MySQLError:
                return None

        assert wait_until(answers, "the other vtgate answers") == [("1",)]
