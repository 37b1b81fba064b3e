/* SHOW and DESCRIBE of tables, columns and indexes: rewritten into a SELECT over the schema's
 * views, which any shard evaluates.
 *
 *   SHOW COLUMNS FROM t  LIKE 'x'
 *   └─────┬────────────┘
 *   SELECT `Field`, … FROM (…) AS t WHERE `Field`  LIKE 'x' ORDER BY mq_row */
#include "routing/views.h"

bool show_has_modifier(const struct planner *p, const struct node *show, enum keyword word)
{
    for (uint32_t i = show->first + 1; i <= show->last && i <= show->first + 2; i++)
        if (token_is_keyword(&p->l->tokens[i], word))
            return true;
    return false;
}

static enum err_code check_database(struct planner *p, const struct node *ident)
{
    struct slice name = token_ident(p->l, ident->first, p->arena);
    if (names_is_keyspace(p, name)) {
        names_note_database(p, name);
        return MQ_OK;
    }
    return reject(p, MQ_DATABASE_UNKNOWN, "database %.*s is not %s, which this sidecar serves",
                  NAME_FORMAT(name), p->topology->config->keyspace);
}

/* `t`, `db.t` or `t FROM db`, without a splice: the name goes. */
static enum err_code find_table(struct planner *p, const struct node *show,
                                const struct catalog_table **ret)
{
    const struct node *name = node_find(show, N_NAME), *from = node_find(show, N_SHOW_FROM);
    const struct node *database = from ? from->child : name->child->next ? name->child : NULL;
    struct slice table = plan_name(p, name);
    enum err_code code = database ? check_database(p, database) : MQ_OK;
    if (code)
        return code;
    p->t->needs_database = !database;
    *ret = catalog_find(p->topology->catalog, table);
    return *ret ? MQ_OK
                : reject(p, MQ_TABLE_UNKNOWN,
                         "table %.*s is not a queue table; `queue_tables:` adds others",
                         NAME_FORMAT(table));
}

/* The name that a session has selected is known beforehand if there is only one. */
static void set_heading(struct planner *p, const char *prefix, const struct node *from)
{
    p->t->show_heading.prefix = prefix;
    p->t->show_heading.modes = p->dialect->modes;
    if (from)
        p->t->show_heading.database = plan_name(p, from);
    else if (!p->topology->config->database_aliases.count)
        p->t->show_heading.database = slice_cstr(p->topology->config->keyspace);
    else
        p->t->show_heading.of_session = true;
}

/* ---- filters ---- */

/* Names of databases and tables compare by their bytes; MariaDB's information_schema says
 * otherwise. */
static void add_like_column(const struct planner *p, enum view_id view, struct text *out)
{
    bool bytes = view != VIEW_SHOW_COLUMNS && view != VIEW_SHOW_FULL_COLUMNS &&
                 p->dialect->flavour == FLAVOUR_MARIADB;
    text_add(out, bytes ? "CONVERT(" : "");
    view_headings(p, view, true, out);
    text_add(out, bytes ? " USING utf8mb4) COLLATE utf8mb4_bin " : " ");
}

static enum err_code filter_like(struct planner *p, const struct node *like)
{
    p->t->pattern = plan_value(p, like->child);
    return p->t->pattern.kind == VALUE_TOKENS
               ? MQ_OK
               : reject(p, MQ_NOT_UNDERSTOOD, "LIKE takes a string literal here");
}

static enum err_code filter_where(struct planner *p, const struct node *where)
{
    enum err_code code = visit(p, where);
    if (!code && (p->t->table || p->has_other))
        code = reject(p, MQ_STATEMENT_NOT_ALLOWED, "SHOW is served by itself only");
    return code;
}

/* Everything in front of the filter gives way to head, and the order follows. */
static enum err_code splice(struct planner *p, const struct node *show, const struct node *filter,
                            const struct text *head)
{
    static const char order[] = " ORDER BY mq_row";
    uint32_t last = filter ? filter->first - 1 : show->last;
    enum err_code code = plan_edit(p, EDIT_REPLACE, show->first, last, text_slice(head));
    return code ? code
                : plan_edit(p, EDIT_AFTER, show->last, show->last, slice_of(order, strlen(order)));
}

static enum err_code select_view(struct planner *p, const struct node *show, enum view_id view,
                                 const struct catalog_table *table)
{
    const struct node *like = node_find(show, N_LIKE_PATTERN), *where = node_find(show, N_WHERE);
    struct text head = { .arena = p->arena };
    text_add(&head, "SELECT ");
    view_headings(p, view, false, &head);
    text_add(&head, " FROM ");
    enum err_code code = view_text(p, view, table, true, &head);
    text_add(&head, " AS mq_show ");
    if (!code && like)
        code = filter_like(p, like);
    if (!code && where)
        code = filter_where(p, where);
    if (code)
        return code;
    if (like) {
        text_add(&head, "WHERE ");
        add_like_column(p, view, &head);
    }
    p->t->verdict = VERDICT_PASS;
    return splice(p, show, like ? like : where, &head);
}

