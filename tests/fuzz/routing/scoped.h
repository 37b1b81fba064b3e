/* A second opinion about rewritten statements, written without the planner's code: does each
 * reference to a queue table carry a condition on its tenant that nothing can bypass?
 *
 * It looks at a tree only, and knows less than the planner: what it does not recognise as
 * scoped it reports. */
#ifndef MQ_TESTS_SCOPED_H
#define MQ_TESTS_SCOPED_H

#include <stdio.h>

#include "sql/tree.h"
#include "vschema/catalog.h"

struct scoped {
    const struct lexed *l;
    const struct catalog *catalog;
    struct arena *arena;
    bool shows_tenant; /* the client asked for the column: a star may stay */
    const struct node *hidden[64]; /* names of WITH that hide tables here */
    size_t hidden_count;
    size_t tables; /* references to queue tables in FROM clauses so far */
    char why[200]; /* the first fault; empty: none */
};

static inline void scoped_fault(struct scoped *s, const char *what, const struct node *n)
{
    struct slice text = token_text(s->l, n->first);
    if (!s->why[0])
        snprintf(s->why, sizeof s->why, "%s at %.*s (token %u)", what, (int)text.len, text.data,
                 (unsigned)n->first);
}

static inline struct slice scoped_last_name(struct scoped *s, const struct node *n)
{
    const struct node *last = n;
    for (const struct node *c = n->child; c; c = c->next)
        if (c->kind == N_IDENT)
            last = c;
    return token_ident(s->l, last->first, s->arena);
}

static inline bool scoped_is_queue_table(struct scoped *s, const struct node *table)
{
    const struct node *name = table->child;
    struct slice word = scoped_last_name(s, name);
    if (!name->child->next)
        for (size_t i = 0; i < s->hidden_count; i++)
            if (slice_eq(token_ident(s->l, s->hidden[i]->first, s->arena), word))
                return false;
    return catalog_find(s->catalog, word) != NULL;
}

static inline struct slice scoped_ref_name(struct scoped *s, const struct node *table)
{
    const struct node *alias = node_find(table, N_ALIAS);
    return scoped_last_name(s, alias ? alias : table->child);
}

/* ---- conditions ---- */

static inline bool scoped_is_constant(const struct node *n)
{
    while (n->kind == N_PAREN)
        n = n->child;
    return (n->kind == N_LITERAL && n->op == 0) || n->kind == N_PARAM;
}

static inline bool scoped_is_tenant(struct scoped *s, const struct node *column, struct slice table,
                                    bool alone)
{
    while (column->kind == N_PAREN)
        column = column->child;
    if (column->kind != N_COLUMN || !slice_ieq_cstr(scoped_last_name(s, column), "tenant"))
        return false;
    size_t parts = node_children(column);
    if (parts == 1)
        return alone;
    const struct node *qualifier = node_nth(column, parts - 2);
    return slice_eq(token_ident(s->l, qualifier->first, s->arena), table);
}

static inline bool scoped_is_condition(struct scoped *s, const struct node *n, struct slice table,
                                       bool alone)
{
    if (n->kind == N_COMPARE && n->op == OP_EQ) {
        const struct node *a = n->child, *b = a->next;
        return (scoped_is_tenant(s, a, table, alone) && scoped_is_constant(b)) ||
               (scoped_is_tenant(s, b, table, alone) && scoped_is_constant(a));
    }
    if (n->kind != N_IN || (n->flags & NODE_F_NOT) || !scoped_is_tenant(s, n->child, table, alone))
        return false;
    for (const struct node *v = n->child->next; v; v = v->next)
        if (v->kind != N_LITERALS && !scoped_is_constant(v))
            return false;
    return true;
}

static inline bool scoped_by(struct scoped *s, const struct node *n, struct slice table, bool alone)
{
    if (n->kind == N_PAREN)
        return scoped_by(s, n->child, table, alone);
    if (n->kind == N_AND)
        return scoped_by(s, n->child, table, alone) || scoped_by(s, n->child->next, table, alone);
    return scoped_is_condition(s, n, table, alone);
}

/* ---- tables ---- */

static inline void scoped_walk(struct scoped *s, const struct node *n);

