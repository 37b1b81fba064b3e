"""Qualified partition keys: an mqgate that shows them answers as a legacy server that stores them."""

import pytest

import legacy
from legacy import execute, message
from refusals import refused
from rawmysql import ServerError

KEYS = {"partition_keys": "qualified"}
COLUMNS = "consumer_group, topic, partition_key, offset_acked, updated_at"


@pytest.fixture
def qualified(make_gateway):
    return make_gateway(KEYS)


class Pair:
    """A connection through mqgate and one to a server that holds the keys as the client reads them."""

    def __init__(self, gateway, direct, prepared):
        self.gate, self.direct, self.prepared = gateway, direct, prepared

    def _run(self, connection, statement, arguments):
        try:
            if not self.prepared:
                text = statement
                for a in arguments:
                    text = text.replace("?", str(a) if isinstance(a, int) else f"'{a}'", 1)
                return connection.query(text)
            prepared = connection.prepare(statement)
            result = connection.execute(prepared, *arguments)
            connection.close_statement(prepared)
            return result
        except ServerError as error:
            return error

    def both(self, statement, *arguments):
        """The answer, which both must give."""
        ours = self._run(self.gate, statement, arguments)
        theirs = self._run(self.direct, statement, arguments)
        if isinstance(theirs, ServerError):
            assert isinstance(ours, ServerError), f"{statement}: answered, and there {theirs}"
            assert (ours.errno, ours.message) == (theirs.errno, theirs.message)
            return theirs
        assert not isinstance(ours, ServerError), f"{statement}: {ours}"
        assert ours.affected == theirs.affected, statement
        assert ours.warnings == theirs.warnings, statement
        assert [c.name for c in ours.columns] == [c.name for c in theirs.columns], statement
        assert [c.charset for c in ours.columns] == [c.charset for c in theirs.columns], statement
        assert ours.rows == theirs.rows, statement
        return ours


@pytest.fixture(params=["text", "prepared"])
def pair(request, qualified, direct, tenant, neighbour, other_tenant):
    connection, server = qualified.raw(), direct()
    yield Pair(connection, server, request.param == "prepared")
    for name in (tenant, neighbour, other_tenant):
        with qualified.connect(name) as cleaner:
            for table in ("queue_messages", "queue_offsets", "queue_delivery_state"):
                execute(cleaner, f"DELETE FROM {table}")
    for table in ("queue_messages", "queue_offsets", "queue_delivery_state"):
        server.query(f"DELETE FROM {table}")
    connection.close()


def fill(pair, topic, *tenants):
    for tenant in tenants:
        for n, key in enumerate(("a", "b", "é", "it's")):
            key = key.replace("'", "''") if not pair.prepared else key
            for group in ("g", "h"):
                pair.both(
                    f"INSERT INTO queue_offsets ({COLUMNS}) VALUES (?, ?, ?, ?, ?)",
                    group,
                    topic,
                    f"{tenant}|{key}",
                    n,
                    10 * n,
                )


READS = [
    "SELECT * FROM queue_offsets WHERE topic = ? AND partition_key = ? ORDER BY consumer_group",
    "SELECT partition_key, Partition_Key k FROM queue_offsets WHERE topic = ? AND partition_key = ?",
    "SELECT o.*, LENGTH(partition_key) FROM queue_offsets o WHERE o.topic = ? AND ? = partition_key "
    "ORDER BY consumer_group",
    "SELECT DISTINCT partition_key FROM queue_offsets WHERE topic = ? AND partition_key IN (?)",
    "SELECT partition_key, COUNT(*) n FROM queue_offsets WHERE topic = ? AND partition_key IN (?) "
    "GROUP BY partition_key HAVING partition_key > 'A' AND MAX(partition_key) > '' ORDER BY n",
    "SELECT COUNT(DISTINCT partition_key), MAX(partition_key), GROUP_CONCAT(partition_key) "
    "FROM queue_offsets WHERE topic = ? AND partition_key = ?",
    "SELECT d.partition_key FROM (SELECT topic, partition_key FROM queue_offsets WHERE topic = ? "
    "AND partition_key = ?) d WHERE d.partition_key LIKE '%|%'",
    "SELECT a.partition_key, b.partition_key FROM queue_offsets a JOIN queue_offsets b "
    "ON a.partition_key = b.partition_key AND a.consumer_group < b.consumer_group "
    "WHERE a.topic = ? AND a.partition_key = ?",
    "SELECT partition_key, (SELECT MAX(b.partition_key) FROM queue_offsets b "
    "WHERE b.partition_key = a.partition_key) AS m FROM queue_offsets a "
    "WHERE topic = ? AND partition_key = ? ORDER BY consumer_group",
    "SELECT partition_key FROM queue_offsets WHERE topic = ? AND partition_key = ? "
    "UNION ALL SELECT 'x' ORDER BY partition_key",
    "SELECT CASE partition_key WHEN 'x' THEN 1 ELSE partition_key END c FROM queue_offsets "
    "WHERE topic = ? AND partition_key = ? ORDER BY consumer_group",
    "SELECT consumer_group FROM queue_offsets WHERE (topic, partition_key) = (?, ?) "
    "ORDER BY consumer_group",
    "SELECT consumer_group FROM queue_offsets WHERE (topic, partition_key) IN ((?, ?)) "
    "ORDER BY consumer_group",
    "WITH q AS (SELECT * FROM queue_offsets WHERE topic = ? AND partition_key = ?) "
    "SELECT q.partition_key, COUNT(*) FROM q GROUP BY q.partition_key",
]


