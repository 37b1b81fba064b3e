/* The subcommands: one file each, cli/cmd_<name>.c. argv[0] is the subcommand's name.
 * Exit codes: 0 done, 1 it found or met a fault, 2 the command line is not understood. */
#ifndef MQ_CLI_COMMANDS_H
#define MQ_CLI_COMMANDS_H

enum { EXIT_DONE = 0, EXIT_FAULT = 1, EXIT_USAGE = 2 };

int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_lint(int argc, char **argv);
int cmd_schema(int argc, char **argv);
int cmd_tenants(int argc, char **argv);
int cmd_errors(int argc, char **argv);
int cmd_healthcheck(int argc, char **argv);
int cmd_wait(int argc, char **argv);
int cmd_version(int argc, char **argv);

#endif
