"""One old consumer of many tenants: the legacy client in Go, which polls all of them through one
DSN with qualified partition keys, while its workers, and much else, come and go."""

import threading

import pytest

from cluster import Cluster
from gateway import PROGRAM, Gateway, run_program
from test_legacy_client import program, run_client, verify  # noqa: F401 (fixtures)

QUALIFIED = {"partition_keys": "qualified"}
FORTY = [f"tenant-{n:02}" for n in range(40)]
SPARE = ["spare-1", "spare-2", "spare-3"]
VINDEX = "mq_vindex.mq_tenant_vindex"


def consume(run_client, gateway, tenants, *arguments):  # noqa: F811
    return run_client(
        f"app:app@tcp(127.0.0.1:{gateway.port})/queue",
        tenants,
        "-together",
        "-workers",
        "3",
        "-topics",
        "1",
        *arguments,
    )


def check_fair(report):
    """Workers that were there at the same time got about the same number of deliveries."""
    counts = list(report["workers"][0].values())
    assert len(counts) == 3 and max(counts) <= 2 * min(counts), counts


def check_complete(cluster, report, tenants, messages):
    """After faults a message may have been delivered more often, but each is there and done."""
    assert report["failures"] == []
    assert sorted(t["tenant"] for t in report["tenants"]) == sorted(tenants)
    assert all(len(t["messages"]) == messages for t in report["tenants"])
    rows = cluster.query_all(
        "SELECT DISTINCT tenant FROM queue_messages WHERE topic LIKE %s", (report["run"] + "%",)
    )
    assert all(shard == cluster.shard_of(tenant) for shard, tenant in rows)


def test_every_message_of_every_tenant(make_gateway, cluster, run_client):  # noqa: F811
    gateway = make_gateway(QUALIFIED)
    report = consume(
        run_client, gateway, cluster.tenants, "-messages", "40", "-topics", "2", "-rounds", "3"
    )
    verify(cluster, report)


@pytest.mark.parametrize("parameters", ["interpolate", "prepared"])
def test_workers_share_fairly(make_gateway, cluster, run_client, parameters):  # noqa: F811
    gateway = make_gateway(QUALIFIED)
    arguments = ["-interpolate"] if parameters == "interpolate" else []
    report = consume(run_client, gateway, cluster.tenants, "-messages", "80", *arguments)
    verify(cluster, report)
    check_fair(report)


# --- forty tenants on four shards, under faults -------------------------------------------------


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wide")
    options = ["--mqgate", str(PROGRAM), "--vindex", "table"]
    with Cluster(folder / "c", "mariadb", FORTY, shards=4, arguments=options) as servers:
        yield servers


@pytest.fixture
def wide_gateway(wide, tmp_path):
    table = {**wide.config["tenant_vindex"], "refresh_interval": "1s"}
    gateway = Gateway(wide, tmp_path / "mqgate", {**QUALIFIED, "tenant_vindex": table}).start()
    yield gateway
    gateway.stop()


class Disturbance:
    """Does something again and again, beside a client, until the block ends."""

    def __init__(self, action, pause=0.5):
        self.action, self.pause = action, pause
        self.over, self.rounds, self.error = threading.Event(), 0, None
        self.thread = threading.Thread(target=self.run)

    def run(self):
        try:
            while not self.over.wait(self.pause):
                self.action(self.rounds)
                self.rounds += 1
        except Exception as error:  # told by the block's end
            self.error = error

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_exception):
        self.over.set()
        self.thread.join()
        if self.error:
            raise self.error
        assert self.rounds, "the client was done before anything was disturbed"


def tenants_command(gateway, command, *arguments):
    done = run_program("tenants", command, "-c", gateway.config_path, *arguments)
    assert done.returncode == 0, done.stderr


class Disturb:
    """One round of each kind of disturbance."""

    @staticmethod
    def shard(wide, gateway, n):
        wide.kill(1 + n % 3)  # the first holds the vindex table
        wide.restart()

    @staticmethod
    def vindex(wide, gateway, n):
        away = f"{VINDEX}_away"
        before, after = (VINDEX, away) if n % 2 == 0 else (away, VINDEX)
        wide.query(0, f"RENAME TABLE {before} TO {after}")

    @staticmethod
    def tenants(wide, gateway, n):
        name = f"{SPARE[n % 3]}-{n}"
        tenants_command(gateway, "add", name)
        gateway.configure({"tenants": FORTY + [name]})
        gateway.reload()
        tenants_command(gateway, "place", name, "--shard", wide.names[n % 4], "--yes")
        tenants_command(gateway, "retire", name, "--yes")

    @staticmethod
    def restart(wide, gateway, n):
        gateway.stop()
        gateway.start()

    @staticmethod
    def reload(wide, gateway, n):
        gateway.configure({"pool": {"max_per_shard": 20 + n % 5}})
        gateway.reload()


@pytest.mark.faults
@pytest.mark.parametrize("kind", ["shard", "vindex", "tenants", "restart", "reload"])
def test_forty_tenants(wide, wide_gateway, run_client, kind):  # noqa: F811
    try:
        with Disturbance(lambda n: getattr(Disturb, kind)(wide, wide_gateway, n)):
            report = consume(
                run_client,
                wide_gateway,
                FORTY,
                "-partitions",
                "2",
                "-messages",
                "12",
                "-rounds",
                "4",
                "-retry-for",
                "60s",
            )
    finally:
        wide.restart()
        if wide.query(0, "SHOW TABLES IN mq_vindex LIKE '%away'"):
            wide.query(0, f"RENAME TABLE {VINDEX}_away TO {VINDEX}")
    check_complete(wide, report, FORTY, 12)
