"""LAST_INSERT_ID() after every way to write a row with an AUTO_INCREMENT column."""

import pytest

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
