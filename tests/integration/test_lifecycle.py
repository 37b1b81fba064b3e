"""Start, configuration, reload and drain."""

import json
import signal
import socket
import threading

import pymysql
import pytest

from gateway import run_program
from legacy import COUNT, count, execute, publish
from rawmysql import ServerError
from refusals import refused
from waiting import wait_until

# --- start and `mqgate check`


def shards(*names):
    return {"keyspace": {"name": "queue", "shards": {n: {"address": "127.0.0.1:1"} for n in names}}}


FAULTS = [
    # what is wrong, changes to a good configuration, parts of the message
    ("no tenants", {"tenants": []}, ["list of tenants is empty"]),
    (
        "a gap",
        {"keyspace": {"shards": {"-80": None, "-40": {"address": "127.0.0.1:1"}}}},
        ["40", "80"],
    ),
    ("an overlap", {"keyspace": {"shards": {"40-": {"address": "127.0.0.1:1"}}}}, ["40"]),
    ("no key range", {"keyspace": {"shards": {"first": {"address": "127.0.0.1:1"}}}}, ["first"]),
    (
        "an unknown setting",
        {"pool": {"max_per_shrad": 5}},
        ["max_per_shrad", "did you mean max_per_shard"],
    ),
    ("no number", {"workers": "many"}, ["workers", "many"]),
    ("a number out of range", {"workers": 0}, ["workers"]),
    ("no duration", {"pool": {"wait_timeout": "soon"}}, ["wait_timeout", "soon"]),
    ("a tenant that is not allowed", {"tenants": ["a", "b|c"]}, ["b|c"]),
    ("an account without password", {"accounts": {"x": {}}}, ["x"]),
    ("a tenant of an account that is not listed", {"default_tenant": "nobody"}, ["nobody"]),
    (
        "a VSchema that is not there",
        {"keyspace": {"vschema": "/nonexistent.json"}},
        ["/nonexistent.json"],
    ),
]


@pytest.fixture(params=["run", "check"])
def command(request):
    return request.param


@pytest.mark.parametrize("why, changes, parts", FAULTS, ids=[row[0] for row in FAULTS])
def test_broken_configuration(make_gateway, command, why, changes, parts):
    gateway = make_gateway(changes, start=False)
    done = run_program(command, "-c", gateway.config_path)
    output = done.stdout + done.stderr
    assert done.returncode == 1, f"{done.returncode}: {output}"
    for part in parts:
        assert part in output, output


@pytest.mark.parametrize(
    "text, line",
    [
        ("listen: [", 0),
        ("a: b: c\n", 1),
        ("keyspace:\n  name: queue\n\t- x\n", 3),
        ("", 0),
        ("keyspace:\n  name: queue\n  name: queue\n", 3),
        ("- list\n", 1),
    ],
)
def test_broken_yaml(make_gateway, command, text, line):
    gateway = make_gateway(start=False)
    gateway.config_path.write_text(text)
    done = run_program(command, "-c", gateway.config_path)
    output = done.stdout + done.stderr
    assert done.returncode == 1, f"{done.returncode}: {output}"
    assert f"{gateway.config_path}:{line}" in output or not line, output


