/* What plans and routes statements without a server: configuration, tenants, the servers'
 * dialect, and a session as the command line describes it. */
#ifndef MQ_CLI_PLANNING_H
#define MQ_CLI_PLANNING_H

#include "cli/options.h"
#include "cli/settings.h"
#include "proxy/plan_cache.h"
#include "routing/route.h"

struct planning_options {
    struct settings settings;
    const char *database, *user, *listener, *attribute, *tenant, *schema;
    const char *sql_mode, *dialect;
};

/* Options that describe a configuration and a session; their object is planning_options. */
extern const struct option_row planning_option_rows[];
/* The lines of --help about them. */
#define PLANNING_HELP                                                                              \
    "A session is described by:\n"                                                                 \
    "      --database NAME     database of the DSN, NAME or NAME@TENANT (default: the keyspace;\n" \
    "                          '' for none)\n"                                                     \
    "      --user NAME         account of the configuration\n"                                     \
    "      --listener NAME     listener of the configuration\n"                                    \
    "      --attr tenant=NAME  connection attribute\n"                                             \
    "      --set NAME=VALUE    @mq_tenant or @mq_schema as if SET before; a path of the\n"         \
    "                          configuration, e.g. default_tenant=orders, overrides the file\n"    \
    "      --sql-mode MODES    as if SET before\n"                                                 \
    "      --dialect SERVER    what the shards run, e.g. mysql-9.7 or mariadb-10.11 (default:\n"   \
    "                          server_version of the configuration, else mysql-8.0)\n"

struct planning {
    const struct planning_options *options;
    struct topology *topology;
    struct tenant_map *tenants;
    struct dialect dialect;
    struct session_facts facts;
    struct plan_cache *cache; /* NULL: each statement is planned anew */
};

/* Everything but the session. Fails with MQ_USAGE when an option is not understood, else as
 * configuration and snapshot do. The options outlive it. */
enum err_code planning_open(struct planning *p, const struct planning_options *options,
                            struct err *reterr);
/* The session. Fails with MQ_USAGE, or with the reason why mqgate would refuse the login. */
enum err_code planning_session(struct planning *p, struct err *reterr);
/* Also after a failure. */
void planning_close(struct planning *p);

/* The session has selected this database, the keyspace or an alias of it, with a tenant
 * behind an @ if one is meant; an empty name is none. */
enum err_code planning_select(const struct planning *p, struct session_facts *facts,
                              struct slice name, struct err *reterr);

/* A statement and the session that sends it. */
struct question {
    const struct planning *planning;
    const struct dialect *dialect;
    const struct session_facts *facts;
    struct slice text;
    bool prepared; /* with these parameters first; those that are missing are not known */
    const struct param_value *params;
    uint32_t param_count;
};

struct judgement {
    struct lexed lexed;
    struct plan_entry *entry;        /* of the planning's cache, or NULL */
    const struct template *template; /* NULL when the text does not lex */
    struct param_value *params;      /* as many as the statement has; NULL for text */
    struct route route;              /* of a statement that is served */
    const struct template *scatter;  /* of one for several tenants, else NULL */
    struct merge_inputs inputs;
    struct err err;                  /* of one that is refused; its code is MQ_OK otherwise */
};

/* Plans and routes one statement; its text, the planning and the arena outlive the judgement,
 * which the caller releases. */
void planning_judge(const struct question *q, struct arena *arena, struct judgement *ret);
/* Routes it again, for other facts or other j->params; err and route are those of the last. */
void planning_route(const struct question *q, struct arena *arena, struct judgement *j);
void judgement_release(struct judgement *j);

/* Prints an error to standard error with what would mend it; EXIT_FAULT. */
int planning_complain(const char *command, const struct err *err);

#endif
