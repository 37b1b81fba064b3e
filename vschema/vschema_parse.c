/* VSchema JSON to struct vschema, with the rules and the words of buildTables in Vitess'
 * go/vt/vtgate/vindexes/vschema.go. */
#include "vschema/vschema_int.h"

#include "vschema/json.h"

struct builder {
    struct vschema *v;
    struct err *reterr;
};

#define FAIL(b, ...) err_set((b)->reterr, MQ_VSCHEMA_INVALID, __VA_ARGS__)

static const char *copy(struct builder *b, const char *text)
{
    return arena_copy(&b->v->arena, slice_cstr(text)).data;
}

/* The params that say which table is looked up, and how. */
static enum err_code build_lookup(struct builder *b, struct json_place at, const json_t *object,
                                  struct vindex *ret)
{
    const struct {
        const char *name, **value;
    } params[] = {
        { "table", &ret->lookup.table },
        { "from", &ret->lookup.from },
        { "to", &ret->lookup.to },
        { "read_lock", &ret->lookup.read_lock },
        { "write_only", &ret->lookup.write_only },
    };
    const json_t *values;
    enum err_code code = json_field_object(object, at, "params", &values, b->reterr);
    for (size_t i = 0; i < sizeof params / sizeof *params && code == MQ_OK; i++) {
        const char *value;
        code = json_field_string(values, at, params[i].name, &value, b->reterr);
        if (code == MQ_OK)
            *params[i].value = copy(b, value);
    }
    return code;
}

static enum err_code build_vindex(struct builder *b, const char *name, const json_t *object,
                                  struct vindex *ret)
{
    struct json_place at = { "vindexes", name };
    const char *type, *owner;
    enum err_code code = json_field_string(object, at, "type", &type, b->reterr);
    if (code == MQ_OK)
        code = json_field_string(object, at, "owner", &owner, b->reterr);
    if (code != MQ_OK)
        return code;
    ret->name = copy(b, name);
    ret->owner = copy(b, owner);
    ret->type = vindex_known(slice_cstr(type));
    if (!ret->type)
        return FAIL(b, "vindexType \"%s\" not found", type);
    return ret->type->is_lookup ? build_lookup(b, at, object, ret) : MQ_OK;
}

static enum err_code build_vindexes(struct builder *b, const json_t *vindexes)
{
    const char *name;
    const json_t *value;
    b->v->vindexes = arena_array(&b->v->arena, struct vindex, json_object_size(vindexes));
    json_object_foreach((json_t *)vindexes, name, value)
    {
        enum err_code code =
            json_is_object(value)
                ? build_vindex(b, name, value, &b->v->vindexes[b->v->vindex_count++])
                : FAIL(b, "vindexes.%s: an object is expected", name);
        if (code != MQ_OK)
            return code;
    }
    return MQ_OK;
}

static const struct vindex *find_vindex(const struct vschema *v, const char *name)
{
    for (size_t i = 0; i < v->vindex_count; i++)
        if (strcmp(v->vindexes[i].name, name) == 0)
            return &v->vindexes[i];
    return NULL;
}

static enum err_code check_columns(struct builder *b, const char *table, const json_t *columns)
{
    struct json_place at = { "tables", table };
    for (size_t i = 0; i < json_array_size(columns); i++) {
        const char *name, *before = "";
        enum err_code code =
            json_field_string(json_array_get(columns, i), at, "name", &name, b->reterr);
        if (code != MQ_OK)
            return code;
        for (size_t j = 0; j < i; j++) {
            before = json_string_value(json_object_get(json_array_get(columns, j), "name"));
            if (before && slice_ieq_cstr(slice_cstr(name), before))
                return FAIL(b, "duplicate column name '%s' for table: %s", name, table);
        }
    }
    return MQ_OK;
}

/* `column`, the older singular form, or `columns`. */
static enum err_code set_columns(struct builder *b, const char *table, const char *vindex,
                                 const char *column, const json_t *columns,
                                 struct column_vindex *ret)
{
    size_t count = json_array_size(columns);
    if (*column && count)
        return FAIL(b,
                    "can't use column and columns at the same time in vindex (%s) and table (%s)",
                    vindex, table);
    if (!*column && !count)
        return FAIL(b, "must specify at least one column for vindex (%s) and table (%s)", vindex,
                    table);
    ret->column_count = *column ? 1 : count;
    ret->columns = arena_array(&b->v->arena, const char *, ret->column_count);
    if (*column)
        ret->columns[0] = copy(b, column);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(columns, i);
        if (!json_is_string(item))
            return FAIL(b, "tables.%s.column_vindexes.columns: a string is expected", table);
        ret->columns[i] = copy(b, json_string_value(item));
    }
    return MQ_OK;
}

