"""Clients that do everything a client can do, at random, and look at every answer.

Each row says whose it is: its id begins with the tenant and the client that wrote it. Each question
carries a word of its own that the answer has to repeat. So a row of another tenant, or an answer
that was meant for another session, is seen by whoever gets it.
"""

import itertools
import random
import threading
import time

from legacy import PUBLISH, message
from rawmysql import COM_QUERY, ProtocolError, ServerError

TOPIC = "leak"
SEVERAL = (
    "SELECT ?, id, payload FROM queue_messages WHERE tenant IN (?, ?) AND topic = ? "
    "ORDER BY id LIMIT 20"
)
# What faults may cost: a shard's connection, a wait, a transaction.
BENIGN = ("MQ5001:", "MQ5002:", "MQ5005:", "MQ2019:", "MQ6006:", "MQ6009:")
BENIGN_ERRNO = {1205, 1213, 1317}


class Unexpected(Exception):
    """An answer that nobody may get."""


def benign(error):
    return error.errno in BENIGN_ERRNO or error.message.startswith(BENIGN)


class Client:
    """One tenant's client; it connects again whenever its connection is gone."""

    def __init__(self, gateway, tenant, number, seed, friend, tls):
        """friend: another tenant, whose rows it reads together with its own. tls: a context."""
        self.friend, self.wide, self.tls = friend, None, tls
        self.gateway, self.tenant, self.name = gateway, tenant, f"{tenant}:{number}"
        self.random = random.Random(seed)
        self.words = itertools.count()
        self.kept, self.undone = set(), set()  # ids that are surely there, or surely not
        self.connection, self.commands = None, 0
        self.actions = [
            (self.read_text, 6),
            (self.read_prepared, 6),
            (self.read_of_two, 3),
            (self.publish_alone, 4),
            (self.transaction, 4),
            (self.ask_session, 3),
            (self.change_state, 2),
            (self.refused_statement, 2),
            (self.reset, 1),
            (self.vanish, 1),
        ]

    def run(self, until):
        actions, weights = zip(*self.actions)
        while time.monotonic() < until:
            try:
                if not self.connection:
                    self.connect()
                self.random.choices(actions, weights)[0]()
                self.commands += 1
            except ServerError as error:
                if not benign(error):
                    raise Unexpected(f"{self.name}: {error}") from error
                self.close()
            except (ConnectionError, TimeoutError):
                self.close()
        self.close()

    def connect(self):
        self.connection = self.gateway.raw(self.tenant, timeout=40, tls=self.tls)
        self.select = self.connection.prepare(
            "SELECT ?, id, payload FROM queue_messages WHERE topic = ? ORDER BY offset DESC LIMIT 20"
        )
        self.insert = self.connection.prepare(PUBLISH)

    def close(self):
        if self.connection:
            self.connection.close()
        if self.wide:
            self.wide.close()
        self.connection = self.wide = None

    # --- what it looks at

    def word(self):
        return f"{self.name}/{next(self.words)}"

    def expect(self, truth, what):
        if not truth:
            raise Unexpected(f"{self.name}: {what}")

    def check_rows(self, word, rows, tenants=None):
        owners = tuple(f"{tenant}:" for tenant in tenants or [self.tenant])
        for told, identifier, payload in rows:
            self.expect(told == word.encode(), f"the answer to {told} for {word}")
            self.expect(identifier.decode().startswith(owners), f"a row of {identifier}")
            self.expect(payload == identifier, f"{payload} in the row {identifier}")

    # --- what it does

    def read_text(self):
        word = self.word()
        result = self.connection.query(
            f"SELECT '{word}', id, payload FROM queue_messages WHERE topic = '{TOPIC}' "
            f"ORDER BY offset DESC LIMIT {self.random.randint(0, 40)}"
        )
        self.check_rows(word, result.rows)

    def read_prepared(self):
        word = self.word()
        self.check_rows(word, self.connection.execute(self.select, word, TOPIC).rows)

    def read_of_two(self):
        """One answer of two shards, or of two tenants of one; at times it is not waited for."""
        if not self.wide:
            self.wide = self.gateway.raw(None, timeout=40, tls=self.tls)
            self.several = self.wide.prepare(SEVERAL)
        word, tenants = self.word(), [self.tenant, self.friend]
        if self.random.random() < 0.5:
            text = SEVERAL.replace("?", "'%s'") % (word, *tenants, TOPIC)
            rows = self.wide.query(text).rows
        else:
            self.wide.send_execute(self.several, word, *tenants, TOPIC)
            if self.random.random() < 0.2:
                self.close()
                return
            rows = self.wide.read_result(binary=True).rows
        self.check_rows(word, rows, tenants)

    def publish(self):
        identifier = self.word()
        result = self.connection.execute(
            self.insert, *message(TOPIC, identifier, payload=identifier.encode())
        )
        self.expect(result.affected == 1, f"{result.affected} rows inserted")
        return identifier, result.insert_id

    def publish_alone(self):
        identifier, insert_id = self.publish()
        self.kept.add(identifier)
        (row,) = self.connection.query("SELECT LAST_INSERT_ID()").rows
        self.expect(int(row[0]) == insert_id, f"LAST_INSERT_ID() {row} after {insert_id}")

    def transaction(self):
        self.connection.query("BEGIN")
        identifiers = {self.publish()[0] for _ in range(self.random.randint(1, 3))}
        self.read_text()
        if self.random.random() < 0.5:
            self.connection.query("COMMIT")
            self.kept |= identifiers
        else:
            self.connection.query("ROLLBACK")
            self.undone |= identifiers

    def ask_session(self):
        word = self.word()
        (row,) = self.connection.query(f"SELECT '{word}', CONNECTION_ID(), DATABASE()").rows
        wanted = (word.encode(), str(self.connection.connection_id).encode(), b"queue")
        self.expect(row == wanted, f"{row} instead of {wanted}")

    def change_state(self):
        zone = self.random.choice(["+00:00", "+05:30", "-11:00"])
        word = self.word()
        self.connection.query(f"SET time_zone = '{zone}'")
        (row,) = self.connection.query(f"SELECT '{word}', @@time_zone").rows
        self.expect(row == (word.encode(), zone.encode()), f"{row} instead of {zone}")

    def refused_statement(self):
        word = self.word()
        try:
            self.connection.query(f"SELECT * FROM `{word}`")
        except ServerError as error:
            self.expect(word in error.message, f"{error} for {word}")
        else:
            raise Unexpected(f"{self.name}: a table that does not exist")

    def reset(self):
        self.connection.reset_connection()
        self.connection.ping()
        self.close()

    def vanish(self):
        """In the middle of a command, of a transaction, or of an answer."""
        way = self.random.randrange(4)
        if way == 0:
            self.connection.socket.sendall(b"\x50\0\0\0\x03SELECT")
        elif way == 1:
            self.connection.command(
                COM_QUERY, b"SELECT a.id FROM queue_messages a WHERE a.topic = 'leak'"
            )
        elif way == 2:
            self.connection.query("BEGIN")
            self.undone.add(self.publish()[0])
        else:
            self.connection.command(
                COM_QUERY,
                b"SELECT REPEAT(a.id, 2000) FROM queue_messages a WHERE a.topic = 'leak'",
            )
            self.connection.receive()
        self.close()


class Crowd:
    """Runs clients in threads and keeps what went wrong."""

    def __init__(self, gateway, tenants, count, seed, tls=None):
        self.clients = [
            Client(
                gateway,
                tenants[n % len(tenants)],
                n,
                f"{seed}/{n}",
                tenants[(n + n // len(tenants) + 1) % len(tenants)],
                tls,
            )
            for n in range(count)
        ]
        self.faults = []

    def _run(self, client, until):
        try:
            client.run(until)
        except (Unexpected, ProtocolError, AssertionError) as fault:
            self.faults.append(fault)
        finally:
            client.close()

    def run(self, seconds, meanwhile):
        """meanwhile() is called again and again until the time is over."""
        until = time.monotonic() + seconds
        threads = [threading.Thread(target=self._run, args=(c, until)) for c in self.clients]
        for thread in threads:
            thread.start()
        while time.monotonic() < until and not self.faults:
            meanwhile()
        for thread in threads:
            thread.join()
        assert not self.faults, "\n".join(str(f) for f in self.faults[:10])

    @property
    def commands(self):
        return sum(c.commands for c in self.clients)
