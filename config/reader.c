#include "config/reader.h"

#include "base/memory.h"
#include "config/suggest.h"

typedef void decoder_function(struct reader *r, const struct slot *s);

static decoder_function *const decoders[] = {
#define SETTING_TYPE_ROW(type, decoder, shown) [SETTING_##type] = (decoder),
#include "config/setting_types.def"
#undef SETTING_TYPE_ROW
};

void reader_fault(struct reader *r, const struct node *n, const char *path, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    const char *message = arena_vprintf(&r->arena, format, ap);
    va_end(ap);
    if (n && n->origin)
        diagnostics_add(r->out, 0, "%s: %s (set by %s)", path, message, n->origin);
    else
        diagnostics_add(r->out, n ? n->line : 0, "%s: %s", path, message);
}

char *reader_resolve(const struct reader *r, const char *path)
{
    const char *slash = strrchr(r->path, '/');
    if (path[0] == '/' || !slash)
        return mem_strdup(path);
    size_t folder = (size_t)(slash + 1 - r->path), len = strlen(path);
    char *joined = mem_alloc(folder + len + 1);
    memcpy(joined, r->path, folder);
    memcpy(joined + folder, path, len + 1);
    return joined;
}

const char *reader_variable(const struct reader *r, const char *name)
{
    const char *const *e = r->overrides ? r->overrides->environment : NULL;
    size_t len = strlen(name);
    for (; e && *e; e++)
        if (strncmp(*e, name, len) == 0 && (*e)[len] == '=')
            return *e + len + 1;
    return NULL;
}

const char *reader_text(struct reader *r, const struct slot *s)
{
    if (s->node->kind == NODE_SCALAR)
        return s->node->text;
    reader_fault(r, s->node, s->path, "one value is expected, not a list or a map");
    return NULL;
}

/* Where a misspelt name belongs: a neighbour's name, or the same name in another section. */
static const char *right_name(const char *wrong, const char *group)
{
    size_t count;
    const struct setting *all = settings_all(&count);
    struct suggestion s;
    suggest_init(&s, wrong);
    for (size_t i = 0; i < count; i++)
        if (setting_in(&all[i], group))
            suggest_offer(&s, setting_name(&all[i]));
    for (size_t i = 0; i < count && !s.best; i++)
        if (strcmp(setting_name(&all[i]), wrong) == 0)
            s.best = all[i].path;
    return s.best;
}

static const char *join(struct reader *r, const char *path, const char *name)
{
    return arena_printf(&r->arena, "%s%s%s", path, *path ? "." : "", name);
}

static void report_unknown(struct reader *r, const struct node *n, const char *group,
                           const char *path)
{
    const char *right = right_name(n->key, group);
    const char *where = join(r, path, n->key);
    if (right)
        reader_fault(r, n, where, "unknown setting (did you mean %s?)", right);
    else
        reader_fault(r, n, where, "unknown setting");
}

static bool is_known(const char *name, const char *group)
{
    size_t count;
    const struct setting *all = settings_all(&count);
    for (size_t i = 0; i < count; i++)
        if (setting_in(&all[i], group) && strcmp(setting_name(&all[i]), name) == 0)
            return true;
    return false;
}

static void read_setting(struct reader *r, const struct setting *s, const struct node *map,
                         const char *path, void *record)
{
    const struct node *n = node_child(map, slice_cstr(setting_name(s)));
    struct slot slot = { s, n, join(r, path, setting_name(s)), record };
    if (n && n->kind == NODE_NULL && s->type != SETTING_SECTION)
        slot.node = NULL;
    if (!slot.node && setting_is_required(s)) {
        reader_fault(r, map, slot.path, "missing");
        return;
    }
    if (!slot.node && s->fallback)
        slot.node = node_scalar(&r->arena, s->fallback, NULL);
    if (slot.node || s->type == SETTING_SECTION)
        decoders[s->type](r, &slot);
}

void reader_section(struct reader *r, const struct node *map, const char *group, const char *path,
                    void *record)
{
    if (map && map->kind != NODE_MAP && map->kind != NODE_NULL) {
        reader_fault(r, map, path, "a map of settings is expected");
        return;
    }
    size_t count;
    const struct setting *all = settings_all(&count);
    for (size_t i = 0; i < count; i++)
        if (setting_in(&all[i], group))
            read_setting(r, &all[i], map, path, record);
    for (const struct node *n = map ? map->first : NULL; n; n = n->next)
        if (!is_known(n->key, group))
            report_unknown(r, n, group, path);
}

void reader_decode(struct reader *r, const char *pattern, const struct node *n, const char *path,
                   void *record)
{
    const struct setting *s = setting_find(pattern);
    struct slot slot = { s, n, path, record };
    decoders[s->type](r, &slot);
}
