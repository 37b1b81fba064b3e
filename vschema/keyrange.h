/* Keyspace ids and the half-open ranges of them that shards own ("-80", "40-80", "-").
 * Source: go/vt/key/key.go, go/vt/topo/shard.go of Vitess. */
#ifndef MQ_VSCHEMA_KEYRANGE_H
#define MQ_VSCHEMA_KEYRANGE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

enum { KEYSPACE_ID_MAX = 255 }; /* bytes: `binary` makes as many as a tenant has */

struct keyspace_id {
    uint8_t bytes[KEYSPACE_ID_MAX];
    uint8_t len;
};

struct key_range {
    struct keyspace_id start, end; /* len 0: open on that side */
};

/* Parses a shard name; "0" and "-" are everything. Fails with MQ_SHARDS_INCOMPLETE. */
enum err_code key_range_parse(struct slice name, struct key_range *ret, struct err *reterr);
/* Trailing zero bytes do not count, as in Vitess ("8000" = "80"). */
int keyspace_id_cmp(const struct keyspace_id *a, const struct keyspace_id *b);
bool key_range_contains(const struct key_range *r, const struct keyspace_id *id);
bool keyspace_id_parse(struct slice hex, struct keyspace_id *ret);
void keyspace_id_print(const struct keyspace_id *id, struct buf *out);

/* The ranges must cover everything exactly once. order[i] receives the index of the ith
 * range by start. Fails with MQ_SHARDS_INCOMPLETE, naming the gap or the overlap. */
enum err_code key_ranges_check(const struct key_range *ranges, const char *const *names,
                               size_t count, uint32_t *order, struct err *reterr);
/* The range (an index into ranges) that contains id; ranges are a checked cover in `order`. */
uint32_t key_ranges_find(const struct key_range *ranges, const uint32_t *order, size_t count,
                         const struct keyspace_id *id);
/* Vitess' GenerateShardRanges: the name of shard i of n; false unless 1 <= n <= 65536. */
bool key_range_name(uint32_t i, uint32_t n, char name[16]);

#endif
