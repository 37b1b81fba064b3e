package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

const (
	leaseDuration  = 60 * 1000 // milliseconds; long, so that a slow machine loses no lease
	visibility     = 60 * 1000
	maxAttempts    = 4
	firstBackoff   = 5
	postponeDelay  = 10
	batchSize      = 20
	collectedShare = 2 // every second topic is garbage-collected
)

// consumer is one worker of a consumer group: it takes its fair share of each topic's
// partitions and works on them until all messages of the tenant are done.
type consumer struct {
	*pool
	ledger *ledger
	name   string
	topics []string
	owned  map[place]bool
}

// run ends when nothing is being published any more and every message is done, or, not done,
// after so many rounds (0: any number).
func (c *consumer) run(ctx context.Context, publishing *int32, rounds int) (done bool, err error) {
	c.owned = map[place]bool{}
	for n := 0; atomic.LoadInt32(publishing) > 0 || c.ledger.outstanding() > 0; n++ {
		if rounds > 0 && n == rounds {
			return false, c.leave(ctx)
		}
		for _, topic := range c.topics {
			if err := c.round(ctx, topic); err != nil {
				return false, fmt.Errorf("%s: consumer %s of %s: %w", c.tenant, c.name, topic, err)
			}
		}
		if ctx.Err() != nil {
			return false, fmt.Errorf("%s: %d messages are not done: %w", c.tenant, c.ledger.outstanding(), ctx.Err())
		}
	}
	return true, c.leave(ctx)
}

func (c *consumer) round(ctx context.Context, topic string) error {
	if err := c.heartbeat(ctx, group, topic, c.name); err != nil {
		return err
	}
	if err := c.balance(ctx, topic); err != nil {
		return err
	}
	busy := false
	for at := range c.owned {
		if at.topic != topic {
			continue
		}
		kept, err := c.renewLease(ctx, group, topic, at.partition, c.name)
		if err != nil {
			return err
		}
		if !kept {
			c.ledger.fail("%s lost the lease of %s/%q", c.name, topic, at.partition)
			delete(c.owned, at)
			continue
		}
		worked, err := c.work(ctx, at)
		if err != nil {
			return err
		}
		busy = busy || worked
	}
	if !busy {
		time.Sleep(5 * time.Millisecond) // the poll interval
	}
	return nil
}

