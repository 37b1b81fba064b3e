"""mqgate lint: what it says of a real server's logs is what the sidecar then does."""

import json
import re

import pymysql
import pytest

import legacy
from cluster import ROOT
from gateway import run_program
from rawmysql import RawConnection
from waiting import wait_until

DATABASE = "mq_logged"

# Without parameters, so that a log holds them as they are written here.
STATEMENTS = [
    "SELECT DISTINCT partition_key FROM queue_messages WHERE topic = 'charge'",
    "SELECT id FROM queue_messages\n WHERE topic = 'charge' -- first; second\n   AND id = 'a;b'",
    "UPDATE queue_offsets SET offset_acked = 2 WHERE topic = 'it\\'s'",
    "INSERT INTO queue_offsets VALUES ('g', 'charge', 'p', 1, 1), ('g', 'charge', 'q', 1, 1)",
    "SELECT /* hello; */ COUNT(*) FROM queue_offsets",
    "/*tenant='ads'*/ SELECT COUNT(*) FROM queue_messages",
    "/*tenant='nobody'*/ SELECT COUNT(*) FROM queue_messages",
    "SELECT * FROM others JOIN queue_offsets",
    "SELECT * FROM others",
    "SELECT GET_LOCK('sweeper', 0)",
    "SELECT 1",
    "SHOW TABLE STATUS",
    "LOCK TABLES queue_messages WRITE",
    "UNLOCK TABLES",
    "ALTER TABLE queue_messages ADD KEY by_created (created_at)",
    "SET @t = 'a'",
    "START TRANSACTION",
    "DELETE FROM queue_subscriber_heartbeats WHERE heartbeat_at < 1",
    "COMMIT",
]


def prepare_database(cluster):
    connection = cluster.connect(0)
    text = (ROOT / "deploy" / "schema" / "legacy.sql").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("--")]
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {DATABASE}")
        cursor.execute(f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
        cursor.execute(f"USE {DATABASE}")
        for statement in "\n".join(lines).split(";"):
            if statement.strip():
                cursor.execute(statement)
        cursor.execute("CREATE TABLE others (a INT PRIMARY KEY)")
    connection.close()


def run_statements(cluster):
    """As a service of today: text, and prepared statements in the binary protocol."""
    server = cluster.shards[0]
    connection = cluster.connect(0, database=DATABASE)
    with connection.cursor() as cursor:
        for statement in STATEMENTS:
            cursor.execute(statement)
        cursor.execute("USE mysql")
        cursor.execute("SELECT COUNT(*) FROM user")
    connection.close()
    with RawConnection((server["host"], server["port"])) as raw:
        raw.login("root", "root", database=DATABASE)
        statement = raw.prepare(legacy.STATE)
        for offset in range(3):
            raw.execute(statement, "g", "charge", "p", offset)


@pytest.fixture(scope="module")
def logs(cluster, tmp_path_factory):
    """The general and the slow log of one run of STATEMENTS."""
    folder = tmp_path_factory.mktemp("logs")
    paths = {"general": folder / "general.log", "slow": folder / "slow.log"}
    prepare_database(cluster)
    settings = {
        "log_output": "FILE",
        "general_log_file": paths["general"],
        "slow_query_log_file": paths["slow"],
        "long_query_time": 0,
        "log_slow_admin_statements": "ON",
        "general_log": "ON",
        "slow_query_log": "ON",
    }
    for name, value in settings.items():
        quoted = value if name == "long_query_time" else f"'{value}'"
        cluster.query(0, f"SET GLOBAL {name} = {quoted}")
    try:
        run_statements(cluster)
        wait_until(lambda: paths["general"].read_text().count("Quit") >= 1, "the log is written")
    finally:
        cluster.query(0, "SET GLOBAL general_log = 'OFF'")
        cluster.query(0, "SET GLOBAL slow_query_log = 'OFF'")
        cluster.query(0, "SET GLOBAL long_query_time = 10")
        cluster.query(0, f"DROP DATABASE {DATABASE}")
    return paths


@pytest.fixture
def sidecar(cluster, make_gateway):
    """A sidecar that knows the logged database by the keyspace's alias."""
    backend = {"user": "mqgate", "password": "mqgate"}
    boss = {"password": "b o s s", "administrator": True, "backend": backend}
    return make_gateway({"keyspace": {"aliases": [DATABASE]}, "accounts": {"boss": boss}})


def lint(*arguments, status, env=None):
    done = run_program("lint", "--json", *arguments, env=env)
    assert done.returncode == status, done.stdout + done.stderr
    return json.loads(done.stdout)


def dialect(cluster):
    version = cluster.query(0, "SELECT VERSION()")[0][0]
    return f"{cluster.flavour}-{re.match(r'[0-9]+[.][0-9]+', version).group()}"


def answer(gateway, statement):
    """The MQ number with which the sidecar refuses it in a session without tenant; or None."""
    connection = gateway.connect()
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement)
        return None
    except pymysql.err.MySQLError as error:
        number = re.match(r"MQ([0-9]+): ", str(error.args[1]))
        return int(number.group(1)) if number else None
    finally:
        connection.close()


