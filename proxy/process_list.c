#include "proxy/process_list.h"

#include <stdlib.h>

#include "base/memory.h"
#include "proxy/session.h"

void process_list_destroy(struct process_list *p)
{
    if (!p)
        return;
    mem_free(p->user);
    mem_free(p->cells);
    arena_fini(&p->arena);
    mem_free(p);
}

struct slice *process_list_add(struct process_list *p)
{
    /* Room is not remembered: it doubles whenever the count is a power of two. */
    if ((p->count & (p->count - 1)) == 0)
        p->cells = mem_resize(p->cells, p->count ? p->count * 2 : 1,
                              PROCESS_COLUMNS * sizeof *p->cells);
    struct slice *row = p->cells + p->count++ * PROCESS_COLUMNS;
    for (size_t i = 0; i < PROCESS_COLUMNS; i++)
        row[i] = slice_of(NULL, 0);
    return row;
}

/* Numbers without leading zeros: the longer is the larger. */
static int compare(const void *a, const void *b)
{
    const struct slice *x = (const struct slice *)a + PROCESS_ID;
    const struct slice *y = (const struct slice *)b + PROCESS_ID;
    return x->len != y->len ? (x->len > y->len) - (x->len < y->len) : slice_cmp(*x, *y);
}

void process_list_sort(struct process_list *p)
{
    if (p->count)
        qsort(p->cells, p->count, PROCESS_COLUMNS * sizeof *p->cells, compare);
}

static void deliver(struct message *m, void *context);

static void pass_on(struct process_list *p)
{
    bool round = p->worker == p->fleet->worker_count;
    struct worker *next = &p->fleet->workers[round ? p->home : p->worker];
    p->message.deliver = deliver;
    mailbox_post(&next->mailbox, &p->message);
}

static void deliver(struct message *m, void *context)
{
    struct process_list *p = (struct process_list *)m;
    struct worker *w = context;
    if (w->stopping) { /* the others may be gone */
        process_list_destroy(p);
        return;
    }
    if (p->worker == p->fleet->worker_count) {
        struct session *s = worker_find_session(w, p->session);
        if (s)
            session_on_process_list(s, p);
        else
            process_list_destroy(p);
        return;
    }
    LIST_EACH (&w->sessions, node, following)
        session_add_process(session_of_node(node), p);
    p->worker++;
    pass_on(p);
}

void process_list_begin(struct fleet *fleet, uint32_t home, uint32_t session, const char *user,
                        bool all)
{
    struct process_list *p = mem_new(struct process_list);
    p->fleet = fleet;
    p->home = home;
    p->session = session;
    p->all = all;
    p->user = mem_strdup(user);
    arena_init(&p->arena);
    pass_on(p);
}
