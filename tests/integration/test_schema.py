"""SHOW, DESCRIBE and information_schema tell of the legacy schema: the answer is compared with that
of a server of the same kind that holds the legacy tables."""

import re

import pytest

from legacy import execute
from gateway import run_program
from refusals import refused
from test_session_values import ask
from rawmysql import RawConnection

REFERENCE = "legacy_schema"

# What the configuration adds: every kind of column that can be described.
EXTRA = {
    "columns": [
        {"name": name, "definition": definition}
        for name, definition in [
            ("id", "INT NOT NULL"),
            ("code", "CHAR(3) DEFAULT 'x''y'"),
            ("price", "DECIMAL(8,2)"),
            ("whole", "NUMERIC"),
            ("made", "DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)"),
            ("changed", "DATETIME ON UPDATE CURRENT_TIMESTAMP"),
            ("small", "TINYINT UNSIGNED"),
            ("ratio", "DOUBLE"),
            ("part", "FLOAT"),
            ("hash", "VARBINARY(16)"),
            ("fixed", "BINARY(4)"),
            ("note", "TINYTEXT"),
            ("body", "LONGBLOB"),
            ("day", "DATE"),
            ("clock", "TIME(2)"),
            ("born", "YEAR"),
            ("flag", "BOOLEAN DEFAULT TRUE"),
            ("level", "SMALLINT DEFAULT -1"),
            ("padded", "MEDIUMINT UNSIGNED ZEROFILL"),
            ("tag", "VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' "
                    "COMMENT 'it''s'"),
            ("folded", "VARCHAR(10) COLLATE utf8mb4_general_ci"),
            ("plain", "VARCHAR(10) COLLATE utf8mb4_bin"),
            ("bit", "TINYINT(1) UNSIGNED"),
            ("data", "JSON"),
        ]
    ],
    "primary_key": ["id", "tag"],
}
TABLES = [
    "queue_messages",
    "queue_delivery_state",
    "queue_offsets",
    "queue_partition_leases",
    "queue_subscriber_heartbeats",
    "extra",
]
# Of all tenants together, so that mqgate tells NULL.
HIDDEN = re.compile(
    "(table_)?rows|.*_length|data_free|auto_increment|.*_time|cardinality|index_length", re.IGNORECASE
)

