"""enforcement: observe and warn, over one server with the legacy schema: what a client sent
reaches the server and what the server said reaches the client, byte for byte, while what
enforce would refuse or change is remembered."""

import re
import struct
import threading

import pymysql
import pytest

import legacy
from cluster import ROOT
from rawmysql import (
    COM_FIELD_LIST,
    COM_INIT_DB,
    COM_PING,
    COM_QUERY,
    COM_QUIT,
    COM_RESET_CONNECTION,
    COM_SET_OPTION,
    COM_STATISTICS,
    COM_STMT_CLOSE,
    COM_STMT_EXECUTE,
    COM_STMT_FETCH,
    COM_STMT_PREPARE,
    COM_STMT_RESET,
    COM_STMT_SEND_LONG_DATA,
    DEFAULT_CAPABILITIES,
    DEPRECATE_EOF,
    EXTENDED_METADATA,
    FOUND_ROWS,
    MULTI_STATEMENTS,
    RawConnection,
    ServerError,
    lenenc_string,
    parameter_type,
    parameter_value,
)
from test_legacy_client import program, run_client  # noqa: F401 (fixtures)
from waiting import wait_until

DATABASE = "mq_legacy"
ACCOUNT = "mqgate"  # of the server, and here of mqgate as well
WITHOUT_TENANT = "DELETE FROM queue_messages WHERE id = ?"  # and not for several either
COM_CHANGE_USER = 0x11
PS_MULTI_RESULTS, SESSION_TRACK = 1 << 18, 1 << 23


