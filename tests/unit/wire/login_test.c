/* Both sides of the login exchange, each by itself and against one another. */
#include "tests/unit/wire/wire_test.h"

#include "wire/auth_int.h"

static const uint8_t greeting_nonce[NONCE_SIZE] = "abcdefghijklmnopqrs";

/* 'sesame', as MySQL 9.7 stores it */
#define STORED                                                                                     \
    "0x2441243030412415553612720A3231307D3E76115E613F6545063F6F79314D627A706B48332F6B307377416E73" \
    "49"                                                                                           \
    "4E797031586A4B5457584C313541696C3276595A6151432E"
#define NATIVE "*EE33294C97C42FFF14EA73AB81E428A6FC7B9A8B"

static struct rsa_key *key;

static int make_key(void **state)
{
    (void)state;
    key = rsa_key_create(NULL);
    return key ? 0 : 1;
}

static int drop_key(void **state)
{
    (void)state;
    rsa_key_destroy(key);
    return 0;
}

static struct server_login server_of(const struct verifier *v, bool secure)
{
    struct server_login s = { .secure = secure, .key = key, .verifier = v };
    memcpy(s.nonce, greeting_nonce, NONCE_SIZE);
    return s;
}

static struct client_login client_of(enum auth_plugin plugin, const char *password, bool secure)
{
    struct client_login c = { .plugin = plugin,
                              .secure = secure,
                              .password = slice_cstr(password) };
    memcpy(c.nonce, greeting_nonce, NONCE_SIZE);
    return c;
}

/* An account: "*…" or "$A$…" (in hex) is a hash, "-" none at all, the rest a password. */
static const struct verifier *account(struct verifier *v, const char *text)
{
    if (text[0] == '-')
        return NULL;
    if (text[0] == '*' || text[0] == '0')
        assert_true(verifier_of_hash(v, slice_cstr(text)));
    else
        verifier_of_password(v, slice_cstr(text));
    return v;
}

/* What is said: "more 3", "switch", "key", "…" for a client's bytes. */
static void note(struct buf *talk, struct slice payload)
{
    uint8_t first = payload.len ? (uint8_t)payload.data[0] : 0;
    if (first == LOGIN_SWITCH)
        buf_printf(talk, "switch %s, ", payload.data + 1);
    else if (first == LOGIN_MORE_DATA && payload.len == 2)
        buf_printf(talk, "more %d, ", payload.data[1]);
    else if (first == LOGIN_MORE_DATA)
        buf_printf(talk, "key, ");
}

/* Lets a client and the server talk until the server has decided. */
static enum login_step converse(struct server_login *s, struct client_login *c, struct buf *talk)
{
    uint8_t proof[32];
    struct buf said = { 0 }, reply = { 0 };
    size_t len = auth_prove(c->plugin, c->password, c->nonce, proof);
    enum login_step step =
        server_login_begin(s, slice_cstr(auth_plugin_name(c->plugin)), slice_of(proof, len), &said);
    note(talk, buf_slice(&said));
    while (step == LOGIN_SEND) {
        buf_clear(&reply);
        assert_int_equal(client_login_packet(c, buf_slice(&said), &reply, NULL), LOGIN_SEND);
        buf_clear(&said);
        step = server_login_packet(s, buf_slice(&reply), &said);
        note(talk, buf_slice(&said));
    }
    if (step == LOGIN_DONE && buf_len(&said))
        assert_int_equal(client_login_packet(c, buf_slice(&said), &reply, NULL), LOGIN_WAIT);
    if (step == LOGIN_DONE)
        assert_int_equal(client_login_packet(c, SLICE_LIT("\0\0\0\2\0\0\0"), &reply, NULL),
                         LOGIN_DONE);
    buf_fini(&said);
    buf_fini(&reply);
    return step;
}

