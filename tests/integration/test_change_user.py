"""COM_CHANGE_USER: a connection pool's way to make a connection somebody else's."""

import ctypes

import pytest

from legacy import count, publish
from rawmysql import (
    COM_CHANGE_USER,
    CONNECT_ATTRS,
    DEFAULT_CAPABILITIES,
    LENENC_AUTH,
    PLUGIN_AUTH,
    ProtocolError,
    ServerError,
    native_password,
)
from refusals import refused

PLUGINS = ["mysql_native_password", "caching_sha2_password", "sha256_password"]


def ended(connection):
    with pytest.raises(ConnectionError):
        connection.ping()
    return True


@pytest.mark.parametrize("plugin", PLUGINS)
@pytest.mark.parametrize("capabilities", [DEFAULT_CAPABILITIES, DEFAULT_CAPABILITIES & ~LENENC_AUTH])
def test_another_account(connect, accounts, topic, plugin, capabilities):
    connection = connect(accounts.second[0], raw=True, capabilities=capabilities)
    number = connection.query("SELECT CONNECTION_ID()").rows
    connection.change_user("bound", "bound", "queue", plugin=plugin)
    assert connection.query("SELECT DATABASE(), USER()").rows == [(b"queue", b"bound@%")]
    assert connection.query("SELECT CONNECTION_ID()").rows == number
    publish(connect(accounts.first[0]), topic, "m")
    seen = connection.query(f"SELECT COUNT(*) FROM queue_messages WHERE topic = '{topic}'").rows
    assert seen == [(b"1",)], "the account's own tenant"


def test_again_and_again(connect, tenant, other_tenant):
    connection = connect(tenant, raw=True)
    for n in range(20):
        wanted = (tenant, other_tenant)[n % 2]
        connection.change_user("app", "app", f"queue@{wanted}")
        assert connection.query("SELECT @mq_tenant").rows == [(wanted.encode(),)]


def test_accounts_with_hashes(connect, tenant):
    connection = connect(tenant, raw=True)
    connection.change_user("hashed", "native")
    connection.change_user("long", "p" * 100)
    connection.change_user("app", "app", charset=8)
    charset = connection.query("SELECT @@character_set_client, @@collation_connection").rows
    assert charset == [(b"latin1", b"latin1_swedish_ci")]


@pytest.mark.parametrize(
    "user, password, database, attributes, errno",
    [
        ("app", "wrong", "queue", {}, 1045),
        ("app", "", "queue", {}, 1045),
        ("nobody", "app", "queue", {}, 1045),
        ("app", "app", "elsewhere", {}, 1049),
        ("app", "app", "queue@nobody", {}, 1105),
        ("app", "app", "queue", {"tenant": "nobody"}, 1105),
    ],
)
def test_who_fails_is_disconnected(connect, tenant, user, password, database, attributes, errno):
    capabilities = DEFAULT_CAPABILITIES | CONNECT_ATTRS
    connection = connect(tenant, raw=True, capabilities=capabilities)
    with refused(errno=errno):
        connection.change_user(user, password, database, attributes=attributes)
    assert ended(connection)


def test_nothing_stays(connect, tenant, topic):
    """An open transaction, what was set, what was prepared, what was inserted last."""
    connection = connect(tenant, raw=True)
    statement = connection.prepare("SELECT COUNT(*) FROM queue_messages WHERE topic = ?")
    connection.query("SET SESSION sql_mode = 'ANSI_QUOTES', @mq_schema = 'tenant'")
    connection.query("SET autocommit = 0")
    connection.query("BEGIN")
    connection.query(
        "INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at)"
        f" VALUES ('g', '{topic}', 'p', 1, 1)"
    )
    connection.change_user("app", "app", f"queue@{tenant}")
    seen = connection.query(f"SELECT * FROM queue_offsets WHERE topic = '{topic}'")
    assert seen.rows == [] and [c.name for c in seen.columns][0] == "consumer_group"
    assert connection.query('SELECT @@autocommit, "a"').rows == [(b"1", b"a")]
    assert connection.query("SELECT LAST_INSERT_ID()").rows == [(b"0",)]
    with refused(errno=1243):
        connection.execute(statement, topic)


def test_client_without_plugins(connect, tenant):
    """It cannot be given a nonce: as with a server, that of the greeting serves again."""
    capabilities = DEFAULT_CAPABILITIES & ~PLUGIN_AUTH & ~LENENC_AUTH
    connection = connect(
        tenant, raw=True, capabilities=capabilities, plugin="mysql_native_password"
    )
    body = b"app\0\x14" + native_password(b"app", connection.nonce) + b"queue\0\x2d\0"
    connection.command(COM_CHANGE_USER, body)
    assert connection.receive_answer()[0] == 0
    assert connection.query("SELECT USER()").rows == [(b"app@%",)]


def test_malformed(connect, gateway, tenant):
    whole = b"app\0\x14" + b"x" * 20 + b"queue\0\x2d\0mysql_native_password\0"
    for packet in [whole[:n] for n in range(32)] + [b"\xff" * 100, b"\0" * 100]:
        connection = connect(tenant, raw=True)
        connection.command(COM_CHANGE_USER, packet)
        with pytest.raises((ServerError, ConnectionError, ProtocolError)):
            connection.authenticate(b"wrong", "mysql_native_password")
        assert ended(connection)
        connection.close()


class Library:
    """mysql_change_user of the client library that is installed."""

    def __init__(self, gateway, tenant):
        self.c = ctypes.CDLL("libmariadb.so.3")
        for name in ("mysql_init", "mysql_real_connect", "mysql_store_result"):
            getattr(self.c, name).restype = ctypes.c_void_p
        self.c.mysql_fetch_row.restype = ctypes.POINTER(ctypes.c_char_p)
        self.c.mysql_error.restype = ctypes.c_char_p
        self.handle = ctypes.c_void_p(self.c.mysql_init(None))
        connected = self.c.mysql_real_connect(
            self.handle, b"127.0.0.1", b"app", b"app", f"queue@{tenant}".encode(),
            gateway.port, None, ctypes.c_ulong(0),
        )  # fmt: skip
        assert connected, self.error()

    def error(self):
        return self.c.mysql_error(self.handle).decode()

    def change_user(self, user, password, database):
        arguments = [text.encode() for text in (user, password, database)]
        return self.c.mysql_change_user(self.handle, *arguments)

    def query(self, text):
        assert self.c.mysql_query(self.handle, text.encode()) == 0, self.error()
        result = ctypes.c_void_p(self.c.mysql_store_result(self.handle))
        value = self.c.mysql_fetch_row(result)[0].decode()
        self.c.mysql_free_result(result)
        return value


def test_client_library(gateway, connect, tenant, other_tenant, topic):
    publish(connect(other_tenant), topic, "m")
    library = Library(gateway, tenant)
    assert library.change_user("app", "app", f"queue@{other_tenant}") == 0, library.error()
    statement = f"SELECT COUNT(*) FROM queue_messages WHERE topic = '{topic}'"
    assert library.query(statement) == "1"
    assert count(connect(tenant), topic) == 0
    assert library.change_user("hashed", "native", "queue") == 0, library.error()
    assert library.query("SELECT USER()") == "hashed@%"
    assert library.change_user("app", "wrong", "queue") != 0
    assert library.c.mysql_errno(library.handle) == 1045
    library.c.mysql_close(library.handle)
