#!/usr/bin/env python3
"""Golden files of `mqgate explain`: each case of *.sql is explained and compared with *.expected.
Those of `mqgate lint` are checked as well (run_lint.py).

A case is a line `-- case: NAME`, optional lines `-- args: OPTIONS` and the statement up to the
next case. With MQ_GOLDEN_UPDATE=1 the expected files are rewritten; review them as a diff.

Usage: run.py MQGATE [FILE.sql]...
"""
import concurrent.futures
import difflib
import os
import pathlib
import shlex
import subprocess
import sys

import expected
import run_lint

HERE = pathlib.Path(__file__).resolve().parent
DEFAULT_ARGS = ["--set", "@mq_tenant=acme"]


class Case:
    def __init__(self, name):
        self.name = name
        self.args = None
        self.lines = []

    def statement(self):
        return "\n".join(self.lines).strip("\n")


def read_cases(path):
    """The cases of one file; text before the first one is a comment."""
    cases = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("-- case:"):
            cases.append(Case(line.split(":", 1)[1].strip()))
        elif line.startswith("-- args:") and cases and not cases[-1].lines:
            cases[-1].args = (cases[-1].args or []) + shlex.split(line.split(":", 1)[1])
        elif cases:
            cases[-1].lines.append(line)
    return cases


def explain(mqgate, case):
    args = DEFAULT_ARGS if case.args is None else case.args
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MQ_", "MQGATE_"))}
    done = subprocess.run(
        [mqgate, "explain", "-c", "mqgate.yaml", *args, "--file", "-"],
        input=case.statement().encode(), cwd=HERE, env=environment, timeout=60,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    text = done.stdout.decode(errors="backslashreplace")
    if done.stderr or done.returncode not in (0, 1):
        text += f"exit status {done.returncode}\n{done.stderr.decode(errors='backslashreplace')}"
    return text


def render(mqgate, path):
    """What the expected file of path should hold, as one text."""
    cases = read_cases(path)
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        outputs = list(pool.map(lambda case: explain(mqgate, case), cases))
    parts = []
    for case, output in zip(cases, outputs):
        args = "" if case.args is None else "\n-- args: " + shlex.join(case.args)
        parts.append(f"-- case: {case.name}{args}\n{case.statement()}\n=>\n{output}\n")
    return "".join(parts)


def check(mqgate, path):
    return expected.same(path.with_suffix(".expected"), render(mqgate, path), "explain")


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    mqgate = os.path.abspath(sys.argv[1])
    paths = [pathlib.Path(p).resolve() for p in sys.argv[2:]] or sorted(HERE.glob("*.sql"))
    results = [check(mqgate, path) for path in paths]
    if not sys.argv[2:]:
        results += run_lint.check_all(mqgate)
    print(f"{sum(results)} of {len(results)} golden files as expected")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
