#!/usr/bin/env python3
"""Checks that the tests which docs/protocol.md names as proofs exist, that each row of its tables
of items has one, and that files of tests/ which any document names are there.

    tests/check_proofs.py
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
SECTION = "\n## Item by item\n"


def holds(folder, name, pattern):
    """Is there a file of that name with a line that fits?"""
    return any(re.search(pattern, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
               for path in folder.rglob(name))


def exists(proof):
    script = re.fullmatch(r"(\w+)\.script(?:: (.+))?", proof)
    if script:
        title = re.escape(script[2]) if script[2] else ".+"
        return holds(TESTS / "wire", f"{script[1]}.script", f'^case "{title}"$')
    function = re.fullmatch(r"(\w+)::(\w+)", proof)
    if not function:
        return False
    name = re.escape(function[2])
    return (holds(TESTS / "unit", f"{function[1]}.c", rf"^static void {name}\(void \*\*state\)")
            or holds(TESTS / "integration", f"{function[1]}.py", rf"^def {name}\("))


def faults_of_items(text):
    if SECTION not in text:
        yield f"docs/protocol.md has no section{SECTION.rstrip()}"
        return
    for line in text.split(SECTION)[1].splitlines():
        if not line.startswith("| ") or line.startswith("| item "):
            continue
        item, _, proofs = (cell.strip() for cell in line.strip("|").split(" | ", 2))
        named = re.findall(r"`([^`]+)`", proofs)
        if not named:
            yield f"{item}: no proof"
        for proof in named:
            if not exists(proof):
                yield f"{item}: there is no {proof}"


def faults_of_paths():
    for document in sorted(ROOT.glob("docs/*.md")):
        for path in re.findall(r"`(tests/[\w./]+\w)`", document.read_text(encoding="utf-8")):
            if not re.search(r"/[A-Z]+", path) and not (ROOT / path).exists():
                yield f"docs/{document.name}: there is no {path}"


def main():
    text = (ROOT / "docs/protocol.md").read_text(encoding="utf-8")
    faults = [*faults_of_items(text), *faults_of_paths()]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
