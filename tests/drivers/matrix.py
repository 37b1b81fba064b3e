"""Runs drivers on both sides and keeps what came of it."""

import contextlib
import json
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import judge

TIMEOUT = 100  # seconds for all cases of one driver on one side

SAME, LACKS, KNOWN, FAILED = "same", "lacks", "known", "failed"


@dataclass
class Cell:
    """What became of one case of one driver on one kind of server."""

    server: str
    driver: str
    case: str
    verdict: str
    differences: list = field(default_factory=list)
    reason: str = ""


class Matrix:
    """All cells of a run."""

    def __init__(self, specification, cases, known, toolchains):
        self.cases = {name: specification["cases"][name] for name in cases}
        self.logins = specification["logins"] if "connect" in cases else {}
        self.known, self.toolchains = known, toolchains
        self.cells, self.versions, self.servers = [], {}, {}
        self.titles, self.tools = {}, {}

    def failures(self):
        return [cell for cell in self.cells if cell.verdict == FAILED]

    def as_data(self):
        return {
            "servers": self.servers,
            "versions": self.versions,
            "cells": [vars(cell) for cell in self.cells],
        }

    def columns(self, tool=None):
        """Names of the columns of drivers, the ways to log in first, or of a kind of tool."""
        logins = [] if tool else [f"login {name}" for name in self.logins]
        cases = [name for name, case in self.cases.items() if case.get("tool") == tool]
        return logins + [name for name in cases if name != "connect"]

    def run(self, world, drivers):
        self.servers[world.flavour] = world.cluster.facts["version"]
        for name, driver in drivers.items():
            self.titles[name], self.tools[name] = driver["title"], driver.get("tool")
            started = time.monotonic()
            world.empty_tables()
            cells = list(DriverRun(self, world, name, driver).cells())
            self.cells += cells
            bad = [cell.case for cell in cells if cell.verdict == FAILED]
            print(
                f"{world.flavour:8} {driver['title']:34} {time.monotonic() - started:5.1f} s  "
                f"{'FAILED: ' + ', '.join(bad) if bad else 'ok'}",
                flush=True,
            )
            world.gateway.check_alive()

    def known_reason(self, server, driver, case):
        """Why a difference is expected, from known.yaml."""
        for entry in self.known:
            if (
                (case in entry["cases"] or entry["cases"] == ["all"])
                and driver in entry.get("drivers", [driver])
                and server in entry.get("servers", [server])
            ):
                return entry["reason"]
        return None


class DriverRun:
    """One driver on one kind of server: two processes, side by side, and their comparison."""

    def __init__(self, matrix, world, name, driver):
        self.matrix, self.world, self.name, self.driver = matrix, world, name, driver
        self.lacks, self.tool = set(driver.get("lacks", [])), driver.get("tool")

    def cells(self):
        wanted = dict(self.wanted_cases())
        direct, through = self.run_sides(wanted)
        for column in self.matrix.columns(self.tool):
            if column not in wanted:
                yield self.cell(column, LACKS, reason="the driver has no such thing")
                continue
            differences = list(self.judge(column, wanted[column], direct, through))
            yield self.verdict(column, differences)

    def cell(self, column, verdict, differences=(), reason=""):
        return Cell(self.world.flavour, self.name, column, verdict, list(differences), reason)

    def verdict(self, column, differences):
        known = self.matrix.known_reason(self.world.flavour, self.name, column)
        if known and differences:
            return self.cell(column, KNOWN, differences, known)
        if known and not differences:
            return self.cell(column, SAME, reason="known.yaml still lists a difference")
        return self.cell(column, FAILED if differences else SAME, differences)

    # --- what to run

    def wanted_cases(self):
        """(column, case) of all that the driver can do."""
        for name, login in self.matrix.logins.items():
            if not self.tool and name not in self.driver.get("logins", {}):
                yield f"login {name}", {**self.matrix.cases["connect"], "login": (name, login)}
        for name, case in self.matrix.cases.items():
            mine = case.get("tool") == self.tool and case.get("needs") not in self.lacks
            if mine and name != "connect":
                yield name, {"login": (name, {}), **case}

    def steps(self, case):
        """Prepared statements as text for drivers that have none."""
        for step in case["steps"]:
            if step["op"] == "prepared" and "prepared" in self.lacks:
                step = {**step, "op": "query"}
            yield step

    def target(self, case, direct):
        if direct and self.world.flavour in self.driver.get("no_direct", []):
            return None
        return self.world.target(self.name, direct, case["login"], case.get("account"))

    def job(self, wanted, direct):
        targets, cases = {}, []
        for column, case in wanted.items():
            target = self.target(case, direct)
            if target:
                targets[column] = target
                cases.append({"name": column, "target": column, "steps": list(self.steps(case))})
        return {"targets": targets, "cases": cases}

    # --- running it

    def run_sides(self, wanted):
        sides = []
        try:
            for direct in (True, False):
                sides.append(self.start(wanted, direct))
            return [self.collect(*side) for side in sides]
        finally:
            for process, _, _ in sides:
                process.kill()
                process.wait()

    def start(self, wanted, direct):
        path = Path(self.world.folder) / f"job-{'direct' if direct else 'mqgate'}.json"
        path.write_text(json.dumps(self.job(wanted, direct)), encoding="utf-8")
        output = path.with_suffix(".out").open("w+", encoding="utf-8")
        errors = path.with_suffix(".err").open("w+", encoding="utf-8")
        command = self.matrix.toolchains.command(self.driver["command"], path)
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        return process, output, errors

    def collect(self, process, output, errors):
        """{column: steps}; under None what the program wrote to standard error."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(TIMEOUT)
        output.seek(0)
        errors.seek(0)
        seen = {None: f"exit status {process.poll()}\n{errors.read()[-1500:]}"}
        for line in output:
            said = json.loads(line)
            if "version" in said:
                self.matrix.versions[self.name] = said["version"]
            else:
                seen[said["case"]] = said["steps"]
        return seen

    # --- judging it

    def judge(self, column, case, direct, through):
        """What is not as it should be, one text each."""
        steps = list(self.steps(case))
        if column not in through:
            yield f"through mqgate the program did not come so far; {through[None]}"
        elif not self.target(case, True):
            yield from judge.unexpected("through mqgate", self.expected(steps), through[column])
        elif column not in direct:
            yield f"directly the program did not come so far; {direct[None]}"
        else:
            if column not in self.driver.get("unchecked", {}):
                yield from judge.unexpected("directly", self.expected(steps), direct[column])
            yield from judge.differences(steps, direct[column], through[column])

    def expected(self, steps):
        """Without the numbers of rows, where the driver does not tell them."""
        without = {"affected"} & self.lacks
        return [{k: v for k, v in step.items() if k not in without} for step in steps]
