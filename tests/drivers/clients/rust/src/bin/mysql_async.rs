//! mysql_async, connections lent by its pool.

use drivers::{Param, Session, cell, error, time_parts, unsupported};
use mysql_async::prelude::*;
use mysql_async::{
    BinaryProtocol, ChangeUserOpts, Conn, Error, OptsBuilder, Params, Pool, QueryResult, Row,
    Compression, SslOpts, Value, prelude::Protocol,
};
use serde_json::{Value as Json, json};

struct Lent {
    pool: Pool,
    conn: Option<Conn>,
}

fn failed(e: &Error) -> Json {
    match e {
        Error::Server(e) => error(e.code.into(), &e.state, &e.message),
        other => error(0, "", &other.to_string()),
    }
}

fn bound(param: &Param) -> Value {
    match param {
        Param::Null => Value::NULL,
        Param::Int(i) => Value::Int(*i),
        Param::UInt(u) => Value::UInt(*u),
        Param::Double(d) => Value::Double(*d),
        Param::Text(text) => Value::Bytes(text.clone().into_bytes()),
        Param::Bytes(bytes) => Value::Bytes(bytes.clone()),
        Param::Date(text) | Param::DateTime(text) => date(text),
        Param::Time(text) => {
            let (negative, hours, minutes, seconds, micros) = time_parts(text);
            Value::Time(
                negative,
                hours / 24,
                (hours % 24) as u8,
                minutes,
                seconds,
                micros,
            )
        }
    }
}

fn date(text: &str) -> Value {
    let (day, clock) = text.split_once(' ').unwrap_or((text, "0:0:0"));
    let d: Vec<u16> = day
        .split('-')
        .map(|p| p.parse().expect("a number"))
        .collect();
    let (_, hours, minutes, seconds, micros) = time_parts(clock);
    Value::Date(
        d[0],
        d[1] as u8,
        d[2] as u8,
        hours as u8,
        minutes,
        seconds,
        micros,
    )
}

fn bound_all(params: &[Param]) -> Params {
    match params {
        [] => Params::Empty,
        _ => Params::Positional(params.iter().map(bound).collect()),
    }
}

fn shown(value: &Value) -> Json {
    match value {
        Value::NULL => Json::Null,
        Value::Bytes(bytes) => cell(bytes),
        other => cell(other.as_sql(true).trim_matches('\'').as_bytes()),
    }
}

fn columns_of(row: &Row) -> Json {
    let columns = row.columns_ref().iter();
    columns
        .map(|c| format!("{} {:?}", c.name_str(), c.column_type()))
        .collect::<Vec<_>>()
        .into()
}

/// The current one of the results; the next one stands there afterwards.
async fn current<P: Protocol>(result: &mut QueryResult<'_, 'static, P>) -> Json {
    let (affected, id) = (result.affected_rows(), result.last_insert_id());
    let has_rows = result.columns_ref().len() > 0;
    match result.collect::<Row>().await {
        Err(e) => failed(&e),
        Ok(_) if !has_rows => json!({"affected": affected, "id": id}),
        Ok(rows) => {
            let types = rows.first().map(columns_of);
            let cells = rows.into_iter().map(|row| row.unwrap_raw());
            let cells: Vec<Vec<Json>> = cells
                .map(|row| {
                    row.iter()
                        .map(|v| v.as_ref().map_or(Json::Null, shown))
                        .collect()
                })
                .collect();
            json!({"rows": cells, "types": types})
        }
    }
}

impl Lent {
    fn conn(&mut self) -> &mut Conn {
        self.conn.as_mut().expect("a connection")
    }

    async fn execute(&mut self, sql: &str, params: &[Param]) -> Json {
        let result = self.conn().exec_iter(sql, bound_all(params)).await;
        match result {
            Ok(mut result) => current::<BinaryProtocol>(&mut result).await,
            Err(e) => failed(&e),
        }
    }

    async fn try_call(&mut self, name: &str, target: &Json) -> Result<bool, Error> {
        match name {
            "begin" => self.conn().query_drop("START TRANSACTION").await?,
            "commit" => self.conn().query_drop("COMMIT").await?,
            "rollback" => self.conn().query_drop("ROLLBACK").await?,
            "ping" => self.conn().ping().await?,
            "reset" => return self.conn().reset().await,
            "change_user" => {
                let options = ChangeUserOpts::new()
                    .with_user(target["user"].as_str().map(str::to_owned))
                    .with_pass(target["password"].as_str().map(str::to_owned))
                    .with_db_name(target["database"].as_str().map(str::to_owned));
                self.conn().change_user(options).await?
            }
            "pool" => {
                drop(self.conn.take());
                self.conn = Some(self.pool.get_conn().await?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn options(target: &Json) -> OptsBuilder {
    let ssl = target["tls"]["ca"]
        .as_str()
        .map(|ca| SslOpts::default().with_root_certs(vec![std::path::PathBuf::from(ca).into()]));
    OptsBuilder::default()
        .ip_or_hostname(target["host"].as_str().expect("a host"))
        .tcp_port(target["port"].as_u64().expect("a port") as u16)
        .socket(target["socket"].as_str())
        .prefer_socket(false)
        .user(target["user"].as_str())
        .pass(target["password"].as_str())
        .db_name(target["database"].as_str())
        .max_allowed_packet(Some(64 << 20))
        .compression(target["compress"].as_bool().unwrap_or(false).then(Compression::fast))
        .ssl_opts(ssl)
}

impl Session for Lent {
    async fn connect(target: &Json) -> Result<Self, Json> {
        let pool = Pool::new(options(target));
        match pool.get_conn().await {
            Ok(conn) => Ok(Lent {
                pool,
                conn: Some(conn),
            }),
            Err(e) => Err(failed(&e)),
        }
    }

    async fn close(mut self) {
        drop(self.conn.take());
        let _ = self.pool.disconnect().await;
    }

    /// It does not put parameters into a text: with some, the statement is prepared.
    async fn query(&mut self, sql: &str, params: Option<&[Param]>) -> Json {
        if let Some(params) = params {
            return self.execute(sql, params).await;
        }
        let result = self.conn().query_iter(sql).await;
        match result {
            Ok(mut result) => current(&mut result).await,
            Err(e) => failed(&e),
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
        let mut results = Vec::new();
        match self.conn().query_iter(sql).await {
            Err(e) => results.push(failed(&e)),
            Ok(mut result) => {
                while !result.is_empty() {
                    results.push(current(&mut result).await);
                }
            }
        }
        results
    }

    async fn call(&mut self, name: &str, target: &Json) -> Json {
        match self.try_call(name, target).await {
            Ok(true) => json!({"ok": true}),
            Ok(false) => unsupported(),
            Err(e) => failed(&e),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    drivers::run::<Lent>("0.37").await;
}
