/* A topology from a configuration in memory, for the tests of this folder. */
#ifndef MQ_TESTS_TOPOLOGY_FIXTURE_H
#define MQ_TESTS_TOPOLOGY_FIXTURE_H

#include <stdio.h>

#include "vschema/topology.h"

/* Ports 1 to 3 are nobody's: what connects there fails at once. */
#define FIXTURE_SHARDS                       \
    "keyspace:\n"                            \
    "  name: queue\n"                        \
    "  shards:\n"                            \
    "    \"-40\": 127.0.0.1:1\n"             \
    "    \"40-80\": 127.0.0.1:2\n"           \
    "    \"80-\": 127.0.0.1:3\n"             \
    "accounts: { app: { password: app } }\n" \
    "tenant_vindex: { address: 127.0.0.1:1, database: mq_vindex, user: u, password: p"
#define FIXTURE_TABLE FIXTURE_SHARDS " }\n"

/* NULL, with the complaints on stderr, when the text is wrong. */
static inline struct topology *topology_of(const char *yaml)
{
    struct diagnostics d;
    struct err err;
    struct topology *topology = NULL;
    diagnostics_init(&d);
    struct config *config = config_parse(slice_cstr(yaml), "fixture.yaml", NULL, &d);
    for (size_t i = 0; i < d.count; i++)
        fprintf(stderr, "%u: %s\n", (unsigned)d.items[i].line, d.items[i].text);
    diagnostics_fini(&d);
    if (config && topology_create(config, &topology, &err) != MQ_OK)
        fprintf(stderr, "%s\n", err.text);
    return topology;
}

#endif
