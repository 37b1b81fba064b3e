package main

import (
	"context"
	"database/sql"
	"strings"
)

// delivery is how far one consumer group got with one message.
type delivery struct {
	acked          bool
	invisibleUntil int64 // epoch milliseconds
	retries        int
	postponed      bool
}

// slot names a message for one consumer group.
type slot struct {
	group, topic, partition string
	offset                  uint64
}

// markDelivered hides a message until it is confirmed or the time is over and returns how
// often it was tried before. The assignments run from left to right: retry_count must see
// `postponed` before it is cleared.
func (p *pool) markDelivered(ctx context.Context, s slot, visibility int64) (retries int, err error) {
	_, err = p.exec(ctx, `
		INSERT INTO queue_delivery_state (consumer_group, topic, partition_key, message_offset,
			acked, invisible_until, retry_count, postponed)
		VALUES (?, ?, ?, ?, FALSE, ?, 0, FALSE)
		ON DUPLICATE KEY UPDATE
			invisible_until = IF(acked = FALSE, VALUES(invisible_until), invisible_until),
			retry_count = IF(acked = FALSE AND postponed = FALSE, retry_count + 1, retry_count),
			postponed = IF(acked = FALSE, FALSE, postponed)`,
		s.group, s.topic, s.partition, s.offset, nowMillis()+visibility)
	if err != nil {
		return 0, err
	}
	_, err = p.one(ctx, []interface{}{&retries}, `
		SELECT retry_count FROM queue_delivery_state
		WHERE consumer_group = ? AND topic = ? AND partition_key = ? AND message_offset = ?`,
		s.group, s.topic, s.partition, s.offset)
	return retries, err
}

func (p *pool) extendVisibility(ctx context.Context, s slot, visibility int64) (int64, error) {
	return p.exec(ctx, `
		UPDATE queue_delivery_state
		SET invisible_until = ?
		WHERE consumer_group = ? AND topic = ? AND partition_key = ? AND message_offset = ?
			AND acked = FALSE`,
		nowMillis()+visibility, s.group, s.topic, s.partition, s.offset)
}

func (p *pool) ack(ctx context.Context, s slot) error {
	_, err := p.exec(ctx, `
		INSERT INTO queue_delivery_state (consumer_group, topic, partition_key, message_offset,
			acked, invisible_until, retry_count)
		VALUES (?, ?, ?, ?, TRUE, 0, 0)
		ON DUPLICATE KEY UPDATE acked = TRUE`,
		s.group, s.topic, s.partition, s.offset)
	return err
}

// nack gives a message back, to be tried again after backoff.
func (p *pool) nack(ctx context.Context, s slot, backoff int64) error {
	_, err := p.exec(ctx, `
		INSERT INTO queue_delivery_state (consumer_group, topic, partition_key, message_offset,
			acked, invisible_until, retry_count)
		VALUES (?, ?, ?, ?, FALSE, ?, 0)
		ON DUPLICATE KEY UPDATE
			invisible_until = IF(acked = FALSE, VALUES(invisible_until), invisible_until)`,
		s.group, s.topic, s.partition, s.offset, nowMillis()+backoff)
	return err
}

// postpone makes the partition wait at this message for delay; that is no failure.
func (p *pool) postpone(ctx context.Context, s slot, delay int64) error {
	_, err := p.exec(ctx, `
		INSERT INTO queue_delivery_state (consumer_group, topic, partition_key, message_offset,
			acked, invisible_until, retry_count, postponed)
		VALUES (?, ?, ?, ?, FALSE, ?, 0, TRUE)
		ON DUPLICATE KEY UPDATE
			invisible_until = IF(acked = FALSE, VALUES(invisible_until), invisible_until),
			retry_count = IF(acked = FALSE, 0, retry_count),
			postponed = IF(acked = FALSE, TRUE, postponed)`,
		s.group, s.topic, s.partition, s.offset, nowMillis()+delay)
	return err
}

func (p *pool) deliveryState(ctx context.Context, s slot) (d delivery, found bool, err error) {
	found, err = p.one(ctx, []interface{}{&d.acked, &d.invisibleUntil, &d.retries, &d.postponed}, `
		SELECT acked, invisible_until, retry_count, postponed FROM queue_delivery_state
		WHERE consumer_group = ? AND topic = ? AND partition_key = ? AND message_offset = ?`,
		s.group, s.topic, s.partition, s.offset)
	return d, found, err
}

// ackedAmong tells which of some offsets the group has acknowledged.
func (p *pool) ackedAmong(ctx context.Context, group, topic, partition string,
	offsets []uint64) (map[uint64]bool, error) {
	args := []interface{}{group, topic, partition}
	for _, offset := range offsets {
		args = append(args, offset)
	}
	var acked map[uint64]bool
	marks := strings.TrimSuffix(strings.Repeat("?,", len(offsets)), ",")
	err := p.each(ctx, func() { acked = map[uint64]bool{} }, func(rows *sql.Rows) error {
		var offset uint64
		var done bool
		if err := rows.Scan(&offset, &done); err != nil {
			return err
		}
		acked[offset] = done
		return nil
	}, `
		SELECT message_offset, acked FROM queue_delivery_state
		WHERE consumer_group = ? AND topic = ? AND partition_key = ?
		AND message_offset IN (`+marks+`)`, args...)
	return acked, err
}

// advanceWatermark walks over the acknowledged messages behind current and stores how far
// it came; the delivery state behind the watermark is no longer needed.
func (p *pool) advanceWatermark(ctx context.Context, group, topic, partition string,
	current uint64) (uint64, error) {
	const walk = 50
	offsets, err := p.offsetsAbove(ctx, topic, partition, current, walk)
	if err != nil || len(offsets) == 0 {
		return current, err
	}
	acked, err := p.ackedAmong(ctx, group, topic, partition, offsets)
	if err != nil {
		return current, err
	}
	watermark := current
	for _, offset := range offsets {
		if !acked[offset] {
			break
		}
		watermark = offset
	}
	if watermark == current {
		return current, nil
	}
	if _, err := p.moveOffset(ctx, group, topic, partition, watermark); err != nil {
		return current, err
	}
	_, err = p.exec(ctx, `
		DELETE FROM queue_delivery_state
		WHERE consumer_group = ? AND topic = ? AND partition_key = ? AND message_offset <= ?`,
		group, topic, partition, watermark)
	return watermark, err
}
