"""The servers, and the ways to reach them that are compared: direct, HAProxy, MySQL Router
without and with connection sharing, and mqgate.

    sysbench ─┬─────────────────────────────► MySQL 9.x, database `legacy` (legacy schema)
              ├─► HAProxy, Router ──────────►    the same
              └─► mqgate ───────────────────►    the same server, database `queue` (tenant schema)
                                            └─► a second shard, which owns none of the tenant

Both databases hold the same messages. mqgate's tenant has a shard whose server also holds the
legacy database, so that all targets end at one server process.
"""

import json
import os
import socket
import subprocess
import time

from load import MESSAGES, PARTITIONS, BenchError, resident_kib

NAMES = ("direct", "haproxy", "router", "router-sharing", "mqgate")
TENANT = "bench"
START_TIMEOUT = 30  # seconds until a proxy must greet
SERVER_OPTIONS = ("--innodb-buffer-pool-size=512M", "--innodb-redo-log-capacity=512M")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def greets(port):
    """True when a server sends its greeting there."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as s:
            return len(s.recv(5)) == 5
    except OSError:
        return False


class Target:
    """Where sysbench connects to. A proxy also has a process, whose cost is measured."""

    def __init__(self, name, port, database):
        self.name = name
        self.host = "127.0.0.1"
        self.port = port
        self.user = self.password = "app"
        self.database = database
        self.pid = None
        self.resident_at_start = None
        self.process = None

    def launch(self, argv, log):
        """Starts the proxy and waits until it greets."""
        with open(log, "wb") as file:
            self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=file,
                                            stderr=subprocess.STDOUT)
        self.pid = self.process.pid
        deadline = time.monotonic() + START_TIMEOUT
        while not greets(self.port):
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(log, encoding="utf-8", errors="replace") as file:
                    raise BenchError(f"{self.name} did not start:\n{file.read()[-2000:]}")
            time.sleep(0.02)
        self.resident_at_start = resident_kib(self.pid)

    def stop(self):
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def start_haproxy(folder, server_port):
    target = Target("haproxy", free_port(), "legacy")
    config = write(f"{folder}/haproxy.cfg", f"""
global
    nbthread 1
    maxconn 1000
defaults
    mode tcp
    timeout connect 5s
    timeout client 1h
    timeout server 1h
listen mysql
    bind 127.0.0.1:{target.port}
    server mysql 127.0.0.1:{server_port}
""")
    target.launch(["haproxy", "-db", "-f", config], f"{folder}/haproxy.log")
    return target


def start_router(folder, server_port, mysql_folder, sharing):
    """MySQL Router from the same folder as the server, run with that folder's own loader."""
    target = Target("router-sharing" if sharing else "router", free_port(), "legacy")
    home = f"{folder}/{target.name}"
    os.mkdir(home)
    libraries = f"{mysql_folder}/usr/lib/x86_64-linux-gnu"
    config = write(f"{home}/router.conf", f"""
[DEFAULT]
plugin_folder={mysql_folder}/usr/lib/mysqlrouter/plugin
logging_folder=
runtime_folder={home}
data_folder={home}
[logger]
level=WARNING
[routing:bench]
bind_address=127.0.0.1
bind_port={target.port}
destinations=127.0.0.1:{server_port}
protocol=classic
routing_strategy=first-available
client_ssl_mode=DISABLED
server_ssl_mode=DISABLED
connection_sharing={int(sharing)}
""" + ("[connection_pool]\nmax_idle_server_connections=64\n" if sharing else ""))
    target.launch([f"{libraries}/ld-linux-x86-64.so.2", "--library-path",
                   f"{libraries}:{mysql_folder}/usr/lib/mysql-router",
                   f"{mysql_folder}/usr/bin/mysqlrouter", "-c", config], f"{home}/log")
    return target


def start_mqgate(folder, program, cluster):
    port = int(cluster["listen"].rpartition(":")[2])
    target = Target("mqgate", port, f"{cluster['database']}@{TENANT}")
    target.launch([program, "run", "-c", cluster["config"]], f"{folder}/mqgate.log")
    return target


def message_inserts():
    """The messages that are read: partitions take turns, so offsets run through all of them."""
    for i in range(1, MESSAGES + 1):
        rows = (f"('bench', 'partition-{p:02d}', 'message-{i:06d}', REPEAT('0123456789', 20), "
                "'{\"source\": \"bench\"}', 1, 1, 0, 0, '', '')"
                for p in range(1, PARTITIONS + 1))
        yield ("INSERT INTO queue_messages (topic, partition_key, id, payload, metadata, "
               "created_at, published_at, failed_at, failure_count, last_error, original_topic) "
               f"VALUES {', '.join(rows)};\n")


