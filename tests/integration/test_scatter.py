"""Statements for several tenants: one answer out of those of two shards, in both protocols."""

import pytest

from legacy import DISCOVER, PUBLISH, execute, message
from rawmysql import (
    COM_QUERY,
    CURSOR_EXISTS,
    DEFAULT_CAPABILITIES,
    DEPRECATE_EOF,
    LAST_ROW_SENT,
    ServerError,
)
from refusals import refused
from waiting import wait_until

IDS = "SELECT id FROM queue_messages WHERE topic = ? ORDER BY id"
PAGE = "SELECT id, failure_count FROM queue_messages WHERE topic = ? ORDER BY id DESC LIMIT ?, ?"
LISTED = "SELECT id FROM queue_messages WHERE tenant IN (?, ?) AND topic = ? ORDER BY id"
TOTALS = (
    "SELECT COUNT(*), SUM(failure_count), MIN(id), MAX(id), AVG(failure_count), "
    "COUNT(DISTINCT partition_key) FROM queue_messages WHERE topic = ?"
)
BEAT = (
    "INSERT INTO queue_subscriber_heartbeats (consumer_group, topic, subscriber_name, "
    "heartbeat_at, deregistered_at) VALUES ('g', ?, 's', ?, 0) "
    "ON DUPLICATE KEY UPDATE heartbeat_at = VALUES(heartbeat_at)"
)
ROWS_EACH = 5


@pytest.fixture
def tenants(tenant, neighbour, other_tenant):
    """Two of the first shard, one of the second."""
    return [tenant, neighbour, other_tenant]


@pytest.fixture
def filled(connect, tenants, topic):
    """The ids of what was published, by tenant; keys k0 … k2 occur with each of them."""
    ids = {}
    for number, name in enumerate(tenants):
        connection = connect(name)
        ids[name] = [f"{n}-{number}" for n in range(ROWS_EACH)]
        for n, one in enumerate(ids[name]):
            execute(connection, PUBLISH, *message(topic, one, partition=f"k{n % 3}"))
        execute(connection, "UPDATE queue_messages SET failure_count = ? WHERE topic = ?", number, topic)
    return ids


def everything(ids):
    return sorted(one for of_tenant in ids.values() for one in of_tenant)


@pytest.fixture(params=[0, DEPRECATE_EOF], ids=["EOF", "DEPRECATE_EOF"])
def raw(connect, request):
    return connect(raw=True, capabilities=DEFAULT_CAPABILITIES | request.param)


def test_text(connect, filled, topic):
    connection = connect()
    ids = everything(filled)
    assert execute(connection, IDS, topic) == [(one,) for one in ids]
    page = execute(connection, PAGE, topic, 2, 5)
    assert page == [(one, int(one[-1])) for one in reversed(ids)][2:7]
    assert execute(connection, DISCOVER, topic) == [("k0",), ("k1",), ("k2",)]
    assert execute(connection, "SELECT id FROM queue_messages WHERE topic = ?", topic + "x") == []
    (totals,) = execute(connection, TOTALS, topic)
    assert totals[:4] == (15, 15, "0-0", "4-2") and str(totals[4]) == "1.0000" and totals[5] == 3


def test_prepared(raw, filled, topic):
    ids = [one.encode() for one in everything(filled)]
    page, discover, totals = raw.prepare(PAGE), raw.prepare(DISCOVER), raw.prepare(TOTALS)
    for _ in range(2):
        result = raw.execute(page, topic, 2, 5)
        assert result.rows == [(one, int(one[-1:])) for one in reversed(ids)][2:7]
        assert [row[0] for row in raw.execute(discover, topic).rows] == [b"k0", b"k1", b"k2"]
        assert raw.execute(totals, topic).rows[0] == (15, b"15", b"0-0", b"4-2", b"1.0000", 3)
    assert raw.execute(page, topic, 0, 1).rows == [(b"4-2", 2)]  # another LIMIT, the same statement


