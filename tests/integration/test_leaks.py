"""A crowd of clients of many tenants does everything at random while connections are killed on both
sides and the configuration is reloaded: no row of another tenant, no answer of another session,
and in the end nothing is left over.

MQ_LEAK_SECONDS makes it longer, MQ_LEAK_SEED other, MQ_LEAK_CLIENTS larger; MQ_LEAK_TLS=1 puts TLS
on both sides.
"""

import os
import random
import time
from pathlib import Path

import pymysql
import pytest

from leak_clients import TOPIC, Crowd
from waiting import wait_until

pytestmark = pytest.mark.threads

SECONDS = float(os.environ.get("MQ_LEAK_SECONDS", "20"))
CLIENTS = int(os.environ.get("MQ_LEAK_CLIENTS", "200"))
SEED = os.environ.get("MQ_LEAK_SEED", "1")
TLS = os.environ.get("MQ_LEAK_TLS") == "1"
BACKENDS = "SELECT id FROM information_schema.processlist WHERE user = 'mqgate'"
MEMORY = 48 << 20  # what a second round may add: the sanitizers' own


class Faults:
    """Kills connections of the shards, and reloads every now and then."""

    def __init__(self, gateway, cluster):
        self.gateway, self.random = gateway, random.Random(SEED)
        self.administrators = [cluster.connect(n) for n in range(len(cluster.shards))]
        self.killed = self.turns = 0

    def __call__(self):
        self.turns += 1
        self.kill_one(self.random.choice(self.administrators))
        if self.turns % 50 == 0:
            self.gateway.reload()
        time.sleep(0.02)  # the pace of the faults, not a wait

    def kill_one(self, administrator):
        with administrator.cursor() as cursor:
            cursor.execute(BACKENDS)
            ids = [row[0] for row in cursor.fetchall()]
            if not ids:
                return
            try:
                cursor.execute(f"KILL {self.random.choice(ids)}")
                self.killed += 1
            except pymysql.err.MySQLError:
                pass  # it was gone already

    def close(self):
        for administrator in self.administrators:
            administrator.close()


def backends(cluster):
    return {
        (shard, row[0])
        for shard in range(len(cluster.shards))
        for row in cluster.query(shard, BACKENDS)
    }


def descriptors(gateway):
    return len(list(Path(f"/proc/{gateway.process.pid}/fd").iterdir()))


def check_rows(cluster, crowd):
    """Each row lies with its own tenant; what was committed is there, what was undone is not."""
    found = {}
    for shard, tenant, identifier in cluster.query_all(
        "SELECT tenant, id FROM queue_messages WHERE topic = %s", (TOPIC,)
    ):
        assert identifier.startswith(tenant + ":"), f"{identifier} with {tenant}"
        assert shard == cluster.shard_of(tenant), f"{identifier} on shard {shard}"
        assert identifier not in found, f"{identifier} twice"
        found[identifier] = tenant
    for client in crowd.clients:
        missing, too_much = client.kept - found.keys(), client.undone & found.keys()
        assert not missing and not too_much, f"missing {missing}, too much {too_much}"


def tls_settings(authority):
    if not TLS:
        return {}
    own = authority.issue("mqgate.test")
    return {"tls": own.settings(), "keyspace": {"tls": {"ca": authority.ca}}}


def test_nothing_leaks(make_gateway, cluster, authority):
    gateway = make_gateway(
        {
            **tls_settings(authority),
            "workers": 2,
            "pool": {"max_per_shard": 24, "idle_timeout": "1s", "wait_timeout": "20s"},
            "limits": {"tenant_concurrency": 6},
        }
    )
    tls = authority.client() if TLS else None
    at_rest = descriptors(gateway)
    others = backends(cluster)  # of the sidecar that most tests share, which is idle now
    faults = Faults(gateway, cluster)
    resident = []
    for half in range(2):
        crowd = Crowd(gateway, cluster.tenants, CLIENTS, f"{SEED}/{half}", tls)
        crowd.run(SECONDS / 2, faults)
        gateway.check_alive()
        check_rows(cluster, crowd)
        cluster.query_all("DELETE FROM queue_messages WHERE topic = %s", (TOPIC,))
        print(f"{crowd.commands} commands, {faults.killed} connections killed")
        assert crowd.commands > CLIENTS
        wait_until(lambda: not backends(cluster) - others, "the shards' connections are closed")
        wait_until(lambda: descriptors(gateway) <= at_rest, "no descriptor is left over")
        resident.append(gateway.resident())
    faults.close()
    assert faults.killed
    assert resident[1] - resident[0] < MEMORY, resident