static void conversations(void **state)
{
    (void)state;
    static const struct {
        const char *why, *account, *password;
        enum auth_plugin plugin;
        bool secure;
        enum login_step want;
        const char *talk;
    } cases[] = {
        { "fast", "sesame", "sesame", AUTH_CACHING_SHA2, false, LOGIN_DONE, "more 3, " },
        { "native", "sesame", "sesame", AUTH_NATIVE, false, LOGIN_DONE, "" },
        { "native hash, native client", NATIVE, "sesame", AUTH_NATIVE, false, LOGIN_DONE, "" },
        { "native hash only", NATIVE, "sesame", AUTH_CACHING_SHA2, false, LOGIN_DONE,
          "switch mysql_native_password, " },
        { "stored hash over RSA", STORED, "sesame", AUTH_CACHING_SHA2, false, LOGIN_DONE,
          "more 4, key, " },
        { "stored hash, secure", STORED, "sesame", AUTH_CACHING_SHA2, true, LOGIN_DONE,
          "more 4, " },
        { "stored hash, native client", STORED, "sesame", AUTH_NATIVE, true, LOGIN_DONE,
          "switch caching_sha2_password, more 4, " },
        { "empty", "", "", AUTH_CACHING_SHA2, false, LOGIN_DONE, "switch caching_sha2_password, " },
        { "empty, native", "", "", AUTH_NATIVE, false, LOGIN_DONE,
          "switch mysql_native_password, " },
        { "empty given, one needed", "sesame", "", AUTH_CACHING_SHA2, false, LOGIN_FAILED,
          "switch caching_sha2_password, " },
        { "empty given, native", NATIVE, "", AUTH_NATIVE, false, LOGIN_FAILED,
          "switch mysql_native_password, " },
        { "given, none needed", "", "sesame", AUTH_CACHING_SHA2, true, LOGIN_FAILED, "more 4, " },
        { "given, none needed, native", "", "sesame", AUTH_NATIVE, true, LOGIN_FAILED, "" },
        { "wrong", "sesame", "sesamE", AUTH_CACHING_SHA2, false, LOGIN_FAILED, "more 4, key, " },
        { "wrong, native", "sesame", "sesamE", AUTH_NATIVE, false, LOGIN_FAILED, "" },
        { "wrong, stored", STORED, "sesamE", AUTH_CACHING_SHA2, false, LOGIN_FAILED,
          "more 4, key, " },
        { "wrong, stored, secure", STORED, "sesamE", AUTH_CACHING_SHA2, true, LOGIN_FAILED,
          "more 4, " },
        { "nobody, like a wrong password", "-", "sesame", AUTH_CACHING_SHA2, false, LOGIN_FAILED,
          "more 4, key, " },
        { "nobody, secure", "-", "sesame", AUTH_CACHING_SHA2, true, LOGIN_FAILED, "more 4, " },
        { "nobody, native", "-", "sesame", AUTH_NATIVE, false, LOGIN_FAILED, "" },
        { "nobody, empty", "-", "", AUTH_CACHING_SHA2, false, LOGIN_FAILED,
          "switch caching_sha2_password, " },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct verifier v = { 0 };
        struct server_login s = server_of(account(&v, cases[i].account), cases[i].secure);
        struct client_login c = client_of(cases[i].plugin, cases[i].password, cases[i].secure);
        struct buf talk = { 0 };
        enum login_step got = converse(&s, &c, &talk);
        if (got != cases[i].want)
            fail_msg("%s: %d", cases[i].why, got);
        assert_slice(buf_slice(&talk), slice_cstr(cases[i].talk), cases[i].why);
        buf_fini(&talk);
    }
}

static void full_authentication_teaches_the_fast_hash(void **state)
{
    (void)state;
    struct verifier v = { 0 };
    struct server_login s = server_of(account(&v, STORED), true);
    struct client_login c = client_of(AUTH_CACHING_SHA2, "sesame", true);
    struct buf talk = { 0 };
    assert_int_equal(converse(&s, &c, &talk), LOGIN_DONE);
    assert_true(s.has_learnt);
    memcpy(v.sha2, s.learnt_sha2, sizeof v.sha2);
    v.has_sha2 = true;
    s = server_of(&v, false);
    c = client_of(AUTH_CACHING_SHA2, "sesame", false);
    buf_clear(&talk);
    assert_int_equal(converse(&s, &c, &talk), LOGIN_DONE);
    assert_slice(buf_slice(&talk), SLICE_LIT("more 3, "), "fast");
    assert_false(s.has_learnt);
    buf_fini(&talk);
}

