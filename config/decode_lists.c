/* The decoders of lists: a YAML list, or one text with commas (as flags and variables have
 * it); and of tenants, alone or in lists. */
#include "config/reader.h"

#include "base/memory.h"
#include "config/file.h"
#include "config/scalar.h"
#include "config/string_list.h"

enum { TENANTS_FILE_MAX = 256 << 20, TENANT_MAX = 255 };

/* Says what is wrong with an item, or nothing: NULL. */
typedef const char *item_fault(const char *item, struct err *scratch);

static void check_item(struct reader *r, const struct node *n, const char *path, const char *item,
                       item_fault *fault_of)
{
    struct err scratch;
    const char *fault = fault_of ? fault_of(item, &scratch) : NULL;
    if (fault)
        reader_fault(r, n, path, "'%.60s': %s", item, fault);
}

static void collect_items(struct reader *r, const struct slot *s, struct string_list *list,
                          item_fault *fault_of)
{
    for (const struct node *n = s->node->first; n; n = n->next) {
        struct slot item = { s->setting, n, s->path, s->record };
        const char *text = reader_text(r, &item);
        if (!text)
            continue;
        string_list_add(list, slice_trim(slice_cstr(text)));
        check_item(r, n, s->path, list->items[list->count - 1], fault_of);
    }
}

static void collect_text(struct reader *r, const struct slot *s, struct string_list *list,
                         item_fault *fault_of)
{
    size_t i = list->count;
    string_list_split(list, slice_cstr(s->node->text));
    for (; i < list->count; i++)
        check_item(r, s->node, s->path, list->items[i], fault_of);
}

/* Faulty items are kept: the configuration is refused anyway, and a list of them is not
 * empty. */
static void collect_into(struct reader *r, const struct slot *s, struct string_list *list,
                         item_fault *fault_of)
{
    if (s->node->kind == NODE_LIST)
        collect_items(r, s, list, fault_of);
    else if (s->node->kind == NODE_SCALAR)
        collect_text(r, s, list, fault_of);
    else
        reader_fault(r, s->node, s->path, "a list is expected");
    string_list_unique(list);
}

static void collect(struct reader *r, const struct slot *s, item_fault *fault_of)
{
    collect_into(r, s, slot_field(s), fault_of);
}

static const char *identifier_fault(const char *item, struct err *scratch)
{
    (void)scratch;
    return scalar_identifier_fault(item);
}

static const char *name_fault(const char *item, struct err *scratch)
{
    (void)scratch;
    return *item ? NULL : "an item is empty";
}

static const char *tenant_fault(const char *item, struct err *scratch)
{
    return tenant_check(slice_cstr(item), scratch) == MQ_OK ? NULL : scratch->text;
}

void decode_identifiers(struct reader *r, const struct slot *s)
{
    collect(r, s, identifier_fault);
}

void decode_names(struct reader *r, const struct slot *s)
{
    collect(r, s, name_fault);
}

/* Keys of objects, outermost first. What would be a path of MySQL's must not be taken for a key
 * that no message has. */
static const char *json_path_fault(const char *item, struct err *scratch)
{
    size_t len = strlen(item);
    (void)scratch;
    bool empty_key = !len || *item == '.' || item[len - 1] == '.' || strstr(item, "..");
    return empty_key || strpbrk(item, "$[]\"'`*")
               ? "a path is the keys of objects, joined by dots, such as queue_name or a.b"
               : NULL;
}

void decode_json_paths(struct reader *r, const struct slot *s)
{
    collect(r, s, json_path_fault);
}

static const char *address_fault(const char *item, struct err *scratch)
{
    struct address a = { 0 };
    const char *fault = scalar_address(item, &a);
    (void)scratch;
    address_fini(&a);
    return fault;
}

void decode_addresses(struct reader *r, const struct slot *s)
{
    collect(r, s, address_fault);
}

static const char *shard_fault(const char *item, struct err *scratch)
{
    (void)scratch;
    return scalar_shard_fault(item);
}

void decode_shard_names(struct reader *r, const struct slot *s)
{
    collect(r, s, shard_fault);
}

static const char *network_fault(const char *item, struct err *scratch)
{
    struct network n;
    (void)scratch;
    return network_parse(slice_cstr(item), &n);
}

