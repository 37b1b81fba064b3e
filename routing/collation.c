/* Texts with the session's collation beside identifier columns.
 *
 * A column's collation and that of CAST, CONVERT and a user variable weigh the same. Between utf8mb4_bin, which the
 * legacy columns have, and another of utf8mb4, the servers take utf8mb4_bin; between ascii_bin and
 * one of utf8mb4, they take the latter, by which 'a' may equal 'A'. So such a column becomes
 * CONVERT(topic USING utf8mb4) COLLATE utf8mb4_bin beside such a text, and beside what may hold one:
 * the columns of queries, if any query's list has one. What is binary keeps its own.
 *
 * MariaDB would make ASCII of JSON's texts and of decoded bytes, `?` for what is none: the column is
 * converted beside these as well. */
#include "routing/plan_int.h"

enum { FUNCTIONS_MAX = 8 };

/* CAST(a AS CHAR), CONVERT(a, CHAR), CONVERT(a USING utf8mb4): anything but a number, a time, JSON
 * or bytes. */
static bool makes_text(const struct planner *p, const struct node *cast)
{
    static const char *const others[] = { "SIGNED", "UNSIGNED", "INT",      "INTEGER", "DECIMAL",
                                          "DEC",    "FLOAT",    "DOUBLE",   "REAL",    "DATE",
                                          "TIME",   "DATETIME", "YEAR",     "JSON",    "BINARY",
                                          "VARBINARY" };
    uint32_t type = cast->child ? cast->child->last + 2 : cast->last;
    for (size_t i = 0; type < cast->last && i < sizeof others / sizeof *others; i++)
        if (slice_ieq_cstr(token_text(p->l, type), others[i]))
            return false;
    return true;
}

/* Is there, where n has its text from, such a node? */
static bool holds(const struct planner *p, const struct node *n,
                  bool (*is_it)(const struct planner *, const struct node *), int depth)
{
    if (is_it(p, n))
        return true;
    if (depth == 0 || (n->kind != N_PAREN && n->kind != N_CASE && n->kind != N_FUNCTION))
        return false;
    for (const struct node *c = n->child; c; c = c->next)
        if (holds(p, c, is_it, depth - 1))
            return true;
    return false;
}

static bool yields_to_ascii(const struct planner *p, const struct node *n)
{
    static const char *const names[] = { "UNHEX",         "FROM_BASE64", "UNCOMPRESS",
                                         "AES_DECRYPT",   "DES_DECRYPT", "DECODE",
                                         "COLUMN_GET",    "COLUMN_JSON", "EXTRACTVALUE" };
    if (p->dialect->flavour != FLAVOUR_MARIADB || n->kind != N_FUNCTION)
        return false;
    struct slice name = token_text(p->l, n->first);
    if (name.len > 5 && slice_ieq(slice_of(name.data, 5), SLICE_LIT("JSON_")))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_ieq_cstr(name, names[i]))
            return true;
    return false;
}

static bool is_cast(const struct planner *p, const struct node *n)
{
    return (n->kind == N_CAST && makes_text(p, n)) || n->kind == N_USER_VARIABLE ||
           n->kind == N_ASSIGN_VARIABLE || yields_to_ascii(p, n);
}

static bool is_of_query(const struct planner *p, const struct node *n)
{
    (void)p;
    return n->kind == N_COLUMN || n->kind == N_SUBQUERY;
}

/* To MySQL a column of a query has the session's collation as CAST has, if an aggregate made it. */
static bool is_aggregate(const struct planner *p, const struct node *n)
{
    static const char *const names[] = { "MIN", "MAX", "GROUP_CONCAT", "ANY_VALUE" };
    if (p->dialect->flavour != FLAVOUR_MYSQL || n->kind != N_FUNCTION || !n->child ||
        n->child->kind == N_COLUMN)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_ieq_cstr(token_text(p->l, n->first), names[i]))
            return true;
    return false;
}

/* A text in the list of a query that stands inside another statement, or a column of JSON_TABLE,
 * which to MariaDB has the collation of a literal. */
static bool shows_text(const struct planner *p, const struct node *n, bool inner, bool listed)
{
    if (n->kind == N_JSON_TABLE && p->dialect->flavour == FLAVOUR_MYSQL)
        return true;
    if (listed && (is_cast(p, n) || is_aggregate(p, n)))
        return true;
    inner = inner || n->kind == N_SUBQUERY || n->kind == N_CTE;
    listed = listed || (inner && (n->kind == N_SELECT_LIST || n->kind == N_VALUES_ROWS));
    for (const struct node *c = n->child; c; c = c->next)
        if (shows_text(p, c, inner, listed))
            return true;
    return false;
}

/* own: or in the statement's own list. */
static bool lists_show_text(struct planner *p, bool own)
{
    enum list_texts *known = &p->list_texts[own];
    if (*known == TEXTS_UNKNOWN)
        *known = shows_text(p, p->root, own, false) ? TEXTS_SOME : TEXTS_NONE;
    return *known == TEXTS_SOME;
}

bool collation_united(struct planner *p)
{
    return lists_show_text(p, true);
}

static bool is_text(struct planner *p, const struct node *operand)
{
    return holds(p, operand, is_cast, FUNCTIONS_MAX) ||
           (holds(p, operand, is_of_query, FUNCTIONS_MAX) && lists_show_text(p, false));
}

/* The operands, and members of those that are rows, that hold such a text. */
struct texts {
    size_t count;
    const struct node *source; /* that the last of them has as well, or NULL */
};

static void find_texts(struct planner *p, const struct node *n, struct texts *ret)
{
    for (const struct node *c = n->child; c; c = c->next)
        if (c->kind == N_ROW_EXPR) {
            find_texts(p, c, ret);
        } else if (is_text(p, c)) {
            ret->count++;
            ret->source = charset_source(p, c);
        }
}

/* Once, however many operators stand around it. */
static enum err_code convert(struct planner *p, const struct node *source)
{
    if (!p->converted)
        p->converted = arena_array(p->arena, bool, p->l->count);
    if (p->converted[source->first])
        return MQ_OK;
    p->converted[source->first] = true;
    enum err_code code =
        plan_edit(p, EDIT_BEFORE, source->first, source->first, SLICE_LIT("CONVERT("));
    return code ? code
                : plan_edit(p, EDIT_AFTER, source->last, source->last,
                            SLICE_LIT(" USING utf8mb4) COLLATE utf8mb4_bin"));
}

/* n: the operator, or a row among its operands. */
static enum err_code convert_operands(struct planner *p, const struct node *n,
                                      const struct texts *texts)
{
    enum err_code code = MQ_OK;
    for (const struct node *c = n->child; c && !code; c = c->next) {
        const struct node *source = charset_source(p, c);
        if (c->kind == N_ROW_EXPR)
            code = convert_operands(p, c, texts);
        else if (source && (texts->count > 1 || texts->source != source))
            code = convert(p, source);
    }
    return code;
}

enum err_code collation_operands(struct planner *p, const struct node *n)
{
    struct texts texts = { 0, NULL };
    if (charset_meets(p, n))
        find_texts(p, n, &texts);
    return texts.count ? convert_operands(p, n, &texts) : MQ_OK;
}

enum err_code collation_join(struct planner *p, const struct table_ref *refs)
{
    for (const struct table_ref *r = refs; r; r = r->next)
        if (!r->table && lists_show_text(p, false))
            return reject(p, MQ_NOT_UNDERSTOOD,
                          "USING or NATURAL with a query in a statement where a query's text has "
                          "the session's collation (CAST, CONVERT); write ON instead");
    return MQ_OK;
}
