/* From a statement to its template: the verdict by the kind of the statement, everything
 * else by the files that look after it. A refusal anywhere refuses the whole statement. */
#include "routing/plan.h"

#include "routing/plan_int.h"
#include "routing/scatter_int.h"

const char *verdict_name(enum verdict v)
{
    static const char *const names[] = { "local",       "single", "tenants",
                                         "every-shard", "unsharded", "pass",   "reject" };
    return (unsigned)v < sizeof names / sizeof *names ? names[v] : "unknown";
}

enum err_code reject(struct planner *p, enum err_code code, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *text = arena_vprintf(p->arena, format, ap);
    va_end(ap);
    return err_set(&p->reject, code, "%s", text);
}

bool plan_in_comment(const struct planner *p, uint32_t first, uint32_t last)
{
    return (p->l->tokens[first].flags | p->l->tokens[last].flags) & TOKEN_F_IN_COMMENT;
}

/* Does the text end in a tenant that stands as `?` directly in front of a word? */
static bool runs_together(const struct planner *p, uint32_t token, struct slice text)
{
    const struct token *next = &p->l->tokens[token + 1];
    return text.len && text.data[text.len - 1] == EDIT_TENANT && token + 1 < p->l->count &&
           next->kind != TOKEN_OPERATOR && !(next->flags & TOKEN_F_SPACE_BEFORE);
}

enum { EDIT_BYTES_MAX = 16 << 20 }; /* `t.*` is 5 bytes of the client's and 250 of ours */

/* A splice beside code inside a versioned comment would be undone by a server that skips the
 * comment; nothing depends on our having read its version right. */
enum err_code plan_edit(struct planner *p, enum edit_place place, uint32_t first, uint32_t last,
                        struct slice text)
{
    if (plan_in_comment(p, first, last))
        return reject(p, MQ_VERSIONED_COMMENT,
                      "the tenant's condition would fall into a versioned comment; write the code "
                      "without the comment");
    if (place == EDIT_AFTER && runs_together(p, last, text))
        text = slice_cstr(arena_printf(p->arena, "%.*s ", (int)text.len, text.data));
    p->edit_bytes += text.len;
    if (p->edit_bytes > EDIT_BYTES_MAX)
        return reject(p, MQ_TOO_COMPLEX, "the rewritten statement would be too long");
    struct edit *e = vector_add(&p->edits, p->arena, sizeof *e);
    *e = (struct edit){ .place = (uint8_t)place, .first = first, .last = last, .text = text };
    return MQ_OK;
}

static void find_params(struct planner *p)
{
    uint32_t n = 0;
    p->param_tokens = arena_array(p->arena, uint32_t, p->l->params);
    for (uint32_t i = 0; i < p->l->count && n < p->l->params; i++)
        if (p->l->tokens[i].kind == TOKEN_PARAM)
            p->param_tokens[n++] = i;
}

static uint32_t param_number(struct planner *p, uint32_t token)
{
    uint32_t low = 0, high = p->l->params;
    if (!p->param_tokens)
        find_params(p);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->param_tokens[middle] < token)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_literal_token(const struct token *t)
{
    return (t->kind >= TOKEN_STRING && t->kind <= TOKEN_INTRODUCER) || t->kind == TOKEN_PARAM;
}

/* DATE '…' and TRUE begin with a word: their value is not the spelling of a string. */
static enum value_kind literal_kind(const struct planner *p, const struct node *literal)
{
    if (literal->op == KW_NULL)
        return VALUE_NONE;
    return is_literal_token(&p->l->tokens[literal->first]) ? VALUE_TOKENS : VALUE_COMPUTED;
}

struct value_ref plan_value(struct planner *p, const struct node *expr)
{
    struct value_ref v = { .kind = VALUE_COMPUTED };
    while (expr->kind == N_PAREN && expr->child)
        expr = expr->child;
    v.first = expr->first;
    v.last = expr->last;
    if (plan_in_comment(p, v.first, v.last))
        return v;
    if (expr->kind == N_PARAM) {
        v.kind = VALUE_PARAM;
        v.param = param_number(p, expr->first);
    } else if (expr->kind == N_LITERAL) {
        v.kind = (uint8_t)literal_kind(p, expr);
    } else if (expr->kind == N_LITERALS) {
        v.kind = VALUE_LITERALS;
    } else if (expr->kind == N_DEFAULT && !expr->child) {
        v.kind = VALUE_NONE;
    }
    return v;
}

const struct node *plan_last_ident(const struct node *n)
{
    const struct node *ident = n->kind == N_IDENT ? n : NULL;
    for (const struct node *c = n->child; c; c = c->next)
        if (c->kind == N_IDENT)
            ident = c;
    return ident;
}

