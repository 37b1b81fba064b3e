package main

import (
	"context"
	"fmt"
	"reflect"
)

// walkthrough does every operation of the client once and compares each answer with the one
// that a single server would give. All tenants run it at the same time over the same topics,
// partitions and ids, so that a row that leaks changes an answer.
type walkthrough struct {
	*pool
	ctx      context.Context
	topic    string
	failures []string
}

func (p *pool) walkthrough(ctx context.Context, run string) []string {
	w := &walkthrough{pool: p, ctx: ctx, topic: run + ".walkthrough"}
	w.heartbeats()
	w.leasing()
	w.watermarks()
	w.deliveries()
	w.publishing()
	w.deadLetters()
	w.administration()
	w.cleanUp()
	return w.failures
}

// expect compares and notes what differs, with the error if there was one.
func (w *walkthrough) expect(what string, want, got interface{}, err error) {
	if err != nil {
		w.failures = append(w.failures, fmt.Sprintf("%s: %v", what, err))
	} else if !reflect.DeepEqual(want, got) {
		w.failures = append(w.failures, fmt.Sprintf("%s: want %v, got %v", what, want, got))
	}
}

const (
	group     = "orchestrator"
	partition = "repo/it's ünïcode \\ 漢字 🚀"
	minute    = 60 * 1000
)

func (w *walkthrough) heartbeats() {
	for _, name := range []string{"one", "two", "one"} {
		w.expect("heartbeat", nil, nil, w.heartbeat(w.ctx, group, w.topic, name))
	}
	active, err := w.activeSubscribers(w.ctx, group, w.topic, minute)
	w.expect("active subscribers", []string{"one", "two"}, active, err)
	gone, err := w.deregister(w.ctx, group, w.topic, "one")
	w.expect("deregister", int64(1), gone, err)
	gone, err = w.deregister(w.ctx, group, w.topic, "one")
	w.expect("deregister twice", int64(0), gone, err)
	gone, err = w.purgeHeartbeats(w.ctx, group, w.topic, minute)
	w.expect("purge of fresh heartbeats", int64(0), gone, err)
	gone, err = w.purgeHeartbeats(w.ctx, group, w.topic, -minute)
	w.expect("purge of heartbeats", int64(1), gone, err)
}

func (w *walkthrough) leasing() {
	acquire := func(what, holder string, duration int64, want bool) {
		got, err := w.acquireLease(w.ctx, group, w.topic, partition, holder, duration)
		w.expect(what, want, got, err)
	}
	acquire("acquire a free lease", "one", minute, true)
	acquire("acquire one's own lease", "one", minute, true)
	acquire("acquire another's lease", "two", minute, false)
	held, err := w.heldPartitions(w.ctx, group, w.topic, "one")
	w.expect("held partitions", []string{partition}, held, err)
	kept, err := w.renewLease(w.ctx, group, w.topic, partition, "one")
	w.expect("renew", true, kept, err)
	kept, err = w.renewLease(w.ctx, group, w.topic, partition, "two")
	w.expect("renew another's lease", false, kept, err)
	acquire("take a stale lease", "two", -minute, true)
	all, err := w.leases(w.ctx, group, w.topic)
	w.expect("leases", 1, len(all), err)
	lines, err := w.listLeases(w.ctx, 0)
	w.expect("all leases", 1, w.ownLeases(lines), err)
	lines, err = w.listLeases(w.ctx, minute)
	w.expect("stale leases", 0, w.ownLeases(lines), err)
	gone, err := w.purgeLeases(w.ctx, group, w.topic, minute)
	w.expect("purge of fresh leases", int64(0), gone, err)
	gone, err = w.releaseLease(w.ctx, group, w.topic, partition, "one")
	w.expect("release another's lease", int64(0), gone, err)
	gone, err = w.releaseLease(w.ctx, group, w.topic, partition, "two")
	w.expect("release", int64(1), gone, err)
	acquire("acquire again", "one", minute, true)
	gone, err = w.breakLease(w.ctx, group, w.topic, partition)
	w.expect("break a lease", int64(1), gone, err)
	acquire("acquire after the break", "two", minute, true)
	gone, err = w.purgeLeases(w.ctx, group, w.topic, -minute)
	w.expect("purge of leases", int64(1), gone, err)
}

