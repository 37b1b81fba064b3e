"""test_scatter.py once more on one shard and on three: databases of the servers that all tests
share, and an mqgate of their own."""

import pytest

from gateway import Gateway, run_program
from test_scatter import (  # noqa: F401
    filled,
    raw,
    tenants,
    test_a_write_reaches_each_tenant,
    test_an_account_sees_its_own_tenants_only,
    test_cursors,
    test_found_rows,
    test_old_copies_are_not_counted,
    test_one_prepared_text_for_many_lists_of_tenants,
    test_prepared,
    test_text,
    test_transactions,
    test_warnings_of_all_shards,
)

CUTS = {"one": ["-"], "three": ["-55", "55-aa", "aa-"]}


def make_database(cluster, server, name):
    schema = run_program("schema", "--tenant").stdout
    with cluster.connect(server) as administrator, administrator.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
        cursor.execute(f"GRANT ALL ON {name}.* TO 'mqgate'@'%'")
        cursor.execute(f"USE {name}")
        for statement in schema.split(";"):
            if statement.strip():
                cursor.execute(statement)


@pytest.fixture(scope="module", params=CUTS)
def shared_gateway(request, cluster, accounts, tmp_path_factory):
    shards = {name: None for name in cluster.names}
    for number, name in enumerate(CUTS[request.param]):
        server, database = number % len(cluster.shards), f"cut_{request.param}_{number}"
        make_database(cluster, server, database)
        address = "{host}:{port}".format(**cluster.shards[server])
        shards[name] = {"address": address, "database": database}
    changes = {"keyspace": {"shards": shards}, "accounts": accounts.settings}
    gateway = Gateway(cluster, tmp_path_factory.mktemp("mqgate"), changes).start()
    yield gateway
    gateway.stop()