class Lane:
    """Everything that runs during a benchmark; a context manager that ends it all."""

    def __init__(self, root, folder, args):
        self.root = root
        self.folder = folder
        self.args = args
        self.targets = []
        self.cluster = None
        self.owner = 0  # index of the server that all targets end at

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for target in self.targets:
            target.stop()
        if self.cluster:
            self.run([f"{self.root}/tools/local-cluster", "stop", "--dir", self.folder])

    def start(self):
        wanted = self.args.targets
        mysql_folder = self.run([f"{self.root}/tools/fetch-mysql"]).strip()
        self.start_cluster()
        if "mqgate" in wanted:
            target = start_mqgate(self.folder, self.args.mqgate, self.cluster)
            self.targets.append(target)
            self.load_through(target)
            self.owner = self.find_owner()
        self.load_legacy()
        port = self.server["port"]
        if "router-sharing" in wanted:
            self.targets.append(start_router(self.folder, port, mysql_folder, True))
        if "router" in wanted:
            self.targets.append(start_router(self.folder, port, mysql_folder, False))
        if "haproxy" in wanted:
            self.targets.append(start_haproxy(self.folder, port))
        if "direct" in wanted:
            self.targets.append(Target("direct", port, "legacy"))
        self.targets.reverse()

    def proxies(self):
        return [t for t in self.targets if t.pid]

    @property
    def server(self):
        return self.cluster["servers"][self.owner]

    @staticmethod
    def run(argv, text=None):
        try:
            result = subprocess.run(argv, input=text, capture_output=True, text=True, check=False)
        except OSError as error:
            raise BenchError(f"{argv[0]}: {error.strerror}") from error
        if result.returncode != 0:
            raise BenchError(f"{os.path.basename(argv[0])} failed:\n"
                             f"{result.stderr.strip() or result.stdout.strip()}")
        return result.stdout

    def start_cluster(self):
        argv = [f"{self.root}/tools/local-cluster", "start", "--server", "mysql", "--shards", "2",
                "--dir", self.folder, "--base-port", "auto", "--listen", "auto",
                "--tenants", TENANT, "--json"]
        argv += [f"--server-option={option}" for option in SERVER_OPTIONS]
        if self.args.mqgate:
            argv += ["--mqgate", self.args.mqgate]
        self.cluster = json.loads(self.run(argv))

    def query(self, sql, server=None):
        """SQL as root on a server itself; by default on the one that all targets end at."""
        socket_path = (server or self.server)["socket"]
        return self.run([*self.cluster["client"], "--no-defaults", "-uroot", "--batch",
                         "--skip-column-names", f"--socket={socket_path}"], sql)

    def load_through(self, target):
        self.run([*self.cluster["client"], "--no-defaults", "-h127.0.0.1", f"-P{target.port}",
                  "-uapp", "-papp", "--ssl-mode=DISABLED", "--get-server-public-key", "-A",
                  target.database], "".join(message_inserts()))

    def find_owner(self):
        """The server that holds the tenant's messages: all of them."""
        for shard in self.cluster["shards"]:
            server = self.cluster["servers"][shard["server"]]
            count = self.query(f"SELECT COUNT(*) FROM {shard['database']}.queue_messages", server)
            if int(count) == MESSAGES * PARTITIONS:
                return shard["server"]
        raise BenchError("no shard holds all messages that were sent through mqgate")

    def load_legacy(self):
        with open(f"{self.root}/deploy/schema/legacy.sql", encoding="utf-8") as file:
            schema = file.read()
        self.query("CREATE USER app@'%' IDENTIFIED BY 'app';"
                   "CREATE DATABASE legacy CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;"
                   f"GRANT ALL ON legacy.* TO app@'%'; USE legacy; {schema}"
                   + "".join(message_inserts()) +
                   "ANALYZE TABLE legacy.queue_messages, queue.queue_messages;")

    def clear_published(self):
        """Before each round: what the last one published goes, and the server has purged it."""
        self.query("DELETE FROM legacy.queue_messages WHERE topic = 'bench_publish';"
                   "DELETE FROM queue.queue_messages WHERE topic = 'bench_publish';")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            length = self.query("SELECT count FROM information_schema.innodb_metrics "
                                "WHERE name = 'trx_rseg_history_len'")
            if int(length) < 1000:
                return
            time.sleep(0.1)