/* ---- the subjects ---- */

static enum err_code show_of_table(struct planner *p, const struct node *show, enum view_id view)
{
    const struct catalog_table *table;
    enum err_code code = find_table(p, show, &table);
    return code ? code : select_view(p, show, view, table);
}

static enum err_code show_of_database(struct planner *p, const struct node *show,
                                      enum view_id view, const char *heading)
{
    const struct node *from = node_find(show, N_SHOW_FROM);
    enum err_code code = from ? check_database(p, from->child) : MQ_OK;
    if (code)
        return code;
    p->t->needs_database = !from;
    set_heading(p, heading, from);
    return select_view(p, show, view, NULL);
}

static enum err_code show_databases(struct planner *p, const struct node *show)
{
    p->t->show_heading.prefix = "Database";
    p->t->show_heading.modes = p->dialect->modes;
    return select_view(p, show, VIEW_SHOW_DATABASES, NULL);
}

/* One row of two texts takes the place of the whole statement. */
static enum err_code select_texts(struct planner *p, const struct node *show, const char *heading,
                                  struct slice name, struct slice definition)
{
    struct text t = { .arena = p->arena };
    text_add(&t, "SELECT ");
    text_literal(&t, name);
    text_add(&t, " AS `");
    text_add(&t, heading);
    text_add(&t, "`, ");
    text_literal(&t, definition);
    text_add(&t, " AS `Create ");
    text_add(&t, heading);
    text_add(&t, "`");
    p->t->verdict = VERDICT_PASS;
    return plan_edit(p, EDIT_REPLACE, show->first, show->last, text_slice(&t));
}

static enum err_code show_create_table(struct planner *p, const struct node *show)
{
    struct text text = { .arena = p->arena };
    const struct catalog_table *table;
    enum err_code code = find_table(p, show, &table);
    if (!code)
        code = view_definition(p, table, &text);
    return code ? code
                : select_texts(p, show, "Table", slice_cstr(table->name), text_slice(&text));
}

static enum err_code show_create(struct planner *p, const struct node *show)
{
    if (node_find(show, N_NAME))
        return show_create_table(p, show);
    return reject(p, MQ_STATEMENT_NOT_ALLOWED, "SHOW CREATE is served of tables only");
}

/* DESCRIBE t [column | 'pattern'] is SHOW COLUMNS FROM t [LIKE …]. */
static enum err_code describe(struct planner *p, const struct node *n)
{
    struct text t = { .arena = p->arena };
    const struct node *what = n->child->next;
    const struct catalog_table *table;
    enum err_code code = find_table(p, n, &table);
    text_add(&t, "SELECT ");
    view_headings(p, VIEW_SHOW_COLUMNS, false, &t);
    text_add(&t, " FROM ");
    if (!code)
        code = view_text(p, VIEW_SHOW_COLUMNS, table, true, &t);
    if (code)
        return code;
    text_add(&t, what ? " AS mq_show WHERE `Field` LIKE " : " AS mq_show");
    p->t->verdict = VERDICT_PASS;
    if (!what || what->kind != N_IDENT)
        return splice(p, n, what, &t);
    text_literal(&t, plan_name(p, what));
    return splice(p, n, NULL, &t);
}

enum err_code show_schema_plan(struct planner *p, const struct node *show)
{
    bool full = show_has_modifier(p, show, KW_FULL);
    if (show->kind == N_DESCRIBE)
        return describe(p, show);
    if (show_has_modifier(p, show, KW_EXTENDED))
        return reject(p, MQ_STATEMENT_NOT_ALLOWED,
                      "SHOW EXTENDED is not served: it tells what a server hides in a table");
    switch ((enum keyword)show->op) {
    case KW_DATABASES:
        return show_databases(p, show);
    case KW_TABLES:
        return show_of_database(p, show, full ? VIEW_SHOW_FULL_TABLES : VIEW_SHOW_TABLES,
                                "Tables_in_");
    case KW_TABLE:
        return show_of_database(p, show, VIEW_SHOW_TABLE_STATUS, NULL);
    case KW_TRIGGERS:
        return show_of_database(p, show, VIEW_SHOW_TRIGGERS, NULL);
    case KW_COLUMNS:
        return show_of_table(p, show, full ? VIEW_SHOW_FULL_COLUMNS : VIEW_SHOW_COLUMNS);
    case KW_INDEX:
        return show_of_table(p, show, VIEW_SHOW_INDEX);
    default:
        return show_create(p, show);
    }
}
