module mqgate.test/legacyclient

go 1.19

require github.com/go-sql-driver/mysql v1.6.0
