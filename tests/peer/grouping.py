#!/usr/bin/env python3
"""Does mqgate's parser group operators as the servers do?

    tests/peer/grouping.py --seed 1 --count 20000 build/asan/tests/peer_view

Makes expressions of all operators, and has a real server compute each of them twice: as it is,
and with parentheses where mqgate's tree has its nodes, under all combinations of the sql_modes
that mqgate follows. The two values must be equal, and mqgate must know whatever the server does
not call a syntax error. (The other way round is only counted: such a statement comes back from the
server, and nothing was read in another way.) Exit status: 0 when they agree, 1 when not, 77 when there
is no server.
"""

import argparse
import itertools
import random
import sys
from collections import Counter

from peers import ALL_MODES, Stream, View, connect, server

BATCH = 250  # statements that are under way at once

OPERANDS = ("0", "1", "2", "3", "5", "NULL", "'1'", "'a'", "TRUE", "1.5", "a", "b", "(1)", "(0)",
            "(SELECT 2)", "CASE 1 WHEN 1 THEN 0 ELSE 1 END", "IF(1, 0, 2)",
            "INTERVAL 1 DAY + '2024-01-31'")
PREFIXES = ("-", "+", "~", "!", "NOT ", "BINARY ", "- -", "! !", "NOT NOT ")
BINARIES = ("+", "-", "*", "/", "%", "DIV", "MOD", "&", "|", "^", "<<", ">>", "=", "<=>", "<>", "!=",
            "<", "<=", ">", ">=", "AND", "OR", "XOR", "&&", "||", "LIKE", "NOT LIKE", "REGEXP",
            "NOT REGEXP", "RLIKE", "SOUNDS LIKE")
LOGICAL = ("AND", "OR", "XOR", "||", "&&", "=", "<", "LIKE", "+", "-")
POSTFIXES = (" IS NULL", " IS NOT NULL", " IS TRUE", " IS NOT FALSE", " IS UNKNOWN", " IN (1)",
             " NOT IN (1, 2)", " IN (SELECT 1)", " COLLATE utf8mb4_bin", " MEMBER OF ('[1]')",
             "= ANY (SELECT 1)", "<> ALL (SELECT 1)", " + INTERVAL 1 DAY", " LIKE 'a' ESCAPE '!'")

# In mqgate's refusals of what servers group differently.
KNOWN = b"INTERVAL \xe2\x80\xa6 +"


class Maker:
    """Expressions out of a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def operand(self):
        text = self.random.choice(OPERANDS)
        if self.random.random() < 0.25:
            text = self.random.choice(PREFIXES) + text
        return text

    def expression(self):
        text = self.operand()
        for _ in range(self.random.randint(1, 5)):
            chance = self.random.random()
            if chance < 0.15:
                text += self.random.choice(POSTFIXES)
            elif chance < 0.25:
                between = self.random.choice((" BETWEEN ", " NOT BETWEEN "))
                text += between + self.operand() + self.random.choice(("", "+1", "|1", " IS NULL"))
                text += " AND " + self.operand()
            else:
                kind = self.random.choice((BINARIES, LOGICAL))
                text += f" {self.random.choice(kind)} {self.operand()}"  # 1 - -1, no comment
        return text.encode()


def compare(flavour, program, seed, count):
    counts, faults, maker = Counter(), [], Maker(seed)
    with server(flavour) as shard, connect(shard) as connection:
        connection.query(f"USE {shard['database']}")
        view, stream = View(program, connection.version), Stream(connection)
        modes = itertools.cycle(random.Random(seed).sample(ALL_MODES, k=len(ALL_MODES)))
        for mode in itertools.islice(modes, (count + BATCH - 1) // BATCH):
            texts = [maker.expression() for _ in range(BATCH)]
            views = view.ask("groups", [(mode, b"SELECT " + text) for text in texts])
            grouped = [v[len(b"ok SELECT "):] if v.startswith(b"ok") else None for v in views]
            stream.send([
                f"SET sql_mode = '{mode}'".encode(),
                *(b"SELECT %s FROM (SELECT 1 AS a, 2 AS b) t" % text
                  for pair in zip(texts, grouped) for text in (pair[0], pair[1] or b"1"))])
            assert stream.answer().errno == 0
            for text, ours, seen in zip(texts, grouped, views):
                verdict = judge(stream.answer(), stream.answer(), ours, seen)
                counts[verdict or "equal"] += 1
                if verdict in ("different", "by the server only"):
                    faults.append((verdict, mode, text, ours or seen))
    return counts, faults


def judge(answer, grouped, ours, seen):
    if answer.refuses:
        return "by mqgate only" if ours else "by none"
    if ours is None:
        return "by the server only" if KNOWN not in seen else "by the server only, knowingly"
    if answer.errno:
        return None if answer.errno == grouped.errno else "different"
    return None if answer.values == grouped.values else "different"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("view", help="the program peer_view")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--count", type=int, default=20000, help="expressions for each server")
    parser.add_argument("--servers", default="mysql,mariadb")
    arguments = parser.parse_args()
    status = 0
    for flavour in arguments.servers.split(","):
        counts, faults = compare(flavour, arguments.view, arguments.seed, arguments.count)
        summary = ", ".join(f"{times} {what}" for what, times in counts.most_common())
        print(f"{flavour}, seed {arguments.seed}: {summary}; {len(faults)} faults")
        for verdict, mode, text, ours in faults[:40]:
            print(f"  {verdict}: [{mode}] {text.decode()}\n      {ours.decode()}")
        status = status or int(bool(faults))
    return status


if __name__ == "__main__":
    sys.exit(main())
