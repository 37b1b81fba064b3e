/* Are two readings of one text the same? For unit tests and the fuzzer. */
#ifndef MQ_TESTS_SAME_TOKENS_H
#define MQ_TESTS_SAME_TOKENS_H

#include "sql/token.h"

/* What differs, or NULL. */
static inline const char *tokens_differ(const struct lexed *a, const struct lexed *b)
{
    if (a->count != b->count || a->params != b->params)
        return "counts";
    if (a->fingerprint != b->fingerprint)
        return "fingerprints";
    if (a->has_comment_tenant != b->has_comment_tenant ||
        a->comment_tenant_bad != b->comment_tenant_bad ||
        (a->has_comment_tenant && !slice_eq(a->comment_tenant, b->comment_tenant)))
        return "tenants of a comment";
    for (uint32_t i = 0; i <= a->count; i++) {
        const struct token *t = &a->tokens[i], *u = &b->tokens[i];
        if (t->kind != u->kind || t->flags != u->flags || t->value != u->value ||
            t->start != u->start || t->len != u->len)
            return "tokens";
    }
    return slice_eq(a->text, b->text) ? NULL : "texts";
}

#endif
