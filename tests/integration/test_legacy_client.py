"""The legacy queue client in Go (tests/clients/go) with many workers and tenants at once.
Afterwards each shard is read directly: no row may be missing, doubled or on the wrong shard."""

import json
import os
import shutil
import subprocess
import threading

import pytest

from cluster import ROOT

SOURCE = ROOT / "tests" / "clients" / "go"


def unavailable(reason):
    if os.environ.get("MQ_REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def go_command(go, *arguments):
    return subprocess.run(
        [go, *arguments],
        cwd=SOURCE,
        capture_output=True,
        text=True,
        env={**os.environ, "GOWORK": "off"},
        check=False,
    )


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    go = shutil.which("go")
    if not go:
        unavailable("there is no go: install golang-go")
    download = go_command(go, "mod", "download")
    if download.returncode:
        unavailable(f"the Go client's module: {download.stderr.splitlines()[-1]}")
    path = tmp_path_factory.mktemp("go") / "legacyclient"
    build = go_command(go, "build", "-o", path, ".")
    assert build.returncode == 0, build.stderr
    return path


@pytest.fixture
def run_client(program, tmp_path):
    """run_client(data source, tenants, …) runs it to its end and returns its report."""

    def run(dsn, tenants, *arguments):
        report = tmp_path / f"report-{len(list(tmp_path.iterdir()))}.json"
        done = subprocess.run(
            [program, "-dsn", dsn, "-tenants", ",".join(tenants), "-report", report, *arguments],
            capture_output=True,
            text=True,
            timeout=150,
            check=False,
        )
        assert done.returncode == 0, (done.stdout + done.stderr)[:6000]
        return json.loads(report.read_text())

    return run


def verify(cluster, report):
    """Compares the messages on the shards with what the client says it did."""
    expected = {}
    for tenant in report["tenants"]:
        collected = {t["topic"]: t["collected"] for t in tenant["topics"]}
        for m in tenant["messages"]:
            assert (
                m["deliveries"] == {"ack": 1, "retry": 3, "postpone": 2, "poison": 4}[m["fate"]]
            ), m
            assert m["dead"] == (m["fate"] == "poison"), m
            if m["dead"] or not collected[m["topic"]]:
                key = (tenant["tenant"], m["topic"] + "_dlq" * m["dead"], m["partition"], m["id"])
                expected[key] = None if m["dead"] else m["offset"]
    like = report["run"] + ".topic-%"
    rows = cluster.query_all(
        "SELECT tenant, topic, partition_key, id, `offset`, payload "
        "FROM queue_messages WHERE topic LIKE %s",
        (like,),
    )
    found = {}
    for shard, tenant, topic, partition, identifier, offset, payload in rows:
        key = (tenant, topic, partition, identifier)
        assert key not in found, f"{key} is there twice"
        assert shard == cluster.shard_of(tenant), f"{key} is on shard {shard}"
        said = json.loads(payload.split(b"\n")[0])
        assert (said["tenant"], said["id"]) == (tenant, identifier), f"{key} holds {said}"
        found[key] = None if topic.endswith("_dlq") else offset
    assert found.keys() == expected.keys()
    assert found == expected
    verify_the_rest(cluster, report, like)


def verify_the_rest(cluster, report, like):
    """Of the other tables: every row on its tenant's shard, watermarks kept, leases given back."""
    for table in (
        "queue_offsets",
        "queue_delivery_state",
        "queue_partition_leases",
        "queue_subscriber_heartbeats",
    ):
        for shard, tenant in cluster.query_all(
            f"SELECT DISTINCT tenant FROM {table} WHERE topic LIKE %s", (like,)
        ):
            assert shard == cluster.shard_of(tenant), f"{table}: {tenant} on shard {shard}"
    for table in ("queue_partition_leases", "queue_subscriber_heartbeats"):
        assert cluster.query_all(f"SELECT COUNT(*) FROM {table} WHERE topic LIKE %s", (like,)) == [
            (n, 0) for n in range(len(cluster.shards))
        ]
    partitions = {
        (t["tenant"], m["topic"], m["partition"]) for t in report["tenants"] for m in t["messages"]
    }
    rows = cluster.query_all(
        "SELECT tenant, topic, partition_key FROM queue_offsets WHERE topic LIKE %s", (like,)
    )
    assert {row[1:] for row in rows} == partitions and len(rows) == len(partitions)


def data_source(gateway, user="app:app", database="queue@{tenant}", parameters=""):
    return f"{user}@tcp(127.0.0.1:{gateway.port})/{database}{parameters}"


@pytest.mark.threads
@pytest.mark.parametrize("mode", ["default", "interpolate"])
@pytest.mark.parametrize("parameters", ["", "?clientFoundRows=true"], ids=["changed", "found"])
def test_database_names_the_tenant(gateway, cluster, run_client, mode, parameters):
    arguments = ["-interpolate"] if mode == "interpolate" else []
    report = run_client(
        data_source(gateway, parameters=parameters),
        cluster.tenants,
        "-workers",
        "3",
        "-messages",
        "160",
        *arguments,
    )
    verify(cluster, report)


def test_variable_names_the_tenant(gateway, cluster, run_client):
    report = run_client(
        data_source(gateway, database="queue", parameters="?@mq_tenant='{tenant}'"),
        cluster.tenants[:4],
        "-messages",
        "80",
        "-partitions",
        "7",
    )
    verify(cluster, report)


def test_account_names_the_tenant(make_gateway, cluster, run_client):
    backend = {"user": "mqgate", "password": "mqgate"}
    gateway = make_gateway(
        {
            "accounts": {
                f"of-{tenant}": {"password": "app", "tenants": [tenant], "backend": backend}
                for tenant in cluster.tenants
            }
        }
    )
    report = run_client(
        data_source(gateway, user="of-{tenant}:app", database="queue"),
        cluster.tenants,
        "-messages",
        "80",
    )
    verify(cluster, report)


def test_few_backends(make_gateway, cluster, run_client):
    """Many connections share three backends per shard; transactions wait for each other."""
    gateway = make_gateway(
        {"workers": 2, "pool": {"max_per_shard": 3, "wait_timeout": "10s", "max_statements": 4}}
    )
    arguments = ["-workers", "4", "-messages", "80", "-timeout", "60s"]
    report = run_client(data_source(gateway), cluster.tenants, *arguments)
    verify(cluster, report)


def test_together_on_one_server(legacy_server, run_client):
    """What it expects of mqgate with qualified partition keys, the legacy server gives."""
    (host, port), database = legacy_server
    report = run_client(
        f"root:root@tcp({host}:{port})/{database}",
        ["acme", "globex", "initech"],
        "-together",
        "-quote-offset",
        "-rounds",
        "4",
        "-messages",
        "80",
    )
    assert [t["tenant"] for t in report["tenants"]] == ["acme", "globex", "initech"]
    assert all(len(t["messages"]) == 80 for t in report["tenants"])
    assert len(report["workers"][0]) >= 4, "workers come and go"


@pytest.mark.faults
def test_shard_is_killed_under_load(make_gateway, cluster, run_client):
    """The client tries again what failed; nothing that was confirmed is lost."""
    gateway = make_gateway()
    tenants = cluster.tenants
    stop = threading.Event()

    def disturb():
        for _ in range(2):
            if stop.wait(0.5):
                return
            cluster.kill(1)
            cluster.restart()

    disturbing = threading.Thread(target=disturb)
    disturbing.start()
    try:
        report = run_client(data_source(gateway), tenants, "-messages", "240", "-retry-for", "60s")
    finally:
        stop.set()
        disturbing.join()
        cluster.restart()
    messages = [m for t in report["tenants"] for m in t["messages"]]
    assert len(messages) == 240 * len(tenants)
    for shard, tenant in cluster.query_all(
        "SELECT DISTINCT tenant FROM queue_messages WHERE topic LIKE %s", (report["run"] + "%",)
    ):
        assert shard == cluster.shard_of(tenant)
