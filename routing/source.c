/* Tenant sources. Those of the statement must all agree and lie within the session's set T;
 * only when there are none does T itself name the tenant, if it holds one. */
#include "routing/source.h"

#include "routing/identifier.h"
#include "routing/json.h"

const char *tenant_source_name(enum tenant_source s)
{
    static const char *const names[] = { "none",    "sql",     "comment",  "metadata", "payload",
                                         "session", "account", "listener", "only",     "default" };
    return (unsigned)s < sizeof names / sizeof *names ? names[s] : "unknown";
}

/* ---- the session's set T ---- */

static bool list_contains(const struct string_list *list, struct slice tenant)
{
    if (!list || !list->count)
        return true;
    for (size_t i = 0; i < list->count; i++)
        if (slice_eq(slice_cstr(list->items[i]), tenant))
            return true;
    return false;
}

static bool bounds_contain(const struct tenant_scope *scope, struct slice tenant)
{
    return list_contains(scope->listener, tenant) && list_contains(scope->account, tenant);
}

bool tenant_scope_contains(const struct tenant_scope *scope, struct slice tenant)
{
    return bounds_contain(scope, tenant) && (!scope->has_chosen || slice_eq(scope->chosen, tenant));
}

/* Arguments for "%.*s"; a tenant that fits is never cut. */
#define TENANT_FORMAT(s) (int)((s).len > 80 ? 80 : (s).len), (s).data

enum err_code tenant_scope_choose(struct tenant_scope *scope, struct slice tenant, bool narrow,
                                  struct err *reterr)
{
    enum err_code code = tenant_check(tenant, reterr);
    if (code)
        return code;
    if (!bounds_contain(scope, tenant))
        return err_set(reterr, MQ_TENANT_OUTSIDE,
                       "tenant %.*s is outside those of this account and listener",
                       TENANT_FORMAT(tenant));
    if (narrow && scope->has_chosen && !slice_eq(scope->chosen, tenant))
        return err_set(reterr, MQ_TENANT_CONFLICT, "the session is for tenant %.*s, not for %.*s",
                       TENANT_FORMAT(scope->chosen), TENANT_FORMAT(tenant));
    scope->chosen = tenant;
    scope->has_chosen = true;
    scope->forgotten = false;
    return MQ_OK;
}

/* ---- what the statement says ---- */

/* The tenant found so far. */
struct finding {
    const struct route_input *in;
    struct arena *arena;
    struct err *reterr;
    struct slice tenant;
    enum tenant_source source; /* the first one; SOURCE_NONE: nothing yet */
    size_t row, first_row;     /* of an INSERT: the one looked at, and that source's */
};

static enum err_code conflict_code(const struct finding *f, enum tenant_source source,
                                   enum tenant_origin origin)
{
    if (f->source != source)
        return MQ_TENANT_CONFLICT;
    if (source == SOURCE_SQL && origin == ORIGIN_LIST)
        return MQ_SCATTER;
    bool rows = source == SOURCE_SQL ? origin == ORIGIN_ROW : f->row != f->first_row;
    return rows ? MQ_ROWS_OF_SEVERAL_TENANTS : MQ_TENANT_CONFLICT;
}

static enum err_code found(struct finding *f, struct slice tenant, enum tenant_source source,
                           enum tenant_origin origin)
{
    if (f->source == SOURCE_NONE) {
        f->tenant = tenant;
        f->source = source;
        f->first_row = f->row;
        return MQ_OK;
    }
    if (slice_eq(f->tenant, tenant))
        return MQ_OK;
    if (f->source == source)
        return err_set(f->reterr, conflict_code(f, source, origin),
                       "the source `%s` names both tenant %.*s and tenant %.*s",
                       tenant_source_name(source), TENANT_FORMAT(f->tenant), TENANT_FORMAT(tenant));
    return err_set(f->reterr, conflict_code(f, source, origin),
                   "the source `%s` names tenant %.*s, `%s` names %.*s",
                   tenant_source_name(f->source), TENANT_FORMAT(f->tenant),
                   tenant_source_name(source), TENANT_FORMAT(tenant));
}

static enum err_code unreadable(const struct finding *f)
{
    return err_set(f->reterr, MQ_TENANT_VALUE,
                   "the value that `tenant` is compared with is not a string that can be read "
                   "exactly; give a plain string literal or a string parameter");
}

