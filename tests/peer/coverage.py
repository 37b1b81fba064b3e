#!/usr/bin/env python3
"""How much of real SQL does mqgate's parser know?

    tests/peer/coverage.py build/asan/tests/peer_view

Reads the statements of Vitess' parser tests, which come from MySQL's own, out of the Go module
cache; asks MySQL 9.x which of them have no syntax error, and mqgate's parser how many of those it
reads. Exit status: 0 when it reads 99.5 % or more, 1 when less, 77 when something is missing.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from peers import SKIPPED, SYNTAX_ERRORS, View, connect, server, version_of
from rawmysql import ServerError

MODULE = "vitess.io/vitess@v0.24.4"
WANTED = 0.995


def test_data():
    """The folder of the module's parser tests."""
    command = ["go", "mod", "download", "-json", MODULE]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False, cwd="/")
        folder = Path(json.loads(done.stdout)["Dir"])
    except (OSError, ValueError, KeyError) as why:
        print(f"SKIPPED: {' '.join(command)}: {why!r}")
        sys.exit(SKIPPED)
    return folder / "go" / "vt" / "sqlparser" / "testdata"


def cases(path):
    """The inputs of a file of INPUT … END, OUTPUT … END."""
    lines, statement = path.read_text().split("\n"), None
    for line in lines:
        if line == "INPUT":
            statement = []
        elif line == "END" and statement is not None:
            yield "\n".join(statement)
            statement = None
        elif statement is not None:
            statement.append(line)


def statements():
    """All of them, each once; Vitess' own grammar (comments with directives) included."""
    folder = test_data()
    found = [*cases(folder / "select_cases.txt"), *cases(folder / "union_cases.txt")]
    found += (folder / "django_queries.txt").read_text().splitlines()
    return [s.encode() for s in dict.fromkeys(found) if s.strip()]


def is_syntax(connection, statement):
    """Does the server read it? PREPARE reads all of a statement, runs none of it, and answers
    a syntax error before any other."""
    try:
        connection.close_statement(connection.prepare(statement))
    except ServerError as error:
        return error.errno not in SYNTAX_ERRORS
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("view", help="the program peer_view")
    view_program = parser.parse_args().view
    found = statements()
    with server("mysql") as shard, connect(shard) as connection:
        connection.query(f"USE {shard['database']}")
        valid = [s for s in found if is_syntax(connection, s)]
        view = View(view_program, version_of(connection))
    answers = view.ask("parse", [("", s) for s in valid])
    missed = [(a.decode(errors="replace"), s) for a, s in zip(answers, valid) if a[:3] != b"ok "]
    for reason, statement in sorted(missed):
        print(f"{reason}\n    {statement.decode(errors='replace')}")
    kinds = Counter(a.split()[1].decode() for a in answers if a[:3] == b"ok ")
    print("read as:", ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    share = 1 - len(missed) / len(valid)
    print(f"{len(found)} statements, {len(valid)} without a syntax error for {view.version}, "
          f"of which mqgate reads {len(valid) - len(missed)}: {100 * share:.2f} %")
    return 0 if share >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
