/* From a template to a destination: the tenant, its place, and what forbids the statement. */
#include "routing/route.h"

#include <stdlib.h>

#include "base/check.h"
#include "routing/identifier.h"
#include "routing/qualified_route.h"
#include "routing/session_values.h"
#include "routing/source.h"

/* Comments are passed on to vtgate, which reads some of them. */
static enum err_code check_directives(const struct route_input *in, struct err *reterr)
{
    struct slice d = in->lexed->directive;
    if (!d.len || !config_is_vitess(in->topology->config))
        return MQ_OK;
    return err_set(reterr, MQ_VITESS_DIRECTIVE, "the directive %.*s is not passed on to vtgate",
                   (int)(d.len > 64 ? 64 : d.len), d.data);
}

static enum err_code check_session(const struct route_input *in, struct err *reterr)
{
    const struct template *t = in->template;
    if (check_directives(in, reterr))
        return reterr->code;
    if (!in->params && t->client_params && t->verdict != VERDICT_UNSHARDED)
        return err_set(reterr, MQ_SYNTAX, "a parameter marker stands outside a prepared statement");
    if (t->needs_administrator && !in->facts->administrator)
        return err_set(reterr, MQ_STATEMENT_NOT_ALLOWED,
                       "this statement is for accounts with `administrator: true`");
    if (t->needs_database && !in->facts->has_database)
        return err_set(reterr, MQ_DATABASE_NONE, "no database is selected");
    if (t->needs_database && in->facts->elsewhere)
        return err_set(reterr, MQ_TABLE_UNKNOWN,
                       "the queue tables are in the database %s, and %.*s is selected",
                       in->topology->config->keyspace, (int)in->facts->database.len,
                       in->facts->database.data);
    return MQ_OK;
}

/* DEFAULT '0' is DEFAULT 0. */
static struct slice without_quotes(struct slice s)
{
    bool quoted = s.len >= 2 && s.data[0] == '\'' && s.data[s.len - 1] == '\'';
    return quoted ? slice_of(s.data + 1, s.len - 2) : s;
}

static enum err_code check_literals(const struct route_input *in, struct err *reterr)
{
    const struct template *t = in->template;
    for (size_t i = 0; i < t->literal_check_count; i++) {
        const struct literal_check *check = &t->literal_checks[i];
        struct slice text = token_text(in->lexed, check->token);
        if (!slice_eq(without_quotes(text), without_quotes(check->expected)))
            return err_set(reterr, MQ_TABLE_DEFINITION,
                           "%s: column %s has %.*s where the catalogue has %.*s", t->table->name,
                           check->column, (int)(text.len > 32 ? 32 : text.len), text.data,
                           (int)check->expected.len, check->expected.data);
    }
    return MQ_OK;
}

static enum err_code check_identifiers(const struct route_input *in, struct arena *arena,
                                       struct err *reterr)
{
    enum err_code code = MQ_OK;
    for (size_t i = 0; i < in->template->check_count && !code; i++)
        code = identifier_check(in, &in->template->checks[i], arena, reterr);
    return code;
}

/* Whether the table was seen to say what the map says at most `limit_ms` ago. */
static enum err_code check_age(const struct route_input *in, uint64_t limit_ms, struct err *reterr)
{
    uint64_t confirmed = tenant_map_confirmed_ms(in->tenants);
    if (in->now_ms <= confirmed || in->now_ms - confirmed <= limit_ms)
        return MQ_OK;
    return err_set(reterr, MQ_VINDEX_STALE, "the tenant vindex table was last confirmed %llu s ago",
                   (unsigned long long)((in->now_ms - confirmed) / 1000));
}

/* A qualified key names its tenant up to the first separator: a tenant that has one is not served. */
static bool has_separator(const struct route_input *in, struct slice tenant)
{
    const struct config *c = in->topology->config;
    return c->partition_keys == KEYS_QUALIFIED && tenant.len &&
           memchr(tenant.data, c->key_separator, tenant.len);
}

