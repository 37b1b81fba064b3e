/* `backend: vitess`: the vtgates as the one shard's servers, and what does not go with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "config/config.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define ALL "accounts: {app: {password: s}}\ntenants: [a]\nbackend: vitess\n"

static struct config *parse(const char *why, const char *text, const char *want)
{
    struct diagnostics d;
    struct buf got;
    diagnostics_init(&d);
    buf_init(&got);
    struct config *c = config_parse(slice_cstr(text), "f", NULL, &d);
    diagnostics_print(&d, "f", &got);
    if (strcmp(buf_cstr(&got), want) != 0)
        fail_msg("%s: got '%s', want '%s'", why, buf_cstr(&got), want);
    assert_int_equal(c != NULL, !*want);
    buf_fini(&got);
    diagnostics_fini(&d);
    return c;
}

static void vtgates_are_one_shard(void **state)
{
    (void)state;
    struct config *c = parse("three", ALL "keyspace: {name: queue, database: queue_v, tls: {ca: a}}\n"
                                          "vitess: {gates: ['one:1', '/two', 'three:3'],\n"
                                          "  shards: [-80, 80-], workload: billing-7.x}\n", "");
    assert_true(config_is_vitess(c));
    assert_int_equal(c->shard_count, 1);
    const struct shard_config *s = &c->shards[0];
    assert_string_equal(s->name, "queue");
    assert_string_equal(s->database, "queue_v");
    assert_string_equal(s->address.host, "one");
    assert_int_equal(s->standbys.count, 2);
    assert_string_equal(s->standby_addresses[0].socket, "/two");
    assert_int_equal(s->standby_addresses[1].port, 3);
    assert_int_equal(s->tls.mode, TLS_VERIFY_IDENTITY);
    assert_string_equal(s->tls.ca, "a");
    assert_int_equal(c->vitess.shards.count, 2);
    assert_string_equal(c->vitess.workload, "billing-7.x");
    config_destroy(c);
    c = parse("one", ALL "keyspace: {name: queue}\nvitess: {gates: 'one:1'}\n", "");
    assert_string_equal(c->shards[0].database, "queue");
    assert_int_equal(c->shards[0].standbys.count, 0);
    assert_int_equal(c->vitess.shards.count, 0);
    assert_null(c->vitess.workload);
    config_destroy(c);
}

static void what_does_not_go_together(void **state)
{
    static const struct {
        const char *rest, *want;
    } cases[] = {
        { "keyspace: {name: q}\n", "f:1: vitess.gates: missing\n" },
        { "keyspace: {name: q}\nvitess: {}\n", "f:5: vitess.gates: missing\n" },
        { "keyspace: {name: q, shards: {'-': 'h:1'}}\nvitess: {gates: 'h:1'}\n",
          "f:4: keyspace.shards: with `backend: vitess` vtgate finds the shards; name the vtgates "
          "in vitess.gates\n" },
        { "keyspace: {name: q}\nvitess: {gates: 'h:1'}\nenforcement: observe\n",
          "f:6: enforcement: observe and warn need one server with the legacy schema, which a "
          "Vitess keyspace is not\n" },
        { "keyspace: {name: q}\nvitess: {gates: [h]}\n",
          "f:5: vitess.gates: 'h': an address is host:port, such as 127.0.0.1:3307\n" },
        { "keyspace: {name: q}\nvitess: {gates: 'h:1', shards: [-8]}\n",
          "f:5: vitess.shards: '-8': a shard is named by its key range, such as -80, 80- or 40-80 "
          "(pairs of hex digits)\n" },
        { "keyspace: {name: q}\nvitess: {gates: 'h:1', workload: 'a b'}\n",
          "f:5: vitess.workload: a workload's name has 1 to 64 letters, digits, _, - and .\n" },
        { "keyspace: {name: q}\nvitess: {gates: 'h:1', workload: 'a*/'}\n",
          "f:5: vitess.workload: a workload's name has 1 to 64 letters, digits, _, - and .\n" },
        { "keyspace: {name: q, tls: {mode: verify_ca}}\nvitess: {gates: 'h:1'}\n",
          "f:4: keyspace.tls: verify_ca and verify_identity need a ca\n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];
        snprintf(text, sizeof text, ALL "%s", cases[i].rest);
        parse(text, text, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vtgates_are_one_shard),
        cmocka_unit_test(what_does_not_go_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
