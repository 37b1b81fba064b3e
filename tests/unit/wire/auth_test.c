#include "tests/unit/wire/wire_test.h"

#include "wire/auth_int.h"
#include "wire/sha_crypt.h"

static const uint8_t nonce[NONCE_SIZE] = "ZiJ~\x1e\x30%8\x03\x17s\x7f"
                                         "E\x16)T {+v";

static void plugins_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum auth_plugin want;
    } cases[] = {
        { "mysql_native_password", AUTH_NATIVE }, { "caching_sha2_password", AUTH_CACHING_SHA2 },
        { "mysql_clear_password", AUTH_OTHER },   { "Caching_sha2_password", AUTH_OTHER },
        { "caching_sha2_passwor", AUTH_OTHER },   { "", AUTH_OTHER },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(auth_plugin_of(slice_cstr(cases[i].name)), cases[i].want);
    assert_string_equal(auth_plugin_name(AUTH_CACHING_SHA2), "caching_sha2_password");
    assert_string_equal(auth_plugin_name(AUTH_OTHER), "");
}

static void nonces_are_clean_and_fresh(void **state)
{
    (void)state;
    uint8_t last[NONCE_SIZE] = { 0 }, next[NONCE_SIZE];
    for (size_t n = 0; n < 200; n++) {
        auth_nonce(next);
        for (size_t i = 0; i < NONCE_SIZE; i++)
            assert_true(next[i] >= 1 && next[i] <= 127 && next[i] != '$');
        assert_memory_not_equal(next, last, NONCE_SIZE);
        memcpy(last, next, NONCE_SIZE);
    }
}

static void proofs_match_vectors(void **state)
{
    (void)state;
    static const struct {
        const char *password, *nonce, *want;
        enum auth_plugin plugin;
    } cases[] = {
        { "secret", "5a694a7e1e3025380317737f45162954207b2b76",
          "5066065730cf2b8440b092ea31da57caa8591226", AUTH_NATIVE },
        { "secret", "5a694a7e1e3025380317737f45162954207b2b76",
          "662005238fa18cf1abe8388b2b0e6bc4f9aa933cdccc78b2d60fb8961a3d39eb", AUTH_CACHING_SHA2 },
        { "secret", "0a2f4a6f4b492230584c724a250d035052021715",
          "f490e76f66d9d86665ce54d98c78d0acfe2fb0b08b423da807144873d30b312c", AUTH_CACHING_SHA2 },
        { "secret2", "0a2f4a6f4b492230584c724a250d035052021715",
          "abc3934a012cf342e876071c8ee202de51785b430258a7a0138bc79c4d800bc6", AUTH_CACHING_SHA2 },
        { "", "0a2f4a6f4b492230584c724a250d035052021715", "", AUTH_CACHING_SHA2 },
        { "", "0a2f4a6f4b492230584c724a250d035052021715", "", AUTH_NATIVE },
        { "secret", "0a2f4a6f4b492230584c724a250d035052021715", "", AUTH_OTHER },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf n = { 0 }, want = { 0 };
        uint8_t proof[32];
        struct slice bytes = hex_append(&n, cases[i].nonce);
        size_t len = auth_prove(cases[i].plugin, slice_cstr(cases[i].password),
                                (const uint8_t *)bytes.data, proof);
        assert_slice(slice_of(proof, len), hex_append(&want, cases[i].want), cases[i].password);
        buf_fini(&n);
        buf_fini(&want);
    }
}

static void proofs_fit_their_verifier_only(void **state)
{
    (void)state;
    struct verifier v, other;
    uint8_t proof[32];
    verifier_of_password(&v, SLICE_LIT("sesame"));
    verifier_of_password(&other, SLICE_LIT("sesame "));
    size_t len = auth_prove(AUTH_NATIVE, v.clear, nonce, proof);
    assert_true(native_proof_fits(&v, slice_of(proof, len), nonce));
    assert_false(native_proof_fits(&other, slice_of(proof, len), nonce));
    assert_false(native_proof_fits(&v, slice_of(proof, len - 1), nonce));
    proof[19] ^= 1;
    assert_false(native_proof_fits(&v, slice_of(proof, len), nonce));
    len = auth_prove(AUTH_CACHING_SHA2, v.clear, nonce, proof);
    assert_true(sha2_proof_fits(&v, slice_of(proof, len), nonce));
    assert_false(sha2_proof_fits(&other, slice_of(proof, len), nonce));
    assert_false(sha2_proof_fits(&v, slice_of(proof, 20), nonce));
    assert_false(
        sha2_proof_fits(&v, slice_of(proof, len), (const uint8_t *)"another nonce of 20b"));
    proof[0] ^= 0x80;
    assert_false(sha2_proof_fits(&v, slice_of(proof, len), nonce));
}