/* A tenant that is not in the map: unknown to the list, or not yet seen in the table. */
static enum route_outcome unlisted(const struct route_input *in, struct slice tenant,
                                   struct err *reterr)
{
    int len = tenant.len > 80 ? 80 : (int)tenant.len;
    if (tenant_check(tenant, reterr))
        return ROUTE_REFUSE;
    if (in->topology->config->tenants_mode == TENANTS_TABLE) {
        err_set(reterr, MQ_TENANT_UNPLACED, "tenant %.*s is not in the tenant vindex table", len,
                tenant.data);
        return ROUTE_TENANT_MISS;
    }
    err_set(reterr, MQ_TENANT_UNKNOWN, "tenant %.*s is not one that this sidecar serves", len,
            tenant.data);
    return ROUTE_REFUSE;
}

static enum route_outcome unplaced(const struct route_input *in, const struct tenant *tenant,
                                   struct err *reterr)
{
    if (!in->topology->config->vindex_table.configured) {
        err_set(reterr, MQ_VINDEX_NO_SHARD, "tenant %s maps to no shard", tenant->name);
        return ROUTE_REFUSE;
    }
    err_set(reterr, MQ_TENANT_UNPLACED, "tenant %s is not in the tenant vindex table",
            tenant->name);
    return ROUTE_TENANT_MISS;
}

static enum route_outcome place(const struct route_input *in, struct slice name,
                                const struct tenant **ret, struct err *reterr)
{
    if (has_separator(in, name)) {
        err_set(reterr, MQ_TENANT_INVALID, "tenant %.*s contains partition_key_separator",
                name.len > 80 ? 80 : (int)name.len, name.data);
        return ROUTE_REFUSE;
    }
    const struct tenant *tenant = tenant_map_find(in->tenants, name);
    if (!tenant)
        return unlisted(in, name, reterr);
    if (tenant->state == TENANT_RETIRED) {
        err_set(reterr, MQ_TENANT_RETIRED, "tenant %s is retired", tenant->name);
        return ROUTE_REFUSE;
    }
    if (!tenant->placed)
        return unplaced(in, tenant, reterr);
    if (tenant->state == TENANT_MOVING) {
        err_set(reterr, MQ_TENANT_MOVING, "tenant %s is being moved", tenant->name);
        return ROUTE_HOLD;
    }
    if (tenant->state == TENANT_PREPARING && check_age(in, TENANT_LEASE_MS, reterr))
        return ROUTE_REFUSE;
    *ret = tenant;
    return ROUTE_OK;
}

/* By shard; those of one stay in the order of their names. */
static int compare_places(const void *left, const void *right)
{
    const struct tenant *l = *(const struct tenant *const *)left;
    const struct tenant *r = *(const struct tenant *const *)right;
    if (l->shard != r->shard)
        return l->shard < r->shard ? -1 : 1;
    return slice_cmp(slice_of(l->name, l->name_len), slice_of(r->name, r->name_len));
}

static void make_parts(const struct tenant **tenants, size_t count, struct arena *arena,
                       struct route *ret)
{
    struct route_part *parts = arena_array(arena, struct route_part, count), *last = NULL;
    qsort(tenants, count, sizeof *tenants, compare_places);
    for (size_t i = 0; i < count; i++) {
        if (!last || last->shard != tenants[i]->shard) {
            last = &parts[ret->part_count++];
            *last = (struct route_part){ .shard = tenants[i]->shard, .tenants = tenants + i };
        }
        last->tenant_count++;
    }
    ret->parts = parts;
    ret->verdict = VERDICT_TENANTS;
}

