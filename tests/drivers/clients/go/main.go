// Runs the cases of a job with go-sql-driver through database/sql and prints one line of JSON per
// case; see ../../cases.yaml. The driver's version is that of the module file it was built with.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"

	"github.com/go-sql-driver/mysql"
)

type target struct {
	Host, Socket, User, Password, Database string
	Port                                   int
	Compress                               bool
	TLS                                    *struct{ CA string }
}

type step struct {
	Op, SQL, Name string
	Params        [][]json.RawMessage
}

type job struct {
	Targets map[string]target
	Cases   []struct {
		Name, Target string
		Steps        []step
	}
}

type result map[string]any

var unsupported = result{"unsupported": true}

func errorResult(err error) result {
	seen := result{"message": err.Error()}
	var m *mysql.MySQLError
	if errors.As(err, &m) {
		seen["errno"], seen["message"] = m.Number, m.Message
		if state := reflect.ValueOf(m).Elem().FieldByName("SQLState"); state.IsValid() { // not in 1.6
			seen["sqlstate"] = fmt.Sprintf("%s", state.Interface())
		}
	}
	return result{"error": seen}
}

// session is one connection, held out of the pool, and the transaction that runs on it.
type session struct {
	db   *sql.DB
	conn *sql.Conn
	tx   *sql.Tx
}

var ctx = context.Background()

func open(t target) (*session, error) {
	c := mysql.NewConfig()
	c.User, c.Passwd, c.DBName = t.User, t.Password, t.Database
	c.Net, c.Addr = "tcp", fmt.Sprintf("%s:%d", t.Host, t.Port)
	if t.Socket != "" {
		c.Net, c.Addr = "unix", t.Socket
	}
	c.MultiStatements, c.InterpolateParams, c.MaxAllowedPacket = true, true, 64<<20
	if t.TLS != nil {
		if err := registerTLS(t.TLS.CA, t.Host); err != nil {
			return nil, err
		}
		c.TLSConfig = "ca"
	}
	dsn := c.FormatDSN()
	if t.Compress { // 1.6 does not know the word
		dsn += "&compress=true"
	}
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	return &session{db: db, conn: conn}, err
}

func registerTLS(file, host string) error {
	pem, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	return mysql.RegisterTLSConfig("ca", &tls.Config{RootCAs: roots, ServerName: host})
}

func (s *session) query(text string, args []any) (*sql.Rows, error) {
	if s.tx != nil {
		return s.tx.QueryContext(ctx, text, args...)
	}
	return s.conn.QueryContext(ctx, text, args...)
}

func (s *session) prepare(text string) (*sql.Stmt, error) {
	if s.tx != nil {
		return s.tx.PrepareContext(ctx, text)
	}
	return s.conn.PrepareContext(ctx, text)
}

// readRows takes what is left of the current result.
func readRows(rows *sql.Rows) result {
	columns, err := rows.ColumnTypes()
	if err != nil {
		return errorResult(err)
	}
	values, types := make([]sql.RawBytes, len(columns)), []string{}
	pointers := make([]any, len(columns))
	for i, c := range columns {
		pointers[i] = &values[i]
		types = append(types, c.Name()+" "+c.DatabaseTypeName())
	}
	all := [][]*string{}
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return errorResult(err)
		}
		row := []*string{}
		for _, v := range values {
			row = append(row, textOf(v))
		}
		all = append(all, row)
	}
	if rows.Err() != nil {
		return errorResult(rows.Err())
	}
	return result{"rows": all, "types": types}
}

func answerOf(rows *sql.Rows, err error) result {
	if err != nil {
		return errorResult(err)
	}
	defer rows.Close()
	return readRows(rows)
}

func changeOf(r sql.Result, err error) result {
	if err != nil {
		return errorResult(err)
	}
	affected, _ := r.RowsAffected()
	id, _ := r.LastInsertId()
	return result{"affected": affected, "id": id}
}

