"""What a run of the oracle has to say."""

import sys
import time
from collections import Counter

from gateway import run_program
from tables import MINE
from tree import render


class Report:
    """Sums that several processes add up."""

    def __init__(self, server):
        self.server = server
        self.units = self.served = self.refused = self.both_failed = 0
        self.refusals, self.errors, self.clauses = Counter(), Counter(), Counter()
        self.differences, self.crashes, self.faults = [], [], []
        self.shown = time.monotonic()

    def read(self, oracle):
        for name in ("served", "refused", "both_failed", "refusals", "errors", "clauses"):
            setattr(self, name, getattr(oracle, name))

    def add(self, other):
        for name in ("units", "served", "refused", "both_failed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("refusals", "errors", "clauses"):
            getattr(self, name).update(getattr(other, name))
        for name in ("differences", "crashes", "faults"):
            getattr(self, name).extend(getattr(other, name))

    def share(self):
        asked = self.served + self.refused
        return self.served / asked if asked else 0.0

    def progress(self, oracle, wanted, part):
        """A line a minute on the terminal."""
        if sys.stderr.isatty() and time.monotonic() - self.shown > 60:
            self.shown = time.monotonic()
            print(f"part {part}: {oracle.asked} of {wanted}", file=sys.stderr, flush=True)

    def summary(self, seconds):
        asked = self.served + self.refused
        lines = [
            f"{asked} statements in {self.units} units, {seconds:.0f} s",
            f"served {self.served} ({self.share():.2%}); {self.both_failed} of them failed alike on both sides",
            f"refused {self.refused}",
        ]
        lines += [f"  {count:6} {text}" for text, count in self.refusals.most_common()]
        lines += ["errors on both sides"]
        lines += [f"  {count:6} {errno} {text}" for (errno, text), count in self.errors.most_common(12)]
        lines += ["clauses: " + ", ".join(f"{name} {n}" for name, n in sorted(self.clauses.items()))]
        if self.crashes:
            lines.append(f"the {self.server} server ended by itself {len(self.crashes)} times; left out")
        lines += self.faults
        lines.append(f"differences {len(self.differences)}")
        return "\n".join(lines)


def explain(world, number, difference):
    """A difference with all that is needed to look into it."""
    shards = len(world.cluster.shards)
    lines = [f"--- unit {number} on {shards} shards differs (legacy | shards)"]
    *before, last = difference.unit.statements[: difference.index + 1]
    if difference.unit.transaction:
        lines.append("  BEGIN")
    lines += [f"  {render(s.tree)}" for s in before]
    lines.append(f"  {render(last.tree)}" + (" -- prepared" if last.binary else ""))
    lines += ["    " + line for line in difference.lines]
    lines += ["    " + line for line in sent(world, render(last.tree))]
    return "\n".join(lines)


def sent(world, text):
    """What mqgate makes of the statement."""
    dialect = "mysql-9.7" if world.mysql else "mariadb-10.11"
    done = run_program(
        "explain", "-c", str(world.gateway.config_path), "--database", "queue" if world.many else f"queue@{MINE}",
        "--dialect", dialect, "--file", "-", input=text,
    )  # fmt: skip
    return (done.stdout or done.stderr).splitlines()[:12]
