"""Queries inside the statements of several tenants, and UNION: tied to the row around them by the
partition key as an application would, which is served, and now and then not, which has to be refused.
"""

from tables import NUMBER, TABLES
from tree import OFFSET, Node

KEYED = [t for t in TABLES.values() if any(c.name == "partition_key" for c in t.columns)]
SHARED = ("topic", "consumer_group")
# What tells one row from all others.
UNIQUE = {name: ("topic", "partition_key", "id") if "offset" in t.key else t.key for name, t in TABLES.items()}


def written(name):
    return OFFSET if name == "offset" else name


def names(table):
    return [c.name for c in table.columns]


class Nested:
    """A part of Many."""

    def any_nested(self):
        shape = self.rng.choice([
            self.exists, self.exists, self.scalar, self.scalar, self.in_keys, self.in_keys, self.union, self.union,
            self.union_of_keys, self.joined_query, self.joined_query,
        ])  # fmt: skip
        self.note(shape.__name__)
        return shape()

    # --- ties

    def pair(self):
        return self.rng.choice(KEYED), self.rng.choice(KEYED)

    def tied(self, outer, inner, left="t", right="u"):
        """Conditions that make rows of both tables one tenant's; rarely not."""
        both = [n for n in SHARED if n in names(outer) and n in names(inner)]
        ties = [n for n in both if self.chance(0.6)]
        if self.chance(0.95):
            ties.append("partition_key")
        self.rng.shuffle(ties)
        sides = [(left, right), (right, left)]
        texts = []
        for name in ties or ["topic"]:
            a, b = self.rng.choice(sides)
            texts.append(f"{a}.{name} = {b}.{name}")
        return " AND ".join(texts)

    def more(self, table, name):
        return Node("where", " AND ", self.condition(table, name), optional=True) if self.chance(0.4) else ""

    def listed(self, table, name, count=3):
        """Items, their names, and an ORDER BY."""
        wanted = [c.name for c in self.columns(table, self.rng.randint(1, count)) if c.name != "last_error"] or ["topic"]
        order = self.order(wanted, wanted, name)
        return [name + written(c) for c in wanted], order

    # --- in WHERE and in the select list

    def exists(self):
        outer, inner = self.pair()
        items, order = self.listed(outer, "t.")
        word = self.rng.choice(["EXISTS", "EXISTS", "NOT EXISTS"])
        if self.chance(0.2):
            items, order = ["COUNT(*)"], ""
        return Node(
            "select", "SELECT ", ", ".join(items), f" FROM {outer.name} t WHERE {word} (SELECT 1 FROM {inner.name} u WHERE ",
            self.tied(outer, inner), self.more(inner, "u."), ")", self.more(outer, "t."), order,
        )  # fmt: skip

    def value_of(self, outer, inner, calls=()):
        number = "u." + written(self.rng.choice([c.name for c in inner.columns if c.type == NUMBER]))
        where = [f" FROM {inner.name} u WHERE ", self.tied(outer, inner), self.more(inner, "u.")]
        if self.chance(0.3):
            key = ", ".join("u." + c for c in UNIQUE[inner.name])
            return Node("value", "(SELECT ", number, *where, f" ORDER BY {key} LIMIT 1)")
        call = self.rng.choice(["COUNT(*)", f"MAX({number})", f"SUM({number})", f"COUNT(DISTINCT {number})", *calls])
        return Node("value", f"(SELECT {call}", *where, ")")

    def scalar(self):
        outer, inner = self.pair()
        items, order = self.listed(outer, "t.")
        if self.chance(0.5):
            head = ["SELECT ", ", ".join(items), ", ", self.value_of(outer, inner, ["MIN(u.topic)"]), " AS v", f" FROM {outer.name} t"]
            return Node("select", *head, self.where(outer, "t."), order)
        number = "t." + written(self.rng.choice([c.name for c in outer.columns if c.type == NUMBER]))
        word = self.rng.choice([" = ", " <= ", " > ", " <> "])
        return Node(
            "select", "SELECT ", ", ".join(items), f" FROM {outer.name} t WHERE ", number, word, self.value_of(outer, inner),
            self.more(outer, "t."), order,
        )  # fmt: skip

    def in_keys(self):
        outer, inner = self.pair()
        items, order = self.listed(outer, "t.")
        left = ["partition_key"] if self.chance(0.6) else self.rng.sample(["topic", "partition_key"], 2)
        word = self.rng.choice(["IN", "IN", "NOT IN"])
        named = "(" + ", ".join("t." + c for c in left) + ")" if len(left) > 1 else "t." + left[0]
        listed = ", ".join("u." + c for c in left)
        tail = self.where(inner, "u.")
        if self.chance(0.2):
            tail = Node("where", f" GROUP BY {listed} HAVING COUNT(*) > 1")
        return Node(
            "select", "SELECT ", ", ".join(items), f" FROM {outer.name} t WHERE {named} {word} (SELECT {listed} FROM {inner.name} u",
            tail, ")", self.more(outer, "t."), order,
        )  # fmt: skip

    # --- UNION

    def branches(self, columns, words):
        count = self.rng.choice([2, 2, 3])
        parts = []
        for i in range(count):
            table = self.rng.choice([t for t in TABLES.values() if set(columns) <= set(names(t))])
            word = f" {self.rng.choice(words)} " if i else ""
            parts += [word, f"SELECT {', '.join(columns)} FROM {table.name}", self.where(table, "")]
        return parts

    def ordered(self, columns):
        """All columns, so that what is cut off is the same on both sides."""
        if self.chance(0.4):
            return ""
        limit = self.rng.choice(["", " LIMIT 3", " LIMIT 2, 4", " LIMIT 0"])
        keys = ", ".join(c + (" DESC" if self.chance(0.3) else "") for c in columns)
        return Node("order", " ORDER BY ", keys, limit, optional=True, order=tuple(range(len(columns))))

    def union(self):
        columns = self.rng.sample(["topic", "consumer_group"], self.rng.choice([1, 1, 2]))
        words = self.rng.choice([["UNION"], ["UNION ALL"], ["UNION ALL"], ["UNION", "UNION ALL"]])
        return Node("select", *self.branches(columns, words), self.ordered(columns))

    def union_of_keys(self):
        columns = self.rng.sample(["topic", "partition_key"], self.rng.choice([1, 2]))
        if "partition_key" not in columns:
            columns = ["partition_key"]
        words = self.rng.choice([["UNION"], ["UNION ALL"], ["EXCEPT"], ["INTERSECT"], ["UNION", "EXCEPT", "UNION ALL"]])
        return Node("select", *self.branches(columns, words), self.ordered(columns))

    # --- FROM

    def joined_query(self):
        """A table and a query that passes its key on, in FROM or by WITH."""
        outer, inner = self.pair()
        items, order = self.listed(outer, "t.")
        key = self.rng.choice(["partition_key", "k"])
        passed = "partition_key" + (" AS k" if key == "k" else "")
        if self.chance(0.5):
            query = Node("select", f"SELECT topic, {passed}, COUNT(*) AS n FROM {inner.name}", self.where(inner, ""), " GROUP BY topic, partition_key")
        else:
            word = self.rng.choice(["", "DISTINCT "])
            query = Node("select", f"SELECT {word}topic, {passed}, 1 AS n FROM {inner.name}", self.where(inner, ""))
        on = f"q.{key} = t.partition_key" + (" AND q.topic = t.topic" if self.chance(0.5) else "")
        word = self.rng.choice(["JOIN", "LEFT JOIN"])
        head, source = ("WITH q AS (", "q") if self.chance(0.4) else ("", None)
        if source:
            return Node("select", head, query, ") SELECT ", ", ".join(items), f", q.n FROM {outer.name} t {word} q ON {on}", self.where(outer, "t."), order)
        return Node("select", "SELECT ", ", ".join(items), f", q.n FROM {outer.name} t {word} (", query, f") q ON {on}", self.where(outer, "t."), order)
