"""The generator: one Grammar makes the statements of one seed."""

import random
from dataclasses import dataclass

from changes import Changes
from expressions import Expressions
from queries import Queries
from sessions import Sessions
from tree import Node


@dataclass
class Statement:
    tree: Node
    kind: str  # "query", "change", "session"
    clauses: frozenset = frozenset()
    binary: bool = False  # sent as a prepared statement with parameters
    cursor: int = 0  # with a cursor, from which so many rows are fetched at a time
    plan: bool = False  # answered with what depends on the server's plan
    lenient: tuple = ()  # what of the answer is left out of the comparison


@dataclass
class Unit:
    """Statements that run one after the other, from the same contents of the tables."""

    statements: list
    transaction: bool = False
    end: str = None  # of the transaction
    deprecate_eof: bool = True


class Grammar(Queries, Changes, Sessions, Expressions):
    """Units for one kind of server, the same ones for the same seed."""

    CURSORS = ()  # how many rows a prepared query fetches at a time: one of these; 0: without a cursor

    def __init__(self, seed, mysql):
        self.rng = random.Random(seed)
        self.mysql = mysql
        self.clauses = set()
        self.numbers = {}
        self.ctes = []
        self.selects_left = 0
        self.in_on = 0
        self.used_offsets = 0
        self.generates = False  # statements of this unit may make offsets

    def chance(self, share):
        return self.rng.random() < share

    def weighted(self, choices):
        return self.rng.choices(list(choices), list(choices.values()))[0]

    def note(self, clause):
        self.clauses.add(clause)

    def fresh(self, prefix):
        self.numbers[prefix] = self.numbers.get(prefix, 0) + 1
        return f"{prefix}{self.numbers[prefix]}"

    def may_query(self):
        """Sub-queries in ON are left out for MySQL: 9.7 loses join conditions that hold some."""
        return self.selects_left > 0 and not self.in_on

    def begin(self, selects):
        self.clauses, self.numbers, self.ctes = set(), {}, []
        self.selects_left = self.rng.choice(selects)

    # --- statements

    def select_statement(self):
        self.begin([1, 1, 2, 2, 3, 4, 6])
        node = self.query().node
        if node.parts[0] == "SELECT" and self.chance(0.08):
            node = Node("select", *node.parts, self.locking([]))
        elif self.chance(0.03):
            self.note("parenthesised query")
            node = Node("select", "(", node, ")")
        return self.finished(node, "query")

    def change_statement(self):
        self.begin([0, 1, 1, 2])
        return self.finished(self.change(), "change")

    def finished(self, node, kind):
        if self.chance(0.05):
            self.note("comment")
            node = Node(node.kind, self.rng.choice(["/* a ' comment */ ", "/**/", "-- x\n", "# it's\n"]), node)
        binary = self.chance(0.25)
        if self.mysql and "WITH ROLLUP" in self.clauses:
            binary = False  # MySQL 9.7 loses parameters in aggregates there
        cursor = self.rng.choice(self.CURSORS) if binary and kind == "query" and self.CURSORS else 0
        return self.statement(node, kind, binary=binary, cursor=cursor)

    def statement(self, node, kind, **how):
        return Statement(node, kind, frozenset(self.clauses), **how)

    # --- units

    def unit(self):
        if self.chance(0.62):
            return Unit([self.select_statement()], deprecate_eof=self.chance(0.5))
        return self.changing_unit()

    def changing_unit(self):
        statements = []
        self.generates = True
        for _ in range(self.rng.choice([1, 1, 2, 3, 4, 6])):
            statements += self.change_and_after()
        transaction = self.chance(0.9)
        end = self.rng.choice(["ROLLBACK"] * 9 + ["COMMIT"]) if transaction else None
        return Unit(statements, transaction, end, self.chance(0.5))


class Qualified(Grammar):
    """The same for a session that sees qualified partition keys."""

    CURSORS = (0, 0, 1, 3, 100)
