#define _DEFAULT_SOURCE
#include "placement/placement.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "placement/database.h"
#include "placement/map_rows.h"
#include "placement/snapshot_file.h"

/* PAUSE_MS: between refreshes. SAVE_PAUSE: between writing the snapshot file and writing it
 * again, as a multiple of what it took. */
enum { PAUSE_MS = 100, SAVE_PAUSE = 50 };

struct placement {
    pthread_t thread;
    placement_published *published;
    void *context;

    pthread_mutex_t lock;
    pthread_cond_t wake;
    /* under the lock */
    bool stopping;
    bool busy;             /* a refresh is under way */
    uint64_t finished;     /* serial of the last refresh that ended */
    uint64_t wanted;       /* serial up to which somebody waits */
    struct topology *next; /* replaces the topology at the next refresh; owned */

    /* the thread's own, once it runs */
    struct topology *topology;
    struct tenant_map *base; /* see map_rows.h */
    struct tenant_map *map;  /* the last one published */
    /* The one before, until the next refresh: by then the workers have let go of it, and freeing
     * what may be a million tenants is not theirs. */
    struct tenant_map *previous;
    struct vindex_table *table; /* NULL while not connected */
    uint64_t version;           /* of the table, as far as map knows it */
    bool failing;               /* the last refresh failed; it was logged */
    bool unsaved;               /* the snapshot file says less than map */
    bool saving_failed;         /* it could not be written; that was logged */
    uint64_t save_next_ms;      /* when it may be written again in full */
};

/* --- the snapshot file --------------------------------------------------------------- */

static const char *snapshot_path(const struct placement *p)
{
    return p->topology->config->vindex_table.snapshot_file;
}

/* When the map was confirmed, by the wall clock. */
static uint64_t confirmed_wall_ms(const struct placement *p)
{
    return clock_wall_ms() - (clock_monotonic_ms() - tenant_map_confirmed_ms(p->map));
}

/* In full. That of a million tenants takes a while, so it is done for a small share of the time;
 * meanwhile the file stays as old as it is. */
static void rewrite(struct placement *p, const char *path, const struct snapshot_info *info)
{
    struct err err;
    uint64_t began = clock_monotonic_ms();
    if (began < p->save_next_ms)
        return;
    enum err_code code = snapshot_file_write(path, p->map, info, &err);
    uint64_t ended = clock_monotonic_ms();
    p->save_next_ms = ended + SAVE_PAUSE * (ended - began);
    p->unsaved = code != MQ_OK;
    if (code && !p->saving_failed)
        log_warning("placement", "the tenants are not kept in a file: %s", err.text);
    p->saving_failed = code != MQ_OK;
}

/* Keeps the map in the file: in full when it changed, else only that it was confirmed. */
static void save(struct placement *p)
{
    const char *path = snapshot_path(p);
    if (!path)
        return;
    struct snapshot_info info = { .source = snapshot_source(p->topology->config),
                                  .version = p->version,
                                  .confirmed_wall_ms = confirmed_wall_ms(p) };
    if (p->unsaved || snapshot_file_confirm(path, &info, NULL) != MQ_OK)
        rewrite(p, path, &info);
}

/* How long ago the file was confirmed. A clock that went back tells nothing. */
static enum err_code snapshot_age(const struct placement *p, const struct snapshot_info *info,
                                  uint64_t *ret_ms, struct err *reterr)
{
    uint64_t now = clock_wall_ms();
    uint32_t limit = p->topology->config->vindex_table.max_age_ms;
    if (info->confirmed_wall_ms > now)
        return err_set(reterr, MQ_VINDEX_TABLE_UNAVAILABLE,
                       "%s was written in the future; the clock went back", snapshot_path(p));
    *ret_ms = now - info->confirmed_wall_ms;
    if (*ret_ms >= limit)
        return err_set(reterr, MQ_VINDEX_TABLE_UNAVAILABLE,
                       "%s was confirmed %llu s ago, which is beyond vindex_max_age",
                       snapshot_path(p), (unsigned long long)(*ret_ms / 1000));
    return MQ_OK;
}

static enum err_code load(struct placement *p, struct err *reterr)
{
    if (!snapshot_path(p))
        return err_set(reterr, MQ_VINDEX_TABLE_UNAVAILABLE,
                       "no tenant_vindex.snapshot_file is configured");
    struct snapshot_info info = { .source = snapshot_source(p->topology->config) };
    struct row_set rows;
    row_set_init(&rows, p->topology, p->base);
    uint64_t age = 0;
    enum err_code code = snapshot_file_read(snapshot_path(p), &info, row_set_add, &rows, reterr);
    if (!code)
        code = snapshot_age(p, &info, &age, reterr);
    if (!code) {
        uint64_t now = clock_monotonic_ms();
        p->version = info.version;
        p->map = map_overlay(p->base, &rows, now > age ? now - age : 0, info.version);
    }
    row_set_fini(&rows);
    return code;
}

