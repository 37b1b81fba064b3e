package main

import "context"

func (p *pool) heartbeat(ctx context.Context, group, topic, subscriber string) error {
	_, err := p.exec(ctx, `
		INSERT INTO queue_subscriber_heartbeats (consumer_group, topic, subscriber_name,
			heartbeat_at, deregistered_at)
		VALUES (?, ?, ?, ?, 0)
		ON DUPLICATE KEY UPDATE heartbeat_at = VALUES(heartbeat_at), deregistered_at = 0`,
		group, topic, subscriber, nowMillis())
	return err
}

// activeSubscribers are those that sent a heartbeat within the last milliseconds.
func (p *pool) activeSubscribers(ctx context.Context, group, topic string,
	within int64) ([]string, error) {
	return p.strings(ctx, `
		SELECT subscriber_name FROM queue_subscriber_heartbeats
		WHERE consumer_group = ? AND topic = ? AND heartbeat_at >= ? AND deregistered_at = 0
		ORDER BY subscriber_name`, group, topic, nowMillis()-within)
}

func (p *pool) deregister(ctx context.Context, group, topic, subscriber string) (int64, error) {
	return p.exec(ctx, `
		DELETE FROM queue_subscriber_heartbeats
		WHERE consumer_group = ? AND topic = ? AND subscriber_name = ?`, group, topic, subscriber)
}

func (p *pool) purgeHeartbeats(ctx context.Context, group, topic string, olderThan int64) (int64, error) {
	return p.exec(ctx, `
		DELETE FROM queue_subscriber_heartbeats
		WHERE consumer_group = ? AND topic = ? AND heartbeat_at < ?`,
		group, topic, nowMillis()-olderThan)
}