/* tenant IN ('a', 'b'): how many they are, only this statement's own bytes tell. */
static enum err_code find_literals(struct finding *f, const struct value_ref *v)
{
    struct lexed literals;
    struct slice tenant;
    uint32_t at = 0, first, last;
    if (!token_literals(f->in->lexed, f->in->dialect, v->first, f->arena, &literals))
        return unreadable(f);
    while (literals_next(&literals, &at, &first, &last)) {
        if (!token_string_value(&literals, f->in->dialect, first, last, f->arena, &tenant))
            return unreadable(f);
        enum err_code code = found(f, tenant, SOURCE_SQL, ORIGIN_LIST);
        if (code)
            return code;
    }
    return MQ_OK;
}

static enum err_code find_sql_value(struct finding *f, const struct value_ref *v)
{
    struct slice tenant;
    if (v->kind == VALUE_LITERALS)
        return find_literals(f, v);
    if (value_read(f->in, v, f->arena, &tenant) != READ_STRING)
        return unreadable(f);
    return found(f, tenant, SOURCE_SQL, (enum tenant_origin)v->origin);
}

static enum err_code find_sql(struct finding *f)
{
    const struct template *t = f->in->template;
    enum err_code code = MQ_OK;
    for (size_t i = 0; i < t->sql_tenant_count && !code; i++)
        code = find_sql_value(f, &t->sql_tenants[i]);
    return code;
}

static enum err_code find_comment(struct finding *f)
{
    const struct lexed *l = f->in->lexed;
    if (!l->has_comment_tenant)
        return MQ_OK;
    if (l->comment_tenant_bad)
        return err_set(f->reterr, MQ_TENANT_VALUE,
                       "the comment names the tenant twice or is not well-formed; write "
                       "/*tenant='name'*/ once, URL-encoded");
    return found(f, l->comment_tenant, SOURCE_COMMENT, ORIGIN_CONDITION);
}

/* One JSON text. Only metadata must be JSON: a payload may be anything. */
static enum err_code find_json(struct finding *f, struct slice json,
                               const struct string_list *paths, enum tenant_source source)
{
    for (size_t i = 0; i < paths->count; i++) {
        struct slice tenant;
        switch (json_find_string(json, slice_cstr(paths->items[i]), f->arena, &tenant)) {
        case PATH_ABSENT:
            continue;
        case PATH_STRING:
            break;
        case PATH_MALFORMED:
            if (source == SOURCE_PAYLOAD)
                return MQ_OK;
            return err_set(f->reterr, MQ_METADATA_INVALID, "the metadata is not valid JSON");
        case PATH_TWICE:
            return err_set(f->reterr, MQ_METADATA_INVALID, "the %s has the key %s twice",
                           tenant_source_name(source), paths->items[i]);
        default:
            return err_set(f->reterr, MQ_METADATA_INVALID, "%s in the %s is not a string",
                           paths->items[i], tenant_source_name(source));
        }
        enum err_code code = found(f, tenant, source, ORIGIN_ROW);
        if (code)
            return code;
    }
    return MQ_OK;
}

static enum err_code find_value(struct finding *f, const struct value_ref *value,
                                const struct string_list *paths, enum tenant_source source)
{
    struct slice json;
    if (!paths->count)
        return MQ_OK;
    switch (value_read(f->in, value, f->arena, &json)) {
    case READ_STRING:
        return find_json(f, json, paths, source);
    case READ_UNKNOWN:
        return err_set(f->reterr, MQ_METADATA_INVALID,
                       "the %s is computed, so the tenant it names cannot be read; give a string "
                       "literal or a parameter",
                       tenant_source_name(source));
    default:
        return MQ_OK;
    }
}

static enum err_code find_rows(struct finding *f)
{
    const struct template *t = f->in->template;
    const struct config *config = f->in->topology->config;
    for (size_t i = 0; i < t->row_count; i++) {
        f->row = i;
        enum err_code code =
            find_value(f, &t->rows[i].metadata, &config->metadata_paths, SOURCE_METADATA);
        if (!code && config->payload_enabled)
            code = find_value(f, &t->rows[i].payload, &config->payload_paths, SOURCE_PAYLOAD);
        if (code)
            return code;
    }
    return MQ_OK;
}

/* ---- what the session says ---- */

static bool is_bound(const struct string_list *list)
{
    return list && list->count;
}

