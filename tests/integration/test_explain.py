"""`mqgate explain --json`: one object, whatever the statement is. What it says is for golden files."""

import json

import pytest

from cluster import ROOT
from gateway import run_program

GOLDEN = ROOT / "tests" / "golden" / "mqgate.yaml"


@pytest.mark.parametrize(
    "statement, verdict",
    [
        ("SELECT * FROM queue_offsets", "single"),
        ("SELECT '\"\x01\u00e9\\\\' FROM queue_offsets", "single"),
        (b"SELECT '\xff\xfe' FROM queue_offsets", "single"),
        ("SELECT MAX(offset) FROM queue_messages", "single"),
        ("BEGIN", "local"),
        ("SELEC", "reject"),
        ("", "reject"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--tree"], ["--prepared"], ["--tree", "--prepared"]])
def test_one_object(tmp_path, statement, verdict, options):
    file = tmp_path / "statement.sql"
    file.write_bytes(statement if isinstance(statement, bytes) else statement.encode())
    done = run_program(
        "explain", "-c", GOLDEN, "--json", "--set", "@mq_tenant=acme", *options, "--file", file
    )
    said = json.loads(done.stdout)
    assert said["verdict"] == verdict and done.returncode == (verdict == "reject")
    assert ("tree" in said) == ("--tree" in options and statement not in ("", "SELEC"))
    assert verdict != "single" or "sent" in said
