/* The running sidecar: main thread, workers, placement. */
#ifndef MQ_PROXY_SERVER_H
#define MQ_PROXY_SERVER_H

#include "config/config.h"

/* Serves until SIGTERM or SIGINT and returns the exit status: 0 after an orderly end, 1 when
 * it could not start (the reasons are on standard error). SIGHUP reads the configuration, the
 * VSchema and the tenants anew. */
int server_run(const char *config_path, const struct config_overrides *overrides);

#endif
