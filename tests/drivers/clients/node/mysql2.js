// mysql2: connections come from its pool.
'use strict';

const fs = require('fs');
const mysql = require('mysql2/promise');
const { main, resultOf, versionOf } = require('./client');

function options(target) {
  return {
    ...(target.socket ? { socketPath: target.socket } : { host: target.host, port: target.port }),
    user: target.user,
    password: target.password,
    database: target.database,
    connectionLimit: 1,
    multipleStatements: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
    rowsAsArray: true,
    compress: target.compress,
    ssl: target.tls ? { ca: fs.readFileSync(target.tls.ca) } : undefined,
  };
}

main({
  version: versionOf('mysql2'),

  // A connection of ours is {pool, lent}.
  async connect(target) {
    const pool = mysql.createPool(options(target));
    return { pool, lent: await pool.getConnection() };
  },
  async close({ pool, lent }) {
    lent.release();
    await pool.end();
  },
  async query({ lent }, sql, params) {
    return resultOf((await lent.query(sql, params))[0]);
  },
  async prepared({ lent }, sql, params) {
    return resultOf((await lent.execute(sql, params))[0]);
  },
  async multi({ lent }, sql) {
    const [answers] = await lent.query(sql);
    return answers.map(resultOf);
  },
  begin: ({ lent }) => lent.beginTransaction(),
  commit: ({ lent }) => lent.commit(),
  rollback: ({ lent }) => lent.rollback(),
  ping: ({ lent }) => lent.ping(),
  change_user: ({ lent }, { user, password, database }) => lent.changeUser({ user, password, database }),
  reset: ({ lent }) => lent.reset(),
  async pool(connection) {
    await connection.lent.rollback();
    connection.lent.release();
    connection.lent = await connection.pool.getConnection();
  },
});
