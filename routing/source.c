/* Tenant sources. Those of the statement must all agree and lie within the session's set T;
 * only when there are none does T itself name the tenant, or those that a statement asks. */
#include "routing/source.h"

#include <stdlib.h>

#include "routing/identifier.h"
#include "routing/json.h"
#include "routing/pattern.h"
#include "routing/qualified_route.h"

const char *tenant_source_name(enum tenant_source s)
{
    static const char *const names[] = { "none",    "sql",           "comment", "metadata",
                                         "payload", "partition_key", "pattern", "session",
                                         "account", "listener",      "only",    "listed",
                                         "default" };
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

/* ---- sets of tenants ---- */

static void set_grow(struct tenant_set *set, struct arena *arena)
{
    size_t capacity = set->capacity ? 2 * set->capacity : 8;
    struct slice *all = arena_array(arena, struct slice, capacity);
    all[0] = set->first;
    if (set->all)
        memcpy(all, set->all, set->count * sizeof *all);
    set->all = all;
    set->capacity = capacity;
}

static void set_add(struct tenant_set *set, struct slice tenant, struct arena *arena)
{
    if (set->count == 0)
        set->first = tenant;
    else if (set->count == 1 && slice_eq(set->first, tenant))
        return;
    else if (set->count == set->capacity || !set->all)
        set_grow(set, arena);
    if (set->all)
        set->all[set->count] = tenant;
    set->count++;
}

static int compare_names(const void *left, const void *right)
{
    return slice_cmp(*(const struct slice *)left, *(const struct slice *)right);
}

/* Sorts what was added and drops what was added twice. */
static void set_close(struct tenant_set *set)
{
    size_t kept = 1;
    if (!set->all)
        return;
    qsort(set->all, set->count, sizeof *set->all, compare_names);
    for (size_t i = 1; i < set->count; i++)
        if (!slice_eq(set->all[i], set->all[kept - 1]))
            set->all[kept++] = set->all[i];
    set->count = kept;
    set->first = set->all[0];
}

static struct slice set_at(const struct tenant_set *set, size_t i)
{
    return set->all ? set->all[i] : set->first;
}

/* Do they hold the same? *ret_left and *ret_right are what differs first. */
static bool set_same(const struct tenant_set *left, const struct tenant_set *right,
                     struct slice *ret_left, struct slice *ret_right)
{
    size_t common = left->count < right->count ? left->count : right->count, i = 0;
    while (i < common && slice_eq(set_at(left, i), set_at(right, i)))
        i++;
    *ret_left = set_at(left, i < left->count ? i : 0);
    *ret_right = set_at(right, i < right->count ? i : 0);
    return left->count == right->count && i == common;
}

/* ---- what the statement says ---- */

/* The tenants found so far. */
struct finding {
    const struct route_input *in;
    struct arena *arena;
    struct err *reterr;
    struct tenant_set set; /* of the first source; SOURCE_NONE: nothing yet */
    size_t row, first_row; /* of an INSERT: the one looked at, and that source's */
    bool bare_key;         /* a row's partition key came without its tenant */
};

static enum err_code conflict_code(const struct finding *f, enum tenant_source source,
                                   enum tenant_origin origin)
{
    if (f->set.source != source)
        return MQ_TENANT_CONFLICT;
    bool named = source == SOURCE_SQL || source == SOURCE_PARTITION_KEY || source == SOURCE_PATTERN;
    bool rows = named ? origin == ORIGIN_ROW : f->row != f->first_row;
    return rows ? MQ_ROWS_OF_SEVERAL_TENANTS : MQ_TENANT_CONFLICT;
}

static enum err_code found(struct finding *f, const struct tenant_set *named,
                           enum tenant_origin origin)
{
    struct slice before, now;
    if (f->set.source == SOURCE_NONE) {
        f->set = *named;
        f->first_row = f->row;
        return MQ_OK;
    }
    if (set_same(&f->set, named, &before, &now))
        return MQ_OK;
    if (f->set.source == named->source)
        return err_set(f->reterr, conflict_code(f, named->source, origin),
                       "the source `%s` names both tenant %.*s and tenant %.*s",
                       tenant_source_name(named->source), TENANT_FORMAT(before),
                       TENANT_FORMAT(now));
    return err_set(f->reterr, conflict_code(f, named->source, origin),
                   "the source `%s` names tenant %.*s, `%s` names %.*s",
                   tenant_source_name(f->set.source), TENANT_FORMAT(before),
                   tenant_source_name(named->source), TENANT_FORMAT(now));
}

static enum err_code found_one(struct finding *f, struct slice tenant, enum tenant_source source,
                               enum tenant_origin origin)
{
    struct tenant_set one = { .source = source, .first = tenant, .count = 1 };
    return found(f, &one, origin);
}

static enum err_code unreadable(const struct finding *f)
{
    return err_set(f->reterr, MQ_TENANT_VALUE,
                   "the value that `tenant` is compared with is not a string that can be read "
                   "exactly; give a plain string literal or a string parameter");
}

/* tenant IN ('a', 'b'): how many they are, only this statement's own bytes tell. */
static enum err_code read_literals(struct finding *f, const struct value_ref *v,
                                   struct tenant_set *set)
{
    struct lexed literals;
    struct slice tenant;
    uint32_t at = 0, first, last;
    if (!token_literals(f->in->lexed, f->in->dialect, v->first, f->arena, &literals))
        return unreadable(f);
    while (literals_next(&literals, &at, &first, &last)) {
        if (!token_string_value(&literals, f->in->dialect, first, last, f->arena, &tenant))
            return unreadable(f);
        set_add(set, tenant, f->arena);
    }
    return MQ_OK;
}

static enum err_code read_sql_value(struct finding *f, const struct value_ref *v,
                                    struct tenant_set *set)
{
    struct slice tenant;
    if (v->kind == VALUE_LITERALS)
        return read_literals(f, v, set);
    if (value_read(f->in, v, f->arena, &tenant) != READ_STRING)
        return unreadable(f);
    set_add(set, tenant, f->arena);
    return MQ_OK;
}

static bool may_be_several(const struct route_input *in)
{
    return in->scatters && in->topology->config->tenants_mode == TENANTS_LIST;
}

static enum err_code too_many(const struct finding *f, const struct tenant_set *set)
{
    return err_set(f->reterr, MQ_SCATTER, "the source `%s` names both tenant %.*s and tenant %.*s",
                   tenant_source_name(set->source), TENANT_FORMAT(set_at(set, 0)),
                   TENANT_FORMAT(set_at(set, 1)));
}

/* The values of one condition, *at and on. */
static enum err_code find_condition(struct finding *f, size_t *at)
{
    const struct template *t = f->in->template;
    struct tenant_set set = { .source = SOURCE_SQL };
    enum tenant_origin origin = (enum tenant_origin)t->sql_tenants[*at].origin;
    do {
        enum err_code code = read_sql_value(f, &t->sql_tenants[*at], &set);
        if (code)
            return code;
    } while (++*at < t->sql_tenant_count && t->sql_tenants[*at].continues);
    set_close(&set);
    return set.count > 1 && !may_be_several(f->in) ? too_many(f, &set) : found(f, &set, origin);
}

static enum err_code find_sql(struct finding *f)
{
    enum err_code code = MQ_OK;
    for (size_t i = 0; i < f->in->template->sql_tenant_count && !code;)
        code = find_condition(f, &i);
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
    return found_one(f, l->comment_tenant, SOURCE_COMMENT, ORIGIN_CONDITION);
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
        enum err_code code = found_one(f, tenant, source, ORIGIN_ROW);
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

/* ---- qualified partition keys ---- */

/* Of a configured list only what this sidecar serves counts; a tenant that the vindex table
 * lacks is a miss, which the look-up finds. */
static bool is_served(const struct finding *f, struct slice tenant)
{
    return f->in->topology->config->tenants_mode == TENANTS_TABLE ||
           tenant_map_find(f->in->tenants, tenant);
}

static enum err_code refuse_key(const struct finding *f, const char *why)
{
    return err_set(f->reterr, MQ_PARTITION_KEY, "a partition key %s; it reads tenant%ckey", why,
                   f->in->template->key_separator);
}

/* The default tenant, whose keys are bare, if the session may use it. */
static struct slice default_tenant(const struct finding *f)
{
    const char *name = f->in->topology->config->default_tenant;
    bool inside = name && tenant_scope_contains(&f->in->facts->scope, slice_cstr(name));
    return inside ? slice_cstr(name) : slice_of(NULL, 0);
}

/* A bare key means the default tenant; of a row that is inserted another source may name it. */
static enum err_code add_bare_key(struct finding *f, const struct key_ref *key,
                                  struct tenant_set *set)
{
    struct slice fallback = default_tenant(f);
    f->bare_key |= key->inserted;
    if (key->inserted)
        return MQ_OK;
    if (!fallback.data)
        return refuse_key(f, "names no tenant");
    set_add(set, fallback, f->arena);
    return MQ_OK;
}

static enum err_code add_key(struct finding *f, const struct key_ref *key, struct slice value,
                             struct tenant_set *set)
{
    const struct template *t = f->in->template;
    struct slice tenant, bare, fallback = default_tenant(f);
    if (!qualified_split(t, value, &tenant, &bare))
        return add_bare_key(f, key, set);
    if (bare.len && memchr(bare.data, t->key_separator, bare.len))
        return refuse_key(f, "contains the separator, so that it could be read in two ways");
    if (!is_served(f, tenant) || !tenant_scope_contains(&f->in->facts->scope, tenant))
        return refuse_key(f, "leads with no tenant of this session");
    if (fallback.data && slice_eq(tenant, fallback))
        return refuse_key(f, "names the default tenant, whose keys are bare");
    set_add(set, tenant, f->arena);
    return MQ_OK;
}

static enum err_code add_keys(struct finding *f, const struct key_ref *key, struct tenant_set *set)
{
    struct slice *values;
    size_t count;
    enum err_code code = MQ_OK;
    if (!qualified_read(f->in, &key->value, f->arena, &values, &count))
        return refuse_key(f, "is no string that can be read exactly");
    for (size_t i = 0; i < count && !code; i++)
        code = add_key(f, key, values[i], set);
    return code;
}

/* The keys of one condition, *at and on, as those of the source `sql`. */
static enum err_code find_key_condition(struct finding *f, size_t *at)
{
    const struct template *t = f->in->template;
    struct tenant_set set = { .source = SOURCE_PARTITION_KEY };
    enum tenant_origin origin = (enum tenant_origin)t->keys[*at].value.origin;
    do {
        enum err_code code = add_keys(f, &t->keys[*at], &set);
        if (code)
            return code;
    } while (++*at < t->key_count && t->keys[*at].value.continues);
    set_close(&set);
    if (!set.count)
        return MQ_OK;
    return set.count > 1 && !may_be_several(f->in) ? too_many(f, &set) : found(f, &set, origin);
}

static enum err_code find_keys(struct finding *f)
{
    enum err_code code = MQ_OK;
    for (size_t i = 0; i < f->in->template->key_count && !code;)
        code = find_key_condition(f, &i);
    return code;
}

/* ---- a pattern in the values of a column ---- */

/* The values of one condition or row. */
struct patterned {
    struct finding *f;
    struct tenant_set set;
    bool silent; /* one of them names nobody */
    bool failed;
};

static bool add_patterned(void *context, struct slice value)
{
    struct patterned *x = context;
    struct slice tenant;
    switch (tenant_pattern_find(x->f->in->topology->config->pattern, value, &tenant)) {
    case PATTERN_FOUND:
        set_add(&x->set, tenant, x->f->arena);
        return true;
    case PATTERN_ABSENT:
        x->silent = true;
        return true;
    default:
        x->failed = true;
        return false;
    }
}

static enum err_code refuse_pattern(const struct finding *f, const char *why)
{
    return err_set(
        f->reterr, MQ_TENANT_VALUE, "a %s, in which a pattern names the tenant, %s",
        f->in->topology->config->pattern_column == PATTERN_TOPIC ? "topic" : "partition key", why);
}

static enum err_code find_pattern_condition(struct finding *f, size_t *at)
{
    const struct template *t = f->in->template;
    struct patterned x = { .f = f, .set = { .source = SOURCE_PATTERN } };
    enum tenant_origin origin = (enum tenant_origin)t->pattern_values[*at].origin;
    do {
        if (!pattern_each(f->in, &t->pattern_values[*at], f->arena, add_patterned, &x))
            return refuse_pattern(f, x.failed ? "is too long or takes too many steps to match"
                                              : "cannot be read exactly");
    } while (++*at < t->pattern_value_count && t->pattern_values[*at].continues);
    set_close(&x.set);
    if (!x.set.count)
        return MQ_OK;
    if (x.silent)
        return refuse_pattern(f, "does so in some values of a list only");
    return x.set.count > 1 && !may_be_several(f->in) ? too_many(f, &x.set)
                                                     : found(f, &x.set, origin);
}

static enum err_code find_patterns(struct finding *f)
{
    enum err_code code = MQ_OK;
    for (size_t i = 0; i < f->in->template->pattern_value_count && !code;)
        code = find_pattern_condition(f, &i);
    return code;
}

/* ---- what the session says ---- */

static bool is_bound(const struct string_list *list)
{
    return list && list->count;
}

/* Tenants that are retired count only if there are no others. */
static void set_add_served(struct tenant_set *set, struct tenant_set *retired, struct slice name,
                           const struct finding *f)
{
    const struct tenant *tenant = tenant_map_find(f->in->tenants, name);
    bool gone = tenant && tenant->state == TENANT_RETIRED;
    set_add(gone ? retired : set, name, f->arena);
}

/* Nobody asks for more than two if they are not served. */
static bool is_full(const struct finding *f, const struct tenant_set *set)
{
    return set->count > 1 && !may_be_several(f->in);
}

/* The tenants that the bounds leave. */
static struct tenant_set bound_tenants(const struct finding *f, const struct tenant_scope *scope)
{
    const struct string_list *list = is_bound(scope->account) ? scope->account : scope->listener;
    struct tenant_set set = { 0 }, retired = { 0 };
    for (size_t i = 0; i < list->count && !is_full(f, &set); i++)
        if (bounds_contain(scope, slice_cstr(list->items[i])) &&
            is_served(f, slice_cstr(list->items[i])))
            set_add_served(&set, &retired, slice_cstr(list->items[i]), f);
    set_close(&set);
    return set.count ? set : (set_close(&retired), retired);
}

static enum err_code find_bound(struct finding *f, const struct tenant_scope *scope)
{
    struct tenant_set set = bound_tenants(f, scope);
    bool by_listener =
        is_bound(scope->listener) && (scope->listener->count == 1 || !is_bound(scope->account));
    if (set.count == 0)
        return err_set(f->reterr, MQ_TENANT_OUTSIDE,
                       "no tenant that this sidecar serves is bound to both the account and the "
                       "listener");
    f->set = set;
    f->set.source = by_listener ? SOURCE_LISTENER : SOURCE_ACCOUNT;
    return MQ_OK;
}

/* A vindex table that happens to hold one tenant is not a list of one. */
static void find_listed(struct finding *f)
{
    const struct tenant_map *map = f->in->tenants;
    struct tenant_set set = { 0 }, retired = { 0 };
    if (f->in->topology->config->tenants_mode != TENANTS_LIST)
        return;
    for (size_t i = 0; i < tenant_map_count(map) && !is_full(f, &set); i++) {
        const struct tenant *t = tenant_map_at(map, i);
        set_add(t->state == TENANT_RETIRED ? &retired : &set, slice_of(t->name, t->name_len),
                f->arena);
    }
    f->set = set.count ? set : retired;
    f->set.source = f->set.count == 1 ? SOURCE_ONLY : SOURCE_LISTED;
}

/* Names one of several; it never narrows a session of one. */
static void find_default(struct finding *f, const struct tenant_scope *scope)
{
    const char *fallback = f->in->topology->config->default_tenant;
    if (!fallback || !bounds_contain(scope, slice_cstr(fallback)))
        return;
    f->set =
        (struct tenant_set){ .source = SOURCE_DEFAULT, .first = slice_cstr(fallback), .count = 1 };
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

/* All that the session may use. */
static enum err_code find_scope(struct finding *f)
{
    const struct tenant_scope *scope = &f->in->facts->scope;
    if (scope->has_chosen) {
        f->set =
            (struct tenant_set){ .source = SOURCE_SESSION, .first = scope->chosen, .count = 1 };
        return MQ_OK;
    }
    if (is_bound(scope->account) || is_bound(scope->listener))
        return find_bound(f, scope);
    find_listed(f);
    return MQ_OK;
}

/* Where keys are qualified the default tenant is only what bare keys mean. */
static bool may_default(const struct finding *f)
{
    return f->in->topology->config->partition_keys == KEYS_PLAIN || f->bare_key;
}

static enum err_code find_session(struct finding *f)
{
    enum err_code code = find_scope(f);
    if (!code && f->set.count != 1 && may_default(f))
        find_default(f, &f->in->facts->scope);
    if (code || f->set.count == 1)
        return code;
    if (f->bare_key)
        return refuse_key(f, "names no tenant, and nothing else does");
    return f->set.count && may_be_several(f->in) ? MQ_OK : missing(f);
}

/* A key names the tenant of its own rows. Where the statement reads others' as well, it is for all
 * of the session's tenants. */
static enum err_code find_untied(struct finding *f)
{
    struct slice tenant = f->set.first;
    enum tenant_source source = f->set.source;
    enum err_code code = find_scope(f);
    if (code || f->set.count > 1)
        return code || may_be_several(f->in)
                   ? code
                   : err_set(f->reterr, MQ_SCATTER,
                             "the source `%s` names tenant %.*s, but the statement also reads "
                             "tables that no such value ties to it",
                             tenant_source_name(source), TENANT_FORMAT(tenant));
    return slice_eq(f->set.first, tenant) ? MQ_OK : found_one(f, tenant, source, ORIGIN_CONDITION);
}

static enum err_code find_statement(struct finding *f)
{
    enum err_code code = find_sql(f);
    if (!code)
        code = find_comment(f);
    if (!code)
        code = find_rows(f);
    if (!code)
        code = find_keys(f);
    return code ? code : find_patterns(f);
}

/* Does what named the tenant bind all tables that are read? */
static bool is_tied(const struct finding *f)
{
    const struct template *t = f->in->template;
    return f->set.source == SOURCE_PARTITION_KEY ? t->keys_tie
           : f->set.source == SOURCE_PATTERN     ? t->patterns_tie
                                                 : true;
}

static enum err_code check_inside(const struct finding *f)
{
    for (size_t i = 0; i < f->set.count; i++) {
        struct slice tenant = set_at(&f->set, i);
        if (!tenant_scope_contains(&f->in->facts->scope, tenant))
            return err_set(f->reterr, MQ_TENANT_OUTSIDE,
                           "the source `%s` names tenant %.*s, which is outside those of this "
                           "session",
                           tenant_source_name(f->set.source), TENANT_FORMAT(tenant));
    }
    return MQ_OK;
}

enum err_code source_tenants(const struct route_input *in, struct arena *arena,
                             struct tenant_set *ret, struct err *reterr)
{
    struct finding f = { .in = in, .arena = arena, .reterr = reterr };
    if (in->facts->scope.forgotten)
        return err_set(reterr, MQ_TENANT_RESET,
                       "the connection was reset, which forgot @mq_tenant; set it again");
    enum err_code code = find_statement(&f);
    if (!code)
        code = f.set.source == SOURCE_NONE ? find_session(&f) : check_inside(&f);
    if (!code && !is_tied(&f))
        code = find_untied(&f);
    *ret = f.set;
    return code;
}

bool source_has_one_tenant(const struct route_input *in, struct arena *arena)
{
    struct err ignored;
    struct finding f = { .in = in, .arena = arena, .reterr = &ignored };
    return find_scope(&f) == MQ_OK && f.set.count == 1;
}
