#include "proxy/quotas.h"

#include "base/check.h"
#include "base/memory.h"
#include "proxy/hash.h"

struct quota {
    UT_hash_handle hh;
    uint32_t taken;
    size_t len;
    char name[];
};

void quotas_init(struct quotas *q)
{
    q->names = NULL;
    pthread_mutex_init(&q->lock, NULL);
}

static void forget(struct quotas *q, struct quota *name)
{
    HASH_DEL(q->names, name);
    mem_free(name);
}

void quotas_fini(struct quotas *q)
{
    while (q->names)
        forget(q, q->names);
    pthread_mutex_destroy(&q->lock);
}

static struct quota *find(struct quotas *q, struct slice name)
{
    struct quota *found;
    HASH_FIND(hh, q->names, name.data, name.len, found);
    return found;
}

static struct quota *add(struct quotas *q, struct slice name)
{
    struct quota *added = mem_zalloc(sizeof *added + name.len);
    added->len = name.len;
    memcpy(added->name, name.data, name.len);
    HASH_ADD_KEYPTR(hh, q->names, added->name, added->len, added);
    return added;
}

/* Under the lock, as the next one. */
static bool is_free(struct quotas *q, struct slice name, uint32_t most)
{
    struct quota *found = find(q, name);
    return most > 0 && (!found || found->taken < most);
}

static void take(struct quotas *q, struct slice name)
{
    struct quota *found = find(q, name);
    if (!found)
        found = add(q, name);
    found->taken++;
}

bool quotas_take_all(struct quotas *q, const struct slice *names, size_t count, uint32_t most)
{
    bool free = true;
    pthread_mutex_lock(&q->lock);
    for (size_t i = 0; i < count && free; i++)
        free = is_free(q, names[i], most);
    for (size_t i = 0; i < count && free; i++)
        take(q, names[i]);
    pthread_mutex_unlock(&q->lock);
    return free;
}

bool quotas_take(struct quotas *q, struct slice name, uint32_t most)
{
    return quotas_take_all(q, &name, 1, most);
}

void quotas_give(struct quotas *q, struct slice name)
{
    pthread_mutex_lock(&q->lock);
    struct quota *found = find(q, name);
    CHECK(found && found->taken > 0);
    if (found && --found->taken == 0)
        forget(q, found);
    pthread_mutex_unlock(&q->lock);
}
