/* Any bytes as a file of each format. The first byte chooses the format, the second the size of
 * the pieces. No event may point outside its text or exceed the limit; a script says the same
 * in pieces of any size, unless a line is a command to the client. */
#include <stdint.h>
#include <stdlib.h>

#include "capture/capture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STATEMENT_MAX = 64 };

static void require(int condition)
{
    if (!condition)
        abort();
}

static size_t row_width(void *context, struct slice table)
{
    (void)context;
    return table.len % 5;
}

static void take(void *context, const struct capture_event *e)
{
    unsigned *sum = context;
    require(e->line > 0);
    require(e->kind == CAPTURE_DIGEST || e->kind == CAPTURE_PREPARED ||
            e->text.len <= STATEMENT_MAX);
    for (size_t i = 0; i < e->text.len; i++)
        *sum += (uint8_t)e->text.data[i];
    for (size_t i = 0; e->has_user && i < e->user.len; i++)
        *sum += (uint8_t)e->user.data[i];
    for (size_t i = 0; e->has_database && i < e->database.len; i++)
        *sum += (uint8_t)e->database.data[i];
}

static void feed(struct capture *c, const char *text, size_t len, size_t room)
{
    bool in_line = false;
    for (size_t at = 0; at < len;) {
        size_t left = len - at < room ? len - at : room;
        const char *newline = memchr(text + at, '\n', left);
        size_t piece = newline ? (size_t)(newline - text) - at : left;
        capture_feed(c, slice_of(text + at, piece), !in_line, newline != NULL);
        in_line = !newline;
        at += piece + (newline != NULL);
    }
    if (in_line)
        capture_feed(c, slice_of("", 0), false, true);
    capture_finish(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned sum = 0;
    if (size < 2)
        return 0;
    struct capture_options o = { .format = (enum capture_format)(data[0] % CAPTURE_JSON + 1),
                                 .statement_max = STATEMENT_MAX,
                                 .row_width = row_width,
                                 .sink = take,
                                 .context = &sum };
    struct capture *c = capture_create(&o);
    capture_set_escapes(c, data[1] & 1);
    feed(c, (const char *)data + 2, size - 2, data[1] / 2 + 1u);
    capture_destroy(c);
    require(capture_recognise(slice_of(data + 2, size - 2)) != CAPTURE_UNKNOWN);
    return 0;
}
