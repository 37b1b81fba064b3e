package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// The statements of the administrators' tool: listings without a partition and the repair of
// single messages, known to it by topic and id alone.

type topicCount struct {
	topic string
	count int64
}

func (p *pool) topics(ctx context.Context) ([]topicCount, error) {
	var all []topicCount
	err := p.each(ctx, func() { all = nil }, func(rows *sql.Rows) error {
		var t topicCount
		if err := rows.Scan(&t.topic, &t.count); err != nil {
			return err
		}
		all = append(all, t)
		return nil
	}, `SELECT topic, COUNT(*) FROM queue_messages GROUP BY topic ORDER BY topic`)
	return all, err
}

type topicStatistics struct {
	messages, deadLetters, partitions, groups int64
}

func (p *pool) topicStatistics(ctx context.Context, topic string) (topicStatistics, error) {
	var t topicStatistics
	for _, count := range []struct {
		into             *int64
		statement, topic string
	}{
		{&t.messages, `SELECT COUNT(*) FROM queue_messages WHERE topic = ?`, topic},
		{&t.deadLetters, `SELECT COUNT(*) FROM queue_messages WHERE topic = ?`, topic + dlqSuffix},
		{&t.partitions, `SELECT COUNT(DISTINCT partition_key) FROM queue_messages WHERE topic = ?`, topic},
		{&t.groups, `SELECT COUNT(DISTINCT consumer_group) FROM queue_offsets WHERE topic = ?`, topic},
	} {
		if _, err := p.one(ctx, []interface{}{count.into}, count.statement, count.topic); err != nil {
			return t, err
		}
	}
	return t, nil
}

// listing is one line of a table of messages.
type listing struct {
	offset               uint64
	id, topic, partition string
	createdAt, publishAt uint64
}

// listMessages lists one partition, or with an empty partition the whole topic.
func (p *pool) listMessages(ctx context.Context, topic, partition string, limit int) ([]listing, error) {
	statement := "SELECT `offset`, id, topic, partition_key, created_at, published_at " +
		"FROM queue_messages WHERE topic = ?"
	args := []interface{}{topic}
	if partition != "" {
		statement += " AND partition_key = ?"
		args = append(args, partition)
	}
	var all []listing
	err := p.each(ctx, func() { all = nil }, func(rows *sql.Rows) error {
		var l listing
		err := rows.Scan(&l.offset, &l.id, &l.topic, &l.partition, &l.createdAt, &l.publishAt)
		all = append(all, l)
		return err
	}, statement+" ORDER BY `offset` LIMIT ?", append(args, limit)...)
	return all, err
}

func (p *pool) inspect(ctx context.Context, topic, id string) (r row, found bool, err error) {
	var metadata sql.NullString
	var name string
	var createdAt uint64
	found, err = p.one(ctx, []interface{}{&r.offset, &r.id, &name, &r.partition, &createdAt,
		&r.publishedAt, &r.payload, &metadata, &r.failedAt, &r.failureCount, &r.lastError,
		&r.originalTopic},
		"SELECT `offset`, id, topic, partition_key, created_at, published_at, payload, metadata, "+
			"failed_at, failure_count, last_error, original_topic "+
			"FROM queue_messages WHERE topic = ? AND id = ?", topic, id)
	return r, found, err
}

// requeue moves a dead letter back to its topic.
func (p *pool) requeue(ctx context.Context, topic, id string) error {
	_, err := p.transaction(ctx, func(tx *sql.Tx) error {
		var payload, metadata []byte
		var partition string
		var createdAt, publishedAt uint64
		err := tx.QueryRowContext(ctx, `
			SELECT payload, metadata, partition_key, created_at, published_at
			FROM queue_messages WHERE topic = ? AND id = ?`, topic+dlqSuffix, id).
			Scan(&payload, &metadata, &partition, &createdAt, &publishedAt)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("no dead letter %q", id)
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO queue_messages (topic, partition_key, id, payload, metadata, created_at,
				published_at, failed_at, failure_count, last_error, original_topic)
			VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, '', '')`,
			topic, partition, id, payload, p.json(metadata), createdAt, publishedAt)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM queue_messages WHERE topic = ? AND id = ?`,
			topic+dlqSuffix, id)
		return err
	})
	return err
}

