"""Statements that nobody means: megabytes of one character, constructs in each other ten thousand
deep, cut and garbled text. Each is answered, soon, and the connection goes on."""

import random
import re

import pytest

from legacy import DISCOVER, LAG, PUBLISH
from rawmysql import (
    COM_QUERY,
    DEFAULT_CAPABILITIES,
    MORE_RESULTS,
    MULTI_STATEMENTS,
    ServerError,
)

MEGABYTES_16 = 16 << 20
DEEP = 10_000
SYNTAX, NOT_UNDERSTOOD, SECOND_STATEMENT, TOO_COMPLEX, EMPTY = 2001, 2002, 2007, 2011, 2016

# head, what is repeated up to 16 MB
REPEATED = [
    (b"", b"("),
    (b"SELECT ", b"("),
    (b"SELECT 1", b")"),
    (b"SELECT ", b"'"),
    (b"SELECT '", b"''"),
    (b"SELECT ", b'"'),
    (b"SELECT ", b"`"),
    (b"SELECT '", b"\\'"),
    (b"SELECT ", b"\\"),
    (b"", b"/*"),
    (b"", b"/*!"),
    (b"SELECT /*+", b"*"),
    (b"SELECT /*!99999 ", b"/* */"),
    (b"", b" "),
    (b"", b";"),
    (b"SELECT 1; SELECT 2", b";"),
    (b"", b"SELECT 1;"),
    (b"", b"\0"),
    (b"SELECT ", b"\0"),
    (b"", b"\xef\xbb\xbf"),
    (b"SELECT ", b"\xff"),
    (b"SELECT ", b"\xc3"),
    (b"SELECT a", b"\x80"),
    (b"SELECT ", b","),
    (b"SELECT ", b"."),
    (b"SELECT ", b"@"),
    (b"SELECT a", b".a"),
    (b"SELECT ", b"?"),
    (b"SELECT ", b"-"),
    (b"SELECT ", b"!"),
    (b"SELECT ", b"<"),
    (b"SELECT X'", b"4"),
    (b"SELECT x FROM t WHERE x IN (", b"1,"),
    (b"SELECT ", b"_utf8mb4 "),
    (b"SELECT ", b"SELECT "),
    (b"INSERT INTO queue_offsets VALUES ", b"("),
]

# head, what opens a level; 10,000 levels
NESTED = [
    (b"SELECT ", b"("),
    (b"SELECT ", b"(SELECT "),
    (b"SELECT ", b"ABS("),
    (b"SELECT ", b"CASE WHEN "),
    (b"SELECT ", b"CASE "),
    (b"SELECT ", b"NOT "),
    (b"SELECT ", b"- "),
    (b"SELECT ", b"{x "),
    (b"SELECT ", b"EXISTS (SELECT "),
    (b"SELECT 1", b" IN (SELECT 1"),
    (b"SELECT 1", b" BETWEEN 1 AND 1"),
    (b"SELECT 1 FROM ", b"(SELECT 1 FROM "),
    (b"SELECT 1 FROM ", b"("),
    (b"SELECT 1 FROM ", b"{oj "),
    (b"SELECT 1 FROM queue_messages", b" JOIN queue_messages"),
    (b"SELECT 1 FROM queue_messages", b" NATURAL JOIN queue_messages"),
    (b"SELECT 1", b" UNION SELECT 1"),
    (b"SELECT 1", b" + 1"),
    (b"", b"("),
    (b"", b"WITH a AS ("),
    (b"DELETE FROM queue_messages WHERE ", b"topic IN (SELECT topic FROM queue_messages WHERE "),
    (b"INSERT INTO queue_offsets VALUES ", b"((SELECT "),
]