// balance takes free partitions up to the fair share and gives back what is more than that.
func (c *consumer) balance(ctx context.Context, topic string) error {
	active, err := c.activeSubscribers(ctx, group, topic, leaseDuration)
	if err != nil {
		return err
	}
	partitions, err := c.discover(ctx, topic)
	if err != nil {
		return err
	}
	leases, err := c.leases(ctx, group, topic)
	if err != nil {
		return err
	}
	held := map[string]bool{}
	for _, l := range leases {
		held[l.partition] = true
	}
	share := (len(partitions) + len(active) - 1) / len(active)
	for _, partition := range partitions {
		if held[partition] || c.ownedOf(topic) >= share {
			continue
		}
		if err := c.take(ctx, topic, partition); err != nil {
			return err
		}
	}
	for at := range c.owned {
		if at.topic == topic && c.ownedOf(topic) > share {
			if err := c.giveBack(ctx, at); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *consumer) ownedOf(topic string) int {
	count := 0
	for at := range c.owned {
		if at.topic == topic {
			count++
		}
	}
	return count
}

func (c *consumer) take(ctx context.Context, topic, partition string) error {
	acquired, err := c.acquireLease(ctx, group, topic, partition, c.name, leaseDuration)
	if err != nil || !acquired {
		return err
	}
	c.owned[place{topic, partition}] = true
	_, err = c.startOffset(ctx, group, topic, partition)
	return err
}

func (c *consumer) giveBack(ctx context.Context, at place) error {
	delete(c.owned, at)
	released, err := c.releaseLease(ctx, group, at.topic, at.partition, c.name)
	if err == nil && released != 1 && c.retryFor == 0 {
		c.ledger.fail("%s released %d leases of %s/%q", c.name, released, at.topic, at.partition)
	}
	return err
}

// work polls one partition once and moves its watermark.
func (c *consumer) work(ctx context.Context, at place) (busy bool, err error) {
	watermark, err := c.ackedOffset(ctx, group, at.topic, at.partition)
	if err != nil {
		return false, err
	}
	rows, err := c.poll(ctx, at.topic, at.partition, watermark, batchSize)
	if err != nil {
		return false, err
	}
	for _, r := range rows {
		s := slot{group, at.topic, at.partition, r.offset}
		state, _, err := c.deliveryState(ctx, s)
		if err != nil {
			return busy, err
		}
		if state.acked {
			continue
		}
		if state.invisibleUntil > nowMillis() {
			if state.postponed {
				break // the partition waits for it
			}
			continue
		}
		busy = true
		if err := c.handle(ctx, s, r); err != nil {
			return busy, err
		}
	}
	_, err = c.advanceWatermark(ctx, group, at.topic, at.partition, watermark)
	return busy, err
}

// handle delivers one message and does what its fate demands.
func (c *consumer) handle(ctx context.Context, s slot, r row) error {
	retries, err := c.markDelivered(ctx, s, visibility)
	if err != nil {
		return err
	}
	record := c.ledger.delivered(c.name, s.topic, s.partition, r, retries)
	if record == nil {
		return fmt.Errorf("message %q cannot be handled", r.id)
	}
	again := false
	switch fateOf(record.Sequence) {
	case fatePostpone:
		again = record.deliveries < 2
	case fateRetry:
		again = record.deliveries < 3
	case fatePoison:
		if record.deliveries == maxAttempts {
			return c.bury(ctx, s, record)
		}
		again = true
	}
	switch {
	case again && fateOf(record.Sequence) == fatePostpone:
		return c.postpone(ctx, s, postponeDelay)
	case again:
		return c.nack(ctx, s, firstBackoff<<uint(record.deliveries))
	}
	c.ledger.finish(record, false)
	return c.ack(ctx, s)
}

// bury moves a message to the dead letters; its delivery state is settled as well, so that
// nobody waits for it.
func (c *consumer) bury(ctx context.Context, s slot, r *record) error {
	moved, err := c.deadLetter(ctx, s.topic, s.partition, r.ID, maxAttempts, "poison: it's broken")
	if err != nil {
		return err
	}
	if !moved && c.retryFor == 0 {
		c.ledger.fail("%q was gone before it was dead-lettered", r.ID)
	}
	c.ledger.finish(r, true)
	return c.ack(ctx, s)
}

// leave gives back all leases and ends the heartbeats.
func (c *consumer) leave(ctx context.Context) error {
	for at := range c.owned {
		if err := c.giveBack(ctx, at); err != nil {
			return err
		}
	}
	for _, topic := range c.topics {
		if _, err := c.deregister(ctx, group, topic, c.name); err != nil {
			return err
		}
	}
	return nil
}

// settle brings every watermark to the end and collects the garbage of every second topic,
// after the consumers have left.
func (p *pool) settle(ctx context.Context, l *ledger, collected func(topic string) bool) error {
	for _, at := range l.places() {
		watermark, err := p.ackedOffset(ctx, group, at.topic, at.partition)
		if err != nil {
			return err
		}
		for {
			moved, err := p.advanceWatermark(ctx, group, at.topic, at.partition, watermark)
			if err != nil {
				return err
			}
			if moved == watermark {
				break
			}
			watermark = moved
		}
		left, err := p.poll(ctx, at.topic, at.partition, watermark, 1)
		if err != nil {
			return err
		}
		if len(left) > 0 {
			l.fail("%s/%q: the watermark stops at %d, before %q", at.topic, at.partition, watermark, left[0].id)
		}
		if !collected(at.topic) {
			continue
		}
		if _, err := p.collectGarbage(ctx, at.topic, at.partition); err != nil {
			return err
		}
	}
	return nil
}
