/* Any bytes as a snapshot file. The checksums are made right first, else nothing behind them
 * would ever be reached. */
#include <stdint.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/check.h"
#include "placement/snapshot_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { AT_SOURCE = 8, AT_BODY_LEN = 40, AT_BODY_SUM = 48, AT_SUM = 56 };

static void put_u64(uint8_t *to, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static void mend(uint8_t *bytes, size_t size)
{
    size_t body = size - SNAPSHOT_HEADER_SIZE;
    memcpy(bytes, "MQTENNT1", 8);
    put_u64(bytes + AT_SOURCE, 1);
    put_u64(bytes + AT_BODY_LEN, body);
    put_u64(bytes + AT_BODY_SUM, XXH64(bytes + SNAPSHOT_HEADER_SIZE, body, 0));
    put_u64(bytes + AT_SUM, XXH64(bytes, AT_SUM, 0));
}

/* Touches every byte that it is given. */
static bool on_row(void *context, const struct vindex_row *row)
{
    unsigned *sum = context;
    CHECK(row->tenant.len > 0 && row->id.len <= KEYSPACE_ID_MAX);
    for (size_t i = 0; i < row->tenant.len; i++)
        *sum += (uint8_t)row->tenant.data[i];
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct snapshot_info info = { .source = 1 };
    unsigned sum = 0;
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        return 0;
    if (size)
        memcpy(copy, data, size);
    snapshot_parse(slice_of(copy, size), &info, on_row, &sum, NULL);
    if (size >= SNAPSHOT_HEADER_SIZE) {
        mend(copy, size);
        snapshot_parse(slice_of(copy, size), &info, on_row, &sum, NULL);
    }
    free(copy);
    return 0;
}
