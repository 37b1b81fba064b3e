/* mqgate errors: the catalogue, for people and for docs/errors.md, which is its output. */
#include <stdio.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/options.h"

static const char help[] = "usage: mqgate errors [--markdown] [MQnnnn]\n"
                           "\n"
                           "Prints what an error of mqgate means and what to do about it.\n"
                           "\n"
                           "      --markdown   the whole catalogue as docs/errors.md\n"
                           "\n"
                           "  mqgate errors MQ3001\n";

static const char *const chapters[] = {
    [1] = "Start and configuration", [2] = "Statements", [3] = "Tenants and routing",
    [4] = "Sessions and commands",   [5] = "Shards",     [6] = "Limits",
    [9] = "mqgate itself",
};

static void print_markdown(void)
{
    size_t count;
    unsigned chapter = 0;
    const struct err_info *rows = err_catalogue(&count);
    puts(
        "# Errors\n\n"
        "Made by `mqgate errors --markdown`; edit `base/errors.def` instead.\n\n"
        "Every error that mqgate makes begins with its number (`MQ3001: …`) and carries an errno "
        "and\n"
        "an SQLSTATE that existing retry logic understands. Errors without a number come from the\n"
        "shard, unchanged.");
    for (size_t i = 0; i < count; i++) {
        if ((unsigned)rows[i].code / 1000 != chapter) {
            chapter = (unsigned)rows[i].code / 1000;
            printf("\n## %s\n\n| number | errno, SQLSTATE | meaning | what to do "
                   "|\n|---|---|---|---|\n",
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

static int print_all(void)
{
    size_t count;
    const struct err_info *rows = err_catalogue(&count);
    for (size_t i = 0; i < count; i++)
        printf("MQ%04d  %4u %s  %s\n", (int)rows[i].code, rows[i].mysql_errno, rows[i].sqlstate,
               rows[i].summary);
    return EXIT_DONE;
}

struct errors_options {
    bool markdown;
};

static const struct option_row option_rows[] = {
    OPTION_FLAG("markdown", 0, struct errors_options, markdown),
    OPTION_END,
};

int cmd_errors(int argc, char **argv)
{
    struct errors_options o = { 0 };
    const struct option_group groups[] = { { option_rows, &o }, { NULL, NULL } };
    struct arguments names;
    int status = options_read(groups, help, argc, argv, &names);
    if (status >= 0)
        return status;
    if (names.count > 1 || (names.count && o.markdown))
        return options_misused(argv[0], "unexpected argument %s", names.items[names.count - 1]);
    if (o.markdown) {
        print_markdown();
        return EXIT_DONE;
    }
    return names.count ? print_one(names.items[0]) : print_all();
}
