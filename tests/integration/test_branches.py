"""Transactions over several shards (`transactions: multi`)."""

import pytest

from legacy import execute
from refusals import refused
from waiting import wait_until

ADD = "INSERT INTO queue_offsets VALUES ('g', ?, ?, ?, 0)"
ROWS = "SELECT tenant, partition_key, offset_acked FROM queue_offsets WHERE topic = %s"
SET_OFFSET = "UPDATE queue_offsets SET offset_acked = ? WHERE topic = ? AND partition_key = ?"


@pytest.fixture
def gateway(make_gateway):
    return make_gateway({"transactions": "multi", "pool": {"max_per_shard": 4}})


@pytest.fixture
def session(connect, tenant, other_tenant, neighbour, topic):
    return Session(connect(), [tenant, other_tenant, neighbour], topic)


class Session:
    """One connection that goes from tenant to tenant: 0 and 2 are of the first shard."""

    def __init__(self, connection, tenants, topic):
        self.connection, self.tenants, self.topic = connection, tenants, topic

    def run(self, statement, *arguments):
        return execute(self.connection, statement, *arguments)

    def choose(self, tenant):
        self.run(f"SET @mq_tenant = '{self.tenants[tenant]}'")

    def add(self, tenant, key, value=0):
        self.choose(tenant)
        return self.run(ADD, self.topic, key, value)


@pytest.fixture
def stored(cluster, topic, session):
    """stored() is what the shards hold: {(tenant's number, key): value}."""

    def read():
        rows = cluster.query_all(ROWS, (topic,))
        return {(session.tenants.index(row[1]), row[2]): row[3] for row in rows}

    return read


def test_commit(session, stored):
    session.run("BEGIN")
    for tenant, key in enumerate("abc"):
        session.add(tenant, key)
    assert stored() == {}
    session.run("COMMIT")
    assert stored() == {(0, "a"): 0, (1, "b"): 0, (2, "c"): 0}


def test_rollback(session, stored):
    session.run("BEGIN")
    for tenant, key in enumerate("abc"):
        session.add(tenant, key)
    session.run("ROLLBACK")
    session.add(0, "later")
    assert stored() == {(0, "later"): 0}


@pytest.mark.parametrize("end", ["close", "reset_connection"])
def test_a_client_that_goes_is_rolled_back(gateway, session, stored, topic, end):
    raw = gateway.raw()
    raw.query("BEGIN")
    for tenant in session.tenants:
        raw.query(f"SET @mq_tenant = '{tenant}'")
        raw.query(f"INSERT INTO queue_offsets VALUES ('g', '{topic}', 'k', 0, 0)")
    getattr(raw, end)()
    for tenant in (0, 1):
        session.add(tenant, "k")  # waits for the locks
    assert len(stored()) == 2
    raw.close()


def test_each_reads_its_own_writes(session):
    session.run("BEGIN")
    for tenant in (0, 1, 0, 1):
        session.choose(tenant)
        count = "SELECT COUNT(*) FROM queue_offsets WHERE topic = ?"
        before = session.run(count, session.topic)[0][0]
        session.add(tenant, f"k{before}")
        assert session.run(count, session.topic)[0][0] == before + 1
    session.run("ROLLBACK")


def test_autocommit_off(session, stored):
    session.run("SET autocommit = 0")
    session.add(0, "a")
    session.add(1, "b")
    assert stored() == {}
    session.run("COMMIT")
    assert stored() == {(0, "a"): 0, (1, "b"): 0}
    session.add(1, "c")
    session.add(0, "d")
    session.run("SET autocommit = 1")
    assert len(stored()) == 4
    session.add(0, "e")
    assert len(stored()) == 5


@pytest.mark.parametrize("statement", ["BEGIN", "COMMIT AND CHAIN"])
def test_the_next_transaction_begins(session, stored, statement):
    session.run("BEGIN")
    session.add(0, "a")
    session.add(1, "b")
    session.run(statement)
    assert len(stored()) == 2
    session.add(1, "c")
    session.add(0, "d")
    session.run("ROLLBACK")
    assert len(stored()) == 2


def test_savepoints(session, stored):
    """Set before a shard takes part, on one of two, and on both."""
    session.run("BEGIN")
    session.run("SAVEPOINT first")
    session.add(0, "a")
    session.run("SAVEPOINT second")
    session.add(1, "b")
    session.run("SAVEPOINT third")
    session.add(0, "c")
    session.add(1, "d")
    session.run("ROLLBACK TO third")
    session.add(1, "e")
    session.run("ROLLBACK TO SAVEPOINT second")
    session.add(1, "f")
    session.run("RELEASE SAVEPOINT first")
    with refused(errno=1305):
        session.run("ROLLBACK TO second")
    session.run("COMMIT")
    assert stored() == {(0, "a"): 0, (1, "f"): 0}


