/* The planner's promises for any text, also cut off: no crash; removing the edits gives the
 * client's bytes back; the rewritten text parses, to the same tree plus what the edits added;
 * each queue table in it is scoped; the parameters' map fits the rewritten text; literals with
 * other values give the same template. For several tenants the same, except that the shards' tree
 * is another; and the recipe names what there is.
 *
 * The first byte chooses the dialect, the rest is the statement. */
#include <stdint.h>
#include <stdlib.h>
#include <strings.h>

#include "routing/route.h"
#include "routing/session_values.h"
#include "sql/chars.h"
#include "tests/fuzz/routing/same_tree.h"
#include "tests/fuzz/routing/scoped.h"
#include "tests/fuzz/sql/other_values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char yaml[] = "keyspace: {name: mq, aliases: [queue], database: shard, shards: "
                           "{\"-80\": \"127.0.0.1:1\", \"80-\": \"127.0.0.1:2\"}}\n"
                           "tenants: [acme]\n"
                           "accounts: {app: {password: secret}}\n";

/* With plain and with qualified partition keys; the one that is looked at. */
static struct topology *plain, *qualified, *topology;
static struct tenant_map *tenants;

static void require(bool condition, const char *what, struct slice text)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n%.*s\n", what, (int)text.len, text.data);
    abort();
}

static struct topology *make_topology(const char *partition_keys)
{
    const char *settings[] = { partition_keys, NULL };
    const struct config_overrides overrides = { .settings = settings };
    struct diagnostics d;
    struct topology *made;
    struct err err;
    diagnostics_init(&d);
    struct config *config = config_parse(slice_of(yaml, sizeof yaml - 1), "fuzz", &overrides, &d);
    require(config != NULL, d.count ? d.items[0].text : "configuration", slice_of("", 0));
    diagnostics_fini(&d);
    require(!topology_create(config, &made, &err), err.text, slice_of("", 0));
    return made;
}

static void set_up(void)
{
    struct err err;
    plain = make_topology("partition_keys=plain");
    qualified = make_topology("partition_keys=qualified");
    require(!topology_hash_tenants(plain, &tenants, &err), err.text, slice_of("", 0));
}

static struct dialect choose_dialect(uint8_t choice)
{
    static const char *const versions[] = { "8.0.36", "9.7.0", "10.11.6-MariaDB",
                                            "5.5.5-11.4.2-MariaDB" };
    struct dialect d = dialect_default();
    dialect_of_version(slice_cstr(versions[choice & 3]), &d);
    d.modes = (uint32_t)(choice >> 2) &
              (MODE_ANSI_QUOTES | MODE_NO_BACKSLASH_ESCAPES | MODE_PIPES_AS_CONCAT |
               MODE_IGNORE_SPACE | MODE_HIGH_NOT_PRECEDENCE);
    if (choice & 0x80)
        d.modes |= MODE_TENANT_SCHEMA;
    return d;
}

static struct session_facts facts = { .has_database = true, .database = SLICE_LIT("mq"),
                                      .user = SLICE_LIT("a'p"), .row_count = -1 };

static size_t session_length(char placeholder, bool prepared)
{
    struct arena arena;
    arena_init(&arena);
    enum session_value v = (enum session_value)(placeholder - EDIT_SESSION);
    size_t len = prepared ? 1 : session_value_sql(&facts, v, &arena).len;
    arena_fini(&arena);
    return len;
}

/* Bytes of an edit's text once the placeholders are filled in. */
static size_t filled_length(struct slice text, size_t tenant)
{
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++)
        len += text.data[i] == EDIT_TENANT     ? tenant
               : text.data[i] == EDIT_TENANTS  ? sizeof "'acme'" - 1
               : text.data[i] == EDIT_LIMIT    ? 1
               : text.data[i] == EDIT_KEY_TENANT ? 1
               : text.data[i] == EDIT_DATABASE ? sizeof "`shard`" - 1
               : text.data[i] >= EDIT_SESSION && edit_value_number(text.data[i]) >= 0
                   ? session_length(text.data[i], tenant == 1)
                   : 1;
    return len;
}

/* Behind a parameter marker a word gets a space of its own. */
static bool adds_space(const struct edit *e, const struct edit *next, struct slice client)
{
    struct slice rest = next && next->text.len ? next->text : client;
    bool marker = e->text.len && !e->verbatim &&
                  edit_value_number(e->text.data[e->text.len - 1]) >= 0;
    return marker && rest.len && char_is_word((uint8_t)rest.data[0]);
}

