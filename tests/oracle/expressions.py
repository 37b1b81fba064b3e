"""Expressions over the columns of a scope: numbers, texts, JSON and conditions.

Every one has the same value whatever order the rows are read in.
"""

import re

import literals
from tables import JSON, NAMES, NUMBER, TEXT, Column
from tree import OFFSET, Node, joined

TEXT_LITERALS = sorted({v for values in NAMES.values() for v in values if "%" not in v} | {"zz"})


# The places of a form: a letter that is no part of a word or of a string.
PLACES = re.compile(r"(?<![\w'.$])([ntcj])(?![\w'])")


DIVISIONS = {" % ", " MOD ", " DIV ", " / "}


class Expressions:
    """A part of Grammar: see there for rng, note(), mysql and the counting of sub-queries."""

    # --- columns

    def column(self, scope, wanted):
        """A reference to a column of this type, at times of an outer query; None if there is none."""
        place = scope
        while place.outer and self.chance(0.25):
            self.note("correlated")
            place = place.outer
        found = place.columns(wanted)
        if not found and place is not scope:
            place, found = scope, scope.columns(wanted)
        if not found:
            return None
        source, column = self.rng.choice(found)
        return self.reference(place, source, column, inner=scope)

    def reference(self, place, source, column, inner=None):
        """The column as `name` or `alias.name`, bare only where that means this column."""
        name = self.identifier(column.name)
        hidden = False
        scope = inner
        while scope is not None and scope is not place:
            hidden = hidden or scope.knows(column.name)
            scope = scope.outer
        bare = not hidden and place.bare(column.name) and self.chance(0.6)
        if bare:
            return Node(column.type, OFFSET if name == "offset" else name)
        return Node(column.type, self.identifier(source.name), ".", name)

    def identifier(self, name):
        if self.chance(0.08):
            self.note("quoted identifier")
            return f"`{name}`"
        return name

    # --- numbers

    def number(self, scope, depth=2):
        make = self.weighted(self.NUMBERS if depth > 0 else self.PLAIN_NUMBERS)
        return make(self, scope, depth - 1) or self.number_literal(scope, 0)

    def number_column(self, scope, _depth):
        """Offsets that the two sides generate are not the same: nothing may be computed of them."""
        found = self.column(scope, NUMBER)
        if self.generates and found is not None and found.parts[-1].strip("`") in (OFFSET, "offset"):
            return None
        return found

    def number_literal(self, _scope=None, _depth=0):
        return literals.number(self.rng, self.rng.choice([0, 1, 2, 3, 5, 7, 30, 60, 104, 1000]))

    def arithmetic(self, scope, depth):
        self.note("arithmetic")
        sign = self.rng.choice([" + ", " + ", " * ", " - ", " % ", " MOD ", " DIV ", " / ", "+", "|", "&", " ^ "])
        left, right = self.number(scope, depth), self.number(scope, depth)
        if self.generates and sign in DIVISIONS:
            sign = " + "  # a change fails for a division by 0, if the plan lets it come to that
        if sign == " - ":
            return Node("number", "(CAST(", left, " AS SIGNED) - CAST(", right, " AS SIGNED))")
        return Node("number", "(", left, sign, right, ")")

    def number_function(self, scope, depth):
        self.note("function")
        form = self.rng.choice(
            ["ABS(n)", "LENGTH(t)", "CHAR_LENGTH(t)", "GREATEST(n, n)", "LEAST(n, n, n)", "COALESCE(n, n)",
             "IFNULL(n, n)", "NULLIF(n, n)", "CAST(n AS SIGNED)", "CAST(n AS UNSIGNED)", "CONVERT(n, DECIMAL(20,2))",
             "LOCATE(t, t)", "POSITION(t IN t)", "FIELD(t, t, t)", "STRCMP(t, t)", "CRC32(t)", "SIGN(n)", "INTERVAL(n, n, n)",
             "ASCII(t)", "FLOOR(n)", "CEIL(n)", "ROUND(n, 1)", "-n", "~n & 255", "(c)", "EXTRACT(YEAR FROM '2024-02-03')",
             "BIT_COUNT(n)", "ORD(t)", "MOD(n, 7)", "TRUNCATE(n, 0)", "INSTR(t, t)", "FIND_IN_SET(t, 'a,b')"]
        )  # fmt: skip
        return self.filled("number", form, scope, depth)

    def number_if(self, scope, depth):
        self.note("case")
        form = self.rng.choice(
            ["IF(c, n, n)", "CASE WHEN c THEN n ELSE n END", "CASE n WHEN n THEN n WHEN n THEN n END",
             "CASE t WHEN t THEN n ELSE n END"]
        )  # fmt: skip
        return self.filled("number", form, scope, depth)

    def filled(self, kind, form, scope, depth):
        """A form in which n, t, c, j stand for a number, text, condition, JSON document."""
        makers = {"n": self.number, "t": self.text, "c": self.condition, "j": self.json}
        return Node(
            kind, *[makers[p](scope, depth) if p in makers else p for p in PLACES.split(form)]
        )  # fmt: skip

    def number_subquery(self, scope, depth):
        return self.scalar_subquery(scope, NUMBER)

    PLAIN_NUMBERS = {number_column: 7, number_literal: 2}
    NUMBERS = {
        number_column: 12, number_literal: 4, arithmetic: 3, number_function: 3, number_if: 1.5,
        number_subquery: 2,
    }  # fmt: skip

    # --- texts

    def text(self, scope, depth=2):
        make = self.weighted(self.TEXTS if depth > 0 else self.PLAIN_TEXTS)
        return make(self, scope, depth - 1) or self.text_literal(scope, 0)

    def text_column(self, scope, _depth):
        return self.column(scope, TEXT)

    def text_literal(self, _scope=None, _depth=0):
        return literals.text(self.rng, self.rng.choice(TEXT_LITERALS))

    def text_function(self, scope, depth):
        self.note("function")
        form = self.rng.choice(
            ["CONCAT(t, t)", "CONCAT_WS('/', t, t)", "LOWER(t)", "UPPER(t)", "LEFT(t, 1)", "RIGHT(t, 2)", "SUBSTRING(t, 1, 2)",
             "SUBSTRING(t FROM 2)", "TRIM(t)", "TRIM(LEADING 'a' FROM t)", "REPLACE(t, t, t)", "REVERSE(t)", "COALESCE(t, t)",
             "IFNULL(t, t)", "NULLIF(t, t)", "LPAD(t, 4, '0')", "HEX(t)", "QUOTE(t)", "CAST(n AS CHAR)", "CONVERT(t USING utf8mb4) COLLATE utf8mb4_bin",
             "RPAD(t, 4, '0')", "INSERT(t, 1, 1, 'z')", "JSON_UNQUOTE(JSON_EXTRACT(j, '$.s'))", "ELT(n, t, t)",
             "GREATEST(t, t)", "SUBSTRING_INDEX(t, '_', 1)", "FORMAT(n, 0)"]
        )  # fmt: skip
        return self.filled("text", form, scope, depth)

    def text_if(self, scope, depth):
        self.note("case")
        form = self.rng.choice(["IF(c, t, t)", "CASE WHEN c THEN t ELSE t END", "CASE n WHEN n THEN t END"])
        return self.filled("text", form, scope, depth)

    def text_subquery(self, scope, depth):
        return self.scalar_subquery(scope, TEXT)

    PLAIN_TEXTS = {text_column: 7, text_literal: 2}
    TEXTS = {
        text_column: 12, text_literal: 4, text_function: 3, text_if: 1.5, text_subquery: 2,
    }  # fmt: skip

    def json(self, scope, depth=1):
        found = self.column(scope, JSON)
        if found and self.chance(0.7):
            return found
        return self.filled("json", "JSON_OBJECT('s', t, 'n', n)", scope, depth)

    def value(self, scope, wanted, depth=2):
        return {NUMBER: self.number, TEXT: self.text}[wanted](scope, depth)

    # --- conditions

    def condition(self, scope, depth=2):
        make = self.weighted(self.CONDITIONS if depth > 0 else self.PLAIN_CONDITIONS)
        return make(self, scope, depth - 1)

    def comparison(self, scope, depth):
        wanted = self.rng.choice([NUMBER, TEXT, TEXT])
        sign = self.rng.choice([" = ", " = ", " = ", "=", " <> ", " != ", " < ", " <= ", " > ", " >= ", " <=> "])
        column = self.column(scope, wanted) or self.value(scope, wanted, 0)
        if self.chance(0.5):
            other = self.plausible(column, wanted)
        else:
            other = self.value(scope, wanted, depth)
        pair = (column, other) if self.chance(0.85) else (other, column)
        return Node("condition", pair[0], sign, pair[1])

    def plausible(self, column, wanted):
        """A literal that the column is likely to hold."""
        last = column.parts[-1]
        name = last.strip("`") if isinstance(last, str) else ""
        if wanted == TEXT and name in NAMES:
            return literals.text(self.rng, self.rng.choice([v for v in NAMES[name] if "%" not in v]))
        return self.number_literal() if wanted == NUMBER else self.text_literal()

    def column_equation(self, scope, _depth):
        """Two tables' columns of one name: what joins are made of."""
        wanted = self.rng.choice([NUMBER, TEXT, TEXT, TEXT])
        left = self.column(scope, wanted)
        right = self.column(scope, wanted)
        if left is None or right is None:
            return self.comparison(scope, 0)
        return Node("condition", left, " = ", right)

    def both(self, scope, depth):
        sign = self.rng.choice([" AND ", " AND ", " OR ", " OR ", " OR ", " XOR ", " && "])
        if not self.mysql and self.chance(0.05):
            sign = " || "
        left, right = self.condition(scope, depth), self.condition(scope, depth)
        if self.chance(0.6):
            return Node("condition", "(", left, sign, right, ")")
        self.note("OR without parentheses")
        return Node("condition", left, sign, right)

    def negation(self, scope, depth):
        form = self.rng.choice(["NOT ", "! ", "NOT NOT "])
        return Node("condition", form, "(", self.condition(scope, depth), ")")

    def null_test(self, scope, depth):
        wanted = self.rng.choice([NUMBER, TEXT])
        test = self.rng.choice([" IS NULL", " IS NOT NULL"])
        return Node("condition", self.value(scope, wanted, min(depth, 1)), test)

    def truth_test(self, scope, depth):
        test = self.rng.choice([" IS TRUE", " IS NOT TRUE", " IS FALSE", " IS UNKNOWN", " IS NOT UNKNOWN"])
        return Node("condition", "(", self.condition(scope, depth), ")", test)

    def in_list(self, scope, depth):
        wanted = self.rng.choice([NUMBER, TEXT])
        column = self.column(scope, wanted) or self.value(scope, wanted, 0)
        count = self.rng.choice([1, 2, 2, 3, 3, 5, 20])
        values = [self.plausible(column, wanted) for _ in range(count)]
        if self.chance(0.15):
            values.append(self.value(scope, wanted, depth))
        return Node("condition", column, self.rng.choice([" IN (", " IN (", " NOT IN ("]), *joined(", ", values), ")")

    def between(self, scope, depth):
        wanted = self.rng.choice([NUMBER, TEXT])
        low, high = self.value(scope, wanted, 0), self.value(scope, wanted, depth)
        between = self.rng.choice([" BETWEEN ", " NOT BETWEEN "])
        return Node("condition", self.value(scope, wanted, 1), between, low, " AND ", high)

    def like(self, scope, depth):
        self.note("LIKE")
        pattern = self.rng.choice(["'a%'", "'%_dlq'", "'_'", "'%'", "'a\\_%'", "'a!_%' ESCAPE '!'", "'%1'"])
        return Node("condition", self.text(scope, depth), self.rng.choice([" LIKE ", " NOT LIKE "]), pattern)

    def regexp(self, scope, depth):
        self.note("REGEXP")
        word = self.rng.choice([" REGEXP ", " RLIKE ", " NOT REGEXP "])
        return Node("condition", self.text(scope, depth), word, self.rng.choice(["'^a'", "'q$'", "'[ab]'", "'id[12]'"]))

    def row_comparison(self, scope, _depth):
        self.note("row comparison")
        kinds = [self.rng.choice([NUMBER, TEXT]) for _ in range(2)]
        left = [self.value(scope, kind, 0) for kind in kinds]
        rows = [
            Node("row", "(", *joined(", ", [self.value(scope, kind, 0) for kind in kinds]), ")")
            for _ in range(self.rng.choice([1, 2, 3]))
        ]
        left = Node("row", self.rng.choice(["(", "ROW("]), *joined(", ", left), ")")
        if len(rows) == 1 and self.chance(0.5):
            return Node("condition", left, self.rng.choice([" = ", " <> ", " < ", " >= "]), rows[0])
        return Node("condition", left, self.rng.choice([" IN (", " NOT IN ("]), *joined(", ", rows), ")")

    def function_condition(self, scope, depth):
        form = self.rng.choice(
            ["JSON_VALID(j)", "JSON_CONTAINS(j, '1', '$.k')", "ISNULL(t)", "IF(c, c, c)", "COALESCE(c, FALSE)", "TRUE", "NOT n",
             "JSON_EXTRACT(j, '$.k[1]') > 3", "n", "t IN ('a', t)", "n MOD 2 = 1", "1 = 1", "NULL IS NULL", "FALSE"]
        )  # fmt: skip
        if form == "FALSE" and self.in_on:  # MySQL 9.7 joins the NULLs of ON FALSE to rows
            form = "n MOD 2 = 1"
        return self.filled("condition", form, scope, depth)

    def exists(self, scope, _depth):
        if not self.may_query():
            return self.comparison(scope, 0)
        self.note("EXISTS")
        kinds = self.rng.choice([[TEXT], [NUMBER], "star"])
        query = self.select(outer=scope, kinds=kinds, limit=self.chance(0.5))
        return self.filled_with(self.rng.choice(["EXISTS (q)", "NOT EXISTS (q)", "NOT (EXISTS (q))"]), query)

    @staticmethod
    def filled_with(form, query):
        before, after = form.split("q")
        return Node("condition", before, query.node, after)

    def in_subquery(self, scope, depth):
        if not self.may_query():
            return self.in_list(scope, 0)
        self.note("IN sub-query")
        kinds = [self.rng.choice([NUMBER, TEXT]) for _ in range(self.rng.choice([1, 1, 1, 2]))]
        # MariaDB 10.11 takes a sub-query on the left for equal to a constant of a correlated list.
        left = [self.value(scope, kind, min(depth, 1) if self.mysql else 0) for kind in kinds]
        query = self.query(outer=scope, kinds=kinds, limit=False)
        left = left[0] if len(left) == 1 else Node("row", "(", *joined(", ", left), ")")
        return Node("condition", left, self.rng.choice([" IN (", " NOT IN ("]), query.node, ")")

    def quantified(self, scope, depth):
        if not self.may_query():
            return self.between(scope, 0)
        self.note("ANY/ALL")
        kind = self.rng.choice([NUMBER, TEXT])
        sign = self.rng.choice([" = ANY ", " <> ALL ", " > ALL ", " <= SOME ", " < ANY ", " >= ALL "])
        query = self.query(outer=scope, kinds=[kind], limit=False)
        return Node("condition", self.value(scope, kind, 0), sign, "(", query.node, ")")

    def scalar_subquery(self, scope, kind):
        """One value: an aggregate, or the first of an ordered list."""
        if not self.may_query():
            return None
        self.note("scalar sub-query")
        query = self.aggregate_query(scope, kind) if self.chance(0.75) else self.first_query(scope, kind)
        return Node(kind, "(", query, ")")

    PLAIN_CONDITIONS = {comparison: 6, column_equation: 3, null_test: 1, in_list: 1}
    CONDITIONS = {
        comparison: 9, column_equation: 5, both: 6, negation: 2, null_test: 1.5, truth_test: 0.7, in_list: 2,
        between: 1, like: 1, regexp: 0.5, row_comparison: 1, function_condition: 1, exists: 2, in_subquery: 2,
        quantified: 0.7,
    }  # fmt: skip

