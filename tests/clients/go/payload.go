package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand"
)

// identity is what a payload says about its own message, so that a row that reached the
// wrong reader gives itself away.
type identity struct {
	Tenant    string `json:"tenant"`
	Topic     string `json:"topic"`
	Partition string `json:"partition"`
	ID        string `json:"id"`
	Sequence  int    `json:"sequence"` // within the partition, from 0
}

// A payload is the identity as JSON, a newline, the checksum in hexadecimal, a newline and
// filler of arbitrary bytes; the checksum covers the identity and the filler.
func (i identity) payload() []byte {
	head, err := json.Marshal(i)
	if err != nil {
		panic(err) // strings and an integer always marshal
	}
	filler := i.filler()
	return bytes.Join([][]byte{head, checksum(head, filler), filler}, []byte("\n"))
}

// filler is the same bytes for the same message; about a third of it is what an escaping
// mistake would trip over.
func (i identity) filler() []byte {
	seed := fnv.New64a()
	fmt.Fprintf(seed, "%s/%s/%s/%s", i.Tenant, i.Topic, i.Partition, i.ID)
	random := rand.New(rand.NewSource(int64(seed.Sum64())))
	filler := make([]byte, random.Intn(1500))
	random.Read(filler)
	const awkward = "'\"\\`\x00\x1a\n\r%_;?#-/*"
	for at := 0; at < len(filler); at += 3 {
		filler[at] = awkward[random.Intn(len(awkward))]
	}
	return filler
}

func checksum(head, filler []byte) []byte {
	sum := sha256.Sum256(append(append([]byte{}, head...), filler...))
	return []byte(hex.EncodeToString(sum[:]))
}

var errPayload = errors.New("payload is damaged")

func parsePayload(payload []byte) (identity, error) {
	var i identity
	parts := bytes.SplitN(payload, []byte("\n"), 3)
	if len(parts) != 3 || !bytes.Equal(parts[1], checksum(parts[0], parts[2])) {
		return i, errPayload
	}
	return i, json.Unmarshal(parts[0], &i)
}
