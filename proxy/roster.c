#include "proxy/roster.h"

#include <pthread.h>

#include "base/memory.h"
#include "proxy/hash.h"

struct person {
    UT_hash_handle hh;
    uint32_t id, worker, servers;
    char *user;
};

struct roster {
    pthread_mutex_t lock;
    struct person *people;
};

struct roster *roster_create(void)
{
    struct roster *r = mem_new(struct roster);
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

static void drop(struct roster *r, struct person *p)
{
    HASH_DEL(r->people, p);
    mem_free(p->user);
    mem_free(p);
}

void roster_destroy(struct roster *r)
{
    struct person *p, *following;
    if (!r)
        return;
    HASH_ITER(hh, r->people, p, following)
    drop(r, p);
    pthread_mutex_destroy(&r->lock);
    mem_free(r);
}

static struct person *find(const struct roster *r, uint32_t id)
{
    struct person *p;
    HASH_FIND(hh, r->people, &id, sizeof id, p);
    return p;
}

void roster_add(struct roster *r, uint32_t id, uint32_t worker, uint32_t servers, struct slice user)
{
    struct person *p = mem_new(struct person);
    *p = (struct person){
        .id = id, .worker = worker, .servers = servers, .user = mem_strndup(user)
    };
    roster_remove(r, id);
    pthread_mutex_lock(&r->lock);
    HASH_ADD(hh, r->people, id, sizeof p->id, p);
    pthread_mutex_unlock(&r->lock);
}

void roster_remove(struct roster *r, uint32_t id)
{
    pthread_mutex_lock(&r->lock);
    struct person *p = find(r, id);
    if (p)
        drop(r, p);
    pthread_mutex_unlock(&r->lock);
}

bool roster_find(struct roster *r, uint32_t id, struct slice user, struct roster_entry *ret)
{
    pthread_mutex_lock(&r->lock);
    const struct person *p = find(r, id);
    if (p)
        *ret = (struct roster_entry){ .worker = p->worker,
                                      .servers = p->servers,
                                      .same_user = slice_eq(slice_cstr(p->user), user) };
    pthread_mutex_unlock(&r->lock);
    return p != NULL;
}
