/* One event, one line, whatever it is about. */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The line that an event becomes. */
static void log_into(char line[4096], enum log_format format, const char *text)
{
    int ends[2], usual = dup(STDERR_FILENO);
    assert_int_equal(pipe(ends), 0);
    log_configure(LOG_INFO, format);
    dup2(ends[1], STDERR_FILENO);
    log_info("test", "%s", text);
    dup2(usual, STDERR_FILENO);
    close(usual);
    close(ends[1]);
    ssize_t n = read(ends[0], line, 4095);
    close(ends[0]);
    assert_true(n > 0);
    line[n] = '\0';
}

static void whatever_a_client_sends(void **state)
{
    static const struct {
        const char *text, *in_text, *in_json;
    } cases[] = {
        { "plain", "test: plain\n", "\"message\":\"plain\"}\n" },
        { "a\nb\tc\x1b", "test: a b c \n", "\"message\":\"a\\u000ab\\u0009c\\u001b\"}\n" },
        { "say \"\\\"", "test: say \"\\\"\n", "\"message\":\"say \\\"\\\\\\\"\"}\n" },
        { "\xc3\xa9 \xe4\xb8\xad", "test: \xc3\xa9 \xe4\xb8\xad\n",
          "\"message\":\"\xc3\xa9 \xe4\xb8\xad\"}\n" },
        { "a\xff\xc3z\xe4\xb8", "test: a??z??\n", "\"message\":\"a??z??\"}\n" },
    };
    char line[4096];
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        log_into(line, LOG_TEXT, cases[i].text);
        assert_string_equal(strstr(line, "test: "), cases[i].in_text);
        log_into(line, LOG_JSON, cases[i].text);
        assert_string_equal(strstr(line, "\"message\""), cases[i].in_json);
    }
}

/* What does not fit is cut, between characters. */
static void a_long_event(void **state)
{
    char text[4000], line[4096];
    (void)state;
    for (size_t i = 0; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa9", 3);
    log_into(line, LOG_JSON, text);
    assert_string_equal(line + strlen(line) - 6, "\xc3\xa9?\"}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_a_client_sends),
        cmocka_unit_test(a_long_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
