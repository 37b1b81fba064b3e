/* mqgate errors: the catalogue, for people and for docs/errors.md, which is its output. */
#include <getopt.h>
#include <stdio.h>

#include "base/error.h"
#include "cli/commands.h"

static const char help[] =
    "usage: mqgate errors [--markdown] [MQnnnn]\n"
    "\n"
    "Prints what an error of mqgate means and what to do about it.\n"
    "\n"
    "      --markdown   the whole catalogue as docs/errors.md\n"
    "\n"
    "  mqgate errors MQ3001\n";

static const char *const chapters[] = {
    [1] = "Start and configuration", [2] = "Statements",         [3] = "Tenants and routing",
    [4] = "Sessions and commands",   [5] = "Shards",             [6] = "Limits",
    [9] = "mqgate itself",
};

static void print_markdown(void)
{
    size_t count;
    unsigned chapter = 0;
    const struct err_info *rows = err_catalogue(&count);
    puts("# Errors\n\n"
         "Made by `mqgate errors --markdown`; edit `base/errors.def` instead.\n\n"
         "Every error that mqgate makes begins with its number (`MQ3001: …`) and carries an errno and\n"
         "an SQLSTATE that existing retry logic understands. Errors without a number come from the\n"
         "shard, unchanged.");
    for (size_t i = 0; i < count; i++) {
        if ((unsigned)rows[i].code / 1000 != chapter) {
            chapter = (unsigned)rows[i].code / 1000;
            printf("\n## %s\n\n| number | errno, SQLSTATE | meaning | what to do |\n|---|---|---|---|\n",
                   chapters[chapter]);
        }
        printf("| MQ%04d | %u, %s | %s | %s |\n", (int)rows[i].code, rows[i].mysql_errno,
               rows[i].sqlstate, rows[i].summary, rows[i].remedy);
    }
}

static int print_one(const char *name)
{
    unsigned number;
    if (sscanf(name, "MQ%u", &number) != 1 && sscanf(name, "%u", &number) != 1)
        number = 0;
    const struct err_info *info = err_info((enum err_code)number);
    if ((unsigned)info->code != number) {
        fprintf(stderr, "there is no error '%s'; `mqgate errors` lists them\n", name);
        return EXIT_FAULT;
    }
    printf("MQ%04d  errno %u, SQLSTATE %s\n  %s\n  %s\n", (int)info->code, info->mysql_errno,
           info->sqlstate, info->summary, info->remedy);
    return EXIT_DONE;
}

int cmd_errors(int argc, char **argv)
{
    static const struct option options[] = {
        { "markdown", no_argument, NULL, 'm' },
        { "help", no_argument, NULL, 'h' },
        { 0 },
    };
    int option;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option == 'm') {
            print_markdown();
            return EXIT_DONE;
        }
        fputs(help, option == 'h' ? stdout : stderr);
        return option == 'h' ? EXIT_DONE : EXIT_USAGE;
    }
    if (optind < argc)
        return print_one(argv[optind]);
    size_t count;
    const struct err_info *rows = err_catalogue(&count);
    for (size_t i = 0; i < count; i++)
        printf("MQ%04d  %4u %s  %s\n", (int)rows[i].code, rows[i].mysql_errno, rows[i].sqlstate,
               rows[i].summary);
    return EXIT_DONE;
}
