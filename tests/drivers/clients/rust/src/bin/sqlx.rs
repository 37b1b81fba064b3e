//! sqlx, connections lent by its pool.

use chrono::{NaiveDate, NaiveDateTime};
use drivers::{Param, Session, cell, error, time_parts, unsupported};
use futures_util::TryStreamExt;
use serde_json::{Value as Json, json};
use sqlx::mysql::types::{MySqlTime, MySqlTimeSign};
use sqlx::mysql::{
    MySqlArguments, MySqlConnectOptions, MySqlDatabaseError, MySqlPoolOptions, MySqlQueryResult,
    MySqlRow, MySqlSslMode,
};
use sqlx::pool::PoolConnection;
use sqlx::{AssertSqlSafe, Column, Connection, Either, MySql, MySqlPool, Row, TypeInfo, ValueRef};

struct Lent {
    pool: MySqlPool,
    conn: Option<PoolConnection<MySql>>,
}

type Query = sqlx::query::Query<'static, MySql, MySqlArguments>;

fn failed(e: &sqlx::Error) -> Json {
    match e
        .as_database_error()
        .and_then(|e| e.try_downcast_ref::<MySqlDatabaseError>())
    {
        Some(e) => error(e.number().into(), e.code().unwrap_or_default(), e.message()),
        None => error(0, "", &e.to_string()),
    }
}