struct slice plan_name(struct planner *p, const struct node *n)
{
    const struct node *ident = plan_last_ident(n);
    return ident ? token_ident(p->l, ident->first, p->arena) : slice_of("", 0);
}

enum err_code plan_settle(struct planner *p)
{
    if (p->has_other && !temporary_settle(p))
        return p->t->table ? reject(p, MQ_MIXED_TABLES,
                                    "the queue table %s and the table %.*s stand in one statement",
                                    p->t->table->name, NAME_FORMAT(p->other_table))
                           : reject(p, MQ_TABLE_UNKNOWN,
                                    "table %.*s is not a queue table; `queue_tables:` adds others",
                                    NAME_FORMAT(p->other_table));
    if (p->has_views && (p->t->table || p->t->writes))
        return reject(p, MQ_MIXED_TABLES,
                      "information_schema stands in one statement with a queue table, or is "
                      "written to");
    bool placed = p->t->table || p->t->home == HOME_KEPT || p->t->needs_one_tenant;
    p->t->verdict = placed ? VERDICT_SINGLE : VERDICT_PASS;
    return MQ_OK;
}

static enum err_code plan_change(struct planner *p, const struct node *statement)
{
    p->t->writes = true;
    p->ignores = statement->flags & NODE_F_IGNORE;
    enum err_code code = change_visit(p, statement);
    p->t->is_select = node_find(statement, N_RETURNING) != NULL;
    return code ? code : plan_settle(p);
}

static enum err_code plan_do(struct planner *p, const struct node *statement)
{
    enum err_code code = visit_children(p, statement);
    return code ? code : plan_settle(p);
}

static enum err_code plan_other(struct planner *p, const struct node *statement)
{
    static const struct {
        uint16_t word;
        const char *reason;
    } rows[] = {
#define REFUSED_ROW(word, statements, reason) { KW_##word, reason },
#include "routing/refused.def"
#undef REFUSED_ROW
    };
    const char *word = keyword_text((enum keyword)statement->op);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].word == statement->op)
            return reject(p, MQ_STATEMENT_NOT_ALLOWED, "%s is not served: %s", word,
                          rows[i].reason);
    return reject(p, MQ_STATEMENT_NOT_ALLOWED, "%s is not served", word);
}

static enum err_code refuse_replace(struct planner *p)
{
    return reject(p, MQ_VITESS_UNSUPPORTED,
                  "vtgate does not serve REPLACE in a sharded keyspace; send INSERT … ON DUPLICATE "
                  "KEY UPDATE");
}

static enum err_code plan_kind(struct planner *p, const struct node *n)
{
    switch ((enum node_kind)n->kind) {
    case N_QUERY:
        return select_plan(p, n);
    case N_INSERT:
        return n->op == KW_REPLACE && config_is_vitess(p->topology->config) ? refuse_replace(p)
                                                                           : insert_plan(p, n);
    case N_UPDATE:
    case N_DELETE:
        return plan_change(p, n);
    case N_EXPLAIN:
        return explain_plan(p, n);
    case N_SHOW:
    case N_DESCRIBE:
        return show_plan(p, n);
    case N_CREATE_TABLE:
        return ddl_create(p, n);
    case N_DROP_TABLE:
        return ddl_drop(p, n);
    case N_TRUNCATE:
        return ddl_truncate(p, n);
    case N_DO:
        return plan_do(p, n);
    case N_OTHER:
        return plan_other(p, n);
    default:
        return session_plan(p, n);
    }
}

static enum err_code plan_statement(struct planner *p, const struct node *n)
{
    enum err_code code = p->scatter ? scatter_statement(p, n) : MQ_OK;
    if (!code)
        code = plan_kind(p, n);
    if (!code && p->wraps && p->names_databases)
        return reject(p, MQ_NOT_UNDERSTOOD,
                      "a column is qualified by its database beside a join with USING or NATURAL; "
                      "leave the database out");
    return code;
}

/* EXPLAIN shows how a statement would run; it is routed as that statement is. With ANALYZE it
 * runs. */
enum err_code explain_plan(struct planner *p, const struct node *explain)
{
    if (!explain->child)
        return reject(p, MQ_STATEMENT_NOT_ALLOWED,
                      "EXPLAIN FOR CONNECTION would show the statement of another session");
    enum err_code code = plan_statement(p, explain->child);
    if (code)
        return code;
    if (p->t->also_passes)
        p->t->verdict = VERDICT_PASS;
    if (p->t->verdict == VERDICT_LOCAL)
        return reject(p, MQ_STATEMENT_NOT_ALLOWED,
                      "EXPLAIN of a statement that mqgate answers itself is not served");
    if (explain->op != KW_ANALYZE)
        p->t->writes = p->t->locks = false;
    p->t->is_select = true;
    return MQ_OK;
}

