"""Statements of a session with several tenants, as an old consumer and its admin tool send them: one
table, conditions of all kinds, DISTINCT, groups, orders, limits; joins and derived tables, tied by
partition keys or not; queries inside and UNION (nested.py); changes that a partition key or a table
that every tenant has a copy of makes possible; and what the session says of all that afterwards.
"""

import literals
from grammar import Grammar, Unit
from nested import KEYED, UNIQUE, Nested, written
from tables import JSON, KEYS, MANY, NAMES, NUMBER, TABLES, TEXT
from tree import Node, joined

HEARTBEATS = "queue_subscriber_heartbeats"


class Many(Nested, Grammar):
    """Units for a session that names no tenant."""

    CURSORS = (0, 0, 1, 3, 100)

    def unit(self):
        if self.chance(0.75):
            statements = self.asked(self.finished(self.any_query(), "query"))
        else:
            statements = []
            for _ in range(self.rng.choice([1, 2, 3])):
                statements += self.asked(self.finished(self.any_change(), "change"))
        return Unit(statements, deprecate_eof=self.chance(0.5))

    # Whether a query has warnings depends on the plan; what SELECT found is kept by a change.
    ASKED = {
        "query": ["SELECT FOUND_ROWS()", "SELECT FOUND_ROWS()", "SELECT ROW_COUNT()", "SELECT LAST_INSERT_ID()"],
        "change": [*Grammar.QUESTIONS, "SHOW COUNT(*) WARNINGS", "SELECT @@warning_count"],
    }

    def asked(self, statement):
        """The statement, and at times a question about it. The rows of a cursor nobody has counted."""
        if statement.cursor or not self.chance(0.15):
            return [statement]
        question = self.rng.choice(self.ASKED[statement.kind])
        if "FOUND_ROWS" in question and "totals" in statement.clauses:
            return [statement]  # MariaDB keeps the number of before when WHERE cannot be true
        return [statement, self.session(question)]

    # --- values

    def key(self):
        return f"{self.rng.choice(MANY)}|{self.rng.choice(KEYS)}"

    def value(self, column):
        if column.type == NUMBER:
            return literals.number(self.rng, self.rng.choice([0, 1, 2, 5, 8, 60, 103, 110, 205, 310, 408]))
        if column.name == "partition_key":
            return Node("text", literals.Value(literals.quoted(key := self.key()), key))
        return literals.text(self.rng, self.rng.choice(NAMES.get(column.name, ["boom", ""])))

    # --- conditions

    def condition(self, table, name):
        column = self.rng.choice([c for c in table.columns if c.type in (NUMBER, TEXT)])
        left = name + written(column.name)
        value = lambda: self.value(column)  # noqa: E731
        if column.name == "partition_key" and self.chance(0.3):
            return Node("condition", left, self.rng.choice([" LIKE 'm%'", " LIKE '%|p'", " LIKE '%n%|q'", " > 'mine|p'", " < 'near|q'", " LIKE 'mine!%'"]))
        form = self.rng.choice(["=", "=", "=", "<>", ">", "<=", "IN", "IN", "NOT IN", "BETWEEN", "NULL"])
        if form == "IN" or form == "NOT IN":
            values = joined(", ", [value() for _ in range(self.rng.choice([1, 2, 3]))])
            return Node("condition", left, f" {form} (", *values, ")")
        if form == "BETWEEN":
            return Node("condition", left, " BETWEEN ", value(), " AND ", value())
        if form == "NULL":
            return Node("condition", left, self.rng.choice([" IS NULL", " IS NOT NULL"]))
        return Node("condition", left, f" {form} ", value())

    def where(self, table, name):
        conditions = [self.condition(table, name) for _ in range(self.rng.choice([0, 0, 1, 1, 2, 3]))]
        if not conditions:
            return ""
        word = self.rng.choice([" AND ", " AND ", " AND ", " OR "])
        return Node("where", " WHERE ", *joined(word, conditions), optional=True)

    # --- queries

    def any_query(self):
        self.begin([1])
        if self.chance(0.2):
            self.note("join")
            return self.join()
        if self.chance(0.3):
            return self.any_nested()
        table = self.rng.choice(list(TABLES.values()))
        alias = self.rng.choice(["", "", "t"])
        name = "t." if alias and self.chance(0.5) else ""
        source = f" FROM {table.name}" + (f" {alias}" if alias else "")
        shape = self.rng.choice([self.rows, self.rows, self.distinct, self.groups, self.groups, self.totals])
        self.note(shape.__name__)
        return shape(table, name, source)

    def columns(self, table, count, kinds=(NUMBER, TEXT)):
        found = [c for c in table.columns if c.type in kinds]
        return self.rng.sample(found, min(count, len(found)))

    def order(self, columns, listed, name, total=()):
        """ORDER BY columns, those that are listed by their places, and a LIMIT where that is total."""
        wanted = self.rng.sample(columns, self.rng.randint(0, len(columns)))
        rest = [c for c in total if c not in wanted]
        limited = total and self.chance(0.5)
        wanted += rest if limited else []
        if not wanted:
            return ""
        keys, places = [], []
        for column in wanted:
            down = self.chance(0.3)
            keys.append(name + written(column) + (" DESC" if down else ""))
            places.append(listed.index(column) if column in listed else None)
        places = places[: places.index(None)] if None in places else places
        limit = self.rng.choice([" LIMIT 3", " LIMIT 5", " LIMIT 2, 4", " LIMIT 4 OFFSET 1", " LIMIT 0"]) if limited else ""
        return Node("order", " ORDER BY ", ", ".join(keys), limit, optional=True, order=tuple(places))

    def rows(self, table, name, source):
        if self.chance(0.2):
            listed, items = [c.name for c in table.columns], ["*"]
        else:
            kinds = (NUMBER, TEXT, JSON) if self.chance(0.2) else (NUMBER, TEXT)
            columns = self.columns(table, self.rng.randint(1, 5), kinds)
            listed = [c.name for c in columns]
            items = [name + written(c) for c in listed]
            if self.chance(0.2):
                items.append(self.rng.choice(["1", "'x'", f"LENGTH({name}topic)", f"CONCAT({name}topic, '-')", f"{name}topic + 0"]))
        columns = [c.name for c in table.columns if c.type in (NUMBER, TEXT) and c.name != "last_error"]
        order = self.order(self.rng.sample(columns, 2), listed, name, UNIQUE[table.name])
        return Node("select", "SELECT ", ", ".join(items), source, self.where(table, name), order)

    def distinct(self, table, name, source):
        columns = [c.name for c in self.columns(table, self.rng.randint(1, 3)) if c.name != "last_error"] or ["topic"]
        if "partition_key" in [c.name for c in table.columns] and self.chance(0.4):
            columns = ["partition_key"]
        items = [name + written(c) for c in columns]
        order = self.order(columns, columns, name, columns)
        return Node("select", "SELECT DISTINCT ", ", ".join(items), source, self.where(table, name), order)

    def aggregate(self, table, name):
        number = self.rng.choice([c for c in table.columns if c.type == NUMBER])
        n = name + written(number.name)
        text = name + self.rng.choice([c.name for c in table.columns if c.name in ("topic", "partition_key", "consumer_group")])
        return self.rng.choice([
            "COUNT(*)", "COUNT(*)", f"COUNT({n})", f"SUM({n})", f"MIN({n})", f"MAX({n})", f"AVG({n})", f"MAX({text})",
            f"MIN({text})", f"COUNT(DISTINCT {text})", f"COALESCE(MAX({n}), 0)", f"SUM({n}) + COUNT(*)",
        ])  # fmt: skip

    def groups(self, table, name, source):
        names = [c.name for c in table.columns if c.name in ("topic", "partition_key", "consumer_group", "subscriber_name", "acked")]
        group = self.rng.sample(names, self.rng.randint(1, min(2, len(names))))
        listed = [c for c in group if self.chance(0.9)]
        calls = [f"{self.aggregate(table, name)} AS a{i}" for i in range(self.rng.randint(0 if listed else 1, 2))]
        having = self.rng.choice(["", "", "", " HAVING COUNT(*) > 1", " HAVING COUNT(*) <= 2 OR COUNT(*) = 4"])
        order = self.order(listed, listed, name, listed if len(listed) == len(group) else ())
        return Node(
            "select", "SELECT ", ", ".join([name + c for c in listed] + calls), source, self.where(table, name),
            " GROUP BY ", ", ".join(name + c for c in group), having, order,
        )  # fmt: skip

    def totals(self, table, name, source):
        calls = [self.aggregate(table, name) for _ in range(self.rng.randint(1, 3))]
        return Node("select", "SELECT ", ", ".join(calls), source, self.where(table, name))

    # --- joins

    def derived(self, table):
        """(text, its columns): one row for each partition key, or some of its rows."""
        key = self.rng.choice(["partition_key", "partition_key", "partition_key AS k"])
        columns = ["topic", key.split()[-1]]
        where = self.where(table, "")
        if self.chance(0.3):
            word = self.rng.choice(["", "DISTINCT "])
            return Node("derived", f"(SELECT {word}topic, {key} FROM {table.name}", where, ")"), columns
        number = self.rng.choice([c.name for c in table.columns if c.type == NUMBER])
        call = self.rng.choice([f"MAX({written(number)})", "COUNT(*)", f"MIN({written(number)})"])
        groups = self.rng.choice(["topic, partition_key"] * 6 + ["topic", "partition_key"])
        having = self.rng.choice(["", "", "", " HAVING COUNT(*) > 1"])
        listed = f"topic, {key}" if groups.startswith("topic, ") else "MIN(topic) AS topic, " + key
        if groups == "topic":
            listed = f"topic, MIN(partition_key) AS {columns[1]}"
        return (
            Node("derived", f"(SELECT {listed}, {call} AS n FROM {table.name}", where, f" GROUP BY {groups}{having})"),
            [*columns, "n"],
        )

    def source(self, alias):
        """(text, its columns, the one that has the partition key, the table if it is one)."""
        table = self.rng.choice(KEYED)
        if self.chance(0.3):
            text, columns = self.derived(table)
            return Node("from", text, f" {alias}"), columns, columns[1], None
        columns = [c.name for c in table.columns if c.type in (NUMBER, TEXT) and c.name != "last_error"]
        return f"{table.name} {alias}", columns, "partition_key", table

    def tie(self, left, right):
        (a, _, key_a, _), (b, _, key_b, _) = left, right
        tie = f"{a}.{key_a} = {b}.{key_b}" if self.chance(0.5) else f"{b}.{key_b} = {a}.{key_a}"
        form = self.rng.choice(["tie"] * 8 + ["no", "or", "than"])
        if form == "no":
            tie = f"{a}.topic = {b}.topic"
        elif form == "or":
            tie = f"({tie} OR {a}.topic = {b}.topic)"
        elif form == "than":
            tie = tie.replace("=", "<=>" if self.chance(0.5) else ">=")
        return tie + self.rng.choice(["", f" AND {a}.topic = {b}.topic", f" AND {a}.topic < {b}.topic", f" AND {a}.topic = 'a'"])

    def join(self):
        """Two or three references, each tied to one before it."""
        refs, text, where = [], [], []
        for alias in "abc"[: self.rng.choice([1, 2, 2, 2, 3])]:
            source, *rest = self.source(alias)
            refs.append((alias, *rest))
            if len(refs) == 1:
                text.append(source)
                continue
            tie = self.tie(self.rng.choice(refs[:-1]), refs[-1])
            word = self.rng.choice([" JOIN ", " LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN ", ", "])
            if word == ", ":
                text += [" CROSS JOIN ", source]  # a comma would bind less than JOIN
                where += [" AND " if where else "", tie]
            else:
                text += [word, source, f" ON {tie}"]
        for alias, _, _, table in refs:
            if table and self.chance(0.3):
                where += [" AND " if where else "", self.condition(table, f"{alias}.")]
        places = [(alias, c) for alias, columns, _, table in refs for c in columns if table or c == "topic" or self.chance(0.7)]
        picked = self.rng.sample(places, min(len(places), self.rng.randint(1, 4)))
        items = [f"{alias}.{written(c)}" for alias, c in picked]
        own = [i for i, (alias, _) in enumerate(picked) if dict((r[0], r[3]) for r in refs)[alias]]
        order = ""
        if len(own) == len(picked) and self.chance(0.6):
            limit = self.rng.choice(["", "", " LIMIT 5", " LIMIT 2, 4"])
            order = Node("order", " ORDER BY ", ", ".join(items), limit, optional=True, order=tuple(range(len(items))))
        word = self.rng.choice(["", "", "", "DISTINCT "])
        condition = Node("where", " WHERE ", *where) if where else ""
        return Node("select", f"SELECT {word}", ", ".join(items), " FROM ", *text, condition, order)

    # --- changes

    def any_change(self):
        self.begin([0])
        change = self.rng.choice([self.upsert, self.keyed_update, self.keyed_delete, self.beat, self.clean, self.purge])
        self.note(change.__name__)
        return change()

    def keyed_table(self):
        return TABLES[self.rng.choice(["queue_delivery_state", "queue_offsets", "queue_partition_leases"])]

    def upsert(self):
        table = self.keyed_table()
        rows = [self.value(c) if c.name not in ("acked", "postponed") else "1" for c in table.columns]
        number = [c.name for c in table.columns if c.type == NUMBER][-1]
        tail = self.rng.choice(["", f" ON DUPLICATE KEY UPDATE {number} = VALUES({number})", f" ON DUPLICATE KEY UPDATE {number} = {number} + 1"])
        names = ", ".join(c.name for c in table.columns)
        verb = self.rng.choice(["INSERT INTO ", "INSERT IGNORE INTO "] if not tail else ["INSERT INTO "])
        return Node("insert", verb, table.name, f" ({names}) VALUES (", *joined(", ", rows), ")", tail)

    def by_key(self, table):
        conditions = ["partition_key = ", self.value(table.column("partition_key"))]
        for name in ("topic", "consumer_group"):
            if self.chance(0.7):
                conditions += [f" AND {name} = ", self.value(table.column(name))]
        return Node("where", " WHERE ", *conditions)

    def keyed_update(self):
        table = self.keyed_table()
        number = [c.name for c in table.columns if c.type == NUMBER][-1]
        return Node("update", "UPDATE ", table.name, f" SET {number} = {number} + 1", self.by_key(table))

    def keyed_delete(self):
        table = self.keyed_table()
        return Node("delete", "DELETE FROM ", table.name, self.by_key(table))

    def beat(self):
        table = TABLES[HEARTBEATS]
        names = [self.value(table.column(n)) for n in ("consumer_group", "topic", "subscriber_name")]
        at = self.rng.choice(["90", "95"])
        if self.chance(0.4):
            pairs = ["consumer_group = ", names[0], " AND topic = ", names[1], " AND subscriber_name = ", names[2]]
            return Node("update", f"UPDATE {HEARTBEATS} SET deregistered_at = {at} WHERE ", *pairs)
        return Node(
            "insert", f"INSERT INTO {HEARTBEATS} (consumer_group, topic, subscriber_name, heartbeat_at, deregistered_at) VALUES (",
            *joined(", ", names), f", {at}, 0) ON DUPLICATE KEY UPDATE heartbeat_at = VALUES(heartbeat_at), deregistered_at = 0",
        )  # fmt: skip

    def clean(self):
        """Heartbeats that are old, or all under a part of their key: not every tenant has them."""
        table, conditions = TABLES[HEARTBEATS], []
        for name in self.rng.sample(["consumer_group", "topic", "subscriber_name"], self.rng.randint(0, 2)):
            conditions.append(Node("condition", f"{name} = ", self.value(table.column(name))))
        if self.chance(0.8):
            conditions.append(f"heartbeat_at {self.rng.choice(['<', '<='])} {self.rng.choice([27, 29, 30, 33, 36, 50])}")
        where = Node("where", " WHERE ", *joined(" AND ", conditions)) if conditions else ""
        return Node("delete", f"DELETE FROM {HEARTBEATS}", where)

    def purge(self):
        table = TABLES["queue_partition_leases"]
        return Node(
            "delete", "DELETE FROM queue_partition_leases WHERE consumer_group = ", self.value(table.column("consumer_group")),
            " AND topic = ", self.value(table.column("topic")), f" AND lease_renewed_at < {self.rng.choice([22, 30, 125, 230])}",
        )  # fmt: skip
