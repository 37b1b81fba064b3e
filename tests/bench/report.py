"""What was measured: medians over the rounds, ratios, goals, and the tables they are shown in."""

import dataclasses
import os
import platform
import statistics
from collections import defaultdict
from datetime import date

BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"
TOLERANCE = 1.05  # of the goals that compare with HAProxy
TITLES = {"direct": "direct", "haproxy": "HAProxy", "router": "Router",
          "router-sharing": "Router, sharing", "mqgate": "mqgate"}


class Results:
    """Samples by cell and target, and what the run was made on."""

    def __init__(self, args):
        self.rounds, self.seconds = args.rounds, args.seconds
        self.samples = defaultdict(lambda: defaultdict(list))
        self.idle = {}
        self.planning = []  # as planning_bench prints it
        self.scatter = []   # as scatter_bench prints it
        self.at_start = {}
        self.server = ""

    def describe(self, lane):
        self.server = f"MySQL {lane.cluster['version']}"
        self.at_start = {t.name: t.resident_at_start for t in lane.proxies()}

    def add(self, cell, target, sample):
        self.samples[cell][target].append(sample)

    def failures(self):
        return [f"{cell}, {target}: {sample.error}"
                for cell, by_target in self.samples.items()
                for target, samples in by_target.items() for sample in samples if sample.error]

    def median(self, cell, target, field):
        """Over the rounds that did not fail, or None."""
        values = [getattr(s, field) for s in self.samples[cell].get(target, []) if not s.error]
        values = [v for v in values if v is not None]
        return statistics.median(values) if values else None

    def added(self, cell, target):
        """Mean latency beyond direct, in microseconds."""
        mean, direct = self.median(cell, target, "mean"), self.median(cell, "direct", "mean")
        return None if mean is None or direct is None else mean - direct

    def most_resident(self, target):
        values = [s.resident for by_target in self.samples.values()
                  for s in by_target.get(target, []) if s.resident]
        return max(values) if values else None

    def as_dict(self):
        return {
            "date": date.today().isoformat(), "machine": machine(), "server": self.server,
            "rounds": self.rounds, "seconds": self.seconds,
            "resident_at_start_kib": self.at_start, "idle_client_kib": self.idle,
            "planning": self.planning,
            "scatter": self.scatter,
            "cells": [{"workload": cell.workload, "mode": cell.mode,
                       "connections": cell.connections,
                       "targets": {t: [dataclasses.asdict(s) for s in samples]
                                   for t, samples in by_target.items()}}
                      for cell, by_target in self.samples.items()],
            "goals": [dataclasses.asdict(goal) for goal in goals(self)],
            "failures": self.failures(),
        }


def machine():
    model = platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        for line in cpuinfo:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{len(os.sched_getaffinity(0))} cores of {model}, Linux {platform.release()}"


def ratio(a, b):
    return None if a is None or not b or b <= 0 else a / b


def text(value, digits=0):
    return "-" if value is None else f"{value:.{digits}f}"


# --- goals -------------------------------------------------------------------------------------


@dataclasses.dataclass
class Goal:
    """One line of the verdict."""
    what: str
    measured: str
    met: bool


def limit_goal(what, values, limit, strict=False):
    """A goal for every cell's ratio: what was measured, and the cell where it was largest."""
    values = [(v, str(cell)) for cell, v in values if v is not None]
    if not values:
        return None
    (least, _), (most, cell) = min(values), max(values)
    met = most < limit if strict else most <= limit
    return Goal(what, f"{least:.2f} to {most:.2f} × (largest: {cell})", met)


def goals(results):
    """The goals with the worst figure of this run."""
    cells = [c for c in results.samples if results.median(c, "mqgate", "mean") is not None]

    def cpu_against(target):
        return [(c, ratio(results.median(c, "mqgate", "cpu"), results.median(c, target, "cpu")))
                for c in cells]

    added = [(c, ratio(results.added(c, "mqgate"), results.added(c, "haproxy")))
             for c in cells if c.connections == 1 and c.mode != "reprepare"]
    reprepare = [(c, ratio(results.median(c, "mqgate", "mean"),
                           results.median(c, "direct", "mean")))
                 for c in cells if c.mode == "reprepare"]
    found = [
        limit_goal("CPU per statement: at most 1.0 × HAProxy's (5 % tolerance)", cpu_against("haproxy"),
                   TOLERANCE),
        limit_goal("CPU per statement: less than half of Router's with connection sharing",
                   cpu_against("router-sharing"), 0.5, strict=True),
        limit_goal("added latency, one connection: at most 1.0 × HAProxy's (5 % tolerance)", added, TOLERANCE),
        limit_goal("prepare, execute and close for every call: faster than direct", reprepare,
                   1.0, strict=True),
    ]
    if "mqgate" in results.at_start:
        mib = results.at_start["mqgate"] / 1024
        found.append(Goal("resident at start: at most 10 MiB", f"{mib:.1f} MiB", mib <= 10))
    if results.idle.get("mqgate") is not None:
        kib = results.idle["mqgate"]
        found.append(Goal("an idle client: at most 16 KiB", f"{kib:.1f} KiB", kib <= 16))
    for kind, what, limit in (("seen_ns", "planning a statement seen before", 500),
                              ("new_ns", "planning a new statement", 10000)):
        if results.planning:
            entry = max(results.planning, key=lambda entry: entry[kind])
            found.append(Goal(f"{what}: at most {limit / 1000:g} µs",
                              f"at most {entry[kind] / 1000:.2f} µs ({entry['statement']}, "
                              f"tenants: {entry['tenants']})", entry[kind] <= limit))
    return [goal for goal in found if goal]


