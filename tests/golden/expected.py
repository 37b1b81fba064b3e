"""Golden files: what is expected, compared with what is, or written by MQ_GOLDEN_UPDATE=1."""
import difflib
import os
import sys


def same(path, actual, name):
    """Prints the difference; with MQ_GOLDEN_UPDATE=1 there is none."""
    if os.environ.get("MQ_GOLDEN_UPDATE") == "1":
        path.write_text(actual, encoding="utf-8")
        return True
    expected = path.read_text(encoding="utf-8") if path.exists() else ""
    if actual == expected:
        return True
    sys.stdout.writelines(difflib.unified_diff(
        expected.splitlines(True), actual.splitlines(True), path.name, name))
    return False
