/* mqgate wait: until a sidecar serves. For what must not start before it. */
#include "cli/commands.h"
#include "cli/probe.h"
#include "config/scalar.h"

static const char help[] =
    "Usage: mqgate wait [-c FILE] [--set PATH=VALUE]... [--timeout TIME] [--login USER] [--json]\n"
    "\n"
    "Waits until the sidecar of FILE serves: asks its first listener, as `mqgate healthcheck`\n"
    "does, until that greets.\n"
    "\n"
    "Options:\n"
    "      --timeout TIME     give up after this time, such as 500ms, 90s or 5m (default 60s)\n"
    "      --login USER       until this account of FILE can log in and gets an answer\n"
    "      --json             print for programs: ok, address, milliseconds, error\n"
    "  -c, --config FILE      configuration (default: $MQGATE_CONFIG, else mqgate.yaml)\n"
    "      --set PATH=VALUE   a setting in place of the file's and the environment's\n"
    "\n"
    "Example:\n"
    "  mqgate wait -c mqgate.yaml --login app && exec my-service\n"
    "\n"
    "Exit status: 0 it serves, 1 it did not in time or FILE has faults, 2 wrong usage.\n";

static bool take_timeout(void *object, const char *value)
{
    struct probe_options *o = object;
    return scalar_duration(value, &o->timeout_ms);
}

static const struct option_row option_rows[] = {
    OPTION_TAKE("timeout", 0, take_timeout),
    OPTION_END,
};

int cmd_wait(int argc, char **argv)
{
    struct probe_options o = { .timeout_ms = 60000 };
    return probe_command(help, option_rows, &o, argc, argv);
}