static enum err_code check_rank(struct builder *b, const struct vschema_table *t, size_t i)
{
    const struct column_vindex *c = &t->column_vindexes[i];
    const struct vindex *v = c->vindex;
    if (i == 0 && !v->type->unique)
        return FAIL(b, "primary vindex %s is not Unique for table %s", v->name, t->name);
    if (i == 0 && v->type->is_lookup && strcmp(v->owner, t->name) == 0)
        return FAIL(b, "primary vindex %s cannot be owned for table %s", v->name, t->name);
    bool multi =
        strcmp(v->type->name, "multicol") == 0 || strncmp(v->type->name, "region_", 7) == 0;
    if (i > 0 && multi)
        return FAIL(b, "multi-column vindex %s should be a primary vindex for table %s", v->name,
                    t->name);
    return MQ_OK;
}

static enum err_code build_column_vindex(struct builder *b, struct vschema_table *t,
                                         const json_t *object)
{
    struct column_vindex *ret = &t->column_vindexes[t->column_vindex_count];
    struct json_place at = { "tables", t->name };
    const char *column, *name;
    const json_t *columns;
    if (!json_is_object(object))
        return FAIL(b, "tables.%s.column_vindexes: an object is expected", t->name);
    enum err_code code = json_field_string(object, at, "column", &column, b->reterr);
    if (code == MQ_OK)
        code = json_field_string(object, at, "name", &name, b->reterr);
    if (code == MQ_OK)
        code = json_field_array(object, at, "columns", &columns, b->reterr);
    if (code != MQ_OK)
        return code;
    ret->vindex = find_vindex(b->v, name);
    if (!ret->vindex)
        return FAIL(b, "vindex %s not found for table %s", name, t->name);
    code = set_columns(b, t->name, name, column, columns, ret);
    return code == MQ_OK ? check_rank(b, t, t->column_vindex_count++) : code;
}

/* Type and pin of a table. */
static enum err_code build_kind(struct builder *b, const json_t *object, struct vschema_table *t)
{
    struct json_place at = { "tables", t->name };
    struct keyspace_id id;
    const char *type, *pinned;
    enum err_code code = json_field_string(object, at, "type", &type, b->reterr);
    if (code == MQ_OK)
        code = json_field_string(object, at, "pinned", &pinned, b->reterr);
    if (code != MQ_OK)
        return code;
    t->type = copy(b, type);
    t->pinned = *pinned != '\0';
    bool sequence = strcmp(type, "sequence") == 0;
    if (*type && !sequence && strcmp(type, "reference") != 0)
        return FAIL(b, "unidentified table type %s", type);
    if (sequence && b->v->sharded && !t->pinned)
        return FAIL(b, "sequence table has to be in an unsharded keyspace or must be pinned: %s",
                    t->name);
    if (!keyspace_id_parse(slice_cstr(pinned), &id))
        return FAIL(b, "could not decode the keyspace id for pin: %s", pinned);
    return MQ_OK;
}

static enum err_code build_table(struct builder *b, const char *name, const json_t *object,
                                 struct vschema_table *t)
{
    struct json_place at = { "tables", name };
    const json_t *vindexes, *columns;
    t->name = copy(b, name);
    enum err_code code = build_kind(b, object, t);
    if (code == MQ_OK)
        code = json_field_array(object, at, "column_vindexes", &vindexes, b->reterr);
    if (code == MQ_OK)
        code = json_field_array(object, at, "columns", &columns, b->reterr);
    if (code == MQ_OK)
        code = check_columns(b, name, columns);
    if (code != MQ_OK || !b->v->sharded)
        return code;
    size_t count = json_array_size(vindexes);
    if (count == 0 && strcmp(t->type, "reference") != 0 && !t->pinned)
        return FAIL(b, "missing primary col vindex for table: %s", name);
    t->column_vindexes = arena_array(&b->v->arena, struct column_vindex, count);
    for (size_t i = 0; i < count && code == MQ_OK; i++)
        code = build_column_vindex(b, t, json_array_get(vindexes, i));
    return code;
}

