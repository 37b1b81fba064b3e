#define _DEFAULT_SOURCE
/* A whole configuration from text: what it becomes, and every complaint about it. */
#include "config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "config/string_list.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char minimal[] = "listen: 127.0.0.1:3307\n"
                              "keyspace:\n"
                              "  name: queue\n"
                              "  shards:\n"
                              "    \"-80\": 127.0.0.1:4001\n"
                              "    80-: 127.0.0.1:4002\n"
                              "tenants: [a, b]\n"
                              "accounts:\n"
                              "  app: {password: secret}\n";

static struct config *parse(const char *text, const char *const *environment,
                            const char *const *settings, struct diagnostics *d)
{
    struct config_overrides overrides = { environment, settings };
    diagnostics_init(d);
    return config_parse(slice_cstr(text), "etc/mqgate.yaml", &overrides, d);
}

/* The configuration, which must be without fault. */
static struct config *accept_with(const char *text, const char *const *environment,
                                  const char *const *settings)
{
    struct diagnostics d;
    struct config *c = parse(text, environment, settings, &d);
    if (!c)
        fail_msg("line %u: %s", d.items[0].line, d.items[0].text);
    assert_int_equal(d.count, 0);
    diagnostics_fini(&d);
    return c;
}

static struct config *accept(const char *text)
{
    return accept_with(text, NULL, NULL);
}

static void refuse_with(const char *why, const char *text, const char *const *environment,
                        const char *const *settings, const char *want)
{
    struct diagnostics d;
    struct buf got;
    struct config *c = parse(text, environment, settings, &d);
    buf_init(&got);
    diagnostics_print(&d, "f", &got);
    if (c || strcmp(buf_cstr(&got), want) != 0)
        fail_msg("%s: got\n%swanted\n%s", why, buf_cstr(&got), want);
    buf_fini(&got);
    diagnostics_fini(&d);
}

static void the_minimal_file_is_enough(void **state)
{
    struct config *c = accept(minimal);
    (void)state;
    assert_string_equal(c->path, "etc/mqgate.yaml");
    assert_int_equal(c->listener_count, 1);
    assert_string_equal(c->listeners[0].name, "127.0.0.1:3307");
    assert_string_equal(c->listeners[0].address.host, "127.0.0.1");
    assert_int_equal(c->listeners[0].address.port, 3307);
    assert_string_equal(c->keyspace, "queue");
    assert_int_equal(c->shard_count, 2);
    assert_string_equal(c->shards[0].name, "-80");
    assert_string_equal(c->shards[1].database, "queue");
    assert_int_equal(c->shards[1].address.port, 4002);
    assert_int_equal(c->tenants_mode, TENANTS_LIST);
    assert_int_equal(c->tenants.count, 2);
    const struct account_config *a = config_account(c, SLICE_LIT("app"));
    assert_string_equal(a->password, "secret");
    assert_string_equal(a->backend.user, "app");
    assert_string_equal(a->backend.password, "secret");
    assert_false(a->administrator);
    assert_null(config_account(c, SLICE_LIT("App")));
    config_destroy(c);
    config_destroy(NULL);
}

static void defaults(void **state)
{
    struct config *c = accept(minimal);
    (void)state;
    assert_null(c->vschema_path);
    assert_null(c->default_tenant);
    assert_int_equal(c->partition_keys, KEYS_PLAIN);
    assert_int_equal(c->key_separator, '|');
    assert_null(c->server_version);
    assert_int_equal(c->workers, 1);
    assert_true(c->allow_create_table);
    assert_int_equal(c->pool.max_per_shard, 32);
    assert_int_equal(c->pool.idle_timeout_ms, 60000);
    assert_int_equal(c->pool.wait_timeout_ms, 10000);
    assert_int_equal(c->pool.connect_timeout_ms, 3000);
    assert_int_equal(c->pool.max_statements, 256);
    assert_int_equal(c->limits.max_connections, 4096);
    assert_int_equal(c->limits.max_statement_size, 64 << 20);
    assert_int_equal(c->limits.max_prepared_statements, 16382);
    assert_int_equal(c->limits.login_timeout_ms, 10000);
    assert_int_equal(c->limits.idle_timeout_ms, 28800000);
    assert_int_equal(c->log.level, LOG_INFO);
    assert_int_equal(c->log.format, LOG_TEXT);
    assert_int_equal(c->shutdown.drain_min_ms, 0);
    assert_int_equal(c->shutdown.drain_max_ms, 30000);
    assert_int_equal(c->metadata_paths.count, 1);
    assert_string_equal(c->metadata_paths.items[0], "queue_name");
    assert_false(c->payload_enabled);
    assert_int_equal(c->payload_paths.count, 2);
    assert_string_equal(c->payload_paths.items[1], "queueName");
    assert_false(c->vindex_table.configured);
    assert_string_equal(c->vindex_table.table, "mq_tenant_vindex");
    assert_int_equal(c->vindex_table.refresh_interval_ms, 5000);
    assert_int_equal(c->vindex_table.max_age_ms, 900000);
    config_destroy(c);
}

