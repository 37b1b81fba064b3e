"""Transactions: pinned to one tenant's shard, with the semantics of one server."""

import threading

import pytest

from legacy import PUBLISH, START_OFFSET, count, execute, legacy_ddl, message, publish
from rawmysql import AUTOCOMMIT, COM_QUERY, IN_TRANS
from refusals import refused
from waiting import wait_until


@pytest.fixture
def connection(connect, tenant):
    return connect(tenant)


@pytest.fixture
def witness(connect, tenant):
    """Another session of the same tenant: it sees what is committed."""
    return connect(tenant)


def test_commit_and_rollback(connection, witness, topic):
    execute(connection, "BEGIN")
    publish(connection, topic, "a")
    assert (count(connection, topic), count(witness, topic)) == (1, 0)
    execute(connection, "COMMIT")
    assert count(witness, topic) == 1
    execute(connection, "START TRANSACTION")
    publish(connection, topic, "b")
    execute(connection, "ROLLBACK")
    assert count(witness, topic) == 1


def test_status_flags(connect, tenant, topic):
    """Drivers follow the transaction by these."""
    connection = connect(tenant, raw=True)
    publish_text = f"INSERT IGNORE INTO queue_offsets VALUES ('g', '{topic}', '%s', 0, 0)"
    assert connection.ping().status & (IN_TRANS | AUTOCOMMIT) == AUTOCOMMIT
    assert connection.query("BEGIN").status & IN_TRANS
    assert connection.query(publish_text % 1).status & IN_TRANS
    assert connection.ping().status & IN_TRANS
    assert not connection.query("COMMIT").status & IN_TRANS
    assert connection.query("SET autocommit = 0").status & AUTOCOMMIT == 0
    assert connection.query(publish_text % 2).status & (IN_TRANS | AUTOCOMMIT) == IN_TRANS
    assert connection.query("ROLLBACK").status & (IN_TRANS | AUTOCOMMIT) == 0
    assert connection.query("SET autocommit = 1").status & (IN_TRANS | AUTOCOMMIT) == AUTOCOMMIT
    select = connection.query(f"SELECT COUNT(*) FROM queue_offsets WHERE topic = '{topic}'")
    assert select.rows == [(b"1",)]
    assert select.status & (IN_TRANS | AUTOCOMMIT) == AUTOCOMMIT


@pytest.mark.parametrize("second", ["other_tenant", "neighbour"])
def test_second_tenant_is_refused(connect, cluster, request, tenant, topic, second):
    """Also when both live on the same shard; the transaction goes on."""
    second = request.getfixturevalue(second)
    connection = connect()
    execute(connection, "BEGIN")
    publish(connection, topic, "a", metadata=f'{{"queue_name": "{tenant}"}}')
    with refused(3014):
        publish(connection, topic, "b", metadata=f'{{"queue_name": "{second}"}}')
    publish(connection, topic, "c", metadata=f'{{"queue_name": "{tenant}"}}')
    execute(connection, "COMMIT")
    publish(connection, topic, "d", metadata=f'{{"queue_name": "{second}"}}')
    rows = cluster.query_all("SELECT tenant, id FROM queue_messages WHERE topic = %s", (topic,))
    assert {row[1:] for row in rows} == {(tenant, "a"), (tenant, "c"), (second, "d")}


def test_transactions_of_two_tenants_in_turn(connect, cluster, tenant, other_tenant, topic):
    connection = connect()
    for n in range(4):
        execute(connection, "BEGIN")
        execute(connection, f"SET @mq_tenant = '{(tenant, other_tenant)[n % 2]}'")
        publish(connection, topic, f"m{n}")
        execute(connection, ("COMMIT", "COMMIT", "ROLLBACK", "ROLLBACK")[n])
    rows = cluster.query_all("SELECT tenant, id FROM queue_messages WHERE topic = %s", (topic,))
    assert sorted(rows) == [(0, tenant, "m0"), (1, other_tenant, "m1")]


def test_autocommit_off(connection, witness, topic):
    execute(connection, "SET autocommit = 0")
    publish(connection, topic, "a")
    assert count(witness, topic) == 0
    execute(connection, "ROLLBACK")
    publish(connection, topic, "b")
    execute(connection, "COMMIT")
    publish(connection, topic, "c")
    assert count(witness, topic) == 1
    execute(connection, "SET autocommit = 1")  # commits
    assert count(witness, topic) == 2
    publish(connection, topic, "d")
    assert count(witness, topic) == 3


def test_savepoints(connection, witness, topic):
    execute(connection, "BEGIN")
    execute(connection, "SAVEPOINT early")  # before anything is routed
    publish(connection, topic, "a")
    execute(connection, "SAVEPOINT `late`")
    publish(connection, topic, "b")
    execute(connection, "ROLLBACK TO late")
    publish(connection, topic, "c")
    assert count(connection, topic) == 2
    execute(connection, "RELEASE SAVEPOINT late")
    with refused(errno=1305):
        execute(connection, "ROLLBACK TO SAVEPOINT late")
    execute(connection, "ROLLBACK WORK TO SAVEPOINT early")
    assert count(connection, topic) == 0
    publish(connection, topic, "d")
    execute(connection, "COMMIT")
    assert count(witness, topic) == 1
    with refused(errno=1305):
        execute(connection, "ROLLBACK TO early")


