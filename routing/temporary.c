/* Temporary tables, which live on the session's own connection: whether a name means one is known of
 * the session alone (route.c). A statement about nothing else is sent as it is; what it would read of
 * queue tables is copied by INSERT … SELECT first, so that no column of theirs, which may be ASCII on
 * the shards, meets one of unknown collation. */
#include "routing/plan_int.h"

static bool is_kept(const struct planner *p, struct slice name)
{
    const struct slice *known = p->temporaries.items;
    for (size_t i = 0; i < p->temporaries.count; i++)
        if (slice_eq(known[i], name))
            return true;
    return false;
}

void temporary_note(struct planner *p, struct slice name)
{
    if (!is_kept(p, name))
        *(struct slice *)vector_add(&p->temporaries, p->arena, sizeof name) = name;
}

bool temporary_alone(struct planner *p)
{
    if (p->alone == ALONE_UNKNOWN)
        p->alone = unsharded_names_queue_table(p) ? ALONE_NO : ALONE_YES;
    return p->alone == ALONE_YES;
}

/* Without an unsharded keyspace, whose server has them, and all sources being of one kind. */
bool temporary_settle(struct planner *p)
{
    bool mixed = p->t->table && p->reads_other;
    if (p->topology->has_unsharded || p->scatter || p->names_permanent || mixed || p->has_views)
        return false;
    p->t->temporaries = p->temporaries.items;
    p->t->temporary_count = p->temporaries.count;
    if (p->t->home == HOME_UNUSED)
        p->t->home = HOME_READ;
    return p->t->temporary_count > 0;
}

/* ---- CREATE, DROP ---- */

static enum err_code refuse_definition(struct planner *p, const char *what)
{
    return reject(p, MQ_NOT_UNDERSTOOD, "a temporary table with %s", what);
}

static enum err_code check_option(struct planner *p, const struct node *option)
{
    switch ((enum keyword)option->op) {
    case KW_REFERENCES:
    case KW_GENERATED:
    case KW_CHECK:
        return refuse_definition(p, "a computed column, a check or a foreign key");
    case KW_AUTO_INCREMENT: /* LAST_INSERT_ID() would be about it */
        return refuse_definition(p, "an AUTO_INCREMENT column");
    default:
        return visit_children(p, option);
    }
}

static enum err_code check_column(struct planner *p, const struct node *column)
{
    enum err_code code = MQ_OK;
    const struct node *type = node_find(column, N_TYPE);
    if (type && slice_ieq_cstr(token_text(p->l, type->first), "SERIAL"))
        return refuse_definition(p, "an AUTO_INCREMENT column");
    for (const struct node *c = column->child; c && !code; c = c->next)
        if (c->kind == N_COLUMN_OPTION)
            code = check_option(p, c);
    return code;
}

static enum err_code check_key(struct planner *p, const struct node *key)
{
    if (key->op == KW_FOREIGN || key->op == KW_CHECK)
        return refuse_definition(p, "a check or a foreign key");
    for (const struct node *c = key->child; c; c = c->next)
        if (c->kind == N_KEY_PART && c->child->kind != N_COLUMN)
            return refuse_definition(p, "a key of an expression");
    return MQ_OK;
}

/* Some engines read tables of other servers, or of their own. */
static enum err_code check_options(struct planner *p, const struct node *options)
{
    static const char *const served[] = { "ENGINE",  "INNODB",    "MEMORY", "HEAP",    "MYISAM",
                                          "DEFAULT", "CHARACTER", "SET",    "CHARSET", "COLLATE",
                                          "COMMENT", "UTF8MB4",   "LATIN1", "ASCII",   "BINARY" };
    for (uint32_t i = options->first; i <= options->last; i++) {
        const struct token *t = &p->l->tokens[i];
        struct slice text = token_text(p->l, i);
        bool known = t->kind == TOKEN_STRING || token_is_op(t, OP_EQ) || token_is_op(t, OP_COMMA);
        bool collation = i && slice_ieq_cstr(token_text(p->l, i - 1), "COLLATE");
        for (size_t n = 0; t->kind == TOKEN_IDENT && n < sizeof served / sizeof *served; n++)
            known |= slice_ieq_cstr(text, served[n]);
        if (!known && !collation && !(t->kind == TOKEN_IDENT && charset_of_collation(text)))
            return reject(p, MQ_NOT_UNDERSTOOD,
                          "%.*s among the options of a temporary table; leave it out, and fill the "
                          "table by INSERT … SELECT",
                          NAME_FORMAT(text));
    }
    return MQ_OK;
}