static const char full[] =
    "listen:\n"
    "- {address: '[::1]:3307', name: a, tenants: [x]}\n"
    "- socket: /run/mqgate.sock\n"
    "- 0.0.0.0:3308\n"
    "keyspace:\n"
    "  name: queue\n"
    "  aliases: [old, older]\n"
    "  database: mq\n"
    "  vschema: vschema.json\n"
    "  shards:\n"
    "    -80: {socket: /run/a.sock}\n"
    "    80-C0: {address: h:1, database: other, standbys: ['h:2', '[::1]:3', /run/s.sock]}\n"
    "    c0-: /run/b.sock\n"
    "tenants: [x, ' y ', z, x]\n"
    "default_tenant: z\n"
    "accounts:\n"
    "  app: {password: p, tenants: [x, y], administrator: yes}\n"
    "  root: {password: '', backend: {user: r}}\n"
    "  hash:\n"
    "    password_hash: '*6BB4837EB74329105EE4568DDA7DC67ED2CA2AD9'\n"
    "    backend: {password: q}\n"
    "tenant_vindex: {address: v:3306, user: u, password: w, database: d, table: t,\n"
    "  refresh_interval: 1m, snapshot_file: /var/lib/snap}\n"
    "vindex_max_age: 1h\n"
    "tenant_sources: {metadata: [], payload: {enabled: true, paths: a.b}}\n"
    "queue_tables:\n"
    "  extra:\n"
    "    columns: [{name: id, definition: INT NOT NULL}, {name: v, definition: TEXT}]\n"
    "    primary_key: [id]\n"
    "pool: {max_per_shard: 3, idle_timeout: 2m, max_statements: 9}\n"
    "limits: {max_statement_size: 1MiB}\n"
    "log: {level: Debug, format: json}\n"
    "shutdown: {drain_min: 5s}\n"
    "workers: 4\n"
    "server_version: 8.0.36\n"
    "allow_create_table: no\n";

static void every_setting_arrives(void **state)
{
    struct config *c = accept(full);
    (void)state;
    assert_int_equal(c->listener_count, 3);
    assert_string_equal(c->listeners[0].name, "a");
    assert_string_equal(c->listeners[0].address.host, "::1");
    assert_string_equal(c->listeners[0].tenants.items[0], "x");
    assert_string_equal(c->listeners[1].address.socket, "/run/mqgate.sock");
    assert_string_equal(c->listeners[1].name, "/run/mqgate.sock");
    assert_int_equal(c->listeners[2].tenants.count, 0);
    assert_string_equal(c->database_aliases.items[1], "older");
    assert_string_equal(c->vschema_path, "etc/vschema.json");
    assert_string_equal(c->shards[0].address.socket, "/run/a.sock");
    assert_string_equal(c->shards[0].database, "mq");
    assert_string_equal(c->shards[1].name, "80-c0");
    assert_string_equal(c->shards[1].database, "other");
    assert_int_equal(c->shards[1].standbys.count, 3);
    assert_int_equal(c->shards[1].standby_addresses[0].port, 2);
    assert_string_equal(c->shards[1].standby_addresses[1].host, "::1");
    assert_string_equal(c->shards[1].standby_addresses[2].socket, "/run/s.sock");
    assert_string_equal(c->shards[2].address.socket, "/run/b.sock");
    assert_int_equal(c->shards[2].standbys.count, 0);
    assert_int_equal(c->tenants.count, 3);
    assert_string_equal(c->tenants.items[1], "y");
    assert_string_equal(c->default_tenant, "z");
    assert_true(c->accounts[0].administrator);
    assert_int_equal(c->accounts[0].tenants.count, 2);
    assert_string_equal(c->accounts[1].password, "");
    assert_string_equal(c->accounts[1].backend.user, "r");
    assert_string_equal(c->accounts[1].backend.password, "");
    assert_null(c->accounts[2].password);
    assert_string_equal(c->accounts[2].backend.password, "q");
    assert_true(c->vindex_table.configured);
    assert_string_equal(c->vindex_table.credentials.password, "w");
    assert_string_equal(c->vindex_table.snapshot_file, "/var/lib/snap");
    assert_int_equal(c->vindex_table.refresh_interval_ms, 60000);
    assert_int_equal(c->vindex_table.max_age_ms, 3600000);
    assert_int_equal(c->metadata_paths.count, 0);
    assert_true(c->payload_enabled);
    assert_string_equal(c->payload_paths.items[0], "a.b");
    assert_int_equal(c->queue_table_count, 1);
    assert_string_equal(c->queue_tables[0].columns[0].definition, "INT NOT NULL");
    assert_string_equal(c->queue_tables[0].primary_key.items[0], "id");
    assert_int_equal(c->pool.max_per_shard, 3);
    assert_int_equal(c->limits.max_statement_size, 1 << 20);
    assert_int_equal(c->log.level, LOG_DEBUG);
    assert_int_equal(c->log.format, LOG_JSON);
    assert_int_equal(c->shutdown.drain_min_ms, 5000);
    assert_int_equal(c->workers, 4);
    assert_string_equal(c->server_version, "8.0.36");
    assert_false(c->allow_create_table);
    config_destroy(c);
}

