/* The output of `mqgate explain`, for people and for programs. */
#include "cli/explain.h"
#include "cli/explain_merge.h"

#include <jansson.h>
#include <stdio.h>

enum { REPLACED_MAX = 60 }; /* bytes of replaced text that are shown */

static bool is_sent(const struct explanation *x)
{
    return x->judgement.route.verdict != VERDICT_LOCAL;
}

static const char *database_of(const struct explanation *x)
{
    const struct topology *t = x->planning.topology;
    enum verdict v = x->judgement.route.verdict;
    uint32_t shard = v == VERDICT_SINGLE      ? x->judgement.route.shard
                     : v == VERDICT_UNSHARDED ? topology_unsharded(t)
                                              : 0;
    return t->shards[shard].config->database;
}

static void print_rewritten(const struct explanation *x, struct buf *out)
{
    route_text(x->judgement.template, &x->judgement.lexed, x->judgement.route.tenant,
               &x->planning.facts, database_of(x), x->options->prepared, x->arena, out);
}

/* The text of one edit, as it would be sent. */
static void print_edit_text(const struct explanation *x, const struct edit *e, struct buf *out)
{
    struct template one = *x->judgement.template;
    struct lexed nothing = { .text = { "", 0 }, .tokens = &(struct token){ .kind = TOKEN_END } };
    struct edit alone = { .place = EDIT_BEFORE, .text = e->text, .verbatim = e->verbatim };
    one.edits = &alone;
    one.edit_count = 1;
    one.heading_count = one.key_count = 0;
    if (one.show_heading.prefix) { /* made of the statement's own tokens */
        one.show_heading.prefix =
            route_show_heading(&one, &x->judgement.lexed, &x->planning.facts, x->arena);
        one.show_heading.of_session = false;
        one.show_heading.database.len = 0;
        one.pattern.kind = VALUE_NONE;
    }
    route_text(&one, &nothing, x->judgement.route.tenant, &x->planning.facts, database_of(x),
               x->options->prepared, x->arena, out);
}

static void edit_bytes(const struct explanation *x, const struct edit *e, size_t *ret_from,
                       size_t *ret_to)
{
    const struct token *first = &x->judgement.lexed.tokens[e->first],
                       *last = &x->judgement.lexed.tokens[e->last];
    size_t end = (size_t)last->start + last->len;
    *ret_from = e->place == EDIT_AFTER ? end : first->start;
    *ret_to = e->place == EDIT_REPLACE ? end : *ret_from;
}

static void print_line(const char *name, const char *value)
{
    printf("%-12s %s\n", name, value);
}

static void print_edits(const struct explanation *x)
{
    size_t count;
    const struct edit *edits =
        route_edits(x->judgement.template, &x->judgement.lexed, x->arena, &count);
    for (size_t i = 0; i < count; i++) {
        const struct edit *e = &edits[i];
        struct buf text;
        size_t from, to;
        buf_init(&text);
        edit_bytes(x, e, &from, &to);
        print_edit_text(x, e, &text);
        if (from == to)
            printf("%-12s at %zu: [%s]\n", "inserted", from, buf_cstr(&text));
        else
            printf("%-12s at %zu-%zu: [%.*s%s] by [%s]\n", "replaced", from, to,
                   (int)(to - from > REPLACED_MAX ? REPLACED_MAX : to - from),
                   x->judgement.lexed.text.data + from, to - from > REPLACED_MAX ? " …" : "",
                   buf_cstr(&text));
        buf_fini(&text);
    }
}

static const char *hidden_name(int32_t param)
{
    static const char *const values[] = {
#define SESSION_VALUE_ROW(id, before, after, summary) #id,
#include "routing/session_values.def"
#undef SESSION_VALUE_ROW
    };
    if (param == PARAM_TENANT)
        return "tenant";
    return param == PARAM_LIMIT ? "limit" : values[PARAM_SESSION - param];
}

