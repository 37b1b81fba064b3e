"""Query expressions: SELECT with everything it may hold, unions, VALUES, TABLE, CTEs."""

from dataclasses import dataclass

from joins import Joins
from scopes import Scope, Source
from tables import JSON, NUMBER, TABLES, TEXT, Column
from tree import OFFSET, Node, joined, render

PRINTABLE = (NUMBER, TEXT)  # the types whose values a query of its own may be asked for


@dataclass
class Query:
    node: Node
    columns: list  # Column, by position


@dataclass
class Item:
    """An entry of a select list."""

    node: Node
    type: str
    name: str = None  # None: the text of the expression
    alias: str = None


class Queries(Joins):
    """A part of Grammar."""

    def may_query(self):
        return self.selects_left > 0

    # --- a query expression

    def query(self, outer=None, kinds=None, limit=True, name_all=False):
        """Any query expression of columns of these types."""
        if self.selects_left > 1 and self.chance(0.13):
            return self.union(outer, kinds, limit, name_all)
        if kinds is None and self.mysql and self.chance(0.02):
            return self.table_statement()
        if self.selects_left > 1 and self.chance(0.06):
            return self.with_query(outer, kinds, limit, name_all)
        return self.select(outer, kinds, limit, name_all)

    def union(self, outer, kinds, limit, name_all):
        kinds = kinds or [self.rng.choice(PRINTABLE) for _ in range(self.rng.choice([1, 2, 2, 3]))]
        first = self.branch(outer, kinds, name_all)
        parts = [first.node]
        for _ in range(self.rng.choice([1, 1, 2])):
            word = self.weighted(self.SET_OPERATORS)
            self.note(word)
            parts += [f" {word} ", self.branch(outer, kinds, False).node]
        columns = [Column(c.name, k) for c, k in zip(first.columns, kinds)]
        if limit:
            parts.append(self.order_of_columns(columns))
        return Query(Node("select", *parts), columns)

    SET_OPERATORS = {
        "UNION": 4, "UNION ALL": 4, "UNION DISTINCT": 1, "INTERSECT": 1, "EXCEPT": 1, "EXCEPT ALL": 0.3,
        "INTERSECT ALL": 0.3,
    }  # fmt: skip

    def branch(self, outer, kinds, name_all):
        """One side of a union, at times in parentheses with an order and a limit of its own."""
        if self.chance(0.05) and all(k in PRINTABLE for k in kinds):
            return self.values_rows(kinds)
        if self.chance(0.3):
            self.note("parenthesised branch")
            query = self.query if self.chance(0.3) and self.selects_left > 1 else self.select
            inner = query(outer, kinds, True, name_all)
            return Query(Node("select", "(", inner.node, ")"), inner.columns)
        return self.select(outer, kinds, False, name_all)

    def values_rows(self, kinds):
        self.note("VALUES")
        row = "ROW(" if self.mysql else "("
        rows = [
            Node("row", row, *joined(", ", [self.literal(kind) for kind in kinds]), ")")
            for _ in range(self.rng.choice([1, 2, 3]))
        ]
        columns = [Column(f"column_{n}", kind) for n, kind in enumerate(kinds)]
        return Query(Node("select", "VALUES ", *joined(", ", rows)), columns)

    def literal(self, kind):
        return self.number_literal() if kind == NUMBER else self.text_literal()

    def table_statement(self):
        self.note("TABLE")
        table = self.rng.choice(list(TABLES.values()))
        order = self.order_of_columns(list(table.columns))
        return Query(Node("select", "TABLE ", table.name, order), list(table.columns))

    # --- common table expressions

    def with_query(self, outer, kinds, limit, name_all):
        self.note("WITH")
        before = len(self.ctes)
        recursive = self.chance(0.3)
        definitions = [self.cte(recursive) for _ in range(self.rng.choice([1, 1, 2]))]
        query = self.select(outer, kinds, limit, name_all)
        del self.ctes[before:]
        word = "WITH RECURSIVE " if recursive else "WITH "
        return Query(Node("select", word, *joined(", ", definitions), " ", query.node), query.columns)

    def cte(self, recursive):
        name = self.fresh("w")
        if self.chance(0.12):
            self.note("CTE named like a table")
            name = self.rng.choice(list(TABLES))
        if any(name == cte.name for cte in self.ctes):
            name = self.fresh("w")
        if recursive and self.chance(0.7):
            return self.recursive_cte(self.fresh("r"))
        self.selects_left -= 1
        query = self.query(name_all=True)
        columns, listed = query.columns, ""
        # Prepared, MariaDB 10.11 renames the columns before it reads an ORDER BY of their aliases.
        if self.chance(0.3) and (self.mysql or "ORDER BY" not in render(query.node)):
            columns = [Column(self.fresh("k"), c.type) for c in columns]
            listed = " (" + ", ".join(c.name for c in columns) + ")"
        self.ctes.append(Source(name, tuple(columns)))
        return Node("cte", name, listed, " AS (", query.node, ")")

    def recursive_cte(self, name):
        self.note("WITH RECURSIVE")
        table = self.rng.choice(["queue_offsets", "queue_partition_leases", "queue_messages"])
        self.ctes.append(Source(name, (Column("k", TEXT), Column("n", NUMBER))))
        scope = Scope([Source("s", TABLES[table].columns, TABLES[table])])
        start = Node("condition", self.condition(scope, 1))
        step = Node("condition", self.condition(scope, 1))
        union = self.rng.choice(["UNION", "UNION", "UNION DISTINCT"])
        return Node(
            "cte", name, f" (k, n) AS (SELECT s.topic, 1 FROM {table} s WHERE ", start,
            f" {union} SELECT s.topic, r.n + 1 FROM {name} r JOIN {table} AS s ON s.topic = r.k WHERE r.n < 3 AND (",
            step, "))",
        )  # fmt: skip

    # --- SELECT

    def select(self, outer=None, kinds=None, limit=True, name_all=False, outer_items=True):
        self.selects_left -= 1
        source, scope = self.from_clause(outer)
        where = self.where(scope)
        # MySQL takes a window in such a sub-query or not, as it plans.
        compared = outer is not None and not limit
        shape = self.weighted(self.PLAIN_SHAPES if compared else self.SHAPES)
        if kinds == "star":
            return Query(Node("select", "SELECT *", source, where), scope.star())
        listed = scope if outer_items else Scope(scope.sources, scope.merged)
        items, tail, distinct = shape(self, listed, kinds, name_all)
        if kinds is None and shape is Queries.plain and self.chance(0.2):
            items = self.star_items(scope, name_all) or items
        columns = [Column(item.alias or item.name, item.type) for item in self.flat(items)]
        order = ""
        if limit:
            ordered_window = "rollup" in tail
            order = self.order_clause(items, columns, scope if shape is Queries.plain else None) if not ordered_window else ""
        if order and self.mysql:
            self.settle_literals(items)
        node = Node(
            "select", "SELECT", self.modifiers(), distinct, " ", *joined(", ", [self.item_node(i) for i in items]), source,
            where, *tail.values(), order,
        )  # fmt: skip
        return Query(node, columns)

    @staticmethod
    def settle_literals(items):
        """Makes text of parameters that are columns: MySQL 9.7 drops the order of a derived table, and
        with it a parameter that it orders by, which PREPARE still counts but does not define."""
        for item in items:
            if all(not isinstance(p, str) or not p.strip("() ") for n in item.node.walk() for p in n.parts):
                item.node = item.node.frozen()

    def where(self, scope, chance=0.75):
        if not self.chance(chance):
            return ""
        return Node("where", self.rng.choice([" WHERE ", " WHERE ", "\nWHERE "]), self.condition(scope, 3), optional=True)

    def modifiers(self):
        if self.chance(0.04):
            self.note("optimizer hint")
            return " " + self.rng.choice(self.HINTS[self.mysql])
        if self.chance(0.04):
            self.note("SELECT modifier")
            return " " + self.rng.choice(["ALL", "STRAIGHT_JOIN", "SQL_SMALL_RESULT", "SQL_BIG_RESULT"])
        return ""

    HINTS = {
        True: ["/*+ NO_BNL() */", "/*+ MAX_EXECUTION_TIME(20000) */", "/*+ SET_VAR(sort_buffer_size = 65536) */", "/*+ NO_MERGE() */",
               "/*+ QB_NAME(q1) */", "/*+ NO_SEMIJOIN() */", "/*+ JOIN_FIXED_ORDER() */", "/* no hint */"],
        False: ["/*+ BKA() */", "/* no hint */", "/*+ none */"],
    }  # fmt: skip

    @staticmethod
    def item_node(item):
        return Node("item", item.node, " AS " + item.alias) if item.alias else item.node

    @staticmethod
    def flat(items):
        """The items with those that `*` stands for."""
        out = []
        for item in items:
            out += item.type if isinstance(item.type, list) else [item]
        return out

    def item(self, node, kind, name_all):
        plain = self.is_reference(node)
        name = node.parts[-1].strip("`").replace(OFFSET, "offset") if plain else None
        alias = self.fresh("c") if (name_all and self.chance(0.6)) or (not plain and (name_all or self.chance(0.4))) else None
        return Item(node, kind, name, alias)

    @staticmethod
    def is_reference(node):
        """Whether an expression is nothing but a column."""
        return all(
            isinstance(p, str) and (p in (".", OFFSET) or p.strip("`").isidentifier())
            for p in node.parts
        )

    def distinct_names(self, items):
        """Gives an alias to every name that a derived table could not have twice."""
        seen = set()
        for item in items:
            if item.alias is None and (item.name is None or item.name in seen):
                item.alias = self.fresh("c")
            seen.add(item.alias or item.name)
        return items

    # --- shapes of a SELECT: each gives items, what follows WHERE, and DISTINCT

    def plain(self, scope, kinds, name_all):
        distinct = ""
        if self.chance(0.15):
            self.note("DISTINCT")
            distinct = self.rng.choice([" DISTINCT", " DISTINCT", " DISTINCTROW"])
        kinds = kinds or [self.rng.choice(PRINTABLE) for _ in range(self.rng.choice([1, 2, 2, 3, 4]))]
        items = [self.item(self.value(scope, kind, 2), kind, name_all) for kind in kinds]
        return self.named(items, name_all), {}, distinct

    def named(self, items, name_all):
        return self.distinct_names(items) if name_all else items

    def star_items(self, scope, name_all):
        """`*` or `alias.*`, where their columns have names of their own."""
        star = scope.star()
        if len({c.name for c in star}) == len(star) or not name_all:
            if self.chance(0.5):
                self.note("*")
                return [Item(Node("item", "*"), [Item(None, c.type, c.name) for c in star])]
        source = self.rng.choice(scope.sources)
        self.note("alias.*")
        items = [Item(Node("item", source.name, ".*"), [Item(None, c.type, c.name) for c in source.columns])]
        if self.chance(0.3):
            items.append(Item(self.number(scope, 1), NUMBER, None, self.fresh("c")))
        return items

    def grouped(self, scope, kinds, name_all):
        self.note("GROUP BY")
        count = self.rng.choice([1, 1, 2, 3])
        keys = [self.column(self.inner(scope), self.rng.choice(PRINTABLE)) for _ in range(count)]
        keys = [key for key in keys if key is not None] or [Node(NUMBER, "1 + 1")]
        items = []
        for kind in kinds or [None] * self.rng.choice([1, 2, 2, 3]):
            usable = [key for key in keys if kind in (None, key.kind)]
            if usable and self.chance(0.5):
                key = self.rng.choice(usable)
                items.append(self.item(key, key.kind, name_all))
            else:
                kind = kind or self.rng.choice(PRINTABLE)
                items.append(self.item(self.aggregate(scope, kind), kind, name_all))
        tail = {"group": Node("group", " GROUP BY ", *joined(", ", keys))}
        having = {"having": self.having(scope, keys)} if self.chance(0.3) else {}
        if self.chance(0.12) and not self.counts_distinct(items, having):
            self.note("WITH ROLLUP")
            tail["rollup"] = " WITH ROLLUP"
        tail.update(having)
        return self.named(items, name_all), tail, ""

    def counts_distinct(self, items, having):
        """Below ROLLUP MariaDB 10.11 counts rows in COUNT(DISTINCT key)."""
        parts = [item.node for item in items if item.node] + list(having.values())
        return not self.mysql and any("COUNT(DISTINCT" in render(part) for part in parts)

    @staticmethod
    def inner(scope):
        """The scope without the queries around it."""
        return Scope(scope.sources, scope.merged)

    def having(self, scope, keys):
        self.note("HAVING")
        left = self.rng.choice(keys) if self.chance(0.3) else self.aggregate(scope, NUMBER)
        right = self.plausible(left, left.kind) if left.kind == TEXT else self.number_literal()
        condition = Node("condition", left, self.rng.choice([" > ", " = ", " <> ", " >= ", " < "]), right)
        if self.may_query() and self.chance(0.2):
            extra = self.scalar_subquery(None, NUMBER)
            condition = Node("condition", "(", condition, " OR ", self.aggregate(scope, NUMBER), " > ", extra, ")")
        return Node("having", " HAVING ", condition, optional=True)

    def whole(self, scope, kinds, name_all):
        """Aggregates over all rows."""
        self.note("aggregate")
        kinds = kinds or [self.rng.choice(PRINTABLE) for _ in range(self.rng.choice([1, 1, 2, 3]))]
        items = [self.item(self.aggregate(scope, kind), kind, name_all) for kind in kinds]
        return self.named(items, name_all), {}, ""

    def aggregate(self, scope, kind):
        scope = self.inner(scope)
        if kind == TEXT:
            form = self.rng.choice(["MIN(t)", "MAX(t)", "MAX(t)"])
            if self.chance(0.25):
                return self.group_concat(scope)
        else:
            form = self.rng.choice(
                ["COUNT(*)", "COUNT(*)", "COUNT(t)", "COUNT(DISTINCT)", "SUM(n)", "MIN(n)", "MAX(n)", "AVG(n)",
                 "BIT_OR(n)", "BIT_AND(n)", "BIT_XOR(n)", "COUNT(*) + SUM(n)", "COALESCE(SUM(n), 0)", "SUM(c)",
                 "COUNT(NULLIF(t, 'a'))", "SUM(IF(c, 1, 0))", "COUNT(CASE WHEN c THEN 1 END)"]
            )  # fmt: skip
        if form == "COUNT(DISTINCT)":
            return self.count_distinct(scope)
        # MySQL 9.7 loses parameters in aggregates over a temporary table.
        return self.filled(kind, form, scope, 0 if self.chance(0.7) else 1).frozen()

    def count_distinct(self, scope):
        """Of columns alone: MySQL 9.7 counts several parameters wrongly.

        MariaDB 10.11 reads one row of each value ("Using index for group-by (scanning)") where an
        index begins with the columns alone, and loses the values whose first row WHERE refuses: a
        number beside them prevents that.
        """
        found = [self.column(scope, self.rng.choice(PRINTABLE)) for _ in range(self.rng.choice([1, 1, 2]))]
        found = [c for c in found if c is not None]
        if not self.mysql or not found:
            found.append(Node(NUMBER, "1"))
        return Node(NUMBER, "COUNT(DISTINCT ", *joined(", ", found), ")")

    def group_concat(self, scope):
        self.note("GROUP_CONCAT")
        text = self.column(scope, TEXT)
        if text is None:  # a parameter here would make MySQL 9.7 count them wrongly
            text = Node(TEXT, "'a'")
        direction = self.rng.choice(["", " DESC"])
        distinct = self.rng.choice(["", "DISTINCT "])
        return Node(TEXT, "GROUP_CONCAT(", distinct, text, " ORDER BY ", text, direction, " SEPARATOR '|')")

    def windowed(self, scope, kinds, name_all):
        self.note("window")
        count = self.rng.choice([1, 2, 3])
        kinds = kinds or [NUMBER] + [self.rng.choice(PRINTABLE) for _ in range(count - 1)]
        items, tail = [], {}
        for kind in kinds:  # one window for MariaDB 10.11: of several it sorts for one alone
            if kind != NUMBER or self.chance(0.3) or (items and not self.mysql):
                items.append(self.item(self.value(scope, kind, 1), kind, name_all))
                continue
            node, window = self.window_call(scope)
            if self.chance(0.25) and "window" not in tail:
                name = self.fresh("v")
                tail["window"] = Node("window", f" WINDOW {name} AS ", window)
                window = name
            items.append(self.item(Node(NUMBER, node, " OVER ", window), NUMBER, name_all))
        return self.named(items, name_all), tail, ""

    def window_call(self, scope):
        """A window function that does not depend on the order of equal rows, and its window."""
        single = scope.sources[0].table if len(scope.sources) == 1 else None
        partition = self.column(self.inner(scope), TEXT)
        partition = ["PARTITION BY ", partition] if partition and self.chance(0.6) else []
        if single and self.chance(0.5):
            keys = [self.reference(scope, scope.sources[0], single.column(k)) for k in single.key]
            call = self.rng.choice(
                ["ROW_NUMBER()", "LAG(n) ", "LEAD(n, 2) ", "FIRST_VALUE(n) ", "NTILE(3)", "SUM(n) ", "NTH_VALUE(n, 2) "]
            )  # fmt: skip
            frame = " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW" if call == "SUM(n) " else ""
        else:
            key = self.column(self.inner(scope), self.rng.choice(PRINTABLE)) or self.number_literal()
            keys = [key]
            call = self.rng.choice(["RANK()", "DENSE_RANK()", "COUNT(*)", "SUM(n) ", "MIN(n) ", "MAX(n) ", "COUNT(t) ", "CUME_DIST()"])
            frame = ""
        order = [" ORDER BY ", *joined(", ", keys)]
        return self.filled("call", call.strip(), scope, 0), Node("window", "(", *partition, *order, frame, ")")

    PLAIN_SHAPES = {plain: 10, grouped: 4, whole: 3}
    SHAPES = {**PLAIN_SHAPES, windowed: 1.2}

    # --- one value

    def aggregate_query(self, outer, kind):
        self.selects_left -= 1
        source, scope = self.from_clause(outer, tables=self.rng.choice([1, 1, 1, 2]))
        return Node("select", "SELECT ", self.aggregate(scope, kind), source, self.where(scope))

    def first_query(self, outer, kind):
        self.selects_left -= 1
        source, scope = self.from_clause(outer, tables=1)
        value = self.value(self.inner(scope), kind, 1)
        direction = self.rng.choice(["", " DESC"])
        return Node("select", "SELECT ", value, source, self.where(scope), " ORDER BY 1", direction, " LIMIT 1")

    # --- ORDER BY, LIMIT, locks

    def order_clause(self, items, columns, scope):
        """ORDER BY of a SELECT. A LIMIT only behind an order that leaves no choice."""
        if scope is not None and self.chance(0.12):
            self.note("ORDER BY expression")
            key = self.value(scope, self.rng.choice(PRINTABLE), 1)
            return Node("order", " ORDER BY CONCAT(", key, ", '')", optional=True, order=())
        names = [None] * len(columns)
        if len(items) == len(columns):
            names = [item.alias for item in items]
        return self.order_of_columns(columns, names)

    def order_of_columns(self, columns, names=None):
        if not self.chance(0.5):
            return ""
        names = names or [None] * len(columns)
        places = list(range(len(columns)))
        self.rng.shuffle(places)
        total = all(c.type != JSON for c in columns) and self.chance(0.6)
        if not total:
            places = [p for p in places if columns[p].type in PRINTABLE][: self.rng.choice([1, 2])]
        if not places:
            return ""
        self.note("ORDER BY")
        keys = [
            Node("key", names[p] if names[p] and self.chance(0.5) else str(p + 1), self.rng.choice(["", "", " ASC", " DESC"]))
            for p in places
        ]
        limit = self.limit() if total and self.chance(0.6) else ""
        return Node("order", " ORDER BY ", *joined(", ", keys), limit, optional=True, order=tuple(places))

    def limit(self):
        self.note("LIMIT")
        form = self.rng.choice([" LIMIT {0}", " LIMIT {0}", " LIMIT {0} OFFSET {1}", " LIMIT {1}, {0}"])
        count, skip = self.rng.choice([0, 1, 2, 3, 5, 1000]), self.rng.choice([0, 1, 2])
        return Node("limit", form.format(count, skip), optional=True)

    def locking(self, scope_names):
        self.note("locking clause")
        forms = [" FOR UPDATE", " LOCK IN SHARE MODE", " FOR UPDATE NOWAIT", " FOR UPDATE SKIP LOCKED"]
        if self.mysql:
            forms += [" FOR SHARE", " FOR SHARE SKIP LOCKED", " FOR SHARE NOWAIT"]
            forms += [f" FOR UPDATE OF {name}" for name in scope_names]
        return Node("lock", self.rng.choice(forms), optional=True)