def test_reads(pair, topic, tenant, other_tenant):
    fill(pair, topic, tenant, other_tenant)
    for name in (tenant, other_tenant):
        for statement in READS:
            assert pair.both(statement, topic, f"{name}|é").rows, statement
            pair.both(statement, topic, f"{name}|none")


def test_lists(pair, topic, tenant, other_tenant):
    fill(pair, topic, tenant, other_tenant)
    found = pair.both(
        "SELECT partition_key FROM queue_offsets WHERE consumer_group = 'g' AND topic = ? "
        f"AND partition_key IN (?, '{tenant}|b', NULL, ?) ORDER BY partition_key DESC",
        topic,
        f"{tenant}|é",
        f"{tenant}|a",
    )
    assert [row[0] for row in found.rows] == [
        f"{tenant}|{key}".encode() for key in ("é", "b", "a")
    ]


MESSAGE = (
    "INSERT INTO queue_messages (topic, partition_key, id, payload, metadata, created_at, "
    "published_at, failed_at, failure_count, last_error, original_topic) "
    "VALUES (?, ?, ?, 'x', '{}', ?, 0, 0, 0, '', '')"
)
NEWEST = (
    "(SELECT topic, partition_key, MAX(created_at) AS newest, COUNT(*) n FROM queue_messages "
    "WHERE topic = ? GROUP BY topic, partition_key) m"
)
TIED = "ON o.topic = m.topic AND o.partition_key = m.partition_key"
# Whose rows, of whichever tenant, may meet by topic alone: k0 has an offset and messages with each
# tenant, k1 an offset only, k2 messages only.
JOINS = [
    legacy.LAG.replace("`offset`", "created_at"),
    f"SELECT o.consumer_group, o.*, m.n - 5 d FROM queue_offsets o LEFT JOIN {NEWEST} {TIED} "
    "WHERE o.topic = ? AND (m.n IS NULL OR m.n > 0) ORDER BY o.consumer_group, o.partition_key DESC "
    "LIMIT 2, 5",
    f"SELECT o.partition_key, o.consumer_group FROM queue_offsets o RIGHT JOIN {NEWEST} {TIED} "
    "WHERE m.topic = ? ORDER BY o.partition_key, o.consumer_group",
    "SELECT m.id, d.acked FROM queue_messages m LEFT JOIN (queue_offsets o LEFT JOIN "
    "queue_delivery_state d ON d.partition_key = o.partition_key) ON o.partition_key = "
    "m.partition_key AND o.topic = ? AND o.consumer_group = 'g' WHERE m.topic = ? ORDER BY m.id",
    "SELECT DISTINCT o.partition_key FROM queue_messages m JOIN queue_offsets o "
    "ON m.partition_key = o.partition_key WHERE m.topic = ? AND o.topic = ?",
    "SELECT o.partition_key, x.k FROM queue_offsets o JOIN (SELECT DISTINCT y.k, y.topic FROM "
    "(SELECT partition_key AS k, topic FROM queue_messages WHERE topic = ?) y) x "
    "ON x.k = o.partition_key WHERE o.topic = ? ORDER BY o.partition_key, o.consumer_group",
    "SELECT a.partition_key FROM queue_offsets a, queue_offsets b WHERE a.topic = ? AND b.topic = ? "
    "AND b.partition_key = a.partition_key AND a.consumer_group < b.consumer_group "
    "ORDER BY a.partition_key",
]