/* Complaints about one line that is put behind the minimal file, as its line 10. */
static void faulty_settings(void **state)
{
    static const struct {
        const char *line, *want;
    } cases[] = {
        { "tenant_sources: {metadata: $.queue_name}",
          "f:10: tenant_sources.metadata: '$.queue_name': a path is the keys of objects, joined by "
          "dots, such as queue_name or a.b\n" },
        { "tenant_sources: {payload: {paths: [a.b, a..b, '']}}",
          "f:10: tenant_sources.payload.paths: 'a..b': a path is the keys of objects, joined by "
          "dots, such as queue_name or a.b\n"
          "f:10: tenant_sources.payload.paths: '': a path is the keys of objects, joined by dots, "
          "such as queue_name or a.b\n" },
        { "wrokers: 1", "f:10: wrokers: unknown setting (did you mean workers?)\n" },
        { "zzzz: 1", "f:10: zzzz: unknown setting\n" },
        { "max_per_shard: 1",
          "f:10: max_per_shard: unknown setting (did you mean pool.max_per_shard?)\n" },
        { "pool: {idel_timeout: 5s}",
          "f:10: pool.idel_timeout: unknown setting (did you mean idle_timeout?)\n" },
        { "pool: 5", "f:10: pool: a map of settings is expected\n" },
        { "pool: [1]", "f:10: pool: a map of settings is expected\n" },
        { "workers: 0", "f:10: workers: '0': out of range, which is 1 to 256\n" },
        { "workers: 257", "f:10: workers: '257': out of range, which is 1 to 256\n" },
        { "workers: two", "f:10: workers: 'two': a whole number is expected\n" },
        { "workers: 1.0", "f:10: workers: '1.0': a whole number is expected\n" },
        { "workers: ''", "f:10: workers: '': a whole number is expected\n" },
        { "workers: [1]", "f:10: workers: one value is expected, not a list or a map\n" },
        { "vindex_max_age: 15",
          "f:10: vindex_max_age: '15': a duration with its unit is expected, such as 500ms, 5s, "
          "15m, 8h or 1d\n" },
        { "vindex_max_age: 1ms", "f:10: vindex_max_age: '1ms': out of range, which is 1s to 1d\n" },
        { "limits: {max_statement_size: 1MB}",
          "f:10: limits.max_statement_size: '1MB': a size is expected, such as 64MiB (units: B, "
          "KiB, MiB, GiB)\n" },
        { "limits: {max_statement_size: 1}",
          "f:10: limits.max_statement_size: '1': out of range, which is 1KiB to 1GiB\n" },
        { "allow_create_table: maybe",
          "f:10: allow_create_table: 'maybe': true or false is expected\n" },
        { "log: {level: eror}", "f:10: log.level: 'eror': error, warning, info or debug is "
                                "expected (did you mean error?)\n" },
        { "log: {format: xml}", "f:10: log.format: 'xml': text or json is expected\n" },
        { "enforcement: obsrve", "f:10: enforcement: 'obsrve': enforce, observe or warn is "
                                 "expected (did you mean observe?)\n" },
        { "enforcement: observe",
          "f:10: enforcement: observe and warn need exactly one shard, `-`, with the legacy "
          "schema\n" },
        { "backend: vites", "f:10: backend: 'vites': mysql or vitess is expected (did you mean "
                            "vitess?)\n" },
        { "vitess: {gates: ['h:1']}", "f:10: vitess: is read with `backend: vitess` only\n" },
        { "server_version: five", "f:10: server_version: 'five': a version begins with a digit and "
                                  "has at most 60 bytes\n" },
        { "server_version: \"8\\a\"",
          "f:10: server_version: control characters are not allowed\n" },
        { "partition_keys: qualifed", "f:10: partition_keys: 'qualifed': plain or qualified is "
                                      "expected (did you mean qualified?)\n" },
        { "partition_key_separator: '::'",
          "f:10: partition_key_separator: '::': one punctuation character of ASCII is expected, no "
          "quote\n" },
        { "partition_key_separator: \"'\"",
          "f:10: partition_key_separator: ''': one punctuation character of ASCII is expected, no "
          "quote\n" },
        { "partition_key_separator: x",
          "f:10: partition_key_separator: 'x': one punctuation character of ASCII is expected, no "
          "quote\n" },
        { "default_tenant: c", "f:10: default_tenant: 'c' is not among the tenants (did you mean "
                               "a?)\n" },
        { "default_tenant: monorepo",
          "f:10: default_tenant: 'monorepo' is not among the tenants\n" },
        { "tenants_file: t", "f:10: tenants_file: give either tenants or tenants_file, not both\n"
                             "f:10: tenants_file: etc/t cannot be opened: No such file or "
                             "directory\n" },
        { "shutdown: {drain_min: 31s}",
          "f:10: shutdown.drain_min: is longer than shutdown.drain_max\n" },
        { "tenant_vindex: {}", "f:10: tenant_vindex: needs an address or a socket\n"
                               "f:10: tenant_vindex.user: missing\n"
                               "f:10: tenant_vindex.database: missing\n"
                               "f:10: tenant_vindex.password: missing\n" },
        { "tenant_vindex: {address: h:1, socket: /s, user: u, database: d, password: p}",
          "f:10: tenant_vindex.socket: give either address or socket, not both\n" },
        { "unsharded: {}", "f:10: unsharded: needs an address or a socket\n"
                           "f:10: unsharded.name: missing\n" },
        { "unsharded: {name: queue, address: h:1}",
          "f:10: unsharded.name: queue is the sharded keyspace's name, or an alias of it\n" },
        { "unsharded: {name: o, address: h:1, max_connections: 0}",
          "f:10: unsharded.max_connections: '0': out of range, which is 1 to 65535\n" },
        { "queue_tables: {t: {}}", "f:10: queue_tables.t.columns: missing\n" },
        { "queue_tables: {t: {columns: [{name: a}]}}",
          "f:10: queue_tables.t.columns[0].definition: missing\n" },
        { "queue_tables: {t: {columns: []}}",
          "f:10: queue_tables.t.columns: a list of columns is expected\n" },
        { "queue_tables: {t: {columns: [{name: Tenant, definition: INT}]}}",
          "f:10: queue_tables.t: the legacy table has no column tenant; mqgate adds it\n" },
        { "queue_tables: {t: {columns: [{name: a, definition: INT}, {name: A, definition: INT}]}}",
          "f:10: queue_tables.t: the column A is listed twice\n" },
        { "queue_tables: {t: {columns: [{name: a, definition: INT}], primary_key: [b]}}",
          "f:10: queue_tables.t: primary_key names b, which is no column\n" },
        { "queue_tables: {\"a b\": {columns: [{name: a, definition: INT}]}}",
          "f:10: queue_tables.a b: a name consists of letters, digits, _, $ and -\n" },
        { "tenants: [c]", "f:10: tenants: given twice (first on line 7)\n" },
        { "pool: {idle_timeout: 5s, idle_timeout: 6s}",
          "f:10: pool.idle_timeout: given twice (first on line 10)\n" },
        { "pool: *x", "f:10: aliases (*x) are not served; write the value again\n" },
        { "workers: \"1\\0\"", "f:10: a NUL byte in a value\n" },
        { "[a]: 1", "f:10: a name must be plain text, not a list or a map\n"
                    "f:10: : unknown setting\n" },
        { "---", "f:10: a second document; one file holds one\n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s\n", minimal, cases[i].line);
        refuse_with(cases[i].line, text, NULL, NULL, cases[i].want);
    }
}

