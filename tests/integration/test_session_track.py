"""CLIENT_SESSION_TRACK: mqgate tells of a session what the servers tell, byte by byte.

What is left out is listed in docs/protocol.md: the state of transactions, which MySQL 9.x tells
though session_track_transaction_info is OFF, and the order of variables, which differs from one
start of a MariaDB server to the next.
"""

import pytest

from rawmysql import DEFAULT_CAPABILITIES, DEPRECATE_EOF, SESSION_TRACK, Reader, ServerError

# ISO is the server's name of the isolation level's variable.
STATEMENTS = [
    "SET autocommit = 0",
    "SET autocommit = 0",
    "SET autocommit = 1",
    "SET autocommit = DEFAULT",
    "SET @@session.autocommit = 'on'",
    "SET NAMES latin1",
    "SET NAMES utf8mb4",
    "SET NAMES utf8mb4 COLLATE utf8mb4_bin",
    "SET NAMES utf8mb3",
    "SET NAMES DEFAULT",
    "SET CHARACTER SET utf8mb4",
    "SET character_set_client = latin1",
    "SET character_set_results = NULL",
    "SET character_set_results = utf8mb4",
    "SET character_set_connection = utf8mb4",
    "SET collation_connection = utf8mb4_bin",
    "SET time_zone = '+01:00'",
    "SET time_zone = '+1:00'",
    "SET time_zone = '-00:00'",
    "SET time_zone = 'system'",
    "SET time_zone = DEFAULT",
    "SET time_zone = CONCAT('+03', ':00')",
    "SET time_zone = @@time_zone",
    "SET time_zone = '+01:00', time_zone = '+02:00'",
    "SET sql_mode = ''",
    "SET sql_mode = DEFAULT, autocommit = 1",
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    "SET autocommit = 0, time_zone = 'nowhere'",
    "SELECT 1",
    "SET sql_select_limit = 0",
    "SET time_zone = '+2:00'",
    "SET sql_select_limit = DEFAULT",
    "USE DATABASE",
    "SET session_track_schema = 0",
    "USE DATABASE",
    "SET session_track_schema = 1",
    "USE DATABASE",
    "SET session_track_system_variables = 'autocommit,sql_mode,ISO'",
    "SET NAMES utf8mb4",
    "SET time_zone = '+01:00'",
    "SET sql_mode = 'ansi_quotes'",
    "SET sql_mode = ''",
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
    "SET @@ISO = 'READ-COMMITTED'",
    "SET ISO = 'repeatable-read'",
    "SET SESSION ISO = DEFAULT",
    "SET session_track_system_variables = ''",
    "SET autocommit = 1",
    "SET session_track_system_variables = DEFAULT",
    "SET autocommit = 1",
]
CAPABILITIES = DEFAULT_CAPABILITIES | DEPRECATE_EOF | SESSION_TRACK


def told(connection, statement, database):
    """Status and what is told, (kind, bytes) each; of a failure the error number."""
    try:
        result = connection.query(statement)
    except ServerError as error:
        return error.errno
    entries, r = [], Reader(result.state)
    while not r.ended():
        entries.append((r.integer(1), r.string()))
    name = database.encode()
    known = {(1, bytes([len(name)]) + name): "the database"}
    return result.status, sorted(known.get(entry, entry) for entry in entries)


@pytest.fixture
def both(connect, direct, legacy_server, cluster):
    """The server and mqgate, each with its name of the database."""
    return (
        (direct(capabilities=CAPABILITIES), legacy_server[1]),
        (connect(raw=True, capabilities=CAPABILITIES), cluster.database),
    )


def test_statements(both, cluster):
    isolation = "tx_isolation" if cluster.mariadb else "transaction_isolation"
    for text in STATEMENTS:
        text = text.replace("ISO", isolation, 1) if "ISOLATION" not in text else text
        server, mqgate = (
            told(connection, text.replace("DATABASE", database), database)
            for connection, database in both
        )
        assert mqgate == server, text


def test_commands(both):
    for connection, database in both:
        name = database.encode()
        schema = bytes([1, len(name) + 1, len(name)]) + name
        autocommit = b"\x00\x0e\x0aautocommit\x02ON"
        assert connection.init_db(database).state == schema
        assert connection.ping().state == b""
        made = connection.prepare("SET autocommit = 1")
        assert connection.execute(made).state == autocommit
        connection.query("SET session_track_schema = 0")
        assert connection.init_db(database).state == b""
        assert connection.reset_connection().state == b""
        assert connection.init_db(database).state == schema
