/* Reading a syntax tree, and printing it for people. */
#include "sql/tree.h"

#include "base/buf.h"

struct node *node_find(const struct node *n, enum node_kind kind)
{
    struct node *child = n->child;
    while (child && child->kind != kind)
        child = child->next;
    return child;
}

struct node *node_nth(const struct node *n, size_t nth)
{
    struct node *child = n->child;
    while (child && nth--)
        child = child->next;
    return child;
}

size_t node_children(const struct node *n)
{
    size_t count = 0;
    for (const struct node *child = n->child; child; child = child->next)
        count++;
    return count;
}

const char *node_kind_name(enum node_kind kind)
{
    static const char *const names[] = {
#define NODE_ROW(name, layout) #name,
#include "sql/nodes.def"
#undef NODE_ROW
    };
    return kind < N_COUNT ? names[kind] : "?";
}

/* ---- printing ---- */

static const struct {
    uint32_t flag;
    const char *name;
} flag_names[] = {
    { NODE_F_DISTINCT, "distinct" },
    { NODE_F_ALL, "all" },
    { NODE_F_NOT, "not" },
    { NODE_F_IGNORE, "ignore" },
    { NODE_F_IF_EXISTS, "if-exists" },
    { NODE_F_NATURAL, "natural" },
    { NODE_F_TEMPORARY, "temporary" },
    { NODE_F_GLOBAL, "global" },
    { NODE_F_SESSION, "session" },
    { NODE_F_LATERAL, "lateral" },
    { NODE_F_CHAIN, "chain" },
    { NODE_F_RELEASE, "release" },
    { NODE_F_SNAPSHOT, "snapshot" },
    { NODE_F_READ_ONLY, "read-only" },
    { NODE_F_READ_WRITE, "read-write" },
    { NODE_F_ADMIN, "admin" },
    { NODE_F_WINDOW, "window" },
    { NODE_F_STAR, "star" },
    { NODE_F_ALIAS_QUALIFIED, "alias-qualified" },
    { NODE_F_NO_CHAIN, "no-chain" },
    { NODE_F_NO_RELEASE, "no-release" },
};

/* These kinds hold either an operator or a keyword in op; the others only keywords. */
enum { OP_LAST = (int)OP_RBRACE };
_Static_assert((int)KW_BINARY > OP_LAST && (int)KW_DIV > OP_LAST && (int)KW_MOD > OP_LAST &&
                   (int)KW_OFFSET > OP_LAST,
               "keywords that share op with operators must differ from them");

static const char *op_text(const struct node *n)
{
    bool may_be_sign =
        n->kind == N_COMPARE || n->kind == N_BINARY || n->kind == N_UNARY || n->kind == N_LIMIT;
    if (may_be_sign && n->op <= OP_LAST)
        return operator_text(n->op);
    return keyword_text(n->op);
}

/* Is the text of the node all there is to say about it? */
static bool is_atom(const struct node *n)
{
    const struct node *child = n->child;
    while (child && child->kind == N_IDENT)
        child = child->next;
    return !child;
}

static void print_text(const struct lexed *l, uint32_t first, uint32_t last, struct buf *out)
{
    enum { TEXT_MAX = 60 };
    uint32_t start = l->tokens[first].start;
    uint32_t end = l->tokens[last].start + l->tokens[last].len;
    uint32_t shown = end - start > TEXT_MAX ? start + TEXT_MAX : end;
    buf_append_byte(out, ' ');
    for (uint32_t i = start; i < shown; i++) {
        char c = l->text.data[i];
        buf_append_byte(out, c == '\n' || c == '\r' || c == '\t' ? ' ' : (uint8_t)c);
    }
    if (shown < end)
        buf_append_cstr(out, "...");
}

static void print_line(const struct lexed *l, const struct node *n, struct buf *out)
{
    buf_append_cstr(out, node_kind_name(n->kind));
    for (size_t i = 0; i < sizeof flag_names / sizeof *flag_names; i++)
        if (n->flags & flag_names[i].flag)
            buf_printf(out, " +%s", flag_names[i].name);
    if (n->op)
        buf_printf(out, " [%s]", op_text(n));
    if (is_atom(n))
        print_text(l, n->first, n->last, out);
    else if (n->kind == N_FUNCTION)
        print_text(l, n->first, n->first + (token_is_op(&l->tokens[n->first + 1], OP_DOT) ? 2 : 0),
                   out);
    buf_append_byte(out, '\n');
}

static void print_indented(const struct lexed *l, const struct node *n, int depth,
                           struct buf *out)
{
    buf_printf(out, "%*s", 2 * depth, "");
    print_line(l, n, out);
    if (is_atom(n))
        return;
    for (const struct node *child = n->child; child; child = child->next)
        print_indented(l, child, depth + 1, out);
}

void node_print(const struct lexed *l, const struct node *n, struct buf *out)
{
    print_indented(l, n, 0, out);
}
