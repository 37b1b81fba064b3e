"""Runs units on both sides and says what differed."""

import re
from collections import Counter
from dataclasses import dataclass

import vitess
from answer import Answer, cells
from compare import Ranks, definition_names, differences, is_generated, seen_markers
from rawmysql import lenenc_string
from tables import TABLES
from tree import Node, render
from world import generated

# What a shard answers where its ASCII columns meet other characters in one operation. docs/sql.md
# lists it among what is refused.
ASCII_ERRORS = {1253, 1267, 1270, 1271, 1977, 3854, 3988}
# MySQL 9.7 does not manage to print the range of `topic LIKE 'a%'` in the plan of a change, either.
RANGE_ERROR = 1366
# Errors of a change of several rows name the row that was read first.
ROW_ERRORS = {1048, 1062, 1264, 1406, 1366, 1690, 1265, 1292}


@dataclass
class Difference:
    unit: object
    index: int  # of the statement
    text: str
    lines: list
    legacy: Answer = None
    shard: Answer = None


class ServerGone(Exception):
    """The legacy side's server ended: a fault of its own."""


class Oracle:
    """One session on each side."""

    def __init__(self, world):
        self.world = world
        self.connect()
        self.base = world.contents()[0]
        self.served = self.refused = self.both_failed = 0
        self.refusals, self.errors, self.clauses = Counter(), Counter(), Counter()
        self.refused_clauses = Counter()

    def connect(self):
        self.pairs = {
            eof: (self.world.legacy_connection(eof), self.world.gateway_connection(eof))
            for eof in (True, False)
        }
        # LAST_INSERT_ID() remembers an offset whose row is gone.
        self.all_ranks = {True: Ranks(), False: Ranks()}
        self.insert_id_known = {True: True, False: True}

    @property
    def asked(self):
        return self.served + self.refused

    # --- units

    def run_unit(self, unit, count=True):
        """The first Difference, or None. Leaves the tables as they were."""
        self.legacy, self.shard = self.pairs[unit.deprecate_eof]
        self.ranks = self.all_ranks[unit.deprecate_eof]
        self.count = count
        changed = False
        try:
            if unit.transaction:
                self.both("BEGIN")
            legacy = shard = None
            for index, statement in enumerate(unit.statements):
                if statement.kind == "session" and self.is_undefined(unit, statement, shard):
                    continue
                lines, legacy, shard = self.run_statement(statement)
                if (shard.refusal() or "").startswith(vitess.TRANSACTION_ENDED):
                    self.world.restore()
                    break
                if statement.kind == "change":
                    changed = True
                    self.note_insert_id(unit, legacy)
                if lines:
                    return Difference(unit, index, render(statement.tree), lines, legacy, shard)
        finally:
            self.finish(unit, changed)
        return None

    def finish(self, unit, changed):
        if unit.transaction:
            self.both(unit.end)
        if changed and unit.end != "ROLLBACK":
            self.world.restore()

    def is_undefined(self, unit, statement, last):
        """Whether the manuals leave open what the statement answers: after an error."""
        if "last_insert_id" in render(statement.tree).lower():
            return not self.insert_id_known[unit.deprecate_eof]
        return last is not None and last.error is not None

    def note_insert_id(self, unit, answer):
        """LAST_INSERT_ID() is undefined after an error, until a row is inserted again."""
        if answer and answer.error:
            self.insert_id_known[unit.deprecate_eof] = False
        elif answer and is_generated(answer.insert_id):
            self.insert_id_known[unit.deprecate_eof] = True

    def both(self, text):
        for connection in (self.legacy, self.shard):
            try:
                connection.send_query(text)
                connection.read_answer()
            except OSError:
                raise ServerGone(text) from None

    # --- one statement

    def run_statement(self, statement):
        if self.count:
            self.clauses.update(statement.clauses)
        shard = self.ask(self.shard, statement, False)
        refusal = shard.refusal()
        if refusal and refusal.startswith("MQ5") and not self.world.server_runs():
            raise ServerGone(render(statement.tree))
        if refusal and statement.kind == "session":
            legacy = self.ask(self.legacy, statement, True)
            if legacy.error and legacy.error[:2] == shard.error[:2]:
                return [], legacy, shard
        if not refusal and shard.error and is_ascii_error(statement, shard.error[0]):
            refusal = f"shard: error {shard.error[0]}, ASCII column"
        if not refusal and shard.error and self.world.vitess:
            refusal = vitess.own_error(shard.error)
        if refusal:
            self.note_refusal(statement, refusal)
            return seen_markers(shard), None, shard
        legacy = self.ask(self.legacy, statement, not self.world.mysql)
        lines = self.judge(statement, legacy, shard)
        if self.world.vitess:
            lines = vitess.without_own(lines)
        if self.count:
            self.served += 1
            if legacy.error and shard.error:
                self.both_failed += 1
                self.errors[(legacy.error[0], legacy.error[2][:50])] += 1
        return lines, legacy, shard

    def note_refusal(self, statement, text):
        if self.count:
            self.refused += 1
            self.refused_clauses.update(statement.clauses)
            self.refusals[re.sub(r" at position \d+| near '.*|`[^`]*`|queue_\w+|\d+(?=:\d)", "", text)[:120]] += 1

    def ask(self, connection, statement, quote_offset):
        try:
            return self.ask_as(connection, statement, quote_offset)
        except OSError:
            if connection is self.legacy or not self.world.server_runs():
                raise ServerGone(render(statement.tree)) from None
            return Answer(error=(0, "", "mqgate closed the connection"))

    @staticmethod
    def ask_as(connection, statement, quote_offset):
        if not statement.binary:
            connection.send_query(render(statement.tree, quote_offset))
            return connection.read_answer()
        values = []
        connection.send_prepare(render(statement.tree, quote_offset, values))
        number = connection.read_prepare()
        if isinstance(number, Answer):
            return number
        connection.send_values(number, values, statement.cursor > 0)
        answer = connection.read_answer(binary=True)
        if statement.cursor and not answer.error:
            answer = connection.read_cursor(number, answer, statement.cursor)
        connection.close_number(number)
        return answer

    def judge(self, statement, legacy, shard):
        lines = seen_markers(shard)
        if statement.kind == "change":
            lines += self.compare_contents()
        if self.world.many and "warning" in render(statement.tree).lower():
            forget_repeated_warnings(legacy, shard)
        if statement.kind == "session":
            return lines + session_differences(legacy, shard, self.ranks)
        if statement.plan:
            return lines + plan_differences(legacy, shard)
        if "INSERT SELECT" in statement.clauses and legacy.error and shard.error:
            if {legacy.error[0], shard.error[0]} <= ROW_ERRORS:
                return lines  # the row that was read first decides which of them it is
        if statement.kind == "change" and shard.warnings != legacy.warnings:
            forget_idle_warnings(self.legacy, legacy)
            forget_idle_warnings(self.shard, shard)
        return lines + differences(
            legacy, shard, order_of(statement.tree), self.ranks, lenient(legacy, shard)
        )

    # --- contents

    def compare_contents(self):
        legacy, shard = self.world.contents()
        self.ranks.add(*(offsets(side) for side in (legacy, shard)))
        out = []
        for name in TABLES:
            theirs = shard[name]
            if name == "queue_messages":
                theirs = [[self.ranks.legacy_of(row[0]), *row[1:]] for row in theirs]
            if sorted(map(repr, legacy[name])) != sorted(map(repr, theirs)):
                out.append(f"contents of {name}:")
                out += [f"  only legacy {row}" for row in legacy[name] if row not in theirs]
                out += [f"  only shards {row}" for row in theirs if row not in legacy[name]]
        if self.world.dump_foreign() != self.world.foreign_rows:
            out.append("rows of another tenant changed")
        return out


