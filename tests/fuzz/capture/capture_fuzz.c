/* Any bytes as a file of each format. The first byte chooses the format, the second the size of
 * the pieces. No event may point outside its text or exceed the limit; a script says the same
 * in pieces of any size, if no line can be a command to the client (delimiter, use). */
#include <stdint.h>
#include <stdlib.h>

#include "tests/unit/capture/feed.h"

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

static void add(uint64_t *hash, struct slice s)
{
    for (size_t i = 0; i < s.len; i++)
        *hash = (*hash ^ (uint8_t)s.data[i]) * 0x100000001b3u;
    *hash = *hash * 31 + s.len;
}

static void take(void *context, const struct capture_event *e)
{
    uint64_t *hash = context;
    require(e->line > 0);
    require(e->kind == CAPTURE_DIGEST || e->kind == CAPTURE_PREPARED ||
            e->text.len <= STATEMENT_MAX);
    add(hash, e->text);
    if (e->has_user)
        add(hash, e->user);
    if (e->has_database)
        add(hash, e->database);
    *hash += e->line + e->cut;
}

/* A hash of all events. */
static uint64_t read_all(const uint8_t *data, size_t size, size_t room)
{
    uint64_t hash = 0;
    struct capture_options o = { .format = (enum capture_format)(data[0] % CAPTURE_JSON + 1),
                                 .statement_max = STATEMENT_MAX,
                                 .row_width = row_width,
                                 .sink = take,
                                 .context = &hash };
    struct capture *c = capture_create(&o);
    capture_set_escapes(c, data[1] & 1);
    feed_pieces(c, (const char *)data + 2, size - 2, room);
    capture_destroy(c);
    return hash;
}

static int may_hold_commands(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((data[i] | 0x20) == 'd' || (data[i] | 0x20) == 'u' || data[i] == 0xef)
            return 1;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    uint64_t hash = read_all(data, size, data[1] / 2 + 1u);
    if (data[0] % CAPTURE_JSON + 1 == CAPTURE_SCRIPT && !may_hold_commands(data + 2, size - 2))
        require(hash == read_all(data, size, SIZE_MAX));
    require(capture_recognise(slice_of(data + 2, size - 2)) != CAPTURE_UNKNOWN);
    return 0;
}
