/* mqgate run: serve until a signal says otherwise. */
#include "cli/commands.h"
#include "cli/settings.h"
#include "proxy/server.h"

static const char help[] =
    "usage: mqgate run [-c FILE] [--set PATH=VALUE]...\n"
    "\n"
    "Serves the queue tables of FILE's keyspace to MySQL clients.\n"
    "\n"
    "  -c, --config FILE     the configuration (default: $MQGATE_CONFIG, else mqgate.yaml)\n"
    "      --set PATH=VALUE  overrides one setting, e.g. --set log.level=debug\n"
    "\n"
    "A flag goes over the environment (MQGATE_LOG_LEVEL=debug, MQ_TENANTS=a,b), which goes over\n"
    "the file. SIGHUP reads configuration, VSchema and tenants anew; SIGTERM lets statements and\n"
    "transactions end, then exits with 0.\n"
    "\n"
    "  mqgate run -c /etc/mqgate.yaml\n"
    "  MQ_TENANTS=monorepo,docs mqgate run -c mqgate.yaml --set listen=127.0.0.1:3307\n";

int cmd_run(int argc, char **argv)
{
    struct settings settings;
    int status = settings_read(help, argc, argv, &settings);
    if (status >= 0)
        return status;
    struct config_overrides overrides = settings_overrides(&settings);
    return server_run(settings_path(&settings), &overrides);
}
