"""The five queue tables and the rows they hold in the oracle.

The tenant under test has few rows with small values. Every other tenant has rows with the very same
keys, so that a join which forgets a condition finds them, and rows of its own; whatever else they
hold is a marker, a text or a number that must never be seen.
"""

from dataclasses import dataclass

MINE = "mine"
# Of a session that has several tenants: on two shards of two, three of three, five of eight. `mine!|p`
# sorts before `mine|p`.
MANY = [MINE, "mine!", "near!", "north", "zz"]
MARKER = "Qz9"
MARKER_NUMBER = 7_707_700_000_000
MARKER_COUNT = 770_770_000  # for INT columns
# AUTO_INCREMENT values start here, at the legacy server and at the shards.
LEGACY_GENERATED, SHARD_GENERATED, GENERATED_END = 2_000_000, 4_000_000, 8_000_000

NUMBER, TEXT, BLOB, JSON = "number", "text", "blob", "json"


@dataclass(frozen=True)
class Column:
    name: str
    type: str


@dataclass(frozen=True)
class Table:
    name: str
    columns: tuple
    key: tuple
    indexes: tuple  # of the legacy table

    def column(self, name):
        return next(c for c in self.columns if c.name == name)


def table(name, columns, key, indexes):
    parts = [item.partition(":") for item in columns.split()]
    columns = tuple(Column(name, kind or TEXT) for name, _, kind in parts)
    return Table(name, columns, tuple(key.split()), tuple(indexes.split()))


TABLES = {
    t.name: t
    for t in (
        table(
            "queue_messages",
            "offset:number topic partition_key id payload:blob metadata:json created_at:number "
            "published_at:number failed_at:number failure_count:number last_error original_topic "
            "failure_detail:json",
            "offset",
            "PRIMARY idx_topic_partition_offset idx_topic_partition_id",
        ),
        table(
            "queue_delivery_state",
            "consumer_group topic partition_key message_offset:number acked:number "
            "invisible_until:number retry_count:number postponed:number",
            "consumer_group topic partition_key message_offset",
            "PRIMARY",
        ),
        table(
            "queue_offsets",
            "consumer_group topic partition_key offset_acked:number updated_at:number",
            "consumer_group topic partition_key",
            "PRIMARY idx_topic",
        ),
        table(
            "queue_partition_leases",
            "consumer_group topic partition_key leased_by leased_at:number lease_renewed_at:number",
            "consumer_group topic partition_key",
            "PRIMARY idx_lease_renewed",
        ),
        table(
            "queue_subscriber_heartbeats",
            "consumer_group topic subscriber_name heartbeat_at:number deregistered_at:number",
            "consumer_group topic subscriber_name",
            "PRIMARY",
        ),
    )
}

HEARTBEATS = "queue_subscriber_heartbeats"

# Values that the rows hold, by column; statements are made of the same.
TOPICS = ["a", "b", "a_dlq", "t"]
KEYS = ["p", "q", "漢", "P"]  # as shards have them
PARTITIONS = list(KEYS)  # as clients do
NEW_KEYS = ["new1", "new2"]  # that no row has
GROUPS = ["g", "h"]
NAMES = {
    "topic": TOPICS,
    "original_topic": ["", "a", "b"],
    "partition_key": PARTITIONS,
    "consumer_group": GROUPS,
    "id": ["id1", "id2", "id3", "x"],
    "subscriber_name": ["s1", "s2"],
    "leased_by": ["w1", "w2", "s1"],
    "last_error": ["", "boom", "it's 50%"],
}


def qualify():
    """Clients see partition keys as tenant|key from now on; statements are made of these."""
    PARTITIONS[:] = [f"{MINE}|{key}" for key in KEYS]
    NEW_KEYS[:] = [f"{MINE}|{key}" for key in NEW_KEYS]


def is_qualified():
    return "|" in NEW_KEYS[0]


def own_rows(partitions=KEYS, offset=0):
    """The rows of the tenant under test, by table; those of another one have other offsets."""
    rows = {name: [] for name in TABLES}
    for topic in TOPICS[:3]:
        for partition in partitions[:3] if topic != "b" else partitions[:1]:
            for number in (1, 2) if partition == partitions[0] else (1,):
                offset += 1
                rows["queue_messages"].append(
                    (offset, topic, partition, f"id{number}", f"pay{offset}".encode(),
                     None if offset % 4 == 0 else '{"k": [1, %d], "s": "%s"}' % (offset, topic),
                     100 + offset, 100 + offset // 2, 5 if topic == "a_dlq" else 0,
                     offset % 3, "boom" if offset % 3 else "", "a" if topic == "a_dlq" else "",
                     '{"e": "x"}' if offset % 5 == 0 else None)
                )  # fmt: skip
                if offset % 3:
                    rows["queue_delivery_state"].append(
                        ("g" if offset % 2 else "h", topic, partition, offset, offset % 4 == 1,
                         50 * (offset % 3), offset % 3, offset % 5 == 0)
                    )  # fmt: skip
            for group in GROUPS[: 2 if partition == partitions[0] else 1]:
                rows["queue_offsets"].append((group, topic, partition, offset - 1, 60 + offset))
        rows["queue_partition_leases"].append(("g", topic, partitions[0], "w1", 7, 20 + offset))
        rows["queue_partition_leases"].append(("h", topic, partitions[1], "s1", 8, 20 + offset))
        for subscriber in ("s1", "s2") if topic == "a" else ("s1",):
            rows["queue_subscriber_heartbeats"].append(
                ("g", topic, subscriber, 30 + offset, 40 if topic == "b" else 0)
            )
    return rows


def many_rows(qualified):
    """{tenant: rows} of a session's tenants. Each has a copy of the heartbeats; one of them, not always
    the same tenant's, is the newest."""
    out = {}
    for number, tenant in enumerate(MANY):
        keys = [f"{tenant}|{key}" for key in KEYS] if qualified else KEYS
        out[tenant] = own_rows(keys, 100 * number)
        out[tenant][HEARTBEATS] = [
            (*row[:3], row[3] - (number + place) % len(MANY), row[4])
            for place, row in enumerate(own_rows()[HEARTBEATS])
        ]
    return out


def marked(name, row):
    """A row of another tenant that has the key of ours."""
    table = TABLES[name]
    keys = {*table.key, "offset", "topic", "partition_key", "id"}
    return tuple(
        value if column.name in keys else marker(column) for column, value in zip(table.columns, row)
    )


def marker(column):
    if column.type == NUMBER:
        if column.name in ("acked", "postponed"):
            return 77
        return MARKER_COUNT if column.name.endswith("_count") else MARKER_NUMBER + 1
    return f'{{"k": ["{MARKER}"]}}' if column.type == JSON else MARKER + column.name


def foreign_rows(tenant_number):
    """The rows of another tenant: ours with markers, and some of its own."""
    rows = {name: [marked(name, row) for row in own] for name, own in own_rows().items()}
    for name, table in TABLES.items():
        for number in range(3):
            row = {column.name: marker(column) for column in table.columns}
            row.update({k: f"{MARKER}{k}{number}" for k in row if isinstance(row[k], str)})
            row.update({c.name: marker(c) for c in table.columns if c.type == JSON})
            if number:  # a topic and a partition that we have too
                row.update({k: v for k, v in (("topic", TOPICS[0]), ("partition_key", KEYS[0])) if k in row})
            if "offset" in row:
                row["offset"] = SHARD_GENERATED - 1000 + 10 * tenant_number + number
            rows[name].append(tuple(row.values()))
    return rows