static void a_switch_carries_a_fresh_nonce(void **state)
{
    (void)state;
    struct verifier v = { 0 };
    struct server_login s = server_of(account(&v, NATIVE), false);
    struct buf out = { 0 };
    uint8_t proof[32];
    auth_prove(AUTH_CACHING_SHA2, SLICE_LIT("sesame"), s.nonce, proof);
    assert_int_equal(
        server_login_begin(&s, SLICE_LIT("caching_sha2_password"), slice_of(proof, 32), &out),
        LOGIN_SEND);
    struct slice said = buf_slice(&out);
    assert_int_equal(said.len, 1 + sizeof "mysql_native_password" + NONCE_SIZE + 1);
    assert_memory_equal(said.data,
                        "\xfe"
                        "mysql_native_password",
                        23);
    assert_memory_equal(said.data + 23, s.nonce, NONCE_SIZE);
    assert_int_equal(said.data[said.len - 1], 0);
    assert_memory_not_equal(s.nonce, greeting_nonce, NONCE_SIZE);
    /* A proof for the greeting's nonce is worth nothing now. */
    size_t len = auth_prove(AUTH_NATIVE, SLICE_LIT("sesame"), greeting_nonce, proof);
    assert_int_equal(server_login_packet(&s, slice_of(proof, len), &out), LOGIN_FAILED);
    buf_fini(&out);
}

