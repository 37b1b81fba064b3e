"""What the comparisons with real servers share: a server to ask, and mqgate's view of it."""

import contextlib
import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "integration"))

from cluster import Cluster, ClusterUnavailable  # noqa: E402
from rawmysql import RawConnection  # noqa: E402

SKIPPED = 77
SYNTAX_ERRORS = (1064, 1149)
# Errors that a server finds while it still reads, so that what follows is not known: invalid
# characters, unknown character sets, variables and modes, dates that are none.
EARLY_ERRORS = (1115, 1193, 1273, 1300, 1525, 3854)

# The sql_modes that mqgate's lexer and parser follow, and all their combinations.
MODES = ("ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "PIPES_AS_CONCAT", "IGNORE_SPACE",
         "HIGH_NOT_PRECEDENCE")
ALL_MODES = [",".join(m) for count in range(len(MODES) + 1)
             for m in itertools.combinations(MODES, count)]


@contextlib.contextmanager
def server(flavour):
    """One server of that kind; the program ends with status 77 where there can be none."""
    with tempfile.TemporaryDirectory(prefix="mqgate-peer-") as folder:
        try:
            cluster = Cluster(folder, flavour, ["peer"], shards=1)
        except ClusterUnavailable as why:
            print(f"SKIPPED: no {flavour} server: {why}")
            sys.exit(SKIPPED)
        with cluster:
            yield cluster.shards[0]


def connect(shard):
    connection = RawConnection((shard["host"], shard["port"]))
    connection.login("root", "root")
    return connection


def version_of(connection):
    return connection.version


class Answer:
    """errno, or the names of the columns and their values (None: NULL)."""

    def __init__(self, errno=0, message="", names=(), values=None):
        self.errno, self.message = errno, message
        self.names, self.values = names, values

    @property
    def refuses(self):
        return self.errno in SYNTAX_ERRORS

    @property
    def is_early(self):
        return self.errno in EARLY_ERRORS


class Stream:
    """The packets of a connection on which many statements are under way."""

    def __init__(self, connection):
        self.socket, self.data, self.at = connection.socket, bytearray(), 0

    def send(self, statements):
        self.socket.sendall(b"".join(
            (len(text) + 1).to_bytes(3, "little") + b"\0\x03" + text for text in statements))

    def packet(self):
        while len(self.data) < self.at + 4 or len(self.data) < self.at + 4 + self.size():
            more = self.socket.recv(1 << 18)
            if not more:
                raise ConnectionError("the server closed the connection")
            self.data = self.data[self.at:] + more
            self.at = 0
        begin = self.at + 4
        self.at = begin + self.size()
        return bytes(self.data[begin:self.at])

    def size(self):
        return int.from_bytes(self.data[self.at:self.at + 3], "little")

    def answer(self):
        packet = self.packet()
        if packet[0] == 0xFF:
            return error(packet)
        if packet[0] == 0x00:
            return Answer(names=None)
        names = [column_name(self.packet()) for _ in range(packet[0])]
        self.packet()
        values = None
        while (packet := self.packet())[0] != 0xFE or len(packet) > 8:
            if packet[0] == 0xFF:
                return error(packet)
            values = fields(packet)
        return Answer(names=names, values=values)


def error(packet):
    return Answer(int.from_bytes(packet[1:3], "little"), packet[9:].decode(errors="replace"))


def fields(packet):
    found, at = [], 0
    while at < len(packet):
        size, at = packet[at], at + 1
        if size == 0xFB:
            found.append(None)
            continue
        if size == 0xFC:
            size, at = int.from_bytes(packet[at:at + 2], "little"), at + 2
        found.append(packet[at:at + size])
        at += size
    return found


def column_name(packet):
    return fields(packet[:-13])[4]


class View:
    """mqgate's view of statements (tests/peer/view.c)."""

    def __init__(self, program, version):
        self.program, self.version = program, version

    def ask(self, what, statements):
        """The answers to [(sql_mode, statement)], as bytes."""
        frames = b"".join(
            f"{what} {self.version} {modes or '-'} {len(text)}\n".encode() + text
            for modes, text in statements
        )
        done = subprocess.run([self.program], input=frames, stdout=subprocess.PIPE, check=True)
        answers = done.stdout.split(b"\n")[:-1]
        assert len(answers) == len(statements)
        return answers
