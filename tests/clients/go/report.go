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
	// Workers tells how many deliveries each worker of a group got.
	Workers []map[string]int `json:"workers"`
	Seconds float64          `json:"seconds"`
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

// report has the messages of each tenant, whose partitions are called as its shard has them.
func (l *ledger) report(topics []topicReport) []tenantReport {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	messages := map[string][]messageReport{}
	for at, records := range l.records {
		tenant := l.tenantOf(at.partition)
		for _, m := range records {
			_, partition := unqualify(m.Partition)
			messages[tenant] = append(messages[tenant], messageReport{m.Topic, partition, m.ID,
				m.Sequence, m.offset, m.deliveries, fateOf(m.Sequence), m.dead})
		}
	}
	var all []tenantReport
	for tenant, list := range messages {
		sortMessages(list)
		all = append(all, tenantReport{tenant, topics, list})
	}
	sort.Slice(all, func(a, b int) bool { return all[a].Tenant < all[b].Tenant })
	return all
}

func sortMessages(list []messageReport) {
	sort.Slice(list, func(a, b int) bool {
		x, y := list[a], list[b]
		if x.Topic != y.Topic {
			return x.Topic < y.Topic
		}
		if x.Partition != y.Partition {
			return x.Partition < y.Partition
		}
		return x.Sequence < y.Sequence
	})
}

func (r *report) write(path string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