static void print_params(const struct explanation *x, const struct template *t)
{
    if (!x->options->prepared || !t->backend_param_count)
        return;
    printf("%-12s", "parameters");
    for (uint32_t i = 0; i < t->backend_param_count; i++) {
        int32_t client = param_of_client(t->backend_params[i]);
        if (param_of_tenant(t->backend_params[i]) >= 0)
            printf(" tenant-of-%d", (int)param_of_tenant(t->backend_params[i]) + 1);
        else if (client < 0)
            printf(" %s", hidden_name(t->backend_params[i]));
        else
            printf(t->backend_params[i] < 0 ? " key-of-%d" : " %d", (int)client + 1);
    }
    putchar('\n');
}

static const char *local_name(enum local_op op)
{
    static const char *const summaries[] = {
        "",
#define LOCAL_ROW(name, summary) summary,
#include "routing/local_ops.def"
#undef LOCAL_ROW
    };
    return summaries[op];
}

/* Begins the buffer. */
static void write_keyspace_id(const struct tenant *t, struct buf *hex)
{
    struct keyspace_id id = tenant_id(t);
    buf_init(hex);
    keyspace_id_print(&id, hex);
}

static const char *shard_of(const struct explanation *x, const struct tenant *t)
{
    struct keyspace_id id = tenant_id(t);
    return topology_shard_name(x->planning.topology, t->shard, &id);
}

static void print_tenant(const struct explanation *x)
{
    const struct tenant *t = x->judgement.route.tenant;
    struct buf hex;
    if (!t)
        return;
    write_keyspace_id(t, &hex);
    printf("%-12s %s (from: %s)\n", "tenant", t->name,
           tenant_source_name(x->judgement.route.source));
    print_line("keyspace id", buf_cstr(&hex));
    print_line("shard", shard_of(x, t));
    buf_fini(&hex);
}

static void print_unsharded(const struct explanation *x)
{
    if (x->judgement.route.verdict == VERDICT_UNSHARDED)
        print_line("keyspace", x->planning.topology->config->unsharded.server.name);
}

static void print_home(const struct explanation *x)
{
    const struct template *t = x->judgement.template;
    if (t->relayed.keeps_state || t->home == HOME_KEPT)
        print_line("connection", "the session's own from now on");
    else if (t->home == HOME_READ)
        print_line("connection", "the session's own, if it has one");
}

/* ---- several tenants ---- */

/* What a shard is asked: once, or for each of its tenants. */
static bool asks_each_tenant(const struct explanation *x)
{
    return x->judgement.scatter->merge->kind == MERGE_COUNTS_MAX;
}

static void part_text(const struct explanation *x, const struct route_part *part, size_t tenant,
                      struct buf *out)
{
    const struct judgement *j = &x->judgement;
    const char *database = x->planning.topology->shards[part->shard].config->database;
    if (asks_each_tenant(x))
        route_text(j->scatter, &j->lexed, part->tenants[tenant], &x->planning.facts, database,
                   x->options->prepared, x->arena, out);
    else
        route_part_text(j->scatter, &j->lexed, part, &j->inputs, &x->planning.facts, database,
                        x->options->prepared, x->arena, out);
}

static void print_part(const struct explanation *x, const struct route_part *part)
{
    size_t texts = asks_each_tenant(x) && !x->options->prepared ? part->tenant_count : 1;
    printf("%-12s %s:", "shard", x->planning.topology->shards[part->shard].config->name);
    for (size_t i = 0; i < part->tenant_count; i++)
        printf(" %s", part->tenants[i]->name);
    putchar('\n');
    for (size_t i = 0; i < texts; i++) {
        struct buf text;
        buf_init(&text);
        part_text(x, part, i, &text);
        print_line("sent", buf_cstr(&text));
        buf_fini(&text);
    }
}

static void print_several(const struct explanation *x)
{
    const struct judgement *j = &x->judgement;
    size_t count;
    const struct merge_step *steps = merge_steps(j->scatter, &j->lexed, x->arena, &count);
    printf("%-12s %s\n", "tenants from", tenant_source_name(j->route.source));
    for (size_t i = 0; i < j->route.part_count; i++)
        print_part(x, &j->route.parts[i]);
    print_params(x, j->scatter);
    for (size_t i = 0; i < count; i++)
        printf("%-12s %s\n%-12s (%s)\n", steps[i].name, steps[i].what, "", steps[i].why);
}