static size_t edit_from(const struct lexed *l, const struct edit *e)
{
    const struct token *last = &l->tokens[e->last];
    return e->place == EDIT_AFTER ? (size_t)last->start + last->len : l->tokens[e->first].start;
}

/* Takes the edits out of the rewritten text again: what is left are the client's bytes, in runs
 * of which there is one more than edits. */
static const struct common *check_removal(const struct template *t, const struct lexed *l,
                                          struct slice out, size_t tenant, struct arena *arena,
                                          size_t *ret_count)
{
    size_t client = 0, sent = 0, count;
    const struct edit *edits = route_edits(t, l, arena, &count);
    struct common *runs = arena_array(arena, struct common, count + 1);
    for (size_t i = 0; i <= count; i++) {
        const struct edit *e = i < count ? &edits[i] : NULL;
        require(!e || (e->first < l->count && e->last < l->count), "edit outside", l->text);
        const struct token *first = e ? &l->tokens[e->first] : NULL;
        const struct token *last = e ? &l->tokens[e->last] : NULL;
        size_t end = e ? (size_t)last->start + last->len : l->text.len;
        size_t from = e && e->place != EDIT_AFTER ? first->start : end;
        require(from >= client && from <= l->text.len, "edits overlap", l->text);
        runs[i] = (struct common){ client, sent, from - client };
        require(out.len - sent >= runs[i].len, "text is short", l->text);
        require(slice_eq(slice_of(out.data + sent, runs[i].len),
                         slice_of(l->text.data + client, runs[i].len)),
                "client's bytes changed", l->text);
        size_t added = !e ? 0 : e->verbatim ? e->text.len : filled_length(e->text, tenant);
        sent += runs[i].len + added;
        client = e && e->place == EDIT_REPLACE ? end : from;
        const struct edit *next = i + 1 < count && edit_from(l, e + 1) == client ? e + 1 : NULL;
        sent += e && tenant == 1 &&
                adds_space(e, next, slice_of(l->text.data + client, l->text.len - client));
    }
    require(sent == out.len && client == l->text.len, "bytes at the end", l->text);
    *ret_count = count + 1;
    return runs;
}

static void check_params(const struct template *t, const struct lexed *prepared)
{
    int32_t next = 0;
    require(prepared->params == t->backend_param_count, "count of parameters", prepared->text);
    for (uint32_t i = 0; i < t->backend_param_count; i++) {
        int32_t client = param_of_client(t->backend_params[i]);
        if (client < 0)
            continue;
        require(client == next || (t->merge && client > next), "order of parameters",
                prepared->text); /* the merge may take some for itself */
        next = client + 1;
    }
    require((uint32_t)next == t->client_params || t->verdict == VERDICT_TENANTS,
            "client's parameters", prepared->text);
}

/* Of a client the lexer takes no hint about indexes; this one is the planner's. */
static void blank_hint(struct buf *b)
{
    static const char hint[] = "DELETE /*+ NO_INDEX(";
    char *text = (char *)buf_slice(b).data, *end = text + buf_len(b);
    for (char *at = text; end - at > (ptrdiff_t)sizeof hint; at++) {
        if (strncasecmp(at, hint, sizeof hint - 1) != 0)
            continue;
        for (at += strlen("DELETE "); at < end && *at != '/'; at++)
            ;
        *at++ = ' ';
        for (; at < end && *at != '/'; at++)
            *at = ' ';
        *at = ' ';
        return;
    }
}

static const struct node *tree_of(struct slice text, const struct dialect *dialect,
                               struct arena *arena, struct lexed *ret)
{
    struct err err = { .text = "" };
    struct node *root = NULL;
    require(!lex(text, dialect, arena, ret, &err), err.text, text);
    require(!parse(ret, dialect, arena, &root, &err), err.text, text);
    return root;
}

