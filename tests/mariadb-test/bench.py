"""A MariaDB server, mqgate in front of it unless told otherwise, and MariaDB's test programs run
against either, as its own runner would: each with the server options that it asks for."""

import functools
import os
import re
import shlex
import shutil
import socket
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path("/usr/share/mysql/mysql-test")
TIME_ZONES = Path("/usr/share/mysql/mysql_test_data_timezone.sql")
LIMIT_SECONDS = 120
SKIPPED = 62  # mariadb-test's exit status

TABLE_FILES = {".frm", ".MYD", ".MYI", ".MAD", ".MAI", ".TRG", ".TRN", ".ibd", ".opt"}

# The settings of MariaDB's own runner that results depend on.
SERVER_OPTIONS = """--skip-networking --local-infile --character-set-server=latin1
    --log-bin-trust-function-creators=1 --key_buffer_size=1M
    --sort_buffer_size=256K --max_heap_table_size=1M --innodb_log_file_size=10M
    --innodb_buffer_pool_size=8M --loose-aria-pagecache-buffer-size=8M
    --default-storage-engine=myisam --use_stat_tables=preferably --histogram_type=json_hb
    --loose-enable-performance-schema --disable-getopt-prefix-matching""".split()
TIME_ZONE = {"TZ": "GMT-3"}

CONFIGURATION = """
listen: [{{socket: "{folder}/mqgate.sock"}}]
keyspace: {{name: queue, shards: {{"-": "127.0.0.1:1"}}}}
unsharded: {{name: test, socket: "{folder}/server.sock", max_connections: 200}}
accounts: {{root: {{password: "", backend: {{user: root, password: ""}}}}}}
tenants: [acme]
log: {{level: error}}
"""


# ---- what a program asks for ----


@functools.cache
def sourced(path):
    """The files that a program includes, itself first."""
    files = [path]
    text = path.read_text(errors="replace") if path.exists() else ""
    for name in re.findall(r"(?m)^\s*(?:--\s*)?source\s+([^\s;$]+)", text):
        found = next((p for p in (SOURCE / name, path.parent / name) if p.exists()), None)
        if found and found not in files:
            files += [f for f in sourced(found) if f not in files]
    return files


@functools.cache
def server_options(name):
    """Those of its own .opt file and of the files it includes; InnoDB is off unless asked for."""
    options = []
    for path in sourced(SOURCE / "main" / f"{name}.test"):
        for end in (".opt", "-master.opt"):
            opt = path.with_suffix("").with_name(path.stem + end)
            options += shlex.split(opt.read_text()) if opt.exists() else []
    options = [o.replace("$MYSQL_TEST_DIR", str(SOURCE)) for o in options
               if not o.startswith("--plugin-load")]
    return tuple(options if "--innodb" in options else ["--skip-innodb", *options])


# ---- servers ----


class Failed(Exception):
    """Something could not be brought to the state that programs need."""


def wait_for(path, process):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket(socket.AF_UNIX) as s:
            try:
                s.connect(str(path))
                return
            except OSError:
                time.sleep(0.05)
    raise Failed(f"nothing listens on {path}")


