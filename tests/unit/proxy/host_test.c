#define _DEFAULT_SOURCE
/* Names and what they stand for: which address is tried when, and the thread that asks again. */
#include "tests/unit/proxy/proxy_test.h"

#include "proxy/resolver.h"

#include <time.h>

static struct address numeric = { .host = "127.0.0.1", .port = 4001 };
static struct address ipv6 = { .host = "::1", .port = 4002 };
static struct address unknown = { .host = "no-such-host.invalid", .port = 4003 };
static struct address path = { .socket = "/run/server.sock" };

static struct sockaddr_storage expect_address(struct host *h, uint32_t attempt)
{
    struct sockaddr_storage found;
    socklen_t len;
    assert_true(host_address(h, attempt, &found, &len));
    return found;
}

static void expect_none(struct host *h, uint32_t attempt)
{
    struct sockaddr_storage found;
    socklen_t len;
    assert_false(host_address(h, attempt, &found, &len));
}

static void kinds_of_addresses(void **state)
{
    (void)state;
    static const struct {
        struct address *address;
        int family; /* 0: none */
    } cases[] = { { &numeric, AF_INET }, { &ipv6, AF_INET6 }, { &path, AF_UNIX }, { &unknown, 0 } };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct host h;
        host_init(&h, cases[i].address);
        if (cases[i].family)
            assert_int_equal(expect_address(&h, 0).ss_family, cases[i].family);
        expect_none(&h, cases[i].family != 0);
        host_fini(&h);
    }
}

static struct sockaddr_storage given(uint32_t i)
{
    return (struct sockaddr_storage){ .ss_family = (sa_family_t)(100 + i) };
}

/* A host with several addresses, told apart by their family field. */
static void give_addresses(struct host *h, uint32_t count)
{
    h->count = count;
    for (uint32_t i = 0; i < count; i++) {
        h->found[i] = given(i);
        h->lens[i] = sizeof h->found[i];
    }
}

static void expect_order(struct host *h, const char *order)
{
    for (uint32_t i = 0; order[i]; i++)
        assert_int_equal(expect_address(h, i).ss_family, 100 + order[i] - '0');
    expect_none(h, (uint32_t)strlen(order));
}

static void reach(struct host *h, uint32_t i)
{
    struct sockaddr_storage address = given(i);
    host_reached(h, &address);
}

static void hang(struct host *h, uint32_t i)
{
    struct sockaddr_storage address = given(i);
    host_silent(h, &address);
}

static void the_order_of_attempts(void **state)
{
    (void)state;
    struct host h;
    host_init(&h, &path);
    give_addresses(&h, 3);
    expect_order(&h, "012");
    reach(&h, 0);
    expect_order(&h, "012");
    reach(&h, 2); /* begins with what answered */
    expect_order(&h, "201");
    reach(&h, 2); /* several connections find out the same */
    expect_order(&h, "201");
    hang(&h, 2); /* not with what let a connection hang */
    expect_order(&h, "012");
    hang(&h, 1);
    hang(&h, 1);
    expect_order(&h, "201");
    reach(&h, 7); /* the host's no more */
    expect_order(&h, "201");
    host_fini(&h);
}

/* What resolves no more is kept as it was. */
static void the_good_one_is_kept(void **state)
{
    (void)state;
    struct host h;
    host_init(&h, &numeric);
    struct sockaddr_storage before = expect_address(&h, 0);
    host_resolve(&h);
    struct sockaddr_storage after = expect_address(&h, 0);
    assert_memory_equal(&before, &after, sizeof(struct sockaddr_in));
    h.address = &unknown;
    host_resolve(&h);
    assert_int_equal(expect_address(&h, 0).ss_family, AF_INET);
    host_fini(&h);
}

static bool is_asked(struct host *h)
{
    pthread_mutex_lock(&h->lock);
    bool asked = h->asked;
    pthread_mutex_unlock(&h->lock);
    return asked;
}

static void asked_again(void **state)
{
    (void)state;
    struct deployment *d = gate_deployment(gate_topology(GATE_YAML));
    struct resolver *r = resolver_start();
    struct host *h = &d->endpoints[0].hosts[0];
    assert_non_null(r);
    pthread_mutex_lock(&h->lock);
    h->count = 0;
    pthread_mutex_unlock(&h->lock);
    resolver_ask(r, d, h);
    for (int i = 0; i < 2000 && is_asked(h); i++)
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    assert_int_equal(expect_address(h, 0).ss_family, AF_INET);
    resolver_ask(r, d, h); /* may be left unanswered */
    resolver_stop(r);
    resolver_ask(NULL, d, h);
    deployment_release(d);
}

int main(void)
{
    log_configure(LOG_ERROR, LOG_TEXT);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_addresses),
        cmocka_unit_test(the_order_of_attempts),
        cmocka_unit_test(the_good_one_is_kept),
        cmocka_unit_test(asked_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