def test_numbers_as_doubles(raw, connect, filled, topic):
    """Node's drivers have no other ones. A value that is no integer is not taken for one."""
    page = raw.prepare(PAGE)
    assert raw.execute(page, topic, 2.0, 5.0).rows == raw.execute(page, topic, 2, 5).rows
    with refused(3010):
        raw.execute(page, topic, 2.0, 5.5)
    execute(connect(), BEAT, topic, 6)
    newer = raw.prepare(
        "SELECT heartbeat_at FROM queue_subscriber_heartbeats WHERE topic = ? AND heartbeat_at > ?"
    )
    assert raw.execute(newer, topic, 5.0).rows == [(6,)]
    assert raw.execute(newer, topic, 6.0).rows == []
    with refused(3010):
        raw.execute(newer, topic, 5.5)


def test_one_prepared_text_for_many_lists_of_tenants(raw, filled, tenants, topic):
    """What a shard has prepared for one list never answers for another."""
    statement = raw.prepare(LISTED)
    pairs = [(a, b) for a in tenants for b in tenants if a != b]
    for pair in pairs + pairs:
        want = sorted(one.encode() for name in pair for one in filled[name])
        assert [row[0] for row in raw.execute(statement, *pair, topic).rows] == want


def test_cursors(raw, filled, topic):
    """Rows are fetched a few at a time, and other statements run in between."""
    statement, other = raw.prepare(IDS), raw.prepare(TOTALS)
    assert raw.open_cursor(statement, topic).status & CURSOR_EXISTS
    ids = everything(filled)
    first = raw.fetch(statement, 4)
    assert first.status & CURSOR_EXISTS and not first.status & LAST_ROW_SENT
    assert raw.execute(other, topic).rows[0][0] == 15
    assert raw.open_cursor(other, topic).status & CURSOR_EXISTS
    second = raw.fetch(statement, 11)
    assert [row[0].decode() for row in first.rows + second.rows] == ids
    assert not second.status & LAST_ROW_SENT  # as servers: nobody has asked for more
    assert raw.fetch(other, 2).rows[0][:2] == (15, b"15")
    last = raw.fetch(statement, 1)
    assert last.rows == [] and last.status & LAST_ROW_SENT
    with refused(2027, errno=1421):
        raw.fetch(statement, 1)


def test_a_cursor_ends_with_its_statement(raw, filled, topic):
    statement = raw.prepare(IDS)
    raw.open_cursor(statement, topic)
    raw.reset_statement(statement)
    with refused(2027, errno=1421):
        raw.fetch(statement, 1)
    raw.open_cursor(statement, topic)
    assert len(raw.execute(statement, topic).rows) == 15
    with refused(2027, errno=1421):
        raw.fetch(statement, 1)
    raw.open_cursor(statement, topic + "x")
    assert raw.fetch(statement, 1).status & LAST_ROW_SENT
    raw.open_cursor(statement, topic)
    raw.reset_connection()


def test_rows_that_are_too_many_for_a_cursor(raw, connect, gateway, tenants, topic):
    """They come at once, as from a server that opens none; memory has a bound."""
    for name in tenants:
        connection = connect(name)
        for n in range(100):
            execute(connection, PUBLISH, *message(topic, str(n), payload=b"x" * 60000))
    statement = raw.prepare("SELECT payload, id FROM queue_messages WHERE topic = ? ORDER BY id")
    result = raw.open_cursor(statement, topic)
    assert not result.status & CURSOR_EXISTS and len(result.rows) == 300
    few = raw.prepare("SELECT payload FROM queue_messages WHERE topic = ? AND id < '2'")
    assert raw.open_cursor(few, topic).status & CURSOR_EXISTS
    assert len(raw.fetch(few, 100).rows) == 36


def test_an_account_sees_its_own_tenants_only(connect, filled, tenant, other_tenant, topic):
    connection = connect(user="two", password="two")
    want = sorted(filled[tenant] + filled[other_tenant])
    assert execute(connection, IDS, topic) == [(one,) for one in want]


