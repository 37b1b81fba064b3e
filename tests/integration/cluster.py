"""The shards of a test: real servers, started by tools/local-cluster."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pymysql
import yaml

import vindex
from waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "local-cluster"


class ClusterUnavailable(Exception):
    """The kind of server cannot be had on this machine."""


class Cluster:
    """N servers in a folder of their own. Use it with `with`, or call stop()."""

    def __init__(self, folder, flavour, tenants, shards=2, arguments=()):
        self.folder, self.flavour, self.tenants = Path(folder), flavour, list(tenants)
        self._tool(
            "start",
            "--shards",
            str(shards),
            "--server",
            flavour,
            "--base-port",
            "auto",
            "--listen",
            "auto",
            "--tenants",
            ",".join(tenants),
            *arguments,
        )
        self.facts = json.loads((self.folder / "cluster.json").read_text())
        # What local-cluster thinks fits; each gateway of a test changes a copy.
        self.config = yaml.safe_load((self.folder / "mqgate.yaml").read_text())
        self.shards = self.facts["shards"]
        self.names = [shard["name"] for shard in self.shards]
        self.database = self.facts["database"]
        self.mariadb = flavour == "mariadb"

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.stop()

    def _tool(self, command, *arguments):
        done = subprocess.run(
            [sys.executable, TOOL, command, "--dir", self.folder, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ClusterUnavailable(done.stdout.strip())
        return done.stdout

    def stop(self):
        for shard in range(len(self.shards)):
            self.thaw(shard)
        self._tool("stop")

    # --- where a tenant's rows belong

    def shard_of(self, tenant):
        return vindex.shard_index(tenant, self.names)

    def tenants_of(self, shard):
        return [t for t in self.tenants if self.shard_of(t) == shard]

    def connect(self, shard, **options):
        """A connection to the shard itself, as its administrator unless told otherwise."""
        facts = self.shards[shard]
        options = {"user": "root", "password": "root", "database": facts["database"], **options}
        options.setdefault("autocommit", True)
        return pymysql.connect(
            host=facts["host"], port=facts["port"], charset="utf8mb4", **options
        )

    def query(self, shard, statement, arguments=None):
        """All rows of one statement on one shard."""
        connection = self.connect(shard)
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement, arguments)
                return list(cursor.fetchall())
        finally:
            connection.close()

    def query_all(self, statement, arguments=None):
        """(shard, *row) of every shard."""
        return [
            (shard, *row)
            for shard in range(len(self.shards))
            for row in self.query(shard, statement, arguments)
        ]

    def where_is(self, topic):
        """{(shard, tenant)} of the messages under a topic."""
        return set(
            self.query_all("SELECT DISTINCT tenant FROM queue_messages WHERE topic = %s", (topic,))
        )

    # --- faults

    def pid(self, shard):
        facts = json.loads((self.folder / "cluster.json").read_text())
        return facts["servers"][facts["shards"][shard]["server"]]["pid"]

    def kill(self, shard):
        """SIGKILL, and its port closed."""
        os.kill(self.pid(shard), signal.SIGKILL)

        def refuses():
            try:
                self.connect(shard, connect_timeout=1).close()
            except pymysql.err.OperationalError:
                return True
            return False

        wait_until(refuses, f"shard {shard} is gone")
        # Its process id stays in use where nobody reaps it; MySQL would believe its lock then.
        Path(self.shards[shard]["socket"] + ".lock").unlink(missing_ok=True)

    def freeze(self, shard):
        os.kill(self.pid(shard), signal.SIGSTOP)

    def thaw(self, shard):
        try:
            os.kill(self.pid(shard), signal.SIGCONT)
        except ProcessLookupError:
            pass

    def restart(self):
        """Starts what was killed, on its own data."""
        self._tool("start", "--resume")