/* As mysql.user shows it for 'sesame' on MySQL 9.7 (in hex: the salt is not printable). */
static const char stored_sesame[] = "0x2441243030412415553612720A3231307D3E76115E613F6545063F6F7931"
                                    "4D627A706B48332F6B307377416E73494E"
                                    "797031586A4B5457584C313541696C3276595A6151432E";

static void hashes_of_accounts(void **state)
{
    (void)state;
    static const struct {
        const char *why, *hash;
        bool good, native, crypt;
    } cases[] = {
        { "native", "*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19", true, true, false },
        { "native, small letters", "*2470c0c06dee42fd1618bb99005adca2ec9d1e19", true, true, false },
        { "native, too short", "*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E1", false, false, false },
        { "native, too long", "*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E1900", false, false, false },
        { "native, no hex", "*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E1g", false, false, false },
        { "the star alone", "*", false, false, false },
        { "stored", "$A$005$abcdefghijklmnopqrstBTy95Y99eAME1dwEkHOA1ndHGBWz.1bxSSRkuTXFGV/", true,
          false, true },
        { "stored, in hex", stored_sesame, true, false, true },
        { "hex of something else", "0x2441", false, false, false },
        { "no rounds", "$A$000$abcdefghijklmnopqrstBTy95Y99eAME1dwEkHOA1ndHGBWz.1bxSSRkuTXFGV/",
          false, false, false },
        { "rounds that are no number",
          "$A$0x5$abcdefghijklmnopqrstBTy95Y99eAME1dwEkHOA1ndHGBWz.1bxSSRkuTXFGV/", false, false,
          false },
        { "a digest with a foreign letter",
          "$A$005$abcdefghijklmnopqrstBTy95Y99eAME1dwEkHOA1ndHGBWz.1bxSSRkuTXFG=/", false, false,
          false },
        { "a digest cut short",
          "$A$005$abcdefghijklmnopqrstBTy95Y99eAME1dwEkHOA1ndHGBWz.1bxSSRkuTXFGV", false, false,
          false },
        { "crypt(3)", "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5", false, false,
          false },
        { "a password", "sesame", false, false, false },
        { "nothing", "", false, false, false },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct verifier v;
        if (verifier_of_hash(&v, slice_cstr(cases[i].hash)) != cases[i].good)
            fail_msg("%s", cases[i].why);
        assert_int_equal(v.has_native, cases[i].native);
        assert_int_equal(v.has_sha2_crypt, cases[i].crypt);
        assert_false(v.empty || v.has_clear || v.has_sha2);
    }
}

static void a_password_yields_both_hashes(void **state)
{
    (void)state;
    struct verifier clear, hash;
    verifier_of_password(&clear, SLICE_LIT("password"));
    assert_true(verifier_of_hash(&hash, SLICE_LIT("*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19")));
    assert_true(clear.has_native && clear.has_sha2 && clear.has_clear && !clear.empty);
    assert_memory_equal(clear.native, hash.native, SHA1_SIZE);
    verifier_of_password(&clear, SLICE_LIT(""));
    assert_true(clear.empty && !clear.has_native && !clear.has_sha2);
}