func (w *walkthrough) watermarks() {
	affected, err := w.startOffset(w.ctx, group, w.topic, partition)
	w.expect("start an offset", int64(1), affected, err)
	affected, err = w.startOffset(w.ctx, group, w.topic, partition)
	w.expect("start it again", int64(0), affected, err)
	affected, err = w.moveOffset(w.ctx, group, w.topic, partition, 1<<63)
	w.expect("move an offset", int64(1), affected, err)
	affected, err = w.moveOffset(w.ctx, group, w.topic, partition, 5)
	w.expect("move it back", int64(0), affected, err)
	acked, err := w.ackedOffset(w.ctx, group, w.topic, partition)
	w.expect("offset", uint64(1<<63), acked, err)
	affected, err = w.resetOffset(w.ctx, group, w.topic, partition, 0)
	w.expect("reset an offset", int64(1), affected, err)
	affected, err = w.startOffset(w.ctx, "audit", w.topic, partition)
	w.expect("start another group", int64(1), affected, err)
	lowest, err := w.lowestAcked(w.ctx, w.topic, partition)
	w.expect("lowest offset", uint64(0), lowest, err)
	lines, err := w.listOffsets(w.ctx, "")
	w.expect("offsets of all groups", 2, w.ownOffsets(lines), err)
	lines, err = w.listOffsets(w.ctx, "audit")
	w.expect("offsets of a group", 1, w.ownOffsets(lines), err)
	affected, err = w.deleteOffset(w.ctx, "audit", w.topic, partition)
	w.expect("delete an offset", int64(1), affected, err)
}

// Other runs may have left rows in the listings of all topics.
func (w *walkthrough) ownLeases(lines []leaseLine) int {
	count := 0
	for _, line := range lines {
		if line.topic == w.topic {
			count++
		}
	}
	return count
}

func (w *walkthrough) ownOffsets(lines []offsetLine) int {
	count := 0
	for _, line := range lines {
		if line.topic == w.topic {
			count++
		}
	}
	return count
}

func (w *walkthrough) deliveries() {
	s := slot{group, w.topic, partition, 7}
	deliver := func(what string, want int) {
		retries, err := w.markDelivered(w.ctx, s, minute)
		w.expect(what, want, retries, err)
	}
	_, found, err := w.deliveryState(w.ctx, s)
	w.expect("state before delivery", false, found, err)
	deliver("first delivery", 0)
	w.expect("nack", nil, nil, w.nack(w.ctx, s, 0))
	deliver("second delivery", 1)
	w.expect("postpone", nil, nil, w.postpone(w.ctx, s, minute))
	state, _, err := w.deliveryState(w.ctx, s)
	w.expect("postponed", true, state.postponed && !state.acked && state.retries == 0, err)
	deliver("delivery after a postponement", 0)
	deliver("delivery after that", 1)
	affected, err := w.extendVisibility(w.ctx, s, 2*minute)
	w.expect("extend visibility", int64(1), affected, err)
	w.expect("ack", nil, nil, w.ack(w.ctx, s))
	deliver("delivery after the ack", 1)
	affected, err = w.extendVisibility(w.ctx, s, 3*minute)
	w.expect("extend after the ack", int64(0), affected, err)
	acked, err := w.ackedAmong(w.ctx, group, w.topic, partition, []uint64{6, 7, 8})
	w.expect("acked among", map[uint64]bool{7: true}, acked, err)
	affected, err = w.exec(w.ctx, `
		DELETE FROM queue_delivery_state WHERE consumer_group = ? AND topic = ?`, group, w.topic)
	w.expect("delete states", int64(1), affected, err)
}

func (w *walkthrough) publishing() {
	messages := []outgoing{
		{id: "a'1", partition: partition, payload: []byte("\x00'\\\"\xff"),
			metadata: map[string]string{"note": `it's "quoted" \ 漢字`}},
		{id: "b\\2", partition: partition, payload: []byte{}},
		{id: "c", partition: "", payload: []byte("c")},
	}
	answers, retried, err := w.publish(w.ctx, w.topic, messages, false)
	w.expect("publish", len(messages), len(answers), err)
	again, _, err := w.publish(w.ctx, w.topic, messages, false)
	w.expect("publish again", len(messages), len(again), err)
	unchanged := int64(0)
	if w.foundRows {
		unchanged = 1
	}
	for n := 0; !retried && n < len(answers) && n < len(again); n++ {
		w.expect("affected by publishing", []int64{1, unchanged},
			[]int64{answers[n].affected, again[n].affected}, nil)
	}
	rows, err := w.poll(w.ctx, w.topic, partition, 0, 10)
	w.expect("poll", 2, len(rows), err)
	if len(rows) != 2 {
		return
	}
	w.expect("payload", messages[0].payload, rows[0].payload, nil)
	w.expect("metadata", messages[0].metadata, rows[0].metadata, nil)
	w.expect("no metadata", true, rows[1].metadata == nil && len(rows[1].payload) == 0, nil)
	w.expect("ids in order", []string{"a'1", "b\\2"}, []string{rows[0].id, rows[1].id}, nil)
	if !retried {
		w.expect("offset", answers[0].offset, int64(rows[0].offset), nil)
	}
	rest, err := w.poll(w.ctx, w.topic, partition, rows[0].offset, 10)
	w.expect("poll behind the first", 1, len(rest), err)
	partitions, err := w.discover(w.ctx, w.topic)
	w.expect("discovery", []string{"", partition}, partitions, err)
	_, _, err = w.publish(w.ctx, w.topic, []outgoing{{id: "ghost", partition: "ghosts",
		payload: []byte("x")}}, true)
	w.expect("publish and roll back", nil, nil, err)
	ghosts, err := w.poll(w.ctx, w.topic, "ghosts", 0, 10)
	w.expect("poll of what was rolled back", 0, len(ghosts), err)
}

