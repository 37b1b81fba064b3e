"""Clients behind a balancer that tells their addresses."""

import socket
import struct

import pytest

from gateway import run_program
from legacy import count
from rawmysql import RawConnection, ServerError

SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
V1 = b"PROXY TCP4 192.0.2.7 192.0.2.1 50281 3307\r\n"
V2 = (
    SIGNATURE
    + b"\x21\x11"
    + struct.pack(">H", 12 + 6)
    + bytes([192, 0, 2, 7, 192, 0, 2, 1])
    + struct.pack(">HH", 50281, 3307)
    + b"\4\0\3abc"
)
LOCAL = SIGNATURE + b"\x20\0\0\0"


@pytest.fixture
def running(make_gateway, authority):
    """Expects headers from the loopback network."""
    own = authority.issue("mqgate.test", "behind")
    gateway = make_gateway({"tls": own.settings(), "limits": {"login_timeout": "3s"}}, start=False)
    proxies = ["10.0.0.0/8", "127.0.0.0/8"]
    listener = {"address": f"127.0.0.1:{gateway.port}", "proxy_protocol": proxies}
    gateway.configure({"listen": listener})
    gateway.spawn()
    gateway.log_contains("serving")
    yield gateway
    gateway.stop()


class Proxied(RawConnection):
    """Sends a header, in pieces, before it expects the greeting."""

    def __init__(self, address, header, step=10000):
        self.header, self.step = header, step
        super().__init__(address)

    def _read_greeting(self):
        for at in range(0, len(self.header), self.step):
            self.socket.sendall(self.header[at : at + self.step])
        super()._read_greeting()


@pytest.mark.parametrize("header", [V1, V2, LOCAL], ids=["v1", "v2", "local"])
def test_headers(running, authority, tenant, header):
    for step in (1, 10000):
        for context in (None, authority.client()):
            with Proxied(running.address, header, step) as connection:
                if context:
                    connection.start_tls(context)
                connection.login("app", "app", database=f"queue@{tenant}")
                connection.ping()


def test_the_told_address_is_logged(running):
    with Proxied(running.address, V2) as connection:
        with pytest.raises(ServerError):
            connection.login("app", "wrong")
    running.log_contains("login from 192.0.2.7 refused")


@pytest.mark.parametrize(
    "first",
    [b"\x20\0\0\1", b"GET / HTTP/1.1\r\n", V1[:-1] + b"x", SIGNATURE + b"\xff\xff\0\0"],
    ids=["login", "http", "v1", "v2"],
)
def test_what_is_no_header(running, first):
    with socket.create_connection(running.address) as s:
        s.sendall(first)
        try:
            assert s.recv(100) == b""
        except ConnectionResetError:
            pass
    running.log_contains("from 127.0.0.1: no PROXY header")


def test_a_header_that_does_not_come(running):
    with socket.create_connection(running.address, timeout=20) as s:
        s.sendall(b"PROXY ")
        assert s.recv(100) == b"", "closed after login_timeout, without a greeting"


def test_header_from_elsewhere(gateway, tenant, topic):
    """The greeting came at once; the header is no login."""
    with RawConnection(gateway.address) as connection:
        connection.socket.sendall(V1)
        connection.sequence = (V1[3] + 1) % 256
        with pytest.raises(ServerError) as caught:
            connection.receive_answer()
    assert caught.value.errno == 1835
    connection = gateway.connect(tenant)
    assert count(connection, topic) == 0
    connection.close()


def test_health_check(running):
    assert run_program("healthcheck", "-c", running.config_path).returncode == 0
