/* The syntax tree: one kind of node, whose span is a range of tokens and whose children
 * stand in the order of the text. Clauses are nodes of their own, so that a reader finds
 * them by kind (node_find), never by position.
 *
 * Everything lives in the arena that was given to parse(). */
#ifndef MQ_SQL_TREE_H
#define MQ_SQL_TREE_H

#include "sql/token.h"

enum node_kind {
#define NODE_ROW(name, layout) N_##name,
#include "sql/nodes.def"
#undef NODE_ROW
    N_COUNT
};

struct node {
    uint16_t kind;        /* enum node_kind */
    uint16_t op;          /* enum keyword or enum op, where nodes.def says so */
    uint32_t flags;       /* NODE_F_… */
    uint32_t first, last; /* tokens, both inclusive */
    struct node *child;   /* first child */
    struct node *next;    /* next sibling */
};

enum {
    NODE_F_DISTINCT = 1 << 0, /* SELECT DISTINCT, COUNT(DISTINCT …), UNION DISTINCT */
    NODE_F_ALL = 1 << 1,      /* UNION ALL */
    NODE_F_NOT = 1 << 2,      /* NOT IN, NOT LIKE, IS NOT, NOT BETWEEN, NOT EXISTS is N_NOT */
    NODE_F_IGNORE = 1 << 3,   /* INSERT/UPDATE/DELETE IGNORE */
    NODE_F_IF_EXISTS = 1 << 4, /* IF EXISTS / IF NOT EXISTS */
    NODE_F_NATURAL = 1 << 5,  /* NATURAL JOIN */
    NODE_F_TEMPORARY = 1 << 6,
    NODE_F_GLOBAL = 1 << 7,   /* SET GLOBAL / PERSIST, @@global. */
    NODE_F_SESSION = 1 << 8,  /* SET SESSION / LOCAL, @@session. */
    NODE_F_LATERAL = 1 << 9,
    NODE_F_CHAIN = 1 << 10,   /* COMMIT AND CHAIN */
    NODE_F_RELEASE = 1 << 11, /* COMMIT RELEASE */
    NODE_F_SNAPSHOT = 1 << 12, /* START TRANSACTION WITH CONSISTENT SNAPSHOT */
    NODE_F_READ_ONLY = 1 << 13,
    NODE_F_READ_WRITE = 1 << 14,
    NODE_F_ADMIN = 1 << 15,   /* a construct that only an administrator may use (NO_WRITE…) */
    NODE_F_WINDOW = 1 << 16,  /* a function call with OVER */
    NODE_F_STAR = 1 << 17,    /* COUNT(*) */
    NODE_F_ALIAS_QUALIFIED = 1 << 18,
    NODE_F_NO_CHAIN = 1 << 19, /* COMMIT AND NO CHAIN */
    NODE_F_NO_RELEASE = 1 << 20,
};

/* First child of that kind, or NULL. */
struct node *node_find(const struct node *n, enum node_kind kind);
/* The nth child counted from 0, or NULL. */
struct node *node_nth(const struct node *n, size_t nth);
size_t node_children(const struct node *n);
const char *node_kind_name(enum node_kind kind);

struct buf;
/* An indented rendering for tests and for `mqgate explain --tree`. */
void node_print(const struct lexed *l, const struct node *n, struct buf *out);

enum {
    NESTING_MAX = 200,     /* parentheses, calls, sub-queries and joins inside one another */
    TREE_DEPTH_MAX = 1000, /* no tree is deeper, so it may be walked by recursion */
};

/* Parses exactly one statement; one trailing semicolon is allowed. Fails with MQ_SYNTAX,
 * MQ_NOT_UNDERSTOOD (a construct of MySQL's that this parser does not know), MQ_MULTI_STATEMENT,
 * MQ_EMPTY_QUERY or MQ_TOO_COMPLEX; the message names position and text. */
enum err_code parse(const struct lexed *l, const struct dialect *dialect, struct arena *arena,
                    struct node **ret, struct err *reterr);

#endif
