#!/bin/sh
# Does with PORT, KEYSPACES, NUM_SHARDS, MYSQL_BIND_HOST and /vt/schema what the official image does, as
# far as docker-compose.yml uses it: one keyspace of two shards. vtgate listens on PORT + 3.
set -eu

socket=/var/run/mysqld/mysqld.sock
mysql_port=$((PORT + 3))
[ "$NUM_SHARDS" = 2 ] || exit 2

# vtgate asks for mysql_native_password, a plug-in of the client that /etc/my.cnf names.
vtgate() { mysql --user=root --host=127.0.0.1 --port=$mysql_port "$@"; }

docker-entrypoint.sh --skip-networking --performance-schema=OFF &
until mysqladmin --no-defaults --user=root --socket=$socket --silent ping 2>/dev/null; do
    kill -0 $! || exit 1
    sleep 0.1
done
setpriv --reuid=mysql --regid=mysql --clear-groups /vt/bin/vtcombo \
    --mysql-server-port=$mysql_port --mysql-server-bind-address="$MYSQL_BIND_HOST" \
    --mysql-auth-server-impl=none --port="$PORT" --grpc-port=$((PORT + 1)) \
    --service-map=grpc-vtgateservice,grpc-vtctl,grpc-vtctld --schema-dir=/vt/schema \
    --json-topo="{\"cells\": [\"test\"], \"keyspaces\": [{\"name\": \"$KEYSPACES\", \"replicaCount\": 1,
        \"shards\": [{\"name\": \"-80\"}, {\"name\": \"80-\"}]}]}" \
    --db-socket=$socket --db-charset=utf8mb4 --db-app-user=root --db-dba-user=root \
    --db-allprivs-user=root --db-appdebug-user=root --db-filtered-user=root --db-repl-user=root \
    --mycnf-server-id=1 --mycnf-socket-file=$socket --dbddl-plugin=vttest --foreign-key-mode=allow \
    --vschema-ddl-authorized-users=% &
server=$!
trap 'kill $server; mysqladmin --no-defaults --user=root --socket=$socket shutdown; wait' TERM INT
until [ "$(vtgate --execute='SHOW VITESS_TABLETS' 2>/dev/null |
    grep -c 'PRIMARY.*SERVING')" = 2 ]; do
    kill -0 $server || exit 1
    sleep 0.5
done
for file in /vt/schema/"$KEYSPACES"/*.sql; do
    vtgate "$KEYSPACES" <"$file"
done
wait $server
