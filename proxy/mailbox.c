#include "proxy/mailbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

bool mailbox_init(struct mailbox *m)
{
    pthread_mutex_init(&m->lock, NULL);
    list_init(&m->messages);
    m->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return m->wake >= 0;
}

void mailbox_fini(struct mailbox *m, void *context)
{
    mailbox_deliver(m, context);
    close(m->wake);
    pthread_mutex_destroy(&m->lock);
}

void mailbox_post(struct mailbox *m, struct message *message)
{
    pthread_mutex_lock(&m->lock);
    list_append(&m->messages, &message->node);
    pthread_mutex_unlock(&m->lock);
    eventfd_write(m->wake, 1);
}

static struct message *take(struct mailbox *m)
{
    pthread_mutex_lock(&m->lock);
    struct list *first = list_first(&m->messages);
    if (first)
        list_remove(first);
    pthread_mutex_unlock(&m->lock);
    return first ? LIST_ENTRY(first, struct message, node) : NULL;
}

void mailbox_deliver(struct mailbox *m, void *context)
{
    eventfd_t count;
    (void)eventfd_read(m->wake, &count);
    for (struct message *message; (message = take(m));)
        message->deliver(message, context);
}