// returnsRows decides between Query and Exec, as an application does.
func returnsRows(text string) bool {
	return len(text) > 6 && text[:6] == "SELECT"
}

func (s *session) runText(text string, args []any) result {
	if returnsRows(text) {
		return answerOf(s.query(text, args))
	}
	if s.tx != nil {
		return changeOf(s.tx.ExecContext(ctx, text, args...))
	}
	return changeOf(s.conn.ExecContext(ctx, text, args...))
}

func (s *session) runPrepared(text string, sets [][]any) []result {
	stmt, err := s.prepare(text)
	if err != nil {
		return []result{errorResult(err)}
	}
	defer stmt.Close()
	results := []result{}
	for _, args := range sets {
		if returnsRows(text) {
			results = append(results, answerOf(stmt.QueryContext(ctx, args...)))
		} else {
			results = append(results, changeOf(stmt.ExecContext(ctx, args...)))
		}
	}
	return results
}

func (s *session) runMulti(text string) []result {
	rows, err := s.query(text, nil)
	if err != nil {
		return []result{errorResult(err)}
	}
	defer rows.Close()
	results := []result{readRows(rows)}
	for rows.Err() == nil && rows.NextResultSet() { // 1.6 would wait for more behind an error
		results = append(results, readRows(rows))
	}
	return results
}

func (s *session) call(name string) result {
	var err error
	switch name {
	case "begin":
		s.tx, err = s.conn.BeginTx(ctx, nil)
	case "commit":
		err = s.tx.Commit()
		s.tx = nil
	case "rollback":
		err = s.tx.Rollback()
		s.tx = nil
	case "ping":
		err = s.conn.PingContext(ctx)
	case "pool":
		if s.tx != nil {
			s.tx.Rollback()
			s.tx = nil
		}
		s.conn.Close()
		s.conn, err = s.db.Conn(ctx)
	default:
		return unsupported
	}
	if err != nil {
		return errorResult(err)
	}
	return result{"ok": true}
}

func argumentSets(st step) ([][]any, error) {
	sets := [][]any{}
	for _, params := range st.Params {
		args := []any{}
		for _, raw := range params {
			v, err := valueOf(raw)
			if err != nil {
				return nil, err
			}
			args = append(args, v)
		}
		sets = append(sets, args)
	}
	return sets, nil
}

func (s *session) run(st step) ([]result, error) {
	sets, err := argumentSets(st)
	if err != nil {
		return nil, err
	}
	switch st.Op {
	case "call":
		return []result{s.call(st.Name)}, nil
	case "multi":
		return s.runMulti(st.SQL), nil
	case "prepared":
		return s.runPrepared(st.SQL, sets), nil
	case "query":
		results := []result{}
		for _, args := range sets {
			results = append(results, s.runText(st.SQL, args))
		}
		if len(sets) == 0 {
			results = append(results, s.runText(st.SQL, nil))
		}
		return results, nil
	}
	return []result{unsupported}, nil
}

func runCase(t target, steps []step) ([][]result, error) {
	s, err := open(t)
	if err != nil {
		return [][]result{{errorResult(err)}}, nil
	}
	defer s.db.Close()
	defer s.conn.Close()
	results := [][]result{}
	for _, st := range steps {
		seen, err := s.run(st)
		if err != nil {
			return nil, err
		}
		results = append(results, seen)
	}
	return results, nil
}

func driverVersion() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/go-sql-driver/mysql" {
			return module.Version
		}
	}
	return ""
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	var j job
	if err == nil {
		err = json.Unmarshal(text, &j)
	}
	out := json.NewEncoder(os.Stdout)
	out.Encode(result{"version": driverVersion()})
	for _, c := range j.Cases {
		var seen [][]result
		if seen, err = runCase(j.Targets[c.Target], c.Steps); err != nil {
			break
		}
		out.Encode(result{"case": c.Name, "steps": seen})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
