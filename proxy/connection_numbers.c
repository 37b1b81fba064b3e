#include "proxy/connection_numbers.h"

#include <pthread.h>

#include "base/memory.h"
#include "proxy/hash.h"

struct number {
    UT_hash_handle hh;
    uint32_t ours, servers;
};

struct connection_numbers {
    pthread_mutex_t lock;
    struct number *numbers;
};

struct connection_numbers *connection_numbers_create(void)
{
    struct connection_numbers *n = mem_new(struct connection_numbers);
    pthread_mutex_init(&n->lock, NULL);
    return n;
}

static void drop(struct connection_numbers *n, struct number *number)
{
    HASH_DEL(n->numbers, number);
    mem_free(number);
}

void connection_numbers_destroy(struct connection_numbers *n)
{
    struct number *number, *following;
    if (!n)
        return;
    HASH_ITER(hh, n->numbers, number, following)
    drop(n, number);
    pthread_mutex_destroy(&n->lock);
    mem_free(n);
}

static struct number *find(struct connection_numbers *n, uint32_t ours)
{
    struct number *number;
    HASH_FIND(hh, n->numbers, &ours, sizeof ours, number);
    return number;
}

void connection_numbers_add(struct connection_numbers *n, uint32_t ours, uint32_t servers)
{
    struct number *number = mem_new(struct number);
    number->ours = ours;
    number->servers = servers;
    connection_numbers_remove(n, ours);
    pthread_mutex_lock(&n->lock);
    HASH_ADD(hh, n->numbers, ours, sizeof number->ours, number);
    pthread_mutex_unlock(&n->lock);
}

void connection_numbers_remove(struct connection_numbers *n, uint32_t ours)
{
    pthread_mutex_lock(&n->lock);
    struct number *number = find(n, ours);
    if (number)
        drop(n, number);
    pthread_mutex_unlock(&n->lock);
}

bool connection_numbers_find(struct connection_numbers *n, uint32_t ours, uint32_t *ret_servers)
{
    pthread_mutex_lock(&n->lock);
    const struct number *number = find(n, ours);
    if (number)
        *ret_servers = number->servers;
    pthread_mutex_unlock(&n->lock);
    return number != NULL;
}
