"""Sidecars that follow the tenant vindex table on real servers."""

import collections
import re
import shutil
import socket
import socketserver
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pymysql
import pytest
import yaml

from gateway import merged
from refusals import refused
from tenants import DEAD_ADDRESS, IDLE, LISTED, SHARDS, tenants  # pylint: disable=unused-import
from waiting import wait_until


class Forwarder:
    """Stands between mqgate and the vindex database; can be cut, or swallow what is sent."""

    def __init__(self, target):
        cut, mute = self._cut, self._mute = threading.Event(), threading.Event()
        counts = self.counts = collections.Counter()

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                if cut.is_set():
                    return
                with socket.create_connection(target) as server:
                    back = threading.Thread(target=self.copy, args=(server, self.request))
                    back.start()
                    self.copy(self.request, server)
                    back.join()

            @staticmethod
            def copy(source, destination):
                source.settimeout(0.05)
                while not cut.is_set():
                    try:
                        data = source.recv(65536)
                        counts["reads"] += data.count(b" WHERE tenant = ''")  # the counter's row, once each time
                        if data and mute.is_set():
                            continue
                        destination.sendall(data)
                    except TimeoutError:
                        continue
                    except OSError:
                        break
                    if not data:
                        break
                for end in (source, destination):
                    try:
                        end.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.address = "127.0.0.1:%d" % self._server.server_address[1]

    def cut(self):
        self._cut.set()

    def mute(self):
        self._mute.set()

    def mend(self):
        self._cut.clear()

    def close(self):
        self.cut()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def forwarder(cluster):
    facts = cluster.facts["tenant_vindex"]
    made = Forwarder((facts["host"], facts["port"]))
    yield made
    made.close()


@pytest.fixture
def follow(tenants, make_gateway):
    """follow(**tenant_vindex) starts an mqgate on the test's table."""
    def make(start=True, vindex_max_age="15m", listed=LISTED, **changes):
        settings = merged(tenants.settings, {
            "tenants": listed, "vindex_max_age": vindex_max_age,
            "tenant_vindex": {"refresh_interval": "1h", **changes}})
        return make_gateway(settings, start=start)
    return make


def put(gateway, tenant, topic):
    """Publishes one row as the tenant."""
    connection = gateway.connect(tenant)
    try:
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO queue_offsets (consumer_group, topic, partition_key, "
                           "offset_acked, updated_at) VALUES ('g', %s, 'p', 1, 1)", (topic,))
    finally:
        connection.close()


def serves(gateway, tenant):
    """None when a statement of the tenant is answered, else the refusal's code."""
    try:
        connection = gateway.connect(tenant)
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT COUNT(*) FROM queue_offsets WHERE topic = 'none'")
                return None
        finally:
            connection.close()
    except Exception as error:  # pylint: disable=broad-except
        return re.match(r"MQ\d+", error.args[1]).group(0)


def shards_with(cluster, tenant, topic):
    return [shard for shard, found in cluster.query_all(
        "SELECT tenant FROM queue_offsets WHERE topic = %s", (topic,)) if found == tenant]


def test_rows_go_where_the_table_says(cluster, tenants, follow, topic):
    for tenant, shard in zip(LISTED[:3], ["80-", "-80", "80-"]):
        tenants.ok("add", tenant, "--shard", shard)
    gateway = follow()
    for tenant, shard in zip(LISTED[:3], [1, 0, 1]):
        put(gateway, tenant, topic)
        assert shards_with(cluster, tenant, topic) == [shard]


def test_a_tenant_placed_later_is_found_on_a_miss(cluster, tenants, follow, topic):
    tenants.ok("add", "payments")
    gateway = follow()
    with refused(3004):
        put(gateway, "orders", topic)
    assert shards_with(cluster, "orders", topic) == []  # never hashed instead
    tenants.ok("add", "orders", "--shard", "80-")
    wait_until(lambda: serves(gateway, "orders") is None, "the tenant is found")
    put(gateway, "orders", topic)
    assert shards_with(cluster, "orders", topic) == [1]


