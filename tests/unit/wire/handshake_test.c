#include "tests/unit/wire/wire_test.h"

#include "wire/handshake.h"

/* As they came from the servers. */
static const char mysql_9[] =
    "0a392e372e342d3200090000003c203c5d42515d7b00ffffff0200ffdf15000000000000"
    "00000000403c1c547559167b15255f680063616368696e675f736861325f70617373776f"
    "726400";
static const char mariadb_10[] = "0a352e352e352d31302e31312e31392d4d6172696144422d302b6465623132753"
                                 "100040000004025362141624a2f00fe"
                                 "f7080200ff81150000000000001d00000047596b2d3d2b6021217e7c72006d797"
                                 "3716c5f6e61746976655f7061737377"
                                 "6f726400";

static void greetings_of_real_servers(void **state)
{
    (void)state;
    static const struct {
        const char *input, *version, *plugin, *nonce;
        uint32_t connection_id;
        uint64_t capabilities;
        uint8_t charset;
    } cases[] = {
        { mysql_9, "9.7.4-2", "caching_sha2_password", "< <]BQ]{@<\x1cTuY\x16{\x15%_h", 9,
          0xdfffffff, 255 },
        { mariadb_10, "5.5.5-10.11.19-MariaDB-0+deb12u1", "mysql_native_password",
          "@%6!AbJ/GYk-=+`!!~|r", 4, 0x1d81fff7fe, 8 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 };
        struct greeting g;
        assert_int_equal(greeting_parse(hex_append(&b, cases[i].input), &g, NULL), MQ_OK);
        assert_slice(g.version, slice_cstr(cases[i].version), "version");
        assert_slice(g.plugin, slice_cstr(cases[i].plugin), "plug-in");
        assert_memory_equal(g.nonce, cases[i].nonce, NONCE_SIZE);
        assert_int_equal(g.connection_id, cases[i].connection_id);
        assert_int_equal(g.capabilities, cases[i].capabilities);
        assert_int_equal(g.charset, cases[i].charset);
        assert_int_equal(g.status, STATUS_AUTOCOMMIT);
        buf_fini(&b);
    }
}

static void greeting_is_what_a_server_writes(void **state)
{
    (void)state;
    struct buf want = { 0 }, got = { 0 };
    struct greeting g;
    assert_int_equal(greeting_parse(hex_append(&want, mysql_9), &g, NULL), MQ_OK);
    greeting_write(&got, &g);
    assert_true(slice_eq(buf_slice(&got), buf_slice(&want)));
    buf_fini(&want);
    buf_fini(&got);
}

/* The plug-in's name comes last and may lack its NUL; everything before is needed. */
static void greeting_cut_short(void **state)
{
    (void)state;
    struct buf b = { 0 };
    struct slice whole = hex_append(&b, mysql_9);
    size_t needed = whole.len - sizeof "caching_sha2_password";
    for (size_t len = 0; len < whole.len; len++) {
        uint8_t *data = exact_copy(whole, len);
        struct greeting g;
        struct err e;
        enum err_code want = len < needed ? MQ_SHARD_PROTOCOL : MQ_OK;
        assert_int_equal(greeting_parse(slice_of(data, len), &g, &e), want);
        free(data);
    }
    buf_fini(&b);
}

static void greetings_refused(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        uint8_t protocol;
        uint64_t capabilities;
        enum err_code want;
    } cases[] = {
        { "as it should be", 10, CAP_PROTOCOL_41 | CAP_SECURE_CONNECTION, MQ_OK },
        { "protocol 9", 9, CAP_PROTOCOL_41 | CAP_SECURE_CONNECTION, MQ_SHARD_PROTOCOL },
        { "no protocol 4.1", 10, CAP_SECURE_CONNECTION, MQ_SHARD_PROTOCOL },
        { "old passwords only", 10, CAP_PROTOCOL_41, MQ_SHARD_PROTOCOL },
        { "an ERR packet", 0xff, CAP_PROTOCOL_41 | CAP_SECURE_CONNECTION, MQ_SHARD_PROTOCOL },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct greeting g = { .version = SLICE_LIT("x"), .capabilities = cases[i].capabilities };
        struct buf b = { 0 };
        greeting_write(&b, &g);
        buf_begin(&b)[0] = cases[i].protocol;
        if (greeting_parse(buf_slice(&b), &g, NULL) != cases[i].want)
            fail_msg("%s", cases[i].why);
        buf_fini(&b);
    }
}

