#include "config/yaml.h"

#include <yaml.h>

enum { DEPTH_MAX = 24 }; /* deeper than any setting; bounds the recursion */

struct loader {
    yaml_parser_t parser;
    struct arena *arena;
    struct diagnostics *out;
};

/* The way from the root to where the loader is. */
struct trail {
    const struct trail *up;
    const char *key; /* NULL in a list and at the root */
    unsigned depth;
};

static uint32_t line_of(yaml_mark_t mark)
{
    return (uint32_t)mark.line + 1;
}

static void complain(struct loader *l)
{
    const yaml_parser_t *p = &l->parser;
    const char *problem = p->problem ? p->problem : "out of memory";
    uint32_t line = line_of(p->error == YAML_READER_ERROR ? p->mark : p->problem_mark);
    if (p->context)
        diagnostics_add(l->out, line, "not valid YAML: %s %s", problem, p->context);
    else
        diagnostics_add(l->out, line, "not valid YAML: %s", problem);
}

/* The next event, or false (already complained about) when the text is no YAML. */
static bool next(struct loader *l, yaml_event_t *event)
{
    if (yaml_parser_parse(&l->parser, event))
        return true;
    complain(l);
    return false;
}

/* What YAML's core schema calls null. */
static bool is_null(const yaml_event_t *event, struct slice text)
{
    if (event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        return false;
    return text.len == 0 || slice_eq(text, SLICE_LIT("~")) || slice_eq(text, SLICE_LIT("null")) ||
           slice_eq(text, SLICE_LIT("Null")) || slice_eq(text, SLICE_LIT("NULL"));
}

static struct node *load_scalar(struct loader *l, const yaml_event_t *event)
{
    uint32_t line = line_of(event->start_mark);
    struct slice text = slice_of(event->data.scalar.value, event->data.scalar.length);
    if (is_null(event, text))
        return node_create(l->arena, NODE_NULL, line);
    if (memchr(text.data, '\0', text.len))
        diagnostics_add(l->out, line, "a NUL byte in a value");
    struct node *n = node_create(l->arena, NODE_SCALAR, line);
    n->text = arena_copy(l->arena, text).data;
    return n;
}

static struct node *load(struct loader *l, const yaml_event_t *event, const struct trail *trail);

/* Reads the node that begins with the next event. *ret_end is set, and NULL returned, when
 * that event is `end`. */
static struct node *load_next(struct loader *l, yaml_event_type_t end, bool *ret_end,
                              const struct trail *trail)
{
    yaml_event_t event;
    if (!next(l, &event))
        return NULL;
    *ret_end = event.type == end;
    struct node *n = *ret_end ? NULL : load(l, &event, trail);
    yaml_event_delete(&event);
    return n;
}

static bool load_items(struct loader *l, struct node *list, const struct trail *trail)
{
    bool end = false;
    struct node *item;
    while ((item = load_next(l, YAML_SEQUENCE_END_EVENT, &end, trail)))
        node_append(list, item);
    return end;
}

static const char *key_text(struct loader *l, const struct node *key)
{
    if (key->kind == NODE_SCALAR)
        return key->text;
    if (key->kind == NODE_NULL)
        return "";
    diagnostics_add(l->out, key->line, "a name must be plain text, not a list or a map");
    return "";
}

static const char *path_of(struct loader *l, const struct trail *trail)
{
    if (!trail->up)
        return "";
    const char *up = path_of(l, trail->up);
    const char *key = trail->key ? trail->key : "[]";
    return arena_printf(l->arena, "%s%s%s", up, *up && trail->key ? "." : "", key);
}

/* Puts an entry into the map unless its name is there already. */
static void add_entry(struct loader *l, struct node *map, struct node *value,
                      const struct trail *trail)
{
    const struct node *before = node_child(map, slice_cstr(value->key));
    if (before)
        diagnostics_add(l->out, value->line, "%s: given twice (first on line %u)",
                        path_of(l, trail), before->line);
    else
        node_append(map, value);
}

static bool load_entries(struct loader *l, struct node *map, const struct trail *trail)
{
    bool end = false, ignored;
    struct node *key, *value;
    while ((key = load_next(l, YAML_MAPPING_END_EVENT, &end, trail))) {
        struct trail here = { trail, key_text(l, key), trail->depth + 1 };
        value = load_next(l, YAML_NO_EVENT, &ignored, &here);
        if (!value)
            return false;
        value->key = here.key;
        value->line = key->line;
        add_entry(l, map, value, &here);
    }
    return end;
}

static struct node *load(struct loader *l, const yaml_event_t *event, const struct trail *trail)
{
    uint32_t line = line_of(event->start_mark);
    bool is_list = event->type == YAML_SEQUENCE_START_EVENT;
    if (event->type == YAML_SCALAR_EVENT)
        return load_scalar(l, event);
    if (event->type == YAML_ALIAS_EVENT) {
        diagnostics_add(l->out, line, "aliases (*%s) are not served; write the value again",
                        (const char *)event->data.alias.anchor);
        return node_create(l->arena, NODE_NULL, line);
    }
    if (trail->depth >= DEPTH_MAX) {
        diagnostics_add(l->out, line, "nested too deeply");
        return NULL;
    }
    struct node *n = node_create(l->arena, is_list ? NODE_LIST : NODE_MAP, line);
    struct trail item = { trail, NULL, trail->depth + 1 };
    bool whole = is_list ? load_items(l, n, &item) : load_entries(l, n, trail);
    return whole ? n : NULL;
}

/* Skips the events that only frame the document and reads its root. */
static struct node *load_root(struct loader *l)
{
    struct node *root = NULL;
    const struct trail start = { 0 };
    bool whole = true, end = false;
    while (whole && !end) {
        yaml_event_t event;
        if (!next(l, &event))
            return NULL;
        uint32_t line = line_of(event.start_mark);
        if (event.type == YAML_STREAM_END_EVENT) {
            end = true;
        } else if (event.type == YAML_DOCUMENT_START_EVENT && root) {
            diagnostics_add(l->out, line, "a second document; one file holds one");
            end = true;
        } else if (event.type == YAML_SCALAR_EVENT || event.type == YAML_ALIAS_EVENT ||
                   event.type == YAML_SEQUENCE_START_EVENT ||
                   event.type == YAML_MAPPING_START_EVENT) {
            root = load(l, &event, &start);
            whole = root != NULL;
        }
        yaml_event_delete(&event);
    }
    return whole && !root ? node_create(l->arena, NODE_MAP, 0) : root;
}

struct node *yaml_load(struct slice text, struct arena *a, struct diagnostics *out)
{
    struct loader l = { .arena = a, .out = out };
    if (!yaml_parser_initialize(&l.parser)) {
        diagnostics_add(out, 0, "out of memory");
        return NULL;
    }
    yaml_parser_set_input_string(&l.parser, (const unsigned char *)text.data, text.len);
    struct node *root = load_root(&l);
    yaml_parser_delete(&l.parser);
    if (root && root->kind == NODE_NULL)
        root->kind = NODE_MAP;
    if (root && root->kind != NODE_MAP) {
        diagnostics_add(out, root->line, "a map of settings is expected, such as `listen: …`");
        return NULL;
    }
    return root;
}