static inline size_t scoped_count(const struct node *n)
{
    if (n->kind == N_TABLE || n->kind == N_DERIVED || n->kind == N_JSON_TABLE)
        return 1;
    size_t count = 0;
    if (n->kind == N_FROM || n->kind == N_JOIN || n->kind == N_TABLES_PAREN)
        for (const struct node *c = n->child; c; c = c->next)
            count += scoped_count(c);
    return count;
}

/* Is `table` below n filtered before n's rows reach those above? `filtered` also when it is
 * by a clause that stands in for WHERE further up (an inner join's ON). */
static inline bool scoped_inside(struct scoped *s, const struct node *n, const struct node *table,
                                 bool *ret_filtered)
{
    if (n == table)
        return true;
    if (n->kind == N_TABLES_PAREN || n->kind == N_FROM) {
        for (const struct node *c = n->child; c; c = c->next)
            if (scoped_inside(s, c, table, ret_filtered))
                return true;
        return false;
    }
    if (n->kind != N_JOIN)
        return false;
    bool in_left = scoped_inside(s, n->child, table, ret_filtered);
    if (!in_left && !scoped_inside(s, n->child->next, table, ret_filtered))
        return false;
    bool outer = n->op == KW_LEFT || n->op == KW_RIGHT;
    bool nullable = outer && in_left == (n->op == KW_RIGHT);
    const struct node *on = node_find(n, N_ON);
    if ((!outer || nullable) && on && scoped_by(s, on->child, scoped_ref_name(s, table), false))
        *ret_filtered = true;
    if (nullable && !*ret_filtered)
        scoped_fault(s, "nullable table without its condition", table);
    return true;
}

static inline void scoped_tables(struct scoped *s, const struct node *n, const struct node *from,
                                 const struct node *where)
{
    if (n->kind == N_TABLE && scoped_is_queue_table(s, n)) {
        s->tables++;
        bool filtered = false, alone = scoped_count(from) == 1;
        scoped_inside(s, from, n, &filtered);
        if (!filtered && !(where && scoped_by(s, where->child, scoped_ref_name(s, n), alone)))
            scoped_fault(s, "table without its condition", n);
    } else if (n->kind == N_DERIVED || n->kind == N_JSON_TABLE) {
        for (const struct node *c = n->child; c; c = c->next)
            scoped_walk(s, c);
    } else if (n->kind == N_FROM || n->kind == N_JOIN || n->kind == N_TABLES_PAREN) {
        for (const struct node *c = n->child; c; c = c->next)
            scoped_tables(s, c, from, where);
    } else {
        scoped_walk(s, n);
    }
}

/* ---- INSERT ---- */

static inline void scoped_row(struct scoped *s, const struct node *row, size_t index)
{
    const struct node *value = node_nth(row, index);
    if (!value || !scoped_is_constant(value))
        scoped_fault(s, "row without a tenant", row);
}

/* The item that gives a column with `before` columns in front of it and `behind` behind it. A
 * star stands for any number of them, so it is counted from the end that has no star. */
static inline const struct node *scoped_item(const struct node *list, size_t before, size_t behind)
{
    size_t count = node_children(list), stars = 0;
    const struct node *item = list->child;
    for (size_t i = 0; item && i < before; i++, item = item->next)
        stars += item->kind == N_STAR;
    if (item && stars == 0 && item->kind != N_STAR)
        return item;
    return behind < count ? node_nth(list, count - 1 - behind) : NULL;
}

static inline void scoped_selected(struct scoped *s, const struct node *n, size_t before,
                                   size_t behind)
{
    if (n->kind == N_BLOCK) {
        const struct node *list = node_find(n, N_SELECT_LIST);
        const struct node *item = scoped_item(list, before, behind);
        if (!node_find(list, N_STAR) && node_children(list) != before + 1 + behind)
            return; /* 1136 from the server */
        if (!item || item->kind != N_SELECT_ITEM || !scoped_is_constant(item->child))
            scoped_fault(s, "select list without a tenant", n);
        return;
    }
    for (const struct node *c = n->child; c; c = c->next)
        if (c->kind == N_BLOCK || c->kind == N_SET_OP || c->kind == N_QUERY_PAREN ||
            c->kind == N_QUERY)
            scoped_selected(s, c, before, behind);
}

