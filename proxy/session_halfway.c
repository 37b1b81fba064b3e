/* Several statements in one query, of which an observed session's server has taken some and refused
 * one. All were examined before, each as if those in front of it had been taken; so what they change
 * is undone, and done again for those that the server has answered.
 *
 *   a; b; c ──> remember ──> examined a, b, c ──> server: OK, ERR ──> recall ──> follow a
 *
 * A CALL has answers of its own: behind one, a statement too many may be followed. */
#include "base/memory.h"
#include "proxy/session_int.h"

struct halfway {
    struct buf text;
    struct vars vars;
    uint32_t modes;
    enum strictness strict;
    char *database, *tenant, *transaction_tenant;
    bool elsewhere, tenant_forgotten, tenant_schema;
    struct characteristics next, begun;
    struct tracking tracking;
};

void session_forget_halfway(struct session *s)
{
    struct halfway *h = s->observed->halfway;
    s->observed->halfway = NULL;
    if (!h)
        return;
    buf_fini(&h->text);
    vars_fini(s->worker->interned, &h->vars);
    mem_free(h->database);
    mem_free(h->tenant);
    mem_free(h->transaction_tenant);
    mem_free(h);
}

void session_remember_halfway(struct session *s, struct slice text)
{
    struct halfway *h = mem_new(struct halfway);
    session_forget_halfway(s);
    s->observed->halfway = h;
    buf_append_slice(&h->text, text);
    vars_copy(s->worker->interned, &h->vars, &s->vars);
    h->modes = s->modes;
    h->strict = s->strict;
    h->database = mem_strdup(s->database);
    h->tenant = mem_strdup(s->tenant);
    h->transaction_tenant = mem_strdup(s->transaction_tenant);
    h->elsewhere = s->elsewhere;
    h->tenant_forgotten = s->tenant_forgotten;
    h->tenant_schema = s->tenant_schema;
    h->next = s->next;
    h->begun = s->begun;
    h->tracking = s->tracking;
}

static void swap(char **a, char **b)
{
    char *kept = *a;
    *a = *b;
    *b = kept;
}

static void recall(struct session *s, struct halfway *h)
{
    vars_copy(s->worker->interned, &s->vars, &h->vars);
    s->modes = h->modes;
    s->strict = h->strict;
    swap(&s->database, &h->database);
    swap(&s->tenant, &h->tenant);
    swap(&s->transaction_tenant, &h->transaction_tenant);
    s->elsewhere = h->elsewhere;
    s->tenant_forgotten = h->tenant_forgotten;
    s->tenant_schema = h->tenant_schema;
    s->next = h->next;
    s->begun = h->begun;
    s->tracking = h->tracking;
}

void session_go_halfway(struct session *s, uint64_t taken)
{
    struct halfway *h = s->observed->halfway;
    recall(s, h);
    for (struct slice rest = buf_slice(&h->text); rest.len && taken; taken--)
        session_follow(s, rest, &rest);
}
