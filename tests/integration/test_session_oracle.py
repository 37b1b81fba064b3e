"""What a session is, step by step as a server with the legacy schema has it: transactions, what is
set for them, savepoints, and the variables that drivers set when they connect."""

import pytest

from rawmysql import AUTOCOMMIT, IN_TRANS, ServerError
from refusals import refused

READ_ONLY = 0x2000
TOLD = IN_TRANS | AUTOCOMMIT | READ_ONLY


class Step:
    """One statement's outcome, as far as both sides have to agree."""

    def __init__(self, connection, statement):
        self.rows = None
        try:
            result = connection.ping() if statement == "PING" else connection.query(statement)
            self.status, self.error = result.status & TOLD, None
            if result.columns:
                self.rows = result.rows
        except ServerError as error:
            self.error, self.status = error.errno, connection.ping().status & TOLD

    def __eq__(self, other):
        return vars(self) == vars(other)

    def __repr__(self):
        return f"{self.error or self.rows or 'OK'} status {self.status:#x}"

    def difference(self, other):
        """The values that differ, of a row as long as READ's."""
        if not self.rows or not other.rows or len(self.rows[0]) != len(VARIABLES):
            return f"{self} and {other}"
        values = zip(VARIABLES, self.rows[0], other.rows[0])
        return ", ".join(f"{name} {a} and {b}" for name, a, b in values if a != b)


@pytest.fixture
def sides(connect, direct, cluster, tenant, topic):
    """run(statement, …): all of them on mqgate and on the server, compared one by one."""
    names = {
        "isolation": "tx_isolation" if cluster.mariadb else "transaction_isolation",
        "read_only": "tx_read_only" if cluster.mariadb else "transaction_read_only",
        "count": f"SELECT COUNT(*) FROM queue_offsets WHERE topic = '{topic}'",
        "all": f"SELECT partition_key FROM queue_offsets WHERE topic = '{topic}'",
        "calc": f"SELECT SQL_CALC_FOUND_ROWS offset_acked FROM queue_offsets WHERE topic = '{topic}'",
        "clear": f"DELETE FROM queue_offsets WHERE topic = '{topic}'",
    }
    for letter in "abcdef":
        names[letter] = f"INSERT INTO queue_offsets VALUES ('g', '{topic}', '{letter}', 0, 0)"
    both = [connect(tenant, raw=True), direct()]
    strangers = [connect(tenant, raw=True) for _ in range(2)]

    def run(*statements):
        seen = []
        for statement in statements:
            text = statement.format(**names)
            for stranger in strangers:  # they leave backends in other states, in another order
                stranger.query("SELECT 1")
            ours, theirs = (Step(connection, text) for connection in both)
            seen.append(f"{text}: {ours}")
            assert ours == theirs, "\n".join([*seen, f"differs: {ours.difference(theirs)}"])

    run("{clear}")
    yield run
    for connection in both:  # whatever state it is in, it holds no lock any more
        connection.close()
    for connection in (strangers[0], direct()):
        connection.query(names["clear"])


