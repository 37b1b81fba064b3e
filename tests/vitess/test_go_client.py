"""The legacy queue client in Go in front of Vitess: no row is missing, doubled or on the wrong shard,
also when vtgate or the tablets' MySQL are killed meanwhile."""

import threading

import pytest

from test_legacy_client import data_source, program, run_client, verify  # noqa: F401


@pytest.mark.parametrize("mode", ["prepared", "interpolate"])
def test_many_workers(gateway, cluster, run_client, mode):  # noqa: F811
    arguments = ["-interpolate"] if mode == "interpolate" else []
    report = run_client(data_source(gateway), cluster.tenants, "-workers", "3", "-messages", "80",
                        *arguments)
    verify(cluster, report)


def disturbed(run, disturb):
    """run() while disturb() happens twice."""
    stop = threading.Event()

    def repeat():
        for _ in range(2):
            if stop.wait(0.5):
                return
            disturb()

    disturbing = threading.Thread(target=repeat)
    disturbing.start()
    try:
        return run()
    finally:
        stop.set()
        disturbing.join()


def kill_vtgate(cluster):
    cluster.kill_vtgate()
    cluster.restart()


def kill_mysql(cluster):
    cluster.kill(0)
    cluster.restart()


@pytest.mark.faults
@pytest.mark.parametrize("disturb", [kill_vtgate, kill_mysql])
def test_killed_under_load(gateway, cluster, run_client, disturb):  # noqa: F811
    """What was confirmed is there, on its tenant's shard; mqgate is not restarted."""
    report = disturbed(
        lambda: run_client(data_source(gateway), cluster.tenants, "-load-only",
                           "-messages", "120", "-retry-for", "90s"),
        lambda: disturb(cluster))
    messages = [m for t in report["tenants"] for m in t["messages"]]
    assert len(messages) == 120 * len(cluster.tenants)
    rows = cluster.query_all("SELECT tenant, topic, partition_key, id FROM queue_messages "
                             "WHERE topic LIKE %s", (report["run"] + "%",))
    assert len({row[1:] for row in rows}) == len(rows), "a message is there twice"
    for shard, tenant, *_ in rows:
        assert shard == cluster.shard_of(tenant)
