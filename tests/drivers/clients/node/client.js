// What the programs of the Node drivers share: cases in, one line of JSON per case out.
// A program calls main() with an object of functions; see ../../cases.yaml for cases and values.
'use strict';

const fs = require('fs');
const zlib = require('zlib');

function blob(size) {
  const block = Buffer.alloc(65536);
  for (let i = 0; i < block.length; i++) block[i] = (31 * i + (i >> 8)) & 255;
  return Buffer.alloc(size, block);
}

const readers = {
  integer: BigInt,
  decimal: String,
  date: String,
  datetime: String,
  time: String,
  hex: (text) => Buffer.from(text, 'hex'),
  blob,
};

// A parameter of the specification as a value of JavaScript.
function valueOf(param) {
  if (param === null || typeof param !== 'object') return param;
  const [[kind, value]] = Object.entries(param);
  return readers[kind](value);
}

function versionOf(name) {
  return JSON.parse(fs.readFileSync(`${__dirname}/node_modules/${name}/package.json`, 'utf8')).version;
}

// A value as the driver gave it, for comparison; long ones by length and checksum.
function textOf(value) {
  if (value === null || value === undefined) return null;
  let raw = Buffer.isBuffer(value) ? value : null;
  let text = raw ? raw.toString('utf8') : String(value);
  if (typeof value === 'object' && !raw && !(value instanceof Date)) text = JSON.stringify(value);
  if (raw && !raw.equals(Buffer.from(text, 'utf8'))) text = 'hex ' + raw.toString('hex');
  if (text.length <= 200) return text;
  raw = raw || Buffer.from(text, 'utf8');
  return `${raw.length} bytes, ${zlib.crc32(raw)}`;
}

// What a driver answered: rows as arrays, or an object that tells of a change.
function resultOf(answer) {
  if (Array.isArray(answer)) return { rows: answer.map((row) => row.map(textOf)) };
  return { affected: answer.affectedRows, id: String(answer.insertId), warnings: answer.warningStatus };
}

function errorOf(error) {
  if (error.errno === undefined) throw error;
  return { error: { errno: error.errno, sqlstate: error.sqlState, message: error.sqlMessage || error.message } };
}

async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    return errorOf(error);
  }
}

async function runStep(driver, connection, target, step) {
  if (step.op === 'call') {
    const done = await attempt(() => driver[step.name](connection, target));
    return [done && done.error ? done : { ok: true }];
  }
  if (step.op === 'multi') {
    const done = await attempt(() => driver.multi(connection, step.sql));
    return Array.isArray(done) ? done : [done];
  }
  const results = [];
  for (const params of step.params || [undefined]) {
    const values = params && params.map(valueOf);
    results.push(await attempt(() => driver[step.op](connection, step.sql, values)));
  }
  return results;
}

async function runCase(driver, target, steps) {
  let connection;
  try {
    connection = await driver.connect(target);
  } catch (error) {
    return [[errorOf(error)]];
  }
  const results = [];
  for (const step of steps) results.push(await runStep(driver, connection, target, step));
  await driver.close(connection);
  return results;
}

async function main(driver) {
  const job = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
  console.log(JSON.stringify({ version: driver.version }));
  for (const { name, target, steps } of job.cases) {
    const results = await runCase(driver, job.targets[target], steps);
    console.log(JSON.stringify({ case: name, steps: results }));
  }
}

module.exports = { main, resultOf, versionOf };
