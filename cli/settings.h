/* What every subcommand that reads a configuration does with it: --set and the environment
 * override it, and what is wrong with it is said in one way. */
#ifndef MQ_CLI_SETTINGS_H
#define MQ_CLI_SETTINGS_H

#include "config/config.h"

enum { SETTINGS_MAX = 64 };

struct settings {
    const char *items[SETTINGS_MAX + 1]; /* NULL-terminated "path=value" */
    size_t count;
};

/* The configuration to read: the one given, else $MQGATE_CONFIG, else mqgate.yaml. */
const char *settings_path(const char *given);
/* False, with a message, when there are too many or it has no '='. */
bool settings_add(struct settings *s, const char *setting);
/* The environment of the process and the settings; valid as long as s. */
struct config_overrides settings_overrides(const struct settings *s);
/* Reads the configuration; prints every fault to standard error and gives NULL. */
struct config *settings_load(const struct settings *s, const char *path);

#endif