/* What goes unchanged to one server needs one that understands it. */
static void observing_needs_one_server(void **state)
{
    (void)state;
    static const struct {
        const char *shards, *more, *want;
    } cases[] = {
        { "{'-': 'h:1'}", "enforcement: observe", NULL },
        { "{'-': {address: 'h:1', database: q}}", "enforcement: warn", NULL },
        { "{'-': {address: 'h:1', database: d}}", "enforcement: warn",
          "f:4: enforcement: observe and warn change no names, so the shard's database has to be q\n" },
        { "{-80: 'h:1', 80-: 'h:2'}", "enforcement: warn",
          "f:4: enforcement: observe and warn need exactly one shard, `-`, with the legacy schema\n" },
        { "{'-': 'h:1'}",
          "enforcement: observe\ntenant_vindex: {address: 'h:2', user: u, database: d, password: p}",
          "f:4: enforcement: observe and warn do without the section tenant_vindex\n" },
        { "{'-': 'h:1'}", "enforcement: observe\nunsharded: {name: o, address: 'h:2'}",
          "f:4: enforcement: observe and warn send everything to one server: leave out the section "
          "unsharded\n" },
        { "{-80: 'h:1', 80-: 'h:2'}", "enforcement: enforce", NULL },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "keyspace: {name: q, shards: %s}\ntenants: [a]\naccounts: {app: {password: s}}\n%s\n",
                 cases[i].shards, cases[i].more);
        if (cases[i].want) {
            refuse_with(cases[i].more, text, NULL, NULL, cases[i].want);
            continue;
        }
        struct diagnostics d;
        struct config *c = parse(text, NULL, NULL, &d);
        assert_non_null(c);
        config_destroy(c);
        diagnostics_fini(&d);
    }
}

