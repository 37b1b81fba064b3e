"""An mqgate process under test."""

import copy
import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

import pymysql
import yaml

from cluster import ROOT
from rawmysql import DEFAULT_CAPABILITIES, RawConnection
from waiting import wait_until

PROGRAM = Path(os.environ.get("MQGATE", ROOT / "build" / "asan" / "mqgate")).resolve()
SANITIZER = re.compile(
    r"^.*(ERROR: (Address|Leak)Sanitizer|WARNING: ThreadSanitizer|runtime error:).*", re.M
)
SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "exitcode=86:quarantine_size_mb=8",
    "LSAN_OPTIONS": "exitcode=86",
    "TSAN_OPTIONS": "exitcode=86:second_deadlock_stack=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:exitcode=86",
}
START_TIMEOUT = 90
STOP_TIMEOUT = 40


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def merged(base, changes):
    """base with changes laid over it, maps key by key; None removes a key."""
    result = copy.deepcopy(base)
    for key, value in changes.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = copy.deepcopy(value)
    return result


def run_program(*arguments, env=None, input=None):
    """Runs a subcommand of mqgate to its end."""
    return subprocess.run(
        [PROGRAM, *arguments],
        env={**os.environ, **SANITIZER_OPTIONS, **(env or {})},
        input=input,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


class Gateway:
    """One `mqgate run` with a configuration, a log file and a free port."""

    def __init__(self, cluster, folder, changes=None, env=None):
        self.cluster, self.folder = cluster, Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.socket_path = str(self.folder / "mqgate.sock")
        self.env = env or {}
        self.config_path = self.folder / "mqgate.yaml"
        self.log_path = self.folder / "mqgate.log"
        self.config = merged(cluster.config, {"listen": self.listeners()})
        self.configure(changes or {})
        self.process = None
        self._checked = 0  # length of the log that was searched for a sanitizer's report

    def listeners(self):
        return [
            {"name": "main", "address": f"127.0.0.1:{self.port}"},
            {"name": "local", "socket": self.socket_path},
        ]

    def configure(self, changes):
        """Changes the configuration file; a running mqgate reads it on reload()."""
        self.config = merged(self.config, changes)
        self.config_path.write_text(yaml.safe_dump(self.config, allow_unicode=True))

    # --- the process

    def spawn(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "run", "-c", self.config_path],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **SANITIZER_OPTIONS, **self.env},
            )
        return self

    def start(self):
        self.spawn()
        wait_until(self.greets, "mqgate greets", START_TIMEOUT)
        return self

    def greets(self):
        if self.process.poll() is not None:
            raise AssertionError(f"mqgate ended with {self.process.returncode}:\n{self.log()}")
        try:
            RawConnection(("127.0.0.1", self.port), timeout=5).close()
        except OSError:
            return False
        return True

    def signal(self, number):
        self.process.send_signal(number)

    def reload(self):
        self.signal(signal.SIGHUP)

    def stop(self):
        """SIGTERM, then the exit status and the sanitizers' findings are checked."""
        if self.process and self.process.poll() is None:
            self.signal(signal.SIGTERM)
        self.wait()

    def wait(self, timeout=STOP_TIMEOUT):
        try:
            status = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"mqgate did not end:\n{self.log()[-4000:]}") from None
        self.check()
        assert status == 0, f"mqgate ended with {status}:\n{self.log()[-4000:]}"

    def check(self):
        """Fails when a sanitizer has reported something, or mqgate is gone unasked."""
        log = self.log()
        report = SANITIZER.search(log, self._checked)
        self._checked = len(log)
        assert not report, log[report.start() : report.start() + 8000]

    def check_alive(self):
        self.check()
        assert (
            self.process.poll() is None
        ), f"mqgate ended with {self.process.returncode}:\n{self.log()[-8000:]}"

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def log_contains(self, pattern, since=0, timeout=20):
        """Waits for a line of the log, from byte `since` on, that matches."""
        wait_until(
            lambda: re.search(pattern, self.log()[since:]), f"the log contains {pattern!r}", timeout
        )

    def resident(self):
        """Bytes of memory in use."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", text).group(1)) * 1024

    def processor_ticks(self):
        stat = Path(f"/proc/{self.process.pid}/stat").read_text()
        fields = stat.rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def wait_until_idle(self):
        """Waits until it has used no processor time for a while: it has done all it can."""
        last = (-1, 0.0)

        def unchanged():
            nonlocal last
            if self.processor_ticks() != last[0]:
                last = (self.processor_ticks(), time.monotonic())
            return time.monotonic() - last[1] > 0.3

        wait_until(unchanged, "mqgate is idle", timeout=60)

    # --- clients

    @property
    def address(self):
        return ("127.0.0.1", self.port)

    def connect(self, tenant=None, user="app", password="app", port=None, **options):
        """A driver's connection; with a tenant it uses the database queue@tenant."""
        options.setdefault("database", database_of(self.cluster, tenant))
        options = {
            "autocommit": True,
            "charset": "utf8mb4",
            "connect_timeout": 20,
            "read_timeout": 60,
            **options,
        }
        if "unix_socket" not in options:
            options.update(host="127.0.0.1", port=port or self.port)
        return pymysql.connect(user=user, password=password, **options)

    def raw(
        self,
        tenant=None,
        user="app",
        password="app",
        address=None,
        timeout=60,
        capabilities=DEFAULT_CAPABILITIES,
        tls=None,
        **options,
    ):
        """A byte-level connection that has logged in, through TLS with a context `tls`."""
        connection = RawConnection(address or self.address, timeout)
        if tls:
            connection.start_tls(tls, capabilities)
        options.setdefault("database", database_of(self.cluster, tenant))
        connection.login(user, password, capabilities=capabilities, **options)
        return connection


def database_of(cluster, tenant):
    return cluster.database if tenant is None else f"{cluster.database}@{tenant}"