/* Whatever such a client sent first is not looked at. */
static void foreign_plugins_are_switched(void **state)
{
    (void)state;
    static const struct {
        const char *account, *want;
    } cases[] = {
        { "sesame", "\xfe"
                    "caching_sha2_password" },
        { STORED, "\xfe"
                  "caching_sha2_password" },
        { NATIVE, "\xfe"
                  "mysql_native_password" },
        { "", "\xfe"
              "caching_sha2_password" },
        { "-", "\xfe"
               "caching_sha2_password" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct verifier v = { 0 };
        struct server_login s = server_of(account(&v, cases[i].account), true);
        struct buf out = { 0 };
        assert_int_equal(
            server_login_begin(&s, SLICE_LIT("mysql_clear_password"), SLICE_LIT("sesame\0"), &out),
            LOGIN_SEND);
        assert_string_equal((const char *)buf_begin(&out), cases[i].want);
        buf_fini(&out);
    }
}

/* The client's plug-in is not the one that the greeting's nonce was for. */
static void a_client_may_wait_for_its_nonce(void **state)
{
    (void)state;
    static const char *const plugins[] = { "mysql_native_password", "caching_sha2_password" };
    for (size_t i = 0; i < COUNT(plugins); i++) {
        struct verifier v = { 0 };
        struct server_login s = server_of(account(&v, "sesame"), false);
        struct buf out = { 0 };
        uint8_t proof[32];
        assert_int_equal(server_login_begin(&s, slice_cstr(plugins[i]), SLICE_LIT(""), &out),
                         LOGIN_SEND);
        assert_string_equal((const char *)buf_begin(&out) + 1, plugins[i]);
        size_t len = auth_prove(s.plugin, SLICE_LIT("sesame"), s.nonce, proof);
        assert_int_equal(server_login_packet(&s, slice_of(proof, len), &out), LOGIN_DONE);
        buf_fini(&out);
    }
}

/* Whatever the client sent; for caching_sha2_password with a nonce of its own. */
static void a_change_of_user_is_always_switched(void **state)
{
    (void)state;
    static const struct {
        const char *account, *plugin, *switched;
        enum login_step want;
    } cases[] = {
        { "sesame", "caching_sha2_password", "caching_sha2_password", LOGIN_DONE },
        { "sesame", "mysql_native_password", "mysql_native_password", LOGIN_DONE },
        { "sesame", "", "caching_sha2_password", LOGIN_DONE },
        { NATIVE, "caching_sha2_password", "mysql_native_password", LOGIN_DONE },
        { STORED, "mysql_native_password", "caching_sha2_password", LOGIN_SEND },
        { "-", "mysql_native_password", "mysql_native_password", LOGIN_FAILED },
        { "-", "caching_sha2_password", "caching_sha2_password", LOGIN_SEND },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct verifier v = { 0 };
        struct server_login s = server_of(account(&v, cases[i].account), false);
        struct buf out = { 0 };
        uint8_t proof[32];
        assert_int_equal(server_login_change(&s, slice_cstr(cases[i].plugin), &out), LOGIN_SEND);
        assert_string_equal((const char *)buf_begin(&out) + 1, cases[i].switched);
        assert_memory_equal(buf_begin(&out) + strlen(cases[i].switched) + 2, s.nonce, NONCE_SIZE);
        assert_int_equal(memcmp(s.nonce, greeting_nonce, NONCE_SIZE) == 0, s.plugin == AUTH_NATIVE);
        size_t len = auth_prove(s.plugin, SLICE_LIT("sesame"), s.nonce, proof);
        buf_clear(&out);
        assert_int_equal(server_login_packet(&s, slice_of(proof, len), &out), cases[i].want);
        buf_fini(&out);
    }
}

static void clients_without_plugins(void **state)
{
    (void)state;
    static const struct {
        const char *why, *account;
        enum login_step want;
    } cases[] = {
        { "native", NATIVE, LOGIN_DONE },
        { "password", "sesame", LOGIN_DONE },
        { "a switch would not be understood", STORED, LOGIN_FAILED },
        { "nobody", "-", LOGIN_FAILED },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct verifier v = { 0 };
        struct server_login s = server_of(account(&v, cases[i].account), true);
        struct buf out = { 0 };
        uint8_t proof[32];
        size_t len = auth_prove(AUTH_NATIVE, SLICE_LIT("sesame"), s.nonce, proof);
        if (server_login_begin(&s, SLICE_LIT(""), slice_of(proof, len), &out) != cases[i].want)
            fail_msg("%s", cases[i].why);
        assert_int_equal(buf_len(&out), 0);
        buf_fini(&out);
    }
}

/* Packets that a server must not be talked into anything by, once full authentication of
 * the account has begun. */
static void bad_passwords_in_full(void **state)
{
    (void)state;
    static const char long_password[PASSWORD_MAX + 2] = "x";
    const struct {
        const char *why;
        bool secure;
        struct slice packet;
    } cases[] = {
        { "empty", true, SLICE_LIT("") },
        { "a NUL alone", true, SLICE_LIT("\0") },
        { "no NUL", true, SLICE_LIT("sesame") },
        { "something behind the NUL", true, SLICE_LIT("sesame\0x\0") },
        { "too long", true, slice_of(long_password, sizeof long_password) },
        { "clear although not secure", false, SLICE_LIT("sesame\0") },
        { "empty, not secure", false, SLICE_LIT("") },
        { "another request", false, SLICE_LIT("\3") },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct verifier v = { 0 };
        struct server_login s = server_of(account(&v, "sesame"), cases[i].secure);
        struct buf out = { 0 };
        char proof[32] = { 0 };
        assert_int_equal(server_login_begin(&s, SLICE_LIT("caching_sha2_password"),
                                            slice_of(proof, sizeof proof), &out),
                         LOGIN_SEND);
        if (server_login_packet(&s, cases[i].packet, &out) != LOGIN_FAILED)
            fail_msg("%s", cases[i].why);
        assert_int_equal(server_login_packet(&s, SLICE_LIT("sesame\0"), &out), LOGIN_FAILED);
        assert_false(s.has_learnt);
        buf_fini(&out);
    }
}

static void without_key_nor_security_full_is_impossible(void **state)
{
    (void)state;
    struct verifier v = { 0 };
    struct server_login s = server_of(account(&v, STORED), false);
    struct buf out = { 0 };
    char proof[32] = { 0 };
    s.key = NULL;
    assert_int_equal(server_login_begin(&s, SLICE_LIT("caching_sha2_password"),
                                        slice_of(proof, sizeof proof), &out),
                     LOGIN_FAILED);
    assert_int_equal(buf_len(&out), 0);
    buf_fini(&out);
}

/* Nothing at all is answered by a switch first; a NUL and old clients speak for themselves. */
static void empty_proofs(void **state)
{
    (void)state;
    static const struct {
        const char *plugin;
        struct slice proof;
        bool at_once;
    } cases[] = {
        { "caching_sha2_password", SLICE_LIT(""), false },
        { "caching_sha2_password", SLICE_LIT("\0"), true },
        { "mysql_native_password", SLICE_LIT(""), false },
        { "mysql_native_password", SLICE_LIT("\0"), true },
        { "", SLICE_LIT(""), true },
    };
    struct verifier v = { 0 };
    const struct verifier *const accounts[] = { account(&v, ""), NULL };
    for (size_t i = 0; i < COUNT(cases) * COUNT(accounts); i++) {
        size_t n = i / COUNT(accounts);
        struct server_login s = server_of(accounts[i % COUNT(accounts)], false);
        struct buf out = { 0 };
        enum login_step step =
            server_login_begin(&s, slice_cstr(cases[n].plugin), cases[n].proof, &out);
        assert_int_equal(step != LOGIN_SEND, cases[n].at_once);
        if (step == LOGIN_SEND)
            step = server_login_packet(&s, cases[n].proof, &out);
        assert_int_equal(step, s.verifier ? LOGIN_DONE : LOGIN_FAILED);
        buf_fini(&out);
    }
}

/* A key that the client knows already is used without asking for it. */
static void sealed_without_asking(void **state)
{
    (void)state;
    struct verifier v = { 0 };
    struct server_login s = server_of(account(&v, STORED), false);
    struct buf out = { 0 }, sealed = { 0 };
    char proof[32] = { 0 };
    uint8_t text[] = "sesame";
    assert_int_equal(server_login_begin(&s, SLICE_LIT("caching_sha2_password"),
                                        slice_of(proof, sizeof proof), &out),
                     LOGIN_SEND);
    nonce_mask(text, sizeof text, s.nonce);
    assert_true(rsa_seal(rsa_public_pem(key), slice_of(text, sizeof text), &sealed));
    assert_int_equal(server_login_packet(&s, buf_slice(&sealed), &out), LOGIN_DONE);
    buf_fini(&out);
    buf_fini(&sealed);
}

#define SWITCH_TO(plugin) "\xfe" plugin "\0"
#define NATIVE_PLUGIN "mysql_native_password"
#define CLEAR_PLUGIN "mysql_clear_password"
#define NONCE "abcdefghijklmnopqrst"

/* What shards say first, and what the client answers. */
static void shards_first_words(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        enum auth_plugin plugin;
        bool secure;
        struct slice packet;
        enum login_step want;
        struct slice said;
    } cases[] = {
        { "OK", AUTH_NATIVE, false, SLICE_LIT("\0\0\0\2\0\0\0"), LOGIN_DONE, { "", 0 } },
        { "fast", AUTH_CACHING_SHA2, false, SLICE_LIT("\1\3"), LOGIN_WAIT, { "", 0 } },
        { "full", AUTH_CACHING_SHA2, false, SLICE_LIT("\1\4"), LOGIN_SEND, { "\2", 1 } },
        { "full, secure", AUTH_CACHING_SHA2, true, SLICE_LIT("\1\4"), LOGIN_SEND, { "sesame", 7 } },
        { "clear text, secure",
          AUTH_NATIVE,
          true,
          SLICE_LIT(SWITCH_TO(CLEAR_PLUGIN)),
          LOGIN_SEND,
          { "sesame", 7 } },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct client_login c = client_of(cases[i].plugin, "sesame", cases[i].secure);
        struct buf out = { 0 };
        if (client_login_packet(&c, cases[i].packet, &out, NULL) != cases[i].want)
            fail_msg("%s", cases[i].why);
        assert_slice(buf_slice(&out), cases[i].said, cases[i].why);
        buf_fini(&out);
    }
}