static void greeting_without_plugin(void **state)
{
    (void)state;
    struct greeting in = { .version = SLICE_LIT("5.1.73"),
                           .connection_id = 7,
                           .nonce = "abcdefghijklmnopqrst",
                           .capabilities = CAP_PROTOCOL_41 | CAP_SECURE_CONNECTION,
                           .charset = 33,
                           .status = STATUS_AUTOCOMMIT };
    struct greeting out;
    struct buf b = { 0 };
    greeting_write(&b, &in);
    assert_int_equal(greeting_parse(buf_slice(&b), &out, NULL), MQ_OK);
    assert_memory_equal(out.nonce, in.nonce, NONCE_SIZE);
    assert_int_equal(out.plugin.len, 0);
    buf_fini(&b);
}

/* A plug-in with a longer nonce: its first 20 bytes are taken, the name still found. */
static void greeting_with_long_nonce(void **state)
{
    (void)state;
    struct buf b = { 0 };
    struct greeting g;
    hex_append(&b,
               "0a 3900 01000000 4142434445464748 00 00a2 ff 0200 0800 21 00000000000000000000");
    hex_append(&b, "494a4b4c4d4e4f5051525354 55565758595a5b5c5d5e5f60 00 656432353531390000");
    assert_int_equal(greeting_parse(buf_slice(&b), &g, NULL), MQ_OK);
    assert_memory_equal(g.nonce, "ABCDEFGHIJKLMNOPQRST", NONCE_SIZE);
    assert_slice(g.plugin, SLICE_LIT("ed25519"), "plug-in");
    buf_fini(&b);
}

static const uint32_t base =
    CAP_PROTOCOL_41 | CAP_CONNECT_WITH_DB | CAP_PLUGIN_AUTH | CAP_CONNECT_ATTRS;

static struct login example(uint64_t capabilities)
{
    return (struct login){ .capabilities = base | capabilities,
                           .max_packet = 1 << 24,
                           .charset = 45,
                           .user = SLICE_LIT("worker"),
                           .auth = SLICE_LIT("0123456789abcdefghij"),
                           .has_database = true,
                           .database = SLICE_LIT("queue@t1"),
                           .plugin = SLICE_LIT("mysql_native_password"),
                           .attributes = SLICE_LIT("\4name\5value\3pid\00217") };
}

static void assert_login(const struct login *got, const struct login *want, const char *why)
{
    assert_int_equal(got->capabilities, want->capabilities);
    assert_int_equal(got->max_packet, want->max_packet);
    assert_int_equal(got->charset, want->charset);
    assert_slice(got->user, want->user, why);
    assert_slice(got->auth, want->auth, why);
    assert_int_equal(got->has_database, want->has_database);
    assert_slice(got->database, want->database, why);
    assert_slice(got->plugin, want->plugin, why);
    assert_slice(got->attributes, want->attributes, why);
}

static void logins_come_back(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        uint64_t capabilities;
    } cases[] = {
        { "auth with its length, encoded", CAP_PLUGIN_AUTH_LENENC | CAP_SECURE_CONNECTION },
        { "auth with one byte of length", CAP_SECURE_CONNECTION },
        { "auth up to a NUL", 0 },
        { "MariaDB's capabilities", CAP_MARIADB_EXTENDED_METADATA },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct login in = example(cases[i].capabilities), out;
        struct buf b = { 0 };
        login_write(&b, &in);
        assert_int_equal(login_parse(buf_slice(&b), &out, NULL), MQ_OK);
        assert_login(&out, &in, cases[i].why);
        buf_fini(&b);
    }
}

static void login_without_the_optional_parts(void **state)
{
    (void)state;
    struct login in = { .capabilities = CAP_PROTOCOL_41 | CAP_SECURE_CONNECTION,
                        .user = SLICE_LIT("") };
    struct login out;
    struct buf b = { 0 };
    login_write(&b, &in);
    assert_int_equal(login_parse(buf_slice(&b), &out, NULL), MQ_OK);
    assert_login(&out, &in, "nothing but an empty name");
    buf_fini(&b);
}