def test_savepoint_without_transaction(connection):
    """With autocommit it is gone at once."""
    execute(connection, "SAVEPOINT nothing")
    with refused(errno=1305):
        execute(connection, "ROLLBACK TO nothing")


def test_chain(connection, witness, topic):
    execute(connection, "BEGIN")
    publish(connection, topic, "a")
    execute(connection, "COMMIT AND CHAIN")
    publish(connection, topic, "b")
    assert count(witness, topic) == 1
    execute(connection, "ROLLBACK AND CHAIN")
    publish(connection, topic, "c")
    assert count(witness, topic) == 1
    execute(connection, "COMMIT AND NO CHAIN")
    assert count(witness, topic) == 2
    publish(connection, topic, "d")
    assert count(witness, topic) == 3


def test_commit_and_release(connect, tenant, topic, witness):
    connection = connect(tenant, raw=True)
    connection.query("BEGIN")
    connection.query(f"INSERT INTO queue_offsets VALUES ('g', '{topic}', 'p', 0, 0)")
    connection.query("COMMIT RELEASE")
    with pytest.raises(OSError):
        connection.ping()
    assert execute(witness, "SELECT COUNT(*) FROM queue_offsets WHERE topic = ?", topic) == [(1,)]


def test_begin_within_a_transaction_commits(connection, witness, topic):
    execute(connection, "BEGIN")
    publish(connection, topic, "a")
    execute(connection, "BEGIN")
    assert count(witness, topic) == 1
    publish(connection, topic, "b")
    execute(connection, "ROLLBACK")
    assert count(witness, topic) == 1


def test_ddl_within_a_transaction_commits(connection, witness, topic):
    execute(connection, "BEGIN")
    publish(connection, topic, "a")
    execute(connection, legacy_ddl()[0])
    assert count(witness, topic) == 1
    publish(connection, topic, "b")
    assert count(witness, topic) == 2


def test_error_within(connection, witness, topic):
    """A statement fails alone; the transaction keeps what it has."""
    execute(connection, "BEGIN")
    execute(connection, START_OFFSET, "g", topic, "p")
    with refused(errno=1062):
        execute(connection, START_OFFSET.replace("IGNORE ", ""), "g", topic, "p")
    publish(connection, topic, "a")
    execute(connection, "COMMIT")
    assert count(witness, topic) == 1
    assert execute(witness, "SELECT COUNT(*) FROM queue_offsets WHERE topic = ?", topic) == [(1,)]


def test_read_only(connection, topic):
    execute(connection, "START TRANSACTION READ ONLY")
    assert count(connection, topic) == 0
    with refused(errno=1792):
        publish(connection, topic, "a")
    execute(connection, "COMMIT")
    publish(connection, topic, "a")


