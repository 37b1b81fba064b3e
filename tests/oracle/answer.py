"""Answers as they come, and when two of them are the same."""

import re
import struct
from dataclasses import dataclass, field

from rawmysql import (
    COM_QUERY,
    COM_STMT_CLOSE,
    COM_STMT_FETCH,
    CURSOR_EXISTS,
    CURSOR_READ_ONLY,
    DEFAULT_CAPABILITIES,
    DEPRECATE_EOF,
    LAST_ROW_SENT,
    ProtocolError,
    RawConnection,
    Reader,
    ServerError,
    make_null_bitmap,
    parameter_type,
    parameter_value,
)

COM_STMT_PREPARE, COM_STMT_EXECUTE = 0x16, 0x17
# Status bits that say how a server found the rows, not what it did.
STATUS_IGNORED = 0x0010 | 0x0020 | 0x0800 | 0x4000


@dataclass
class Answer:
    """What one statement was answered. Columns and rows are packets as they came."""

    error: tuple = None  # errno, SQLSTATE, message
    affected: int = 0
    insert_id: int = 0
    status: int = 0
    warnings: int = 0
    info: str = ""
    columns: list = None
    rows: list = field(default_factory=list)
    binary: bool = False

    def refusal(self):
        """The message, when mqgate refused the statement."""
        found = self.error and re.match(r"MQ\d{4}", self.error[2])
        return self.error[2] if found else None


class Connection(RawConnection):
    """A raw connection that reads answers quickly."""

    def _receive(self, count):
        buffer = self._received
        while len(buffer) - self.at < count:
            data = self.socket.recv(1 << 18)
            if not data:
                raise ConnectionError("the server closed the connection")
            if self.at:
                del buffer[: self.at]
                self.at = 0
            buffer += data
        self.at += count
        return bytes(buffer[self.at - count : self.at])

    at = 0  # how much of what was received is used up

    def read_answer(self, binary=False):
        try:
            return self._read_answer(binary)
        except ServerError as error:
            return Answer(error=(error.errno, error.sqlstate, error.message), binary=binary)

    def _read_answer(self, binary):
        packet = self.receive_answer()
        if packet[:1] == b"\x00":
            return answer_of(self._parse_ok(packet), binary)
        count = Reader(packet).lenenc()
        columns = [self.receive_answer() for _ in range(count)]
        if not self.capabilities & DEPRECATE_EOF:
            behind = answer_of(self._parse_end(self.receive_answer()), binary)
            if behind.status & CURSOR_EXISTS:
                behind.columns = columns
                return behind
        end = self.read_row_packets(binary)
        end.columns = columns
        return end

    def read_row_packets(self, binary):
        """An Answer without columns."""
        rows = []
        while True:
            packet = self.receive_answer()
            if packet[:1] == b"\xfe" and self._is_end(packet):
                end = answer_of(self._parse_end(packet), binary)
                end.rows = rows
                return end
            rows.append(packet)

    def read_cursor(self, number, answer, rows_at_a_time):
        """The rows of the cursor that the answer has opened, as if they had come with it."""
        rows, end = [], answer
        while end.status & CURSOR_EXISTS and not end.status & LAST_ROW_SENT:
            self.command(COM_STMT_FETCH, struct.pack("<II", number, rows_at_a_time))
            try:
                end = self.read_row_packets(True)
            except ServerError as error:
                return Answer(error=(error.errno, error.sqlstate, error.message), binary=True)
            rows += end.rows
        end.columns, end.rows = answer.columns, rows or answer.rows
        end.status &= ~(CURSOR_EXISTS | LAST_ROW_SENT)
        return end

    # The two halves of a statement apart, so that both sides can work at once.

    def send_query(self, text):
        self.command(COM_QUERY, text.encode())

    def send_prepare(self, text):
        self.command(COM_STMT_PREPARE, text.encode())

    def read_prepare(self):
        """The statement's id, or the Answer that says why there is none."""
        try:
            packet = self.receive_answer()
        except ServerError as error:
            return Answer(error=(error.errno, error.sqlstate, error.message), binary=True)
        number, columns, params = struct.unpack_from("<IHH", packet, 1)
        self.read_columns(params)
        self.read_columns(columns)
        return number

    def send_values(self, number, values, cursor=False):
        body = struct.pack("<IBI", number, CURSOR_READ_ONLY if cursor else 0, 1)
        if values:
            body += make_null_bitmap(values) + b"\1"
            body += b"".join(parameter_type(v) for v in values)
            body += b"".join(parameter_value(v) for v in values)
        self.command(COM_STMT_EXECUTE, body)

    def close_number(self, number):
        self.command(COM_STMT_CLOSE, struct.pack("<I", number))


def connect(address, user, password, database, deprecate_eof):
    capabilities = DEFAULT_CAPABILITIES | (DEPRECATE_EOF if deprecate_eof else 0)
    connection = Connection(address, timeout=60)
    connection.login(user, password, database=database, capabilities=capabilities)
    return connection


def answer_of(result, binary):
    return Answer(
        None, result.affected, result.insert_id, result.status, result.warnings, result.info,
        binary=binary,
    )  # fmt: skip


# --- columns and rows


@dataclass(frozen=True)
class Definition:
    """A column of an answer."""

    schema: str
    table: str
    org_table: str
    name: str
    org_name: str
    charset: int
    length: int
    type: int
    flags: int
    decimals: int


def definition(packet):
    r = Reader(packet)
    texts = [r.string().decode(errors="replace") for _ in range(6)]
    r.lenenc()
    charset, length, kind = r.integer(2), r.integer(4), r.integer(1)
    flags, decimals = r.integer(2), r.integer(1)
    return Definition(*texts[1:], charset, length, kind, flags, decimals)


def cells(packet, count):
    """The columns of a row of the text protocol."""
    r, row = Reader(packet), []
    for _ in range(count):
        if r.data[r.at : r.at + 1] == b"\xfb":
            r.take(1)
            row.append(None)
        else:
            row.append(r.string())
    if not r.ended():
        raise ProtocolError("bytes behind the last column of a row")
    return row
