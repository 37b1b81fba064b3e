/* Failed logins: what is counted, for how long answers wait, and that a session does. */
#include "tests/unit/proxy/gate_test.h"

#define APP SLICE_LIT("app")
#define HERE SLICE_LIT("10.0.0.1")
#define YAML                                                                                \
    "listen: [{name: one, address: \"127.0.0.1:3307\"}, {name: two, address: "              \
    "\"127.0.0.1:3308\"}]\n"                                                                \
    "keyspace: {name: mq, database: shard, shards: {\"-\": \"127.0.0.1:1\"}}\n"             \
    "accounts: {app: {password: secret}, elsewhere: {password: secret, listeners: [two]}, " \
    "here: {password: secret, listeners: [one, two]}}\n"                                    \
    "tenants: [acme]\n"

static uint32_t deny(struct login_guard *g, struct slice user, struct slice address, uint64_t now)
{
    return login_guard_note(g, user, address, false, now, 4000);
}

static void delays_grow_to_a_limit(void **state)
{
    (void)state;
    static const uint32_t want[] = { 0, 0, 0, 250, 500, 1000, 2000, 4000, 4000, 4000 };
    struct login_guard *g = login_guard_create();
    for (size_t i = 0; i < COUNT(want); i++)
        assert_int_equal(deny(g, APP, HERE, 1000 + i), want[i]);
    assert_int_equal(login_guard_note(g, APP, HERE, false, 2000, 0), 0);
    assert_int_equal(login_guard_note(g, APP, HERE, false, 2000, 60000), 60000);
    login_guard_destroy(g);
}

/* The answer to it waits as those before did. */
static void a_success_forgets(void **state)
{
    (void)state;
    struct login_guard *g = login_guard_create();
    assert_int_equal(login_guard_note(g, APP, HERE, true, 1000, 4000), 0);
    for (int i = 0; i < 5; i++)
        deny(g, APP, HERE, 1000);
    assert_int_equal(login_guard_note(g, APP, HERE, true, 1000, 4000), 500);
    assert_int_equal(login_guard_note(g, APP, HERE, true, 1000, 4000), 0);
    assert_int_equal(deny(g, APP, HERE, 1000), 0);
    login_guard_destroy(g);
}

static void pairs_are_told_apart(void **state)
{
    (void)state;
    struct login_guard *g = login_guard_create();
    for (int i = 0; i < 5; i++)
        deny(g, APP, HERE, 1000);
    assert_int_equal(deny(g, APP, SLICE_LIT("10.0.0.2"), 1000), 0);
    assert_int_equal(deny(g, SLICE_LIT("other"), HERE, 1000), 0);
    assert_int_equal(deny(g, SLICE_LIT("app\0"), SLICE_LIT("10.0.0.1"), 1000), 0);
    assert_int_equal(deny(g, APP, HERE, 1000), 1000);
    login_guard_destroy(g);
}

static void time_forgets(void **state)
{
    (void)state;
    struct login_guard *g = login_guard_create();
    for (int i = 0; i < 5; i++)
        deny(g, APP, HERE, 1000);
    assert_int_equal(deny(g, APP, HERE, 1000 + 599999), 1000);
    assert_int_equal(deny(g, APP, HERE, 1000 + 599999 + 600000), 0);
    login_guard_destroy(g);
}

/* Workers look at the clock one after another, and note what they saw in any order. */
static void clocks_of_workers_differ(void **state)
{
    (void)state;
    struct login_guard *g = login_guard_create();
    for (int i = 0; i < 5; i++)
        deny(g, APP, HERE, 1000);
    assert_int_equal(deny(g, APP, HERE, 999), 1000);
    assert_int_equal(login_guard_note(g, APP, HERE, true, 998, 4000), 1000);
    login_guard_destroy(g);
}

