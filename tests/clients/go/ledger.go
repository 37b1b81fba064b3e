package main

import (
	"fmt"
	"sync"
)

// fate is what the consumers do with a message; it follows from the sequence, so that the
// verifier can tell what must have happened.
type fate string

const (
	fateAck      fate = "ack"      // acknowledged at once
	fateRetry    fate = "retry"    // given back twice, then acknowledged
	fatePostpone fate = "postpone" // postponed once, then acknowledged
	fatePoison   fate = "poison"   // given back until it is dead-lettered
)

func fateOf(sequence int) fate {
	switch sequence % 10 {
	case 3:
		return fateRetry
	case 5:
		return fatePostpone
	case 7:
		return fatePoison
	default:
		return fateAck
	}
}

// record is what is known of one message.
type record struct {
	identity
	offset     uint64 // 0: not known
	deliveries int
	done       bool // acknowledged or dead-lettered
	dead       bool
}

type place struct{ topic, partition string }

// ledger holds one tenant's messages from before they are published until the end, and every
// fault that a consumer saw. Safe for use by many goroutines.
type ledger struct {
	mutex    sync.Mutex
	tenant   string
	lossy    bool                         // connections may be lost, so that a statement may have run twice
	records  map[place]map[string]*record // by id
	next     map[place]int                // sequence of the next first delivery
	open     int                          // messages that are not done
	failures []string
	handled  map[string]int // deliveries by the worker that got them
}

func newLedger(tenant string, lossy bool) *ledger {
	return &ledger{tenant: tenant, lossy: lossy, records: map[place]map[string]*record{}, next: map[place]int{},
		handled: map[string]int{}}
}

func (l *ledger) fail(format string, args ...interface{}) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.failLocked(format, args...)
}

func (l *ledger) failLocked(format string, args ...interface{}) {
	l.failures = append(l.failures, l.tenant+": "+fmt.Sprintf(format, args...))
}

// intend notes messages that are about to be published; they may arrive at any moment then.
func (l *ledger) intend(identities []identity) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, i := range identities {
		at := place{i.Topic, i.Partition}
		if l.records[at] == nil {
			l.records[at] = map[string]*record{}
		}
		l.records[at][i.ID] = &record{identity: i}
		l.open++
	}
}

// confirm notes the offset that the server gave a published message.
func (l *ledger) confirm(i identity, offset uint64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	r := l.records[place{i.Topic, i.Partition}][i.ID]
	if r.offset != 0 && r.offset != offset {
		l.failLocked("insert id %d, but %q was delivered with offset %d", offset, i.ID, r.offset)
	}
	r.offset = offset
}

// tenantOf is the tenant whose messages the partition holds.
func (l *ledger) tenantOf(partition string) string {
	if l.tenant != "" {
		return l.tenant
	}
	tenant, _ := unqualify(partition)
	return tenant
}

// workers tells how many deliveries each worker got.
func (l *ledger) workers() map[string]int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	all := map[string]int{}
	for name, count := range l.handled {
		all[name] = count
	}
	return all
}

// delivered checks a row that a consumer of (topic, partition) received, and the number of
// earlier attempts that the delivery state gave. It returns nil for a row that must not be
// there.
func (l *ledger) delivered(worker, topic, partition string, got row, retries int) *record {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	i, err := parsePayload(got.payload)
	if err != nil {
		l.failLocked("%s/%q: message %q: %v", topic, partition, got.id, err)
		return nil
	}
	here := identity{l.tenantOf(partition), topic, partition, got.id, i.Sequence}
	if i != here || got.partition != partition {
		l.failLocked("a row of %+v arrived at %+v", i, here)
		return nil
	}
	r := l.records[place{topic, partition}][got.id]
	switch {
	case r == nil:
		l.failLocked("%s/%q: %q was never published", topic, partition, got.id)
		return nil
	case r.done:
		l.failLocked("%s/%q: %q arrived again after it was done", topic, partition, got.id)
		return nil
	}
	l.checkOffset(r, got.offset)
	l.checkOrder(r)
	want := r.expectedRetries()
	if retries < want || retries > want && !l.lossy {
		l.failLocked("%s/%q: %q: retry_count %d, expected %d", topic, partition, got.id, retries, want)
	}
	r.deliveries++
	l.handled[worker]++
	return r
}

func (l *ledger) checkOffset(r *record, offset uint64) {
	if r.offset != 0 && r.offset != offset {
		l.failLocked("%q has offset %d, its insert id was %d", r.ID, offset, r.offset)
	}
	r.offset = offset
}

func (l *ledger) checkOrder(r *record) {
	if r.deliveries > 0 {
		return
	}
	at := place{r.Topic, r.Partition}
	if r.Sequence != l.next[at] {
		l.failLocked("%s/%q: sequence %d arrived, %d was next", r.Topic, r.Partition,
			r.Sequence, l.next[at])
	}
	l.next[at] = r.Sequence + 1
}

// expectedRetries is retry_count after the next delivery: postponing takes it back to 0.
func (r *record) expectedRetries() int {
	if fateOf(r.Sequence) == fatePostpone {
		return 0
	}
	return r.deliveries
}

// finish notes that a message was acknowledged or, with dead, dead-lettered.
func (l *ledger) finish(r *record, dead bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	r.done, r.dead = true, dead
	l.open--
}

func (l *ledger) outstanding() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.open
}

// places lists where messages were published.
func (l *ledger) places() []place {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	var all []place
	for at := range l.records {
		all = append(all, at)
	}
	return all
}

// counts tells per topic how many messages were acknowledged and how many are dead letters.
func (l *ledger) counts() (acked, dead map[string]int) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	acked, dead = map[string]int{}, map[string]int{}
	for at, records := range l.records {
		for _, r := range records {
			if r.dead {
				dead[at.topic]++
			} else if r.done {
				acked[at.topic]++
			}
		}
	}
	return acked, dead
}
