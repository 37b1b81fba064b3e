/* Hidden parameters: which value each `?` of the rewritten text takes. */
#include "routing/plan_int.h"

/* The parameter that a byte of an edit's text, behind which the client's parameter `next` comes,
 * becomes; false when it becomes none. */
static bool hidden_param(char c, uint32_t next, int32_t *ret)
{
    int placeholder = edit_value_number(c) + EDIT_VALUE_FIRST;
    if (placeholder == EDIT_TENANT)
        *ret = PARAM_TENANT;
    else if (placeholder == EDIT_LIMIT)
        *ret = PARAM_LIMIT;
    else if (placeholder == EDIT_KEY_TENANT)
        *ret = PARAM_KEY_TENANT - (int32_t)next;
    else if (placeholder >= EDIT_SESSION)
        *ret = PARAM_SESSION - (placeholder - EDIT_SESSION);
    else
        return false;
    return true;
}

static size_t count_hidden(struct slice text)
{
    size_t n = 0;
    int32_t ignored;
    for (size_t i = 0; i < text.len; i++)
        n += hidden_param(text.data[i], 0, &ignored);
    return n;
}

struct param_writer {
    struct template *t;
    const struct lexed *l;
    uint32_t token;   /* the next one of the client's */
    uint32_t client;  /* its next parameter */
    const bool *keys; /* which of them are qualified partition keys; NULL: none */
};

/* The client's parameters in front of token `end`; those of replaced tokens are dropped. */
static void copy_until(struct param_writer *w, uint32_t end, bool replaced)
{
    for (; w->token < end && w->client < w->l->params; w->token++)
        if (w->l->tokens[w->token].kind == TOKEN_PARAM) {
            if (!replaced)
                w->t->backend_params[w->t->backend_param_count++] =
                    w->keys && w->keys[w->client] ? PARAM_KEY - (int32_t)w->client
                                                  : (int32_t)w->client;
            w->client++;
        }
    if (w->token < end)
        w->token = end;
}

static void add_hidden(struct param_writer *w, struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (hidden_param(text.data[i], w->client, &w->t->backend_params[w->t->backend_param_count]))
            w->t->backend_param_count++;
}

static const bool *key_params(struct planner *p)
{
    const struct key_ref *keys = p->keys.items;
    bool *found = NULL;
    for (size_t i = 0; i < p->keys.count; i++) {
        if (keys[i].value.kind != VALUE_PARAM)
            continue;
        if (!found)
            found = arena_array(p->arena, bool, p->l->params);
        found[keys[i].value.param] = true;
    }
    return found;
}

void params_map(struct planner *p)
{
    struct template *t = p->t;
    struct param_writer w = { .t = t, .l = p->l, .keys = key_params(p) };
    size_t hidden = 0;
    for (size_t i = 0; i < t->edit_count; i++)
        hidden += count_hidden(t->edits[i].text);
    t->backend_params = arena_array(p->arena, int32_t, hidden + p->l->params + 1);
    for (size_t i = 0; i < t->edit_count; i++) {
        const struct edit *e = &t->edits[i];
        copy_until(&w, e->place == EDIT_AFTER ? e->last + 1 : e->first, false);
        add_hidden(&w, e->text);
        if (e->place == EDIT_REPLACE)
            copy_until(&w, e->last + 1, true);
    }
    copy_until(&w, p->l->count, false);
}