void route_split(const struct topology *t, const struct merge_recipe *recipe, struct arena *arena,
                 struct route *r)
{
    bool merged = recipe->kind == MERGE_ROWS && !recipe->joined && !recipe->nested;
    if (!config_is_vitess(t->config) || merged)
        return;
    const struct route_part *all = r->parts; /* vtgates are one shard */
    struct route_part *parts = arena_array(arena, struct route_part, all->tenant_count);
    for (size_t i = 0; i < all->tenant_count; i++)
        parts[i] = (struct route_part){ all->shard, &all->tenants[i], 1 };
    r->parts = parts;
    r->part_count = all->tenant_count;
}

static enum route_outcome place_several(const struct route_input *in, const struct tenant_set *set,
                                        struct arena *arena, struct route *ret, struct err *reterr)
{
    const struct tenant **tenants = arena_array(arena, const struct tenant *, set->count);
    for (size_t i = 0; i < set->count; i++) {
        ret->name = set->all[i];
        enum route_outcome outcome = place(in, set->all[i], &tenants[i], reterr);
        if (outcome != ROUTE_OK)
            return outcome;
    }
    make_parts(tenants, set->count, arena, ret);
    return ROUTE_OK;
}

static enum route_outcome place_one(const struct route_input *in, struct slice name,
                                    struct route *ret, struct err *reterr)
{
    ret->name = name;
    enum route_outcome outcome = place(in, name, &ret->tenant, reterr);
    if (outcome == ROUTE_OK)
        ret->shard = ret->tenant->shard;
    return outcome;
}

/* What lives on one connection is on one tenant's shard. Whoever may use several tenants could take a
 * lock on one's and believe to hold it for another. */
static enum err_code check_one_tenant(const struct route_input *in, const struct tenant_set *set,
                                      struct arena *arena, struct err *reterr)
{
    const struct template *t = in->template;
    bool several = t->needs_one_tenant ? !source_has_one_tenant(in, arena)
                                       : t->home && !t->table && set->count > 1;
    return !several ? MQ_OK
                    : err_set(reterr, MQ_TENANT_MISSING,
                              "user variables, locks and temporary tables are on one tenant's "
                              "shard, and the session may use several tenants; send SET @mq_tenant "
                              "= 'name', or connect to database@tenant");
}

static enum route_outcome route_tenants(const struct route_input *in, struct arena *arena,
                                        struct route *ret, struct err *reterr)
{
    struct tenant_set set;
    enum err_code code = source_tenants(in, arena, &set, reterr);
    ret->source = set.source;
    if (!code)
        code = check_one_tenant(in, &set, arena, reterr);
    if (!code)
        code = check_identifiers(in, arena, reterr);
    if (code)
        return ROUTE_REFUSE;
    ret->counters = identifier_counters(in, arena);
    const struct vindex_table_config *table = &in->topology->config->vindex_table;
    if (table->configured && check_age(in, table->max_age_ms, reterr))
        return ROUTE_REFUSE;
    return set.count > 1 ? place_several(in, &set, arena, ret, reterr)
                         : place_one(in, set.first, ret, reterr);
}

enum err_code route_deny(const struct session_facts *f, struct slice database, struct err *reterr)
{
    return err_set(reterr, MQ_DATABASE_DENIED, "Access denied for user '%.*s'@'%s' to database '%.*s'",
                   (int)f->user.len, f->user.data, f->unix_socket ? "localhost" : "%",
                   (int)database.len, database.data);
}

static enum err_code check_database(const struct session_facts *f, struct slice name,
                                    struct err *reterr)
{
    return config_has_database(f->databases, name) ? MQ_OK : route_deny(f, name, reterr);
}

/* Those that the statement names, and the one in which it finds its tables. */
enum err_code route_check_databases(const struct template *t, const struct session_facts *f,
                                    struct err *reterr)
{
    enum err_code code = MQ_OK;
    for (size_t i = 0; i < t->database_count && !code; i++)
        code = check_database(f, t->databases[i], reterr);
    return !code && t->needs_database && f->database.data ? check_database(f, f->database, reterr)
                                                          : code;
}

