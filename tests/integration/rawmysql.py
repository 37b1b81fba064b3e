"""A MySQL client that speaks the protocol byte by byte.

It serves the tests that an ordinary driver cannot make: binary prepared statements in every
form, long data, single command bytes, malformed packets, a reader that stops reading. Names are
those of MySQL's protocol documentation.
"""

import hashlib
import socket
import struct
from dataclasses import dataclass, field

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

LONG_PASSWORD = 1 << 0
FOUND_ROWS = 1 << 1
LONG_FLAG = 1 << 2
CONNECT_WITH_DB = 1 << 3
PROTOCOL_41 = 1 << 9
SSL = 1 << 11
TRANSACTIONS = 1 << 13
SECURE_CONNECTION = 1 << 15
MULTI_STATEMENTS = 1 << 16
MULTI_RESULTS = 1 << 17
PLUGIN_AUTH = 1 << 19
CONNECT_ATTRS = 1 << 20
LENENC_AUTH = 1 << 21
SESSION_TRACK = 1 << 23
DEPRECATE_EOF = 1 << 24
QUERY_ATTRIBUTES = 1 << 27
EXTENDED_METADATA = 1 << 35  # MariaDB's; the upper half counts where LONG_PASSWORD is not set
DEFAULT_CAPABILITIES = (
    LONG_PASSWORD
    | LONG_FLAG
    | PROTOCOL_41
    | TRANSACTIONS
    | SECURE_CONNECTION
    | MULTI_RESULTS
    | PLUGIN_AUTH
    | LENENC_AUTH
)

IN_TRANS = 0x0001
AUTOCOMMIT = 0x0002
MORE_RESULTS = 0x0008
STATE_CHANGED = 0x4000

CURSOR_READ_ONLY, CURSOR_EXISTS, LAST_ROW_SENT = 1, 0x40, 0x80
COM_QUIT, COM_INIT_DB, COM_QUERY, COM_FIELD_LIST = 0x01, 0x02, 0x03, 0x04
COM_STATISTICS, COM_PING, COM_CHANGE_USER = 0x09, 0x0E, 0x11
COM_STMT_PREPARE, COM_STMT_EXECUTE, COM_STMT_SEND_LONG_DATA = 0x16, 0x17, 0x18
COM_STMT_CLOSE, COM_STMT_RESET, COM_SET_OPTION, COM_STMT_FETCH = 0x19, 0x1A, 0x1B, 0x1C
COM_RESET_CONNECTION = 0x1F

MAX_FRAGMENT = 0xFFFFFF
UTF8MB4 = 45  # utf8mb4_general_ci, which both kinds of server know

TYPE_LONGLONG, TYPE_DOUBLE, TYPE_NULL = 0x08, 0x05, 0x06
TYPE_BLOB, TYPE_VAR_STRING = 0xFC, 0xFD
FIXED_TYPES = {
    0x01: "b",
    0x02: "h",
    0x0D: "h",
    0x03: "i",
    0x09: "i",
    0x08: "q",
    0x04: "f",
    0x05: "d",
}
TIME_TYPES = (0x07, 0x0A, 0x0B, 0x0C)
UNSIGNED_FLAG = 0x20


class ServerError(Exception):
    """An ERR packet."""

    def __init__(self, packet):
        self.errno = struct.unpack_from("<H", packet, 1)[0]
        text = packet[3:]
        self.sqlstate = ""
        if text[:1] == b"#":
            self.sqlstate, text = text[1:6].decode(), text[6:]
        self.message = text.decode(errors="replace")
        super().__init__(f"{self.errno} ({self.sqlstate}) {self.message}")


class ProtocolError(Exception):
    """What the server sent is not what the protocol allows."""


class LongData:
    """A parameter whose value was sent by COM_STMT_SEND_LONG_DATA."""

    def __init__(self, kind=TYPE_VAR_STRING):
        self.kind = kind