/* What is sent to the shard for the client's statement. */
static void check_sent(const struct template *t, const struct lexed *l,
                       const struct dialect *dialect, bool prepared, struct arena *arena)
{
    struct scoped s = { .catalog = topology->catalog,
                        .arena = arena,
                        .shows_tenant = dialect->modes & MODE_TENANT_SCHEMA };
    struct lexed client_text, sent_text;
    struct buf out;
    size_t count;
    buf_init(&out);
    route_text(t, l, tenant_map_at(tenants, 0), &facts, "shard", prepared, arena, &out);
    size_t tenant = prepared ? 1 : sizeof "'acme'" - 1;
    const struct common *runs = check_removal(t, l, buf_slice(&out), tenant, arena, &count);
    for (size_t i = 0; i < t->edit_count; i++)
        if (t->edits[i].text.len > 4 && memcmp(t->edits[i].text.data, " /*+", 4) == 0)
            blank_hint(&out);
    const struct node *root = tree_of(buf_slice(&out), dialect, arena, &sent_text);
    struct side sent = { &sent_text, root, NULL };
    struct side client = { &client_text, tree_of(l->text, dialect, arena, &client_text), NULL };
    const char *why = same_tree(&client, &sent, runs, count, arena);
    require(!why, why, buf_slice(&out));
    s.l = &sent_text;
    why = scoped_check(&s, root);
    require(!why, why, buf_slice(&out));
    if (prepared)
        check_params(t, &sent_text);
    buf_fini(&out);
}

/* ---- several tenants ---- */

/* As many lists of tenants as references: the client's own lists do not count. */
static void check_lists(const struct template *t, size_t tables, struct slice text)
{
    size_t lists = 0;
    for (size_t i = 0; i < t->edit_count; i++)
        for (size_t k = 0; k < t->edits[i].text.len; k++)
            lists += t->edits[i].text.data[k] == EDIT_TENANTS;
    require(lists == tables, "a reference without its list of tenants", text);
}

static void check_part(const struct template *t, const struct lexed *l,
                       const struct dialect *dialect, bool prepared, struct arena *arena)
{
    const struct tenant *acme = tenant_map_at(tenants, 0);
    struct route_part part = { .shard = acme->shard, .tenants = &acme, .tenant_count = 1 };
    struct merge_inputs inputs = { .most = 5 };
    struct lexed sent_text;
    struct scoped s = { .catalog = topology->catalog,
                        .arena = arena,
                        .l = &sent_text,
                        .shows_tenant = dialect->modes & MODE_TENANT_SCHEMA };
    struct buf out;
    size_t count;
    buf_init(&out);
    route_part_text(t, l, &part, &inputs, &facts, "shard", prepared, arena, &out);
    check_removal(t, l, buf_slice(&out), prepared ? 1 : sizeof "'acme'" - 1, arena, &count);
    for (size_t i = 0; i < t->edit_count; i++)
        if (t->edits[i].text.len > 4 && memcmp(t->edits[i].text.data, " /*+", 4) == 0)
            blank_hint(&out);
    const struct node *root = tree_of(buf_slice(&out), dialect, arena, &sent_text);
    const char *why = scoped_check(&s, root);
    require(!why, why, buf_slice(&out));
    check_lists(t, s.tables, buf_slice(&out));
    if (prepared)
        check_params(t, &sent_text);
    buf_fini(&out);
}

static void check_recipe(const struct merge_recipe *m, struct slice text)
{
    uint32_t columns = m->shown + m->hidden;
    bool sound = m->unique <= m->order_count && m->group <= m->order_count &&
                 m->version < (int32_t)columns && m->filter < (int32_t)m->expr_count &&
                 m->having < (int32_t)m->expr_count && (m->grouped || !m->aggregate_count);
    for (size_t i = 0; i < m->order_count; i++)
        sound &= m->order[i].column < columns;
    for (size_t i = 0; i < m->aggregate_count; i++)
        sound &= m->aggregates[i].column < columns && m->aggregates[i].count_column < columns;
    for (size_t i = 0; i < m->sort_count; i++)
        sound &= m->sort[i].expr < m->expr_count;
    for (size_t i = 0; m->columns && i < m->shown; i++)
        sound &= m->columns[i] >= 0 && (size_t)m->columns[i] < m->expr_count;
    for (size_t i = 0; i < m->expr_count; i++) {
        const struct merge_expr *e = &m->exprs[i];
        size_t limit = e->op == MERGE_COLUMN      ? columns
                       : e->op == MERGE_AGGREGATE ? m->aggregate_count
                       : e->op == MERGE_VALUE     ? m->value_count
                                                  : 1;
        sound &= e->number < limit && (!e->operand_count || e->first_operand + e->operand_count <= i);
    }
    require(sound, "a recipe that names what is not there", text);
}