static bool has_temporary(const struct session_facts *f, struct slice name)
{
    struct slice left = f->temporaries;
    while (left.len) {
        struct slice one = slice_cstr(left.data);
        if (slice_eq(one, name))
            return true;
        left = slice_of(left.data + one.len + 1, left.len - one.len - 1);
    }
    return false;
}

enum err_code route_check_temporaries(const struct template *t, const struct session_facts *f,
                                      struct err *reterr)
{
    for (size_t i = 0; t->temporary == TEMPORARY_USED && i < t->temporary_count; i++) {
        struct slice name = t->temporaries[i];
        int len = name.len > 64 ? 64 : (int)name.len;
        if (has_temporary(f, name))
            continue;
        return t->table ? err_set(reterr, MQ_MIXED_TABLES,
                                  "the queue table %s and the table %.*s stand in one statement",
                                  t->table->name, len, name.data)
                        : err_set(reterr, MQ_TABLE_UNKNOWN,
                                  "table %.*s is not a queue table; `queue_tables:` adds others",
                                  len, name.data);
    }
    return MQ_OK;
}

/* Its place is known without a tenant. */
static bool goes_home(const struct template *t, const struct session_facts *facts)
{
    return t->home && facts->has_home && !t->table && !t->needs_one_tenant;
}

enum route_outcome route(const struct route_input *in, struct arena *arena, struct route *ret,
                         struct err *reterr)
{
    const struct template *t = in->template;
    *ret = (struct route){ .verdict = t->verdict };
    if ((in->params && t->also_passes) || (t->verdict == VERDICT_SINGLE && goes_home(t, in->facts)))
        ret->verdict = VERDICT_PASS;
    if (ret->verdict == VERDICT_REJECT) {
        if (reterr)
            *reterr = *in->template->reject;
        return ROUTE_REFUSE;
    }
    enum err_code code = route_check_temporaries(t, in->facts, reterr);
    if (!code)
        code = check_session(in, reterr);
    if (!code)
        code = route_check_databases(in->template, in->facts, reterr);
    if (!code)
        code = check_literals(in, reterr);
    if (code)
        return ROUTE_REFUSE;
    return ret->verdict == VERDICT_SINGLE ? route_tenants(in, arena, ret, reterr) : ROUTE_OK;
}

static bool names_database(const struct template *t)
{
    for (size_t i = 0; i < t->edit_count; i++)
        if (t->edits[i].text.len &&
            memchr(t->edits[i].text.data, EDIT_DATABASE, t->edits[i].text.len))
            return true;
    return false;
}

/* A server cuts the heading that it makes of an expression's text, at a whole character of UTF-8.
 */
static struct slice cut_heading(struct slice text)
{
    enum { HEADING_MAX = 255 }; /* bytes */
    if (text.len <= HEADING_MAX)
        return text;
    size_t len = HEADING_MAX;
    while (len && ((unsigned char)text.data[len] & 0xC0) == 0x80)
        len--;
    return slice_of(text.data, len);
}

/* Writes `name`; returns its end. There must be room for twice the name and two more. */
static char *write_ident(char *at, struct slice name)
{
    *at++ = '`';
    for (size_t i = 0; i < name.len; i++) {
        if (name.data[i] == '`')
            *at++ = '`';
        *at++ = name.data[i];
    }
    *at++ = '`';
    return at;
}

/* " AS `text`", or nothing where that could not stand: with bytes that a server would not take. */
static struct slice heading_alias(const struct lexed *l, const struct token_range *item,
                                  struct arena *arena)
{
    const struct token *first = &l->tokens[item->first], *last = &l->tokens[item->last];
    struct slice text = cut_heading(
        slice_of(l->text.data + first->start, (size_t)last->start + last->len - first->start));
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.data[i] < '\t')
            return slice_of("", 0);
    char *alias = arena_alloc(arena, 2 * text.len + sizeof " AS ``");
    memcpy(alias, " AS ", 4);
    return slice_of(alias, (size_t)(write_ident(alias + 4, text) - alias));
}