SHOW = [
    *[f"SHOW {full}COLUMNS FROM {t}" for t in TABLES for full in ("", "FULL ")],
    *[f"SHOW CREATE TABLE {t}" for t in TABLES],
    *[f"SHOW INDEX FROM {t}" for t in TABLES],
    "SHOW FIELDS IN queue_messages IN {db} LIKE 'fail%'",
    "SHOW COLUMNS FROM queue_messages LIKE 'FAIL\\_%'",
    "SHOW COLUMNS FROM {db}.queue_offsets WHERE `Key` = 'PRI' AND Type LIKE 'varchar%'",
    "SHOW COLUMNS FROM queue_messages WHERE Field = 'TOPIC'",
    "SHOW COLUMNS FROM queue_messages LIKE 'none'",
    "SHOW KEYS FROM queue_messages FROM {db} WHERE Key_name = 'PRIMARY'",
    "SHOW INDEXES FROM queue_messages WHERE Non_unique",
    "DESCRIBE queue_messages",
    "DESC {db}.queue_messages 'fail%'",
    "EXPLAIN queue_messages topic",
    "DESC extra `tag`",
    "SHOW TABLES",
    "SHOW TABLES FROM {db}",
    "SHOW TABLES LIKE 'queue\\_o%'",
    "SHOW TABLES LIKE 'QUEUE%'",
    "SHOW TABLES LIKE 'no''ne'",
    "SHOW FULL TABLES WHERE Table_type = 'BASE TABLE'",
    "SHOW FULL TABLES IN {db} LIKE '%s'",
    "SHOW TABLES WHERE Tables_in_{db} = 'extra'",
    "SHOW TABLE STATUS",
    "SHOW TABLE STATUS FROM {db} LIKE 'queue_m%'",
    "SHOW TABLE STATUS WHERE Name = 'extra'",
    "SHOW TRIGGERS",
    "SHOW TRIGGERS FROM {db} LIKE 'queue\\_messages'",
    "SHOW FULL TRIGGERS WHERE `Table` = 'extra'",
    "SHOW DATABASES LIKE '{db}'",
    "SHOW SCHEMAS WHERE `Database` = '{db}'",
]
INFORMATION = [
    "SELECT * FROM information_schema.columns WHERE table_schema = '{db}' "
    "ORDER BY table_name, ordinal_position",
    "SELECT * FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{db}' ORDER BY TABLE_NAME",
    "SELECT * FROM INFORMATION_SCHEMA.STATISTICS WHERE table_schema = '{db}' "
    "ORDER BY table_name, index_name, seq_in_index",
    "SELECT * FROM information_schema.schemata WHERE schema_name = '{db}'",
    "SELECT * FROM information_schema.key_column_usage WHERE table_schema = DATABASE() "
    "ORDER BY table_name, constraint_name, ordinal_position",
    "SELECT * FROM information_schema.table_constraints WHERE constraint_schema = '{db}' "
    "ORDER BY table_name, constraint_name",
    "SELECT * FROM information_schema.check_constraints WHERE constraint_schema = '{db}' "
    "ORDER BY constraint_name",
    "SELECT * FROM information_schema.referential_constraints WHERE constraint_schema = '{db}'",
    "SELECT * FROM information_schema.views WHERE table_schema = '{db}'",
    "SELECT * FROM information_schema.partitions WHERE table_schema = '{db}' ORDER BY table_name",
    "SELECT COUNT(*) FROM information_schema.routines WHERE routine_schema = '{db}'",
    "SELECT * FROM information_schema.character_sets ORDER BY 1 LIMIT 3",
    "SELECT table_name, c.Column_name, c.`data_type` t, UPPER(column_key) "
    "FROM information_schema.columns c WHERE table_schema = SCHEMA() AND TABLE_NAME = 'extra' "
    "AND column_name LIKE 'F%' ORDER BY ordinal_position DESC",
    # SQLAlchemy, Django, Rails and Connector/J, in their own words.
    "SELECT table_name FROM information_schema.tables WHERE table_schema = '{db}' "
    "AND table_type = 'BASE TABLE' ORDER BY table_name",
    "SELECT column_name, data_type, CASE WHEN collation_name = 'utf8mb4_bin' THEN NULL ELSE "
    "collation_name END, character_maximum_length, numeric_precision, numeric_scale, extra, "
    "column_default, CASE WHEN column_type LIKE '%% unsigned' THEN 1 ELSE 0 END AS is_unsigned "
    "FROM information_schema.columns WHERE table_name = 'queue_messages' "
    "AND table_schema = DATABASE() ORDER BY ordinal_position",
    "SELECT kc.`constraint_name`, kc.`column_name`, kc.`referenced_table_name`, c.constraint_type "
    "FROM information_schema.key_column_usage AS kc, information_schema.table_constraints AS c "
    "WHERE kc.table_schema = DATABASE() AND kc.table_name = 'queue_messages' "
    "AND c.table_schema = kc.table_schema AND c.table_name = kc.table_name "
    "AND c.constraint_name = kc.constraint_name ORDER BY kc.constraint_name, kc.ordinal_position",
    "SELECT TABLE_SCHEMA AS TABLE_CAT, NULL AS TABLE_SCHEM, TABLE_NAME, COLUMN_NAME, "
    "SEQ_IN_INDEX AS KEY_SEQ, 'PRIMARY' AS PK_NAME FROM INFORMATION_SCHEMA.STATISTICS "
    "WHERE TABLE_SCHEMA LIKE '{db}' AND TABLE_NAME LIKE 'queue_offsets' AND INDEX_NAME='PRIMARY' "
    "ORDER BY TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX",
    "SELECT EXISTS (SELECT 1 FROM information_schema.tables "
    "WHERE information_schema.tables.table_name = 'extra' AND table_schema = '{db}') AS there",
    "SELECT s.schema_name, t.n FROM information_schema.schemata s JOIN (SELECT table_schema, "
    "COUNT(*) AS n FROM information_schema.tables GROUP BY table_schema) t "
    "ON t.table_schema = s.schema_name WHERE s.schema_name = '{db}'",
]


