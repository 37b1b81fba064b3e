"""Where Vitess 24 answers otherwise than MySQL 9.7, by itself: seen through mqgate, and no fault of
its. The oracle leaves these out and counts them; docs/vitess.md shows the table.

Each: what the statement has, MySQL's answer, Vitess', the error of Vitess' that tells (number and a
part of its text), or None where the column definitions do."""

import re

# The refusal after which the session has no transaction any more: vtgate has rolled it back.
TRANSACTION_ENDED = "MQ5021"
METADATA_CHANGED = 0x400

DIFFERENCES = [
    ("texts in the select list", "the collation of the column or the connection",
     "utf8mb4_0900_ai_ci, whatever it is; the bytes are the same", None),
    ("a warning of an INSERT, UPDATE or DELETE", "its count is in the OK packet",
     "0; SHOW WARNINGS has it", None),
    ("text that MySQL takes for a syntax error", "1064", "some of it is served", None),
    ("an UPDATE or DELETE of several tables", "served",
     "1221: the tablet appends its own LIMIT", (1221, "Incorrect usage of (UPDATE|DELETE) and LIMIT")),
    ("DELETE QUICK", "served", "1109: QUICK is taken for a table",
     (1109, "unknown table 'QUICK' in MULTI DELETE")),
    ("a named WINDOW", "served", "3579: vtgate takes the name's definition away",
     (3579, "Window name .* is not defined")),
    ("> ALL (SELECT …) and the like", "the rows that the condition is true for",
     "fewer, of some statements; mqgate refuses them", None),
    ("UNION, EXCEPT, INTERSECT", "the rows of all branches",
     "those of a branch were missing; mqgate refuses them", None),
    ("a sub-query in the select list, and ORDER BY", "the rows in this order",
     "another order, of some: mqgate refuses them; or 1105", (1105, "missing bind var")),
    ("ORDER BY the number of a literal's column", "served", "1054: the literal is taken for a name",
     (1054, "in 'order clause'")),
    ("USING", "served", "1052, 1054, 1105 or 1815 of many, and another table's name at a column; write ON",
     (1815, "BUG: ")),
    ("a sub-query that names a column of the outer query without its table", "served",
     "1054 of some: vtgate takes it for the inner table's", (1054, "in 'where clause'")),
    ("HAVING with a table's name before the column", "served",
     "1054: vtgate takes the name away", (1054, "in 'having clause'")),
    ("EXPLAIN of a statement in a transaction", "served",
     "vtgate asks any shard; one that is not the transaction's ends that (1213, MQ5021)", None),
    ("VALUES ROW(…), TABLE t", "served", "vtgate's planner does not know them (MQ2050)", None),
]


# Clauses of the grammar that say so little about a queue and differ so often, or that vtgate does not
# serve at all, that units with them are left out.
LEFT_OUT = {
    "ANY/ALL", "EXPLAIN", "REPLACE", "UPDATE of several tables", "DELETE of several tables", "VALUES",
    "scalar sub-query", "window", "USING", "LATERAL", "NATURAL", "WITH ROLLUP", "derived table with columns", "key changed",
}


def leaves_out(unit):
    return any(LEFT_OUT & set(statement.clauses) for statement in unit.statements)


def own_error(error):
    """What of the statement Vitess does not do as MySQL; None if the error is another one."""
    for what, _, _, told in DIFFERENCES:
        if told and error[0] == told[0] and re.search(told[1], error[2]):
            return f"Vitess: {what}"
    return None


def without_own(lines):
    """The lines of a difference that are not Vitess' own."""
    return [line for line in lines if not is_own(line)]


def is_own(line):
    return (line == "warnings: True | False" or is_metadata_status(line) or is_collation(line)
            or re.fullmatch(r"error: \(1064, .*\) \| None", line) is not None)


def is_metadata_status(line):
    """vtgate tells now and then that a prepared statement was prepared again."""
    found = re.fullmatch(r"status: (\d+) \| (\d+)", line)
    return found is not None and int(found[2]) & ~METADATA_CHANGED == int(found[1])


def is_collation(line):
    """column: (…, charset, 'text', flags) | (…, 255, 'text', flags)"""
    if not line.startswith("column: "):
        return False
    legacy, shard = (re.sub(r"\d+, 'text'", "'text'", side)
                     for side in line.removeprefix("column: ").split(" | ", 1))
    return legacy == shard and "255, 'text'" in line
