/* A topology, tenants and a session to plan and route statements with. */
#ifndef MQ_TESTS_ROUTING_FIXTURE_H
#define MQ_TESTS_ROUTING_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "routing/route.h"
#include "tests/fuzz/routing/scoped.h"

#define FIXTURE_YAML                                                   \
    "keyspace: {name: mq, aliases: [queue], database: shard, shards: " \
    "{\"-80\": \"127.0.0.1:1\", \"80-\": \"127.0.0.1:2\"}}\n"          \
    "accounts: {app: {password: secret}}\n"

struct fixture {
    struct topology *topology;
    struct tenant_map *tenants;
    struct dialect dialect;
    struct session_facts facts;
    bool scatters; /* statements of several tenants are served */
    struct arena arena;
    /* of the last statement */
    struct lexed lexed;
    const struct template *template;
    struct route route;
    struct buf sent;
    struct err err;
};

/* yaml: FIXTURE_YAML and what the test adds. tenants: NULL for those of the function. */
static inline void fixture_open(struct fixture *f, const char *yaml, struct tenant_map *tenants)
{
    struct diagnostics d;
    *f = (struct fixture){ .facts = { .has_database = true } };
    diagnostics_init(&d);
    struct config *config = config_parse(slice_cstr(yaml), "test.yaml", NULL, &d);
    if (d.count)
        fail_msg("%s", d.items[0].text);
    diagnostics_fini(&d);
    assert_int_equal(topology_create(config, &f->topology, &f->err), MQ_OK);
    f->tenants = tenants;
    if (!tenants)
        assert_int_equal(topology_hash_tenants(f->topology, &f->tenants, &f->err), MQ_OK);
    f->dialect = dialect_default();
    arena_init(&f->arena);
    buf_init(&f->sent);
}

static inline void fixture_close(struct fixture *f)
{
    tenant_map_release(f->tenants);
    topology_release(f->topology);
    arena_fini(&f->arena);
    buf_fini(&f->sent);
}

static inline void fixture_choose(struct fixture *f, const char *tenant)
{
    f->facts.scope.has_chosen = tenant != NULL;
    f->facts.scope.chosen = slice_cstr(tenant);
}

/* Lexes and plans; false when the lexer refuses. */
static inline bool fixture_plan(struct fixture *f, const char *sql)
{
    arena_reset(&f->arena);
    if (lex(slice_cstr(sql), &f->dialect, &f->arena, &f->lexed, &f->err))
        return false;
    struct arena scratch;
    arena_init(&scratch);
    f->template = plan(f->topology, &f->dialect, &f->lexed, &f->arena, &scratch);
    arena_fini(&scratch);
    return true;
}

/* Routes what was planned. params: NULL for a statement as text. */
static inline enum route_outcome fixture_route(struct fixture *f, const struct param_value *params)
{
    struct route_input in = { .template = f->template,
                              .lexed = &f->lexed,
                              .dialect = &f->dialect,
                              .facts = &f->facts,
                              .params = params,
                              .topology = f->topology,
                              .tenants = f->tenants,
                              .now_ms = 1000000,
                              .scatters = f->scatters };
    return route(&in, &f->arena, &f->route, &f->err);
}

/* Every single-tenant text is looked at by a second pair of eyes. */
static inline void fixture_check_scoped(struct fixture *f)
{
    struct lexed sent;
    struct node *root;
    struct scoped s = { .catalog = f->topology->catalog, .arena = &f->arena, .l = &sent };
    assert_int_equal(lex(buf_slice(&f->sent), &f->dialect, &f->arena, &sent, &f->err), MQ_OK);
    assert_int_equal(parse(&sent, &f->dialect, &f->arena, &root, &f->err), MQ_OK);
    const char *why = scoped_check(&s, root);
    if (why)
        fail_msg("%s in %s", why, buf_cstr(&f->sent));
}

/* The text for the shard, or "MQ<number>" of the refusal. */
static inline const char *fixture_send(struct fixture *f, const char *sql,
                                       const struct param_value *params)
{
    buf_clear(&f->sent);
    if (!fixture_plan(f, sql) || fixture_route(f, params) != ROUTE_OK) {
        buf_printf(&f->sent, "MQ%d", (int)f->err.code);
        return buf_cstr(&f->sent);
    }
    if (f->route.verdict != VERDICT_LOCAL)
        route_text(f->template, &f->lexed, f->route.tenant, &f->facts, "shard", params != NULL,
                   &f->arena, &f->sent);
    if (f->route.verdict == VERDICT_SINGLE)
        fixture_check_scoped(f);
    return buf_cstr(&f->sent);
}

#endif
