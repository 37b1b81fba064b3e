/* The planner's promises for any text: no crash; removing the edits gives the client's bytes
 * back; the rewritten text parses, and each queue table in it is scoped; the parameters' map
 * fits the rewritten text.
 *
 * The first byte chooses the dialect, the rest is the statement. */
#include <stdint.h>
#include <stdlib.h>

#include "routing/route.h"
#include "routing/session_values.h"
#include "tests/fuzz/routing/scoped.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char yaml[] = "keyspace: {name: mq, aliases: [queue], database: shard, shards: "
                           "{\"-80\": \"127.0.0.1:1\", \"80-\": \"127.0.0.1:2\"}}\n"
                           "tenants: [acme]\n"
                           "accounts: {app: {password: secret}}\n";

static struct topology *topology;
static struct tenant_map *tenants;

static void require(bool condition, const char *what, struct slice text)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n%.*s\n", what, (int)text.len, text.data);
    abort();
}

static void set_up(void)
{
    struct diagnostics d;
    struct err err;
    diagnostics_init(&d);
    struct config *config = config_parse(slice_of(yaml, sizeof yaml - 1), "fuzz", NULL, &d);
    require(config != NULL, d.count ? d.items[0].text : "configuration", slice_of("", 0));
    diagnostics_fini(&d);
    require(!topology_create(config, &topology, &err), err.text, slice_of("", 0));
    require(!topology_hash_tenants(topology, &tenants, &err), err.text, slice_of("", 0));
}

static struct dialect choose_dialect(uint8_t choice)
{
    static const char *const versions[] = { "8.0.36", "9.7.0", "10.11.6-MariaDB",
                                            "5.5.5-11.4.2-MariaDB" };
    struct dialect d = dialect_default();
    dialect_of_version(slice_cstr(versions[choice & 3]), &d);
    d.modes = (uint32_t)(choice >> 2) &
              (MODE_ANSI_QUOTES | MODE_NO_BACKSLASH_ESCAPES | MODE_PIPES_AS_CONCAT |
               MODE_IGNORE_SPACE | MODE_HIGH_NOT_PRECEDENCE);
    return d;
}

static struct session_facts facts = { .has_database = true, .database = SLICE_LIT("mq"),
                                      .user = SLICE_LIT("a'p"), .row_count = -1 };

static size_t session_length(char placeholder, bool prepared)
{
    struct arena arena;
    arena_init(&arena);
    enum session_value v = (enum session_value)(placeholder - EDIT_SESSION);
    size_t len = prepared ? 1 : session_value_sql(&facts, v, &arena).len;
    arena_fini(&arena);
    return len;
}

/* Bytes of an edit's text once the placeholders are filled in. */
static size_t filled_length(struct slice text, size_t tenant)
{
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++)
        len += text.data[i] == EDIT_TENANT     ? tenant
               : text.data[i] == EDIT_DATABASE ? sizeof "`shard`" - 1
               : text.data[i] >= EDIT_SESSION && edit_value_number(text.data[i]) >= 0
                   ? session_length(text.data[i], tenant == 1)
                   : 1;
    return len;
}

/* Takes the edits out of the rewritten text again: what is left are the client's bytes. */
static void check_removal(const struct template *t, const struct lexed *l, struct slice out,
                          size_t tenant, struct arena *arena)
{
    size_t client = 0, sent = 0, count;
    const struct edit *edits = route_edits(t, l, arena, &count);
    for (size_t i = 0; i < count; i++) {
        const struct edit *e = &edits[i];
        require(e->first < l->count && e->last < l->count, "edit outside", l->text);
        const struct token *first = &l->tokens[e->first], *last = &l->tokens[e->last];
        size_t end = (size_t)last->start + last->len;
        size_t from = e->place == EDIT_AFTER ? end : first->start;
        require(from >= client && from <= l->text.len, "edits overlap", l->text);
        size_t same = from - client;
        require(out.len - sent >= same, "text is short", l->text);
        require(slice_eq(slice_of(out.data + sent, same), slice_of(l->text.data + client, same)),
                "client's bytes changed", l->text);
        sent += same + filled_length(e->text, tenant);
        client = e->place == EDIT_REPLACE ? end : from;
    }
    require(out.len >= sent, "text is short", l->text);
    require(slice_eq(slice_of(out.data + sent, out.len - sent),
                     slice_of(l->text.data + client, l->text.len - client)),
            "client's bytes changed at the end", l->text);
}

