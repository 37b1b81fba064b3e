/* `*` and `t.*`: the legacy columns in legacy order, so that the client never sees the new
 * one unless it asked for the tenant schema. Queries among the tables keep their star: theirs
 * were expanded inside; only where NATURAL or USING merges columns they are named, too. */
#include "routing/plan_int.h"

#include "routing/qualified.h"

static const struct united_form as_it_is;

/* table: whose column is read; NULL: it is named, or a query's. */
static void add_column(const struct planner *p, const struct catalog_table *table,
                       struct slice name, struct slice column, const struct united_form *form,
                       struct text *out)
{
    if (out->len)
        text_add(out, ", ");
    if (!table || !qualified_text(p, table, name, column, out))
        charset_united_column(p, name, column, form, out);
}

static void table_columns(const struct planner *p, const struct catalog_table *table, bool read,
                          struct slice name, const struct united_form *form, struct text *out)
{
    struct text t = { .arena = p->arena };
    const struct catalog_table *whose = read ? table : NULL;
    if (plan_shows_tenant(p))
        add_column(p, whose, name, SLICE_LIT("tenant"), form, &t);
    for (size_t i = 0; i < table->column_count; i++)
        add_column(p, whose, name, slice_cstr(table->columns[i].name), form, &t);
    text_slice_add(out, text_slice(&t));
}

void star_columns(const struct planner *p, const struct catalog_table *table, struct slice name,
                  struct text *out)
{
    table_columns(p, table, false, name, &as_it_is, out);
}

void star_wrapped(const struct planner *p, const struct table_ref *ref, struct text *out)
{
    struct slice name = p->qualified ? ref->name : slice_of("", 0);
    table_columns(p, ref->table, true, name, &as_it_is, out);
}

enum err_code star_selected(struct planner *p, const struct node *block, bool stored,
                            const struct catalog_table *table, struct slice name, struct text *out)
{
    struct united_form form;
    enum err_code code = charset_united_form(p, block, &form);
    if (!code)
        table_columns(p, table, !stored, name, &form, out);
    return code;
}

static enum err_code ref_columns(struct planner *p, const struct scope *s,
                                 const struct table_ref *r, bool stored, struct text *out)
{
    bool qualified = s->count > 1 || r->has_alias;
    if (r->table)
        return star_selected(p, s->block, stored || r->wrapped, r->table,
                             qualified ? r->name : slice_of("", 0), out);
    text_ident(out, r->name);
    text_add(out, ".*");
    return charset_united_query(p);
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
    struct united_form form;
    enum err_code code = charset_united_form(p, s->block, &form);
    for (size_t i = 0; i < v.count && !code; i++) {
        const struct table_ref *ref = columns[i].ref;
        add_column(p, ref->wrapped ? NULL : ref->table, ref->name, columns[i].name,
                   ref->table ? &form : &as_it_is, &text);
        code = ref->table ? MQ_OK : charset_united_query(p);
    }
    return code ? code : replace(p, star, &text);
}

static enum err_code expand_all(struct planner *p, const struct scope *s, const struct node *star,
                                bool stored)
{
    struct text text = { .arena = p->arena };
    if (!s->queue_count)
        return charset_united_query(p);
    if (s->merges)
        return expand_merged(p, s, star);
    for (const struct table_ref *r = s->refs; r; r = r->next) {
        if (!r->table && !r->name.len)
            return reject(p, MQ_NOT_UNDERSTOOD, "`*` over a query without a name");
        if (r != s->refs)
            text_add(&text, ", ");
        enum err_code code = ref_columns(p, s, r, stored, &text);
        if (code)
            return code;
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

static enum err_code expand_one(struct planner *p, const struct scope *s, const struct node *star,
                                bool stored)
{
    struct text text = { .arena = p->arena };
    struct slice name = plan_name(p, star);
    const struct table_ref *ref = NULL;
    enum err_code code = find_ref(p, s, name, &ref);
    if (code)
        return code;
    if (!ref->table) {
        code = visit_children(p, star);
        return code ? code : charset_united_query(p);
    }
    if (star->child->next) {
        struct slice database = token_ident(p->l, star->child->first, p->arena);
        if (ref->has_alias || !names_is_keyspace(p, database))
            return reject(p, MQ_TABLE_UNKNOWN, "%.*s.%.*s.* names no table of its FROM clause",
                          NAME_FORMAT(database), NAME_FORMAT(name));
    }
    code = star_selected(p, s->block, stored || ref->wrapped, ref->table, ref->name, &text);
    return code ? code : replace(p, star, &text);
}

static enum err_code expand(struct planner *p, const struct scope *s, const struct node *list,
                            const struct node *star)
{
    bool stored;
    enum err_code code = qualified_star(p, s, list, star, &stored);
    if (code)
        return code;
    return star->child ? expand_one(p, s, star, stored) : expand_all(p, s, star, stored);
}

/* Of INSERT … SELECT: nobody sees the names. */
static bool is_inserted(const struct planner *p, const struct node *list)
{
    return p->t->writes && !p->inner && list->kind == N_SELECT_LIST;
}

/* A column of the answer, or of a derived table, is called by the text of its expression. */
static void keep_heading(struct planner *p, const struct node *list, const struct node *item)
{
    if (is_inserted(p, list) || item->child->kind == N_COLUMN)
        return;
    struct token_range *r = vector_add(&p->headings, p->arena, sizeof *r);
    *r = (struct token_range){ item->first, item->last };
}

/* vtgate writes expressions anew, in its own spelling. A literal is called by its value. */
static bool is_respelt(const struct planner *p, const struct node *item)
{
    return config_is_vitess(p->topology->config) && item->child->kind != N_LITERAL;
}

/* A column that is called `tenant` outside may meet a real one in a join; the answer's own
 * column names meet nobody. */
static enum err_code visit_item(struct planner *p, const struct scope *s, const struct node *list,
                                const struct node *item, size_t index)
{
    const struct node *alias = node_find(item, N_ALIAS);
    if (p->inner && alias && alias->child && token_is_ident(p->l, alias->child->first, "tenant"))
        return reject(p, MQ_COLUMN_TENANT,
                      "a column of a sub-query is named `tenant`; give it another alias");
    size_t edits = p->edits.count;
    enum err_code code = qualified_item(p, item, is_inserted(p, list), index);
    if (!code)
        code = visit_children(p, item);
    if (!code && p->united != BRANCH_NONE)
        code = charset_united(p, s->block, item);
    if (!code && !alias && (p->edits.count > edits || is_respelt(p, item)))
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
    size_t index = 0;
    for (const struct node *c = list->child; c && !code; c = c->next, index++) {
        if (c->kind == N_STAR)
            code = expand(p, s, list, c);
        else
            code = visit_item(p, s, list, c, index);
        if (!code && c->kind != N_STAR)
            code = name_viewed(p, s, c);
    }
    if (!code && list->kind == N_SELECT_LIST)
        qualified_result(p, s, list);
    return code;
}
