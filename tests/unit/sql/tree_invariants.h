/* What holds for every tree that parse() returns; for unit tests and the fuzzer. */
#ifndef MQ_TESTS_TREE_INVARIANTS_H
#define MQ_TESTS_TREE_INVARIANTS_H

#include <stdio.h>

#include "sql/tree.h"

static inline const char *tree_fault_of_children(const struct node *n)
{
    const struct node *before = NULL;
    for (const struct node *child = n->child; child; before = child, child = child->next) {
        if (child->first < n->first || child->last > n->last)
            return "a child reaches outside its parent";
        if (before && child->first <= before->last)
            return "siblings overlap or stand out of order";
    }
    return NULL;
}

/* NULL, or what is wrong with the tree. */
static inline const char *tree_fault(const struct lexed *l, const struct node *n, int depth)
{
    const char *fault = tree_fault_of_children(n);
    if (fault)
        return fault;
    if (n->kind >= N_COUNT)
        return "a node of no kind";
    bool empty = n->kind == N_NOTHING && l->count == 0;
    if (n->first > n->last || (n->last >= l->count && !empty))
        return "a span that is no range of tokens";
    if (n->kind == N_IDENT && n->first != n->last)
        return "an identifier of several tokens";
    if (depth > TREE_DEPTH_MAX)
        return "a tree that is too deep";
    for (const struct node *child = n->child; child; child = child->next)
        if ((fault = tree_fault(l, child, depth + 1)))
            return fault;
    return NULL;
}

/* The bytes that a node covers. */
static inline struct slice node_text(const struct lexed *l, const struct node *n)
{
    const struct token *last = &l->tokens[n->last];
    uint32_t start = l->tokens[n->first].start;
    return slice_of(l->text.data + start, last->start + last->len - start);
}

#endif