static enum err_code build_tables(struct builder *b, const json_t *tables)
{
    const char *name;
    const json_t *value;
    b->v->tables = arena_array(&b->v->arena, struct vschema_table, json_object_size(tables));
    json_object_foreach((json_t *)tables, name, value)
    {
        enum err_code code = json_is_object(value)
                                 ? build_table(b, name, value, &b->v->tables[b->v->table_count++])
                                 : FAIL(b, "tables.%s: an object is expected", name);
        if (code != MQ_OK)
            return code;
    }
    return MQ_OK;
}

static enum err_code build_keyspace(struct builder *b, const json_t *keyspace)
{
    struct json_place root = { "", "" };
    const json_t *vindexes, *tables;
    enum err_code code = json_field_bool(keyspace, root, "sharded", &b->v->sharded, b->reterr);
    if (code == MQ_OK)
        code = json_field_object(keyspace, root, "vindexes", &vindexes, b->reterr);
    if (code == MQ_OK)
        code = json_field_object(keyspace, root, "tables", &tables, b->reterr);
    if (code == MQ_OK && b->v->sharded)
        code = build_vindexes(b, vindexes);
    return code == MQ_OK ? build_tables(b, tables) : code;
}

/* The keyspace in a document of the whole cluster, or the document itself. */
static enum err_code find_keyspace(struct builder *b, const json_t *document, const char *keyspace,
                                   const json_t **ret)
{
    struct json_place root = { "", "" };
    const json_t *keyspaces;
    if (!json_is_object(document))
        return FAIL(b, "an object is expected");
    enum err_code code = json_field_object(document, root, "keyspaces", &keyspaces, b->reterr);
    *ret = keyspaces && code == MQ_OK ? json_object_get(keyspaces, keyspace) : document;
    if (code == MQ_OK && !json_is_object(*ret))
        return FAIL(b, "keyspace %s is not in the VSchema", keyspace);
    return code;
}

static enum err_code build(struct builder *b, const json_t *document, const char *keyspace)
{
    const json_t *object = NULL;
    enum err_code code = find_keyspace(b, document, keyspace, &object);
    return code == MQ_OK ? build_keyspace(b, object) : code;
}

static json_t *load(struct slice json, struct err *reterr)
{
    json_error_t fault;
    json_t *document = json_loadb(json.data, json.len, JSON_REJECT_DUPLICATES, &fault);
    if (!document)
        err_set(reterr, MQ_VSCHEMA_INVALID, "line %d, column %d: %s", fault.line, fault.column,
                fault.text);
    return document;
}

enum err_code vschema_parse(struct slice json, const char *keyspace, struct vschema **ret,
                            struct err *reterr)
{
    json_t *document = load(json, reterr);
    if (!document)
        return MQ_VSCHEMA_INVALID;
    struct builder b = { vschema_create(), reterr };
    enum err_code code = build(&b, document, keyspace);
    json_decref(document);
    if (code == MQ_OK)
        *ret = b.v;
    else
        vschema_destroy(b.v);
    return code;
}

static enum err_code check_unsharded(const struct vschema *v, const char *keyspace,
                                     const struct catalog *catalog, struct err *reterr)
{
    if (v->sharded)
        return err_set(reterr, MQ_VSCHEMA_INVALID, "keyspace %s is sharded", keyspace);
    for (size_t i = 0; i < v->table_count; i++)
        if (catalog_find(catalog, slice_cstr(v->tables[i].name)))
            return err_set(reterr, MQ_VSCHEMA_INVALID,
                           "the queue table %s is in the unsharded keyspace %s", v->tables[i].name,
                           keyspace);
    return MQ_OK;
}

/* A document of one keyspace says nothing about another. */
enum err_code vschema_check_unsharded(struct slice json, const char *keyspace,
                                      const struct catalog *catalog, struct err *reterr)
{
    json_t *document = load(json, reterr);
    if (!document)
        return MQ_VSCHEMA_INVALID;
    enum err_code code = MQ_OK;
    if (json_object_get(document, "keyspaces")) {
        struct builder b = { vschema_create(), reterr };
        code = build(&b, document, keyspace);
        if (code == MQ_OK)
            code = check_unsharded(b.v, keyspace, catalog, reterr);
        vschema_destroy(b.v);
    }
    json_decref(document);
    return code;
}
