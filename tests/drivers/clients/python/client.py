"""What the programs of the Python drivers share: cases in, one line of JSON per case out.

A program makes a Driver and calls main(); see ../../cases.yaml for cases and values.
"""

import datetime
import decimal
import json
import re
import sys
import zlib


class Unsupported(Exception):
    """The driver has no such thing."""


class Driver:
    """A driver with the DB-API's interface; programs override what differs."""

    Error = Exception
    version = ""

    def connect(self, target):
        """A connection to {host, port, socket, user, password, database, tls}."""
        raise NotImplementedError

    def close(self, connection):
        connection.close()

    def query(self, connection, sql, params):
        """The result of one statement as text."""
        with connection.cursor() as cursor:
            cursor.execute(percent_style(sql) if params else sql, params)
            return result_of(cursor)

    def prepared(self, connection, sql, sets):
        """A result, or an error, for each set of parameters."""
        raise Unsupported

    def cursor(self, connection, sql, params):
        raise Unsupported

    def multi(self, connection, sql):
        """The results of several statements in one query."""
        raise Unsupported

    def begin(self, connection):
        connection.begin()

    def commit(self, connection):
        connection.commit()

    def rollback(self, connection):
        connection.rollback()

    def ping(self, connection):
        connection.ping()

    def reset(self, connection):
        raise Unsupported

    def pool(self, connection):
        """Gives the connection back to the driver's pool and takes it again."""
        raise Unsupported

    def change_user(self, connection, target):
        raise Unsupported

    def error(self, error):
        """errno, SQLSTATE and message of an exception of this driver."""
        errno, message = (*error.args, "", "")[:2]
        return {"errno": errno, "message": str(message)}


def percent_style(sql):
    return sql.replace("%", "%%").replace("?", "%s")


def result_of(cursor):
    if cursor.description is None:
        return {"affected": cursor.rowcount}
    return {"rows": [[text_of(v) for v in row] for row in cursor.fetchall()]}


def blob(size):
    block = bytes((31 * i + (i >> 8)) & 255 for i in range(65536))
    return (block * (size // 65536 + 1))[:size]


def time_value(text):
    sign, hours, minutes, seconds = re.fullmatch(r"(-?)(\d+):(\d+):([\d.]+)", text).groups()
    value = datetime.timedelta(
        hours=int(hours), minutes=int(minutes), microseconds=round(float(seconds) * 1e6)
    )
    return -value if sign else value


READERS = {
    "integer": int,
    "decimal": decimal.Decimal,
    "date": datetime.date.fromisoformat,
    "datetime": datetime.datetime.fromisoformat,
    "time": time_value,
    "hex": bytes.fromhex,
    "blob": blob,
}


def value_of(param):
    """A parameter of the specification as a value of Python."""
    if not isinstance(param, dict):
        return param
    ((kind, value),) = param.items()
    return READERS[kind](value)


def text_of(value):
    """A value as the driver gave it, for comparison; long ones by length and checksum."""
    if value is None:
        return None
    if isinstance(value, (bytes, bytearray, memoryview)):
        value = bytes(value)
        try:
            text = value.decode()
        except UnicodeDecodeError:
            text = "hex " + value.hex()
    else:
        text = str(value)
    if len(text) <= 200:
        return text
    raw = value if isinstance(value, bytes) else text.encode()
    return f"{len(raw)} bytes, {zlib.crc32(raw)}"


def attempt(driver, action):
    """The results of a step: a list, errors included."""
    try:
        done = action()
    except Unsupported:
        return [{"unsupported": True}]
    except driver.Error as error:
        return [{"error": driver.error(error)}]
    return done if isinstance(done, list) else [done or {"ok": True}]


def run_step(driver, connection, target, step):
    op, sql = step["op"], step.get("sql")
    sets = [tuple(value_of(p) for p in params) for params in step.get("params") or []]
    if op == "call":
        if step["name"] == "change_user":
            return attempt(driver, lambda: driver.change_user(connection, target))
        return attempt(driver, lambda: getattr(driver, step["name"])(connection))
    if op == "prepared":
        return attempt(driver, lambda: driver.prepared(connection, sql, sets))
    if op == "multi":
        return attempt(driver, lambda: driver.multi(connection, sql))
    out = []
    for params in sets or [None]:
        out += attempt(driver, lambda: getattr(driver, op)(connection, sql, params))
    return out


def run_case(driver, target, steps):
    try:
        connection = driver.connect(target)
    except driver.Error as error:
        return [[{"error": driver.error(error)}]]
    try:
        return [run_step(driver, connection, target, step) for step in steps]
    finally:
        try:
            driver.close(connection)
        except driver.Error:
            pass  # a step has told of it already


def main(driver):
    print(json.dumps({"version": driver.version}))
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    for case in job["cases"]:
        results = run_case(driver, job["targets"][case["target"]], case["steps"])
        print(json.dumps({"case": case["name"], "steps": results}, default=str), flush=True)