static void shards_words_refused(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        enum auth_plugin plugin;
        bool secure;
        struct slice packet;
        enum err_code want;
    } cases[] = {
        { "ERR", AUTH_NATIVE, false, SLICE_LIT("\xff\x15\4#28000no"), MQ_SHARD_LOGIN },
        { "ERR cut short", AUTH_NATIVE, false, SLICE_LIT("\xff\x15"), MQ_SHARD_PROTOCOL },
        { "full for native", AUTH_NATIVE, true, SLICE_LIT("\1\4"), MQ_SHARD_PROTOCOL },
        { "unknown data", AUTH_CACHING_SHA2, true, SLICE_LIT("\1\5"), MQ_SHARD_PROTOCOL },
        { "no data", AUTH_CACHING_SHA2, true, SLICE_LIT("\1"), MQ_SHARD_PROTOCOL },
        { "a key too early", AUTH_CACHING_SHA2, false, SLICE_LIT("\1---"), MQ_SHARD_PROTOCOL },
        { "the old switch", AUTH_NATIVE, true, SLICE_LIT("\xfe"), MQ_SHARD_LOGIN },
        { "old passwords by name", AUTH_NATIVE, true,
          SLICE_LIT(SWITCH_TO("mysql_old_password") "abcdefgh"), MQ_SHARD_LOGIN },
        { "clear text, not secure", AUTH_NATIVE, false, SLICE_LIT(SWITCH_TO(CLEAR_PLUGIN)),
          MQ_SHARD_LOGIN },
        { "an unknown plug-in", AUTH_NATIVE, true, SLICE_LIT(SWITCH_TO("client_ed25519") NONCE),
          MQ_SHARD_LOGIN },
        { "a nonce cut short", AUTH_CACHING_SHA2, false,
          SLICE_LIT(SWITCH_TO(NATIVE_PLUGIN) "abcdefghijklmnopqrs"), MQ_SHARD_PROTOCOL },
        { "a name without end", AUTH_CACHING_SHA2, false, SLICE_LIT("\xfe" NATIVE_PLUGIN),
          MQ_SHARD_PROTOCOL },
        { "nothing", AUTH_NATIVE, false, SLICE_LIT(""), MQ_SHARD_PROTOCOL },
        { "a result set", AUTH_NATIVE, false, SLICE_LIT("\3"), MQ_SHARD_PROTOCOL },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct client_login c = client_of(cases[i].plugin, "sesame", cases[i].secure);
        struct buf out = { 0 };
        struct err e = { 0 };
        enum login_step got = client_login_packet(&c, cases[i].packet, &out, &e);
        if (got != LOGIN_FAILED || e.code != cases[i].want)
            fail_msg("%s: %d, code %d", cases[i].why, got, e.code);
        assert_int_equal(buf_len(&out), 0);
        buf_fini(&out);
    }
}

