"""MySQL's Connector/Python, in pure Python or over libmysqlclient: connector_client.py JOB pure|c."""

import sys
import zlib

# First: it brings an OpenSSL newer than the system's, which other modules load.
import _mysql_connector

import mysql.connector
from mysql.connector.constants import ClientFlag

import client


class Connector(client.Driver):
    Error = (mysql.connector.Error, _mysql_connector.MySQLInterfaceError, zlib.error)
    version = mysql.connector.__version__

    def __init__(self, pure):
        self.pure = pure

    def connect(self, target):
        tls = target["tls"]
        place = (
            {"unix_socket": target["socket"]}
            if target["socket"]
            else {"host": target["host"], "port": target["port"]}
        )
        return mysql.connector.connect(
            **place,
            user=target["user"],
            password=target["password"],
            database=target["database"],
            use_pure=self.pure,
            autocommit=True,
            compress=target["compress"],
            client_flags=[ClientFlag.MULTI_STATEMENTS],
            **({"ssl_ca": tls["ca"], "ssl_verify_cert": True} if tls else {"ssl_disabled": True}),
        )

    def query(self, connection, sql, params):
        cursor = connection.cursor()
        try:
            cursor.execute(client.percent_style(sql) if params else sql, params or ())
            return client.result_of(cursor)
        finally:
            cursor.close()

    def prepared(self, connection, sql, sets):
        out = []
        cursor = connection.cursor(prepared=True)
        try:
            for params in sets:
                try:
                    cursor.execute(sql, [bindable(p) for p in params])
                    out.append(client.result_of(cursor))
                except self.Error as error:
                    out.append({"error": self.error(error)})
        finally:
            cursor.close()
        return out

    def multi(self, connection, sql):
        out = []
        cursor = connection.cursor()
        try:
            cursor.execute(sql)
            out.append(client.result_of(cursor))
            while cursor.nextset():
                out.append(client.result_of(cursor))
        except self.Error as error:
            out.append({"error": self.error(error)})
        finally:
            cursor.close()
        return out

    def begin(self, connection):
        connection.start_transaction()

    def reset(self, connection):
        connection.reset_session()

    def change_user(self, connection, target):
        connection.cmd_change_user(target["user"], target["password"], target["database"])

    def error(self, error):
        if isinstance(error, zlib.error):  # packets of a server that does not compress
            return {"message": str(error)}
        return {"errno": error.errno, "sqlstate": error.sqlstate, "message": error.msg}


def bindable(value):
    """The C extension fails on integers beyond BIGINT."""
    return str(value) if isinstance(value, int) and value >= 1 << 63 else value


if __name__ == "__main__":
    client.main(Connector(sys.argv[2] == "pure"))