/* The minimal file with one of its parts replaced. */
static void faulty_parts(void **state)
{
    static const struct {
        const char *why, *listen, *keyspace, *tenants, *accounts, *want;
    } cases[] = {
        { "no host", ":1", NULL, NULL, NULL,
          "f:1: listen: ':1': the host is missing; 0.0.0.0 stands for all interfaces\n" },
        { "no listener", "[]", NULL, NULL, NULL, "f:1: listen: at least one listener is needed\n" },
        { "no address", "[{name: x}]", NULL, NULL, NULL,
          "f:1: listen[0]: needs an address or a socket\n" },
        { "twice the same", "['h:1', 'h:1']", NULL, NULL, NULL,
          "f:1: listen[1]: the same address as listen[0]\n" },
        { "one name", "[{address: 'h:1', name: n}, {address: 'h:2', name: n}]", NULL, NULL, NULL,
          "f:1: listen[1]: the same name as listen[0]\n" },
        { "unknown bound tenant", "{address: 'h:1', tenants: [a, q]}", NULL, NULL, NULL,
          "f:1: listen[0].tenants: 'q' is not among the tenants (did you mean a?)\n" },
        { "bound to none", "{address: 'h:1', tenants: []}", NULL, NULL, NULL,
          "f:1: listen.tenants: an empty list would leave no tenant; leave the setting out to bind "
          "to none in particular\n" },
        { "no keyspace", NULL, "", NULL, NULL,
          "f:2: keyspace.name: missing\nf:2: keyspace.shards: missing\n" },
        { "keyspace of the wrong kind", NULL, "queue", NULL, NULL,
          "f:2: keyspace: a map of settings is expected\n" },
        { "bad database", NULL, "{name: 'a@b', shards: {'-': 'h:1'}}", NULL, NULL,
          "f:2: keyspace.name: 'a@b': a name consists of letters, digits, _, $ and -\n" },
        { "alias of itself", NULL, "{name: a, aliases: a, shards: {'-': 'h:1'}}", NULL, NULL,
          "f:2: keyspace.aliases: a is the keyspace's own name\n" },
        { "no shards", NULL, "{name: a, shards: {}}", NULL, NULL,
          "f:2: keyspace.shards: at least one shard is needed\n" },
        { "shards in a list", NULL, "{name: a, shards: ['h:1']}", NULL, NULL,
          "f:2: keyspace.shards: a map by name is expected\n" },
        { "shard without address", NULL, "{name: a, shards: {'-': {database: d}}}", NULL, NULL,
          "f:2: keyspace.shards.-: needs an address or a socket\n" },
        { "misspelt address", NULL, "{name: a, shards: {'-': {adress: 'h:1'}}}", NULL, NULL,
          "f:2: keyspace.shards.-.adress: unknown setting (did you mean address?)\n"
          "f:2: keyspace.shards.-: needs an address or a socket\n" },
        { "odd digits", NULL, "{name: a, shards: {'-8': 'h:1'}}", NULL, NULL,
          "f:2: keyspace.shards.-8: a shard is named by its key range, such as -80, 80- or 40-80 "
          "(pairs of hex digits)\n" },
        { "one range twice", NULL, "{name: a, shards: {C0-: 'h:1', c0-: 'h:2'}}", NULL, NULL,
          "f:2: keyspace.shards.c0-: two shards have this name\n" },
        { "two shards in one database", NULL, "{name: a, shards: {-80: 'h:1', 80-: 'h:1'}}", NULL,
          NULL, "f:2: keyspace.shards.80-: the same server and database as shard -80\n" },
        { "no tenants", NULL, NULL, "[]", NULL,
          "f:3: tenants: The list of tenants is empty. List tenants in MQ_TENANTS, in `tenants:`, "
          "in a tenants_file, or set `tenants: table`.\n" },
        { "tenants of null", NULL, NULL, "", NULL,
          "f:3: tenants: The list of tenants is empty. List tenants in MQ_TENANTS, in `tenants:`, "
          "in a tenants_file, or set `tenants: table`.\n" },
        { "tenants in a map", NULL, NULL, "{a: b}", NULL,
          "f:3: tenants: a list is expected\n"
          "f:3: tenants: The list of tenants is empty. List tenants in MQ_TENANTS, in `tenants:`, "
          "in a tenants_file, or set `tenants: table`.\n" },
        { "bad tenant", NULL, NULL, "['a|b', \"\\u00e4\"]", NULL,
          "f:3: tenants: 'a|b': a tenant is printable ASCII without comma, quotes, backslash or |; "
          "byte 2 is not\n"
          "f:3: tenants: '\u00e4': a tenant is printable ASCII without comma, quotes, backslash "
          "or |; byte 1 is not\n" },
        { "list in a list", NULL, NULL, "[a, [b]]", NULL,
          "f:3: tenants: one value is expected, not a list or a map\n" },
        { "table without a table", NULL, NULL, "table", NULL,
          "f:3: tenants: `table` needs the section tenant_vindex\n" },
        { "no accounts", NULL, NULL, NULL, "{}",
          "f:4: accounts: at least one account is needed\n" },
        { "no password", NULL, NULL, NULL, "{app: }",
          "f:4: accounts.app: needs a password (password, password_file, password_env or "
          "password_hash)\n" },
        { "a password alone", NULL, NULL, NULL, "{app: secret}",
          "f:4: accounts.app: a map of settings is expected\n" },
        { "two passwords", NULL, NULL, NULL, "{app: {password: a, password_env: PW}}",
          "f:4: accounts.app.password_env: give one of password, password_file and password_env, "
          "not several\n" },
        { "variable not set", NULL, NULL, NULL, "{app: {password_env: NOPE}}",
          "f:4: accounts.app.password_env: 'NOPE': this environment variable is not set\n" },
        { "no such file", NULL, NULL, NULL, "{app: {password_file: nope}}",
          "f:4: accounts.app.password_file: etc/nope cannot be opened: No such file or "
          "directory\n" },
        { "not a file", NULL, NULL, NULL, "{app: {password_file: /dev/zero}}",
          "f:4: accounts.app.password_file: /dev/zero is not a regular file\n" },
        { "bad hash", NULL, NULL, NULL, "{app: {password_hash: x, backend: {password: y}}}",
          "f:4: accounts.app.password_hash: a hash reads \"*\" and 40 hex digits "
          "(mysql_native_password) or \"$A$005$\", salt and digest (caching_sha2_password)\n" },
        { "hash alone", NULL, NULL, NULL,
          "{app: {password_hash: '*6BB4837EB74329105EE4568DDA7DC67ED2CA2AD9'}}",
          "f:4: accounts.app.backend: a password for the shards is needed, since password_hash "
          "does not tell it\n" },
        { "unknown bound tenant of an account", NULL, NULL, NULL,
          "{app: {password: p, tenants: [nobody]}}",
          "f:4: accounts.app.tenants: 'nobody' is not among the tenants\n" },
        { "unknown listener of an account", NULL, NULL, NULL,
          "{app: {password: p, listeners: [main]}}",
          "f:4: accounts.app.listeners: no listener has the name main\n" },
        { "unknown database of an account", NULL, NULL, NULL,
          "{app: {password: p, databases: [other]}}",
          "f:4: accounts.app.databases: other is neither the keyspace q nor an alias of it\n" },
    };
    static const char *const environment[] = { "PW=x", NULL };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[1024];
        snprintf(text, sizeof text, "listen: %s\nkeyspace: %s\ntenants: %s\naccounts: %s\n",
                 cases[i].listen ? cases[i].listen : "127.0.0.1:3307",
                 cases[i].keyspace ? cases[i].keyspace : "{name: q, shards: {'-': 'h:1'}}",
                 cases[i].tenants ? cases[i].tenants : "[a, b]",
                 cases[i].accounts ? cases[i].accounts : "{app: {password: p}}");
        refuse_with(cases[i].why, text, environment, NULL, cases[i].want);
    }
}

