package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"
)

// pool is one tenant's connections. All statements of the client go through it, so that the
// few things that differ from run to run are in one place.
type pool struct {
	db          *sql.DB
	tenant      string
	interpolate bool          // the driver writes parameters into the text
	foundRows   bool          // affected rows count matches, not changes
	quoteOffset bool          // write `offset` in backquotes, as MariaDB needs when asked directly
	retryFor    time.Duration // how long lost connections are tried again; 0: not at all
	retries     *int64        // deadlocks and lost connections, for the summary
}

// openPool replaces {tenant} in the user, the database and the variables of a DSN. The parts
// are replaced after parsing: a tenant may contain any character that delimits a DSN.
func openPool(dsn, tenant string, options pool, connections int) (*pool, error) {
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	config.User = strings.ReplaceAll(config.User, "{tenant}", tenant)
	config.DBName = strings.ReplaceAll(config.DBName, "{tenant}", tenant)
	for name, value := range config.Params {
		config.Params[name] = strings.ReplaceAll(value, "{tenant}", tenant)
	}
	config.InterpolateParams = options.interpolate
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	p := options
	p.tenant = tenant
	p.foundRows = config.ClientFoundRows
	p.db = sql.OpenDB(connector)
	p.db.SetMaxOpenConns(connections)
	p.db.SetMaxIdleConns(connections)
	return &p, nil
}

var offsetColumn = regexp.MustCompile("`?\\boffset\\b`?")

func (p *pool) text(statement string) string {
	if p.quoteOffset {
		return offsetColumn.ReplaceAllString(statement, "`offset`")
	}
	return statement
}

// json is how a JSON column's value is bound. With interpolation a []byte becomes
// _binary'…', which MySQL refuses for JSON.
func (p *pool) json(value []byte) interface{} {
	switch {
	case value == nil:
		return nil
	case p.interpolate:
		return string(value)
	default:
		return value
	}
}

const (
	errDeadlock    = 1213
	errLockTimeout = 1205
)

// serverGone are the errors with which a server says that it cannot go on.
var serverGone = map[uint16]bool{1053: true, 1158: true, 1159: true, 1160: true, 1161: true, 1927: true}

func (p *pool) worthRetrying(err error, since time.Time) bool {
	var answer *mysql.MySQLError
	if errors.As(err, &answer) && (answer.Number == errDeadlock || answer.Number == errLockTimeout) {
		return true
	}
	var network *net.OpError
	lost := errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) ||
		errors.As(err, &network) || (answer != nil && serverGone[answer.Number])
	return lost && time.Since(since) < p.retryFor
}

// retry repeats work that may be repeated: every statement of this client is idempotent.
func (p *pool) retry(work func() error) (retried bool, err error) {
	since := time.Now()
	for attempt := 0; ; attempt++ {
		err = work()
		if err == nil || !p.worthRetrying(err, since) {
			return attempt > 0, err
		}
		atomic.AddInt64(p.retries, 1)
		time.Sleep(time.Duration(attempt%20) * 5 * time.Millisecond)
	}
}

// exec returns the affected rows.
func (p *pool) exec(ctx context.Context, statement string, args ...interface{}) (int64, error) {
	var affected int64
	_, err := p.retry(func() error {
		result, err := p.db.ExecContext(ctx, p.text(statement), args...)
		if err != nil {
			return err
		}
		affected, err = result.RowsAffected()
		return err
	})
	return affected, err
}

// each calls scan for every row of an answer; start is called before the first row of every
// attempt, so that a repeated query does not see half an answer twice.
func (p *pool) each(ctx context.Context, start func(), scan func(*sql.Rows) error,
	statement string, args ...interface{}) error {
	_, err := p.retry(func() error {
		start()
		rows, err := p.db.QueryContext(ctx, p.text(statement), args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := scan(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	return err
}

// one scans the only row of an answer; found is false when there is none.
func (p *pool) one(ctx context.Context, into []interface{}, statement string,
	args ...interface{}) (found bool, err error) {
	_, err = p.retry(func() error {
		return p.db.QueryRowContext(ctx, p.text(statement), args...).Scan(into...)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// strings reads an answer of one text column.
func (p *pool) strings(ctx context.Context, statement string, args ...interface{}) ([]string, error) {
	var values []string
	err := p.each(ctx, func() { values = nil }, func(rows *sql.Rows) error {
		var value string
		if err := rows.Scan(&value); err != nil {
			return err
		}
		values = append(values, value)
		return nil
	}, statement, args...)
	return values, err
}

// transaction runs work between BEGIN and COMMIT, again from the start if it was rolled back.
func (p *pool) transaction(ctx context.Context, work func(*sql.Tx) error) (retried bool, err error) {
	return p.retry(func() error {
		tx, err := p.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() // no effect after a commit
		if err := work(tx); err != nil {
			return err
		}
		return tx.Commit()
	})
}

func nowMillis() int64 { return time.Now().UnixNano() / int64(time.Millisecond) }
