#include "proxy/pool_kill.h"

#include <stdio.h>

#include "base/log.h"
#include "base/memory.h"

enum { MOST_ORDERS = 64 }; /* of one pool: what comes on top runs until the server notices */

struct kill_order {
    struct list node;       /* pool->kills */
    struct backend *target; /* KILL QUERY, as long as its statement runs; NULL: the connection */
    uint32_t host, connection_id, server;
};

static void forget(struct pool *p, struct kill_order *order)
{
    if (order->target)
        order->target->kill = NULL;
    list_remove(&order->node);
    p->kill_count--;
    mem_free(order);
}

static struct kill_order *order_of(struct list *node)
{
    return LIST_ENTRY(node, struct kill_order, node);
}

/* The first one for that host. */
static struct kill_order *find_order(struct pool *p, uint32_t host)
{
    LIST_EACH (&p->kills, node, following)
        if (order_of(node)->host == host)
            return order_of(node);
    return NULL;
}

static void forget_host(struct pool *p, uint32_t host)
{
    struct kill_order *order;
    while ((order = find_order(p, host)))
        forget(p, order);
}

static void need_killer(struct pool *p)
{
    struct err e;
    while (!p->killer && !list_empty(&p->kills)) {
        uint32_t host = order_of(list_first(&p->kills))->host;
        if (!pool_open_killer(p, host, &e)) {
            log_warning("pool", "cannot kill a statement: %s", e.text);
            forget_host(p, host);
        }
    }
}

static struct kill_order *give_order(struct backend *b)
{
    struct pool *p = b->pool;
    if (p->kill_count == MOST_ORDERS || p->worker->stopping)
        return NULL;
    struct kill_order *order = mem_new(struct kill_order);
    order->host = b->host_number;
    order->connection_id = b->connection_id;
    order->server = b->server;
    list_append(&p->kills, &order->node);
    p->kill_count++;
    return order;
}

void pool_kill_statement(struct backend *b)
{
    struct kill_order *order = b->kill || b->killed || b->exclusive ? NULL : give_order(b);
    if (!order)
        return;
    order->target = b;
    b->kill = order;
    need_killer(b->pool);
}

void pool_kill_connection(struct backend *b)
{
    pool_spare(b);
    if (!b->exclusive && give_order(b))
        need_killer(b->pool);
}

void pool_spare(struct backend *b)
{
    b->killed = false;
    if (b->kill)
        forget(b->pool, b->kill);
}

/* False when it must not be sent. */
static bool send_order(struct backend *killer, const struct kill_order *order)
{
    char text[32];
    if (order->server != killer->server) {
        log_warning("pool", "the address of shard %s leads to another server: nothing is killed",
                    pool_shard_name(killer->pool));
        return false;
    }
    if (order->target) { /* it may hit what comes next as well: that must be no other session's */
        order->target->killed = true;
        order->target->interrupted++;
    }
    snprintf(text, sizeof text, order->target ? "KILL QUERY %u" : "KILL %u", order->connection_id);
    backend_move(killer, BACKEND_KILLING);
    killer->deadline_ms = killer->worker->now_ms +
                          killer->pool->deployment->topology->config->pool.connect_timeout_ms;
    if (!backend_query(killer, text))
        backend_kill(killer);
    return true;
}

void pool_on_killer_ready(struct pool *p)
{
    struct backend *killer = p->killer;
    struct kill_order *order;
    bool sent = false;
    while (!sent && (order = find_order(p, killer->host_number))) {
        sent = send_order(killer, order);
        if (p->killer == killer) /* else its orders are forgotten */
            forget(p, order);
    }
    if (!sent)
        backend_kill(killer);
}

void pool_on_killer_lost(struct pool *p, uint32_t host)
{
    p->killer = NULL;
    forget_host(p, host);
    if (!p->worker->stopping)
        need_killer(p);
    while (!p->killer && !list_empty(&p->kills))
        forget(p, order_of(list_first(&p->kills)));
}