@pytest.fixture(scope="module")
def gateway_of_all(cluster, tmp_path_factory):
    """With the extra table; one for all tests of this file."""
    from gateway import Gateway

    gateway = Gateway(cluster, tmp_path_factory.mktemp("mqgate"), {"queue_tables": {"extra": EXTRA}})
    gateway.start()
    yield gateway
    gateway.stop()


def legacy_schema(gateway):
    done = run_program("schema", "--legacy", "-c", gateway.config_path)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if not line.startswith("--")]
    return [s.strip() for s in "\n".join(lines).split(";\n") if s.strip()]


@pytest.fixture(scope="module")
def reference(cluster, gateway_of_all):
    """A connection to the first shard's server, in a database with the legacy tables."""
    administrator = cluster.connect(0)
    execute(administrator, f"CREATE DATABASE {REFERENCE} CHARSET utf8mb4 COLLATE utf8mb4_bin")
    administrator.select_db(REFERENCE)
    for statement in legacy_schema(gateway_of_all):
        execute(administrator, statement.rstrip(";"))
    facts = cluster.shards[0]
    connection = RawConnection((facts["host"], facts["port"]))
    connection.login("root", "root", database=REFERENCE)
    yield connection
    connection.close()
    execute(administrator, f"DROP DATABASE {REFERENCE}")
    administrator.close()


@pytest.fixture
def connection(gateway_of_all, tenant):
    with gateway_of_all.raw(tenant) as connection:
        yield connection


def kind(column):
    """A view's column is wide enough for its values, an enumeration's is text."""
    kinds = {3: "integer", 8: "integer", 6: "text", 251: "text", 252: "text", 253: "text"}
    return "text" if column.type == 254 else kinds.get(column.type, column.type)


def shown(result, database):
    """Headings, kinds of columns, and rows; the database has one name on both sides."""

    def same(value):
        return b"DB" if value == database.encode() else value

    hidden = [bool(HIDDEN.fullmatch(c.name)) for c in result.columns]
    return (
        [re.sub(f"(_in_|Database [(]){database}\\b", r"\1DB", c.name) for c in result.columns],
        [hide or kind(c) for hide, c in zip(hidden, result.columns)],
        [tuple(hide or same(v) for hide, v in zip(hidden, row)) for row in result.rows],
    )


@pytest.mark.parametrize("statement", SHOW + INFORMATION)
def test_as_a_legacy_server_answers(connection, reference, cluster, statement):
    ours = connection.query(statement.replace("{db}", cluster.database))
    theirs = reference.query(statement.replace("{db}", REFERENCE))
    assert shown(ours, cluster.database) == shown(theirs, REFERENCE)


@pytest.mark.parametrize("statement", SHOW + INFORMATION)
def test_prepared(connection, cluster, statement):
    """The binary protocol tells the same, be the numbers integers and not text."""
    statement = statement.replace("{db}", cluster.database)
    text, binary = connection.query(statement), ask(connection, statement, True)
    assert [c.name for c in binary.columns] == [c.name for c in text.columns]
    assert [
        tuple(str(v).encode() if isinstance(v, int) else v for v in row) for row in binary.rows
    ] == text.rows


@pytest.mark.parametrize("mode", ["ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"])
@pytest.mark.parametrize("statement", ["SHOW CREATE TABLE extra", "SHOW TABLES LIKE 'q\\_%'"])
def test_sql_modes(connection, reference, cluster, mode, statement):
    try:
        for c in (connection, reference):
            c.query(f"SET sql_mode = '{mode}'")
        assert shown(connection.query(statement), cluster.database) == shown(
            reference.query(statement), REFERENCE
        )
    finally:
        reference.query("SET sql_mode = DEFAULT")


def test_parameters(connection, cluster):
    made = connection.prepare(
        "SELECT column_name FROM information_schema.columns "
        "WHERE table_schema = ? AND table_name = ? AND column_name = ?"
    )
    for column, rows in (("topic", [(b"topic",)]), ("tenant", [])):
        assert connection.execute(made, cluster.database, "queue_messages", column).rows == rows


