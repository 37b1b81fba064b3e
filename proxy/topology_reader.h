/* Reads the configuration, the VSchema and, with `backend: vitess`, what the cluster says of it, on a
 * thread of its own: files and vtgates take their time, and the main loop has other things to do. */
#ifndef MQ_PROXY_TOPOLOGY_READER_H
#define MQ_PROXY_TOPOLOGY_READER_H

#include <event2/event.h>

#include "vschema/topology.h"

struct topology_source {
    const char *config_path;
    const struct config_overrides *overrides;
};

/* Reads at once; NULL when something is wrong, which has been said. */
struct topology *topology_read(const struct topology_source *source);

struct topology_reader;

/* Called in the loop; the callee takes the topology. NULL: something is wrong, which has been said. */
typedef void topology_was_read(void *context, struct topology *topology);

/* NULL when there are no descriptors left. */
struct topology_reader *topology_reader_create(struct event_base *base,
                                               const struct topology_source *source,
                                               topology_was_read *was_read, void *context);
/* Reads soon. Asked again before the answer, it reads again after it. */
void topology_reader_ask(struct topology_reader *r);
/* Waits for a reading that is under way, whose result is dropped. NULL is fine. */
void topology_reader_destroy(struct topology_reader *r);

#endif
