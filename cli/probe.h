/* Does a running sidecar serve? What `mqgate healthcheck` asks once and `mqgate wait` until it
 * does. */
#ifndef MQ_CLI_PROBE_H
#define MQ_CLI_PROBE_H

#include "cli/settings.h"

/* What both commands take; the object of probe_option_rows. */
struct probe_options {
    struct settings settings;
    const char *login; /* the account to log in with; NULL: the greeting is enough */
    bool json;
    uint64_t timeout_ms; /* how long to go on asking; 0: once */
};

/* Reads the command line and asks the first listener of its configuration, at least once and each
 * time for two seconds at most, until that greets or has no connection left for another client;
 * with an account, until it can log in and gets an answer. The exit status. */
int probe_command(const char *help, const struct option_row *own_rows, struct probe_options *o,
                  int argc, char **argv);

#endif
