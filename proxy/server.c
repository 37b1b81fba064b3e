#define _GNU_SOURCE
#include "proxy/server.h"

#include <event2/event.h>
#include <signal.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "proxy/listener.h"
#include "proxy/resolver.h"
#include "proxy/topology_reader.h"

struct server {
    struct event_base *base;
    struct topology_reader *reader;
    struct fleet fleet;
    struct deployment *deployment;
    struct tenant_map *tenants; /* of the start; with a vindex table workers soon have newer ones */
    pthread_mutex_t reload_lock; /* the two below are shared with the placement thread */
    struct deployment *pending;  /* waits for the first map that was made for it; one reference */
    uint64_t pending_serial;     /* of that map */
    struct rsa_key *rsa_key;
    struct listener **listeners;
    size_t listener_count;
    atomic_uint max_connections;
    struct event *on_term, *on_int, *on_hup, *on_drain;
    uint64_t drain_started_ms; /* 0: serving */
    bool accepting;
};

/* A map's shards are those of the topology it was made for: after a reload both reach the
 * workers in one message. */
static struct deployment *take_pending(struct server *s, uint64_t serial)
{
    struct deployment *d = NULL;
    pthread_mutex_lock(&s->reload_lock);
    if (s->pending && serial >= s->pending_serial) {
        d = s->pending;
        s->pending = NULL;
    }
    pthread_mutex_unlock(&s->reload_lock);
    return d;
}

/* From here on who connects is served by the new configuration. */
static void log_reloaded(void)
{
    log_info("server", "reloaded");
}

/* On the placement thread, which logs failures itself. */
static void on_published(void *context, struct tenant_map *map, uint64_t serial,
                         const struct err *failed)
{
    struct server *s = context;
    (void)failed;
    struct deployment *reloaded = take_pending(s, serial);
    for (uint32_t i = 0; i < s->fleet.worker_count; i++)
        worker_deploy(&s->fleet.workers[i], reloaded, map, serial);
    if (reloaded)
        log_reloaded();
    deployment_release(reloaded);
}

static bool find_tenants(struct server *s, struct topology *topology)
{
    struct err e;
    enum err_code code;
    if (topology->config->vindex_table.configured)
        code = placement_start(topology, on_published, s, &s->fleet.placement, &s->tenants, &e);
    else
        code = topology_hash_tenants(topology, &s->tenants, &e);
    if (code)
        log_error("server", "MQ%04d: %s", (int)e.code, e.text);
    return code == MQ_OK;
}

static bool open_listeners(struct server *s)
{
    const struct config *config = s->deployment->topology->config;
    s->listeners = mem_array(config->listener_count, sizeof *s->listeners);
    for (size_t i = 0; i < config->listener_count; i++) {
        struct err e;
        const struct address *a = &config->listeners[i].address;
        if (listener_open(s->base, &s->fleet, &config->listeners[i], i, &s->max_connections,
                          &s->listeners[i], &e)) {
            log_error("server", "MQ%04d: %s", (int)e.code, e.text);
            return false;
        }
        s->listener_count++;
        if (a->socket)
            log_info("server", "listening on %s", a->socket);
        else
            log_info("server", "listening on %s:%u", a->host, a->port);
    }
    s->accepting = true;
    return true;
}

static void close_listeners(struct server *s)
{
    for (size_t i = 0; i < s->listener_count; i++)
        listener_close(s->listeners[i]);
    s->listener_count = 0;
    s->accepting = false;
}

/* ---- workers ---- */

static void *worker_body(void *context)
{
    worker_run(context);
    return NULL;
}