def fill_joined(pair, topic, *tenants):
    for number, tenant in enumerate(tenants):
        for key in ("k0", "k1"):
            for group in ("g", "h"):
                pair.both(f"INSERT INTO queue_offsets ({COLUMNS}) VALUES (?, ?, ?, ?, 1)",
                          group, topic, f"{tenant}|{key}", number)
        for key in ("k0", "k2"):
            for n in range(2):
                pair.both(MESSAGE, topic, f"{tenant}|{key}", f"{number}-{key}-{n}", 10 * number + n)


def test_joins_of_several_tenants(pair, topic, tenant, neighbour, other_tenant):
    """Two tenants share a shard, the third has another: no row joins those of two of them."""
    fill_joined(pair, topic, tenant, neighbour, other_tenant)
    for statement in JOINS:
        assert len(pair.both(statement, topic, topic).rows) > 2, statement


def test_lag_of_several_tenants(qualified, pair, topic, tenant, neighbour, other_tenant):
    """What each tenant's session tells of its own, together."""
    names = (tenant, neighbour, other_tenant)
    fill_joined(pair, topic, *names)
    each = []
    for name in names:
        with qualified.connect(name) as client:
            each += execute(client, legacy.LAG, topic, topic)
    with qualified.connect() as client:
        lag = execute(client, legacy.LAG, topic, topic)
    assert lag == sorted(each) and len(lag) == 12 and any(row[3] for row in lag)


def test_changes(pair, cluster, topic, tenant, other_tenant):
    fill(pair, topic, tenant, other_tenant)
    upsert = (
        f"INSERT INTO queue_offsets ({COLUMNS}) VALUES ('g', ?, ?, 1, 1) ON DUPLICATE KEY UPDATE "
        "offset_acked = LENGTH(partition_key) + LENGTH(VALUES(partition_key)), updated_at = 7"
    )
    look = "SELECT * FROM queue_offsets WHERE topic = ? AND partition_key = ? ORDER BY 1"
    for name in (tenant, other_tenant):
        assert pair.both(upsert, topic, f"{name}|é").affected == 2
        assert pair.both(upsert, topic, f"{name}|new").affected == 1
        pair.both("UPDATE queue_offsets SET updated_at = 9 WHERE topic = ? AND partition_key = ? "
                  "ORDER BY partition_key, consumer_group LIMIT 1", topic, f"{name}|é")
        for key in ("é", "new"):
            pair.both(look, topic, f"{name}|{key}")
        pair.both("UPDATE queue_offsets SET partition_key = ? WHERE topic = ? AND partition_key = ?",
                  f"{name}|moved", topic, f"{name}|b")
        pair.both(look, topic, f"{name}|moved")
        pair.both(f"REPLACE INTO queue_offsets ({COLUMNS}) VALUES ('g', ?, ?, 3, 3)", topic,
                  f"{name}|a")
        pair.both(
            "INSERT INTO queue_offsets SELECT 'copy', topic, partition_key, 1, 1 FROM queue_offsets "
            "WHERE consumer_group = 'g' AND topic = ? AND partition_key = ?", topic, f"{name}|a")
        pair.both(look, topic, f"{name}|a")
        pair.both("DELETE FROM queue_offsets WHERE topic = ? AND partition_key = ?", topic,
                  f"{name}|a")
        pair.both(look, topic, f"{name}|a")
    for shard in range(2):
        with cluster.connect(shard) as server, server.cursor() as cursor:
            cursor.execute("SELECT COUNT(*) FROM queue_offsets WHERE topic = %s "
                           "AND partition_key LIKE '%%|%%'", (topic,))
            assert cursor.fetchone() == (0,)


def test_duplicate_entries(pair, tenant):
    insert = f"INSERT INTO queue_offsets ({COLUMNS}) VALUES ('g', ?, ?, 1, 1)"
    pair.both(insert, "duplicates", f"{tenant}|k")
    error = pair.both(insert, "duplicates", f"{tenant}|k")
    assert error.errno == 1062 and f"{tenant}|k" in error.message


