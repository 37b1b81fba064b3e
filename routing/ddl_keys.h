/* Is a table's definition fit for the shards? Every key must lead with `tenant`. */
#ifndef MQ_ROUTING_DDL_KEYS_H
#define MQ_ROUTING_DDL_KEYS_H

#include "sql/tree.h"

/* Does the CREATE TABLE define a column `tenant`? Then it is for a shard; clients create the
 * legacy tables. */
bool ddl_names_tenant(const struct lexed *l, const struct node *create);

/* Fails with MQ_KEY_WITHOUT_TENANT, naming each key that leads with another column. One plain
 * index may lead with the AUTO_INCREMENT column, as that needs it; a primary key there must
 * be. */
enum err_code ddl_check_keys(const struct lexed *l, const struct node *create, struct err *reterr);

#endif
