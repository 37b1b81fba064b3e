"""Every command byte, and packets that no honest client sends."""

import os
import random
import socket

import pytest

from legacy import count, publish
from rawmysql import (
    COM_CHANGE_USER,
    COM_PING,
    COM_QUERY,
    COM_QUIT,
    COM_STATISTICS,
    COM_STMT_CLOSE,
    COM_STMT_EXECUTE,
    COM_STMT_RESET,
    COM_STMT_SEND_LONG_DATA,
    RawConnection,
    ServerError,
)
from waiting import wait_until

# COM_CHANGE_USER begins a dialogue, COM_PROCESS_KILL kills: they have tests of their own.
SERVED = {0x02, 0x03, 0x04, 0x09, 0x0A, 0x0C, 0x0E, 0x16, 0x17, 0x1A, 0x1B, 0x1C, 0x1F}
COM_PROCESS_INFO = 0x0A
SILENT = {COM_STMT_SEND_LONG_DATA, COM_STMT_CLOSE}


@pytest.mark.parametrize("body", [b"", b"\x01\0\0\0", b"queue\0"])
def test_every_command_byte(connect, tenant, body):
    connection = connect(tenant, raw=True)
    for byte in range(256):
        if byte in (COM_QUIT, COM_CHANGE_USER):
            continue
        connection.command(byte, body)
        if byte not in SILENT:
            try:
                if byte == COM_PROCESS_INFO:
                    connection.read_result()
                else:
                    connection.receive_answer()
                answered = True
            except ServerError as error:
                answered = False
                assert byte in SERVED or error.errno == 1047, f"0x{byte:02x}: {error}"
            assert not answered or byte in SERVED, f"0x{byte:02x} was served"
        connection.ping()


def test_quit(connect):
    connection = connect(raw=True)
    connection.command(COM_QUIT)
    with pytest.raises(ConnectionError):
        connection.receive()


def test_statistics(connect):
    connection = connect(raw=True)
    connection.command(COM_STATISTICS)
    assert b"Uptime" in connection.receive_answer()
    connection.ping()


def test_commands_sent_without_waiting(connect, tenant, topic):
    """Answers come in order, whatever the speed of each."""
    connection = connect(tenant, raw=True)
    text = f"SELECT COUNT(*), {{}} FROM queue_messages WHERE topic = '{topic}'"
    for n in range(20):
        connection.command(COM_QUERY, text.format(n).encode())
        connection.command(COM_PING)
    for n in range(20):
        connection.sequence = 1
        assert connection.read_result().rows == [(b"0", str(n).encode())]
        connection.sequence = 1
        connection.receive_answer()


def test_bytes_that_trickle(connect, tenant, topic):
    """A packet may arrive one byte at a time."""
    connection = connect(tenant, raw=True)
    body = b"\x03SELECT COUNT(*) FROM queue_messages WHERE topic = '%s'" % topic.encode()
    for byte in len(body).to_bytes(3, "little") + b"\0" + body:
        connection.socket.sendall(bytes([byte]))
    connection.sequence = 1
    assert connection.read_result().rows == [(b"0",)]


def ends_or_errors(connection):
    """The server answers with an error or closes; it does not stay silent."""
    try:
        connection.receive_answer()
    except (ServerError, ConnectionError):
        return
    raise AssertionError("a malformed packet was served")


def test_sequence_out_of_order(connect):
    connection = connect(raw=True)
    connection.send(b"\x03SELECT 1", sequence=5)
    answer = b"".join(iter(lambda: connection.socket.recv(4096), b""))  # until it closes
    assert answer[4:7] == b"\xff" + (1156).to_bytes(2, "little"), answer


def test_empty_packet(connect):
    connection = connect(raw=True)
    connection.send(b"", sequence=0)
    ends_or_errors(connection)


@pytest.mark.parametrize(
    "command, body",
    [
        (COM_STMT_EXECUTE, b""),
        (COM_STMT_EXECUTE, b"\x01\0\0\0"),
        (COM_STMT_EXECUTE, b"\xff" * 9),
        (COM_STMT_EXECUTE, b"\x01\0\0\0\0\x01\0\0\0"),
        (COM_STMT_RESET, b""),
        (COM_STMT_RESET, b"\xff" * 4),
        (0x1C, b"\x01\0\0\0\x01\0\0\0"),
    ],
)
def test_statement_commands_without_a_statement(connect, command, body):
    connection = connect(raw=True)
    connection.command(command, body)
    with pytest.raises(ServerError):
        connection.receive_answer()
    connection.ping()


def test_truncated_execute(connect, tenant, topic):
    """Every prefix of a good COM_STMT_EXECUTE is refused, and the statement works afterwards."""
    connection = connect(tenant, raw=True)
    statement = connection.prepare(
        "SELECT id FROM queue_messages WHERE topic = ? AND partition_key = ? " "AND offset > ?"
    )
    sent = []
    connection.command = lambda byte, body=b"": sent.append(bytes([byte]) + body)
    connection.send_execute(statement, topic, "p", 7)
    del connection.command
    for length in range(1, len(sent[0])):
        connection.send(sent[0][:length], sequence=0)
        with pytest.raises(ServerError):
            connection.read_result(binary=True)
    assert connection.execute(statement, topic, "p", 7).rows == []


def test_garbage(gateway, connect, tenant, topic):
    """Random packets on many connections; a witness is not disturbed and nothing is written."""
    witness = connect(tenant)
    publish(witness, topic, "m")
    chance = random.Random(1)
    for _ in range(150):
        with RawConnection(gateway.address, timeout=10) as connection:
            if chance.random() < 0.7:
                connection.login("app", "app", database=f"queue@{tenant}")
            try:
                for _ in range(5):
                    payload = bytes(chance.choices(range(256), k=chance.randrange(200)))
                    head = chance.choice(
                        [b"", b"\x03", b"\x16", b"\x17\x01\0\0\0", b"\x18\x01\0\0\0"]
                    )
                    connection.send(head + payload, sequence=chance.choice([0, 0, 0, 0, 7]))
            except OSError:
                pass  # it has had enough
    assert count(witness, topic) == 1
    gateway.check_alive()


@pytest.mark.threads
def test_half_open_clients_are_forgotten(gateway, connect, tenant):
    """Clients that come and go at every stage leave nothing behind."""
    before = len(open_files(gateway))
    for n in range(60):
        connection = RawConnection(gateway.address)
        if n % 3:
            connection.login("app", "app", database=f"queue@{tenant}")
        if n % 3 == 2:
            connection.socket.sendall(b"\xff\xff\xff\x00\x03SELECT")  # and no more
        connection.close()
    # Backends may have been opened meanwhile, a few per worker.
    wait_until(lambda: len(open_files(gateway)) <= before + 8, "the descriptors are closed")


def open_files(gateway):
    return os.listdir(f"/proc/{gateway.process.pid}/fd")


def test_connection_reset_by_the_client(gateway, tenant):
    """RST instead of FIN."""
    for _ in range(20):
        connection = gateway.raw(tenant)
        connection.command(COM_QUERY, b"SELECT SLEEP(0.01)")
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        connection.close()
    gateway.check_alive()
