/* What comes before the protocol: PROXY headers, and TLS that is asked for or missing. */
#include "tests/unit/proxy/gate_test.h"

#define YAML                                                   \
    "keyspace: {name: mq, shards: {\"-\": \"127.0.0.1:1\"}}\n" \
    "accounts: {app: {password: secret}}\n"                    \
    "tenants: [acme]\n"                                        \
    "listen: {address: \"127.0.0.1:3307\", proxy_protocol: [10.0.0.0/8, \"fd00::/8\"]}\n"

#define V2_LOCAL "\r\n\r\n\0\r\nQUIT\n\x20\0\0\0"

static int open_behind_balancer(void **state)
{
    open_gate(state);
    assert_true(ip_parse(SLICE_LIT("10.1.2.3"), &gate.arrival.address));
    return 0;
}

static void a_header_comes_before_the_greeting(void **state)
{
    static const struct slice headers[] = {
        SLICE_LIT("PROXY TCP4 192.0.2.1 192.0.2.2 1000 3307\r\n"),
        SLICE_LIT("PROXY UNKNOWN\r\n"),
        SLICE_LIT(V2_LOCAL),
    };
    (void)state;
    for (size_t i = 0; i < COUNT(headers); i++) {
        struct peer *p = client_connect(&gate);
        for (size_t at = 0; at < headers[i].len; at++) {
            expect_nothing(p);
            peer_send(p, headers[i].data + at, 1);
            gate_run(&gate);
        }
        assert_true(client_login(&gate, p, "app", "mq", GATE_CLIENT));
    }
}

static void who_has_to_send_one_and_does_not_is_closed(void **state)
{
    (void)state;
    struct peer *p = client_connect(&gate);
    peer_send(p, "\x20\0\0\1", 4);
    gate_run(&gate);
    expect_nothing(p);
    assert_true(p->closed);
    p = client_connect(&gate);
    peer_send(p, "PROXY TCP4 ", 11);
    gate_run(&gate);
    assert_false(p->closed);
    gate_pass_time(&gate, 20000);
    assert_true(p->closed);
}

static void from_elsewhere_the_greeting_comes_at_once(void **state)
{
    static const char *const addresses[] = { "11.1.2.3", "::1", "fe00::1" };
    (void)state;
    for (size_t i = 0; i < COUNT(addresses); i++) {
        assert_true(ip_parse(slice_cstr(addresses[i]), &gate.arrival.address));
        assert_true(client_login(&gate, client_connect(&gate), "app", "mq", GATE_CLIENT));
        struct peer *p = client_connect(&gate);
        expect_packet(p, 0);
        struct slice header = SLICE_LIT("PROXY TCP4 192.0.2.1 192.0.2.2 1000 3307\r\n");
        peer_send(p, header.data, header.len);
        gate_run(&gate);
        struct packet packet;
        struct err_packet e;
        assert_true(peer_packet(p, &packet) && err_parse(packet.payload, &e));
        assert_int_equal(e.code, 1835);
        assert_true(p->closed);
    }
}

static void tls_that_is_not_offered_is_refused(void **state)
{
    (void)state;
    struct packet packet;
    struct greeting g;
    gate.arrival.address.size = 0;
    struct peer *p = client_connect(&gate);
    assert_true(peer_packet(p, &packet));
    assert_int_equal(greeting_parse(packet.payload, &g, NULL), MQ_OK);
    assert_false(g.capabilities & CAP_SSL);
    struct login login = { .capabilities = GATE_CLIENT | CAP_SSL, .charset = 45 };
    struct buf request;
    buf_init(&request);
    ssl_request_write(&request, &login);
    peer_send_packet(p, 1, buf_slice(&request));
    buf_fini(&request);
    gate_run(&gate);
    expect_err(p, 2, 1835, "MQ4003: the login packet is cut short");
    assert_true(p->closed);
}

static void a_shard_without_tls_is_refused_where_it_is_required(void **state)
{
    static const struct {
        const char *mode;
        bool served;
    } rows[] = { { "disabled", true }, { "preferred", true }, { "required", false } };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml,
                 "keyspace: {name: mq, shards: {\"-\": \"127.0.0.1:1\"}, tls: {mode: %s}}\n"
                 "accounts: {app: {password: secret}}\ntenants: [acme]\ndefault_tenant: acme\n",
                 rows[i].mode);
        reopen_gate(yaml);
        struct peer *p = login(&gate, "mq");
        client_query(&gate, p, "SELECT 1 FROM queue_messages WHERE topic = 'a'");
        if (rows[i].served)
            assert_non_null(gate_asked(&gate));
        else
            expect_err(p, 1, 1160, "MQ5007: shard -: the server does not offer TLS");
    }
}

/* What follows a greeting before the login could get into TLS from outside. */
static void a_shard_that_says_more_than_its_greeting_is_refused(void **state)
{
    (void)state;
    reopen_gate("keyspace: {name: mq, shards: {\"-\": \"127.0.0.1:1\"}}\n"
                "accounts: {app: {password: secret}}\ntenants: [acme]\n"
                "default_tenant: acme\npool: {idle_timeout: 1s}\n");
    struct peer *p = login(&gate, "mq");
    gate_pass_time(&gate, 5000);
    gate.by_hand = true;
    client_query(&gate, p, "SELECT 1 FROM queue_messages WHERE topic = 'a'");
    struct peer *shard = gate_shard(&gate, 0);
    assert_non_null(shard);
    shard_greet(&gate, shard);
    peer_send_packet(shard, 2, SLICE_LIT("\0\0\0\2\0\0\0"));
    gate_run(&gate);
    expect_err(p, 1, 1835, "MQ5004: shard -: more than a greeting");
}

#define TEST(function) GATE_TEST_WITH(function, open_behind_balancer, YAML)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_header_comes_before_the_greeting),
        TEST(who_has_to_send_one_and_does_not_is_closed),
        TEST(from_elsewhere_the_greeting_comes_at_once),
        TEST(tls_that_is_not_offered_is_refused),
        TEST(a_shard_without_tls_is_refused_where_it_is_required),
        TEST(a_shard_that_says_more_than_its_greeting_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
