"""TLS between clients and mqgate."""

import ssl

import pymysql
import pytest

from certificates import DAY, Authority
from gateway import Gateway, free_port, run_program
from legacy import count, publish
from rawmysql import RawConnection, ServerError
from refusals import refused
from waiting import wait_until

VERSIONS = [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]

MEGABYTE = 1 << 20

# caching_sha2_password's stored form of "hidden", made by a MySQL server.
SHA2_HASH = "$A$00A$ham^lrgCV>QPGmR@uBOnswc47dm/fLOlh5B3YXeg0IFNkI9OYizpwpP40STpXX6"
BACKEND = {"user": "mqgate", "password": "mqgate"}


@pytest.fixture(scope="module")
def secured(cluster, authority, tmp_path_factory):
    """TLS on both sides: with clients as each listener has it, with the shards verified."""
    own = authority.issue("mqgate.test")
    gateway = Gateway(cluster, tmp_path_factory.mktemp("tls"))
    gateway.strict_port = free_port()
    strict = {"address": f"127.0.0.1:{gateway.strict_port}", "tls": "required"}
    gateway.configure(
        {
            "workers": 2,
            "listen": gateway.listeners() + [strict],
            "tls": {**own.settings(), "client_ca": authority.ca, "verify_client": "optional"},
            "keyspace": {"tls": {"ca": authority.ca}},
            "accounts": {
                "sha2": {"password_hash": SHA2_HASH, "backend": BACKEND},
                "by-tls": {"password": "x", "require": "tls", "backend": BACKEND},
                "by-cert": {"password": "x", "require": "x509", "backend": BACKEND},
                "worker-1": {"password": "x", "require": "identity", "backend": BACKEND},
            },
        }
    )
    gateway.start()
    yield gateway
    gateway.stop()


@pytest.mark.parametrize("version", VERSIONS, ids=lambda v: v.name)
def test_driver(secured, authority, tenant, topic, version):
    connection = secured.connect(tenant, ssl=authority.client(version=version))
    publish(connection, topic, "m")
    assert count(connection, topic) == 1
    connection.close()


def test_full_authentication_in_clear_text(secured, authority):
    with refused(errno=1045):
        secured.raw(user="sha2", password="wrong", tls=authority.client())
    with secured.raw(user="sha2", password="hidden", tls=authority.client()) as connection:
        assert connection.full_authentication
    with secured.raw(user="sha2", password="hidden", tls=authority.client()) as connection:
        assert not connection.full_authentication


def test_required(secured, authority, tenant):
    address = ("127.0.0.1", secured.strict_port)
    with refused(4020, errno=3159):
        secured.raw(tenant, address=address)
    secured.raw(tenant, address=address, tls=authority.client()).close()
    secured.raw(tenant).close()


@pytest.mark.parametrize("user", ["by-tls", "by-cert", "worker-1"])
def test_account_requires(secured, authority, user):
    """What each account lacks is told as a wrong password is."""
    other = authority.client(authority.issue("worker-2"))
    own = authority.client(authority.issue("worker-1"))
    fits = {"by-tls": [other, authority.client()], "by-cert": [other], "worker-1": []}
    with refused(errno=1045):
        secured.raw(user=user, password="x")
    with refused(errno=1045):
        secured.raw(user=user, password="x", address=secured.socket_path)
    for context in [authority.client(), other]:
        if context in fits[user]:
            secured.raw(user=user, password="x", tls=context).close()
        elif context is other or user != "by-tls":
            with refused(errno=1045):
                secured.raw(user=user, password="x", tls=context)
    secured.raw(user=user, password="x", tls=own).close()


def fails(connect):
    """The handshake, or what comes directly behind it."""
    with pytest.raises((OSError, pymysql.err.MySQLError)):
        connect()


def test_certificates_of_clients(secured, authority, tmp_path):
    since = len(secured.log())
    expired = authority.issue("old-worker", life=-DAY)
    foreign = Authority(tmp_path).issue("worker-1")
    for pair in (expired, foreign):
        fails(lambda pair=pair: secured.raw(tls=authority.client(pair)))
    secured.log_contains("login from 127.0.0.1 ended: TLS: certificate has expired", since)
    fails(lambda: secured.raw(tls=Authority(tmp_path).client()))
    secured.log_contains("TLS: tlsv1 alert unknown ca|TLS: .*alert", since)


def client_hello(context):
    """The first bytes that a client sends."""
    outgoing = ssl.MemoryBIO()
    tls = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="127.0.0.1")
    with pytest.raises(ssl.SSLWantReadError):
        tls.do_handshake()
    return outgoing.read()


@pytest.mark.parametrize("step", [1, 7, 10000])
def test_request_and_handshake_in_any_pieces(secured, authority, step):
    request = RawConnection.ssl_request()
    hello = len(request).to_bytes(3, "little") + b"\1" + request + client_hello(authority.client())
    with RawConnection(secured.address) as connection:
        for at in range(0, len(hello), step):
            connection.socket.sendall(hello[at : at + step])
        assert connection.socket.recv(1) == b"\x16", "the server's part of the handshake"


@pytest.mark.parametrize("bytes_", [b"", b"\x16\3\1", b"\x16\3\1\xff\xff", b"\5\0\0\2hello" * 20])
def test_handshake_that_does_not_go_on(secured, bytes_):
    """Garbage ends it at once, silence when a login has to be done."""
    with RawConnection(secured.address) as connection:
        connection.send(RawConnection.ssl_request())
        connection.socket.sendall(bytes_)
        connection.socket.shutdown(1)
        while connection.socket.recv(100):
            pass
    secured.check_alive()


