"""Several statements in one query, as a server would have answered them together."""

import pymysql
import pytest
from pymysql.constants import CLIENT

from legacy import count, publish
from rawmysql import (
    COM_QUERY,
    COM_RESET_CONNECTION,
    COM_SET_OPTION,
    DEFAULT_CAPABILITIES,
    DEPRECATE_EOF,
    IN_TRANS,
    MORE_RESULTS,
    MULTI_STATEMENTS,
    RawConnection,
    ServerError,
)
from refusals import refused

MULTI = DEFAULT_CAPABILITIES | MULTI_STATEMENTS

TEXTS = [
    "SELECT 1; SELECT 2",
    "SELECT 1;",
    "SELECT 1;; ; ",
    "  SELECT 1 ;\n\tSELECT 2 ; ",
    "; ;",
    ";SELECT 1",
    "SELECT 1;;SELECT 2",
    "SELECT 1; /* x */; SELECT 2",
    "/* x */; SELECT 1",
    "/* x */",
    "-- x",
    "/* x */ ; ;",
    "/*! */",
    "/*!99999 x */;",
    "; /* x */",
    "/* x */; /* y */",
    "SELECT 1; -- x",
    "SELECT 1; /* x */ ;",
    "SELECT bad; /* x */",
    "DO 1; /*!99999 x */; SELECT 2",
    "INSERT INTO queue_offsets SELECT * FROM queue_offsets WHERE topic = ''; /* x */",
    "UNLOCK TABLES",
    "BEGIN; UNLOCK TABLES; COMMIT",
    "SELECT ';' AS a; SELECT \";\" AS b; SELECT 1 AS `;`",
    "SELECT 1 -- ;\n; SELECT 2 # ;\n; SELECT /* ; */ 3",
    "SELECT '\\'; SELECT 1'; SELECT 2",
    "SELECT 1; SELECT bad; SELECT 3",
    "SELECT bad; SELECT 1",
    "SELECT 1; SELECT 'open",
    "SELECT 1; SELEC 2; SELECT 3",
    "SELECT 1 /*! ; SELECT 2 */; SELECT 3",
    "SET sql_mode = 'ANSI_QUOTES'; SELECT 1 AS \"a;b\"; SET sql_mode = DEFAULT",
    "SET sql_mode = 'NO_BACKSLASH_ESCAPES'; SELECT '\\'; SELECT 2; SET sql_mode = DEFAULT",
    "SET NAMES latin1; SELECT @@character_set_client; SET NAMES utf8mb4",
    "SET autocommit = 0; SELECT @@autocommit; SET autocommit = 1; SELECT @@autocommit",
    "BEGIN; SELECT 1; COMMIT; SELECT 2",
    "SELECT 1; COMMIT; ROLLBACK; DO 0",
    "DO 1/0; SHOW WARNINGS; SELECT ROW_COUNT()",
    "DO 0; SELECT ROW_COUNT(), LAST_INSERT_ID()",
    "SELECT 1; SELECT DATABASE() IS NOT NULL; SELECT CONNECTION_ID() > 0",
]


def answers(connection, text):
    """Of every statement: rows, affected rows, status, column names; at last the error."""
    found = []
    connection.command(COM_QUERY, text.encode())
    try:
        while True:
            r = connection.read_result()
            names = [c.name for c in r.columns]
            found.append((r.rows, r.affected, r.status & (MORE_RESULTS | IN_TRANS), names))
            if not r.status & MORE_RESULTS:
                return found
    except ServerError as error:
        return found + [error.errno]


@pytest.fixture(params=[0, DEPRECATE_EOF], ids=["eof", "deprecate-eof"])
def capabilities(request):
    return MULTI | request.param


@pytest.fixture
def reference(cluster, capabilities):
    facts = cluster.shards[0]
    connection = RawConnection((facts["host"], facts["port"]))
    connection.login("root", "root", database=facts["database"], capabilities=capabilities)
    yield connection
    connection.close()


def test_as_a_server_answers(connect, tenant, reference, capabilities):
    connection = connect(tenant, raw=True, capabilities=capabilities)
    for text in TEXTS:
        assert answers(connection, text) == answers(reference, text), text
        connection.ping()