void decode_networks(struct reader *r, const struct slot *s)
{
    struct network_list *networks = slot_field(s);
    struct string_list texts = { 0 };
    collect_into(r, s, &texts, network_fault);
    networks->items = mem_array(texts.count, sizeof *networks->items);
    for (size_t i = 0; i < texts.count; i++)
        if (!network_parse(slice_cstr(texts.items[i]), &networks->items[networks->count]))
            networks->count++;
    string_list_fini(&texts);
}

void decode_tenant(struct reader *r, const struct slot *s)
{
    const char *text = reader_text(r, s);
    if (!text)
        return;
    check_item(r, s->node, s->path, text, tenant_fault);
    *(char **)slot_field(s) = mem_strdup(text);
}

void decode_tenants(struct reader *r, const struct slot *s)
{
    const struct string_list *list = slot_field(s);
    collect(r, s, tenant_fault);
    if (list->count == 0)
        reader_fault(r, s->node, s->path,
                     "an empty list would leave no tenant; leave the setting "
                     "out to bind to none in particular");
}

/* Flag over environment over file. */
static int rank(const struct node *n)
{
    if (!n || n->kind == NODE_NULL)
        return -1;
    return !n->origin ? 0 : n->origin[0] == '-' ? 2 : 1;
}

/* `tenants` and `tenants_file` fill one list; the one that was set nearer to the process
 * replaces the other. */
static int compare_with(const struct reader *r, const struct slot *s, const char *other)
{
    return rank(s->node) - rank(node_child(r->root, slice_cstr(other)));
}

void decode_tenant_list(struct reader *r, const struct slot *s)
{
    if (compare_with(r, s, "tenants_file") < 0)
        return;
    if (s->node->kind == NODE_SCALAR && strcmp(s->node->text, "table") == 0)
        r->draft.config.tenants_mode = TENANTS_TABLE;
    else
        collect(r, s, tenant_fault);
}

/* One line of a tenants_file. */
static void add_line(struct reader *r, const struct slot *s, struct slice line, unsigned number,
                     const char *path)
{
    struct err err;
    line = slice_trim(line);
    if (line.len == 0 || line.data[0] == '#')
        return;
    if (tenant_check(line, &err) != MQ_OK)
        reader_fault(r, s->node, s->path, "%s:%u: '%.*s': %s", path, number,
                     (int)(line.len < 60 ? line.len : 60), line.data, err.text);
    string_list_add(slot_field(s), line);
}

static void add_lines(struct reader *r, const struct slot *s, struct slice text, const char *path)
{
    for (unsigned number = 1; text.len; number++) {
        const char *end = memchr(text.data, '\n', text.len);
        size_t len = end ? (size_t)(end - text.data) : text.len;
        add_line(r, s, slice_of(text.data, len), number, path);
        len += end != NULL;
        text = slice_of(text.data + len, text.len - len);
    }
    string_list_unique(slot_field(s));
}

void decode_tenant_file(struct reader *r, const struct slot *s)
{
    int rivalry = compare_with(r, s, "tenants");
    const char *text = rivalry < 0 ? NULL : reader_text(r, s);
    if (!text)
        return;
    if (rivalry == 0)
        reader_fault(r, s->node, s->path, "give either tenants or tenants_file, not both");
    struct err err;
    struct buf content;
    buf_init(&content);
    char *path = reader_resolve(r, text);
    r->draft.tenants_unread = file_read(path, TENANTS_FILE_MAX, &content, &err) != MQ_OK;
    if (r->draft.tenants_unread)
        reader_fault(r, s->node, s->path, "%s %s", path, err.text);
    else
        add_lines(r, s, buf_slice(&content), path);
    mem_free(path);
    buf_fini(&content);
}

static bool is_tenant_byte(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != ',' && c != '\'' && c != '"' && c != '`' && c != '\\' &&
           c != '|';
}

enum err_code tenant_check(struct slice tenant, struct err *reterr)
{
    if (tenant.len == 0 || tenant.len > TENANT_MAX)
        return err_set(reterr, MQ_TENANT_INVALID, "a tenant has 1 to 255 bytes, this one has %zu",
                       tenant.len);
    if (tenant.data[0] == ' ' || tenant.data[tenant.len - 1] == ' ')
        return err_set(reterr, MQ_TENANT_INVALID, "a tenant has no space at either end");
    for (size_t i = 0; i < tenant.len; i++)
        if (!is_tenant_byte((unsigned char)tenant.data[i]))
            return err_set(reterr, MQ_TENANT_INVALID,
                           "a tenant is printable ASCII without comma, quotes, backslash or |; "
                           "byte %zu is not",
                           i + 1);
    return MQ_OK;
}