func (w *walkthrough) deadLetters() {
	moved, err := w.deadLetter(w.ctx, w.topic, partition, "a'1", 3, "it's broken")
	w.expect("dead letter", true, moved, err)
	moved, err = w.deadLetter(w.ctx, w.topic, partition, "a'1", 3, "it's broken")
	w.expect("dead letter twice", false, moved, err)
	rows, err := w.poll(w.ctx, w.topic+dlqSuffix, partition, 0, 10)
	w.expect("poll of dead letters", 1, len(rows), err)
	if len(rows) == 1 {
		r := rows[0]
		w.expect("what a dead letter says",
			[]interface{}{"a'1", "it's broken", 3, w.topic, true},
			[]interface{}{r.id, r.lastError, r.failureCount, r.originalTopic, r.failureDetail.Valid}, nil)
		w.expect("metadata of a dead letter", map[string]string{"note": `it's "quoted" \ 漢字`},
			r.metadata, nil)
	}
	w.expect("requeue", nil, nil, w.requeue(w.ctx, w.topic, "a'1"))
	rows, err = w.poll(w.ctx, w.topic, partition, 0, 10)
	w.expect("poll after requeueing", 2, len(rows), err)
	if len(rows) == 2 {
		w.expect("a requeued message is the newest", "a'1", rows[1].id, nil)
	}
	moved, err = w.deadLetter(w.ctx, w.topic, partition, "a'1", 4, "again")
	w.expect("dead letter after requeueing", true, moved, err)
}

func (w *walkthrough) administration() {
	statistics, err := w.topicStatistics(w.ctx, w.topic)
	w.expect("statistics", topicStatistics{messages: 2, deadLetters: 1, partitions: 2, groups: 1},
		statistics, err)
	topics, err := w.topics(w.ctx)
	counts := map[string]int64{}
	for _, t := range topics {
		counts[t.topic] = t.count
	}
	w.expect("topics", []int64{2, 1}, []int64{counts[w.topic], counts[w.topic+dlqSuffix]}, err)
	lines, err := w.listMessages(w.ctx, w.topic, "", 10)
	w.expect("messages of a topic", 2, len(lines), err)
	lines, err = w.listMessages(w.ctx, w.topic, partition, 10)
	w.expect("messages of a partition", 1, len(lines), err)
	lines, err = w.listMessages(w.ctx, w.topic, "", 1)
	w.expect("messages, one", 1, len(lines), err)
	r, found, err := w.inspect(w.ctx, w.topic+dlqSuffix, "a'1")
	w.expect("inspect", true, found && r.failureCount == 4 && r.originalTopic == w.topic, err)
	_, found, err = w.inspect(w.ctx, w.topic, "nobody")
	w.expect("inspect what is not there", false, found, err)

	rows, err := w.poll(w.ctx, w.topic, partition, 0, 10)
	w.expect("poll for the lag", 1, len(rows), err)
	if len(rows) == 1 {
		lag, err := w.lag(w.ctx, w.topic)
		w.expect("lag", []lagLine{{group, w.topic, partition, 0, rows[0].offset}}, lag, err)
	}
	gone, err := w.deleteByID(w.ctx, w.topic, "c")
	w.expect("delete by id", int64(1), gone, err)
	gone, err = w.purgeTopic(w.ctx, w.topic+dlqSuffix)
	w.expect("purge dead letters", int64(1), gone, err)
}

func (w *walkthrough) cleanUp() {
	rows, err := w.poll(w.ctx, w.topic, partition, 0, 10)
	w.expect("last poll", 1, len(rows), err)
	if len(rows) == 1 {
		w.expect("ack the last", nil, nil, w.ack(w.ctx, slot{group, w.topic, partition, rows[0].offset}))
		watermark, err := w.advanceWatermark(w.ctx, group, w.topic, partition, 0)
		w.expect("watermark", rows[0].offset, watermark, err)
	}
	gone, err := w.collectGarbage(w.ctx, w.topic, partition)
	w.expect("garbage collection", int64(1), gone, err)
	gone, err = w.deleteMessage(w.ctx, w.topic, partition, "a'1")
	w.expect("delete what is gone", int64(0), gone, err)
	gone, err = w.deleteOffset(w.ctx, group, w.topic, partition)
	w.expect("delete the offset", int64(1), gone, err)
}
