"""LAST_INSERT_ID() after every way to write a row with an AUTO_INCREMENT column."""

import pytest

from rawmysql import DEFAULT_CAPABILITIES, FOUND_ROWS, ServerError
from refusals import refused

COLUMNS = (
    "topic, partition_key, id, payload, created_at, published_at, failed_at, failure_count, "
    "last_error, original_topic"
)
REST = "'p', '{}', '', 1, 1, 0, 0, '', ''"
UPDATED = " ON DUPLICATE KEY UPDATE failure_count = failure_count + 1"
MET = " ON DUPLICATE KEY UPDATE offset = LAST_INSERT_ID(offset)"


def insert(topic, identifiers, offsets=None, tail="", verb="INSERT"):
    """INSERT of a row for each identifier, at offsets of the client's or new ones (None)."""
    names = COLUMNS if offsets is None else "offset, " + COLUMNS
    rows = []
    for n, identifier in enumerate(identifiers):
        row = f"'{topic}', {REST.format(identifier)}"
        if offsets is not None:
            row = f"{'NULL' if offsets[n] is None else offsets[n]}, {row}"
        rows.append(f"({row})")
    return f"{verb} INTO queue_messages ({names}) VALUES {', '.join(rows)}{tail}"


@pytest.fixture(params=["text", "prepared"])
def session(request, connect, tenant, topic):
    """(run, last): runs a statement, and what LAST_INSERT_ID() is then."""
    connection = connect(tenant, raw=True)

    def run(statement):
        if request.param == "text":
            return connection.query(statement)
        made = connection.prepare(statement)
        result = connection.execute(made)
        connection.close_statement(made)
        return result

    def last():
        return int(connection.query("SELECT LAST_INSERT_ID()").rows[0][0])

    first = run(insert(topic, ["known"])).insert_id
    assert last() == first
    yield run, last, first
    connection.query(f"DELETE FROM queue_messages WHERE topic = '{topic}'")


def test_the_first_of_several_rows(session, topic):
    run, last, _ = session
    made = run(insert(topic, ["a", "b", "c"])).insert_id
    assert last() == made


def test_a_value_of_the_client_does_not_count(session, topic):
    run, last, first = session
    assert run(insert(topic, ["a", "b"], [7001, 7002])).insert_id == 7002
    assert last() == first
    assert run(insert(topic, ["a"], [7003], verb="REPLACE")).insert_id == 7003
    assert last() == first


@pytest.mark.parametrize("offsets", [[7001, None], [None, 7001], [0, 7001]])
def test_values_of_the_client_beside_new_ones(session, topic, offsets):
    run, last, first = session
    made = run(insert(topic, ["a", "b"], offsets)).insert_id
    assert made > first and last() == made


def test_an_upsert_that_met_a_row(session, topic):
    run, last, first = session
    made = run(insert(topic, ["other"])).insert_id
    result = run(insert(topic, ["known"], tail=UPDATED))
    assert (result.affected, result.insert_id) == (2, first)
    assert last() == made
    run(insert(topic, ["known", "other"], tail=UPDATED))
    assert last() == made


def test_an_upsert_that_inserted(session, topic):
    run, last, first = session
    made = run(insert(topic, ["new"], tail=UPDATED)).insert_id
    assert made > first and last() == made


def test_last_insert_id_of_an_expression(session, topic):
    run, last, first = session
    run(insert(topic, ["other"]))
    run(insert(topic, ["known"], tail=MET))
    assert last() == first
    made = run(insert(topic, ["new"], tail=MET)).insert_id
    assert made > first and last() == made
    run(insert(topic, ["given"], [7004], tail=MET))
    assert last() == made
    run(insert(topic, ["given"], [7005], tail=MET))
    assert last() == 7004
    run(f"UPDATE queue_messages SET created_at = LAST_INSERT_ID(77) WHERE topic = '{topic}'")
    assert last() == 77


LEFT = " ON DUPLICATE KEY UPDATE failure_count = failure_count"
PERHAPS = " ON DUPLICATE KEY UPDATE failure_count = IF(id = 'a', LAST_INSERT_ID(`offset`), 0)"
NAMED = "offset, "
TABLE = "queue_messages"