static void print_served(const struct explanation *x)
{
    print_line("verdict", verdict_name(x->judgement.route.verdict));
    if (x->judgement.scatter) {
        print_several(x);
        return;
    }
    if (!is_sent(x)) {
        print_line("answer", local_name(x->judgement.template->local));
        return;
    }
    struct buf text;
    buf_init(&text);
    print_tenant(x);
    print_unsharded(x);
    print_home(x);
    print_rewritten(x, &text);
    print_line("sent", buf_cstr(&text));
    print_edits(x);
    print_params(x, x->judgement.template);
    buf_fini(&text);
}

static void print_refused(const struct explanation *x)
{
    const struct err_info *info = err_info(x->judgement.err.code);
    print_line("verdict", "reject");
    printf("%-12s MQ%d %s, errno %d, SQLSTATE %s\n", "code", (int)info->code, info->name,
           (int)info->mysql_errno, info->sqlstate);
    print_line("reason", x->judgement.err.text);
    print_line("remedy", info->remedy);
}

/* ---- the same for programs ---- */

/* null for bytes that are not UTF-8. */
static json_t *json_text(struct slice s)
{
    json_t *text = json_stringn(s.data, s.len);
    return text ? text : json_null();
}

static json_t *edits_json(const struct explanation *x)
{
    json_t *list = json_array();
    size_t count;
    const struct edit *edits =
        route_edits(x->judgement.template, &x->judgement.lexed, x->arena, &count);
    for (size_t i = 0; i < count; i++) {
        struct buf text;
        size_t from, to;
        buf_init(&text);
        edit_bytes(x, &edits[i], &from, &to);
        print_edit_text(x, &edits[i], &text);
        json_t *o = json_object();
        json_object_set_new(o, "offset", json_integer((json_int_t)from));
        json_object_set_new(o, "replaced", json_integer((json_int_t)(to - from)));
        json_object_set_new(o, "text", json_text(buf_slice(&text)));
        json_array_append_new(list, o);
        buf_fini(&text);
    }
    return list;
}

static json_t *params_json(const struct template *t)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < t->backend_param_count; i++) {
        int32_t from = t->backend_params[i], client = param_of_client(from);
        int32_t tenant = param_of_tenant(from);
        json_array_append_new(list, tenant >= 0  ? json_sprintf("tenant-of-%d", (int)tenant + 1)
                                    : client < 0 ? json_string(hidden_name(from))
                                    : from >= 0  ? json_integer(client + 1)
                                                 : json_sprintf("key-of-%d", (int)client + 1));
    }
    return list;
}

static void tenant_json(const struct explanation *x, json_t *o)
{
    const struct tenant *t = x->judgement.route.tenant;
    struct buf hex;
    if (!t)
        return;
    write_keyspace_id(t, &hex);
    json_object_set_new(o, "tenant", json_string(t->name));
    json_object_set_new(o, "source", json_string(tenant_source_name(x->judgement.route.source)));
    json_object_set_new(o, "keyspace_id", json_string(buf_cstr(&hex)));
    json_object_set_new(o, "shard", json_string(shard_of(x, t)));
    buf_fini(&hex);
}

static json_t *part_json(const struct explanation *x, const struct route_part *part)
{
    size_t texts = asks_each_tenant(x) && !x->options->prepared ? part->tenant_count : 1;
    json_t *o = json_object(), *tenants = json_array(), *sent = json_array();
    for (size_t i = 0; i < part->tenant_count; i++)
        json_array_append_new(tenants, json_string(part->tenants[i]->name));
    for (size_t i = 0; i < texts; i++) {
        struct buf text;
        buf_init(&text);
        part_text(x, part, i, &text);
        json_array_append_new(sent, json_text(buf_slice(&text)));
        buf_fini(&text);
    }
    json_object_set_new(o, "shard",
                        json_string(x->planning.topology->shards[part->shard].config->name));
    json_object_set_new(o, "tenants", tenants);
    json_object_set_new(o, "sent", sent);
    return o;
}

