/* COM_CHANGE_USER: a login in the middle of a session, which leaves nothing of what was before. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "tests/unit/proxy/certificate.h"
#include "tests/unit/proxy/gate_test.h"

/* SHA1(SHA1("secret")) */
#define NATIVE_HASH "*14E65567ABDB5135D0CFD9A70B3032C179A49EE7"
#define YAML                                                                          \
    "keyspace: {name: mq, aliases: [queue], database: shard, shards: "                \
    "{\"-80\": \"127.0.0.1:1\", \"80-\": \"127.0.0.1:2\"}}\n"                         \
    "accounts: {app: {password: secret}, bound: {password: secret, tenants: [acme]}," \
    " old: {password_hash: \"" NATIVE_HASH "\", backend: {password: x}},"             \
    " open: {password: \"\"}}\n"                                                      \
    "tenants: [acme, globex]\n"

/* What a client asks for. */
struct change {
    const char *user, *password;   /* NULL: "secret" */
    const char *database, *tenant; /* NULL: none */
    uint16_t charset;
    const char *plugin; /* NULL: caching_sha2_password */
};

#define CHANGE_TO(...) (&(struct change){ __VA_ARGS__ })

static void write_attributes(struct buf *b, const char *tenant)
{
    struct buf pairs;
    buf_init(&pairs);
    write_lenenc_slice(&pairs, SLICE_LIT("tenant"));
    write_lenenc_slice(&pairs, slice_cstr(tenant));
    write_lenenc_slice(b, buf_slice(&pairs));
    buf_fini(&pairs);
}

/* The proof in it belongs to no nonce. */
static void write_change(struct buf *b, const struct change *c)
{
    buf_append_cstr(b, c->user);
    buf_append(b,
               "\0\x14"
               "12345678901234567890",
               22);
    buf_append_cstr(b, c->database ? c->database : "");
    write_u8(b, 0);
    write_u16(b, c->charset);
    buf_append_cstr(b, c->plugin ? c->plugin : "caching_sha2_password");
    write_u8(b, 0);
    if (c->tenant)
        write_attributes(b, c->tenant);
}

static void ask(struct peer *p, const struct change *c)
{
    struct buf body;
    buf_init(&body);
    write_change(&body, c);
    client_command(p, COM_CHANGE_USER, buf_slice(&body));
    buf_fini(&body);
    gate_run(&gate);
}

/* The switch that has to come; returns the plug-in that it names. */
static enum auth_plugin expect_switch(struct peer *p, uint8_t nonce[NONCE_SIZE])
{
    struct slice payload = expect_packet(p, 1);
    struct reader r = reader_of(payload.data, payload.len);
    assert_int_equal(read_u8(&r), 0xfe);
    enum auth_plugin plugin = auth_plugin_of(read_cstr(&r));
    struct slice bytes = read_bytes(&r, NONCE_SIZE);
    assert_false(r.bad);
    assert_null(memchr(bytes.data, 0, NONCE_SIZE));
    memcpy(nonce, bytes.data, NONCE_SIZE);
    assert_slice(read_rest(&r), SLICE_LIT("\0"), "what ends the nonce");
    return plugin;
}

static void prove(struct peer *p, const char *password, uint8_t seq)
{
    uint8_t nonce[NONCE_SIZE], proof[32];
    enum auth_plugin plugin = expect_switch(p, nonce);
    size_t len = auth_prove(plugin, slice_cstr(password), nonce, proof);
    peer_send_packet(p, seq, slice_of(proof, len));
    gate_run(&gate);
}

/* The whole exchange; what comes last is to be looked at, and has the number returned. */
static uint8_t change(struct peer *p, const struct change *c)
{
    ask(p, c);
    prove(p, c->password ? c->password : "secret", 2);
    if (buf_len(&p->in) && buf_begin(&p->in)[PACKET_HEADER] == 1) {
        assert_slice(expect_packet(p, 3), SLICE_LIT("\1\3"), "fast");
        return 4;
    }
    return 3;
}