def test_all_faults_at_once(make_gateway):
    gateway = make_gateway(
        {"workers": "many", "pool": {"max_per_shrad": 5}, "log": {"level": "loud"}}, start=False
    )
    done = run_program("check", "-c", gateway.config_path)
    output = done.stdout + done.stderr
    assert done.returncode == 1
    assert all(part in output for part in ("many", "max_per_shrad", "loud")), output


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"sharded": "yes"}',
        '{"sharded": true, "vindexes": {"v": {"type": "region_json"}}, "tables": '
        '{"queue_messages": {"column_vindexes": [{"column": "tenant", "name": "v"}]}}}',
        '{"sharded": true, "vindexes": {}, "tables": {"queue_messages": '
        '{"column_vindexes": [{"column": "tenant", "name": "nothing"}]}}}',
    ],
)
def test_broken_vschema(make_gateway, command, tmp_path, text):
    path = tmp_path / "vschema.json"
    path.write_text(text)
    gateway = make_gateway({"keyspace": {"vschema": str(path)}}, start=False)
    done = run_program(command, "-c", gateway.config_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "MQ1003" in done.stdout + done.stderr


def test_missing_file_and_bad_usage(tmp_path):
    done = run_program("run", "-c", tmp_path / "nothing.yaml")
    assert done.returncode == 1 and "nothing.yaml" in done.stderr
    for arguments in ([], ["nonsense"], ["run", "--nonsense"], ["check", "--nonsense"]):
        done = run_program(*arguments)
        assert done.returncode == 2, f"{arguments}: {done.returncode}"
        assert done.stderr


def test_good_configuration(make_gateway):
    gateway = make_gateway(start=False)
    done = run_program("check", "-c", gateway.config_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_shards_that_stay_empty_are_a_warning(make_gateway, tmp_path):
    """`binary` of ASCII is below 80 whatever the tenant."""
    tables = ("messages", "delivery_state", "offsets", "partition_leases", "subscriber_heartbeats")
    path = tmp_path / "vschema.json"
    path.write_text(json.dumps({
        "sharded": True, "vindexes": {"v": {"type": "binary"}},
        "tables": {f"queue_{table}": {"column_vindexes": [{"columns": ["tenant"], "name": "v"}]}
                   for table in tables}}))
    gateway = make_gateway({"tenants": ["orders"], "keyspace": {"vschema": str(path)}}, start=False)
    done = run_program("check", "-c", gateway.config_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning   the vindex binary puts no tenant on shard 80-" in done.stdout
    done = run_program("check", "-c", gateway.config_path, "--json")
    assert [w["text"].split(":")[0] for w in json.loads(done.stdout)["warnings"]] == [
        "the vindex binary puts no tenant on shard 80-"]


def test_port_in_use(make_gateway, gateway):
    other = make_gateway(start=False)
    other.configure({"listen": f"127.0.0.1:{gateway.port}"})
    done = run_program("run", "-c", other.config_path)
    assert done.returncode == 1
    assert str(gateway.port) in done.stderr


def test_environment_overrides_the_file(make_gateway, cluster, topic):
    only = cluster.tenants[0]
    gateway = make_gateway(env={"MQ_TENANTS": only})
    connection = gateway.connect()
    publish(connection, topic, "m")
    assert cluster.where_is(topic) == {(cluster.shard_of(only), only)}
    connection.close()


def test_secrets_stay_out_of_the_log(make_gateway, tenant, topic):
    gateway = make_gateway(
        {"log": {"level": "debug"}, "accounts": {"app": {"password": "hush-hush"}}}
    )
    connection = gateway.connect(tenant, password="hush-hush")
    count(connection, topic)
    with refused(errno=1045):
        gateway.connect(tenant, password="hush-wrong")
    connection.close()
    gateway.stop()
    assert "hush" not in gateway.log()


# --- reload


def test_reload_adds_and_removes_tenants(make_gateway, cluster, topic):
    """Open connections stay, and see the new list."""
    first, second = cluster.tenants[:2]
    gateway = make_gateway({"tenants": [first]})
    connection = gateway.connect(first)
    publish(connection, topic, "m")
    with refused(3003):
        gateway.connect(second)
    gateway.configure({"tenants": [first, second]})
    gateway.reload()
    new = wait_until(lambda: accepted(gateway, second), "the second tenant is served")
    publish(new, topic, "m")
    assert count(connection, topic) == 1
    gateway.configure({"tenants": [second]})
    gateway.reload()
    wait_until(lambda: not accepted(gateway, first), "the first tenant is not served any more")
    with refused(3003):
        count(connection, topic)
    assert count(new, topic) == 1
    connection.close()
    new.close()


def accepted(gateway, tenant):
    """A connection of a tenant that is served, else None."""
    try:
        connection = gateway.connect(tenant)
        count(connection, "nothing")
        return connection
    except pymysql.err.MySQLError:
        return None


@pytest.mark.threads
def test_reload_under_load(make_gateway, cluster, topic):
    gateway = make_gateway({"workers": 2})
    failures, stop = [], threading.Event()

    def work(name):
        try:
            connection, n = gateway.connect(name), 0
            while not stop.is_set():
                publish(connection, topic, f"m{n}")
                n += 1
                assert count(connection, topic) == n
            connection.close()
        except Exception as error:
            failures.append(repr(error))

    threads = [threading.Thread(target=work, args=(name,)) for name in cluster.tenants]
    for thread in threads:
        thread.start()
    for n in range(5):
        since = len(gateway.log())
        gateway.configure({"limits": {"max_connections": 1000 + n}})
        gateway.reload()
        gateway.log_contains("(?i)reload|configuration", since)
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []


def test_reload_of_a_broken_file_changes_nothing(make_gateway, tenant, topic):
    gateway = make_gateway()
    connection = gateway.connect(tenant)
    since = len(gateway.log())
    good = gateway.config_path.read_text()
    gateway.config_path.write_text(good + "\nnonsense: 1\n")
    gateway.reload()
    gateway.log_contains("nonsense", since)
    publish(connection, topic, "m")
    gateway.connect(tenant).close()
    connection.close()


# --- drain


def refuses(gateway):
    try:
        with socket.create_connection(gateway.address, timeout=5) as s:
            return s.recv(1) == b""
    except OSError:
        return True


@pytest.mark.threads
def test_drain(make_gateway, tenant, topic):
    """An open transaction may end; idle sessions are closed; then the process ends well."""
    gateway = make_gateway()
    working, idle = gateway.connect(tenant), gateway.connect(tenant)
    execute(working, "BEGIN")
    publish(working, topic, "a")
    count(idle, topic)
    gateway.signal(signal.SIGTERM)
    wait_until(lambda: refuses(gateway), "no new client is accepted")
    publish(working, topic, "b")
    execute(working, "COMMIT")
    with pytest.raises(pymysql.err.MySQLError):
        count(idle, topic)
    gateway.wait(timeout=15)


def test_drain_lets_a_statement_end(make_gateway, tenant, topic):
    gateway = make_gateway()
    connection = gateway.connect(tenant)
    publish(connection, topic, "m")
    answers = []
    running = threading.Thread(
        target=lambda: answers.append(
            execute(connection, "SELECT id, SLEEP(1) FROM queue_messages WHERE topic = ?", topic)
        )
    )
    running.start()
    wait_until(lambda: "SLEEP" in str(gateway.cluster.query(0, "SHOW FULL PROCESSLIST")), "it runs")
    gateway.signal(signal.SIGTERM)
    running.join()
    assert answers == [[("m", 0)]]
    gateway.wait(timeout=15)


def test_drain_ends_by_a_maximum(make_gateway, cluster, tenant, topic):
    """What does not end by itself is rolled back."""
    gateway = make_gateway({"shutdown": {"drain_max": "500ms"}})
    connection = gateway.connect(tenant)
    execute(connection, "BEGIN")
    publish(connection, topic, "m")
    gateway.signal(signal.SIGTERM)
    gateway.wait(timeout=15)
    wait_until(
        lambda: cluster.query(0, "SELECT COUNT(*) FROM queue_messages WHERE topic = %s", (topic,))
        == [(0,)],
        "it is rolled back",
    )


def test_drain_accepts_for_a_minimum(make_gateway, tenant, topic):
    """Endpoints are removed elsewhere first, so clients may still come."""
    gateway = make_gateway({"shutdown": {"drain_min": "2s"}})
    gateway.signal(signal.SIGTERM)
    gateway.log_contains("(?i)drain|SIGTERM|shut")
    connection = gateway.connect(tenant)
    assert count(connection, topic) == 0
    connection.close()
    gateway.wait(timeout=15)


def test_idle_client(make_gateway, tenant):
    gateway = make_gateway({"limits": {"idle_timeout": "1s"}})
    with gateway.raw(tenant) as connection:
        connection.sequence = 0
        with pytest.raises((ServerError, ConnectionError)):
            connection.receive_answer()


def test_statement_count_is_one_per_execution(make_gateway, cluster, tenant, topic):
    """Prepare, execute and close cost the shard one round trip once the metadata are known."""
    gateway = make_gateway({"pool": {"max_per_shard": 1}})
    connection = gateway.raw(tenant)

    def cycle():
        statement = connection.prepare(COUNT)
        connection.execute(statement, topic)
        connection.close_statement(statement)

    def prepares():
        return int(cluster.query(0, "SHOW GLOBAL STATUS LIKE 'Com_stmt_prepare'")[0][1])

    cycle()
    cycle()
    before = prepares()
    for _ in range(20):
        cycle()
    assert prepares() - before <= 2
    connection.close()
