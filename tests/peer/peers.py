"""What the comparisons with real servers share: a server to ask, and mqgate's view of it."""

import contextlib
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
