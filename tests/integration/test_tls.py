"""TLS between clients and mqgate."""

import ssl

import pytest

from gateway import Gateway, free_port
from legacy import count, publish
from refusals import refused

VERSIONS = [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]

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