def test_no_tenant_is_needed(gateway_of_all):
    """Tools look at a schema before anything else."""
    with gateway_of_all.raw() as connection:
        assert connection.query("SHOW COLUMNS FROM queue_offsets").rows
        assert connection.query("SELECT COUNT(*) FROM information_schema.tables").rows


def test_in_a_transaction(connection, topic):
    connection.query("BEGIN")
    connection.query(f"DELETE FROM queue_offsets WHERE topic = '{topic}'")
    assert len(connection.query("SHOW COLUMNS FROM queue_offsets").rows) == 5
    connection.query("COMMIT")


def test_the_tenant_schema_on_request(connection, cluster):
    """The shards' own tables, as SHOW on a shard tells of them."""
    connection.query("SET @mq_schema = 'tenant'")
    shard = cluster.connect(0)
    for statement in (
        "SHOW FULL COLUMNS FROM queue_messages",
        "SHOW CREATE TABLE queue_partition_leases",
        "SHOW CREATE TABLE queue_messages",
    ):
        with shard.cursor() as cursor:
            cursor.execute(statement)
            theirs = [tuple(v if v is None else v.encode() for v in row) for row in cursor.fetchall()]
        ours = connection.query(statement).rows
        counter = re.compile(rb" AUTO_INCREMENT=\d+")
        assert ours == [tuple(v and counter.sub(b"", v) for v in row) for row in theirs]
    shard.close()


def test_rows_in_the_tenant_schema(connection, tenant, topic):
    """`*` and a missing column list follow it; a prepared statement keeps what it began with."""
    star = f"SELECT * FROM queue_offsets WHERE topic = '{topic}'"
    before = connection.prepare(star)
    connection.query("SET @mq_schema = 'tenant'")
    connection.query(f"INSERT INTO queue_offsets VALUES ('{tenant}', 'g', '{topic}', 'p', 1, 2)")
    assert connection.query(star).rows[0][:2] == (tenant.encode(), b"g")
    assert len(connection.execute(before).rows[0]) == 5
    with refused("3006"):
        connection.query(f"INSERT INTO queue_offsets VALUES ('x', 'g', '{topic}', 'q', 1, 2)")
    within = connection.prepare(star)
    connection.query("SET @mq_schema = 'legacy'")
    assert len(connection.query(star).rows[0]) == 5
    assert len(connection.execute(within).rows[0]) == 6


@pytest.mark.parametrize(
    "statement, code",
    [
        ("SHOW COLUMNS FROM nothing", 2004),
        ("SHOW COLUMNS FROM queue_offsets FROM mysql", 2013),
        ("DESCRIBE mysql.user", 2013),
        ("SHOW EXTENDED COLUMNS FROM queue_offsets", 2003),
        ("SHOW TABLES FROM performance_schema", 2013),
        ("SHOW COLUMNS FROM queue_offsets WHERE Field IN (SELECT topic FROM queue_offsets)", 2003),
        ("SELECT * FROM information_schema.processlist", 2003),
        ("SELECT * FROM information_schema.innodb_trx", 2003),
        ("SELECT 1 FROM information_schema.tables, queue_offsets", 2017),
        ("SELECT topic FROM queue_offsets WHERE topic IN "
         "(SELECT table_name FROM information_schema.tables)", 2017),
        ("DELETE FROM information_schema.tables", 2003),
        ("SHOW CREATE VIEW v", 2003),
    ],
)
def test_refused(connection, statement, code):
    with refused(str(code)):
        connection.query(statement)


def test_no_row_of_the_shards(connection, cluster):
    """Nothing names `tenant`, the shard's other databases or their tables."""
    for table in ("columns", "tables", "statistics", "schemata", "key_column_usage",
                  "table_constraints", "check_constraints"):
        for row in connection.query(f"SELECT * FROM information_schema.{table}").rows:
            assert b"tenant" not in row
            assert REFERENCE.encode() not in row and b"mysql" not in row
