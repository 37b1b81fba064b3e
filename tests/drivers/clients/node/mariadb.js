// MariaDB's connector for Node: connections come from its pool, which resets them.
'use strict';

const fs = require('fs');
const mariadb = require('mariadb');
const { main, resultOf, versionOf } = require('./client');

function options(target) {
  return {
    ...(target.socket ? { socketPath: target.socket } : { host: target.host, port: target.port }),
    user: target.user,
    password: target.password,
    database: target.database,
    connectionLimit: 1,
    minimumIdle: 1,
    resetAfterUse: true,
    allowPublicKeyRetrieval: true,
    multipleStatements: true,
    dateStrings: true,
    rowsAsArray: true,
    compress: target.compress,
    maxAllowedPacket: 64 << 20,
    ssl: target.tls ? { ca: fs.readFileSync(target.tls.ca) } : false,
  };
}

main({
  version: versionOf('mariadb'),

  // A connection of ours is {pool, lent}.
  async connect(target) {
    const pool = mariadb.createPool(options(target));
    try {
      return { pool, lent: await pool.getConnection() };
    } catch (error) {
      await pool.end();
      throw error;
    }
  },
  async close({ pool, lent }) {
    await lent.release();
    await pool.end();
  },
  async query({ lent }, sql, params) {
    return resultOf(await lent.query(sql, params));
  },
  async prepared({ lent }, sql, params) {
    return resultOf(await lent.execute(sql, params));
  },
  async multi({ lent }, sql) {
    return (await lent.query(sql)).map(resultOf);
  },
  begin: ({ lent }) => lent.beginTransaction(),
  commit: ({ lent }) => lent.commit(),
  rollback: ({ lent }) => lent.rollback(),
  ping: ({ lent }) => lent.ping(),
  change_user: ({ lent }, { user, password, database }) => lent.changeUser({ user, password, database }),
  reset: ({ lent }) => lent.reset(),
  async pool(connection) {
    await connection.lent.release();
    connection.lent = await connection.pool.getConnection();
  },
});
