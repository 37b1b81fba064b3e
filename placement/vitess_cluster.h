/* What a Vitess cluster says of the queue's keyspace, asked of its vtgates. Blocking. */
#ifndef MQ_PLACEMENT_VITESS_CLUSTER_H
#define MQ_PLACEMENT_VITESS_CLUSTER_H

#include "vschema/topology.h"

struct vitess_cluster {
    struct vschema *vschema;    /* the queue tables that it has */
    struct string_list shards;  /* that serve, by key range */
    const struct address *gate; /* that answered; the configuration's */
};

/* Asks the first of the configured vtgates that answers. Fails with MQ_VTGATE_UNREACHABLE, or
 * MQ_VSCHEMA_CLUSTER when the keyspace is not there or cannot be understood; ret has to be ended
 * with _fini in any case. */
enum err_code vitess_cluster_read(const struct config *config, const struct catalog *catalog,
                                  struct vitess_cluster *ret, struct err *reterr);
void vitess_cluster_fini(struct vitess_cluster *c);

#endif
