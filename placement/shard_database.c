#include "placement/shard_database.h"

/* A table of many rows may take a while to be walked. */
enum { PATIENCE_S = 60 };

enum err_code shard_database_open(const struct topology *topology, uint32_t shard,
                                  struct database **ret, struct err *reterr)
{
    const struct shard_config *config = topology->shards[shard].config;
    struct database_target target = { .address = &config->address,
                                      .credentials = &topology->config->accounts[0].backend,
                                      .tls = &config->tls,
                                      .database = config->database,
                                      .failure = MQ_SHARD_DOWN,
                                      .patience_s = PATIENCE_S };
    return database_open(&target, ret, reterr);
}
