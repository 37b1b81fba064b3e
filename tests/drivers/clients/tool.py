"""mysqldump and its kind as drivers: tool.py JOB COMMAND…: each step runs the tool once, with the
step's arguments, and tells its exit status and what it printed."""

import json
import re
import subprocess
import sys

import cli

CHANGING = re.compile(r"\d+\.\d{3} seconds")  # from run to run


def short(text):
    return cli.short(CHANGING.sub("", text))


def run_step(command, target, step):
    mariadb = "mariadb" in command[0]
    done = subprocess.run(
        [*command, *cli.arguments(mariadb, target), *step["sql"].split()],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return [{"error": {"message": done.stderr[-500:], "status": done.returncode}}]
    return [{"output": short(done.stdout)}]


def main():
    job_path, *command = sys.argv[1:]
    with open(job_path, encoding="utf-8") as file:
        job = json.load(file)
    print(json.dumps({"version": cli.version_of(command)}))
    for case in job["cases"]:
        steps = [run_step(command, job["targets"][case["target"]], s) for s in case["steps"]]
        print(json.dumps({"case": case["name"], "steps": steps}), flush=True)


if __name__ == "__main__":
    main()