def new_database(cluster):
    """The legacy schema, empty, in a database of its own on the first server."""
    connection = cluster.connect(0)
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {DATABASE}")
        cursor.execute(f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
        cursor.execute(f"GRANT ALL ON {DATABASE}.* TO '{ACCOUNT}'@'%'")
        cursor.execute(f"USE {DATABASE}")
        text = (ROOT / "deploy" / "schema" / "legacy.sql").read_text()
        lines = [line for line in text.splitlines() if not line.startswith("--")]
        for statement in "\n".join(lines).split(";"):
            if statement.strip():
                cursor.execute(statement)
        cursor.execute("CREATE TABLE others (a INT PRIMARY KEY, b VARCHAR(20))")
        cursor.execute("INSERT INTO others VALUES (1, 'x'), (2, 'y'), (3, 'z')")
        cursor.execute(
            "CREATE PROCEDURE twice() BEGIN "
            "SELECT 1 AS one; SELECT a, b FROM others ORDER BY a; END"
        )
    connection.close()


def changes(cluster, enforcement, **more):
    server = cluster.shards[0]
    shards = {name: None for name in cluster.names}
    shards["-"] = f"{server['host']}:{server['port']}"
    account = {"password": ACCOUNT, "administrator": True, "backend": None}
    return {
        "enforcement": enforcement,
        "keyspace": {"name": DATABASE, "database": None, "shards": shards},
        "accounts": {ACCOUNT: account},
        "pool": {"max_per_shard": 40},
        **more,
    }


@pytest.fixture
def observe(cluster, make_gateway):
    """observe(enforcement, …): an mqgate over an empty legacy database."""

    def make(enforcement="observe", **more):
        new_database(cluster)
        return make_gateway(changes(cluster, enforcement, **more))

    return make


def connect(gateway, **options):
    options = {"user": ACCOUNT, "password": ACCOUNT, "database": DATABASE, **options}
    return gateway.connect(**options)


def findings(gateway):
    """{(statement, code): count}; the code is None where it would be rewritten."""
    connection = connect(gateway)
    rows = legacy.execute(connection, "SHOW MQGATE_FINDINGS")
    connection.close()
    return {(row[7], row[2]): row[4] for row in rows}


# --- the same bytes


class Recorder:
    """A connection whose answers are kept as they are. An answer is known to have ended when
    that to COM_STATISTICS follows. Statements are numbered from 1, wherever the server begins."""

    NUMBERED = (
        COM_STMT_EXECUTE,
        COM_STMT_FETCH,
        COM_STMT_CLOSE,
        COM_STMT_RESET,
        COM_STMT_SEND_LONG_DATA,
    )

    def __init__(self, address, capabilities, **options):
        self.connection = RawConnection(address, 60)
        self.login_answer = self.connection.login(
            ACCOUNT, ACCOUNT, capabilities=capabilities, database=DATABASE, **options
        )
        first = self.connection.prepare("DO 1")
        self.connection.close_statement(first)
        self.base = first.id

    def _renumbered(self, payload):
        if payload and payload[0] in self.NUMBERED:
            (number,) = struct.unpack_from("<I", payload, 1)
            return payload[:1] + struct.pack("<I", number + self.base) + payload[5:]
        return payload

    def _numbered(self, packet):
        if b"prepared statement handler (" in packet:
            return re.sub(rb"\(\d+\)", b"", packet[3:])
        number = int.from_bytes(packet[5:9], "little") - self.base
        is_prepare_ok = len(packet) == 16 and packet[3:5] == b"\1\0" and 0 < number < 100
        return packet[:5] + struct.pack("<I", number) + packet[9:] if is_prepare_ok else packet

    def run(self, *commands):
        c = self.connection
        data = b"".join(
            len(payload).to_bytes(3, "little") + b"\0" + self._renumbered(payload)
            for payload in [*commands, bytes([COM_STATISTICS])]
        )
        c.socket.sendall(data)
        packets = []
        while not packets or not packets[-1][4:].startswith(b"Uptime"):
            header = c._receive(4)
            packets.append(header + c._receive(int.from_bytes(header[:3], "little")))
        return [self._numbered(packet) for packet in packets[:-1]]


def query(text):
    return bytes([COM_QUERY]) + text.encode()


def prepare(text):
    return bytes([COM_STMT_PREPARE]) + text.encode()


def execute(number, *values, cursor=0, types=True):
    body = struct.pack("<BIBI", COM_STMT_EXECUTE, number, cursor, 1)
    if values:
        body += bytes([sum(1 << i for i, v in enumerate(values) if v is None)]) + bytes([types])
        body += b"".join(parameter_type(v) for v in values) if types else b""
        body += b"".join(parameter_value(v) for v in values)
    return body


def on(command, number, rest=b""):
    return struct.pack("<BI", command, number) + rest


INSERT = (
    "INSERT INTO queue_messages (topic, partition_key, id, payload, metadata, created_at, "
    "published_at, failed_at, failure_count, last_error, original_topic) VALUES "
    "('t', 'p', '{}', 'payload', '{{\"queue_name\": \"{}\"}}', 1, 2, 0, 0, '', '')"
)
OFFSET = (
    "INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) "
    "VALUES (?, 't', ?, ?, 1)"
)

# Commands that are sent together, so that the last may ask about the first.
DAY = [
    # What drivers say first.
    [query("SET NAMES utf8mb4"), query("SELECT @@max_allowed_packet, @@autocommit")],
    [query("SELECT DATABASE(), USER()"), bytes([COM_PING])],
    # A queue client's day.
    [query("BEGIN"), query(INSERT.format("a", "payments")), query("COMMIT")],
    [query(INSERT.format("a", "payments")), query("SHOW WARNINGS"), query("SHOW ERRORS")],
    [query("SELECT LAST_INSERT_ID(), ROW_COUNT()")],
    [query("SELECT * FROM queue_messages WHERE topic = 't' ORDER BY `offset`")],
    [query("SELECT DISTINCT partition_key FROM queue_messages WHERE topic = 't'")],
    [
        query("INSERT IGNORE INTO others VALUES (1, 'x')"),
        query("SHOW WARNINGS"),
        query("SHOW COUNT(*) WARNINGS"),
    ],
    [query("UPDATE others SET b = 'w' WHERE a = 3"), query("SELECT ROW_COUNT()")],
    [query("UPDATE others SET b = 'w' WHERE a = 3"), query("SELECT FOUND_ROWS()")],
    # Prepared statements, cursors, long data.
    [prepare(OFFSET), execute(1, b"g", b"p", 5), execute(1, b"h", b"p", 6, types=False)],
    [execute(1, b"g", b"p", 5), query("SHOW WARNINGS")],
    [prepare("SELECT a, b FROM others WHERE a > ? ORDER BY a"), execute(2, 0)],
    [
        execute(2, 0, cursor=1),
        on(COM_STMT_FETCH, 2, b"\2\0\0\0"),
        on(COM_STMT_FETCH, 2, b"\5\0\0\0"),
    ],
    [on(COM_STMT_RESET, 2), execute(2, 1), on(COM_STMT_CLOSE, 2), execute(2, 1)],
    [
        prepare("SELECT ?"),
        on(COM_STMT_SEND_LONG_DATA, 3, b"\0\0long"),
        on(COM_STMT_SEND_LONG_DATA, 3, b"\0\0 data"),
        execute(3, b""),
    ],
    [prepare("SELECT nonsense FROM nowhere"), prepare(""), prepare("SELECT 'no parameter'")],
    [execute(77)],
    # What lives on one connection.
    [query("SET @a = 41"), query("SELECT @a + 1, @a := 7"), query("SELECT @a")],
    [
        query("CREATE TEMPORARY TABLE kept (a INT)"),
        query("INSERT INTO kept VALUES (1)"),
        query("SELECT * FROM kept"),
    ],
    [
        query("LOCK TABLES others READ"),
        query("INSERT INTO others VALUES (9, '')"),
        query("UNLOCK TABLES"),
    ],
    [query("SELECT GET_LOCK('observed', 0)"), query("SELECT RELEASE_LOCK('observed')")],
    [
        query("PREPARE s FROM 'SELECT ? + 1'"),
        query("EXECUTE s USING @a"),
        query("DEALLOCATE PREPARE s"),
    ],
    [
        query("BEGIN"),
        query("SAVEPOINT x"),
        query("DELETE FROM others"),
        query("ROLLBACK TO x"),
        query("SELECT COUNT(*) FROM others"),
        query("ROLLBACK"),
    ],
    [query("SET autocommit = 0"), query("SELECT * FROM others"), query("SET autocommit = 1")],
    # Several results.
    [query("CALL twice()")],
    [query("SELECT 1; SELECT nonsense; SELECT 2"), query("SELECT 1; SELECT 2;")],
    [
        bytes([COM_SET_OPTION]) + b"\1\0",
        query("SELECT 1; SELECT 2"),
        bytes([COM_SET_OPTION]) + b"\0\0",
    ],
    # Databases and modes.
    [
        query("USE information_schema"),
        query("SELECT DATABASE()"),
        bytes([COM_INIT_DB]) + DATABASE.encode(),
    ],
    [bytes([COM_INIT_DB]) + b"nowhere", query("USE nowhere")],
    [
        query("SET sql_mode = 'ANSI_QUOTES'"),
        query('SELECT "a" FROM "others" WHERE a = 1'),
        query("SET sql_mode = DEFAULT"),
    ],
    [bytes([COM_FIELD_LIST]) + b"others\0"],
    [query("DESCRIBE others"), query("SHOW CREATE TABLE queue_offsets"), query("EXPLAIN SELECT 1")],
    # What is tracked, where the client asked for it.
    [
        query("SET SESSION session_track_state_change = 1"),
        query("SET SESSION session_track_transaction_info = 'CHARACTERISTICS'"),
        query("SET NAMES latin1"),
        query("BEGIN"),
        query("SELECT * FROM others"),
        query("COMMIT"),
        query(f"USE {DATABASE}"),
        query("SET NAMES utf8mb4"),
    ],
    # Nonsense.
    [query(""), query("GARBAGE '"), query("SELECT '\\\\"), query("SELECT 1 -- \0")],
    [query("SELECT REPEAT('x', 70000), 1 UNION SELECT 'y', 2")],
    [query("DO 1"), query("SELECT * FROM others LIMIT 0")],
    [bytes([COM_RESET_CONNECTION]), query("SELECT @a"), execute(1, b"z", b"p", 5)],
]


@pytest.mark.parametrize(
    "capabilities",
    [
        DEFAULT_CAPABILITIES,
        DEFAULT_CAPABILITIES | DEPRECATE_EOF,
        DEFAULT_CAPABILITIES | DEPRECATE_EOF | FOUND_ROWS | MULTI_STATEMENTS | PS_MULTI_RESULTS,
        DEFAULT_CAPABILITIES | MULTI_STATEMENTS,
        DEFAULT_CAPABILITIES | DEPRECATE_EOF | SESSION_TRACK,
        DEFAULT_CAPABILITIES | DEPRECATE_EOF | EXTENDED_METADATA,
    ],
    ids=["plain", "no-eof", "all", "multi", "track", "extended"],
)
def test_the_whole_day_is_that_of_the_server(cluster, observe, capabilities):
    gateway = observe()
    server = (cluster.shards[0]["host"], cluster.shards[0]["port"])
    through = Recorder(gateway.address, capabilities)
    got = [through.run(*step) for step in DAY]
    through.connection.close()
    new_database(cluster)
    direct = Recorder(server, capabilities)
    assert through.login_answer == direct.login_answer
    for step, answer in zip(DAY, got):
        assert answer == direct.run(*step), step
    direct.connection.close()
    assert findings(gateway)


def test_large_commands_and_answers(observe):
    gateway = observe()
    connection = connect(gateway, max_allowed_packet=64 << 20)
    with connection.cursor() as cursor:
        cursor.execute("SELECT @@max_allowed_packet")
        size = min(cursor.fetchone()[0], 40 << 20) - 1000
        cursor.execute("SELECT LENGTH('%s')" % ("x" * size))
        assert cursor.fetchone()[0] == size
        cursor.execute("SELECT REPEAT('y', %s)", (size,))
        assert cursor.fetchone()[0] == "y" * size
    connection.close()


def test_a_file_of_the_clients(cluster, observe, tmp_path):
    if not cluster.mariadb:
        cluster.query(0, "SET GLOBAL local_infile = 1")
    gateway = observe()
    path = tmp_path / "rows"
    path.write_text("".join(f"{n}\t{'x' * (n % 20)}\n" for n in range(10, 300000)))
    connection = connect(gateway, local_infile=True)
    load = f"LOAD DATA LOCAL INFILE '{path}' INTO TABLE others"
    assert legacy.execute(connection, load) == 299990
    assert legacy.execute(connection, "SELECT COUNT(*) FROM others") == [(299993,)]
    legacy.execute(connection, load)  # ignores duplicates, with warnings
    assert connection.show_warnings()
    with pytest.raises(pymysql.err.MySQLError):
        legacy.execute(connection, load.replace("others", "nowhere"))
    with pytest.raises(pymysql.err.OperationalError):
        legacy.execute(connection, load.replace(str(path), "/does/not/exist"))
    connection.close()
    refusing = connect(gateway)
    with pytest.raises(pymysql.err.MySQLError) as refused:
        legacy.execute(refusing, load)
    assert refused.value.args[0] in (1148, 3948, 4166)  # of the server
    refusing.close()


# --- logins


def test_the_servers_refusal_of_a_login(observe):
    gateway = observe()
    with pytest.raises(pymysql.err.OperationalError) as refused:
        connect(gateway, database="nowhere")
    assert refused.value.args[0] in (1044, 1049)  # the account may not even know
    with pytest.raises(pymysql.err.OperationalError) as refused:
        connect(gateway, password="wrong")
    assert refused.value.args[0] == 1045
    connect(gateway, database=None).close()


def test_one_connection_too_many(cluster, observe):
    gateway = observe(pool={"max_per_shard": 3})
    open_ones = [connect(gateway) for _ in range(3)]
    with pytest.raises(pymysql.err.OperationalError) as refused:
        connect(gateway)
    assert refused.value.args[0] == 1040
    open_ones.pop().close()
    wait_until(lambda: can_connect(gateway), "a place is free again")
    for connection in open_ones:
        connection.close()


def can_connect(gateway):
    try:
        connect(gateway).close()
    except pymysql.err.OperationalError:
        return False
    return True


def test_each_session_has_its_own_connection(cluster, observe):
    gateway = observe()
    a, b = connect(gateway), connect(gateway)
    legacy.execute(a, "SET @mine = 1")
    ids = [legacy.execute(c, "SELECT CONNECTION_ID(), @mine")[0] for c in (a, b)]
    assert ids[0][0] != ids[1][0]
    assert (ids[0][1], ids[1][1]) == (1, None)
    a.close()
    wait_until(
        lambda: not cluster.query(
            0, "SELECT 1 FROM information_schema.processlist WHERE id = %s", (ids[0][0],)
        ),
        "the server's connection ends with the session",
    )
    b.close()


def test_a_killed_connection_ends_the_session(cluster, observe):
    gateway = observe()
    connection = connect(gateway)
    number = legacy.execute(connection, "SELECT CONNECTION_ID()")[0][0]
    cluster.query(0, f"KILL {number}")
    with pytest.raises(pymysql.err.OperationalError) as lost:
        legacy.execute(connection, "SELECT 1")
    assert lost.value.args[0] in (2006, 2013, 1927, 4031)
    connect(gateway).close()


@pytest.mark.parametrize("what", ["KILL QUERY", "KILL"])
def test_a_query_is_cancelled_by_the_greetings_number(observe, what):
    gateway = observe(workers=2)
    connection, other = connect(gateway), connect(gateway)
    ended = []

    def sleep():
        try:
            ended.append(legacy.execute(connection, "SELECT SLEEP(60)"))
        except pymysql.err.MySQLError as error:
            ended.append(error.args[0])

    thread = threading.Thread(target=sleep)
    thread.start()
    wait_until(
        lambda: legacy.execute(
            other, "SELECT 1 FROM information_schema.processlist WHERE info = 'SELECT SLEEP(60)'"
        ),
        "it sleeps",
    )
    legacy.execute(other, f"{what} {connection.thread_id()}")
    thread.join(30)
    assert ended and ended[0] != [(0,)]
    if what == "KILL QUERY":
        assert legacy.execute(connection, "SELECT 1") == [(1,)]
    else:
        assert ended[0] in (2013, 1317, 1927)
    connection.close()
    other.close()


def test_change_user(observe):
    """The server knows the new user, on a connection of its own; who fails is disconnected."""
    gateway = observe()
    c = Recorder(gateway.address, DEFAULT_CAPABILITIES).connection
    c.query("SET @x = 1")
    c.change_user("root", "root")
    user, database, x = c.query("SELECT CURRENT_USER(), DATABASE(), @x").rows[0]
    assert user.startswith(b"root@") and database is None and x is None
    with pytest.raises(ServerError) as refused:
        c.change_user("root", "wrong")
    assert refused.value.errno == 1045
    with pytest.raises(ConnectionError):
        c.ping()


# --- findings


@pytest.mark.threads
@pytest.mark.parametrize("mode", ["default", "interpolate"])
def test_the_legacy_client_in_go(cluster, observe, run_client, mode):  # noqa: F811
    """It works as on the server itself, and once it names its tenant nothing would be refused."""
    gateway = observe(workers=2)
    arguments = ["-interpolate"] if mode == "interpolate" else []
    arguments += ["-quote-offset"] if cluster.mariadb else []
    for database, named in [(DATABASE, False), (DATABASE + "?@mq_tenant='{tenant}'", True)]:
        before = findings(gateway)
        run_client(
            f"{ACCOUNT}:{ACCOUNT}@tcp(127.0.0.1:{gateway.port})/{database}",
            cluster.tenants[:1],
            "-messages",
            "60",
            *arguments,
        )
        after = findings(gateway)
        codes = {key[1] for key, count in after.items() if count != before.get(key)}
        unserved = {None, "MQ3001"}
        assert codes == {None} if named else unserved <= codes <= unserved | {"MQ3010"}, after


@pytest.mark.threads
def test_findings_of_a_day(observe):
    gateway = observe(workers=3)
    connections = [connect(gateway) for _ in range(12)]  # on all workers
    for c in connections:
        legacy.publish(c, "t", f"id-{id(c)}", metadata='{"queue_name": "payments"}')
        legacy.execute(c, WITHOUT_TENANT, "secret")
        legacy.execute(c, "SELECT a FROM others WHERE b = 'secret'")
    legacy.execute(connections[0], "SET @mq_tenant = 'payments'")
    legacy.execute(connections[0], WITHOUT_TENANT, "secret")
    found = findings(gateway)
    assert "secret" not in str(found)
    assert found["SELECT a FROM others WHERE b = ?", "MQ2004"] == 12
    assert found[WITHOUT_TENANT, "MQ3001"] == 12
    assert found[WITHOUT_TENANT, None] == 1
    inserts = {k[1]: v for k, v in found.items() if k[0] and k[0].startswith("INSERT")}
    assert inserts == {None: 12}
    for c in connections:
        c.close()


def test_enforce_refuses_what_observe_found(cluster, make_gateway):
    """The statements that observe lists are those that enforce refuses, with the same code."""
    texts = [
        "DELETE FROM queue_messages WHERE topic = 't'",
        "SELECT a FROM others",
        "SET @a = 1",
        "SELECT 1 FROM queue_messages q, others o",
        "TRUNCATE queue_offsets",
        "SELECT SLEEP(0) INTO @x",
    ]
    new_database(cluster)
    observing = make_gateway(changes(cluster, "observe"))
    enforcing = make_gateway({"accounts": {ACCOUNT: {"password": ACCOUNT, "administrator": True}}})
    through = connect(observing)
    refusing = connect(enforcing, database=cluster.database)
    for text in texts:
        legacy.execute(through, text)
        with pytest.raises(pymysql.err.MySQLError):
            legacy.execute(refusing, text)
    through.close()

    def codes(gateway, database):
        connection = connect(gateway, database=database)
        rows = legacy.execute(connection, "SHOW MQGATE_FINDINGS")
        connection.close()
        return {row[7]: row[2] for row in rows if row[1] == "reject"}

    assert codes(observing, DATABASE) == codes(enforcing, cluster.database)
    refusing.close()


# --- warn


def warnings_of(connection):
    with connection.cursor() as cursor:
        cursor.execute("SHOW WARNINGS")
        return list(cursor.fetchall())


def test_warn_adds_one_warning(observe):
    gateway = observe("warn")
    connection = gateway.raw(user=ACCOUNT, password=ACCOUNT, database=DATABASE)
    for text, own, refused in [
        ("SELECT 1", 0, False),
        ("SELECT CAST('x' AS SIGNED)", 1, False),
        (WITHOUT_TENANT.replace("?", "'t'"), 0, True),
        ("SELECT CAST('x' AS SIGNED), a FROM others LIMIT 1", 1, True),
        ("INSERT IGNORE INTO others VALUES (1, 'x')", 1, True),
    ]:
        result = connection.query(text)
        assert result.warnings == own + refused, text
        listed = connection.query("SHOW WARNINGS").rows
        assert len(listed) == own + refused, text
        assert connection.query("SHOW COUNT(*) WARNINGS").rows == [(b"%d" % len(listed),)], text
        if refused:
            assert listed[-1][:2] == (b"Warning", b"1105") or listed[-1][2].startswith(b"MQ")
    with pytest.raises(ServerError):
        connection.query("SELECT nonsense FROM others")
    assert len(connection.query("SHOW WARNINGS").rows) == 1
    connection.close()
    plain = connect(gateway)  # a driver that fetches warnings by itself
    legacy.execute(plain, "SELECT a FROM others")
    assert plain.show_warnings()[-1][2].startswith("MQ2004: ")
    statement = gateway.raw(user=ACCOUNT, password=ACCOUNT, database=DATABASE)
    prepared = statement.prepare("SELECT a FROM others WHERE a > ?")
    assert statement.execute(prepared, 0).warnings == 1
    assert statement.query("SHOW WARNINGS").rows[-1][2].startswith(b"MQ2004: ")
    statement.close()
    plain.close()


def test_observe_becomes_warn_by_a_reload(observe):
    gateway = observe()
    before = connect(gateway)
    gateway.configure({"enforcement": "warn"})
    since = len(gateway.log())
    gateway.reload()
    gateway.log_contains("reloaded", since)
    wait_until(lambda: warned(gateway), "new sessions are warned")
    legacy.execute(before, "SELECT a FROM others")
    assert not before.show_warnings()
    gateway.configure({"enforcement": "enforce"})
    since = len(gateway.log())
    gateway.reload()
    gateway.log_contains("reload refused: .*enforcement", since)
    assert warned(gateway)
    before.close()


def warned(gateway):
    connection = connect(gateway)
    legacy.execute(connection, "SELECT a FROM others")
    warnings = connection.show_warnings()
    connection.close()
    return bool(warnings)
