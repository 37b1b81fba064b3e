"""Literals in every spelling that the servers know, with the value a parameter would have."""

from tree import Node, Value


def number(rng, value):
    """A number: mostly plain, at times spelled in another way."""
    spell = rng.choice(NUMBER_SPELLINGS) if rng.random() < 0.12 else str
    return Node("number", Value(spell(value), value))


def text(rng, value):
    spell = rng.choice(TEXT_SPELLINGS) if rng.random() < 0.15 else quoted
    return Node("text", Value(spell(value), value))


def quoted(value):
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def double_quoted(value):
    return '"' + value.replace("\\", "\\\\").replace('"', '""') + '"'


def backslashed(value):
    return "'" + "".join("\\" + c if c in "'\\\"" or c in "gpqx" else c for c in value) + "'"


def adjacent(value):
    middle = len(value) // 2
    return quoted(value[:middle]) + " " + quoted(value[middle:])


def hexadecimal(value):
    return "_utf8mb4 X'" + value.encode().hex() + "'"


NUMBER_SPELLINGS = [
    lambda v: f"{v}.0",
    lambda v: f"{v}e0",
    lambda v: f"+{v}",
    lambda v: f"00{v}",
    lambda v: f"({v})",
    lambda v: f"0x{v:x} + 0",
    lambda v: f"b'{v:b}' + 0",
    lambda v: f"/* {v} */ {v}",
    lambda v: f"'{v}' + 0",
]

TEXT_SPELLINGS = [
    double_quoted,
    backslashed,
    adjacent,
    hexadecimal,
    lambda v: "_utf8mb4" + quoted(v),
    lambda v: "N" + quoted(v),
    lambda v: "/* it's */ " + quoted(v),
    lambda v: f"CONCAT({quoted(v)}, '')",
]
