/* Identifiers are ASCII on the shards, utf8mb4 in the legacy tables. The same text compares and
 * sorts alike in both; what could tell them apart is looked after here:
 *
 *   topic COLLATE utf8mb4_bin     CONVERT(topic USING utf8mb4) COLLATE utf8mb4_bin
 *   CHARSET(topic)                of the legacy column, by the same means
 *   @x := topic                   the same: the variable keeps it
 *   SELECT topic … UNION …        (and what `*` means) for MariaDB, which may make `?` of another
 *                                 branch's characters:
 *                                 CONVERT(topic USING utf8mb4) COLLATE utf8mb4_bin AS `topic`.
 *                                 MySQL answers with an error, whatever the sql_mode, and gives
 *                                 wrong rows where INTERSECT meets a converted outer column
 *   topic = 'é', CONCAT(topic, 'é')
 *                                 refused when the value is known: the servers' answer would be
 *                                 an error, or `?` in its place
 *   SET topic = CONCAT(id, 'x')   refused with IGNORE and without a strict sql_mode, which store `?` */
#include "routing/plan_int.h"

/* Beyond these the servers' error has to do: values of one list, functions in one another. */
enum { VALUES_MAX = 64, FUNCTIONS_MAX = 8 };

/* Around such a column; it then is what the legacy column was. */
#define CONVERT "CONVERT("
#define CONVERTED " USING utf8mb4) COLLATE utf8mb4_bin"

/* The queue tables' column of that name if it is an ASCII one, or NULL. */
static const struct catalog_column *catalog_ascii_column(const struct planner *p, struct slice name)
{
    const struct catalog *c = p->topology->catalog;
    for (size_t i = 0; i < c->table_count; i++) {
        int index = catalog_column_index(c->tables[i], name);
        if (index < 0)
            continue;
        const struct catalog_column *column = &c->tables[i]->columns[index];
        bool ascii = column->check == CHECK_ASCII || column->check == CHECK_ASCII_NONEMPTY;
        return ascii ? column : NULL;
    }
    return NULL;
}

/* The same of a column that is named: of temporary tables alone it is none. */
static const struct catalog_column *ascii_column(struct planner *p, struct slice name)
{
    return p->has_other && temporary_alone(p) ? NULL : catalog_ascii_column(p, name);
}

/* To MySQL JSON is utf8mb4 whatever it is made of. */
static bool keeps_charset(const struct planner *p, const struct node *function)
{
    struct slice name = token_text(p->l, function->first);
    return p->dialect->flavour != FLAVOUR_MYSQL || name.len < 5 ||
           !slice_ieq(slice_of(name.data, 5), SLICE_LIT("JSON_"));
}

/* queries: and the columns of sub-queries, which may have theirs from such a column. */
static const struct node *find_source(struct planner *p, const struct node *n, bool queries,
                                      int depth)
{
    if (n->kind == N_COLUMN) {
        bool foreign = p->has_queries && !catalog_any_column(p->topology->catalog, plan_name(p, n));
        return ascii_column(p, plan_name(p, n)) || (queries && foreign) ? n : NULL;
    }
    if (queries && n->kind == N_SUBQUERY)
        return n;
    if (depth == 0)
        return NULL;
    if (n->kind != N_PAREN && n->kind != N_CASE && n->kind != N_VALUES_FUNCTION &&
        !(n->kind == N_FUNCTION && keeps_charset(p, n)))
        return NULL;
    for (const struct node *c = n->child; c; c = c->next) {
        const struct node *source = find_source(p, c, queries, depth - 1);
        if (source)
            return n->kind == N_VALUES_FUNCTION ? n : source;
    }
    return NULL;
}

const struct node *charset_source(struct planner *p, const struct node *n)
{
    return find_source(p, n, false, FUNCTIONS_MAX);
}

static void add_check(struct planner *p, const struct node *source, const struct node *value)
{
    const struct catalog_column *column = ascii_column(p, plan_name(p, source));
    struct value_ref ref = plan_value(p, value);
    if (ref.kind != VALUE_TOKENS && ref.kind != VALUE_PARAM && ref.kind != VALUE_LITERALS)
        return;
    struct identifier_check *check = vector_add(&p->checks, p->arena, sizeof *check);
    *check = (struct identifier_check){ .check = CHECK_ASCII_MET,
                                        .column = column->name,
                                        .value = ref };
}