def test_changes_are_followed_by_interval(tenants, follow):
    tenants.ok("add", IDLE)
    gateway = follow(refresh_interval="200ms")
    assert serves(gateway, IDLE) is None
    tenants.ok("retire", IDLE)
    wait_until(lambda: serves(gateway, IDLE) == "MQ3007", "the tenant is retired")
    tenants.ok("place", IDLE, "--shard", "-80")
    wait_until(lambda: serves(gateway, IDLE) is None, "the tenant serves again")


def test_a_table_restored_to_an_older_version_is_read_anew(tenants, follow):
    tenants.ok("add", IDLE, "--shard", "-80")
    for shard in SHARDS * 3:
        tenants.ok("place", IDLE, "--shard", shard)
    gateway = follow(refresh_interval="200ms")
    assert serves(gateway, IDLE) is None
    # In one step, as a restore is: a reader between two would know version 1 already.
    tenants.sql("UPDATE {table} SET version = 1, state = IF(tenant = '', state, 'retired')")
    wait_until(lambda: serves(gateway, IDLE) == "MQ3007", "the old state is seen")


def test_a_reload_keeps_what_is_known(cluster, tenants, follow, forwarder, topic):
    """Also when the table cannot be read just then and the shards stand in another order."""
    tenants.ok("add", "payments", "--shard", "80-")
    gateway = follow(address=forwarder.address)
    tenants.ok("add", "orders", "--shard", "-80")
    wait_until(lambda: serves(gateway, "orders") is None, "the tenant is found")
    forwarder.mute()
    gateway.config["keyspace"]["shards"] = dict(
        reversed(gateway.config["keyspace"]["shards"].items()))
    gateway.config_path.write_text(yaml.safe_dump(gateway.config, sort_keys=False))
    gateway.reload()
    gateway.log_contains("reloaded")
    for tenant, shard in (("payments", 1), ("orders", 0)):
        put(gateway, tenant, topic)
        assert shards_with(cluster, tenant, topic) == [shard]


def test_all_tenants_of_the_table(tenants, follow):
    tenants.ok("add", "payments")
    gateway = follow(listed="table", refresh_interval="200ms")
    assert serves(gateway, "payments") is None
    tenants.ok("add", "newcomer")
    wait_until(lambda: serves(gateway, "newcomer") is None, "the newcomer is served")


def test_starts_from_the_file_while_the_table_is_down(tenants, follow, forwarder, tmp_path):
    snapshot = tmp_path / "snapshot"
    tenants.ok("add", "payments", "--shard", "80-")
    settings = {"address": forwarder.address, "snapshot_file": str(snapshot),
                "refresh_interval": "200ms"}
    gateway = follow(**settings)
    assert serves(gateway, "payments") is None
    shutil.copy(snapshot, tmp_path / "copy")  # the next one gets a file of its own
    forwarder.cut()
    settings["snapshot_file"] = str(tmp_path / "copy")
    second = follow(**settings)
    assert serves(second, "payments") is None
    assert serves(second, "orders") == "MQ3004"
    forwarder.mend()
    tenants.ok("add", "orders")
    wait_until(lambda: serves(second, "orders") is None, "the table is read again")


@pytest.mark.parametrize("contents", [None, b"", b"garbage", b"MQTENNT1" + bytes(200)])
def test_a_bad_file_does_not_start(follow, tmp_path, contents):
    snapshot = tmp_path / "snapshot"
    if contents is not None:
        snapshot.write_bytes(contents)
    gateway = follow(start=False, address=DEAD_ADDRESS, snapshot_file=str(snapshot)).spawn()
    assert gateway.process.wait(20) == 1
    assert "MQ1008" in gateway.log()