FOUND = "SELECT FOUND_ROWS()"
COUNTS = "SELECT @@warning_count, @@error_count"
WARNS = "SELECT CAST('seven' AS UNSIGNED), CAST('eight' AS UNSIGNED)"
SCRIPTS = {
    "found rows": [
        "{all}", FOUND, FOUND, "{a}", "{b}", "{c}", "{all}", FOUND, "{all} LIMIT 2", FOUND, "{all} LIMIT 0",
        "SELECT FOUND_ROWS(), ROW_COUNT()", "{all} AND offset_acked = 9", FOUND, "SELECT COUNT(*) FROM ({all}) x",
        FOUND, "SHOW TABLES LIKE 'queue%'", FOUND, "SHOW PRIVILEGES", FOUND, "DESCRIBE queue_offsets", FOUND,
        "{all} ORDER BY 1 LIMIT 1", "SHOW WARNINGS", FOUND, "{all}",
        "SHOW COUNT(*) WARNINGS", FOUND],
    "found rows that the shard knows": [
        "BEGIN", "{a}", "{b}", "{c}", "{calc} LIMIT 1", "{d}", FOUND, FOUND, "{calc} LIMIT 1 OFFSET 2",
        "SELECT FOUND_ROWS() + 1", "{all} LIMIT 1, 1", FOUND, "({all}) UNION ALL ({all}) LIMIT 3", FOUND,
        "{all} UNION SELECT 'x'", "SELECT nothing", FOUND, "{calc} LIMIT 1", "SAVEPOINT x", FOUND, "ROLLBACK"],
    "found rows stay": [
        "{a}", "{b}", "{all}", "BEGIN", "{c}", "SET time_zone = '+00:00'", "SAVEPOINT x", "/* nothing */", "PING",
        "SELECT nothing", "ROLLBACK", FOUND],
    "found rows in a condition": [
        "{a}", "{b}", "{all}", "{all} AND FOUND_ROWS() = 2", "{all} AND FOUND_ROWS() = 1"],
    "counts": [
        COUNTS, WARNS, COUNTS, WARNS, "SELECT @@session.warning_count + 1", WARNS, "{a}", COUNTS,
        "NONSENSE", COUNTS, "BEGIN", "{b}", "SELECT 1, @@local.error_count", WARNS, "SELECT 1, @@local.warning_count", "{clear}", "INSERT IGNORE INTO queue_offsets VALUES ('g', 't', 'a', 0, '7x')", COUNTS,
        "{clear}", COUNTS],
    "row count": [
        "SELECT ROW_COUNT()", "{a}", "SELECT ROW_COUNT()", "{b}", "PING", "SELECT ROW_COUNT()", "{a}",
        "SELECT ROW_COUNT()", "{clear}", "SELECT ROW_COUNT(), FOUND_ROWS()", "{clear}", "SHOW WARNINGS",
        "SELECT ROW_COUNT()"],
    "read only, once": ["SET TRANSACTION READ ONLY", "SELECT @@{read_only}", "{a}", "{b}", "COMMIT", "{c}"],
    "read only and BEGIN": ["SET TRANSACTION READ ONLY", "BEGIN", "{a}", "COMMIT", "{b}"],
    "both at once": [
        "SET TRANSACTION READ ONLY, ISOLATION LEVEL SERIALIZABLE", "BEGIN", "{count}", "{a}", "PING",
        "COMMIT AND CHAIN", "{b}", "ROLLBACK", "{c}", "{count}"],
    "one after the other": [
        "SET TRANSACTION READ ONLY", "SET TRANSACTION ISOLATION LEVEL READ COMMITTED", "BEGIN", "{a}",
        "ROLLBACK"],
    "START TRANSACTION knows better": [
        "SET TRANSACTION READ ONLY", "START TRANSACTION READ WRITE", "{a}", "COMMIT", "{count}"],
    "survives what has no table": [
        "SET TRANSACTION READ ONLY", "SELECT 1", "DO 1", "SET time_zone = '+00:00'", "SAVEPOINT x", "PING",
        "SELECT LAST_INSERT_ID()", "{a}", "ROLLBACK", "{a}"],
    "ends with COMMIT": ["SET TRANSACTION READ ONLY", "COMMIT", "{a}"],
    "refused inside": [
        "BEGIN", "SET TRANSACTION READ ONLY", "{count}", "SET TRANSACTION READ ONLY", "SET @@{isolation} = 'SERIALIZABLE'",
        "SET {isolation} = 'READ-COMMITTED'", "SELECT @@{isolation}", "{count}", "SET TRANSACTION READ WRITE",
        "SET @@session.{isolation} = 'SERIALIZABLE'", "SELECT @@{isolation}", "COMMIT", "SELECT @@{isolation}"],
    "a variable, once": [
        "SET @@{read_only} = 1", "SELECT @@{read_only}", "{a}", "COMMIT", "{a}",
        "SET @@{isolation} = 'READ-COMMITTED'", "SELECT @@{isolation}", "{count}", "SELECT @@{isolation}",
        "SET @@{read_only} = 5", "SET @@{isolation} = 'NONE'", "SET @@{read_only} = OFF"],
    "a variable, for the session": [
        "SET {read_only} = 1", "SELECT @@{read_only}", "{a}", "BEGIN", "{a}", "COMMIT",
        "START TRANSACTION READ WRITE", "{a}", "COMMIT", "SET {read_only} = 0", "{b}"],
    "SET SESSION TRANSACTION inside": [
        "BEGIN", "SET SESSION TRANSACTION READ ONLY", "{a}", "COMMIT", "{b}", "SELECT @@{read_only}"],
    "without autocommit": [
        "SET autocommit = 0", "SET TRANSACTION READ ONLY", "{count}", "SET TRANSACTION READ WRITE", "COMMIT",
        "SET TRANSACTION READ WRITE", "{a}", "COMMIT"],
    "chains": [
        "BEGIN", "{a}", "COMMIT AND CHAIN", "{b}", "ROLLBACK AND CHAIN", "{count}", "COMMIT AND NO CHAIN", "PING",
        "COMMIT AND CHAIN", "PING", "{c}", "ROLLBACK AND NO CHAIN NO RELEASE", "{count}"],
    "chains of a read-only one": [
        "START TRANSACTION READ ONLY", "COMMIT AND CHAIN", "PING", "{a}", "ROLLBACK AND CHAIN", "{a}", "ROLLBACK",
        "{a}"],
    "chains and releases": ["COMMIT AND CHAIN RELEASE"],
    "BEGIN inside": ["START TRANSACTION READ ONLY", "START TRANSACTION", "{a}", "COMMIT", "BEGIN", "{b}", "BEGIN",
                     "ROLLBACK", "{count}"],
    "completion_type": [
        "SET completion_type = 1", "SELECT @@completion_type", "BEGIN", "{a}", "COMMIT", "PING", "{b}",
        "COMMIT AND NO CHAIN", "{count}", "ROLLBACK", "{c}", "SET completion_type = 'NO_CHAIN'", "ROLLBACK",
        "{count}", "SET completion_type = chain", "COMMIT", "SET completion_type = DEFAULT", "COMMIT"],
    "completion_type is checked": [
        "SET completion_type = 5", "SET completion_type = 'x'", "SET completion_type = NULL",
        "SELECT @@completion_type", "BEGIN", "COMMIT"],
    "completion_type as a number": [
        "SET completion_type = TRUE", "BEGIN", "{a}", "COMMIT", "PING", "{b}", "ROLLBACK", "{count}",
        "SET completion_type = 00", "COMMIT", "BEGIN", "{b}", "COMMIT", "PING", "SET completion_type = 0 + 1", "BEGIN",
        "{c}", "COMMIT", "PING", "COMMIT AND NO CHAIN", "SET completion_type = +01", "BEGIN", "COMMIT", "PING"],
    "no release": ["SET completion_type = 'RELEASE'", "BEGIN", "{a}", "COMMIT NO RELEASE", "{count}"],
    "autocommit": [
        "SET autocommit = 0", "SELECT 1", "SELECT @@autocommit", "{count}", "COMMIT", "{a}", "SET autocommit = 1",
        "ROLLBACK", "{count}", "BEGIN", "{b}", "SET autocommit = 1", "PING", "SET autocommit = 0", "ROLLBACK",
        "{count}"],
    "autocommit = 0 and an error": [
        "SET autocommit = 0", "{a}", "COMMIT", "{a}", "PING", "{b}", "{a}", "{count}", "ROLLBACK", "{count}",
        "SELECT * FROM queue_offsets WHERE nothing = 1 AND topic = 'x'", "COMMIT"],
    "values of autocommit": [
        "SET autocommit = OFF", "SET @@autocommit = 1", "SET SESSION autocommit = 0",
        "SET @@session.autocommit = on", "SET autocommit = NULL", "SET autocommit = 'off'", "SET autocommit = 2",
        "SET autocommit = -1", "SET autocommit = 1.0", "SET autocommit = '1'", "SET autocommit = TRUE",
        "SET autocommit = false", "SET autocommit = DEFAULT", "SET autocommit = 1 - 1", "PING"],
    "values of autocommit, written at length": [
        "SET autocommit = 00", "PING", "{a}", "ROLLBACK", "{count}", "SET autocommit = +1", "PING",
        "SET autocommit = -0", "PING", "SET autocommit = - 01", "SET autocommit = 01", "PING",
        "SET {read_only} = 01", "BEGIN", "PING", "{a}", "ROLLBACK", "SET @@{read_only} = TRUE", "{a}"],
    "savepoints": [
        "SAVEPOINT a", "ROLLBACK TO a", "RELEASE SAVEPOINT a", "BEGIN", "SAVEPOINT a", "SAVEPOINT b", "SAVEPOINT A",
        "ROLLBACK TO b", "ROLLBACK TO a", "ROLLBACK TO none", "{a}", "SAVEPOINT c", "{b}", "ROLLBACK TO c",
        "{count}", "ROLLBACK TO SAVEPOINT b", "{count}", "RELEASE SAVEPOINT a", "ROLLBACK TO c", "COMMIT",
        "ROLLBACK TO b"],
    "savepoints, none routed": [
        "BEGIN", "SAVEPOINT `a b`", "RELEASE SAVEPOINT `A B`", "RELEASE SAVEPOINT `a b`", "SAVEPOINT x", "SAVEPOINT y",
        "RELEASE SAVEPOINT x", "ROLLBACK TO y", "COMMIT"],
    "savepoints without autocommit": [
        "SET autocommit = 0", "SAVEPOINT a", "PING", "ROLLBACK TO a", "ROLLBACK TO b", "{a}", "ROLLBACK TO a",
        "{count}", "COMMIT", "ROLLBACK TO a", "SAVEPOINT a", "SET autocommit = 1", "ROLLBACK TO a"],
    "consistent snapshots": [
        "SET autocommit = 0", "START TRANSACTION WITH CONSISTENT SNAPSHOT", "{count}", "COMMIT",
        "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY", "{a}", "ROLLBACK",
        "START TRANSACTION READ ONLY, READ WRITE", "SET autocommit = 1",
        "START TRANSACTION WITH CONSISTENT SNAPSHOT", "START TRANSACTION WITH CONSISTENT SNAPSHOT", "{b}",
        "COMMIT AND CHAIN", "ROLLBACK"],
    "DDL": ["BEGIN", "{a}", "SAVEPOINT s", "{ddl}", "ROLLBACK TO s", "ROLLBACK", "{count}"],
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_transactions(sides, name):
    ddl = (
        "CREATE TABLE IF NOT EXISTS queue_partition_leases (consumer_group VARCHAR(255) NOT NULL, topic "
        "VARCHAR(255) NOT NULL, partition_key VARCHAR(255) NOT NULL, leased_by VARCHAR(255) NOT NULL, leased_at "
        "BIGINT UNSIGNED NOT NULL, lease_renewed_at BIGINT UNSIGNED NOT NULL, PRIMARY KEY (consumer_group, topic, "
        "partition_key), KEY idx_lease_renewed (lease_renewed_at))"
    )
    sides(*(statement.replace("{ddl}", ddl) for statement in SCRIPTS[name]))


CONNECTING = {
    "MariaDB Connector/J": [
        "SET autocommit=1, session_track_schema=1, sql_mode=concat(@@sql_mode,',STRICT_TRANS_TABLES')"],
    "Connector/J": ["SET NAMES utf8mb4", "SET character_set_results = NULL",
                    "SET autocommit=1, sql_mode='STRICT_TRANS_TABLES'", "SET net_write_timeout=600",
                    "SET SESSION TRANSACTION READ WRITE"],
    "Rails": ["SET NAMES utf8mb4 COLLATE 'utf8mb4_unicode_ci', @@SESSION.sql_mode = CONCAT(CONCAT(@@sql_mode, "
              "',STRICT_ALL_TABLES'), ',NO_AUTO_VALUE_ON_ZERO'), @@SESSION.sql_auto_is_null = 0, "
              "@@SESSION.wait_timeout = 2147483"],
    "Django": ["SET SQL_AUTO_IS_NULL = 0", "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
               "SET default_storage_engine=INNODB", "SET sql_mode = 'STRICT_TRANS_TABLES'",
               "SET foreign_key_checks = 0", "SET foreign_key_checks = 1"],
    "mysqldump": ["/*!40100 SET @@SQL_MODE='' */", "/*!40103 SET TIME_ZONE='+00:00' */",
                  "SET SESSION NET_READ_TIMEOUT= 86400, SESSION NET_WRITE_TIMEOUT= 86400",
                  "/*!40101 SET NAMES utf8mb4 */", "SET SESSION character_set_results = 'binary'",
                  "SET SQL_QUOTE_SHOW_CREATE=1"],
    "JPA": ["SET SESSION sql_mode=(SELECT REPLACE(@@sql_mode,'ONLY_FULL_GROUP_BY',''))",
            "SET sql_select_limit=DEFAULT", "SET sql_select_limit=100", "SET unique_checks=0",
            "SET group_concat_max_len = @@group_concat_max_len * 2", "SET time_zone = @@global.time_zone"],
    "phpMyAdmin": ["SET collation_connection = 'utf8mb4_general_ci'", "SET lc_time_names = 'de_DE'",
                   "SET NAMES latin1", "SET character_set_client = utf8mb4", "SET character_set_connection = utf8mb4",
                   "SET collation_connection = utf8mb4_bin", "SET character_set_connection = latin1"],
    "all at once": ["SET net_write_timeout = @@net_read_timeout + 1, net_read_timeout = @@net_write_timeout",
                    "SET time_zone = CONCAT('+0', 1 + 1, ':00'), autocommit = IF(1, 1, 0)",
                    "SET sql_mode = 0", "SET sort_buffer_size = 512 * 1024", "SET div_precision_increment = 6",
                    "SET innodb_lock_wait_timeout = 7, lock_wait_timeout = 8", "SET timestamp = 1000000"],
    "of no row": ["SET sql_select_limit = 0", "SET time_zone = CONCAT('+0', '1:00')", "SET sql_select_limit = DEFAULT"],
    "flag by flag": ["SET optimizer_switch = 'index_merge=off'", "SET optimizer_switch = 'mrr=on'",
                     "SET optimizer_switch = 'mrr=off,index_merge_union=off'", "SET optimizer_switch = @@optimizer_switch",
                     "SET optimizer_switch = 'mrr=on,default'", "SET optimizer_switch = CONCAT('mrr', '=on')",
                     "SET optimizer_switch = 'mrr=on,mrr=off'", "SET optimizer_switch = 'none=on'",
                     "SET optimizer_switch = 'mrr=default'", "SET optimizer_switch = ''",
                     "SET optimizer_switch = DEFAULT"],
    "none of it": ["SET time_zone = '+02:00', sql_select_limit = 'many'", "SET time_zone = 'Nowhere/Else'",
                   "SET sql_mode = CONCAT(@@sql_mode, ',NO_SUCH_MODE')", "SET net_read_timeout = 'x'",
                   "SET no_such_variable = 1", "SET time_zone = @@no_such_variable", "SET sql_mode = NULL"],
}
VARIABLES = (
    "autocommit sql_mode time_zone net_write_timeout net_read_timeout sql_select_limit group_concat_max_len "
    "foreign_key_checks unique_checks lc_time_names character_set_client character_set_results "
    "character_set_connection collation_connection default_storage_engine sort_buffer_size "
    "div_precision_increment innodb_lock_wait_timeout lock_wait_timeout optimizer_switch"
).split()
READ = "SELECT " + ", ".join(f"@@{name}" for name in VARIABLES)


@pytest.mark.parametrize("driver", CONNECTING)
def test_what_drivers_set(sides, driver):
    for statement in CONNECTING[driver]:
        sides(statement.replace("{", "{{").replace("}", "}}"), READ)
    sides("SELECT DATE_FORMAT('2024-02-03', '%W'), 1 / 3, NOW() > '1980-01-01'")


@pytest.mark.parametrize("driver", ["Rails", "phpMyAdmin", "JPA"])
def test_reset_connection(connect, direct, tenant, driver):
    """The same that a server resets, and the same that it keeps."""
    both = [connect(tenant, raw=True), direct()]
    for connection in both:
        for statement in [*CONNECTING[driver], "SET TRANSACTION READ ONLY", "SET autocommit = 0"]:
            connection.query(statement)
        connection.reset_connection()
    for question in (READ, "SELECT LAST_INSERT_ID(), ROW_COUNT()", "SELECT @@session.wait_timeout > 0"):
        ours, theirs = (connection.query(question).rows for connection in both)
        assert ours == theirs, [v for v in zip(VARIABLES, ours[0], theirs[0]) if v[1] != v[2]]
    assert both[0].ping().status & TOLD == both[1].ping().status & TOLD


@pytest.mark.parametrize("autocommit", [0, 1])
def test_a_ping_leaves_the_warnings(connect, direct, tenant, autocommit):
    """Also mqgate's own, which asks for the status of the transaction."""
    for connection in (connect(tenant, raw=True), direct()):
        connection.query(f"SET autocommit = {autocommit}")
        with pytest.raises(ServerError):
            connection.query("SELECT nothing FROM queue_offsets WHERE topic = 'x'")
        assert [row[1] for row in connection.query("SHOW WARNINGS").rows] == [b"1054"]
        connection.ping()
        assert [row[1] for row in connection.query("SHOW WARNINGS").rows] == [b"1054"]


def test_parameters_of_set(connect, tenant):
    connection = connect(tenant, raw=True)
    made = connection.prepare("SET time_zone = ?, sql_select_limit = ?, sql_mode = ?")
    connection.execute(made, "+03:00", 7, "ANSI_QUOTES")
    assert connection.query('SELECT @@time_zone, @@sql_select_limit, "sql_mode" FROM (SELECT 1 AS "sql_mode") AS t'
                            ).rows == [(b"+03:00", b"7", b"1")]
    connection.execute(connection.prepare("SET lock_wait_timeout = ?"), -1)
    assert connection.query("SELECT @@lock_wait_timeout <= 1").rows == [(b"1",)]
    connection.execute(connection.prepare("SET character_set_results = ?"), None)
    assert connection.query("SELECT @@character_set_results").rows == [(None,)]


@pytest.mark.parametrize("statement", [
    "SET time_zone = (SELECT topic FROM queue_offsets LIMIT 1)",
    "SET sql_mode = (SELECT @@sql_mode INTO @x)",
    "SET time_zone = no_such_function('x')",
    "SET @mq_tenant = CONCAT('a', 'b')",
    "SET lc_messages = 'de_DE'",
    "SET sql_mode = CONCAT(@@sql_mode, ',ORACLE')",
    "SET NAMES gbk",
    "SET character_set_client = CONCAT('gb', 'k')",
    "SET time_zone = CONCAT('+01:00', CHAR(39), '1')",
    "XA START 'x'",
])
def test_what_is_refused(connect, tenant, statement):
    connection = connect(tenant, raw=True)
    connection.query("SET time_zone = '+07:00'")
    with refused() as seen:
        connection.query(statement)
    assert seen.message.startswith("MQ")
    assert connection.query("SELECT @@time_zone").rows == [(b"+07:00",)]
