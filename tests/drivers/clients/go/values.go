package main

import (
	"bytes"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"
	"time"
	"unicode/utf8"
)

// blob is size bytes of which number i is (31 i + i / 256) mod 256.
func blob(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(31*i + i>>8)
	}
	return b
}

// valueOf makes a parameter of the specification a value of Go.
func valueOf(raw json.RawMessage) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case json.Number:
		return number(v)
	case map[string]any:
		for kind, inner := range v {
			return typed(kind, inner)
		}
	}
	return v, nil
}

func number(n json.Number) (any, error) {
	if i, err := n.Int64(); err == nil {
		return i, nil
	}
	if u, err := strconv.ParseUint(n.String(), 10, 64); err == nil {
		return u, nil
	}
	return n.Float64()
}

func typed(kind string, v any) (any, error) {
	switch kind {
	case "integer":
		return number(json.Number(v.(string)))
	case "hex":
		return hex.DecodeString(v.(string))
	case "blob":
		size, err := v.(json.Number).Int64()
		return blob(int(size)), err
	case "date":
		return time.Parse("2006-01-02", v.(string))
	case "datetime":
		return time.Parse("2006-01-02 15:04:05.999999", v.(string))
	case "decimal", "time":
		return v, nil
	}
	return nil, fmt.Errorf("unknown kind of value %q", kind)
}

// textOf is a value for comparison; a long one by length and checksum.
func textOf(b sql.RawBytes) *string {
	if b == nil {
		return nil
	}
	s := string(b)
	if !utf8.Valid(b) {
		s = "hex " + hex.EncodeToString(b)
	}
	if len(s) > 200 {
		s = fmt.Sprintf("%d bytes, %d", len(b), crc32.ChecksumIEEE(b))
	}
	return &s
}
