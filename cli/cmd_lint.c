/* mqgate lint: what would become of the statements that a service sends today, found in its
 * scripts and in the logs of its database, or remembered by a running sidecar. */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/lint.h"

enum { PLANS_MAX_BYTES = 32 << 20 };

static const char help_text[] =
    "Usage: mqgate lint [-c FILE] [OPTION]... PATH...\n"
    "       mqgate lint --live [-c FILE] [--address HOST:PORT | --socket PATH] [--user NAME]\n"
    "                   [--password-file FILE] [--all] [--strict] [--json]\n"
    "\n"
    "Tells which statements mqgate would serve, which ones only once the session names a tenant,\n"
    "and which it would refuse, why, and what mends that. Statements that differ only in their\n"
    "literals are one kind. CREATE TABLE is compared with the catalogue, or, when the table has\n"
    "a column tenant, each of its keys is checked.\n"
    "\n"
    "PATH is a file, a folder (for the .sql files below it) or - for standard input:\n"
    "  script    SQL scripts, with DELIMITER as the mysql client knows it\n"
    "  general   general query logs of MySQL and MariaDB\n"
    "  slow      slow query logs of both; log all statements with long_query_time=0\n"
    "  tsv, csv, json\n"
    "            performance_schema.events_statements_summary_by_digest, as mysql -B, an export\n"
    "            or a tool prints it; DIGEST_TEXT is needed, QUERY_SAMPLE_TEXT helps\n"
    "\n"
    "Options:\n"
    "  -c, --config FILE       configuration (default: $MQGATE_CONFIG, else mqgate.yaml)\n"
    "      --format FORMAT     the files' format (default: told by their content)\n"
    "      --all               also list what is served\n"
    "      --strict            what needs a tenant counts as refused\n"
    "      --json              print for programs\n"
    "\n"
    "A running sidecar remembers what it refused, or would have refused while it observed:\n"
    "      --live              ask it; an account with `administrator: true` is needed\n"
    "      --address HOST:PORT, --socket PATH\n"
    "                          where (default: the configuration's first listener)\n"
    "      --user NAME         as whom (default: the configuration's first administrator)\n"
    "      --password-file FILE\n"
    "                          the password; else $MQ_PASSWORD, the configuration's, or a prompt\n"
    "\n" PLANNING_HELP
    "A log's own user, database, USE and SET sql_mode or @mq_tenant go before these.\n"
    "\n"
    "Examples:\n"
    "  mqgate lint -c mqgate.yaml migrations/\n"
    "  mqgate lint -c mqgate.yaml --database queue@orders /var/log/mysql/general.log\n"
    "  zcat slow.log.*.gz | mqgate lint -c mqgate.yaml --json - > report.json\n"
    "  mysql -B -e 'SELECT * FROM performance_schema.events_statements_summary_by_digest' |\n"
    "      mqgate lint -c mqgate.yaml -\n"
    "  mqgate lint --live -c mqgate.yaml\n"
    "\n"
    "Exit status: 0 all would be served, 1 some would be refused or cannot be judged,\n"
    "2 wrong usage, a file cannot be read, or the sidecar does not answer.\n";

#define ROW(name, member) OPTION_TEXT(name, 0, struct lint_options, member)
#define FLAG(name, member) OPTION_FLAG(name, 0, struct lint_options, member)
static const struct option_row option_rows[] = {
    ROW("format", format),
    FLAG("live", live),
    ROW("address", address),
    ROW("socket", address),
    ROW("password-file", password_file),
    FLAG("all", all),
    FLAG("strict", strict),
    FLAG("json", json),
    OPTION_END,
};
#undef ROW
#undef FLAG

/* What is wrong with the options, or NULL. */
static const char *check_options(const struct lint_options *o, const struct arguments *paths)
{
    if (o->format && !capture_format_find(o->format))
        return "--format takes script, general, slow, tsv, csv or json";
    if (!o->live && (o->address || o->password_file))
        return "--address, --socket and --password-file go with --live";
    if (o->live)
        return paths->count || o->format ? "--live reads no files" : NULL;
    return paths->count ? NULL : "name files, folders, or - for standard input";
}

static enum err_code open_lint(struct lint *lint, struct err *reterr)
{
    enum err_code code = planning_open(&lint->planning, &lint->options->planning, reterr);
    if (!code)
        code = planning_session(&lint->planning, reterr);
    if (code)
        return code;
    lint->planning.cache = plan_cache_create(PLANS_MAX_BYTES);
    lint->sessions = lint_sessions_create(&lint->planning);
    return MQ_OK;
}

static enum err_code examine(struct lint *lint, const struct arguments *paths, struct err *reterr)
{
    enum err_code code = lint->options->live ? lint_live(lint, reterr) : open_lint(lint, reterr);
    for (int i = 0; i < paths->count && !code; i++)
        code = lint_read(lint, paths->items[i], reterr);
    return code;
}

static int verdict(const struct lint *lint)
{
    const struct lint_report *r = &lint->report;
    uint64_t refused =
        r->classes[LINT_REFUSED].kinds + r->classes[LINT_UNJUDGED].kinds + r->unseen + r->damaged;
    if (lint->options->strict)
        refused += r->classes[LINT_SESSION].kinds;
    return refused ? EXIT_FAULT : EXIT_DONE;
}

static int run(struct lint *lint, const struct arguments *paths)
{
    struct err err;
    if (examine(lint, paths, &err) == MQ_OK) {
        if (lint->options->json)
            lint_print_json(lint);
        else
            lint_print(lint);
        return verdict(lint);
    }
    if (err.code == MQ_USAGE)
        return options_misused("lint", "%s", err.text);
    planning_complain("lint", &err);
    return EXIT_USAGE;
}

int cmd_lint(int argc, char **argv)
{
    struct lint_options o = { 0 };
    struct lint lint = { .options = &o };
    struct arguments paths;
    const struct option_group groups[] = { { planning_option_rows, &o.planning },
                                           { option_rows, &o },
                                           { NULL, NULL } };
    int status = options_read(groups, help_text, argc, argv, &paths);
    if (status >= 0)
        return status;
    const char *wrong = check_options(&o, &paths);
    if (wrong)
        return options_misused(argv[0], "%s", wrong);
    arena_init(&lint.arena);
    lint_report_init(&lint.report);
    status = run(&lint, &paths);
    lint_report_fini(&lint.report);
    lint_sessions_destroy(lint.sessions);
    planning_close(&lint.planning);
    arena_fini(&lint.arena);
    return status;
}
