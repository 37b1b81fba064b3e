#define _DEFAULT_SOURCE
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/slice.h"

static atomic_int configured_level = LOG_INFO;
static atomic_int configured_format = LOG_TEXT;

static const char *const level_names[] = { "error", "warning", "info", "debug" };

void log_configure(enum log_level level, enum log_format format)
{
    atomic_store(&configured_level, (int)level);
    atomic_store(&configured_format, (int)format);
}

bool log_enabled(enum log_level level)
{
    return (int)level <= atomic_load_explicit(&configured_level, memory_order_relaxed);
}

/* Bytes of the character at the front; 0: it is not UTF-8. */
static size_t character(struct slice s)
{
    enum { LONGEST = 4 };
    for (size_t n = 1; n <= LONGEST && n <= s.len; n++)
        if (slice_is_utf8(slice_of(s.data, n), NULL))
            return n;
    return 0;
}

/* What clients have sent may be anything, and a line is cut somewhere: it is UTF-8 all the same. */
static void mend(char *text)
{
    struct slice rest = slice_cstr(text);
    while (rest.len) {
        size_t n = character(rest);
        if (!n)
            text[(size_t)(rest.data - text)] = '?';
        rest = slice_of(rest.data + (n ? n : 1), rest.len - (n ? n : 1));
    }
}

/* Escapes what would break a JSON string or a line. */
static void escape(char *to, size_t size, const char *from)
{
    size_t n = 0;
    for (; *from && n + 7 < size; from++) {
        unsigned char c = (unsigned char)*from;
        if (c == '"' || c == '\\') {
            to[n++] = '\\';
            to[n++] = (char)c;
        } else if (c < 0x20) {
            n += (size_t)snprintf(to + n, size - n, "\\u%04x", c);
        } else {
            to[n++] = (char)c;
        }
    }
    to[n] = '\0';
}

void log_event(enum log_level level, const char *where, const char *format, ...)
{
    if (!log_enabled(level))
        return;
    char message[1024], line[2600], stamp[32];
    va_list ap;
    va_start(ap, format);
    vsnprintf(message, sizeof message, format, ap);
    va_end(ap);
    mend(message);

    uint64_t now = clock_wall_ms();
    time_t seconds = (time_t)(now / 1000);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);

    int n;
    if (atomic_load_explicit(&configured_format, memory_order_relaxed) == LOG_JSON) {
        char escaped[2200];
        escape(escaped, sizeof escaped, message);
        n = snprintf(line, sizeof line,
                     "{\"time\":\"%s.%03uZ\",\"level\":\"%s\",\"where\":\"%s\",\"message\":\"%s\"}\n",
                     stamp, (unsigned)(now % 1000), level_names[level], where, escaped);
    } else {
        for (char *p = message; *p; p++)
            if ((unsigned char)*p < 0x20)
                *p = ' ';
        n = snprintf(line, sizeof line, "%s.%03uZ %-7s %s: %s\n", stamp, (unsigned)(now % 1000),
                     level_names[level], where, message);
    }
    if (n > 0) {
        ssize_t ignored = write(STDERR_FILENO, line, (size_t)n);
        (void)ignored;
    }
}