static void check_scatter(const struct template *one, const struct lexed *l,
                          const struct dialect *dialect, struct arena *arena)
{
    struct arena scratch;
    arena_init(&scratch);
    const struct template *t = plan_scatter(topology, dialect, l, arena, &scratch);
    arena_fini(&scratch); /* nothing of the template lies there */
    require(t->verdict == VERDICT_TENANTS ? t->merge != NULL : t->reject && t->reject->code,
            "neither a recipe nor a refusal", l->text);
    if (t->verdict != VERDICT_TENANTS)
        return;
    require(one->verdict == VERDICT_SINGLE, "several tenants where one is refused", l->text);
    check_recipe(t->merge, l->text);
    for (int prepared = 0; prepared < 2; prepared++) {
        if (t->merge->kind == MERGE_COUNTS_MAX)
            check_sent(t, l, dialect, prepared, arena);
        else
            check_part(t, l, dialect, prepared, arena);
    }
}

static bool same_template(const struct template *a, const struct template *b)
{
    bool same = a->verdict == b->verdict && a->local == b->local &&
                a->edit_count == b->edit_count && a->heading_count == b->heading_count &&
                a->backend_param_count == b->backend_param_count &&
                a->sql_tenant_count == b->sql_tenant_count && a->row_count == b->row_count &&
                a->check_count == b->check_count && a->set_count == b->set_count;
    for (size_t i = 0; same && i < a->edit_count; i++) {
        const struct edit *e = &a->edits[i], *f = &b->edits[i];
        same = e->place == f->place && e->first == f->first && e->last == f->last &&
               slice_eq(e->text, f->text);
    }
    return same;
}

/* A plan is kept under the fingerprint, and serves statements with other values. */
static void check_other_values(const struct template *t, const struct lexed *l,
                               const struct dialect *dialect, struct arena *arena)
{
    struct lexed other;
    struct err err = { .text = "" };
    struct buf text;
    buf_init(&text);
    other_values(l, &text);
    require(!lex(buf_slice(&text), dialect, arena, &other, &err), err.text, buf_slice(&text));
    require(lexed_same(l, &other), "another fingerprint", buf_slice(&text));
    require(same_template(t, plan(topology, dialect, &other, arena, arena)),
            "another template", buf_slice(&text));
    buf_fini(&text);
}

/* Routing must not crash for any template; the outcome does not matter here. */
static void try_route(const struct template *t, const struct lexed *l,
                      const struct dialect *dialect, struct arena *arena)
{
    struct param_value *params = arena_array(arena, struct param_value, t->client_params + 1);
    struct route_input in = { .template = t,
                              .lexed = l,
                              .dialect = dialect,
                              .facts = &facts,
                              .params = params,
                              .topology = topology,
                              .tenants = tenants };
    struct route r;
    struct err err;
    for (uint32_t i = 0; i < t->client_params; i++)
        params[i] = (struct param_value){ .kind = PARAM_VALUE_STRING, .bytes = SLICE_LIT("acme") };
    route(&in, arena, &r, &err);
}

static void check(struct slice text, const struct dialect *dialect)
{
    struct lexed l;
    struct arena arena, scratch;
    arena_init(&arena);
    arena_init(&scratch);
    if (!lex(text, dialect, &arena, &l, NULL)) {
        const struct template *t = plan(topology, dialect, &l, &arena, &scratch);
        arena_fini(&scratch); /* nothing of the template lies there */
        require((t->verdict == VERDICT_REJECT) == (t->reject && t->reject->code),
                "refusal without a code", l.text);
        for (int prepared = 0; prepared < 2 && t->verdict == VERDICT_SINGLE; prepared++)
            check_sent(t, &l, dialect, prepared, &arena);
        check_scatter(t, &l, dialect, &arena);
        check_other_values(t, &l, dialect, &arena);
        try_route(t, &l, dialect, &arena);
    }
    arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!plain)
        set_up();
    if (!size)
        return 0;
    struct dialect dialect = choose_dialect(data[0]);
    struct slice text = slice_of(data + 1, size - 1);
    for (int pass = 0; pass < 2; pass++) {
        topology = pass ? qualified : plain;
        check(text, &dialect);
        check(slice_of(text.data, text.len / 2), &dialect);
        check(slice_of(text.data, text.len - text.len / 5), &dialect);
    }
    return 0;
}