static void an_empty_database_is_none(void **state)
{
    (void)state;
    struct login in = example(CAP_SECURE_CONNECTION), out;
    in.database = SLICE_LIT("");
    struct buf b = { 0 };
    login_write(&b, &in);
    assert_int_equal(login_parse(buf_slice(&b), &out, NULL), MQ_OK);
    assert_false(out.has_database);
    assert_slice(out.plugin, in.plugin, "what follows is still found");
    buf_fini(&b);
}

/* From the end of the database on, a cut costs the plug-in's name or attributes only. */
static void login_cut_short(void **state)
{
    (void)state;
    struct login in = example(CAP_SECURE_CONNECTION), out;
    struct buf b = { 0 };
    login_write(&b, &in);
    struct slice whole = buf_slice(&b);
    size_t needed = 32 + sizeof "worker" + 1 + in.auth.len + sizeof "queue@t1";
    for (size_t len = 0; len < whole.len; len++) {
        uint8_t *data = exact_copy(whole, len);
        struct err e;
        enum err_code want = len < needed ? MQ_PROTOCOL : MQ_OK;
        assert_int_equal(login_parse(slice_of(data, len), &out, &e), want);
        if (want == MQ_OK)
            assert_slice(out.database, in.database, "database");
        free(data);
    }
    buf_fini(&b);
}

static void logins_refused(void **state)
{
    (void)state;
    static const struct {
        const char *why, *input;
    } cases[] = {
        { "nothing", "" },
        { "a client of MySQL 4.0", "0500 000001 726f6f7400 61626364" },
        { "auth longer than the packet",
          "0082 0000 00000001 2d 0000000000000000000000000000000000000000000000 7500 14 6162" },
        { "auth with an absurd length",
          "0002 2000 00000001 2d 0000000000000000000000000000000000000000000000 7500 "
          "fe ffffffffffffffff 6162" },
        { "a name without end",
          "0082 0000 00000001 2d 0000000000000000000000000000000000000000000000 75" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 };
        struct login l;
        struct err e = { 0 };
        if (login_parse(hex_append(&b, cases[i].input), &l, &e) != MQ_PROTOCOL)
            fail_msg("%s: taken", cases[i].why);
        assert_int_equal(e.code, MQ_PROTOCOL);
        buf_fini(&b);
    }
}

/* COM_CHANGE_USER has one byte of length for the proof, and two for the collation. */
static void changes_of_user(void **state)
{
    (void)state;
    enum { ALL = CAP_SECURE_CONNECTION | CAP_PLUGIN_AUTH | CAP_CONNECT_ATTRS };
    static const struct {
        const char *why, *input;
        uint64_t capabilities;
        struct login want;
    } cases[] = {
        { "everything",
          "7500 02 6162 6400 1601 7000 04 01 6b 01 76",
          ALL | CAP_PLUGIN_AUTH_LENENC,
          { ALL | CAP_PLUGIN_AUTH_LENENC, 0, 278, SLICE_LIT("u"), SLICE_LIT("ab"), true,
            SLICE_LIT("d"), SLICE_LIT("p"), SLICE_LIT("\1k\1v") } },
        { "names only",
          "00 00 00",
          ALL,
          { ALL, 0, 0, SLICE_LIT(""), SLICE_LIT(""), false, SLICE_LIT(""), SLICE_LIT(""),
            SLICE_LIT("") } },
        { "an old client",
          "7500 616200 6400 2d00",
          0,
          { 0, 0, 45, SLICE_LIT("u"), SLICE_LIT("ab"), true, SLICE_LIT("d"), SLICE_LIT(""),
            SLICE_LIT("") } },
        { "a plug-in without its end",
          "7500 00 00 2d00 7071",
          ALL,
          { ALL, 0, 45, SLICE_LIT("u"), SLICE_LIT(""), false, SLICE_LIT(""), SLICE_LIT("pq"),
            SLICE_LIT("") } },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 };
        struct login got;
        struct slice body = hex_append(&b, cases[i].input);
        assert_int_equal(change_user_parse(body, cases[i].capabilities, &got, NULL), MQ_OK);
        assert_login(&got, &cases[i].want, cases[i].why);
        buf_fini(&b);
    }
}

