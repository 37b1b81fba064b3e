/* mqgate healthcheck: does a sidecar serve at this moment? For the probes of containers. */
#include "cli/commands.h"
#include "cli/probe.h"

static const char help[] =
    "Usage: mqgate healthcheck [-c FILE] [--set PATH=VALUE]... [--login USER] [--json]\n"
    "\n"
    "Connects to the first listener of FILE and waits up to two seconds for its greeting. A\n"
    "sidecar whose connections are all in use counts as healthy: it is busy, not broken.\n"
    "\n"
    "Options:\n"
    "      --login USER       and log in as this account of FILE, and get an answer; for a\n"
    "                         readiness probe\n"
    "      --json             print for programs: ok, address, milliseconds, error\n"
    "  -c, --config FILE      configuration (default: $MQGATE_CONFIG, else mqgate.yaml)\n"
    "      --set PATH=VALUE   a setting in place of the file's and the environment's\n"
    "\n"
    "Nothing is asked of the shards: when one is down, restarting its sidecars would not help.\n"
    "\n"
    "Example:\n"
    "  HEALTHCHECK CMD [\"mqgate\", \"healthcheck\", \"-c\", \"/etc/mqgate/mqgate.yaml\"]\n"
    "\n"
    "Exit status: 0 it serves, 1 it does not or FILE has faults, 2 wrong usage.\n";

int cmd_healthcheck(int argc, char **argv)
{
    struct probe_options o = { .timeout_ms = 0 };
    return probe_command(help, NULL, &o, argc, argv);
}