def test_handshake_that_stalls(make_gateway, authority):
    own = authority.issue("mqgate.test", "stalls")
    gateway = make_gateway({"tls": own.settings(), "limits": {"login_timeout": "500ms"}})
    with RawConnection(gateway.address) as connection:
        connection.send(RawConnection.ssl_request())
        connection.socket.sendall(client_hello(authority.client()))
        while connection.socket.recv(1000):
            pass


@pytest.mark.threads
def test_large_packets_on_both_sides(secured, authority, tenant, topic):
    connection = secured.raw(tenant, tls=authority.client())
    publish(secured.connect(tenant), topic, "m")
    value = b"0123456789abcdef" * (20 * MEGABYTE // 16)
    rows = connection.query(
        b"SELECT '%s', id FROM queue_messages WHERE topic = '%s'" % (value, topic.encode())
    ).rows
    assert rows == [(value, b"m")]
    connection.ping()
    connection.close()


@pytest.mark.threads
def test_client_that_reads_late(secured, authority, tenant, topic):
    """The shard waits; what lies inside of TLS comes when the client reads again."""
    publish(secured.connect(tenant), topic, "m")
    connection = secured.raw(tenant, tls=authority.client())
    connection.command(
        3, f"SELECT REPEAT('x', 20000000), id FROM queue_messages WHERE topic = '{topic}'".encode()
    )
    secured.wait_until_idle()
    ((value, name),) = connection.read_result().rows
    assert len(value) == 20000000 and name == b"m"
    connection.ping()
    connection.close()


def test_commands_sent_ahead(secured, authority, tenant):
    """Several in one record."""
    with secured.raw(tenant, tls=authority.client()) as connection:
        connection.socket.sendall(b"\1\0\0\0\x0e" * 50)
        for _ in range(50):
            connection.sequence = 1
            assert connection.receive_answer()[:1] == b"\0"


# --- reload


def shown(gateway, context):
    """The serial number of the certificate that a new client sees."""
    with RawConnection(gateway.address) as connection:
        connection.start_tls(context)
        return connection.socket.getpeercert()["serialNumber"]


def test_reload_of_certificates(make_gateway, authority, tenant, topic):
    own = authority.issue("mqgate.test", "reloaded")
    gateway = make_gateway({"tls": own.settings()})
    open_before = gateway.connect(tenant, ssl=authority.client())
    publish(open_before, topic, "m")
    first = shown(gateway, authority.client())

    authority.issue("mqgate.test", "reloaded")
    gateway.reload()
    wait_until(lambda: shown(gateway, authority.client()) != first, "the new certificate is shown")
    second = shown(gateway, authority.client())
    assert count(open_before, topic) == 1

    since = len(gateway.log())
    with open(own.key, "w", encoding="ascii") as key:
        key.write("no key")
    gateway.reload()
    gateway.log_contains(f"reload refused: MQ1010: {own.key}", since)
    assert shown(gateway, authority.client()) == second
    assert count(open_before, topic) == 1
    open_before.close()


def test_switching_tls_on_and_off(make_gateway, authority, tenant, topic):
    own = authority.issue("mqgate.test", "switched")
    gateway = make_gateway()
    plain = gateway.connect(tenant)
    gateway.configure({"tls": {**own.settings(), "mode": "required", "min_version": "1.3"}})
    gateway.reload()

    def refuses_plain():
        try:
            gateway.raw(tenant).close()
        except ServerError as error:
            return error.errno == 3159
        return False

    wait_until(refuses_plain, "a login without TLS is refused")
    assert count(plain, topic) == 0, "what is open stays open"
    gateway.raw(tenant, tls=authority.client(version=VERSIONS[1])).close()
    fails(lambda: gateway.raw(tenant, tls=authority.client(version=VERSIONS[0])))
    gateway.configure({"tls": None})
    gateway.reload()
    wait_until(lambda: not refuses_plain(), "TLS is off")
    plain.close()


# --- the command line


def test_check_reads_the_files(make_gateway, authority, tmp_path):
    own, old = authority.issue("mqgate.test"), authority.issue("mqgate.test", "old", life=-DAY)
    for settings, part in (
        ({"tls": {"cert": own.cert, "key": old.key}}, "key values mismatch"),
        ({"tls": {"cert": str(tmp_path / "none"), "key": own.key}}, "none: No such file"),
        ({"tls": old.settings()}, "has expired"),
        ({"keyspace": {"tls": {"ca": own.key}}}, own.key),
        ({"tls": own.settings(), "keyspace": {"tls": {"ca": authority.ca}}}, None),
    ):
        gateway = make_gateway(settings, start=False)
        done = run_program("check", "-c", gateway.config_path)
        assert done.returncode == (1 if part else 0), done.stdout
        assert not part or ("MQ1010" in done.stdout and part in done.stdout), done.stdout


def test_lint_live(make_gateway, authority):
    own = authority.issue("mqgate.test", "lint")
    admin = {"password": "a", "administrator": True, "backend": BACKEND}
    gateway = make_gateway(
        {"tls": {**own.settings(), "mode": "required"}, "accounts": {"root": admin}}
    )
    done = run_program("lint", "--live", "-c", gateway.config_path, "--user", "root")
    assert done.returncode == 0, done.stderr
    assert run_program("healthcheck", "-c", gateway.config_path).returncode == 0