class Reader:
    """Takes values off the front of a payload."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        if self.at + count > len(self.data):
            raise ProtocolError(f"{count} bytes wanted at {self.at} of {len(self.data)}")
        self.at += count
        return self.data[self.at - count : self.at]

    def integer(self, size):
        return int.from_bytes(self.take(size), "little")

    def lenenc(self):
        first = self.integer(1)
        if first < 0xFB:
            return first
        if first in (0xFB, 0xFF):
            raise ProtocolError(f"0x{first:02x} is no length")
        return self.integer({0xFC: 2, 0xFD: 3, 0xFE: 8}[first])

    def string(self):
        return self.take(self.lenenc())

    def until_nul(self):
        end = self.data.index(b"\0", self.at)
        text, self.at = self.data[self.at : end], end + 1
        return text

    def rest(self):
        return self.take(len(self.data) - self.at)

    def ended(self):
        return self.at == len(self.data)


def lenenc(number):
    if number < 0xFB:
        return bytes([number])
    for prefix, size in ((0xFC, 2), (0xFD, 3), (0xFE, 8)):
        if number < 1 << 8 * size:
            return bytes([prefix]) + number.to_bytes(size, "little")
    raise ValueError(number)


def lenenc_string(text):
    return lenenc(len(text)) + text


@dataclass
class Column:
    table: str
    name: str
    org_table: str
    org_name: str
    charset: int
    type: int
    flags: int
    schema: str = field(compare=False)
    length: int = field(compare=False)
    decimals: int = field(compare=False)
    extended: bytes  # with EXTENDED_METADATA

    @classmethod
    def parse(cls, packet, capabilities=0):
        r = Reader(packet)
        texts = [r.string().decode() for _ in range(6)]
        extended = r.string() if capabilities & EXTENDED_METADATA else b""
        if r.lenenc() != 12 or texts[0] != "def":
            raise ProtocolError(f"{packet!r} is no column definition")
        charset, length, kind = r.integer(2), r.integer(4), r.integer(1)
        flags, decimals = r.integer(2), r.integer(1)
        return cls(
            *(texts[n] for n in (2, 4, 3, 5)),
            charset, kind, flags, texts[1], length, decimals, extended,
        )


@dataclass
class Result:
    """The answer to one statement."""

    affected: int = 0
    insert_id: int = 0
    status: int = 0
    warnings: int = 0
    info: str = ""
    state: bytes = b""  # what SESSION_TRACK adds
    columns: list = field(default_factory=list)
    rows: list = field(default_factory=list)


@dataclass
class Statement:
    id: int
    params: int
    columns: list


def native_password(password, nonce):
    if not password:
        return b""
    first = hashlib.sha1(password).digest()
    second = hashlib.sha1(nonce + hashlib.sha1(first).digest()).digest()
    return bytes(a ^ b for a, b in zip(first, second))


def sha2_password(password, nonce):
    if not password:
        return b""
    first = hashlib.sha256(password).digest()
    second = hashlib.sha256(hashlib.sha256(first).digest() + nonce).digest()
    return bytes(a ^ b for a, b in zip(first, second))


SCRAMBLES = {"mysql_native_password": native_password, "caching_sha2_password": sha2_password}


def rsa_encrypted(password, nonce, pem):
    padded = password + b"\0"
    mixed = bytes(c ^ nonce[n % len(nonce)] for n, c in enumerate(padded))
    oaep = padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None)
    return serialization.load_pem_public_key(pem).encrypt(mixed, oaep)


class RawConnection:
    """A connection. `address` is (host, port) or the path of a unix socket."""

    def __init__(self, address, timeout=30):
        if isinstance(address, str):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(timeout)
            self.socket.connect(address)
        else:
            self.socket = socket.create_connection(address, timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sequence = 0
        self.capabilities = 0
        self.full_authentication = False  # the password itself was sent
        self.tls = False
        self._received = bytearray()
        self._read_greeting()

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.close()

    def close(self):
        self.socket.close()

    # --- packets

    def send(self, payload, sequence=None):
        """One packet, cut into fragments of at most 16 MiB - 1."""
        if sequence is not None:
            self.sequence = sequence
        at = 0
        while True:
            piece = payload[at : at + MAX_FRAGMENT]
            header = len(piece).to_bytes(3, "little") + bytes([self.sequence])
            self.socket.sendall(header + piece)
            self.sequence = (self.sequence + 1) % 256
            at += len(piece)
            if len(piece) < MAX_FRAGMENT:
                return

    def _receive(self, count):
        while len(self._received) < count:
            data = self.socket.recv(max(65536, count - len(self._received)))
            if not data:
                raise ConnectionError("the server closed the connection")
            self._received += data
        data = bytes(self._received[:count])
        del self._received[:count]
        return data

    def receive(self):
        """One packet's payload, its fragments joined."""
        parts = []
        while True:
            header = self._receive(4)
            size = int.from_bytes(header[:3], "little")
            if header[3] != self.sequence:
                raise ProtocolError(f"sequence {header[3]} instead of {self.sequence}")
            self.sequence = (self.sequence + 1) % 256
            parts.append(self._receive(size))
            if size < MAX_FRAGMENT:
                return b"".join(parts) if len(parts) > 1 else parts[0]

    def receive_answer(self):
        packet = self.receive()
        if packet[:1] == b"\xff":
            raise ServerError(packet)
        return packet

    # --- connection phase

    def _read_greeting(self):
        packet = self.receive_answer()
        r = Reader(packet)
        if r.integer(1) != 10:
            raise ProtocolError("no protocol version 10")
        self.version = r.until_nul().decode()
        self.connection_id = r.integer(4)
        self.nonce = r.take(8)
        r.take(1)
        low = r.integer(2)
        self.charset, self.status = r.integer(1), r.integer(2)
        self.server_capabilities = low | r.integer(2) << 16
        nonce_size = r.integer(1)
        r.take(6)
        upper = r.integer(4)
        if not low & LONG_PASSWORD:
            self.server_capabilities |= upper << 32
        self.nonce += r.take(max(13, nonce_size - 8))[:12]
        self.plugin = r.until_nul().decode()

    def login_packet(
        self,
        user,
        auth,
        database=None,
        capabilities=DEFAULT_CAPABILITIES,
        plugin=None,
        attributes=None,
        charset=UTF8MB4,
    ):
        """A HandshakeResponse41 with the scramble `auth`."""
        if database is not None:
            capabilities |= CONNECT_WITH_DB
        if attributes is not None:
            capabilities |= CONNECT_ATTRS
        if self.tls:
            capabilities |= SSL
        self.capabilities = capabilities & self.server_capabilities
        if self.capabilities >> 32:
            self.capabilities &= ~LONG_PASSWORD
        lower, upper = self.capabilities & 0xFFFFFFFF, self.capabilities >> 32
        packet = struct.pack("<IIB19xI", lower, 1 << 30, charset, upper)
        packet += user.encode() + b"\0" + lenenc_string(auth)
        if database is not None:
            packet += database.encode() + b"\0"
        packet += (plugin or self.plugin).encode() + b"\0"
        if attributes is not None:
            packet += lenenc_string(attribute_pairs(attributes))
        return packet

    @staticmethod
    def ssl_request(capabilities=DEFAULT_CAPABILITIES):
        return struct.pack("<IIB23x", capabilities | SSL, 1 << 30, UTF8MB4)

    def start_tls(self, context, capabilities=DEFAULT_CAPABILITIES):
        """What follows goes through TLS, with the sequence number that is due."""
        self.send(self.ssl_request(capabilities))
        self.socket = context.wrap_socket(self.socket, server_hostname="127.0.0.1")
        self.tls = True
        return self

    def login(self, user, password, plugin=None, **options):
        """Logs in with either plug-in; returns the final OK."""
        plugin = plugin or self.plugin
        scramble = SCRAMBLES.get(plugin, native_password)(password.encode(), self.nonce)
        self.send(self.login_packet(user, scramble, plugin=plugin, **options))
        return self.authenticate(password.encode(), plugin)

    def change_user(
        self, user, password, database="", plugin=None, attributes=None, charset=UTF8MB4
    ):
        """COM_CHANGE_USER; the server has to ask for a proof with a nonce of its own."""
        plugin = plugin or self.plugin
        body = user.encode() + b"\0" + b"\x14" + b"x" * 20 + database.encode() + b"\0"
        body += struct.pack("<H", charset) + plugin.encode() + b"\0"
        if self.capabilities & CONNECT_ATTRS:
            body += lenenc_string(attribute_pairs(attributes or {}))
        self.command(COM_CHANGE_USER, body)
        return self.authenticate(password.encode(), plugin)

    def authenticate(self, password, plugin):
        nonce = self.nonce
        while True:
            packet = self.receive_answer()
            if packet[:1] == b"\x00":
                return self._parse_ok(packet)
            if packet[:1] == b"\xfe":  # AuthSwitchRequest: the new nonce replaces the old one
                r = Reader(packet[1:])
                plugin = r.until_nul().decode()
                nonce = r.rest().rstrip(b"\0")
                self.send(SCRAMBLES[plugin](password, nonce))
            elif packet == b"\x01\x04" and self.tls:  # full authentication
                self.full_authentication = True
                self.send(password + b"\0")
            elif packet == b"\x01\x04":  # the same without TLS: by RSA
                self.full_authentication = True
                self.send(b"\x02")
                key = self.receive_answer()
                self.send(rsa_encrypted(password, nonce, key[1:]))
            elif packet != b"\x01\x03":
                raise ProtocolError(f"unexpected {packet[:20]!r} during login")

    # --- answers

    def _parse_ok(self, packet):
        r = Reader(packet)
        r.integer(1)
        result = Result(r.lenenc(), r.lenenc())
        result.status, result.warnings = r.integer(2), r.integer(2)
        if self.capabilities & SESSION_TRACK and not r.ended():
            result.info = r.string().decode()
            if result.status & STATE_CHANGED:
                result.state = r.string()
        result.info += r.rest().decode()
        return result

    def _parse_end(self, packet):
        if self.capabilities & DEPRECATE_EOF:
            return self._parse_ok(packet)
        if len(packet) != 5:
            raise ProtocolError(f"{packet[:20]!r} is no EOF packet")
        return Result(
            warnings=int.from_bytes(packet[1:3], "little"),
            status=int.from_bytes(packet[3:5], "little"),
        )

    def _is_end(self, packet):
        limit = MAX_FRAGMENT if self.capabilities & DEPRECATE_EOF else 9
        return packet[:1] == b"\xfe" and len(packet) < limit

    def read_columns(self, count):
        columns = [Column.parse(self.receive_answer(), self.capabilities) for _ in range(count)]
        self.definitions_end = Result()
        if count and not self.capabilities & DEPRECATE_EOF:
            self.definitions_end = self._parse_end(self.receive_answer())
        return columns

    def read_rows(self, columns, binary):
        """Yields rows; at the end the closing packet as a Result."""
        while True:
            packet = self.receive_answer()
            if self._is_end(packet):
                yield self._parse_end(packet)
                return
            yield binary_row(packet, columns) if binary else text_row(packet, len(columns))

    def read_result(self, binary=False):
        """The answer to COM_QUERY or COM_STMT_EXECUTE, whole."""
        packet = self.receive_answer()
        if packet[:1] == b"\x00":
            return self._parse_ok(packet)
        columns = self.read_columns(Reader(packet).lenenc())
        if self.definitions_end.status & CURSOR_EXISTS:  # no rows follow, and so no end of them
            rows = [self.definitions_end]
        else:
            rows = list(self.read_rows(columns, binary))
        result = rows.pop()
        result.columns, result.rows = columns, rows
        return result

    # --- commands

    def command(self, byte, body=b""):
        self.send(bytes([byte]) + body, sequence=0)

    def query(self, text):
        self.command(COM_QUERY, text if isinstance(text, bytes) else text.encode())
        return self.read_result()

    def ping(self):
        self.command(COM_PING)
        return self._parse_ok(self.receive_answer())

    def reset_connection(self):
        self.command(COM_RESET_CONNECTION)
        return self._parse_ok(self.receive_answer())

    def init_db(self, name):
        self.command(COM_INIT_DB, name.encode())
        return self._parse_ok(self.receive_answer())

    def prepare(self, text):
        self.command(COM_STMT_PREPARE, text if isinstance(text, bytes) else text.encode())
        return self.read_prepared()

    def read_prepared(self):
        r = Reader(self.receive_answer())
        if r.integer(1) != 0:
            raise ProtocolError("no answer to COM_STMT_PREPARE")
        number, columns, params = r.integer(4), r.integer(2), r.integer(2)
        self.read_columns(params)
        return Statement(number, params, self.read_columns(columns))

    def execute(self, statement, *values, types=True, null_bitmap=None):
        """types=False leaves the types to those of the last execution."""
        self.send_execute(statement, *values, types=types, null_bitmap=null_bitmap)
        return self.read_result(binary=True)

    def open_cursor(self, statement, *values):
        """Executes; if the server opens a cursor the rows are left for fetch()."""
        self.send_execute(statement, *values, flags=CURSOR_READ_ONLY)
        return self.read_result(binary=True)

    def fetch(self, statement, count):
        """Rows of the statement's open cursor, and the status behind them."""
        self.command(COM_STMT_FETCH, struct.pack("<II", statement.id, count))
        rows = list(self.read_rows(statement.columns, binary=True))
        result = rows.pop()
        result.rows = rows
        return result

    def send_execute(self, statement, *values, types=True, null_bitmap=None, flags=0):
        body = struct.pack("<IBI", statement.id, flags, 1)
        if values:
            body += null_bitmap if null_bitmap is not None else make_null_bitmap(values)
            body += bytes([types])
            if types:
                body += b"".join(parameter_type(v) for v in values)
            body += b"".join(parameter_value(v) for v in values)
        self.command(COM_STMT_EXECUTE, body)

    def send_long_data(self, statement, parameter, data):
        """There is no answer to this command."""
        self.command(COM_STMT_SEND_LONG_DATA, struct.pack("<IH", statement.id, parameter) + data)

    def reset_statement(self, statement):
        self.command(COM_STMT_RESET, struct.pack("<I", statement.id))
        return self._parse_ok(self.receive_answer())

    def close_statement(self, statement):
        """There is no answer to this command either."""
        self.command(COM_STMT_CLOSE, struct.pack("<I", statement.id))