def test_read_only_on_every_shard(session, stored):
    session.run("START TRANSACTION READ ONLY")
    for tenant in (0, 1):
        session.choose(tenant)
        assert session.run("SELECT * FROM queue_offsets WHERE topic = ?", session.topic) in ((), [])
        with refused(errno=1792):
            session.add(tenant, "a")
    session.run("COMMIT")
    assert stored() == {}


def test_isolation_on_every_shard(session, cluster, topic):
    """What is committed meanwhile shows in READ COMMITTED, and only there."""
    session.add(0, "a")
    session.add(1, "a")
    for level, seen in (("READ COMMITTED", 7), ("REPEATABLE READ", 0)):
        for tenant in (0, 1):
            session.choose(tenant)
            session.run(SET_OFFSET, 0, topic, "a")
        session.run(f"SET TRANSACTION ISOLATION LEVEL {level}")
        session.run("BEGIN")
        for tenant in (0, 1):
            session.choose(tenant)
            read = "SELECT offset_acked FROM queue_offsets WHERE topic = ?"
            assert session.run(read, topic) == [(0,)]
            cluster.query(
                tenant, "UPDATE queue_offsets SET offset_acked = 7 WHERE topic = %s", (topic,)
            )
            assert session.run(read, topic) == [(seen,)]
        session.run("COMMIT")


def test_an_error_leaves_the_transaction_open(session, stored):
    session.run("BEGIN")
    session.add(0, "a")
    session.add(1, "b")
    with refused(errno=1062):
        session.add(1, "b")
    with refused(errno=1062):
        session.add(0, "a")
    session.run("COMMIT")
    assert len(stored()) == 2


def test_a_deadlock_ends_all_of_it(session, connect, stored, tenant, topic, cluster):
    """The victim's rows on the other shard are rolled back, too."""
    session.add(0, "a")
    session.add(0, "b")
    rival = connect(tenant)
    session.run("BEGIN")
    session.add(1, "c")
    session.choose(0)
    session.run(SET_OFFSET, 1, topic, "a")
    execute(rival, "BEGIN")
    for n in range(20):  # the one with fewer rows is the victim
        execute(rival, ADD, topic, f"r{n}", 0)
    execute(rival, SET_OFFSET, 2, topic, "b")
    rival._execute_command(3, SET_OFFSET.replace("?", "%s") % (2, f"'{topic}'", "'a'"))
    wait_until(lambda: waits_for_lock(cluster, 0), "the rival waits")
    with refused(errno=1213):
        session.run(SET_OFFSET, 1, topic, "b")
    rival._read_query_result()
    execute(rival, "ROLLBACK")
    assert stored() == {(0, "a"): 0, (0, "b"): 0}
    session.add(1, "c")
    assert (1, "c") in stored()


def waits_for_lock(cluster, shard):
    rows = cluster.query(
        shard, "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
    )
    return rows[0][0]


def test_no_connection_is_a_deadlock_at_once(session, connect, other_tenant, stored):
    """No server could see two sessions that wait for each other's shards."""
    holders = [connect(other_tenant) for _ in range(4)]
    for holder in holders:
        execute(holder, "BEGIN")
        execute(holder, "SELECT * FROM queue_offsets")
    session.run("BEGIN")
    session.add(0, "a")
    with refused(3018, errno=1213):
        session.add(1, "b")
    assert stored() == {}
    session.add(0, "c")
    assert stored() == {(0, "c"): 0}
    for holder in holders:
        execute(holder, "COMMIT")
    session.run("BEGIN")
    session.add(0, "d")
    session.add(1, "e")
    session.run("COMMIT")
    assert len(stored()) == 3


def test_prepared(gateway, session, stored, topic):
    """One prepared statement, executed in the branches in turn."""
    raw = gateway.raw()
    statement = raw.prepare(f"INSERT INTO queue_offsets VALUES ('g', '{topic}', 'k', ?, 0)")
    raw.query("BEGIN")
    for tenant in (0, 1):
        raw.query(f"SET @mq_tenant = '{session.tenants[tenant]}'")
        raw.execute(statement, str(tenant))
    assert stored() == {}
    raw.query("COMMIT")
    assert stored() == {(0, "k"): 0, (1, "k"): 1}
    raw.close()
