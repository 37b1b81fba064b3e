/* The command line of a subcommand: options are rows of tables, so that commands share them and
 * say what is wrong in one way. Options may stand anywhere; `--` ends them. */
#ifndef MQ_CLI_OPTIONS_H
#define MQ_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct option_row {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* 0: none */
    enum { OPTION_IS_FLAG, OPTION_IS_TEXT, OPTION_IS_TAKEN } kind;
    size_t offset; /* of the bool or the const char * in the object */
    /* For values with a form of their own; false when it is not understood. */
    bool (*take)(void *object, const char *value);
};

#define OPTION_FLAG(name, letter, type, member)                    \
    {                                                              \
        name, letter, OPTION_IS_FLAG, offsetof(type, member), NULL \
    }
#define OPTION_TEXT(name, letter, type, member)                    \
    {                                                              \
        name, letter, OPTION_IS_TEXT, offsetof(type, member), NULL \
    }
#define OPTION_TAKE(name, letter, take)        \
    {                                          \
        name, letter, OPTION_IS_TAKEN, 0, take \
    }
#define OPTION_END                       \
    {                                    \
        NULL, 0, OPTION_IS_FLAG, 0, NULL \
    }

/* A table and the object that its options are kept in. */
struct option_group {
    const struct option_row *rows; /* NULL ends the groups */
    void *object;
};

struct arguments {
    char **items; /* those that are no options, in their order */
    int count;
};

/* Reads argv behind argv[0], the subcommand's name. --help and -h print the help. -1 to go on,
 * else the exit status; what was wrong has been said. */
int options_read(const struct option_group *groups, const char *help, int argc, char **argv,
                 struct arguments *ret);

/* Says what is wrong with the command line; EXIT_USAGE. */
int options_misused(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
