"""The two sides of the oracle.

One server holds the database `queue` with the legacy schema and one tenant's rows, and two shards as
databases of their own, which hold that tenant and others. Statements go to the legacy database
directly and to the shards through mqgate; a third connection, which reads what is not yet
committed, sees all of it at any time. Of Vitess the shards are databases as well, of the MySQL under
its tablets; statements reach them through mqgate and vtgate.
"""

from pathlib import Path

from answer import cells, connect
from cluster import Cluster
from gateway import PROGRAM, Gateway, run_program
from rawmysql import ServerError
from tables import (
    GENERATED_END,
    LEGACY_GENERATED,
    HEARTBEATS,
    MANY,
    MINE,
    PARTITIONS,
    SHARD_GENERATED,
    TABLES,
    foreign_rows,
    many_rows,
    own_rows,
)
from waiting import wait_until

OTHERS = ["near", "far", "else", "other", "MINE"]
SESSION = "SET NAMES utf8mb4 COLLATE utf8mb4_bin"
SERVER_OPTIONS = {
    # Without extended keys, with which MariaDB loses groups (docs/testing.md).
    "mariadb": ["--max-statement-time=20", "--optimizer-switch=extended_keys=off"],
    "mysql": ["--max-execution-time=20000"],
}
# What the cluster is made of.
CLUSTERS = {
    "mariadb": ("mariadb", ["--one-server"]),
    "mysql": ("mysql", ["--one-server"]),
    "vitess": ("mysql", ["--vitess", "--vindex", "function", "--mqgate", PROGRAM]),
}


