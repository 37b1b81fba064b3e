"""The tenant vindex table on real servers: `mqgate tenants`, and sidecars that follow it."""

import json
import re
import shutil
import socket
import socketserver
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import yaml

import vindex
from gateway import merged, run_program
from refusals import refused
from waiting import wait_until

IDLE = "idle"  # no test publishes for it, so it can be placed anywhere
LISTED = ["payments", "orders", "monorepo/main", IDLE]
SHARDS = ["-80", "80-"]
DEAD_ADDRESS = "127.0.0.1:1"  # nobody listens there


def unused_table(request):
    """Every test has a table of its own, all in one database of the first shard."""
    return "v_" + re.sub(r"\W", "_", request.node.name)[:60]


class Tenants:
    """`mqgate tenants` with a configuration of its own."""

    def __init__(self, cluster, folder, table, changes=None):
        self.cluster, self.table = cluster, table
        facts = cluster.facts["tenant_vindex"]
        self.database = facts["database"]
        self.settings = {
            "tenants": LISTED,
            "tenant_vindex": {"address": f"{facts['host']}:{facts['port']}",
                              "database": self.database, "table": table,
                              "user": "mqgate", "password": "mqgate"}}
        self.path = folder / "tenants.yaml"
        self.configure(changes or {})

    def configure(self, changes):
        config = merged(merged(self.cluster.config, self.settings), changes)
        self.path.write_text(yaml.safe_dump(config))

    def run(self, verb, *arguments):
        return run_program("tenants", verb, "-c", str(self.path), *arguments)

    def ok(self, verb, *arguments):
        done = self.run(verb, *arguments)
        assert done.returncode == 0, done.stderr
        return done

    def fails(self, text, verb, *arguments, status=1):
        done = self.run(verb, *arguments)
        assert done.returncode == status, done.stdout + done.stderr
        assert text in done.stderr
        return done

    def listed(self):
        """{tenant: (shard, state)} as `list --json` has it."""
        rows = json.loads(self.ok("list", "--json").stdout)
        return {row["tenant"]: (row.get("shard"), row["state"]) for row in rows}

    def sql(self, statement, *arguments):
        connection = self.cluster.connect(0, database=self.database)
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement.format(table=f"`{self.table}`"), arguments)
                return list(cursor.fetchall())
        finally:
            connection.close()

    def rows(self):
        """{tenant: (keyspace id, state, version)} as the table has it."""
        return {tenant: tuple(rest)
                for tenant, *rest in self.sql("SELECT tenant, keyspace_id, state, version "
                                              "FROM {table} WHERE tenant <> ''")}

    def counter(self):
        return self.sql("SELECT version FROM {table} WHERE tenant = ''")[0][0]


@pytest.fixture
def tenants(cluster, tmp_path, request):
    return Tenants(cluster, tmp_path, unused_table(request))


def publish_on_shard(cluster, shard, tenant):
    """A row of the tenant on a shard, behind mqgate's back."""
    cluster.query(shard, "INSERT INTO queue_offsets VALUES (%s, 'g', 'placement', 'p', 1, 1)",
                  (tenant,))


# --- mqgate tenants ---------------------------------------------------------------------------


def test_listed_tenants_begin_unplaced(tenants):
    tenants.ok("add", "other")
    assert tenants.listed() == {"other": (SHARDS[vindex.shard_index("other", SHARDS)], "serving"),
                                **{tenant: (None, "unplaced") for tenant in LISTED}}


def test_added_tenants_are_where_the_function_has_them(tenants):
    tenants.ok("add", *LISTED)
    assert {tenant: row[:2] for tenant, row in tenants.rows().items()} == {
        tenant: (vindex.keyspace_id(tenant), "serving") for tenant in LISTED}
    assert tenants.listed() == {
        tenant: (SHARDS[vindex.shard_index(tenant, SHARDS)], "serving") for tenant in LISTED}


def test_a_tenant_is_added_once_and_the_others_go_on(tenants):
    tenants.ok("add", "payments")
    before = tenants.rows()["payments"]
    tenants.fails("already", "add", "payments", "orders")
    assert tenants.rows()["payments"] == before
    assert "orders" in tenants.rows()


def test_a_shard_or_a_keyspace_id_can_be_chosen(tenants):
    for shard in SHARDS:
        tenants.ok("add", f"on{shard}", "--shard", shard)
    tenants.ok("add", "exact", "--keyspace-id", "7fff")
    listed = tenants.listed()
    assert [listed[f"on{shard}"][0] for shard in SHARDS] == SHARDS
    assert tenants.rows()["exact"][0] == b"\x7f\xff"
    assert listed["exact"] == ("-80", "serving")


@pytest.mark.parametrize("arguments, text, status", [
    (["add"], "at least one tenant", 2),
    (["add", "a", "--shard", "-80", "--keyspace-id", "00"], "not both", 2),
    (["add", "a", "--shard", "40-80"], "no shard", 1),
    (["add", "a", "--keyspace-id", "4a3"], "no keyspace id", 1),
    (["add", "a", "--keyspace-id", "00" * 17], "more than 16 bytes", 1),
    (["add", "a", "b,c"], '"b,c"', 2),
    (["add", "a", " b"], '" b"', 2),
    (["add", "a", ""], '""', 2),
    (["place", "a"], "--shard or --keyspace-id", 2),
    (["place", "a", "--shard", "-80"], "MQ3004", 1),
    (["retire", "a"], "MQ3004", 1),
    (["retire", "a", "--shard", "-80"], "neither", 2),
    (["list", "a"], "takes no tenants", 2),
    (["move", "a"], "list, add, place and retire", 2),
    (["add", "a", "--nonsense"], "option", 2),
])
def test_misuse_changes_nothing(tenants, arguments, text, status):
    tenants.ok("add", "present")
    before = tenants.rows()
    tenants.fails(text, *arguments, status=status)
    assert tenants.rows() == before