def test_publish_and_poll(qualified, runner_of, topic, tenant, other_tenant):
    """Published with plain keys and a tenant in the metadata, read with qualified ones."""
    run = runner_of(qualified)
    for name in (tenant, other_tenant):
        row = message(topic, f"id-{name}", "k", metadata=f'{{"queue_name": "{name}"}}')
        assert run(legacy.PUBLISH, *row) == 1
    for name in (tenant, other_tenant):
        rows = run(legacy.POLL.replace("offset", "`offset`"), topic, f"{name}|k", 0, 10)
        assert [row[1].decode() if isinstance(row[1], bytes) else row[1] for row in rows] == [
            f"id-{name}"
        ]
    with refused(3030):
        run(legacy.POLL, topic, "k", 0, 10)
    with refused(3030):
        run(legacy.POLL, topic, "nobody|k", 0, 10)
    with refused(3002):
        run(legacy.PUBLISH, *message(topic, "x", f"{tenant}|k",
                                     metadata=f'{{"queue_name": "{other_tenant}"}}'))


@pytest.fixture(params=["text", "prepared"])
def runner_of(request):
    opened = []

    def make(gateway, **options):
        if request.param == "text":
            connection = gateway.connect(**options)
            opened.append(connection)
            return lambda statement, *arguments: execute(connection, statement, *arguments)
        connection = gateway.raw(**options)
        opened.append(connection)

        def run(statement, *arguments):
            result = connection.execute(connection.prepare(statement), *arguments)
            return result.rows if result.columns else result.affected

        return run

    yield make
    for connection in opened:
        connection.close()


def test_one_statement_for_all_tenants(qualified, topic, tenant, other_tenant):
    """A prepared statement takes its tenant from each execution's key."""
    with qualified.raw() as client:
        insert = client.prepare(f"INSERT INTO queue_offsets ({COLUMNS}) VALUES ('g', ?, ?, ?, 1)")
        read = client.prepare("SELECT offset_acked FROM queue_offsets "
                              "WHERE topic = ? AND partition_key = ?")
        for number, name in enumerate((tenant, other_tenant)):
            client.execute(insert, topic, f"{name}|k", number)
        for number, name in enumerate((tenant, other_tenant, tenant)):
            assert client.execute(read, topic, f"{name}|k").rows == [(number % 2,)]


def test_default_tenant(make_gateway, topic, tenant, other_tenant):
    """Its keys are bare; those of the others are not."""
    gateway = make_gateway({**KEYS, "default_tenant": tenant})
    with gateway.connect() as client:
        for key in ("k", f"{other_tenant}|k"):
            execute(client, f"INSERT INTO queue_offsets ({COLUMNS}) VALUES ('g', ?, ?, 1, 1)",
                    topic, key)
            assert execute(client, "SELECT partition_key FROM queue_offsets WHERE topic = ? "
                           "AND partition_key = ?", topic, key) == [(key,)]
        with refused(3030):
            execute(client, "SELECT 1 FROM queue_offsets WHERE partition_key = ?", f"{tenant}|k")


PLANS = [
    legacy.POLL.replace("offset", "`offset`"),
    legacy.STATE,
    "SELECT leased_by FROM queue_partition_leases WHERE consumer_group = ? AND topic = ? "
    "AND partition_key = ?",
    "SELECT message_offset, acked FROM queue_delivery_state WHERE consumer_group = ? AND topic = ? "
    "AND partition_key = ? AND message_offset IN (?, ?)",
    "UPDATE queue_partition_leases SET lease_renewed_at = ? WHERE consumer_group = ? AND topic = ? "
    "AND partition_key = ? AND leased_by = ?",
]


def test_indexes(make_gateway, cluster, tenant):
    """Statements of one tenant use the indexes that they use with plain keys."""
    plain, qualified = make_gateway(), make_gateway(KEYS)

    def plan(gateway, statement, key):
        with gateway.raw(tenant) as client:
            for at, argument in ((p, "'x'") for p in range(statement.count("?"))):
                before, _, after = statement.partition("?")
                if before.rstrip().endswith("partition_key ="):
                    argument = f"'{key}'"
                elif before.rstrip().endswith(("offset >", "LIMIT", "(", ",", "offset =", "at =")):
                    argument = "1"
                statement = before + argument + after
            rows = client.query("EXPLAIN FORMAT=TRADITIONAL " + statement).rows
            return [[column for column in row[:8] + row[9:10]] for row in rows]

    for statement in PLANS:
        assert plan(plain, statement, "k") == plan(qualified, statement, f"{tenant}|k"), statement
