/* `backend: vitess` once all settings are read. */
#ifndef MQ_CONFIG_VITESS_H
#define MQ_CONFIG_VITESS_H

#include "config/reader.h"

/* Makes the vtgates the servers of the one shard, and complains about settings that do not go with
 * the backend. */
void vitess_settle(struct reader *r);

#endif
