#!/usr/bin/env python3
"""Golden files of `mqgate lint`: what it prints for each file of lint/, beside it as *.expected.

ARGUMENTS names what a file needs beyond `-c mqgate.yaml --all`. The logs and digests are of real
servers. With MQ_GOLDEN_UPDATE=1 the expected files are rewritten; review them as a diff.

Usage: run_lint.py MQGATE [FILE]...
"""
import os
import pathlib
import subprocess
import sys

import expected

HERE = pathlib.Path(__file__).resolve().parent
MARIADB = ["--dialect", "mariadb-10.11"]
MYSQL = ["--dialect", "mysql-9.7"]
ARGUMENTS = {
    "mariadb_general.log": MARIADB,
    "mariadb_slow.log": [*MARIADB, "--set", "@mq_tenant=acme"],
    "mariadb_digests.tsv": MARIADB,
    "mariadb_dump.sql": [*MARIADB, "--set", "@mq_tenant=acme"],
    "mysql_general.log": MYSQL,
    "mysql_slow.log": [*MYSQL, "--user", "globex"],
    "mysql_digests.tsv": MYSQL,
    "digests.csv": ["--json", "--strict"],
    "streamed.json": ["--database", ""],
}


def lint(mqgate, path):
    arguments = ARGUMENTS.get(path.name, [])
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MQ_", "MQGATE_"))}
    done = subprocess.run(
        [mqgate, "lint", "-c", "mqgate.yaml", "--all", *arguments, f"lint/{path.name}"],
        cwd=HERE, env=environment, timeout=60, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        check=False)
    text = done.stdout.decode(errors="backslashreplace")
    return f"arguments: {' '.join(arguments)}\nexit status: {done.returncode}\n\n{text}"


def check(mqgate, path):
    return expected.same(path.with_name(path.name + ".expected"), lint(mqgate, path), "lint")


def check_all(mqgate):
    """Whether each file is as expected."""
    return [check(mqgate, path) for path in sorted((HERE / "lint").iterdir())
            if path.suffix != ".expected"]


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    mqgate = os.path.abspath(sys.argv[1])
    paths = [pathlib.Path(p).resolve() for p in sys.argv[2:]]
    results = [check(mqgate, path) for path in paths] if paths else check_all(mqgate)
    print(f"{sum(results)} of {len(results)} golden files as expected")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
