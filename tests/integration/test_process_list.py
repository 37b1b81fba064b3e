"""SHOW PROCESSLIST lists the sessions of mqgate's workers."""

from rawmysql import ServerError
from waiting import wait_until

COM_PROCESS_INFO = 0x0A
COLUMNS = ["Id", "User", "Host", "db", "Command", "Time", "State", "Info"]


def processes(connection, statement="SHOW PROCESSLIST"):
    result = connection.query(statement)
    assert [column.name for column in result.columns] == COLUMNS
    return {int(row[0]): dict(zip(COLUMNS[1:], row[1:])) for row in result.rows}


def test_own_sessions_of_all_workers(connect, tenant, cluster):
    """The shared gateway has two workers, which take connections in turn."""
    others = [connect(tenant, raw=True) for _ in range(4)]
    stranger = connect(tenant, raw=True, user="two", password="two")
    asker = connect(tenant, raw=True)
    seen = processes(asker)
    for other in others:
        row = seen[other.connection_id]
        assert (row["User"], row["db"], row["Command"], row["Info"]) == (
            b"app",
            cluster.database.encode(),
            b"Sleep",
            None,
        )
        assert row["Host"].startswith(b"127.0.0.1:")
    assert stranger.connection_id not in seen
    assert seen[asker.connection_id]["Info"] == b"SHOW PROCESSLIST"
    assert list(seen) == sorted(seen)
    others[0].close()
    wait_until(lambda: others[0].connection_id not in processes(asker), "it has gone")


def test_an_administrator_sees_all(connect, tenant):
    other = connect(tenant, raw=True)
    administrator = connect(tenant, raw=True, user="root", password="root")
    administrator.command(COM_PROCESS_INFO)
    rows = {int(row[0]): row for row in administrator.read_result().rows}
    assert rows[other.connection_id][1] == b"app"
    assert rows[administrator.connection_id][1] == b"root"
    made = administrator.prepare("SHOW FULL PROCESSLIST")
    rows = {row[0]: row for row in administrator.execute(made).rows}
    assert rows[administrator.connection_id][4] == b"Execute"
    assert rows[other.connection_id][7] is None


def test_what_waits_is_found_and_killed(connect, tenant):
    sleeper, asker = connect(tenant, raw=True), connect(tenant, raw=True)
    sleeper.command(3, b"SELECT SLEEP(60)")

    def running():
        return processes(asker)[sleeper.connection_id]["Command"] == b"Query"

    wait_until(running, "it runs")
    asker.query(f"KILL QUERY {sleeper.connection_id}")
    try:
        sleeper.read_result()  # MySQL's SLEEP() returns 1
    except ServerError as error:
        assert error.errno == 1317
    wait_until(lambda: not running(), "it has ended")