/* Signals are the main thread's. */
static bool start_workers(struct server *s)
{
    struct fleet *fleet = &s->fleet;
    sigset_t all, before;
    sigfillset(&all);
    for (uint32_t i = 0; i < fleet->worker_count; i++)
        if (!worker_init(&fleet->workers[i], i, fleet, s->deployment, s->tenants))
            return false;
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = true;
    for (uint32_t i = 0; i < fleet->worker_count && started; i++)
        started = pthread_create(&fleet->workers[i].thread, NULL, worker_body, &fleet->workers[i]) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void stop_workers(struct server *s)
{
    for (uint32_t i = 0; i < s->fleet.worker_count; i++)
        worker_stop(&s->fleet.workers[i]);
    for (uint32_t i = 0; i < s->fleet.worker_count; i++)
        pthread_join(s->fleet.workers[i].thread, NULL);
    for (uint32_t i = 0; i < s->fleet.worker_count; i++)
        worker_fini(&s->fleet.workers[i]);
}

/* ---- reload ---- */

static bool same_address(const struct address *a, const struct address *b)
{
    return a->port == b->port && slice_eq(slice_cstr(a->host), slice_cstr(b->host)) &&
           slice_eq(slice_cstr(a->socket), slice_cstr(b->socket));
}

/* Sessions know their listener by its number. */
static bool same_listeners(const struct config *a, const struct config *b)
{
    if (a->listener_count != b->listener_count)
        return false;
    for (size_t i = 0; i < a->listener_count; i++)
        if (!same_address(&a->listeners[i].address, &b->listeners[i].address))
            return false;
    return true;
}

static bool same_placement(const struct config *a, const struct config *b)
{
    return a->vindex_table.configured == b->vindex_table.configured;
}

/* Sessions that enforce and sessions that do not are of two kinds. */
static bool same_enforcement(const struct config *a, const struct config *b)
{
    return (a->enforcement == ENFORCE) == (b->enforcement == ENFORCE);
}

/* What takes effect at once. */
static void configure(struct server *s, const struct config *config)
{
    log_configure(config->log.level, config->log.format);
    atomic_store(&s->max_connections, config->limits.max_connections);
    if (s->fleet.worker_count && s->fleet.worker_count != config->workers)
        log_warning("server", "`workers` changes only by a restart");
}

/* Takes the deployment. With a vindex table the workers get it together with its first map. */
static void deploy(struct server *s, struct deployment *d)
{
    struct deployment *old = s->deployment;
    s->deployment = d;
    configure(s, d->topology->config);
    if (s->fleet.placement) {
        pthread_mutex_lock(&s->reload_lock);
        deployment_release(s->pending);
        s->pending = deployment_acquire(s->deployment);
        s->pending_serial = placement_reconfigure(s->fleet.placement, d->topology);
        pthread_mutex_unlock(&s->reload_lock);
    } else {
        for (uint32_t i = 0; i < s->fleet.worker_count; i++)
            worker_deploy(&s->fleet.workers[i], s->deployment, s->tenants, 0);
        log_reloaded();
    }
    deployment_release(old);
}

/* What changes only by a restart. */
static bool may_replace(const struct config *now, const struct config *next)
{
    if (same_listeners(now, next) && same_placement(now, next) && same_enforcement(now, next))
        return true;
    log_error("server", "reload refused: `listen`, whether there is a `tenant_vindex`, and `enforcement` to or from enforce change only by a restart");
    return false;
}

/* The tenants of a new deployment, unless the vindex table has them. */
static enum err_code place_again(struct server *s, const struct topology *topology,
                                 struct err *reterr)
{
    struct tenant_map *tenants = NULL;
    if (s->fleet.placement)
        return MQ_OK;
    enum err_code code = topology_hash_tenants(topology, &tenants, reterr);
    if (!code) {
        tenant_map_release(s->tenants);
        s->tenants = tenants;
    }
    return code;
}

static void reload(void *context, struct topology *topology)
{
    struct server *s = context;
    struct deployment *d;
    struct err e;
    if (s->drain_started_ms) {
        topology_release(topology);
        return;
    }
    if (!topology) {
        log_error("server", "reload refused: the running configuration stays");
        return;
    }
    if (!may_replace(s->deployment->topology->config, topology->config)) {
        topology_release(topology);
        return;
    }
    enum err_code code = deployment_create(topology, &d, &e);
    if (!code) {
        code = place_again(s, d->topology, &e);
        if (code)
            deployment_release(d);
    }
    if (code) {
        log_error("server", "reload refused: MQ%04d: %s", (int)code, e.text);
        return;
    }
    deploy(s, d);
}

static void on_hup(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    struct server *s = context;
    if (!s->drain_started_ms)
        topology_reader_ask(s->reader);
}

/* ---- ending ---- */

/* Keeps accepting for drain_min, then lets sessions end between statements, and stops at
 * drain_max whatever is left. */
static void on_drain(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    struct server *s = context;
    const struct config *config = s->deployment->topology->config;
    uint64_t passed = clock_monotonic_ms() - s->drain_started_ms;
    if (passed < config->shutdown.drain_min_ms)
        return;
    if (s->accepting) {
        close_listeners(s);
        for (uint32_t i = 0; i < s->fleet.worker_count; i++)
            worker_drain(&s->fleet.workers[i]);
    }
    if (atomic_load(&s->fleet.connections) == 0 || passed >= config->shutdown.drain_max_ms)
        event_base_loopbreak(s->base);
}

static void on_end(evutil_socket_t signal_number, short what, void *context)
{
    (void)what;
    struct server *s = context;
    struct timeval often = { .tv_usec = 20000 };
    if (s->drain_started_ms) { /* asked twice: at once */
        event_base_loopbreak(s->base);
        return;
    }
    log_info("server", "signal %d: draining", (int)signal_number);
    s->drain_started_ms = clock_monotonic_ms();
    event_add(s->on_drain, &often);
}

/* ---- life ---- */

static void watch_signals(struct server *s)
{
    signal(SIGPIPE, SIG_IGN);
    s->on_term = evsignal_new(s->base, SIGTERM, on_end, s);
    s->on_int = evsignal_new(s->base, SIGINT, on_end, s);
    s->on_hup = evsignal_new(s->base, SIGHUP, on_hup, s);
    s->on_drain = event_new(s->base, -1, EV_PERSIST, on_drain, s);
    event_add(s->on_term, NULL);
    event_add(s->on_int, NULL);
    event_add(s->on_hup, NULL);
}

static void init_fleet(struct server *s, const struct config *config)
{
    struct fleet *fleet = &s->fleet;
    fleet->rsa_key = s->rsa_key;
    fleet->worker_count = config->workers;
    fleet->workers = mem_array(config->workers, sizeof *fleet->workers);
    fleet->started_ms = clock_monotonic_ms();
    fleet_init(fleet);
    /* A random base, so that ids of several sidecars do not meet. */
    atomic_init(&fleet->next_connection_id, (random_u32() >> 2) + 1);
}

static void fini(struct server *s)
{
    topology_reader_destroy(s->reader);
    event_free(s->on_term);
    event_free(s->on_int);
    event_free(s->on_hup);
    event_free(s->on_drain);
    fleet_fini(&s->fleet);
    pthread_mutex_destroy(&s->reload_lock);
    deployment_release(s->pending);
    mem_free(s->listeners);
    mem_free(s->fleet.workers);
    tenant_map_release(s->tenants);
    deployment_release(s->deployment);
    rsa_key_destroy(s->rsa_key);
    event_base_free(s->base);
}

static int serve(struct server *s)
{
    s->fleet.resolver = resolver_start();
    if (!start_workers(s) || !open_listeners(s))
        return 1;
    log_info("server", "serving %zu tenants on %u shards", tenant_map_count(s->tenants),
             s->deployment->topology->shard_count);
    event_base_dispatch(s->base);
    return 0;
}

/* The deployment of the start; NULL when something is wrong (said). */
static struct deployment *first_deployment(const struct topology_source *source)
{
    struct topology *topology = topology_read(source);
    struct deployment *d = NULL;
    struct err e;
    if (topology && deployment_create(topology, &d, &e))
        log_error("server", "MQ%04d: %s", (int)e.code, e.text);
    return d;
}

int server_run(const char *config_path, const struct config_overrides *overrides)
{
    const struct topology_source source = { config_path, overrides };
    struct server s = { 0 };
    struct err e;
    s.deployment = first_deployment(&source);
    if (!s.deployment)
        return 1;
    s.rsa_key = rsa_key_create(&e);
    if (!s.rsa_key) {
        log_error("server", "MQ%04d: %s", (int)e.code, e.text);
        deployment_release(s.deployment);
        return 1;
    }
    struct topology *topology = s.deployment->topology;
    s.base = event_base_new();
    s.reader = topology_reader_create(s.base, &source, reload, &s);
    pthread_mutex_init(&s.reload_lock, NULL);
    configure(&s, topology->config);
    init_fleet(&s, topology->config);
    watch_signals(&s);
    int status = 1;
    if (s.reader && find_tenants(&s, topology)) {
        status = serve(&s);
        close_listeners(&s);
        if (s.fleet.placement)
            placement_stop(s.fleet.placement);
        stop_workers(&s);
        resolver_stop(s.fleet.resolver);
    }
    fini(&s);
    log_info("server", "ended");
    return status;
}
