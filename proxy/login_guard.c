#include "proxy/login_guard.h"

#include <pthread.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/memory.h"
#include "proxy/hash.h"

enum {
    MOST_RECORDS = 4096,
    LONGEST_NAME = 256, /* nobody's is as long; those that begin alike may share a record */
    FREE_FAILURES = 3, /* somebody may mistype */
    FIRST_DELAY_MS = 250,
    FORGOTTEN_MS = 600000,
};

struct record {
    UT_hash_handle hh;
    struct list age; /* the latest failure first */
    uint32_t failures;
    uint64_t last_ms;
    size_t len;
    char key[]; /* account, NUL, address */
};

struct login_guard {
    pthread_mutex_t lock;
    struct record *records;
    struct list ages;
    uint32_t count;
};

struct login_guard *login_guard_create(void)
{
    struct login_guard *g = mem_new(struct login_guard);
    pthread_mutex_init(&g->lock, NULL);
    list_init(&g->ages);
    return g;
}

static void drop(struct login_guard *g, struct record *r)
{
    HASH_DEL(g->records, r);
    list_remove(&r->age);
    g->count--;
    mem_free(r);
}

static void drop_oldest(struct login_guard *g)
{
    drop(g, LIST_ENTRY(list_last(&g->ages), struct record, age));
}

void login_guard_destroy(struct login_guard *g)
{
    if (!g)
        return;
    while (g->count)
        drop_oldest(g);
    pthread_mutex_destroy(&g->lock);
    mem_free(g);
}

static struct record *find(struct login_guard *g, struct slice key, uint64_t now_ms)
{
    struct record *r;
    HASH_FIND(hh, g->records, key.data, key.len, r);
    if (!r || now_ms < r->last_ms + FORGOTTEN_MS) /* another worker's clock may be ahead */
        return r;
    drop(g, r);
    return NULL;
}

static struct record *add(struct login_guard *g, struct slice key)
{
    if (g->count == MOST_RECORDS)
        drop_oldest(g);
    struct record *r = mem_zalloc(sizeof *r + key.len);
    list_init(&r->age);
    memcpy(r->key, key.data, key.len);
    r->len = key.len;
    HASH_ADD_KEYPTR(hh, g->records, r->key, r->len, r);
    g->count++;
    return r;
}

static uint32_t delay_ms(uint32_t failures, uint32_t longest_ms)
{
    uint64_t delay = FIRST_DELAY_MS;
    if (failures <= FREE_FAILURES)
        return 0;
    for (uint32_t i = FREE_FAILURES + 1; i < failures && delay < longest_ms; i++)
        delay *= 2;
    return delay < longest_ms ? (uint32_t)delay : longest_ms;
}

static uint32_t note(struct login_guard *g, struct slice key, bool proved, uint64_t now_ms,
                     uint32_t longest_ms)
{
    struct record *r = find(g, key, now_ms);
    uint32_t delay;
    if (!r && proved)
        return 0;
    if (!r)
        r = add(g, key);
    if (proved) {
        delay = delay_ms(r->failures, longest_ms);
        drop(g, r);
        return delay;
    }
    r->failures++;
    r->last_ms = now_ms;
    list_remove(&r->age);
    list_prepend(&g->ages, &r->age);
    return delay_ms(r->failures, longest_ms);
}

uint32_t login_guard_note(struct login_guard *g, struct slice user, struct slice address,
                          bool proved, uint64_t now_ms, uint32_t longest_ms)
{
    struct buf key;
    buf_init(&key);
    buf_append(&key, user.data, user.len < LONGEST_NAME ? user.len : LONGEST_NAME);
    buf_append_byte(&key, 0);
    buf_append_slice(&key, address);
    pthread_mutex_lock(&g->lock);
    uint32_t delay = note(g, buf_slice(&key), proved, now_ms, longest_ms);
    pthread_mutex_unlock(&g->lock);
    buf_fini(&key);
    return delay;
}
