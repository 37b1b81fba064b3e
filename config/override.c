/* Flags and environment variables, put into the tree as if the file had said so. */
#include "config/reader.h"

#include "config/string_list.h"
#include "config/suggest.h"

static const char tenants_variable[] = "MQ_TENANTS";

static void set(struct reader *r, struct node *root, const char *path, struct node *value)
{
    const struct node *obstacle = NULL;
    if (!node_set(&r->arena, root, path, value, &obstacle))
        reader_fault(r, value, path, "%s is not a map there; set the whole of it instead",
                     obstacle->key);
}

static const char *variable_name(struct reader *r, const struct setting *s)
{
    struct buf name;
    buf_init(&name);
    setting_variable(s, &name);
    const char *copy = arena_copy(&r->arena, buf_slice(&name)).data;
    buf_fini(&name);
    return copy;
}

static void apply_environment(struct reader *r, struct node *root)
{
    size_t count;
    const struct setting *all = settings_all(&count);
    for (size_t i = 0; i < count; i++) {
        if (!setting_is_single(&all[i]))
            continue;
        const char *name = variable_name(r, &all[i]);
        const char *value = reader_variable(r, name);
        if (value)
            set(r, root, all[i].path, node_scalar(&r->arena, value, name));
    }
}

/* MQ_TENANTS is always a list, so that a tenant may be called "table". */
static void apply_tenants(struct reader *r, struct node *root)
{
    const char *value = reader_variable(r, tenants_variable);
    if (!value)
        return;
    struct string_list names = { 0 };
    string_list_split(&names, slice_cstr(value));
    struct node *list = node_create(&r->arena, NODE_LIST, 0);
    list->origin = tenants_variable;
    for (size_t i = 0; i < names.count; i++) {
        const char *name = arena_copy(&r->arena, slice_cstr(names.items[i])).data;
        node_append(list, node_scalar(&r->arena, name, tenants_variable));
    }
    string_list_fini(&names);
    set(r, root, "tenants", list);
}

/* Kubernetes gives every pod such variables for a Service that is called mqgate. */
static bool is_service_variable(const char *name)
{
    return strncmp(name, "MQGATE_SERVICE_", 15) == 0 || strncmp(name, "MQGATE_PORT", 11) == 0;
}

/* A variable that nothing reads is only complained about when it looks like a slip: others
 * may use the prefix too (for a password_env, say). */
static void check_variable(struct reader *r, const char *name)
{
    size_t count;
    const struct setting *all = settings_all(&count);
    struct suggestion s;
    suggest_init(&s, name);
    for (size_t i = 0; i < count; i++) {
        if (!setting_is_single(&all[i]))
            continue;
        const char *known = variable_name(r, &all[i]);
        if (strcmp(known, name) == 0)
            return;
        suggest_offer(&s, known);
    }
    if (s.best && s.distance <= 2)
        diagnostics_add(r->out, 0, "%s: unknown environment variable (did you mean %s?)", name,
                        s.best);
}

static void check_environment(struct reader *r)
{
    const char *const *e = r->overrides->environment;
    for (; e && *e; e++) {
        if (strncmp(*e, "MQGATE_", 7) != 0 || is_service_variable(*e))
            continue;
        size_t len = strcspn(*e, "=");
        check_variable(r, arena_copy(&r->arena, slice_of(*e, len)).data);
    }
}

static void apply_flag(struct reader *r, struct node *root, const char *flag)
{
    const char *equals = strchr(flag, '=');
    if (!equals || equals == flag) {
        diagnostics_add(r->out, 0, "--set %s: path=value is expected, such as log.level=debug",
                        flag);
        return;
    }
    struct slice path = slice_of(flag, (size_t)(equals - flag));
    set(r, root, arena_copy(&r->arena, path).data, node_scalar(&r->arena, equals + 1, "--set"));
}

void reader_override(struct reader *r, struct node *root)
{
    if (!r->overrides)
        return;
    apply_environment(r, root);
    apply_tenants(r, root);
    check_environment(r);
    const char *const *flag = r->overrides->settings;
    for (; flag && *flag; flag++)
        apply_flag(r, root, *flag);
}