/* Salts of up to 16 bytes give what crypt(3) gives; longer ones what servers store. */
static void sha_crypt_vectors(void **state)
{
    (void)state;
    static char long_password[PASSWORD_MAX + 1];
    memset(long_password, 'x', PASSWORD_MAX);
    const struct {
        const char *why, *password;
        struct slice salt;
        unsigned rounds;
        const char *want;
    } cases[] = {
        { "crypt(3)", "Hello world!", SLICE_LIT("saltstring"), 5000,
          "5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5" },
        { "10000 rounds", "Hello world!", SLICE_LIT("saltstringsaltst"), 10000,
          "3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA" },
        { "another length", "This is just a test", SLICE_LIT("toolongsaltstrin"), 5000,
          "Un/5jzAHMgOGZ5.mWJpuVolil07guHPvOW8mGRcvxa5" },
        { "the longest password", long_password, SLICE_LIT("abc"), 1000,
          "kLm1/Cq6HcGIYCzKJDVqnMdmh8Q1xSqhD8l8fOIe7k7" },
        { "the empty password", "", SLICE_LIT("abc"), 1000,
          "sP9FmVrTEqPcRDE7OxGDY0efugGF1dtCtqYcUsX9wmD" },
        { "20 bytes of salt", "hashcat",
          SLICE_LIT("\xF9\xCC\x98\xCE\x08\x89\x29\x24\xF5\x0A\x21\x3B\x6B\xC5\x71\xA2\xC1\x17\x78"
                    "\xC5"),
          5000, "bTy95Y99eAME1dwEkHOA1ndHGBWz.1bxSSRkuTXFGV/" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char digest[SHA_CRYPT_DIGEST];
        assert_true(
            sha_crypt(slice_cstr(cases[i].password), cases[i].salt, cases[i].rounds, digest));
        assert_slice(slice_of(digest, sizeof digest), slice_cstr(cases[i].want), cases[i].why);
    }
    char digest[SHA_CRYPT_DIGEST];
    char longer[PASSWORD_MAX + 1] = { 0 };
    assert_false(sha_crypt(slice_of(longer, sizeof longer), SLICE_LIT("abc"), 1000, digest));
    assert_false(sha_crypt(SLICE_LIT("x"), SLICE_LIT("abcdefghijklmnopqrstu"), 1000, digest));
}

static void stored_hash_of_a_server(void **state)
{
    (void)state;
    struct verifier v;
    assert_true(verifier_of_hash(&v, slice_cstr(stored_sesame)));
    struct slice stored = slice_of(v.sha2_crypt, SHA_CRYPT_STORED);
    assert_true(sha_crypt_fits(stored, SLICE_LIT("sesame")));
    assert_false(sha_crypt_fits(stored, SLICE_LIT("sesamE")));
    assert_false(sha_crypt_fits(stored, SLICE_LIT("")));
}

static void rsa_opens_what_was_sealed(void **state)
{
    (void)state;
    struct rsa_key *key = rsa_key_create(NULL);
    assert_non_null(key);
    struct buf sealed = { 0 };
    uint8_t clear[RSA_SIZE_MAX];
    size_t len;
    assert_true(rsa_seal(rsa_public_pem(key), SLICE_LIT("sesame"), &sealed));
    assert_int_equal(buf_len(&sealed), 256);
    assert_true(rsa_open(key, buf_slice(&sealed), clear, &len));
    assert_slice(slice_of(clear, len), SLICE_LIT("sesame"), "opened");
    buf_begin(&sealed)[100] ^= 1;
    assert_false(rsa_open(key, buf_slice(&sealed), clear, &len));
    assert_false(rsa_open(key, slice_of(buf_begin(&sealed), 255), clear, &len));
    assert_false(rsa_open(key, SLICE_LIT(""), clear, &len));
    buf_fini(&sealed);
    rsa_key_destroy(key);
    rsa_key_destroy(NULL);
}

static void keys_of_others_are_doubted(void **state)
{
    (void)state;
    static const struct {
        const char *why, *pem;
    } cases[] = {
        { "nothing", "" },
        { "no PEM", "sesame" },
        { "a curve", "-----BEGIN PUBLIC KEY-----\n"
                     "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAER1JsKI5NNSjg54xR1xkzaSKaRYeH\n"
                     "ph2vkqlVkR1SgaPG2JRZeE9IgUMpcpxDDQfQ/0ewJFw3PkTSzKoRa56Uog==\n"
                     "-----END PUBLIC KEY-----\n" },
        { "a key under a passphrase", "-----BEGIN PUBLIC KEY-----\n"
                                      "Proc-Type: 4,ENCRYPTED\n"
                                      "DEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\n"
                                      "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
                                      "-----END PUBLIC KEY-----\n" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf out = { 0 };
        if (rsa_seal(slice_cstr(cases[i].pem), SLICE_LIT("sesame"), &out))
            fail_msg("%s", cases[i].why);
        assert_int_equal(buf_len(&out), 0);
        buf_fini(&out);
    }
    struct rsa_key *key = rsa_key_create(NULL);
    struct buf out = { 0 };
    char too_long[215] = { 0 }; /* OAEP over 2048 bits takes 214 */
    assert_false(rsa_seal(rsa_public_pem(key), slice_of(too_long, sizeof too_long), &out));
    assert_true(rsa_seal(rsa_public_pem(key), slice_of(too_long, sizeof too_long - 1), &out));
    buf_fini(&out);
    rsa_key_destroy(key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plugins_by_name),
        cmocka_unit_test(nonces_are_clean_and_fresh),
        cmocka_unit_test(proofs_match_vectors),
        cmocka_unit_test(proofs_fit_their_verifier_only),
        cmocka_unit_test(hashes_of_accounts),
        cmocka_unit_test(a_password_yields_both_hashes),
        cmocka_unit_test(sha_crypt_vectors),
        cmocka_unit_test(stored_hash_of_a_server),
        cmocka_unit_test(rsa_opens_what_was_sealed),
        cmocka_unit_test(keys_of_others_are_doubted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
