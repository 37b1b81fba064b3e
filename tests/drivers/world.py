"""The two sides that every driver meets.

One server holds the database `queue` with the legacy schema, and the shards as databases of their
own; mqgate stands before these. Both sides take the same accounts, so that a driver is given
another port and nothing else.
"""

from pathlib import Path

import yaml

from certificates import Authority
from cluster import Cluster
from gateway import Gateway, run_program

# The first two live on one shard, the third on the other.
TENANT, NEIGHBOUR, REMOTE = "tenant-a", "tenant-b", "tenant-d"
# mysql_native_password's stored form of "native", and caching_sha2_password's of "hidden".
NATIVE_HASH = "*5694FF40BC251429744E03A3C20A209D6F9E214E"
COLD_HASH = "$A$00A$ham^lrgCV>QPGmR@uBOnswc47dm/fLOlh5B3YXeg0IFNkI9OYizpwpP40STpXX6"
PASSWORDS = {
    "app": "app",
    "native": "native",
    "cold": "hidden",
    "several": "several",
    "unscoped": "unscoped",
}


def password_of(user):
    return PASSWORDS[user.partition("_")[0]]


class World:
    """Servers, mqgate and accounts. Use it with `with`."""

    def __init__(self, folder, flavour, specification, drivers):
        self.folder, self.flavour = Path(folder), flavour
        tables, logins = specification["tables"], specification["logins"]
        # One for each login, which then has shown the password.
        cold = [(d, name) for d in drivers for name in logins if logins[name].get("user") == "cold"]
        self.cold = {key: f"cold_{number}" for number, key in enumerate(cold)}
        authority = Authority(self.folder / "ca")
        self.ca, pair = authority.ca, authority.issue("localhost")
        self.cluster = Cluster(
            self.folder / "cluster",
            flavour,
            [TENANT, NEIGHBOUR, REMOTE],
            arguments=[
                "--one-server",
                f"--server-option=--ssl-cert={pair.cert}",
                f"--server-option=--ssl-key={pair.key}",
            ],
        )
        self.gateway = None
        try:
            self.config = {
                "queue_tables": tables,
                "limits": {"max_statement_size": "64MiB"},
                "accounts": self.accounts(),
                "tls": pair.settings(),
            }
            self.gateway = Gateway(self.cluster, self.folder / "mqgate", self.config)
            self.admin = self.cluster.connect(0, database=None)
            self.make_databases()
            self.gateway.start()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, kind, *_exception):
        self.close(check=kind is None)

    def close(self, check=False):
        try:
            if self.gateway and self.gateway.process and check:
                self.gateway.stop()
            elif self.gateway and self.gateway.process:
                self.gateway.process.kill()
                self.gateway.process.wait()
        finally:
            self.cluster.stop()

    # --- accounts

    def accounts(self):
        """mqgate's; no login has yet proved the passwords of those with a hash as MySQL stores it."""
        backend = {"user": "mqgate", "password": "mqgate"}
        mine = {"tenants": [TENANT], "backend": backend}
        return {
            "app": {"password": PASSWORDS["app"], **mine},
            "native": {"password_hash": NATIVE_HASH, **mine},
            "several": {
                "password": PASSWORDS["several"],
                "tenants": [TENANT, REMOTE],
                "backend": backend,
            },
            "unscoped": {"password": PASSWORDS["unscoped"], "backend": backend},
            **{name: {"password_hash": COLD_HASH, **mine} for name in self.cold.values()},
        }

    # --- databases

    def run_sql(self, text):
        with self.admin.cursor() as cursor:
            for statement in text.split(";"):
                if statement.strip():
                    cursor.execute(statement)

    def make_databases(self):
        config = str(self.gateway.config_path)
        for shard in self.cluster.shards:
            self.run_sql(f"USE {shard['database']}")
            self.run_sql(run_program("schema", "--tenant", "-c", config).stdout)
        self.run_sql("CREATE DATABASE queue CHARACTER SET utf8mb4 COLLATE utf8mb4_bin; USE queue")
        self.run_sql(run_program("schema", "--legacy", "-c", config).stdout)
        for name in self.direct_accounts():
            self.run_sql(f"CREATE USER '{name}'@'%' IDENTIFIED BY '{password_of(name)}'")
            self.run_sql(f"GRANT ALL ON queue.* TO '{name}'@'%'")
        self.run_sql("GRANT RELOAD ON *.* TO 'app'@'%'")  # which mysqldump asks for
        # So that MySQL knows its password and later logins are fast ones.
        self.cluster.connect(0, user="app", password="app", database="queue").close()

    def direct_accounts(self):
        """MySQL 9 knows no native passwords, MariaDB 10.11 nothing else."""
        own = ["native"] if self.flavour == "mariadb" else self.cold.values()
        return ["app", "several", *own]

    def tables(self):
        with self.admin.cursor() as cursor:
            cursor.execute(
                "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE"
                " TABLE_SCHEMA IN ('queue', 'queue_0', 'queue_1') AND TABLE_NAME LIKE 'queue%'"
            )
            return [f"{database}.{table}" for database, table in cursor.fetchall()]

    def empty_tables(self):
        for name in self.tables():
            self.run_sql(f"TRUNCATE TABLE {name}")

    # --- where a driver connects

    def target(self, driver, direct, login, account=None):
        """Where and as whom, or None if this side knows no such login. login: (name, settings)."""
        name, login = login
        user = account or login.get("user", "app")
        user = self.cold[driver, name] if user == "cold" else user
        if direct and user not in self.direct_accounts():
            return None
        side = (
            self.cluster.shards[0]
            if direct
            else {
                "host": "127.0.0.1",
                "port": self.gateway.port,
                "socket": self.gateway.socket_path,
            }
        )
        return {
            "host": side["host"],
            "port": side["port"],
            "socket": side["socket"] if login.get("socket") else None,
            "user": user,
            "password": password_of(user),
            "database": self.cluster.database,
            "tls": {"ca": self.ca} if login.get("tls") else None,
            "compress": login.get("compress", False),
        }


def read_specification(path):
    """cases.yaml with the texts put in and the steps as the programs read them."""
    text = yaml.safe_load(path.read_text(encoding="utf-8"))
    for case in text["cases"].values():
        case["steps"] = [read_step(step, text["texts"]) for step in case["steps"]]
    return text


OPERATIONS = ("query", "prepared", "cursor", "multi", "call", "run")


def read_step(step, texts):
    ((op, value),) = [(key, step[key]) for key in OPERATIONS if key in step]
    for name, text in texts.items():
        value = value.replace("${" + name + "}", text)
    wanted = {key: value for key, value in step.items() if key not in OPERATIONS}
    return {"op": op, "name" if op == "call" else "sql": value, **wanted}
