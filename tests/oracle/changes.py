"""INSERT, REPLACE, UPDATE and DELETE in all their forms.

What a change does must not depend on the order in which the server reads the rows: a LIMIT stands
behind an order by the key, and rows that could collide set the same values.
"""

import literals
from scopes import Scope, Source
from tables import BLOB, JSON, MINE, NAMES, NEW_KEYS, NUMBER, TABLES, TEXT, is_qualified
from tree import OFFSET, Node, joined

# Columns that a change may set without making two rows one, by type.
FREE_NUMBERS = {
    "queue_messages": ["created_at", "published_at", "failed_at", "failure_count"],
    "queue_delivery_state": ["acked", "invisible_until", "retry_count", "postponed"],
    "queue_offsets": ["offset_acked", "updated_at"],
    "queue_partition_leases": ["leased_at", "lease_renewed_at"],
    "queue_subscriber_heartbeats": ["heartbeat_at", "deregistered_at"],
}
FREE_TEXTS = {
    "queue_messages": ["last_error", "original_topic"],
    "queue_partition_leases": ["leased_by"],
}
DEFAULTS = {"acked", "invisible_until", "retry_count", "postponed", "offset", "metadata", "failure_detail"}
FLAGS = {"acked", "postponed"}


def written(name):
    return OFFSET if name == "offset" else name