static inline void scoped_insert(struct scoped *s, const struct node *n)
{
    const struct node *columns = node_find(n, N_COLUMNS), *rows = node_find(n, N_ROWS);
    const struct node *list = node_find(n, N_ASSIGNMENTS), *query = node_find(n, N_QUERY);
    size_t index = 0, found = 0, at = 0;
    const struct node *names = columns ? columns : list;
    for (const struct node *c = names ? names->child : NULL; c; c = c->next, index++) {
        const struct node *column = c->kind == N_ASSIGNMENT ? c->child : c;
        if (!slice_ieq_cstr(scoped_last_name(s, column), "tenant"))
            continue;
        found++;
        at = index;
        if (c->kind == N_ASSIGNMENT && !scoped_is_constant(column->next))
            scoped_fault(s, "tenant is not constant", c);
    }
    if (found != 1)
        scoped_fault(s, "INSERT that does not name the tenant once", n);
    for (const struct node *r = rows ? rows->child : NULL; r; r = r->next)
        scoped_row(s, r, at);
    if (query)
        scoped_selected(s, query, at, index - 1 - at);
}

static inline void scoped_assignments(struct scoped *s, const struct node *list)
{
    for (const struct node *a = list ? list->child : NULL; a; a = a->next)
        if (slice_ieq_cstr(scoped_last_name(s, a->child), "tenant"))
            scoped_fault(s, "tenant is assigned", a);
}

/* ---- queries ---- */

static inline void scoped_children(struct scoped *s, const struct node *n)
{
    for (const struct node *c = n->child; c; c = c->next)
        scoped_walk(s, c);
}

static inline void scoped_hide(struct scoped *s, const struct node *cte)
{
    if (s->hidden_count == sizeof s->hidden / sizeof *s->hidden)
        scoped_fault(s, "too many names", cte);
    else
        s->hidden[s->hidden_count++] = cte->child;
}

static inline void scoped_with(struct scoped *s, const struct node *with)
{
    for (const struct node *c = with->child; c; c = c->next) {
        if (with->op == KW_RECURSIVE)
            scoped_hide(s, c);
        scoped_children(s, c);
        if (with->op != KW_RECURSIVE)
            scoped_hide(s, c);
    }
}

static inline void scoped_star(struct scoped *s, const struct node *block)
{
    const struct node *list = node_find(block, N_SELECT_LIST), *from = node_find(block, N_FROM);
    for (const struct node *c = list->child; c; c = c->next) {
        if (c->kind != N_STAR || !from || s->shows_tenant)
            continue;
        for (const struct node *t = from->child; t; t = t->next)
            if (t->kind == N_TABLE && scoped_is_queue_table(s, t) &&
                (!c->child || slice_eq(scoped_last_name(s, c), scoped_ref_name(s, t))))
                scoped_fault(s, "star over a queue table", c);
    }
}

/* Into a queue table; what WITH names is none to it. */
static inline bool scoped_is_insert(struct scoped *s, const struct node *n)
{
    const struct node *target = n->kind == N_INSERT ? node_find(n, N_TABLE) : NULL;
    return target && catalog_find(s->catalog, scoped_last_name(s, target->child));
}

static inline void scoped_walk(struct scoped *s, const struct node *n)
{
    size_t hidden = s->hidden_count;
    const struct node *with = node_find(n, N_WITH), *from = node_find(n, N_FROM);
    if (with && n->kind != N_WITH)
        scoped_with(s, with);
    if (n->kind == N_BLOCK)
        scoped_star(s, n);
    if (scoped_is_insert(s, n)) {
        scoped_insert(s, n);
        scoped_assignments(s, node_find(n, N_ON_DUPLICATE));
    } else if (n->kind == N_UPDATE) {
        scoped_assignments(s, node_find(n, N_ASSIGNMENTS));
    } else if (n->kind == N_TABLE_STMT && scoped_is_queue_table(s, n->child)) {
        scoped_fault(s, "TABLE statement", n);
    }
    if (from)
        scoped_tables(s, from, from, node_find(n, N_WHERE));
    for (const struct node *c = n->child; c; c = c->next)
        if (c->kind != N_WITH && c->kind != N_FROM && !(n->kind == N_INSERT && c->kind == N_TABLE))
            scoped_walk(s, c);
    s->hidden_count = hidden;
}

/* NULL when every reference is scoped, else what is not. */
static inline const char *scoped_check(struct scoped *s, const struct node *root)
{
    s->why[0] = '\0';
    s->hidden_count = 0;
    scoped_walk(s, root);
    return s->why[0] ? s->why : NULL;
}

#endif
