package main

import (
	"context"
	"database/sql"
)

type lease struct {
	partition, holder string
	renewedAt         int64 // epoch milliseconds
}

// acquireLease takes a partition that is free or whose holder has not renewed it for
// duration milliseconds. The upsert decides; reading it back tells who won.
func (p *pool) acquireLease(ctx context.Context, group, topic, partition, holder string,
	duration int64) (bool, error) {
	now := nowMillis()
	stale := now - duration
	_, err := p.exec(ctx, `
		INSERT INTO queue_partition_leases (consumer_group, topic, partition_key, leased_by,
			leased_at, lease_renewed_at)
		VALUES (?, ?, ?, ?, ?, ?)
		ON DUPLICATE KEY UPDATE
			leased_by = IF(lease_renewed_at < ?, VALUES(leased_by), leased_by),
			leased_at = IF(lease_renewed_at < ?, VALUES(leased_at), leased_at),
			lease_renewed_at = IF(lease_renewed_at < ?, VALUES(lease_renewed_at), lease_renewed_at)`,
		group, topic, partition, holder, now, now, stale, stale, stale)
	if err != nil {
		return false, err
	}
	owner, err := p.leaseHolder(ctx, group, topic, partition)
	return owner == holder, err
}

// renewLease tells whether the lease is still the holder's. An UPDATE that finds the same
// millisecond already stored changes no row, so no row is no proof of a lost lease.
func (p *pool) renewLease(ctx context.Context, group, topic, partition, holder string) (bool, error) {
	affected, err := p.exec(ctx, `
		UPDATE queue_partition_leases
		SET lease_renewed_at = ?
		WHERE consumer_group = ? AND topic = ? AND partition_key = ? AND leased_by = ?`,
		nowMillis(), group, topic, partition, holder)
	if err != nil || affected == 1 {
		return affected == 1, err
	}
	owner, err := p.leaseHolder(ctx, group, topic, partition)
	return owner == holder, err
}

// leaseHolder is empty when nobody holds the partition.
func (p *pool) leaseHolder(ctx context.Context, group, topic, partition string) (string, error) {
	var owner string
	_, err := p.one(ctx, []interface{}{&owner}, `
		SELECT leased_by FROM queue_partition_leases
		WHERE consumer_group = ? AND topic = ? AND partition_key = ?`, group, topic, partition)
	return owner, err
}

func (p *pool) releaseLease(ctx context.Context, group, topic, partition, holder string) (int64, error) {
	return p.exec(ctx, `
		DELETE FROM queue_partition_leases
		WHERE consumer_group = ? AND topic = ? AND partition_key = ? AND leased_by = ?`,
		group, topic, partition, holder)
}

func (p *pool) heldPartitions(ctx context.Context, group, topic, holder string) ([]string, error) {
	return p.strings(ctx, `
		SELECT partition_key FROM queue_partition_leases
		WHERE consumer_group = ? AND topic = ? AND leased_by = ?`, group, topic, holder)
}

func (p *pool) leases(ctx context.Context, group, topic string) ([]lease, error) {
	var all []lease
	err := p.each(ctx, func() { all = nil }, func(rows *sql.Rows) error {
		var l lease
		if err := rows.Scan(&l.partition, &l.holder, &l.renewedAt); err != nil {
			return err
		}
		all = append(all, l)
		return nil
	}, `
		SELECT partition_key, leased_by, lease_renewed_at FROM queue_partition_leases
		WHERE consumer_group = ? AND topic = ?`, group, topic)
	return all, err
}

func (p *pool) purgeLeases(ctx context.Context, group, topic string, olderThan int64) (int64, error) {
	return p.exec(ctx, `
		DELETE FROM queue_partition_leases
		WHERE consumer_group = ? AND topic = ? AND lease_renewed_at < ?`,
		group, topic, nowMillis()-olderThan)
}