class Changes:
    """A part of Grammar."""

    def change(self):
        return self.weighted(self.CHANGES)(self)

    def own_scope(self, table, name=None):
        return Scope([Source(name or table.name, table.columns, table)])

    def any_table(self):
        return TABLES[self.weighted(self.TABLE_WEIGHTS)]

    TABLE_WEIGHTS = {
        "queue_messages": 4, "queue_delivery_state": 3, "queue_offsets": 3, "queue_partition_leases": 2,
        "queue_subscriber_heartbeats": 2,
    }  # fmt: skip

    # --- INSERT and REPLACE

    def insert(self):
        return self.insert_rows(self.rng.choice(["INSERT", "INSERT", "INSERT INTO", "INSERT INTO", "INSERT IGNORE INTO"]))

    def replace(self):
        self.note("REPLACE")
        return self.insert_rows(self.rng.choice(["REPLACE INTO", "REPLACE"]))

    def insert_rows(self, verb):
        table = self.any_table()
        columns, listed = self.insert_columns(table)
        count = self.rng.choice([1, 1, 1, 2, 3])
        upserts = verb.startswith("INSERT") and self.chance(0.4)
        if upserts and table.name == "queue_messages":
            count = 1  # LAST_INSERT_ID() after several: see docs/sessions.md
        rows = [self.insert_row(columns) for _ in range(count)]
        if len(rows) > 1:
            self.note("several rows")
        target = [verb, " ", self.table_name(table)]
        if listed and self.chance(0.15):
            self.note("INSERT SET")
            pairs = [Node("assign", written(c.name), " = ", v) for c, v in zip(columns, rows[0])]
            body = Node("rows", " SET ", *joined(", ", pairs))
        else:
            rows = [Node("row", "(", *joined(", ", row), ")") for row in rows]
            word = self.rng.choice([" VALUES ", " VALUES ", " VALUE "])
            body = Node("rows", self.column_list(columns) if listed else "", word, *joined(", ", rows))
        alias, tail = "", ""
        if upserts:
            alias, tail = self.on_duplicate(table, columns)
        returning = self.returning(table) if table.name != "queue_messages" else ""
        return Node("insert", *target, body, alias, tail, returning)

    def table_name(self, table):
        if self.chance(0.05):
            self.note("database.table")
            return "queue." + table.name
        return self.identifier(table.name)

    @staticmethod
    def column_list(columns):
        return Node("columns", " (", ", ".join(written(c.name) for c in columns), ")")

    def insert_columns(self, table):
        """The columns an INSERT fills, and whether it lists them."""
        if self.chance(0.12):
            self.note("no column list")
            return list(table.columns), False
        columns = [
            c for c in table.columns
            if c.name not in DEFAULTS or (self.chance(0.4) and (c.name != "offset" or self.chance(0.2)))
        ]  # fmt: skip
        if self.chance(0.3):
            self.rng.shuffle(columns)
        return columns, True

    def insert_row(self, columns):
        return [self.insert_value(column) for column in columns]

    def insert_value(self, column):
        if column.name == "offset":
            self.used_offsets += 1
            fresh = str(5000 + self.used_offsets)
            return Node("number", self.rng.choice(["NULL", "DEFAULT", "0", fresh, fresh]))
        if column.name in DEFAULTS and self.chance(0.1):
            self.note("DEFAULT")
            return Node(column.type, "DEFAULT")
        if column.type == NUMBER:
            if column.name not in FLAGS and self.may_query() and self.chance(0.05):
                self.note("sub-query in VALUES")
                return Node("number", "COALESCE((", self.aggregate_query(None, NUMBER), "), 0) % 100000")
            return literals.number(self.rng, self.rng.choice([0, 1] if column.name in FLAGS else [0, 1, 5, 8, 70]))
        if column.type == JSON:
            return Node(JSON, self.rng.choice(["NULL", "'{\"k\": [1, 2]}'", "'{}'", f"'{{\"queue_name\": \"{MINE}\"}}'"]))
        values = NAMES.get(column.name, ["boom", ""])
        if column.type == TEXT and column.name != "last_error":
            values = [v for v in values if v] + self.fresh_names(column.name)
        return literals.text(self.rng, self.rng.choice(values))

    def on_duplicate(self, table, columns):
        """A row alias and ON DUPLICATE KEY UPDATE."""
        self.note("ON DUPLICATE KEY UPDATE")
        alias = ""
        named = None
        if self.mysql and self.chance(0.25):
            self.note("row alias")
            named = {c.name: "new." + c.name for c in columns}
            alias = " AS new"
            if self.chance(0.3):
                named = {c.name: f"n{i}" for i, c in enumerate(columns)}
                alias += " (" + ", ".join(named.values()) + ")"
        pairs = [self.duplicate_assignment(table, columns, named) for _ in range(self.rng.choice([1, 1, 2]))]
        return Node("alias", alias), Node("tail", " ON DUPLICATE KEY UPDATE ", *joined(", ", pairs))

    def duplicate_assignment(self, table, columns, named):
        name = self.rng.choice(FREE_NUMBERS[table.name])
        inserted = named[name] if named and name in named else f"VALUES({name})"
        qualified = f"{table.name}.{name}" if named else name
        forms = [f"{name} = {qualified} + 1" if name not in FLAGS else f"{name} = 1", f"{name} = 7"]
        if any(c.name == name for c in columns):
            forms += [f"{name} = {inserted}", f"{name} = IF({qualified} > 3, {inserted}, {qualified})"]
        if table.name == "queue_messages" and not named:
            forms += [f"{OFFSET} = LAST_INSERT_ID({OFFSET})", "topic = topic"]
        return Node("assign", self.rng.choice(forms))

    def returning(self, table):
        if self.mysql or not self.chance(0.15):
            return ""
        self.note("RETURNING")
        return Node("returning", " RETURNING ", self.rng.choice(["*", ", ".join(written(k) for k in table.key), "1 + 1", "topic"]), optional=True)

    def insert_select(self):
        self.note("INSERT SELECT")
        verb = self.rng.choice(["INSERT INTO", "INSERT IGNORE INTO", "REPLACE INTO", "INSERT INTO"])
        table = self.any_table()
        if table.name == "queue_messages":
            return self.dead_letter(verb)
        source, scope = self.from_clause(None)
        columns = [c for c in table.columns if c.name != "offset" and (c.name not in DEFAULTS or self.chance(0.5))]
        values = [self.selected_value(c, scope) for c in columns]
        listed = self.column_list(columns)
        if len(columns) == len(table.columns) and self.chance(0.3):
            listed = ""
        upserts = verb == "INSERT INTO" and self.chance(0.6)
        where = self.where(scope)
        if upserts:  # without a WHERE, ON would be taken for that of a join
            where = Node("where", *(where.parts if where else [" WHERE TRUE"]))
        select = Node("select", "SELECT DISTINCT ", *joined(", ", values), source, where)
        if self.chance(0.1):
            select = Node("select", "(", select, ")")
        elif self.chance(0.1):
            select = Node("select", "WITH w (", ", ".join(f"w{i}" for i in range(len(columns))), ") AS (", select, ") SELECT * FROM w")
        tail = ""
        if upserts:
            self.note("ON DUPLICATE KEY UPDATE")
            name = self.rng.choice(FREE_NUMBERS[table.name])
            tail = Node("tail", f" ON DUPLICATE KEY UPDATE {table.name}.{name} = 9")
        return Node("insert", verb, " ", self.table_name(table), listed, " ", select, tail)

    def dead_letter(self, verb):
        """One message under another topic: more of them would get their offsets in any order."""
        table = TABLES["queue_messages"]
        columns = [c for c in table.columns if c.name != "offset" or self.chance(0.05)]
        values = [
            Node(c.type, f"CONCAT(m.topic, '{self.rng.choice(['_dlq', '_x'])}')" if c.name == "topic" else "m." + c.name)
            for c in columns
        ]  # fmt: skip
        return Node(
            "insert", verb, " ", self.table_name(table), self.column_list(columns), " SELECT ", *joined(", ", values),
            " FROM queue_messages m WHERE m.offset = ", self.key_value(table, "offset"),
        )  # fmt: skip

    @staticmethod
    def fresh_names(column):
        return NEW_KEYS if column == "partition_key" else ["new1", "new2"]

    def selected_value(self, column, scope):
        """Key columns vary with the rows, all others are constants: see the head of this file."""
        if column.name in ("topic", "consumer_group", "subscriber_name"):
            found = [(s, c) for s, c in scope.columns(TEXT) if c.name == column.name]
            if found and self.chance(0.7):
                return self.reference(scope, *self.rng.choice(found))
        if column.name in ("partition_key", "id"):
            found = [(s, c) for s, c in scope.columns(TEXT) if c.name == column.name]
            if found and column.name == "partition_key" and is_qualified() and self.chance(0.8):
                return self.reference(scope, *self.rng.choice(found))
            if found:
                return Node(TEXT, "CONCAT(", self.reference(scope, *self.rng.choice(found)), ", 'n')")
        if column.type == JSON:
            return Node(JSON, "NULL")
        if column.type == BLOB:
            return Node(BLOB, "'b'")
        if column.type == NUMBER:
            return Node(NUMBER, "1")
        return Node(TEXT, "'n'")

    # --- UPDATE

    def assignment(self, scope, source):
        """A column of `source` and a value made of its own row."""
        table = source.table
        qualifier = "" if len(scope.sources) == 1 and self.chance(0.7) else source.name + "."
        own = Scope([source])
        if table.name in FREE_TEXTS and self.chance(0.25):
            name = self.rng.choice(FREE_TEXTS[table.name])
            value = self.text(own, 1) if name == "last_error" and not qualifier else literals.text(self.rng, "a")
        else:
            name = self.rng.choice(FREE_NUMBERS[table.name])
            value = self.flag(own) if name in FLAGS else Node("number", "ABS(", self.number(own, 1), ") % 1000")
            if len(scope.sources) > 1:
                value = self.rng.choice([Node("number", "1"), Node("number", f"{source.name}.{name} + 0")])
        return Node("assign", qualifier, name, " = ", value)

    def flag(self, scope):
        return Node("number", "(", self.condition(scope, 1), ") IS TRUE")

    def update(self):
        table = self.any_table()
        alias = self.fresh("u") if self.chance(0.3) else None
        source = Source(alias or table.name, table.columns, table)
        scope = Scope([source])
        pairs = {}
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            pair = self.assignment(scope, source)
            pairs.setdefault(pair.parts[1], pair)
        selects = self.selects_left
        where = self.where(scope)
        # MySQL plans a sub-query as a join, and a join's assignments have no order.
        one = self.mysql and self.selects_left < selects
        pairs = list(pairs.values())[: 1 if one else None]
        verb = self.rng.choice(["UPDATE ", "UPDATE ", "UPDATE LOW_PRIORITY ", "UPDATE IGNORE "])
        name = self.table_name(table)
        if alias:
            name += self.rng.choice([" ", " AS "]) + alias
        return Node("update", verb, name, " SET ", *joined(", ", pairs), where, self.limited(table))

    def move(self):
        """A change of a key column, for one row."""
        self.note("key changed")
        table = self.any_table()
        name = self.rng.choice([c.name for c in table.columns if c.name in ("topic", "partition_key", "consumer_group")])
        value = literals.text(self.rng, self.rng.choice([*NAMES[name], self.fresh_names(name)[0]]))
        where = joined(" AND ", [
            Node("condition", written(k), " = ", self.key_value(table, k)) for k in table.key
        ])  # fmt: skip
        return Node("update", "UPDATE ", table.name, " SET ", name, " = ", value, " WHERE ", *where)

    def key_value(self, table, name):
        if table.column(name).type == NUMBER:
            return literals.number(self.rng, self.rng.randint(1, 10))
        return literals.text(self.rng, self.rng.choice(NAMES[name][:2]))

    def limited(self, table, names=None):
        """ORDER BY the key, and LIMIT."""
        if not self.chance(0.2):
            return ""
        self.note("ORDER BY in a change")
        direction = self.rng.choice(["", " DESC"])
        limit = self.rng.choice(["", " LIMIT 1", " LIMIT 2", " LIMIT 0"])
        keys = ", ".join(written(k) + direction for k in table.key)
        return Node("order", f" ORDER BY {keys}{limit}", optional=True)

    def joined_tables(self):
        """Tables to change several of, with at least one queue table among them."""
        while True:
            names, scope = set(), Scope()
            node, made = self.join_tree(self.rng.choice([2, 2, 3]), names, None, scope)
            targets = [s for s in made.sources if s.table]
            if targets:
                return node, made, targets

    def update_several(self):
        self.note("UPDATE of several tables")
        node, scope, targets = self.joined_tables()
        source = self.rng.choice(targets)
        pairs = [self.assignment(Scope(scope.sources + scope.sources[:1]), source)]
        return Node("update", "UPDATE ", node, " SET ", *pairs, self.where(scope))

    # --- DELETE

    def delete(self):
        table = self.any_table()
        verb = self.rng.choice(["DELETE FROM ", "DELETE FROM ", "DELETE QUICK FROM ", "DELETE IGNORE FROM "])
        name, alias = self.table_name(table), None
        if self.mysql and self.chance(0.2):
            alias = self.fresh("x")
            name += " AS " + alias
        scope = self.own_scope(table, alias)
        return Node("delete", verb, name, self.where(scope, 0.9), self.limited(table), self.returning(table))

    def delete_several(self):
        self.note("DELETE of several tables")
        node, scope, targets = self.joined_tables()
        chosen = self.rng.sample(targets, min(len(targets), self.rng.choice([1, 1, 2])))
        names = [s.name + self.rng.choice(["", "", ".*"]) for s in chosen]
        if self.chance(0.4):
            return Node("delete", "DELETE FROM ", ", ".join(names), " USING ", node, self.where(scope))
        return Node("delete", "DELETE ", ", ".join(names), " FROM ", node, self.where(scope))

    CHANGES = {
        insert: 8, replace: 2, insert_select: 2, update: 6, move: 1, update_several: 2, delete: 3, delete_several: 2,
    }  # fmt: skip
