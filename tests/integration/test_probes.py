"""`mqgate healthcheck` and `mqgate wait`: what the probes of containers learn."""

import json
import socket
import subprocess

import pytest

from gateway import PROGRAM, run_program
from rawmysql import RawConnection, ServerError
from waiting import wait_until


def probe(command, gateway, *arguments):
    return run_program(command, "-c", gateway.config_path, *arguments)


def said(done):
    return json.loads(done.stdout)


@pytest.fixture
def stopped(make_gateway):
    return make_gateway(start=False)


@pytest.mark.parametrize("command", ["healthcheck", "wait"])
@pytest.mark.parametrize("login", [[], ["--login", "app"]], ids=["greeting", "login"])
def test_a_sidecar_that_serves(gateway, command, login):
    done = probe(command, gateway, *login)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = probe(command, gateway, "--json", *login)
    report = said(done)
    assert (report["ok"], report["address"]) == (True, f"127.0.0.1:{gateway.port}")
    assert "error" not in report and report["milliseconds"] < 5000


@pytest.mark.parametrize("login", [[], ["--login", "app"]], ids=["greeting", "login"])
def test_none_that_runs(stopped, login):
    address = f"127.0.0.1:{stopped.port}"
    done = probe("healthcheck", stopped, *login)
    assert done.returncode == 1 and address in done.stderr and not done.stdout
    done = probe("wait", stopped, "--timeout", "300ms", "--json", *login)
    report = said(done)
    assert done.returncode == 1 and not report["ok"] and address in report["error"]
    assert report["milliseconds"] >= 200


def test_one_that_says_something_else(stopped):
    with socket.create_server(("127.0.0.1", stopped.port)) as listener:
        process = subprocess.Popen(
            [PROGRAM, "healthcheck", "-c", stopped.config_path], stderr=subprocess.PIPE, text=True
        )
        with listener.accept()[0] as peer:
            peer.sendall(b"SSH-2.0-nobody\r\n")
            assert process.wait(20) == 1
    assert "no greeting" in process.stderr.read()


def test_one_that_says_nothing(stopped):
    """It accepts the connection, and that is all."""
    with socket.create_server(("127.0.0.1", stopped.port)):
        done = probe("healthcheck", stopped, "--json")
    assert done.returncode == 1
    assert 1900 <= said(done)["milliseconds"] < 10000


def only_connection(gateway):
    try:
        return RawConnection(gateway.address)
    except ServerError:
        return None


def test_a_full_one_is_alive(make_gateway):
    """Restarting it would throw out the clients that it serves."""
    gateway = make_gateway({"limits": {"max_connections": 1}})
    with wait_until(lambda: only_connection(gateway), "mqgate has forgotten who was there before"):
        assert probe("healthcheck", gateway).returncode == 0
        done = probe("healthcheck", gateway, "--login", "app")
        assert done.returncode == 1 and "MQ6001" in done.stderr


def test_waits_until_it_starts(make_gateway):
    gateway = make_gateway(start=False)
    waiting = subprocess.Popen([PROGRAM, "wait", "-c", gateway.config_path, "--login", "app"])
    gateway.start()
    assert waiting.wait(60) == 0


def test_a_socket(make_gateway, tmp_path):
    gateway = make_gateway({"listen": None}, start=False)
    gateway.configure({"listen": [{"socket": gateway.socket_path}]})
    assert probe("healthcheck", gateway).returncode == 1
    gateway.spawn()
    assert probe("wait", gateway, "--timeout", "30s").returncode == 0
    assert probe("healthcheck", gateway, "--login", "app").returncode == 0


@pytest.mark.parametrize(
    "arguments, reason",
    [
        (["--login", "nobody"], "no account nobody"),
        (["--timeout", "soon"], "--timeout"),
        (["now"], "now"),
    ],
)
def test_wrong_usage(stopped, arguments, reason):
    for command in ("healthcheck", "wait"):
        done = probe(command, stopped, *arguments)
        assert done.returncode == 2 and reason in done.stderr


def test_only_a_hash(make_gateway):
    hashed = {"password_hash": "*" + "0" * 40, "backend": {"user": "app", "password": "app"}}
    gateway = make_gateway({"accounts": {"hashed": hashed}}, start=False)
    done = probe("healthcheck", gateway, "--login", "hashed")
    assert done.returncode == 2 and "hash" in done.stderr
