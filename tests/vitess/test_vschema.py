"""The cluster's VSchema, read from vtgate at start, on reload and by mqgate check."""

import json
import socket

import pytest
import yaml

from conftest import LOOKUP
from gateway import merged, run_program


@pytest.fixture
def check(cluster, tmp_path):
    """check(changes) runs `mqgate check` of the cluster's configuration with the changes."""

    def run(changes=None, *options):
        path = tmp_path / "mqgate.yaml"
        path.write_text(yaml.safe_dump(merged(cluster.config, changes or {})))
        return run_program("check", "-c", path, *options)

    return run


def vschema_file(folder, vindex):
    """A VSchema of the queue tables by another vindex."""
    document = json.loads(run_program("schema", "--vschema").stdout)
    document["vindexes"]["tenant_xxhash"] = {"type": vindex}
    path = folder / f"{vindex}.json"
    path.write_text(json.dumps(document))
    return str(path)


def closed_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def gates(*ports):
    return {"vitess": {"gates": [f"127.0.0.1:{port}" for port in ports]}}


def refused(done, *parts):
    assert done.returncode == 1, done.stdout
    for part in parts:
        assert part in done.stdout, done.stdout


def test_what_the_cluster_says_is_used(check, cluster):
    said = check({"vitess": {"shards": ["-"]}})
    assert said.returncode == 0, said.stdout
    assert "sharded by xxhash(tenant)" in said.stdout
    for name in cluster.names:
        assert f"  shard     {name}\n" in said.stdout


def test_a_file_that_agrees(check, tmp_path):
    said = check({"keyspace": {"vschema": vschema_file(tmp_path, "xxhash")}})
    assert said.returncode == 0, said.stdout


def test_a_file_that_differs(check, tmp_path):
    differs = {"keyspace": {"vschema": vschema_file(tmp_path, "binary_md5")}}
    refused(check(differs), "MQ1011", "table queue_messages is sharded by xxhash in the cluster, but by "
            "binary_md5 in keyspace.vschema")
    assert check(differs, "--offline").returncode == 0


def test_a_keyspace_that_is_not_there(check):
    refused(check({"keyspace": {"database": "nowhere"}}), "MQ1011", "no keyspace nowhere", "queue")


def test_a_keyspace_that_is_not_sharded(check):
    refused(check({"keyspace": {"database": "places"}}), "MQ1011", "not sharded")


def test_a_table_that_is_not_in_the_vschema(check):
    extra = {"extra": {"columns": [{"name": "id", "definition": "INT NOT NULL"}],
                       "primary_key": ["id"]}}
    refused(check({"queue_tables": extra}), "MQ1011", "table extra is not in the VSchema")


def test_a_lookup_needs_the_table(check):
    placed = {"keyspace": {"database": "placed"}}
    refused(check(placed), "MQ1011", "lookup_unique needs the section tenant_vindex")


def test_no_vtgate_answers(check):
    refused(check(gates(closed_port())), "MQ1012")


def test_one_vtgate_of_two_answers(check, cluster):
    assert check(gates(closed_port(), cluster.gate[1])).returncode == 0


def test_no_start_without_it(make_gateway, tmp_path):
    gateway = make_gateway({"keyspace": {"vschema": vschema_file(tmp_path, "binary_md5")}},
                           start=False)
    assert gateway.spawn().process.wait(60) == 1
    gateway.log_contains("MQ1011.*queue_messages")


def test_reload_compares_again(make_gateway, vtgate):
    gateway = make_gateway()
    with vtgate().cursor() as cursor:
        cursor.execute("ALTER VSCHEMA ON queue_offsets DROP VINDEX tenant_xxhash")
        try:
            gateway.reload()
            gateway.log_contains("MQ1011: .*table queue_offsets is not in the VSchema")
            gateway.log_contains("reload refused")
            gateway.check_alive()
        finally:
            cursor.execute("ALTER VSCHEMA ON queue_offsets ADD VINDEX tenant_xxhash(tenant)")
    since = len(gateway.log())
    gateway.reload()
    gateway.log_contains("reloaded", since)


def test_a_lookup_that_locks(check, cluster, vtgate):
    """Its params can be changed under an mqgate's feet."""
    places = {"keyspace": {"database": "placed"},
              "tenant_vindex": {"address": f"127.0.0.1:{cluster.gate[1]}", "database": "places",
                                "user": "mqgate", "password": "mqgate"}}
    assert check(places).returncode == 0
    params = ", ".join(f"{k}=`{v}`" for k, v in LOOKUP["params"].items() if k != "read_lock")
    with vtgate("placed").cursor() as cursor:
        cursor.execute(f"ALTER VSCHEMA CREATE VINDEX locking USING lookup_unique WITH {params}")
        cursor.execute("ALTER VSCHEMA ON queue_offsets DROP VINDEX tenant_lookup")
        cursor.execute("ALTER VSCHEMA ON queue_offsets ADD VINDEX locking(tenant)")
        try:
            refused(check(places), "MQ1011", "vindex locking", "read_lock: none")
        finally:
            cursor.execute("ALTER VSCHEMA ON queue_offsets DROP VINDEX locking")
            cursor.execute("ALTER VSCHEMA ON queue_offsets ADD VINDEX tenant_lookup(tenant)")
            cursor.execute("ALTER VSCHEMA DROP VINDEX locking")