def test_isolation_level(connection, witness, topic):
    """SET TRANSACTION is for the next transaction only."""
    execute(connection, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
    execute(connection, "BEGIN")
    assert count(connection, topic) == 0
    publish(witness, topic, "a")
    assert count(connection, topic) == 1
    execute(connection, "COMMIT")
    execute(connection, "BEGIN")
    assert count(connection, topic) == 1
    publish(witness, topic, "b")
    assert count(connection, topic) == 1, "REPEATABLE READ again"
    execute(connection, "COMMIT")


def locked(connection, topic):
    """Is the row of `topic` locked by somebody?"""
    try:
        execute(
            connection,
            "SELECT 1 FROM queue_offsets WHERE topic = ? AND consumer_group = 'g' "
            "AND partition_key = 'p' FOR UPDATE NOWAIT",
            topic,
        )
    except Exception as error:
        if error.args[0] in (1205, 3572):
            return True
        raise
    return False


@pytest.mark.threads
@pytest.mark.parametrize("how", ["close", "quit", "reset", "in the middle of a statement"])
def test_client_that_vanishes_is_rolled_back(connect, connection, witness, tenant, topic, how):
    execute(witness, START_OFFSET, "g", topic, "p")
    vanishing = connect(tenant, raw=True)
    vanishing.query("BEGIN")
    vanishing.query(f"UPDATE queue_offsets SET offset_acked = 9 WHERE topic = '{topic}'")
    assert locked(witness, topic)
    if how == "quit":
        vanishing.command(1)
    elif how == "reset":
        vanishing.reset_connection()
    elif how != "close":
        vanishing.command(
            COM_QUERY, f"SELECT SLEEP(1) FROM queue_offsets WHERE topic = '{topic}'".encode()
        )
    if how != "reset":
        vanishing.close()
    wait_until(lambda: not locked(witness, topic), "the row is free")
    assert execute(witness, "SELECT offset_acked FROM queue_offsets WHERE topic = ?", topic) == [
        (0,)
    ]


@pytest.mark.threads
def test_deadlock(connect, tenant, topic):
    """The victim gets 1213, its transaction is over, and both sessions go on."""
    one, two = connect(tenant), connect(tenant)
    for partition in ("a", "b"):
        execute(one, START_OFFSET, "g", topic, partition)
    move = (
        "UPDATE queue_offsets SET offset_acked = offset_acked + 1 WHERE consumer_group = 'g' "
        "AND topic = ? AND partition_key = ?"
    )
    execute(one, "BEGIN")
    execute(two, "BEGIN")
    execute(one, move, topic, "a")
    execute(two, move, topic, "b")
    errors = []

    def run(connection, partition):
        try:
            execute(connection, move, topic, partition)
        except Exception as error:
            errors.append((connection, error.args[0]))

    other = threading.Thread(target=run, args=(one, "b"))
    other.start()
    run(two, "a")
    other.join()
    ((victim, errno),) = errors
    assert errno == 1213
    for connection in (one, two):
        execute(connection, "COMMIT")
    rows = execute(
        one,
        "SELECT partition_key, offset_acked FROM queue_offsets WHERE topic = ? "
        "ORDER BY partition_key",
        topic,
    )
    assert rows == [("a", 1), ("b", 1)]
    publish(victim, topic, "m")
    assert count(one, topic) == 1


def test_transaction_that_touches_no_shard(connection, topic):
    for statement in (
        "BEGIN",
        "COMMIT",
        "BEGIN",
        "ROLLBACK",
        "COMMIT",
        "ROLLBACK",
        "BEGIN",
        "SAVEPOINT a",
        "RELEASE SAVEPOINT a",
        "SELECT 1",
        "COMMIT",
    ):
        execute(connection, statement)
    publish(connection, topic, "m")
    assert count(connection, topic) == 1


def test_prepared_statements_within(connect, witness, tenant, topic):
    connection = connect(tenant, raw=True)
    statement = connection.prepare(PUBLISH)
    connection.query("BEGIN")
    for n in range(3):
        connection.execute(statement, *message(topic, f"m{n}"))
    assert count(witness, topic) == 0
    connection.query("COMMIT")
    connection.query("BEGIN")
    connection.execute(statement, *message(topic, "undone"))
    connection.query("ROLLBACK")
    assert count(witness, topic) == 3


def test_consistent_snapshot(connection, witness, topic):
    execute(connection, "START TRANSACTION WITH CONSISTENT SNAPSHOT")
    publish(witness, topic, "m")
    assert count(connection, topic) == 0, "the snapshot is as old as the START"
    execute(connection, "COMMIT")
    assert count(connection, topic) == 1


def test_consistent_snapshot_without_tenant(connect):
    with refused():
        execute(connect(), "START TRANSACTION WITH CONSISTENT SNAPSHOT")


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT id FROM queue_messages WHERE topic = '{topic}' ORDER BY offset LIMIT 3 FOR UPDATE",
        "UPDATE queue_messages SET failed_at = 1 WHERE topic = '{topic}' AND offset > {first}",
        "SELECT * FROM queue_messages WHERE topic = '{topic}' ORDER BY 1 LIMIT 3 FOR UPDATE",
        "INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) "
        "SELECT 'g', topic, id, 1, 1 FROM queue_messages WHERE topic = '{topic}' "
        "ORDER BY offset LIMIT 3",
        "INSERT INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at) "
        "VALUES ('g', '{topic}', 'p', "
        "(SELECT offset FROM queue_messages WHERE topic = '{topic}' ORDER BY offset LIMIT 2, 1), 1)",
    ],
)
def test_other_tenants_are_not_locked(connect, cluster, tenant, neighbour, topic, statement):
    """The shard's index on `offset` holds the rows of all of its tenants."""
    mine, other = connect(tenant), connect(neighbour)
    first = publish(mine, topic, "first")
    publish(other, topic, "other")
    execute(
        mine,
        "INSERT INTO queue_messages (topic, partition_key, id, payload, created_at, published_at, "
        "failed_at, failure_count, last_error, original_topic) VALUES "
        + ",".join(f"('{topic}', 'p', 'm{n}', '', 1, 1, 0, 0, '', '')" for n in range(2000)),
    )
    cluster.query(cluster.shard_of(tenant), "ANALYZE TABLE queue_messages")
    execute(mine, "BEGIN")
    execute(mine, statement.format(topic=topic, first=first))
    execute(other, "SET innodb_lock_wait_timeout = 1")
    where = "WHERE topic = ? AND partition_key = 'p' AND id = 'other'"
    assert execute(other, f"DELETE FROM queue_messages {where}", topic) == 1
    execute(mine, "ROLLBACK")
