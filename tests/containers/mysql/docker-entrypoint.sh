#!/bin/sh
# Does with the environment and with /docker-entrypoint-initdb.d what the official image does, as
# far as docker-compose.yml uses it. The arguments are options of the server.
set -eu

share=/opt/mysql/usr/share/mysql
socket=/var/run/mysqld/mysqld.sock

serve() {
    exec mysqld --no-defaults --user=mysql --datadir=/var/lib/mysql --socket=$socket \
        --lc-messages-dir=$share --character-sets-dir=$share/charsets --mysqlx=OFF --secure-file-priv= \
        --innodb-redo-log-capacity=16M "$@"
}

as_root() { mysql --no-defaults --user=root --socket=$socket "$@"; }

set_up() {
    (serve --skip-networking) &
    until mysqladmin --no-defaults --socket=$socket --silent ping 2>/dev/null; do
        kill -0 $! || exit 1
        sleep 0.1
    done
    as_root -e "
        CREATE DATABASE \`$MYSQL_DATABASE\`;
        CREATE USER '$MYSQL_USER'@'%' IDENTIFIED BY '$MYSQL_PASSWORD';
        GRANT ALL ON \`$MYSQL_DATABASE\`.* TO '$MYSQL_USER'@'%';"
    for file in /docker-entrypoint-initdb.d/*.sql; do
        as_root "$MYSQL_DATABASE" <"$file"
    done
    as_root -e "
        CREATE USER root@'%' IDENTIFIED BY '$MYSQL_ROOT_PASSWORD';
        GRANT ALL ON *.* TO root@'%' WITH GRANT OPTION;
        ALTER USER root@localhost IDENTIFIED BY '$MYSQL_ROOT_PASSWORD';
        SHUTDOWN;"
    wait $!
}

# Without a root password there is nothing to set up: the image is being built, or is another's base.
if [ -n "${MYSQL_ROOT_PASSWORD:-}" ] && [ ! -e /var/lib/mysql/set-up ]; then
    set_up
    touch /var/lib/mysql/set-up
fi
serve "$@"
