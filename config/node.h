/* A configuration file as a tree with line numbers, before anything is known about its
 * meaning. Nodes live in the arena they were made from. */
#ifndef MQ_CONFIG_NODE_H
#define MQ_CONFIG_NODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum node_kind { NODE_NULL, NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
    enum node_kind kind;
    uint32_t line;      /* 0: not from the file */
    const char *origin; /* the flag or variable that set it; NULL: the file */
    const char *key;    /* its name in a map, else NULL */
    const char *text;   /* of a scalar, NUL-terminated */
    struct node *first, *last, *next;
    size_t count; /* children */
};

struct node *node_create(struct arena *a, enum node_kind kind, uint32_t line);
struct node *node_scalar(struct arena *a, const char *text, const char *origin);
void node_append(struct node *parent, struct node *child);
/* The child of that name, or NULL; map may be NULL or no map. */
struct node *node_child(const struct node *map, struct slice key);
/* Walks down by name ({"accounts", "app", NULL}) as far as there are nodes; never NULL. */
const struct node *node_nearest(const struct node *root, const char *const *keys);
/* Puts value at the dotted path, making maps on the way and replacing what is there. False
 * when a scalar or a list stands in the way; *ret_obstacle is it. */
bool node_set(struct arena *a, struct node *root, const char *path, struct node *value,
              const struct node **ret_obstacle);

#endif