static void check_params(const struct template *t, const struct lexed *prepared)
{
    int32_t next = 0;
    require(prepared->params == t->backend_param_count, "count of parameters", prepared->text);
    for (uint32_t i = 0; i < t->backend_param_count; i++) {
        if (t->backend_params[i] < 0)
            continue;
        require(t->backend_params[i] == next++, "order of parameters", prepared->text);
    }
    require((uint32_t)next == t->client_params, "client's parameters", prepared->text);
}

/* Of a client the lexer takes no hint about indexes; this one is the planner's. */
static void blank_hint(struct buf *b)
{
    static const char hint[] = "DELETE /*+ NO_INDEX(";
    char *text = (char *)buf_slice(b).data, *end = text + buf_len(b);
    for (char *at = text; end - at > (ptrdiff_t)sizeof hint; at++) {
        if (memcmp(at, hint, sizeof hint - 1) != 0)
            continue;
        for (at += strlen("DELETE "); at < end && *at != '/'; at++)
            ;
        *at++ = ' ';
        for (; at < end && *at != '/'; at++)
            *at = ' ';
        *at = ' ';
        return;
    }
}

static void check_single(const struct template *t, const struct lexed *l,
                         const struct dialect *dialect, struct arena *arena)
{
    const struct tenant *tenant = tenant_map_at(tenants, 0);
    struct scoped s = { .catalog = topology->catalog, .arena = arena };
    struct lexed sent;
    struct buf out;
    struct node *root;
    struct err err = { .text = "" };
    for (int prepared = 0; prepared < 2; prepared++) {
        buf_init(&out);
        route_text(t, l, tenant, &facts, "shard", prepared, &out);
        check_removal(t, l, buf_slice(&out), prepared ? 1 : sizeof "'acme'" - 1, arena);
        for (size_t i = 0; i < t->edit_count; i++)
            if (t->edits[i].text.len > 4 && memcmp(t->edits[i].text.data, " /*+", 4) == 0)
                blank_hint(&out);
        require(!lex(buf_slice(&out), dialect, arena, &sent, &err), err.text, buf_slice(&out));
        require(!parse(&sent, dialect, arena, &root, &err), err.text, buf_slice(&out));
        s.l = &sent;
        const char *why = scoped_check(&s, root);
        require(!why, why, buf_slice(&out));
        if (prepared)
            check_params(t, &sent);
        buf_fini(&out);
    }
}

/* Routing must not crash for any template; the outcome does not matter here. */
static void try_route(const struct template *t, const struct lexed *l,
                      const struct dialect *dialect, struct arena *arena)
{
    struct param_value *params = arena_array(arena, struct param_value, t->client_params + 1);
    struct route_input in = { .template = t,
                              .lexed = l,
                              .dialect = dialect,
                              .facts = &facts,
                              .params = params,
                              .topology = topology,
                              .tenants = tenants };
    struct route r;
    struct err err;
    for (uint32_t i = 0; i < t->client_params; i++)
        params[i] = (struct param_value){ PARAM_VALUE_STRING, SLICE_LIT("acme") };
    route(&in, arena, &r, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lexed l;
    struct arena arena, scratch;
    if (!topology)
        set_up();
    if (!size)
        return 0;
    struct dialect dialect = choose_dialect(data[0]);
    arena_init(&arena);
    arena_init(&scratch);
    if (!lex(slice_of(data + 1, size - 1), &dialect, &arena, &l, NULL)) {
        const struct template *t = plan(topology, &dialect, &l, &arena, &scratch);
        arena_fini(&scratch); /* nothing of the template lies there */
        require((t->verdict == VERDICT_REJECT) == (t->reject && t->reject->code), "refusal without a code", l.text);
        if (t->verdict == VERDICT_SINGLE)
            check_single(t, &l, &dialect, &arena);
        try_route(t, &l, &dialect, &arena);
    }
    arena_fini(&arena);
    return 0;
}