def codes(report):
    """The code of each kind, by its statement in one spelling."""
    return {normal(kind["example"]): kind["code"] for kind in report["kinds"]}


def normal(statement):
    return " ".join(statement.split())


@pytest.mark.parametrize("name", ["general", "slow"])
def test_a_log_tells_what_the_sidecar_does(cluster, sidecar, logs, name):
    report = lint("-c", sidecar.config_path, "--dialect", dialect(cluster), logs[name], status=1)
    told = codes(report)
    assert report["files"][0]["format"] == name
    for statement in STATEMENTS:
        assert told[normal(statement)] == answer(sidecar, statement), statement


def test_a_log_counts_executions(cluster, sidecar, logs):
    options = ["-c", sidecar.config_path, "--dialect", dialect(cluster)]
    report = lint(*options, logs["general"], status=1)
    kinds = [k for k in report["kinds"] if "SELECT acked" in k["statement"]]
    assert [(k["class"], k["count"]) for k in kinds] == [("served", 3)]
    assert report["summary"]["elsewhere"] >= 1  # SELECT COUNT(*) FROM user
    assert not any("user" in k["statement"] for k in report["kinds"])


def test_a_described_session_is_served(cluster, sidecar, logs, tenant):
    options = ["-c", sidecar.config_path, "--dialect", dialect(cluster)]
    report = lint(*options, "--set", f"@mq_tenant={tenant}", logs["general"], status=1)
    assert report["summary"]["session"]["kinds"] == 0
    # The log's own database stands; the tenant of the command line stays.
    served = {normal(k["example"]) for k in report["kinds"] if k["class"] == "served"}
    assert normal(STATEMENTS[0]) in served and normal(STATEMENTS[1]) in served


# --- a running sidecar


def test_live_tells_what_was_refused(sidecar, topic):
    wanted = {answer(sidecar, statement) for statement in STATEMENTS} - {None}
    answer(sidecar, f"SELECT * FROM secrets WHERE a = '{topic}'")
    report = lint("--live", "-c", sidecar.config_path, status=1)
    assert wanted | {2004} <= {k["code"] for k in report["kinds"]}
    kind = next(k for k in report["kinds"] if "secrets" in k["statement"])
    assert kind["statement"] == "SELECT * FROM secrets WHERE a = ?"
    assert (kind["class"], kind["count"], kind["line"]) == ("refused", 1, None)
    assert kind["first_seen"] <= kind["last_seen"]
    assert topic not in json.dumps(report)


