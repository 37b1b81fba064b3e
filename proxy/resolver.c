#define _GNU_SOURCE
#include "proxy/resolver.h"

#include <signal.h>

#include "base/list.h"
#include "base/memory.h"

struct question {
    struct list node;
    struct deployment *deployment; /* one reference, for the host */
    struct host *host;
};

struct resolver {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t asked;
    struct list questions;
    bool stopping;
};

static void drop(struct question *q)
{
    deployment_release(q->deployment);
    mem_free(q);
}

/* NULL: it is over. */
static struct question *next_question(struct resolver *r)
{
    struct question *q = NULL;
    pthread_mutex_lock(&r->lock);
    while (list_empty(&r->questions) && !r->stopping)
        pthread_cond_wait(&r->asked, &r->lock);
    if (!r->stopping) {
        struct list *node = list_first(&r->questions);
        list_remove(node);
        q = LIST_ENTRY(node, struct question, node);
    }
    pthread_mutex_unlock(&r->lock);
    return q;
}

static void *run(void *context)
{
    struct resolver *r = context;
    struct question *q;
    while ((q = next_question(r))) {
        host_resolve(q->host);
        pthread_mutex_lock(&q->host->lock);
        q->host->asked = false;
        pthread_mutex_unlock(&q->host->lock);
        drop(q);
    }
    return NULL;
}

struct resolver *resolver_start(void)
{
    struct resolver *r = mem_new(struct resolver);
    sigset_t all, before;
    list_init(&r->questions);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->asked, NULL);
    sigfillset(&all); /* signals are the main thread's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&r->thread, NULL, run, r);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed)
        return r;
    mem_free(r);
    return NULL;
}

void resolver_stop(struct resolver *r)
{
    if (!r)
        return;
    pthread_mutex_lock(&r->lock);
    r->stopping = true;
    pthread_cond_signal(&r->asked);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    LIST_EACH (&r->questions, node, following)
        drop(LIST_ENTRY(node, struct question, node));
    pthread_cond_destroy(&r->asked);
    pthread_mutex_destroy(&r->lock);
    mem_free(r);
}

static bool is_asked_already(struct host *h)
{
    pthread_mutex_lock(&h->lock);
    bool already = h->asked;
    h->asked = true;
    pthread_mutex_unlock(&h->lock);
    return already;
}

void resolver_ask(struct resolver *r, struct deployment *d, struct host *h)
{
    if (!r || h->address->socket || is_asked_already(h))
        return;
    struct question *q = mem_new(struct question);
    q->deployment = deployment_acquire(d);
    q->host = h;
    pthread_mutex_lock(&r->lock);
    list_append(&r->questions, &q->node);
    pthread_cond_signal(&r->asked);
    pthread_mutex_unlock(&r->lock);
}
