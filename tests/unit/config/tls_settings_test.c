/* TLS settings: what is taken when they are left out, and which do not go together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "config/config.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define ALL "accounts: {app: {password: s}}\ntenants: [a]\n"

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

static void shards_inherit(void **state)
{
    static const struct {
        const char *keyspace, *shard;
        enum tls_mode mode;
        const char *ca, *cert, *name;
    } cases[] = {
        { "{}", "{}", TLS_DISABLED, NULL, NULL, NULL },
        { "{mode: preferred}", "{}", TLS_PREFERRED, NULL, NULL, NULL },
        { "{ca: a}", "{}", TLS_VERIFY_IDENTITY, "a", NULL, NULL },
        { "{ca: a}", "{ca: b}", TLS_VERIFY_IDENTITY, "b", NULL, NULL },
        { "{ca: a, mode: VERIFY_CA}", "{}", TLS_VERIFY_CA, "a", NULL, NULL },
        { "{ca: a}", "{mode: disabled}", TLS_DISABLED, "a", NULL, NULL },
        { "{}", "{ca: b, server_name: n}", TLS_VERIFY_IDENTITY, "b", NULL, "n" },
        { "{cert: c, key: k}", "{}", TLS_REQUIRED, NULL, "c", NULL },
        { "{cert: c, key: k, ca: a}", "{cert: d, key: l}", TLS_VERIFY_IDENTITY, "a", "d", NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "keyspace: {name: q, tls: %s, shards: {'-': {address: 'h:1', tls: %s}}}\n" ALL,
                 cases[i].keyspace, cases[i].shard);
        struct config *c = parse(text, text, "");
        const struct tls_config *t = &c->shards[0].tls;
        assert_int_equal(t->mode, cases[i].mode);
        assert_true(slice_eq(slice_cstr(t->ca), slice_cstr(cases[i].ca)));
        assert_true(slice_eq(slice_cstr(t->cert), slice_cstr(cases[i].cert)));
        assert_true(slice_eq(slice_cstr(t->server_name), slice_cstr(cases[i].name)));
        config_destroy(c);
    }
}

static void listeners_inherit(void **state)
{
    static const struct {
        const char *tls, *listener;
        enum tls_mode mode;
        enum client_certificate verify;
    } cases[] = {
        { "{}", "{address: 'h:1'}", TLS_DISABLED, CERTIFICATE_UNSET },
        { "{cert: c, key: k}", "{address: 'h:1'}", TLS_PREFERRED, CERTIFICATE_UNSET },
        { "{cert: c, key: k}", "'h:1'", TLS_PREFERRED, CERTIFICATE_UNSET },
        { "{cert: c, key: k, mode: required}", "'h:1'", TLS_REQUIRED, CERTIFICATE_UNSET },
        { "{cert: c, key: k}", "{address: 'h:1', tls: required}", TLS_REQUIRED, CERTIFICATE_UNSET },
        { "{cert: c, key: k}", "{socket: /s, tls: disabled}", TLS_DISABLED, CERTIFICATE_UNSET },
        { "{cert: c, key: k, client_ca: a}", "'h:1'", TLS_PREFERRED, CERTIFICATE_REQUIRED },
        { "{cert: c, key: k, client_ca: a, verify_client: optional}", "'h:1'", TLS_PREFERRED,
          CERTIFICATE_OPTIONAL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "keyspace: {name: q, shards: {'-': 'h:1'}}\n" ALL "tls: %s\nlisten: %s\n",
                 cases[i].tls, cases[i].listener);
        struct config *c = parse(text, text, "");
        assert_int_equal(c->listeners[0].tls, cases[i].mode);
        assert_int_equal(c->client_tls.verify_client, cases[i].verify);
        config_destroy(c);
    }
}

static void what_does_not_go_together(void **state)
{
    static const struct {
        const char *line, *want;
    } cases[] = {
        { "tls: {cert: c}", "f:4: tls: cert and key go together\n" },
        { "tls: {key: k}", "f:4: tls: cert and key go together\n" },
        { "tls: {mode: required}", "f:4: tls: needs cert and key when a listener offers TLS\n" },
        { "tls: {mode: verify_ca}",
          "f:4: tls.mode: 'verify_ca': disabled, preferred or required is expected\n" },
        { "listen: {address: 'h:1', tls: preferred}",
          "f:1: tls: needs cert and key when a listener offers TLS\n" },
        { "tls: {cert: c, key: k, verify_client: required}",
          "f:4: tls.verify_client: needs tls.client_ca\n" },
        { "tls: {cert: c, key: k, min_version: 1.1}",
          "f:4: tls.min_version: '1.1': 1.2 or 1.3 is expected (did you mean 1.2?)\n" },
        { "tenant_vindex: {address: 'h:1', user: u, password: p, database: d, tls: {mode: verify_ca}}",
          "f:4: tenant_vindex.tls: verify_ca and verify_identity need a ca\n" },
        { "tenant_vindex: {address: 'h:1', user: u, password: p, database: d, tls: {cert: c}}",
          "f:4: tenant_vindex.tls: cert and key go together\n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];
        snprintf(text, sizeof text, "keyspace: {name: q, shards: {'-': 'h:1'}}\n" ALL "%s\n",
                 cases[i].line);
        parse(cases[i].line, text, cases[i].want);
    }
    parse("a name for sockets",
          "keyspace: {name: q, tls: {ca: a}, shards: {'-': {socket: /s}}}\n" ALL,
          "f:1: keyspace.shards.-.tls: verify_identity on a unix socket needs a server_name\n");
    parse("an account without TLS",
          "keyspace: {name: q, shards: {'-': 'h:1'}}\ntenants: [a]\n"
          "accounts: {app: {password: s, require: tls}}\n",
          "f:3: accounts.app.require: no listener offers TLS\n");
    parse("an account without a CA",
          "keyspace: {name: q, shards: {'-': 'h:1'}}\ntenants: [a]\ntls: {cert: c, key: k}\n"
          "accounts: {app: {password: s, require: identity}}\n",
          "f:4: accounts.app.require: needs tls.client_ca\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_inherit),
        cmocka_unit_test(listeners_inherit),
        cmocka_unit_test(what_does_not_go_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
