// Legacyclient is a queue client as it was written for one MySQL with the five legacy tables:
// its SQL names no tenant. It publishes and consumes for several tenants at once, each through
// a pool of its own, or with -together for all of them through one, with partition keys that name
// the tenant as `tenant|key`, and checks all it receives. One run is
//
//	walkthrough  every operation once per tenant, each answer compared with the expected one
//	             (not with -together: some name neither tenant nor partition)
//	load         producers and consumers until every message is acknowledged or dead-lettered
//	settle       watermarks to the end, garbage collection, the administrators' listings
//
// and ends with a summary line and exit status 0, or 1 after a list of what went wrong.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type settings struct {
	dsn        string
	tenants    []string
	workers    int
	topics     int
	partitions int
	messages   int
	timeout    time.Duration
	report     string
	run        string
	skipLoad   bool
	loadOnly   bool
	together   bool
	rounds     int
	options    pool
}

func parseFlags() settings {
	var s settings
	var tenants string
	flag.StringVar(&s.dsn, "dsn", "app:secret@tcp(127.0.0.1:3307)/queue@{tenant}",
		"data source `name`; {tenant} in its user, database or variables is replaced")
	flag.StringVar(&tenants, "tenants", "", "comma-separated `list` of tenants")
	flag.IntVar(&s.workers, "workers", 4, "producers, and as many consumers, per tenant")
	flag.IntVar(&s.topics, "topics", 2, "topics per tenant")
	flag.IntVar(&s.partitions, "partitions", 4, "partitions per topic")
	flag.IntVar(&s.messages, "messages", 200, "messages per tenant")
	flag.BoolVar(&s.options.interpolate, "interpolate", false, "let the driver write parameters into the text")
	flag.BoolVar(&s.options.quoteOffset, "quote-offset", false, "backquote the column offset, for MariaDB asked directly")
	flag.DurationVar(&s.options.retryFor, "retry-for", 0, "how long to go on trying when a connection is lost")
	flag.DurationVar(&s.timeout, "timeout", 2*time.Minute, "end of the whole run")
	flag.StringVar(&s.report, "report", "", "write what must be on the shards to this `file`, as JSON")
	flag.StringVar(&s.run, "run", fmt.Sprintf("run%d", time.Now().UnixNano()), "prefix of the topics")
	flag.BoolVar(&s.skipLoad, "walkthrough-only", false, "only do every operation once")
	flag.BoolVar(&s.loadOnly, "load-only", false, "no walkthrough, which knows no lost COMMIT")
	flag.BoolVar(&s.together, "together", false, "one consumer group for all tenants, whose partition keys are qualified")
	flag.IntVar(&s.rounds, "rounds", 0, "consumers leave after so many rounds, and others come; 0: they stay")
	flag.Parse()
	for _, tenant := range strings.Split(tenants, ",") {
		if tenant = strings.TrimSpace(tenant); tenant != "" {
			s.tenants = append(s.tenants, tenant)
		}
	}
	if len(s.tenants) == 0 || s.workers < 1 || s.topics < 1 || s.partitions < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "legacyclient: name -tenants, and give every count as at least 1")
		flag.Usage()
		os.Exit(2)
	}
	return s
}

// client is one tenant's part of the run.
type client struct {
	*pool
	settings settings
	ledger   *ledger
	topics   []string
}

func newClient(s settings, tenant string) (*client, error) {
	p, err := openPool(s.dsn, tenant, s.options, s.workers*2)
	if err != nil {
		return nil, err
	}
	c := &client{pool: p, settings: s, ledger: newLedger(tenant, s.options.retryFor > 0)}
	for n := 0; n < s.topics; n++ {
		c.topics = append(c.topics, fmt.Sprintf("%s.topic-%d", s.run, n))
	}
	return c, nil
}

// partitions are those of one topic: the tenant's, or all tenants'.
func (c *client) partitions() []string {
	if !c.settings.together {
		return c.partitionNames()
	}
	var all []string
	for _, tenant := range c.settings.tenants {
		for _, name := range c.partitionNames() {
			all = append(all, qualify(tenant, name))
		}
	}
	return all
}

func (c *client) partitionNames() []string {
	names := []string{"repo/main", "it's \"quoted\"", "back\\slash", "ünïcode/漢字/🚀", "?", "-- no comment", "/*tenant='x'*/"}
	for n := len(names); n < c.settings.partitions; n++ {
		names = append(names, fmt.Sprintf("repo/%d", n))
	}
	return names[:c.settings.partitions]
}

func (c *client) collected(topic string) bool {
	for n, name := range c.topics {
		if name == topic {
			return n%collectedShare == 0
		}
	}
	return false
}

func (c *client) run(ctx context.Context) {
	if !c.settings.together && !c.settings.loadOnly {
		for _, failure := range c.walkthrough(ctx, c.settings.run) {
			c.ledger.fail("walkthrough: %s", failure)
		}
	}
	if c.settings.skipLoad {
		return
	}
	c.load(ctx)
	if err := c.settle(ctx, c.ledger, c.collected); err != nil {
		c.ledger.fail("settling: %v", err)
	}
	c.compareListings(ctx)
}

