/* mqgate: one binary, one subcommand each. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    { "run", cmd_run, "serve" },
    { "check", cmd_check, "check a configuration and say everything that is wrong with it" },
    { "explain", cmd_explain, "show what happens to a statement, and why" },
    { "lint", cmd_lint, "judge the statements of scripts and logs" },
    { "schema", cmd_schema, "print the legacy tables, the tenant tables, the VSchema" },
    { "tenants", cmd_tenants, "say where tenants live, place them, check the shards" },
    { "errors", cmd_errors, "print the error catalogue" },
    { "healthcheck", cmd_healthcheck, "exit 0 if a sidecar serves" },
    { "wait", cmd_wait, "wait until a sidecar serves" },
    { "version", cmd_version, "print the version" },
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void usage(FILE *out)
{
    fprintf(out, "mqgate lets services keep their queue's SQL while its tables are sharded by tenant.\n"
                 "\n"
                 "usage: mqgate COMMAND [options]      (each command knows --help)\n"
                 "\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].summary);
    fprintf(out, "\n"
                 "A first try:\n"
                 "  mqgate check -c mqgate.yaml\n"
                 "  mqgate run -c mqgate.yaml\n"
                 "  mqgate explain -c mqgate.yaml --database queue@tenant \\\n"
                 "      \"SELECT DISTINCT partition_key FROM queue_messages WHERE topic = 'builds'\"\n"
                 "\n"
                 "exit status: 0 done, 1 a fault was found or met, 2 the command line is not understood\n");
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0)
        return cmd_version(1, argv + 1);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "mqgate: there is no command '%s'; `mqgate --help` lists them\n", argv[1]);
    return EXIT_USAGE;
}