class Bench:
    """A server, mqgate in front of it unless told otherwise, and a copy of the programs."""

    def __init__(self, folder, direct):
        self.folder = Path(folder)
        self.server = self.mqgate = None
        self.options = None
        self.tests = self.folder / "mysql-test"
        self.var = self.folder / "var"
        self.data = self.var / "mysqld.1" / "data"
        shutil.copytree(SOURCE, self.tests, copy_function=os.symlink)
        for path in ("tmp", "log", "mysqld.1"):
            (self.var / path).mkdir(parents=True)
        for path in (self.var, self.data.parent):
            shutil.copytree(SOURCE / "std_data", path / "std_data")
        self.install()
        self.socket = self.folder / ("server.sock" if direct else "mqgate.sock")
        if not direct:
            self.start_mqgate()

    def start(self, argv, path):
        with open(self.folder / f"{path.stem}.log", "ab") as log:
            process = subprocess.Popen(argv, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                       env={**os.environ, **TIME_ZONE})
        wait_for(path, process)
        return process

    def install(self):
        user = ["--user=root"] if os.geteuid() == 0 else []
        subprocess.run(
            ["mariadb-install-db", "--no-defaults", f"--datadir={self.data}",
             "--auth-root-authentication-method=normal", *user],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.start_server(())
        self.ask("DELETE FROM mysql.user WHERE user = ''; FLUSH PRIVILEGES; CREATE DATABASE mtr;"
                 "CREATE PROCEDURE mtr.add_suppression(pattern VARCHAR(255)) BEGIN END")
        with open(TIME_ZONES, "rb") as rows:
            subprocess.run(["mariadb", "--no-defaults", "-uroot", f"-S{self.folder}/server.sock",
                            "mysql"], stdin=rows, check=True)

    def start_server(self, options):
        self.stop_server()
        user = ["--user=root"] if os.geteuid() == 0 else []
        path = self.folder / "server.sock"
        self.server = self.start(
            ["mariadbd", "--no-defaults", f"--datadir={self.data}", f"--socket={path}",
             f"--secure-file-priv={self.var}", f"--tmpdir={self.var}/tmp", *SERVER_OPTIONS, *user, *options], path)
        self.initial = self.variables()

    def stop_server(self):
        if self.server:
            self.server.terminate()
            self.server.wait(60)
        self.server = None

    def start_mqgate(self):
        configuration = self.folder / "mqgate.yaml"
        configuration.write_text(CONFIGURATION.format(folder=self.folder))
        program = os.environ.get("MQGATE", ROOT / "build" / "asan" / "mqgate")
        self.mqgate = self.start([program, "run", "-c", configuration],
                                 self.folder / "mqgate.sock")

    def ask(self, statements):
        """As the server's administrator, past mqgate."""
        done = subprocess.run(
            ["mariadb", "--no-defaults", "-uroot", f"-S{self.folder}/server.sock", "-N",
             "--delimiter=//", "-e", statements.replace(";", "//")],
            check=False, capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"{statements}: {done.stderr}")
        return done.stdout.splitlines()

    def variables(self):
        """All global ones that can be set, as SET takes them."""
        return self.ask(
            "SELECT CONCAT('SET GLOBAL ', variable_name, ' = ', IF(numeric_min_value IS NULL,"
            " QUOTE(global_value), global_value)) FROM information_schema.system_variables"
            " WHERE read_only = 'NO' AND global_value IS NOT NULL"
            " AND global_value_origin <> 'AUTO' AND variable_scope <> 'SESSION ONLY'"
            " AND variable_name NOT LIKE 'GTID%'")

    def prepare(self, name):
        """An empty database on a server with the program's options."""
        if self.options != server_options(name):
            self.options = server_options(name)
            self.start_server(self.options)
        self.clean()

    def clean(self):
        """What a program has left: global variables, files that are no tables and would keep a
        database from being dropped, databases."""
        for changed in set(self.initial) - set(self.variables()):
            self.ask(changed)
        for path in (self.data / "test").glob("*"):
            if path.suffix not in TABLE_FILES:
                path.unlink()
        kept = {"information_schema", "mysql", "performance_schema", "sys", "mtr"}
        for name in set(self.ask("SELECT schema_name FROM information_schema.schemata")) - kept:
            self.ask(f"DROP DATABASE `{name}`")
        self.ask("CREATE DATABASE test")

    def environment(self):
        login = f"--no-defaults --user=root --socket={self.socket}"
        return {
            **os.environ, **TIME_ZONE, "MYSQL_TEST_DIR": str(self.tests),
            "MYSQLTEST_VARDIR": str(self.var), "MYSQL_TMP_DIR": f"{self.var}/tmp",
            "MASTER_MYSOCK": str(self.socket), "MASTER_MYPORT": "0", "DEFAULT_MASTER_PORT": "0",
            "MYSQL": f"mariadb {login}", "MYSQL_DUMP": f"mariadb-dump {login}",
            "MYSQL_TEST": f"mariadb-test {login}", "PROTOCOL": "tcp", "LC_ALL": "C",
        }

    def arguments(self, name, protocol):
        return ["mariadb-test", "--no-defaults", f"--socket={self.socket}", "--user=root",
                "--database=test", "--silent", f"--tmpdir={self.var}/tmp",
                f"--logdir={self.var}/log", f"--test-file=main/{name}.test",
                f"--result-file=main/{name}.result", "--suite-dir=main", "--overlay-dir=main",
                *([] if protocol == "text" else [f"--{protocol}-protocol"])]

    def run(self, name, protocol):
        """(why it failed or None, seconds)"""
        try:
            self.prepare(name)
        except Failed as failed:
            self.options = None
            return f"{failed}, with {' '.join(server_options(name))}", 0.0
        began = time.monotonic()
        try:
            done = subprocess.run(self.arguments(name, protocol), cwd=self.tests,
                                  env=self.environment(), text=True, capture_output=True,
                                  errors="replace", timeout=LIMIT_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"took longer than {LIMIT_SECONDS} s", LIMIT_SECONDS
        seconds = time.monotonic() - began
        return reason(done) if done.returncode else None, seconds

    def stop(self):
        """What mqgate wrote, if it ended otherwise than it should."""
        self.stop_server()
        if self.mqgate:
            self.mqgate.terminate()
            self.mqgate.wait(60)
        log = self.folder / "mqgate.log"
        return log.read_text() if self.mqgate and self.mqgate.returncode else ""


def reason(done):
    """Why a program does not run here, the first lines that differ, or the statement that failed."""
    output = done.stderr + done.stdout
    if done.returncode == SKIPPED:
        return "skips: " + output.strip().splitlines()[-1].removeprefix("reason: ")
    _, failed, statement = output.partition("mysqltest: ")
    changed = [line for line in output.splitlines() if re.match(r"[-+][^-+]", line)]
    return " ".join(statement.split() if failed else " / ".join(changed[:4]).split())[:400] or \
        output.strip()[-300:]
