/* How a reader with a small buffer feeds a capture. */
#ifndef MQ_TESTS_CAPTURE_FEED_H
#define MQ_TESTS_CAPTURE_FEED_H

#include <string.h>

#include "capture/capture.h"

/* Feeds the text in pieces of at most `room` bytes, as a reader with a buffer of that size. */
static inline void feed_pieces(struct capture *c, const char *text, size_t len, size_t room)
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

#endif