/* --- reading the table --------------------------------------------------------------- */

static void adopt(struct placement *p, struct tenant_map *map)
{
    tenant_map_release(p->previous);
    p->previous = p->map;
    p->map = map;
}

static void disconnect(struct placement *p)
{
    vindex_table_close(p->table);
    p->table = NULL;
}

/* What changed since p->version. The map counts as confirmed from before the table was
 * asked. */
static enum err_code read_changes(struct placement *p, struct err *reterr)
{
    uint64_t now = clock_monotonic_ms(), version = 0;
    struct row_set rows;
    row_set_init(&rows, p->topology, p->base);
    enum err_code code =
        vindex_table_read(p->table, p->version, row_set_add, &rows, &version, reterr);
    if (!code && version < p->version)
        code = err_set(reterr, MQ_VINDEX_TABLE_UNAVAILABLE, "the table's version went back");
    if (!code) {
        p->version = version;
        p->unsaved |= rows.count > 0;
        if (rows.count > 0)
            adopt(p, map_overlay(p->map, &rows, now, version));
        else
            tenant_map_confirm(p->map, now);
        save(p);
    }
    row_set_fini(&rows);
    return code;
}

/* The whole table, or all that it says of the listed tenants. */
static enum err_code read_all(struct placement *p, struct err *reterr)
{
    const struct config *config = p->topology->config;
    uint64_t now = clock_monotonic_ms(), version = 0;
    struct row_set rows;
    row_set_init(&rows, p->topology, p->base);
    enum err_code code = config->tenants_mode == TENANTS_LIST
                             ? vindex_table_read_tenants(p->table, &config->tenants, row_set_add,
                                                         &rows, &version, reterr)
                             : vindex_table_read(p->table, 0, row_set_add, &rows, &version, reterr);
    if (!code) {
        p->version = version;
        p->unsaved = true;
        adopt(p, map_overlay(p->base, &rows, now, version));
        save(p);
    }
    row_set_fini(&rows);
    return code;
}

/* A connection that was lost, and a table whose version went back, are read anew in full. */
static enum err_code refresh(struct placement *p, struct err *reterr)
{
    if (p->table && read_changes(p, NULL) == MQ_OK)
        return MQ_OK;
    disconnect(p);
    enum err_code code = vindex_table_open(&p->topology->config->vindex_table, &p->table, reterr);
    if (!code)
        code = read_all(p, reterr);
    if (code)
        disconnect(p);
    return code;
}

/* --- topologies ---------------------------------------------------------------------- */

/* Takes the topology. What is known of the tenants is carried over to its shards, but not to its
 * file, which may be about another table. */
static void use_topology(struct placement *p, struct topology *topology)
{
    p->unsaved = false;
    disconnect(p);
    topology_release(p->topology);
    tenant_map_release(p->base);
    p->topology = topology;
    p->base = map_base(topology);
    if (!p->map)
        return;
    struct row_set rows;
    row_set_init(&rows, topology, p->base);
    row_set_add_map(&rows, p->map);
    adopt(p,
          map_overlay(p->base, &rows, tenant_map_confirmed_ms(p->map), tenant_map_version(p->map)));
    row_set_fini(&rows);
}

/* --- the thread ---------------------------------------------------------------------- */

