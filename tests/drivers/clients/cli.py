"""The command-line clients as drivers: cli.py JOB COMMAND…: one process per case, statements by its
standard input, answers and errors read from what it prints."""

import json
import re
import subprocess
import sys
import zlib

MARK = "-- step"
ERROR = re.compile(r"ERROR (\d+) \((\w+)\)(?: at line \d+)?(?: in file: .*?)?: (.*)")
CALLS = {"begin": "BEGIN", "commit": "COMMIT", "rollback": "ROLLBACK", "ping": "DO 1"}


def literal(param):
    """A parameter of the specification as SQL."""
    if param is None:
        return "NULL"
    if isinstance(param, dict):
        ((kind, value),) = param.items()
        if kind in ("integer", "decimal"):
            return value
        if kind == "hex":
            return f"X'{value}'"
        if kind == "blob":
            block = bytes((31 * i + (i >> 8)) & 255 for i in range(65536))
            return f"X'{(block * (value // 65536 + 1))[:value].hex()}'"
        return f"'{value}'"
    if isinstance(param, str):
        text = param.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{text}'"
    return str(param)


def statements(step):
    """The SQL of a step; one for each set of parameters."""
    if step["op"] == "call":
        return [CALLS[step["name"]]]
    out = []
    for params in step.get("params") or [[]]:
        values = iter(params)
        out.append(re.sub(r"\?", lambda _: literal(next(values)), step["sql"]))
    return out


def script(steps):
    """All statements, each behind one that prints where its answer begins."""
    lines = []
    for number, step in enumerate(steps):
        for turn, sql in enumerate(statements(step)):
            lines.append(f"SELECT '{MARK} {number} {turn}' AS mark;\n{sql};\n")
    return "".join(lines)


def result_of(lines):
    error = next((ERROR.match(line) for line in lines if ERROR.match(line)), None)
    if error:
        errno, state, message = error.groups()
        return {"error": {"errno": int(errno), "sqlstate": state, "message": message}}
    rows = [[None if v == "NULL" else v for v in line.split("\t")] for line in lines]
    return {"rows": [[short(v) for v in row] for row in rows]}


def short(value):
    return (
        value
        if value is None or len(value) <= 200
        else f"{len(value)} characters, {hash_of(value)}"
    )


def hash_of(text):
    return zlib.crc32(text.encode())


def arguments(mariadb, target):
    out = [f"--user={target['user']}", f"--password={target['password']}"]
    if target["socket"]:
        out += [f"--socket={target['socket']}"]
    else:
        out += [f"--host={target['host']}", f"--port={target['port']}", "--protocol=tcp"]
    out += ["--compress"] if target["compress"] else []
    return out + tls_arguments(mariadb, target["tls"])


def tls_arguments(mariadb, tls):
    """Without TLS it must be told: MariaDB's client would send a password in clear text instead."""
    if mariadb:
        return [f"--ssl-ca={tls['ca']}", "--ssl-verify-server-cert"] if tls else ["--skip-ssl"]
    return [f"--ssl-ca={tls['ca']}", "--ssl-mode=VERIFY_CA"] if tls else ["--ssl-mode=DISABLED"]


def run_case(command, target, steps):
    done = subprocess.run(
        [
            *command,
            *arguments(command[0].endswith("mariadb"), target),
            "--default-character-set=utf8mb4",
            "--batch",
            "--force",
            "--unbuffered",
            "--comments",
            "--max-allowed-packet=64M",
            "--skip-column-names",
            target["database"],
        ],
        input=script(steps).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    results, current = [[] for _ in steps], None
    for line in done.stdout.decode(errors="backslashreplace").splitlines():
        if line.startswith(MARK):
            number = int(line.split()[2])
            current = []
            results[number].append(current)
        elif current is not None:
            current.append(line)
        elif ERROR.match(line):
            return [[result_of([line])]]
    return [[result_of(lines) for lines in step] for step in results]


def version_of(command):
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    return re.search(r"(?:Distrib |Ver |from )(\d+\.\d+\.\d+)", done.stdout).group(1)


def main():
    job_path, *command = sys.argv[1:]
    with open(job_path, encoding="utf-8") as file:
        job = json.load(file)
    print(json.dumps({"version": version_of(command)}))
    for case in job["cases"]:
        steps = run_case(command, job["targets"][case["target"]], case["steps"])
        print(json.dumps({"case": case["name"], "steps": steps}), flush=True)


if __name__ == "__main__":
    main()
