"""FROM: queue tables, derived tables and all ways to join them."""

from scopes import Scope, Source
from tables import JSON, NUMBER, TABLES, TEXT, Column
from tree import OFFSET, Node

TABLE_LIST = list(TABLES.values())


class Joins:
    """A part of Grammar."""

    def from_clause(self, outer, tables=None):
        """` FROM …` and the scope it makes."""
        count = tables or self.weighted({1: 10, 2: 8, 3: 3, 4: 0.5})
        scope = Scope(outer=outer)
        names = set()
        parts = [" FROM "]
        while count > 0:
            part = self.rng.randint(1, count) if self.chance(0.15) else count
            count -= part
            node, made = self.join_tree(part, names, outer, scope)
            if len(parts) > 1:
                self.note("comma join")
                parts.append(", ")
            parts.append(node)
            scope.sources += made.sources
            scope.merged.update(made.merged)
        return Node("from", *parts), scope

    def join_tree(self, count, names, outer, left_scope):
        if count == 1:
            return self.factor(names, outer, left_scope)
        split = self.rng.randint(1, count - 1)
        left, left_made = self.join_tree(split, names, outer, left_scope)
        right, right_made = self.join_tree(count - split, names, outer, Scope(left_made.sources, outer=outer))
        if split > 1 and self.chance(0.4):
            left = Node("join", "(", left, ")")
        if count - split > 1:
            self.note("nested join")
            right = Node("join", "(", right, ")")
        return self.join(left, left_made, right, right_made, outer)

    def join(self, left, left_made, right, right_made, outer):
        word = self.weighted(self.JOINS)
        common = self.common_columns(left_made, right_made)
        both = Scope(left_made.sources + right_made.sources, {**left_made.merged, **right_made.merged}, outer)
        if word in ("CROSS JOIN", "STRAIGHT_JOIN") and self.chance(0.4):
            return Node("join", left, f" {word} ", right), both
        if common and self.chance(0.11):
            self.note("USING")
            using = self.rng.sample(common, self.rng.randint(1, len(common)))
            self.merge(both, left_made, using)
            listed = ", ".join(OFFSET if c.name == "offset" else c.name for c in using)
            if word == "STRAIGHT_JOIN":
                word = "JOIN"
            return Node("join", left, f" {word.replace('CROSS', 'INNER')} ", right, f" USING ({listed})"), both
        if common is not None and self.chance(0.04):
            self.note("NATURAL")
            self.merge(both, left_made, common)
            word = {"CROSS JOIN": "JOIN", "STRAIGHT_JOIN": "JOIN"}.get(word, word)
            return Node("join", left, f" NATURAL {word} ", right), both
        self.note(word)
        self.in_on += self.mysql
        condition = self.on_condition(both, left_made, right_made)
        self.in_on -= self.mysql
        return Node("join", left, f" {word} ", right, " ON ", condition), both

    JOINS = {
        "JOIN": 6, "INNER JOIN": 2, "LEFT JOIN": 6, "LEFT OUTER JOIN": 1, "RIGHT JOIN": 3, "RIGHT OUTER JOIN": 0.5,
        "CROSS JOIN": 1, "STRAIGHT_JOIN": 0.7,
    }  # fmt: skip

    def on_condition(self, both, left_made, right_made):
        """Mostly columns of one name on both sides, then anything."""
        shared = [
            (s, c, t, d)
            for s in left_made.sources for c in s.columns
            for t in right_made.sources for d in t.columns
            if c.name == d.name and c.type in (NUMBER, TEXT)
        ]  # fmt: skip
        if not shared or self.chance(0.15):
            return self.condition(both, 1)
        parts = []
        for s, c, t, d in self.rng.sample(shared, min(len(shared), self.rng.choice([1, 1, 2]))):
            if parts:
                parts.append(" AND ")
            parts += [self.reference(both, s, c), " = ", self.reference(both, t, d)]
        if self.chance(0.3):
            parts += [self.rng.choice([" AND ", " OR "]), self.condition(both, 1)]
        return Node("condition", *parts)

    @staticmethod
    def common_columns(left, right):
        """Columns that both sides have once; None where a name is ambiguous."""
        mine, other = left.star(), right.star()
        names = [c.name for c in mine], [c.name for c in other]
        common = [c for c in mine if c.name in names[1]]
        if any(names[0].count(c.name) != 1 or names[1].count(c.name) != 1 for c in common):
            return None
        return common

    @staticmethod
    def merge(both, left, names):
        both.merged = {**{c.name: c for c in left.star() if c in names}, **both.merged}

    # --- what is joined

    def factor(self, names, outer, left_scope):
        make = self.weighted(self.FACTORS) if self.may_query() else Joins.queue_table
        node, source = make(self, names, outer, left_scope)
        names.add(source.name)
        if self.chance(0.02):
            self.note("parenthesised table")
            node = Node("join", "(", node, ")")
        return node, Scope([source])

    def queue_table(self, names, _outer, _left):
        table = self.rng.choice(TABLE_LIST)
        columns, hidden = table.columns, next((c for c in self.ctes if c.name == table.name), None)
        text = table.name
        if self.chance(0.05):
            self.note("database.table")
            text = self.rng.choice(["queue.", "`queue`."]) + table.name
            hidden = None
        elif self.chance(0.05):
            text = f"`{table.name}`"
        if hidden:
            columns, table = hidden.columns, None
        name = text.split(".")[-1].strip("`")
        if name in names or self.chance(0.6):
            name = self.alias_of(name, names)
            text += self.rng.choice([" ", " AS ", " as "]) + name
        if table:
            text += self.index_hint(table)
        return Node("join", text), Source(name, columns, table)

    def alias_of(self, table, names):
        if self.chance(0.04):
            other = self.rng.choice(TABLE_LIST).name
            if other not in names and other != table:
                self.note("alias named like a table")
                return other
        return self.fresh(table[6:7])

    def index_hint(self, table):
        if not self.chance(0.04):
            return ""
        self.note("index hint")
        word = self.rng.choice(["USE INDEX", "FORCE INDEX", "IGNORE INDEX", "USE KEY", "FORCE INDEX FOR ORDER BY"])
        return f" {word} ({self.rng.choice(table.indexes)})"

    def derived(self, names, _outer, _left):
        self.note("derived table")
        return self.derived_node("", self.query(name_all=True))

    def derived_node(self, word, query):
        name, columns, listed = self.fresh("d"), query.columns, ""
        if self.mysql and self.chance(0.2):
            self.note("derived table with columns")
            columns = [Column(self.fresh("k"), c.type) for c in columns]
            listed = " (" + ", ".join(c.name for c in columns) + ")"
        node = Node("join", f"{word}(", query.node, ")", self.rng.choice([" ", " AS "]), name, listed)
        return node, Source(name, tuple(columns))

    def lateral(self, names, outer, left):
        if not self.mysql or not left.sources:
            return self.derived(names, outer, left)
        self.note("LATERAL")
        # On the nullable side of an outer join MySQL 9.7 takes an outer column of the select list for
        # what it is outside, where it ought to be NULL: both schemas' answers depend on the plan.
        query = self.select(Scope(left.sources, left.merged, outer), name_all=True, outer_items=False)
        return self.derived_node("LATERAL ", query)

    def json_table(self, names, outer, left):
        self.note("JSON_TABLE")
        document = "'[1, 2, 3]'"
        found = left.columns(JSON) if left.sources else []
        if found and self.chance(0.7):
            source, column = self.rng.choice(found)
            document = f"{source.name}.{column.name}"
        name = self.fresh("j")
        path = "$[*]" if document[0] == "'" else "$.k[*]"
        text = (
            f"JSON_TABLE({document}, '{path}' COLUMNS (jo FOR ORDINALITY, jn INT PATH '$', "
            f"jt VARCHAR(20) PATH '$' DEFAULT '\"none\"' ON EMPTY)) AS {name}"
        )
        columns = (Column("jo", NUMBER), Column("jn", NUMBER), Column("jt", TEXT))
        return Node("join", text), Source(name, columns)

    def values_table(self, names, outer, left):
        if not self.mysql:
            return self.derived(names, outer, left)
        query = self.values_rows([NUMBER, TEXT])
        return self.derived_node("", query)

    def cte_reference(self, names, outer, left):
        if not self.ctes:
            return self.queue_table(names, outer, left)
        cte = self.rng.choice(self.ctes)
        name = cte.name if cte.name not in names and self.chance(0.5) else self.fresh("e")
        return Node("join", cte.name, "" if name == cte.name else " " + name), Source(name, cte.columns)

    FACTORS = {
        queue_table: 20, derived: 3, lateral: 1, json_table: 0.7, values_table: 0.3, cte_reference: 3,
    }  # fmt: skip