def test_live_is_told_where_and_as_whom(sidecar, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("b o s s\n")
    address = f"127.0.0.1:{sidecar.port}"
    as_boss = ["--live", "--user", "boss"]
    lint(*as_boss, "--address", address, "--password-file", secret, status=0)
    lint(*as_boss, "--socket", sidecar.socket_path, env={"MQ_PASSWORD": "b o s s"}, status=0)
    for password, user in (("wrong", "boss"), ("app", "app")):
        done = run_program(
            "lint", "--live", "--address", address, "--user", user, env={"MQ_PASSWORD": password}
        )
        assert done.returncode == 2 and password not in done.stderr.replace(user, ""), done.stderr


def test_live_needs_a_sidecar(make_gateway):
    boss = {"password": "b", "administrator": True}
    gateway = make_gateway({"accounts": {"boss": boss}}, start=False)
    done = run_program("lint", "--live", "-c", gateway.config_path)
    assert done.returncode == 2 and f":{gateway.port}" in done.stderr, done.stderr


# --- files of any size; no server is needed

GOLDEN = ROOT / "tests" / "golden" / "mqgate.yaml"


def test_entries_may_lie_anywhere_in_a_file(tmp_path):
    """Also across the reader's buffer, at each of its bytes."""
    path = tmp_path / "general.log"
    query = "SELECT topic FROM queue_messages WHERE id = '{}'"
    entry = f"2026-01-31T12:00:00.000000Z\t    8 Query\t{query}\n"
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(entry.format("x" * (i % 97)) for i in range(20000))
    report = lint("-c", GOLDEN, path, status=0)
    assert [k["count"] for k in report["kinds"]] == [20000]


def test_statements_may_be_longer_than_the_buffer(tmp_path):
    path = tmp_path / "long.sql"
    long = "SELECT topic FROM queue_messages WHERE id = '" + "a;" * 500000 + "'"
    path.write_text(f"{long}; {long}; SELECT 1;\n{long}", encoding="utf-8")
    report = lint("-c", GOLDEN, path, status=0)
    assert [(k["count"], k["line"]) for k in report["kinds"]] == [(3, 1), (1, 1)]
    report = lint("-c", GOLDEN, "--set", "limits.max_statement_size=1MiB", path, status=0)
    assert report["summary"]["refused"]["statements"] == 0
    report = lint("-c", GOLDEN, "--set", "limits.max_statement_size=64KiB", path, status=1)
    assert [(k["code"], k["count"]) for k in report["kinds"]] == [(6002, 3), (None, 1)]


def test_kinds_are_bounded(tmp_path):
    path = tmp_path / "many.sql"
    path.write_text("".join(f"SELECT {'x' * 20}{i};\n" for i in range(12000)), encoding="utf-8")
    report = lint("-c", GOLDEN, path, status=0)
    assert len(report["kinds"]) == 10000
    assert report["summary"]["served"] == {"kinds": 10000, "statements": 12000, "unlisted": 2000}


def test_folders_and_pipes(tmp_path):
    (tmp_path / "b" / "c").mkdir(parents=True)
    (tmp_path / "b" / "c" / "2.sql").write_text("SELECT 2;", encoding="utf-8")
    (tmp_path / "b" / "1.sql").write_text("SELECT 1;", encoding="utf-8")
    (tmp_path / "b" / "loop").symlink_to(tmp_path)
    (tmp_path / "b" / "notes.txt").write_text("DROP TABLE x", encoding="utf-8")
    report = lint("-c", GOLDEN, tmp_path, status=0)
    names = [f["name"].removeprefix(str(tmp_path)) for f in report["files"]]
    assert names == ["/b/1.sql", "/b/c/2.sql"]
    done = run_program("lint", "-c", GOLDEN, "--json", "-", input="SELECT 3; DROP TABLE x;")
    assert done.returncode == 1 and json.loads(done.stdout)["kinds"][0]["line"] == 1
    assert run_program("lint", "-c", GOLDEN, tmp_path / "nothing").returncode == 2
    assert run_program("lint", "-c", GOLDEN).returncode == 2
    assert run_program("lint", "-c", GOLDEN, "--format", "xml", "-").returncode == 2
