"""When two answers are the same, and what is wrong when they are not."""

import re
from collections import Counter

from answer import STATUS_IGNORED, cells, definition
from rawmysql import UNSIGNED_FLAG, Column, binary_row
from tables import GENERATED_END, LEGACY_GENERATED, MARKER, MARKER_COUNT, MARKER_NUMBER

MARKERS = re.compile(f"{MARKER}|{str(MARKER_NUMBER)[:6]}\\d{{7}}|{MARKER_COUNT}".encode())
# VARCHAR, the BLOBs, VAR_STRING, STRING; the integers: a temporary table makes one of another.
TEXT_TYPES = {0x0F, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE}
JSON_TYPE = 0xF5
INTEGER_TYPES = {0x01, 0x02, 0x03, 0x08, 0x09}
GENERATED = re.compile(rb"(?<![\d.])[2-7]\d{6}(?![\d.])")


class Ranks:
    """Which offset at the shard stands for which one at the legacy server."""

    def __init__(self):
        self.pairs = {}

    def add(self, legacy, shard):
        known = set(self.pairs.values())
        legacy = sorted(n for n in legacy if n not in known)
        shard = sorted(n for n in shard if n not in self.pairs)
        self.pairs.update(zip(shard, legacy))

    def row(self, row):
        """A row of the shard's with the legacy server's offsets."""
        return tuple(
            self.legacy_of(c) if isinstance(c, bytes) else self.pairs.get(c, c) for c in row
        )

    def legacy_of(self, data):
        """A text of the shard's with the legacy server's offsets."""
        if not self.pairs:
            return data
        return GENERATED.sub(lambda m: b"%d" % self.pairs.get(int(m[0]), int(m[0])), data)


def is_generated(number):
    return LEGACY_GENERATED <= number < GENERATED_END


def differences(legacy, shard, order, ranks, lenient=()):
    """What differs, as lines; `order` as in Node.order, None if the rows have none."""
    if legacy.error or shard.error:
        return error_differences(legacy, shard, lenient)
    out = []
    note(out, "affected", legacy.affected, shard.affected)
    # How often, and for a query whether, something is warned of depends on the plan.
    if legacy.columns is None and shard.columns is None:
        note(out, "warnings", bool(legacy.warnings), bool(shard.warnings))
    if legacy.info and shard.info:  # none where the plan showed that no row can match
        note(out, "info", legacy.info, shard.info)
    note(out, "status", legacy.status & ~STATUS_IGNORED, shard.status & ~STATUS_IGNORED)
    insert_id = shard.insert_id
    if is_generated(legacy.insert_id) and is_generated(insert_id):
        ranks.pairs.setdefault(insert_id, legacy.insert_id)
    note(out, "insert id", legacy.insert_id, ranks.pairs.get(insert_id, insert_id))
    if legacy.columns is None and shard.columns and not shard.rows and not shard.affected:
        return out  # MariaDB's RETURNING when the plan showed that no row can match
    if (legacy.columns is None) != (shard.columns is None):
        return out + ["only one side answered with rows"]
    if legacy.columns is not None:
        out += column_differences(legacy.columns, shard.columns)
        if len(legacy.columns) == len(shard.columns):
            out += row_differences(legacy, shard, order, ranks)
    return out


def note(out, what, legacy, shard):
    if legacy != shard:
        out.append(f"{what}: {legacy!r} | {shard!r}")


def error_differences(legacy, shard, lenient):
    if not (legacy.error and shard.error):
        return [f"error: {legacy.error} | {shard.error}"]
    out = []
    note(out, "errno", legacy.error[:2], shard.error[:2])
    if "message" not in lenient:
        note(out, "message", legacy.error[2], shard.error[2])
    return out


def column_differences(legacy, shard):
    if legacy == shard:
        return []
    out = []
    note(out, "number of columns", len(legacy), len(shard))
    legacy = [seen_definition(definition(c)) for c in legacy]
    shard = [seen_definition(definition(c)) for c in shard]
    for a, b in zip(legacy, shard):
        names = ("",) if is_misnamed(a, legacy) or is_misnamed(b, shard) else None
        places = ("", "") if not (a[0] and b[0]) else None
        a, b = ((places or d[:2]) + (names or d[2:3]) + d[3:] for d in (a, b))
        note(out, "column", a, b)
    return out


def is_misnamed(column, columns):
    """MySQL 9.7 calls a constant of a derived table that is listed twice, d.k, d.k AS c, by one name
    both times, if the plan merges the table and sorts: nothing that the statement says."""
    return sum(c[2:] == column[2:] for c in columns) > 1


def seen_definition(column):
    """What does not depend on the plan that the server chose: temporary tables change the rest."""
    name = column.name.replace("`offset`", "offset")[:200]  # servers cut it, quotes included
    kind = "text" if column.type in TEXT_TYPES else column.type
    kind = "integer" if column.type in INTEGER_TYPES else kind
    charset = None if column.type == JSON_TYPE else column.charset
    return (column.schema, column.table, name, charset, kind, column.flags & UNSIGNED_FLAG)


def row_differences(legacy, shard, order, ranks):
    mine, theirs = legacy.rows, shard.rows
    if mine == theirs:
        return []
    if ranks.pairs or legacy.binary:  # a cursor's integers are as wide as its temporary table's
        mine, theirs = parsed(legacy), [ranks.row(row) for row in parsed(shard)]
    if Counter(mine) != Counter(theirs):
        return [
            f"rows: {len(mine)} | {len(theirs)}",
            f"  only legacy {list((Counter(mine) - Counter(theirs)).items())[:5]}",
            f"  only shards {list((Counter(theirs) - Counter(mine)).items())[:5]}",
        ]
    if not order:
        return []
    mine = keys(parsed(legacy), order)
    theirs = keys([ranks.row(row) for row in parsed(shard)], order)
    return [] if mine == theirs else [f"order by {order}: {mine[:20]} | {theirs[:20]}"]


def parsed(answer):
    """The rows as tuples."""
    if answer.binary:
        columns = [Column.parse(c) for c in answer.columns]
        return [binary_row(row, columns) for row in answer.rows]
    return [tuple(cells(row, len(answer.columns))) for row in answer.rows]


def keys(rows, order):
    """What the rows are ordered by, in their order. Texts compare with trailing spaces padded."""
    return [tuple(r[p].rstrip() if isinstance(r[p], bytes) else r[p] for p in order) for r in rows]


def seen_markers(answer):
    """Markers of other tenants in an answer."""
    found = []
    for row in answer.rows:
        hit = MARKERS.search(row)
        if hit:
            found.append(f"another tenant's marker {hit[0]!r} in {row[:300]!r}")
    if answer.error and MARKERS.search(answer.error[2].encode()):
        found.append(f"another tenant's marker in {answer.error}")
    return found[:3]


def definition_names(answer):
    return [definition(c).name for c in answer.columns or []]
