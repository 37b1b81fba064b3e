"""`mqgate tenants` on a vindex table of the test's own; import the fixture with the class."""

import json
import re

import pytest
import yaml

from gateway import merged, run_program

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

    def change(self, tenant, state):
        """As a mover does: the next version, and a state that no verb sets."""
        connection = self.cluster.connect(0, database=self.database, autocommit=False)
        try:
            with connection.cursor() as cursor:
                cursor.execute(f"UPDATE `{self.table}` SET version = LAST_INSERT_ID(version + 1) "
                               "WHERE tenant = ''")
                cursor.execute(f"UPDATE `{self.table}` SET state = %s, version = LAST_INSERT_ID() "
                               "WHERE tenant = %s", (state, tenant))
            connection.commit()
        finally:
            connection.close()

    def counter(self):
        return self.sql("SELECT version FROM {table} WHERE tenant = ''")[0][0]


@pytest.fixture
def tenants(cluster, tmp_path, request):
    return Tenants(cluster, tmp_path, unused_table(request))


def publish_on_shard(cluster, shard, tenant):
    """A row of the tenant on a shard, behind mqgate's back."""
    cluster.query(shard, "INSERT INTO queue_offsets VALUES (%s, 'g', 'placement', 'p', 1, 1)",
                  (tenant,))