bool charset_meets(const struct planner *p, const struct node *n)
{
    return n->kind == N_COMPARE || n->kind == N_IN || n->kind == N_BETWEEN || n->kind == N_LIKE ||
           n->kind == N_CASE || (n->kind == N_FUNCTION && keeps_charset(p, n));
}

void charset_operands(struct planner *p, const struct node *n)
{
    const struct node *column = NULL;
    size_t values = 0;
    if (!charset_meets(p, n))
        return;
    for (const struct node *c = n->child; c && !column; c = c->next)
        column = charset_source(p, c);
    for (const struct node *c = column ? n->child : NULL; c && values < VALUES_MAX; c = c->next)
        if (c->kind == N_LITERAL || c->kind == N_PARAM || c->kind == N_LITERALS) {
            add_check(p, column, c);
            values++;
        }
}

static bool joins_text(const struct planner *p, const struct node *function)
{
    static const char *const names[] = { "CONCAT",    "CONCAT_WS", "IF",      "IFNULL", "COALESCE",
                                         "NULLIF",    "LOWER",     "UPPER",   "LEFT",   "RIGHT",
                                         "SUBSTRING", "SUBSTR",    "REPLACE", "MIN",    "MAX" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_ieq_cstr(token_text(p->l, function->first), names[i]))
            return true;
    return false;
}

/* Nothing but ASCII comes out of it, its literals being checked elsewhere. */
static bool is_ascii_value(struct planner *p, const struct node *n, int depth)
{
    static const bool is_plain[N_COUNT] = {
        [N_LITERAL] = true, [N_PARAM] = true, [N_DEFAULT] = true, [N_COMPARE] = true,
        [N_IS] = true,      [N_IN] = true,    [N_AND] = true,     [N_OR] = true,
        [N_NOT] = true,
    };
    if (is_plain[n->kind])
        return true;
    if (n->kind == N_COLUMN)
        return charset_source(p, n) && !p->has_queries;
    bool joined = n->kind == N_FUNCTION && joins_text(p, n) && charset_source(p, n);
    if (depth == 0 || (!joined && n->kind != N_PAREN && n->kind != N_VALUES_FUNCTION))
        return false;
    for (const struct node *c = n->child; c; c = c->next)
        if (!is_ascii_value(p, c, depth - 1))
            return false;
    return true;
}

enum err_code charset_stored(struct planner *p, const struct catalog_table *table,
                             struct slice column, const struct node *value)
{
    int index = catalog_column_index(table, column);
    if (index < 0 || !ascii_column(p, column) ||
        (value && is_ascii_value(p, value, FUNCTIONS_MAX)))
        return MQ_OK;
    p->t->computed = table->columns[index].name;
    if (!p->ignores)
        return MQ_OK;
    return reject(p, MQ_IDENTIFIER_INVALID,
                  "the value for %s is not known to be ASCII; with IGNORE a shard would store `?` "
                  "for what is not",
                  table->columns[index].name);
}

/* A derived table's column may be an identifier under another name. */
static bool may_be_ascii(struct planner *p, const struct node *n)
{
    return charset_source(p, n) ||
           (n->kind == N_COLUMN && !catalog_any_column(p->topology->catalog, plan_name(p, n)));
}

static enum err_code convert(struct planner *p, const struct node *n, const char *behind)
{
    enum err_code code = plan_edit(p, EDIT_BEFORE, n->first, n->first, SLICE_LIT(CONVERT));
    return code ? code : plan_edit(p, EDIT_AFTER, n->last, n->last, slice_cstr(behind));
}

static bool is_function(const struct planner *p, const struct node *n, const char *const *names)
{
    for (; n->kind == N_FUNCTION && *names; names++)
        if (slice_ieq_cstr(token_text(p->l, n->first), *names))
            return true;
    return false;
}

/* Does CASE answer with its nth operand? WHEN a THEN b WHEN c THEN d ELSE e, perhaps behind one. */
static bool is_branch(const struct planner *p, const struct node *n, size_t nth, bool last)
{
    size_t bare = token_is_keyword(&p->l->tokens[n->first + 1], KW_WHEN) ? 0 : 1;
    return nth >= bare && ((nth - bare) % 2 == 1 || last);
}

