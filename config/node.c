#include "config/node.h"

struct node *node_create(struct arena *a, enum node_kind kind, uint32_t line)
{
    struct node *n = arena_new(a, struct node);
    n->kind = kind;
    n->line = line;
    return n;
}

struct node *node_scalar(struct arena *a, const char *text, const char *origin)
{
    struct node *n = node_create(a, NODE_SCALAR, 0);
    n->text = text;
    n->origin = origin;
    return n;
}

void node_append(struct node *parent, struct node *child)
{
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

struct node *node_child(const struct node *map, struct slice key)
{
    if (!map || map->kind != NODE_MAP)
        return NULL;
    for (struct node *n = map->first; n; n = n->next)
        if (slice_eq(slice_cstr(n->key), key))
            return n;
    return NULL;
}

const struct node *node_nearest(const struct node *root, const char *const *keys)
{
    for (; *keys; keys++) {
        const struct node *child = node_child(root, slice_cstr(*keys));
        if (!child)
            break;
        root = child;
    }
    return root;
}

/* The map below parent of that name, made if there is none; NULL if it is something else. */
static struct node *descend(struct arena *a, struct node *parent, struct slice key,
                            const struct node **ret_obstacle)
{
    struct node *child = node_child(parent, key);
    if (!child) {
        child = node_create(a, NODE_NULL, 0);
        child->key = arena_copy(a, key).data;
        node_append(parent, child);
    }
    if (child->kind == NODE_NULL)
        child->kind = NODE_MAP;
    if (child->kind == NODE_MAP)
        return child;
    *ret_obstacle = child;
    return NULL;
}

/* Overwrites the content of a child but not its place among its siblings. */
static void replace(struct node *child, const struct node *value)
{
    struct node *next = child->next;
    const char *key = child->key;
    *child = *value;
    child->next = next;
    child->key = key;
}

bool node_set(struct arena *a, struct node *root, const char *path, struct node *value,
              const struct node **ret_obstacle)
{
    struct slice rest = slice_cstr(path);
    const char *dot;
    while ((dot = memchr(rest.data, '.', rest.len))) {
        size_t len = (size_t)(dot - rest.data);
        root = descend(a, root, slice_of(rest.data, len), ret_obstacle);
        if (!root)
            return false;
        rest = slice_of(dot + 1, rest.len - len - 1);
    }
    struct node *child = node_child(root, rest);
    if (child) {
        replace(child, value);
        return true;
    }
    value->key = arena_copy(a, rest).data;
    node_append(root, value);
    return true;
}
