package main

import "context"

// startOffset makes a partition's offset row if there is none.
func (p *pool) startOffset(ctx context.Context, group, topic, partition string) (int64, error) {
	return p.exec(ctx, `
		INSERT IGNORE INTO queue_offsets (consumer_group, topic, partition_key, offset_acked, updated_at)
		VALUES (?, ?, ?, 0, ?)`, group, topic, partition, nowMillis())
}

// ackedOffset is the watermark; 0 when the partition was never read.
func (p *pool) ackedOffset(ctx context.Context, group, topic, partition string) (uint64, error) {
	var offset uint64
	_, err := p.one(ctx, []interface{}{&offset}, `
		SELECT offset_acked FROM queue_offsets
		WHERE consumer_group = ? AND topic = ? AND partition_key = ?`, group, topic, partition)
	return offset, err
}

// moveOffset only ever raises the watermark.
func (p *pool) moveOffset(ctx context.Context, group, topic, partition string,
	offset uint64) (int64, error) {
	return p.exec(ctx, `
		UPDATE queue_offsets
		SET offset_acked = ?, updated_at = ?
		WHERE consumer_group = ? AND topic = ? AND partition_key = ? AND offset_acked < ?`,
		offset, nowMillis(), group, topic, partition, offset)
}

// lowestAcked is the watermark of the slowest consumer group.
func (p *pool) lowestAcked(ctx context.Context, topic, partition string) (uint64, error) {
	var offset uint64
	_, err := p.one(ctx, []interface{}{&offset}, `
		SELECT COALESCE(MIN(offset_acked), 0) FROM queue_offsets
		WHERE topic = ? AND partition_key = ?`, topic, partition)
	return offset, err
}

func (p *pool) deleteOffset(ctx context.Context, group, topic, partition string) (int64, error) {
	return p.exec(ctx, `
		DELETE FROM queue_offsets WHERE consumer_group = ? AND topic = ? AND partition_key = ?`,
		group, topic, partition)
}
