/* Messages from other threads to a worker: a locked list and an eventfd that wakes the loop.
 * Never on the data path. */
#ifndef MQ_PROXY_MAILBOX_H
#define MQ_PROXY_MAILBOX_H

#include <pthread.h>

#include "base/list.h"

struct message {
    struct list node;
    void (*deliver)(struct message *m, void *context); /* on the receiving thread; frees m */
};

struct mailbox {
    pthread_mutex_t lock;
    struct list messages;
    int wake; /* eventfd; readable while messages wait */
};

bool mailbox_init(struct mailbox *m);
/* Undelivered messages are delivered, so that what they carry is freed. */
void mailbox_fini(struct mailbox *m, void *context);
void mailbox_post(struct mailbox *m, struct message *message); /* any thread */
void mailbox_deliver(struct mailbox *m, void *context);        /* the owner's thread */

#endif