@pytest.mark.faults
def test_an_unconfirmed_state_is_used_for_vindex_max_age_only(tenants, follow, forwarder):
    tenants.ok("add", "payments")
    gateway = follow(address=forwarder.address, refresh_interval="200ms", vindex_max_age="2s")
    assert serves(gateway, "payments") is None
    forwarder.cut()
    wait_until(lambda: serves(gateway, "payments") == "MQ3013", "the state is too old")
    forwarder.mend()
    wait_until(lambda: serves(gateway, "payments") is None, "the table is confirmed again")


# --- states -----------------------------------------------------------------------------------


def test_statements_of_a_moving_tenant_wait_and_others_go_on(tenants, follow):
    tenants.ok("add", "payments", "orders")
    gateway = follow(refresh_interval="100ms")
    tenants.change("payments", "moving")
    with ThreadPoolExecutor(4) as pool:
        waiting = []

        def one_more_waits():
            waiting.append(pool.submit(serves, gateway, "payments"))
            assert {serves(gateway, "orders") for _ in range(3)} == {None}
            return not waiting[-1].done()

        wait_until(one_more_waits, "a statement waits")
        tenants.change("payments", "serving")
        assert {done.result(timeout=10) for done in waiting} == {None}


@pytest.mark.faults
def test_a_statement_waits_for_a_moving_tenant_up_to_a_limit(tenants, follow):
    tenants.ok("add", "payments")
    tenants.change("payments", "moving")
    gateway = follow()
    began = time.monotonic()
    assert serves(gateway, "payments") == "MQ3008"
    assert 9 < time.monotonic() - began < 15


def test_a_tenant_that_is_about_to_move_is_watched(tenants, follow):
    """Every second, whatever the interval."""
    tenants.ok("add", "payments", "orders")
    tenants.change("payments", "preparing")
    gateway = follow(refresh_interval="1h")
    assert serves(gateway, "payments") is None
    tenants.change("payments", "retired")
    wait_until(lambda: serves(gateway, "payments") == "MQ3007", "the change is seen")


@pytest.mark.faults
def test_a_tenant_that_is_about_to_move_is_used_on_a_short_lease(tenants, follow, forwarder):
    tenants.ok("add", "payments", "orders")
    tenants.change("payments", "preparing")
    gateway = follow(address=forwarder.address, refresh_interval="1h")
    assert serves(gateway, "payments") is None
    forwarder.cut()
    wait_until(lambda: serves(gateway, "payments") == "MQ3013", "the lease has ended")
    assert serves(gateway, "orders") is None
    forwarder.mend()
    wait_until(lambda: serves(gateway, "payments") is None, "the lease is renewed")


def test_a_statement_under_way_goes_on_when_its_tenant_is_retired(cluster, tenants, follow, topic):
    tenants.ok("add", "payments", "--shard", "-80")
    gateway = follow(refresh_interval="100ms")
    put(gateway, "payments", topic)
    lock = cluster.connect(0, autocommit=False)
    client = gateway.connect("payments", autocommit=False)
    try:
        with lock.cursor() as cursor:
            cursor.execute("SELECT * FROM queue_offsets WHERE tenant = 'payments' AND topic = %s "
                           "FOR UPDATE", (topic,))
        with ThreadPoolExecutor(1) as pool, client.cursor() as cursor:
            running = pool.submit(cursor.execute, "UPDATE queue_offsets SET offset_acked = 2 "
                                  "WHERE consumer_group = 'g' AND topic = %s", (topic,))
            tenants.ok("retire", "payments")
            wait_until(lambda: serves(gateway, "payments") == "MQ3007", "the tenant is retired")
            assert not running.done()
            lock.rollback()
            assert running.result(timeout=20) == 1
        client.commit()
        assert cluster.query(0, "SELECT offset_acked FROM queue_offsets WHERE tenant = 'payments' "
                             "AND topic = %s", (topic,)) == [(2,)]
    finally:
        lock.close()
        client.close()


# --- clients that do what they like -----------------------------------------------------------


