"""PyMySQL: text protocol only."""

import pymysql
from pymysql.constants import CLIENT

import client


class PyMySQL(client.Driver):
    Error = pymysql.MySQLError
    version = pymysql.VERSION_STRING

    def connect(self, target):
        return pymysql.connect(
            host=target["host"],
            port=target["port"],
            unix_socket=target["socket"],
            user=target["user"],
            password=target["password"],
            database=target["database"],
            client_flag=CLIENT.MULTI_STATEMENTS,
            max_allowed_packet=64 << 20,
            autocommit=True,
            **tls_options(target["tls"]),
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

    def ping(self, connection):
        connection.ping(reconnect=False)


def tls_options(tls):
    if not tls:
        return {"ssl_disabled": True}
    return {"ssl_ca": tls["ca"], "ssl_verify_cert": True}


if __name__ == "__main__":
    client.main(PyMySQL())