static void several_json(const struct explanation *x, json_t *o)
{
    const struct judgement *j = &x->judgement;
    json_t *parts = json_array(), *merge = json_array();
    size_t count;
    const struct merge_step *steps = merge_steps(j->scatter, &j->lexed, x->arena, &count);
    for (size_t i = 0; i < j->route.part_count; i++)
        json_array_append_new(parts, part_json(x, &j->route.parts[i]));
    for (size_t i = 0; i < count; i++) {
        json_t *step = json_object();
        json_object_set_new(step, "step", json_string(steps[i].name));
        json_object_set_new(step, "what", json_text(slice_cstr(steps[i].what)));
        json_object_set_new(step, "why", json_string(steps[i].why));
        json_array_append_new(merge, step);
    }
    json_object_set_new(o, "source", json_string(tenant_source_name(j->route.source)));
    json_object_set_new(o, "parts", parts);
    if (x->options->prepared)
        json_object_set_new(o, "parameters", params_json(j->scatter));
    json_object_set_new(o, "merge", merge);
}

static json_t *served_json(const struct explanation *x)
{
    json_t *o = json_object();
    json_object_set_new(o, "verdict", json_string(verdict_name(x->judgement.route.verdict)));
    if (x->judgement.scatter) {
        several_json(x, o);
        return o;
    }
    if (!is_sent(x)) {
        json_object_set_new(o, "answer", json_string(local_name(x->judgement.template->local)));
        return o;
    }
    struct buf text;
    buf_init(&text);
    print_rewritten(x, &text);
    tenant_json(x, o);
    json_object_set_new(o, "sent", json_text(buf_slice(&text)));
    json_object_set_new(o, "edits", edits_json(x));
    if (x->options->prepared)
        json_object_set_new(o, "parameters", params_json(x->judgement.template));
    buf_fini(&text);
    return o;
}

static json_t *refused_json(const struct explanation *x)
{
    const struct err_info *info = err_info(x->judgement.err.code);
    json_t *o = json_object();
    json_object_set_new(o, "verdict", json_string("reject"));
    json_object_set_new(o, "code", json_integer(info->code));
    json_object_set_new(o, "name", json_string(info->name));
    json_object_set_new(o, "errno", json_integer(info->mysql_errno));
    json_object_set_new(o, "sqlstate", json_string(info->sqlstate));
    json_object_set_new(o, "reason", json_text(slice_cstr(x->judgement.err.text)));
    json_object_set_new(o, "remedy", json_string(info->remedy));
    return o;
}

/* False when none was asked for, or there is none. */
static bool write_tree(const struct explanation *x, struct buf *out)
{
    struct node *root;
    if (!x->options->tree || !x->judgement.template ||
        parse(&x->judgement.lexed, &x->planning.dialect, x->arena, &root, NULL) != MQ_OK)
        return false;
    node_print(&x->judgement.lexed, root, out);
    return true;
}

static void print_json(const struct explanation *x)
{
    json_t *o = x->judgement.err.code ? refused_json(x) : served_json(x);
    struct buf tree;
    buf_init(&tree);
    if (write_tree(x, &tree))
        json_object_set_new(o, "tree", json_text(buf_slice(&tree)));
    json_dumpf(o, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(o);
    buf_fini(&tree);
}

static void print_text(const struct explanation *x)
{
    struct buf tree;
    buf_init(&tree);
    if (x->judgement.err.code)
        print_refused(x);
    else
        print_served(x);
    if (write_tree(x, &tree))
        fputs(buf_cstr(&tree), stdout);
    buf_fini(&tree);
}

void explain_print(const struct explanation *x)
{
    if (x->options->json)
        print_json(x);
    else
        print_text(x);
}
