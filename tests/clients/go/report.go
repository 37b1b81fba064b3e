package main

import (
	"encoding/json"
	"os"
	"sort"
)

// The report tells a verifier that reads the shards directly which rows must be there.
type report struct {
	Run      string         `json:"run"` // prefix of every topic
	Tenants  []tenantReport `json:"tenants"`
	Failures []string       `json:"failures"`
	Retries  int64          `json:"retries"`
	Seconds  float64        `json:"seconds"`
}

type tenantReport struct {
	Tenant   string          `json:"tenant"`
	Topics   []topicReport   `json:"topics"`
	Messages []messageReport `json:"messages"`
}

type topicReport struct {
	Topic     string `json:"topic"`
	Collected bool   `json:"collected"` // acknowledged messages were deleted
}

type messageReport struct {
	Topic      string `json:"topic"`
	Partition  string `json:"partition"`
	ID         string `json:"id"`
	Sequence   int    `json:"sequence"`
	Offset     uint64 `json:"offset"` // on topic; a dead letter has another
	Deliveries int    `json:"deliveries"`
	Fate       fate   `json:"fate"`
	Dead       bool   `json:"dead"` // it is under topic + "_dlq"
}

func (l *ledger) report(topics []topicReport) tenantReport {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	r := tenantReport{Tenant: l.tenant, Topics: topics}
	for _, records := range l.records {
		for _, m := range records {
			r.Messages = append(r.Messages, messageReport{m.Topic, m.Partition, m.ID, m.Sequence,
				m.offset, m.deliveries, fateOf(m.Sequence), m.dead})
		}
	}
	sort.Slice(r.Messages, func(a, b int) bool {
		x, y := r.Messages[a], r.Messages[b]
		if x.Topic != y.Topic {
			return x.Topic < y.Topic
		}
		if x.Partition != y.Partition {
			return x.Partition < y.Partition
		}
		return x.Sequence < y.Sequence
	})
	return r
}

func (r *report) write(path string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
