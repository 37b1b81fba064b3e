/* The queue tables that mqgate knows by itself. For this folder. */
#ifndef MQ_VSCHEMA_CATALOG_BUILTIN_H
#define MQ_VSCHEMA_CATALOG_BUILTIN_H

#include "vschema/catalog.h"

const struct catalog_table *catalog_builtin(size_t *ret_count);
const struct catalog_table *catalog_builtin_find(struct slice table);

#endif
