/* One statement of a file: what mqgate would do with it, and which of the reasons against it
 * go away when the session names a tenant. */
#include "cli/lint.h"

#include "routing/ddl_keys.h"

enum { TEXT_ROOM = 1024 };

/* A statement being judged. */
struct trial {
    struct lint *lint;
    const struct capture_event *event;
    struct lint_session *session;
    struct dialect dialect;
    struct question question;
    struct judgement judgement;
    struct lint_finding finding;
    char text[TEXT_ROOM]; /* the statement without its literals */
};

static void conclude(struct trial *t, enum lint_class class, enum err_code code, const char *reason)
{
    t->finding.class = class;
    t->finding.code = code;
    t->finding.reason = reason;
}

/* ---- values that are not known ---- */

/* Of a prepared statement or a digest: whatever they are, the client can choose them well. A
 * value that names a tenant is taken for one, every other for NULL, which fits everywhere. */
static void assume_values(struct trial *t)
{
    struct judgement *j = &t->judgement;
    struct slice tenant = t->session->facts.scope.chosen;
    if (!j->params || (!t->session->facts.scope.has_chosen &&
                       !lint_session_tenant(t->lint->sessions, t->session, &tenant)))
        return;
    for (uint32_t i = 0; i < j->template->client_params; i++)
        j->params[i] = (struct param_value){ .kind = PARAM_VALUE_NULL };
    for (size_t i = 0; i < j->template->sql_tenant_count; i++) {
        const struct value_ref *v = &j->template->sql_tenants[i];
        if (v->kind == VALUE_PARAM)
            j->params[v->param] =
                (struct param_value){ .kind = PARAM_VALUE_STRING, .bytes = tenant };
    }
    planning_route(&t->question, &t->lint->arena, j);
}

/* ---- what a tenant would mend ---- */

static bool lacks_tenant(enum err_code code)
{
    return code == MQ_TENANT_MISSING || code == MQ_SCATTER;
}

/* Would the same statement be served if the session named a tenant? */
static bool served_with_tenant(struct trial *t)
{
    struct session_facts facts = t->session->facts;
    struct question question = t->question;
    struct judgement j = t->judgement;
    struct slice tenant;
    if (!lint_session_tenant(t->lint->sessions, t->session, &tenant) ||
        tenant_scope_choose(&facts.scope, tenant, false, NULL) != MQ_OK)
        return false;
    question.facts = &facts;
    planning_route(&question, &t->lint->arena, &j);
    return j.err.code == MQ_OK;
}

/* ---- CREATE TABLE ---- */

static bool in_catalog(const struct trial *t, const struct node *create)
{
    const struct node *table = node_find(create, N_TABLE);
    const struct node *name = table ? node_find(table, N_NAME) : NULL;
    const struct node *ident = name ? name->child : NULL;
    while (ident && ident->next)
        ident = ident->next;
    return ident &&
           catalog_find(t->lint->planning.topology->catalog,
                        token_ident(&t->judgement.lexed, ident->first, &t->lint->arena)) != NULL;
}

/* The tree of a CREATE TABLE; NULL for everything else. */
static const struct node *created_table(struct trial *t)
{
    const struct lexed *l = &t->judgement.lexed;
    struct node *root;
    if (!t->judgement.template || !l->count || !token_is_keyword(&l->tokens[0], KW_CREATE) ||
        parse(l, &t->dialect, &t->lint->arena, &root, NULL) != MQ_OK)
        return NULL;
    return root->kind == N_CREATE_TABLE ? root : NULL;
}

/* A table with a tenant is for the shards: its keys count, not what mqgate would answer. */
static void judge_table(struct trial *t, const struct node *create)
{
    struct judgement *j = &t->judgement;
    if (ddl_names_tenant(&j->lexed, create)) {
        t->finding.table = LINT_TENANT_TABLE;
        t->finding.verdict = VERDICT_EVERY_SHARD;
        j->err.code = ddl_check_keys(&j->lexed, create, &j->err);
        if (j->err.code)
            conclude(t, LINT_REFUSED, j->err.code, j->err.text);
        else
            conclude(t, LINT_SERVED, MQ_OK, "every key leads with tenant");
        return;
    }
    t->finding.table = in_catalog(t, create) ? LINT_LEGACY_TABLE : LINT_OTHER_TABLE;
    if (t->finding.table == LINT_LEGACY_TABLE && !j->err.code)
        t->finding.reason = "as in the catalogue";
    if (t->event->kind == CAPTURE_DIGEST)
        conclude(t, LINT_UNJUDGED, MQ_OK, "a digest does not tell the whole definition");
}

/* ---- statements ---- */

static void conclude_refusal(struct trial *t)
{
    struct judgement *j = &t->judgement;
    t->finding.verdict = VERDICT_REJECT;
    /* The text is not the client's: what does not read may be the digest's fault. */
    if (t->event->kind == CAPTURE_DIGEST && (!j->template || j->err.code == MQ_SYNTAX))
        conclude(t, LINT_UNJUDGED, MQ_OK, "the digest does not read as a statement");
    else if (j->template && lacks_tenant(j->err.code) && served_with_tenant(t))
        conclude(t, LINT_SESSION, j->err.code, j->err.text);
    else
        conclude(t, LINT_REFUSED, j->err.code, j->err.text);
}