def attribute_pairs(attributes):
    return b"".join(lenenc_string(text.encode()) for pair in attributes.items() for text in pair)


def make_null_bitmap(values):
    bitmap = bytearray((len(values) + 7) // 8)
    for n, value in enumerate(values):
        if value is None:
            bitmap[n // 8] |= 1 << n % 8
    return bytes(bitmap)


def parameter_type(value):
    if value is None:
        return bytes([TYPE_NULL, 0])
    if isinstance(value, int):
        return bytes([TYPE_LONGLONG, 0x80 if value >= 1 << 63 else 0])
    if isinstance(value, float):
        return bytes([TYPE_DOUBLE, 0])
    if isinstance(value, LongData):
        return bytes([value.kind, 0])
    return bytes([TYPE_VAR_STRING if isinstance(value, str) else TYPE_BLOB, 0])


def parameter_value(value):
    if value is None or isinstance(value, LongData):
        return b""
    if isinstance(value, int):
        return (value % (1 << 64)).to_bytes(8, "little")
    if isinstance(value, float):
        return struct.pack("<d", value)
    return lenenc_string(value.encode() if isinstance(value, str) else value)


def text_row(packet, count):
    r = Reader(packet)
    row = []
    for _ in range(count):
        if r.data[r.at : r.at + 1] == b"\xfb":
            r.take(1)
            row.append(None)
        else:
            row.append(r.string())
    if not r.ended():
        raise ProtocolError("bytes behind the last column of a row")
    return tuple(row)


def binary_row(packet, columns):
    """NULL, integers and floats as such; every other value as its bytes."""
    r = Reader(packet)
    if r.integer(1) != 0:
        raise ProtocolError("a binary row does not start with 0")
    bitmap = r.take((len(columns) + 7 + 2) // 8)
    row = []
    for n, column in enumerate(columns):
        if bitmap[(n + 2) // 8] & 1 << (n + 2) % 8:
            row.append(None)
        elif column.type in FIXED_TYPES:
            code = FIXED_TYPES[column.type]
            code = code.upper() if column.flags & UNSIGNED_FLAG and code in "bhiq" else code
            row.append(struct.unpack("<" + code, r.take(struct.calcsize("<" + code)))[0])
        elif column.type in TIME_TYPES:
            row.append(r.take(r.integer(1)))
        else:
            row.append(r.string())
    if not r.ended():
        raise ProtocolError("bytes behind the last column of a binary row")
    return tuple(row)
