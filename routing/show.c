/* SHOW: a list of what is harmless; whatever could tell of a shard or of other sessions is
 * refused. */
#include "routing/plan_int.h"
#include "routing/variables.h"

enum show_rule {
    SHOW_REFUSED,
    SHOW_PASSED,   /* any live shard gives the same answer */
    SHOW_ANSWERED, /* by mqgate */
    SHOW_OWN,      /* mqgate's own */
    SHOW_PROCESSES, /* the same, for everybody */
    SHOW_SCHEMA,   /* the legacy schema: show_schema.c */
};

struct show_row {
    enum keyword subject;
    enum show_rule rule;
    enum local_op local;
    const char *reason;
};

static const struct show_row rows[] = {
    { KW_VARIABLES, SHOW_PASSED, LOCAL_NONE, NULL },
    { KW_STATUS, SHOW_REFUSED, LOCAL_NONE, "it would show the counters of a shard and of other sessions" },
    { KW_COLLATION, SHOW_PASSED, LOCAL_NONE, NULL },
    { KW_CHARACTER, SHOW_PASSED, LOCAL_NONE, NULL },
    { KW_ENGINES, SHOW_PASSED, LOCAL_NONE, NULL },
    { KW_PLUGINS, SHOW_PASSED, LOCAL_NONE, NULL },
    { KW_PRIVILEGES, SHOW_PASSED, LOCAL_NONE, NULL },
    { KW_WARNINGS, SHOW_ANSWERED, LOCAL_SHOW_WARNINGS, NULL },
    { KW_ERRORS, SHOW_ANSWERED, LOCAL_SHOW_ERRORS, NULL },
    { KW_DATABASES, SHOW_SCHEMA, LOCAL_NONE, NULL },
    { KW_TABLES, SHOW_SCHEMA, LOCAL_NONE, NULL },
    { KW_MQGATE_FINDINGS, SHOW_OWN, LOCAL_SHOW_FINDINGS, NULL },
    { KW_COLUMNS, SHOW_SCHEMA, LOCAL_NONE, NULL },
    { KW_INDEX, SHOW_SCHEMA, LOCAL_NONE, NULL },
    { KW_CREATE, SHOW_SCHEMA, LOCAL_NONE, NULL },
    { KW_TABLE, SHOW_SCHEMA, LOCAL_NONE, NULL },
    { KW_GRANTS, SHOW_REFUSED, LOCAL_NONE,
      "it would show the account on the shard, on MariaDB with the hash of its password" },
    { KW_TRIGGERS, SHOW_SCHEMA, LOCAL_NONE, NULL },
    { KW_PROCESSLIST, SHOW_PROCESSES, LOCAL_SHOW_PROCESSLIST, NULL },
    { KW_ENGINE, SHOW_REFUSED, LOCAL_NONE, "it would show rows of other tenants" },
};

static const struct show_row *find_row(const struct node *show)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].subject == (enum keyword)show->op)
            return &rows[i];
    return NULL;
}

static const char *subject_text(const struct node *show)
{
    return show->op ? keyword_text((enum keyword)show->op) : "of this kind";
}

static enum err_code show_like(struct planner *p, const struct node *like)
{
    if (like)
        p->t->pattern = plan_value(p, like->child);
    return !like || p->t->pattern.kind == VALUE_TOKENS
               ? MQ_OK
               : reject(p, MQ_NOT_UNDERSTOOD, "LIKE takes a string literal here");
}

static bool limit_value(struct planner *p, const struct node *n, struct value_ref *ret)
{
    *ret = plan_value(p, n);
    return ret->kind == VALUE_TOKENS && p->l->tokens[n->first].kind == TOKEN_INTEGER;
}

static enum err_code show_limit(struct planner *p, const struct node *limit)
{
    if (!limit)
        return MQ_OK;
    bool comma = limit->op == OP_COMMA;
    const struct node *most = comma ? limit->child->next : limit->child;
    const struct node *skip = comma ? limit->child : limit->child->next;
    return limit_value(p, most, &p->t->limit) && (!skip || limit_value(p, skip, &p->t->limit_skip))
               ? MQ_OK
               : reject(p, MQ_NOT_UNDERSTOOD, "LIMIT takes numbers here");
}