/* With and without the NUL behind the nonce, which not every server sends. */
static void a_shards_switch_is_followed(void **state)
{
    (void)state;
    const struct slice packets[] = { SLICE_LIT(SWITCH_TO(NATIVE_PLUGIN) NONCE "\0"),
                                     SLICE_LIT(SWITCH_TO(NATIVE_PLUGIN) NONCE) };
    for (size_t i = 0; i < COUNT(packets); i++) {
        struct client_login c = client_of(AUTH_CACHING_SHA2, "sesame", false);
        struct buf out = { 0 };
        uint8_t proof[32];
        size_t len = auth_prove(AUTH_NATIVE, c.password, (const uint8_t *)NONCE, proof);
        assert_int_equal(client_login_packet(&c, packets[i], &out, NULL), LOGIN_SEND);
        assert_slice(buf_slice(&out), slice_of(proof, len), "proof for the new nonce");
        buf_fini(&out);
    }
}

static void the_shards_message_is_kept(void **state)
{
    (void)state;
    struct client_login c = client_of(AUTH_NATIVE, "sesame", false);
    struct buf out = { 0 };
    struct err e;
    client_login_packet(&c, SLICE_LIT("\xff\x15\4#28000Access denied"), &out, &e);
    assert_string_equal(e.text, "error 1045 (28000): Access denied");
    buf_fini(&out);
}

