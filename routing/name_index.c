#include "routing/name_index.h"

#include <stdlib.h>

struct indexed_name {
    struct slice name;
    const struct node *item;
    size_t place;
};

static unsigned char folded(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static int compare_folded(struct slice a, struct slice b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    for (size_t i = 0; i < common; i++)
        if (folded(a.data[i]) != folded(b.data[i]))
            return folded(a.data[i]) < folded(b.data[i]) ? -1 : 1;
    return (a.len > b.len) - (a.len < b.len);
}

static int compare(const void *left, const void *right)
{
    const struct indexed_name *l = left, *r = right;
    int order = compare_folded(l->name, r->name);
    return order ? order : (l->place > r->place) - (l->place < r->place);
}

void name_index_add(struct name_index *x, struct arena *arena, struct slice name,
                    const struct node *item)
{
    struct indexed_name *n = vector_add(&x->names, arena, sizeof *n);
    *n = (struct indexed_name){ .name = name, .item = item, .place = x->names.count };
    x->sorted = false;
}

static const struct indexed_name *find(struct name_index *x, struct slice name)
{
    struct indexed_name *names = x->names.items;
    size_t from = 0, to = x->names.count;
    if (!x->sorted && to)
        qsort(names, to, sizeof *names, compare);
    x->sorted = true;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (compare_folded(names[middle].name, name) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    bool found = from < x->names.count && compare_folded(names[from].name, name) == 0;
    return found ? &names[from] : NULL;
}

bool name_index_has(struct name_index *x, struct slice name)
{
    return find(x, name) != NULL;
}

const struct node *name_index_find(struct name_index *x, struct slice name)
{
    const struct indexed_name *found = find(x, name);
    return found ? found->item : NULL;
}