def goal_rows(results):
    return [[g.what, g.measured, "met" if g.met else "**missed**"] for g in goals(results)]


# --- tables ------------------------------------------------------------------------------------


def cell_title(cell):
    many = "" if cell.connections == 1 else "s"
    return f"{cell.workload}, {cell.mode}, {cell.connections} connection{many}"


def detail_rows(results):
    """One row for each cell and target."""
    rows = []
    for cell in results.samples:
        for target in TITLES:
            if target not in results.samples[cell]:
                continue
            if results.median(cell, target, "mean") is None:
                rows.append([cell_title(cell), TITLES[target], "failed"] + ["-"] * 6)
                continue
            cpu = results.median(cell, target, "cpu")
            rows.append([
                cell_title(cell), TITLES[target],
                text(results.median(cell, target, "throughput")),
                text(results.median(cell, target, "mean")),
                text(results.median(cell, target, "p99")), text(cpu, 1),
                text(ratio(cpu, results.median(cell, "haproxy", "cpu")), 2),
                text(ratio(cpu, results.median(cell, "router-sharing", "cpu")), 2),
                text(ratio(results.added(cell, target), results.added(cell, "haproxy")), 2),
            ])
    return rows


DETAIL_HEADS = ["workload", "through", "statements/s", "mean µs", "p99 µs", "CPU µs/statement",
                "CPU ÷ HAProxy", "CPU ÷ Router, sharing", "added latency ÷ HAProxy"]


def memory_rows(results):
    return [[TITLES[t], text(results.at_start[t] / 1024, 1),
             text(None if results.most_resident(t) is None else results.most_resident(t) / 1024,
                  1), text(results.idle.get(t), 1)]
            for t in TITLES if t in results.at_start]


MEMORY_HEADS = ["", "resident at start, MiB", "at most, MiB", "one idle client, KiB"]


PLANNING_HEADS = ["statement", "tenants", "seen before, µs", "new, µs"]


SCATTER_HEADS = ["shards", "CPU per statement, µs", "per shard, µs"]


def scatter_rows(results):
    return [[str(entry["shards"]), text(entry["statement_us"], 1), text(entry["shard_us"], 1)]
            for entry in results.scatter]


def planning_rows(results):
    return [[entry["statement"], str(entry["tenants"]), text(entry["seen_ns"] / 1000, 2),
             text(entry["new_ns"] / 1000, 2)] for entry in results.planning]


def markdown_table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def plain_table(heads, rows):
    """Columns lined up; numbers to the right."""
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]

    def line(row):
        return "  ".join(cell.ljust(w) if i < 2 else cell.rjust(w)
                         for i, (cell, w) in enumerate(zip(row, widths))).rstrip()
    return "\n".join(line(row) for row in [heads, *rows])


def heading(results):
    return (f"{date.today().isoformat()}; {machine()}; {results.server} behind; "
            f"median of {results.rounds} rounds of {results.seconds:g} s samples.")


def as_text(results):
    parts = [heading(results), plain_table(DETAIL_HEADS, detail_rows(results))]
    if results.at_start:
        parts.append(plain_table(MEMORY_HEADS, memory_rows(results)))
    if results.planning:
        parts.append(plain_table(PLANNING_HEADS, planning_rows(results)))
    if results.scatter:
        parts.append(plain_table(SCATTER_HEADS, scatter_rows(results)))
    if goals(results):
        parts.append(plain_table(["goal", "measured", ""], goal_rows(results)).replace("**", ""))
    if results.failures():
        parts.append("\n".join(["failed samples:", *results.failures()]))
    return "\n\n".join(parts)


def as_markdown(results):
    parts = [heading(results)]
    if goals(results):
        parts += ["### Goals", markdown_table(["goal", "measured", ""], goal_rows(results))]
    parts += ["### Memory", markdown_table(MEMORY_HEADS, memory_rows(results))]
    if results.planning:
        parts += ["### Planning alone", markdown_table(PLANNING_HEADS, planning_rows(results))]
    if results.scatter:
        parts += ["### Statements for several tenants, without sockets",
                  markdown_table(SCATTER_HEADS, scatter_rows(results))]
    parts += ["### All figures", markdown_table(DETAIL_HEADS, detail_rows(results))]
    return "\n\n".join(parts)


def replace_between(path, begin, end, tables):
    """Replaces what stands between the two marks in the document."""
    with open(path, encoding="utf-8") as file:
        document = file.read()
    before, found_begin, rest = document.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found_begin or not found_end:
        raise SystemExit(f"bench: {path} lacks {begin} and {end}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{before}{begin}\n\n{tables}\n\n{end}{after}")


def update_document(path, results):
    replace_between(path, BEGIN, END, as_markdown(results))