/* May n's value be that of its nth operand? */
static bool may_be_operand(const struct planner *p, const struct node *n, size_t nth, bool last)
{
    static const char *const any[] = { "MIN", "MAX", "COALESCE", "IFNULL", "GREATEST", "LEAST",
                                       NULL };
    static const char *const first[] = { "NULLIF", NULL };
    static const char *const others[] = { "IF", NULL };
    return n->kind == N_PAREN || is_function(p, n, any) || (nth == 0 && is_function(p, n, first)) ||
           (nth > 0 && is_function(p, n, others)) ||
           (n->kind == N_CASE && is_branch(p, n, nth, last));
}

/* A text in the character set of an ASCII column: no number that is made of one. queries: or of a
 * query's column that may be one. */
static bool is_ascii_text(struct planner *p, const struct node *n, bool queries, int depth)
{
    static const char *const texts[] = { "CONCAT", "CONCAT_WS", "LOWER", "UPPER",
                                         "LEFT",   "RIGHT",     "TRIM",  "SUBSTRING",
                                         "SUBSTR", "REPLACE",   NULL };
    size_t nth = 0;
    if (n->kind == N_COLUMN || n->kind == N_SUBQUERY || is_function(p, n, texts))
        return find_source(p, n, queries, FUNCTIONS_MAX);
    for (const struct node *c = depth ? n->child : NULL; c; c = c->next, nth++)
        if (may_be_operand(p, n, nth, !c->next) && is_ascii_text(p, c, queries, depth - 1))
            return true;
    return false;
}

/* Does a query inside the statement list such a text, or a star that may hold one? */
static bool lists_ascii(struct planner *p, const struct node *n, bool inner)
{
    inner = inner || n->kind == N_DERIVED || n->kind == N_SUBQUERY || n->kind == N_CTE;
    for (const struct node *c = n->child; c; c = c->next) {
        bool item = inner && n->kind == N_SELECT_LIST;
        if ((item && (c->kind == N_STAR || is_ascii_text(p, c->child, false, FUNCTIONS_MAX))) ||
            lists_ascii(p, c, inner))
            return true;
    }
    return false;
}

static bool queries_list_ascii(struct planner *p)
{
    if (p->list_ascii == TEXTS_UNKNOWN)
        p->list_ascii = lists_ascii(p, p->root, false) ? TEXTS_SOME : TEXTS_NONE;
    return p->list_ascii == TEXTS_SOME;
}

/* HAVING and ORDER BY look for it. To GROUP BY it is a second column of that name, which the server
 * warns of. */
static bool needs_name(const struct planner *p, const struct node *block)
{
    bool inserted = p->t->writes && !p->inner;
    bool names = p->united == BRANCH_FIRST && !inserted;
    return names || node_find(block, N_HAVING) || !node_find(block, N_GROUP_BY);
}

/* Is an identifier column named below n, or, qualified: by its table's name as well? */
static bool names_ascii(struct planner *p, const struct node *n, bool qualified)
{
    if (n->kind == N_COLUMN)
        return ascii_column(p, plan_name(p, n)) && (!qualified || n->child->next);
    for (const struct node *c = n->child; c; c = c->next)
        if (names_ascii(p, c, qualified))
            return true;
    return false;
}

static bool has_child_of(const struct node *n, enum node_kind kind)
{
    return n && node_find(n, kind);
}

/* HAVING finds a listed column by its own name alone when that is the name of a conversion, and
 * beside GROUP BY 1, topic twice. */
static bool having_misses(struct planner *p, const struct node *block)
{
    const struct node *having = node_find(block, N_HAVING);
    bool numbered = has_child_of(node_find(block, N_GROUP_BY), N_LITERAL);
    return having && names_ascii(p, having, !numbered);
}

/* What is grouped by the column and lists a conversion of it is to the server another statement: it
 * has no row of WITH ROLLUP for the conversion, and MySQL misses the column behind HAVING (1055). */
static bool groups_otherwise(struct planner *p, const struct node *block)
{
    const struct node *group = node_find(block, N_GROUP_BY);
    bool mysql = p->dialect->flavour == FLAVOUR_MYSQL;
    return having_misses(p, block) ||
           (group && (group->op == KW_ROLLUP || (mysql && node_find(block, N_HAVING))));
}