/* Of a configured list only what this sidecar serves counts; a tenant that the vindex table
 * lacks is a miss, which the look-up finds. */
static bool is_served(const struct finding *f, const char *tenant)
{
    return f->in->topology->config->tenants_mode == TENANTS_TABLE ||
           tenant_map_find(f->in->tenants, slice_cstr(tenant));
}

/* How many tenants the bounds leave, counted to two. */
static size_t count_bound(struct finding *f, const struct tenant_scope *scope)
{
    const struct string_list *list = is_bound(scope->account) ? scope->account : scope->listener;
    size_t count = 0;
    for (size_t i = 0; i < list->count && count < 2; i++) {
        struct slice tenant = slice_cstr(list->items[i]);
        if (!bounds_contain(scope, tenant) || !is_served(f, list->items[i]))
            continue;
        f->tenant = tenant;
        count++;
    }
    return count;
}

static enum err_code find_bound(struct finding *f, const struct tenant_scope *scope)
{
    size_t count = count_bound(f, scope);
    if (count == 0)
        return err_set(f->reterr, MQ_TENANT_OUTSIDE,
                       "no tenant that this sidecar serves is bound to both the account and the "
                       "listener");
    if (count == 1)
        f->source = is_bound(scope->listener) && scope->listener->count == 1 ? SOURCE_LISTENER
                    : is_bound(scope->account)                               ? SOURCE_ACCOUNT
                                                                             : SOURCE_LISTENER;
    return MQ_OK;
}

/* A vindex table that happens to hold one tenant is not a list of one. */
static void find_only(struct finding *f)
{
    if (f->in->topology->config->tenants_mode != TENANTS_LIST ||
        tenant_map_count(f->in->tenants) != 1)
        return;
    const struct tenant *t = tenant_map_at(f->in->tenants, 0);
    f->tenant = slice_of(t->name, t->name_len);
    f->source = SOURCE_ONLY;
}

static void find_default(struct finding *f, const struct tenant_scope *scope)
{
    const char *fallback = f->in->topology->config->default_tenant;
    if (!fallback || !bounds_contain(scope, slice_cstr(fallback)))
        return;
    f->tenant = slice_cstr(fallback);
    f->source = SOURCE_DEFAULT;
}

static enum err_code missing(const struct finding *f)
{
    const struct template *t = f->in->template;
    return err_set(
        f->reterr, MQ_TENANT_MISSING,
        "nothing names the tenant of %s: its %s has no `tenant`, and the session may "
        "use several; send SET @mq_tenant = 'name', connect to database@tenant, or begin "
        "the statement with /*tenant='name'*/",
        t->table ? t->table->name : "the statement", t->clause ? t->clause : "text");
}

static enum err_code find_session(struct finding *f)
{
    const struct tenant_scope *scope = &f->in->facts->scope;
    enum err_code code = MQ_OK;
    if (scope->has_chosen) {
        f->tenant = scope->chosen;
        f->source = SOURCE_SESSION;
        return MQ_OK;
    }
    if (is_bound(scope->account) || is_bound(scope->listener))
        code = find_bound(f, scope);
    else
        find_only(f);
    if (!code && !f->source)
        find_default(f, scope);
    return code || f->source ? code : missing(f);
}

static enum err_code find_statement(struct finding *f)
{
    enum err_code code = find_sql(f);
    if (!code)
        code = find_comment(f);
    return code ? code : find_rows(f);
}

enum err_code source_tenant(const struct route_input *in, struct arena *arena,
                            struct slice *ret_tenant, enum tenant_source *ret_source,
                            struct err *reterr)
{
    struct finding f = { .in = in, .arena = arena, .reterr = reterr };
    const struct tenant_scope *scope = &in->facts->scope;
    if (scope->forgotten)
        return err_set(reterr, MQ_TENANT_RESET,
                       "the connection was reset, which forgot @mq_tenant; set it again");
    enum err_code code = find_statement(&f);
    if (!code && !f.source)
        code = find_session(&f);
    else if (!code && !tenant_scope_contains(scope, f.tenant))
        code = err_set(reterr, MQ_TENANT_OUTSIDE,
                       "the source `%s` names tenant %.*s, which is outside those of this session",
                       tenant_source_name(f.source), TENANT_FORMAT(f.tenant));
    *ret_tenant = f.tenant;
    *ret_source = f.source;
    return code;
}
