/* Any text through the parser: no crash, every tree is sound, and a condition in parentheses
 * is the same condition, which is what the rewriting relies on.
 *
 * The first byte chooses the dialect, the rest is the statement. */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "tests/unit/sql/tree_invariants.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct tree {
    struct lexed lexed;
    struct node *root;
};

static void require(bool condition, const char *what, struct slice text)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n%.*s\n", what, (int)text.len, text.data);
    abort();
}

static struct dialect choose_dialect(uint8_t choice)
{
    static const char *const versions[] = { "8.0.36", "9.7.0", "10.11.6-MariaDB", "5.7.44" };
    struct dialect d = dialect_default();
    dialect_of_version(slice_cstr(versions[choice & 3]), &d);
    d.modes = (uint32_t)(choice >> 2) &
              (MODE_ANSI_QUOTES | MODE_NO_BACKSLASH_ESCAPES | MODE_PIPES_AS_CONCAT |
               MODE_IGNORE_SPACE | MODE_HIGH_NOT_PRECEDENCE);
    return d;
}

static enum err_code read_tree(struct slice text, const struct dialect *dialect,
                               struct arena *arena, struct tree *ret)
{
    struct err err;
    enum err_code code = lex(text, dialect, arena, &ret->lexed, &err);
    if (!code)
        code = parse(&ret->lexed, dialect, arena, &ret->root, &err);
    require(!code || err.code == code, "a code that the error does not have", text);
    const char *fault = code ? NULL : tree_fault(&ret->lexed, ret->root, 1);
    require(!fault, fault, text);
    return code;
}

static const struct node *find_where(const struct node *n)
{
    const struct node *found = n->kind == N_WHERE ? n : NULL;
    for (const struct node *child = n->child; child && !found; child = child->next)
        found = find_where(child);
    return found;
}

/* The text with the first WHERE's condition in parentheses. */
static void wrap(const struct tree *t, const struct node *condition, struct buf *out)
{
    struct slice text = t->lexed.text, inner = node_text(&t->lexed, condition);
    size_t before = (size_t)(inner.data - text.data);
    buf_append(out, text.data, before);
    buf_append_byte(out, '(');
    buf_append_slice(out, inner);
    buf_append_byte(out, ')');
    buf_append(out, inner.data + inner.len, text.len - before - inner.len);
}

static void require_same(const struct tree *a, const struct node *x, const struct tree *b,
                         const struct node *y)
{
    struct buf left, right;
    buf_init(&left);
    buf_init(&right);
    node_print(&a->lexed, x, &left);
    node_print(&b->lexed, y, &right);
    require(slice_eq(buf_slice(&left), buf_slice(&right)), "parentheses changed a condition",
            b->lexed.text);
    buf_fini(&right);
    buf_fini(&left);
}

static void check_parentheses(const struct tree *t, const struct dialect *dialect,
                              struct arena *arena)
{
    const struct node *where = find_where(t->root);
    if (!where || where->child->kind == N_SUBQUERY) /* ((SELECT 1)) is one sub-query, not two */
        return;
    struct tree again;
    struct buf wrapped;
    buf_init(&wrapped);
    wrap(t, where->child, &wrapped);
    enum err_code code = read_tree(buf_slice(&wrapped), dialect, arena, &again);
    require(!code || code == MQ_TOO_COMPLEX, "parentheses broke a statement", buf_slice(&wrapped));
    if (!code) {
        const struct node *parenthesis = find_where(again.root)->child;
        require(parenthesis->kind == N_PAREN, "no parentheses", again.lexed.text);
        require_same(t, where->child, &again, parenthesis->child);
    }
    buf_fini(&wrapped);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct dialect dialect = choose_dialect(data[0]);
    struct arena arena;
    struct tree tree;
    arena_init(&arena);
    if (!read_tree(slice_of(data + 1, size - 1), &dialect, &arena, &tree))
        check_parentheses(&tree, &dialect, &arena);
    arena_fini(&arena);
    return 0;
}
