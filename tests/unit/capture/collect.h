/* What a file holds, as text: one line for each event, so that a test can compare it. */
#ifndef MQ_TESTS_CAPTURE_COLLECT_H
#define MQ_TESTS_CAPTURE_COLLECT_H

#include <inttypes.h>

#include "tests/unit/capture/feed.h"

static inline void collect_value(struct buf *out, const char *name, bool told, struct slice value)
{
    if (told)
        buf_printf(out, " %s=%.*s", name, (int)value.len, value.data);
}

/* kind line:[session] user= database= xN cut |text| */
static inline void collect_event(void *context, const struct capture_event *e)
{
    static const char *const kinds[] = { "statement", "prepared", "digest", "session",
                                         "end",       "unseen",   "damaged" };
    struct buf *out = context;
    buf_printf(out, "%s %" PRIu64, kinds[e->kind], e->line);
    if (e->session)
        buf_printf(out, " #%" PRIu64, e->session);
    collect_value(out, "user", e->has_user, e->user);
    collect_value(out, "database", e->has_database, e->database);
    if (e->count != 1)
        buf_printf(out, " x%" PRIu64, e->count);
    if (e->cut)
        buf_append_cstr(out, " cut");
    if (e->text.len)
        buf_printf(out, " |%.*s|", (int)e->text.len, e->text.data);
    buf_append_cstr(out, "\n");
}

static inline size_t collect_row_width(void *context, struct slice table)
{
    (void)context;
    return slice_eq(table, SLICE_LIT("known")) ? 4 : 0;
}

/* Everything that the text holds, in a buffer that the caller ends. */
static inline void collect(enum capture_format format, const char *text, size_t len, size_t room,
                           size_t statement_max, struct buf *out)
{
    struct capture_options o = { .format = format,
                                 .statement_max = statement_max,
                                 .row_width = collect_row_width,
                                 .sink = collect_event,
                                 .context = out };
    struct capture *c = capture_create(&o);
    buf_init(out);
    feed_pieces(c, text, len, room);
    capture_destroy(c);
}

#endif