static void changed(struct peer *p, const struct change *c)
{
    struct ok_packet ok;
    assert_true(ok_parse(expect_packet(p, change(p, c)), GATE_CLIENT, &ok));
    assert_int_equal(ok.status, STATUS_AUTOCOMMIT);
    expect_nothing(p);
}

static void refused(struct peer *p, const struct change *c, uint16_t code, const char *message)
{
    expect_err(p, change(p, c), code, message);
    assert_true(p->closed);
}

/* The answer to a statement that asks mqgate itself. */
static void expect_text(struct peer *p, const char *statement, const char *want)
{
    client_query(&gate, p, statement);
    expect_packet(p, 1);
    expect_packet(p, 2);
    struct slice row = expect_packet(p, 3);
    struct reader r = reader_of(row.data, row.len);
    if (want)
        assert_slice(read_lenenc_slice(&r), slice_cstr(want), statement);
    else
        assert_slice(row, SLICE_LIT("\xfb"), statement);
    expect_packet(p, 4);
}

static void another_account(void **state)
{
    (void)state;
    static const char *const plugins[] = { "caching_sha2_password", "mysql_native_password",
                                           "client_ed25519", "" };
    struct peer *p = login(&gate, "mq@globex");
    for (size_t i = 0; i < COUNT(plugins); i++) {
        changed(p, CHANGE_TO(.user = "bound", .database = "queue", .plugin = plugins[i]));
        expect_text(p, "SELECT DATABASE()", "queue");
        expect_text(p, "SELECT USER()", "bound@%");
        client_query(&gate, p, PICK);
        shard_expect(gate_shard(&gate, 0), PICK_OF("acme"));
        gate_say_row(&gate, gate_shard(&gate, 0), "x", IDLE_STATUS);
        for (uint8_t seq = 1; seq <= 4; seq++)
            expect_packet(p, seq);
    }
}

static void each_change_has_a_nonce_of_its_own(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq");
    uint8_t first[NONCE_SIZE], second[NONCE_SIZE], proof[32];
    ask(p, CHANGE_TO(.user = "app"));
    assert_int_equal(expect_switch(p, first), AUTH_CACHING_SHA2);
    size_t len = auth_prove(AUTH_CACHING_SHA2, SLICE_LIT("secret"), first, proof);
    peer_send_packet(p, 2, slice_of(proof, len));
    gate_run(&gate);
    expect_packet(p, 3);
    expect_packet(p, 4);
    ask(p, CHANGE_TO(.user = "app"));
    expect_switch(p, second);
    assert_memory_not_equal(first, second, NONCE_SIZE);
    peer_send_packet(p, 2, slice_of(proof, len)); /* the first change's proof */
    gate_run(&gate);
    assert_true(p->closed);
}

static void an_account_with_a_hash_or_no_password(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq");
    changed(p, CHANGE_TO(.user = "old"));
    changed(p, CHANGE_TO(.user = "open", .password = ""));
    changed(p, CHANGE_TO(.user = "app"));
}

