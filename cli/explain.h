/* What `mqgate explain` found out, and its two ways of saying it. */
#ifndef MQ_CLI_EXPLAIN_H
#define MQ_CLI_EXPLAIN_H

#include "cli/settings.h"
#include "routing/route.h"

enum { PARAMS_MAX = 256 };

struct explain_options {
    const char *config, *file, *sql;
    const char *database, *user, *listener, *attribute, *tenant, *schema;
    const char *sql_mode, *dialect;
    bool prepared, tree, json;
    struct settings settings;
    struct param_value params[PARAMS_MAX];
    uint32_t param_count;
};

/* Everything that planning needs, and what it gave. */
struct explanation {
    const struct explain_options *options;
    struct topology *topology;
    struct tenant_map *tenants;
    struct dialect dialect;
    struct session_facts facts;
    struct arena *arena;
    struct buf text; /* the statement */
    struct lexed lexed;
    const struct template *template;
    struct param_value *params; /* as many as the statement has */
    struct route route;
    struct err err; /* the refusal */
};

/* Prints the answer to standard output; with `served` false x->err tells why not. */
void explain_print(const struct explanation *x, bool served);

#endif
