/* An intrusive doubly linked ring. The object's state is the list it is on; a node that
 * is on no list points to itself. */
#ifndef MQ_BASE_LIST_H
#define MQ_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
    struct list *prev, *next;
};

#define LIST_ENTRY(node, type, member) ((type *)(void *)((char *)(node)-offsetof(type, member)))

/* Removal of the current entry is safe; removal of others is not. */
#define LIST_EACH(head, node, following) \
    for (struct list *node = (head)->next, *following = node->next; node != (head); \
         node = following, following = node->next)

static inline void list_init(struct list *l)
{
    l->prev = l->next = l;
}

static inline bool list_empty(const struct list *l)
{
    return l->next == l;
}

static inline void list_remove(struct list *l)
{
    l->prev->next = l->next;
    l->next->prev = l->prev;
    list_init(l);
}

/* Puts node, which must be on no list, behind all others. */
static inline void list_append(struct list *head, struct list *node)
{
    node->prev = head->prev;
    node->next = head;
    head->prev->next = node;
    head->prev = node;
}

static inline void list_prepend(struct list *head, struct list *node)
{
    list_append(head->next, node);
}

static inline struct list *list_first(const struct list *head)
{
    return list_empty(head) ? NULL : head->next;
}

static inline struct list *list_last(const struct list *head)
{
    return list_empty(head) ? NULL : head->prev;
}

#endif
