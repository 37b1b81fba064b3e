"""Fixtures: clusters of both kinds of server, and mqgate in front of them.

    cluster        two shards; every test that asks for it runs once per kind of server
    gateway        an mqgate shared by all tests of a kind
    direct         opens connections to a server with the legacy schema, without mqgate
    make_gateway   starts another mqgate with a changed configuration
    connect        opens connections to `gateway` that are closed after the test
    topic          a topic that no other test uses

MQGATE names the program (default build/asan/mqgate). With MQ_REQUIRE_ALL=1 a server that cannot
be had is a failure, otherwise its tests are skipped. MQ_SERVERS=mariadb restricts the kinds.
"""

import os
import re

import pytest

from certificates import Authority
from cluster import Cluster, ClusterUnavailable
from gateway import PROGRAM, Gateway
from legacy import legacy_ddl
from rawmysql import RawConnection

SERVERS = os.environ.get("MQ_SERVERS", "mariadb,mysql").split(",")

# Both shards own several; one has a slash, two differ in case only.
TENANTS = ["payments", "orders", "monorepo/main", "logs-eu", "search", "Search", "billing", "ads"]

LEGACY = "legacy_reference"


def pytest_configure(config):
    if not config.option.collectonly and not PROGRAM.exists():
        pytest.exit(f"there is no {PROGRAM}: build it, or name it in MQGATE", returncode=2)


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    """The CA of the shards' certificates, and of whatever a test wants."""
    return Authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture(scope="session", params=SERVERS)
def cluster(request, tmp_path_factory, authority):
    folder = tmp_path_factory.mktemp(request.param)
    own = authority.issue("shard.test", request.param)
    options = [f"--ssl-ca={authority.ca}", f"--ssl-cert={own.cert}", f"--ssl-key={own.key}"]
    try:
        servers = Cluster(
            folder / "c",
            request.param,
            TENANTS,
            arguments=[f"--server-option={option}" for option in options],
        )
    except ClusterUnavailable as reason:
        if os.environ.get("MQ_REQUIRE_ALL") == "1":
            pytest.fail(str(reason))
        pytest.skip(f"no {request.param}: {str(reason).splitlines()[-1]}")
    with servers:
        yield servers


class Accounts:
    """What the shared gateway adds to local-cluster's configuration, and the tests rely on."""

    # SHA1(SHA1("native")), as in mysql.user of a mysql_native_password account.
    NATIVE_HASH = "*5694FF40BC251429744E03A3C20A209D6F9E214E"

    def __init__(self, cluster):
        self.first, self.second = cluster.tenants_of(0), cluster.tenants_of(1)
        backend = {"user": "mqgate", "password": "mqgate"}
        self.settings = {
            "bound": {"password": "bound", "tenants": [self.first[0]], "backend": backend},
            "two": {
                "password": "two",
                "tenants": [self.first[0], self.second[0]],
                "backend": backend,
            },
            "hashed": {"password_hash": self.NATIVE_HASH, "backend": backend},
            "long": {"password": "p" * 100, "backend": backend},
        }


@pytest.fixture(scope="session")
def accounts(cluster):
    return Accounts(cluster)


@pytest.fixture(scope="session")
def shared_gateway(cluster, accounts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mqgate")
    changes = {"workers": 2, "accounts": accounts.settings, "limits": {"login_delay": 0}}
    gateway = Gateway(cluster, folder, changes)
    gateway.bound_socket = str(folder / "bound.sock")
    gateway.configure(
        {
            "listen": gateway.listeners()
            + [{"name": "bound", "socket": gateway.bound_socket, "tenants": [accounts.second[0]]}]
        }
    )
    gateway.start()
    yield gateway
    gateway.stop()


@pytest.fixture
def gateway(shared_gateway):
    shared_gateway.check_alive()
    yield shared_gateway
    shared_gateway.check_alive()


@pytest.fixture(scope="session")
def legacy_server(cluster):
    """(address, database) of a server with the legacy schema: what mqgate has to look like."""
    with cluster.connect(0) as administrator, administrator.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {LEGACY} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
        cursor.execute(f"USE {LEGACY}")
        for statement in legacy_ddl():
            cursor.execute(statement)
    facts = cluster.shards[0]
    return (facts["host"], facts["port"]), LEGACY


@pytest.fixture
def direct(legacy_server):
    """direct(**options) gives a RawConnection to that server."""
    address, database = legacy_server
    opened = []

    def make(**options):
        connection = RawConnection(address)
        opened.append(connection)
        connection.login("root", "root", **{"database": database, **options})
        return connection

    yield make
    for connection in opened:
        connection.close()


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


@pytest.fixture
def connect(gateway):
    """connect(tenant, **options) as Gateway.connect; raw=True gives a RawConnection."""
    opened = []

    def make(tenant=None, raw=False, **options):
        connection = (gateway.raw if raw else gateway.connect)(tenant, **options)
        opened.append(connection)
        return connection

    yield make
    for connection in opened:
        try:
            connection.close()
        except Exception:  # the test may have broken it on purpose
            pass


@pytest.fixture
def topic(request):
    return re.sub(r"[^A-Za-z0-9_-]+", ".", request.node.name)[:200]


@pytest.fixture
def tenant(accounts):
    """A tenant of the first shard."""
    return accounts.first[0]


@pytest.fixture
def other_tenant(accounts):
    """A tenant of the second shard."""
    return accounts.second[0]


@pytest.fixture
def neighbour(accounts):
    """Another tenant of the first shard."""
    return accounts.first[1]
