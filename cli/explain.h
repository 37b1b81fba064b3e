/* What `mqgate explain` found out, and its two ways of saying it. */
#ifndef MQ_CLI_EXPLAIN_H
#define MQ_CLI_EXPLAIN_H

#include "cli/planning.h"

enum { PARAMS_MAX = 256 };

struct explain_options {
    struct planning_options planning;
    const char *file, *sql;
    bool prepared, tree, json;
    struct param_value params[PARAMS_MAX];
    char numbers[PARAMS_MAX][8]; /* the bytes of those that are numbers */
    uint32_t param_count;
};

/* Everything that planning needs, and what it gave. */
struct explanation {
    const struct explain_options *options;
    struct planning planning;
    struct arena *arena;
    struct buf text; /* the statement */
    struct judgement judgement;
};

/* Prints the answer to standard output. */
void explain_print(const struct explanation *x);

#endif
