package main

import (
	"context"
	"fmt"
	"math/rand"
)

// producer publishes the messages of some partitions of one topic, in order, in transactions
// of a few; some transactions are rolled back and some messages are published twice.
type producer struct {
	*pool
	ledger     *ledger
	topic      string
	partitions []string
	messages   int // per partition
}

func (p *producer) run(ctx context.Context) error {
	next := 0
	for next < p.messages {
		size := 1 + rand.Intn(5)
		if size > p.messages-next {
			size = p.messages - next
		}
		for _, partition := range p.partitions {
			if err := p.publishBatch(ctx, partition, next, size); err != nil {
				return fmt.Errorf("%s: producer of %s: %w", p.tenant, p.topic, err)
			}
		}
		next += size
	}
	return nil
}

func (p *producer) publishBatch(ctx context.Context, partition string, first, size int) error {
	var identities []identity
	var messages []outgoing
	for sequence := first; sequence < first+size; sequence++ {
		_, name := unqualify(partition) // all tenants have the same ids
		i := identity{p.ledger.tenantOf(partition), p.topic, partition, fmt.Sprintf("%s#%d", name, sequence), sequence}
		identities = append(identities, i)
		messages = append(messages, outgoing{i.ID, partition, i.payload(), metadata(i.Tenant, sequence)})
	}
	if rand.Intn(4) == 0 { // a message that must never arrive
		ghost := identity{p.ledger.tenantOf(partition), p.topic, partition, fmt.Sprintf("ghost#%d", first), -1}
		lost := outgoing{ghost.ID, partition, ghost.payload(), nil}
		if _, _, err := p.publish(ctx, p.topic, []outgoing{lost}, true); err != nil {
			return err
		}
	}
	p.ledger.intend(identities)
	answers, retried, err := p.publish(ctx, p.topic, messages, false)
	if err != nil {
		return err
	}
	for n := 0; !retried && n < len(answers); n++ {
		if answers[n].affected != 1 {
			p.ledger.fail("publishing %q affected %d rows", messages[n].id, answers[n].affected)
		}
		p.ledger.confirm(identities[n], uint64(answers[n].offset))
	}
	if rand.Intn(4) == 0 { // a caller that tries again although it need not
		_, _, err = p.publish(ctx, p.topic, messages[:1], false)
	}
	return err
}

// metadata names the queue in some messages, carries something else in some, and is missing
// in the others.
func metadata(tenant string, sequence int) map[string]string {
	switch sequence % 3 {
	case 0:
		return map[string]string{"queue_name": tenant, "note": `it's a "note" \ ünïcode`}
	case 1:
		return map[string]string{"attempt": "1"}
	default:
		return nil
	}
}