def test_a_write_reaches_each_tenant(connect, accounts, topic):
    """One new heartbeat is one row, a renewed one two, however many tenants there are."""
    connection = connect(user="two", password="two")
    assert execute(connection, BEAT, topic, 5) == 1
    assert execute(connection, BEAT, topic, 6) == 2
    select = "SELECT heartbeat_at FROM queue_subscriber_heartbeats WHERE topic = ?"
    assert execute(connection, select, topic) == [(6,)]
    for name in (accounts.first[0], accounts.second[0]):
        assert execute(connect(name), select, topic) == [(6,)]
    statement = (raw := connect(raw=True, user="two", password="two")).prepare(BEAT)
    assert raw.execute(statement, topic, 7).affected == 2


CLEAN = "DELETE FROM queue_subscriber_heartbeats WHERE topic = ? AND heartbeat_at < ?"
ALL = "SELECT subscriber_name, heartbeat_at FROM queue_subscriber_heartbeats WHERE topic = ?"


def test_old_copies_are_not_counted(connect, accounts, topic):
    """A DELETE counts the rows that are seen, not copies that a tenant has kept from before."""
    beat = BEAT.replace("'s'", "?")
    first, second = connect(accounts.first[0]), connect(accounts.second[0])
    both = connect(user="two", password="two")
    raw = connect(raw=True, user="two", password="two")
    clean = raw.prepare(CLEAN)
    for one in (lambda at: execute(both, CLEAN, topic, at), lambda at: raw.execute(clean, topic, at).affected):
        for name, there, here in (("a", 1, 9), ("b", 9, 2), ("c", 3, 4), ("d", 5, 5)):
            execute(first, beat, topic, name, there)
            execute(second, beat, topic, name, here)
        execute(first, beat, topic, "e", 1)
        assert one(3) == 1  # e; of a and b the other tenant has a newer copy
        assert one(5) == 1  # c
        assert sorted(execute(both, ALL, topic)) == [("a", 9), ("b", 9), ("d", 5)]
        assert one(1) == 0
        assert one(10) == 3
        assert execute(both, ALL, topic) == []


def test_what_is_known_afterwards(connect, filled, topic):
    connection = connect()
    assert len(execute(connection, IDS, topic)) == 15
    assert execute(connection, "SELECT ROW_COUNT()") == [(-1,)]
    assert execute(connection, "SHOW WARNINGS") == []
    assert execute(connection, "SELECT @@warning_count") == [(0,)]


def test_warnings_of_all_shards(connect, filled, topic):
    """One for each row, as one server would have; those of a heartbeat are one tenant's."""
    connection = connect(raw=True)
    warned = f"SELECT id + 0 FROM queue_messages WHERE topic = '{topic}' ORDER BY id"
    assert connection.query(warned).warnings == 15
    assert connection.query("SHOW COUNT(*) WARNINGS").rows == [(b"15",)]
    assert connection.query("SELECT @@warning_count").rows == [(b"15",)]
    assert connection.query(warned).warnings == 15
    warnings = connection.query("SHOW WARNINGS").rows
    assert sorted(row[2].split(b"'")[1].decode() for row in warnings) == everything(filled)
    assert {row[:2] for row in warnings} == {(b"Warning", b"1292")}
    assert connection.query("SHOW WARNINGS LIMIT 3, 20").rows == warnings[3:]
    assert connection.query("SHOW WARNINGS LIMIT 3").rows == warnings[:3]
    asked = connection.prepare("SHOW WARNINGS")
    assert [row[2] for row in connection.execute(asked).rows] in ([], [row[2] for row in warnings])
    assert connection.query(IDS.replace("?", f"'{topic}'")).warnings == 0
    assert connection.query("SHOW WARNINGS").rows == []


def test_max_error_count_limits_all_shards_together(connect, cluster, filled, topic):
    if not cluster.mariadb:
        pytest.skip("MySQL lets only administrators set it")
    connection = connect(raw=True)
    connection.query("SET max_error_count = 7")
    warned = f"SELECT id + 0 FROM queue_messages WHERE topic = '{topic}'"
    assert connection.query(warned).warnings == 15
    assert len(connection.query("SHOW WARNINGS").rows) == 7
    assert len(connection.query("SHOW WARNINGS LIMIT 5, 5").rows) == 2


