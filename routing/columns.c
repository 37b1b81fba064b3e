/* Columns: mentions of `tenant`, words that the shard's server reserves, values that are
 * written into identifier columns. */
#include "routing/plan_int.h"

#include "routing/pattern.h"
#include "routing/qualified.h"

bool column_is_tenant(const struct planner *p, const struct node *column)
{
    const struct node *ident = plan_last_ident(column);
    return ident && token_is_ident(p->l, ident->first, "tenant");
}

/* By token, since a client may write as many conditions as it likes. */
void column_claim(struct planner *p, const struct node *column)
{
    if (!p->claimed)
        p->claimed = arena_array(p->arena, bool, p->l->count);
    p->claimed[column->first] = true;
}

static bool is_claimed(const struct planner *p, const struct node *column)
{
    return p->claimed && p->claimed[column->first];
}

/* Behind a dot every word is a name. */
enum err_code column_quote(struct planner *p, const struct node *ident)
{
    const struct token *t = &p->l->tokens[ident->first];
    if (t->kind != TOKEN_IDENT || t->value == KEYWORD_NONE ||
        !keyword_reserved((enum keyword)t->value, p->dialect) ||
        (ident->first && token_is_op(t - 1, OP_DOT)) ||
        !catalog_any_column(p->topology->catalog, token_text(p->l, ident->first)))
        return MQ_OK;
    enum err_code code = plan_edit(p, EDIT_BEFORE, ident->first, ident->first, SLICE_LIT("`"));
    return code ? code : plan_edit(p, EDIT_AFTER, ident->first, ident->first, SLICE_LIT("`"));
}

/* The database of a view's column goes: a derived table has none. */
static enum err_code column_database(struct planner *p, const struct node *ident)
{
    if (p->has_views && token_is_ident(p->l, ident->first, "information_schema"))
        return plan_edit(p, EDIT_REPLACE, ident->first, ident->first + 1, SLICE_LIT(" "));
    return names_database(p, ident);
}

enum err_code column_visit(struct planner *p, const struct node *column)
{
    const struct node *first = column->child;
    if (column_is_tenant(p, column) &&
        (!is_claimed(p, column) || plan_in_comment(p, column->first, column->last)))
        return reject(p, MQ_COLUMN_TENANT,
                      "`tenant` may only be compared with a literal or a parameter, by = or IN, as "
                      "a condition of its own that nothing can bypass");
    bool done;
    enum err_code code = qualified_column(p, column, &done);
    if (code || done)
        return code;
    if (first && first->next && first->next->next) {
        code = column_database(p, first);
        if (code)
            return code;
        p->names_databases = true;
        first = first->next;
    }
    for (const struct node *c = first; c; c = c->next) {
        code = column_quote(p, c);
        if (code)
            return code;
    }
    return MQ_OK;
}

struct identifier_check *column_check_value(struct planner *p, const struct catalog_table *table,
                                            struct slice column, struct value_ref value)
{
    int index = catalog_column_index(table, column);
    if (index < 0 || value.kind == VALUE_NONE)
        return NULL;
    pattern_stored(p, column, value);
    const struct catalog_column *c = &table->columns[index];
    if (c->check == CHECK_NONE || (value.kind == VALUE_COMPUTED && c->check != CHECK_COUNTER))
        return NULL;
    struct identifier_check *check = vector_add(&p->checks, p->arena, sizeof *check);
    *check = (struct identifier_check){
        .check = c->check,
        .column = c->name,
        .value = value,
        .qualified = p->qualified && table->partition_key == c->name,
    };
    return check;
}

static bool is_last_insert_id(const struct planner *p, const struct node *n)
{
    return n->kind == N_FUNCTION && n->child && !n->child->next &&
           slice_ieq_cstr(token_text(p->l, n->first), "last_insert_id");
}

/* offset = offset, offset = VALUES(offset), offset = LAST_INSERT_ID(offset): what the row has,
 * or would have, already. */
static bool keeps_value(struct planner *p, struct slice column, const struct node *value)
{
    if (is_last_insert_id(p, value))
        value = value->child;
    if (value->kind == N_VALUES_FUNCTION)
        value = value->child;
    return value->kind == N_COLUMN && !value->child->next &&
           slice_ieq(plan_name(p, value), column);
}

static enum err_code check_assigned(struct planner *p, const struct catalog_table *table,
                                    struct slice column, const struct node *value)
{
    column_check_value(p, table, column, plan_value(p, value));
    return qualified_stored(p, table, column, value, false);
}

/* Whose value is not looked at: the key of a partition stays as it is. */
static enum err_code visit_named(struct planner *p, const struct node *n)
{
    p->naming = true;
    enum err_code code = visit(p, n);
    p->naming = false;
    return code;
}

enum err_code column_assigned(struct planner *p, const struct catalog_table *table,
                              const struct node *assignment)
{
    const struct node *column = assignment->child, *value = column->next;
    if (column_is_tenant(p, column))
        return reject(p, MQ_ASSIGNS_TENANT,
                      "the column `tenant` cannot be changed; insert the row for the other tenant "
                      "and delete this one");
    struct slice name = plan_name(p, column);
    bool keeps = keeps_value(p, name, value);
    enum err_code code = table && !keeps ? check_assigned(p, table, name, value) : MQ_OK;
    if (!code)
        code = visit_named(p, column);
    if (!code && table)
        code = charset_stored(p, table, name, value);
    if (code)
        return code;
    p->assigned = value;
    code = keeps ? visit_named(p, value) : visit(p, value);
    p->assigned = NULL;
    return code;
}
