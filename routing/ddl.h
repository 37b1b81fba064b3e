/* Does a CREATE TABLE describe the catalogue's legacy table? */
#ifndef MQ_ROUTING_DDL_H
#define MQ_ROUTING_DDL_H

#include "routing/plan_int.h"

/* Fails with MQ_TABLE_DEFINITION and all differences. Lengths and defaults are literals, so
 * they become literal checks of the template. */
enum err_code ddl_compare(struct planner *p, const struct node *create,
                          const struct catalog_table *table);

#endif
