"""Makes a unit that differs as small as it can be while it still differs in the same way."""

from dataclasses import replace

from tree import render, smaller

TRIES = 600


class Shrinker:
    def __init__(self, oracle, difference):
        self.oracle = oracle
        self.best = difference
        self.kind = kind_of(difference)
        self.tries = 0

    def shrink(self):
        self.drop_statements()
        for index in range(len(self.best.unit.statements)):
            self.shrink_statement(index)
        self.drop_statements()
        return self.best

    def attempt(self, statements):
        """Whether these statements differ as well; then they are the best so far."""
        self.tries += 1
        if self.tries > TRIES:
            return False
        unit = replace(self.best.unit, statements=statements)
        found = self.oracle.run_unit(unit, count=False)
        if found is None or kind_of(found) != self.kind:
            return False
        found.unit.statements = statements[: found.index + 1]
        self.best = found
        return True

    def drop_statements(self):
        index = 0
        while index < len(self.best.unit.statements) - 1:
            statements = self.best.unit.statements
            if not self.attempt(statements[:index] + statements[index + 1 :]):
                index += 1

    def shrink_statement(self, index):
        """The first smaller tree that differs is taken, until none does."""
        if index >= len(self.best.unit.statements):
            return
        statement = self.best.unit.statements[index]
        if statement.cursor:
            self.try_tree(index, statement.tree, cursor=0)
        if statement.binary:
            self.try_tree(index, statement.tree, binary=False, cursor=0)
        found = True
        while found and self.tries < TRIES and index < len(self.best.unit.statements):
            tree = self.best.unit.statements[index].tree
            length = len(render(tree))
            found = any(
                len(render(other)) < length and self.try_tree(index, other)
                for other in smaller(tree)
            )

    def try_tree(self, index, tree, **changes):
        statements = list(self.best.unit.statements)
        statements[index] = replace(statements[index], tree=tree, **changes)
        return self.attempt(statements)


def kind_of(difference):
    """What went wrong, without the values."""
    return difference.lines[0].split(":")[0].split("'")[0]