static void judge(struct trial *t)
{
    struct lint *lint = t->lint;
    struct judgement *j = &t->judgement;
    bool known = t->event->kind == CAPTURE_STATEMENT;
    planning_judge(&t->question, &lint->arena, j);
    if (!known && j->template && j->err.code)
        assume_values(t);
    t->finding.verdict = j->route.verdict;
    if (j->err.code)
        conclude_refusal(t);
    else
        conclude(t, LINT_SERVED, MQ_OK, "");
    const struct node *create = created_table(t);
    if (create)
        judge_table(t, create);
}

static void judge_cut(struct trial *t)
{
    if (t->event->kind == CAPTURE_DIGEST)
        conclude(t, LINT_UNJUDGED, MQ_OK,
                 "the digest may have lost its end to max_digest_length; raise it, or export "
                 "QUERY_SAMPLE_TEXT as well");
    else
        conclude(t, LINT_REFUSED, MQ_STATEMENT_TOO_LARGE, "longer than limits.max_statement_size");
    t->finding.verdict = VERDICT_REJECT;
}

/* ---- the report ---- */

static void report(struct trial *t)
{
    struct lint_finding *f = &t->finding;
    const struct judgement *j = &t->judgement;
    size_t len = lint_text(j, t->event->text, t->text, sizeof t->text);
    f->fingerprint = j->template ? j->lexed.fingerprint : 0;
    f->statement = slice_of(t->text, len);
    f->example = t->event->text;
    f->file = t->lint->file;
    f->line = t->event->line;
    f->count = t->event->count;
    lint_report_add(&t->lint->report, f);
}

/* Does a statement of a session in another database name the keyspace's tables all the same? */
static bool names_keyspace(const struct trial *t)
{
    const struct lexed *l = &t->judgement.lexed;
    const struct config *c = t->lint->planning.topology->config;
    for (uint32_t i = 0; t->judgement.template && i + 1 < l->count; i++) {
        if (!token_is_op(&l->tokens[i + 1], OP_DOT))
            continue;
        if (token_is_ident(l, i, c->keyspace))
            return true;
        for (size_t k = 0; k < c->database_aliases.count; k++)
            if (token_is_ident(l, i, c->database_aliases.items[k]))
                return true;
    }
    return false;
}

static void settle(struct trial *t)
{
    struct lint *lint = t->lint;
    struct judgement *j = &t->judgement;
    if (j->template && j->err.code == MQ_OK && !lint->digests &&
        lint_session_follow(lint->sessions, t->session, j, &lint->arena, &j->err) != MQ_OK)
        conclude(t, LINT_REFUSED, j->err.code, j->err.text);
    if (t->session->elsewhere && !names_keyspace(t))
        lint->report.elsewhere += t->event->count;
    else
        report(t);
}

static void take_statement(struct lint *lint, const struct capture_event *event)
{
    struct trial t = { .lint = lint, .event = event };
    t.session = lint_sessions_get(lint->sessions, event);
    t.dialect = t.session->dialect;
    if (event->kind == CAPTURE_DIGEST)
        t.dialect.modes |= MODE_IGNORE_SPACE; /* digests write COUNT ( * ) */
    t.question = (struct question){ .planning = &lint->planning,
                                    .dialect = &t.dialect,
                                    .facts = &t.session->facts,
                                    .text = event->text,
                                    .prepared = event->kind != CAPTURE_STATEMENT };
    if (event->cut)
        judge_cut(&t);
    else
        judge(&t);
    settle(&t);
    judgement_release(&t.judgement);
    arena_reset(&lint->arena);
}

/* The client's splitter follows the session's sql_mode, as the server tells it. */
static void follow_escapes(struct lint *lint, const struct capture_event *event)
{
    const struct lint_session *session = lint_sessions_get(lint->sessions, event);
    capture_set_escapes(lint->capture, !(session->dialect.modes & MODE_NO_BACKSLASH_ESCAPES));
}

void lint_take(void *context, const struct capture_event *event)
{
    struct lint *lint = context;
    if (lint->digests)
        lint_sessions_clear(lint->sessions); /* each row is of sessions of its own */
    switch (event->kind) {
    case CAPTURE_SESSION:
        lint_sessions_get(lint->sessions, event);
        return;
    case CAPTURE_END:
        lint_sessions_end(lint->sessions, event->session);
        return;
    case CAPTURE_UNSEEN:
        lint->report.unseen += event->count;
        return;
    case CAPTURE_DAMAGED:
        lint->report.damaged++;
        return;
    default:
        lint->file->statements += event->count;
        take_statement(lint, event);
    }
    if (lint->file->format == CAPTURE_SCRIPT)
        follow_escapes(lint, event);
}

size_t lint_row_width(void *context, struct slice table)
{
    const struct lint *lint = context;
    const struct catalog_table *t = catalog_find(lint->planning.topology->catalog, table);
    return t ? t->column_count : 0;
}
