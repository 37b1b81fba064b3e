/* VSchema JSON for the queue tables, as Vitess and mqgate read it. */
#include "vschema/vschema.h"

#include <stdlib.h>

#include <jansson.h>

#include "base/memory.h"

static void write_document(json_t *document, struct buf *out)
{
    char *text = document ? json_dumps(document, JSON_INDENT(2)) : NULL;
    if (!text)
        mem_exhausted(0);
    buf_append_cstr(out, text);
    buf_append_byte(out, '\n');
    free(text);
    json_decref(document);
}

static json_t *function_json(void)
{
    return json_pack("{s:s}", "type", "xxhash");
}

/* Nobody but `mqgate tenants` writes the table, so Vitess need not keep it consistent: with
 * autocommit and without locks a lookup costs no transaction, and waits for none. */
static json_t *lookup_json(const struct vindex_table_config *table)
{
    struct buf name;
    buf_init(&name);
    buf_printf(&name, "%s.%s", table->database, table->table);
    json_t *params =
        json_pack("{s:s, s:s, s:s, s:s, s:s}", "table", buf_cstr(&name), "from", "tenant", "to",
                  "keyspace_id", "read_lock", "none", "autocommit", "true");
    buf_fini(&name);
    return json_pack("{s:s, s:o}", "type", "lookup_unique", "params", params);
}

void vschema_write(const struct catalog *catalog, const struct vindex_table_config *lookup_table,
                   struct buf *out)
{
    const char *vindex = lookup_table ? "tenant_lookup" : "tenant_xxhash";
    json_t *tables = json_object();
    for (size_t i = 0; i < catalog->table_count; i++)
        json_object_set_new(
            tables, catalog->tables[i]->name,
            json_pack("{s:[{s:s, s:s}]}", "column_vindexes", "column", "tenant", "name", vindex));
    write_document(json_pack("{s:b, s:{s:o}, s:o}", "sharded", 1, "vindexes", vindex,
                             lookup_table ? lookup_json(lookup_table) : function_json(), "tables",
                             tables),
                   out);
}

void vschema_write_lookup(const struct vindex_table_config *lookup_table, struct buf *out)
{
    write_document(json_pack("{s:b, s:{s:{}}}", "sharded", 0, "tables", lookup_table->table), out);
}
