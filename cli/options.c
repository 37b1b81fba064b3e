#include "cli/options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "config/suggest.h"

enum { ROWS_MAX = 64, FIRST_CODE = 256 }; /* codes of getopt, one for each row */

struct reading {
    const char *command;
    size_t count;
    const struct option_row *rows[ROWS_MAX];
    void *objects[ROWS_MAX];
    struct option options[ROWS_MAX + 2]; /* and --help, and the end */
    char letters[2 * ROWS_MAX + 4];
};

int options_misused(const char *command, const char *format, ...)
{
    va_list ap;
    fprintf(stderr, "mqgate %s: ", command);
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fprintf(stderr, "\nTry `mqgate %s --help`.\n", command);
    return EXIT_USAGE;
}

static void add_letter(struct reading *r, const struct option_row *row)
{
    size_t len = strlen(r->letters);
    if (row->letter)
        snprintf(r->letters + len, sizeof r->letters - len, "%c%s", row->letter,
                 row->kind == OPTION_IS_FLAG ? "" : ":");
}

static void add_row(struct reading *r, const struct option_row *row, void *object)
{
    if (r->count == ROWS_MAX)
        return;
    r->options[r->count] =
        (struct option){ row->name, row->kind == OPTION_IS_FLAG ? no_argument : required_argument,
                         NULL, FIRST_CODE + (int)r->count };
    r->rows[r->count] = row;
    r->objects[r->count++] = object;
    add_letter(r, row);
}

static void add_groups(struct reading *r, const struct option_group *groups)
{
    strcpy(r->letters, ":h");
    for (; groups->rows; groups++)
        for (const struct option_row *row = groups->rows; row->name; row++)
            add_row(r, row, groups->object);
    r->options[r->count] = (struct option){ "help", no_argument, NULL, 'h' };
}

/* The row of a code or letter; r->count when there is none. */
static size_t find_row(const struct reading *r, int code)
{
    size_t i = 0;
    if (code >= FIRST_CODE)
        return (size_t)(code - FIRST_CODE);
    while (i < r->count && r->rows[i]->letter != code)
        i++;
    return i;
}

static bool take(const struct reading *r, size_t index, const char *value)
{
    const struct option_row *row = r->rows[index];
    char *member = (char *)r->objects[index] + row->offset;
    if (row->kind == OPTION_IS_TAKEN)
        return row->take(r->objects[index], value);
    if (row->kind == OPTION_IS_TEXT)
        *(const char **)(void *)member = value;
    else
        *(bool *)(void *)member = true;
    return true;
}

static int unknown(const struct reading *r, const char *argument)
{
    struct suggestion s;
    if (strncmp(argument, "--", 2) != 0)
        return options_misused(r->command, "unknown option -%c", optopt);
    suggest_init(&s, argument + 2);
    for (size_t i = 0; i < r->count; i++)
        suggest_offer(&s, r->rows[i]->name);
    return s.best ? options_misused(r->command, "unknown option %s (did you mean --%s?)", argument,
                                    s.best)
                  : options_misused(r->command, "unknown option %s", argument);
}

static int take_all(const struct reading *r, const char *help, int argc, char **argv)
{
    int code;
    optind = 0; /* glibc: start anew */
    opterr = 0; /* the messages are ours */
    while ((code = getopt_long(argc, argv, r->letters, r->options, NULL)) != -1) {
        if (code == 'h') {
            fputs(help, stdout);
            return EXIT_DONE;
        }
        if (code == ':')
            return options_misused(r->command, "a value is missing behind %s", argv[optind - 1]);
        size_t index = code == '?' ? r->count : find_row(r, code);
        if (index == r->count)
            return unknown(r, argv[optind - 1]);
        if (!take(r, index, optarg))
            return options_misused(r->command, "--%s does not take %s", r->rows[index]->name,
                                   optarg);
    }
    return -1;
}

int options_read(const struct option_group *groups, const char *help, int argc, char **argv,
                 struct arguments *ret)
{
    struct reading r = { .command = argv[0] };
    add_groups(&r, groups);
    int status = take_all(&r, help, argc, argv);
    *ret = (struct arguments){ argv + optind, argc - optind };
    return status;
}
