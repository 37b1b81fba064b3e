#include "proxy/topology_reader.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "placement/cluster_topology.h"
#include "placement/database.h"

struct topology_reader {
    struct topology_source source;
    topology_was_read *was_read;
    void *context;
    int fd; /* an eventfd: the thread has ended */
    struct event *on_end;
    pthread_t thread;
    bool reading, again;       /* main's */
    struct topology *topology; /* the thread's until it has ended */
};

static void print_diagnostics(const char *path, const struct diagnostics *d)
{
    struct buf text;
    buf_init(&text);
    diagnostics_print(d, path, &text);
    fputs(buf_cstr(&text), stderr);
    buf_fini(&text);
}

struct topology *topology_read(const struct topology_source *source)
{
    struct diagnostics diagnostics;
    struct topology *topology = NULL;
    struct err e;
    diagnostics_init(&diagnostics);
    struct config *config = config_load(source->config_path, source->overrides, &diagnostics);
    print_diagnostics(source->config_path, &diagnostics);
    diagnostics_fini(&diagnostics);
    if (!config)
        return NULL;
    if (cluster_topology_create(config, CLUSTER_GATES, &topology, &e)) {
        log_error("server", "MQ%04d: %s", (int)e.code, e.text);
        return NULL;
    }
    return topology;
}

static void *run(void *context)
{
    struct topology_reader *r = context;
    database_thread_init();
    r->topology = topology_read(&r->source);
    database_thread_fini();
    eventfd_write(r->fd, 1);
    return NULL;
}

/* Signals are the main thread's. */
static bool start(struct topology_reader *r)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    r->reading = pthread_create(&r->thread, NULL, run, r) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return r->reading;
}

static struct topology *take(struct topology_reader *r)
{
    pthread_join(r->thread, NULL);
    struct topology *topology = r->topology;
    r->topology = NULL;
    r->reading = false;
    return topology;
}

static void on_end(evutil_socket_t fd, short what, void *context)
{
    struct topology_reader *r = context;
    eventfd_t ignored;
    (void)what;
    eventfd_read(fd, &ignored);
    r->was_read(r->context, take(r));
    if (r->again)
        topology_reader_ask(r);
}

struct topology_reader *topology_reader_create(struct event_base *base,
                                               const struct topology_source *source,
                                               topology_was_read *was_read, void *context)
{
    int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct topology_reader *r = mem_new(struct topology_reader);
    r->source = *source;
    r->was_read = was_read;
    r->context = context;
    r->fd = fd;
    r->on_end = event_new(base, fd, EV_READ | EV_PERSIST, on_end, r);
    event_add(r->on_end, NULL);
    return r;
}

void topology_reader_ask(struct topology_reader *r)
{
    r->again = r->reading;
    if (!r->reading && !start(r))
        r->was_read(r->context, NULL);
}

void topology_reader_destroy(struct topology_reader *r)
{
    if (!r)
        return;
    if (r->reading)
        topology_release(take(r));
    event_free(r->on_end);
    close(r->fd);
    mem_free(r);
}