def test_versions_rise_with_every_change(tenants):
    seen = []
    for change in (["add", "a"], ["add", "b"], ["place", "a", "--shard", "80-"], ["retire", "b"],
                   ["place", "b", "--shard", "-80"]):
        tenants.ok(*change)
        seen.append(tenants.rows()[change[1]][2])
        assert tenants.counter() == seen[-1]
    assert seen == sorted(set(seen))


def test_changes_at_the_same_time_get_versions_of_their_own(tenants):
    tenants.ok("add", "first")
    names = [f"t{i}" for i in range(24)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda i: tenants.ok("add", *names[i::6]), range(6)))
    versions = [row[2] for row in tenants.rows().values()]
    assert sorted(versions) == list(range(min(versions), min(versions) + len(names) + 1))
    assert tenants.counter() == max(versions)


def test_a_table_made_by_hand_gets_its_counter(tenants):
    tenants.sql("CREATE TABLE {table} (tenant VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin "
                "PRIMARY KEY, keyspace_id VARBINARY(64), state VARCHAR(16), version BIGINT)")
    tenants.sql("INSERT INTO {table} VALUES ('old', %s, 'serving', 41)", b"\x10")
    tenants.ok("add", "new")
    assert tenants.rows()["new"][2] > 41
    assert tenants.listed()["old"] == ("-80", "serving")


def test_only_an_empty_tenant_is_placed(cluster, tenants, request):
    name = unused_table(request)
    tenants.ok("add", name, "--shard", "-80")
    publish_on_shard(cluster, 0, name)
    before = tenants.rows()
    tenants.fails("rows in queue_offsets on shard -80", "place", name, "--shard", "80-")
    assert tenants.rows() == before
    tenants.ok("place", name, "--keyspace-id", "01")  # the same shard: nothing is left behind
    cluster.query(0, "DELETE FROM queue_offsets WHERE tenant = %s", (name,))
    tenants.ok("place", name, "--shard", "80-")
    assert tenants.listed()[name] == ("80-", "serving")


def test_force_leaves_rows_behind(cluster, tenants, request):
    name = unused_table(request)
    tenants.ok("add", name, "--shard", "80-")
    publish_on_shard(cluster, 1, name)
    tenants.ok("place", name, "--shard", "-80", "--force")
    assert tenants.listed()[name] == ("-80", "serving")


def test_a_shard_that_cannot_be_asked_may_hold_rows(tenants):
    tenants.ok("add", "a", "--shard", "80-")
    tenants.configure({"keyspace": {"shards": {"80-": {"address": DEAD_ADDRESS}}}})
    tenants.fails("MQ5001", "place", "a", "--shard", "-80")
    assert tenants.rows()["a"][0] >= b"\x80"


def test_a_retired_tenant_serves_again_when_placed(tenants):
    tenants.ok("add", "a", "--shard", "-80")
    tenants.ok("retire", "a")
    assert tenants.listed()["a"] == ("-80", "retired")
    tenants.fails("state retired", "add", "a")
    tenants.ok("place", "a", "--shard", "80-")
    assert tenants.listed()["a"] == ("80-", "serving")


@pytest.mark.parametrize("state", ["preparing", "moving"])
def test_a_move_is_left_alone(tenants, state):
    tenants.ok("add", "a", "--shard", "-80")
    tenants.sql("UPDATE {table} SET state = %s WHERE tenant = 'a'", state)
    before = tenants.rows()
    tenants.fails("being moved", "place", "a", "--shard", "80-")
    tenants.fails("being moved", "retire", "a")
    assert tenants.rows() == before


def test_a_removed_tenant_can_be_added_again(tenants):
    tenants.ok("add", "a", "--shard", "-80")
    tenants.sql("UPDATE {table} SET state = 'removed' WHERE tenant = 'a'")
    assert "a" not in tenants.listed()
    tenants.fails("MQ3004", "retire", "a")
    tenants.ok("add", "a", "--shard", "80-")
    assert tenants.listed()["a"] == ("80-", "serving")


def test_without_a_table_the_function_decides(tenants):
    tenants.configure({"tenant_vindex": None})
    assert tenants.listed() == {
        tenant: (SHARDS[vindex.shard_index(tenant, SHARDS)], "serving") for tenant in LISTED}
    tenants.fails("no tenant_vindex is configured", "add", "a")


@pytest.mark.parametrize("changes, text", [
    ({"address": DEAD_ADDRESS}, "MQ1008"),
    ({"password": "wrong"}, "Access denied"),
    ({"database": "nowhere"}, "nowhere"),
    ({"table": "no_such_table"}, "no_such_table"),
])
def test_a_table_that_cannot_be_read_is_named(tenants, changes, text):
    tenants.configure({"tenant_vindex": changes})
    done = tenants.fails(text, "list")
    assert "wrong" not in done.stderr


@pytest.mark.faults
def test_a_frozen_database_ends_in_an_error(cluster, tenants):
    tenants.ok("add", "a")
    cluster.freeze(0)
    try:
        tenants.fails("MQ1008", "list")  # run_program has a time-out
    finally:
        cluster.thaw(0)
    tenants.ok("list")


# --- sidecars that follow the table -----------------------------------------------------------


class Forwarder:
    """Stands between mqgate and the vindex database; can be cut, or swallow what is sent."""

    def __init__(self, target):
        cut, mute = self._cut, self._mute = threading.Event(), threading.Event()

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
    tenants.sql("UPDATE {table} SET version = 1 WHERE tenant = ''")
    tenants.sql("UPDATE {table} SET version = 1, state = 'retired' WHERE tenant = %s", IDLE)
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
