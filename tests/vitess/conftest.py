"""Fixtures: one Vitess cluster for all tests of this folder, and mqgate in front of it.

    cluster        Vitess of two shards: the keyspace `queue`, sharded by xxhash; `placed`, by a lookup in
                   the tenant vindex table of `places`, which is not sharded; and the tables of agreement.py
    vtgate         opens connections to vtgate
    gateway        an mqgate for `queue`, shared by all tests
    make_gateway   starts another mqgate with a changed configuration
    connect        opens connections to `gateway` that are closed after the test
    topic          a topic that no other test uses

MQGATE names the program (default build/asan/mqgate).
"""

import json
import os
import re
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

import pymysql
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

from cluster import Cluster  # noqa: E402
from gateway import PROGRAM, Gateway, run_program  # noqa: E402

import agreement  # noqa: E402

TENANTS = ["payments", "orders", "monorepo/main", "logs-eu", "search", "Search", "billing", "ads"]
PLACES = "places"
LOOKUP = {"type": "lookup_unique",
          "params": {"table": f"{PLACES}.mq_tenant_vindex", "from": "tenant", "to": "keyspace_id",
                     "read_lock": "none", "autocommit": "true"}}


def pytest_configure(config):
    if not config.option.collectonly and not PROGRAM.exists():
        pytest.exit(f"there is no {PROGRAM}: build it, or name it in MQGATE", returncode=2)


def keyspaces():
    queue = json.loads(run_program("schema", "--vschema").stdout)
    by_lookup = {"column_vindexes": [{"column": "tenant", "name": "tenant_lookup"}]}
    placed = {"sharded": True, "vindexes": {"tenant_lookup": LOOKUP},
              "tables": {table: by_lookup for table in queue["tables"]}}
    for name, part in agreement.vschema().items():
        if name != "sharded":
            queue[name].update(part)
    return {"queue": queue, "placed": placed,
            PLACES: {"sharded": False, "tables": {"mq_tenant_vindex": {}}}}


class Vitess(Cluster):
    """Its shards are databases of one MySQL, which Vitess alone should write to."""

    def __init__(self, folder):
        vschema = folder / "vschema.json"
        vschema.write_text(json.dumps({"keyspaces": keyspaces()}))
        super().__init__(folder / "c", "mysql", TENANTS,
                         arguments=["--vitess", "--vschema", vschema, "--mqgate", PROGRAM,
                                    "--vindex", "function"])
        self.gate = ("127.0.0.1", self.facts["vitess"]["port"])
        self.create("placed", run_program("schema", "--tenant").stdout)
        self.create(PLACES, run_program("schema", "--vindex-table").stdout)

    def create(self, keyspace, ddl):
        with self.vtgate(keyspace) as connection, connection.cursor() as cursor:
            for statement in ddl.split(";\n"):
                if statement.strip():
                    cursor.execute(statement)

    def kill_vtgate(self):
        """SIGKILL: vtgate and the tablets are gone; restart() brings them back."""
        facts = json.loads((self.folder / "cluster.json").read_text())["vitess"]
        os.kill(facts["pid"], signal.SIGKILL)

    def vtgate(self, keyspace="queue", **options):
        """A connection to vtgate itself."""
        options = {"user": "root", "autocommit": True, "charset": "utf8mb4", **options}
        return pymysql.connect(host=self.gate[0], port=self.gate[1], database=keyspace, **options)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    with Vitess(tmp_path_factory.mktemp("vitess")) as vitess:
        yield vitess


@pytest.fixture
def vtgate(cluster):
    with ExitStack() as stack:
        yield lambda keyspace="queue", **options: stack.enter_context(
            cluster.vtgate(keyspace, **options))


@pytest.fixture
def make_gateway(cluster, tmp_path):
    """make_gateway(changes, env=…) starts an mqgate; it is stopped and checked afterwards."""
    started = []

    def make(changes=None, env=None, start=True):
        gateway = Gateway(cluster, tmp_path / f"mqgate-{len(started)}", changes, env)
        if start:
            started.append(gateway)
            gateway.start()
        return gateway

    yield make
    for gateway in started:
        gateway.stop()


@pytest.fixture(scope="session")
def shared_gateway(cluster, tmp_path_factory):
    gateway = Gateway(cluster, tmp_path_factory.mktemp("mqgate"), {"workers": 2}).start()
    yield gateway
    gateway.stop()


@pytest.fixture
def gateway(shared_gateway):
    shared_gateway.check_alive()
    yield shared_gateway
    shared_gateway.check_alive()


@pytest.fixture
def connect(gateway):
    """connect(tenant, **options) as Gateway.connect; raw=True gives a RawConnection."""
    opened = []

    def make(tenant=None, raw=False, **options):
        opened.append((gateway.raw if raw else gateway.connect)(tenant, **options))
        return opened[-1]

    yield make
    for connection in opened:
        try:
            connection.close()
        except Exception:  # the test may have broken it on purpose
            pass


@pytest.fixture
def topic(request):
    return re.sub(r"[^A-Za-z0-9_-]+", ".", request.node.name)[:200]
