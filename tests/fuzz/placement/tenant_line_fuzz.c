/* A file that shall be imported: what is read of it prints to a line that reads the same. */
#include <stdint.h>
#include <stdlib.h>

#include "placement/tenant_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_row(const struct vindex_row *row)
{
    struct vindex_row again;
    struct slice rest, line;
    struct buf text;
    buf_init(&text);
    tenant_line_print(row, &text);
    rest = buf_slice(&text);
    if (!tenant_line_next(&rest, &line) || rest.len || tenant_line_is_comment(line) ||
        tenant_line_parse(line, &again, NULL) != MQ_OK || !slice_eq(again.tenant, row->tenant) ||
        keyspace_id_cmp(&again.id, &row->id) != 0 || again.state != row->state)
        abort();
    buf_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice rest = slice_of(data, size), line;
    while (tenant_line_next(&rest, &line)) {
        struct vindex_row row;
        struct err err;
        if (!tenant_line_is_comment(line) && tenant_line_parse(line, &row, &err) == MQ_OK)
            check_row(&row);
    }
    return 0;
}