static void changes_of_user_refused(void **state)
{
    (void)state;
    static const struct {
        const char *why, *input;
        uint64_t capabilities;
    } cases[] = {
        { "nothing", "", CAP_SECURE_CONNECTION },
        { "a name without end", "75", CAP_SECURE_CONNECTION },
        { "no proof", "7500", CAP_SECURE_CONNECTION },
        { "no database", "7500 00", CAP_SECURE_CONNECTION },
        { "a database without end", "7500 00 64", CAP_SECURE_CONNECTION },
        { "a proof longer than the packet", "7500 ff 616200 00", CAP_SECURE_CONNECTION },
        { "a proof without end", "7500 6162", 0 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 };
        struct login l;
        struct err e = { 0 };
        if (change_user_parse(hex_append(&b, cases[i].input), cases[i].capabilities, &l, &e) !=
            MQ_PROTOCOL)
            fail_msg("%s: taken", cases[i].why);
        assert_int_equal(e.code, MQ_PROTOCOL);
        buf_fini(&b);
    }
}

static void attributes_read(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct slice input;
        const char *want; /* key=value; … */
    } cases[] = {
        { "two pairs", SLICE_LIT("\1a\2bc\3def\0"), "a=bc;def=;" },
        { "none", SLICE_LIT(""), "" },
        { "a key alone", SLICE_LIT("\1a"), "" },
        { "the second value cut", SLICE_LIT("\1a\1b\1c\5xy"), "a=b;" },
        { "an illegal length", SLICE_LIT("\1a\1b\xff"), "a=b;" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct slice left = cases[i].input, key, value;
        struct buf b = { 0 };
        while (attribute_next(&left, &key, &value)) {
            buf_append_slice(&b, key);
            buf_append_byte(&b, '=');
            buf_append_slice(&b, value);
            buf_append_byte(&b, ';');
        }
        assert_int_equal(left.len, 0);
        assert_slice(buf_slice(&b), slice_cstr(cases[i].want), cases[i].why);
        buf_fini(&b);
    }
}

static void attributes_longer_than_announced_room(void **state)
{
    (void)state;
    struct login in = example(CAP_SECURE_CONNECTION), out;
    struct buf b = { 0 };
    login_write(&b, &in);
    b.end -= 4; /* the last pair loses its value */
    assert_int_equal(login_parse(buf_slice(&b), &out, NULL), MQ_OK);
    struct slice key, value;
    assert_true(attribute_next(&out.attributes, &key, &value));
    assert_slice(key, SLICE_LIT("name"), "the first key");
    assert_slice(value, SLICE_LIT("value"), "the first value");
    assert_false(attribute_next(&out.attributes, &key, &value));
    buf_fini(&b);
}

/* What the login begins with, and no more. */
static void ssl_request_is_the_head_of_a_login(void **state)
{
    (void)state;
    struct login l = { .capabilities = CAP_PROTOCOL_41 | CAP_SECURE_CONNECTION | CAP_SSL,
                       .max_packet = 1 << 24,
                       .charset = 45,
                       .user = SLICE_LIT("app"),
                       .has_database = true,
                       .database = SLICE_LIT("queue") };
    struct buf request = { 0 }, login = { 0 };
    ssl_request_write(&request, &l);
    login_write(&login, &l);
    assert_int_equal(buf_len(&request), 32);
    assert_memory_equal(buf_begin(&request), buf_begin(&login), 32);
    assert_true(is_ssl_request(buf_slice(&request)));
    assert_false(is_ssl_request(buf_slice(&login)));
    for (size_t len = 0; len < 32; len++)
        assert_false(is_ssl_request(slice_of(buf_begin(&request), len)));
    buf_clear(&request);
    l.capabilities &= ~(uint64_t)CAP_SSL;
    ssl_request_write(&request, &l);
    assert_false(is_ssl_request(buf_slice(&request)));
    buf_fini(&request);
    buf_fini(&login);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greetings_of_real_servers),
        cmocka_unit_test(greeting_is_what_a_server_writes),
        cmocka_unit_test(greeting_cut_short),
        cmocka_unit_test(greetings_refused),
        cmocka_unit_test(greeting_without_plugin),
        cmocka_unit_test(greeting_with_long_nonce),
        cmocka_unit_test(logins_come_back),
        cmocka_unit_test(login_without_the_optional_parts),
        cmocka_unit_test(an_empty_database_is_none),
        cmocka_unit_test(login_cut_short),
        cmocka_unit_test(logins_refused),
        cmocka_unit_test(changes_of_user),
        cmocka_unit_test(changes_of_user_refused),
        cmocka_unit_test(attributes_read),
        cmocka_unit_test(attributes_longer_than_announced_room),
        cmocka_unit_test(ssl_request_is_the_head_of_a_login),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