/* It would hide a table of the shard: one of the queue, or what its triggers read. */
static enum err_code check_name(struct planner *p, const struct node *name, struct slice *ret)
{
    static const char prefix[] = "mq_";
    *ret = plan_name(p, name);
    bool own = ret->len >= strlen(prefix) &&
               slice_ieq(slice_of(ret->data, strlen(prefix)), slice_cstr(prefix));
    bool queue = false;
    for (size_t i = 0; i < p->topology->catalog->table_count; i++)
        queue |= slice_ieq_cstr(*ret, p->topology->catalog->tables[i]->name);
    if (own || queue || memchr(ret->data, '\0', ret->len))
        return reject(p, MQ_STATEMENT_NOT_ALLOWED,
                      "a temporary table %.*s would hide the shard's; give it another name",
                      NAME_FORMAT(*ret));
    p->t->needs_database = true;
    return name->child->next ? refuse_definition(p, "its database; leave that out") : MQ_OK;
}

enum err_code temporary_create(struct planner *p, const struct node *create)
{
    const struct node *options = node_find(create, N_TABLE_OPTIONS);
    struct slice name;
    enum err_code code = home_is_plain(p, create);
    if (!code)
        code = check_name(p, node_find(create, N_TABLE)->child, &name);
    if (!code && p->topology->has_unsharded)
        return reject(p, MQ_STATEMENT_NOT_ALLOWED, "a temporary table beside a queue table");
    for (const struct node *c = create->child; c && !code; c = c->next)
        code = c->kind == N_COLUMN_DEF ? check_column(p, c)
               : c->kind == N_KEY_DEF  ? check_key(p, c)
                                       : MQ_OK;
    if (!code && options)
        code = check_options(p, options);
    if (code)
        return code;
    temporary_note(p, name);
    p->t->temporary = TEMPORARY_CREATED;
    p->t->home = HOME_KEPT;
    p->t->temporaries = p->temporaries.items;
    p->t->temporary_count = p->temporaries.count;
    return plan_settle(p);
}

/* It drops nothing else, whatever the names. */
enum err_code temporary_drop(struct planner *p, const struct node *drop)
{
    enum err_code code = home_is_plain(p, drop);
    if (code)
        return code;
    for (const struct node *c = drop->child; c; c = c->next) {
        if (c->child->child->next)
            return refuse_definition(p, "its database; leave that out");
        temporary_note(p, plan_name(p, c->child));
    }
    if (p->topology->has_unsharded)
        return reject(p, MQ_STATEMENT_NOT_ALLOWED, "DROP TEMPORARY TABLE of a queue table");
    p->t->temporary = TEMPORARY_DROPPED;
    p->t->needs_database = true;
    p->t->home = HOME_READ;
    p->t->temporaries = p->temporaries.items;
    p->t->temporary_count = p->temporaries.count;
    return plan_settle(p);
}

/* ---- INSERT ---- */

bool temporary_is_target(const struct planner *p, const struct node *target)
{
    const struct node *name = target->child;
    return !p->topology->has_unsharded && !p->scatter && !name->child->next &&
           !catalog_find(p->topology->catalog, token_ident(p->l, name->child->first, p->arena));
}

static enum err_code insert_part(struct planner *p, const struct node *n)
{
    enum err_code code = MQ_OK;
    switch ((enum node_kind)n->kind) {
    case N_TABLE:
    case N_COLUMNS:
        return MQ_OK;
    case N_ROWS:
        for (const struct node *r = n->child; r && !code; r = r->next)
            code = visit_children(p, r);
        return code;
    case N_ASSIGNMENTS:
    case N_ON_DUPLICATE:
        for (const struct node *a = n->child; a && !code; a = a->next)
            code = visit(p, a->child->next);
        return code;
    case N_QUERY:
        return query_visit(p, n);
    default:
        return reject(p, MQ_NOT_UNDERSTOOD, "%s in an INSERT into a temporary table",
                      node_kind_name((enum node_kind)n->kind));
    }
}

enum err_code temporary_insert(struct planner *p, const struct node *insert)
{
    enum err_code code = MQ_OK;
    const struct node *target = node_find(insert, N_TABLE);
    struct slice name = plan_name(p, target->child);
    p->t->writes = true;
    p->t->needs_database = true;
    for (const struct node *c = insert->child; c && !code; c = c->next)
        code = insert_part(p, c);
    temporary_note(p, name);
    p->other_table = p->has_other ? p->other_table : name;
    p->has_other = true;
    return code ? code : plan_settle(p);
}
