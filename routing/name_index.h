/* Names of columns, found whatever the case of their ASCII letters: a query may show thousands of
 * them and another name each of them. */
#ifndef MQ_ROUTING_NAME_INDEX_H
#define MQ_ROUTING_NAME_INDEX_H

#include "routing/plan_int.h"

struct name_index {
    struct vector names; /* struct indexed_name */
    bool sorted;
};

void name_index_add(struct name_index *x, struct arena *arena, struct slice name,
                    const struct node *item);
bool name_index_has(struct name_index *x, struct slice name);
/* The item that was added first with that name; NULL: none was. */
const struct node *name_index_find(struct name_index *x, struct slice name);

#endif