const struct edit *route_edits(const struct template *t, const struct lexed *l, struct arena *arena,
                               size_t *ret_count)
{
    *ret_count = t->edit_count;
    if (!t->heading_count && !t->key_count)
        return t->edits;
    struct edit *edits =
        arena_array(arena, struct edit, t->edit_count + t->heading_count + t->key_count);
    if (t->edit_count)
        memcpy(edits, t->edits, t->edit_count * sizeof *edits);
    qualified_edits(t, l, arena, edits, ret_count);
    for (size_t i = 0; i < t->heading_count; i++) {
        const struct token_range *item = &t->headings[i];
        struct slice alias = heading_alias(l, item, arena);
        if (alias.len)
            edits[(*ret_count)++] = (struct edit){ .place = EDIT_AFTER,
                                                   .first = item->last,
                                                   .last = item->last,
                                                   .text = alias,
                                                   .verbatim = true };
    }
    edits_sort(edits, *ret_count, arena);
    return edits;
}

const char *route_show_heading(const struct template *t, const struct lexed *l,
                               const struct session_facts *facts, struct arena *arena)
{
    const struct dialect dialect = { .modes = t->show_heading.modes };
    struct slice pattern, database = t->show_heading.database;
    if (t->show_heading.of_session)
        database = facts ? facts->database : slice_of("", 0);
    const char *name = arena_printf(arena, "%s%.*s", t->show_heading.prefix, (int)database.len,
                                    database.len ? database.data : "");
    if (t->pattern.kind != VALUE_TOKENS ||
        !token_string_value(l, &dialect, t->pattern.first, t->pattern.last, arena, &pattern))
        return name;
    return arena_printf(arena, "%s (%.*s)", name, (int)pattern.len, pattern.data);
}

static struct slice *edit_value(struct edit_values *values, int placeholder)
{
    return &values->of[placeholder - EDIT_VALUE_FIRST];
}

static void fill_session_values(const struct template *t, const struct session_facts *facts,
                                bool prepared, struct arena *arena, struct edit_values *values)
{
    for (int v = 0; v < SESSION_VALUE_COUNT && t->has_session_values; v++)
        *edit_value(values, EDIT_SESSION + v) =
            prepared ? SLICE_LIT("?") : session_value_sql(facts, (enum session_value)v, arena);
}

/* A tenant holds neither quotes nor backslashes (tenant_check). */
static struct slice tenant_literal(const struct tenant *tenant, struct arena *arena)
{
    char *text = arena_alloc(arena, tenant->name_len + 2u);
    text[0] = '\'';
    memcpy(text + 1, tenant->name, tenant->name_len);
    text[tenant->name_len + 1] = '\'';
    return slice_of(text, tenant->name_len + 2u);
}

static struct slice backquoted(const char *ident, struct arena *arena)
{
    struct slice name = slice_cstr(ident);
    char *text = arena_alloc(arena, 2 * name.len + 2);
    return slice_of(text, (size_t)(write_ident(text, name) - text));
}

/* vtgate reads directives behind the verb. Where the statement begins otherwise there are none. */
static const struct edit *add_workload(const struct lexed *l, struct slice workload,
                                       const struct edit *edits, size_t *count, struct arena *arena)
{
    static const enum keyword verbs[] = { KW_SELECT, KW_INSERT, KW_REPLACE, KW_UPDATE, KW_DELETE };
    bool is_verb = false;
    for (size_t i = 0; workload.len && l->count && i < sizeof verbs / sizeof *verbs; i++)
        is_verb |= token_is_keyword(&l->tokens[0], verbs[i]);
    if (!is_verb)
        return edits;
    struct edit *more = arena_array(arena, struct edit, *count + 1);
    if (*count)
        memcpy(more, edits, *count * sizeof *more);
    more[(*count)++] = (struct edit){
        .place = EDIT_AFTER,
        .text = slice_cstr(arena_printf(arena, " /*vt+ WORKLOAD_NAME=%.*s */", (int)workload.len,
                                        workload.data)),
        .verbatim = true,
    };
    edits_sort(more, *count, arena);
    return more;
}

