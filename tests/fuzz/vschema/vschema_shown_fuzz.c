/* A row of SHOW VSCHEMA VINDEXES, any bytes: its fields, apart by newlines, are read or refused,
 * and what is read can be checked. */
#include <stdint.h>

#include "vschema/vschema_shown.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct slice take_line(struct slice *rest)
{
    const char *end = rest->len ? memchr(rest->data, '\n', rest->len) : NULL;
    struct slice line = end ? slice_of(rest->data, (size_t)(end - rest->data)) : *rest;
    *rest = end ? slice_of(end + 1, rest->len - line.len - 1) : slice_of(rest->data, 0);
    return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice rest = slice_of(data, size);
    struct vindex_shown shown;
    shown.columns = take_line(&rest);
    shown.name = take_line(&rest);
    shown.type = take_line(&rest);
    shown.params = rest;
    char database[] = "tenants", name[] = "mq_tenant_vindex";
    const struct vindex_table_config table = { .configured = true,
                                               .database = database,
                                               .table = name };
    struct catalog *catalog = catalog_create(NULL);
    struct vschema *v = vschema_create_shown(true, catalog->table_count);
    const struct vindex_type *type;
    struct err err;
    enum err_code code = MQ_OK;
    for (size_t i = 0; i < catalog->table_count && code == MQ_OK; i++)
        code = vschema_add_shown(v, catalog->tables[i]->name, &shown, &err);
    if (code == MQ_OK)
        vschema_check_shown(v, NULL, catalog, &table, &type, &err);
    vschema_destroy(v);
    catalog_destroy(catalog);
    return 0;
}