def test_each_has_its_own_tenant(connect, tenant, other_tenant, topic):
    for name in (tenant, other_tenant):
        publish(connect(name), topic, f"of {name}")
    connection = connect(None, raw=True, capabilities=MULTI)
    ask = f"SELECT id FROM queue_messages WHERE topic = '{topic}'"
    found = answers(
        connection,
        f"{ask} /*tenant='{tenant}'*/; SET @mq_tenant = '{other_tenant}'; {ask};"
        f"{ask} AND tenant = '{other_tenant}'; SET @mq_tenant = NULL; {ask}",
    )
    rows = [sorted(answer[0]) for answer in found]
    of = [[(f"of {name}".encode(),)] for name in (tenant, other_tenant)]
    assert rows == [of[0], [], of[1], of[1], [], sorted(of[0] + of[1])]  # the last one names none


def test_a_transaction(connect, tenant, topic):
    connection = connect(tenant, raw=True, capabilities=MULTI)
    insert = (
        "INSERT INTO queue_messages (topic, partition_key, id, payload, created_at, published_at,"
        f" failed_at, failure_count, last_error, original_topic) VALUES ('{topic}', 'p', '%s', '',"
        " 1, 1, 0, 0, '', '')"
    )
    ask = f"SELECT COUNT(*) FROM queue_messages WHERE topic = '{topic}'"
    text = f"BEGIN; {insert % 'a'}; {ask}; ROLLBACK; {ask}; {insert % 'b'}; {insert % 'b'}; {ask}"
    found = answers(connection, text)
    assert [answer[2] & IN_TRANS for answer in found[:-1]] == [1, 1, 1, 0, 0, 0]
    assert found[2][0] == [(b"1",)] and found[4][0] == [(b"0",)]
    assert found[-1] == 1062  # the rest did not run, what was before it stays
    assert count(connect(tenant), topic) == 1


def test_a_driver(connect, tenant):
    connection = connect(tenant, client_flag=CLIENT.MULTI_STATEMENTS)
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1; SELECT DATABASE() IS NULL; SELECT 3 UNION SELECT 4")
        rows = [cursor.fetchall()]
        while cursor.nextset():
            rows.append(cursor.fetchall())
        assert rows == [((1,),), ((0,),), ((3,), (4,))]
        cursor.execute("SELECT 1; DROP TABLE queue_messages; SELECT 2")
        assert cursor.fetchall() == ((1,),)
        with pytest.raises(pymysql.err.MySQLError):
            cursor.nextset()
    connection.ping()


def test_sent_without_waiting(connect, tenant):
    """What comes behind several statements waits for the last of them."""
    connection = connect(tenant, raw=True, capabilities=MULTI)
    for _ in range(3):
        connection.command(COM_QUERY, b"SELECT 1; DO 0; SELECT DATABASE() IS NULL; SELECT 2")
    for _ in range(3):
        connection.sequence = 1
        results = [connection.read_result() for _ in range(4)]
        assert [r.rows for r in results] == [[(b"1",)], [], [(b"0",)], [(b"2",)]]
        assert [bool(r.status & MORE_RESULTS) for r in results] == [True, True, True, False]


def set_option(connection, number):
    connection.command(COM_SET_OPTION, number.to_bytes(2, "little"))
    packet = connection.receive_answer()
    assert packet[:1] == b"\xfe"
    return packet


def test_an_option_switches_it(connect, tenant, reference, capabilities):
    ours = connect(tenant, raw=True, capabilities=capabilities & ~MULTI_STATEMENTS)
    for connection in (ours, reference):
        set_option(connection, 0)
        assert len(answers(connection, "SELECT 1; SELECT 2")) == 2
        connection.command(COM_RESET_CONNECTION)
        connection.receive_answer()
        assert len(answers(connection, "SELECT 1; SELECT 2")) == 2
        set_option(connection, 1)
    assert answers(reference, "SELECT 1; SELECT 2") == [1064]
    with refused(2007):
        ours.query("SELECT 1; SELECT 2")
    for connection in (ours, reference):
        with pytest.raises(ServerError, match="1047"):
            set_option(connection, 2)
        connection.ping()