static void one_switch_only(void **state)
{
    (void)state;
    struct client_login c = client_of(AUTH_CACHING_SHA2, "sesame", false);
    struct buf out = { 0 };
    struct err e;
    struct slice again = SLICE_LIT(SWITCH_TO(NATIVE_PLUGIN) NONCE "\0");
    assert_int_equal(client_login_packet(&c, again, &out, &e), LOGIN_SEND);
    assert_int_equal(client_login_packet(&c, again, &out, &e), LOGIN_FAILED);
    assert_int_equal(client_login_packet(&c, SLICE_LIT("\0\0\0\2\0\0\0"), &out, &e), LOGIN_FAILED);
    buf_fini(&out);
}

static void the_empty_password_answers_with_nothing(void **state)
{
    (void)state;
    struct client_login c = client_of(AUTH_CACHING_SHA2, "", false);
    struct buf out = { 0 };
    assert_int_equal(
        client_login_packet(&c, SLICE_LIT(SWITCH_TO(NATIVE_PLUGIN) NONCE "\0"), &out, NULL),
        LOGIN_SEND);
    assert_int_equal(buf_len(&out), 0);
    buf_fini(&out);
}

static void keys_that_cannot_be_used(void **state)
{
    (void)state;
    static const char *const keys[] = { "\1", "\1garbage", "\1-----BEGIN PUBLIC KEY-----\n" };
    for (size_t i = 0; i < COUNT(keys); i++) {
        struct client_login c = client_of(AUTH_CACHING_SHA2, "sesame", false);
        struct buf out = { 0 };
        struct err e = { 0 };
        assert_int_equal(client_login_packet(&c, SLICE_LIT("\1\4"), &out, &e), LOGIN_SEND);
        assert_int_equal(client_login_packet(&c, slice_cstr(keys[i]), &out, &e), LOGIN_FAILED);
        assert_int_equal(e.code, MQ_SHARD_LOGIN);
        assert_int_equal(buf_len(&out), 1); /* the request and no more */
        buf_fini(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversations),
        cmocka_unit_test(full_authentication_teaches_the_fast_hash),
        cmocka_unit_test(a_switch_carries_a_fresh_nonce),
        cmocka_unit_test(foreign_plugins_are_switched),
        cmocka_unit_test(a_client_may_wait_for_its_nonce),
        cmocka_unit_test(a_change_of_user_is_always_switched),
        cmocka_unit_test(clients_without_plugins),
        cmocka_unit_test(bad_passwords_in_full),
        cmocka_unit_test(without_key_nor_security_full_is_impossible),
        cmocka_unit_test(empty_proofs),
        cmocka_unit_test(sealed_without_asking),
        cmocka_unit_test(shards_first_words),
        cmocka_unit_test(shards_words_refused),
        cmocka_unit_test(a_shards_switch_is_followed),
        cmocka_unit_test(the_shards_message_is_kept),
        cmocka_unit_test(one_switch_only),
        cmocka_unit_test(the_empty_password_answers_with_nothing),
        cmocka_unit_test(keys_that_cannot_be_used),
    };
    return cmocka_run_group_tests(tests, make_key, drop_key);
}
