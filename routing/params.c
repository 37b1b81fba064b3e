/* The hidden parameter: which value each `?` of the rewritten text takes. */
#include "routing/plan_int.h"

static uint32_t count_tenants(struct slice text)
{
    uint32_t n = 0;
    for (size_t i = 0; i < text.len; i++)
        n += text.data[i] == EDIT_TENANT;
    return n;
}

struct param_writer {
    struct template *t;
    const struct lexed *l;
    uint32_t token;  /* the next one of the client's */
    uint32_t client; /* its next parameter */
};

/* The client's parameters in front of token `end`; those of replaced tokens are dropped. */
static void copy_until(struct param_writer *w, uint32_t end, bool replaced)
{
    for (; w->token < end && w->client < w->l->params; w->token++)
        if (w->l->tokens[w->token].kind == TOKEN_PARAM) {
            if (!replaced)
                w->t->backend_params[w->t->backend_param_count++] = (int32_t)w->client;
            w->client++;
        }
    if (w->token < end)
        w->token = end;
}

void params_map(struct planner *p)
{
    struct template *t = p->t;
    struct param_writer w = { .t = t, .l = p->l };
    size_t tenants = 0;
    for (size_t i = 0; i < t->edit_count; i++)
        tenants += count_tenants(t->edits[i].text);
    t->backend_params = arena_array(p->arena, int32_t, tenants + p->l->params);
    for (size_t i = 0; i < t->edit_count; i++) {
        const struct edit *e = &t->edits[i];
        copy_until(&w, e->place == EDIT_AFTER ? e->last + 1 : e->first, false);
        for (uint32_t n = count_tenants(e->text); n; n--)
            t->backend_params[t->backend_param_count++] = PARAM_TENANT;
        if (e->place == EDIT_REPLACE)
            copy_until(&w, e->last + 1, true);
    }
    copy_until(&w, p->l->count, false);
}
