"""The table of results, on the terminal and in docs/compatibility.md."""

import re

from matrix import FAILED, KNOWN, LACKS, SAME

MARKS = {SAME: "yes", LACKS: "-", KNOWN: "no", FAILED: "FAILED"}
BEGIN, END = "<!-- tests/drivers/run: begin -->", "<!-- tests/drivers/run: end -->"


def show(matrix, verbose):
    """The differences, then the table."""
    shown = set()
    for cell in matrix.cells:
        if cell.verdict == FAILED or (verbose and cell.verdict == KNOWN):
            reason = f": {cell.reason}" if cell.reason else ""
            title = matrix.titles[cell.driver]
            print(f"\n{cell.server} {title}: {cell.case}: {cell.verdict}{reason}")
            for difference in cell.differences:
                print(f"    {difference if difference not in shown else 'as above'}")
                shown.add(difference)
    for server in matrix.servers:
        print(f"\n{server_title(matrix, server)}")
        for rows in tables(matrix, server):
            print("\n".join("  " + line for line in aligned(rows)), end="\n\n")
    show_mended(matrix)
    count = {verdict: sum(c.verdict == verdict for c in matrix.cells) for verdict in MARKS}
    print(
        f"\n{count[SAME]} the same as directly, {count[KNOWN]} known differences, "
        f"{count[FAILED]} failed, {count[LACKS]} not in the driver"
    )


def show_mended(matrix):
    """What known.yaml need not list any more."""
    for cell in matrix.cells:
        if cell.verdict == SAME and cell.reason:
            print(f"{cell.server} {matrix.titles[cell.driver]}: {cell.case}: {cell.reason}")


def server_title(matrix, server):
    return f"{ {'mariadb': 'MariaDB', 'mysql': 'MySQL'}[server] } {matrix.servers[server]}"


def tables(matrix, server):
    """The drivers' table, then those of the kinds of tools."""
    kinds = dict.fromkeys(matrix.tools.values())
    return [table(matrix, server, tool) for tool in sorted(kinds, key=lambda kind: kind or "")]


def table(matrix, server, tool):
    """Rows of texts, the heading first."""
    cells = {(c.driver, c.case): MARKS[c.verdict] for c in matrix.cells if c.server == server}
    columns = matrix.columns(tool)
    rows = [["tool" if tool else "driver", "version", *columns]]
    for driver, title in matrix.titles.items():
        row = [cells.get((driver, column), "") for column in columns]
        if any(row) and matrix.tools[driver] == tool:
            rows.append([title, matrix.versions.get(driver, ""), *row])
    return rows


def aligned(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows
    ]


# --- docs/compatibility.md


def markdown(rows):
    heading, *body = (f"| {' | '.join(row)} |" for row in rows)
    return [heading, "|---" * len(rows[0]) + "|", *body]


def what_cases_do(matrix):
    rows = [["column", "what the driver does"]]
    rows += [
        [f"login {name}", f"logs in: {login['what']}"] for name, login in matrix.logins.items()
    ]
    rows += [[name, case["what"]] for name, case in matrix.cases.items() if name != "connect"]
    return markdown(rows)


def known_differences(matrix):
    """One line per reason: who meets it, where."""
    met = {}
    for cell in matrix.cells:
        if cell.verdict == KNOWN:
            place = met.setdefault(cell.reason, {}).setdefault(matrix.titles[cell.driver], set())
            place.add(cell.case)
    rows = [["drivers", "cases", "reason"]]
    for reason, drivers in met.items():
        cases = sorted(set().union(*drivers.values()))
        rows.append([", ".join(drivers), ", ".join(cases), reason])
    return markdown(rows) if met else ["None."]


def document(matrix, path):
    """Rewrites what stands between the marks."""
    lines = [BEGIN, ""]
    for server in matrix.servers:
        lines += [f"### {server_title(matrix, server)}", ""]
        for rows in tables(matrix, server):
            lines += [*markdown(rows), ""]
    lines += ["### Known differences", "", *known_differences(matrix), ""]
    lines += ["### The cases", "", *what_cases_do(matrix), "", END]
    text = path.read_text(encoding="utf-8")
    text = re.sub(f"{BEGIN}.*{END}", lambda _: "\n".join(lines), text, flags=re.DOTALL)
    path.write_text(text, encoding="utf-8")
