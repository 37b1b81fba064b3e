/* mqgate explain: what would become of a statement, without a server: the verdict, the
 * tenant and what named it, the shard, and every byte that would be changed. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/explain.h"

static const char help_text[] =
    "Usage: mqgate explain [-c FILE] [OPTION]... SQL\n"
    "       mqgate explain [-c FILE] [OPTION]... --file FILE\n"
    "\n"
    "Shows what mqgate would do with a statement: its verdict, the tenant and where the tenant\n"
    "came from, the shard, the text that the shard would get and each change to it. No server\n"
    "is asked. With a tenant vindex table, tenants are looked up in its snapshot file.\n"
    "\n"
    "Options:\n"
    "  -c, --config FILE       configuration (default: $MQGATE_CONFIG, else mqgate.yaml)\n"
    "      --file FILE         read the statement from a file, - for standard input\n"
    "      --tree              also print the syntax tree\n"
    "      --json              print for programs\n"
    "\n" PLANNING_HELP "      --prepared          as a prepared statement\n"
    "      --param VALUE       its next parameter, a string (implies --prepared)\n"
    "      --number N          its next parameter, an unsigned integer (the same)\n"
    "\n"
    "Examples:\n"
    "  mqgate explain --set @mq_tenant=payments 'SELECT * FROM queue_offsets'\n"
    "  mqgate explain --param orders --param 7 \\\n"
    "      'DELETE FROM queue_messages WHERE topic = ? AND offset <= ?'\n"
    "\n"
    "Exit status: 0 the statement would be served, 1 it would be refused (or a fault),\n"
    "2 wrong usage.\n";

/* ---- options ---- */

static bool add_param(struct explain_options *o, struct param_value value)
{
    if (o->param_count == PARAMS_MAX)
        return false;
    o->prepared = true;
    o->params[o->param_count++] = value;
    return true;
}

static bool take_param(void *object, const char *value)
{
    return add_param(object, (struct param_value){ .kind = PARAM_VALUE_STRING,
                                                   .bytes = slice_cstr(value) });
}

/* As a driver sends it: the lowest byte first. */
static bool take_number(void *object, const char *value)
{
    struct explain_options *o = object;
    unsigned long long n;
    if (o->param_count == PARAMS_MAX || !slice_to_u64(slice_cstr(value), &n))
        return false;
    char *bytes = o->numbers[o->param_count];
    for (size_t i = 0; i < sizeof o->numbers[0]; i++)
        bytes[i] = (char)(n >> (8 * i));
    return add_param(o, (struct param_value){ .kind = PARAM_VALUE_INTEGER,
                                              .bytes = slice_of(bytes, sizeof o->numbers[0]) });
}

static const struct option_row option_rows[] = {
    OPTION_TEXT("file", 0, struct explain_options, file),
    OPTION_FLAG("tree", 0, struct explain_options, tree),
    OPTION_FLAG("json", 0, struct explain_options, json),
    OPTION_FLAG("prepared", 0, struct explain_options, prepared),
    OPTION_TAKE("param", 0, take_param),
    OPTION_TAKE("number", 0, take_number),
    OPTION_END,
};

/* Returns -1 to go on, else the exit status. */
static int parse_options(struct explain_options *o, int argc, char **argv)
{
    const struct option_group groups[] = { { planning_option_rows, &o->planning },
                                           { option_rows, o },
                                           { NULL, NULL } };
    struct arguments arguments;
    int status = options_read(groups, help_text, argc, argv, &arguments);
    if (status >= 0)
        return status;
    if (arguments.count > 1 || (arguments.count == 1) == (o->file != NULL))
        return options_misused(argv[0], "give one statement, or --file");
    if (!o->file)
        o->sql = arguments.items[0];
    return -1;
}

/* ---- the command ---- */

static enum err_code read_statement(struct explanation *x, struct err *reterr)
{
    const char *path = x->options->file;
    if (!path) {
        buf_append_cstr(&x->text, x->options->sql);
        return MQ_OK;
    }
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!f)
        return err_set(reterr, MQ_USAGE, "%s cannot be read", path);
    for (size_t got = 1; got;) {
        got = fread(buf_reserve(&x->text, 4096), 1, 4096, f);
        buf_commit(&x->text, got);
    }
    if (f != stdin)
        fclose(f);
    return MQ_OK;
}

static void judge(struct explanation *x)
{
    const struct question q = { .planning = &x->planning,
                                .dialect = &x->planning.dialect,
                                .facts = &x->planning.facts,
                                .text = buf_slice(&x->text),
                                .prepared = x->options->prepared,
                                .params = x->options->params,
                                .param_count = x->options->param_count };
    planning_judge(&q, x->arena, &x->judgement);
}

static int explain(struct explanation *x)
{
    static const char name[] = "explain";
    struct err *err = &x->judgement.err;
    enum err_code code = read_statement(x, err);
    if (!code)
        code = planning_open(&x->planning, &x->options->planning, err);
    if (code)
        return code == MQ_USAGE ? options_misused(name, "%s", err->text)
                                : planning_complain(name, err);
    code = planning_session(&x->planning, err);
    if (code == MQ_USAGE)
        return options_misused(name, "%s", err->text);
    if (!code)
        judge(x);
    explain_print(x);
    judgement_release(&x->judgement);
    return err->code ? EXIT_FAULT : EXIT_DONE;
}

int cmd_explain(int argc, char **argv)
{
    struct explain_options options = { 0 };
    struct arena arena;
    struct explanation x = { .options = &options, .arena = &arena };
    int status = parse_options(&options, argc, argv);
    if (status >= 0)
        return status;
    arena_init(&arena);
    buf_init(&x.text);
    status = explain(&x);
    planning_close(&x.planning);
    buf_fini(&x.text);
    arena_fini(&arena);
    return status;
}
