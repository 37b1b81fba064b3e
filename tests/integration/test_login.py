"""Who may log in, by which plug-in, and what the database name of a login says."""

import time

import pymysql
import pytest

from legacy import count, execute, publish
from rawmysql import DEFAULT_CAPABILITIES, LENENC_AUTH, RawConnection, ServerError
from refusals import refused
from waiting import wait_until

PLUGINS = ["mysql_native_password", "caching_sha2_password"]


def test_greeting(gateway):
    with RawConnection(gateway.address) as one, RawConnection(gateway.address) as two:
        # A driver that believes in MySQL 5.5 cannot read what the other plug-in sends.
        old = one.version.startswith("5.5.5-")
        assert one.plugin == ("mysql_native_password" if old else "caching_sha2_password")
        assert b"\0" not in one.nonce and one.nonce != two.nonce
        assert one.connection_id != two.connection_id
        assert one.version[0].isdigit()


@pytest.mark.parametrize("plugin", PLUGINS)
@pytest.mark.parametrize("user, password", [("app", "app"), ("long", "p" * 100)])
def test_both_plugins(gateway, plugin, user, password):
    with gateway.raw(user=user, password=password, plugin=plugin) as connection:
        connection.ping()


def test_plugin_that_mqgate_does_not_have(gateway):
    """The server switches to one that it has."""
    with gateway.raw(plugin="sha256_password") as connection:
        connection.ping()


def test_scramble_with_a_length_byte(gateway):
    capabilities = DEFAULT_CAPABILITIES & ~LENENC_AUTH
    with gateway.raw(capabilities=capabilities) as connection:
        connection.ping()


@pytest.mark.parametrize("plugin", PLUGINS)
def test_account_with_native_hash(gateway, plugin):
    with gateway.raw(user="hashed", password="native", plugin=plugin) as connection:
        connection.ping()


def test_account_with_sha2_hash(make_gateway):
    """Only the clear text proves it the first time: full authentication by RSA."""
    gateway = make_gateway(
        {
            "accounts": {
                "sha2": {
                    "password_hash": SHA2_HASH,
                    "backend": {"user": "mqgate", "password": "mqgate"},
                }
            }
        }
    )
    with refused(errno=1045):
        gateway.raw(user="sha2", password="wrong")
    with gateway.raw(user="sha2", password="hidden") as connection:
        assert connection.full_authentication
    with gateway.raw(user="sha2", password="hidden") as connection:
        assert not connection.full_authentication, "the second login is a fast one"
    with refused(errno=1045):
        gateway.raw(user="sha2", password="wrong")
    gateway.connect(user="sha2", password="hidden").close()
    gateway.connect(user="sha2", password="hidden", unix_socket=gateway.socket_path).close()


# caching_sha2_password's stored form of "hidden", made by a MySQL server.
SHA2_HASH = "$A$00A$ham^lrgCV>QPGmR@uBOnswc47dm/fLOlh5B3YXeg0IFNkI9OYizpwpP40STpXX6"


@pytest.mark.parametrize("plugin", PLUGINS)
@pytest.mark.parametrize(
    "user, password",
    [
        ("app", "wrong"),
        ("app", ""),
        ("app", "app\0"),
        ("nobody", "app"),
        ("nobody", ""),
        ("", ""),
        ("hashed", "wrong"),
        ("App", "app"),
        ("u" * 300, "x"),
    ],
)
def test_denied(gateway, plugin, user, password):
    with refused(errno=1045) as seen:
        gateway.raw(user=user, password=password, plugin=plugin)
    assert password == "" or password not in seen.message.replace("'app'@", "")


def test_driver_over_tcp_and_socket(connect, gateway, tenant, topic):
    publish(connect(tenant), topic, "by tcp")
    local = connect(tenant, unix_socket=gateway.socket_path)
    publish(local, topic, "by socket")
    assert count(local, topic) == 2


def test_login_without_database(connect, tenant, topic):
    connection = connect(tenant, raw=True, database=None)
    assert connection.query("SELECT DATABASE()").rows == [(None,)]
    connection.query(f"SET @mq_tenant = '{tenant}'")
    with refused(errno=1046):
        connection.query(f"SELECT COUNT(*) FROM queue_messages WHERE topic = '{topic}'")
    rows = connection.query(
        f"SELECT COUNT(*) FROM queue.queue_messages WHERE topic = '{topic}'"
    ).rows
    assert rows == [(b"0",)]
    connection.init_db("queue")
    connection.query(f"SELECT COUNT(*) FROM queue_messages WHERE topic = '{topic}'")


@pytest.mark.parametrize(
    "database, errnos",
    [
        ("elsewhere", (1044, 1049)),
        ("elsewhere@payments", (1044, 1049)),
        ("mysql", (1044, 1049)),
        ("queue@nobody", (1105,)),
        ("queue@", (1105, 1049)),
        ("queue@PAYMENTS", (1105,)),
        ("queue@pay'ments", (1105,)),
        ("queue@payments ", (1105,)),
    ],
)
def test_database_that_is_not_served(gateway, database, errnos):
    with refused() as seen:
        gateway.raw(database=database)
    assert seen.errno in errnos, f"{seen.errno}: {seen.message}"


