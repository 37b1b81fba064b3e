"""One sample: sysbench runs queue.lua against a target while the target's processor time and
memory are read from /proc."""

import os
import re
import subprocess
from dataclasses import dataclass
from typing import Optional

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "queue.lua")
# Statements in one event of each workload; a publish is a transaction of three.
WORKLOADS = {"point": 1, "poll": 1, "publish": 3}
MODES = ("text", "prepared", "reprepare")
PARTITIONS = 16
MESSAGES = 1000  # in each partition
IDLE_CLIENTS = 200
TICKS = os.sysconf("SC_CLK_TCK")
# Beyond the time of a sample: logging in, and ending the last statement.
GRACE_SECONDS = 60


class BenchError(Exception):
    """Something the user is told in one message, without a traceback."""


@dataclass(frozen=True)
class Cell:
    """What is measured, apart from the target."""
    workload: str
    mode: str
    connections: int

    def __str__(self):
        return f"{self.workload} {self.mode} {self.connections}"


@dataclass
class Sample:
    """Times in microseconds, memory in KiB; cpu and memory None where there is no proxy.
    The latencies are an event's: of a statement, or of a whole publishing transaction."""
    throughput: float = 0.0  # statements in a second
    mean: float = 0.0
    p99: float = 0.0
    cpu: Optional[float] = None  # for each statement
    resident: Optional[int] = None
    error: Optional[str] = None

    def __str__(self):
        if self.error:
            return f"failed: {self.error}"
        cpu = "" if self.cpu is None else f", CPU {self.cpu:.1f} µs"
        return f"{self.throughput:.0f}/s, mean {self.mean:.0f} µs, p99 {self.p99:.0f} µs{cpu}"


def cpu_seconds(pid):
    """User and system time of a process with all its threads."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
        return int(re.search(r"VmRSS:\s*(\d+)", status.read()).group(1))


def start_sysbench(target, cell, seconds, run_name):
    """Starts it and returns when every connection is logged in."""
    argv = ["sysbench", SCRIPT, "--db-driver=mysql", f"--mysql-host={target.host}",
            f"--mysql-port={target.port}", f"--mysql-user={target.user}",
            f"--mysql-password={target.password}", f"--mysql-db={target.database}",
            f"--workload={cell.workload}", f"--mode={cell.mode}",
            f"--partitions={PARTITIONS}", f"--messages={MESSAGES}",
            f"--run={target.name}-{cell.mode}-{cell.connections}-{run_name}",
            f"--threads={cell.connections}", f"--time={seconds}", "--percentile=99", "run"]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = ""
    for line in process.stdout:
        output += line
        if line.startswith("Threads started!"):
            break
    return process, output


def finish(process, output, seconds):
    """The rest of the output; the process is gone afterwards."""
    try:
        rest, _ = process.communicate(timeout=seconds + GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        rest = process.communicate()[0] + "\nFATAL: no end in time"
    return output + rest


def failure(process, output):
    """Why a sample is worth nothing, or None."""
    fatal = [line for line in output.splitlines() if "FATAL" in line]
    if fatal:
        return fatal[0].strip()
    if process.returncode != 0:
        last = (output.strip().splitlines() or ["no output"])[-1]
        return f"sysbench ended with status {process.returncode}: {last}"
    return None


def number(pattern, output):
    match = re.search(pattern + r"\s*([\d.]+)", output)
    if not match:
        raise BenchError(f"sysbench printed no line like {pattern}:\n{output}")
    return float(match.group(1))


def run(target, cell, seconds, run_name):
    """One sample of one cell against one target."""
    process, output = start_sysbench(target, cell, seconds, run_name)
    before = cpu_seconds(target.pid) if target.pid else 0.0
    output = finish(process, output, seconds)
    error = failure(process, output)
    if error:
        return Sample(error=error)
    events = number(r"total number of events:", output)
    if not events:
        return Sample(error="not one statement was answered")
    statements = events * WORKLOADS[cell.workload]
    # Its own average is rounded to 10 µs; the sum is not.
    sample = Sample(throughput=statements / number(r"total time:", output),
                    mean=1000 * number(r"\bsum:", output) / events,
                    p99=1000 * number(r"99th percentile:", output))
    if target.pid:
        sample.cpu = 1e6 * (cpu_seconds(target.pid) - before) / statements
        sample.resident = resident_kib(target.pid)
    return sample


def idle_client_memory(target):
    """KiB that one more logged-in client adds to the proxy, or None when they cannot log in."""
    before = resident_kib(target.pid)
    process, output = start_sysbench(target, Cell("idle", "text", IDLE_CLIENTS), 1, "idle")
    after = resident_kib(target.pid)
    output = finish(process, output, 1)
    if failure(process, output):
        return None
    return max(0.0, (after - before) / IDLE_CLIENTS)
