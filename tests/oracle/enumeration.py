"""Every statement of a small grammar: all trees of up to three tables, each kind of join and each
form of its condition, under every form of WHERE, read and changed in every way."""

from itertools import product

from grammar import Statement, Unit
from tree import Node

# Table, alias, a number of its own that a change may set.
TABLES = [
    ("queue_offsets", "o", "offset_acked"),
    ("queue_partition_leases", "l", "leased_at"),
    ("queue_messages", "m", "created_at"),
]

# How a join's condition may look; {a} and {b} are tables of its two sides.
CONDITIONS = [
    "{a}.topic = {b}.topic AND {a}.partition_key = {b}.partition_key",
    "{a}.topic = {b}.topic OR {a}.topic = 'b'",
    "NOT {a}.topic = {b}.topic",
]

JOINS = [
    *(f"{word} JOIN %s ON {condition}" for word in ("", "LEFT", "RIGHT") for condition in CONDITIONS),
    "CROSS JOIN %s",
    ", %s",
    *(f"{word} JOIN %s USING (topic, partition_key)" for word in ("", "LEFT", "RIGHT")),
    *(f"NATURAL {word} JOIN %s" for word in ("", "LEFT", "RIGHT")),
]

# {a} is a table of the tree.
WHERES = [
    "",
    " WHERE {a}.topic = 'a'",
    " WHERE {a}.topic = 'a' OR {a}.{n} > 3",
    " WHERE NOT ({a}.topic = 'a' AND {a}.{n} > 3)",
    " WHERE {a}.topic IS NULL OR {a}.{n} IN (1, 5, 7)",
    " WHERE EXISTS (SELECT * FROM queue_delivery_state d WHERE d.topic = {a}.topic OR d.acked)",
    " WHERE {a}.topic NOT IN (SELECT topic FROM queue_delivery_state WHERE acked OR retry_count > 1)",
    " WHERE {a}.{n} > (SELECT COUNT(*) FROM queue_delivery_state d LEFT JOIN queue_subscriber_heartbeats h "
    "ON h.topic = d.topic WHERE d.topic = {a}.topic)",
    " WHERE ({a}.topic, 1) IN (SELECT topic, 1 FROM queue_offsets UNION SELECT topic, acked FROM queue_delivery_state)",
]


def enumerate_units(mysql):
    """All of them, one statement each."""
    for tree in trees():
        yield from (query_unit(text) for text in queries(tree))
        yield from (change_unit(text) for text in changes(tree, mysql))
    yield from (query_unit(text) for text in unions())


def query_unit(text):
    return Unit([Statement(Node("select", text), "query")])


def change_unit(text):
    return Unit([Statement(Node("change", text), "change")], transaction=True, end="ROLLBACK")


# --- FROM


def trees():
    """(text, [(alias, number)]) of every tree of joins."""
    for table in TABLES:
        yield f"{table[0]} {table[1]}", [table[1:]]
    for (first, second), join in product(product(TABLES, repeat=2), JOINS):
        if first is second:  # a table with itself
            second = (second[0], "s", second[2])
        yield joined(named(first), first, join, named(second), second), [first[1:], second[1:]]
    for (one, two, three), left, right in product([TABLES], JOINS, JOINS):
        if is_natural(left) != is_natural(right) and "USING" not in left + right:
            continue  # the columns of one name are ambiguous
        aliases = [one[1:], two[1:], three[1:]]
        inner = joined(named(one), one, left, named(two), two)
        yield joined(f"({inner})", two, right, named(three), three), aliases
        inner = joined(named(two), two, right, named(three), three)
        yield joined(named(one), one, left, f"({inner})", three), aliases


def is_natural(join):
    return join.startswith("NATURAL")


def named(table):
    return f"{table[0]} {table[1]}"


def joined(left, left_table, join, right, right_table):
    condition = join.replace("%s", right).format(a=left_table[1], b=right_table[1])
    return f"{left} {condition}".replace("  ", " ").replace(" ,", ",")


