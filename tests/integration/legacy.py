"""The statements of a client that was written for the legacy tables, with `?` for parameters."""

from cluster import ROOT

PUBLISH = (
    "INSERT INTO queue_messages (topic, id, payload, metadata, partition_key, created_at, "
    "published_at, failed_at, failure_count, last_error, original_topic, failure_detail) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, '', '', NULL) ON DUPLICATE KEY UPDATE topic = topic"
)
POLL = (
    "SELECT offset, id, payload, metadata, partition_key, published_at FROM queue_messages "
    "WHERE topic = ? AND partition_key = ? AND offset > ? ORDER BY offset LIMIT ?"
)
DISCOVER = (
    "SELECT DISTINCT partition_key FROM queue_messages WHERE topic = ? ORDER BY partition_key"
)
ACK = (
    "INSERT INTO queue_delivery_state (consumer_group, topic, partition_key, message_offset, "
    "acked, invisible_until, retry_count) VALUES (?, ?, ?, ?, TRUE, 0, 0) "
    "ON DUPLICATE KEY UPDATE acked = TRUE"
)
DELIVER = (
    "INSERT INTO queue_delivery_state (consumer_group, topic, partition_key, message_offset, "
    "acked, invisible_until, retry_count, postponed) VALUES (?, ?, ?, ?, FALSE, ?, 0, FALSE) "
    "ON DUPLICATE KEY UPDATE "
    "invisible_until = IF(acked = FALSE, VALUES(invisible_until), invisible_until), "
    "retry_count = IF(acked = FALSE AND postponed = FALSE, retry_count + 1, retry_count), "
    "postponed = IF(acked = FALSE, FALSE, postponed)"
)
STATE = (
    "SELECT acked, retry_count, postponed FROM queue_delivery_state WHERE consumer_group = ? "
    "AND topic = ? AND partition_key = ? AND message_offset = ?"
)
COUNT = "SELECT COUNT(*) FROM queue_messages WHERE topic = ?"
LAG = (
    "SELECT o.consumer_group, o.partition_key, o.offset_acked, COALESCE(m.newest, 0) AS newest "
    "FROM queue_offsets o LEFT JOIN (SELECT topic, partition_key, MAX(`offset`) AS newest "
    "FROM queue_messages WHERE topic = ? GROUP BY topic, partition_key) m "
    "ON o.topic = m.topic AND o.partition_key = m.partition_key WHERE o.topic = ? "
    "ORDER BY o.consumer_group, o.partition_key"
)
START_OFFSET = (
    "INSERT IGNORE INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, "
    "updated_at) VALUES (?, ?, ?, 0, 1)"
)
MOVE_OFFSET = (
    "UPDATE queue_offsets SET offset_acked = ?, updated_at = ? WHERE consumer_group = ? "
    "AND topic = ? AND partition_key = ? AND offset_acked < ?"
)


def execute(connection, statement, *arguments):
    """Runs a statement as text through PyMySQL; its rows, or the affected count."""
    with connection.cursor() as cursor:
        affected = (
            cursor.execute(statement.replace("%", "%%").replace("?", "%s"), arguments)
            if arguments
            else cursor.execute(statement)
        )
        return list(cursor.fetchall()) if cursor.description else affected


def message(topic, identifier, partition="p", payload=b"payload", metadata=None):
    """The parameters of PUBLISH."""
    return (topic, identifier, payload, metadata, partition, 1, 1)


def publish(connection, topic, identifier, **options):
    """Publishes one message; its offset."""
    with connection.cursor() as cursor:
        cursor.execute(PUBLISH.replace("?", "%s"), message(topic, identifier, **options))
        return cursor.lastrowid


def count(connection, topic):
    return execute(connection, COUNT, topic)[0][0]


def legacy_ddl():
    """The legacy schema's statements."""
    text = (ROOT / "deploy" / "schema" / "legacy.sql").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("--")]
    return [s.strip() for s in "\n".join(lines).split(";") if s.strip()]
