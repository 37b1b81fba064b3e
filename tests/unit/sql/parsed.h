/* A statement and its tree, for the tests of the parser. */
#ifndef MQ_TESTS_PARSED_H
#define MQ_TESTS_PARSED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/buf.h"
#include "tests/unit/sql/tree_invariants.h"

struct parsed {
    struct arena arena;
    struct lexed lexed;
    struct node *root; /* NULL when it does not parse */
    struct err err;
};

static inline struct dialect dialect_named(const char *version, uint32_t modes)
{
    struct dialect dialect = dialect_default();
    if (version && !dialect_of_version(slice_cstr(version), &dialect))
        fail_msg("no version: %s", version);
    dialect.modes |= modes;
    return dialect;
}

static inline void parsed_init(struct parsed *p, const char *sql, const struct dialect *dialect)
{
    *p = (struct parsed){ .root = NULL };
    arena_init(&p->arena);
    if (lex(slice_cstr(sql), dialect, &p->arena, &p->lexed, &p->err) != MQ_OK)
        return;
    if (parse(&p->lexed, dialect, &p->arena, &p->root, &p->err) != MQ_OK)
        p->root = NULL;
}

static inline void parsed_fini(struct parsed *p)
{
    arena_fini(&p->arena);
}

/* The same, for a statement that must parse. */
static inline void parsed_good(struct parsed *p, const char *sql, const struct dialect *dialect)
{
    parsed_init(p, sql, dialect);
    if (!p->root)
        fail_msg("%s\n  does not parse: %s", sql, p->err.text);
    const char *fault = tree_fault(&p->lexed, p->root, 1);
    if (fault)
        fail_msg("%s\n  gives %s", sql, fault);
}

/* The node's text with brackets around whatever has parts: "a OR b AND c" becomes
 * "[a OR [b AND c]]". Shows grouping and spans at once. */
static inline void grouped(const struct lexed *l, const struct node *n, struct buf *out)
{
    bool parts = n->child && n->kind != N_COLUMN && n->kind != N_SYSTEM_VARIABLE;
    struct slice text = node_text(l, n);
    const char *at = text.data, *end = text.data + text.len;
    buf_append_cstr(out, parts ? "[" : "");
    for (const struct node *child = parts ? n->child : NULL; child; child = child->next) {
        struct slice inner = node_text(l, child);
        buf_append(out, at, (size_t)(inner.data - at));
        grouped(l, child, out);
        at = inner.data + inner.len;
    }
    buf_append(out, at, (size_t)(end - at));
    buf_append_cstr(out, parts ? "]" : "");
}

/* First node of that kind in the order of the text, n itself included. */
static inline const struct node *find_anywhere(const struct node *n, enum node_kind kind)
{
    if (n->kind == kind)
        return n;
    const struct node *found = NULL;
    for (const struct node *child = n->child; child && !found; child = child->next)
        found = find_anywhere(child, kind);
    return found;
}

#endif
