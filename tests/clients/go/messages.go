package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
)

const dlqSuffix = "_dlq"

// outgoing is a message that is about to be published.
type outgoing struct {
	id, partition string
	payload       []byte
	metadata      map[string]string // nil: NULL
}

// row is a message as a poll reads it.
type row struct {
	offset        uint64
	id, partition string
	payload       []byte
	metadata      map[string]string
	publishedAt   uint64
	failedAt      uint64
	failureCount  int
	lastError     string
	originalTopic string
	failureDetail sql.NullString
}

// published is what the server answered for one message.
type published struct {
	offset   int64 // of a new message
	affected int64
}

const insertMessage = `
	INSERT INTO queue_messages (topic, id, payload, metadata, partition_key, created_at,
		published_at, failed_at, failure_count, last_error, original_topic, failure_detail)
	VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, '', '', NULL)
	ON DUPLICATE KEY UPDATE topic = topic`

// errUndo makes publish roll its transaction back; the caller wants that.
var errUndo = errors.New("rolled back on purpose")

// publish stores messages in one transaction by one prepared statement. A message that is
// already there stays as it is. retried tells that the answers may be those of a second try.
func (p *pool) publish(ctx context.Context, topic string, messages []outgoing,
	undo bool) (answers []published, retried bool, err error) {
	retried, err = p.transaction(ctx, func(tx *sql.Tx) error {
		answers = answers[:0]
		statement, err := tx.PrepareContext(ctx, p.text(insertMessage))
		if err != nil {
			return err
		}
		defer statement.Close()
		for _, message := range messages {
			answer, err := p.insert(ctx, statement, topic, message)
			if err != nil {
				return fmt.Errorf("publish %s %q: %w", topic, message.id, err)
			}
			answers = append(answers, answer)
		}
		if undo {
			return errUndo
		}
		return nil
	})
	if undo && errors.Is(err, errUndo) {
		err = nil
	}
	return answers, retried, err
}

func (p *pool) insert(ctx context.Context, statement *sql.Stmt, topic string,
	message outgoing) (published, error) {
	var answer published
	var metadata []byte
	if message.metadata != nil {
		var err error
		if metadata, err = json.Marshal(message.metadata); err != nil {
			return answer, err
		}
	}
	now := nowMillis()
	result, err := statement.ExecContext(ctx, topic, message.id, message.payload,
		p.json(metadata), message.partition, now, now)
	if err != nil {
		return answer, err
	}
	if answer.affected, err = result.RowsAffected(); err != nil {
		return answer, err
	}
	answer.offset, err = result.LastInsertId()
	return answer, err
}

// poll reads what follows an offset in one partition.
func (p *pool) poll(ctx context.Context, topic, partition string, after uint64,
	limit int) ([]row, error) {
	var batch []row
	err := p.each(ctx, func() { batch = nil }, func(rows *sql.Rows) error {
		var r row
		var metadata sql.NullString
		err := rows.Scan(&r.offset, &r.id, &r.payload, &metadata, &r.partition, &r.publishedAt,
			&r.failedAt, &r.failureCount, &r.lastError, &r.originalTopic, &r.failureDetail)
		if err != nil {
			return err
		}
		if metadata.Valid {
			if err := json.Unmarshal([]byte(metadata.String), &r.metadata); err != nil {
				return fmt.Errorf("metadata of %q: %w", r.id, err)
			}
		}
		batch = append(batch, r)
		return nil
	}, `
		SELECT offset, id, payload, metadata, partition_key, published_at, failed_at,
			failure_count, last_error, original_topic, failure_detail
		FROM queue_messages
		WHERE topic = ? AND partition_key = ? AND offset > ?
		ORDER BY offset
		LIMIT ?`, topic, partition, after, limit)
	return batch, err
}

// discover lists the partitions of a topic that hold messages.
func (p *pool) discover(ctx context.Context, topic string) ([]string, error) {
	return p.strings(ctx, `
		SELECT DISTINCT partition_key FROM queue_messages WHERE topic = ? ORDER BY partition_key`,
		topic)
}

// offsetsAbove lists the offsets that follow one, for the watermark.
func (p *pool) offsetsAbove(ctx context.Context, topic, partition string, after uint64,
	limit int) ([]uint64, error) {
	var offsets []uint64
	err := p.each(ctx, func() { offsets = nil }, func(rows *sql.Rows) error {
		var offset uint64
		if err := rows.Scan(&offset); err != nil {
			return err
		}
		offsets = append(offsets, offset)
		return nil
	}, `
		SELECT offset FROM queue_messages
		WHERE topic = ? AND partition_key = ? AND offset > ?
		ORDER BY offset ASC
		LIMIT ?`, topic, partition, after, limit)
	return offsets, err
}

// deadLetter moves a message to topic + dlqSuffix in one transaction; found is false when
// another reader was faster.
func (p *pool) deadLetter(ctx context.Context, topic, partition, id string, failures int,
	reason string) (found bool, err error) {
	detail := p.json([]byte(fmt.Sprintf(`{"failures": %d}`, failures)))
	_, err = p.transaction(ctx, func(tx *sql.Tx) error {
		found = false
		var payload []byte
		var metadata []byte
		var key string
		var createdAt, publishedAt uint64
		err := tx.QueryRowContext(ctx, `
			SELECT payload, metadata, partition_key, created_at, published_at
			FROM queue_messages
			WHERE topic = ? AND partition_key = ? AND id = ?`,
			topic, partition, id).Scan(&payload, &metadata, &key, &createdAt, &publishedAt)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO queue_messages (topic, id, payload, metadata, partition_key, created_at,
				published_at, failed_at, failure_count, last_error, original_topic, failure_detail)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			topic+dlqSuffix, id, payload, p.json(metadata), key, createdAt, publishedAt,
			nowMillis(), failures, reason, topic, detail)
		if err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, deleteMessage, topic, partition, id)
		if err != nil {
			return err
		}
		deleted, err := result.RowsAffected()
		if err == nil && deleted != 1 {
			err = fmt.Errorf("dead letter %q: the delete affected %d rows", id, deleted)
		}
		found = true
		return err
	})
	return found, err
}

const deleteMessage = `DELETE FROM queue_messages WHERE topic = ? AND partition_key = ? AND id = ?`

func (p *pool) deleteMessage(ctx context.Context, topic, partition, id string) (int64, error) {
	return p.exec(ctx, deleteMessage, topic, partition, id)
}

// collectGarbage deletes what every consumer group has acknowledged.
func (p *pool) collectGarbage(ctx context.Context, topic, partition string) (int64, error) {
	lowest, err := p.lowestAcked(ctx, topic, partition)
	if err != nil || lowest == 0 {
		return 0, err
	}
	return p.exec(ctx, `
		DELETE FROM queue_messages WHERE topic = ? AND partition_key = ? AND offset <= ?`,
		topic, partition, lowest)
}