def many():
    """Statements whose answers tell LAST_INSERT_ID(), do not tell it, or seem to."""
    some = ["a", "b", "c"]
    for tail in (UPDATED, LEFT, MET, PERHAPS, " ON DUPLICATE KEY UPDATE failed_at = LAST_INSERT_ID(0)"):
        for names in (["a"], ["a", "b"], ["a", "new"], ["new", "a"], ["new"], ["n1", "n2", "n3"]):
            yield insert("{t}", names, tail=tail)
            yield insert("{t}", names, verb="INSERT IGNORE", tail=tail)
    for verb in ("INSERT IGNORE", "REPLACE", "INSERT"):
        for names in (["new"], ["a"], ["new", "a"], ["a", "new"], ["n1", "n2"]):
            yield insert("{t}", names, verb=verb)
    for offsets in ([7001, None], [None, 7001], [0, 7001], [7001, 7002]):
        for names in (["new", "a"], ["a", "new"]):
            yield insert("{t}", names, offsets, verb="INSERT IGNORE")
            yield insert("{t}", names, offsets, tail=UPDATED)
            yield insert("{t}", names, offsets, tail=MET)
    copied = ", ".join(f"CONCAT('x', {c})" if c == "id" else c for c in COLUMNS.split(", "))
    yield f"INSERT INTO {TABLE} ({COLUMNS}) SELECT {copied} FROM {TABLE} WHERE topic = '{{t}}'"
    yield f"INSERT IGNORE INTO {TABLE} ({COLUMNS}) SELECT {COLUMNS} FROM {TABLE} WHERE topic = '{{t}}'"
    for value in ("0", "NULL", "77", "offset", "IF(id = 'b', 5, 0)"):
        yield f"UPDATE {TABLE} SET failed_at = COALESCE(LAST_INSERT_ID({value}), 3) WHERE topic = '{{t}}'"
        yield f"UPDATE {TABLE} SET failed_at = LAST_INSERT_ID({value}) WHERE topic = '{{t}}' AND id = 'b'"
        yield f"UPDATE {TABLE} SET failed_at = LAST_INSERT_ID({value}) WHERE topic = '{{t}}' AND id = 'z'"
    yield f"UPDATE {TABLE} SET id = 'a', failed_at = LAST_INSERT_ID(66) WHERE topic = '{{t}}' AND id = 'b'"
    for names in (["new"], ["n1", "n2"]):
        yield insert("{t}", names, tail=" RETURNING id")
    yield insert("{t}", ["new"], [7001], tail=" RETURNING id")


class Side:
    """mqgate, or the server that it has to look like."""

    def __init__(self, connection, topic, prepared):
        self.connection, self.topic, self.prepared = connection, topic, prepared

    def run(self, statement):
        statement = statement.replace("{t}", self.topic).replace("offset", "`offset`")
        statement = statement.replace("``", "`")
        try:
            if not self.prepared:
                return self.connection.query(statement).affected
            made = self.connection.prepare(statement)
            result = self.connection.execute(made)
            self.connection.close_statement(made)
            return result.affected
        except ServerError as error:
            return error.errno

    def last(self):
        """What LAST_INSERT_ID() is: a message's name, or a number that no message has."""
        ((value,),) = self.connection.query("SELECT LAST_INSERT_ID()").rows
        names = self.connection.query(
            f"SELECT id FROM queue_messages WHERE topic = '{self.topic}' AND `offset` = {int(value)}"
        ).rows
        return names or int(value) < 100 and value or "another"

    def clear(self):
        self.connection.query(f"DELETE FROM queue_messages WHERE topic = '{self.topic}'")

    def prepare(self):
        self.clear()
        for name in "abc":
            self.connection.query(insert(self.topic, [name]))


@pytest.mark.parametrize("capabilities", [DEFAULT_CAPABILITIES, DEFAULT_CAPABILITIES | FOUND_ROWS],
                         ids=["changed", "found"])
@pytest.mark.parametrize("how", ["text", "prepared", "transaction"])
def test_as_the_server_has_it(connect, direct, tenant, topic, how, capabilities):
    """Whether the answer tells it or not, and whatever other sessions leave on the backends."""
    connections = connect(tenant, raw=True, capabilities=capabilities), direct(capabilities=capabilities)
    sides = [Side(c, topic, how == "prepared") for c in connections]
    stranger = connect(tenant, raw=True, capabilities=capabilities)
    for statement in many():
        for side in sides:
            side.prepare()
            if how == "transaction":
                side.connection.query("BEGIN")
        stranger.query(f"UPDATE queue_offsets SET updated_at = LAST_INSERT_ID(99) WHERE topic = '{topic}'")
        stranger.query(insert(topic + "s", ["a"]) + MET.replace("offset", "`offset`"))
        assert sides[0].run(statement) == sides[1].run(statement), statement
        assert sides[0].last() == sides[1].last(), statement
        for side in sides:
            side.connection.query("ROLLBACK")
            side.clear()


def test_not_known_any_more(make_gateway, tenant, topic):
    """The only connection that knows it has been used by another session."""
    gateway = make_gateway({"workers": 1, "pool": {"max_per_shard": 1}})
    with gateway.raw(tenant) as one, gateway.raw(tenant) as two:
        one.query(insert(topic, ["a", "b"]))
        one.query(insert(topic, ["a", "c", "e"], tail=" ON DUPLICATE KEY UPDATE failure_count = failure_count + 1"))
        two.query(f"SELECT COUNT(*) FROM queue_messages WHERE topic = '{topic}'")
        made = one.prepare("SELECT LAST_INSERT_ID()")
        for ask in (lambda: one.query("SELECT LAST_INSERT_ID()"), lambda: one.execute(made)):
            with refused(2019):
                ask()
        first = one.query(insert(topic, ["d"])).insert_id
        assert one.query("SELECT LAST_INSERT_ID()").rows == [(str(first).encode(),)]
        one.query(f"DELETE FROM queue_messages WHERE topic = '{topic}'")