STATEMENTS = [
    DISCOVER.replace("?", "'x'"),
    LAG.replace("?", "'x'"),
    PUBLISH.replace("?", "'x'"),
    "SELECT id, COUNT(*) FROM queue_messages m LEFT JOIN queue_offsets o USING (topic) "
    "WHERE topic IN ('a', \"b\", N'c') AND offset > -1.5e3 /* c */ GROUP BY 1 LIMIT 5",
    "UPDATE queue_offsets SET offset_acked = CASE WHEN 1 THEN 2 END WHERE topic = 'x'",
]


@pytest.fixture
def connection(connect, tenant):
    connection = connect(tenant, raw=True)
    connection.query(f"SET @mq_tenant = '{tenant}'")
    yield connection
    assert connection.query("SELECT 1").rows == [(b"1",)]


def refusal(ask, text):
    """The code of mqgate's error; whatever has a place in the text is told with it."""
    with pytest.raises(ServerError) as caught:
        ask(text)
    message = caught.value.message
    code = int(re.match(r"MQ(\d+): ", message)[1])
    assert code == EMPTY or re.search(r"at (byte|position) \d+", message), message
    return code


@pytest.mark.parametrize("head, unit", REPEATED)
def test_sixteen_megabytes(connection, head, unit):
    """Reading that is not linear would take hours."""
    expected = (SYNTAX, NOT_UNDERSTOOD, SECOND_STATEMENT, TOO_COMPLEX, EMPTY)
    times = (MEGABYTES_16 - len(head)) // len(unit)
    assert refusal(connection.query, head + unit * times) in expected
    assert refusal(connection.prepare, head + unit * (times // 64)) in expected


def test_semicolons_at_the_end(connection):
    """They are no statements, however many."""
    assert connection.query(b"SELECT 1" + b";" * (MEGABYTES_16 - 8)).rows == [(b"1",)]


@pytest.mark.parametrize("unit", [b"/**/", b"-- \n", b"#", b"/*!99999 x */ "])
def test_comments_only(connection, unit):
    assert connection.query(unit * (MEGABYTES_16 // len(unit))).rows == []


@pytest.mark.parametrize("unit", [b"USE %s;", b"SET sql_select_limit = DEFAULT;", b" DO 0; "])
def test_very_many_statements(gateway, connect, tenant, unit):
    """Each is read once, whatever follows it."""
    connection = connect(tenant, raw=True, capabilities=DEFAULT_CAPABILITIES | MULTI_STATEMENTS)
    unit = unit.replace(b"%s", gateway.cluster.database.encode())
    long = b"SELECT '" + b"x" * (MEGABYTES_16 - 100000) + b"' LIMIT 0;"
    connection.command(COM_QUERY, unit * 1000 + long)
    for _ in range(1000):
        assert connection.read_result().status & MORE_RESULTS
    assert not connection.read_result().status & MORE_RESULTS


@pytest.mark.parametrize("head, unit", NESTED)
def test_depth(connection, head, unit):
    assert refusal(connection.query, head + unit * DEEP) in (SYNTAX, TOO_COMPLEX)
    assert refusal(connection.prepare, head + unit * DEEP + b"1") in (SYNTAX, TOO_COMPLEX)


def garbled(chooser, text):
    """The text with some of its bytes cut, doubled, swapped or replaced."""
    for _ in range(chooser.randint(1, 4)):
        at, to = sorted(chooser.sample(range(len(text) + 1), 2))
        piece = chooser.choice(
            [b"", text[at:to][:8] * 2, chooser.randbytes(2), b"'", b"(", b")", b"/*", b"\0", b"--"]
        )
        text = chooser.choice([text[:at], text[:at] + piece + text[to:], text[:at] + piece + text[at:]])
        text = text or b"x"
    return text


def test_garbled(connection):
    """Any answer will do."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    chooser = random.Random(seed)
    for _ in range(400):
        text = garbled(chooser, chooser.choice(STATEMENTS).encode())
        for ask in (connection.query, connection.prepare):
            try:
                ask(text)
            except ServerError as error:
                assert error.message, text
