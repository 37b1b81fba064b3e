module mqgate.test/drivers

go 1.24

require github.com/go-sql-driver/mysql v1.6.0