/* Fills in the placeholders that the caller has not filled. */
static void make_text(const struct template *t, const struct lexed *l, struct edit_values *values,
                      const struct session_facts *facts, const char *shard_database, bool prepared,
                      struct arena *arena, struct buf *out)
{
    size_t count;
    if (names_database(t))
        *edit_value(values, EDIT_DATABASE) = backquoted(shard_database, arena);
    if (t->show_heading.prefix)
        *edit_value(values, EDIT_HEADING) =
            backquoted(route_show_heading(t, l, facts, arena), arena);
    fill_session_values(t, facts, prepared, arena, values);
    const struct edit *edits = route_edits(t, l, arena, &count);
    if (facts)
        edits = add_workload(l, facts->workload, edits, &count, arena);
    /* Unsound edits append nothing: what is sent is then refused as an empty statement. */
    bool made = edits_apply(l, edits, count, values, out);
    CHECK(made);
    (void)made;
}

void route_text(const struct template *t, const struct lexed *l, const struct tenant *tenant,
                const struct session_facts *facts, const char *shard_database, bool prepared,
                struct arena *arena, struct buf *out)
{
    struct edit_values values = { 0 };
    *edit_value(&values, EDIT_TENANT) =
        prepared || !tenant ? SLICE_LIT("?") : tenant_literal(tenant, arena);
    make_text(t, l, &values, facts, shard_database, prepared, arena, out);
}

/* 'a', 'b' */
static struct slice tenant_literals(const struct route_part *part, struct arena *arena)
{
    size_t len = 0;
    for (size_t i = 0; i < part->tenant_count; i++)
        len += part->tenants[i]->name_len + sizeof "'', " - 1;
    char *text = arena_alloc(arena, len), *at = text;
    for (size_t i = 0; i < part->tenant_count; i++) {
        struct slice literal = tenant_literal(part->tenants[i], arena);
        memcpy(at, ", ", i ? 2 : 0);
        at += i ? 2 : 0;
        memcpy(at, literal.data, literal.len);
        at += literal.len;
    }
    return slice_of(text, (size_t)(at - text));
}

void route_part_text(const struct template *t, const struct lexed *l, const struct route_part *part,
                     const struct merge_inputs *inputs, const struct session_facts *facts,
                     const char *shard_database, bool prepared, struct arena *arena,
                     struct buf *out)
{
    struct edit_values values = { 0 };
    *edit_value(&values, EDIT_TENANTS) = tenant_literals(part, arena);
    *edit_value(&values, EDIT_KEY_TENANT) = SLICE_LIT("?");
    *edit_value(&values, EDIT_LIMIT) =
        prepared ? SLICE_LIT("?")
                 : slice_cstr(arena_printf(arena, "%llu",
                                           (unsigned long long)merge_inputs_limit(inputs)));
    make_text(t, l, &values, facts, shard_database, prepared, arena, out);
}

struct slice route_heading(const struct template *t, const struct lexed *l,
                           const struct dialect *dialect, struct arena *arena)
{
    struct slice s;
    const struct token *first = &l->tokens[t->heading.first], *last = &l->tokens[t->heading.last];
    if (t->heading.kind != VALUE_TOKENS)
        return slice_of("", 0);
    if (first == last && first->kind == TOKEN_QUOTED)
        return token_ident(l, t->heading.first, arena);
    if (token_string_value(l, dialect, t->heading.first, t->heading.last, arena, &s))
        return s;
    return slice_of(l->text.data + first->start, (size_t)last->start + last->len - first->start);
}