/* Names that nobody has are remembered like others, up to a limit. */
static void the_table_is_bounded(void **state)
{
    (void)state;
    struct login_guard *g = login_guard_create();
    char name[16];
    for (int i = 0; i < 5; i++)
        deny(g, APP, HERE, 1000);
    for (int i = 0; i < 4095; i++) {
        snprintf(name, sizeof name, "n%d", i);
        deny(g, slice_cstr(name), HERE, 1000);
    }
    assert_int_equal(deny(g, APP, HERE, 1000), 1000); /* and is the latest now */
    deny(g, SLICE_LIT("one more"), HERE, 1000);
    assert_int_equal(deny(g, SLICE_LIT("n0"), HERE, 1000), 0);
    assert_int_equal(deny(g, APP, HERE, 1000), 2000);
    login_guard_destroy(g);
}

/* A name comes from anybody, and may be as long as a login's packet. */
static void long_names_are_cut(void **state)
{
    (void)state;
    struct login_guard *g = login_guard_create();
    char name[600];
    memset(name, 'n', sizeof name);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(deny(g, slice_of(name, 256 + 100 * i), HERE, 1000), i < 3 ? 0 : 250);
    assert_int_equal(deny(g, slice_of(name, 255), HERE, 1000), 0);
    login_guard_destroy(g);
}

/* ---- sessions ---- */

/* With a proof that does not fit; the answer has not been looked at. */
static struct peer *guess(const char *password)
{
    struct peer *p = client_connect(&gate);
    struct greeting greeting;
    uint8_t proof[32];
    struct buf reply;
    assert_int_equal(greeting_parse(expect_packet(p, 0), &greeting, NULL), MQ_OK);
    size_t len = auth_prove(AUTH_CACHING_SHA2, slice_cstr(password), greeting.nonce, proof);
    struct login login = { .capabilities = GATE_CLIENT,
                           .charset = 45,
                           .user = APP,
                           .auth = slice_of(proof, len),
                           .plugin = SLICE_LIT("caching_sha2_password") };
    buf_init(&reply);
    login_write(&reply, &login);
    peer_send_packet(p, 1, buf_slice(&reply));
    buf_fini(&reply);
    gate_run(&gate);
    return p;
}

static void a_session_waits_for_its_answer(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct peer *p = guess("wrong");
        expect_err(p, 2, 1045, "MQ4001: Access denied for user 'app'@'localhost'");
    }
    struct peer *gone = guess("wrong"), *wrong = guess("wrong"), *right = guess("secret");
    client_command(right, COM_PING, SLICE_LIT("")); /* sent ahead */
    peer_close(gone);
    gate_run(&gate);
    expect_nothing(wrong);
    expect_nothing(right);
    gate_pass_time(&gate, 400);
    expect_nothing(wrong);
    expect_nothing(right); /* nor does the byte that says yes come early */
    gate_pass_time(&gate, 100);
    expect_err(wrong, 2, 1045, "MQ4001");
    assert_true(wrong->closed);
    assert_slice(expect_packet(right, 2), SLICE_LIT("\1\3"), "fast");
    expect_packet(right, 3);
    expect_ok(right);
    assert_int_equal(atomic_load(&gate.fleet.logins), 1);
    assert_int_equal(atomic_load(&gate.fleet.logins_denied), 5);
    assert_int_equal(atomic_load(&gate.fleet.logins_slowed), 3);
    expect_err(guess("wrong"), 2, 1045, "MQ4001");
}

/* A wrong listener is a wrong password to who asks. */
static void accounts_of_some_listeners(void **state)
{
    (void)state;
    struct peer *p = client_connect(&gate);
    assert_false(client_login(&gate, p, "elsewhere", NULL, GATE_CLIENT));
    assert_true(p->closed);
    p = client_connect(&gate);
    assert_true(client_login(&gate, p, "here", NULL, GATE_CLIENT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delays_grow_to_a_limit),
        cmocka_unit_test(a_success_forgets),
        cmocka_unit_test(pairs_are_told_apart),
        cmocka_unit_test(time_forgets),
        cmocka_unit_test(clocks_of_workers_differ),
        cmocka_unit_test(the_table_is_bounded),
        cmocka_unit_test(long_names_are_cut),
        GATE_TEST(a_session_waits_for_its_answer, YAML),
        GATE_TEST(accounts_of_some_listeners, YAML),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
