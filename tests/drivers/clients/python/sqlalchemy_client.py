"""SQLAlchemy's core on PyMySQL, with a pool that asks before it lends (pre-ping)."""

import sqlalchemy
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

import client
from pymysql_client import tls_options


class SQLAlchemy(client.Driver):
    """A connection is [engine, connection lent by its pool, transaction]."""

    Error = DBAPIError
    version = sqlalchemy.__version__

    def connect(self, target):
        url = sqlalchemy.URL.create(
            "mysql+pymysql",
            target["user"],
            target["password"],
            target["host"],
            target["port"],
            target["database"],
        )
        engine = sqlalchemy.create_engine(
            url,
            poolclass=QueuePool,
            pool_size=1,
            max_overflow=0,
            pool_pre_ping=True,
            isolation_level="AUTOCOMMIT",
            connect_args={
                "unix_socket": target["socket"],
                "charset": "utf8mb4",
                "max_allowed_packet": 64 << 20,
                **tls_options(target["tls"]),
            },
        )
        return [engine, engine.connect()]

    def close(self, connection):
        connection[1].close()
        connection[0].dispose()

    def query(self, connection, sql, params):
        # The driver's own style of parameters, without SQLAlchemy's.
        sql = client.percent_style(sql) if params else sql
        result = connection[1].exec_driver_sql(sql, params)
        if not result.returns_rows:
            return {"affected": result.rowcount}
        return {"rows": [[client.text_of(v) for v in row] for row in result.fetchall()]}

    def begin(self, connection):
        connection[1].exec_driver_sql("BEGIN")

    def commit(self, connection):
        connection[1].connection.commit()

    def rollback(self, connection):
        connection[1].connection.rollback()

    def ping(self, connection):
        self.query(connection, "SELECT 1", None)

    def pool(self, connection):
        connection[1].close()
        connection[1] = connection[0].connect()

    def error(self, error):
        return super().error(error.orig)


if __name__ == "__main__":
    client.main(SQLAlchemy())