func (p *pool) deleteByID(ctx context.Context, topic, id string) (int64, error) {
	return p.exec(ctx, `DELETE FROM queue_messages WHERE topic = ? AND id = ?`, topic, id)
}

func (p *pool) purgeTopic(ctx context.Context, topic string) (int64, error) {
	return p.exec(ctx, `DELETE FROM queue_messages WHERE topic = ?`, topic)
}

type offsetLine struct {
	group, topic, partition string
	acked                   uint64
	updatedAt               int64
}

// listOffsets lists one group's offsets, or with an empty group all.
func (p *pool) listOffsets(ctx context.Context, group string) ([]offsetLine, error) {
	condition := ""
	var args []interface{}
	if group != "" {
		condition = " WHERE consumer_group = ?"
		args = append(args, group)
	}
	var all []offsetLine
	err := p.each(ctx, func() { all = nil }, func(rows *sql.Rows) error {
		var l offsetLine
		err := rows.Scan(&l.group, &l.topic, &l.partition, &l.acked, &l.updatedAt)
		all = append(all, l)
		return err
	}, "SELECT consumer_group, topic, partition_key, offset_acked, updated_at FROM queue_offsets"+
		condition+" ORDER BY consumer_group, topic, partition_key", args...)
	return all, err
}

func (p *pool) resetOffset(ctx context.Context, group, topic, partition string, to uint64) (int64, error) {
	return p.exec(ctx, `
		UPDATE queue_offsets SET offset_acked = ?, updated_at = ?
		WHERE consumer_group = ? AND topic = ? AND partition_key = ?`,
		to, nowMillis(), group, topic, partition)
}

type leaseLine struct {
	group, topic, partition, holder string
	leasedAt, renewedAt             int64
}

// listLeases lists all leases, or with staleFor > 0 those not renewed for so many
// milliseconds.
func (p *pool) listLeases(ctx context.Context, staleFor int64) ([]leaseLine, error) {
	statement := `
		SELECT consumer_group, topic, partition_key, leased_by, leased_at, lease_renewed_at
		FROM queue_partition_leases `
	var args []interface{}
	if staleFor > 0 {
		statement += `WHERE lease_renewed_at < ? ORDER BY lease_renewed_at`
		args = append(args, nowMillis()-staleFor)
	} else {
		statement += `ORDER BY consumer_group, topic, partition_key`
	}
	var all []leaseLine
	err := p.each(ctx, func() { all = nil }, func(rows *sql.Rows) error {
		var l leaseLine
		err := rows.Scan(&l.group, &l.topic, &l.partition, &l.holder, &l.leasedAt, &l.renewedAt)
		all = append(all, l)
		return err
	}, statement, args...)
	return all, err
}

// breakLease frees a partition whoever holds it.
func (p *pool) breakLease(ctx context.Context, group, topic, partition string) (int64, error) {
	return p.exec(ctx, `
		DELETE FROM queue_partition_leases
		WHERE consumer_group = ? AND topic = ? AND partition_key = ?`, group, topic, partition)
}

type lagLine struct {
	group, topic, partition string
	acked, latest           uint64
}

// lag compares every group's watermark with the newest message of its partition.
func (p *pool) lag(ctx context.Context, topic string) ([]lagLine, error) {
	var all []lagLine
	err := p.each(ctx, func() { all = nil }, func(rows *sql.Rows) error {
		var l lagLine
		err := rows.Scan(&l.group, &l.topic, &l.partition, &l.acked, &l.latest)
		all = append(all, l)
		return err
	}, `
		SELECT o.consumer_group, o.topic, o.partition_key, o.offset_acked,
			COALESCE(m.newest, 0) AS newest
		FROM queue_offsets o
		LEFT JOIN (
			SELECT topic, partition_key, MAX(`+"`offset`"+`) AS newest
			FROM queue_messages
			WHERE topic = ?
			GROUP BY topic, partition_key
		) m ON o.topic = m.topic AND o.partition_key = m.partition_key
		WHERE o.topic = ?
		ORDER BY o.consumer_group, o.partition_key`, topic, topic)
	return all, err
}
