/* A configuration from arbitrary text, with and without overrides. */
#include <stdint.h>
#include <stdlib.h>

#include "config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(struct slice text, const struct config_overrides *overrides)
{
    struct diagnostics d;
    struct buf out;
    diagnostics_init(&d);
    struct config *c = config_parse(text, "mqgate.yaml", overrides, &d);
    if ((c == NULL) != (d.count > 0))
        abort(); /* refused without a word, or accepted with complaints */
    config_destroy(c);
    buf_init(&out);
    diagnostics_print(&d, "mqgate.yaml", &out);
    buf_fini(&out);
    diagnostics_fini(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const environment[] = { "MQ_TENANTS=a,b", "MQGATE_LOG_LEVEL=debug",
                                               "SECRET=s", NULL };
    static const char *const settings[] = { "pool.max_per_shard=7", "accounts.x.password=y",
                                            "keyspace.shards.-80.database=d", NULL };
    struct config_overrides overrides = { environment, settings };
    parse(slice_of(data, size), NULL);
    parse(slice_of(data, size), &overrides);
    return 0;
}