def forget_idle_warnings(connection, answer):
    """Takes the warnings from an answer that no row depends on; what was stored the contents tell.

    1366  a constant carried over to an ASCII column, to look in an index, which it does not fit:
          `topic = partition_key AND partition_key = 'é'`
    1235  JSON values sorted, for DISTINCT
    1052  GROUP BY beside the name that a converted column keeps, for MariaDB
    1265  (a note) AVG() of a derived table, rounded where the plan keeps it in a temporary table
    """
    if answer.error or not answer.warnings:
        return
    connection.send_query("SHOW WARNINGS")
    found = sum(is_idle(*cells(row, 3)[:2]) for row in connection.read_answer().rows)
    rest = answer.warnings - found
    answer.info = answer.info.replace(f"Warnings: {answer.warnings}", f"Warnings: {rest}")
    answer.warnings = rest


def forget_repeated_warnings(*answers):
    """Each shard warns of what a server warns of once for each statement, such as old syntax."""
    for answer in answers:
        counts = len(answer.columns or []) == 1
        answer.rows = [b"\0011" if counts and row != b"\0010" else row for row in dict.fromkeys(answer.rows)]


def is_idle(level, number):
    return number in (b"1366", b"1235", b"1052") or (level, number) == (b"Note", b"1265")


def is_ascii_error(statement, number):
    return number in ASCII_ERRORS or (statement.plan and number == RANGE_ERROR)


def offsets(contents):
    return [int(row[0]) for row in contents["queue_messages"] if generated(row[0])]


def lenient(legacy, shard):
    """The message of an error that tells of the first row the server met, or of the text."""
    if legacy.error and shard.error and legacy.error[0] in ROW_ERRORS | {1064, 1054, 1055, 3065}:
        return ("message",)
    return ()


def plan_differences(legacy, shard):
    """For answers whose rows differ by nature: the same columns, or the same error."""
    if legacy.error or shard.error:
        return differences(legacy, shard, None, Ranks(), ("message",))
    a, b = definition_names(legacy), definition_names(shard)
    return [] if a == b else [f"columns: {a} | {b}"]


def session_differences(legacy, shard, ranks):
    """Answers that mqgate made itself: in UTF-8, whatever collation the session has."""
    if legacy.columns and shard.columns:
        a, b = definition_names(legacy), definition_names(shard)
        if a != b:
            return [f"columns: {a} | {b}"]
        shard.columns = legacy.columns
        for answer in (legacy, shard) if "Cardinality" in a else ():
            answer.rows = [without_cell(row, a.index("Cardinality"), len(a)) for row in answer.rows]
    return differences(legacy, shard, (), ranks, ("message",))


def without_cell(row, place, count):
    """A row of SHOW INDEX without its statistics, which mqgate does not tell."""
    kept = cells(row, count)
    kept[place] = None
    return b"".join(b"\xfb" if c is None else lenenc_string(c) for c in kept)


def order_of(tree):
    """What the rows of an answer are ordered by: Node.order of the outermost query."""
    orders = [p.order for p in tree.parts if isinstance(p, Node) and p.order is not None]
    if orders:
        return orders[0]
    inner = [p for p in tree.parts if isinstance(p, Node) and p.kind == "select"]
    return order_of(inner[0]) if len(inner) == 1 else None