static enum err_code answered(struct planner *p, const struct node *show,
                              const struct show_row *row)
{
    p->t->verdict = VERDICT_LOCAL;
    p->t->local = row->local;
    p->t->uses_session_value = true;
    return show_limit(p, node_find(show, N_LIMIT));
}

static enum err_code processes(struct planner *p, const struct node *show,
                               const struct show_row *row)
{
    p->t->verdict = VERDICT_LOCAL;
    p->t->local = row->local;
    p->t->full = show_has_modifier(p, show, KW_FULL);
    return MQ_OK;
}

/* What administrators ask of mqgate itself. */
static enum err_code own(struct planner *p, const struct node *show, const struct show_row *row)
{
    if (node_find(show, N_WHERE))
        return reject(p, MQ_STATEMENT_NOT_ALLOWED, "SHOW %s is served with LIKE and LIMIT",
                      subject_text(show));
    p->t->verdict = VERDICT_LOCAL;
    p->t->local = row->local;
    p->t->needs_administrator = true;
    enum err_code code = show_like(p, node_find(show, N_LIKE_PATTERN));
    if (!code)
        code = show_limit(p, node_find(show, N_LIMIT));
    return code || p->t->limit_skip.kind == VALUE_NONE
               ? code
               : reject(p, MQ_NOT_UNDERSTOOD, "LIMIT takes one number here");
}

/* The backend's own are those of whichever session used it last. */
static enum err_code hide_session_variables(struct planner *p, const struct node *show)
{
    const struct node *like = node_find(show, N_LIKE_PATTERN), *where = node_find(show, N_WHERE);
    struct text t = { .arena = p->arena };
    text_add(&t, like ? "WHERE " : where ? " " : " WHERE ");
    for (const char *const *name = variables_of_statements; *name; name++) {
        text_add(&t, name == variables_of_statements ? "Variable_name NOT IN ('" : "', '");
        text_add(&t, *name);
    }
    text_add(&t, like ? "') AND Variable_name " : where ? "') AND (" : "')");
    if (like)
        return plan_edit(p, EDIT_BEFORE, like->first, like->first, text_slice(&t));
    uint32_t behind = where ? where->first : show->last;
    enum err_code code = plan_edit(p, EDIT_AFTER, behind, behind, text_slice(&t));
    return code || !where ? code
                          : plan_edit(p, EDIT_AFTER, where->last, where->last, SLICE_LIT(")"));
}

static enum err_code passed(struct planner *p, const struct node *show)
{
    enum err_code code = visit_children(p, show);
    if (code)
        return code;
    if (p->t->table || p->has_other)
        return reject(p, MQ_STATEMENT_NOT_ALLOWED, "SHOW %s is served by itself only",
                      subject_text(show));
    p->t->verdict = VERDICT_PASS;
    return show->op == KW_VARIABLES && !(show->flags & NODE_F_GLOBAL)
               ? hide_session_variables(p, show)
               : MQ_OK;
}

enum err_code show_plan(struct planner *p, const struct node *show)
{
    const struct show_row *row = find_row(show);
    p->t->is_select = true;
    if (show->kind == N_DESCRIBE || (row && row->rule == SHOW_SCHEMA))
        return show_schema_plan(p, show);
    if (!row || row->rule == SHOW_REFUSED)
        return reject(p, MQ_STATEMENT_NOT_ALLOWED, "SHOW %s is not served: %s", subject_text(show),
                      row ? row->reason : "it is not on the list of what shows no other tenant");
    if (row->rule == SHOW_OWN)
        return own(p, show, row);
    if (row->rule == SHOW_PROCESSES)
        return processes(p, show, row);
    return row->rule == SHOW_PASSED ? passed(p, show) : answered(p, show, row);
}
