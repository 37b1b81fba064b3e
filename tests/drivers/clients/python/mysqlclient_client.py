"""mysqlclient (MySQLdb): libmariadb under the DB-API, text protocol only."""

import MySQLdb
import MySQLdb.release
from MySQLdb.constants import CLIENT

import client


class MySQLClient(client.Driver):
    Error = MySQLdb.MySQLError
    version = MySQLdb.release.__version__

    def connect(self, target):
        tls = target["tls"]
        place = (
            {"unix_socket": target["socket"]}
            if target["socket"]
            else {"host": target["host"], "port": target["port"]}
        )
        return MySQLdb.connect(
            **place,
            user=target["user"],
            password=target["password"],
            database=target["database"],
            charset="utf8mb4",
            client_flag=CLIENT.MULTI_STATEMENTS,
            autocommit=True,
            compress=target["compress"],
            **({"ssl": {"ca": tls["ca"]}} if tls else {}),
        )

    def multi(self, connection, sql):
        out = []
        with connection.cursor() as cursor:
            try:
                cursor.execute(sql)
                out.append(client.result_of(cursor))
                while cursor.nextset():
                    out.append(client.result_of(cursor))
            except self.Error as error:
                out.append({"error": self.error(error)})
        return out

    def begin(self, connection):
        connection.query("BEGIN")

    def change_user(self, connection, target):
        connection.change_user(target["user"], target["password"], target["database"])


if __name__ == "__main__":
    client.main(MySQLClient())