// load runs producers and consumers side by side: partitions appear and grow while they are
// being read.
func (c *client) load(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	start := func(work func(context.Context) error) {
		all.Add(1)
		go func() {
			defer all.Done()
			if err := work(ctx); err != nil {
				c.ledger.fail("%v", err)
				cancel() // one that stops would leave the others waiting
			}
		}()
	}
	producers := c.producers()
	publishing := int32(len(producers))
	for _, p := range producers {
		p := p
		start(func(ctx context.Context) error {
			defer atomic.AddInt32(&publishing, -1)
			return p.run(ctx)
		})
	}
	for n := 0; n < c.settings.workers; n++ {
		place := n
		start(func(ctx context.Context) error { return c.consume(ctx, place, &publishing) })
	}
	all.Wait()
}

// consume is one worker after another in one place.
func (c *client) consume(ctx context.Context, place int, publishing *int32) error {
	for turn := 0; ; turn++ {
		name := fmt.Sprintf("worker-%d.%d", place, turn)
		worker := &consumer{pool: c.pool, ledger: c.ledger, name: name, topics: c.topics}
		rounds := c.settings.rounds
		if rounds > 0 {
			rounds += (place + turn) % 3 // not all of them at once
		}
		if done, err := worker.run(ctx, publishing, rounds); done || err != nil {
			return err
		}
	}
}

// producers share the partitions of all topics, each partition has one.
func (c *client) producers() []*producer {
	perPartition := c.settings.messages / (len(c.topics) * len(c.partitionNames()))
	var all []*producer
	for _, topic := range c.topics {
		groups := make([][]string, c.settings.workers)
		for n, partition := range c.partitions() {
			groups[n%len(groups)] = append(groups[n%len(groups)], partition)
		}
		for _, partitions := range groups {
			if len(partitions) > 0 {
				all = append(all, &producer{c.pool, c.ledger, topic, partitions, perPartition})
			}
		}
	}
	return all
}

// compareListings checks the administrators' view against the ledger.
func (c *client) compareListings(ctx context.Context) {
	w := &walkthrough{pool: c.pool, ctx: ctx}
	alive, dead := c.ledger.counts()
	for _, topic := range c.topics {
		want := topicStatistics{deadLetters: int64(dead[topic]), groups: 1}
		if !c.collected(topic) {
			want.messages = int64(alive[topic])
			want.partitions = int64(len(c.partitions()))
		}
		got, err := c.topicStatistics(ctx, topic)
		w.expect("statistics of "+topic, want, got, err)
		lag, err := c.lag(ctx, topic)
		w.expect("groups with a lag in "+topic, len(c.partitions()), len(lag), err)
		for _, line := range lag {
			w.expect(fmt.Sprintf("lag of %s/%q", topic, line.partition), true, line.latest <= line.acked, nil)
		}
		leases, err := c.leases(ctx, group, topic)
		w.expect("leases left in "+topic, 0, len(leases), err)
		active, err := c.activeSubscribers(ctx, group, topic, leaseDuration)
		w.expect("subscribers left in "+topic, 0, len(active), err)
	}
	for _, failure := range w.failures {
		c.ledger.fail("%s", failure)
	}
}

func main() {
	s := parseFlags()
	var retries int64
	s.options.retries = &retries
	begin := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), s.timeout)
	defer cancel()

	var clients []*client
	names := s.tenants
	if s.together {
		names = []string{""}
	}
	for _, tenant := range names {
		c, err := newClient(s, tenant)
		if err != nil {
			fmt.Fprintf(os.Stderr, "legacyclient: %v\n", err)
			os.Exit(2)
		}
		clients = append(clients, c)
	}
	var all sync.WaitGroup
	for _, c := range clients {
		all.Add(1)
		go func(c *client) {
			defer all.Done()
			c.run(ctx)
		}(c)
	}
	all.Wait()

	r := summarize(s, clients, retries, time.Since(begin))
	if s.report != "" {
		if err := r.write(s.report); err != nil {
			fmt.Fprintf(os.Stderr, "legacyclient: %v\n", err)
			os.Exit(2)
		}
	}
	if len(r.Failures) > 0 {
		os.Exit(1)
	}
}

func summarize(s settings, clients []*client, retries int64, took time.Duration) *report {
	r := &report{Run: s.run, Retries: retries, Seconds: took.Seconds(), Failures: []string{}}
	messages, deliveries, dead := 0, 0, 0
	for _, c := range clients {
		var topics []topicReport
		for _, topic := range c.topics {
			topics = append(topics, topicReport{topic, c.collected(topic)})
		}
		for _, t := range c.ledger.report(topics) {
			for _, m := range t.Messages {
				messages++
				deliveries += m.Deliveries
				if m.Dead {
					dead++
				}
			}
			r.Tenants = append(r.Tenants, t)
		}
		r.Workers = append(r.Workers, c.ledger.workers())
		r.Failures = append(r.Failures, c.ledger.failures...)
	}
	for _, failure := range r.Failures {
		fmt.Fprintln(os.Stderr, "FAILED", failure)
	}
	fmt.Printf("legacyclient: %d tenants, %d messages, %d deliveries, %d dead letters, %d retries, %d failures, %.1f s\n",
		len(s.tenants), messages, deliveries, dead, retries, len(r.Failures), took.Seconds())
	return r
}
