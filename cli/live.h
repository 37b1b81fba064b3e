/* A session of a running sidecar, for the subcommands that ask it something. */
#ifndef MQ_CLI_LIVE_H
#define MQ_CLI_LIVE_H

#include <mysql.h>

#include "config/config.h"

/* Where and as whom; nothing is owned. */
struct live_target {
    const struct address *address;
    bool tls; /* the listener wants it */
    const char *user, *password;
    unsigned timeout_s; /* of connecting, and of each wait for an answer */
};

/* Fails with MQ_SHARD_DOWN and what stands in the way; *ret is closed by mysql_close(). */
enum err_code live_connect(const struct live_target *t, MYSQL **ret, struct err *reterr);
/* MQ_SHARD_DOWN with the address, the account and what the session says is wrong. */
enum err_code live_failed(const struct live_target *t, MYSQL *mysql, struct err *reterr);
/* The address to connect to: an unspecified one listens everywhere, also on loopback. */
const char *live_host(const struct address *a);

#endif
