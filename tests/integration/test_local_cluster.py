"""tools/local-cluster, which everything else stands on."""

import json
import os
import signal
import socket
import subprocess
import sys

import pymysql
import pytest

from cluster import TOOL
from conftest import SERVERS
from waiting import wait_until


def tool(*arguments, status=0):
    done = subprocess.run([sys.executable, TOOL, *arguments], capture_output=True, text=True,
                          timeout=180, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def is_process(pid):
    """A zombie, which only its parent can bury, is none."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


@pytest.fixture
def folder(tmp_path):
    yield tmp_path / "c"
    tool("stop", "--dir", tmp_path / "c")


def start(folder, *arguments):
    done = tool("start", "--dir", folder, "--base-port", "auto", "--json", *arguments)
    return json.loads(done.stdout)


def connect(shard, user="mqgate", password="mqgate"):
    return pymysql.connect(host=shard["host"], port=shard["port"], user=user, password=password,
                           database=shard["database"], autocommit=True)


def tables(shard):
    with connect(shard) as connection, connection.cursor() as cursor:
        cursor.execute("SHOW TABLES")
        return {row[0] for row in cursor.fetchall()}


def test_what_start_promises(cluster):
    facts = cluster.facts
    for shard in facts["shards"]:
        assert "queue_messages" in tables(shard) and len(tables(shard)) == 5
        connect(shard, "root", "root").close()
        with pytest.raises(pymysql.err.OperationalError):
            connect(shard, "root", "").close()
        with pymysql.connect(unix_socket=shard["socket"], user="root") as connection:
            assert connection.ping() is None
    with cluster.connect(0, database=facts["tenant_vindex"]["database"]) as connection, \
            connection.cursor() as cursor:
        cursor.execute(f"SELECT tenant, state FROM {facts['tenant_vindex']['table']}")
        assert cursor.fetchall() == (("", "counter"),)


@pytest.mark.parametrize("server", SERVERS)
def test_stop_waits_and_leaves_nothing(folder, server):
    facts = start(folder, "--server", server)
    tool("stop", "--dir", folder)
    assert not any(is_process(s["pid"]) for s in facts["servers"])
    assert all(name.endswith(".log") for name in os.listdir(folder))
    tool("status", "--dir", folder, status=3)
    tool("stop", "--dir", folder)  # nothing to do is no fault


def test_one_server_goes_and_comes_back_with_its_data(folder):
    facts = start(folder)
    with connect(facts["shards"][1]) as connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO queue_offsets VALUES ('t', 'g', 'topic', 'p', 1, 1)")
    tool("stop", "--dir", folder, "--only", "1")
    status = json.loads(tool("status", "--dir", folder, "--json", status=3).stdout)
    assert [s["running"] for s in status["servers"]] == [True, False]
    tool("start", "--dir", folder, "--resume")
    with connect(facts["shards"][1]) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM queue_offsets")
        assert cursor.fetchone() == (1,)


def test_a_killed_server_is_seen_and_resumed(folder):
    facts = start(folder, "--shards", "1")
    pid = facts["servers"][0]["pid"]
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: "stopped" in subprocess.run(
        [sys.executable, TOOL, "status", "--dir", folder], capture_output=True, text=True,
        check=False).stdout, "the status says so")
    tool("start", "--dir", folder, "--resume")
    assert len(tables(facts["shards"][0])) == 5


def test_a_running_cluster_is_not_started_over(folder):
    start(folder, "--shards", "1")
    assert "stop it first" in tool("start", "--dir", folder, status=1).stderr


def test_many_shards_in_one_server(folder):
    facts = start(folder, "--shards", "4", "--one-server")
    assert [s["name"] for s in facts["shards"]] == ["-40", "40-80", "80-c0", "c0-"]
    assert len(facts["servers"]) == 1
    assert all(len(tables(shard)) == 5 for shard in facts["shards"])


def test_shards_without_tables(folder):
    facts = start(folder, "--shards", "1", "--no-schema", "--database", "odd`name")
    assert facts["shards"][0]["database"] == "odd`name"
    assert tables(facts["shards"][0]) == set()


def test_a_port_in_use_is_named(folder):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = tool("start", "--dir", folder, "--shards", "1", "--base-port", port, status=1)
    assert f"port {port}" in done.stderr


def test_a_failed_start_leaves_no_server(folder):
    done = tool("start", "--dir", folder, "--base-port", "auto", "--server-option=--nonsense",
                status=1)
    assert "nonsense" in done.stderr
    assert all(name.endswith(".log") for name in os.listdir(folder))


def test_an_interrupted_start_leaves_no_server(folder):
    process = subprocess.Popen(
        [sys.executable, TOOL, "start", "--dir", folder, "--base-port", "auto"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    wait_until(lambda: (folder / "server-0.log").exists(), "the first server is launched")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode in (0, 130)  # it may have been done already
    tool("stop", "--dir", folder)
    assert all(name.endswith(".log") for name in os.listdir(folder))