def test_invented_tenants_do_not_read_the_table_each_time(tenants, follow, forwarder):
    tenants.ok("add", "payments")
    gateway = follow(listed="table", address=forwarder.address)
    assert serves(gateway, "payments") is None
    before, began = forwarder.counts["reads"], time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda i: serves(gateway, f"invented-{i}"), range(80)))
    assert set(answers) == {"MQ3004"}
    reads = forwarder.counts["reads"] - before
    assert reads <= (time.monotonic() - began) / 0.1 + 2
    assert serves(gateway, "payments") is None

    connection = gateway.connect("invented-again")
    try:
        before, began = forwarder.counts["reads"], time.monotonic()
        for _ in range(100):
            with refused(3004), connection.cursor() as cursor:
                cursor.execute("SELECT COUNT(*) FROM queue_offsets WHERE topic = 'none'")
        assert forwarder.counts["reads"] - before <= (time.monotonic() - began) + 2
    finally:
        connection.close()


# --- under load -------------------------------------------------------------------------------


class Client(threading.Thread):
    """Publishes for one tenant until it is stopped; counts, and remembers what was refused."""

    def __init__(self, gateway, tenant, topic):
        super().__init__(daemon=True)
        self.gateway, self.tenant, self.topic = gateway, tenant, topic
        self.stored, self.codes, self._stop_asked = 0, collections.Counter(), threading.Event()
        self.start()

    def run(self):
        connection = self.gateway.connect(self.tenant)
        while not self._stop_asked.is_set():
            try:
                with connection.cursor() as cursor:
                    cursor.execute(
                        "INSERT INTO queue_offsets (consumer_group, topic, partition_key, "
                        "offset_acked, updated_at) VALUES ('g', %s, %s, 1, 1)",
                        (self.topic, f"p{self.stored}"))
                self.stored += 1
            except pymysql.err.MySQLError as error:
                self.codes[error.args[1][:6]] += 1
                time.sleep(0.02)  # as a client backs off
        connection.close()

    def goes_on(self):
        """Waits until it has stored some more."""
        target = self.stored + 10
        wait_until(lambda: self.stored >= target, f"{self.tenant} publishes")

    def stop(self):
        self._stop_asked.set()
        self.join(20)


@pytest.mark.faults
def test_tenants_come_and_go_under_load(cluster, tenants, follow, forwarder, topic, tmp_path):
    """Added, retired and placed while clients publish, and the vindex database down for a while."""
    tenants.ok("add", "payments", "--shard", "-80")
    tenants.ok("add", "orders", "--shard", "80-")
    gateway = follow(address=forwarder.address, refresh_interval="100ms",
                     snapshot_file=str(tmp_path / "snapshot"))
    clients = {name: Client(gateway, name, topic) for name in ("payments", "orders")}
    clients["payments"].goes_on()
    clients["monorepo/main"] = Client(gateway, "monorepo/main", topic)  # before it is added
    wait_until(lambda: clients["monorepo/main"].codes["MQ3004"], "it is refused")
    tenants.ok("add", "monorepo/main", "--shard", "80-")
    clients["monorepo/main"].goes_on()
    forwarder.cut()
    tenants.ok("retire", "orders")  # which the sidecar cannot see yet
    gateway.log_contains("cannot be read")
    for client in clients.values():
        client.goes_on()
    forwarder.mend()
    wait_until(lambda: clients["orders"].codes["MQ3007"], "it is retired")
    tenants.ok("place", "orders", "--shard", "-80", "--force")
    clients["orders"].goes_on()
    for client in clients.values():
        client.stop()

    assert not clients["payments"].codes
    assert set(clients["monorepo/main"].codes) == {"MQ3004"}
    assert set(clients["orders"].codes) == {"MQ3007"}
    homes = {"payments": {0}, "monorepo/main": {1}, "orders": {0, 1}}
    for name, client in clients.items():
        shards = shards_with(cluster, name, topic)
        assert len(shards) == client.stored and set(shards) == homes[name]
