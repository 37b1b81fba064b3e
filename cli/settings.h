/* What every subcommand that reads a configuration does with it: --set and the environment
 * override it, and what is wrong with it is said in one way. */
#ifndef MQ_CLI_SETTINGS_H
#define MQ_CLI_SETTINGS_H

#include "cli/options.h"
#include "config/config.h"

enum { SETTINGS_MAX = 64 };

/* What the command line says of a configuration. */
struct settings {
    const char *config;                  /* its file; NULL: the usual one */
    const char *items[SETTINGS_MAX + 1]; /* NULL-terminated "path=value" */
    size_t count;
};

/* -c, --config and --set; their object is a struct settings. */
extern const struct option_row settings_option_rows[];
/* The command line of a subcommand that takes nothing else; < 0, or the status to exit with. */
int settings_read(const char *help, int argc, char **argv, struct settings *ret);
/* The configuration to read: the one given, else $MQGATE_CONFIG, else mqgate.yaml. */
const char *settings_path(const struct settings *s);
/* False when there are too many or it has no '='. */
bool settings_add(struct settings *s, const char *setting);
/* The environment of the process and the settings; valid as long as s. */
struct config_overrides settings_overrides(const struct settings *s);
/* Reads the configuration; prints every fault to standard error and gives NULL. */
struct config *settings_load(const struct settings *s);

#endif
