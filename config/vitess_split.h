/* `backend: vitess` for the tools that ask each shard by itself: a vtgate that is told where to send
 * statements ("queue:-80@primary" as the database) is as good as the shard's own server. */
#ifndef MQ_CONFIG_VITESS_SPLIT_H
#define MQ_CONFIG_VITESS_SPLIT_H

#include "config/config.h"

/* Puts a shard for each of vitess.shards, all reached through that gate, in the place of the
 * vtgates; the configuration is then one of `backend: mysql`. The gate may be the configuration's. */
void config_split_vitess(struct config *c, const struct address *gate);

#endif