static struct timespec after_ms(uint32_t ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

/* Tenants that are about to be moved are used on a short lease. */
static uint32_t interval_ms(const struct placement *p)
{
    uint32_t usual = p->topology->config->vindex_table.refresh_interval_ms;
    bool short_lease = tenant_map_preparing(p->map) > 0 && usual > TENANT_CONFIRM_MS;
    return short_lease ? TENANT_CONFIRM_MS : usual;
}

/* Waits until a refresh is due; false when the thread shall end. However often one is asked for,
 * there is a pause between two: a client may invent tenants. */
static bool wait_until_due_locked(struct placement *p)
{
    struct timespec due = after_ms(interval_ms(p)), soonest = after_ms(PAUSE_MS);
    int rc = 0;
    while (!p->stopping && !p->next && rc == 0) {
        bool asked = p->wanted > p->finished;
        rc = pthread_cond_timedwait(&p->wake, &p->lock, asked ? &soonest : &due);
    }
    return !p->stopping;
}

/* One line when it starts to fail and one when it works again. */
static void note_outcome(struct placement *p, enum err_code code, const struct err *err)
{
    if (code && !p->failing)
        log_warning("placement", "the tenant vindex table cannot be read: %s", err->text);
    if (!code && p->failing)
        log_info("placement", "the tenant vindex table is read again");
    p->failing = code != MQ_OK;
}

static void run_refresh(struct placement *p, struct topology *next, uint64_t serial)
{
    struct err err;
    tenant_map_release(p->previous);
    p->previous = NULL;
    if (next)
        use_topology(p, next);
    enum err_code code = refresh(p, &err);
    note_outcome(p, code, &err);
    p->published(p->context, p->map, serial, code ? &err : NULL);
}

static void *run(void *argument)
{
    struct placement *p = argument;
    database_thread_init();
    pthread_mutex_lock(&p->lock);
    while (wait_until_due_locked(p)) {
        struct topology *next = p->next;
        uint64_t serial = p->finished + 1;
        p->next = NULL;
        p->busy = true;
        pthread_mutex_unlock(&p->lock);
        run_refresh(p, next, serial);
        pthread_mutex_lock(&p->lock);
        p->busy = false;
        p->finished = serial;
    }
    pthread_mutex_unlock(&p->lock);
    p->save_next_ms = 0;
    if (p->unsaved)
        save(p);
    disconnect(p);
    database_thread_fini();
    return NULL;
}

/* Signals are for the main thread. */
static bool start_thread(struct placement *p)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int rc = pthread_create(&p->thread, NULL, run, p);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return rc == 0;
}

/* --- for everybody ------------------------------------------------------------------- */

static struct placement *create(struct topology *topology, placement_published *published,
                                void *context)
{
    struct placement *p = mem_new(struct placement);
    p->published = published;
    p->context = context;
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&p->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    use_topology(p, topology_acquire(topology));
    return p;
}

static void destroy(struct placement *p)
{
    disconnect(p);
    topology_release(p->next);
    topology_release(p->topology);
    tenant_map_release(p->base);
    tenant_map_release(p->map);
    tenant_map_release(p->previous);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    mem_free(p);
}

/* The first map: from the table, else from the file. */
static enum err_code read_first(struct placement *p, struct err *reterr)
{
    struct err from_table, from_file;
    enum err_code code = refresh(p, &from_table);
    if (!code)
        return MQ_OK;
    if (load(p, &from_file) != MQ_OK)
        return err_set(reterr, code, "%.230s; %.230s", from_table.text, from_file.text);
    note_outcome(p, code, &from_table);
    log_warning("placement", "starting with %zu tenants of %s", tenant_map_count(p->map),
                snapshot_path(p));
    return MQ_OK;
}

static enum err_code prepare(struct placement *p, struct err *reterr)
{
    enum err_code code = read_first(p, reterr);
    if (!code && tenant_map_count(p->map) == 0)
        code = err_set(reterr, MQ_TENANTS_EMPTY, "%s",
                       p->topology->config->tenants_mode == TENANTS_LIST
                           ? "no tenant is listed"
                           : "the tenant vindex table holds no tenant");
    return code;
}

enum err_code placement_start(struct topology *topology, placement_published *published,
                              void *context, struct placement **ret, struct tenant_map **ret_map,
                              struct err *reterr)
{
    struct placement *p = create(topology, published, context);
    enum err_code code = prepare(p, reterr);
    if (code) {
        destroy(p);
        return code;
    }
    *ret_map = tenant_map_acquire(p->map); /* before the thread may replace it */
    if (!start_thread(p)) {
        tenant_map_release(*ret_map);
        destroy(p);
        return err_set(reterr, MQ_INTERNAL, "the placement thread cannot be started");
    }
    *ret = p;
    return MQ_OK;
}

static uint64_t request_locked(struct placement *p)
{
    uint64_t serial = p->finished + (p->busy ? 2 : 1);
    if (p->wanted < serial)
        p->wanted = serial;
    pthread_cond_signal(&p->wake);
    return serial;
}

uint64_t placement_refresh(struct placement *p)
{
    pthread_mutex_lock(&p->lock);
    uint64_t serial = request_locked(p);
    pthread_mutex_unlock(&p->lock);
    return serial;
}

uint64_t placement_reconfigure(struct placement *p, struct topology *topology)
{
    pthread_mutex_lock(&p->lock);
    struct topology *unused = p->next;
    p->next = topology_acquire(topology);
    uint64_t serial = request_locked(p);
    pthread_mutex_unlock(&p->lock);
    topology_release(unused);
    return serial;
}

void placement_stop(struct placement *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stopping = true;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    destroy(p);
}