def test_found_rows(connect, filled, topic):
    """Those of the merged answer, not of a shard's, nor of the statement before."""
    connection = connect()
    found = "SELECT FOUND_ROWS()"
    execute(connection, IDS, topic)
    assert execute(connection, found) == [(15,)]
    execute(connection, DISCOVER, topic)
    assert execute(connection, found) == [(3,)]
    execute(connection, IDS + " LIMIT 7", topic)
    assert execute(connection, found) == [(7,)]
    execute(connection, TOTALS, topic)
    assert execute(connection, found) == [(1,)]
    execute(connection, PAGE, topic, 2, 5)
    with refused(2019):
        execute(connection, found)


def test_transactions(connect, filled, tenant, topic):
    """Reads are served until a transaction is some shard's; writes are not part of any."""
    connection = connect(tenant, autocommit=False)
    listed = "SELECT COUNT(*) FROM queue_messages WHERE tenant IN (?, ?) AND topic = ?"
    connection = connect(autocommit=False)
    names = sorted(filled)[:2]
    assert execute(connection, listed, *names, topic) == [(10,)]
    connection.begin()
    assert execute(connection, listed, *names, topic) == [(10,)]
    with refused(3014):
        execute(connection, BEAT, topic, 1)
    execute(connection, "UPDATE queue_messages SET failure_count = 9 WHERE tenant = ? AND topic = ?",
            tenant, topic)
    with refused(3014):
        execute(connection, listed, *names, topic)
    connection.rollback()


def test_what_is_for_the_next_transaction(connect, filled, topic):
    """Several shards would have one each: READ ONLY was lost, and nothing used it up."""
    connection = connect(user="two", password="two")
    for statement, *arguments in ((BEAT, topic, 1), (IDS, topic)):
        execute(connection, "SET TRANSACTION READ ONLY")
        with refused(3014):
            execute(connection, statement, *arguments)
        execute(connection, "SET TRANSACTION READ WRITE")


def test_large_answers_take_no_memory(connect, gateway, tenants, topic):
    for name in tenants:
        connection = connect(name)
        for n in range(60):
            execute(connection, PUBLISH, *message(topic, str(n), payload=b"x" * 60000))
    connection = connect(raw=True)
    statement = connection.prepare("SELECT payload, id FROM queue_messages WHERE topic = ? ORDER BY id")
    before = gateway.resident()
    for _ in range(3):
        rows = connection.execute(statement, topic).rows
        assert len(rows) == 180 and all(len(row[0]) == 60000 for row in rows)
    assert gateway.resident() - before < 4 << 20


@pytest.mark.parametrize("shard", [0, 1])
def test_a_shard_ends_a_connection_half_way(connect, gateway, cluster, tenants, topic, shard):
    """The statement fails, nothing else does: neither the sidecar nor the session."""
    for name in tenants:
        connection = connect(name)
        for n in range(20):
            execute(connection, PUBLISH, *message(topic, str(n), payload=b"x" * 60000))
    connection = connect(raw=True)
    wide = ", ".join(f"payload AS p{n}" for n in range(24))  # more than all sockets hold
    running = (
        "SELECT id FROM information_schema.processlist WHERE db = DATABASE() "
        f"AND info LIKE 'SELECT payload%{topic}%'"
    )
    rest = f"FROM queue_messages WHERE topic = '{topic}'"
    connection.command(COM_QUERY, f"SELECT {wide} {rest} ORDER BY id".encode())
    ((number,), *_) = wait_until(lambda: cluster.query(shard, running), "the shard is at it")
    cluster.query(shard, f"KILL {number}")
    with pytest.raises(ServerError) as error:
        connection.read_result()
    assert error.value.errno in (1158, 1160)
    gateway.check_alive()
    assert connection.query(f"SELECT COUNT(*) {rest}").rows == [(b"60",)]
