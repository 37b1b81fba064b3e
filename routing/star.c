/* `*` and `t.*`: the legacy columns in legacy order, so that the client never sees the new
 * one unless it asked for the tenant schema. Queries among the tables keep their star: theirs
 * were expanded inside; only where NATURAL or USING merges columns they are named, too. */
#include "routing/plan_int.h"

static void add_column(struct slice table, struct slice column, struct text *out)
{
    if (out->len)
        text_add(out, ", ");
    if (table.len) {
        text_ident(out, table);
        text_add(out, ".");
    }
    text_ident(out, column);
}

void star_columns(const struct planner *p, const struct catalog_table *table, struct slice name,
                  struct text *out)
{
    struct text t = { .arena = p->arena };
    if (plan_shows_tenant(p))
        add_column(name, SLICE_LIT("tenant"), &t);
    for (size_t i = 0; i < table->column_count; i++)
        add_column(name, slice_cstr(table->columns[i].name), &t);
    text_slice_add(out, text_slice(&t));
}

static void ref_columns(const struct planner *p, const struct scope *s, const struct table_ref *r,
                        struct text *out)
{
    bool qualified = s->count > 1 || r->has_alias;
    if (r->table) {
        star_columns(p, r->table, qualified ? r->name : slice_of("", 0), out);
        return;
    }
    text_ident(out, r->name);
    text_add(out, ".*");
}

static enum err_code replace(struct planner *p, const struct node *star, const struct text *text)
{
    return plan_edit(p, EDIT_REPLACE, star->first, star->last, text_slice(text));
}

static enum err_code expand_merged(struct planner *p, const struct scope *s,
                                   const struct node *star)
{
    struct text text = { .arena = p->arena };
    struct vector v = { NULL, 0, 0 };
    if (!shape_scope(p, s, &v))
        return reject(p, MQ_NOT_UNDERSTOOD,
                      "`*` over NATURAL JOIN or USING with a query whose columns are not all "
                      "named; name the columns");
    const struct shown_column *columns = v.items;
    for (size_t i = 0; i < v.count; i++)
        add_column(columns[i].ref->name, columns[i].name, &text);
    return replace(p, star, &text);
}

static enum err_code expand_all(struct planner *p, const struct scope *s, const struct node *star)
{
    struct text text = { .arena = p->arena };
    if (!s->queue_count)
        return MQ_OK;
    if (s->merges)
        return expand_merged(p, s, star);
    for (const struct table_ref *r = s->refs; r; r = r->next) {
        if (!r->table && !r->name.len)
            return reject(p, MQ_NOT_UNDERSTOOD, "`*` over a query without a name");
        if (r != s->refs)
            text_add(&text, ", ");
        ref_columns(p, s, r, &text);
    }
    return replace(p, star, &text);
}

/* Names of one FROM clause differ by more than case (scope.c), so a server that folds case
 * finds no other table than one that does not. */
static enum err_code find_ref(struct planner *p, const struct scope *s, struct slice name,
                              const struct table_ref **ret)
{
    for (const struct table_ref *r = s->refs; r; r = r->next) {
        if (!slice_eq(r->name, name))
            continue;
        *ret = r;
        return MQ_OK;
    }
    return reject(p, MQ_TABLE_UNKNOWN, "%.*s.* names no table of its FROM clause",
                  NAME_FORMAT(name));
}

static enum err_code expand_one(struct planner *p, const struct scope *s, const struct node *star)
{
    struct text text = { .arena = p->arena };
    struct slice name = plan_name(p, star);
    const struct table_ref *ref = NULL;
    enum err_code code = find_ref(p, s, name, &ref);
    if (code)
        return code;
    if (!ref->table)
        return visit_children(p, star);
    if (star->child->next) {
        struct slice database = token_ident(p->l, star->child->first, p->arena);
        if (ref->has_alias || !names_is_keyspace(p, database))
            return reject(p, MQ_TABLE_UNKNOWN, "%.*s.%.*s.* names no table of its FROM clause",
                          NAME_FORMAT(database), NAME_FORMAT(name));
    }
    star_columns(p, ref->table, ref->name, &text);
    return replace(p, star, &text);
}

/* A column of the answer, or of a derived table, is called by the text of its expression. */
static void keep_heading(struct planner *p, const struct node *list, const struct node *item)
{
    bool inserted = p->t->writes && !p->inner && list->kind == N_SELECT_LIST;
    if (inserted || item->child->kind == N_COLUMN)
        return;
    struct token_range *r = vector_add(&p->headings, p->arena, sizeof *r);
    *r = (struct token_range){ item->first, item->last };
}

/* A column that is called `tenant` outside may meet a real one in a join; the answer's own
 * column names meet nobody. */
static enum err_code visit_item(struct planner *p, const struct scope *s, const struct node *list,
                                const struct node *item)
{
    const struct node *alias = node_find(item, N_ALIAS);
    if (p->inner && alias && alias->child && token_is_ident(p->l, alias->child->first, "tenant"))
        return reject(p, MQ_COLUMN_TENANT,
                      "a column of a sub-query is named `tenant`; give it another alias");
    size_t edits = p->edits.count;
    enum err_code code = visit_children(p, item);
    if (!code && p->united != BRANCH_NONE)
        code = charset_united(p, s->block, item);
    if (!code && !alias && p->edits.count > edits)
        keep_heading(p, list, item);
    return code;
}

/* The one table that the column can be of: named by it, or alone. */
static bool is_viewed(struct planner *p, const struct scope *s, const struct node *column)
{
    bool qualified = column->child->next != NULL;
    const struct node *table = column->child;
    if (qualified && table->next->next)
        table = table->next;
    for (const struct table_ref *r = s->refs; r; r = r->next)
        if (qualified ? slice_eq(r->name, token_ident(p->l, table->first, p->arena)) : !r->next)
            return r->viewed;
    return false;
}

/* MySQL calls a column of information_schema by its own name, however it was written. */
static enum err_code name_viewed(struct planner *p, const struct scope *s, const struct node *item)
{
    if (p->dialect->flavour != FLAVOUR_MYSQL || node_find(item, N_ALIAS) ||
        item->child->kind != N_COLUMN || !is_viewed(p, s, item->child))
        return MQ_OK;
    struct text t = { .arena = p->arena };
    struct slice name = plan_name(p, item->child);
    text_add(&t, " AS `");
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        if (c != '_' && (c < 'A' || c > 'z' || (c > 'Z' && c < 'a')))
            return MQ_OK; /* there is no such column */
        text_slice_add(&t, slice_of((char[]){ (char)(c >= 'a' ? c - 'a' + 'A' : c) }, 1));
    }
    text_add(&t, "`");
    return plan_edit(p, EDIT_AFTER, item->last, item->last, text_slice(&t));
}

enum err_code star_list(struct planner *p, const struct scope *s, const struct node *list)
{
    enum err_code code = MQ_OK;
    for (const struct node *c = list->child; c && !code; c = c->next) {
        if (c->kind == N_STAR)
            code = c->child ? expand_one(p, s, c) : expand_all(p, s, c);
        else
            code = visit_item(p, s, list, c);
        if (!code && c->kind != N_STAR)
            code = name_viewed(p, s, c);
    }
    return code;
}
