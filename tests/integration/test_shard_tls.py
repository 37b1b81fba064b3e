"""TLS and unix sockets between mqgate and the shards."""

import pytest

from certificates import Authority
from gateway import run_program
from legacy import count, execute, publish
from refusals import refused

MEGABYTE = 1 << 20


@pytest.fixture
def gateway_with(make_gateway, cluster):
    """gateway_with(tls) reloads one mqgate with other settings for the shards' TLS."""
    gateway = make_gateway({"pool": {"max_per_shard": 4}})

    def change(tls, **changes):
        since = len(gateway.log())
        gateway.configure({"keyspace": {"tls": None}})
        gateway.configure({"keyspace": {"tls": tls}, **changes})
        gateway.reload()
        gateway.log_contains("reloaded", since)
        return gateway

    return change


@pytest.fixture
def shard_account(cluster):
    """Makes an account on every shard and returns its settings for `backend`."""
    made = []

    def make(name, requirement):
        made.append(name)
        for shard in range(len(cluster.shards)):
            cluster.query(shard, f"CREATE USER '{name}'@'%' IDENTIFIED BY 'x' REQUIRE {requirement}")
            cluster.query(shard, f"GRANT ALL ON *.* TO '{name}'@'%'")
        return {"user": name, "password": "x"}

    yield make
    for name in made:
        for shard in range(len(cluster.shards)):
            cluster.query(shard, f"DROP USER '{name}'@'%'")


def serves(gateway, tenant, topic, **options):
    connection = gateway.connect(tenant, **options)
    assert count(connection, topic) == 0
    connection.close()


def test_modes(gateway_with, authority, tmp_path, tenant, topic):
    other = Authority(tmp_path, "other-ca")
    for tls in (
        {"mode": "disabled"},
        {"mode": "preferred"},
        {"mode": "required"},
        {"mode": "verify_ca", "ca": authority.ca, "server_name": "elsewhere.test"},
        {"ca": authority.ca},
        {"ca": authority.ca, "server_name": "shard.test"},
    ):
        serves(gateway_with(tls), tenant, topic)
    for tls, why in (
        ({"mode": "verify_ca", "ca": other.ca}, "self-signed certificate in certificate chain"),
        ({"ca": authority.ca, "server_name": "elsewhere.test"}, "hostname mismatch"),
        ({"ca": authority.ca, "server_name": "127.0.0.2"}, "IP address mismatch"),
    ):
        connection = gateway_with(tls).connect(tenant)
        with refused(5007, errno=1160) as seen:
            count(connection, topic)
        assert why in seen.message
        connection.close()


def test_sessions_are_resumed(gateway_with, cluster, tenant, topic):
    def hits():
        rows = cluster.query_all("SHOW GLOBAL STATUS LIKE 'Ssl_session_cache_hits'")
        return sum(int(value) for _shard, _name, value in rows)

    before = hits()
    gateway = gateway_with({"mode": "required"})
    connections = [gateway.connect(tenant) for _ in range(3)]
    for connection in connections:
        execute(connection, "BEGIN")
        assert count(connection, topic) == 0
    if not cluster.mariadb:  # whose count stays 0
        assert hits() >= before + 2
    for connection in connections:
        connection.close()


def test_accounts_that_require_tls(gateway_with, shard_account, authority, tmp_path, tenant, topic):
    backends = {
        "ssl": {"password": "x", "backend": shard_account("needs_ssl", "SSL")},
        "x509": {"password": "x", "backend": shard_account("needs_x509", "X509")},
    }
    own = authority.issue("mqgate")
    foreign = Authority(tmp_path, "other-ca").issue("mqgate")
    gateway = gateway_with({"mode": "disabled"}, accounts=backends)
    with refused(5003), gateway.connect(tenant, user="ssl", password="x") as connection:
        count(connection, topic)
    gateway = gateway_with({"mode": "preferred"})
    serves(gateway, tenant, topic, user="ssl", password="x")
    with refused(5003), gateway.connect(tenant, user="x509", password="x") as connection:
        count(connection, topic)
    gateway = gateway_with({"mode": "required", **own.settings()})
    serves(gateway, tenant, topic, user="x509", password="x")
    gateway = gateway_with({"mode": "required", **foreign.settings()})
    with refused(), gateway.connect(tenant, user="x509", password="x") as connection:
        count(connection, topic)


def test_clear_password_of_a_cold_account(gateway_with, shard_account, authority, tenant, topic):
    """The server's cache of caching_sha2_password does not know it yet."""
    accounts = {"cold": {"password": "x", "backend": shard_account("cold", "SSL")}}
    serves(
        gateway_with({"ca": authority.ca}, accounts=accounts), tenant, topic, user="cold", password="x"
    )


def test_large_values(gateway_with, authority, tenant, topic):
    gateway = gateway_with({"ca": authority.ca})
    value = "0123456789abcdef" * (20 * MEGABYTE // 16)
    connection = gateway.connect(tenant, max_allowed_packet=64 * MEGABYTE)
    publish(connection, topic, "m")
    sql = "SELECT '%s' FROM queue_messages WHERE topic = '%s'" % (value, topic)
    assert execute(connection, sql) == [(value,)]
    connection.close()


def test_unix_sockets(make_gateway, cluster, shard_account, tenant, topic):
    """They are as safe as TLS: a cold account's password passes in the clear."""
    shards = {
        shard["name"]: {"socket": shard["socket"], "address": None} for shard in cluster.shards
    }
    gateway = make_gateway(
        {
            "keyspace": {"shards": shards},
            "accounts": {"cold": {"password": "x", "backend": shard_account("by_socket", "NONE")}},
        }
    )
    serves(gateway, tenant, topic, unix_socket=gateway.socket_path)
    serves(gateway, tenant, topic, user="cold", password="x")


def test_vindex_table(make_gateway, cluster, shard_account, authority, tmp_path):
    """Its server is reached by libmysqlclient, by the same settings."""
    facts, other = cluster.facts["tenant_vindex"], Authority(tmp_path, "other-ca")
    account = shard_account("vindex_tls", "SSL")
    for n, (tls, why) in enumerate(
        (
            ({"ca": authority.ca}, None),
            ({"mode": "verify_ca", "ca": authority.ca}, None),
            ({"mode": "preferred"}, None),
            ({"mode": "disabled"}, "Access denied"),
            ({"mode": "verify_ca", "ca": other.ca}, "certificate"),
        )
    ):
        table = {
            "address": f"{facts['host']}:{facts['port']}",
            "database": facts["database"],
            "table": "v_tls",
            **account,
            "tls": tls,
        }
        gateway = make_gateway({"tenant_vindex": table}, start=False)
        verb = ["list"] if n else ["add", cluster.tenants[0]]
        done = run_program("tenants", verb[0], "-c", gateway.config_path, *verb[1:])
        assert done.returncode == (1 if why else 0), f"{tls}: {done.stderr}"
        assert not why or why in done.stderr, done.stderr