static void who_fails_is_disconnected(void **state)
{
    (void)state;
    static const struct change cases[] = {
        { .user = "app", .password = "wrong", .plugin = "mysql_native_password" },
        { .user = "app", .password = "", .plugin = "mysql_native_password" },
        { .user = "nobody", .password = "secret", .plugin = "mysql_native_password" },
        { .user = "", .password = "", .plugin = "mysql_native_password" },
        { .user = "old", .password = "wrong", .plugin = "caching_sha2_password" },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        refused(login(&gate, "mq"), &cases[i], 1045, "MQ4001");
}

static void what_it_chooses_is_checked(void **state)
{
    (void)state;
    static const struct {
        struct change change;
        uint16_t code;
    } cases[] = {
        { { .user = "app", .database = "other" }, 1049 },
        { { .user = "app", .database = "mq@nobody" }, 1105 },
        { { .user = "app", .database = "mq", .tenant = "nobody" }, 1105 },
        { { .user = "bound", .database = "mq", .tenant = "globex" }, 1105 },
        { { .user = "app", .database = "mq@acme", .tenant = "globex" }, 1105 },
        { { .user = "app", .charset = 1 }, 1115 }, /* big5 */
        { { .user = "app",
            .password = "wrong",
            .database = "other",
            .plugin = "mysql_native_password" },
          1045 },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        refused(log_in_as("app", "mq", GATE_CLIENT | CAP_CONNECT_ATTRS), &cases[i].change,
                cases[i].code, "MQ");
    struct peer *p = log_in_as("app", "mq", GATE_CLIENT | CAP_CONNECT_ATTRS);
    changed(p, CHANGE_TO(.user = "app", .database = "mq", .tenant = "globex"));
    client_query(&gate, p, PICK);
    shard_expect(gate_shard(&gate, 1), PICK_OF("globex"));
}

/* Collations have two bytes here. */
static void a_character_set_of_its_own(void **state)
{
    (void)state;
    static const struct {
        uint16_t charset;
        const char *set;
    } cases[] = {
        { 278, "SET NAMES utf8mb4 COLLATE utf8mb4_0900_as_cs" },
        { 8, "SET NAMES latin1 COLLATE latin1_swedish_ci" },
        { 0, "SET NAMES utf8mb4" },
    };
    struct peer *p = login(&gate, "mq");
    for (size_t i = 0; i < COUNT(cases); i++) {
        changed(p, CHANGE_TO(.user = "bound", .database = "mq", .charset = cases[i].charset));
        client_query(&gate, p, PICK);
        assert_slice(buf_slice(&gate.set), slice_cstr(cases[i].set), "charset");
        shard_expect(gate_shard(&gate, 0), PICK_OF("acme"));
        gate_say_ok(&gate, gate_shard(&gate, 0), IDLE_STATUS);
        expect_ok(p);
    }
}

static void nothing_stays(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@globex");
    static const char *const sets[] = { "SET @mq_schema = 'tenant'",
                                        "SET @mq_tenant = 'globex'",
                                        "SET autocommit = 0",
                                        "SET NAMES latin1",
                                        "USE queue",
                                        "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                                        "BEGIN" };
    for (size_t i = 0; i < COUNT(sets); i++) {
        client_query(&gate, p, sets[i]);
        expect_ok(p);
    }
    client_command(p, COM_STMT_PREPARE, SLICE_LIT("BEGIN"));
    gate_run(&gate);
    expect_packet(p, 1);
    changed(p, CHANGE_TO(.user = "app"));
    expect_text(p, "SELECT DATABASE()", NULL);
    expect_text(p, "SELECT @mq_tenant", NULL);
    expect_text(p, "SELECT LAST_INSERT_ID()", "0");
    client_command(p, COM_STMT_EXECUTE, SLICE_LIT("\1\0\0\0\0\1\0\0\0"));
    gate_run(&gate);
    expect_err(p, 1, 1243, "MQ4004");
    client_query(&gate, p, "DELETE FROM mq.queue_messages WHERE topic = 'a'");
    expect_err(p, 1, 1105, "MQ3001"); /* not MQ3009: nobody has forgotten anything */
}

static void an_open_transaction_is_rolled_back(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, "BEGIN");
    expect_ok(p);
    client_query(&gate, p, PICK);
    shard_expect(shard, "BEGIN");
    shard_expect(shard, PICK_OF("acme"));
    gate_say_ok(&gate, shard, OPEN_STATUS);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(p);
    changed(p, CHANGE_TO(.user = "app", .database = "mq@acme"));
    shard_expect(shard, "ROLLBACK");
    gate_say_ok(&gate, shard, IDLE_STATUS);
    client_query(&gate, p, PICK);
    shard_expect(shard, PICK_OF("acme"));
}

/* A transaction that its shard has lost is the former user's. */
static void a_lost_transaction_is_forgotten(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq@acme"), *shard = gate_shard(&gate, 0);
    client_query(&gate, p, "BEGIN");
    expect_ok(p);
    client_query(&gate, p, PICK);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    gate_say_ok(&gate, shard, OPEN_STATUS);
    expect_ok(p);
    peer_close(shard);
    gate_run(&gate);
    changed(p, CHANGE_TO(.user = "app", .database = "mq@acme"));
    expect_text(p, "SELECT DATABASE()", "mq");
}

/* Only a character set, a plug-in and attributes may be missing. */
static void cut_anywhere(void **state)
{
    (void)state;
    struct buf body;
    buf_init(&body);
    write_change(&body, CHANGE_TO(.user = "app", .database = "mq", .tenant = "acme"));
    size_t needed = sizeof "app" + 21 + sizeof "mq";
    for (size_t len = 0; len < buf_len(&body); len++) {
        struct peer *p = log_in_as("app", "mq", GATE_CLIENT | CAP_CONNECT_ATTRS);
        client_command(p, COM_CHANGE_USER, slice_of(buf_begin(&body), len));
        gate_run(&gate);
        if (len < needed)
            expect_err(p, 1, 1835, "MQ4003");
        else
            prove(p, "wrong", 2);
        peer_close(p);
        gate_run(&gate);
        io_destroy(p->io);
        buf_fini(&p->in);
        buf_fini(&p->unsent);
        gate.client_count--;
    }
    buf_fini(&body);
}

static void out_of_order(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq");
    ask(p, CHANGE_TO(.user = "app"));
    prove(p, "secret", 3);
    expect_err(p, 4, 1156, "MQ4009");
    assert_true(p->closed);
}

/* One that knows no plug-ins proves itself with the nonce of the greeting, and is not switched. */
static void a_client_without_plugins(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        struct peer *p = client_connect(&gate);
        struct greeting greeting;
        uint8_t proof[32];
        struct buf out;
        buf_init(&out);
        assert_int_equal(greeting_parse(expect_packet(p, 0), &greeting, NULL), MQ_OK);
        size_t len = auth_prove(AUTH_NATIVE, SLICE_LIT("secret"), greeting.nonce, proof);
        struct login login = { .capabilities = CAP_PROTOCOL_41 | CAP_SECURE_CONNECTION,
                               .charset = 45,
                               .user = SLICE_LIT("app"),
                               .auth = slice_of(proof, len) };
        login_write(&out, &login);
        peer_send_packet(p, 1, buf_slice(&out));
        gate_run(&gate);
        expect_packet(p, 2);
        buf_clear(&out);
        proof[0] ^= (uint8_t)wrong;
        buf_append(&out, "old\0\x14", 5);
        buf_append(&out, proof, len);
        buf_append(&out, "mq\0\x2d\0", 5);
        client_command(p, COM_CHANGE_USER, buf_slice(&out));
        gate_run(&gate);
        if (wrong)
            expect_err(p, 1, 1045, "MQ4001");
        else
            expect_ok(p);
        assert_int_equal(p->closed, wrong);
        buf_fini(&out);
    }
}

static void commands_behind_it_wait(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq");
    uint8_t nonce[NONCE_SIZE], proof[32];
    ask(p, CHANGE_TO(.user = "bound", .database = "mq"));
    enum auth_plugin plugin = expect_switch(p, nonce);
    size_t len = auth_prove(plugin, SLICE_LIT("secret"), nonce, proof);
    peer_send_packet(p, 2, slice_of(proof, len));
    client_command(p, COM_PING, SLICE_LIT(""));
    client_query(&gate, p, PICK);
    expect_packet(p, 3);
    expect_packet(p, 4);
    expect_ok(p);
    shard_expect(gate_shard(&gate, 0), PICK_OF("acme"));
}

static void it_takes_no_longer_than_a_login(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq");
    ask(p, CHANGE_TO(.user = "app"));
    gate_pass_time(&gate, 11000);
    assert_true(p->closed);
}

/* A reload after the greeting, and one while the nonce is on its way. */
static void a_reload_counts_at_once(void **state)
{
    (void)state;
    static const char yaml[] =
        "keyspace: {name: mq, database: shard, shards: {\"-80\": \"127.0.0.1:1\", \"80-\": "
        "\"127.0.0.1:2\"}}\naccounts: {app: {password: newer}}\ntenants: [acme, globex]\n";
    struct peer *early = client_connect(&gate), *p = login(&gate, "mq@acme");
    reload(yaml);
    assert_false(client_login(&gate, early, "app", "mq", GATE_CLIENT));
    expect_text(p, "SELECT DATABASE()", "mq"); /* a session that is logged in goes on */
    changed(p, CHANGE_TO(.user = "app", .password = "newer"));
}

/* The same for what its listener asks of it. */
static void a_reload_may_ask_for_tls(void **state)
{
    (void)state;
    struct authority authority;
    char yaml[1024];
    struct peer *p = login(&gate, "mq@acme");
    authority_init(&authority, "CA");
    struct certificate c = authority_issue(&authority, "here", CERT_DAY);
    snprintf(yaml, sizeof yaml, YAML "tls: {mode: required, cert: \"%s\", key: \"%s\"}\n", c.cert,
             c.key);
    reload(yaml);
    certificate_remove(&c);
    authority_fini(&authority);
    expect_text(p, "SELECT DATABASE()", "mq");
    ask(p, CHANGE_TO(.user = "app"));
    expect_err(p, 1, 3159, "MQ4020");
    assert_true(p->closed);
}

/* ---- observing ---- */

static struct peer *server(void)
{
    struct peer *p = gate_shard(&gate, 0);
    assert_non_null(p);
    return p;
}

static void an_observed_session_gets_another_backend(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq"), *before = server();
    changed(p, CHANGE_TO(.user = "admin", .database = "queue"));
    shard_expect_command(before, COM_QUIT);
    assert_true(before->closed);
    assert_ptr_not_equal(server(), before);
    client_query(&gate, p, "SELECT 1");
    shard_expect(server(), "SELECT 1");
}

/* What was noted of a statement that could be read is not looked for in one that cannot. */
static void an_observed_session_that_cannot_be_read_any_more(void **state)
{
    (void)state;
    static const uint16_t sjis = 13;
    char text[512], want[512]; /* longer than the packets of a login */
    snprintf(text, sizeof text, "%400sKILL %u", "", atomic_load(&gate.fleet.next_connection_id));
    snprintf(want, sizeof want, "%400sKILL 7", "");
    struct peer *p = login(&gate, "mq");
    client_query(&gate, p, text);
    shard_expect(server(), want);
    gate_say_ok(&gate, server(), IDLE_STATUS);
    expect_ok(p);
    changed(p, CHANGE_TO(.user = "app", .charset = sjis));
    client_command(p, COM_PING, SLICE_LIT(""));
    gate_run(&gate);
    shard_expect_command(server(), COM_PING);
    gate_say_ok(&gate, server(), IDLE_STATUS);
    expect_ok(p);
    client_query(&gate, p, "SELECT 1");
    shard_expect(server(), "SELECT 1");
}

static void an_observed_session_is_told_why_not(void **state)
{
    (void)state;
    struct peer *p = login(&gate, "mq");
    refused(p, CHANGE_TO(.user = "app", .password = "wrong", .plugin = "mysql_native_password"),
            1045, "MQ4001");
    p = login(&gate, "mq");
    ask(p, CHANGE_TO(.user = "app", .charset = 278));
    expect_err(p, 1, 1115, "MQ2008");
    assert_true(p->closed);
    p = login(&gate, "mq");
    gate.refuse_connections = true;
    refused(p, CHANGE_TO(.user = "app"), 1160, "MQ5001");
}

#define TEST(function) GATE_TEST(function, YAML)
#define OBSERVED(function) GATE_TEST(function, GATE_OBSERVING_YAML("observe"))

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(another_account),
        TEST(each_change_has_a_nonce_of_its_own),
        TEST(an_account_with_a_hash_or_no_password),
        TEST(who_fails_is_disconnected),
        TEST(what_it_chooses_is_checked),
        TEST(a_character_set_of_its_own),
        TEST(nothing_stays),
        TEST(an_open_transaction_is_rolled_back),
        TEST(a_lost_transaction_is_forgotten),
        TEST(cut_anywhere),
        TEST(out_of_order),
        TEST(a_client_without_plugins),
        TEST(commands_behind_it_wait),
        TEST(it_takes_no_longer_than_a_login),
        TEST(a_reload_counts_at_once),
        TEST(a_reload_may_ask_for_tls),
        OBSERVED(an_observed_session_gets_another_backend),
        OBSERVED(an_observed_session_that_cannot_be_read_any_more),
        OBSERVED(an_observed_session_is_told_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
