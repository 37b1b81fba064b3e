#include "proxy/misses.h"

#include "vschema/tenants.h"

void misses_note(struct misses *m, struct slice tenant, uint64_t now_ms)
{
    uint64_t hash = tenant_hash(tenant);
    m->kept[hash % MISSES_KEPT].tenant = hash;
    m->kept[hash % MISSES_KEPT].until_ms = now_ms + MISS_KEPT_MS;
}

bool misses_recent(const struct misses *m, struct slice tenant, uint64_t now_ms)
{
    uint64_t hash = tenant_hash(tenant);
    return m->kept[hash % MISSES_KEPT].tenant == hash &&
           m->kept[hash % MISSES_KEPT].until_ms > now_ms;
}