static enum err_code reject_other_column(struct planner *p)
{
    return reject(p, MQ_NOT_UNDERSTOOD,
                  "a query's column in a branch of UNION that may be an identifier under "
                  "another name; give it the name of the table's column");
}

enum err_code charset_united_form(struct planner *p, const struct node *block,
                                  struct united_form *ret)
{
    *ret = (struct united_form){ false, false };
    if (p->united == BRANCH_NONE ||
        (p->dialect->flavour == FLAVOUR_MYSQL && !collation_united(p)))
        return MQ_OK;
    if (block && groups_otherwise(p, block))
        return reject(p, MQ_NOT_UNDERSTOOD,
                      "an identifier column in a branch of UNION that has WITH ROLLUP or HAVING; select "
                      "and group by CONVERT(… USING utf8mb4) instead");
    *ret = (struct united_form){ true, !block || needs_name(p, block) };
    return MQ_OK;
}

enum err_code charset_united_query(struct planner *p)
{
    bool may_be = p->united != BRANCH_NONE && p->dialect->flavour != FLAVOUR_MYSQL;
    return may_be && queries_list_ascii(p) ? reject_other_column(p) : MQ_OK;
}

void charset_united_column(const struct planner *p, struct slice table, struct slice column,
                           const struct united_form *form, struct text *out)
{
    bool convert = form->convert && catalog_ascii_column(p, column);
    if (convert)
        text_add(out, CONVERT);
    if (table.len) {
        text_ident(out, table);
        text_add(out, ".");
    }
    text_ident(out, column);
    if (convert)
        text_add(out, CONVERTED);
    if (convert && form->named) {
        text_add(out, " AS ");
        text_ident(out, column);
    }
}

enum err_code charset_united(struct planner *p, const struct node *block, const struct node *item)
{
    const struct node *expr = item->child;
    struct united_form form;
    if (!is_ascii_text(p, expr, false, FUNCTIONS_MAX))
        return is_ascii_text(p, expr, true, FUNCTIONS_MAX) ? charset_united_query(p) : MQ_OK;
    enum err_code code = charset_united_form(p, block, &form);
    if (code || !form.convert)
        return code;
    code = convert(p, expr, CONVERTED);
    if (code || expr->kind != N_COLUMN || expr->next || !form.named)
        return code;
    struct text name = { .arena = p->arena };
    text_add(&name, " AS ");
    text_ident(&name, plan_name(p, expr));
    return plan_edit(p, EDIT_AFTER, expr->last, expr->last, text_slice(&name));
}

enum err_code charset_kept(struct planner *p, const struct node *value)
{
    if (is_ascii_text(p, value, false, FUNCTIONS_MAX))
        return convert(p, value, CONVERTED);
    if (is_ascii_text(p, value, true, FUNCTIONS_MAX) && queries_list_ascii(p))
        return reject(p, MQ_NOT_UNDERSTOOD,
                      "a user variable takes a query's column that may be an identifier; select the "
                      "table's own column INTO it");
    return MQ_OK;
}

enum err_code charset_collate(struct planner *p, const struct node *collate)
{
    enum err_code code = visit_children(p, collate);
    return code || !may_be_ascii(p, collate->child) ? code
                                                    : convert(p, collate->child, " USING utf8mb4)");
}

enum err_code charset_function(struct planner *p, const struct node *function)
{
    static const char *const names[] = { "CHARSET", "COLLATION", "WEIGHT_STRING" };
    const struct node *argument = function->child;
    const struct node *source = argument ? find_source(p, argument, true, FUNCTIONS_MAX) : NULL;
    for (size_t i = 0; source && i < sizeof names / sizeof *names; i++) {
        if (!slice_ieq_cstr(token_text(p->l, function->first), names[i]))
            continue;
        if (source != argument || source->kind == N_SUBQUERY || p->has_queries)
            return reject(p, MQ_NOT_UNDERSTOOD,
                          "%s() of an expression with an identifier column, which is ASCII on the "
                          "shards, or of a query's column; give it the table's column alone",
                          names[i]);
        return convert(p, argument, CONVERTED);
    }
    return MQ_OK;
}
