"""An account with `databases` is kept from all others, in a server's words."""

import pytest

from rawmysql import ServerError


@pytest.fixture
def narrow(make_gateway, cluster):
    """An account that may use the database `other`, an alias, only."""
    gateway = make_gateway(
        {
            "keyspace": {**cluster.config["keyspace"], "aliases": ["other"]},
            "accounts": {
                **cluster.config["accounts"],
                "narrow": {
                    "password": "narrow",
                    "databases": ["other"],
                    "backend": {"user": "mqgate", "password": "mqgate"},
                },
            },
        }
    )
    return lambda database, **options: gateway.raw(
        user="narrow", password="narrow", database=database, **options
    )


def denied(action):
    with pytest.raises(ServerError) as caught:
        action()
    assert (caught.value.errno, caught.value.sqlstate) == (1044, "42000")


def test_databases_of_an_account(narrow, cluster):
    denied(lambda: narrow(cluster.database))
    connection = narrow("other")
    denied(lambda: connection.init_db(cluster.database))
    denied(lambda: connection.init_db("mysql"))
    denied(lambda: connection.query(f"USE {cluster.database}"))
    denied(lambda: connection.query(f"SELECT COUNT(*) FROM {cluster.database}.queue_offsets"))
    denied(lambda: connection.prepare(f"SELECT COUNT(*) FROM {cluster.database}.queue_offsets"))
    connection.query(f"SET @mq_tenant = '{cluster.tenants[0]}'")
    assert connection.query("SELECT COUNT(*) >= 0 FROM other.queue_offsets").rows == [(b"1",)]
    assert connection.query("SELECT DATABASE()").rows == [(b"other",)]
