"""deploy/systemd: systemd understands every line of the unit, and it stays confined."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MQGATE = Path(os.environ.get("MQGATE", ROOT / "build" / "asan" / "mqgate")).resolve()
UNIT = ROOT / "deploy" / "systemd" / "mqgate.service"
EXPOSURE_MAX = 2.0  # of 10, as systemd-analyze counts

pytestmark = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")


def analyze(*arguments):
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, timeout=60,
                          check=False)


def verify(text, folder):
    unit = folder / UNIT.name
    unit.write_text(text.replace("/usr/local/bin/mqgate", str(MQGATE)))
    return analyze("verify", "--recursive-errors=no", unit)


def test_unit(tmp_path):
    done = verify(UNIT.read_text(), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_misspelt_line_is_found(tmp_path):
    done = verify(UNIT.read_text().replace("ProtectSystem=", "ProtectSytem="), tmp_path)
    assert "ProtectSytem" in done.stderr


def test_exposure():
    done = analyze("security", "--offline=yes", "--no-pager", UNIT)
    assert float(re.search(r"exposure level for \S+: ([\d.]+)", done.stdout).group(1)) <= EXPOSURE_MAX