static void texts_that_are_no_configuration(void **state)
{
    static const char empty[] = "f: keyspace.name: missing\nf: accounts: missing\n"
                                "f: keyspace.shards: missing\n"
                                "f: tenants: The list of tenants is empty. List tenants in "
                                "MQ_TENANTS, in `tenants:`, in a tenants_file, or set `tenants: "
                                "table`.\n";
    static const struct {
        const char *why, *text, *want;
    } cases[] = {
        { "empty", "", empty },
        { "only a comment", "# nothing\n", empty },
        { "a list", "- a\n", "f:1: a map of settings is expected, such as `listen: …`\n" },
        { "a text", "hello", "f:1: a map of settings is expected, such as `listen: …`\n" },
        { "an open list", "a: [1\nb: 2",
          "f:2: not valid YAML: did not find expected ',' or ']' while parsing a flow sequence\n" },
        { "a tab", "a:\n\tb: 1\n",
          "f:2: not valid YAML: found character that cannot start any token while scanning for the "
          "next token\n" },
        { "no UTF-8", "a: \xff\n", "f:1: not valid YAML: invalid leading UTF-8 octet\n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        refuse_with(cases[i].why, cases[i].text, NULL, NULL, cases[i].want);
}

static void deep_nesting_ends(void **state)
{
    struct buf text;
    (void)state;
    buf_init(&text);
    for (int i = 0; i < 10000; i++)
        buf_append_cstr(&text, "[");
    refuse_with("lists", buf_cstr(&text), NULL, NULL, "f:1: nested too deeply\n");
    buf_fini(&text);
}

static void complaints_are_sorted_and_bounded(void **state)
{
    struct diagnostics d;
    struct buf text;
    (void)state;
    buf_init(&text);
    for (int i = 0; i < 1000; i++)
        buf_printf(&text, "x%d: 1\n", i);
    assert_null(parse(buf_cstr(&text), NULL, NULL, &d));
    assert_int_equal(d.count, 201);
    for (size_t i = 1; i < d.count; i++)
        assert_true(d.items[i - 1].line <= d.items[i].line);
    diagnostics_fini(&d);
    buf_fini(&text);
}

static void environment_over_file(void **state)
{
    static const char *const environment[] = { "MQGATE_LOG_LEVEL=debug",
                                               "MQGATE_POOL_IDLE_TIMEOUT=5s",
                                               "MQGATE_LISTEN=h:9",
                                               "MQGATE_SERVICE_HOST=10.0.0.1",
                                               "MQGATE_PORT_3307_TCP=tcp://10.0.0.1:3307",
                                               "MQGATE_APP_SECRET=x",
                                               "PATH=/bin",
                                               NULL };
    struct config *c = accept_with(minimal, environment, NULL);
    (void)state;
    assert_int_equal(c->log.level, LOG_DEBUG);
    assert_int_equal(c->pool.idle_timeout_ms, 5000);
    assert_string_equal(c->listeners[0].name, "h:9");
    config_destroy(c);
}

static void flag_over_environment(void **state)
{
    static const char *const environment[] = { "MQGATE_LOG_LEVEL=debug", "MQ_TENANTS=e", NULL };
    static const char *const settings[] = { "log.level=error", "tenants=f, g",
                                            "keyspace.shards.-80=h:7", "accounts.new.password=p=q",
                                            NULL };
    struct config *c = accept_with(minimal, environment, settings);
    (void)state;
    assert_int_equal(c->log.level, LOG_ERROR);
    assert_int_equal(c->tenants.count, 2);
    assert_string_equal(c->tenants.items[1], "g");
    assert_int_equal(c->shards[0].address.port, 7);
    assert_string_equal(config_account(c, SLICE_LIT("new"))->password, "p=q");
    config_destroy(c);
}

static void faulty_overrides(void **state)
{
    static const struct {
        const char *why, *environment, *setting, *want;
    } cases[] = {
        { "value of a variable", "MQGATE_WORKERS=x", NULL,
          "f: workers: 'x': a whole number is expected (set by MQGATE_WORKERS)\n" },
        { "misspelt variable", "MQGATE_WORKER=1", NULL,
          "f: MQGATE_WORKER: unknown environment variable (did you mean MQGATE_WORKERS?)\n" },
        { "value of a flag", NULL, "workers=x",
          "f: workers: 'x': a whole number is expected (set by --set)\n" },
        { "misspelt path", NULL, "log.levle=debug",
          "f: log.levle: unknown setting (did you mean level?) (set by --set)\n" },
        { "no value", NULL, "log.level",
          "f: --set log.level: path=value is expected, such as log.level=debug\n" },
        { "no path", NULL, "=1", "f: --set =1: path=value is expected, such as log.level=debug\n" },
        { "into a list", NULL, "tenants.0=x",
          "f: tenants.0: tenants is not a map there; set the whole of it instead (set by "
          "--set)\n" },
        { "a group", NULL, "pool=1", "f: pool: a map of settings is expected (set by --set)\n" },
        { "empty list of tenants", "MQ_TENANTS= , ,", NULL,
          "f: tenants: The list of tenants is empty. List tenants in MQ_TENANTS, in `tenants:`, in "
          "a tenants_file, or set `tenants: table`. (set by MQ_TENANTS)\n" },
        { "bad tenant", "MQ_TENANTS=a'b", NULL,
          "f: tenants: 'a'b': a tenant is printable ASCII without comma, quotes, backslash or |; "
          "byte 2 is not (set by MQ_TENANTS)\n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *environment[] = { cases[i].environment, NULL };
        const char *settings[] = { cases[i].setting, NULL };
        refuse_with(cases[i].why, minimal, environment, settings, cases[i].want);
    }
}

static void observing_keeps_keys(void **state)
{
    static const char *const environment[] = { "MQ_TENANTS=a", NULL };
    static const char *const settings[] = { "partition_keys=qualified", "enforcement=observe", NULL };
    (void)state;
    refuse_with("observe", minimal, environment, settings,
                "f: enforcement: observe and warn need exactly one shard, `-`, with the legacy "
                "schema (set by --set)\n"
                "f: enforcement: observe and warn leave partition keys as they are: plain (set by "
                "--set)\n");
}

static void no_tenant_has_the_separator(void **state)
{
    static const char *const environment[] = { "MQ_TENANTS=a:b,c", NULL };
    static const char *const qualified[] = { "partition_keys=qualified",
                                             "partition_key_separator=:", NULL };
    (void)state;
    refuse_with("a listed tenant", minimal, environment, qualified,
                "f: partition_key_separator: the tenant a:b contains it (set by --set)\n");
    config_destroy(accept_with(minimal, environment, qualified + 1));
    config_destroy(accept_with(minimal, environment, NULL));
}

static void mq_tenants_is_authoritative(void **state)
{
    static const char *const environment[] = { "MQ_TENANTS= x , table,x,,y ", NULL };
    struct config *c = accept_with(minimal, environment, NULL);
    (void)state;
    assert_int_equal(c->tenants_mode, TENANTS_LIST);
    assert_int_equal(c->tenants.count, 3);
    assert_string_equal(c->tenants.items[0], "x");
    assert_string_equal(c->tenants.items[1], "table");
    assert_string_equal(c->tenants.items[2], "y");
    config_destroy(c);
}

static void all_tenants_of_the_table(void **state)
{
    struct config *c = accept("keyspace: {name: q, shards: {'-': 'h:1'}}\n"
                              "tenants: table\n"
                              "default_tenant: anyone\n"
                              "accounts: {a: {password: p, tenants: [someone]}}\n"
                              "tenant_vindex: {socket: /s, user: u, password: p, database: d}\n");
    (void)state;
    assert_int_equal(c->tenants_mode, TENANTS_TABLE);
    assert_int_equal(c->tenants.count, 0);
    config_destroy(c);
}

/* A file with this content in a folder of the test's own. */
static char folder[] = "/tmp/mqgate-config-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = { "secret", "tenants", "c.yaml" };
    char path[128];
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

static void write_file(const char *name, const char *content, size_t len)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(content, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

static struct config *load(struct diagnostics *d)
{
    static const char text[] = "keyspace: {name: q, shards: {'-': 'h:1'}}\n"
                               "tenants_file: tenants\n"
                               "accounts: {a: {password_file: secret}}\n";
    char path[128];
    write_file("c.yaml", text, strlen(text));
    snprintf(path, sizeof path, "%s/c.yaml", folder);
    diagnostics_init(d);
    return config_load(path, NULL, d);
}

static void files_beside_the_file(void **state)
{
    struct diagnostics d;
    (void)state;
    write_file("secret", "pass word\n\n", 11);
    write_file("tenants", "# ours\na\r\n\n b \na", 16);
    struct config *c = load(&d);
    assert_int_equal(d.count, 0);
    assert_string_equal(c->accounts[0].password, "pass word\n");
    assert_int_equal(c->tenants.count, 2);
    assert_string_equal(c->tenants.items[0], "a");
    assert_string_equal(c->tenants.items[1], "b");
    config_destroy(c);
    diagnostics_fini(&d);
}

static void faulty_files(void **state)
{
    struct diagnostics d;
    (void)state;
    write_file("secret", "a\0b", 3);
    write_file("tenants", "good\nb,ad\n", 10);
    assert_null(load(&d));
    assert_int_equal(d.count, 2);
    assert_int_equal(d.items[0].line, 2);
    assert_non_null(strstr(d.items[0].text, "/tenants:2: 'b,ad': a tenant is printable"));
    assert_non_null(strstr(d.items[1].text, "the password contains a NUL byte"));
    diagnostics_fini(&d);

    char *large = mem_zalloc(5000);
    memset(large, 'x', 4999);
    write_file("secret", large, 4999);
    mem_free(large);
    write_file("tenants", "", 0);
    assert_null(load(&d));
    assert_int_equal(d.count, 2);
    assert_non_null(strstr(d.items[0].text, "The list of tenants is empty"));
    assert_non_null(strstr(d.items[1].text, "is larger than 4096 bytes"));
    diagnostics_fini(&d);
}

static void a_file_that_is_not_there(void **state)
{
    struct diagnostics d;
    (void)state;
    diagnostics_init(&d);
    assert_null(config_load("/nonexistent/mqgate.yaml", NULL, &d));
    assert_int_equal(d.count, 1);
    assert_string_equal(d.items[0].text, "cannot be opened: No such file or directory");
    diagnostics_fini(&d);
}

static void secrets_stay_out_of_complaints(void **state)
{
    struct diagnostics d;
    struct buf got;
    (void)state;
    assert_null(parse("accounts: {a: {password: hunter2, password_env: P, password_hash: hunter2}}",
                      (const char *const[]){ "P=hunter2", NULL },
                      (const char *const[]){ "accounts.b.password_hash=hunter2", NULL }, &d));
    buf_init(&got);
    diagnostics_print(&d, "f", &got);
    assert_null(strstr(buf_cstr(&got), "hunter2"));
    buf_fini(&got);
    diagnostics_fini(&d);
}

static void tenant_names(void **state)
{
    char name[257];
    static const struct {
        const char *name;
        bool ok;
    } cases[] = {
        { "monorepo/main", true },
        { "a", true },
        { "a b", true },
        { "#%&()*+-./:;<=>?@[]^_{}~!$", true },
        { "", false },
        { " a", false },
        { "a ", false },
        { "a,b", false },
        { "a'b", false },
        { "a\"b", false },
        { "a\\b", false },
        { "a|b", false },
        { "a\tb", false },
        { "a\x7f", false },
        { "\xc3\xa4", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err;
        enum err_code code = tenant_check(slice_cstr(cases[i].name), &err);
        if (code != (cases[i].ok ? MQ_OK : MQ_TENANT_INVALID))
            fail_msg("'%s'", cases[i].name);
    }
    memset(name, 'x', sizeof name);
    assert_int_equal(tenant_check(slice_of(name, 255), NULL), MQ_OK);
    assert_int_equal(tenant_check(slice_of(name, 256), NULL), MQ_TENANT_INVALID);
    assert_int_equal(tenant_check(slice_of("a\0b", 3), NULL), MQ_TENANT_INVALID);
}

static void many_tenants(void **state)
{
    struct string_list list = { 0 };
    (void)state;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 100000; i++) {
            char name[32];
            snprintf(name, sizeof name, "t%d", i);
            string_list_add(&list, slice_cstr(name));
        }
    }
    string_list_unique(&list);
    assert_int_equal(list.count, 100000);
    assert_string_equal(list.items[99999], "t99999");
    const char **sorted = string_list_sorted(&list);
    assert_true(string_sorted_has(sorted, list.count, "t777"));
    assert_false(string_sorted_has(sorted, list.count, "u"));
    mem_free(sorted);
    string_list_fini(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_minimal_file_is_enough),
        cmocka_unit_test(defaults),
        cmocka_unit_test(every_setting_arrives),
        cmocka_unit_test(faulty_settings),
        cmocka_unit_test(observing_needs_one_server),
        cmocka_unit_test(faulty_parts),
        cmocka_unit_test(texts_that_are_no_configuration),
        cmocka_unit_test(deep_nesting_ends),
        cmocka_unit_test(complaints_are_sorted_and_bounded),
        cmocka_unit_test(environment_over_file),
        cmocka_unit_test(flag_over_environment),
        cmocka_unit_test(faulty_overrides),
        cmocka_unit_test(no_tenant_has_the_separator),
        cmocka_unit_test(observing_keeps_keys),
        cmocka_unit_test(no_tenant_has_the_separator),
        cmocka_unit_test(observing_keeps_keys),
        cmocka_unit_test(mq_tenants_is_authoritative),
        cmocka_unit_test(all_tenants_of_the_table),
        cmocka_unit_test(files_beside_the_file),
        cmocka_unit_test(faulty_files),
        cmocka_unit_test(a_file_that_is_not_there),
        cmocka_unit_test(secrets_stay_out_of_complaints),
        cmocka_unit_test(tenant_names),
        cmocka_unit_test(many_tenants),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