def test_database_with_tenant(connect, cluster, topic):
    for name in cluster.tenants:
        connection = connect(name)
        publish(connection, topic, "m")
        assert execute(connection, "SELECT DATABASE()") == [("queue",)]
    assert cluster.where_is(topic) == {(cluster.shard_of(t), t) for t in cluster.tenants}


def test_connection_attribute(connect, cluster, tenant, other_tenant, topic):
    connection = connect(raw=True, attributes={"_client_name": "raw", "tenant": other_tenant})
    assert connection.query(f"SELECT id FROM queue_messages WHERE topic = '{topic}'").rows == []
    with refused():
        connect(tenant, raw=True, attributes={"tenant": other_tenant})
    with refused():
        connect(raw=True, attributes={"tenant": "nobody"})


def test_malformed_login(gateway, connect, tenant, topic):
    """Every prefix of a login packet, and garbage; nobody else is disturbed."""
    witness = connect(tenant)
    with RawConnection(gateway.address) as template:
        whole = template.login_packet(
            "app", b"x" * 20, database="queue", attributes={"tenant": tenant}
        )
    packets = [whole[:n] for n in range(len(whole))] + [b"", b"\xff" * 200, b"\0" * 4000]
    for packet in packets:
        with RawConnection(gateway.address) as connection:
            connection.send(packet)
            with pytest.raises((ServerError, ConnectionError)):
                connection.authenticate(b"wrong", "caching_sha2_password")
    gateway.check_alive()
    publish(witness, topic, "m")


def test_too_many_connections(make_gateway):
    gateway = make_gateway({"limits": {"max_connections": 3}})
    held = [gateway.connect() for _ in range(3)]
    with refused(errno=1040):
        gateway.connect()
    held.pop().close()

    def room():
        try:
            return gateway.connect()
        except pymysql.err.OperationalError:
            return None

    held.append(wait_until(room, "the place is free again"))
    for connection in held:
        connection.close()


def test_login_that_never_comes(make_gateway):
    gateway = make_gateway({"limits": {"login_timeout": "500ms"}})
    with RawConnection(gateway.address, timeout=20) as connection:
        with pytest.raises((ServerError, ConnectionError)):
            connection.receive_answer()


def test_account_of_some_listeners(make_gateway):
    backend = {"user": "mqgate", "password": "mqgate"}
    account = {"password": "local", "listeners": ["local"], "backend": backend}
    gateway = make_gateway({"accounts": {"local": account}})
    with refused(errno=1045):
        gateway.raw(user="local", password="local")
    gateway.raw(user="local", password="local", address=gateway.socket_path).close()


def test_failed_logins_are_slowed(make_gateway):
    """Others are not, and a success forgets."""
    gateway = make_gateway({"limits": {"login_delay": "1s"}})

    def seconds(user, password, works=False):
        begun = time.monotonic()
        if works:
            gateway.raw(user=user, password=password).close()
        else:
            with refused(errno=1045):
                gateway.raw(user=user, password=password)
        return time.monotonic() - begun

    taken = [seconds("app", "wrong") for _ in range(6)]
    assert taken[3] >= 0.25 and taken[4] >= 0.5 and taken[5] >= 1
    assert seconds("app", "app", works=True) >= 1
    gateway.raw(user="root", password="root").close()
    assert "denied for user 'app'@'127.0.0.1'" in gateway.log()


def test_new_passwords(make_gateway, cluster, topic):
    """From a file and the configuration, of a client and of the shards; sessions go on."""
    tenant = cluster.tenants[0]
    secret = topic.replace(".", "_")[:20]
    gateway = make_gateway(start=False)
    (gateway.folder / "password").write_text("before")
    backend = {"user": secret, "password": "one"}
    account = {"password_file": str(gateway.folder / "password"), "backend": backend}
    grant(cluster, secret, "one")
    gateway.configure({"accounts": {"app": None, "new": account}, "limits": {"login_delay": 0}})
    gateway.start()
    try:
        session = gateway.connect(tenant, user="new", password="before")
        publish(session, topic, "first")
        grant(cluster, secret, "two")
        (gateway.folder / "password").write_text("after")
        gateway.configure({"accounts": {"new": {"backend": {"password": "two"}}}})
        gateway.reload()
        gateway.log_contains("reloaded")
        with refused(errno=1045):
            gateway.raw(user="new", password="before")
        publish(gateway.connect(tenant, user="new", password="after"), topic, "second")
        publish(session, topic, "third")
    finally:
        gateway.stop()


def grant(cluster, user, password):
    for shard in range(len(cluster.shards)):
        cluster.query(shard, f"CREATE USER IF NOT EXISTS '{user}'@'%'")
        cluster.query(shard, f"ALTER USER '{user}'@'%' IDENTIFIED BY '{password}'")
        cluster.query(shard, f"GRANT ALL ON *.* TO '{user}'@'%'")


def test_cold_cache_of_a_shard(gateway, make_gateway, cluster, topic):
    """Full authentication, sealed by the shard's key: its cache of passwords is empty."""
    if not cluster.mariadb:
        for shard in range(len(cluster.shards)):
            cluster.query(shard, "FLUSH PRIVILEGES")
    fresh = make_gateway()
    publish(fresh.connect(cluster.tenants[0]), topic, "m")
