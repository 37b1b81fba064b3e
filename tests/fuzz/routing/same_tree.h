/* Is the rewritten statement the client's, plus what the edits added? Both trees are reduced to
 * what the client wrote and the edits left alone, and must then be the same:
 *
 *   client     WHERE ── OR ─ a, b
 *   rewritten  WHERE ── AND ── COMPARE tenant = 'x'     all inserted: falls away
 *                          └── PAREN ── OR ─ a, b       its own tokens inserted: the child for it
 *
 * Both sides are reduced by the same rules, which know no kind of node, so that nothing that an
 * edit must not do passes for an addition: a client's condition that is grouped in another way, a
 * clause that moved to another join, tokens that run into each other. */
#ifndef MQ_TESTS_SAME_TREE_H
#define MQ_TESTS_SAME_TREE_H

#include <stdio.h>

#include "sql/tree.h"

/* One of the two statements. */
struct side {
    const struct lexed *l;
    const struct node *root;
    uint32_t *left; /* per token, and one more: how many tokens before it the edits left alone */
};

/* A run of bytes that both statements have in common. */
struct common {
    size_t client, sent, len;
};

/* ---- which tokens are left ---- */

/* The token's place in the sent text if it lies within a run, else SIZE_MAX. */
static inline size_t same_place(const struct token *t, const struct common *runs, size_t count)
{
    size_t low = 0, high = count; /* the last run that begins before the token's end */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (runs[middle].client <= t->start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return SIZE_MAX;
    const struct common *run = &runs[low - 1];
    bool within = (size_t)t->start + t->len <= run->client + run->len;
    return within ? run->sent + (t->start - run->client) : SIZE_MAX;
}

/* `offset`, where the client wrote offset: the edits put backquotes around the token. */
static inline bool same_but_quoted(const struct side *sent, uint32_t at, size_t place, uint32_t len)
{
    const struct token *t = &sent->l->tokens[at];
    return at < sent->l->count && t->kind == TOKEN_QUOTED && t->start + 1u == place &&
           t->len == len + 2u;
}

/* Counts on both sides. A token of the client's that is still there must be one in the sent
 * text; false when it ran into its neighbours. */
static inline bool same_count(struct side *client, struct side *sent, const struct common *runs,
                              size_t count, struct arena *arena)
{
    uint32_t at = 0; /* in the sent text */
    client->left = arena_array(arena, uint32_t, client->l->count + 1);
    sent->left = arena_array(arena, uint32_t, sent->l->count + 1);
    for (uint32_t i = 0; i < client->l->count; i++) {
        const struct token *t = &client->l->tokens[i];
        size_t place = same_place(t, runs, count);
        client->left[i + 1] = client->left[i];
        if (place == SIZE_MAX)
            continue;
        for (; at < sent->l->count && sent->l->tokens[at].start + 1u < place; at++)
            sent->left[at + 1] = sent->left[at];
        if (same_but_quoted(sent, at, place, t->len))
            continue;
        for (; at < sent->l->count && sent->l->tokens[at].start < place; at++)
            sent->left[at + 1] = sent->left[at];
        const struct token *u = &sent->l->tokens[at];
        if (at == sent->l->count || u->start != place || u->len != t->len || u->kind != t->kind)
            return false;
        sent->left[at + 1] = sent->left[at] + 1;
        client->left[i + 1]++;
        at++;
    }
    for (; at < sent->l->count; at++)
        sent->left[at + 1] = sent->left[at];
    return true;
}

static inline uint32_t same_left_in(const struct side *s, const struct node *n)
{
    return s->left[n->last + 1] - s->left[n->first];
}

/* ---- reduced trees ---- */

static inline const struct node *same_next(const struct side *s, const struct node *n)
{
    while (n && same_left_in(s, n) == 0)
        n = n->next;
    return n;
}

/* The node itself, or the one child that stands for it when all its own tokens are gone. */
static inline const struct node *same_reduce(const struct side *s, const struct node *n)
{
    for (;;) {
        const struct node *only = same_next(s, n->child);
        if (!only || same_next(s, only->next) || same_left_in(s, only) != same_left_in(s, n))
            return n;
        n = only;
    }
}

/* Within parentheses that were put around it, a sub-query is a query in parentheses. */
static inline bool same_kind(const struct node *x, const struct node *y)
{
    return x->kind == y->kind || (x->kind == N_SUBQUERY && y->kind == N_QUERY_PAREN);
}

static inline bool same_node(const struct side *a, const struct node *x, const struct side *b,
                             const struct node *y)
{
    return same_kind(x, y) && x->op == y->op && x->flags == y->flags &&
           a->left[x->first] == b->left[y->first] && a->left[x->last + 1] == b->left[y->last + 1];
}

/* NULL, or the first node of a that b does not have. */
static inline const struct node *same_difference(const struct side *a, const struct node *x,
                                                 const struct side *b, const struct node *y)
{
    x = same_reduce(a, x);
    y = same_reduce(b, y);
    if (!same_node(a, x, b, y))
        return x;
    const struct node *left = same_next(a, x->child), *right = same_next(b, y->child);
    for (; left && right; left = same_next(a, left->next), right = same_next(b, right->next)) {
        const struct node *found = same_difference(a, left, b, right);
        if (found)
            return found;
    }
    return left || right ? x : NULL;
}

/* runs: in order, count of them. NULL when the trees agree, else what is wrong; in the arena. */
static inline const char *same_tree(struct side *client, struct side *sent,
                                    const struct common *runs, size_t count, struct arena *arena)
{
    if (!same_count(client, sent, runs, count, arena))
        return "tokens of the client's run into what was inserted";
    const struct node *n = same_difference(client, client->root, sent, sent->root);
    if (!n)
        return NULL;
    struct slice at = token_text(client->l, n->first);
    char *why = arena_alloc(arena, 200);
    snprintf(why, 200, "another tree at %s near %.*s", node_kind_name((enum node_kind)n->kind),
             (int)(at.len < 40 ? at.len : 40), at.data);
    return why;
}

#endif
