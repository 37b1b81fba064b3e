//! What the programs of both Rust drivers share: cases in, one line of JSON per case out; see
//! ../../cases.yaml.

use serde_json::{Value, json};

/// A parameter of the specification.
pub enum Param {
    Null,
    Int(i64),
    UInt(u64),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
    Date(String),
    DateTime(String),
    Time(String),
}

fn blob(size: usize) -> Vec<u8> {
    (0..size).map(|i| (31 * i + (i >> 8)) as u8).collect()
}

fn integer(text: &str) -> Option<Param> {
    let signed = text.parse().map(Param::Int);
    signed.or_else(|_| text.parse().map(Param::UInt)).ok()
}

fn from_hex(digits: &str) -> Vec<u8> {
    (0..digits.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hex digits"))
        .collect()
}

fn typed(kind: &str, value: &Value) -> Param {
    let text = value.as_str().unwrap_or_default().to_owned();
    match kind {
        "integer" => integer(&text).expect("an integer"),
        "blob" => Param::Bytes(blob(value.as_u64().expect("a size") as usize)),
        "hex" => Param::Bytes(from_hex(&text)),
        "date" => Param::Date(text),
        "datetime" => Param::DateTime(text),
        "time" => Param::Time(text),
        _ => Param::Text(text),
    }
}

impl Param {
    fn new(value: &Value) -> Param {
        match value {
            Value::Null => Param::Null,
            Value::Number(n) => {
                let text = n.to_string();
                integer(&text).unwrap_or_else(|| Param::Double(text.parse().expect("a number")))
            }
            Value::Object(map) => {
                let (kind, inner) = map.iter().next().expect("a kind");
                typed(kind, inner)
            }
            other => Param::Text(other.as_str().expect("a text").to_owned()),
        }
    }
}

/// "-838:59:59.5" as sign, hours, minutes, seconds and microseconds.
pub fn time_parts(text: &str) -> (bool, u32, u8, u8, u32) {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let parts: Vec<u32> = clock
        .split(':')
        .map(|p| p.parse().expect("a number"))
        .collect();
    let micros = format!("{fraction:0<6}").parse().expect("a fraction");
    (negative, parts[0], parts[1] as u8, parts[2] as u8, micros)
}

/// A cell for comparison; a long one by length and checksum.
pub fn cell(bytes: &[u8]) -> Value {
    if bytes.len() > 200 {
        return json!(format!("{} bytes, {}", bytes.len(), crc32fast::hash(bytes)));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => json!(text),
        Err(_) => json!(
            bytes
                .iter()
                .fold("hex ".to_owned(), |s, b| s + &format!("{b:02x}"))
        ),
    }
}

pub fn error(errno: u64, state: &str, message: &str) -> Value {
    json!({"error": {"errno": errno, "sqlstate": state, "message": message}})
}

pub fn unsupported() -> Value {
    json!({"unsupported": true})
}

/// One driver's connection.
#[allow(async_fn_in_trait)]
pub trait Session: Sized {
    async fn connect(target: &Value) -> Result<Self, Value>;
    async fn close(self);
    async fn query(&mut self, sql: &str, params: Option<&[Param]>) -> Value;
    async fn prepared(&mut self, sql: &str, sets: &[Vec<Param>]) -> Vec<Value>;
    async fn multi(&mut self, sql: &str) -> Vec<Value>;
    async fn call(&mut self, name: &str, target: &Value) -> Value;
}

fn parameter_sets(step: &Value) -> Vec<Vec<Param>> {
    let sets = step["params"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    sets.iter()
        .map(|set| {
            set.as_array()
                .expect("a list")
                .iter()
                .map(Param::new)
                .collect()
        })
        .collect()
}

async fn run_step<S: Session>(session: &mut S, target: &Value, step: &Value) -> Vec<Value> {
    let sql = step["sql"].as_str().unwrap_or_default();
    let sets = parameter_sets(step);
    match step["op"].as_str() {
        Some("prepared") => session.prepared(sql, &sets).await,
        Some("multi") => session.multi(sql).await,
        Some("query") if sets.is_empty() => vec![session.query(sql, None).await],
        Some("query") => {
            let mut results = Vec::new();
            for params in &sets {
                results.push(session.query(sql, Some(params)).await);
            }
            results
        }
        Some("call") => vec![
            session
                .call(step["name"].as_str().unwrap_or_default(), target)
                .await,
        ],
        _ => vec![unsupported()],
    }
}

async fn run_case<S: Session>(target: &Value, steps: &Value) -> Vec<Vec<Value>> {
    let mut session = match S::connect(target).await {
        Ok(session) => session,
        Err(seen) => return vec![vec![seen]],
    };
    let mut results = Vec::new();
    for step in steps.as_array().expect("steps") {
        results.push(run_step(&mut session, target, step).await);
    }
    session.close().await;
    results
}

/// Runs the job that the command line names.
pub async fn run<S: Session>(version: &str) {
    let path = std::env::args().nth(1).expect("usage: PROGRAM JOB");
    let text = std::fs::read_to_string(path).expect("the job");
    let job: Value = serde_json::from_str(&text).expect("JSON");
    println!("{}", json!({"version": version}));
    for case in job["cases"].as_array().expect("cases") {
        let target = &job["targets"][case["target"].as_str().expect("a target")];
        let results = run_case::<S>(target, &case["steps"]).await;
        println!("{}", json!({"case": case["name"], "steps": results}));
    }
}
