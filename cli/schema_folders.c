#define _POSIX_C_SOURCE 200809L
#include "cli/schema_folders.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "placement/vindex_table.h"
#include "vschema/vschema.h"

/* What Vitess calls the keyspace of the queue tables. */
static const char *queue_keyspace(const struct config *config)
{
    if (!config)
        return "queue";
    return config_is_vitess(config) ? config->shards[0].database : config->keyspace;
}

void schema_tables(const struct catalog *catalog,
                   void (*ddl)(const struct catalog_table *t, bool if_not_exists, struct buf *out),
                   struct buf *out)
{
    for (size_t i = 0; i < catalog->table_count; i++) {
        ddl(catalog->tables[i], true, out);
        buf_append_cstr(out, i + 1 < catalog->table_count ? ";\n\n" : ";\n");
    }
}

static enum err_code failed(const char *path, struct err *reterr)
{
    return err_set(reterr, MQ_CONFIG_UNREADABLE, "%s: %s", path, strerror(errno));
}

static enum err_code make_folder(const char *path, struct err *reterr)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ? MQ_OK : failed(path, reterr);
}

static enum err_code write_file(const char *path, struct slice text, struct err *reterr)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return failed(path, reterr);
    bool written = fwrite(text.data, 1, text.len, file) == text.len;
    return fclose(file) == 0 && written ? MQ_OK : failed(path, reterr);
}

/* What a keyspace is given. */
struct keyspace {
    const char *name;
    struct buf vschema, ddl;
};

static void keyspace_init(struct keyspace *k, const char *name)
{
    k->name = name;
    buf_init(&k->vschema);
    buf_init(&k->ddl);
}

static enum err_code write_in(const char *folder, const char *keyspace, const char *name,
                              struct buf *text, struct err *reterr)
{
    struct buf path;
    buf_init(&path);
    buf_printf(&path, "%s/%s/%s", folder, keyspace, name);
    enum err_code code = write_file(buf_cstr(&path), buf_slice(text), reterr);
    buf_fini(&path);
    return code;
}

/* Also frees what the keyspace holds. */
static enum err_code keyspace_write(struct keyspace *k, const char *folder, struct err *reterr)
{
    struct buf path;
    buf_init(&path);
    buf_printf(&path, "%s/%s", folder, k->name);
    enum err_code code = strpbrk(k->name, "/\n") || *k->name == '.'
                             ? err_set(reterr, MQ_CONFIG_UNREADABLE,
                                       "\"%s\" cannot be the name of a folder", k->name)
                             : make_folder(buf_cstr(&path), reterr);
    if (!code)
        code = write_in(folder, k->name, "vschema.json", &k->vschema, reterr);
    if (!code)
        code = write_in(folder, k->name, "schema.sql", &k->ddl, reterr);
    buf_fini(&path);
    buf_fini(&k->vschema);
    buf_fini(&k->ddl);
    return code;
}

static enum err_code write_queue(const char *folder, const char *name,
                                 const struct vindex_table_config *lookup_table,
                                 const struct catalog *catalog, struct err *reterr)
{
    struct keyspace k;
    keyspace_init(&k, name);
    vschema_write(catalog, lookup_table, &k.vschema);
    schema_tables(catalog, catalog_tenant_ddl, &k.ddl);
    return keyspace_write(&k, folder, reterr);
}

static enum err_code
write_lookup(const char *folder, const struct vindex_table_config *lookup_table, struct err *reterr)
{
    struct keyspace k;
    keyspace_init(&k, lookup_table->database);
    vschema_write_lookup(lookup_table, &k.vschema);
    vindex_table_ddl(lookup_table, &k.ddl);
    return keyspace_write(&k, folder, reterr);
}

enum err_code schema_folders_write(const char *folder, const struct config *config,
                                   const struct catalog *catalog, struct err *reterr)
{
    const struct vindex_table_config *lookup_table =
        config && config->vindex_table.configured ? &config->vindex_table : NULL;
    enum err_code code = make_folder(folder, reterr);
    if (!code)
        code = write_queue(folder, queue_keyspace(config), lookup_table, catalog, reterr);
    if (!code && lookup_table)
        code = write_lookup(folder, lookup_table, reterr);
    return code;
}
