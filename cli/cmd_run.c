/* mqgate run: serve until a signal says otherwise. */
#include <getopt.h>
#include <stdio.h>

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
    static const struct option options[] = {
        { "config", required_argument, NULL, 'c' },
        { "set", required_argument, NULL, 's' },
        { "help", no_argument, NULL, 'h' },
        { 0 },
    };
    struct settings settings = { 0 };
    const char *path = NULL;
    int option;
    while ((option = getopt_long(argc, argv, "c:h", options, NULL)) != -1) {
        switch (option) {
        case 'c':
            path = optarg;
            break;
        case 's':
            if (!settings_add(&settings, optarg))
                return EXIT_USAGE;
            break;
        case 'h':
            fputs(help, stdout);
            return EXIT_DONE;
        default:
            fputs("`mqgate run --help` tells the options\n", stderr);
            return EXIT_USAGE;
        }
    }
    if (optind < argc) {
        fputs("mqgate run takes no arguments\n", stderr);
        return EXIT_USAGE;
    }
    struct config_overrides overrides = settings_overrides(&settings);
    return server_run(settings_path(path), &overrides);
}