fn bind(query: Query, param: &Param) -> Query {
    match param {
        Param::Null => query.bind(None::<String>),
        Param::Int(i) => query.bind(*i),
        Param::UInt(u) => query.bind(*u),
        Param::Double(d) => query.bind(*d),
        Param::Text(text) => query.bind(text.clone()),
        Param::Bytes(bytes) => query.bind(bytes.clone()),
        Param::Date(text) => {
            query.bind(NaiveDate::parse_from_str(text, "%Y-%m-%d").expect("a date"))
        }
        Param::DateTime(text) => {
            query.bind(NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f").expect("a time"))
        }
        Param::Time(text) => query.bind(time(text)),
    }
}

fn time(text: &str) -> MySqlTime {
    let (negative, hours, minutes, seconds, micros) = time_parts(text);
    let sign = if negative {
        MySqlTimeSign::Negative
    } else {
        MySqlTimeSign::Positive
    };
    MySqlTime::new(sign, hours, minutes, seconds, micros).expect("a time")
}

/// A cell by the type of its column.
fn shown(row: &MySqlRow, i: usize) -> Result<Json, sqlx::Error> {
    if row.try_get_raw(i)?.is_null() {
        return Ok(Json::Null);
    }
    let kind = row.column(i).type_info().name();
    let text = match kind {
        "BOOLEAN" | "TINYINT" | "SMALLINT" | "MEDIUMINT" | "INT" | "BIGINT" => {
            row.try_get_unchecked::<i64, _>(i)?.to_string()
        }
        "YEAR" => row.try_get_unchecked::<u16, _>(i)?.to_string(),
        _ if kind.ends_with("UNSIGNED") => row.try_get_unchecked::<u64, _>(i)?.to_string(),
        "FLOAT" => row.try_get_unchecked::<f32, _>(i)?.to_string(),
        "DOUBLE" => row.try_get_unchecked::<f64, _>(i)?.to_string(),
        "DATE" => row.try_get_unchecked::<NaiveDate, _>(i)?.to_string(),
        "DATETIME" => row.try_get_unchecked::<NaiveDateTime, _>(i)?.to_string(),
        "TIME" => row.try_get_unchecked::<MySqlTime, _>(i)?.to_string(),
        _ => return Ok(cell(row.try_get_unchecked::<&[u8], _>(i)?)),
    };
    Ok(json!(text))
}

fn rows_of(rows: &[MySqlRow]) -> Json {
    let types = rows.first().map(|row| {
        let columns = row.columns().iter();
        columns
            .map(|c| format!("{} {}", c.name(), c.type_info().name()))
            .collect::<Vec<_>>()
    });
    let cells: Result<Vec<Vec<Json>>, _> = rows
        .iter()
        .map(|row| (0..row.len()).map(|i| shown(row, i)).collect())
        .collect();
    match cells {
        Ok(cells) => json!({"rows": cells, "types": types}),
        Err(e) => failed(&e),
    }
}

fn change(done: &MySqlQueryResult) -> Json {
    json!({"affected": done.rows_affected(), "id": done.last_insert_id()})
}

/// Results in their order; each ends with the driver's count of rows.
fn results_of(items: Vec<Either<MySqlQueryResult, MySqlRow>>) -> Vec<Json> {
    let (mut results, mut rows) = (Vec::new(), Vec::new());
    for item in items {
        match item {
            Either::Right(row) => rows.push(row),
            Either::Left(done) if rows.is_empty() => results.push(change(&done)),
            Either::Left(_) => results.push(rows_of(&std::mem::take(&mut rows))),
        }
    }
    results
}

fn returns_rows(sql: &str) -> bool {
    sql.starts_with("SELECT")
}

impl Lent {
    fn conn(&mut self) -> &mut PoolConnection<MySql> {
        self.conn.as_mut().expect("a connection")
    }

    async fn execute(&mut self, sql: &str, params: &[Param]) -> Json {
        let query = sqlx::query(AssertSqlSafe(sql.to_owned()));
        let query = params.iter().fold(query, bind);
        let conn = &mut **self.conn();
        let seen = if returns_rows(sql) {
            query.fetch_all(conn).await.map(|rows| rows_of(&rows))
        } else {
            query.execute(conn).await.map(|done| change(&done))
        };
        seen.unwrap_or_else(|e| failed(&e))
    }

    async fn text(&mut self, sql: &str) -> Json {
        let query = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        let conn = &mut **self.conn();
        let seen = if returns_rows(sql) {
            query.fetch_all(conn).await.map(|rows| rows_of(&rows))
        } else {
            query.execute(conn).await.map(|done| change(&done))
        };
        seen.unwrap_or_else(|e| failed(&e))
    }

    async fn try_call(&mut self, name: &str) -> Result<bool, sqlx::Error> {
        match name {
            "begin" => sqlx::raw_sql("START TRANSACTION")
                .execute(&mut **self.conn())
                .await
                .map(drop)?,
            "commit" => sqlx::raw_sql("COMMIT")
                .execute(&mut **self.conn())
                .await
                .map(drop)?,
            "rollback" => sqlx::raw_sql("ROLLBACK")
                .execute(&mut **self.conn())
                .await
                .map(drop)?,
            "ping" => self.conn().ping().await?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn options(target: &Json) -> MySqlConnectOptions {
    let ssl = target["tls"]["ca"].as_str();
    let mut options = MySqlConnectOptions::new()
        .host(target["host"].as_str().expect("a host"))
        .port(target["port"].as_u64().expect("a port") as u16)
        .username(target["user"].as_str().expect("a user"))
        .password(target["password"].as_str().expect("a password"))
        .database(target["database"].as_str().expect("a database"))
        .ssl_mode(if ssl.is_some() {
            MySqlSslMode::VerifyCa
        } else {
            MySqlSslMode::Disabled
        });
    if let Some(ca) = ssl {
        options = options.ssl_ca(ca);
    }
    match target["socket"].as_str() {
        Some(socket) => options.socket(socket),
        None => options,
    }
}

impl Session for Lent {
    async fn connect(target: &Json) -> Result<Self, Json> {
        let pool = MySqlPoolOptions::new()
            .max_connections(1)
            .connect_with(options(target))
            .await;
        let pool = pool.map_err(|e| failed(&e))?;
        let conn = pool.acquire().await.map_err(|e| failed(&e))?;
        Ok(Lent {
            pool,
            conn: Some(conn),
        })
    }

    async fn close(mut self) {
        drop(self.conn.take());
        self.pool.close().await;
    }

    /// It does not put parameters into a text: with some, the statement is prepared.
    async fn query(&mut self, sql: &str, params: Option<&[Param]>) -> Json {
        match params {
            Some(params) => self.execute(sql, params).await,
            None => self.text(sql).await,
        }
    }

    async fn prepared(&mut self, sql: &str, sets: &[Vec<Param>]) -> Vec<Json> {
        let mut results = Vec::new();
        for params in sets {
            results.push(self.execute(sql, params).await);
        }
        results
    }

    async fn multi(&mut self, sql: &str) -> Vec<Json> {
        let mut items = Vec::new();
        let mut failure = None;
        {
            let mut stream =
                sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).fetch_many(&mut **self.conn());
            loop {
                match stream.try_next().await {
                    Ok(Some(item)) => items.push(item),
                    Ok(None) => break,
                    Err(e) => {
                        failure = Some(failed(&e));
                        break;
                    }
                }
            }
        }
        let mut results = results_of(items);
        results.extend(failure);
        results
    }

    async fn call(&mut self, name: &str, _target: &Json) -> Json {
        match self.try_call(name).await {
            Ok(true) => json!({"ok": true}),
            Ok(false) => unsupported(),
            Err(e) => failed(&e),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    drivers::run::<Lent>("0.9").await;
}