class World:
    """Servers, mqgate and connections. Use it with `with`."""

    def __init__(self, folder, flavour, qualified=False, many=False, shards=2):
        self.many, qualified = many, qualified or many
        server, arguments = CLUSTERS[flavour]
        self.folder, self.flavour, self.mysql = Path(folder), flavour, server == "mysql"
        self.vitess = flavour == "vitess"
        options = [f"--server-option={option}" for option in SERVER_OPTIONS[server]]
        tenants = [MINE, *OTHERS, *(MANY[1:] if many else [])]
        self.cluster = Cluster(
            self.folder / "cluster", server, tenants, shards, arguments=[*arguments, *options]
        )
        self.gateway = None
        try:
            changes = {"partition_keys": "qualified"} if qualified else {}
            changes.update({"tenants": MANY} if many else {})
            self.gateway = Gateway(self.cluster, self.folder / "mqgate", changes)
            self.gateway.start()
            self.socket = self.cluster.shards[0]["socket"]
            self.connect_admin()
            self.make_legacy()
            self.loads = self.load_statements()
            self.restore()
            self.connect_admin()
            self.dumps = (self.contents_query("queue"), self.shards_query(qualified))
            self.foreign = self.foreign_query()
            self.foreign_rows = self.dump_foreign()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, kind, *_exception):
        self.close(check=kind is None)

    def close(self, check=False):
        try:
            if self.gateway and check:
                self.gateway.stop()
            elif self.gateway and self.gateway.process:
                self.gateway.process.kill()
                self.gateway.process.wait()
        finally:
            self.cluster.stop()

    # --- a server that ends by itself, as MySQL 9.7 does on some statements

    def server_runs(self):
        try:
            self.admin.ping()
        except OSError:
            return False
        return True

    def resume(self):
        """Starts the server again, on its data, and restores them."""
        Path(self.socket + ".lock").unlink(missing_ok=True)
        self.cluster.restart()
        self.connect_admin()
        self.restore()
        wait_until(self.gateway_reaches_shards, "mqgate reaches the shards again")

    def gateway_reaches_shards(self):
        for index in range(len(self.cluster.shards)):
            for tenant in self.cluster.tenants_of(index)[:1]:
                session = connect(self.gateway.address, "app", "app", f"queue@{tenant}", True)
                try:
                    session.query("SELECT COUNT(*) FROM queue_offsets")
                except ServerError:
                    return False
                finally:
                    session.close()
        return True

    def connect_admin(self):
        self.admin = connect(self.socket, "root", "", "mysql", True)
        self.admin_query("SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED")

    # --- connections

    def legacy_connection(self, deprecate_eof):
        connection = connect(self.socket, "root", "", "queue", deprecate_eof)
        connection.query(SESSION)
        return connection

    def gateway_connection(self, deprecate_eof):
        database = "queue" if self.many else f"queue@{MINE}"
        connection = connect(self.gateway.address, "app", "app", database, deprecate_eof)
        connection.query(SESSION)
        return connection

    def admin_query(self, text):
        self.admin.send_query(text)
        answer = self.admin.read_answer()
        if answer.error:
            raise AssertionError(f"{text[:200]}: {answer.error}")
        return answer

    # --- contents

    def databases(self):
        """(database, tenants in it); the legacy one has none."""
        for index, shard in enumerate(self.cluster.shards):
            yield quoted(shard["database"]), self.cluster.tenants_of(index)

    def home(self):
        """The database of the shard that owns our tenant."""
        return quoted(self.cluster.shards[self.cluster.shard_of(MINE)]["database"])

    def make_legacy(self):
        self.admin_query("CREATE DATABASE queue CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
        self.admin_query("USE queue")
        for statement in run_program("schema", "--legacy").stdout.split(";"):
            if statement.strip():
                self.admin_query(statement)
        shards = [name for name, _ in self.databases()]
        for name in (*shards, "queue"):  # the counters of generated offsets
            start = LEGACY_GENERATED if name == "queue" else SHARD_GENERATED
            self.admin_query(f"ALTER TABLE {name}.queue_messages AUTO_INCREMENT = {start}")

    def load_statements(self):
        """Statements that empty and fill every table."""
        out = []
        for name in TABLES:
            out += [f"DELETE FROM queue.{name}", insert(f"queue.{name}", self.legacy_rows(name))]
        for database, tenants in self.databases():
            tables = {tenant: self.tenant_rows(tenant) for tenant in tenants}
            for name in TABLES if tenants else ():
                rows = [(tenant, *row) for tenant in tenants for row in tables[tenant][name]]
                out += [f"DELETE FROM {database}.{name}", insert(f"{database}.{name}", rows)]
        return out

    def legacy_rows(self, name):
        if not self.many:
            return own_rows(PARTITIONS)[name]
        tables = many_rows(qualified=True)
        rows = [row for tenant in MANY for row in tables[tenant][name]]
        return newest(rows) if name == HEARTBEATS else rows

    def tenant_rows(self, tenant):
        if tenant in self.own:
            return many_rows(qualified=False)[tenant] if self.many else own_rows()
        return foreign_rows([MINE, *OTHERS].index(tenant))

    @property
    def own(self):
        """The session's tenants."""
        return MANY if self.many else [MINE]

    def restore(self):
        self.admin_query("BEGIN")
        for statement in self.loads:
            self.admin_query(statement)
        self.admin_query("COMMIT")

    def contents_query(self, database, condition="", qualified=False):
        """One query that gives the rows of all tables: the table's number and the row's text."""
        return " UNION ALL ".join(
            f"SELECT {number}, {row_text(table, qualified)} FROM {database}.{name} {condition}"
            for number, (name, table) in enumerate(TABLES.items())
        )

    def shards_query(self, qualified):
        own = ", ".join(f"'{tenant}'" for tenant in self.own)
        databases = [name for name, tenants in self.databases() if set(tenants) & set(self.own)]
        return " UNION ALL ".join(
            self.contents_query(name, f"WHERE tenant IN ({own})", qualified) for name in databases
        )

    def foreign_query(self):
        """One query that sums up the rows of all other tenants, table by table."""
        out = []
        for database, tenants_here in self.databases():
            here = [f"'{t}'" for t in tenants_here if t in self.own]
            mine = f"WHERE tenant NOT IN ({', '.join(here)})" if here else ""
            for name, table in TABLES.items():
                text = f"CONCAT(tenant, '{CELL_END}', {row_text(table)})"
                out.append(
                    f"SELECT COUNT(*), SUM(CRC32({text})), BIT_XOR(CRC32(REVERSE({text}))) "
                    f"FROM {database}.{name} {mine}"
                )
        return " UNION ALL ".join(out)

    def contents(self):
        """Our rows, as {table: rows} of the legacy side and of the shards; cells as bytes."""
        legacy, shards = (self.read_contents(query) for query in self.dumps)
        return [legacy, self.contents_of_shards(shards) if self.many else shards]

    @staticmethod
    def contents_of_shards(rows):
        return {**rows, HEARTBEATS: newest(rows[HEARTBEATS])}

    def read_contents(self, query):
        out = {name: [] for name in TABLES}
        names = list(TABLES)
        for packet in self.admin_query(query).rows:
            number, text = cells(packet, 2)
            out[names[int(number)]].append(text.split(CELL_END.encode()))
        return out

    def dump_foreign(self):
        """What tells whether rows of other tenants, or ours where they do not belong, changed."""
        return self.admin_query(self.foreign).rows


def quoted(database):
    return f"`{database}`"


def newest(rows):
    """Of the copies of a heartbeat the newest is the one that the client sees."""
    out = {}
    for row in sorted(rows, key=lambda row: int(row[3])):
        out[tuple(row[:3])] = row
    return list(out.values())


CELL_END = "\x1f"


def row_text(table, qualified=False):
    """A row as one text, partition keys as clients read them; NULL is told from every text."""
    columns = ", ".join(
        "CONCAT(tenant, '|', partition_key)"
        if qualified and c.name == "partition_key"
        else f"IFNULL(`{c.name}`, 'N\x1e')"
        for c in table.columns
    )
    return f"CONCAT_WS('{CELL_END}', {columns})"


def generated(value):
    """Whether a cell is an offset that a server made."""
    return value is not None and value.isdigit() and LEGACY_GENERATED <= int(value) < GENERATED_END


def insert(table, rows):
    values = ", ".join("(" + ", ".join(literal(v) for v in row) + ")" for row in rows)
    return f"INSERT INTO {table} VALUES {values}"


def literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, (bool, int)):
        return str(int(value))
    text = value.decode() if isinstance(value, bytes) else value
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
