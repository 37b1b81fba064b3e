/* VSchema JSON from an untrusted file: parsing and checking never fail otherwise than by a
 * message. */
#include <stdint.h>

#include "vschema/vschema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct catalog *catalog = catalog_create(NULL);
    struct vschema *v = NULL;
    const struct vindex_type *type;
    char database[] = "lookup", name[] = "mq_tenant_vindex";
    const struct vindex_table_config table = { .configured = true,
                                               .database = database,
                                               .table = name };
    struct err err;
    if (vschema_parse(slice_of(data, size), "mq", &v, &err) == MQ_OK)
        vschema_check(v, catalog, &table, &type, &err);
    vschema_destroy(v);
    catalog_destroy(catalog);
    return 0;
}
