"""A Vitess cluster in one process: vtcombo (topology, vtgate and all tablets) over a MySQL server
that is running already. tools/local-cluster starts and stops it."""

import json
import os
import re
import shutil
import subprocess
import sys
import time

MODULE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "vitess")
PACKAGE = "vitess.io/vitess/go/cmd/vtcombo"
LEAST_GO = (1, 26)
START_TIMEOUT = 240  # seconds until every shard must have a serving primary
CELL = "local"
# The process refuses to run as root.
UNPRIVILEGED = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]


class VitessError(Exception):
    """Something the user is told in one message."""


def version():
    with open(os.path.join(MODULE, "go.mod"), encoding="utf-8") as file:
        return re.search(r"vitess\.io/vitess (v\S+)", file.read()).group(1)


def go_problem():
    """Why it cannot be built here; None if it can."""
    go = shutil.which("go")
    if not go:
        return "there is no go"
    said = subprocess.run([go, "version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"go(\d+)\.(\d+)", said)
    if not found or tuple(map(int, found.groups())) < LEAST_GO:
        return f"Go {'.'.join(map(str, LEAST_GO))} or later is needed, not {said.strip()}"
    return None


def program(cache):
    """vtcombo's path, built once for each version."""
    path = os.path.join(cache, "vitess", f"vtcombo-{version()}")
    if os.path.exists(path):
        return path
    problem = go_problem()
    if problem:
        raise VitessError(f"Vitess cannot be built: {problem}")
    print(f"building Vitess {version()} (some minutes, once): {path}", file=sys.stderr, flush=True)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    partial = f"{path}.{os.getpid()}"
    built = subprocess.run(["go", "build", "-o", partial, PACKAGE], cwd=MODULE, check=False,
                           env={**os.environ, "GOWORK": "off"})
    if built.returncode:
        raise VitessError("Vitess cannot be built; the messages of go are above")
    os.rename(partial, path)
    return path


def topology(keyspaces):
    """keyspaces: {name: names of its shards}"""
    return json.dumps({
        "cells": [CELL],
        "keyspaces": [{"name": keyspace, "replicaCount": 2, "rdonlyCount": 1,
                       "shards": [{"name": name} for name in shards]}
                      for keyspace, shards in keyspaces.items()],
    })


def write_schema(folder, keyspace, vschema):
    """Where vtcombo looks for the keyspace's VSchema."""
    path = os.path.join(folder, keyspace)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "vschema.json"), "w", encoding="utf-8") as file:
        file.write(vschema)


def arguments(path, keyspaces, folder, socket, ports, options=()):
    """The command line: keyspaces as in topology(); socket is MySQL's, where root needs no
    password; ports are vtgate's for MySQL clients, gRPC's and the web page's."""
    users = [f"--db-{kind}-user=root" for kind in
             ("app", "dba", "allprivs", "appdebug", "filtered", "repl")]
    unprivileged = UNPRIVILEGED if os.geteuid() == 0 else []
    return [*unprivileged, path, f"--mysql-server-port={ports[0]}",
            "--mysql-server-bind-address=127.0.0.1", "--mysql-auth-server-impl=none",
            f"--grpc-port={ports[1]}", f"--port={ports[2]}", "--bind-address=127.0.0.1",
            "--service-map=grpc-vtgateservice,grpc-vtctl,grpc-vtctld",
            f"--json-topo={topology(keyspaces)}", f"--schema-dir={folder}",
            f"--db-socket={socket}", "--db-charset=utf8mb4", *users, "--mycnf-server-id=1",
            f"--mycnf-socket-file={socket}", "--dbddl-plugin=vttest", "--foreign-key-mode=allow",
            "--vschema-ddl-authorized-users=%", "--transaction-mode=SINGLE", "--no-scatter",
            *options]


def wait_until_serving(query, keyspaces, alive):
    """query(statement) gives rows as lists of text, or None while nobody answers; keyspaces as in
    topology()."""
    wanted = {(keyspace, shard) for keyspace, shards in keyspaces.items() for shard in shards}
    deadline = time.monotonic() + START_TIMEOUT
    while True:
        rows = query("SHOW VITESS_TABLETS") or []
        serving = {(row[1], row[2]) for row in rows if row[3:5] == ["PRIMARY", "SERVING"]}
        if serving >= wanted:
            return
        if not alive():
            raise VitessError("vtcombo has ended")
        if time.monotonic() > deadline:
            raise VitessError("these shards do not serve: "
                              + ", ".join("/".join(one) for one in sorted(wanted - serving)))
        time.sleep(0.2)