# --- what is done with it


def queries(tree):
    text, aliases = tree
    sums = ", ".join(f"COUNT({a}.topic), SUM({a}.{n})" for a, n in aliases)
    for where in wheres(aliases):
        yield f"SELECT COUNT(*), {sums} FROM {text}{where}"
    if len(aliases) > 2:
        return
    (a, n), where = aliases[0], WHERES[2].format(a=aliases[0][0], n=aliases[0][1])
    yield f"SELECT * FROM {text}{where}"
    yield f"SELECT {a}.* FROM {text}{where}"
    yield f"SELECT {a}.topic, COUNT(*) FROM {text}{where} GROUP BY {a}.topic HAVING COUNT(*) > 1"
    yield f"SELECT DISTINCT {a}.topic FROM {text}{where} ORDER BY {a}.topic DESC LIMIT 2"
    yield f"SELECT d.t, MAX(d.v) FROM (SELECT {a}.topic AS t, {a}.{n} AS v FROM {text}{where}) d GROUP BY d.t"
    yield f"WITH w AS (SELECT {a}.topic AS t FROM {text}{where}) SELECT COUNT(*) FROM w x LEFT JOIN w y ON x.t = y.t"
    yield f"SELECT h.topic, (SELECT MAX({a}.{n}) FROM {text}{where}) FROM queue_subscriber_heartbeats h"


def wheres(aliases):
    """The forms of WHERE over the first and over the last table."""
    for form in WHERES:
        for a, n in dict.fromkeys([aliases[0], aliases[-1]]):
            yield form.format(a=a, n=n)
            if not form:
                break


def changes(tree, mysql):
    text, aliases = tree
    if len(aliases) == 1:
        yield from single_changes(text.split()[0], aliases[0][1], mysql)
    if len(aliases) != 2:
        return
    for (form, target), (a, n) in product(product(WHERES[::2], (0, 1)), aliases):
        where, (t, number) = form.format(a=a, n=n), aliases[target]
        yield f"UPDATE {text} SET {t}.{number} = {t}.{number} + 1000{where}"
        yield f"DELETE {t} FROM {text}{where}"
    yield f"DELETE FROM {aliases[0][0]}, {aliases[1][0]} USING {text}"


def single_changes(table, number, mysql):
    for form in WHERES:
        where = form.format(a=table, n=number)
        yield f"UPDATE {table} SET {number} = {number} + 1000{where}"
        yield f"DELETE FROM {table}{where}"
        yield f"UPDATE {table} SET {number} = (SELECT COUNT(*) FROM queue_delivery_state) {where}"
        yield f"DELETE FROM {table}{where} ORDER BY topic, partition_key, {number} LIMIT 2"
        yield (
            "INSERT INTO queue_subscriber_heartbeats (consumer_group, topic, subscriber_name, heartbeat_at, "
            f"deregistered_at) SELECT DISTINCT 'n', {table}.topic, 'n', 1, 2 FROM {table}{where}"
        )
        if mysql:
            yield f"DELETE FROM {table} AS x" + form.format(a="x", n=number)


def unions():
    branches = [
        "SELECT topic FROM queue_offsets",
        "SELECT topic FROM queue_messages WHERE topic = 'a' OR failure_count = 1",
        "(SELECT topic FROM queue_partition_leases ORDER BY topic, 1 LIMIT 2)",
        "SELECT DISTINCT d.topic FROM queue_delivery_state d LEFT JOIN queue_offsets o ON o.topic = d.topic",
    ]
    words = ["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]
    for a, b, word in product(branches, branches, words):
        yield f"{a} {word} {b}"
    for (a, b, c), first, second in product(product(branches[:3], repeat=3), words, words):
        yield f"{a} {first} {b} {second} {c}"
        yield f"{a} {first} ({b} {second} {c})"
