/* TLS settings once all are read: what was left out, and whether they go together. */
#ifndef MQ_CONFIG_DECODE_TLS_H
#define MQ_CONFIG_DECODE_TLS_H

#include "config/reader.h"

/* What a shard leaves out is as keyspace.tls has it. */
void tls_settle_shard(struct tls_config *t, const struct tls_config *keyspace);
/* Fills in the rest and complains about what does not fit; after all else has been read. */
void tls_check(struct reader *r);

#endif
