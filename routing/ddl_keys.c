#include "routing/ddl_keys.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "routing/plan_int.h"

struct key_check {
    const struct lexed *l;
    uint32_t counter; /* the name's token of the AUTO_INCREMENT column; 0: there is none */
    bool spared;      /* the index that it needs was seen */
    bool has_primary;
    struct buf faults;
};

static bool is_tenant(const struct lexed *l, const struct node *ident)
{
    return token_is_ident(l, ident->first, "tenant");
}

static const struct node *find_option(const struct node *definition, enum keyword op)
{
    for (const struct node *n = definition->child; n; n = n->next)
        if (n->kind == N_COLUMN_OPTION && n->op == op)
            return n;
    return NULL;
}

bool ddl_names_tenant(const struct lexed *l, const struct node *create)
{
    for (const struct node *n = create->child; n; n = n->next)
        if (n->kind == N_COLUMN_DEF && is_tenant(l, n->child))
            return true;
    return false;
}

/* ---- faults ---- */

__attribute__((format(printf, 2, 3))) static void fault(struct key_check *c, const char *format,
                                                        ...)
{
    char text[200];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    buf_append_cstr(&c->faults, buf_len(&c->faults) ? "; " : "");
    buf_append_cstr(&c->faults, text);
}

static void misled(struct key_check *c, const char *what, struct slice name, struct slice column)
{
    fault(c, "%s%s%.*s leads with %.*s", what, name.len ? " " : "", NAME_FORMAT(name),
          NAME_FORMAT(column));
}

/* ---- keys ---- */

static struct slice name_text(const struct lexed *l, const struct node *ident)
{
    return token_text(l, ident->first);
}

/* The identifier that the key's first part is, or NULL for an expression. */
static const struct node *first_column(const struct node *key)
{
    const struct node *part = node_find(key, N_KEY_PART);
    const struct node *column = part ? part->child : NULL;
    return column && column->kind == N_COLUMN ? plan_last_ident(column) : NULL;
}

static bool is_counter(const struct key_check *c, const struct node *ident)
{
    return c->counter && slice_ieq(token_text(c->l, ident->first), token_text(c->l, c->counter));
}

static const char *key_words(const struct node *key)
{
    switch (key->op) {
    case KW_PRIMARY:
        return "PRIMARY KEY";
    case KW_UNIQUE:
        return "UNIQUE KEY";
    default:
        return "KEY";
    }
}

/* Full-text and spatial indexes have no order that a column could lead; CHECK is no key, and a
 * foreign key's index is the referring key's own. */
static void check_key(struct key_check *c, const struct node *key)
{
    const struct node *column = first_column(key), *name = node_find(key, N_IDENT);
    c->has_primary |= key->op == KW_PRIMARY;
    if (key->op != KW_PRIMARY && key->op != KW_UNIQUE && key->op != KW_KEY)
        return;
    if (column && is_tenant(c->l, column))
        return;
    if (column && key->op == KW_KEY && is_counter(c, column) && !c->spared) {
        c->spared = true;
        return;
    }
    misled(c, key_words(key), name ? name_text(c->l, name) : SLICE_LIT(""),
           column ? name_text(c->l, column) : SLICE_LIT("an expression"));
}

/* `id INT PRIMARY KEY`, `id INT UNIQUE` */
static void check_column(struct key_check *c, const struct node *definition)
{
    const struct node *primary = find_option(definition, KW_PRIMARY);
    const struct node *unique = find_option(definition, KW_UNIQUE);
    c->has_primary |= primary != NULL;
    if ((primary || unique) && !is_tenant(c->l, definition->child))
        misled(c, primary ? "PRIMARY KEY" : "UNIQUE KEY", SLICE_LIT(""),
               name_text(c->l, definition->child));
}

static void find_counter(struct key_check *c, const struct node *create)
{
    for (const struct node *n = create->child; n; n = n->next)
        if (n->kind == N_COLUMN_DEF && find_option(n, KW_AUTO_INCREMENT))
            c->counter = n->child->first;
}

enum err_code ddl_check_keys(const struct lexed *l, const struct node *create, struct err *reterr)
{
    struct key_check c = { .l = l };
    enum err_code code = MQ_OK;
    buf_init(&c.faults);
    find_counter(&c, create);
    for (const struct node *n = create->child; n; n = n->next)
        if (n->kind == N_COLUMN_DEF)
            check_column(&c, n);
        else if (n->kind == N_KEY_DEF)
            check_key(&c, n);
    if (!c.has_primary)
        fault(&c, "no PRIMARY KEY");
    if (buf_len(&c.faults))
        code = err_set(reterr, MQ_KEY_WITHOUT_TENANT, "%s", buf_cstr(&c.faults));
    buf_fini(&c.faults);
    return code;
}
