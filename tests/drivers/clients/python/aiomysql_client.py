"""aiomysql: PyMySQL's protocol on asyncio, through a pool."""

import asyncio
import ssl

import aiomysql
from pymysql import MySQLError
from pymysql.constants import CLIENT

import client


class AioMySQL(client.Driver):
    """A connection is [pool, connection lent by it]."""

    Error = MySQLError
    version = aiomysql.__version__

    def __init__(self):
        self.loop = asyncio.new_event_loop()

    def run(self, awaitable):
        return self.loop.run_until_complete(awaitable)

    def connect(self, target):
        return self.run(self.acquire(target))

    async def acquire(self, target):
        tls = target["tls"]
        pool = await aiomysql.create_pool(
            minsize=1,
            maxsize=2,
            host=target["host"],
            port=target["port"],
            unix_socket=target["socket"],
            user=target["user"],
            password=target["password"],
            db=target["database"],
            charset="utf8mb4",
            client_flag=CLIENT.MULTI_STATEMENTS,
            autocommit=True,
            ssl=ssl.create_default_context(cafile=tls["ca"]) if tls else None,
        )
        return [pool, await pool.acquire()]

    def close(self, connection):
        self.run(self.drain(connection))

    async def drain(self, connection):
        pool, lent = connection
        pool.release(lent)
        pool.close()
        await pool.wait_closed()

    def pool(self, connection):
        connection[1] = self.run(self.lend_again(connection))

    async def lend_again(self, connection):
        pool, lent = connection
        await pool.release(lent)
        return await pool.acquire()

    def query(self, connection, sql, params):
        return self.run(
            self.execute(connection, client.percent_style(sql) if params else sql, params)
        )

    async def execute(self, connection, sql, params):
        async with connection[1].cursor() as cursor:
            await cursor.execute(sql, params)
            return await self.result(cursor)

    @staticmethod
    async def result(cursor):
        if cursor.description is None:
            return {"affected": cursor.rowcount}
        return {"rows": [[client.text_of(v) for v in row] for row in await cursor.fetchall()]}

    def multi(self, connection, sql):
        return self.run(self.execute_all(connection, sql))

    async def execute_all(self, connection, sql):
        out = []
        async with connection[1].cursor() as cursor:
            try:
                await cursor.execute(sql)
                out.append(await self.result(cursor))
                while await cursor.nextset():
                    out.append(await self.result(cursor))
            except self.Error as error:
                out.append({"error": self.error(error)})
        return out

    def begin(self, connection):
        self.run(connection[1].begin())

    def commit(self, connection):
        self.run(connection[1].commit())

    def rollback(self, connection):
        self.run(connection[1].rollback())

    def ping(self, connection):
        self.run(connection[1].ping(reconnect=False))


if __name__ == "__main__":
    client.main(AioMySQL())
