"""Statements about the session: savepoints, what the last statement did, EXPLAIN, SHOW."""

from tables import TABLES
from tree import Node


class Sessions:
    """A part of Grammar."""

    def change_and_after(self):
        """A change, or a savepoint, and at times a question about it."""
        if self.chance(0.06):
            return [self.savepoint()]
        if self.chance(0.08):
            return [self.explained(), self.shown()][: self.rng.choice([1, 2])]
        out = [self.change_statement()]
        if self.chance(0.12):
            question = self.rng.choice(self.QUESTIONS)
            if "ROW_COUNT" not in question or "RETURNING" not in out[0].clauses:
                out.append(self.session(question))  # MariaDB counts rows or none, as it plans
        return out

    QUESTIONS = [
        "SELECT LAST_INSERT_ID()", "SELECT ROW_COUNT()", "SHOW WARNINGS", "SHOW ERRORS", "SELECT last_insert_id()",
    ]  # fmt: skip

    def session(self, text, **how):
        self.clauses = set()
        self.note(" ".join(text.split()[:2]))
        return self.statement(Node("session", text), "session", **how)

    def savepoint(self):
        name = self.rng.choice(["s1", "s2", "`a b`"])
        form = self.rng.choice(["SAVEPOINT {}", "SAVEPOINT {}", "ROLLBACK TO {}", "ROLLBACK TO SAVEPOINT {}", "RELEASE SAVEPOINT {}"])
        return self.session(form.format(name))

    def explained(self):
        inner = self.select_statement() if self.chance(0.7) else self.change_statement()
        words = ["EXPLAIN ", "EXPLAIN ", "DESCRIBE ", "EXPLAIN EXTENDED " if not self.mysql else "EXPLAIN FORMAT=TREE "]
        self.clauses = {"EXPLAIN"}
        return self.statement(Node("explain", self.rng.choice(words), inner.tree), "query", plan=True)

    def shown(self):
        table = self.rng.choice(list(TABLES))
        form = self.rng.choice(["SHOW COLUMNS FROM {}", "DESCRIBE {}", "SHOW TABLES", "SHOW INDEX FROM {}", "SHOW FULL COLUMNS FROM {}", "DESC {} topic"])
        return self.session(form.format(table))