static void hand_over(struct planner *p)
{
    struct template *t = p->t;
    t->edits = p->edits.items;
    t->edit_count = p->edits.count;
    t->headings = p->headings.items;
    t->heading_count = p->headings.count;
    t->sql_tenants = p->sql_tenants.items;
    t->sql_tenant_count = p->sql_tenants.count;
    t->pattern_values = p->pattern_values.items;
    t->pattern_value_count = p->pattern_values.count;
    t->patterns_tie = !p->unpatterned;
    t->keys = p->keys.items;
    t->key_count = p->keys.count;
    t->key_separator = p->qualified ? p->topology->config->key_separator : '\0';
    t->key_default = p->topology->config->default_tenant;
    t->key_dialect = *p->dialect;
    t->keys_tie = !p->untied;
    t->result_keys = p->result_keys.items;
    t->result_key_count = p->result_keys.count;
    t->rows = p->rows.items;
    t->row_count = p->rows.count;
    t->checks = p->checks.items;
    t->check_count = p->checks.count;
    t->sets = p->sets.items;
    t->set_count = p->sets.count;
    t->literal_checks = p->literal_checks.items;
    t->literal_check_count = p->literal_checks.count;
    t->databases = p->databases.items;
    t->database_count = p->databases.count;
    edits_sort(t->edits, t->edit_count, p->arena);
    params_map(p);
}

enum err_code plan_tree(struct planner *p)
{
    struct node *root;
    enum err_code code = parse(p->l, p->dialect, p->arena, &root, &p->reject);
    if (code)
        return code;
    p->root = root;
    p->t->op = root->op;
    p->t->flags = root->flags;
    p->t->found_rows = (uint8_t)found_rows_effect(p, root);
    return plan_statement(p, root);
}

static enum err_code plan_root(struct planner *p)
{
    bool elsewhere = p->topology->has_unsharded && p->l->count && !unsharded_names_queue_table(p);
    return elsewhere ? unsharded_plan(p) : plan_tree(p);
}

/* One way of reading the statement: with qualified partition keys, or with plain ones; for one
 * tenant, or for several. */
static void plan_once(struct planner *p, struct template *t, bool qualified)
{
    struct scatter *several = p->scatter;
    *t = (struct template){ .verdict = VERDICT_REJECT,
                            .fingerprint = p->l->fingerprint,
                            .client_params = p->l->params };
    *p = (struct planner){ .topology = p->topology,
                           .scatter = several,
                           .dialect = p->dialect,
                           .l = p->l,
                           .arena = p->arena,
                           .t = t,
                           .qualified = qualified,
                           .inserted_key = -1 };
    if (several)
        *several = (struct scatter){ .recipe = { .version = -1, .filter = -1, .having = -1 } };
    if (several ? plan_tree(p) || scatter_finish(p) : plan_root(p) != MQ_OK) {
        t->verdict = VERDICT_REJECT;
        t->reject = &p->reject;
    } else {
        hand_over(p);
    }
}

static bool names_tenant(const struct lexed *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        if ((l->tokens[i].kind == TOKEN_IDENT || l->tokens[i].kind == TOKEN_QUOTED) &&
            token_is_ident(l, i, "tenant"))
            return true;
    return false;
}

/* A statement that names its tenant by itself speaks plain keys: so one that may is read so first. */
static const struct template *plan_for(struct planner *p, struct arena *arena)
{
    struct template t;
    bool qualified = p->topology->config->partition_keys == KEYS_QUALIFIED;
    bool plain = !qualified || names_tenant(p->l);
    if (plain)
        plan_once(p, &t, false);
    if (qualified && (!plain || (!t.reject && !t.sql_tenant_count)))
        plan_once(p, &t, true);
    return template_keep(&t, arena);
}

const struct template *plan(const struct topology *topology, const struct dialect *dialect,
                            const struct lexed *l, struct arena *arena, struct arena *scratch)
{
    struct planner p = { .topology = topology, .dialect = dialect, .l = l, .arena = scratch };
    return plan_for(&p, arena);
}

const struct template *plan_scatter(const struct topology *topology, const struct dialect *dialect,
                                    const struct lexed *l, struct arena *arena,
                                    struct arena *scratch)
{
    struct scatter several;
    struct planner p = {
        .topology = topology, .scatter = &several, .dialect = dialect, .l = l, .arena = scratch
    };
    return plan_for(&p, arena);
}
