/* Addresses and networks as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/ip.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void addresses_are_read_and_printed(void **state)
{
    static const struct {
        const char *text, *printed; /* printed NULL: it is none */
    } rows[] = {
        { "127.0.0.1", "127.0.0.1" },
        { "::1", "::1" },
        { "2001:DB8:0:0::5", "2001:db8::5" },
        { "::ffff:10.0.0.9", "10.0.0.9" },
        { "", NULL },
        { "1.2.3", NULL },
        { "1.2.3.4.5", NULL },
        { "1.2.3.256", NULL },
        { "01.2.3.4", NULL },
        { "1.2.3.4 ", NULL },
        { "localhost", NULL },
        { "fe80::1%eth0", NULL },
        { "1111:2222:3333:4444:5555:6666:7777:8888:9999", NULL },
        { "1111:2222:3333:4444:5555:6666:7777:8888:9999:0000:1111", NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ip ip;
        char text[IP_TEXT_MAX];
        assert_int_equal(ip_parse(slice_cstr(rows[i].text), &ip), rows[i].printed != NULL);
        if (rows[i].printed)
            assert_string_equal(ip_print(&ip, text), rows[i].printed);
    }
    struct ip none = { 0 };
    char text[IP_TEXT_MAX];
    assert_string_equal(ip_print(&none, text), "-");
    assert_false(ip_parse(slice_of("1.2.3.4\0", 8), &none));
}

static void networks_have_addresses(void **state)
{
    static const struct {
        const char *network, *address;
        bool has;
    } rows[] = {
        { "10.0.0.0/8", "10.255.0.1", true },
        { "10.0.0.0/8", "11.0.0.1", false },
        { "10.0.0.8/30", "10.0.0.11", true },
        { "10.0.0.8/30", "10.0.0.12", false },
        { "10.0.0.8", "10.0.0.8", true },
        { "10.0.0.8", "10.0.0.9", false },
        { "0.0.0.0/0", "1.2.3.4", true },
        { "0.0.0.0/0", "::1", false },
        { "::/0", "::1", true },
        { "::/0", "1.2.3.4", false },
        { "fd00::/8", "fdff::1", true },
        { "fd00::/8", "fe00::1", false },
        { "10.0.0.0/8", "::ffff:10.1.1.1", true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct network n;
        struct ip ip;
        assert_null(network_parse(slice_cstr(rows[i].network), &n));
        assert_true(ip_parse(slice_cstr(rows[i].address), &ip));
        assert_int_equal(network_has(&n, &ip), rows[i].has);
    }
    struct network n;
    assert_null(network_parse(SLICE_LIT("0.0.0.0/0"), &n));
    assert_false(network_has(&n, &(struct ip){ 0 }));
}

static void texts_that_are_no_networks(void **state)
{
    static const char *const rows[] = { "",           "/8",          "10.0.0.0/",   "10.0.0.0/33",
                                        "::/129",     "10.0.0.0/-1", "10.0.0.0/8 ", "10.0.0.1/8",
                                        "fd00::1/64", "10.0.0.0/8/8" };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct network n;
        assert_non_null(network_parse(slice_cstr(rows[i]), &n));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read_and_printed),
        cmocka_unit_test(networks_have_addresses),
        cmocka_unit_test(texts_that_are_no_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
